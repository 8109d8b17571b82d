# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:09aa747bf9a23e501c782fad769bd10b
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "af1f588516772051"
