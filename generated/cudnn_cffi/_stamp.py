# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1bb5bd7c5887a5603302911cc294d9b0
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7fee15b95a405a3d"
