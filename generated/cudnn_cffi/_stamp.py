# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:55ae776b9ca259a7a6210265a2938bf9
"""What tells this tree from those of other versions of the package."""

STAMP = "62cd6dd3c977ccb6"
