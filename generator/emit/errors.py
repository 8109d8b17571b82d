"""The exception of this room."""

from .. import GeneratorError


class EmitError(GeneratorError):
    """A model that the templates have no text for."""
