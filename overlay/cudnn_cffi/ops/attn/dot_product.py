"""Scaled dot product attention and its gradients, by graphs."""

from __future__ import annotations

import math
from typing import Any, Generic, NamedTuple

from ... import arrays, errors
from ..._operation.functions import function
from ..._ways.array_spec import Spec, check_shape, in_front
from ..._ways.case import Case, Unfit, Way
from ..._ways.graph_draft import Draft
from ..._ways.type_variables import ArrayT, KeptT
from ...choice.policy import Engine, Rule
from ...errata.asks import wrong_function
from . import same_bits
from .base import ARRAYS, FP8, SCALES, Attending, like_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from ..._ways.signatures import (
        Array,
        CallStream,
        Choose,
        Corner,
        Device,
        Form,
        Handle,
        Out,
        Score,
        ScoreBackward,
    )
    from .base import GradientCall


class AttentionResults(NamedTuple, Generic[ArrayT, KeptT]):
    """The results of attention.

    Attributes:
        o: the result.
        stats: the logarithm of the sum of exponentials of each row, which the gradient needs; None
            if it was not wanted.
    """

    o: ArrayT
    stats: KeptT


class AttentionFP8Results(NamedTuple, Generic[ArrayT, KeptT]):
    """The results of attention of FP8.

    Attributes:
        o, stats: as in `AttentionResults`.
        amax_s, amax_o: the greatest absolute value of softmax's result, and of the result before
            it was scaled.
    """

    o: ArrayT
    stats: KeptT
    amax_s: ArrayT
    amax_o: ArrayT


class AttentionGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of attention; that of the bias is None if it was not wanted."""

    q: ArrayT
    k: ArrayT
    v: ArrayT
    bias: ArrayT | None


class AttentionSinkGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of attention with a sink; that of the bias is None if it was not wanted."""

    q: ArrayT
    k: ArrayT
    v: ArrayT
    bias: ArrayT | None
    sink: ArrayT


class AttentionFP8Gradients(NamedTuple, Generic[ArrayT]):
    """The gradients of attention of FP8, and the greatest absolute values before they are scaled.

    Attributes:
        q, k, v: the gradients.
        amax_q, amax_k, amax_v, amax_p: of the gradients, and of the scores' gradient.
    """

    q: ArrayT
    k: ArrayT
    v: ArrayT
    amax_q: ArrayT
    amax_k: ArrayT
    amax_v: ArrayT
    amax_p: ArrayT


def _one(like: Spec) -> Spec:
    """Return one float32 as the graph has it."""
    return Spec("float32", (1, 1, 1, 1), (1, 1, 1, 1), like.device)


