# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4f69b9c31eac4fa54ba3d9820bbd3ce9
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "189ad3ba155ff032"
