# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5685309c3656a8d5f22a4ce04431c315
"""What tells this tree from those of other versions of the package."""

STAMP = "51982953c4f372db"
