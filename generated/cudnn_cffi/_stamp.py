# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b932c7f977de4917697dab646eec9f83
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "00ea1a5db462d7d4"
