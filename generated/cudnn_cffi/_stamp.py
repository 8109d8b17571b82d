# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:febd0a2e964b30350ef83771bc03da62
"""What tells this tree from those of other versions of the package."""

STAMP = "8b4b33ded04b9d52"
