"""Arguments that a shim did not take as they are: each is converted once, with care."""

from __future__ import annotations

import ctypes
from _ctypes import CFuncPtr
from collections.abc import Callable, Sequence
from typing import TypeVar

from ... import arrays, errors
from ..._object import Family
from ..._support.recent import Recent
from ..._tables import ENUM_TYPES, record_class
from ..binding import bind, has_address, missing
from ..callbacks import function_pointer
from ..codes import NUMBERS, PLAIN, REQUIRED
from ..layer import ffi
from ..spec import Parameter, Spec, read_spec
from .addresses import address_of, host_address, stream
from .host import HostMemory
from .messages import refuse_null, render, render_all, with_function
from .scalars import check_address, to_enum, to_float, to_int, to_scale

_T = TypeVar("_T")

#: Maximum number of types of arguments that are remembered for one wrapper.
MANY = 256

#: By the name of the wrapper: see `plain`.
_plain: dict[str, Recent[tuple[type, ...], None]] = {}

#: Kinds of arguments that the wrapper itself converts.
_CONVERTED = ("array", "stream", "device", "workspace", "reserve")


def plain(name: str) -> Recent[tuple[type, ...], None]:
    """Return the types of arguments with which a call can be made at once, as `slow` found them.

    They are the types of all that is a number or an object with an address, in their order:
    reading them runs no code of the caller.
    """
    return _plain.setdefault(name, Recent(MANY))


def is_judged(parameter: Parameter) -> bool:
    """Return whether an argument's type has to be plain: for numbers, and for our objects."""
    return parameter.code[0] not in "Ast" and parameter.kind not in _CONVERTED


def is_plain(cls: type, parameter: Parameter) -> bool:
    """Return whether an argument of this type is read without running code of the caller's."""
    if cls is int:
        return True
    if parameter.kind == "enum":
        return bool(ENUM_TYPES.get(cls) == parameter.base)
    if parameter.code in ("f", "d"):
        return cls is float
    if parameter.kind in ("handle", "descriptor"):
        return (cls is type(None) and parameter.optional) or (
            issubclass(cls, Family) and hasattr(cls, f"_{parameter.base}")
        )
    return cls is bool and parameter.code in PLAIN


def slow(
    call: Callable[..., _T],
    name: str,
    values: Sequence[object],
    error: BaseException | None = None,
) -> _T:
    """Convert the arguments with care, each once, and call again; raise for one that cannot be.

    An argument that can run code of the caller's is converted here, or before anything else in the
    second call. Objects of ours stay what they are: their addresses are read last, so that cuDNN
    never gets one of an object that was closed meanwhile. `error` is what the first attempt raised;
    None where it found something that is not plain.
    """
    for value in values:
        if isinstance(value, Family) and value._elsewhere():
            with value._switched():
                return call(*values)
    spec = read_spec(name)
    kept: list[HostMemory] = []  # until the call is over
    converted = list(values)
    # Memory and streams last: where only a number was not plain the call itself converts them.
    for index in sorted(range(len(values)), key=lambda each: _phase(spec.parameters[each])):
        parameter = spec.parameters[index]
        if error is None and not is_judged(parameter):
            continue
        size = 0
        if parameter.kind in ("buffer", "output"):
            size = _find_size(parameter.name, spec, converted)
        converted[index] = _convert(spec.symbol, parameter, values[index], kept, size)
    if error is not None and (not isinstance(error, errors.CudnnError) or error.function):
        for parameter, value in zip(spec.parameters, converted, strict=True):
            if parameter.code in REQUIRED and value.__class__ is int and not value:
                refuse_null(name, parameter.position, values)
    if isinstance(error, errors.CudnnError):
        raise with_function(spec.symbol, error)
    known = _plain.get(name)
    if all(new is old for new, old in zip(converted, values, strict=True)) and (
        error is not None or known is None
    ):
        bind()
        if not has_address(name):  # nor, perhaps, the types of its arguments
            raise missing(name) from None
        raise errors.ArgumentError(
            f"{spec.symbol}: {error or 'the arguments cannot be taken'}",
            function=spec.symbol,
            arguments=render_all(spec.parameters, values),
        ) from error
    if known is not None:
        _learn(known, spec, values)
        _learn(known, spec, converted)
    return call(*converted)


def _learn(known: Recent[tuple[type, ...], None], spec: Spec, values: Sequence[object]) -> None:
    """Remember the types of arguments, where all of them are plain."""
    judged = [
        (type(value), parameter)
        for value, parameter in zip(values, spec.parameters, strict=True)
        if is_judged(parameter)
    ]
    if all(is_plain(*each) for each in judged):
        known[tuple([cls for cls, _ in judged])] = None


def _phase(parameter: Parameter) -> int:
    """Return when an argument is converted: a buffer after the number that may be its size."""
    return 2 if not is_judged(parameter) else 1 if parameter.kind in ("buffer", "output") else 0


def _find_size(name: str, spec: Spec, values: Sequence[object]) -> int:
    """Return the bytes that a buffer must have, where another argument says it."""
    for parameter, value in zip(spec.parameters, values, strict=True):
        if parameter.name == f"{name}SizeInBytes" and isinstance(value, int):
            return value
    return 0


def _convert(
    symbol: str, parameter: Parameter, value: object, kept: list[HostMemory], size: int
) -> object:
    """Return an argument as what C takes; lists, and objects of ours, as they are."""
    try:
        return _convert_kind(parameter, value, kept, size)
    except errors.CudnnError as error:
        raise error.replace(
            message=f"{symbol}: {parameter.name}: {error.message}",
            function=symbol,
            arguments={parameter.name: render(value, parameter.ctype)},
        ) from None
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise errors.ArgumentError(
            f"{symbol}: {parameter.name}: {error}",
            function=symbol,
            arguments={parameter.name: render(value, parameter.ctype)},
        ) from error


def _convert_kind(parameter: Parameter, value: object, kept: list[HostMemory], size: int) -> object:
    kind, code, base = parameter.kind, parameter.code, parameter.base
    if kind in ("handle", "descriptor"):
        if value is None and parameter.optional:
            return None
        address = address_of(value, base, parameter.optional)
        mine = isinstance(value, Family) and getattr(value, f"_{base}", None) is address
        return value if mine else address
    if kind == "stream":
        return check_address(stream(value))
    if kind in ("device", "workspace", "reserve") or (kind == "array" and code == "p"):
        return check_address(arrays.device_pointer(value, current=True))
    if code == "A":
        return value
    if kind == "scaling" and code[0] in "st":
        return to_scale(value)
    if kind == "callback" and callable(value) and not isinstance(value, (CFuncPtr, ffi.CData)):
        if base != "cudnnCallback_t":
            raise TypeError(f"expected a C function of the type {base} or its address")
        return function_pointer(value)
    if kind in ("struct", "records"):
        size = ctypes.sizeof(record_class(base.rstrip(" *[]")))
    if code in ("P", "p") or code[0] == "r":
        return host_address(value, size, kind == "output", kept)
    if kind == "enum":
        return to_enum(value, base, code)
    if code in ("f", "d"):
        return to_float(value)
    return to_int(value, *NUMBERS[code].range)
