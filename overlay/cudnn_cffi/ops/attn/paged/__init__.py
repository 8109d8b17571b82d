"""Attention over pages: the ways to compute a few queries that no engine computes well alone."""
