# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:9d910e62f561472d2380f9abffc5d7c4
"""What all files of this tree have in common."""

STAMP = "3b20a33cb8e578ea"
