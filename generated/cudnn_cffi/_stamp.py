# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9766b494bc630cf0091ec1456c488a88
"""What tells this tree from those of other versions of the package."""

STAMP = "c750d8dc5bc81021"
