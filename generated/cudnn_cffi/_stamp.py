# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:0c271755b1de33ac23ca9809f4a11251
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "97dbb1dcbeff7b74"
