# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6930ded796f9e71671bb16d369915fd7
"""What tells this tree from those of other versions of the package."""

STAMP = "310c38e581d5f81f"
