"""The base of attention and its gradients: their arrays, as callers have them and as graphs do."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ... import arrays, errors
from ..._operation.operation import Operation
from ..._operation.way_search import limited_filters
from ..._support.arguments import boolean, integers, reals
from ..._ways.array_spec import Spec, check_dtype, in_front
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Unfit, Way, is_deterministic, plan_of
from ..._ways.graph_draft import Draft
from ...choice.policy import Engine, Rule
from ...choice.store import choices as book
from ...errata import asks as errata
from ...graph.attn.checks import QUERY_ROWS, ROWS, steps_of
from ...plan import Sequence as Several
from .buckets import find_bucket, in_bucket
from .checking import Limits, Pages, Vectors, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from ..._ways.signatures import Array, Choose, Device, Handle, ScoreBackward, WithOut

    class GradientCall(WithOut, total=False):
        """Keywords of `Attention.backward`: arrays, and options of the gradients."""

        bias: Array | None
        seq_len_q: Array | None
        seq_len_kv: Array | None
        seed: Array | None
        offset: Array | None
        alibi: Array | None
        sink: Array | None
        dropout_mask: Array | None
        offsets_q: Array | None
        offsets_k: Array | None
        offsets_v: Array | None
        offsets_o: Array | None
        descale_q: Array | None
        descale_k: Array | None
        descale_v: Array | None
        descale_o: Array | None
        descale_do: Array | None
        descale_s: Array | None
        descale_dp: Array | None
        scale_s: Array | None
        scale_dp: Array | None
        scale_dq: Array | None
        scale_dk: Array | None
        scale_dv: Array | None
        dbias: bool
        dsink: bool
        deterministic: bool
        score_backward: ScoreBackward


#: The data types with scales.
FP8 = ("float8_e4m3fn", "float8_e5m2")

#: The numbers that FP8 is multiplied by, forward and for gradients.
SCALES = (
    ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o"),
    (
        "descale_q", "descale_k", "descale_v", "descale_o", "descale_do", "descale_s", "descale_dp",
        "scale_s", "scale_dp", "scale_dq", "scale_dk", "scale_dv",
    ),
)  # fmt: skip

#: The arrays of a call beside those that are multiplied.
ARRAYS = (
    "bias", "seq_len_q", "seq_len_kv", "seed", "offset", "alibi", "sink", "dropout_mask",
    "page_table_k", "page_table_v", "offsets_q", "offsets_k", "offsets_v", "offsets_o",
)  # fmt: skip


class _Kind(NamedTuple):
    """Requirements for an array of a call: data types, and its elements and shape for the graph."""

    types: tuple[str, ...]
    elements: int | None
    shape: tuple[int, ...]


def like_array(shape: tuple[int, ...], like: Spec) -> Spec:
    """Return an array without gaps whose axes lie in memory as those of another one."""
    order = sorted(range(len(shape)), key=lambda axis: -like.strides[axis])
    return Spec(like.dtype, shape, arrays.ordered_strides(shape, order), like.device)


def refuse_rows(word: str, case: Case) -> None:
    """Refuse arrays whose rows engines cannot read or write.

    Raises:
        ArgumentError: ragged arrays have the same offsets, and vectors that are not equally far
            apart.
        Unfit: elements are repeated, or an erratum of "attention" or its gradients says so.
    """
    sharing: dict[str, tuple[str, int]] = {}
    for name, each in (*case.inputs.items(), *case.outputs.items()):
        if name not in ROWS:
            continue
        if len(each.shape) == 3 and each.shape[0] > 1:
            offsets, step = offsets_of(name, case.inputs), each.strides[0]
            other, wanted = sharing.setdefault(offsets, (name, step))
            if step != wanted:
                raise errors.ArgumentError(
                    f"{offsets}: {other} has a vector each {wanted} elements and {name} each "
                    f"{step}, and offsets are the same for both",
                    hint="pass arrays with the same strides, as `out` too; or offsets_o",
                )
        if each.is_repeated:
            raise Unfit(f"{name}: expected an array without repeated elements, got {each}")
        if why := errata.wrong_function(word, {"steps": steps_of(each)}, each.device):
            raise Unfit(f"{name}: {why}")


def offsets_of(name: str, names: Container[str]) -> str:
    """Return the name of the offsets of a ragged array."""
    if name in ("o", "do") and "offsets_o" in names:
        return "offsets_o"
    return f"offsets_{'q' if name in QUERY_ROWS else name[-1]}"


class Attending(Operation):
    """The base of attention and of its gradients."""

    ways = ("graph",)
    _multiplied: tuple[str, ...] = ("q", "k", "v")

    def _start(
        self, scale: float | None, causal: bool | str, window: Any, diagonal: str, dropout: float,
        max_q_length: int | None, max_kv_length: int | None, score: Any, form: str | None,
        choose: Choose, checks: bool | None, **more: Any,
    ) -> None:  # fmt: skip
        (rate,) = reals(dropout=dropout)
        if not 0 <= rate < 1:
            raise errors.ArgumentError(f"dropout: expected from 0 to less than 1, got {rate}")
        for name, each in (("max_q_length", max_q_length), ("max_kv_length", max_kv_length)):
            if each is not None and integers(**{name: each})[0] < 1:
                raise errors.ArgumentError(f"{name}: expected 1 or more, got {each}")
        if form not in (None, "node", "composite"):
            raise errors.ArgumentError(f'form: expected "node" or "composite", got {form!r}')
        for name in ("score", "score_backward"):
            function = score if name == "score" else more.get(name)
            if function is not None and not callable(function):
                raise errors.ArgumentError(f"{name}: expected a function, got {function!r}")
        super().__init__(
            choose, scale=scale, causal=causal, window=window, diagonal=diagonal, dropout=rate,
            max_q_length=max_q_length, max_kv_length=max_kv_length, score=score, form=form,
            # Keys of choices leave out what is None.
            checked=None if checks is None else boolean(checks, "checked") or None,
            **more,
        )  # fmt: skip

    # Shapes

    def _is_ragged(self, name: str, specs: Any) -> bool:
        """Return whether an array has its sequences one after the other."""
        side = {"q": "q", "o": "q", "do": "q", "dq": "q"}.get(name) or name[-1]
        return f"offsets_{side}" in specs

    def _view(self, name: str, spec: Spec, specs: Any) -> Spec:
        """Return an array as (batch, heads, length, width)."""
        if not self._is_ragged(name, specs):
            return spec
        tokens, heads, width = spec.shape
        length = self.options["max_q_length" if name in QUERY_ROWS else "max_kv_length"]
        batch = specs["seq_len_q"].shape[0]
        steps = spec.strides
        return spec._replace(
            shape=(batch, heads, length, width),
            strides=(steps[0] * max(tokens, 1), steps[1], steps[0], steps[2]),
        )

    def _check(self, specs: dict[str, Spec]) -> None:
        q = specs["q"]
        for name in ("offsets_q", "offsets_k", "offsets_v"):
            if (name in specs) != ("offsets_q" in specs):
                raise errors.ArgumentError(
                    "expected offsets_q, offsets_k and offsets_v together, or none"
                )
        ragged = "offsets_q" in specs
        if ragged and "seq_len_q" not in specs:
            raise errors.ArgumentError("seq_len_q: expected an array with offsets, got None")
        for name in ("max_q_length", "max_kv_length"):
            if ragged and self.options[name] is None:
                raise errors.ArgumentError(f"{name}: expected a number with offsets, got None")
        form = "(vectors, heads, width)" if ragged else "(batch, heads, length, width)"
        for name in (*self._multiplied, "o", "do"):
            each = specs.get(name)
            if each is None:
                continue
            if len(each.shape) != (3 if ragged else 4):
                raise errors.ShapeMismatchError(f"{name}: expected {form}, got {each.shape}")
            check_dtype(each, q.dtype, name)
        for name, kind in self._kinds(specs).items():
            each = specs.get(name)
            if each is None:
                continue
            count = math.prod(each.shape)
            if (
                each.dtype not in kind.types
                or kind.elements not in (None, count)
                or not each.is_in_c_order
            ):
                many = "" if kind.elements is None else f"{kind.elements} elements of "
                raise errors.ArgumentError(
                    f"{name}: expected {many}{' or '.join(kind.types)} in C order without "
                    f"gaps, got {each.dtype} {each.shape} with strides of {each.strides} "
                    "elements"
                )
        self._check_dropout(specs)
        self._check_scales(specs)

    def _check_dropout(self, specs: dict[str, Spec]) -> None:
        together = [name in specs for name in ("seed", "offset")]
        drops, masked = self.options["dropout"] > 0, "dropout_mask" in specs
        if any(together) != all(together) or (any(together) or masked) != drops:
            raise errors.ArgumentError(
                "expected dropout, seed and offset together, or none; or dropout and dropout_mask"
            )

    def _check_scales(self, specs: dict[str, Spec]) -> None:
        wanted = specs["q"].dtype in FP8
        for name in SCALES[self.section != "forward"]:
            if (name in specs) != wanted:
                number, none = "an array of one float32", "None"
                takes, got = (number, none) if wanted else (none, "an array")
                raise errors.ArgumentError(
                    f"{name}: expected {takes} with q of {specs['q'].dtype}, got {got}"
                )

    def _kinds(self, specs: dict[str, Spec]) -> dict[str, _Kind]:
        """Return what the small arrays of a call are."""
        q = specs["q"]
        heads = q.shape[-3] if len(q.shape) == 4 else q.shape[-2] if len(q.shape) == 3 else 0
        lengths = specs.get("seq_len_q")
        batch = q.shape[0] if len(q.shape) == 4 else lengths.shape[0] if lengths and (
            lengths.shape
        ) else 0  # fmt: skip
        whole = ("int32", "int64")
        found = {
            **dict.fromkeys(("seq_len_q", "seq_len_kv"), _Kind(whole, batch, (batch, 1, 1, 1))),
            **dict.fromkeys(("seed", "offset"), _Kind(("int64",), 1, (1, 1, 1, 1))),
            **dict.fromkeys(("alibi", "sink"), _Kind(("float32",), heads, (1, heads, 1, 1))),
            **dict.fromkeys(
                ("offsets_q", "offsets_k", "offsets_v", "offsets_o"),
                _Kind(whole, batch + 1, (batch + 1, 1, 1, 1)),
            ),
            **dict.fromkeys((*SCALES[0], *SCALES[1]), _Kind(("float32",), 1, (1, 1, 1, 1))),
        }
        for name in ("page_table_k", "page_table_v"):
            table = specs.get(name)
            if table is None:
                continue
            if len(table.shape) != 2 or table.shape[0] != batch:
                raise errors.ShapeMismatchError(
                    f"{name}: expected ({batch}, blocks), got {table.shape}"
                )
            found[name] = _Kind(whole, None, (batch, 1, table.shape[1], 1))
        return found

    def _limits(self, specs: dict[str, Spec]) -> Limits:
        """Return the limits of lengths, offsets and page tables."""
        q, k = specs["q"], specs["k"]
        most = {"seq_len_q": self._view("q", q, specs).shape[2]}
        keys = k.shape[2] if len(k.shape) == 4 else self.options["max_kv_length"]
        tables: dict[str, Pages] = {}
        for name in ("page_table_k", "page_table_v"):
            if name in specs:
                pages = specs[name[-1]].shape
                tables[name] = Pages(specs[name].shape[1], pages[0], pages[2])
        if tables:
            room = min(each.columns * each.size for each in tables.values())
            keys = min(room, self.options["max_kv_length"] or room)
        most["seq_len_kv"] = keys
        offsets = []
        for name in (*self._multiplied, "o", "do", "dq", "dk", "dv"):
            if name in specs and self._is_ragged(name, specs):
                lengths = "seq_len_q" if name in QUERY_ROWS else "seq_len_kv"
                own = Vectors(name, specs[name].shape[0], specs[name].strides[0])
                offsets.append((offsets_of(name, specs), lengths, own))
        return Limits(most, tables=tables, offsets=offsets)

    # Graphs

    def find_way(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return a way to compute a case by a rule, after checks if they were asked for."""
        if not self.options["checked"]:
            return super().find_way(case, rule, handle, device)
        like = self._like(type(self), **{**self.options, "checked": None})
        way = like.find_way(case, rule, handle, device)
        if device is not None or case.is_empty:
            return way
        return checked(way, case, self._limits({**case.inputs, **case.outputs}))

    def _inputs(self, draft: Draft, names: tuple[str, ...]) -> dict[str, Any]:
        """Add the arrays that are multiplied; ragged ones with their offsets."""
        specs = draft.inputs
        kinds = self._kinds(dict(specs))
        found: dict[str, Any] = {}
        for name in names:
            tensor = draft.input(name, self._view(name, specs[name], specs))
            if name != "stats" and self._is_ragged(name, specs):
                tensor.ragged_offset = self._small(draft, offsets_of(name, specs), kinds)
            found[name] = tensor
        return found

    @staticmethod
    def _small(draft: Draft, name: str, kinds: dict[str, _Kind]) -> Any:
        """Add a small array, once."""
        made = draft.__dict__.setdefault("small", {})
        if name not in made:
            spec = draft.inputs[name]
            if name in kinds:
                shape = kinds[name].shape
                spec = spec._replace(shape=shape, strides=arrays.packed_strides(shape))
            made[name] = draft.input(name, in_front(spec, 4) if name == "bias" else spec)
        return made[name]

    def _keywords(self, draft: Draft) -> dict[str, Any]:
        """Return the keywords of the node."""
        options, specs = self.options, draft.inputs
        found: dict[str, Any] = {
            name: options[name] for name in ("scale", "causal", "window", "diagonal", "form")
        }
        if options["dropout"]:
            found["dropout"] = options["dropout"]
        if options["score"] is not None:
            found["score"] = options["score"]
        kinds = self._kinds(dict(specs))
        for name in ARRAYS:
            if name in specs and not name.startswith("offsets_"):
                found[name] = self._small(draft, name, kinds)
        return found

    def _scales(self, draft: Draft) -> dict[str, Any]:
        """Return the numbers of FP8; none for other types."""
        if draft.inputs["q"].dtype not in FP8:
            return {}
        kinds = self._kinds(dict(draft.inputs))
        names = SCALES[self.section != "forward"]
        return {name: self._small(draft, name, kinds) for name in names}

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return a plan, or what computes lengths that change by a plan for greater ones."""
        bucket = None if handle is None else find_bucket(self.options, case, rule, self._first)
        if bucket is not None and handle is not None:
            lengths = {"max_q_length": bucket.q, "max_kv_length": bucket.kv}
            like = self._like(type(self), **{**self.options, **lengths})

            def find(inner: Case) -> Way:
                specs = *inner.inputs.items(), *inner.outputs.items()
                key = "bucket", specs, rule, handle.workspace.limit, book.generation
                way = like._ways.get(key)
                if way is None:
                    way = like._ways[key] = Operation._planned(like, inner, rule, handle, device)
                return way

            refuse_rows(self.word, case)
            try:
                way = in_bucket(case, bucket, handle, find)
            except errors.NotSupportedError:
                way = None
            if way is not None:
                return way
        return self._exactly(case, rule, handle, device)

    def _exactly(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        """Return one plan or several, after steps that set what they leave out, and narrow int64.

        No engine takes lengths that a graph computes, and those for gradients take int32 only. The
        errata of attention are asked for the rest.
        """
        refuse_rows(self.word, case)
        long = [
            name for name in _WHOLE if name in case.inputs and case.inputs[name].dtype != "int32"
        ]
        narrow = {name: case.inputs[name]._replace(dtype="int32") for name in long}
        inner = case._replace(inputs={**case.inputs, **narrow})
        try:
            plan = super()._planned(inner, rule, handle, device)
        except errors.NotSupportedError as error:
            plan = self._in_parts(inner, rule, handle, device, error)
        facts: errata.Call = {
            "lengths": "seq_len_kv" in case.inputs,
            "one_paged_query": "page_table_k" in case.inputs and case.inputs["q"].shape[-2] == 1,
        }
        unwritten = {
            name: value
            for name, value in self._unwritten(case).items()
            if errata.wrong_function(self.word, {**facts, "array": name})
        }
        is_whole = not isinstance(plan, Several)  # operands of several plans are those of the graph
        if handle is None or (is_whole and not (unwritten or narrow)):
            return plan
        steps = Steps(case.inputs, case.outputs)
        for name, value in unwritten.items():
            steps.fill(name, case.outputs[name], value)
        places = {each.name: each.name for each in plan.operands if each.is_argument}
        for name, spec in narrow.items():
            places[name] = steps.room(f"{name} of int32", spec)
            steps.copy_rows(name, places[name], math.prod(spec.shape), 4, 8)
        steps.way(plan, places)
        made = steps.classic(deterministic=is_deterministic(plan))
        made.core = plan_of(plan)
        return made

    def _in_parts(
        self,
        case: Case,
        rule: Rule,
        handle: Handle | None,
        device: Device | None,
        error: errors.NotSupportedError,
    ) -> Way:
        """Return several plans for what no engine computes, or computes wrongly, as a whole.

        Gradients of float32 would round to TF32 and keep all scores in memory.
        """
        if isinstance(rule.pick, Engine):
            raise error
        if case.inputs["q"].dtype == "float32":
            raise error.replace(
                hint="Graph.attention_backward computes float32 by several plans, which keep all "
                "scores in memory and may round to TensorFloat-32"
            )
        filters = self.engine_filters(case, limited_filters(rule, handle))
        if rule.pick == "deterministic":
            filters["deterministic"] = True
        draft = Draft(case.inputs, case.outputs)
        self.graph(case, draft)
        return draft.graph.build(handle, device, **filters)

    def _unwritten(self, case: Case) -> dict[str, float]:
        """Return the results that a plan may not write all of, and what they have there."""
        raise NotImplementedError

    def _result(self, draft: Draft, made: Any, name: str, specs: Any) -> None:
        """Write a result, ragged if the array is."""
        spec = draft.outputs[name]
        ragged = len(spec.shape) == 3
        draft.output(made, name, self._view(name, spec, specs) if ragged else spec)

    def _lengths(self, specs: dict[str, Spec]) -> tuple[int, int, int]:
        """Return batch, heads, and the length of queries."""
        batch, heads, length, _ = self._view("q", specs["q"], specs).shape
        return batch, heads, length


#: Arrays that engines take as int32.
_WHOLE = ("seq_len_q", "seq_len_kv", "page_table_k", "page_table_v")
