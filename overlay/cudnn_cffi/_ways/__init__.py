"""Calls that operations are made of: classic functions, sequences, copies, timing."""
