# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1af14e9f10ee1f037b9baab8a50b49db
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "4879c331d8234981"
