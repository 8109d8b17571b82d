# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:762a2152b98869886d8003f57ee3e8b2
"""What tells this tree from those of other versions of the package."""

STAMP = "393d7d5cafc72aa1"
