# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:1a12738410bf14c69d286da6dbb278fe
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "139107e5073cef53"
