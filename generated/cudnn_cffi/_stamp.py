# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:78dc1acf90717bab6abd9c71035be612
"""What tells this tree from those of other versions of the package."""

STAMP = "7176fab634cee4e9"
