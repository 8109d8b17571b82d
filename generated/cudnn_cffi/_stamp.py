# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e04d18093c8c19dea1bea0ffa65e6bac
"""What tells this tree from those of other versions of the package."""

STAMP = "c72ac2a2594a2e4a"
