# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:32c1d00755ef23d19dcd7cdfd34fa910
"""What tells this tree from those of other versions of the package."""

STAMP = "12f0639a9cd81420"
