# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:6fb940a9f9cef721fda15a94eeb4e607
"""What tells this tree from those of other versions of the package."""

STAMP = "b61dd11996d38df8"
