"""Several plans that compute one graph, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Many
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from .. import errors, library
from .._support.constructors import list_makers
from ..driver import keeping
from ..handles import Handle
from . import saving
from .intermediates import GRAIN
from .operand import Operand, check_operands
from .plan import Plan
from .run.apart import pairs_of
from .run.call_steps import AnyStep, Behind, Execute, HasAddress, Held, Place, Scratch
from .run.copy import Copy
from .run.launcher import Launch

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from .computation import Device

#: Stands for the memory between parts among names of operands.
BUFFER = "\0"


#: Maximum number of steps that the compiled layer runs.
_MOST_STEPS = 512


def has_operands(step: Plan | Copy) -> TypeIs[Plan]:
    """Return whether a step is a plan; else it is a copy, or a function, from x to y."""
    return hasattr(step, "_takes")


class Part(NamedTuple):
    """A step of a sequence.

    Attributes:
        step: the plan, or the copy, which has the operands x and y.
        places: where each operand of the step is: the name of an operand of the sequence, or
            `BUFFER` for the memory between parts, and its offset from the begin in bytes.
    """

    step: Plan | Copy
    places: dict[str, tuple[str, int]]


@list_makers
class Sequence(Plan):
    """Plans, and copies, that are executed one after the other in one stream.

    It is called as a `Plan` is, and has the same interface. Results of one part for others are in
    the workspace. `parts` are the plans; each has its own engine.

    Threads that share it wait for each other while all parts are put into the stream.
    """

    def __init__(
        self,
        steps: Many[Part],
        operands: Many[Operand],
        *,
        buffers: int = 0,
        handle: Handle | None = None,
        device: Device | None = None,
        signature: str = "",
        text: str = "",
        held: Mapping[str, HasAddress] | None = None,
    ) -> None:
        """Put plans together.

        Args:
            steps: in the order of their execution.
            operands: of the whole: inputs, then outputs, in the order of a call.
            buffers: the bytes between parts.
            handle, device, signature, text: as for `Plan`.
            held: memory of its own, by its name among places.

        Raises:
            ArgumentError: operands contradict each other, or a step needs what is not there.
        """
        keeping.sweep()
        self.operands = check_operands(operands)
        self.signature = signature
        self.text = text
        self._sequence = tuple(Part(*each) for each in steps)
        self._held = dict(held or {})
        self._handle = handle
        self._ordinal = None if handle is None else handle.device
        self._device_name = "" if device is None else str(device.name)
        self._takes = tuple(each for each in self.operands if each.is_argument)
        self._buffers = -(-buffers // GRAIN) * GRAIN
        self._check_places()
        scratch = max([each.step.workspace_size for each in self._sequence], default=0)
        self.workspace_size = self._buffers + scratch
        self._closed = False
        self._plan = None
        self._places = {}
        self._steps = self._list_steps()
        self._apart = pairs_of(self._takes, lambda *_: False)
        self._set_up()

    def _list_packed(self) -> Iterator[tuple[int, str, int]]:
        return iter(())

    def _list_steps(self) -> list[AnyStep] | None:
        """Return what the compiled layer runs; None where copies take more calls than it makes.

        None also where no library is loaded, as for copies alone: their descriptors would load it.
        """
        if library.current() is None:
            return None
        steps: list[AnyStep] = []
        for step, places in self._sequence:
            found = {name: self._finder(*place) for name, place in places.items()}
            if has_operands(step):
                room = Scratch(self._buffers) if step.workspace_size else None
                takes = [each.name for each in step._takes]
                steps.append(Execute(step, {name: found[name](0) for name in takes}, room))
            else:
                steps += step.steps(found["x"], found["y"])
        return steps if len(steps) <= _MOST_STEPS else None

    def _finder(self, where: str, begin: int) -> Place:
        """Return a placeholder for the address at an offset in bytes from a place."""
        if where == BUFFER:
            return lambda offset: Scratch(begin + offset)
        if where in self._held:
            return lambda offset: Held(self._held[where], begin + offset)
        return lambda offset: Behind(where, begin + offset)

    def _check_places(self) -> None:
        known = {each.name for each in self._takes} | {BUFFER, *self._held}
        for step, places in self._sequence:
            wanted = {each.name for each in step._takes} if has_operands(step) else {"x", "y"}
            if not wanted <= places.keys() or not {name for name, _ in places.values()} <= known:
                raise errors.ArgumentError(f"{step!r}: expected places of all its operands")

    @property
    def parts(self) -> tuple[Plan | Copy, ...]:
        """Return the plans, and copies, in the order of their execution."""
        return tuple(each.step for each in self._sequence)

    @cached_property
    def _fields(self) -> saving.PlanFields:
        plans = (each for each in self.parts if isinstance(each, Plan))
        return next((each._fields for each in plans), saving.PlanFields())

    @property
    def engine(self) -> None:
        """Return None: each of `parts` has its own."""

    @property
    def knobs(self) -> dict[str, int]:
        """Return nothing: each of `parts` has its own."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the notes of all engines; not what only a plan alone can do."""
        found = dict.fromkeys(note for each in self.parts for note in each.notes)
        return tuple(each for each in found if each != "SUPPORTS_CUDA_GRAPH_NATIVE_API")

    @property
    def execution_plan(self) -> NoReturn:
        """Refuse: each of `parts` has its own.

        Raises:
            NotSupportedError: always.
        """
        raise errors.NotSupportedError("a Sequence has no execution plan", hint="see its parts")

    @property
    def closed(self) -> bool:
        """Return whether it is closed."""
        return self._closed or any(each.closed for each in self.parts)

    def _check_open(self) -> None:
        if self.closed:
            raise errors.ClosedError("the Sequence, or a plan of it, is closed")

    def _destroy(self) -> None:
        self._closed = True
        for each in self.parts:
            each.close()
        if self._is_armed:
            self._end()

    def _execute(self, launch: Launch) -> None:
        known = {**launch.found, BUFFER: launch.workspace}
        known |= {name: each.address or 0 for name, each in self._held.items()}
        behind = launch._replace(workspace=launch.workspace + self._buffers)
        with self._lock():
            self._check_open()
            for step, places in self._sequence:
                found = {name: known[where] + offset for name, (where, offset) in places.items()}
                step._execute(step.placed(behind, found))

    def _into_graph(self, *_: object) -> NoReturn:
        raise errors.NotSupportedError(
            f"a CUDA graph is made of one plan, this Sequence has {len(self._sequence)}",
            hint="capture a call instead",
        )

    # Saving

    def to_json(self) -> str:
        """Return all parts as JSON, for `Plan.from_json` on such a device with the same release.

        Raises:
            ClosedError: it is closed.
            NotSupportedError: the release has no JSON of plans.
        """
        self._check_open()
        steps = []
        for step, places in self._sequence:
            how = {"copy": step.to_dict()} if isinstance(step, Copy) else {"plan": step.to_json()}
            steps.append({**how, "places": places})
        profile = self._fields.get("GPUProfile") or (
            {"deviceName": self.device}
            if self._handle is None
            else saving.device_profile(self._handle.device)
        )
        return saving.seal(
            release=library.load().version,
            device=self.device,
            operands=[saving.fields_of(each) for each in self.operands],
            notes=list(self.notes),
            signature=self.signature,
            text=self.text,
            profile=profile,
            buffers=self._buffers,
            parts=steps,
        )

    @classmethod
    def _restore(
        cls, saved: saving.Saved, handle: Handle | None, device: Device | None
    ) -> Sequence:
        """Return the sequence that `to_json` wrote."""
        steps: list[Part] = []
        try:
            for each in saved["parts"]:
                places = {name: (where, offset) for name, (where, offset) in each["places"].items()}
                if "copy" in each:
                    steps.append(Part(Copy(**each["copy"]), places))
                else:
                    steps.append(Part(Plan.from_json(each["plan"], handle, device=device), places))
            made = cls(
                steps,
                saved["operands"],
                buffers=saved["buffers"],
                handle=handle,
                device=device,
                signature=saved["signature"],
                text=saved["text"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise saving.damaged(f"{type(error).__name__}: {error}") from None
        if device is None and handle is None:
            made._device_name = saved["device"]
        return made

    def __reduce__(self) -> tuple[Callable[..., Plan], tuple[str]]:
        return (Plan.from_json, (self.to_json(),))

    def __copy__(self) -> Plan:
        return Plan.from_json(self.to_json(), self._handle)

    def __str__(self) -> str:
        lines = [repr(self)]
        for number, (step, _) in enumerate(self._sequence, 1):
            lines.append(f"part {number}: {step!r}")
            if isinstance(step, Plan):
                lines += [f"    {line}" for line in step.text.splitlines()]
        return "\n".join(lines)

    def _about(self) -> str:
        return f"{len(self._sequence)} parts"


Plan._restore_several = Sequence._restore
