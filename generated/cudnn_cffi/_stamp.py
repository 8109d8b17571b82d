# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f1d58f24074060ceba879cbb0144a125
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "77034098fb4fbae5"
