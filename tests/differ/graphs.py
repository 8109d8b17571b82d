"""Random graphs over the nodes of graphs, in any order of memory, against float64."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch

from . import eight_attention, eight_further, eight_steps, further_steps
from .attention_steps import attention, attention_gradient
from .draw import Draw, NotHereError
from .executing import MEMORY, Expected, Run
from .further_steps import gradient_of, saturating
from .judge import RefusedError, SkippedError, largest
from .values import cancel

__all__ = [
    "BREAKING",
    "EXTENTS",
    "LAYOUTS",
    "REPEATED",
    "RESULTS",
    "THIN",
    "TYPES",
    "Made",
    "check",
    "make",
    "reason_of",
    "run",
]

TYPES = ("FLOAT", "HALF", "BFLOAT16")
#: Extents by a word for them.
EXTENTS = {
    "any": (8, 1, 2, 3, 4, 5, 7, 13, 16, 17, 24, 32, 64),
    "wide": (8, 16, 32, 64),
    "large": (32, 64, 128, 256),
    "odd": (3, 1, 5, 7, 9, 15, 33),
    "prime": (13, 2, 7, 17, 31, 61),
    "one": (1, 1, 8, 1, 16),
}
DATA = ("plain", "small_integers", "zeros", "constant", "one_huge", "cancelling", "negative")
#: Data that breaks kernels, too.
BREAKING = (*DATA, "negative_rows", "denormal", "infinity", "minus_infinity")
#: Axes along which smaller operands are repeated; or those that each draws.
REPEATED = ("drawn", *"0123", "01", "23", "013")
#: An axis of one element.
THIN = ("none", *"01234")
#: The strides of axes of one element, which mean nothing: those of the order, or any.
ONES = ("ordered", "odd")
#: The order of results in memory; or that of their operands.
RESULTS = ("drawn", "row_major", "channels_last", "reversed_pair", "gaps")
#: The order of all tensors in memory; or each of its own.
LAYOUTS = ("each", "row_major", "channels_last", "reversed_pair")
STEPS = 6

#: The relative error of functions such as tanh, which engines compute by approximations.
ROUGH = 2.0**-12

#: The part of a sum that tensor cores cut off at each addition, and the terms that one adds.
CUT, TERMS = 2.0**-24, 4

Evaluate = Callable[..., Any]


class Value(NamedTuple):
    """A tensor of the graph.

    Attributes:
        tensor: of the graph.
        evaluate: of what it is computed from, in float64; None for an input.
        reads: the numbers of these values.
        is_exact: whether no step of it rounds, so that comparisons are the same in any type.
        is_product: whether its operands may be rounded to a narrower type.
        is_sum: whether it adds many numbers, which may cancel.
        is_rough: whether engines compute it by approximations of the device.
        narrows: whether `evaluate` takes `by`: how much engines round what is in between.
        slack: by how much results of 8 bits may be off, where sums of their terms do not tell.
        unknown: where inputs are rounded too much to tell the result; None for nowhere.
    """

    tensor: Any
    evaluate: Evaluate | None = None
    reads: tuple[int, ...] = ()
    is_exact: bool = False
    is_product: bool = False
    is_sum: bool = False
    is_rough: bool = False
    narrows: bool = False
    slack: Evaluate | None = None
    unknown: Any = None


UNARY: dict[str, Evaluate] = {
    "RELU_FWD": torch.relu,
    "ABS": torch.abs,
    "NEG": torch.neg,
    "IDENTITY": torch.clone,
    "TANH_FWD": torch.tanh,
    "SIGMOID_FWD": torch.sigmoid,
    "GELU_FWD": saturating(torch.nn.functional.gelu, scales=True),
    "GELU_APPROX_TANH_FWD": saturating(
        lambda x: torch.nn.functional.gelu(x, approximate="tanh"), scales=True
    ),
    "SOFTPLUS_FWD": saturating(torch.nn.functional.softplus),
    "ELU_FWD": saturating(torch.nn.functional.elu),
    "SWISH_FWD": torch.nn.functional.silu,
    "ERF": torch.erf,
    "SIN": saturating(torch.sin),  # in periods, of which small ones lack digits
    "COS": torch.cos,
}
#: Modes for positive numbers, or small ones, only: the mode that makes these, and the function.
BOUNDED: dict[str, tuple[str, Evaluate]] = {
    "EXP": ("TANH_FWD", torch.exp),
    "TAN": ("TANH_FWD", saturating(torch.tan)),
    "LOG": ("ABS", torch.log),
    "SQRT": ("ABS", torch.sqrt),
    "RSQRT": ("ABS", torch.rsqrt),
    "RECIPROCAL": ("ABS", torch.reciprocal),
}
SATURATING = {"GELU_FWD", "GELU_APPROX_TANH_FWD", "SOFTPLUS_FWD", "ELU_FWD", "SIN", "TAN"}
STEPWISE: dict[str, Evaluate] = {"CEIL": torch.ceil, "FLOOR": torch.floor}
BINARY: dict[str, Evaluate] = {
    "ADD": torch.add,
    "SUB": torch.sub,
    "MUL": torch.mul,
    "MAX": torch.maximum,
    "MIN": torch.minimum,
    "ADD_SQUARE": lambda a, b: a + b * b,
}
COMPARISONS: dict[str, Evaluate] = {
    "CMP_GT": torch.gt,
    "CMP_GE": torch.ge,
    "CMP_LT": torch.lt,
    "CMP_LE": torch.le,
    "CMP_EQ": torch.eq,
    "CMP_NEQ": torch.ne,
}
BACKWARD: dict[str, Evaluate] = {
    name.replace("_FWD", "_BWD"): UNARY[name] for name in UNARY if name.endswith("_FWD")
}
KEEP_EXACT = {"RELU_FWD", "ABS", "NEG", "IDENTITY", "ADD", "SUB", "MAX", "MIN"}


class Family(NamedTuple):
    """Graphs that are alike.

    Attributes:
        steps: the number of operations.
        ranks: of the first input.
        data: the words for values.
        infinite: whether infinities are legal.
        attention: whether the first input is the queries of attention.
        eight: whether factors have 8 bits.
    """

    steps: int = STEPS
    ranks: tuple[int, ...] = (4, 2, 3, 5)
    data: tuple[str, ...] = DATA
    infinite: bool = False
    attention: bool = False
    eight: bool = False


class Made:
    """A graph that is drawn.

    Attributes:
        graph: of the package.
        values: of the graph, in the order in which they are computed.
        arrays: the inputs' values by name, in float64.
        numbers: those that each call passes by value, by name.
        kind: the data type of most inputs.
        other: that of the second factor, and the number of products of a sum, where they have 8 bits.
        family: what is drawn.
        has_odd_ones: whether axes of one element have any strides.
        extents: the extents of inputs.
        most: the maximum number of elements.
        is_small: whether inputs have numbers below float32's smallest normal one.
        is_shared: whether inputs that are alike are one.
    """

    def __init__(self, draw: Draw, graph: Any, family: Family) -> None:
        self.draw, self.graph, self.family = draw, graph, family
        self.kind = draw.pick("dtype", TYPES)
        self.other, self.terms = self.kind, 1
        if family.eight:
            self.kind, self.other = eight_steps.kinds_of(draw)
        self.layout = draw.pick("layout", LAYOUTS, 0.7)
        self.has_odd_ones = draw.pick("ones", ONES, 0.7) == "odd"
        self.extents = EXTENTS[draw.pick("extents", tuple(EXTENTS), 0.8)]
        self.most = 200000 if 128 in self.extents or family.attention else 20000
        self.is_small = False
        self.is_shared = draw.pick("shared", (False, True), simple=1.0)
        self.values: list[Value] = []
        self.arrays: dict[str, Any] = {}
        self.numbers: dict[str, float] = {}
        self.outputs: list[tuple[str, int]] = []
        self.size = 1.0

    def chance(self, name: str) -> Any:
        return self.draw.chance(name)

    def strides(self, name: str, shape: Sequence[int]) -> tuple[int, ...] | None:
        """Pick an order in memory, with gaps or without; None for row-major."""
        how = self.layout
        if how == "each":
            how = self.draw.pick(
                f"{name}_order", ("row_major", "channels_last", "reversed_pair", "shuffled"), 0.15
            )
        gap = self.draw.pick(f"{name}_gap", (0, 1, 8), 0.75)
        if how == "row_major" and not gap and not (self.has_odd_ones and 1 in shape):
            return None
        return self.ordered(name, shape, how, gap)

    def ordered(self, name: str, shape: Sequence[int], how: str, gap: int) -> tuple[int, ...]:
        """Return strides in an order, with a gap of elements between those of one axis."""
        order = list(range(len(shape)))
        at = self.chance(f"{name}_gap_at").randrange(len(order))
        if how == "channels_last" and self.family.attention:
            order = [0, 2, 1, 3]
        elif how == "channels_last" and len(order) > 2:
            order = [0, *order[2:], 1]
        elif how == "reversed_pair" and len(order) > 1:
            order[-1], order[-2] = order[-2], order[-1]
        elif how == "shuffled":
            self.chance(f"{name}_shuffle").shuffle(order)
        step, strides = 1, [0] * len(order)
        for place, axis in enumerate(reversed(order)):
            strides[axis] = step
            step = step * shape[axis] + (gap if place == at else 0)
        if self.has_odd_ones:
            chance = self.chance(f"{name}_ones")
            strides = [
                chance.randint(1, 64) if n == 1 else each
                for n, each in zip(shape, strides, strict=True)
            ]
        return tuple(strides)

    def smaller(self, name: str, shape: Sequence[int]) -> tuple[int, ...]:
        """Pick for each axis whether an operand is repeated along it."""
        axes = self.draw.pick("repeated", REPEATED, simple=1.0)
        if axes != REPEATED[0]:
            return tuple(1 if str(axis) in axes else n for axis, n in enumerate(shape))
        chance = self.chance(f"{name}_repeats")
        how = self.draw.pick(f"{name}_repeated", ("full", "some", "channel", "last", "one"))
        if how == "some":
            return tuple(n if chance.random() < 0.5 else 1 for n in shape)
        if how == "channel":
            return tuple(n if axis == 1 else 1 for axis, n in enumerate(shape))
        if how == "last":
            return tuple(n if axis == len(shape) - 1 else 1 for axis, n in enumerate(shape))
        return tuple(shape) if how == "full" else (1,) * len(shape)

    def repeated(self, name: str, shape: Sequence[int]) -> int | None:
        """Pick an axis along which an input is one element in memory; None for none."""
        wide = [axis for axis, n in enumerate(shape) if n > 1]
        if not self.draw.pick(f"{name}_repeats", (False, True), 1.0) or not wide:
            return None
        axis: int = self.chance(f"{name}_repeat_at").choice(wide)
        return axis

    def input(
        self, name: str, shape: Sequence[int], kind: str | None = None, values: Any = None,
        packed: bool = False,
    ) -> int:  # fmt: skip
        """Add an input, with drawn values if none are given; or row by row if it is packed.

        One that is there may be read again.
        """
        kind = kind or self.kind
        if values is None and self.is_shared:
            for index, each in enumerate(self.values):
                found = each.evaluate, each.tensor.data_type, each.tensor.shape
                if found == (None, kind, tuple(shape)):
                    return index
        if values is None:
            values = self.drawn(name, shape, kind)
        strides = None if packed else self.strides(name, shape)
        axis = None if packed else self.repeated(name, shape)
        if axis is not None:
            values = values.narrow(axis, 0, 1).expand(values.shape)
            rows = strides or tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))
            strides = tuple(0 if i == axis else step for i, step in enumerate(rows))
        x = self.arrays[name] = values.to(MEMORY[kind]).double()
        if kind != "INT32":
            self.size = max(self.size, largest(x))
        self.is_small = self.is_small or bool((_flushed(x) != x).any())
        low = self.draw.pick(f"{name}_address", (16, 4), 1.0)
        tensor = self.graph.tensor(
            tuple(shape), kind, strides, name=name, alignment=low if low < 16 else None
        )
        self.values.append(Value(tensor, is_exact=torch.equal(x, x.round())))
        return len(self.values) - 1

    def number(self, name: str, number: float) -> Any:
        """Return a number as an operand: of the graph, or one that each call passes."""
        if self.draw.pick("numbers", ("constant", "called"), simple=1.0) == "constant":
            return number
        self.numbers[f"{name}_value"] = number
        return self.graph.scalar(name=f"{name}_value")

    def drawn(self, name: str, shape: Sequence[int], kind: str) -> Any:
        data = self.draw.pick(f"{name}_data", self.family.data, 0.6)
        if "infinity" in data and not (self.family.infinite or self.family.eight):
            data = "negative"
        numbers = torch.Generator().manual_seed(self.draw.number(f"{name}_values"))
        x = torch.randn(tuple(shape), generator=numbers, dtype=torch.float64)
        if self.family.eight:
            return eight_steps.drawn(x, data, kind, self.chance(f"{name}_eight"))
        if data == "small_integers":
            x = (2 * x).round().clamp(-4, 4)
        elif data == "zeros":
            x = x * 0
        elif data == "constant":
            x = x * 0 + 1.5
        elif data == "one_huge":
            x.view(-1)[self.chance(f"{name}_huge").randrange(x.numel())] = 1000.0
        elif data == "cancelling":
            cancel(x.view(-1), self.chance(f"{name}_signs"))
        elif data == "negative":
            x = x - 100
        elif data == "negative_rows":
            x[..., :: self.chance(f"{name}_rows").randint(1, 3), :] -= 1e4
        elif data == "denormal":
            x = x.clamp(-2, 2) * torch.finfo(MEMORY[self.kind]).tiny / 4
        elif "infinity" in data:
            place = self.chance(f"{name}_infinite").randrange(x.numel())
            x.view(-1)[place] = -math.inf if data.startswith("minus") else math.inf
        return x

    def add(
        self, tensor: Any, evaluate: Evaluate, *reads: int, exact: bool = False,
        product: bool = False, sums: bool = False, rough: bool = False, narrows: bool = False,
        slack: Evaluate | None = None, unknown: Any = None,
    ) -> int:  # fmt: skip
        exact = exact and all(self.values[each].is_exact for each in reads)
        self.values.append(
            Value(tensor, evaluate, reads, exact, product, sums, rough, narrows, slack, unknown)
        )
        return len(self.values) - 1

    def is_sharp(self, *reads: int) -> bool:
        """Return whether values may be compared: nothing has rounded them yet."""
        return all(self.values[i].is_exact or self.values[i].evaluate is None for i in reads)

    def evaluate(
        self, nudge: float = 0.0, narrow: float = 0.0, flushes: bool = False, cuts: float = 0.0,
        most: float = math.inf, stored: Mapping[int, Any] | None = None,
    ) -> list[Any]:  # fmt: skip
        """Return all values in float64.

        Args:
            nudge: moves each computed number, and the terms of sums, by about that, relatively.
            narrow: moves the operands of products by about that, after those that are computed
                became numbers of the inputs' type, and rounds what is computed to the data type of
                its tensor.
            flushes: takes inputs below float32's smallest normal number for zeros.
            cuts: cuts the operands of products to multiples of about that, relatively, and their
                sums as tensor cores do: all of these errors have one sign.
            most: the largest number of those that products read, or others of the inputs' type:
                larger ones are infinite for them.
            stored: what operations read of results, by the numbers of these, where it is not what
                is computed.
        """
        found: list[Any] = []
        kept = stored or {}
        names = iter(self.arrays)
        for value in self.values:
            if value.evaluate is None:
                x = self.arrays[next(names)]
                found.append(_flushed(x) if flushes else x)
                continue
            given = [kept[i] if i in kept else found[i] for i in value.reads]
            if most < math.inf:
                pairs = zip(value.reads, given, strict=True)
                given = [
                    _limited(x, most) if self._is_narrow(i, value.is_product) else x
                    for i, x in pairs
                ]
            if narrow and value.is_product:
                pairs = zip(value.reads, given, strict=True)
                given = [_moved(self._as_factor(i, x), narrow) for i, x in pairs]
            elif nudge and value.is_sum:
                given = [_moved(each, nudge) for each in given]
            less = 0.0
            if cuts and value.is_product:
                given = [_cut(each, cuts) for each in given]
                terms = value.evaluate(*map(torch.ones_like, given)).max()
                less = CUT * float(terms) / TERMS
            y = value.evaluate(*given, **({"by": narrow} if narrow and value.narrows else {}))
            y = y * (1 - less) if less else y
            if nudge and not value.is_exact and y.dtype == torch.float64:
                y = _moved(y, ROUGH if value.is_rough else nudge)
            if narrow and value.tensor.data_type in TYPES:
                y = y.to(MEMORY[value.tensor.data_type]).double()
            found.append(y)
        return found

    def _is_narrow(self, index: int, by_product: bool) -> bool:
        """Return whether a value is computed, and becomes a number of the inputs' type."""
        value = self.values[index]
        is_kept = by_product or value.tensor.data_type == self.kind
        return value.evaluate is not None and self.kind in TYPES and is_kept

    def _as_factor(self, index: int, x: Any) -> Any:
        """Return what a product reads of a value: an infinity is left to `most`."""
        if not self._is_narrow(index, True):
            return x
        narrow = x.to(MEMORY[self.kind]).double()
        return narrow.where(narrow.isfinite(), x)

    def step(self, name: str) -> None:
        """Add an operation, if the drawn one fits."""
        kinds = (*STEP, *(() if self.family == Family() else OF_FAMILIES))
        kind = self.draw.pick(name, kinds, 0.4)
        if kind == "none":
            return
        most = 2 * self.most if self.family == Family() else math.inf
        shown = [
            i
            for i, each in enumerate(self.values)
            if each.tensor.data_type != "BOOLEAN" and math.prod(each.tensor.shape) < most
        ]
        if not shown:
            return
        latest = self.draw.pick(f"{name}_reads", (0, 1, 2, 3, 4, 5), 0.6)
        x = shown[-1 - latest % len(shown)]
        before = len(self.values), len(self.graph.tensors), len(self.graph.nodes)
        try:
            (STEP | OF_FAMILIES)[kind](self, name, x)
        except NotHereError:
            assert (len(self.values), len(self.graph.nodes)) == (before[0], before[2]), kind

    def shape(self, index: int) -> tuple[int, ...]:
        return tuple(self.values[index].tensor.shape)

    def tensor(self, index: int) -> Any:
        return self.values[index].tensor


