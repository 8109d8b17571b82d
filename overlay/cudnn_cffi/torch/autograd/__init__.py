"""Layers with gradients, as operators and nodes of PyTorch's autograd."""