class Attention(Attending):
    """Attention: o = dropout(softmax(scale * q k' + bias)) v.

    Formula: softmax(scale q k' + bias) v
    Arrays: q, k, v (batch, heads, length, width) or ragged (vectors, heads, width), float16,
        bfloat16, FP8, or float32 without dropout; pages, ALiBi, sinks, masks; returns `o` and
        `stats`, which is None without `stats=True`
    Ways: or a composite, as `Graph.attention`
    Edges: scores that overflow float32: the row is NaN, or 0; infinite scores: the row may be
        finite (PyTorch: NaN); NaN or infinities after `seq_len_q` and `seq_len_kv`: may reach
        results and gradients; a NaN or an infinity of queries that do not see a key: the key's
        gradients may be finite (PyTorch: NaN)
    """

    word = "attention"
    by = "a graph (SDPA_FWD)"
    gradient = ("attention_backward",)

    def __init__(
        self, scale: float | None = None, *, causal: bool | Corner = False,
        window: Sequence[int | None] | None = None, diagonal: Corner = "top_left",
        dropout: float = 0.0, stats: bool = False, max_q_length: int | None = None,
        max_kv_length: int | None = None, score: Score | None = None, form: Form | None = None,
        checked: bool | None = None, choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make an attention.

        Args:
            scale: of the scores; by default 1 / sqrt(width).
            causal, window, diagonal: which keys a query sees; see `Graph.attention`.
            dropout: the probability with which an element of softmax becomes zero.
            stats: whether to return what the gradient needs, too.
            max_q_length, max_kv_length: the length of the longest sequence, for ragged arrays, and
                that of keys with page tables.
            score: a function of the scores of `Graph.attention`, such as a soft cap.
            form: "node" or "composite", to force one; see `Graph.attention`.
            checked: whether to compare lengths, offsets and page tables with their limits before
                anything runs, as `DecodeAttention` does.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        self._start(
            scale, causal, window, diagonal, dropout, max_q_length, max_kv_length, score, form,
            choose, checked, stats=stats,
        )  # fmt: skip

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs; those of greatest values are FP8's."""
        return ("o", "stats", "amax_s", "amax_o") if self.options["stats"] else (
            "o", "amax_s", "amax_o",
        )  # fmt: skip

    def __call__(
        self, q: ArrayT, k: Array, v: Array, *, bias: Array | None = None,
        seq_len_q: Array | None = None, seq_len_kv: Array | None = None, seed: Array | None = None,
        offset: Array | None = None, alibi: Array | None = None, sink: Array | None = None,
        dropout_mask: Array | None = None, page_table_k: Array | None = None,
        page_table_v: Array | None = None, offsets_q: Array | None = None,
        offsets_k: Array | None = None, offsets_v: Array | None = None,
        offsets_o: Array | None = None, descale_q: Array | None = None,
        descale_k: Array | None = None, descale_v: Array | None = None,
        descale_s: Array | None = None, scale_s: Array | None = None, scale_o: Array | None = None,
        out: Out = None, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Compute attention.

        Args:
            q: queries (batch, heads, length, width), float16, bfloat16, FP8, or float32 without
                dropout, with any strides whose last one is 1; ragged ones (vectors, heads, width).
                Gradients of float32 are computed by `Graph.attention_backward` only.
            k, v: keys and values, likewise; their heads divide those of `q`. With a page table:
                blocks, (blocks, heads, block size, width).
            bias: is added to the scores; (batch or 1, heads or 1, queries, keys), or fewer axes.
            seq_len_q, seq_len_kv: the length of each example, (batch,) int32 or int64 in device
                memory. Queries after the length, queries without a key, and elements of ragged
                arrays between examples have results and gradients of zero, and statistics of -inf.
                NaN and infinities there may reach other results.
            seed, offset: of the dropout, one element of int64 each in device memory.
            alibi: slopes, (heads,) float32, for `causal`; `graph.alibi_slopes` has the usual ones.
            sink: a logit for each head that takes part in the sum, (heads,) float32.
            dropout_mask: ones and zeros (batch, heads, queries, keys), in place of seed and offset.
            page_table_k, page_table_v: the blocks of each example, (batch, blocks) int32 or int64.
            offsets_q, offsets_k, offsets_v: of ragged arrays, where each example begins, and the
                end of the last one, in elements: (batch + 1,) int32 or int64.
            offsets_o: the same for the result, where the widths of keys and values differ, or its
                vectors are not as far apart as those of `q`.
            descale_q, descale_k, descale_v: for FP8, the factors of `q`, `k` and `v` after they are
                read, an array of one float32 in device memory each.
            scale_s, descale_s: likewise, the factors of softmax's result before it becomes FP8, and
                after it is read.
            scale_o: likewise, the factor of the result before it is written.
            out: `o`, or a tuple of outputs, with None for those to be made.
            handle, stream, choose: as for `Convolution`.

        Returns: `AttentionResults`; for FP8 `AttentionFP8Results`.
        """
        scales = (descale_q, descale_k, descale_v, descale_s, scale_s, scale_o)
        given = (
            q, k, v, bias, seq_len_q, seq_len_kv, seed, offset, alibi, sink, dropout_mask,
            page_table_k, page_table_v, offsets_q, offsets_k, offsets_v, offsets_o, *scales,
        )  # fmt: skip
        got = self.run(given, out, handle, stream, choose)
        stats = self.options["stats"]
        if any(each is not None for each in scales):
            return AttentionFP8Results(*(got if stats else (got[0], None, *got[1:])))
        return AttentionResults(*got) if stats else AttentionResults(got, None)

    def results(self, case: Case) -> dict[str, Spec]:
        specs = case.inputs
        self._check(specs)
        q, v = specs["q"], specs["v"]
        if self._is_ragged("q", specs):
            shape = (*q.shape[:2], v.shape[2])
            found = {"o": Spec(q.dtype, shape, arrays.packed_strides(shape), q.device)}
        else:
            found = {"o": like_array((*q.shape[:3], v.shape[3]), q)}
        if self.options["stats"]:
            shape = (*self._lengths(specs), 1)
            found["stats"] = Spec("float32", shape, arrays.packed_strides(shape), q.device)
        if q.dtype in FP8:
            found |= {"amax_s": _one(q), "amax_o": _one(q)}
        return found

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node of attention."""
        found = self._inputs(draft, ("q", "k", "v"))
        wanted, specs = self.options["stats"], draft.inputs
        more = self._keywords(draft)
        if "page_table_k" in specs or "page_table_v" in specs:
            more["max_seq_len_kv"] = self.options["max_kv_length"]
        if "offsets_o" in specs:
            more["ragged_offset"] = self._small(draft, "offsets_o", self._kinds(dict(specs)))
        made = draft.graph.attention(
            found["q"], found["k"], found["v"], stats=wanted, **self._scales(draft), **more
        )
        made = made if isinstance(made, tuple) else (made,)
        self._result(draft, made[0], "o", specs)
        for name, each in zip([n for n in self.gives[1:] if n in draft.outputs], made[1:],
                              strict=True):  # fmt: skip
            draft.output(each, name)

    def _unwritten(self, case: Case) -> dict[str, float]:
        specs = case.inputs
        found = {"o": 0.0, "stats": -math.inf} if "seq_len_kv" in specs else {}
        return {name: value for name, value in found.items() if name in case.outputs}

    def backward(
        self,
        do: Array,
        q: Array,
        k: Array,
        v: Array,
        o: Array,
        stats: Array,
        **call: Unpack[GradientCall],
    ) -> Any:
        """Return the gradients; see `AttentionBackward` and its call."""
        options = {name: value for name, value in self.options.items() if name != "stats"}
        more: dict[str, Any] = dict(call)
        for name in ("dbias", "dsink", "deterministic", "score_backward"):
            if name in more:
                options[name] = more.pop(name)
        return self._like(AttentionBackward, **options)(do, q, k, v, o, stats, **more)


class AttentionBackward(Attending):
    """The gradients of attention for queries, keys and values, for the bias and the sink.

    Formula: for q, k, v, bias and sink: with p = softmax(s): dv = p' do; ds = p (do v' - sum of do
        o); dq = scale ds k; dk = scale ds' q; dbias = ds
    Arrays: do, q, k, v, o, stats
    Ways: or a composite
    """

    word = "attention_backward"
    by = "a graph (SDPA_BWD)"
    section = "data"
    takes: tuple[str, ...] = ("do", "q", "k", "v", "o", "stats", *ARRAYS, *SCALES[1])
    optional = frozenset((*ARRAYS, *SCALES[1]))
    in_c_order = frozenset({"dsink"})

    def __init__(
        self, scale: float | None = None, *, causal: bool | Corner = False,
        window: Sequence[int | None] | None = None, diagonal: Corner = "top_left",
        dropout: float = 0.0, dbias: bool = False, dsink: bool = False, deterministic: bool = False,
        max_q_length: int | None = None, max_kv_length: int | None = None,
        score: Score | None = None, score_backward: ScoreBackward | None = None,
        form: Form | None = None, checked: bool | None = None, choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make the gradients.

        Args:
            scale, causal, window, diagonal, dropout, score, form, checked: as for `Attention`.
            max_q_length, max_kv_length: as for `Attention`.
            dbias: whether to return the gradient of the bias.
            dsink: whether to return the gradient of the sink.
            deterministic: whether results have the same bits each time; a deterministic choice has
                the same effect. Memory grows with the product of both lengths up to 256 MiB, and
                for a score, dropout, dbias or lengths; for a window or bias with the product for
                one head; else with one length.
            score_backward: the gradient of `score`; see `Graph.attention_backward`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if (score is None) != (score_backward is None):
            raise errors.ArgumentError("expected score and score_backward together, got one")
        self._start(
            scale, causal, window, diagonal, dropout, max_q_length, max_kv_length, score, form,
            choose, checked, dbias=dbias, dsink=dsink, deterministic=deterministic,
            score_backward=score_backward,
        )  # fmt: skip

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs; those of greatest values are FP8's."""
        more = [name for name in ("dbias", "dsink") if self.options[name]]
        return ("dq", "dk", "dv", *more, "amax_dq", "amax_dk", "amax_dv", "amax_dp")

    def __call__(
        self, do: ArrayT, q: Array, k: Array, v: Array, o: Array, stats: Array, *,
        bias: Array | None = None, seq_len_q: Array | None = None, seq_len_kv: Array | None = None,
        seed: Array | None = None, offset: Array | None = None, alibi: Array | None = None,
        sink: Array | None = None, dropout_mask: Array | None = None,
        offsets_q: Array | None = None, offsets_k: Array | None = None,
        offsets_v: Array | None = None, offsets_o: Array | None = None,
        descale_q: Array | None = None, descale_k: Array | None = None,
        descale_v: Array | None = None, descale_o: Array | None = None,
        descale_do: Array | None = None, descale_s: Array | None = None,
        descale_dp: Array | None = None, scale_s: Array | None = None,
        scale_dp: Array | None = None, scale_dq: Array | None = None,
        scale_dk: Array | None = None, scale_dv: Array | None = None, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Compute the gradients.

        Args:
            do: the gradient of the result.
            q, k, v, bias, seq_len_q, seq_len_kv, seed, offset, alibi, sink, dropout_mask: as in the
                forward call.
            offsets_q, offsets_k, offsets_v, offsets_o: as in the forward call.
            o, stats: returned by the forward call.
            descale_q, descale_k, descale_v, descale_o, descale_do: for FP8, the factors of `q`,
                `k`, `v`, `o` and `do` after they are read, an array of one float32 in device memory
                each.
            scale_s, descale_s: likewise, the factors of softmax's result before it becomes FP8, and
                after it is read.
            scale_dp, descale_dp: the same for the gradient of softmax's input.
            scale_dq, scale_dk, scale_dv: likewise, the factors of the gradients before they are
                written.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.

        Returns: `AttentionGradients`; with `dsink` `AttentionSinkGradients`; for FP8
            `AttentionFP8Gradients`.
        """
        scales = (
            descale_q, descale_k, descale_v, descale_o, descale_do, descale_s, descale_dp, scale_s,
            scale_dp, scale_dq, scale_dk, scale_dv,
        )  # fmt: skip
        given = (
            do, q, k, v, o, stats, bias, seq_len_q, seq_len_kv, seed, offset, alibi, sink,
            dropout_mask, None, None, offsets_q, offsets_k, offsets_v, offsets_o, *scales,
        )  # fmt: skip
        got = self.run(given, out, handle, stream, choose)
        if any(each is not None for each in scales):
            return AttentionFP8Gradients(*got)
        rest = list(got[3:])
        dbias = rest.pop(0) if self.options["dbias"] else None
        if self.options["dsink"]:
            return AttentionSinkGradients(got[0], got[1], got[2], dbias, rest.pop(0))
        return AttentionGradients(got[0], got[1], got[2], dbias)

    def find_way(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return a way to compute a case by a rule: by another graph, where bits are to stay."""
        do, o = case.inputs["do"], case.inputs["o"]
        if why := wrong_function(self.word, {"do": do.strides, "o": o.strides}, do.device):
            raise Unfit(why)
        if not rule.keeps_bits or self.options["deterministic"]:
            return super().find_way(case, rule, handle, device)
        other = self._like(AttentionBackward, **{**self.options, "deterministic": True})
        return other.find_way(case, rule, handle, device)

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return plans of blocks of keys where one of all keys takes memory for all scores."""

        def whole() -> Way:
            return super(AttentionBackward, self)._planned(case, rule, handle, device)

        def part(inner: Case, options: Mapping[str, Any]) -> Way:
            like = self._like(AttentionBackward, **options)
            return Attending._planned(like, inner, rule, handle, device)

        if not self.options["deterministic"] or isinstance(rule.pick, Engine):
            return whole()
        return same_bits.find(case, self.options, whole, part, handle, device)

    def results(self, case: Case) -> dict[str, Spec]:
        specs = case.inputs
        self._check(specs)
        q, v = specs["q"], specs["v"]
        of_o = (*q.shape[:-1], v.shape[-1])
        shapes = {"do": of_o, "o": of_o, "stats": (*self._lengths(specs), 1)}
        for name, shape in shapes.items():
            check_shape(specs[name], shape, name)
        if specs["stats"].dtype != "float32":
            raise errors.ArgumentError(f"stats: expected float32, got {specs['stats'].dtype}")
        found = {f"d{name}": like_array(specs[name].shape, specs[name]) for name in ("q", "k", "v")}
        for name in ("bias", "sink"):
            if not self.options[f"d{name}"]:
                continue
            if name not in specs:
                raise errors.ArgumentError(f"d{name}: expected a {name}, got None")
            found[f"d{name}"] = like_array(specs[name].shape, specs[name])
        if q.dtype in FP8:
            if self.options["dbias"] or self.options["dsink"]:
                raise errors.ArgumentError("dbias and dsink: cuDNN does not compute them for FP8")
            found |= dict.fromkeys(("amax_dq", "amax_dk", "amax_dv", "amax_dp"), _one(q))
        return found

    def _unwritten(self, case: Case) -> dict[str, float]:
        specs = case.inputs
        names = ("dk", "dv", *["dq"] * self._is_ragged("q", specs))  # rows of no example
        return dict.fromkeys(names if "seq_len_kv" in specs else (), 0.0)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradients."""
        specs, options = draft.inputs, self.options
        found = self._inputs(draft, ("do", "q", "k", "v", "o", "stats"))
        more = self._keywords(draft)
        if options["score_backward"] is not None:
            more["score_backward"] = options["score_backward"]
        if scales := self._scales(draft):
            more["fp8"] = scales
        made = draft.graph.attention_backward(
            found["q"], found["k"], found["v"], found["o"], found["do"], found["stats"],
            dbias=options["dbias"], dsink=options["dsink"],
            deterministic=options["deterministic"], **more,
        )  # fmt: skip
        names = [name for name in self.gives if name in draft.outputs]
        for name, each in zip(names, made, strict=True):
            if name in ("dq", "dk", "dv"):
                self._result(draft, each, name, specs)
            elif name == "dsink":
                kind = self._kinds(dict(specs))["sink"]
                spec = draft.outputs[name]._replace(
                    shape=kind.shape, strides=arrays.packed_strides(kind.shape)
                )
                draft.output(each, name, spec)
            elif name == "dbias":
                draft.output(each, name, in_front(draft.outputs[name], 4))
            else:
                draft.output(each, name)


attention = function(
    Attention,
    summary="Compute attention: o = dropout(softmax(scale * q k' + bias)) v.",
)


attention_backward = function(
    AttentionBackward,
    summary=("Return the gradients of attention for queries, keys, values, bias and sink."),
)
