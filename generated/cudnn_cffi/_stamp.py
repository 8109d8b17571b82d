# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b8641c6e71bda7bed0df6e6ab9a20d5f
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "6b4c17950ca3a8ed"
