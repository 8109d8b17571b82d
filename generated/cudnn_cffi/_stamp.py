# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e5a8d5496352f09fe6c610af5fbd662e
"""What tells this tree from those of other versions of the package."""

STAMP = "6cf8f8394a030b9c"
