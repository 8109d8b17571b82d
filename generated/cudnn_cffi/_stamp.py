# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3274440a474eea3a8faa57e423bbb60b
"""What tells this tree from those of other versions of the package."""

STAMP = "87d151fa2cc07d40"
