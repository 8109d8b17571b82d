"""The nearest supported call of an operation."""
