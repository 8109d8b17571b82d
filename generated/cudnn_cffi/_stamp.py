# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:752e374aebbda11823b02298b3fe39c7
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "4fbcc0f0aafa241e"
