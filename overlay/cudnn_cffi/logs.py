"""What cuDNN says about its calls: as records of `logging`, or to a callback of one's own.

cuDNN knows one callback a process. `log` sets it for a while and puts back what was there before;
`cudnnSetCallback` takes any callable, and keeps it for ever. Neither needs cuDNN's environment
variables (CUDNN_LOGLEVEL_DBG and CUDNN_LOGDEST_DBG, before cuDNN 9 CUDNN_LOGINFO_DBG and its
like), which have it write to a file or a stream; in cuDNN 9 nothing is written there while a
callback is set.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import logging
import re
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from . import errors
from ._lookup import calls
from ._support import blocks as _blocks
from ._support import fork as _fork
from ._tables import active, record_class

if TYPE_CHECKING:
    from .types import Callback, HostPointer

__all__ = ["LogCallback", "Logger", "Message", "cudnnSetCallback", "log"]

#: What `cudnnSetCallback` calls: severity, user data, a copy of the `Debug` struct, the text.
LogCallback = Callable[[Any, int, Any, str], object]

#: What `log` takes as a logger.
Logger = str | logging.Logger | logging.LoggerAdapter[Any]


class Message(NamedTuple):
    """One message of cuDNN's; a log record has it as its attribute `cudnn`."""

    severity: Any  # a `Severity`
    time: datetime  # in UTC
    function: str  # the C name, "" where the message names none
    text: str  # what it says besides; indented lines belong to the line above
    status: Any  # a `Status`
    process: int
    thread: int  # the operating system's number
    handle: int | None  # the address of the cudnnHandle_t
    stream: int | None
    device: int | None
    version: int  # as cudnnGetVersion gives it

    def __str__(self) -> str:
        lines = self.text.splitlines()
        if self.function and len(lines) > 1:
            return "\n  ".join([f"{self.function}:", *lines])
        return f"{self.function}: {self.text}" if self.function else self.text


# Callbacks ---------------------------------------------------------------------------------------

# ctypes rather than cffi: it is there in both call modes, its callbacks need no memory that is both
# writable and executable, and what they raise ends in sys.unraisablehook, never in C.
_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

_lock = _fork.lock()
_thread = threading.local()

#: By the identity of a callable, which the entry keeps. Never removed: the address may have been
#: kept, or be in use on another thread.
_functions: dict[object, Any] = {}


class _Entry:
    """What C calls. It answers no call from within itself: cuDNN may log what a callback does."""

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
                active().enum("Severity")(severity), udata or 0, _debug(debug), _text(text)
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
    with _lock:
        if not _functions:
            atexit.register(_silence)
        if key not in _functions:
            _functions[key] = _PROTOTYPE(_Entry(callback))
        return _address(_functions[key])


#: A C function that takes anything and does nothing, in the interpreter, which is never unloaded.
_NOTHING = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value


# cuDNN 9 takes a mask of 0 for ERROR_EN, and prints errors where there is no callback. So in C a
# process cannot go back to where it began, with nothing set and nothing printed. A callback that
# does nothing stands for that, where cuDNN does not take the 0.
def cudnnSetCallback(mask: int, udata: HostPointer, fptr: Callback) -> None:
    if (fptr is None or fptr.__class__ is int) and not fptr and mask == 0:
        calls.cudnnSetCallback(mask, udata, _NOTHING)
        if calls.cudnnGetCallback().mask:
            return
    calls.cudnnSetCallback(mask, udata, fptr)


with suppress(errors.MissingFunctionError):  # a tree of old releases has none
    functools.update_wrapper(cudnnSetCallback, calls.cudnnSetCallback)  # type: ignore[has-type]


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _silence() -> None:
    """Nothing may be called when the interpreter is gone."""
    set_now = calls.cudnnGetCallback().fptr
    if any(_address(function) == set_now for function in _functions.values()):
        cudnnSetCallback(0, None, None)


