"""The families of graphs that an audit draws, and the factors of which it covers all pairs."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping

from .covering import covering
from .draw import Draw
from .graphs import BREAKING, EXTENTS, LAYOUTS, TYPES, Family

__all__ = ["FACTORS", "FAMILIES", "Kind", "all_combined", "combined", "family_of", "row_of", "rows"]

#: A step: the kind of operation, and choices of it by the ends of their names.
Kind = tuple[str, Mapping[str, str | int]]


def _step(kind: str, **choices: str | int) -> Kind:
    return kind, choices


IMAGES, MATRICES = (4, 5, 3), (3, 4, 2)
_FORWARD = _step("convolution", direction="forward", groups=0)
_EIGHT = _step("convolution of 8 bits", direction="forward", groups=0)
_BIAS = _step("binary", mode="ADD", repeated="channel")
_SCALE = _step("binary", mode="MUL", repeated="channel")
_RELU = _step("unary", mode="RELU_FWD")
_UNARY = _step("unary")
_EXACT = ("RELU_FWD", "ABS", "NEG", "IDENTITY")

#: The steps of each family, and the ranks of its first input.
FAMILIES: dict[str, tuple[tuple[Kind, ...], tuple[int, ...]]] = {
    "convolution": ((_FORWARD,), IMAGES),
    "convolution bias relu": ((_FORWARD, _BIAS, _RELU), IMAGES),
    "convolution bias residual": (
        (_FORWARD, _BIAS, _step("binary", mode="ADD", repeated="full"), _UNARY),
        IMAGES,
    ),
    "scale relu convolution": ((_SCALE, _RELU, _FORWARD), IMAGES),
    "depthwise convolution": (
        (_step("convolution", direction="forward", groups=2, filters="1"),),
        IMAGES,
    ),
    "grouped convolution": ((_step("convolution", direction="forward", groups=1),), IMAGES),
    "data gradient": ((_step("convolution", direction="data", groups=0),), IMAGES),
    "data gradient relu": (
        (_step("convolution", direction="data", groups=0), _step("relu_gradient")),
        IMAGES,
    ),
    "filter gradient": ((_step("convolution", direction="filter", groups=0),), IMAGES),
    "product": ((_step("matmul"),), MATRICES),
    "product bias activation": (
        (_step("matmul"), _step("binary", mode="ADD", repeated="last"), _UNARY),
        MATRICES,
    ),
    "unary product": ((_UNARY, _step("matmul")), MATRICES),
    "product reduction": ((_step("matmul"), _step("reduction")), MATRICES),
    "unary": ((_UNARY,), (4, 3, 5, 2)),
    "binary": ((_step("binary"), _UNARY), (4, 3, 5)),
    "chain": ((_step("bounded"), _step("number"), _step("together")), (4, 3, 5)),
    "gradient of elements": ((_step("backward"),), (4, 3, 5)),
    "select": ((_step("select"),), (4, 3)),
    "reduction": ((_step("reduction"),), (4, 3, 5, 2)),
    "unary reduction": ((_UNARY, _step("reduction")), (4, 3)),
    "softmax": ((_step("softmax"),), (4,)),
    "layer norm": ((_step("norm", form="layer"),), (4,)),
    "rms norm": ((_step("norm", form="rms"),), (4,)),
    "instance norm": ((_step("norm", form="instance"),), (4,)),
    "batch norm": ((_step("norm", form="batch"),), (4,)),
    "batch norm inference relu": ((_step("norm", form="inference"), _RELU), (4,)),
    "gradient of layer norm": ((_step("norm_backward", form="layer"),), (4,)),
    "gradient of rms norm": ((_step("norm_backward", form="rms"),), (4,)),
    "gradient of instance norm": ((_step("norm_backward", form="instance"),), (4,)),
    "gradient of batch norm": ((_step("norm_backward", form="batch"),), (4,)),
    "statistics": ((_step("gen_stats"),), (4,)),
    "largest of windows": ((_step("resample", mode="MAXPOOL"),), (4, 5)),
    "mean of windows": (
        (_step("resample", mode="AVGPOOL_INCLUDE_PADDING", direction="forward"),),
        (4, 5),
    ),
    "gradient of means": (
        (_step("resample", mode="AVGPOOL_EXCLUDE_PADDING", direction="backward"),),
        (4, 5),
    ),
    "moves": ((_step("transpose"), _step("slice"), _step("concatenate")), (4, 3)),
    "attention": ((_step("attention"),), (4,)),
    "gradient of attention": ((_step("attention_gradient"),), (4,)),
    "convolution of 8 bits": ((_EIGHT,), IMAGES),
    "grouped convolution of 8 bits": (
        (_step("convolution of 8 bits", direction="forward", groups=1),),
        IMAGES,
    ),
    "scaled convolution of 8 bits": ((_EIGHT, _step("scaled")), IMAGES),
    "data gradient of 8 bits": (
        (_step("convolution of 8 bits", direction="data", groups=0),),
        IMAGES,
    ),
    "filter gradient of 8 bits": (
        (_step("convolution of 8 bits", direction="filter", groups=0),),
        IMAGES,
    ),
    "product of 8 bits": ((_step("product of 8 bits"),), MATRICES),
    "scaled product of 8 bits": ((_step("product of 8 bits"), _step("scaled")), MATRICES),
}

#: The factors; the first value of each is the simplest.
FACTORS: dict[str, tuple[str, ...]] = {
    "family": tuple(FAMILIES),
    "x_data": BREAKING,
    "dtype": ("HALF", *(each for each in TYPES if each != "HALF")),
    "layout": ("row_major", "channels_last", *(each for each in LAYOUTS if "_" not in each), "reversed_pair"),
    "extents": ("wide", *(each for each in EXTENTS if each != "wide")),
    "x_gap": ("0", "1", "8"),
    "x_address": ("16", "4"),
    "x_repeats": ("False", "True"),
    "outputs": ("same", "FLOAT"),
}  # fmt: skip

#: Values that many engines refuse.
HARD = {
    "layout": {"each", "reversed_pair"},
    "x_gap": {"1", "8"},
    "x_address": {"4"},
    "x_repeats": {"True"},
}

#: Families whose results have the data type of the inputs, or no engine takes them.
NARROW = {name for name in FAMILIES if name.startswith("gradient of") or "attention" in name}

#: More values than a graph of 8 bits has.
EIGHT_VALUES = 9

#: Families whose results of infinities are what float64 says.
INFINITE = {"unary", "select", "moves", "largest of windows", "reduction", "softmax"}


@functools.lru_cache(2)
def rows(seed: int) -> list[dict[str, str]]:
    """Return the cases in which all pairs of factors are."""
    return covering(FACTORS, HARD, seed)


def row_of(draw: Draw) -> dict[str, str]:
    """Return the value of each factor in a case."""
    known = rows(draw.seed)
    if draw.case < len(known):
        return known[draw.case]
    return {factor: draw.chance(factor).choice(values) for factor, values in FACTORS.items()}


def combined(seed: int, cases: Iterable[int], size: int) -> set[tuple[tuple[str, str], ...]]:
    """Return the pairs of values of two factors that are in cases; of more factors by `size`."""
    drawn = (row_of(Draw("engines", seed, case)).items() for case in cases)
    return {group for row in drawn for group in itertools.combinations(sorted(row), size)}


def all_combined(size: int) -> int:
    """Return the number of pairs of values of two factors, or of more."""
    return sum(map(math.prod, itertools.combinations(map(len, FACTORS.values()), size)))


def family_of(draw: Draw) -> Family:
    """Have a case draw a graph of a family, and return what to make.

    The first cases are those of `rows`; in the later ones each factor is by chance.
    """
    draw.wanted = dict(row_of(draw))
    name = draw.pick("family", FACTORS["family"], subject=True)
    steps, ranks = FAMILIES[name]
    draw.wanted["*_gap"] = draw.wanted["*_reads"] = 0
    is_eight = name.endswith("8 bits")
    if is_eight:  # sums alone, or what is made of them: a narrow sum would round that, too
        draw.wanted |= {f"output{number}": 0 for number in range(EIGHT_VALUES)}
    same = draw.pick("outputs", FACTORS["outputs"]) == "same"
    if (same or name in NARROW) and not is_eight:
        draw.wanted["*_type"] = 0
    for number, (kind, choices) in enumerate(steps):
        draw.wanted[f"step{number}"] = kind
        draw.wanted |= {f"step{number}_{key}": value for key, value in choices.items()}
    is_attention = name.endswith("attention")
    return Family(len(steps), ranks, BREAKING, name in INFINITE, is_attention, is_eight)
