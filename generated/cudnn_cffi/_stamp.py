# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:21ab81db8bdc10dc91484d11855500e4
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "d13a55fbd3a272f3"