def _debug(address: int | None) -> Any:
    """A copy, for cuDNN's own lives only as long as the call."""
    cls = record_class("cudnnDebug_t")
    if not address:
        return cls()
    return cls.from_buffer_copy(ctypes.string_at(address, ctypes.sizeof(cls)))


def _text(address: int | None) -> str:
    """The lines, of which each ends with a zero and the last with two."""
    lines = []
    while address and (line := ctypes.string_at(address)):
        lines.append(line.decode("utf-8", "replace"))
        address += len(line) + 1
    return "\n".join(lines)


#: What was set when a fork began.
_forking: Any = None


def _before_fork() -> None:
    """See that no thread is in cuDNN's log: it would hold cuDNN's own lock in the child for ever.

    A thread that waits to run a callback holds that lock. So there is none for the moment.
    """
    global _forking
    _lock.acquire()
    if _functions:
        with suppress(errors.CudnnError):
            now = calls.cudnnGetCallback()
            if any(_address(function) == now.fptr for function in _functions.values()):
                calls.cudnnSetCallback(now.mask, now.udata, _NOTHING)
                _forking = now


def _after_fork() -> None:
    global _forking
    now, _forking = _forking, None
    if now is not None:
        with suppress(errors.CudnnError):
            calls.cudnnSetCallback(now.mask, now.udata, now.fptr)
    _lock.release()


_fork.around(_before_fork, _after_fork)

# logging -----------------------------------------------------------------------------------------

_LEVELS = {
    "INFO": logging.INFO,
    "WARNING": logging.WARNING,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
}

_CALLED = re.compile(r".*\bfunction (\w+)\(\) called:?\s*")
_TAIL = re.compile(r"Time: .*|Process=.*; Thread=.*")


class _Sink:
    """What one `log` that is on wants."""

    def __init__(self, level: int, given: Any) -> None:
        self.level = level
        self.given = given  # the logger, or an adapter of it
        self.adapters: list[Any] = []
        while isinstance(given, logging.LoggerAdapter):
            self.adapters.append(given)
            given = given.logger
        if not isinstance(given, logging.Logger):
            raise errors.ArgumentError(
                "logger: a Logger, a LoggerAdapter or the name of a logger was expected, "
                f"a {type(given).__name__} came"
            )
        self.logger = given

    def wants(self, level: int) -> bool:
        if level < self.level:
            return False
        if self.logger.level != logging.NOTSET:
            return self.logger.isEnabledFor(level)
        return not self.logger.disabled and self.logger.manager.disable < level

    def tell(self, level: int, message: Message) -> None:
        text: Any = "%s"
        extra: dict[str, Any] = {"cudnn": message}
        for adapter in self.adapters:
            text, options = adapter.process(text, {"extra": extra})
            extra = {**(options.get("extra") or {}), "cudnn": message}
        record = self.logger.makeRecord(
            self.logger.name,
            level,
            fn="cuDNN",
            lno=0,
            msg=text,
            args=(message,),
            exc_info=None,
            func=message.function or None,
            extra=extra,
        )
        self.logger.handle(record)


#: The sinks of the blocks that are open.
_open: dict[object, _Sink] = {}
#: Those that `_settle` has seen, and what was set before the first of them.
_settled: list[_Sink] = []
_before: Any = None


def log(level: int | str = logging.INFO, logger: Logger = "cudnn") -> _Logging:
    """Send cuDNN's messages to `logging` while the `with` block runs.

    cuDNN has one log for the whole process, so the messages of all threads come. Each record has
    the message in parts as its attribute `cudnn`, a `Message`. Blocks may be nested, also on
    several threads; what was set by `cudnnSetCallback` before the first is set again after the
    last. A logger with a level of its own keeps to it; one without gets all that `level` lets
    through, whatever the loggers above it are set to. `log` decorates functions too.

    Args:
        level: the least severe that is wanted: a level of `logging` or its name ("INFO",
            "WARNING", "ERROR"), or a `Severity`.
        logger: a logger or its name, or a `LoggerAdapter`. The `with` statement gives it.

    Raises:
        ArgumentError: there is no such level, or `logger` is none of these.
        LibraryNotFoundError: there is no libcudnn.
    """
    return _Logging(level, logger)


