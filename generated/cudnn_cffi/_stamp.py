# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b7f830f9a3d3a6f222f78e27913a9138
"""What tells this tree from those of other versions of the package."""

STAMP = "e3b6e8199f91ce23"
