# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3855c3793eaf042f4afd8b955da6c3c0
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "00844ae44fee81c4"
