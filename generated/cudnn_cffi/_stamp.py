# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5df3351287fb1956bdccfe8cbb4dd791
"""What tells this tree from those of other versions of the package."""

STAMP = "baf34a7e10ac90cb"
