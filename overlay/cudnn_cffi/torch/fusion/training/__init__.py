"""Models fused for training: norms with what follows them, weights that are cast at once, steps."""
