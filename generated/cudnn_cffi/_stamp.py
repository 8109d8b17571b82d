# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:88c00e4a50e3ade8bfb637369a7e40fb
"""What tells this tree from those of other versions of the package."""

STAMP = "4fdf85a599ad2142"
