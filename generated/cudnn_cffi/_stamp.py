# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:aa8079a81816e1ba022bf99a39feea6a
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "6fbeb8a54c0d207c"
