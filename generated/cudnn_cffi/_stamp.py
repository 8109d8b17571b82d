# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7da2b18003740d2f7ff4898e2a39af6f
"""What tells this tree from those of other versions of the package."""

STAMP = "7313db0ccf762db0"
