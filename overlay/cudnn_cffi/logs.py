"""Send cuDNN's log to `logging` or to a callback.

cuDNN knows one callback a process. `log` sets it for a while and puts back what was there before;
`cudnnSetCallback` takes any callable, and keeps it for ever. Neither needs cuDNN's environment
variables (CUDNN_LOGLEVEL_DBG and CUDNN_LOGDEST_DBG, before cuDNN 9 CUDNN_LOGINFO_DBG and its
like), which have it write to a file or a stream; in cuDNN 9 nothing is written there while a
callback is set.
"""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from . import errors, library
from ._call import DO_NOTHING, callback_lock, function_pointer
from ._call.callbacks import LogCallback as LogCallback
from ._lookup import calls
from ._support import blocks
from ._support.wording import a_kind
from ._tables import active

if TYPE_CHECKING:
    from .enums import Severity, Status
    from .records import Debug
    from .types import Callback, HostPointer


#: Values that `log` takes as a logger.
_Adapter = logging.LoggerAdapter[logging.Logger]
Logger = str | logging.Logger | _Adapter


class Message(NamedTuple):
    """One message of cuDNN's; a log record has it as its attribute `cudnn`."""

    severity: Severity
    time: datetime  # in UTC
    function: str  # the C name, "" where the message names none
    text: str  # what it says besides; indented lines belong to the line above
    status: Status
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


# cuDNN 9 takes a mask of 0 for ERROR_EN, and prints errors where there is no callback. So in C a
# process cannot go back to where it began, with nothing set and nothing printed. A callback that
# does nothing stands for that, where cuDNN does not take the 0.
def cudnnSetCallback(mask: int, udata: HostPointer, fptr: Callback) -> None:
    """Set the callback, as cuDNN's function of that name does."""
    if (fptr is None or fptr.__class__ is int) and not fptr and mask == 0:
        calls.cudnnSetCallback(mask, udata, DO_NOTHING)
        if calls.cudnnGetCallback().mask:
            return
    calls.cudnnSetCallback(mask, udata, fptr)


with suppress(errors.MissingFunctionError):  # before cuDNN 7.1 there is no log
    functools.update_wrapper(cudnnSetCallback, calls.cudnnSetCallback)

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
    """The settings of one `log` that is on."""

    def __init__(self, level: int, given: object) -> None:
        self.level = level
        self.given = given  # the logger, or an adapter of it
        self.adapters: list[_Adapter] = []
        while isinstance(given, logging.LoggerAdapter):
            self.adapters.append(given)
            given = given.logger
        if not isinstance(given, logging.Logger):
            raise errors.ArgumentError(
                "logger: expected a Logger, a LoggerAdapter or the name of a logger, got "
                f"{a_kind(given)}"
            )
        self.logger = given

    def wants(self, level: int) -> bool:
        if level < self.level:
            return False
        if self.logger.level != logging.NOTSET:
            return self.logger.isEnabledFor(level)
        return not self.logger.disabled and self.logger.manager.disable < level

    def tell(self, level: int, message: Message) -> None:
        text = "%s"
        extra: dict[str, object] = {"cudnn": message}
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
#: Settings that `_settle` has seen, and the one before the first of them.
_settled: list[_Sink] = []
_before: tuple[int, HostPointer, Callback] = (0, None, None)


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
        f"level: expected a level of logging, got {level!r}", hint="INFO, WARNING or ERROR"
    )


def _mask(sinks: Sequence[_Sink]) -> int:
    """Return the bits of the severities that some sink takes: cuDNN writes only those."""
    lowest = min(sink.level for sink in sinks)
    members = active().enum("Severity").__members__.items()
    wanted = (number for name, number in members if _LEVELS.get(name, logging.ERROR) >= lowest)
    return sum(1 << number for number in wanted)


def _settle() -> None:
    """Set the callback that the open blocks need; calling it again changes nothing."""
    global _settled, _before
    if not _open and library.current() is None:
        return  # no callback was set, and the end of a block is no reason to look for a library
    ours = function_pointer(_to_logging)
    with callback_lock:
        while True:
            sinks = list(_open.values())
            now = calls.cudnnGetCallback()
            if now.fptr != ours and any(sink not in _settled for sink in sinks):
                _before = now.mask, now.udata, now.fptr
            elif now.fptr != ours:
                _settled = sinks
                return  # the program set another callback since, which stays
            if sinks:
                cudnnSetCallback(_mask(sinks), None, ours)
            else:
                cudnnSetCallback(*_before)
            _settled = sinks
            if sinks == list(_open.values()):  # no signal handler ran in between
                return


class _Logging(blocks.Block[_Sink, logging.Logger]):
    _open = _open
    _settle = staticmethod(_settle)

    def __init__(self, level: int | str, logger: Logger) -> None:
        super().__init__()
        self._given = level, logger

    def _recreate_cm(self) -> Self:
        return type(self)(*self._given)

    def _want(self) -> tuple[_Sink, logging.Logger]:
        level, logger = self._given
        target = logging.getLogger(logger) if isinstance(logger, str) else logger
        # An adapter has the methods of a logger, and is given as it is.
        return _Sink(_level(level), target), cast("logging.Logger", target)


def _to_logging(severity: Severity, _udata: int, debug: Debug, text: str) -> None:
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


def parse(severity: Severity, debug: Debug, text: str) -> Message:
    """Return the parts of a message with `debug`, a `Debug` struct."""
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
