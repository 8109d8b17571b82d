# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d6ac948aede31f73078ff38a8256bb4d
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "ab5189efaf1244dd"
