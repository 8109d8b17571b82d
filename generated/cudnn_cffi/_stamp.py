# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5538317e292058c48fd83971244a1e28
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "d3bca9d450065c2b"
