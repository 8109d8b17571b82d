"""Attention and its gradient in float64, with NumPy, as the formulas say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


class Forward(NamedTuple):
    """Compute attention: rows that see no key are zero, and have statistics of -inf."""

    o: Array
    stats: Array


class Gradients(NamedTuple):
    """The gradients; None where there is no such input."""

    q: Array
    k: Array
    v: Array
    bias: Array | None
    sink: Array | None


class _State(NamedTuple):
    raw: Array
    weights: Array
    kept: Array
    sink_weight: Array | None
    stats: Array
    k: Array
    v: Array


def _turned(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def _rows(x: Array, groups: int) -> Array:
    """Return a matrix for each group of heads, with the rows of all its heads."""
    batch, heads, length, width = x.shape
    return x.reshape(batch, groups, heads // groups * length, width)


def _times(x: Array, y: Array) -> Array:
    """Return the products of all heads with the matrices of their groups."""
    product: Array = _rows(x, y.shape[1]) @ y
    return product.reshape(*x.shape[:3], y.shape[3])


def _gradient(x: Array, dy: Array, groups: int) -> Array:
    """Return the gradient of those products for the matrices of the groups."""
    return _turned(_rows(x, groups)) @ _rows(dy, groups)


def _over(x: Array, shape: tuple[int, ...]) -> Array:
    axes = tuple(i for i, (n, m) in enumerate(zip(x.shape, shape, strict=True)) if n != m)
    return x.sum(axes, keepdims=True) if axes else x


def seen(
    shape: tuple[int, ...],
    left: int | None,
    right: int | None,
    bottom_right: bool,
    lengths_q: Any,
    lengths_kv: Any,
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which keys each query sees, (batch, 1, queries, keys)."""
    batch, _, length_q, length_kv = shape
    rows = np.arange(length_q)[None, :, None]
    columns = np.arange(length_kv)[None, None, :]
    ends_q = np.full(batch, length_q) if lengths_q is None else np.asarray(lengths_q).reshape(batch)
    ends = (
        np.full(batch, length_kv) if lengths_kv is None else np.asarray(lengths_kv).reshape(batch)
    )
    ends_q, ends = ends_q[:, None, None], ends[:, None, None]
    mask = (rows < ends_q) & (columns < ends)
    diagonal = rows + (ends - ends_q if bottom_right else 0)
    if right is not None:
        mask = mask & (columns <= diagonal + right)
    if left is not None:
        mask = mask & (columns >= diagonal - left)
    return mask[:, None]


def _compute(
    q: Array,
    k: Array,
    v: Array,
    *,
    scale: float | None = None,
    left: int | None = None,
    right: int | None = None,
    bottom_right: bool = False,
    bias: Array | None = None,
    slopes: Array | None = None,
    lengths_q: Any = None,
    lengths_kv: Any = None,
    kept: Array | None = None,
    sink: Array | None = None,
    score: Callable[[Array], Array] | None = None,
) -> _State:
    """Compute everything up to the product with the values.

    Args:
        kept: what the weights are multiplied by: the mask over the probability to keep.
    """
    q, k, v = (np.asarray(each, np.float64) for each in (q, k, v))
    scale = q.shape[3] ** -0.5 if scale is None else scale
    raw = _times(q, _turned(k)) * scale
    x = raw if score is None else score(raw)
    if bias is not None:
        x = x + np.asarray(bias, np.float64)
    if slopes is not None:
        distance = np.arange(k.shape[2])[None, :] - np.arange(q.shape[2])[:, None]
        x = x + np.asarray(slopes, np.float64).reshape(1, -1, 1, 1) * distance
    mask = seen(x.shape, left, right, bottom_right, lengths_q, lengths_kv)
    x = np.where(mask, x, -np.inf)
    most = x.max(-1, keepdims=True)
    if sink is not None:
        most = np.maximum(most, np.asarray(sink, np.float64))
    most = np.where(np.isinf(most), 0.0, most)
    weights = np.exp(x - most)
    total = weights.sum(-1, keepdims=True)
    sink_weight = None
    if sink is not None:
        sink_weight = np.exp(np.asarray(sink, np.float64) - most)
        total = total + sink_weight
    with np.errstate(divide="ignore"):
        stats = np.log(total) + most
    total = np.where(total == 0, 1.0, total)
    if sink_weight is not None:
        sink_weight = sink_weight / total
    ones = np.ones(())
    factor = ones if kept is None else np.asarray(kept, np.float64)
    return _State(raw, weights / total, factor, sink_weight, stats, k, v)


def forward(q: Array, k: Array, v: Array, **options: Any) -> Forward:
    """Return attention and its statistics; `_compute` has the options."""
    state = _compute(q, k, v, **options)
    return Forward(_times(state.weights * state.kept, state.v), state.stats)


def backward(
    q: Array,
    k: Array,
    v: Array,
    do: Array,
    *,
    score_backward: Callable[[Array, Array], Array] | None = None,
    **options: Any,
) -> Gradients:
    """Return the gradients of sum(do * attention)."""
    state = _compute(q, k, v, **options)
    q, do = np.asarray(q, np.float64), np.asarray(do, np.float64)
    scale = options.get("scale")
    scale = q.shape[3] ** -0.5 if scale is None else scale
    dropped = state.weights * state.kept
    dv = _gradient(dropped, do, state.v.shape[1])
    dp = _times(do, _turned(state.v)) * state.kept
    total = (dp * state.weights).sum(-1, keepdims=True)
    ds = state.weights * (dp - total)
    bias, sink = options.get("bias"), options.get("sink")
    dbias = None if bias is None else _over(ds, np.shape(bias))
    dsink = None
    if sink is not None and state.sink_weight is not None:
        dsink = _over(-state.sink_weight * total, np.shape(sink))
    if score_backward is not None:
        ds = score_backward(ds, state.raw)
    ds = ds * scale
    dq, dk = _times(ds, state.k), _gradient(ds, q, state.k.shape[1])
    return Gradients(dq, dk, dv, dbias, dsink)


def sizes_of_terms(q: Array, k: Array, v: Array, do: Array, **options: Any) -> dict[str, float]:
    """Return the norms of dq and dk if none of the terms that are added had a sign.

    In a row of two keys the terms can cancel: then what is left is as large as their rounding.
    """
    state = _compute(q, k, v, **options)
    q, do = np.asarray(q, np.float64), np.asarray(do, np.float64)
    scale = options.get("scale")
    scale = q.shape[3] ** -0.5 if scale is None else scale
    dp = _times(do, _turned(state.v)) * state.kept
    total = (dp * state.weights).sum(-1, keepdims=True)
    ds = abs(scale) * state.weights * (abs(dp) + abs(total))
    dq, dk = _times(ds, abs(state.k)), _gradient(ds, abs(q), state.k.shape[1])
    return {"dq": float(np.linalg.norm(dq)), "dk": float(np.linalg.norm(dk))}


def gather_pages(blocks: Array, table: Any, length: int) -> Array:
    """Return keys or values (batch, heads, length, width) that lie in pages."""
    table = np.asarray(table)
    entries = []
    for row in table.reshape(table.shape[0], -1):
        entries.append(np.concatenate([blocks[page] for page in row], axis=1)[:, :length])
    return np.stack(entries)
