# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1a856b488863ae7659fe695507be46de
"""What tells this tree from those of other versions of the package."""

STAMP = "999495900dc60013"
