# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:03fe62f79461b472f529e063c1aa719c
"""What tells this tree from those of other versions of the package."""

STAMP = "e931e65dea70f8c5"
