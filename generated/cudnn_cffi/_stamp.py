# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7b1f1b61b270532f04edd97730125577
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "df0178c243794894"
