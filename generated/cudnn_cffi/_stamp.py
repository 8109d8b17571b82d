# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a57325dd5f5b57ca8a11bd8e0ea23c5e
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "38074ad50a251f15"
