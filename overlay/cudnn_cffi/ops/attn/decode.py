"""Attention of the last queries of sequences whose keys and values lie in pages, by graphs."""

from __future__ import annotations

import math
from typing import Any

from ... import errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import integers, reals
from ..._ways.array_spec import Spec, check_dtype, reshaped
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import Case, Unfit, Way, is_deterministic, plan_of
from ..._ways.graph_draft import Draft
from ..._ways.type_variables import ArrayT
from ...choice import measured
from ...choice.policy import Engine, Rule
from ...errata import asks as errata
from ...errata import get
from .base import FP8, like_array, refuse_rows
from .checking import Limits, Pages, step_of
from .dot_product import AttentionResults
from .paged.by_kernels import by_kernel
from .paged.last_keys import Last, add_last, apart, last_of
from .paged.parts_of_keys import Parts, add_parts, in_parts, parts_of
from .paged.rows_of_groups import (
    bias_draft,
    bias_of,
    digits_of_keys,
    digits_of_rows,
    folded,
    is_folded_in_place,
)
from .paged.sinks import add_sink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..._ways.signatures import Array, CallStream, Choose, Device, Handle, Out
    from ...plan import Computation

#: The factors of FP8 after it is read.
_FACTORS = ("descale_q", "descale_k", "descale_v")

#: The fastest engine for one query whose keys are not divided.
_UNDIVIDED = Engine(8, (("KERNEL_CFG", 34),))

#: The numbers that softmax's result is multiplied by before it becomes FP8, and after.
_SOFTMAX = 256.0


def _folded(spec: Spec, heads: int) -> Spec:
    """Return queries, or their results, with the heads of a group as rows of one head."""
    if not is_folded_in_place(spec):
        return folded(spec, heads)
    batch, all_heads, queries, width = spec.shape
    group, steps = all_heads // heads, spec.strides
    row = steps[1] if queries == 1 else steps[2]
    return spec._replace(
        shape=(batch, heads, group * queries, width),
        strides=(steps[0], group * steps[1], row, steps[3]),
    )


