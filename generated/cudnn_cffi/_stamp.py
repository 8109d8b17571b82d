# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:886428d909ae019c6ff814775cd1ad37
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "c7cd548f4f0c0837"
