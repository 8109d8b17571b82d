# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:330ae1c9d494416cd2568059bef7b7da
"""What tells this tree from those of other versions of the package."""

STAMP = "a9a04ef61fb220f9"