def _limited(x: Any, most: float) -> Any:
    return x.where(~(x.abs() > most), x * math.inf) if x.is_floating_point() else x


def _flushed(x: Any) -> Any:
    return x.where(~(x.abs() < torch.finfo(torch.float32).tiny), 0)


def _moved(x: Any, by: float) -> Any:
    return x * (1 + by * torch.randn(x.shape, dtype=torch.float64))


def _cut(x: Any, by: float) -> Any:
    """Return numbers without the bits that are less than `by` of their power of two."""
    mantissa, exponent = torch.frexp(x)
    return torch.ldexp((mantissa * 2 / by).trunc() * by / 2, exponent)


def _unary(m: Made, name: str, x: int) -> None:
    modes = {**UNARY, **(STEPWISE if m.is_sharp(x) else {})}
    mode = m.draw.pick(f"{name}_mode", tuple(modes))
    m.add(
        m.graph.pointwise(mode, m.tensor(x)),
        *(modes[mode], x),
        exact=mode in KEEP_EXACT,
        rough=mode not in KEEP_EXACT and mode in UNARY,
        narrows=mode in SATURATING,
        sums=mode in ("SIN", "COS", "TAN"),  # far from zero: the erratum "pointwise-far-sines"
    )


def _bounded(m: Made, name: str, x: int) -> None:
    mode = m.draw.pick(f"{name}_mode", tuple(BOUNDED))
    first, function = BOUNDED[mode]
    y = m.add(m.graph.pointwise(first, m.tensor(x)), UNARY[first], x, rough=first != "ABS")
    if first == "ABS":
        y = m.add(m.graph.pointwise("ADD", m.tensor(y), m.number(name, 0.5)), lambda a: a + 0.5, y)
    narrows = mode in SATURATING
    m.add(m.graph.pointwise(mode, m.tensor(y)), function, y, rough=True, narrows=narrows)


