"""Time candidates on a device and choose the fastest."""
