# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ad3183fc3d165b9f935fd04ebbb05f90
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "dcc25d8f14a25895"