def _number(m: Made, name: str, x: int) -> None:
    mode = m.draw.pick(f"{name}_mode", tuple(BINARY))
    number = m.draw.pick(f"{name}_number", (1.0, -2.0, 0.5, 0.0, 3.0))
    function = BINARY[mode]
    left = m.draw.pick(f"{name}_side", (False, True), 0.5) and mode != "ADD_SQUARE"
    exact = mode in KEEP_EXACT and number == int(number)
    constant = torch.tensor(number, dtype=torch.float64)
    if left:
        y = m.graph.pointwise(mode, m.number(name, number), m.tensor(x))
        m.add(y, lambda a: function(constant, a), x, exact=exact)
    else:
        y = m.graph.pointwise(mode, m.tensor(x), m.number(name, number))
        m.add(y, lambda a: function(a, constant), x, exact=exact)


def _binary(m: Made, name: str, x: int) -> None:
    mode = m.draw.pick(f"{name}_mode", tuple(BINARY))
    b = m.input(f"{name}_b", m.smaller(name, m.shape(x)))
    m.add(
        m.graph.pointwise(mode, m.tensor(x), m.tensor(b)),
        *(BINARY[mode], x, b),
        exact=mode in KEEP_EXACT,
    )


def _together(m: Made, name: str, x: int) -> None:
    """Combine two values that are there: fan-out and fan-in."""
    fits = [
        i
        for i, each in enumerate(m.values)
        if each.tensor.data_type != "BOOLEAN"
        and len(each.tensor.shape) == len(m.shape(x))
        and all(n in (1, k) for n, k in zip(each.tensor.shape, m.shape(x), strict=True))
    ]
    b = fits[m.chance(f"{name}_other").randrange(len(fits))]
    mode = m.draw.pick(f"{name}_mode", tuple(BINARY))
    m.add(
        m.graph.pointwise(mode, m.tensor(x), m.tensor(b)),
        *(BINARY[mode], x, b),
        exact=mode in KEEP_EXACT,
    )


