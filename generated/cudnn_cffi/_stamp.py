# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ad315eb710688c7196712490515eecf4
"""What tells this tree from those of other versions of the package."""

STAMP = "6dbabe58c6c270b0"
