# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:cc1cd46bc7da856d9c2200b5e9d59b8f
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "4592493031c89743"
