# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f7b954beb6aeb3a2e9b05dfdb96c1ecb
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "c91a2fbdd69555c3"
