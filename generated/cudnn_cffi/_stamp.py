# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6ed29d13ba831810cda14911bf571989
"""What tells this tree from those of other versions of the package."""

STAMP = "972ad03cfa7a1995"
