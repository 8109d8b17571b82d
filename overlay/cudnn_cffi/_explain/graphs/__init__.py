"""The nearest supported graph: its record, and small changes of it."""
