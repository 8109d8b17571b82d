# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d36cd2704bdcd4dac1d24f899b617162
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "f87ddc1ae78af947"
