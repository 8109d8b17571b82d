# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:517311866d106235cdd8a9bc1dd9167e
"""What tells this tree from those of other versions of the package."""

STAMP = "f3d4620a8753b814"
