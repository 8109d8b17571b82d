"""Infer shapes, layouts and data types of results."""
