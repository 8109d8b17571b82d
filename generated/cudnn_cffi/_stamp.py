# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:c35eff9fe8e75630f2f0daa05387e9e4
"""What tells this tree from those of other versions of the package."""

STAMP = "a8cfbc5870903474"