class DecodeAttention(Operation):
    """Attention of the last queries of sequences whose keys and values lie in pages.

    Formula: softmax(scale q k' over the keys up to each query) v
    Arrays: q (batch, heads, queries, width); k, v (pages, heads, page size, width); page_table
        (batch, pages of a sequence), lengths (batch,), int32; float16, bfloat16, FP8
    Ways: or kernels; with a second graph for sinks
    Edges: a sequence of length 0: zeros, statistics of -inf
    """

    word = "decode_attention"
    by = "a graph (PAGED_CACHE_LOAD)"
    ways = ("graph",)
    gradient = ()

    def __init__(
        self, scale: float | None = None, *, window: int | None = None,
        soft_cap: float | None = None, max_length: int | None = None, stats: bool = False,
        finite: bool = False, checked: bool = False, choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make an attention.

        Args:
            scale: of the scores; by default 1 / sqrt(width).
            window: how many keys a query sees, its own among them; by default all before it.
            soft_cap: a number c: scores become c * tanh(score / c).
            max_length: the length of the longest sequence; by default all that the page table has
                room for.
            stats: whether to return the logarithm of the sum of exponentials of each row, too.
            finite: whether all numbers in pages are finite, also where no key is. It allows the
                engine that is fastest for several queries, and the only one for FP8, which
                multiplies such numbers by zero; see the record `attention-pages-nan` of
                `cudnn_cffi.errata`.
            checked: whether to compare lengths and page indices with their limits before anything
                runs. It copies both to the host and waits for the device, so that the call cannot
                be captured.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        for name, each in (("window", window), ("max_length", max_length)):
            if each is not None and integers(**{name: each})[0] < 1:
                raise errors.ArgumentError(f"{name}: expected 1 or more, got {each}")
        for name, number in (("scale", scale), ("soft_cap", soft_cap)):
            if number is not None and not 0 < reals(**{name: number})[0] < math.inf:
                raise errors.ArgumentError(f"{name}: expected a number above 0, got {number}")
        super().__init__(
            choose, scale=scale, window=window, soft_cap=soft_cap, max_length=max_length,
            stats=stats, finite=finite, checked=checked,
        )  # fmt: skip

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        return ("o", "stats") if self.options["stats"] else ("o",)

    def __call__(
        self, q: ArrayT, k: Array, v: Array, page_table: Array, lengths: Array, *,
        sink: Array | None = None, descale_q: Array | None = None, descale_k: Array | None = None,
        descale_v: Array | None = None, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Compute attention.

        Args:
            q: the last queries of each sequence, (batch, heads, queries, width), float16, bfloat16
                or FP8, with any strides whose last one is 1.
            k, v: the pages, (pages, heads, page size, width), likewise; the heads divide those of
                `q`, and the widths may differ. Their strides may be those of an array in C order
                of (pages, page size, heads, width).
            page_table: the pages of each sequence, (batch, pages of the longest), int32.
            lengths: how many keys each sequence has, those of the queries among them; or 0,
                (batch,) int32 in device memory. Query i of n sees the first length - n + 1 + i.
            sink: a logit for each head that takes part in the sum, (heads,) float32.
            descale_q, descale_k, descale_v: for FP8, the factors of `q`, `k` and `v` after they are
                read, an array of one float32 in device memory each.
            out: `o`, or a tuple of outputs, with None for those to be made.
            handle, stream, choose: as for `Convolution`.

        Returns: `AttentionResults`. `o` is FP8 where the arrays are.

        Raises:
            ArgumentError: with `checked`: a length is above the maximum, or below the number of
                queries and not 0, or a page index is not below the number of pages.
        """
        given = (q, k, v, page_table, lengths, sink, descale_q, descale_k, descale_v)
        got = self.run(given, out, handle, stream, choose)
        return AttentionResults(*got) if self.options["stats"] else AttentionResults(got, None)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        specs = case.inputs
        self._check(specs)
        q, v = specs["q"], specs["v"]
        found = {"o": like_array((*q.shape[:3], v.shape[3]), q)}
        if self.options["stats"]:
            found["stats"] = reshaped(q._replace(dtype="float32"), *q.shape[:3], 1)
        return found

    def _check(self, specs: Mapping[str, Spec]) -> None:
        q, k, v, table = specs["q"], specs["k"], specs["v"], specs["page_table"]
        for name, form in (
            ("q", "(batch, heads, queries, width)"), ("k", "(pages, heads, page size, width)"),
            ("v", "(pages, heads, page size, width)"),
        ):  # fmt: skip
            if len(specs[name].shape) != 4:
                raise errors.ShapeMismatchError(f"{name}: expected {form}, got {specs[name].shape}")
            check_dtype(specs[name], q.dtype, name)
        if k.shape[3] != q.shape[3]:
            raise errors.ShapeMismatchError(
                f"k: expected the width of q, {q.shape[3]}, got {k.shape[3]}"
            )
        if k.shape[:3] != v.shape[:3]:
            raise errors.ShapeMismatchError(
                f"v: expected {k.shape[:3]} pages, heads and page size, as k, got {v.shape[:3]}"
            )
        # Kernels read the last index of a row before they know that a sequence has no keys.
        if len(table.shape) != 2 or table.shape[0] != q.shape[0] or table.shape[1] < 1:
            raise errors.ShapeMismatchError(
                f"page_table: expected ({q.shape[0]}, 1 or more pages), got {table.shape}"
            )
        kinds = {"page_table": ("int32", math.prod(table.shape)), "lengths": ("int32", q.shape[0])}
        kinds |= {"sink": ("float32", q.shape[1]), **dict.fromkeys(_FACTORS, ("float32", 1))}
        for name, (dtype, count) in kinds.items():
            each = specs.get(name)
            if each is not None and (
                each.dtype != dtype or math.prod(each.shape) != count or not each.is_in_c_order
            ):
                raise errors.ArgumentError(
                    f"{name}: expected {count} elements of {dtype} in C order without gaps, "
                    f"got {each}"
                )
        for name in _FACTORS:
            if (name in specs) != (q.dtype in FP8):
                raise errors.ArgumentError(
                    f"{name}: it goes with FP8 and with nothing else, got "
                    f"{'an array' if name in specs else 'None'} for {q.dtype}"
                )
        most, room = self.options["max_length"], table.shape[1] * k.shape[2]
        if most is not None and most > room:
            raise errors.ArgumentError(
                f"max_length: expected at most {room}, the room of the page table, got {most}"
            )

    # Graphs

    def _routes(self, case: Case) -> list[bool]:
        """Return whether to fold the heads of a group into rows, best first."""
        q, heads = case.inputs["q"], case.inputs["k"].shape[1]
        if q.shape[1] == heads or self.options["window"] is not None:
            return [False]
        if q.shape[2] == 1:
            return [q.dtype in FP8, q.dtype not in FP8]
        takes_bias = q.dtype not in FP8 and "sink" not in case.inputs
        is_fit = takes_bias and bias_of(folded(q, heads), self._most(case)) is not None
        return [True, False] if is_fit else [False]

    def _most(self, case: Case) -> int:
        """Return the length of the longest sequence."""
        most: int | None = self.options["max_length"]
        return most or case.inputs["page_table"].shape[1] * case.inputs["k"].shape[2]

    def _inner(self, case: Case, is_folded: bool) -> Case:
        """Return a case as the graph has it: with the number of rows, and the softmax's factors."""
        q, heads = case.inputs["q"], case.inputs["k"].shape[1]
        inputs, outputs = dict(case.inputs), dict(case.outputs)
        batch, _, queries, _ = q.shape
        if queries == 1 and inputs.pop("sink", None) is not None:
            outputs["stats"] = reshaped(q._replace(dtype="float32"), *q.shape[:3], 1)
        if is_folded:
            inputs["q"], outputs["o"] = _folded(q, heads), _folded(outputs["o"], heads)
            if "stats" in outputs:
                outputs["stats"] = reshaped(outputs["stats"], *inputs["q"].shape[:3], 1)
            if queries > 1 and (bias := bias_of(inputs["q"], self._most(case))):
                inputs["bias"] = bias
        inputs["rows"] = reshaped(inputs["lengths"], batch)
        if q.dtype in FP8:
            one = reshaped(q._replace(dtype="float32"), 1)
            inputs |= dict.fromkeys(("descale_s", "scale_s", "scale_o"), one)
            outputs |= dict.fromkeys(("amax_s", "amax_o"), one)
        return case._replace(inputs=inputs, outputs=outputs, call={"queries": queries})

    def computation(self, case: Case, handle: Handle | None, device: Device | None) -> Computation:
        """Return what a plan of a case is built of."""
        if "queries" not in case.call:
            case = self._inner(case, self._routes(case)[0])
        return super().computation(case, handle, device)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node of attention."""
        specs, options, graph = draft.inputs, self.options, draft.graph
        batch, heads, rows, _ = specs["q"].shape
        shapes = {
            "page_table": (batch, 1, specs["page_table"].shape[1], 1),
            "lengths": (batch, 1, 1, 1), "rows": (batch, 1, 1, 1), "sink": (1, heads, 1, 1),
        }  # fmt: skip
        found = {
            name: draft.input(name, each if name in ("q", "k", "v", "bias") else reshaped(
                each, *shapes.get(name, (1, 1, 1, 1))
            ))
            for name, each in specs.items()
        }  # fmt: skip
        queries, window = case.call["queries"], options["window"]
        more: dict[str, Any] = {}
        if rows == queries and (rows > 1 or window is not None):
            more["window"] = (None if window is None else window - 1, 0)
            more["diagonal"] = "bottom_right"
        if (cap := options["soft_cap"]) is not None:
            more["score"] = lambda g, x: g.mul(g.tanh(g.mul(x, 1 / cap)), cap)
        more |= {
            name: each
            for name, each in found.items()
            if "scale" in name or name in ("sink", "bias")
        }
        made = graph.attention(
            found["q"], found["k"], found["v"], scale=options["scale"],
            page_table_k=found["page_table"], page_table_v=found["page_table"],
            seq_len_q=found["rows"], seq_len_kv=found["lengths"],
            max_seq_len_kv=case.call.get("keys") or options["max_length"],
            stats="stats" in draft.outputs, form=case.call.get("form"), **more,
        )  # fmt: skip
        for name, each in zip(
            [n for n in ("o", "stats", "amax_s", "amax_o") if n in draft.outputs],
            made if isinstance(made, tuple) else (made,),
            strict=True,
        ):
            spec = draft.outputs[name]
            draft.output(each, name, spec if len(spec.shape) == 4 else reshaped(spec, 1, 1, 1, 1))

    # Plans

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return the plan and the steps around it: checks, constants, the sink of one query."""
        refuse_rows("attention", case)
        if handle is not None:
            made = by_kernel(self._checked(case), case, self.options, rule, handle)
            if made is not None:
                return made
        refused: errors.NotSupportedError | None = None
        for inners, parts in self._inners(case, handle):
            try:
                plans = [self._plan(inner, rule, handle, device) for inner in inners]
                if handle is None:
                    return plans[0]
                return self._around(case, inners, plans, handle, parts)
            except errors.NotSupportedError as error:
                refused = refused or error
        raise refused or Unfit("no graph computes it")

    def _plan(self, inner: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return the plan of a case as a graph has it."""
        refused: errors.NotSupportedError | None = None
        for each in self._rules(inner, rule):
            try:
                return super()._planned(inner, each, handle, device)
            except errors.NotSupportedError as error:
                refused = refused or error
        raise refused or Unfit("no graph computes it")

    def _inners(
        self, case: Case, handle: Handle | None
    ) -> Iterator[tuple[Sequence[Case], Parts | Last | None]]:
        """Yield the cases of graphs that compute a case, best first."""
        for is_folded in self._routes(case):
            inner = self._inner(case, is_folded)
            q, (_, heads, page, _) = case.inputs["q"], case.inputs["k"].shape
            is_apart = "bias" in inner.inputs and handle is not None and "stats" not in case.outputs
            is_packed = q.is_in_c_order and case.outputs["o"].is_in_c_order
            if is_apart and is_packed and q.shape[0] == 1:
                parts = parts_of(heads, case.inputs["page_table"].shape[1], page)
                if parts is not None and (found := in_parts(inner, parts)) is not None:
                    yield [found], parts
            if is_apart:
                last = last_of(q.shape[2], case.inputs["page_table"].shape[1], case.inputs["k"])
                if last is not None and (both := apart(inner, last)) is not None:
                    yield both, last
            yield [inner], None

    def _rules(self, inner: Case, rule: Rule) -> list[Rule]:
        """Return the rules to try: first the engines that are faster, but not for all arrays."""
        picks: list[Engine] = []
        if rule.pick == "heuristic":
            q, (_, heads, page, _) = inner.inputs["q"], inner.inputs["k"].shape
            many = q.shape[0] * heads >= measured.DECODED and page >= measured.DECODED_PAGE
            if q.shape[2] > 1:
                numbers = get("attention-pages-nan").engines if self.options["finite"] else ()
                picks = [Engine(number, ()) for number in numbers]
            elif many and measured.holds(q.device):
                picks = [_UNDIVIDED]
        return [*[rule._replace(pick=each) for each in picks], rule]

    def _checked(self, case: Case) -> Steps:
        """Return steps that begin with the checks that were asked for."""
        steps = Steps(case.inputs, case.outputs)
        if self.options["checked"]:
            steps.then(self._checker(case.inputs))
        return steps

    def _around(
        self, case: Case, inners: Sequence[Case], plans: Sequence[Way], handle: Handle,
        parts: Parts | Last | None,
    ) -> Way:  # fmt: skip
        q, inner, plan = case.inputs["q"], inners[0], plans[0]
        batch = inner.inputs["q"].shape[0]
        steps = self._checked(case)
        rows = inner.inputs["q"].shape[2]
        steps.constant("rows", handle, [rows] * batch, "int32")
        if q.dtype in FP8:
            for name, value in (
                ("scale_s", _SOFTMAX), ("descale_s", 1 / _SOFTMAX), ("scale_o", 1.0)
            ):  # fmt: skip
                steps.constant(name, handle, [value])
        places = {name: name for name in (*inner.inputs, *inner.outputs)}

        def add_bias(bias: Spec, lengths: str) -> str:
            return self._add_bias(steps, bias, q.shape[2], lengths, handle)

        if parts is not None:
            if isinstance(parts, Parts):
                add_parts(steps, inner, parts, plan, add_bias, handle, "o")
            else:
                o = self._inner(case, True).outputs["o"]
                outside = self._move(steps, case, inner, places)
                add_last(steps, inners, plans, parts, add_bias, handle, places, o)
                if outside is not None:
                    steps.copy(*outside)
            made = steps.classic(deterministic=all(map(is_deterministic, plans)))
            made.core, made.detail = plan_of(plan), parts.detail
            return made
        has_sink = "sink" in case.inputs and "sink" not in inner.inputs
        for name, spec in inner.outputs.items():
            if name not in case.outputs or has_sink:
                places[name] = steps.room(f"{name} of the plan", spec)
        if (bias := inner.inputs.get("bias")) is not None:
            places["bias"] = add_bias(bias, "lengths")
        outside = self._move(steps, case, inner, places)
        facts: errata.Call = {"lengths": True, "one_paged_query": rows == 1}
        for name, value in (("o", 0.0), ("stats", -math.inf)):
            if name in inner.outputs and errata.wrong_function(
                "attention", {**facts, "array": name}
            ):
                steps.fill(places[name], inner.outputs[name], value)
        steps.way(plan, places)
        if outside is not None:
            steps.copy(*outside)
        if has_sink:
            add_sink(steps, case, places, handle)
        made = steps.classic(deterministic=is_deterministic(plan))
        made.core = plan_of(plan)
        return made

    def _add_bias(
        self, steps: Steps, bias: Spec, queries: int, lengths: str, handle: Handle
    ) -> str:
        """Have the mask of several queries computed from lengths; return its name."""
        rows, keys = digits_of_rows(bias, queries), digits_of_keys(bias.shape[3])
        names = {
            "digits_of_rows": steps.constant("digits_of_rows", handle, rows),
            "digits_of_keys": steps.constant("digits_of_keys", handle, keys),
            "bias": steps.room("bias", bias), "lengths": lengths,
        }  # fmt: skip
        steps.way(bias_draft(bias).graph.build(handle), names)
        return "bias"

    def _move(
        self, steps: Steps, case: Case, inner: Case, places: dict[str, str]
    ) -> tuple[Spec, str, Spec, str] | None:
        """Have queries copied that cannot be rows where they are; return how to copy the result."""
        q, o = case.inputs["q"], case.outputs["o"]
        if inner.inputs["q"].shape == q.shape:
            return None
        if not is_folded_in_place(q):
            places["q"] = steps.room("queries in rows", q)
            steps.copy(q, "q", packed(q.shape, q), places["q"])
        if is_folded_in_place(o):
            return None
        room = places["o"] = steps.room("result in rows", o)
        return packed(o.shape, o), room, o, "o"

    def _checker(self, specs: Mapping[str, Spec]) -> Callable[[Any, Mapping[str, int]], None]:
        """Return the step that refuses lengths and page indices beyond their limits."""
        table, k = specs["page_table"], specs["k"]
        pages = Pages(table.shape[1], k.shape[0], k.shape[2])
        most = self.options["max_length"] or pages.columns * pages.size
        least = specs["q"].shape[2]
        limits = Limits({"lengths": most}, least, "lengths", {"page_table": pages})
        return step_of(specs, limits)


decode_attention = function(
    DecodeAttention,
    summary="Compute attention of the last queries of sequences over keys and values in pages.",
)
