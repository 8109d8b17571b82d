# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7e953736deac41b521a6cabeaad472db
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "6c7a169e9965dae0"
