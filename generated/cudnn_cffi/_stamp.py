# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a4be34ab0bb7dc9f1eddf8607bf29679
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "0a0d35c7823212df"
