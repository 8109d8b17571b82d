# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1ffb7c700ddff32514f4a0f8a89eda5f
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "960827d5720aeaee"
