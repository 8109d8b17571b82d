# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ecee5959ca6102a10fe4221cab29aad6
"""What tells this tree from those of other versions of the package."""

STAMP = "6b4109e7a0903e92"
