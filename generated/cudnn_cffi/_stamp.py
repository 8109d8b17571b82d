# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:ca7c0713b0d960c3e470e41066bacaf4
"""What tells this tree from those of other versions of the package."""

STAMP = "43ccdd4516c35ca3"
