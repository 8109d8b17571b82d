"""Mechanics of all operations: options, search for a way to compute, records."""
