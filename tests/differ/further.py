"""Graphs of operations that few graphs have, and of further options, by every engine."""

from __future__ import annotations

from .covering import Table
from .draw import Draw
from .engines import by_each_engine
from .families import HARD, IMAGES, MATRICES, Kind, step, steps_of
from .graphs import BREAKING, EXTENTS, LAYOUTS, TYPES, Family

__all__ = ["FAMILIES", "TABLE", "family_of", "run"]

_FORWARD = step("convolution with options", direction="forward")
_PLAIN = step("convolution", direction="forward", groups=0)
_RELU, _STATISTICS = step("unary", mode="RELU_FWD"), step("gen_stats")
_UNARY = step("unary")
_CHANNELS, _COLUMNS = step("mixed types", repeated="channel"), step("mixed types", repeated="last")

#: The steps of each family, and the ranks of its first input.
FAMILIES: dict[str, tuple[tuple[Kind, ...], tuple[int, ...]]] = {
    "convolution": ((_FORWARD,), IMAGES),
    "convolution bias relu": (
        (_FORWARD, step("binary", mode="ADD", repeated="channel"), _RELU),
        IMAGES,
    ),
    "data gradient": ((step("convolution with options", direction="data"),), IMAGES),
    "filter gradient": ((step("convolution with options", direction="filter"),), IMAGES),
    "unary data gradient": (
        (_UNARY, step("convolution with options", direction="data")),
        IMAGES,
    ),
    "unary filter gradient": (
        (_UNARY, step("convolution with options", direction="filter")),
        IMAGES,
    ),
    "joined convolution": ((_UNARY, step("together"), _PLAIN), IMAGES),
    "joined product": ((_UNARY, step("together"), step("matmul")), MATRICES),
    "convolution statistics": ((_PLAIN, _STATISTICS), (4, 5)),
    "scale relu convolution statistics": (
        (step("binary", mode="MUL", repeated="channel"), _RELU, _PLAIN, _STATISTICS),
        (4, 5),
    ),
    "convolution reduction": ((_PLAIN, step("reduction")), IMAGES),
    "convolution mixed": ((_PLAIN, _CHANNELS, _RELU), IMAGES),
    "product mixed": ((step("matmul"), _COLUMNS, _RELU), MATRICES),
    "mixed": ((step("mixed types"),), (4, 3, 5, 2)),
    "converted product": ((step("converted product"),), MATRICES),
    "converted convolution": ((step("converted convolution"),), IMAGES),
    "experts": ((step("experts"),), (3,)),
    "parameters": ((step("parameters"),), (4, 3, 5)),
    "convolution parameters": ((_PLAIN, step("parameters")), IMAGES),
    "product parameters": ((step("matmul"), step("parameters")), MATRICES),
    "quotient": ((step("quotient"),), (4, 3, 5)),
    "product quotient": ((step("matmul"), step("quotient")), MATRICES),
    "quotient product": ((step("quotient"), step("matmul")), MATRICES),
    "logic": ((step("logic"),), (4, 3)),
    "product index": ((step("matmul"), step("index")), MATRICES),
    "convolution index": ((_PLAIN, step("index")), IMAGES),
    "resized": ((step("resized"),), (4, 5, 3)),
    "positions": ((step("positions"),), (4, 5)),
    "softmax": ((step("softmax with statistics"),), (4,)),
    "norm": ((step("norm with statistics"),), (4,)),
    "attention": ((step("attention with options"),), (4,)),
}

#: The factors, and values that many engines refuse; see `families`.
TABLE = Table(
    {
        "family": tuple(FAMILIES),
        "x_data": BREAKING,
        "dtype": ("HALF", *(each for each in TYPES if each != "HALF")),
        "layout": ("row_major", *(each for each in LAYOUTS if each != "row_major")),
        "extents": ("wide", *(each for each in EXTENTS if each != "wide")),
        "x_gap": ("0", "1", "8"),
        "x_address": ("16", "4"),
        "x_repeats": ("False", "True"),
        "outputs": ("same", "FLOAT"),
    },
    HARD,
    mild=True,
)

#: Families whose results have the data type of the inputs, or no engine takes them.
NARROW = {"positions", "norm", "attention", "experts"}

#: More values than a graph has. Only the last is a result, besides those of a kind of their own.
VALUES = 12


def run(draw: Draw) -> str:
    """Run a graph of a family by each engine."""
    return by_each_engine(draw, family_of(draw))


def family_of(draw: Draw, table: Table = TABLE) -> Family:
    """Have a case draw a graph of a family, and return what to make."""
    draw.wanted = {**table.row_of(draw), "*_gap": 0, "*_reads": 0}
    name = draw.pick("family", tuple(FAMILIES), subject=True)
    steps, ranks = FAMILIES[name]
    if draw.pick("outputs", ("same", "FLOAT")) == "same" or name in NARROW:
        draw.wanted["*_type"] = 0
    draw.wanted |= steps_of(steps) | {f"output{number}": 0 for number in range(VALUES)}
    return Family(len(steps), ranks, BREAKING, attention=name == "attention")
