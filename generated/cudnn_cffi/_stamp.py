# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a0ee164d2aa4576c3598dc0f0bdedaa0
"""What tells this tree from those of other versions of the package."""

STAMP = "78f7e16ac80704cd"
