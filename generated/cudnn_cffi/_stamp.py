# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:118aa599e01db6dc8fd0415b587a57a2
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "d69d45f7ac10bace"
