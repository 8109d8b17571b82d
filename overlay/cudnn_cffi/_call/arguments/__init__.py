"""Convert arguments of C functions: numbers, addresses, host memory, attributes."""
