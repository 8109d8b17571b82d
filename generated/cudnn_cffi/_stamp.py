# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:0689bfaa66c3c713671950916732dd8f
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "5305af99b65ea728"
