# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:877d30ca7b64e10843cf52e671d7bded
"""What tells this tree from those of other versions of the package."""

STAMP = "cd7314595ad6825e"
