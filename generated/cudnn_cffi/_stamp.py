# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:757bf782eed7dff58f3d8274545ec3ef
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "10646323f8609ecf"
