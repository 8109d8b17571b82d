# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:80a5001ffaea797666853f09bbe667a2
"""What tells this tree from those of other versions of the package."""

STAMP = "7687b5c63e57761f"
