# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:fc2aa762c6246ec0d0fba1d33191c127
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "2f9f64a1d9ec2ef5"
