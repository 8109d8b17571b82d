"""Normalizations and their gradients."""
