"""Cases of attention in graphs: their options and arrays, for a GPU and for plans without one."""

from __future__ import annotations

from typing import Any, NamedTuple

NAMES = {"float16": "HALF", "bfloat16": "BFLOAT16", "float32": "FLOAT"}


class Case(NamedTuple):
    """Shapes and options.

    Attributes:
        lengths: (queries, keys) of each batch entry; () for all.
        form: "node" or "composite"; None for what the release has.
        options: of the graph; the reference's follow from them.
        needs: the release that executes it.
    """

    batch: int = 2
    heads: int = 4
    heads_kv: int = 4
    length_q: int = 128
    length: int = 160
    width: int = 64
    width_v: int = 64
    lengths: tuple[tuple[int, int], ...] = ()
    form: str | None = None
    causal: Any = False
    window: Any = None
    diagonal: str = "top_left"
    bias: tuple[int, ...] = ()
    alibi: bool = False
    sink: bool = False
    dropout: float = 0
    given_mask: bool = False
    softcap: bool = False
    scale: float | None = None
    layout: str = "bhsd"
    backward: bool = True


LENGTHS = ((128, 160), (77, 100))
CASES = {
    "plain": Case(),
    "scale": Case(scale=0.07),
    "scale of zero": Case(scale=0.0, causal=True),
    "scale below zero": Case(scale=-0.2),
    "scale below zero, bias": Case(scale=-0.2, bias=(1, 4, 128, 160)),
    "scale below zero, lengths": Case(scale=-0.2, lengths=LENGTHS),
    "scale below zero, softcap": Case(scale=-0.2, softcap=True),
    "composite": Case(form="composite"),
    "node": Case(form="node", backward=False),
    "causal": Case(causal=True),
    "causal, square": Case(causal=True, length=128),
    "causal, fewer keys": Case(causal=True, length=96),
    "bottom right": Case(causal="bottom_right"),
    "window": Case(window=(20, 30)),
    "window to the left": Case(window=(20, None)),
    "window, causal": Case(window=(20, 0)),
    "window, bottom right": Case(window=(20, 5), diagonal="bottom_right"),
    "window of one": Case(window=(0, 0)),
    "bias": Case(bias=(1, 4, 128, 160)),
    "bias of the batch": Case(bias=(2, 1, 128, 160)),
    # The composite of the gradient is wrong for these on 9.19: a copy of the bias does it.
    "bias of keys": Case(bias=(1, 1, 1, 160)),
    "bias of keys, heads": Case(bias=(1, 4, 1, 160), causal=True),
    "bias of keys, batch": Case(bias=(2, 1, 1, 160), causal="bottom_right"),
    "bias of keys, all": Case(bias=(2, 4, 1, 160), length_q=100),
    "bias of keys, lengths": Case(bias=(2, 1, 1, 160), lengths=LENGTHS),
    "bias of queries": Case(bias=(1, 4, 128, 1)),
    "bias, causal": Case(bias=(1, 4, 128, 160), causal=True),
    "bias, bottom right": Case(bias=(2, 4, 128, 160), causal="bottom_right"),
    "alibi": Case(alibi=True, causal=True),
    "lengths": Case(lengths=LENGTHS),
    "lengths, composite": Case(lengths=LENGTHS, form="composite", backward=False),
    "lengths, causal": Case(lengths=LENGTHS, causal=True),
    "lengths, bottom right": Case(lengths=LENGTHS, causal="bottom_right"),
    "lengths, bottom right, window": Case(lengths=LENGTHS, window=(20, 5), diagonal="bottom_right"),
    "lengths, bottom right, left": Case(
        lengths=LENGTHS, window=(20, None), diagonal="bottom_right"
    ),
    "lengths, bias": Case(lengths=LENGTHS, bias=(2, 4, 128, 160)),
    "grouped heads": Case(heads_kv=2),
    "one head of keys": Case(heads_kv=1, causal=True),
    "sink": Case(sink=True),
    "sink, causal": Case(sink=True, causal=True),
    "dropout": Case(dropout=0.3),
    "dropout, causal": Case(dropout=0.1, causal=True),
    "dropout, bottom right": Case(dropout=0.1, causal="bottom_right"),
    "dropout, lengths": Case(dropout=0.2, lengths=LENGTHS),
    "dropout mask": Case(dropout=0.4, given_mask=True),
    "dropout mask, causal": Case(dropout=0.2, given_mask=True, causal=True),
    "dropout mask, bottom right": Case(dropout=0.2, given_mask=True, causal="bottom_right"),
    "dropout mask, window": Case(dropout=0.2, given_mask=True, window=(20, 30)),
    "dropout mask, grouped heads": Case(dropout=0.3, given_mask=True, heads_kv=2, causal=True),
    "dropout mask, lengths": Case(dropout=0.3, given_mask=True, lengths=LENGTHS, causal=True),
    "dropout mask, sink": Case(dropout=0.3, given_mask=True, sink=True, causal=True),
    "dropout mask, alibi": Case(dropout=0.3, given_mask=True, alibi=True, causal=True),
    "dropout mask, softcap": Case(dropout=0.3, given_mask=True, softcap=True),
    "dropout mask, bias": Case(dropout=0.3, given_mask=True, bias=(1, 4, 128, 160)),
    "dropout mask, bias of keys": Case(dropout=0.3, given_mask=True, bias=(2, 1, 1, 160)),
    "dropout mask, tokens first": Case(dropout=0.3, given_mask=True, layout="bshd"),
    "dropout mask, rows apart": Case(dropout=0.3, given_mask=True, layout="apart"),
    "dropout mask, odd": Case(dropout=0.3, given_mask=True, length_q=77, length=93, width_v=40),
    "softcap": Case(softcap=True),
    "softcap, causal": Case(softcap=True, causal=True),
    "softcap, lengths": Case(softcap=True, lengths=LENGTHS),
    "tokens first": Case(layout="bshd", causal=True),
    "rows apart": Case(layout="apart"),
    "narrow": Case(width=8, width_v=8),
    "width 40": Case(width=40, width_v=40),
    "width 128": Case(width=128, width_v=128, causal=True),
    "widths differ": Case(width=192, width_v=128),
    "width 256": Case(width=256, width_v=256),
}
#: Short and odd lengths: others have computed wrong numbers here.
SHAPES = [
    *[(1, 1), (1, 17), (1, 160), (2, 2), (3, 1), (7, 5), (13, 300), (63, 65), (65, 63)],
    *[(127, 129), (129, 127), (256, 256), (300, 13), (500, 1000)],
]


