# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:34db9e706762854202dc00e457fe2359
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "072afdb088e0f9ce"
