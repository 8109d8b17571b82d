# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:2d52cf889586d36499e8f6c89d93c78c
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "440ab0c8e4d51998"