#: Cases in other data types; of float32, results only and gradients.
BFLOAT16 = [
    *("plain", "causal", "bias", "lengths, causal", "grouped heads", "dropout", "sink"),
    *("dropout mask, causal", "dropout mask, bias"),
]
FLOAT = [
    *("plain", "causal", "bottom right", "window", "bias", "alibi", "lengths", "softcap"),
    *("grouped heads", "sink", "tokens first", "width 40"),
    *("lengths, causal", "bias of keys", "scale of zero", "scale below zero"),
]
FLOAT_GRADIENTS = ["plain", "bias", "rows apart", "width 40", "scale below zero"]
DETERMINISTIC = ["causal", "grouped heads", "lengths", "dropout"]

#: Bands beside lengths: three that engines know by themselves.
BANDS: tuple[dict[str, Any], ...] = (
    {},
    {"causal": True},
    {"window": (20, 0), "diagonal": "bottom_right"},
)


#: Attention over pages: form, and bands; sizes of its arrays.
PAGED = [("node", BANDS[0]), ("composite", BANDS[0]), ("composite", BANDS[2])]
BATCH, HEADS, WIDTH, PAGE, PAGES = 2, 4, 64, 32, 6


def paged_shapes(length_q: int) -> dict[str, tuple[tuple[int, ...], str]]:
    """Return extents and data type of each array of attention over pages."""
    pool = BATCH * PAGES * 2, HEADS, PAGE, WIDTH
    halves = {"q": (BATCH, HEADS, length_q, WIDTH), "k": pool, "v": pool}
    words = dict.fromkeys(("page_table_k", "page_table_v"), (BATCH, 1, PAGES, 1))
    words |= dict.fromkeys(("seq_len_q", "seq_len_kv"), (BATCH, 1, 1, 1))
    found: dict[str, tuple[tuple[int, ...], str]]
    found = {name: (shape, "float16") for name, shape in halves.items()}
    return found | {name: (shape, "int32") for name, shape in words.items()}


