# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:22f46fa793640dcac995aab94b4000f9
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "ebe4e8ea7ea94f6a"
