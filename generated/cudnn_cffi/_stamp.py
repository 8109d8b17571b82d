# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:0b4e89a26feec741926d8e707c71558e
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "a8ff887212fa681d"
