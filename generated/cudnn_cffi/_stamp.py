# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a3819ed990792ae19e7df1f7eb5cb7d8
"""What tells this tree from those of other versions of the package."""

STAMP = "b3c478900ca5f2f1"
