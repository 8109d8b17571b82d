# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:db06719f382bf18581c467b82f11d5e4
"""What tells this tree from those of other versions of the package."""

STAMP = "93785bedb59cb414"
