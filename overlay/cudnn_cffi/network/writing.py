"""Write a network's file."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .. import errors
from .._support import files
from ..descriptors import ActivationDescriptor, PoolingDescriptor, TensorDescriptor
from ..library import load
from ..plan import Plan, saving
from ..plan.intermediates import arranged
from ..plan.operand import Operand, span
from ..plan.run.call_steps import HANDLE, Behind, Step
from ..plan.run.copy import Copy
from . import format as f
from .reading import check

#: The numbers of functions, and where their arguments have each descriptor.
_FUNCTIONS = {
    "cudnnTransformTensor": (f.TRANSFORM, None, 2, 5),
    "cudnnPoolingForward": (f.POOL, 1, 3, 6),
    "cudnnActivationForward": (f.ACTIVATE, 1, 3, 6),
}


class Region(NamedTuple):
    """Memory of a network in the making.

    Attributes:
        where: `format.TENSOR`, `format.ARENA` or `format.WEIGHTS`.
        key: the number of the tensor, or of the block.
        offset: in bytes from its begin.
    """

    where: int
    key: int
    offset: int = 0

    def moved(self, offset: int) -> Region:
        """Return memory at an offset from this."""
        return self._replace(offset=self.offset + offset)


class Work(NamedTuple):
    """A step in the making.

    Attributes:
        step: a plan; or a call of a classic function on x and y.
        places: where each operand is, by its name.
    """

    step: Plan | Step
    places: Mapping[str, Region]


class Draft:
    """A network in the making: steps, in the order in which they run, and blocks of memory."""

    def __init__(self) -> None:
        self.tensors: list[Operand] = []
        self.works: list[Work] = []
        self._blocks: list[int] = []
        self._weights: list[bytes] = []

    def tensor(self, operand: Operand) -> Region:
        """Add an input or output."""
        self.tensors.append(operand)
        return Region(f.TENSOR, len(self.tensors) - 1)

    def block(self, size: int) -> Region:
        """Add memory between steps, of a size in bytes."""
        self._blocks.append(size)
        return Region(f.ARENA, len(self._blocks) - 1)

    def size_of(self, region: Region) -> int | None:
        """Return the bytes of a block; None for other memory."""
        return self._blocks[region.key] if region.where == f.ARENA else None

    def weights(self, data: bytes) -> Region:
        """Add weights."""
        self._weights.append(data)
        return Region(f.WEIGHTS, len(self._weights) - 1)

    def add(self, step: Plan | Step, **places: Region) -> None:
        """Add a step, with the place of each of its operands."""
        self.works.append(Work(step, places))

    def copy(self, copy: Copy, x: Region, y: Region) -> None:
        """Add the steps of a copy."""
        for step in copy.steps(lambda at: Behind("x", at), lambda at: Behind("y", at)):
            names = [each.name if isinstance(each, Behind) else each for each in step.arguments]
            there, here = (each.offset for each in step.arguments if isinstance(each, Behind))
            self.add(Step(step.function, *names), x=x.moved(there), y=y.moved(here))

    def replace(self, block: Region, tensor: Region) -> None:
        """Have all steps use an output in place of a block."""

        def moved(each: Region) -> Region:
            is_in = each.where == f.ARENA and each.key == block.key
            return tensor.moved(each.offset) if is_in else each

        self.works = [
            Work(step, {name: moved(each) for name, each in places.items()})
            for step, places in self.works
        ]


class _Tables:
    """The records of a draft."""

    def __init__(self, draft: Draft, sources: bool) -> None:
        self.texts = bytearray()
        self.plans: list[f.StoredPlan] = []
        self.operands: list[f.Tensor] = []
        self.calls: list[f.Call] = []
        self.steps: list[f.Step] = []
        self.places: list[f.Place] = []
        self.profile: saving.Profile = {}
        self._known: dict[object, int] = {}
        self._sources = sources
        self._begins, self.weights = _put_together(draft._weights)
        sizes = dict(enumerate(draft._blocks))
        used = [
            [(each.key, None) for each in work.places.values() if each.where == f.ARENA]
            for work in draft.works
        ]
        self._offsets, self.arena = arranged(sizes, used)
        for step, places in draft.works:
            if isinstance(step, Plan):
                self._add_plan(step, places)
            else:
                self._add_call(step, places)

    def _add_plan(self, plan: Plan, places: Mapping[str, Region]) -> None:
        saved = saving.decode(plan.to_json())
        _check_nan(plan, saved)
        known = plan._known_uids()
        takes = [record for each in saved["operands"] for record in f.records(each, known)]
        if len(takes) > f.OPERANDS:
            raise errors.NotSupportedError(f"expected at most {f.OPERANDS} operands: {plan!r}")
        operands = f.pack(takes)
        self.profile = saved["profile"]

        def add() -> None:
            from ..graph.graph import graph_of

            text, size = self._add_text(saved["plan"])
            graph = graph_of(plan.signature) if self._sources else None
            source = "" if graph is None else graph.to_json()
            self.plans.append(
                f.StoredPlan(
                    text, size, *self._add_text(source), plan.workspace_size, len(self.operands),
                    len(takes), plan.engine or 0, int(plan.replays),
                )
            )  # fmt: skip
            self.operands.extend(takes)

        index = self._index((saved["plan"], operands), self.plans, add)
        self._add_step(f.PLAN, index, takes, places)

    def _add_call(self, step: Step, places: Mapping[str, Region]) -> None:
        call, takes = to_call(step)

        def add() -> None:
            self.calls.append(call._replace(operand=len(self.operands)))
            self.operands.extend(takes)

        index = self._index((call, f.pack(takes)), self.calls, add)
        self._add_step(f.CALL, index, takes, places)

    def _index(self, key: object, kept: Sequence[object], add: Callable[[], object]) -> int:
        """Return the index of what is stored once."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(kept)
            add()
        return found

    def _add_text(self, text: str) -> tuple[int, int]:
        data, begin = text.encode(), len(self.texts)
        self.texts += data
        return begin, len(data)

    def _add_step(
        self, kind: int, index: int, takes: Sequence[f.Tensor], places: Mapping[str, Region]
    ) -> None:
        self.steps.append(f.Step(kind, index, len(self.places)))
        for each in f.operands(takes):
            where, key, offset = places[each.name]
            begin = {f.ARENA: self._offsets, f.WEIGHTS: self._begins}.get(where, {}).get(key, 0)
            tensor = key if where == f.TENSOR else 0
            self.places.append(f.Place(where, tensor, begin + offset, span(each)))


