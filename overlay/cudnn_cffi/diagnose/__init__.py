"""What is installed, and what is wrong with it: `info` and `doctor`."""
