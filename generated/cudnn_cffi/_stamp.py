# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:5943fa38d319674379490a4de8568ec4
"""What tells this tree from those of other versions of the package."""

STAMP = "8fb2fdfef4c63c40"
