"""Errors of calls: what a status means, and how arguments read in a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .. import errors, library
from .._index import HISTORY
from .._tables import ENUM_TYPES, active, chosen_release
from ..versions import version_key
from .binding import bind, has_address
from .codes import NOT_BOUND, NULL_BASE
from .layer import ffi, lib
from .spec import Parameter, read_spec

_LONGEST = 80


def failed(call: Callable[..., Any], name: str, status: int, values: Sequence[object]) -> Any:
    """Raise what the status of `call(*values)` means; return its result after a first binding."""
    if status == NOT_BOUND:
        library.check_fork()
        if bind() or has_address(name):
            return call(*values)
        raise missing(name)
    if status < 0:
        refuse_null(name, NULL_BASE - status, values)
    raise _status_error(name, status, values)


def missing(name: str) -> errors.MissingFunctionError:
    """Return the error that says why the loaded library does not have a function."""
    symbol = read_spec(name).symbol
    loaded = library.current()
    version = loaded.version if loaded is not None else ""
    since, removed, successor = HISTORY[symbol]
    if active().functions.get(symbol, name) != name:
        text = "has another signature in the loaded release"
        hint = f"cudnn_cffi.{symbol} of the release's own tables fits"
    elif removed is not None and _is_since(version, removed):
        text = f"removed in {removed}"
        hint = f"use {successor}" if successor else ""
    elif not _is_since(version, since):
        text = f"added in {since}"
        hint = f"load cuDNN {since} or newer"
    else:
        text = "not exported by the loaded library"
        hint = "`python -m cudnn_cffi doctor` checks the installation"
    where = f", loaded {version} from {loaded.path}" if loaded is not None else ""
    return errors.MissingFunctionError(
        f"{symbol}: {text}{where}", function=symbol, version=version, hint=hint
    )


def _is_since(version: str, limit: str) -> bool:
    return bool(version) and version_key(version) >= version_key(limit)


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


def _status_error(name: str, status: int, values: Sequence[object]) -> errors.CudnnError:
    text = _read_last_error()  # first, before anything else calls cuDNN on this thread
    spec = read_spec(name)
    tables = active()
    member = tables.enum("Status")(status)
    loaded = library.current()
    status_name = tables.c_name(member)
    hint = ""
    if spec.symbol.startswith("cudnnBackend") and status_name.endswith("NOT_INITIALIZED"):
        hint = "a backend descriptor is read, and used, after cudnnBackendFinalize"
    return errors.from_status(
        spec.symbol,
        member,
        status_name,
        text=text,
        arguments=render_all(spec.parameters, values),
        library=str(loaded.path) if loaded is not None else "",
        version=loaded.version if loaded is not None else "",
        tables=chosen_release(),
        hint=hint,
    )


def _read_last_error() -> str:
    """Return cuDNN's text for the last error of this thread, which reading clears; "" for none."""
    read = getattr(lib, "cudnnGetLastErrorString", None)  # which older releases do not have
    if read is None:
        return ""
    buffer = ffi.new("char[]", 4096)
    if read(buffer, 4096) != 0:
        return ""
    text: str = ffi.string(buffer, 4096).decode("utf-8", "replace")
    return text.strip()


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
    try:
        text = repr(value)
    except Exception as error:  # a broken repr must not hide the error that is being told
        text = f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
