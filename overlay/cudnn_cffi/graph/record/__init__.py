"""The record of each operation: its ports, options and words."""
