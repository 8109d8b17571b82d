# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:d7e272f4195560727672a3813c310ec8
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "5bbd7b36320e798a"
