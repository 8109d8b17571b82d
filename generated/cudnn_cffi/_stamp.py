# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9385c5c619538771187d26896d0c66c1
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7487ad5a97d87eed"
