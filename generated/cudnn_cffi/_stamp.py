# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ff1656f650e0fb59cbf6eef3cbb8f48f
"""What tells this tree from those of other versions of the package."""

STAMP = "b422c0a815f29305"
