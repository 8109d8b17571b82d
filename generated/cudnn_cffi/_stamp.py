# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:677a3fd8d22e8abe884ad7352cd7118e
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "9a1bca3cbf67c78e"
