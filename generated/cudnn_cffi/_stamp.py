# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6aaa6be2191cc5f6e84939732c6197df
"""What tells this tree from those of other versions of the package."""

STAMP = "81b887474c726435"