def write_network(path: str | os.PathLike[str], draft: Draft, *, sources: bool = True) -> f.File:
    """Write a network, as a whole, and return what the file has.

    Args:
        path: the file, which is replaced if it is there.
        draft: the network; its plans are all of one device.
        sources: whether to write the graph of each plan.

    Raises:
        NetworkFileError: two tensors have the same name or unique id.
        NotSupportedError: the format has no such step or operand, or the release has no JSON of
            plans.
        OSError: the file cannot be written.
    """
    tables = _Tables(draft, sources)
    if not tables.plans:
        raise errors.NotSupportedError("a network without a layer that is a plan of cuDNN's")
    tables.texts += bytes(-len(tables.texts) % f.GRAIN)
    texts = bytes(tables.texts)
    tensors = [f.Tensor(each) for each in draft.tensors]
    groups = (
        tensors, tables.plans, tables.operands, tables.calls, tables.steps, tables.places,
    )  # fmt: skip
    pieces = [zlib.crc32(texts), *_checksums(tables.weights)]
    body = b"".join([f.pack(each) for each in groups])
    body += b"".join([each.to_bytes(4, "little") for each in pieces])
    body += bytes(-(len(body) + f.Header.FORMAT.size) % f.GRAIN)
    records = f.Header.FORMAT.size + len(body)
    profile = tables.profile
    counts = [len(each) for each in groups]
    header = f.Header(
        f.MAGIC, f.VERSION, 0, records + len(texts) + len(tables.weights), records, len(texts),
        len(tables.weights), tables.arena, load().number, load().cudart // 1000,
        int(profile["deviceVer"]), int(profile["multiProcessorCount"]),  # type: ignore[call-overload]
        *counts, len(pieces), f.to_name(str(profile["deviceName"])),  # type: ignore[call-arg, arg-type]
    )  # fmt: skip
    head = f.pack([header])
    header = header._replace(checksum=zlib.crc32(head[f.Header.CHECKED :] + body))
    made = f.File(header, *groups, pieces, texts)
    check(made)
    files.replace(Path(path), f.pack([header]), body, texts, tables.weights, mode=0o666)
    return made


