# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:daa31977ec73285d7d6cbeb803511c8e
"""What tells this tree from those of other versions of the package."""

STAMP = "ce1ac5e49ce9074c"
