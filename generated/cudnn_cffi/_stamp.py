# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:70af64c826c9c3bd9da18d22d76aa78d
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "5490f5e5560109b6"
