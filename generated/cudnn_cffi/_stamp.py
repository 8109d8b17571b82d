# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:e32826b877ae1769b6dba0878e938cdd
"""What tells this tree from those of other versions of the package."""

STAMP = "e215b7a273fcc30c"
