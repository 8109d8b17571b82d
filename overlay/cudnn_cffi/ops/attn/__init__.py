"""Attention: scaled dot product and multi-head."""
