# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:27a2f7f7049da2b435efd6a596aae102
"""What tells this tree from those of other versions of the package."""

STAMP = "8d1a5e0dbc4f925d"
