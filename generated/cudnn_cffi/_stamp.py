# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:35a0f629df9b979f1520c109ef46ac27
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "a7731fdd95e013c9"
