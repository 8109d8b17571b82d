# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:685b24a793e7e36b1c5592f8e696d260
"""What tells this tree from those of other versions of the package."""

STAMP = "f9acc7e3b0289a6f"
