# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:4d2f96383b817b8f966506a8aaeb2e68
"""What tells this tree from those of other versions of the package."""

STAMP = "2301979577c483f2"
