"""Scaled dot product attention, forward and backward.

Each is one node of the graph. `Graph.lowered` shows its form: one operation if the release has
one with all the options, else a composite of matmuls, pointwise operations and
reductions, which cuDNN compiles into one kernel all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar, Unpack, cast, overload

from ... import errors
from ..._support.arguments import boolean, integers
from ..attn.checks import SCALES, bounds, check_numbers, check_shapes, check_together
from ..builder import Builder
from ..nested import Nested, trace
from ..record.operations import OPERATIONS
from ..tensors import Operand, Tensor
from .adding import read_inputs

if TYPE_CHECKING:
    from ..attn.options import AttentionOptions, Corner, Form, Fp8Options, Rows
    from ..record.operation import Operation
    from ..record.types import DType, Layout, Options

GraphT = TypeVar("GraphT", bound=Builder)

_FORWARD = OPERATIONS["attention"]
_BACKWARD = OPERATIONS["attention_backward"]

_MAX_HEADS = 1 << 16
#: Options that nodes keep as they are given.
_KEPT = ("dropout", "form", "max_seq_len_kv", "stats_log2", "deterministic")
#: The results of each value of `return_rows`.
_ROWS: dict[bool | str, tuple[str, ...]] = {
    False: (), True: ("row_max", "row_sum"), "max": ("row_max",), "sum": ("row_sum",)
}  # fmt: skip


@overload
def attention(
    self: GraphT,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    stats: Literal[False] = False,
    return_mask: Literal[False] = False,
    return_rows: Literal[False] = False,
    **options: Unpack[AttentionOptions[GraphT]],
) -> Tensor: ...
@overload
def attention(
    self: GraphT,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    stats: Literal[True],
    return_mask: bool = False,
    return_rows: Rows = False,
    **options: Unpack[Fp8Options[GraphT]],
) -> tuple[Tensor, ...]: ...
@overload
def attention(
    self: GraphT,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    stats: bool = False,
    return_mask: bool = False,
    return_rows: Rows = False,
    **options: Unpack[Fp8Options[GraphT]],
) -> Tensor | tuple[Tensor, ...]: ...
def attention(
    self: GraphT,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    scale: Operand | None = None,
    causal: bool | Corner = False,
    window: Sequence[int | None] | None = None,
    diagonal: Corner = "top_left",
    bias: Tensor | None = None,
    alibi: Tensor | None = None,
    seq_len_q: Tensor | None = None,
    seq_len_kv: Tensor | None = None,
    cu_seq_len_q: Tensor | None = None,
    cu_seq_len_kv: Tensor | None = None,
    page_table_k: Tensor | None = None,
    page_table_v: Tensor | None = None,
    max_seq_len_kv: int | None = None,
    dropout: float | None = None,
    seed: Operand | None = None,
    offset: Operand | None = None,
    dropout_mask: Tensor | None = None,
    dropout_scale: Operand | None = None,
    sink: Tensor | None = None,
    score: Callable[[GraphT, Tensor], Tensor] | None = None,
    block_mask: Tensor | None = None,
    descale_q: Tensor | None = None,
    descale_k: Tensor | None = None,
    descale_v: Tensor | None = None,
    descale_s: Tensor | None = None,
    scale_s: Tensor | None = None,
    scale_o: Tensor | None = None,
    stats: bool = False,
    stats_log2: bool = False,
    return_mask: bool = False,
    return_rows: Rows = False,
    form: Form | None = None,
    ragged_offset: Tensor | None = None,
    name: str | None = None,
    data_type: DType | None = None,
    strides: Sequence[int] | None = None,
    layout: Layout | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Add `softmax(scale * q @ k.T) @ v`, with changes of the scores in between.

    The order is: scale, `score`, bias, alibi, padding, the bands of `causal` and `window`,
    softmax with `sink`, dropout.

    Args:
        q: queries (batch, heads, length, width); HALF, BFLOAT16, FLOAT, or FP8 with all its
            scales.
        k: keys (batch, heads, length, width); its heads divide those of `q`. With a page table:
            blocks of keys, (blocks, heads, block size, width).
        v: values (batch, heads, length, width); widths of keys and values may differ.
        scale: of the scores; by default 1 / sqrt(width). A tensor without a known number has
            to be above zero: cuDNN writes NaN for others, without an error.
        causal: whether a query sees no later keys; "bottom_right" sets `diagonal`, too.
        window: (left, right): how many keys before and after its own a query sees; None for all.
            A negative `left` hides its own key, and -left - 1 keys before it. The result of a
            query that sees no key is zero, NaN with FLOAT; its statistics are -inf.
        diagonal: where the diagonal of `causal` and `window` ends: "top_left": query i goes
            with key i; "bottom_right": the last query goes with the last key.
        bias: is added to the scores; (batch or 1, heads or 1, queries or 1, keys).
        alibi: slopes, (1, heads, 1, 1) FLOAT: slope * (key - query) is added; needs `causal`.
            `graph.alibi_slopes` has the usual ones.
        seq_len_q, seq_len_kv: lengths of each batch entry, (batch, 1, 1, 1) INT32; elements
            after them are not computed, and must be finite; some results are not written: see
            the record `attention-lengths-unwritten` of `cudnn_cffi.errata`. So set these first, as
            `ops.attention` does. Ragged tensors and page tables need lengths.
        cu_seq_len_q, cu_seq_len_kv: where each entry begins and the last one ends, in their
            place, (batch + 1, 1, 1, 1) INT32.
        page_table_k, page_table_v: the blocks of each entry, (batch, 1, blocks, 1) INT32.
        max_seq_len_kv: the maximum number of keys of an entry, with page tables; by default all
            that a table has room for.
        dropout: the probability that an element of softmax is dropped; the others are scaled by
            1 / (1 - dropout). cuDNN's Philox generator makes the mask from `seed` and `offset`.
        seed, offset: (1, 1, 1, 1) INT64 in device memory, or numbers.
        dropout_mask: ones and zeros (batch, heads, queries, keys), in place of seed and offset;
            FLOAT, HALF or BFLOAT16.
        dropout_scale: the factor of elements that the mask keeps, in place of
            `dropout`: a number, or (1, 1, 1, 1) FLOAT.
        sink: a logit for each head that takes part in the sum, (1, heads, 1, 1) FLOAT.
        score: a function `(graph, scores) -> scores` of pointwise operations; it may use
            tensors of this graph.
        block_mask: a bit for each block of scores that is computed, (batch, heads, blocks of
            queries, bytes of blocks of keys) UINT8; the kernels of a device decide how large
            blocks are. Only engines for Blackwell take it.
        descale_q, descale_k, descale_v, descale_s, scale_s, scale_o: of FP8: the factors of its
            tensors, and of softmax's result, after reading and before writing;
            (1, 1, 1, 1) FLOAT.
        stats: whether to return the logarithm of each row's sum of exponentials, too, which the
            gradient needs: (batch, heads, queries, 1) FLOAT.
        stats_log2: whether statistics are logarithms to the base 2. The gradient takes natural
            ones only.
        return_mask: whether to return the dropout mask, too.
        return_rows: whether to return the parts of statistics, too, (batch, heads, queries,
            1) FLOAT: the greatest score of each row, and the sum of the exponentials of the
            scores minus that; "max" or "sum" for one of them.
        form: "node" or "composite", to force one; see `Graph.lowered`.
        ragged_offset: of the result, where `q` is ragged and the widths of keys and values
            differ; by default that of `q`, and its strides.
        name: of the node.
        data_type, strides, layout: of the result; by default as `q`.

    Returns:
        The result; or a tuple of it and, if asked for, the statistics, the mask, the
        maxima and sums of rows, and with FP8 the greatest absolute values of softmax's result
        and of the result.

    Raises:
        ShapeMismatchError: shapes do not go together.
        ArgumentError: options contradict each other, or a type or width is none that cuDNN has.
        NotSupportedError: from `lowered` and `computation`: the release can not do it.
    """
    stats = boolean(stats, "attention stats")
    return_mask = boolean(return_mask, "attention return_mask")
    given = locals() | {"stats_log2": (boolean(stats_log2, "stats_log2") and stats) or None}
    inputs, options = _read(self, _FORWARD, given, bounds("attention", causal, window, diagonal))
    _check_mask("attention", inputs, return_mask)
    rows = _rows(return_rows)
    if score is not None:
        options["score"] = _trace_score(self, inputs, options, "score", score)
    results = ["o", *["stats"] * stats, *["mask"] * return_mask, *rows]
    if descale_q is not None:
        results += ["amax_s", "amax_o"]
    node = self._add_node(_FORWARD, inputs, options, name, results, data_type, strides, layout)
    o = node.outputs["o"]
    _lay_ragged(o, q, _ragged(self, q, v, ragged_offset), strides is None and layout is None)
    found = tuple(node.outputs.values())
    return found if len(found) > 1 else o


