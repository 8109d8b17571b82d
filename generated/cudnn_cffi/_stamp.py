# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4056f97ee0bedb2421051706490411ec
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "365922f9ab47ec46"
