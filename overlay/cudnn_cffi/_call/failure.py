"""Turn a status into an exception."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from .. import errors, library
from .._support import fork
from .._tables import active, chosen_release
from .arguments.messages import refuse_null, render_all
from .binding import bind, has_address, missing
from .codes import NOT_BOUND, NULL_BASE
from .layer import ffi, lib
from .spec import read_spec

_T = TypeVar("_T")


def failed(call: Callable[..., _T], name: str, status: int, values: Sequence[object]) -> _T:
    """Raise what the status of `call(*values)` means; return its result after a first binding."""
    if status == NOT_BOUND:
        fork.check()
        if bind() or has_address(name):
            return call(*values)
        raise missing(name)
    if status < 0:
        refuse_null(name, NULL_BASE - status, values)
    raise _status_error(name, status, values)


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