def _select(m: Made, name: str, x: int) -> None:
    t = m.input(f"{name}_t", m.smaller(name, m.shape(x)), "FLOAT")
    b = m.input(f"{name}_b", m.shape(x))
    mode = m.draw.pick(f"{name}_mode", tuple(COMPARISONS))
    mask = m.graph.pointwise(mode, m.tensor(t), m.number(name, 0.0))
    c = m.add(mask, lambda a: COMPARISONS[mode](a, torch.zeros((), dtype=torch.float64)), t)
    y = m.graph.binary_select(m.tensor(x), m.tensor(b), mask)
    m.add(y, lambda a, b, t: torch.where(t, a, b), x, b, c, exact=True)


def _backward(m: Made, name: str, x: int) -> None:
    mode = m.draw.pick(f"{name}_mode", tuple(BACKWARD))
    function = BACKWARD[mode]
    if mode == "RELU_BWD" and not m.is_sharp(x):
        raise NotHereError
    dy = m.input(f"{name}_dy", m.shape(x))
    y = m.graph.pointwise(mode, m.tensor(dy), m.tensor(x))
    m.add(y, gradient_of(function), dy, x, rough=True, narrows=True)


def _relu_gradient(m: Made, name: str, x: int) -> None:
    """Take a value for the gradient of a ReLU's result."""
    b = m.input(f"{name}_x", m.shape(x))
    y = m.graph.pointwise("RELU_BWD", m.tensor(x), m.tensor(b))
    m.add(y, lambda dy, x: dy.where(x > 0, 0), x, b, exact=True)


