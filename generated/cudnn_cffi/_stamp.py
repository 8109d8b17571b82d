# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b01080738eb3a7be3249970b8ded7aa8
"""What tells this tree from those of other versions of the package."""

STAMP = "41e365392812bcf1"
