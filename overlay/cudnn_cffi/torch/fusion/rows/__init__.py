"""Kernels of rows: products of few rows with what follows, and norms, without gaps between them."""
