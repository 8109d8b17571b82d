# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:acf8e5bf59ba8d5c0de95be785f3cc1b
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "302822426e29e95f"
