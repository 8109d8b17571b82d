"""Graphs as text, pictures and JSON."""
