# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:b4999afacafd6899fe0b629f988dee34
"""Tables of each release whose values differ."""
