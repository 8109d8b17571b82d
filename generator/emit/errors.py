"""The exception of this room."""


class EmitError(Exception):
    """A model that the templates have no text for."""
