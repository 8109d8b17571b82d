# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:209e2275bf63ae102caf655dd19c66c7
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "8f5b5bb7a0fbf6ff"
