# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:da476e259c5a64e0f778da07913558f8
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "9757e93fa5076cc1"
