# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a3cb80a3bf6b78496104d3219209cf39
"""What tells this tree from those of other versions of the package."""

STAMP = "f2b89c2802d12d14"
