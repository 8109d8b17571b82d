# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c98cead7fa12761bd514e1111beecebd
"""What tells this tree from those of other versions of the package."""

STAMP = "b9b8a895d5745790"