def _reduction(m: Made, name: str, x: int) -> None:
    modes: dict[str, Evaluate] = {
        "ADD": lambda a, d: a.sum(d, True),
        "MAX": lambda a, d: a.amax(d, True),
        "MIN": lambda a, d: a.amin(d, True),
        "AMAX": lambda a, d: a.abs().amax(d, True),
        "AVG": lambda a, d: a.mean(d, True),
        "NORM1": lambda a, d: a.abs().sum(d, True),
        "NORM2": lambda a, d: a.square().sum(d, True).sqrt(),
    }
    mode = m.draw.pick(f"{name}_mode", tuple(modes))
    rank = len(m.shape(x))
    sets = [c for n in range(1, rank + 1) for c in itertools.combinations(range(rank), n)]
    dims = sets[m.chance(f"{name}_dims").randrange(len(sets))]
    y = m.graph.reduction(m.tensor(x), mode, dims=dims)
    m.add(y, lambda a: modes[mode](a, dims), x, sums=mode in ("ADD", "AVG"))


def _softmax(m: Made, _: str, x: int) -> None:
    m.add(m.graph.softmax(m.tensor(x)), lambda a: a.softmax(-1), x, rough=True)


def _matmul(m: Made, name: str, x: int) -> None:
    shape = m.shape(x)
    if not 2 <= len(shape) <= 4:
        raise NotHereError
    wide = shape[-1] if m.is_shared else m.draw.pick(f"{name}_columns", m.extents)
    batch = m.draw.pick(f"{name}_batch", ("full", "one"))
    outer = shape[:-2] if batch == "full" else (1,) * (len(shape) - 2)
    is_second = m.draw.pick(f"{name}_side", (False, True), 0.5)
    while wide > 1 and math.prod(shape) // shape[-2 if is_second else -1] * wide > 2 * m.most:
        wide //= 2
    if is_second:
        a = m.input(f"{name}_b", (*outer, wide, shape[-2]))
        m.add(m.graph.matmul(m.tensor(a), m.tensor(x)), torch.matmul, a, x, product=True)
    else:
        b = m.input(f"{name}_b", (*outer, shape[-1], wide))
        m.add(m.graph.matmul(m.tensor(x), m.tensor(b)), torch.matmul, x, b, product=True)


def _window(m: Made, name: str, shape: Sequence[int], at_most: int = 3) -> dict[str, Any]:
    size = min(m.draw.pick(f"{name}_size", (1, 2, 3)[:at_most]), *shape[2:])
    padding = m.draw.pick(f"{name}_padding", (0, 1)) if size > 1 else 0
    stride = m.draw.pick(f"{name}_stride", (1, 2, 3))
    return {"size": size, "padding": padding, "stride": stride}


