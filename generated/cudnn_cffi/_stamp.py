# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8a861c7f57f61f9e2a2ea4825abf9c2c
"""What tells this tree from those of other versions of the package."""

STAMP = "e433980794d50e4e"
