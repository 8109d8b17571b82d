# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c5498a5ca264e06ea42681fd677d71ee
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "f2538a27d7b2ca2a"
