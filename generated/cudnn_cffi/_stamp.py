# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:379df5a2aae8a7770924f761573ac32c
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "73737eb058c10471"
