# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a693028f44fccc002555e821ff9880c9
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "ac676e5c35b21e36"
