# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:eefc40fb9f7cdb2039dde34ac565d33c
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "e1904b5bc36b86e5"
