# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:2dcfe7ebce7be02cb3b24ad28be556da
"""The hash that tells this tree from those of other versions of the package."""

STAMP = "2866f482a54dc870"
