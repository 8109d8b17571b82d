# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f3f5076d2ff1746f9d47e95f6646040b
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "f8827ab3e6e72ccb"
