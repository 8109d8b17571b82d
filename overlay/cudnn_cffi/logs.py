"""What cuDNN says about its calls: as records of `logging`, or to a callback of one's own.

cuDNN knows one callback a process. `log` sets it for a while and puts back what was there before;
`cudnnSetCallback` takes any callable. Neither needs cuDNN's environment variables
(CUDNN_LOGLEVEL_DBG and CUDNN_LOGDEST_DBG, before cuDNN 9 CUDNN_LOGINFO_DBG and its like), which
write to a file or a stream and keep working beside it.
"""

from __future__ import annotations

import atexit
import ctypes
import logging
import re
import sys
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from . import errors
from ._tables import active, record_class

__all__ = ["LogCallback", "Message", "log"]

#: What `cudnnSetCallback` calls: severity, user data, a copy of the `Debug` struct, the text.
LogCallback = Callable[[Any, int, Any, str], object]


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

_lock = threading.RLock()
_thread = threading.local()

#: By callable. Never removed: the address may have been kept, or be in use on another thread.
_functions: dict[Hashable, Any] = {}


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
    """The address of a C function, a cudnnCallback_t, that calls `callback`; good for ever."""
    key: Hashable = callback
    try:
        hash(callback)
    except TypeError:
        key = id(callback)  # stays unique, since the entry keeps the callback
    with _lock:
        if not _functions:
            atexit.register(_silence)
        if key not in _functions:
            _functions[key] = _PROTOTYPE(_Entry(callback))
        return _address(_functions[key])


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _silence() -> None:
    """Nothing may be called when the interpreter is gone."""
    from .calls.graph import cudnnGetCallback, cudnnSetCallback

    set_now = cudnnGetCallback().fptr
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
    """One `log` that is on."""

    def __init__(self, logger: logging.Logger, level: int) -> None:
        self.logger = logger
        self.level = level


#: Replaced as a whole, so that a callback on another thread can read it without the lock.
_sinks: tuple[_Sink, ...] = ()
_before: Any = None
#: Loggers that had no level of their own and got one for the time being.
_raised: set[logging.Logger] = set()


@contextmanager
def log(
    level: int | str = logging.INFO, logger: logging.Logger | str = "cudnn"
) -> Iterator[logging.Logger]:
    """Send cuDNN's messages to `logging` while the `with` block runs.

    cuDNN has one log for the whole process, so the messages of all threads come. Each record has
    the message in parts as its attribute `cudnn`, a `Message`. Blocks may be nested, also on
    several threads; what was set by `cudnnSetCallback` before the first is set again after the
    last. A logger without a level of its own has `level` for as long.

    Args:
        level: the least severe that is wanted: a level of `logging` or its name ("INFO",
            "WARNING", "ERROR"), or a `Severity`.
        logger: to which logger, or its name.

    Raises:
        ArgumentError: there is no such level.
        LibraryNotFoundError: there is no libcudnn.
    """
    target = logging.getLogger(logger) if isinstance(logger, str) else logger
    sink = _Sink(target, _level(level))
    _add(sink)
    try:
        yield target
    finally:
        _remove(sink)


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


def _mask(sinks: tuple[_Sink, ...]) -> int:
    """The bits of the severities that somebody wants: cuDNN writes only those."""
    lowest = min(sink.level for sink in sinks)
    members = active().enum("Severity").__members__.items()
    wanted = (number for name, number in members if _LEVELS.get(name, logging.ERROR) >= lowest)
    return sum(1 << number for number in wanted)


def _add(sink: _Sink) -> None:
    global _sinks, _before
    from .calls.graph import cudnnGetCallback, cudnnSetCallback

    with _lock:
        sinks = (*_sinks, sink)
        before = _before if _sinks else cudnnGetCallback()
        cudnnSetCallback(_mask(sinks), None, function_pointer(_to_logging))
        _sinks, _before = sinks, before
        _set_levels()


def _remove(sink: _Sink) -> None:
    global _sinks
    from .calls.graph import cudnnGetCallback, cudnnSetCallback

    with _lock:
        _sinks = tuple(each for each in _sinks if each is not sink)
        _set_levels()
        if cudnnGetCallback().fptr != function_pointer(_to_logging):
            return  # somebody set another one since, and it is theirs
        if _sinks:
            cudnnSetCallback(_mask(_sinks), None, function_pointer(_to_logging))
        else:
            cudnnSetCallback(_before.mask, _before.udata, _before.fptr)


def _set_levels() -> None:
    wanted = {
        sink.logger: min(other.level for other in _sinks if other.logger is sink.logger)
        for sink in _sinks
    }
    for logger in [*_raised]:
        if logger not in wanted:
            logger.setLevel(logging.NOTSET)
            _raised.remove(logger)
    for logger, level in wanted.items():
        if logger in _raised or logger.level == logging.NOTSET:
            _raised.add(logger)
            logger.setLevel(level)


def _to_logging(severity: Any, _udata: int, debug: Any, text: str) -> None:
    level = _LEVELS.get(severity.name, logging.ERROR)
    message: Message | None = None
    told = set()
    for sink in _sinks:
        if level < sink.level or sink.logger in told or not sink.logger.isEnabledFor(level):
            continue
        told.add(sink.logger)
        message = message or parse(severity, debug, text)
        record = sink.logger.makeRecord(
            sink.logger.name,
            level,
            fn="cuDNN",
            lno=0,
            msg="%s",
            args=(message,),
            exc_info=None,
            func=message.function or None,
            extra={"cudnn": message},
        )
        sink.logger.handle(record)


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
