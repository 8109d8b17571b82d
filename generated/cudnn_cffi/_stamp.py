# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:11136719884b9854fa25793f3b8bf0ab
"""What tells this tree from those of other versions of the package."""

STAMP = "15ed206f6bf97834"
