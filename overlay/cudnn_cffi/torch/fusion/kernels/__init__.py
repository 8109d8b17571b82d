"""Kernels in CUDA C++, for what no engine of cuDNN's does."""
