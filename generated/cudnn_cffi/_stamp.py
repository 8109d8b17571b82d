# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:30e1f893ca473f09cdf979e1c8b22ecf
"""What tells this tree from those of other versions of the package."""

STAMP = "7a7000e5e884a89e"
