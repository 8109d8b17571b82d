# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f0892904966fc9ef8771bf4067627873
"""What tells this tree from those of other versions of the package."""

STAMP = "6c74b4701e58f04a"
