# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9d5c77c77888a31549a07d9554c83780
"""What tells this tree from those of other versions of the package."""

STAMP = "84a2baee5dae6563"
