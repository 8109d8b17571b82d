"""Properties of devices, present or known by name."""
