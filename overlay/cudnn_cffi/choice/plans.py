"""Build plans: the first candidate that cuDNN takes, or all reasons why it takes none."""

from __future__ import annotations

from collections.abc import Iterable

from .. import errors
from ..plan import Plan
from . import _descriptors as descriptors
from .engines import Candidate
from .refusals import Refusal, listening, no_plan, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..plan import Computation

__all__ = ["build_first", "describe_device", "make_plan", "to_plan"]


def to_plan(computation: Computation, candidate: Candidate, kernel_cache: Any = None) -> Plan:
    """Return the plan of a candidate, compiled if its engine needs that.

    Raises:
        CudnnError: cuDNN refuses the candidate.
    """
    cache = None if kernel_cache is None else kernel_cache.descriptor
    return make_plan(computation, candidate, engine_config=candidate.config, kernel_cache=cache)


def make_plan(computation: Computation, candidate: Candidate, **what: Any) -> Plan:
    """Return the plan of a descriptor with these attributes."""
    handle, device = computation.handle, computation.device
    descriptor = descriptors.make(
        "EXECUTION_PLAN",
        handle=handle,
        deviceprop=None if device is None else device.descriptor,
        **what,
    )
    notes = (*candidate.numeric_notes, *candidate.behavior_notes)
    return Plan(
        descriptor,
        computation.operands,
        handle=handle,
        device=device,
        engine=candidate.engine,
        knobs=candidate.knobs,
        notes=[note.name for note in notes],
        signature=computation.signature,
        text=computation.text,
    )


def build_first(
    computation: Computation, found: Iterable[Candidate | Refusal], kernel_cache: Any = None
) -> tuple[Candidate, Plan]:
    """Return the first candidate whose plan cuDNN builds, and that plan.

    Raises:
        NoPlanError: cuDNN builds none; it tells the reason of each.
    """
    refusals: list[Refusal] = []
    for each in found:
        if isinstance(each, Refusal):
            refusals.append(each)
            continue
        with listening() as listener:
            try:
                return each, to_plan(computation, each, kernel_cache)
            except errors.CudnnError as error:
                if error.status is None:
                    raise
                refusals.append(refusal("plan", error, listener, each.engine, each.knobs))
    raise no_plan(refusals, computation.text, describe_device(computation))


def describe_device(computation: Computation) -> str:
    """Return the device of a computation, for errors."""
    if computation.device is not None:
        return str(computation.device.name)
    return f"device {computation.handle.device}"
