# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:52036bef75f056f829da8ff5ff0e554d
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "68ab86eb1a8d316e"
