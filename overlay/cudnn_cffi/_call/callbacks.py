"""Python callables as C functions for cuDNN's log, at exit and across forks, too.

cuDNN has one callback a process. Reading and setting it here goes to the library itself: it is
needed while no wrapper may run, when the interpreter ends and around a fork.
"""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
from _ctypes import CFuncPtr
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, TypeAlias, cast

from .. import library
from .._support import fork
from .._tables import active, record_class

if TYPE_CHECKING:
    from ..enums import Severity
    from ..records import Debug

#: A callable for `cudnnSetCallback`: severity, user data, a copy of the struct, the text.
LogCallback: TypeAlias = "Callable[[Severity, int, Debug, str], object]"

# ctypes rather than cffi: it is there in both call modes, its callbacks need no memory that is both
# writable and executable, and what they raise ends in sys.unraisablehook, never in C.
_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

#: A C function that takes anything and does nothing, in the interpreter, which is never unloaded.
DO_NOTHING = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value or 0

#: Held while a callback is set. No fork begins meanwhile: cuDNN's own lock would stay held in
#: the child.
callback_lock = fork.lock()

_thread = threading.local()

#: By the identity of a callable, which the entry keeps. Never removed: the address may have been
#: kept, or be in use on another thread.
_functions: dict[object, CFuncPtr] = {}


class _Entry:
    """The function that C calls; calls from within it are dropped, since cuDNN may log them."""

    def __init__(self, callback: LogCallback) -> None:
        self.callback = callback

    def __repr__(self) -> str:
        return f"<callback of cuDNN: {self.callback!r}>"

    def __call__(self, severity: int, udata: int | None, debug: int, text: int) -> None:
        if getattr(_thread, "busy", False) or sys.is_finalizing():
            return
        _thread.busy = True
        try:
            self.callback(
                cast("Severity", active().enum("Severity")(severity)),
                udata or 0,
                _copy_debug(debug),
                _join_lines(text),
            )
        finally:
            _thread.busy = False


def function_pointer(callback: LogCallback) -> int:
    """Return the address of a C function, a cudnnCallback_t, that calls `callback`.

    It is good for ever, and the callable is kept as long: some 1.2 kB for each one.
    """
    key: object = id(callback)
    if isinstance(callback, MethodType):  # a new object each time that it is asked for
        key = id(callback.__self__), id(callback.__func__)
    with callback_lock:
        if not _functions:
            atexit.register(_silence)
        if key not in _functions:
            _functions[key] = _PROTOTYPE(_Entry(callback))
        return _address(_functions[key])


def _address(function: CFuncPtr) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _copy_debug(address: int | None) -> Debug:
    """Return a copy of the struct: cuDNN frees its own when the callback returns."""
    cls = cast("type[Debug]", record_class("cudnnDebug_t"))
    if not address:
        return cls()
    return cls.from_buffer_copy(ctypes.string_at(address, ctypes.sizeof(cls)))


def _join_lines(address: int | None) -> str:
    """Return the lines of a text; each ends with a zero, the last one with two."""
    lines = []
    while address and (line := ctypes.string_at(address)):
        lines.append(line.decode("utf-8", "replace"))
        address += len(line) + 1
    return "\n".join(lines)


def _function(
    symbol: str, *types: type[ctypes._SimpleCData[int] | ctypes.c_void_p]
) -> CFuncPtr | None:
    """Return a function of the loaded library; None where there is none."""
    loaded = library.current()
    address = loaded.address(symbol) if loaded is not None else 0
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(address) if address else None


def _read_ours() -> tuple[int, int | None, int] | None:
    """Return mask, user data and function that are set in cuDNN, where that is one of ours."""
    read = _function("cudnnGetCallback", *[ctypes.c_void_p] * 3)
    if read is None or not _functions:
        return None
    mask, udata, pointer = ctypes.c_uint(), ctypes.c_void_p(), ctypes.c_void_p()
    read(ctypes.byref(mask), ctypes.byref(udata), ctypes.byref(pointer))
    if all(_address(function) != pointer.value for function in _functions.values()):
        return None
    return mask.value, udata.value, pointer.value or 0


def _set(mask: int, udata: int | None, pointer: int) -> None:
    put = _function("cudnnSetCallback", ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)
    if put is not None:
        put(mask, udata, pointer)


def _silence() -> None:
    """Stop cuDNN from calling Python when the interpreter is gone."""
    if _read_ours() is not None:
        _set(0, None, DO_NOTHING)


#: The callback that was set when a fork began.
_forking: tuple[int, int | None, int] | None = None


def _before_fork() -> None:
    """Wait until no thread is in cuDNN's log: the child could never take its lock.

    A thread that waits to run a callback holds that lock. So there is none for the moment.
    """
    global _forking
    callback_lock.acquire()
    _forking = _read_ours()
    if _forking is not None:
        _set(_forking[0], _forking[1], DO_NOTHING)


def _after_fork() -> None:
    global _forking
    setting, _forking = _forking, None
    if setting is not None:
        _set(*setting)
    callback_lock.release()


fork.around(_before_fork, _after_fork)
