# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c7a7fbfd9ab8441371240d3e6f825016
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "b74360359463557d"
