"""The families of graphs that an audit draws, and the factors of which it covers all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .covering import Table
from .draw import Draw
from .graphs import BREAKING, EXTENTS, LAYOUTS, TYPES, Family

__all__ = ["FACTORS", "FAMILIES", "JOINED", "TABLE", "Kind", "family_of", "step", "steps_of"]

#: A step: the kind of operation, and choices of it by the ends of their names.
Kind = tuple[str, Mapping[str, str | int]]


def step(kind: str, **choices: str | int) -> Kind:
    """Return a step with choices."""
    return kind, choices


IMAGES, MATRICES = (4, 5, 3), (3, 4, 2)
_FORWARD = step("convolution", direction="forward", groups=0)
_BIAS = step("binary", mode="ADD", repeated="channel")
_SCALE = step("binary", mode="MUL", repeated="channel")
_RELU = step("unary", mode="RELU_FWD")
_UNARY = step("unary")

#: The steps of each family, and the ranks of its first input.
FAMILIES: dict[str, tuple[tuple[Kind, ...], tuple[int, ...]]] = {
    "convolution": ((_FORWARD,), IMAGES),
    "convolution bias relu": ((_FORWARD, _BIAS, _RELU), IMAGES),
    "convolution bias residual": (
        (_FORWARD, _BIAS, step("binary", mode="ADD", repeated="full"), _UNARY),
        IMAGES,
    ),
    "scale relu convolution": ((_SCALE, _RELU, _FORWARD), IMAGES),
    "depthwise convolution": (
        (step("convolution", direction="forward", groups=2, filters="1"),),
        IMAGES,
    ),
    "grouped convolution": ((step("convolution", direction="forward", groups=1),), IMAGES),
    "data gradient": ((step("convolution", direction="data", groups=0),), IMAGES),
    "data gradient relu": (
        (step("convolution", direction="data", groups=0), step("relu_gradient")),
        IMAGES,
    ),
    "filter gradient": ((step("convolution", direction="filter", groups=0),), IMAGES),
    "product": ((step("matmul"),), MATRICES),
    "product bias activation": (
        (step("matmul"), step("binary", mode="ADD", repeated="last"), _UNARY),
        MATRICES,
    ),
    "unary product": ((_UNARY, step("matmul")), MATRICES),
    "product reduction": ((step("matmul"), step("reduction")), MATRICES),
    "unary": ((_UNARY,), (4, 3, 5, 2)),
    "binary": ((step("binary"), _UNARY), (4, 3, 5)),
    "chain": ((step("bounded"), step("number"), step("together")), (4, 3, 5)),
    "gradient of elements": ((step("backward"),), (4, 3, 5)),
    "select": ((step("select"),), (4, 3)),
    "reduction": ((step("reduction"),), (4, 3, 5, 2)),
    "unary reduction": ((_UNARY, step("reduction")), (4, 3)),
    "softmax": ((step("softmax"),), (4,)),
    "layer norm": ((step("norm", form="layer"),), (4,)),
    "rms norm": ((step("norm", form="rms"),), (4,)),
    "instance norm": ((step("norm", form="instance"),), (4,)),
    "batch norm": ((step("norm", form="batch"),), (4,)),
    "batch norm inference relu": ((step("norm", form="inference"), _RELU), (4,)),
    "gradient of layer norm": ((step("norm_backward", form="layer"),), (4,)),
    "gradient of rms norm": ((step("norm_backward", form="rms"),), (4,)),
    "gradient of instance norm": ((step("norm_backward", form="instance"),), (4,)),
    "gradient of batch norm": ((step("norm_backward", form="batch"),), (4,)),
    "statistics": ((step("gen_stats"),), (4,)),
    "largest of windows": ((step("resample", mode="MAXPOOL"),), (4, 5)),
    "mean of windows": (
        (step("resample", mode="AVGPOOL_INCLUDE_PADDING", direction="forward"),),
        (4, 5),
    ),
    "gradient of means": (
        (step("resample", mode="AVGPOOL_EXCLUDE_PADDING", direction="backward"),),
        (4, 5),
    ),
    "moves": ((step("transpose"), step("slice"), step("concatenate")), (4, 3)),
    "attention": ((step("attention"),), (4,)),
    "gradient of attention": ((step("attention_gradient"),), (4,)),
}

#: Families of graphs that are cut into several, which no part but the chosen ones draws.
JOINED: dict[str, tuple[tuple[Kind, ...], tuple[int, ...]]] = {
    "convolution scaled": ((_FORWARD, step("number", mode="MUL"), _BIAS), IMAGES),
    "convolution joined": ((_FORWARD, step("together"), _RELU), IMAGES),
    "product scaled": ((step("matmul"), step("number", mode="MUL"), step("together")), MATRICES),
    "two products": ((step("matmul"), step("matmul")), MATRICES),
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

#: Families whose results of infinities are what float64 says.
INFINITE = {"unary", "select", "moves", "largest of windows", "reduction", "softmax"}


TABLE = Table(FACTORS, HARD)


def steps_of(steps: Sequence[Kind]) -> dict[str, str | int]:
    """Return the choices that make the steps of a family."""
    found: dict[str, str | int] = {}
    for number, (kind, choices) in enumerate(steps):
        found[f"step{number}"] = kind
        found |= {f"step{number}_{key}": value for key, value in choices.items()}
    return found


def family_of(draw: Draw, table: Table = TABLE) -> Family:
    """Have a case draw a graph of a family, and return what to make.

    The first cases are those of `table.rows`; in the later ones each factor is by chance.
    """
    draw.wanted = dict(table.row_of(draw))
    name = draw.pick("family", table.factors["family"], subject=True)
    steps, ranks = (FAMILIES | JOINED)[name]
    draw.wanted["*_gap"] = draw.wanted["*_reads"] = 0
    if draw.pick("outputs", FACTORS["outputs"]) == "same" or name in NARROW:
        draw.wanted["*_type"] = 0
    draw.wanted |= steps_of(steps)
    is_attention = name.endswith("attention")
    return Family(len(steps), ranks, BREAKING, name in INFINITE, is_attention)
