# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:bf57854696b9ef5f4e77d4bbe34c66a2
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "34857d1f5a4edae0"