def _level(level: int | str) -> int:
    if isinstance(level, active().enum("Severity")):
        return _LEVELS.get(level.name, logging.CRITICAL)
    if isinstance(level, str):
        number = logging.getLevelNamesMapping().get(level.upper())
        if number is not None:
            return number
    elif isinstance(level, int) and not isinstance(level, bool):
        return level
    raise errors.ArgumentError(
        f"level: a level of logging was expected, {level!r} came", hint="INFO, WARNING or ERROR"
    )


def _mask(sinks: Sequence[_Sink]) -> int:
    """The bits of the severities that somebody wants: cuDNN writes only those."""
    lowest = min(sink.level for sink in sinks)
    members = active().enum("Severity").__members__.items()
    wanted = (number for name, number in members if _LEVELS.get(name, logging.ERROR) >= lowest)
    return sum(1 << number for number in wanted)


def _settle() -> None:
    """Set cuDNN's callback as the open blocks want it; called again, it comes to the same."""
    global _settled, _before
    ours = function_pointer(_to_logging)
    with _lock:
        while True:
            sinks = list(_open.values())
            now = calls.cudnnGetCallback()
            if now.fptr != ours and any(sink not in _settled for sink in sinks):
                _before = now
            elif now.fptr != ours:
                _settled = sinks
                return  # somebody set another one since, and it is theirs
            if sinks:
                cudnnSetCallback(_mask(sinks), None, ours)
            else:
                cudnnSetCallback(_before.mask, _before.udata, _before.fptr)
            _settled = sinks
            if sinks == list(_open.values()):  # no signal handler came in between
                return


class _Logging(_blocks.Block):
    _open = _open
    _settle = staticmethod(_settle)

    def __init__(self, level: int | str, logger: Logger) -> None:
        super().__init__()
        self._given = level, logger

    def _recreate_cm(self) -> Self:
        return type(self)(*self._given)

    def _want(self) -> tuple[_Sink, Any]:
        level, logger = self._given
        target = logging.getLogger(logger) if isinstance(logger, str) else logger
        return _Sink(_level(level), target), target

    if TYPE_CHECKING:

        def __enter__(self) -> logging.Logger: ...


def _to_logging(severity: Any, _udata: int, debug: Any, text: str) -> None:
    level = _LEVELS.get(severity.name, logging.ERROR)
    told: dict[int, _Sink] = {}
    for sink in list(_open.values()):
        if id(sink.given) not in told and sink.wants(level):
            told[id(sink.given)] = sink
    failed: Exception | None = None
    if told:
        message = parse(severity, debug, text)
        for sink in told.values():
            try:
                sink.tell(level, message)
            except Exception as error:  # the others are told all the same
                failed = failed or error
    if failed is not None:
        raise failed


def parse(severity: Any, debug: Any, text: str) -> Message:
    """The parts of a message that came with `debug`, a `Debug` struct."""
    lines = text.splitlines()
    called = _CALLED.fullmatch(lines[0]) if lines else None
    body = [line for line in lines[1 if called else 0 :] if not _TAIL.fullmatch(line)]
    # The number of the device is not set where there is none; only the text says so.
    no_device = any("GPU=NULL" in line for line in lines if _TAIL.fullmatch(line))
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return Message(
        severity=severity,
        time=epoch + timedelta(seconds=debug.time_sec, microseconds=debug.time_usec),
        function=called[1] if called else "",
        text="\n".join(_without_indent(body)),
        status=debug.cudnnStatus,
        process=debug.pid,
        thread=debug.tid,
        handle=debug.handle,
        stream=debug.stream,
        device=None if no_device else debug.cudaDeviceId,
        version=debug.cudnn_version,
    )


def _without_indent(lines: list[str]) -> list[str]:
    least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[least:].rstrip() for line in lines]
