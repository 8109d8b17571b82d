"""Pooling, spatial transformers, aggregation over edges."""
