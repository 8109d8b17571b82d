# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6d2e722c7a42e63a5de20cff4e5e4577
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "6e753cdfa7a14d48"
