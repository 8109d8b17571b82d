"""The compiled type of plans, or what stands for it where nothing is compiled; locks and turns."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from ..._call.layer import get_compiled
from ..._support import fork

if TYPE_CHECKING:
    from ...handles import Handle
    from ...types import Array, ArrayT, CallStream

native = cast("type[Base] | None", get_compiled("cudnn_cffi_plan_type"))


def count_replays() -> int:
    """Return how many calls this thread has launched as CUDA graphs so far."""
    return 0 if native is None else int(native._replays())


#: Seconds that the end of the interpreter waits for captures of other threads.
_LAST_CAPTURES = 10.0


@atexit.register
def _stop_recording() -> None:
    """Stop captures of calls in all threads, and wait for those that have begun.

    A capture takes Python's lock while it has a plan's. A daemon thread does not get Python's lock
    once the interpreter ends, so the plan's lock would never be free again.
    """
    until = time.monotonic() + _LAST_CAPTURES
    while native is not None and native._stop_recording() and time.monotonic() < until:
        time.sleep(0.001)


def _after_fork() -> None:
    """Make plans forget the threads of the parent process, and the graphs of their calls."""
    if native is not None:
        native._after_fork(fork.lost)


fork.in_child("calls", _after_fork)


class _InPython:
    """The base of plans if nothing is compiled."""

    _run: Callable[[tuple[object, ...], dict[str, object]], object]

    def __call__(self, *given: object, **named: object) -> object:
        return self._run(given, named)

    def attempt(self, *_: object, **__: object) -> object:
        """Return NotImplemented: the compiled layer executes the plan, or returns that."""
        return NotImplemented


class Turn:
    """Orders calls in several streams, if nothing was compiled.

    Attributes:
        event: the address of an event after the last call; 0 before the first.
        stream: of the last call.
        context: that the event belongs to.
        ready: whether a call needs no preparation.
    """

    def __init__(self) -> None:
        self.event = self.stream = self.context = self.ready = 0
        self._lock = fork.lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def make_turn() -> Turn:
    """Return what has calls in several streams follow each other, with a lock; see `Turn`."""
    return Turn() if native is None else native._turn()


class Locked:
    """The lock of a plan in the compiled layer, for a `with` block."""

    __slots__ = ("_acquire", "_release")

    def __init__(self, acquire: Callable[[], None], release: Callable[[], None]) -> None:
        self._acquire = acquire
        self._release = release

    def __enter__(self) -> None:
        self._acquire()

    def __exit__(self, *_: object) -> None:
        self._release()


if TYPE_CHECKING:

    class Base:
        """The compiled type, whose methods are in native/plan.c; `_InPython` has the first two."""

        def __call__(
            self,
            *arrays: ArrayT | float | None,
            handle: Handle | None = None,
            stream: CallStream = ...,
            workspace: Array | None = None,
            **named: ArrayT | float | None,
        ) -> ArrayT:
            """Execute it on arrays; one output is returned as it is, several as a tuple."""

        def attempt(self, *arrays: object, **named: object) -> object:
            """Make a call and return its result, or NotImplemented if only Python can make it."""

        _is_armed: bool

        def _arm(self, **record: object) -> bool: ...
        def _keep_apart(self, pairs: tuple[tuple[int, ...], ...]) -> None: ...
        def _set_dtypes(self, dtypes: tuple[object, ...]) -> None: ...
        def _teach(self, kind: type, device: int, makers: tuple[Maker, ...]) -> None: ...
        def _acquire(self) -> None: ...
        def _release(self) -> None: ...
        def _end(self) -> None: ...
        @staticmethod
        def _set_up_all(**record: object) -> None: ...
        @staticmethod
        def _replay(**record: object) -> None: ...
        @staticmethod
        def _learn_stream(kind: type) -> None: ...
        @staticmethod
        def _learn_array(
            kind: type, how: int, one: object, other: object, bits: tuple[object, ...], /
        ) -> bool: ...
        @staticmethod
        def _replays() -> int: ...
        @staticmethod
        def _stop_recording() -> bool: ...
        @staticmethod
        def _after_fork(lost: bool) -> None: ...
        def _offer_to_xla(
            self, key: int, device: int, has_workspace: bool, places: tuple[tuple[int, int], ...], /
        ) -> None: ...
        @staticmethod
        def _set_up_xla(
            extend: Callable[[int, int], None],
            major: int,
            minor: int,
            last_text: int,
            functions: tuple[int, ...],
            /,
        ) -> tuple[int, int]: ...
        @staticmethod
        def _turn() -> Turn: ...
        @staticmethod
        def _allocate(size: int, stream: int, context: int) -> int: ...
        @staticmethod
        def _free(address: int, stream: int, context: int) -> bool: ...

else:
    Base = _InPython if native is None else native

#: The maker of an output: a callable, its arguments or None for the handle, and its keywords.
Maker = tuple[Callable[..., object], tuple[object, ...] | None, Mapping[str, object] | None]
