# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:29ab62d0e1898e49ce614f031679a50c
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "cd33630a0a2961a0"
