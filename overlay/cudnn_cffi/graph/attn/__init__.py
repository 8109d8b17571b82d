"""Attention in a graph: its checks, and the forms that compute it."""