def _convolution(m: Made, name: str, x: int) -> None:
    shape = m.shape(x)
    if not 3 <= len(shape) <= 5:
        raise NotHereError
    how = _window(m, name, shape)
    size = how.pop("size")
    groups = m.draw.pick(f"{name}_groups", (1, 2, shape[1]), 0.7)
    if shape[1] % groups:
        raise NotHereError
    filters = m.draw.pick(f"{name}_filters", (8, 1, 3, 5, 16, 17)) * groups
    if filters > 128:
        raise NotHereError
    spatial = len(shape) - 2
    function = getattr(torch.nn.functional, f"conv{spatial}d")
    direction = m.draw.pick(f"{name}_direction", ("forward", "data", "filter"))
    if direction == "forward":
        w = m.input(f"{name}_w", (filters, shape[1] // groups, *[size] * spatial))
        y = m.graph.convolution(m.tensor(x), m.tensor(w), **how)
        m.add(y, lambda a, w: function(a, w, groups=groups, **how), x, w, product=True)
        return
    if groups > 1:
        raise NotHereError
    if direction == "data":  # the value is dy: the input is as large as a stride allows
        extents = [(n - 1) * how["stride"] + size - 2 * how["padding"] for n in shape[2:]]
        if min(extents) < 1 or math.prod(extents) > m.most:
            raise NotHereError
        w = m.input(f"{name}_w", (shape[1], filters, *[size] * spatial))
        whole = (shape[0], filters, *extents)
        y = m.graph.convolution_backward_data(m.tensor(x), m.tensor(w), shape=whole, **how)
        transpose = getattr(torch.nn.functional, f"conv_transpose{spatial}d")
        m.add(y, lambda a, w: transpose(a, w, **how), x, w, product=True)
        return
    extents = [(n + 2 * how["padding"] - size) // how["stride"] + 1 for n in shape[2:]]
    dy = m.input(f"{name}_dy", (shape[0], filters, *extents))
    whole = (filters, shape[1], *[size] * spatial)
    y = m.graph.convolution_backward_filter(m.tensor(x), m.tensor(dy), whole, **how)

    def gradient(a: Any, dy: Any) -> Any:
        w = torch.zeros(whole, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(function(a, w, **how), w, dy)[0]

    m.add(y, gradient, x, dy, product=True)


def _resample(m: Made, name: str, x: int) -> None:
    shape = m.shape(x)
    if not 3 <= len(shape) <= 5:
        raise NotHereError
    how = _window(m, name, shape)
    size = how.pop("size")
    mode = m.draw.pick(
        f"{name}_mode", ("MAXPOOL", "AVGPOOL_INCLUDE_PADDING", "AVGPOOL_EXCLUDE_PADDING")
    )
    spatial = len(shape) - 2
    kind = "max" if mode == "MAXPOOL" else "avg"
    function = getattr(torch.nn.functional, f"{kind}_pool{spatial}d")
    more = {} if kind == "max" else {"count_include_pad": "INCLUDE" in mode}
    if 2 * how["padding"] > size:
        raise NotHereError
    pool: Evaluate = lambda a: function(a, size, **how, **more)  # noqa: E731
    if kind == "avg" and m.draw.pick(f"{name}_direction", ("forward", "backward")) == "backward":
        extents = [(n + 2 * how["padding"] - size) // how["stride"] + 1 for n in shape[2:]]
        dy = m.input(f"{name}_dy", (*shape[:2], *extents))
        y = m.graph.resample_backward(m.tensor(dy), mode, shape=shape, window=size, **how)

        def gradient(dy: Any) -> Any:
            leaf = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
            return torch.autograd.grad(pool(leaf), leaf, dy)[0]

        m.add(y, gradient, dy, sums=True)
        return
    y = m.graph.resample(m.tensor(x), mode, window=size, **how)
    if kind == "max":  # the erratum "pooling-minus-infinity"
        of = MEMORY[m.kind]
        lowest = (torch.finfo if of.is_floating_point else torch.iinfo)(of).min
        m.add(y, lambda a: pool(a).clamp_min(lowest), x)
        return
    m.add(y, pool, x, sums=True)


def _reshape(m: Made, name: str, x: int) -> None:
    shape = m.shape(x)
    total = math.prod(shape)
    chance = m.chance(f"{name}_extents")
    rank = m.draw.pick(f"{name}_rank", (2, 1, 3, 4))
    extents, rest = [], total
    for _ in range(rank - 1):
        n = chance.choice([n for n in range(1, rest + 1) if rest % n == 0])
        extents.append(n)
        rest //= n
    extents.append(rest)
    chance.shuffle(extents)
    # By cuDNN's words, a reshape is by the order of elements only where it is told so.
    y = m.graph.reshape(m.tensor(x), tuple(extents), mode="LOGICAL")
    m.add(y, lambda a: a.reshape(extents), x, exact=True)


def _transpose(m: Made, name: str, x: int) -> None:
    order = list(range(len(m.shape(x))))
    m.chance(f"{name}_order").shuffle(order)
    m.add(m.graph.transpose(m.tensor(x), order), lambda a: a.permute(order), x, exact=True)


def _slice(m: Made, name: str, x: int) -> None:
    chance, shape = m.chance(f"{name}_places"), m.shape(x)
    start = [chance.randrange(n) if chance.random() < 0.4 else 0 for n in shape]
    limit = [
        chance.randint(a + 1, n) if chance.random() < 0.4 else n
        for a, n in zip(start, shape, strict=True)
    ]
    step = [chance.choice([1, 1, 1, 2]) for _ in shape]
    places = tuple(map(slice, start, limit, step))
    y = m.graph.slice(m.tensor(x), start, limit, step)
    m.add(y, lambda a: a[places], x, exact=True)


def _concatenate(m: Made, name: str, x: int) -> None:
    shape = list(m.shape(x))
    axis = m.chance(f"{name}_axis").randrange(len(shape))
    shape[axis] = m.draw.pick(f"{name}_more", (1, 2, 8, 3))
    b = m.input(f"{name}_b", shape, m.tensor(x).data_type)
    y = m.graph.concatenate([m.tensor(x), m.tensor(b)], axis)
    m.add(y, lambda a, b: torch.cat([a, b], axis), x, b, exact=True)


def _expand(m: Made, name: str, x: int) -> None:
    shape = m.shape(x)
    ones = [axis for axis, n in enumerate(shape) if n == 1]
    if not ones:
        raise NotHereError
    wide = m.draw.pick(f"{name}_extent", (2, 3, 8))
    whole = tuple(wide if axis == ones[0] else n for axis, n in enumerate(shape))
    m.add(m.graph.expand(m.tensor(x), whole), lambda a: a.expand(whole), x, exact=True)


def _norm(m: Made, name: str, x: int) -> None:
    shape = m.shape(x)
    if len(shape) != 4:
        raise NotHereError
    form = m.draw.pick(f"{name}_form", ("layer", "rms", "instance", "batch", "inference"))
    one = (1, *shape[1:]) if form in ("layer", "rms") else (1, shape[1], 1, 1)
    dims = {"layer": (1, 2, 3), "rms": (1, 2, 3), "instance": (2, 3), "batch": (0, 2, 3)}
    kind = _kind_of_scale(m, name)
    scale = m.input(f"{name}_scale", one, kind)
    if form == "rms":
        y = m.graph.rms_norm(m.tensor(x), m.tensor(scale), phase="inference")
        y = y if hasattr(y, "uid") else y.y
        m.add(
            y,
            lambda a, s: a * (a.square().mean((1, 2, 3), True) + 1e-5).rsqrt() * s,
            *(x, scale),
        )
        return
    bias = m.input(f"{name}_bias", one, kind)
    given = [m.tensor(each) for each in (x, scale, bias)]
    if form == "inference":
        mean = m.input(f"{name}_mean", one, "FLOAT")
        spread = m.input(f"{name}_spread", one, "FLOAT")
        y = m.graph.batch_norm_inference(given[0], m.tensor(mean), m.tensor(spread), *given[1:])
        m.add(y, lambda a, s, b, n, v: (a - n) * v * s + b, x, scale, bias, mean, spread)
        return

    def normalized(a: Any, s: Any, b: Any) -> Any:
        centred = a - a.mean(dims[form], True)
        return centred * (centred.square().mean(dims[form], True) + 1e-5).rsqrt() * s + b

    if form == "batch":
        found = m.graph.batch_norm(*given)
    else:
        method = getattr(m.graph, f"{form}_norm")
        found = method(*given, phase=m.draw.pick(f"{name}_phase", ("inference", "training")))
    if hasattr(found, "uid"):
        m.add(found, normalized, x, scale, bias, sums=True)
        return
    m.add(found.y, normalized, x, scale, bias, sums=True)
    if found.mean is not None:
        mean = m.add(found.mean, lambda a: a.mean(dims[form], True), x, sums=True)
        inverse = m.add(
            found.inv_variance,
            lambda a: (a.var(dims[form], unbiased=False, keepdim=True) + 1e-5).rsqrt(),
            x,
            sums=True,
        )
        m.outputs += [(f"{name}_mean_out", mean), (f"{name}_inverse_out", inverse)]


def _kind_of_scale(m: Made, name: str) -> str:
    """Pick the data type of scale and bias: FLOAT, as of statistics, or that of x."""
    return str(m.draw.pick(f"{name}_parameters", ("FLOAT", m.kind), 0.5))


def _norm_backward(m: Made, name: str, x: int) -> None:
    shape, value = m.shape(x), m.values[x]
    if len(shape) != 4 or value.evaluate is not None:
        raise NotHereError
    form = m.draw.pick(f"{name}_form", ("layer", "rms", "instance", "batch"))
    dims = {"instance": (2, 3), "batch": (0, 2, 3)}.get(form, (1, 2, 3))
    one = (1, shape[1], 1, 1) if form in ("instance", "batch") else (1, *shape[1:])
    a = m.arrays[value.tensor.name]
    middle = 0 if form == "rms" else a.mean(dims, True)
    inverse = ((a - middle).square().mean(dims, True) + 1e-5).rsqrt()
    dy = m.input(f"{name}_dy", shape)
    scale = m.input(f"{name}_scale", one, _kind_of_scale(m, name))
    spread = m.input(f"{name}_inverse", inverse.shape, "FLOAT", inverse)
    given = [dy, x, scale, spread]
    if form != "rms":
        given.append(m.input(f"{name}_mean", inverse.shape, "FLOAT", middle))
    mean = m.tensor(given[4]) if form != "rms" else None
    found = m.graph.norm_backward(
        form, m.tensor(dy), m.tensor(x), m.tensor(scale), mean, m.tensor(spread)
    )

    def gradients(again: Any, dy: Any, x: Any, s: Any, v: Any, mean: Any = 0) -> tuple[Any, ...]:
        # A mean may be rounded otherwise than the numbers that it is subtracted from.
        n, d, other = (x - mean) * v, dy * s, again * s
        inner = d if form == "rms" else d - other.mean(dims, True)
        dx = v * (inner - n * (other * n).mean(dims, True))
        over = tuple(i for i, k in enumerate(one) if k == 1)
        return dx, (dy * n).sum(over, True), dy.sum(over, True)

    for place, tensor in enumerate((found.dx, found.dscale, found.dbias)):
        if tensor is not None:
            y = m.add(tensor, partial(_one_of, gradients, place), dy, *given, sums=True)
            if place:
                m.outputs.append((f"{name}_gradient{place}_out", y))


def _one_of(function: Evaluate, place: int, *given: Any) -> Any:
    return function(*given)[place]


def _gen_stats(m: Made, name: str, x: int) -> None:
    if len(m.shape(x)) != 4:
        raise NotHereError
    total, squares = m.graph.gen_stats(m.tensor(x))
    for port, tensor, power in (("sum", total, 1), ("squares", squares, 2)):
        y = m.add(tensor, lambda a, power=power: a.pow(power).sum((0, 2, 3), True), x, sums=True)
        m.outputs.append((f"{name}_{port}_out", y))


STEP: dict[str, Callable[[Made, str, int], None]] = {
    "none": lambda *_: None,
    "unary": _unary,
    "number": _number,
    "binary": _binary,
    "together": _together,
    "bounded": _bounded,
    "select": _select,
    "backward": _backward,
    "reduction": _reduction,
    "softmax": _softmax,
    "matmul": _matmul,
    "convolution": _convolution,
    "resample": _resample,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "concatenate": _concatenate,
    "expand": _expand,
    "norm": _norm,
    "norm_backward": _norm_backward,
    "gen_stats": _gen_stats,
}
#: Operations that only families have.
OF_FAMILIES: dict[str, Callable[[Made, str, int], None]] = {
    "relu_gradient": _relu_gradient,
    "attention": attention,
    "attention_gradient": attention_gradient,
    "convolution of 8 bits": eight_steps.convolution,
    "product of 8 bits": eight_steps.product,
    "scaled": eight_steps.scaled,
    "attention of 8 bits": eight_attention.attention,
    "gradient of attention of 8 bits": eight_attention.attention_gradient,
    **eight_further.STEPS,
    **further_steps.STEPS,
}

#: The number of products of a long sum: those of the largest numbers of 8 bits pass 2^24.
LONG = 1040


def _shape(m: Made, family: Family) -> list[int]:
    """Pick the shape of the first input."""
    if family.attention:
        names = ("batch", (2, 1, 3)), ("heads", (2, 1, 4)), ("queries", m.extents)
        widths = ("width", (64, 128, 32, 8, 72))
        return [m.draw.pick(name, options) for name, options in (*names, widths)]
    rank = m.draw.pick("rank", family.ranks, 0.3)
    shape = [m.draw.pick(f"extent{axis}", m.extents) for axis in range(rank)]
    if m.is_shared:  # a square can be both factors of a product
        shape[-2:] = [min(shape[-2:])] * min(rank, 2)
    if family.eight and m.draw.pick("long", (False, True), 0.5):
        axis = 1 if 5 in family.ranks else -1
        if m.draw.wanted.get("step0_direction") == "filter":  # sums over all pixels
            axis = 0
        shape = [min(n, 5) for n in shape]
        shape[axis] = LONG
        return shape
    while math.prod(shape) > m.most:
        shape[shape.index(max(shape))] //= 2
    return shape


def make(
    draw: Draw, graph: Any, family: Family | None = None, turn: int = 0, batch: int = 0
) -> Made:
    """Return a drawn graph of some operations.

    Args:
        draw: the case.
        graph: the empty one.
        family: what is drawn.
        turn: 0, or 1 for the same graph of another size.
        batch: the first extent; 0 for the one that is drawn.

    Raises:
        SkippedError: it computes nothing.
    """
    family = family or Family()
    m = Made(draw, graph, family)
    shape = _shape(m, family)
    shape[2 if family.attention else -1] += 8 * turn
    shape[0] = batch or shape[0]
    thin = draw.pick("thin", THIN, simple=1.0)
    if thin.isdigit() and int(thin) < len(shape):
        shape[int(thin)] = 1
    m.input("x", shape)
    for number in range(family.steps):
        m.step(f"step{number}")
    made = [i for i, each in enumerate(m.values) if each.evaluate is not None]
    made = [i for i in made if m.tensor(i).data_type != "BOOLEAN"]
    if not made:
        raise SkippedError("nothing is computed")
    read = {i for each in m.values for i in each.reads}
    keeps = draw.pick("kept", ("drawn", "all"), simple=1.0) == "all"
    chosen = {
        i for i in made if i not in read or keeps or draw.pick(f"output{i}", (False, True), 0.7)
    }
    known = {index for _, index in m.outputs}
    m.outputs += [(f"y{i}", i) for i in sorted(chosen - known)]
    for name, i in m.outputs:
        types: Sequence[str] = (m.kind, "FLOAT")
        if family.eight:
            types = eight_steps.results_of(m.kind, family.steps > 1)
        kind = "FLOAT" if name.endswith("_out") else draw.pick(f"{name}_type", types)
        _output(m, name, i, kind)
    _prune(m)
    return m


def _output(m: Made, name: str, index: int, kind: str) -> None:
    from cudnn_cffi import errors

    tensor, strides = m.tensor(index), None
    if m.layout == "each" and m.draw.pick(f"{name}_laid_out", (False, True), 0.7):
        strides = m.strides(name, m.shape(index))
    how = m.draw.pick("results", RESULTS, simple=1.0)
    if how != RESULTS[0] and not name.endswith("_out"):
        gap = 8 if how == "gaps" else 0
        strides = m.ordered(name, m.shape(index), m.layout if gap else how, gap)
    try:
        m.graph.output(tensor, name=name, data_type=kind, strides=strides)
    except errors.GraphError:  # a view goes by the strides that it has
        m.graph.output(tensor, name=name)


def _prune(m: Made) -> None:
    """Forget inputs that nothing reads."""
    read = {each.uid for node in m.graph.nodes for each in node.inputs.values()}
    for uid, each in list(m.graph.tensors.items()):
        if each.producer is None and uid not in read:
            del m.graph.tensors[uid]


def run(draw: Draw) -> str:
    """Build a drawn graph, run it, and compare its outputs with float64."""
    import cudnn_cffi
    from cudnn_cffi import errors

    graph = cudnn_cffi.Graph("drawn", composites=draw.pick("composites", ((), ("softmax",)), 0.7))
    try:
        m = make(draw, graph)
    except errors.NotSupportedError as error:
        raise RefusedError(reason_of(error)) from None
    draw.pick("build", ("plan",))
    repeats = draw.pick("repeats", (1, 6))
    try:
        plan = graph.build()
    except (errors.NotSupportedError, errors.BadParamError) as error:
        raise RefusedError(reason_of(error)) from None
    check(m, plan, repeats)
    return ""


def reason_of(error: Exception) -> str:
    """Return the first and the last line of an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:90]} ... {lines[-1][-90:]}"


def check(m: Made, plan: Any, repeats: int) -> None:
    """Run a plan as often as said, each time on poison, and compare.

    Raises:
        DiffersError: a result is wrong, or memory beside one was written.
    """
    run = Run(Expected(m), plan)
    for number in range(repeats):
        run.call(f" of call {number + 1}" if number else "")
