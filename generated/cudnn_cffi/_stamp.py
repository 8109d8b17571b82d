# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:14c390104345dc14502c97761b76ffc9
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "b62f9ec48ee7a318"
