# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:22919e405765eb9154e1a9762f0cf9e8
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7f1eab93b89affb6"
