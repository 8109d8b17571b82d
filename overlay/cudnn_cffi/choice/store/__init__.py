"""Choices and plans that are kept: in the process, on disk, in files."""
