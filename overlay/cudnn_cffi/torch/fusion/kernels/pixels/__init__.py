"""Convolutions of many pixels with filters of one element, by kernels that read each pixel once."""
