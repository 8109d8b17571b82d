# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:babe2dd6fe8ddd524bc73c34952597f3
"""What tells this tree from those of other versions of the package."""

STAMP = "a18c5c223b0f3645"
