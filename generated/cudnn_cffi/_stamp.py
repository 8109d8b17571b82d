# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:a9f5384e82af483e7a8469a376453cae
"""What tells this tree from those of other versions of the package."""

STAMP = "77bdd776390bff1a"
