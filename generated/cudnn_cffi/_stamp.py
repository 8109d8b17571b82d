# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:362c0de1da0c33353cb84a33b9b70984
"""What tells this tree from those of other versions of the package."""

STAMP = "818011f93c369b4a"
