# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:58d68cd4908092a90d1b818b0accbd34
"""What tells this tree from those of other versions of the package."""

STAMP = "a562ea687d1dc924"
