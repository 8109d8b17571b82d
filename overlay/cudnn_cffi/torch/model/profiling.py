"""Time each layer of a model, and tell how it is computed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from ... import errors, handles
from ..._support.results import NamedTuple
from ..._ways.case import Way, plan_of
from ..._ways.timing import CACHE, time_way
from ...choice import policy
from ...choice.record_table import Rows, format_bytes
from ...choice.tune.device_clock import Clock, Sampler
from ...driver import synchronize_context
from ...plan.arrays.outputs import empty
from ..autograd import switches
from ..fusion.building import text_of
from ..modules.base import Cudnn
from .converting import why_by_pytorch
from .energy import Meter
from .survey import Layer, operation_of, survey, wants_gradients
from .trial import THEIRS, Trial, kept_buffers, what_ran


class Step(NamedTuple):
    """The time of one layer, in one direction.

    Attributes:
        layer: its name.
        kind: its class.
        section: "forward"; "data" and "filter" for gradients of a convolution; "gradient" for all
            gradients of another layer.
        by: "engine 41" and the like, or an algorithm; "PyTorch".
        time: microseconds of one call, on the device; on the CPU, of the host.
        calls: how often the model makes it.
        workspace: in bytes; None where PyTorch has it.
        share: the part of the whole.
        why: why it was not timed, or why PyTorch computes it; "" where this package does.
        energy: millijoules of one call; None where it was not measured.
    """

    layer: str
    kind: str
    section: str
    by: str
    time: float | None
    calls: int
    workspace: int | None
    share: float
    why: str = ""
    energy: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()


class Profile(Rows[Step]):
    """Times of the layers of a model; prints as a table, in notebooks as HTML."""

    _columns: ClassVar[tuple[str, ...]] = (
        *("layer", "kind", "section", "by", "time us", "mJ", "calls", "workspace", "share", "why"),
    )

    @staticmethod
    def _cells(record: Step) -> tuple[str, ...]:
        return (
            record.layer or "(the model)",
            record.kind,
            record.section,
            record.by,
            "-" if record.time is None else f"{record.time:.2f}",
            "-" if record.energy is None else f"{record.energy:.3g}",
            str(record.calls),
            "-" if record.workspace is None else format_bytes(record.workspace),
            f"{100 * record.share:.1f} %",
            record.why[:60],
        )

    @property
    def total(self) -> float:
        """Return the microseconds of all layers together."""
        return sum((each.time or 0.0) * each.calls for each in self)

    @property
    def energy(self) -> float:
        """Return the millijoules of all layers together, of those that were measured."""
        return sum((each.energy or 0.0) * each.calls for each in self)

    def slowest(self) -> Profile:
        """Return the same, what takes longest first."""
        return Profile(sorted(self, key=lambda each: -(each.time or 0.0) * each.calls))


def profile(
    model: nn.Module,
    *inputs: object,
    gradients: bool | None = None,
    kwargs: Mapping[str, object] | None = None,
    energy: bool = False,
) -> Profile:
    """Return how long each layer of a model takes, and by which engine or algorithm.

    The model is called once, to see what its layers are called with. Then each is timed by itself,
    with random numbers, in its mode; so the sum is not what the model takes: what is between layers
    is missing, and caches are warm. Layers that compute the same are timed once.

    Args:
        model: any module; parameters and statistics stay what they are.
        inputs: what it is called with.
        gradients: whether to time gradients, too; by default if the model is being trained.
        kwargs: further arguments of the call.
        energy: whether to measure the energy of each layer too, by NVML, in about a second each.
            The counter is the device's: nothing else should run there. A call which is shorter
            than its launch is counted with the time between calls.

    Raises:
        ArgumentError: `model` is no module, or calls no layer.
        NotSupportedError: `energy`, and nvidia-ml-py is not installed, or the device has no
            counter.
    """
    layers = survey(model, inputs, kwargs)
    if gradients is None:
        gradients = wants_gradients(model)
    known: dict[object, Found] = {}
    found: list[tuple[Layer, _Row]] = []
    meter = _meter(layers) if energy else None
    for layer in layers:
        key = _key(layer)
        if key not in known:
            known[key] = _time_layer(layer, gradients, meter)
        found += [
            (layer, each) for each in known[key] if not (layer.is_first and each[0] == "data")
        ]
    total = sum((each.took or 0.0) * layer.calls for layer, each in found) or 1.0
    return Profile(
        Step(
            layer.name, type(layer.module).__name__, each.section, each.by, each.took,
            layer.calls, each.size, (each.took or 0.0) * layer.calls / total, each.why, each.energy,
        )
        for layer, each in found
    )  # fmt: skip


def _key(layer: Layer) -> object:
    """Return the same for layers that take the same time."""
    named = tuple([(name, like) for name, (like, _) in sorted(layer.named.items())])
    if not layer.is_convolution:
        return layer.name, layer.given, named
    module = layer.module
    choose = str(getattr(module, "choose", None))
    return type(module), repr(module), layer.given, named, layer.extra, layer.w, choose


class _Row(NamedTuple):
    """One computation of a layer, as `Step` has it."""

    section: str
    by: str
    took: float | None
    size: int | None
    why: str
    energy: float | None = None


Found = list[_Row]


def _meter(layers: Sequence[Layer]) -> Meter:
    """Return the energy counter of the device of the layers.

    Raises:
        NotSupportedError: they are on the CPU, or there is no counter.
    """
    places = {like[3] for layer in layers for like in layer.given if isinstance(like, tuple)}
    place = next((each for each in places if each.type == "cuda"), None)
    if place is None:
        raise errors.NotSupportedError("energy=True: expected a model on a GPU")
    return Meter(place)


def _time_layer(layer: Layer, gradients: bool, meter: Meter | None) -> Found:
    module = layer.module
    likes = (*layer.given, *[like for like, _ in layer.named.values()])
    on_device = any(isinstance(each, tuple) and each[3].type == "cuda" for each in likes)
    if layer.is_convolution and on_device and isinstance(module, Cudnn):
        try:
            return _time_converted(layer, gradients, meter)
        except errors.NotSupportedError:
            pass  # PyTorch computes it, as the module does
    return _time_module(layer, gradients, on_device, meter)


def _time_converted(layer: Layer, gradients: bool, meter: Meter | None) -> Found:
    """Return the times of a convolution that this package computes."""
    operation = operation_of(layer)
    handle = handles.handle(layer.device)
    case = operation.case(*layer.arrays)
    found: Found = []
    parts = operation.gradients(case) if gradients else [(operation, case)]
    for name, (each, its_case) in zip(("forward", "data", "filter"), parts, strict=False):
        rule = policy.rule_for(each.section, operation.policy, behind=switches.policy())
        way = each.find_way(its_case, rule, handle, None)
        took, why = time_way(way, handle)
        plan = plan_of(way)
        by = text_of(way if plan is None else plan)
        used = None if meter is None or took is None else _energy(meter, way, handle, took)
        found.append(_Row(name, by, took, way.workspace_size, why, used))
    return found


def _energy(meter: Meter, way: Way, handle: handles.Handle, took: float) -> float | None:
    """Return the millijoules of a call or plan on random numbers."""
    stream = torch.cuda.current_stream(handle.device)
    held = {
        each.name: cast("Tensor", empty("torch", each, handle.device, stream)).normal_()
        for each in way.operands
        if each.is_argument
    }
    return meter.millijoules(lambda: way(**held), took)


def _time_module(layer: Layer, gradients: bool, on_device: bool, meter: Meter | None) -> Found:
    """Return the times of a module as it is."""
    trial = Trial(layer)
    place = trial.device if on_device else None
    module = layer.module
    found: Found = []
    try:
        with kept_buffers(module):
            with torch.no_grad():
                found.append(_row("forward", trial.forward, module, place, meter))
            run = trial.gradient() if gradients else None
            if run is not None:
                found.append(_row("gradient", run, module, place, meter))
    except Exception as error:
        found.append(_Row("forward", THEIRS, None, None, errors.first_line(error)))
    return found


def _row(
    section: str,
    run: Callable[[], object],
    module: nn.Module,
    place: torch.device | None,
    meter: Meter | None,
) -> _Row:
    """Return the time of what `run` computes."""
    by, size = what_ran(run)
    took = _microseconds(run, place)
    used = None if meter is None else meter.millijoules(run, took)
    return _Row(section, by, took, size, _why(by, module), used)


def _why(by: str, module: nn.Module) -> str:
    """Return why PyTorch computes a module, where it does."""
    if by != THEIRS:
        return ""
    return why_by_pytorch(module) or "the module gave it to PyTorch"


def _microseconds(run: Callable[[], object], device: torch.device | None) -> float:
    """Return the time of a call: on a device, or of the host for None."""
    if device is None:
        times = []
        for _ in range(4):
            start = time.perf_counter()
            run()
            times.append((time.perf_counter() - start) * 1e6)
        return statistics.median(times[1:])
    with torch.cuda.device(device):
        stream = torch.cuda.current_stream()
        clock = Clock(stream.cuda_stream, CACHE, device.index, stream, cold=False)
        try:
            sampler = Sampler(clock, run)
            return statistics.median([sampler.sample() for _ in range(7)])
        finally:
            synchronize_context()
            clock.close()
