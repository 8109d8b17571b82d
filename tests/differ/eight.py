"""Operations of 8 bits by every engine that takes them, against exact sums."""

from __future__ import annotations

from .covering import Table
from .draw import Draw
from .eight_steps import PAIRS
from .engines import by_each_engine
from .families import IMAGES, MATRICES, Kind, step, steps_of
from .graphs import BREAKING, EXTENTS, Family

__all__ = ["FAMILIES", "TABLE", "family_of", "run"]

_FORWARD = step("convolution of 8 bits", direction="forward", groups=0)
_CHAIN = step("scaled"), step("residual of 8 bits"), step("activation of sums")

#: The steps of each family, and the ranks of its first input.
FAMILIES: dict[str, tuple[tuple[Kind, ...], tuple[int, ...]]] = {
    "convolution": ((_FORWARD,), IMAGES),
    "grouped convolution": (
        (step("convolution of 8 bits", direction="forward", groups=1),),
        IMAGES,
    ),
    "depthwise convolution": (
        (step("convolution of 8 bits", direction="forward", groups=2, filters="1"),),
        IMAGES,
    ),
    "scaled convolution": ((_FORWARD, step("scaled")), IMAGES),
    "data gradient": ((step("convolution of 8 bits", direction="data", groups=0),), IMAGES),
    "filter gradient": ((step("convolution of 8 bits", direction="filter", groups=0),), IMAGES),
    "scaled data gradient": (
        (step("convolution of 8 bits", direction="data", groups=0), step("scaled")),
        IMAGES,
    ),
    "convolution chain": ((_FORWARD, *_CHAIN), IMAGES),
    "largest of a convolution": ((_FORWARD, step("scaled"), step("largest of sums")), IMAGES),
    "product": ((step("product of 8 bits"),), MATRICES),
    "scaled product": ((step("product of 8 bits"), step("scaled")), MATRICES),
    "product chain": ((step("product of 8 bits"), *_CHAIN), MATRICES),
    "unary": ((step("unary of 8 bits"),), (4, 3, 5, 2)),
    "binary": ((step("binary of 8 bits"),), (4, 3, 5)),
    "reduction": ((step("reduction"),), (4, 3, 5, 2)),
    "norm": ((step("known norm of 8 bits"), step("unary", mode="RELU_FWD")), (4, 5)),
    "batch norm": ((step("norm of 8 bits", form="batch"),), (4, 5)),
    "instance norm": ((step("norm of 8 bits", form="instance"),), (4, 5)),
    "layer norm": ((step("norm of 8 bits", form="layer"),), (4,)),
    "rms norm": ((step("norm of 8 bits", form="rms"),), (4,)),
    "largest of windows": ((step("resample", mode="MAXPOOL"),), (4, 5, 3)),
    "mean of windows": (
        (step("resample", mode="AVGPOOL_INCLUDE_PADDING", direction="forward"),),
        (4, 5, 3),
    ),
    "mean within windows": (
        (step("resample", mode="AVGPOOL_EXCLUDE_PADDING", direction="forward"),),
        (4, 5, 3),
    ),
    "gradient of means": (
        (step("resample", mode="AVGPOOL_INCLUDE_PADDING", direction="backward"),),
        (4, 5),
    ),
    "gradient within windows": (
        (step("resample", mode="AVGPOOL_EXCLUDE_PADDING", direction="backward"),),
        (4, 5),
    ),
    "resized": ((step("resized"),), (4, 5, 3)),
    "attention": ((step("attention of 8 bits"),), (4,)),
    "gradient of attention": ((step("gradient of attention of 8 bits"),), (4,)),
    "moves": ((step("transpose"), step("slice"), step("concatenate")), (4, 3)),
}

#: The factors, and values that many engines refuse; see `families`.
TABLE = Table(
    {
        "family": tuple(FAMILIES),
        "bits": PAIRS,
        "result": tuple(map(str, range(6))),
        "x_data": BREAKING,
        "layout": ("row_major", "channels_last", "each", "reversed_pair"),
        "extents": ("wide", *(each for each in EXTENTS if each != "wide")),
        "long": ("False", "True"),
        "x_gap": ("0", "1", "8"),
        "x_address": ("16", "4"),
        "x_repeats": ("False", "True"),
    },
    {
        "layout": {"each", "reversed_pair"},
        "x_gap": {"1", "8"},
        "x_address": {"4"},
        "x_repeats": {"True"},
    },
    mild=True,
)

#: More values than a graph has. Only the last is a result: a narrow sum would round it, too.
VALUES = 12


def run(draw: Draw) -> str:
    """Run a graph of 8 bits by each engine."""
    return by_each_engine(draw, family_of(draw))


def family_of(draw: Draw, table: Table = TABLE) -> Family:
    """Have a case draw a graph of a family, and return what to make."""
    row = table.row_of(draw)
    draw.wanted = {**row, "*_type": int(row["result"]), "*_gap": 0, "*_reads": 0}
    name = draw.pick("family", tuple(FAMILIES), subject=True)
    steps, ranks = FAMILIES[name]
    is_attention = name.endswith("attention")
    if name.startswith("gradient of attention"):  # engines take few others
        queries = draw.chance("queries of FP8").choice(("16", "32", "64"))
        draw.wanted |= {"width": "128", "queries": queries}
    if is_attention:  # there is none of whole numbers
        draw.wanted["bits"] = len(PAIRS) // 2 + PAIRS.index(row["bits"]) % (len(PAIRS) // 2)
    if name in ("gradient of means", "gradient within windows"):  # engines take no other types
        draw.wanted["*_type"] = row["bits"].partition(" ")[0]
    draw.wanted |= steps_of(steps) | {f"output{number}": 0 for number in range(VALUES)}
    return Family(len(steps), ranks, BREAKING, attention=is_attention, eight=True)
