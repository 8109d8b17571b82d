# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9d2b83ca68061b40311cdfde117db9f4
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "57264ccce66e8f0a"
