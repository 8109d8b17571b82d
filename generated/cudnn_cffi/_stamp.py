# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:fb0b47701d30794f83dad3a485529926
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7a4ad3e6c5d374d2"
