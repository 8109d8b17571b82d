# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:553f5375f3bd9ae3fef24d61d598f06c
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "82485171e4526517"
