# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ef9950ca456d3a2f8e8ebcddcfc6ecfc
"""What tells this tree from those of other versions of the package."""

STAMP = "150b3c950f5b408f"
