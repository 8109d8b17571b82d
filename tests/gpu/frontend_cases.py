"""Attention of the front end with options, for a GPU and for plans without one."""

from __future__ import annotations

from typing import Any, NamedTuple


class Options(NamedTuple):
    """Attention with options that go past what most programs use.

    Attributes:
        left, right: the bounds of the window; `bottom` for one from the bottom right.
        lengths, lengths_kv: of the batch entries; those of keys are the same without their own.
        long: whether lengths are INT64, as integers of PyTorch are.
        score: whether a function of the program, and not use_padding_mask, goes with the lengths.
        rows: whether maxima and sums of rows are written, in the place of statistics.
        mask: the type of a mask of dropout that the program gives; "" for none.
    """

    dtype: str = "float16"
    shape: tuple[int, ...] = (2, 4, 128, 64)
    keys: tuple[int, ...] = (2, 4, 128, 64)
    causal: bool = False
    left: int | None = None
    right: int | None = None
    bottom: bool = False
    lengths: tuple[int, ...] = ()
    lengths_kv: tuple[int, ...] = ()
    long: bool = False
    score: bool = False
    scale: float = 0.125
    bias: bool = False
    rows: bool = False
    mask: str = ""


OPTIONS = {
    "rows": Options(rows=True),
    "rows, causal": Options(rows=True, causal=True),
    "rows, lengths": Options(rows=True, lengths=(128, 70)),
    "rows, bfloat16": Options(rows=True, dtype="bfloat16", shape=(1, 2, 256, 128),
                              keys=(1, 2, 256, 128)),
    "left bound 0": Options(left=0),
    "left bound 0, right bound 0": Options(left=0, right=0),
    "left bound 0, right bound 5": Options(left=0, right=5),
    "left bound below 0": Options(left=-3, right=5),
    "left bound 0, more keys": Options(left=0, right=40, shape=(2, 4, 64, 64)),
    "float": Options("float32"),
    "float, causal": Options("float32", causal=True),
    "float, lengths": Options("float32", lengths=(128, 70)),
    "float, bias": Options("float32", bias=True),
    "float, window": Options("float32", left=32, right=0),
    "float, odd": Options("float32", shape=(2, 4, 100, 40), keys=(2, 4, 90, 40)),
    "float, grouped": Options("float32", keys=(2, 2, 128, 64)),
    "mask": Options(mask="float16"),
    "mask of floats": Options(mask="float32"),
    "mask, causal": Options(mask="float16", causal=True),
    "mask, lengths": Options(mask="float16", lengths=(128, 70)),
    "mask, bias": Options(mask="float16", bias=True),
    "bottom, lengths": Options(left=20, right=0, bottom=True, lengths=(128, 50),
                               lengths_kv=(128, 70)),
    "bottom, lengths, left only": Options(left=20, bottom=True, lengths=(100, 50),
                                          lengths_kv=(128, 70)),
    "bottom, bias, left only": Options(left=20, bottom=True, bias=True, shape=(2, 4, 64, 64)),
    "bottom, mask, left only": Options(left=20, bottom=True, mask="float16"),
    "lengths of INT64": Options(lengths=(128, 70), long=True),
    "score, lengths": Options(lengths=(128, 70), score=True),
    "scale 0": Options(scale=0.0, causal=True),
    "scale below 0": Options(scale=-0.2),
}  # fmt: skip


def arrays(c: Options) -> dict[str, tuple[tuple[int, ...], str]]:
    """Return extents and data type of each array."""
    found = {"q": (c.shape, c.dtype), "k": (c.keys, c.dtype), "v": (c.keys, c.dtype)}
    if c.lengths:
        ends = (len(c.lengths), 1, 1, 1), "int64" if c.long else "int32"
        found |= {"lengths_q": ends, "lengths_kv": ends}
    if c.bias:
        found["bias"] = (1, c.shape[1], c.shape[2], c.keys[2]), c.dtype
    if c.mask:
        found |= {"mask": ((*c.shape[:3], c.keys[2]), c.mask), "factor": ((1, 1, 1, 1), "float32")}
    return found


def attend(module: Any, graph: Any, c: Options, read: dict[str, Any]) -> dict[str, Any]:
    """Add attention to a graph of the front end; return its results by name.

    Args:
        module: the front end's, or ours.
        read: the graph's tensors of `arrays`.
    """
    given: dict[str, Any] = {"use_causal_mask": c.causal}
    bounds = {"diagonal_band_left_bound": c.left, "diagonal_band_right_bound": c.right}
    given |= {name: value for name, value in bounds.items() if value is not None}
    if c.lengths:
        given |= {"use_padding_mask": not c.score, "seq_len_q": read["lengths_q"]}
        given["seq_len_kv"] = read["lengths_kv"]
    if c.bottom:
        given["diagonal_alignment"] = module.diagonal_alignment.BOTTOM_RIGHT
    if c.score:
        given["score_mod"] = lambda graph, x: graph.tanh(x)
    if c.bias:
        given["bias"] = read["bias"]
    if c.mask:
        given["dropout"] = (read["mask"], read["factor"])
    written = {}
    for name, port in (("max", "score_max"), ("sum", "score_sum_exp")):
        if c.rows:
            written[name] = given[port] = graph.tensor(
                name=port, dim=[*c.shape[:3], 1], stride=[c.shape[1] * c.shape[2], c.shape[2], 1, 1],
                data_type=module.data_type.FLOAT,
            )  # fmt: skip
    o, stats = graph.sdpa(
        **{name: read[name] for name in "qkv"},
        is_inference=c.rows, attn_scale=c.scale, **given,
    )  # fmt: skip
    return {"o": o, **(written if c.rows else {"stats": stats})}
