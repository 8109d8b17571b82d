"""Scaled dot product attention, forward and backward.

Each is one node of the graph. `Graph.lowered` shows what it becomes: one operation where the
release has one that can do what is asked, else a composite of matmuls, pointwise operations and
reductions, which cuDNN compiles into one kernel all the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack, overload

from ... import errors
from ..._support.arguments import integers
from ..attn import forms
from ..attn.checks import SCALES, bounds, check_numbers, check_shapes, check_together
from ..attn.options import AttentionOptions, Rows, Score, ScoreBackward
from ..lower.composites import COMPOSITES
from ..nested import trace
from ..record.operations import OPERATIONS
from ..tensors import Tensor
from .pointwise import Operand
from .special import Special

_SCALES = SCALES["attention"]

_MOST_HEADS = 1 << 16


COMPOSITES["attention"] = forms.lower_forward
COMPOSITES["attention_backward"] = forms.lower_backward


class Attention(Special):
    """Scaled dot product attention."""

    @overload
    def attention(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        *,
        stats: Literal[False] = False,
        return_mask: Literal[False] = False,
        return_rows: Literal[False] = False,
        **options: Unpack[AttentionOptions],
    ) -> Tensor: ...
    @overload
    def attention(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        *,
        stats: Literal[True],
        return_mask: bool = False,
        return_rows: Rows = False,
        descale_q: Tensor | None = None,
        descale_k: Tensor | None = None,
        descale_v: Tensor | None = None,
        descale_s: Tensor | None = None,
        scale_s: Tensor | None = None,
        scale_o: Tensor | None = None,
        **options: Unpack[AttentionOptions],
    ) -> tuple[Tensor, ...]: ...
    @overload
    def attention(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        *,
        stats: bool = False,
        return_mask: bool = False,
        return_rows: Rows = False,
        descale_q: Tensor | None = None,
        descale_k: Tensor | None = None,
        descale_v: Tensor | None = None,
        descale_s: Tensor | None = None,
        scale_s: Tensor | None = None,
        scale_o: Tensor | None = None,
        **options: Unpack[AttentionOptions],
    ) -> Any: ...
    def attention(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        *,
        scale: Operand | None = None,
        causal: bool | str = False,
        window: Sequence[int | None] | None = None,
        diagonal: str = "top_left",
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
        score: Score | None = None,
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
        form: str | None = None,
        ragged_offset: Tensor | None = None,
        name: str | None = None,
        data_type: Any = None,
        strides: Any = None,
        layout: Any = None,
    ) -> Any:
        """Add `softmax(scale * q @ k.T) @ v`, with what is done to the scores in between.

        The order is: scale, `score`, bias, alibi, padding, the bands of `causal` and `window`,
        softmax with `sink`, dropout.

        Args:
            q: queries (batch, heads, length, width); HALF, BFLOAT16, FLOAT, or FP8 with all its
                scales.
            k: keys (batch, heads, length, width); its heads divide those of `q`. With a page table:
                blocks of keys, (blocks, heads, block size, width).
            v: values (batch, heads, length, width); widths of keys and values may differ.
            scale: of the scores; 1 / sqrt(width) without one. A tensor without a known number has
                to be above zero: cuDNN writes NaN for others, without an error.
            causal: whether a query sees no later keys; "bottom_right" sets `diagonal`, too.
            window: (left, right): a query sees so many keys before and after its own; None for all.
                A negative `left` hides its own key, and -left - 1 keys behind it. The result of a
                query that sees no key is zero, NaN with FLOAT; its statistics are -inf.
            diagonal: where the diagonal of `causal` and `window` ends: "top_left": query i goes
                with key i; "bottom_right": the last query goes with the last key.
            bias: is added to the scores; (batch or 1, heads or 1, queries or 1, keys).
            alibi: slopes, (1, heads, 1, 1) FLOAT: slope * (key - query) is added; needs `causal`.
                `graph.alibi_slopes` has the usual ones.
            seq_len_q, seq_len_kv: lengths of each batch entry, (batch, 1, 1, 1) INT32; what is
                behind them is not computed. Engines do not write what belongs to an entry with
                queries and no key: its results and statistics, and gradients of its keys and
                values; with FLOAT, no results behind the lengths (measured with 9.19). So set
                these first, as `ops.attention` does. Ragged tensors and page tables need lengths.
            cu_seq_len_q, cu_seq_len_kv: where each entry begins and the last one ends, in their
                place, (batch + 1, 1, 1, 1) INT32.
            page_table_k, page_table_v: the blocks of each entry, (batch, 1, blocks, 1) INT32.
            max_seq_len_kv: the most keys of an entry, with page tables; all that a table has room
                for without one.
            dropout: the probability that an element of softmax is dropped; the others are scaled by
                1 / (1 - dropout). cuDNN's Philox generator makes the mask from `seed` and `offset`.
            seed, offset: (1, 1, 1, 1) INT64 in device memory, or numbers.
            dropout_mask: ones and zeros (batch, heads, queries, keys), in place of seed and offset;
                FLOAT, HALF or BFLOAT16.
            dropout_scale: what elements that the mask keeps are multiplied by, in place of
                `dropout`: a number, or (1, 1, 1, 1) FLOAT.
            sink: a logit for each head that takes part in the sum, (1, heads, 1, 1) FLOAT.
            score: a function `(graph, scores) -> scores` of pointwise operations; it may use
                tensors of this graph.
            block_mask: a bit for each block of scores that is computed, (batch, heads, blocks of
                queries, bytes of blocks of keys) UINT8; the kernels of a device decide how large
                blocks are. Only engines for Blackwell take it.
            descale_q, descale_k, descale_v, descale_s, scale_s, scale_o: of FP8: what its tensors,
                and softmax's result, are multiplied by after reading and before writing;
                (1, 1, 1, 1) FLOAT.
            stats: whether to return the logarithm of each row's sum of exponentials, too, which the
                gradient needs: (batch, heads, queries, 1) FLOAT.
            stats_log2: whether statistics are logarithms to the base 2. The gradient takes natural
                ones only.
            return_mask: whether to return the dropout mask, too.
            return_rows: whether to return what statistics are made of, too, (batch, heads, queries,
                1) FLOAT: the greatest score of each row, and the sum of the exponentials of what is
                left of each score without it; "max" or "sum" for one of them.
            form: "node" or "composite", to force one; see `Graph.lowered`.
            ragged_offset: of the result, where `q` is ragged and the widths of keys and values
                differ; without one, that of `q`.
            name: of the node.
            data_type, strides, layout: of the result; without them, as `q`.

        Returns:
            The result; or a tuple of it and, where they are wanted, the statistics, the mask, the
            maxima and sums of rows, and with FP8 the greatest absolute values of softmax's result
            and of the result.

        Raises:
            ShapeMismatchError: shapes do not go together.
            ArgumentError: options contradict each other, or a type or width is none that cuDNN has.
            NotSupportedError: from `lowered` and `computation`: the release can not do it.
        """
        scales = dict(
            zip(
                _SCALES,
                (descale_q, descale_k, descale_v, descale_s, scale_s, scale_o),
                strict=True,
            )
        )
        inputs, options = self._attention_inputs(
            "attention",
            {"q": q, "k": k, "v": v},
            {"bias": bias, "alibi": alibi, "sink": sink, "dropout_mask": dropout_mask}
            | {"seq_len_q": seq_len_q, "seq_len_kv": seq_len_kv, "block_mask": block_mask}
            | {"cu_seq_len_q": cu_seq_len_q, "cu_seq_len_kv": cu_seq_len_kv}
            | {"page_table_k": page_table_k, "page_table_v": page_table_v, **scales},
            {"scale": scale, "seed": seed, "offset": offset, "dropout_scale": dropout_scale},
            {"causal": causal, "window": window, "diagonal": diagonal},
            {"dropout": dropout, "form": form, "max_seq_len_kv": max_seq_len_kv}
            | {"stats_log2": (stats and stats_log2) or None},
        )
        if return_mask and "seed" not in inputs:
            raise errors.ArgumentError("attention: return_mask needs dropout, with seed and offset")
        rows = {False: (), True: ("row_max", "row_sum"), "max": ("row_max",), "sum": ("row_sum",)}
        if return_rows not in rows:
            raise errors.ArgumentError(
                f"attention: return_rows is a bool, 'max' or 'sum', got {return_rows!r}"
            )
        if score is not None:
            self._add_score(inputs, options, "score", score)
        results = ["o"]
        results += ["stats"] * stats + ["mask"] * return_mask
        results += rows[return_rows]
        if descale_q is not None:
            results += ["amax_s", "amax_o"]
        node = self.add_node(
            *(OPERATIONS["attention"], inputs, options, name, results, data_type, strides, layout)
        )
        o = node.outputs["o"]
        o.ragged_offset = self._ragged(q, v, ragged_offset)
        o.ragged_multiplier = q.ragged_multiplier
        found = tuple(node.outputs.values())
        return found if len(found) > 1 else o

    def attention_backward(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        o: Tensor,
        do: Tensor,
        stats: Tensor,
        *,
        scale: Operand | None = None,
        causal: bool | str = False,
        window: Sequence[int | None] | None = None,
        diagonal: str = "top_left",
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
        score: Score | None = None,
        score_backward: ScoreBackward | None = None,
        dbias: bool = False,
        dsink: bool = False,
        deterministic: bool = False,
        return_mask: bool = False,
        fp8: Mapping[str, Tensor] | None = None,
        form: str | None = None,
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
        inputs, options = self._attention_inputs(
            "attention_backward",
            {"q": q, "k": k, "v": v, "o": o, "do": do, "stats": stats},
            {"bias": bias, "alibi": alibi, "sink": sink, "dropout_mask": dropout_mask}
            | {"seq_len_q": seq_len_q, "seq_len_kv": seq_len_kv, **(fp8 or {})},
            {"scale": scale, "seed": seed, "offset": offset, "dropout_scale": dropout_scale},
            {"causal": causal, "window": window, "diagonal": diagonal},
            {"dropout": dropout, "form": form, "deterministic": deterministic or None},
        )
        for wanted, port in ((dbias, "bias"), (dsink, "sink")):
            if wanted and port not in inputs:
                raise errors.ArgumentError(f"attention_backward: d{port} needs the {port}")
        if return_mask and "seed" not in inputs:
            raise errors.ArgumentError(
                "attention_backward: return_mask needs dropout, with seed and offset"
            )
        if (score is None) != (score_backward is None):
            raise errors.ArgumentError(
                "attention_backward: score and score_backward go together, got one"
            )
        if score is not None and score_backward is not None:
            self._add_score(inputs, options, "score", score)
            self._add_score(inputs, options, "score_backward", score_backward)
        results = ["dq", "dk", "dv", *["dbias"] * dbias, *["dsink"] * dsink]
        results += ["mask"] * return_mask
        if fp8:
            results += ["amax_dq", "amax_dk", "amax_dv", "amax_dp"]
        node = self.add_node(OPERATIONS["attention_backward"], inputs, options, name, results)
        for port in "qkv":
            gradient, tensor = node.outputs[f"d{port}"], inputs[port]
            gradient.ragged_offset = tensor.ragged_offset
            gradient.ragged_multiplier = tensor.ragged_multiplier
        return tuple(node.outputs.values())

    def _attention_inputs(
        self,
        kind: str,
        tensors: dict[str, Any],
        optional: dict[str, Any],
        numbers: dict[str, Any],
        bands: dict[str, Any],
        settings: dict[str, Any],
    ) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return the inputs and options of a node, checked as far as no release matters."""
        optional = {port: each for port, each in optional.items() if each is not None}
        self._check_tensors(kind, **tensors, **optional)
        inputs: dict[str, Tensor] = {**tensors, **optional}
        options = {key: each for key, each in settings.items() if each is not None}
        options |= bounds(kind, **bands)
        options["length_kv"] = check_shapes(kind, inputs, options)
        if numbers["scale"] is None:
            numbers["scale"] = 1 / math.sqrt(inputs["q"].shape[3])
        for port, each in numbers.items():
            if each is not None:
                integer = "INT64" if port in ("seed", "offset") else None
                inputs[port] = self._operand(each, f"{kind} {port}", 4, integer)
        check_numbers(kind, inputs)
        check_together(kind, inputs, options)
        return inputs, options

    def _add_score(
        self, inputs: dict[str, Tensor], options: dict[str, Any], option: str, function: Any
    ) -> None:
        """Record a function of scores as an option, and what it reads of the graph as inputs."""
        q = inputs["q"]
        shape = (*q.shape[:3], options["length_kv"])
        count = 2 if option == "score_backward" else 1
        options[option] = recorded = trace(self, option, function, shape, count)
        for tensor in recorded.captured:
            if all(each is not tensor for each in inputs.values()):
                inputs[f"score{len(inputs)}"] = tensor

    def _ragged(self, q: Tensor, v: Tensor, offset: Tensor | None) -> Tensor | None:
        if offset is not None:
            return self._own(offset, "ragged_offset")
        if q.ragged_offset is not None and q.shape[3] != v.shape[3]:
            raise errors.ArgumentError(
                f"attention: queries of width {q.shape[3]} are ragged and values have the width "
                f"{v.shape[3]}: the result needs offsets of its own, as ragged_offset"
            )
        return q.ragged_offset


def alibi_slopes(heads: int) -> list[float]:
    """Return the slopes of ALiBi: a geometric series, and for other than powers of two its halves.

    Args:
        heads: how many heads there are, at most 65,536.

    Raises:
        ArgumentError: it is no such number.
    """
    (heads,) = integers(heads=heads)
    if not 0 < heads <= _MOST_HEADS:
        raise errors.ArgumentError(f"heads: expected 1 to {_MOST_HEADS}, got {heads}")
    whole = 1 << (heads.bit_length() - 1)
    slopes = [2 ** (-8 * (i + 1) / whole) for i in range(whole)]
    return slopes + [2 ** (-4 * (2 * i + 1) / whole) for i in range(heads - whole)]
