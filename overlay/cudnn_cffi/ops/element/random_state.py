"""The random numbers of dropouts, whose state cuDNN keeps in device memory."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ... import driver, errors
from ..._lookup import calls
from ..._support import fork
from ..._support.arguments import integers, reals
from ..._ways.array_spec import Spec
from ...arrays.libraries import library_of
from ...descriptors import DropoutDescriptor
from ...driver import captures
from ...driver.streams import stream_pointer
from ...memory import Memory
from ...plan.run.compiled import make_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle


def rate_of(value: Any, name: str = "rate") -> float:
    """Return the probability with which elements are dropped, an argument of that name.

    Raises:
        ArgumentError: it is none.
    """
    (rate,) = reals(**{name: value})
    if not 0 <= rate < 1:
        raise errors.ArgumentError(f"{name}: expected from 0 to less than 1, got {rate}")
    return rate


def new_seed(library: str) -> int:
    """Return a seed: of PyTorch's generator on the CPU for its arrays, else of the system."""
    if library == "torch":
        torch = sys.modules["torch"]
        return int(torch.empty((), dtype=torch.int64).random_().item())
    return secrets.randbits(63)


class Place:
    """The state on one device, and the last work that used it.

    Attributes:
        descriptor: cuDNN's of the state.
        turn: what has uses follow each other; ready as long as the state is set.
    """

    __slots__ = ("descriptor", "event", "memory", "turn")

    def __init__(self, memory: Memory, stream: int) -> None:
        """Take over memory that was allocated in the order of a stream."""
        self.memory = memory
        self.descriptor = DropoutDescriptor()
        self.turn = make_turn()
        self.event: driver.Point = driver.record(stream)
        self.turn.stream = stream

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # The memory is freed in the order of its stream, and may be in use in another one.
        if _finalizing() or fork.is_lost() or (event := getattr(self, "event", None)) is None:
            return
        memory = self.memory
        with suppress(errors.CudnnError), memory.current(), captures.relaxed():
            stream = stream_pointer(memory.ordered())
            if stream != self.turn.stream and not captures.is_captured(stream):
                driver.wait_for(event, stream)


class _ReadOnly(DropoutDescriptor):
    """A dropout whose numbers are not used, which keeps its state alive."""

    __slots__ = ("_place",)

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place


class RandomState:
    """Random numbers for a dropout: a state on each device, all from the same seed.

    Each use goes on where the last one ended. Uses in different streams wait for each other, but
    for those that are captured into graphs. Threads may share it.

    Attributes:
        rate: the probability with which elements are dropped.
        seed: where the numbers begin; None until the first use, if none was given.
    """

    def __init__(self, rate: float, seed: int | None = None) -> None:
        self.rate = rate_of(rate)
        self.seed = self._given = seed if seed is None else _seed(seed)
        self._lock = fork.lock()
        self._places: dict[int, Place] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """Return what a copy is made of: it begins at the same seed, or at one of its own."""
        return type(self), (self.rate, self._given)

    def begin_with(self, array: object) -> None:
        """Choose a seed, if there is none, in the way of the library of the first array.

        With a `Spec`, which plans are made of, the first call chooses it.
        """
        if self.seed is None and not isinstance(array, Spec):
            self.begin(library_of(array))

    def begin(self, library: str) -> None:
        """Choose a seed, if there is none, in the way of an array library."""
        if self.seed is None:
            with self._lock:
                if self.seed is None:
                    self.seed = new_seed(library)

    def reset(self, seed: int | None = None) -> None:
        """Begin again at the seed, or at another one, on each device.

        Args:
            seed: the new seed; by default the old one.
        """
        value = self.seed if seed is None else _seed(seed)
        with self._lock:
            self.seed = value
            if seed is not None:
                self._given = value
            for each in self._places.values():
                with each.turn:
                    each.turn.ready = 0

    def place(self, handle: Handle) -> Place:
        """Return the state on the device of a handle.

        Raises:
            NotSupportedError: it would have to be made while the stream is captured.
        """
        with self._lock:
            found = self._places.get(handle.device)
            if found is None:
                if driver.capture_id(handle.get_stream()):
                    raise _captured()
                size = calls.cudnnDropoutGetStatesSize(handle)
                memory = Memory(size, handle.device, handle.stream)
                found = self._places[handle.device] = Place(memory, handle.get_stream())
            return found

    def read_only(self, handle: Handle) -> DropoutDescriptor:
        """Return a descriptor for the gradient, which reads what was dropped and no random numbers.

        So calls with it need not follow others that use the state.

        Raises:
            NotSupportedError: the state would have to be made while the stream is captured.
        """
        place = self.place(handle)
        made = _ReadOnly(place)
        calls.cudnnRestoreDropoutDescriptor(
            made, handle, self.rate, place.memory.address, place.memory.size, self.seed or 0
        )
        return made

    @contextmanager
    def used_by(self, handle: Handle) -> Iterator[DropoutDescriptor]:
        """Yield the descriptor for a call in the stream of a handle.

        Raises:
            NotSupportedError: the state would have to be made while the stream is captured.
        """
        place = self.place(handle)
        stream = handle.get_stream()
        captured = driver.capture_id(stream)
        turn = place.turn
        with self._lock, turn:
            if captured and not turn.ready:
                raise _captured()
            if turn.stream != stream and not captured:
                driver.wait_for(place.event, stream)
            if not turn.ready:
                self.begin("")
                calls.cudnnSetDropoutDescriptor(
                    place.descriptor, handle, self.rate, place.memory.address, place.memory.size,
                    self.seed or 0,
                )  # fmt: skip
                turn.ready = 1
            try:
                yield place.descriptor
            finally:
                if not captured:
                    place.event = driver.record(stream)
                    turn.event, turn.stream = place.event.address, stream
                    turn.context = driver.context_of_stream(stream)


def _captured() -> errors.NotSupportedError:
    return errors.NotSupportedError(
        "the state of a dropout cannot be made while a stream is captured",
        hint="call the operation once before the capture",
    )


def _seed(value: Any) -> int:
    (seed,) = integers(seed=value)
    if not 0 <= seed < 1 << 64:
        raise errors.ArgumentError(f"seed: expected 0 to 2 ** 64 - 1, got {seed}")
    return seed
