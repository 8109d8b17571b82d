# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:39ed5be80277fabbe044548447e2c3c0
"""What tells this tree from those of other versions of the package."""

STAMP = "03c44724cb6a520b"
