# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c7d4e14923a0fe31c06022c30e42af1f
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "f7553a243965d16b"
