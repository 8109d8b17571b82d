"""The exception of this room."""

from __future__ import annotations

from .. import GeneratorError


class ClassificationError(GeneratorError):
    """Something in the headers that neither a rule nor a fact explains, or a fact without use."""
