"""Attention of FP8 as a step of drawn graphs, with the scales of its tensors."""

from __future__ import annotations

from typing import Any

import torch

from .attention_steps import KEYS
from .executing import MEMORY

__all__ = ["attention"]

#: The error of scores, relative to the sums of their terms.
SUMS = 2.0**-12


def attention(m: Any, name: str, x: int) -> None:
    """Add attention whose tensors and weights have scales; the weights are rounded to FP8."""
    batch, heads, queries, width = m.shape(x)
    keys = m.draw.pick(f"{name}_keys", KEYS)
    shared = m.draw.pick(f"{name}_heads", (heads, 1))
    k, v = (m.input(f"{name}_{word}", (batch, shared, keys, width)) for word in "kv")
    band = m.draw.pick(f"{name}_band", ("none", "causal", "bottom_right"))
    # Factors of zero give NaN: the erratum "attention-scale-not-positive".
    of_scores = m.draw.pick(f"{name}_descale", (0.25, 1.0, 2.0**-30, 2.0**20))
    of_values = m.draw.pick(f"{name}_values", (1.0, 0.25, 0.0, 2.0**-30, 2.0**20))
    of_weights = m.draw.pick(f"{name}_weights", (256.0, 1.0))
    of_results = m.draw.pick(f"{name}_results", (1.0, 8.0, 0.0, 2.0**-10, 2.0**10))
    numbers = {
        **dict.fromkeys(("descale_q", "descale_k"), of_scores),
        **{"descale_v": of_values, "scale_s": of_weights, "descale_s": 1 / of_weights},
        **{"scale_o": of_results},
    }
    words: dict[str, Any] = {} if band == "none" else {"causal": band == "causal" or band}
    for word, number in numbers.items():
        value = torch.full((1, 1, 1, 1), number, dtype=torch.float64)
        words[word] = m.tensor(m.input(f"{name}_{word}", value.shape, "FLOAT", value, True))
    o, stats, _, most = m.graph.attention(*map(m.tensor, (x, k, v)), stats=True, **words)
    distance = torch.arange(keys) - torch.arange(queries).view(-1, 1)
    last = {"none": keys, "causal": 0, "bottom_right": keys - queries}[band]
    factor, info = width**-0.5 * of_scores**2, torch.finfo(MEMORY[m.kind])

    def each(a: Any) -> Any:
        return a.repeat_interleave(heads // shared, 1)

    def scores(q: Any, k: Any) -> Any:
        raw = q @ each(k).transpose(-1, -2) * factor
        return raw.where(distance <= last, -torch.inf)

    def result(q: Any, k: Any, v: Any) -> Any:
        return scores(q, k).softmax(-1).nan_to_num(0) @ each(v) * of_values

    def off(q: Any, k: Any) -> Any:
        """Return by how much the scores of a row may be off."""
        return SUMS * (q.abs() @ each(k).abs().transpose(-1, -2) * factor).amax(-1, True)

    def slack(q: Any, k: Any, v: Any) -> Any:
        """Return the errors of results: of scores, and of weights that are rounded.

        The former move no more than what keys but the first may have of the weights.
        """
        largest, error = each(v).abs().amax(-2, True), off(q, k)
        below = scores(q, k).nan_to_num(-1e300, neginf=-1e300).sort(-1).values
        others = (below[..., :-1] - below[..., -1:] + 4 * error).clamp_max(0).exp().sum(-1, True)
        rounded = info.eps * result(q, k, v.abs()) / (of_values or 1.0)
        rounded = rounded + largest * (keys * info.smallest_normal * info.eps / of_weights)
        return (rounded + largest * (4 * error).minimum(2 * others.clamp_max(1))) * of_values

    given = x, k, v
    scaled = m.add(
        o,
        lambda *a: result(*a) * of_results,
        *given,
        slack=lambda *a: slack(*a) * of_results,
    )
    sums = m.add(
        stats,
        lambda q, k, _: scores(q, k).logsumexp(-1, keepdim=True),
        *given,
        slack=lambda q, k, _: 4 * off(q, k) + 1e-3,
    )
    greatest = m.add(
        most,
        lambda *a: result(*a).abs().amax().view(1, 1, 1, 1),
        *given,
        slack=lambda *a: (slack(*a) + info.eps * result(*a).abs()).amax().view(1, 1, 1, 1),
    )
    m.outputs += [
        (f"y{scaled}", scaled),
        (f"{name}_stats_out", sums),
        (f"{name}_most_out", greatest),
    ]
