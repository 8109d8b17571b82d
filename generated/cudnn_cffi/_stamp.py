# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:94394007ce358ddeb16dbd6b82fc5ca1
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "4c7e43c953a09e30"
