# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:094ab23ddae1f3bf39f114eb47c04224
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7231cdfbfe7354bd"
