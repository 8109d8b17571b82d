"""Errors that stop a comparison."""


class CannotCompareError(Exception):
    """The question cannot be answered; the text is one line that says why and what to do."""
