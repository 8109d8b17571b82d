# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:639b0071c8f7693dd908c7e5f3c159a7
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "7ab50bab7fc892cf"