def _check_nan(plan: Plan, saved: saving.Saved) -> None:
    """Refuse a plan that loses NaN where it is made of cuDNN's JSON alone."""
    if "graph" not in saved or "=PROPAGATE_NAN" not in saved["text"]:
        return
    from ..choice import DeviceProperties
    from ..errata.asks import wrong_restored
    from ..graph import Graph

    device = None if plan._handle is not None else DeviceProperties(saved["profile"])
    computation = Graph.from_json(saved["graph"]).computation(plan._handle, device)
    why = wrong_restored(computation, plan.engine or 0, plan.knobs)
    if why:
        raise errors.NotSupportedError(f"the file of a network: {plan!r} cannot be in it: {why}")


def _put_together(parts: Sequence[bytes]) -> tuple[dict[int, int], bytes]:
    begins: dict[int, int] = {}
    known: dict[bytes, int] = {}
    data = bytearray()
    for number, part in enumerate(parts):
        if part not in known:
            known[part] = len(data)
            data += part
            data += bytes(-len(data) % f.GRAIN)
        begins[number] = known[part]
    return begins, bytes(data)


def _checksums(data: bytes) -> Iterator[int]:
    for begin in range(0, len(data), f.PIECE):
        yield zlib.crc32(data[begin : begin + f.PIECE])


def to_call(step: Step) -> tuple[f.Call, list[f.Tensor]]:
    """Return the record of a classic function on x and y, and its operands.

    Raises:
        NotSupportedError: the format has no such call.
    """
    if step.function not in _FUNCTIONS:
        raise errors.NotSupportedError(f"the format has no step for {step.function}")
    number, about, *places = _FUNCTIONS[step.function]
    arguments = step.arguments
    x, y = (arguments[at : at + 2] for at in places)
    factors = [arguments[at - 1] for at in places]
    if arguments[0] is not HANDLE or factors != [1.0, 0.0] or (x[1], y[1]) != ("x", "y"):
        raise errors.NotSupportedError(f"the format has no such call of {step.function}")
    window: tuple[tuple[int, ...], ...] = ((), (), ())
    mode = nan = 0
    coefficient = 0.0
    described = None if about is None else arguments[about]
    if isinstance(described, PoolingDescriptor):
        window = described.window, described.padding, described.stride
        mode, nan = int(described.mode), int(described.propagate_nan)
    elif isinstance(described, ActivationDescriptor):
        mode, nan = int(described.mode), int(described.propagate_nan)
        is_swish = described.mode.name == "SWISH"
        coefficient = described.swish_beta if is_swish else described.coefficient
    takes = [_operand(x[0], 1, "input"), _operand(y[0], 2, "output")]
    return f.Call(number, 0, mode, nan, window[0], window[1], window[2], coefficient), takes


def _operand(described: object, uid: int, role: str) -> f.Tensor:
    assert isinstance(described, TensorDescriptor)
    got = described._read()
    shape, strides = tuple(got.dimA), tuple(got.strideA)
    name = "xy"[uid - 1]
    return f.Tensor(Operand(name, uid, shape, strides, got.dataType.name, 1, role))
