# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:0f7baaac8a0ff1ca294c39d8260d6d3a
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "46636b15ec265dfc"
