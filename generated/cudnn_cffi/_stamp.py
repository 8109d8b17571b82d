# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:97b2d88206574ae8a39f539d8ec28853
"""What tells this tree from those of other versions of the package."""

STAMP = "7601db1c5d5c63de"
