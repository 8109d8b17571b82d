# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5ea69ad3fe45970ea3cc5da91825b0a7
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7ca8f2c981c86a35"
