# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ff3f1f50ad094a8071b40dfc6479de64
"""What tells this tree from those of other versions of the package."""

STAMP = "c0f10fe94d5917fd"
