"""Build the plan of a candidate."""

from __future__ import annotations

from contextlib import nullcontext

from ... import driver
from ..._support.blocks import awaited
from ...driver import captures
from ...plan import Plan
from . import descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ...backend import EngineCfgDescriptor, KernelCacheDescriptor
    from ...enums import BackendBehaviorNote, BackendNumericalNote
    from ...handles import Handle
    from ...plan import Computation

#: The note of engines and plans that may give other bits each time.
NONDETERMINISTIC = "NONDETERMINISTIC"

if TYPE_CHECKING:

    class HasDescriptor(Protocol):
        """A kernel cache."""

        descriptor: KernelCacheDescriptor

    class Chosen(Protocol):
        """A candidate, as its plan sees it."""

        knobs: dict[str, int]

        @property
        def engine(self) -> int:
            """Return the engine's index."""

        @property
        def numeric_notes(self) -> tuple[BackendNumericalNote, ...]:
            """Return the notes on numbers."""

        @property
        def behavior_notes(self) -> tuple[BackendBehaviorNote, ...]:
            """Return the notes on behavior."""

        @property
        def deterministic(self) -> bool:
            """Return whether the same input gives the same bits each time."""

        @property
        def config(self) -> EngineCfgDescriptor:
            """Return the finalized configuration."""

        @property
        def may_replay(self) -> bool:
            """Return whether calls of the plan may be launched as CUDA graphs."""


def to_plan(
    computation: Computation, candidate: Chosen, kernel_cache: HasDescriptor | None = None
) -> Plan:
    """Return the plan of a candidate, compiled if its engine needs that.

    Raises:
        CudnnError: cuDNN refuses the candidate.
    """
    cache = None if kernel_cache is None else kernel_cache.descriptor
    return make_plan(computation, candidate, engine_config=candidate.config, kernel_cache=cache)


def make_plan(computation: Computation, candidate: Chosen, **what: object) -> Plan:
    """Return the plan of a descriptor with these attributes."""
    handle, device = computation.owner, computation.device
    # Some engines load what they compile, for which a thread needs a context.
    with awaited(), nullcontext() if handle is None else handle._current():
        descriptor = descriptors.make(
            "EXECUTION_PLAN",
            handle=handle,
            deviceprop=None if device is None else device.descriptor,
            **what,
        )
    notes = [note.name for note in (*candidate.numeric_notes, *candidate.behavior_notes)]
    if not (candidate.deterministic or NONDETERMINISTIC in notes):
        notes.append(NONDETERMINISTIC)
    return Plan(
        descriptor,
        computation.operands,
        handle=handle,
        device=device,
        engine=candidate.engine,
        knobs=candidate.knobs,
        notes=notes,
        signature=computation.signature,
        text=computation.text,
        replays=candidate.may_replay,
        write=computation.write,
    )


def is_captured(handle: Handle | None) -> bool:
    """Return whether the handle's stream, or the current one of PyTorch or CuPy, is captured."""
    if handle is None or not driver.count():
        return False
    with handle._current():
        return any(map(captures.is_captured, {handle.get_stream(), *captures.current_streams()}))


def describe_device(computation: Computation) -> str:
    """Return the device of a computation, for errors."""
    if computation.device is not None:
        return computation.device.name
    assert computation.handle is not None
    return f"device {computation.handle.device}"
