# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:871e48b6ce69d6cc1eaf16b9e87ee21e
"""What tells this tree from those of other versions of the package."""

STAMP = "e73059cff84bab0f"
