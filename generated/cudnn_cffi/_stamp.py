# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a43c54e08ff96835633814d6047fb593
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "19053945960ea8d6"