def shapes(case: Case) -> dict[str, tuple[int, ...]]:
    """Return the extents of queries, keys, values, and the gradient of the result."""
    c = case
    return {
        "q": (c.batch, c.heads, c.length_q, c.width),
        "k": (c.batch, c.heads_kv, c.length, c.width),
        "v": (c.batch, c.heads_kv, c.length, c.width_v),
        "do": (c.batch, c.heads, c.length_q, c.width_v),
    }


def strides(case: Case, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return those of queries, keys and values in the layout of a case."""
    _, heads, length, width = shape
    if case.layout == "bshd":
        return heads * length * width, width, heads * width, 1
    row = width + 24 if case.layout == "apart" else width
    return heads * length * row, length * row, row, 1


def describe(graph: Any, case: Case, dtype: str, backward: bool = False) -> dict[str, Any]:
    """Return the inputs of a case in a graph, or those of its gradient."""
    c, large = case, shapes(case)
    do = large.pop("do")
    large |= {"do": do, "o": do} if backward else {}
    found = {
        name: graph.tensor(shape, dtype, strides(c, shape), name=name)
        for name, shape in large.items()
    }
    few: dict[str, tuple[tuple[int, ...], str]] = {}
    if backward:
        few["stats"] = (*do[:3], 1), "float32"
    if c.bias:
        few["bias"] = c.bias, dtype
    for name in [*["sink"] * c.sink, *["alibi"] * c.alibi]:
        few[name] = (1, c.heads, 1, 1), "float32"
    if c.lengths:
        few |= dict.fromkeys(("seq_len_q", "seq_len_kv"), ((c.batch, 1, 1, 1), "int32"))
    if c.given_mask:
        few["dropout_mask"] = (c.batch, c.heads, c.length_q, c.length), "float32"
    elif c.dropout:
        few |= dict.fromkeys(("seed", "offset"), ((1, 1, 1, 1), "int64"))
    for name, (shape, kind) in few.items():
        found[name] = graph.tensor(shape, kind, name=name)
    return found


def settings(case: Case, tensors: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the graph's methods."""
    c = case
    result: dict[str, Any] = {"causal": c.causal, "window": c.window, "diagonal": c.diagonal}
    result |= {"scale": c.scale, "form": c.form}
    names = ("bias", "sink", "alibi", "seq_len_q", "seq_len_kv", "dropout_mask", "seed", "offset")
    result |= {name: tensors[name] for name in names if name in tensors}
    if c.dropout:
        result["dropout"] = c.dropout
    if c.softcap:
        result["score"] = lambda g, x: g.tanh(x * 0.5) * 2.0
    return result


def attend(graph: Any, case: Case, tensors: dict[str, Any]) -> dict[str, Any]:
    """Add attention; return the result, statistics, and the mask that it draws, by name."""
    draws = bool(case.dropout) and not case.given_mask
    found = graph.attention(
        *(tensors[name] for name in "qkv"), **settings(case, tensors), stats=True, return_mask=draws
    )
    return dict(zip(("o", "stats", "mask"), found, strict=False))


def _slope(g: Any, gradient: Any, x: Any) -> Any:
    bent = g.tanh(x * 0.5)
    return gradient - gradient * bent * bent


def attend_backward(
    graph: Any, case: Case, tensors: dict[str, Any], **options: Any
) -> dict[str, Any]:
    """Add the gradient of attention; return its results by name."""
    if case.softcap:
        options["score_backward"] = _slope
    found = graph.attention_backward(
        *(tensors[name] for name in ("q", "k", "v", "o", "do", "stats")),
        **settings(case, tensors), dbias=bool(case.bias), dsink=case.sink, **options,
    )  # fmt: skip
    ports = ["dq", "dk", "dv", *["dbias"] * bool(case.bias), *["dsink"] * case.sink]
    return dict(zip(ports, found, strict=True))
