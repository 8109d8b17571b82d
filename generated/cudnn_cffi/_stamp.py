# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b66c173f33c2b11765ef11718dfbd27a
"""What tells this tree from those of other versions of the package."""

STAMP = "2f53045740ebcb8b"
