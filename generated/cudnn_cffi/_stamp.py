# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a7c7305541fbe1cb21bdc15b24b02941
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "5e609d7d6ddc2c8d"
