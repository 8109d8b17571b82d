"""Convolutions, causal convolutions, and windows as columns."""
