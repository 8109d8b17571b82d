"""What the functions of cudnn-python-wrappers share: errors, handles, numbers of ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .. import errors
from ..handles import Handle
from ._libcudnn_tables import cudnnError, cudnnExceptions
from ._statuses import number_of, old_number

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Handles that `cudnnCreate` made and `cudnnDestroy` did not end, by address.
handles: dict[int, Handle] = {}


class ArgumentError(ctypes.ArgumentError, TypeError):
    """An argument of a wrong type, as ctypes refuses it."""


def cudnnCheckStatus(status: int) -> None:
    """Raise `cudnnError` unless a status is 0."""
    if status != 0:
        raise _error(status)


def _error(status: int, cause: errors.CudnnError | None = None) -> cudnnError:
    number = old_number(status)
    return cudnnExceptions.get(number, cudnnError)(number, cause)


def raises(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function raise `cudnnError`, and `ctypes.ArgumentError` for wrong types."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except errors.LibraryError:
            raise
        except errors.ArgumentError as error:
            raise ArgumentError(str(error)) from error
        except errors.CudnnError as error:
            raise _error(number_of(error), error) from error

    return call


def to_int(value: Any) -> int:
    """Return the number of an int or a ctypes number; 0 for None."""
    number = getattr(value, "value", value)
    return 0 if number is None else int(number)
