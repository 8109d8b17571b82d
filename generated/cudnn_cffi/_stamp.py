# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c1550a98d16f5bdcaac10ac767a730f5
"""What tells this tree from those of other versions of the package."""

STAMP = "ff1fcea567ff7315"
