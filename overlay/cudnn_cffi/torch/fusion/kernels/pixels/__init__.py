"""Products of many pixels and of means of channels, and gates between them."""
