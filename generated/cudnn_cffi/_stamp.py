# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5a47d1ff6a12979a173f09e70df982ff
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "f91df7dd7f055885"
