# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:592a1b29f25c3776d437b0e9596db554
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "93561acbf3d2f0cc"
