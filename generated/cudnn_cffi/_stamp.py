# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:419eb32337b47a0044e9c788ad10f282
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "37668ed06485124b"
