# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:7f32545bf69f63f072cc52f6a5497d2f
"""What tells this tree from those of other versions of the package."""

STAMP = "3b20a33cb8e578ea"
