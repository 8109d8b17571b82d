# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:fecfd8c0dc98b807e2bf97a4091a5dda
"""What tells this tree from those of other versions of the package."""

STAMP = "0889976f33bf7838"
