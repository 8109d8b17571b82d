# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e629db4413d4fe5b74558267439fa4a1
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "64e0ab383c86e575"
