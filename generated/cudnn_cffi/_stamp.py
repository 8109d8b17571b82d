# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:f60493b3711245e597e029875f0a4e8a
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "aaf2eb69989e8ceb"
