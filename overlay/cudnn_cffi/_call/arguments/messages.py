"""Arguments in messages: how each reads, and the errors that name one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NoReturn

from ... import errors
from ..._tables import ENUM_TYPES, active
from ..spec import Parameter, read_spec

_LONGEST = 80


class _State(threading.local):
    """Whether this thread is in the `repr` of an argument."""

    busy = False


_state = _State()


def refuse_null(name: str, position: int, values: Sequence[object]) -> NoReturn:
    """Raise for NULL as the C argument at `position`."""
    spec = read_spec(name)
    for parameter, value in zip(spec.parameters, values, strict=True):
        if parameter.position == position:
            raise errors.NullPointerError(
                f"{spec.symbol}: {parameter.name} must not be NULL, it is a {parameter.ctype}",
                function=spec.symbol,
                arguments={parameter.name: render(value, parameter.ctype)},
            )
    raise errors.NullPointerError(
        f"{spec.symbol}: argument {position} must not be NULL", function=spec.symbol
    )


def with_function(symbol: str, error: errors.CudnnError) -> errors.CudnnError:
    """Return an error that names the function; the same one where it does so already."""
    if error.function:
        return error
    return error.replace(message=f"{symbol}: {error.message}", function=symbol)


def refused(name: str, text: str, value: object) -> errors.ArgumentError:
    """Return the error for the argument `name`; `slow` adds the function."""
    return errors.ArgumentError(f"{name}: {text}", arguments={name: render(value, "")})


def render_all(parameters: Sequence[Parameter], values: Sequence[object]) -> dict[str, str]:
    """Return how each argument reads, by the name of its parameter."""
    pairs = zip(parameters, values, strict=True)
    return {parameter.name: render(value, parameter.ctype) for parameter, value in pairs}


def render(value: object, ctype: str) -> str:
    """Return how an argument of a C type reads in a message."""
    base = ctype.removeprefix("const ")
    if isinstance(value, int) and (ctype or not isinstance(value, bool)):
        if ENUM_TYPES.get(type(value), base) != base:
            return f"{type(value).__name__}.{value.name}"  # type: ignore[attr-defined]
        value = int.__index__(value)  # whatever its class makes of that
        if base.startswith(("cudnn", "libraryProperty")):
            cls = active().enum_of(base)
            if cls is not None:
                return str(cls(value).name)
            return hex(value)
        if "*" in ctype or base.startswith("cuda"):
            return hex(value)
        return str(int(value))
    if isinstance(value, float) and base in ("float", "double"):
        value = float.__float__(value)
    if _state.busy:
        # The repr of a descriptor asks cuDNN. If that fails, the error has the same argument.
        return f"<{type(value).__name__}>"
    _state.busy = True
    try:
        text = repr(value)
    except Exception as error:  # a broken repr must not hide the error that is being told
        text = f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
    finally:
        _state.busy = False
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