def attention_backward(
    self: GraphT,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    do: Tensor,
    stats: Tensor,
    *,
    scale: Operand | None = None,
    causal: bool | Corner = False,
    window: Sequence[int | None] | None = None,
    diagonal: Corner = "top_left",
    bias: Tensor | None = None,
    alibi: Tensor | None = None,
    seq_len_q: Tensor | None = None,
    seq_len_kv: Tensor | None = None,
    dropout: float | None = None,
    seed: Operand | None = None,
    offset: Operand | None = None,
    dropout_mask: Tensor | None = None,
    dropout_scale: Operand | None = None,
    sink: Tensor | None = None,
    score: Callable[[GraphT, Tensor], Tensor] | None = None,
    score_backward: Callable[[GraphT, Tensor, Tensor], Tensor] | None = None,
    dbias: bool = False,
    dsink: bool = False,
    deterministic: bool = False,
    return_mask: bool = False,
    fp8: Mapping[str, Tensor] | None = None,
    form: Form | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Add the gradient of attention.

    Args:
        q, k, v: as for `attention`.
        o: the result of `attention`.
        do: the gradient of the result.
        stats: the statistics of `attention`.
        scale, causal, window, diagonal, bias, alibi, seq_len_q, seq_len_kv: as for `attention`.
        dropout, seed, offset, dropout_mask, dropout_scale, sink, score: as for `attention`.
        score_backward: the gradient of `score`: a function
            `(graph, gradient, scores) -> gradient` of pointwise operations.
        dbias: whether to return the gradient of the bias, in its shape.
        dsink: whether to return the gradient of the sink.
        deterministic: whether to come out the same each time, with more memory.
        return_mask: whether to return the dropout mask, too.
        fp8: of FP8: the numbers that tensors are multiplied by, (1, 1, 1, 1) FLOAT each:
            descale_q, descale_k, descale_v, descale_o, descale_do, descale_s and descale_dp
            after reading, scale_s, scale_dp, scale_dq, scale_dk and scale_dv before writing.
            s is softmax's result, dp the gradient of the scores.
        form: "node" or "composite", to force one.
        name: of the node.

    Returns:
        The gradients of queries, keys and values, those of bias and sink, and the dropout mask
        if wanted. With FP8, also the greatest absolute values of the gradients of queries,
        keys, values and scores, before they are scaled.

    Raises:
        ShapeMismatchError, ArgumentError, NotSupportedError: as for `attention`.
    """
    dbias, dsink = (
        boolean(dbias, "attention_backward dbias"),
        boolean(dsink, "attention_backward dsink"),
    )
    return_mask = boolean(return_mask, "attention_backward return_mask")
    scales = _scales(fp8 or {})
    given = locals() | scales | {"deterministic": boolean(deterministic, "deterministic") or None}
    bands = bounds("attention_backward", causal, window, diagonal)
    inputs, options = _read(self, _BACKWARD, given, bands)
    for wanted, port in ((dbias, "bias"), (dsink, "sink")):
        if wanted and port not in inputs:
            raise errors.ArgumentError(f"attention_backward: d{port} needs the {port}")
    _check_mask("attention_backward", inputs, return_mask)
    if (score is None) != (score_backward is None):
        raise errors.ArgumentError(
            "attention_backward: expected both score and score_backward or neither, got one"
        )
    if score is not None and score_backward is not None:
        options["score"] = _trace_score(self, inputs, options, "score", score)
        options["score_backward"] = _trace_score(
            self, inputs, options, "score_backward", score_backward, 2
        )
    results = ["dq", "dk", "dv", *["dbias"] * dbias, *["dsink"] * dsink, *["mask"] * return_mask]
    if scales:
        results += ["amax_dq", "amax_dk", "amax_dv", "amax_dp"]
    node = self._add_node(_BACKWARD, inputs, options, name, results)
    for port in "qkv":
        _lay_ragged(node.outputs[f"d{port}"], inputs[port], inputs[port].ragged_offset)
    return tuple(node.outputs.values())


def _scales(fp8: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the scales of FP8; refuse other names."""
    known = SCALES["attention_backward"]
    if not isinstance(fp8, Mapping):
        raise errors.ArgumentError(f"attention_backward: fp8: expected a mapping, got {fp8!r}")
    unknown = fp8.keys() - {*known}
    if unknown:
        raise errors.ArgumentError(
            f"attention_backward: fp8 has no {min(unknown)!r}", hint=f"one of {', '.join(known)}"
        )
    return dict(fp8)


def _rows(wanted: Rows) -> tuple[str, ...]:
    try:
        return _ROWS[wanted if isinstance(wanted, str) else boolean(wanted, "return_rows")]
    except (KeyError, errors.ArgumentError):
        raise errors.ArgumentError(
            f"attention: return_rows: expected a bool, 'max' or 'sum', got {wanted!r}"
        ) from None


def _check_mask(kind: str, inputs: dict[str, Tensor], return_mask: bool) -> None:
    if return_mask and "seed" not in inputs:
        raise errors.ArgumentError(f"{kind}: return_mask needs dropout, with seed and offset")


def _read(
    graph: Builder, operation: Operation, given: dict[str, object], bands: Options
) -> tuple[dict[str, Tensor], Options]:
    """Return the inputs and options of a node, checked as far as no release matters."""
    kind = operation.kind
    given = {**given, "score": ()}  # a function here, and a list of tensors in the record
    inputs = read_inputs(graph, operation, given, numbers=False)
    options = cast("Options", {name: given[name] for name in _KEPT if given.get(name) is not None})
    options.update(bands)
    options["length_kv"] = check_shapes(kind, inputs, options)
    if given["scale"] is None:
        given["scale"] = 1 / math.sqrt(inputs["q"].shape[3])
    inputs |= read_inputs(graph, operation, given, numbers=True)
    check_numbers(kind, inputs)
    check_together(kind, inputs, options)
    return inputs, options


def _trace_score(
    graph: GraphT,
    inputs: dict[str, Tensor],
    options: Options,
    name: str,
    function: Callable[..., Tensor],
    count: int = 1,
) -> Nested:
    """Record a function of scores, and add the tensors that it reads to the inputs."""
    shape = (*inputs["q"].shape[:3], options["length_kv"])
    recorded = trace(graph, name, function, shape, count, Nested)
    for tensor in recorded.captured:
        if all(each is not tensor for each in inputs.values()):
            inputs[f"score{len(inputs)}"] = tensor
    return recorded


def _ragged(self: Builder, q: Tensor, v: Tensor, offset: Tensor | None) -> Tensor | None:
    """Return the ragged offset of the result."""
    if offset is not None:
        return self._own(offset, "ragged_offset")
    if q.ragged_offset is not None and q.shape[3] != v.shape[3]:
        raise errors.ArgumentError(
            f"attention: queries of width {q.shape[3]} are ragged and values have the width "
            f"{v.shape[3]}: the result needs offsets of its own, as ragged_offset"
        )
    return q.ragged_offset


def _lay_ragged(made: Tensor, like: Tensor, offset: Tensor | None, is_free: bool = True) -> None:
    """Give a result its ragged offset; the strides of the tensor that has it too, if it may."""
    made.ragged_offset, made.ragged_multiplier = offset, like.ragged_multiplier
    if is_free and offset is like.ragged_offset is not None and made.shape == like.shape:
        made.strides = like.strides  # offsets count elements between its rows


def alibi_slopes(heads: int) -> list[float]:
    """Return the slopes of ALiBi: a geometric series, and for other than powers of two its halves.

    Args:
        heads: how many heads there are, at most 65,536.

    Raises:
        ArgumentError: it is no such number.
    """
    (heads,) = integers(heads=heads)
    if not 0 < heads <= _MAX_HEADS:
        raise errors.ArgumentError(f"heads: expected 1 to {_MAX_HEADS}, got {heads}")
    whole = 1 << (heads.bit_length() - 1)
    slopes = [2 ** (-8 * (i + 1) / whole) for i in range(whole)]
    return slopes + [2 ** (-4 * (2 * i + 1) / whole) for i in range(heads - whole)]
