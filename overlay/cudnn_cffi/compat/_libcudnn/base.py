"""Parts that the functions of cudnn-python-wrappers share: errors, handles, numbers of ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

from ... import errors
from ..._call import address_of
from ..._object import Family
from ..._support.arguments import index
from ..._support.wording import a_kind
from ...handles import Handle
from .._algorithms import ALL, choose
from .._words import number_of, old_number
from .tables import (
    AlgoPerf,
    cudnnConvolutionBwdDataAlgoPerf,
    cudnnConvolutionBwdFilterAlgoPerf,
    cudnnConvolutionFwdAlgoPerf,
    cudnnError,
    cudnnExceptions,
)

if TYPE_CHECKING:
    from .._records import Record

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Handles that `cudnnCreate` made and `cudnnDestroy` did not end, by address.
handles: dict[int, Handle] = {}


class ArgumentError(ctypes.ArgumentError, TypeError):
    """An argument of a wrong type, as ctypes refuses it."""


def cudnnCheckStatus(status: int) -> None:
    """Raise `cudnnError` unless a status is 0. New code: exceptions of `cudnn.errors`."""
    if status != 0:
        raise _error(status)


def _error(status: int, cause: errors.CudnnError | None = None) -> cudnnError:
    number = old_number(status)
    return cudnnExceptions.get(number, cudnnError)(number, cause)


def _refuse(error: errors.CudnnError) -> NoReturn:
    """Raise what the package raises for an error."""
    if isinstance(error, errors.LibraryError):
        raise error
    if isinstance(error, errors.ArgumentError):
        raise ArgumentError(str(error)) from error
    raise _error(number_of(error), error) from error


def raises(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function raise `cudnnError`, and `ctypes.ArgumentError` for wrong types."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except errors.CudnnError as error:
            _refuse(error)

    return call


def to_int(value: object) -> int:
    """Return an integer of any library, or one of ctypes; 0 for None.

    Raises:
        ArgumentError: it is something else; floats are refused, as ctypes does.
    """
    if isinstance(value, ctypes.c_void_p):
        value = value.value
    if value is None:
        return 0
    with suppress(TypeError):
        if not isinstance(value, Family):  # whose index is its address
            return index(value)
    raise errors.ArgumentError(f"expected an integer, got {a_kind(value)}")


def to_address(value: object, kind: str) -> int:
    """Return the address of a handle or descriptor: an integer, or an object's of the C type.

    Args:
        value: an integer, a pointer of ctypes, or an object of this package; None is 0.
        kind: the C type, such as "cudnnHandle_t".

    Raises:
        ArgumentError: it is something else, or an object of another C type.
    """
    try:
        return address_of(value, kind)
    except (TypeError, OverflowError) as error:
        raise errors.ArgumentError(str(error)) from None


def _nothing(_: object) -> None:
    pass


def _perfs(kind: type[AlgoPerf]) -> Callable[[Iterable[Any]], list[AlgoPerf]]:
    def make(found: Iterable[Any]) -> list[AlgoPerf]:
        return [
            kind(int(each.algo), old_number(each.status), each.time, each.memory) for each in found
        ]

    return make


#: Functions that make results, by the word of the record, and their types.
RESULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "": (_nothing, "None"),
    "int": (int, "int"),
    "tuple": (lambda got: tuple(map(int, got)), "tuple[int, ...]"),
    "size": (ctypes.c_size_t, "ctypes.c_size_t"),
    "chosen": (ctypes.c_int, "ctypes.c_int"),
    **{
        word: (_perfs(kind), f"list[{kind.__name__}]")
        for word, kind in (
            ("fwd", cudnnConvolutionFwdAlgoPerf),
            ("data", cudnnConvolutionBwdDataAlgoPerf),
            ("filter", cudnnConvolutionBwdFilterAlgoPerf),
        )
    },
}


def made(record: Record, target: object, module: str) -> Callable[..., object]:
    """Return the function of a record.

    Args:
        record: of the function; "chosen" is the algorithm by its last two parameters.
        target: the object whose functions records name.
        module: where the function is.
    """
    signature, count, name = record.signature, len(record.parameters), record.target
    make = RESULTS[record.result][0] if record.result else None
    destroys, chosen = name.startswith("cudnnDestroy"), record.result == "chosen"
    kind = f"cudnn{name.removeprefix('cudnnDestroy')}_t"
    plain = record.is_plain

    def call(*args: object, **named: object) -> object:
        if named or len(args) != count:
            args = signature.bind(*args, **named).args
        try:
            function = getattr(target, name)
            if destroys and not to_address(args[0], kind):
                return None
            if chosen:
                *rest, preference, limit = args
                got = choose(function(*rest, ALL), to_int(preference), to_int(limit))
            else:
                got = function(*(args if plain else record.arguments(args)))
        except errors.CudnnError as error:
            _refuse(error)
        return None if make is None else make(got)

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__name__ = call.__qualname__ = record.name
    call.__module__, call.__doc__ = module, record.help
    return call
