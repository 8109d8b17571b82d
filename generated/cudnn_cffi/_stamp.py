# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c819f7f1cab201670a3c013d3c841fb6
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "dbf06e7341c3f21d"
