# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:67495d681f7583f87fe869696be64edd
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "a1999b29b190c705"
