# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:39edf48f4dbdf1052df5f145cb960894
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "34c9e6a78dab0d79"
