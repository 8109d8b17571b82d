# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3a0c232f897c5965eab2cc03242c0a6d
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "5b0e55ae63302fe6"
