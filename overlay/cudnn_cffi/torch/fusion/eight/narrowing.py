"""The decision which layers of a model have 8 bits, by timing, and how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from torch import Tensor

from .... import errors, handles
from ...._support.recent import Recent
from ...autograd.layouts import formatted
from ..building import Settings, Way, by_torch, padding_of, rule_of, tail
from ..products import as_filters, as_image
from ..values import Chosen
from ..weights import refuse_captures
from .graphs import WIDE, WORDS, Shape, runner
from .kernel import Quantizer, Requantizing
from .layers import Layer, may_narrow
from .precision import Precision
from .search import Found, find
from .timing import time_of
from .weights import NarrowWeights, why_not

if TYPE_CHECKING:
    from torch import fx

    from ..parts import Part, Parts
    from ..values import Values
    from .kinds import Kind

#: A range below which a layer counts as always zero.
_LEAST = 1e-30

#: Decisions that are kept.
_KEPT = 64

#: The number that channels have to be a multiple of.
_GROUP = 16


class Narrowing(NamedTuple):
    """The data type that `fuse` was asked for, and the results of the calibration.

    Attributes:
        kind: the data type.
        layers: ranges and losses by the names of layers.
        loss: the largest error of a layer that has 8 bits.
    """

    kind: Kind
    layers: Mapping[str, Layer]
    loss: float

    def start(self) -> Narrower:
        """Return what decides for the programs of a pipeline."""
        return Narrower(self)


@dataclass(slots=True)
class _Candidate:
    """A layer that may have 8 bits."""

    part: Part
    chosen: Chosen
    layer: Layer
    wide: float
    found: Found | None = None
    shape: Shape | None = None
    time: float = 0.0


@dataclass(slots=True)
class _Decision:
    parts: Parts
    chosen: dict[fx.Node, Chosen] = field(default_factory=dict)
    types: dict[fx.Node, torch.dtype] = field(default_factory=dict)
    times: dict[fx.Node, tuple[float, float]] = field(default_factory=dict)
    rows: list[Precision] = field(default_factory=list)
    folding: Requantizing | None = None


class Narrower:
    """Decides for the programs of a model, each for inputs of one kind.

    Attributes:
        rows: the report of the last program.
    """

    def __init__(self, narrowing: Narrowing) -> None:
        self.kind, self._layers, self._loss = narrowing
        self.rows: list[Precision] = []
        self._found: dict[object, Found | str] = {}
        self._wide: dict[object, float] = {}
        self._decisions: dict[object, _Decision] = Recent(_KEPT)

    def apply(
        self, parts: Parts, values: Values, settings: Settings, ordinal: int
    ) -> Requantizing | None:
        """Change how parts are computed, and return what quantizes their weights.

        Args:
            parts: of a model.
            values: how they are computed so far.
            settings: of the model.
            ordinal: the device.

        Raises:
            CudnnError: the stream is being captured, and nothing was decided before.
        """
        there = [values.fakes[each] for each in (*parts.inputs, *values.chosen)]
        like = tuple([(each.shape, each.dtype) for each in there if isinstance(each, Tensor)])
        key = id(parts), like, rule_of(settings), ordinal
        decision = self._decisions.get(key)
        if decision is None:
            refuse_captures(torch.device("cuda", ordinal))
            decision = self._decide(parts, values, settings, ordinal)
            self._decisions[key] = decision
        values.chosen.update(decision.chosen)
        for node, dtype in decision.types.items():
            values.retype(node, dtype)
        self.rows = decision.rows
        return decision.folding

    # The choice of layers

    def _decide(self, parts: Parts, values: Values, settings: Settings, ordinal: int) -> _Decision:
        decision = _Decision(parts)
        whys: dict[fx.Node, str] = {}
        able: dict[fx.Node, _Candidate] = {}
        handle = handles.handle(ordinal)
        for part in parts.list:
            if part.kind not in ("convolution", "product"):
                continue
            whys[part.node] = why = self._why_not(part, values, settings)
            if not why:
                chosen, layer = values.chosen[part.node], self._layers[part.name]
                wide = self._wide_time(part, chosen, values)
                able[part.node] = _Candidate(part, chosen, layer, wide)
        while able:
            narrow = self._narrow_values(able)
            read = self._quantized(able, narrow)
            losing = {}
            for node, each in able.items():
                shape = self._shape(each, values, able, narrow)
                each.shape = shape
                found = self._find(shape, settings, handle)
                if isinstance(found, str):
                    losing[node] = found
                    continue
                count = sum(other.part.x is each.part.x for other in able.values())
                steps = 0.0
                if each.part.x in read:
                    steps = self._step_time(values.tensor(each.part.x)) / count
                each.found, each.time = found, found.time + steps
                decision.times[node] = each.time, each.wide
                if each.time >= each.wide:
                    losing[node] = "it takes longer with 8 bits"
            if not losing:
                break
            for node, why in losing.items():
                whys[node] = why
                del able[node]
        self._settle(decision, values, able, ordinal)
        decision.rows = list(self._rows(decision, values, able, whys))
        return decision

    def _why_not(self, part: Part, values: Values, settings: Settings) -> str:
        """Return why a part cannot have 8 bits; "" where it may."""
        if not may_narrow(part):
            return "its weights are joined, or not those of images"
        layer, x, y = part.conv, values.tensor(part.x), values.tensor(part.node)
        found = self._layers.get(part.name)
        if found is None:
            return "the calibration did not compute it"
        if min(found.x, found.y) < _LEAST:
            return "its input or result was always zero in the calibration"
        if part.kind == "convolution" and (x.dim() != 4 or layer.groups != 1):
            return "it has groups" if layer.groups != 1 else f"arrays of {x.dim()} axes"
        rows, columns = layer.weight.shape[:2]
        if rows % _GROUP or columns % _GROUP:
            return f"{columns} to {rows} channels are no multiples of {_GROUP}"
        if not x.numel() or not y.numel() or max(x.numel(), y.numel()) >= 1 << 31:
            return "it has no elements, or too many"
        if x.dtype not in WIDE or y.dtype not in WIDE:
            return f"it computes {y.dtype} of {x.dtype}"
        if part.residual is not None:
            residual = values.fakes[part.residual]
            if not isinstance(residual, Tensor) or residual.shape != y.shape:
                return "the residual has another shape"
            if residual.dtype not in WIDE:
                return f"the residual is {residual.dtype}"
        if part.activation is not None and part.activation[0] not in WORDS:
            return f"{part.activation[0]} is not computed with 8 bits"
        if found.error > self._loss:
            return f"its error of {found.error:.3f} is above {self._loss:g}"
        pick = rule_of(settings).pick
        if pick not in (None, "heuristic", "heuristic_once", "time", "time_once"):
            return "a choice names how to compute"
        return why_not(part)

    @staticmethod
    def _narrow_values(able: Mapping[fx.Node, _Candidate]) -> set[fx.Node]:
        """Return the results that only layers of 8 bits read, and that get 8 bits thus."""
        inside = {node: each.part for each in able.values() for node in each.part.nodes}
        found = set()
        for node in able:
            readers = [inside.get(user) for user in node.users]
            if readers and all(
                each is not None and (each.x is node or each.residual is node) for each in readers
            ):
                found.add(node)
        return found

    @staticmethod
    def _quantized(able: Mapping[fx.Node, _Candidate], narrow: set[fx.Node]) -> set[fx.Node]:
        """Return the values that a step quantizes."""
        return {each.part.x for each in able.values()} - narrow

    def _shape(
        self, each: _Candidate, values: Values, able: Mapping[fx.Node, _Candidate],
        narrow: set[fx.Node],
    ) -> Shape:  # fmt: skip
        part, layer = each.part, each.part.conv
        x, y = values.tensor(part.x), values.tensor(part.node)
        residual = None
        if part.residual is not None:
            wide = WIDE[values.tensor(part.residual).dtype]
            residual = self.kind.data_type if part.residual in narrow else wide
        result = self.kind.data_type if part.node in narrow else WIDE[y.dtype]
        word = None if part.activation is None else part.activation[0]
        if part.kind == "product":
            rows, columns = layer.weight.shape
            count = x.numel() // columns
            shapes = (1, columns, count, 1), (rows, columns, 1, 1), (1, rows, count, 1)
            settings: tuple[Any, Any, Any] = ((0, 0), (1, 1), (1, 1))
        else:
            shapes = tuple(x.shape), tuple(layer.weight.shape), tuple(y.shape)
            settings = padding_of(layer), tuple(layer.stride), tuple(layer.dilation)
        return Shape(self.kind, *shapes, *settings, residual, result, word)

    # Times

    def _find(self, shape: Shape, settings: Settings, handle: Any) -> Found | str:
        """Return the plan for a shape and its time, or why there is none."""
        rule = rule_of(settings)
        key = shape, rule
        found = self._found.get(key)
        if found is None:
            try:
                found = find(shape, rule, handle)
            except errors.CudnnError as error:
                found = error.message.splitlines()[0]
            self._found[key] = found
        return found

    def _wide_time(self, part: Part, chosen: Chosen, values: Values) -> float:
        """Return the time of a part as it is computed without 8 bits."""
        layer, own, way = part.conv, chosen.weights, chosen.way
        x, y = values.tensor(part.x), values.tensor(part.node)
        residual = None if part.residual is None else values.tensor(part.residual)
        key = (
            part.kind, x.shape, x.dtype, layer.weight.shape, getattr(layer, "padding", None),
            layer.stride, layer.dilation, part.activation, residual is not None, own.bias is None,
            way.run,
        )  # fmt: skip
        found = self._wide.get(key)
        if found is None:
            device = own.weight.device
            like = [_random(each, device) for each in (x, residual) if each is not None]
            given = (
                like[0] if chosen.dtype is None else like[0].to(cast("torch.dtype", chosen.dtype))
            )
            run = _wide_run(part, chosen, given, like[1] if len(like) > 1 else None, y)
            found = self._wide[key] = time_of(run)
        return found

    def _step_time(self, x: Tensor) -> float:
        key = "step", x.numel(), x.dtype
        found = self._wide.get(key)
        if found is None:
            given = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
            quantizer = Quantizer(self.kind, 1.0)
            found = self._wide[key] = time_of(lambda: quantizer(given))
        return found

    # The computation

    def _settle(
        self, decision: _Decision, values: Values, able: Mapping[fx.Node, _Candidate], ordinal: int
    ) -> None:
        if not able:
            return
        narrow = self._narrow_values(able)
        steps = {
            node: Quantizer(self.kind, self._scale_of(node, able))
            for node in self._quantized(able, narrow)
        }
        made = []
        for node, each in able.items():
            assert each.shape is not None
            assert each.found is not None
            part, shape = each.part, each.shape
            x_scale = (
                steps[part.x].scale if part.x in steps else able[part.x].layer.y / self.kind.most
            )
            y_scale = each.layer.y / self.kind.most if node in narrow else 1.0
            inner = y_scale if shape.is_homogeneous else 1.0  # of what is added
            own = NarrowWeights(part, self.kind, x_scale / inner, 1.0 / inner)
            known = {"factors": _vector(own.factors), "offsets": _vector(own.offsets)}
            if part.residual is not None:
                given = part.residual in narrow
                scale = able[part.residual].layer.y / self.kind.most if given else 1.0
                known["residual_factor"] = _number(scale / inner, own.factors)
            known["more"] = _number(1.0 / y_scale, own.factors)
            run = runner(each.found.plan, known, part.residual is not None)
            text = f"engine {each.found.plan.engine}, {self.kind.name}"
            way = Way(run, text, "", part.residual is not None, part.activation is not None)
            weights = cast("Any", own)
            decision.chosen[node] = Chosen(way, weights, steps.get(part.x))
            if node in narrow:
                decision.types[node] = self.kind.dtype
            made.append(own)
        decision.folding = Requantizing(made, ordinal)

    def _scale_of(self, node: fx.Node, able: Mapping[fx.Node, _Candidate]) -> float:
        """Return the scale of a value that a step quantizes."""
        limits = [each.layer.x for each in able.values() if each.part.x is node]
        return max(limits) / self.kind.most

    def _rows(
        self, decision: _Decision, values: Values, able: Mapping[fx.Node, _Candidate],
        whys: Mapping[fx.Node, str],
    ) -> Iterator[Precision]:  # fmt: skip
        for part in decision.parts.list:
            if part.node not in whys:
                continue
            own, layer = able.get(part.node), self._layers.get(part.name)
            wide = str(values.tensor(part.node).dtype).removeprefix("torch.")
            time, time_wide = decision.times.get(part.node, (None, None))
            yield Precision(
                part.name, part.text, wide if own is None else self.kind.name,
                self.kind.name if part.node in decision.types else wide,
                None if layer is None else layer.error, None if layer is None else layer.cosine,
                time, time_wide, "" if own is not None else whys[part.node],
            )  # fmt: skip


def _vector(values: Tensor) -> Tensor:
    return values.view(1, -1, 1, 1)


def _number(value: float, like: Tensor) -> Tensor:
    return torch.full((1, 1, 1, 1), value, dtype=torch.float32, device=like.device)


def _random(like: Tensor, device: torch.device) -> Tensor:
    strides, shape = like.stride(), like.shape
    made = torch.empty_strided(shape, strides, dtype=like.dtype, device=device)
    return made.normal_()


def _wide_run(
    part: Part, chosen: Chosen, x: Tensor, residual: Tensor | None, y: Tensor
) -> Callable[[], object]:
    """Return a function that computes a part as it is without 8 bits."""
    own, run = chosen.weights, chosen.way.run
    if run is None:
        return lambda: by_torch(part, x, own.weight, own.bias, residual)
    rows = part.kind == "product"
    out = torch.empty_strided(y.shape, y.stride(), dtype=y.dtype, device=x.device)
    image: Callable[[Tensor], Tensor] = as_image if rows else lambda each: formatted(each, True)
    given = [image(x), as_filters(own.weight) if rows else own.weight]
    given += [] if own.bias is None else [own.bias]
    given += [image(residual)] if chosen.way.residual and residual is not None else []
    follow = None if chosen.way.activation else part.activation
    after = None if chosen.way.residual else residual

    def both() -> object:
        made = run(*given, image(out))
        return made if after is None and follow is None else tail(out, after, follow, part.keeps)

    return both
