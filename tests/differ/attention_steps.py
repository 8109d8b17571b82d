"""Attention and its gradient as steps of drawn graphs."""

from __future__ import annotations

from typing import Any

import torch

from .executing import MEMORY

__all__ = ["attention", "attention_gradient", "attention_with_options"]

#: Numbers of keys, and the bands of scores.
KEYS = (64, 1, 17, 128, 100, 192, 200)
BANDS = ("none", "causal", "bottom_right", "window")
WINDOW = 16

#: The error of a sum in float32, in sums of the sizes of its terms.
SUMS = 2.0**-24

#: From which logarithm of a sum on its rounding to FLOAT moves all weights of a row by an eighth.
UNTOLD = 2.0**21


class _Scores:
    """The keys, and the options of scores, of a case.

    Attributes:
        reads: the numbers of q, k and v, then of others by their names.
        names: of these others.
        words: what the graph's methods take.
        lengths: the keys of each example.
        kind: the data type of queries, as PyTorch has it.
    """

    def __init__(self, m: Any, name: str, x: int, options: bool = False) -> None:
        batch, heads, self.queries, width = m.shape(x)
        self.keys = m.draw.pick(f"{name}_keys", KEYS)
        heads = m.draw.pick(f"{name}_heads", (heads, 1))
        self.scale, self.kind = width**-0.5, MEMORY[m.tensor(x).data_type]
        self.band = m.draw.pick(f"{name}_band", BANDS)
        k = m.input(f"{name}_k", (batch, heads, self.keys, width))
        v = m.input(f"{name}_v", (batch, heads, self.keys, width))
        self.reads = [x, k, v]
        self.words: dict[str, Any] = {}
        self.names: list[str] = []
        if self.band == "window":
            self.words["window"] = (WINDOW, 0)
        elif self.band != "none":
            self.words["causal"] = True if self.band == "causal" else self.band
        if m.draw.pick(f"{name}_bias", (False, True)):
            shape = (
                m.draw.pick(f"{name}_rows", (1, batch)),
                m.shape(x)[1],
                self.queries,
                self.keys,
            )
            self.reads.append(m.input(f"{name}_bias", shape))
            self.names.append("bias")
        for word in ("alibi", "sink") if options else ():
            is_drawn = m.draw.pick(f"{name}_{word}", (True, False))
            if is_drawn and (word == "sink" or self.band == "causal"):
                shape = (1, m.shape(x)[1], 1, 1)
                numbers = torch.Generator().manual_seed(m.draw.number(f"{name}_{word}"))
                each = torch.rand(shape, generator=numbers, dtype=torch.float64)
                self.reads.append(m.input(f"{name}_{word}", shape, "FLOAT", each, True))
                self.names.append(word)
        given = zip(self.names, self.reads[3:], strict=True)
        self.words |= {word: m.tensor(each) for word, each in given}
        self.lengths = torch.full((batch, 1, 1, 1), self.keys)
        if m.draw.pick(f"{name}_lengths", (False, True)):
            chance = m.chance(f"{name}_ends")
            ends = [chance.randint(1, self.keys) for _ in range(batch)]
            self.lengths = torch.tensor(ends).view(-1, 1, 1, 1)
            for side, each in (
                ("q", torch.full_like(self.lengths, self.queries)),
                ("kv", self.lengths),
            ):
                index = m.input(f"{name}_length_{side}", each.shape, "INT32", each.double(), True)
                self.words[f"seq_len_{side}"] = m.tensor(index)

    @property
    def seen(self) -> Any:
        """Return which keys each query sees."""
        rows = torch.arange(self.queries).view(-1, 1)
        columns = torch.arange(self.keys)
        seen = columns < self.lengths
        if self.band == "bottom_right":
            rows = rows + self.lengths - self.queries
        if self.band != "none":
            seen = seen & (columns <= rows)
        if self.band == "window":
            seen = seen & (columns >= rows - WINDOW)
        return seen

    def rounded(self, x: Any, by: float) -> Any:
        """Return factors of products as engines may have them, where `by` is not zero.

        Small ones are rounded to denormal numbers of float16, which have few digits.
        """
        if not by:
            return x
        x = x * (1 + by * torch.randn(x.shape, dtype=torch.float64))
        return x.where(x.abs() >= torch.finfo(self.kind).tiny, x.to(self.kind).double())

    def summed(self, x: Any, terms: Any, by: float) -> Any:
        """Return sums as engines may have them: of float32, of factors that TF32 may have rounded."""
        if not by:
            return x
        error = by if self.kind == torch.float32 else SUMS
        return x + error * (terms + x.abs()) * torch.randn(x.shape, dtype=torch.float64)

    def of(self, q: Any, k: Any, bias: Any = 0, alibi: Any = 0, by: float = 0.0) -> Any:
        """Return the scores, -inf for keys that are not seen."""
        distance = torch.arange(self.keys) - torch.arange(self.queries).view(-1, 1)
        k = _each(k, q).transpose(-1, -2)
        x = q @ k * self.scale + bias + alibi * distance
        x = self.summed(x, q.abs() @ k.abs() * self.scale, by)
        return x.where(self.seen, -torch.inf)

    def with_sums(self, q: Any, k: Any, *others: Any, by: float = 0.0) -> tuple[Any, Any]:
        """Return the scores, and the logarithms of the sums of their exponentials."""
        given = dict(zip(self.names, others, strict=True))
        sink = given.pop("sink", None)
        x = self.of(q, k, **given, by=by)
        sums = x.logsumexp(-1, keepdim=True)
        return x, sums if sink is None else torch.logaddexp(sums, sink)


