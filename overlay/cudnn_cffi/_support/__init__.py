"""What the rooms above share; it knows nothing of cuDNN."""
