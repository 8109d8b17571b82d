# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:bcd1298e94f9651264aab9a3d0d04865
"""What tells this tree from those of other versions of the package."""

STAMP = "a06daab8ef7829d8"
