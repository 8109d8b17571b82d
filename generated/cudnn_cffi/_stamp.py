# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ca1d00570a2dd277edd7586674aa3f9d
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "2cf1ea8ef21a4dce"
