"""Graphs with attention and its gradient, one for each option."""

# The options of a case may need tensors of its graph or not.
# ruff: noqa: ARG005

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnn_cffi.graph import Graph, alibi_slopes
from cudnn_cffi.graph.attn.checks import SCALES

B, H, SQ, SKV, D = 2, 4, 128, 192, 64


def _scales(g: Any, kind: str) -> dict[str, Any]:
    return {each: g.tensor((1, 1, 1, 1), "FLOAT", name=each) for each in SCALES[kind]}


def _lengths(g: Any) -> dict[str, Any]:
    return {
        each: g.tensor((B, 1, 1, 1), "INT32", name=each) for each in ("seq_len_q", "seq_len_kv")
    }


def _cumulative(g: Any, *sides: str) -> dict[str, Any]:
    ports = [f"cu_seq_len_{side}" for side in sides]
    return {each: g.tensor((B + 1, 1, 1, 1), "INT32", name=each) for each in ports}


def _alibi(g: Any) -> dict[str, Any]:
    assert len(alibi_slopes(H)) == H
    return {"alibi": g.tensor((1, H, 1, 1), "FLOAT", name="slopes"), "causal": True}


def _dropout(g: Any) -> dict[str, Any]:
    numbers = {each: g.tensor((1, 1, 1, 1), "INT64", name=each) for each in ("seed", "offset")}
    return {"dropout": 0.1, **numbers}


def _mask(g: Any) -> dict[str, Any]:
    return {"dropout": 0.1, "dropout_mask": g.tensor((B, H, SQ, SKV), "HALF", name="mask")}


def _sink(g: Any) -> dict[str, Any]:
    return {"sink": g.tensor((1, H, 1, 1), "FLOAT", name="sink")}


def _bias(g: Any) -> dict[str, Any]:
    return {"bias": g.tensor((1, H, SQ, SKV), "HALF", name="bias")}


def softcap(g: Any, x: Any) -> Any:
    return g.tanh(x * 0.1) * 10.0


def softcap_backward(g: Any, gradient: Any, x: Any) -> Any:
    bent = g.tanh(x * 0.1)
    return gradient - gradient * bent * bent


Options = Callable[[Any], dict[str, Any]]

#: The options of both directions, by what they are called.
COMMON: dict[str, Options] = {
    "plain": lambda g: {},
    "causal": lambda g: {"causal": True},
    "bottom right": lambda g: {"causal": "bottom_right"},
    "window": lambda g: {"window": (32, 16)},
    "bias": _bias,
    "alibi": _alibi,
    "lengths": _lengths,
    "lengths, bottom right": lambda g: {**_lengths(g), "causal": "bottom_right"},
    "ragged": _lengths,
    "grouped heads": lambda g: {},
    "dropout": _dropout,
    "dropout of numbers": lambda g: {"dropout": 0.1, "seed": 1, "offset": 2},
    "dropout mask": _mask,
    "sink": _sink,
}
FORWARD: dict[str, Options] = {
    **COMMON,
    "statistics": lambda g: {"stats": True},
    "sink, statistics": lambda g: {**_sink(g), "stats": True},
    "dropout, statistics": lambda g: {**_dropout(g), "stats": True},
    "dropout, mask": lambda g: {**_dropout(g), "return_mask": True},
    "score": lambda g: {"score": softcap, "causal": True},
    "pages": _lengths,
    "pages, causal": lambda g: {**_lengths(g), "causal": True},
    "fp8": lambda g: _scales(g, "attention"),
    "float": lambda g: {"stats": True},
    "rows": lambda g: {"return_rows": True},
    "window behind": lambda g: {"window": (-3, 16)},
    "dropout mask, scale": lambda g: {
        "dropout_mask": _mask(g)["dropout_mask"],
        "dropout_scale": 1 / 0.9,
    },
}

