# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6238b89553fa19771d90c862e654b1b0
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "c70cd8331272974c"
