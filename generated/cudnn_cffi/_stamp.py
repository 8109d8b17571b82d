# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:648d76888be46cf603ef8a23bd0aa74e
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "27cd2f2ecaea587c"
