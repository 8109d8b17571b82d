# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c87fbd9ba56736146f08e6cdaf6fff3c
"""What tells this tree from those of other versions of the package."""

STAMP = "3b0c58acec85e918"
