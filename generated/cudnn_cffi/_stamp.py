# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:53645595f0d915132c0cbed33834b99b
"""What tells this tree from those of other versions of the package."""

STAMP = "7bd4be7dc100e192"
