# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a8e3d24cc2c70456e6f7a3bc6ec6b192
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "925e96736d1ea8a0"
