"""The exceptions of NVIDIA's front end, with the reasons of this package in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ... import errors


class cudnnGraphNotSupportedError(Exception):
    """A graph that cuDNN does not support; programs catch it and fall back on something else.

    The error of this package is its `__cause__`: `error.__cause__.refusals` of a NoPlanError has
    the reason of each engine.
    """


#: Errors which say that this library or device lacks something, and not that a program is wrong.
_LACKS: tuple[type[Exception], ...] = (
    errors.NotSupportedError,
    errors.MissingFunctionError,
    errors.VersionMismatchError,
)


@contextmanager
def unsupported(*also: type[Exception], refusals: bool = True) -> Iterator[None]:
    """Raise what says that something is not supported as the front end's exception.

    Other errors of this package are RuntimeError, and those of arguments ValueError as well, as
    those of the front end are; they pass unchanged.

    Args:
        also: other errors that mean the same here.
        refusals: whether what cuDNN refuses itself, by a status, is one of them.
    """
    try:
        yield
    except (*_LACKS, *also) as error:
        if not refusals and getattr(error, "status", None) is not None:
            raise
        raise cudnnGraphNotSupportedError(str(error)) from error
