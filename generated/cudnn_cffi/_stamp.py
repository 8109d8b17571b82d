# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d06cf4b2969285c81929aa94cfcdc65e
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7a0741f0f8af0778"
