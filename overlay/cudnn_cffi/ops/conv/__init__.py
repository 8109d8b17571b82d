"""Convolutions, their gradients, and windows as columns."""
