# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:212cbf9eee71daf62ad61dec6a3184a6
"""What tells this tree from those of other versions of the package."""

STAMP = "51b7fe5fbe06dcd4"
