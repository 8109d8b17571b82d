"""Scaled dot product attention and its gradients, by graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import arrays, errors
from .._support.arguments import reals
from .drafts import Draft
from .operation import Case, Operation, shared, split
from .specs import Spec

__all__ = [
    "Attention",
    "AttentionBackward",
    "AttentionGradients",
    "AttentionResults",
    "attention",
    "attention_backward",
]

_COMMON = ("bias", "seq_len_q", "seq_len_kv", "seed", "offset")


class AttentionResults(NamedTuple):
    """What attention returns.

    Attributes:
        o: the result.
        stats: the logarithm of the sum of exponentials of each row, which the gradient needs; None
            if it was not wanted.
    """

    o: Any
    stats: Any


class AttentionGradients(NamedTuple):
    """The gradients of attention; that of the bias is None if it was not wanted."""

    q: Any
    k: Any
    v: Any
    bias: Any


class _Attention(Operation):
    """What attention and its gradients share."""

    ways = ("graph",)
    optional = frozenset(_COMMON)

    def _start(
        self, scale: float | None, causal: bool | str, window: Any, diagonal: str, dropout: float,
        choose: Any, **more: Any,
    ) -> None:  # fmt: skip
        (rate,) = reals(dropout=dropout)
        if not 0 <= rate < 1:
            raise errors.ArgumentError(f"dropout: from 0 to less than 1 was expected, {rate} came")
        super().__init__(
            choose, scale=scale, causal=causal, window=window, diagonal=diagonal, dropout=rate,
            **more,
        )  # fmt: skip

    def _check(self, specs: dict[str, Spec]) -> None:
        q = specs["q"]
        for name in ("q", "k", "v", "o", "do"):
            each = specs.get(name)
            if each is None:
                continue
            if len(each.shape) != 4:
                raise errors.ShapeMismatchError(
                    f"{name}: (batch, heads, length, width) was expected, {each.shape} came"
                )
            if each.dtype != q.dtype:
                raise errors.ArgumentError(f"{name}: {q.dtype} was expected, {each.dtype} came")
        for name in ("seq_len_q", "seq_len_kv", "seed", "offset"):
            each = specs.get(name)
            if each is None:
                continue
            kind = "int32" if name.startswith("seq") else "int64"
            count = q.shape[0] if name.startswith("seq") else 1
            if each.dtype != kind or _count(each) != count or not each.is_dense:
                raise errors.ArgumentError(
                    f"{name}: {count} elements of {kind} were expected, {each.dtype} "
                    f"{each.shape} came"
                )
        together = [name in specs for name in ("seed", "offset")]
        if any(together) != (self.options["dropout"] > 0) or not any(together) == all(together):
            raise errors.ArgumentError("dropout, seed and offset were expected together, or none")

    def _keywords(self, draft: Draft) -> dict[str, Any]:
        """Return the keywords of the node."""
        options = self.options
        found: dict[str, Any] = {
            name: options[name] for name in ("scale", "causal", "window", "diagonal")
        }
        if options["dropout"]:
            found["dropout"] = options["dropout"]
        for name in _COMMON:
            if name in draft.inputs:
                spec = draft.inputs[name]
                if name != "bias":
                    spec = spec._replace(shape=(_count(spec), 1, 1, 1), strides=(1, 1, 1, 1))
                found[name] = draft.input(name, spec)
        return found


def _count(spec: Spec) -> int:
    count = 1
    for extent in spec.shape:
        count *= extent
    return count


def _like(shape: tuple[int, ...], like: Spec) -> Spec:
    """Return an array without gaps whose axes lie in memory as those of another one."""
    order = sorted(range(len(shape)), key=lambda axis: -like.strides[axis])
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= shape[axis]
    return Spec(like.dtype, shape, tuple(strides), like.device)


class Attention(_Attention):
    """Attention: o = dropout(softmax(scale * q k' + bias)) v."""

    word = "attention"
    takes: tuple[str, ...] = ("q", "k", "v", *_COMMON)

    def __init__(
        self, scale: float | None = None, *, causal: bool | str = False, window: Any = None,
        diagonal: str = "top_left", dropout: float = 0.0, stats: bool = False, choose: Any = None,
    ) -> None:  # fmt: skip
        """Make an attention.

        Args:
            scale: of the scores; 1 / sqrt(width) without it.
            causal, window, diagonal: which keys a query sees; see `Graph.attention`.
            dropout: the probability with which an element of softmax becomes zero.
            stats: whether to return what the gradient needs, too.
            choose: how it is computed; see `cudnn_cffi.choice`.
        """
        self._start(scale, causal, window, diagonal, dropout, choose, stats=bool(stats))

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        return ("o", "stats") if self.options["stats"] else ("o",)

    def __call__(
        self, q: Any, k: Any, v: Any, *, bias: Any = None, seq_len_q: Any = None,
        seq_len_kv: Any = None, seed: Any = None, offset: Any = None, out: Any = None,
        handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> AttentionResults:  # fmt: skip
        """Compute attention.

        Args:
            q: queries (batch, heads, length, width), float16 or bfloat16, with any strides whose
                last one is 1.
            k, v: keys and values, likewise; their heads divide those of `q`.
            bias: is added to the scores; (batch or 1, heads or 1, queries, keys).
            seq_len_q, seq_len_kv: the length of each example, (batch,) int32 in device memory.
            seed, offset: of the dropout, one element of int64 each in device memory.
            out: `o`, or a tuple of both outputs, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        given = (q, k, v, bias, seq_len_q, seq_len_kv, seed, offset)
        pattern = tuple([each is None for each in given])
        got = self.run(given, out, handle, stream, choose, pattern=pattern)
        return AttentionResults(*got) if self.options["stats"] else AttentionResults(got, None)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        self._check(case.inputs)
        q, v = case.inputs["q"], case.inputs["v"]
        found = {"o": _like((*q.shape[:3], v.shape[3]), q)}
        if self.options["stats"]:
            shape = (*q.shape[:3], 1)
            found["stats"] = Spec("float32", shape, arrays.packed_strides(shape), q.device)
        return found

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node of attention."""
        q, k, v = (draft.input(name) for name in ("q", "k", "v"))
        wanted = self.options["stats"]
        made = draft.graph.attention(q, k, v, stats=wanted, **self._keywords(draft))
        draft.output(made[0] if wanted else made, "o")
        if wanted:
            draft.output(made[1], "stats")

    def backward(
        self, do: Any, q: Any, k: Any, v: Any, o: Any, stats: Any, **call: Any
    ) -> AttentionGradients:
        """Return the gradients; see `AttentionBackward` and its call."""
        options = {name: value for name, value in self.options.items() if name != "stats"}
        if self.policy is not None:
            options["choose"] = self.policy
        if call.pop("dbias", False):
            options["dbias"] = True
        made: AttentionGradients = shared(AttentionBackward, options)(do, q, k, v, o, stats, **call)
        return made


class AttentionBackward(_Attention):
    """The gradients of attention for queries, keys and values, and for the bias."""

    word = "attention_backward"
    section = "data"
    takes: tuple[str, ...] = ("do", "q", "k", "v", "o", "stats", *_COMMON)

    def __init__(
        self, scale: float | None = None, *, causal: bool | str = False, window: Any = None,
        diagonal: str = "top_left", dropout: float = 0.0, dbias: bool = False,
        deterministic: bool = False, choose: Any = None,
    ) -> None:  # fmt: skip
        """Make the gradients.

        Args:
            scale, causal, window, diagonal, dropout, choose: as for `Attention`.
            dbias: whether to return the gradient of the bias.
            deterministic: whether results have the same bits each time, with more memory.
        """
        self._start(
            scale, causal, window, diagonal, dropout, choose, dbias=bool(dbias),
            deterministic=bool(deterministic),
        )  # fmt: skip

    @property
    def gives(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the names of the outputs."""
        return ("dq", "dk", "dv", "dbias") if self.options["dbias"] else ("dq", "dk", "dv")

    def __call__(
        self, do: Any, q: Any, k: Any, v: Any, o: Any, stats: Any, *, bias: Any = None,
        seq_len_q: Any = None, seq_len_kv: Any = None, seed: Any = None, offset: Any = None,
        out: Any = None, handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> AttentionGradients:  # fmt: skip
        """Compute the gradients.

        Args:
            do: the gradient of the result.
            q, k, v, bias, seq_len_q, seq_len_kv, seed, offset: as in the forward call.
            o, stats: what it returned.
            out: the gradients, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        given = (do, q, k, v, o, stats, bias, seq_len_q, seq_len_kv, seed, offset)
        pattern = tuple([each is None for each in given])
        got = self.run(given, out, handle, stream, choose, pattern=pattern)
        return AttentionGradients(*got, *(None,) * (4 - len(got)))

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the outputs are."""
        specs = case.inputs
        self._check(specs)
        q, v = specs["q"], specs["v"]
        shapes = {"do": (*q.shape[:3], v.shape[3]), "stats": (*q.shape[:3], 1)}
        for name, shape in {**shapes, "o": shapes["do"]}.items():
            if specs[name].shape != shape:
                raise errors.ShapeMismatchError(
                    f"{name}: the shape {shape} was expected, {specs[name].shape} came"
                )
        if specs["stats"].dtype != "float32":
            raise errors.ArgumentError(f"stats: float32 was expected, {specs['stats'].dtype} came")
        found = {f"d{name}": _like(specs[name].shape, specs[name]) for name in ("q", "k", "v")}
        if self.options["dbias"]:
            if "bias" not in specs:
                raise errors.ArgumentError("dbias: a bias was expected, None came")
            found["dbias"] = _like(specs["bias"].shape, specs["bias"])
        return found

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradients."""
        do, *rest = (draft.input(name) for name in ("do", "q", "k", "v", "o", "stats"))
        q, k, v, o, stats = rest
        made = draft.graph.attention_backward(
            q, k, v, o, do, stats, dbias=self.options["dbias"],
            deterministic=self.options["deterministic"], **self._keywords(draft),
        )  # fmt: skip
        for name, each in zip(self.gives, made, strict=True):
            draft.output(each, name)


_ARRAYS = ("bias", "seq_len_q", "seq_len_kv", "seed", "offset")


def attention(q: Any, k: Any, v: Any, **more: Any) -> AttentionResults:
    """Return attention; `more` are options of `Attention`, and arguments of its call."""
    call, options = split(more)
    call |= {name: options.pop(name) for name in _ARRAYS if name in options}
    made: AttentionResults = shared(Attention, options)(q, k, v, **call)
    return made


def attention_backward(
    do: Any, q: Any, k: Any, v: Any, o: Any, stats: Any, **more: Any
) -> AttentionGradients:
    """Return the gradients of attention; see `AttentionBackward` and its call."""
    call, options = split(more)
    call |= {name: options.pop(name) for name in _ARRAYS if name in options}
    made: AttentionGradients = shared(AttentionBackward, options)(do, q, k, v, o, stats, **call)
    return made