def _each(x: Any, q: Any) -> Any:
    """Return keys or values for each head of queries."""
    return x.repeat_interleave(q.shape[1] // x.shape[1], 1)


def _of_heads(x: Any, like: Any) -> Any:
    """Return the sum over the heads that share keys or values."""
    return x.unflatten(1, (like.shape[1], -1)).sum(2)


def attention(m: Any, name: str, x: int, options: bool = False) -> None:
    """Add attention, and the statistics of its rows."""
    scores = _Scores(m, name, x, options)
    q, k, v = (m.tensor(each) for each in scores.reads[:3])
    o, stats = m.graph.attention(q, k, v, stats=True, **scores.words)

    def result(q: Any, k: Any, v: Any, *others: Any, by: float = 0.0) -> Any:
        raw, sums = scores.with_sums(q, k, *others, by=by)
        return scores.rounded((raw - sums).exp().nan_to_num(0), by) @ _each(v, q)

    def sums(q: Any, k: Any, _: Any, *others: Any, by: float = 0.0) -> Any:
        return scores.with_sums(q, k, *others, by=by)[1]

    m.add(o, result, *scores.reads, narrows=True)
    logarithms = m.add(stats, sums, *scores.reads, rough=True, narrows=True)
    m.outputs.append((f"{name}_stats_out", logarithms))


def attention_with_options(m: Any, name: str, x: int) -> None:
    """Add attention with slopes for distances, and a logit that takes part in sums alone."""
    attention(m, name, x, True)


def attention_gradient(m: Any, name: str, x: int) -> None:
    """Add the gradients of queries, keys and values."""
    scores = _Scores(m, name, x)
    q, k, v, *rest = (m.arrays[m.tensor(each).name] for each in scores.reads)
    raw = scores.of(q, k, rest[0] if rest else 0)
    o = raw.softmax(-1).nan_to_num(0) @ _each(v, q)
    do = m.input(f"{name}_do", o.shape)
    o = m.input(f"{name}_o", o.shape, None, o)
    sums = raw.logsumexp(-1, keepdim=True)
    stats = m.input(f"{name}_stats", sums.shape, "FLOAT", sums, True)
    given = [*scores.reads[:3], o, do, stats]
    found = m.graph.attention_backward(*(m.tensor(each) for each in given), **scores.words)

    def gradients(
        q: Any, k: Any, v: Any, o: Any, do: Any, stats: Any, bias: Any = 0, *, by: float = 0.0
    ) -> tuple[Any, ...]:
        raw = scores.of(q, k, bias, by=by)
        if by:  # weights are hardly more than 1
            raw = raw.minimum(stats + 1)
        weights = (raw - stats).exp().where(raw.isfinite(), 0)
        values = _each(v, q).transpose(-1, -2)
        inner = do @ values - (do * o).sum(-1, keepdim=True)  # both may cancel
        inner = scores.summed(inner, do.abs() @ values.abs(), by)
        slopes = scores.rounded(weights * inner * scores.scale, by)
        weights = scores.rounded(weights, by)
        dk, dv = slopes.transpose(-1, -2) @ q, weights.transpose(-1, -2) @ do
        return slopes @ _each(k, q), _of_heads(dk, k), _of_heads(dv, v)

    untold = sums.isfinite() & (sums.abs() >= UNTOLD)
    of_keys = _of_heads(untold.any(2, keepdim=True).double(), k) > 0
    for place, tensor in enumerate(found[:3]):

        def one(*arrays: Any, place: int = place, by: float = 0.0) -> Any:
            return gradients(*arrays, by=by)[place]

        unknown = (of_keys if place else untold).expand(tensor.shape)
        m.add(tensor, one, *given, *scores.reads[3:], narrows=True, unknown=unknown)
