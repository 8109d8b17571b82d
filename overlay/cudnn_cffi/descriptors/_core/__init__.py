"""The base of descriptors, and their calls with arrays."""
