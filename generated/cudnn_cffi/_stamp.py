# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:112984314a19018dd9dd660d2e5f56fe
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "d1e8b075083694e5"
