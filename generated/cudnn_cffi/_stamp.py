# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:713a379c958a8a2d2f0541c402de5855
"""What tells this tree from those of other versions of the package."""

STAMP = "7ede2c5c307ce039"
