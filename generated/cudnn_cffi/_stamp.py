# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:2c7331d525f8b22e25c94ddc216e856c
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "451b1fe318405826"
