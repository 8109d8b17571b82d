# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b105145b553cdc9c01943c98b655bea1
"""Tables of each distinct API, one module for each."""
