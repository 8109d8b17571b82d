# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:101a3b79b42f410a616e17d6f457383e
"""What tells this tree from those of other versions of the package."""

STAMP = "728a0c8036ce0f0d"