#: Forms that older releases refuse, and the release that has them.
LATER: dict[str, tuple[str, Options]] = {
    "block mask": ("9.14.0", lambda g: {"block_mask": g.tensor((B, H, 1, 1), "UINT8")}),
    "row maxima": ("9.21.0", lambda g: {"return_rows": "max"}),
    "row sums": ("9.21.0", lambda g: {"return_rows": "sum"}),
    "rows, statistics": ("9.21.0", lambda g: {"return_rows": True, "stats": True}),
    "cumulative": ("9.24.0", lambda g: _cumulative(g, "q", "kv")),
    "cumulative, causal": ("9.24.0", lambda g: {**_cumulative(g, "q", "kv"), "causal": True}),
    "cumulative, bottom right": (
        "9.24.0",
        lambda g: {**_cumulative(g, "q", "kv"), "window": (8, 4), "diagonal": "bottom_right"},
    ),
    "cumulative keys": (
        "9.25.0",
        lambda g: {**_cumulative(g, "kv"), "seq_len_q": _lengths(g)["seq_len_q"]},
    ),
    "binary logarithms": ("9.27.0", lambda g: {"stats": True, "stats_log2": True}),
    "binary logarithms, sink": (
        "9.27.0",
        lambda g: {**_sink(g), "stats": True, "stats_log2": True},
    ),
}
BACKWARD: dict[str, Options] = {
    **{case: options for case, options in COMMON.items() if case != "dropout mask"},
    "deterministic": lambda g: {"deterministic": True},
    "fp8": lambda g: {"fp8": _scales(g, "attention_backward"), "causal": True},
    "dbias": lambda g: {**_bias(g), "dbias": True},
    "dsink": lambda g: {**_sink(g), "dsink": True},
    "score": lambda g: {"score": softcap, "score_backward": softcap_backward},
}


def _tensor(g: Any, case: str, name: str, heads: int, length: int, offsets: dict[str, Any]) -> Any:
    if case != "ragged":
        width = 128 if case == "fp8" else D  # all that Hopper's engine takes of a gradient
        return g.tensor((B, heads, length, width), name=name)
    offset = offsets.setdefault(name, g.tensor((B + 1, 1, 1, 1), "INT32", name=f"{name}_offset"))
    strides = (length * heads * D, D, heads * D, 1)
    return g.tensor((B, heads, length, D), strides=strides, name=name, ragged_offset=offset)


def forward(case: str, **more: Any) -> Any:
    """Return the graph of a case of FORWARD, or of LATER."""
    dtype = {"fp8": "FP8_E4M3", "float": "FLOAT"}.get(case, "HALF")
    g = Graph(case.replace(" ", "_").replace(",", ""), io_data_type=dtype)
    heads = 2 if case == "grouped heads" else H
    offsets: dict[str, Any] = {}
    q = _tensor(g, case, "q", H, SQ, offsets)
    if case.startswith("pages"):
        k, v = (g.tensor((B * SKV // 32, H, 32, D), name=name) for name in "kv")
        for each in "kv":
            more[f"page_table_{each}"] = g.tensor(
                (B, 1, SKV // 32, 1), "INT32", name=f"{each}_table"
            )
    else:
        k, v = (_tensor(g, case, name, heads, SKV, offsets) for name in "kv")
    options = FORWARD[case] if case in FORWARD else LATER[case][1]
    found = g.attention(q, k, v, **options(g), **more)
    for each in found if isinstance(found, tuple) else (found,):
        g.output(each)
    return g


def backward(case: str, **more: Any) -> Any:
    """Return the graph of a case of BACKWARD."""
    dtype = "FP8_E4M3" if case == "fp8" else "HALF"
    g = Graph(case.replace(" ", "_").replace(",", ""), io_data_type=dtype)
    heads = 2 if case == "grouped heads" else H
    offsets: dict[str, Any] = {}
    q, o, do = (_tensor(g, case, name, H, SQ, offsets) for name in ("q", "o", "do"))
    k, v = (_tensor(g, case, name, heads, SKV, offsets) for name in "kv")
    stats = g.tensor((B, H, SQ, 1), "FLOAT", name="stats")
    options = BACKWARD[case](g)
    if SKV % 128 and more.pop("padded", False) and "seq_len_q" not in options:
        options |= _lengths(g)
    for each in g.attention_backward(q, k, v, o, do, stats, **options, **more):
        g.output(each)
    return g
