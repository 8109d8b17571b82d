# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:63099902aacdb798abe554d4584eb559
"""Functions of cuDNN, one module for each header."""
