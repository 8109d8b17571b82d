# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e6e07bfd09030f03e8035372376390e7
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "31f212c5de020fdb"
