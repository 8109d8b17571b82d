"""Combine models into one call layer: Python names, and the plan of each call as records."""
