# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:963c0397cdaefba497e3b342f622e51f
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "37345a8fbec63a72"
