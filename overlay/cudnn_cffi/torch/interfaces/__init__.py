"""Interfaces by which PyTorch and transformers call this package without knowing it."""
