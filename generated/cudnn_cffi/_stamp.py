# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:2b4da1c964fbc45c0e5a13e930e7a5ab
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "4c39a0445f43b45a"
