# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e65cc99d1f14a9ce7f5eae66cd3701bf
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "f46c5d24ea26d4e1"
