# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d228287493a3b01871f6dc88082e3891
"""What tells this tree from those of other versions of the package."""

STAMP = "007633f2f47ea5c0"
