# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3741c38b7f1d3f821154077c2ec97f8a
"""What tells this tree from those of other versions of the package."""

STAMP = "4c07987bb29f7663"
