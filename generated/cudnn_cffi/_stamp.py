# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d2a2f2c3623806741032b1d6843076c0
"""What tells this tree from those of other versions of the package."""

STAMP = "76205555ade859bc"
