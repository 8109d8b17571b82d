# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:3537e11814a03f1de7ef81c9a197a915
"""What tells this tree from those of other versions of the package."""

STAMP = "e7546415722cea9c"
