# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:8a83f7ccf85c52bdb04069149c8d4bd1
"""What tells this tree from those of other versions of the package."""

STAMP = "40b9886863962267"
