"""Headers of cuDNN in, a Python package out; see docs/design.md."""

from __future__ import annotations


class GeneratorError(Exception):
    """A failure that a person can act on: the command line shows its message alone."""
