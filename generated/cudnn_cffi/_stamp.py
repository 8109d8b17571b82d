# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1650839abf37a3b4d8ee4e4d95061fb5
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "f0798d03638cb687"
