"""Attention of FP8 as a step of drawn graphs, with the scales of its tensors."""

from __future__ import annotations

from typing import Any

import torch

from .attention_steps import KEYS
from .executing import MEMORY

__all__ = ["attention", "attention_gradient"]

#: The error of scores, relative to the sums of their terms.
SUMS = 2.0**-12

#: Nothing is known of the weights of a row whose scores may be off by more than this.
UNTOLD = 4.0


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
        unknown=torch.full((1, 1, 1, 1), not of_results),  # it is divided by the factor
    )
    m.outputs += [
        (f"y{scaled}", scaled),
        (f"{name}_stats_out", sums),
        (f"{name}_most_out", greatest),
    ]


def attention_gradient(m: Any, name: str, x: int) -> None:
    """Add the gradients of queries, keys and values, and the largest of each and of the scores.

    Weights, and gradients of scores, are rounded to FP8. Nothing is known where these are beyond it.
    """
    batch, heads, queries, width = m.shape(x)
    keys = m.draw.pick(f"{name}_keys", KEYS)
    k, v = (m.input(f"{name}_{word}", (batch, heads, keys, width)) for word in "kv")
    is_causal = m.draw.pick(f"{name}_band", ("none", "causal")) == "causal"
    of_scores = m.draw.pick(f"{name}_descale", (0.25, 1.0, 2.0**-10))
    of_values = m.draw.pick(f"{name}_values", (1.0, 0.25, 0.0, 2.0**10))
    of_weights = m.draw.pick(f"{name}_weights", (256.0, 1.0))
    of_slopes = m.draw.pick(f"{name}_slopes", (16.0, 1.0, 2.0**10, 2.0**-10))
    of_results = m.draw.pick(f"{name}_results", (1.0, 8.0, 0.0, 2.0**-10))
    info, most = torch.finfo(MEMORY[m.kind]), torch.finfo(MEMORY[m.kind]).max
    distance = torch.arange(keys) - torch.arange(queries).view(-1, 1)
    factor = width**-0.5 * of_scores**2

    def scores(q: Any, k: Any) -> Any:
        raw = q @ k.transpose(-1, -2) * factor
        return raw.where(distance <= 0, -torch.inf) if is_causal else raw

    raw = scores(*(m.arrays[m.tensor(each).name] for each in (x, k)))
    o = (raw.softmax(-1) @ m.arrays[m.tensor(v).name]).clamp(-most, most)
    o = m.input(f"{name}_o", o.shape, None, o.float())
    do = m.input(f"{name}_do", m.shape(x), m.other)
    sums = raw.logsumexp(-1, keepdim=True)
    stats = m.input(f"{name}_stats", sums.shape, "FLOAT", sums, True)
    numbers = {
        **dict.fromkeys(("descale_q", "descale_k"), of_scores),
        **dict.fromkeys(("descale_v", "descale_o"), of_values),
        **{"descale_do": 0.5, "scale_s": of_weights, "descale_s": 1 / of_weights},
        **{"scale_dp": of_slopes, "descale_dp": 1 / of_slopes},
        **dict.fromkeys(("scale_dq", "scale_dk", "scale_dv"), of_results),
    }
    fp8 = {}
    for word, number in numbers.items():
        value = torch.full((1, 1, 1, 1), number, dtype=torch.float64)
        fp8[word] = m.tensor(m.input(f"{name}_{word}", value.shape, "FLOAT", value, True))
    given = x, k, v, o, do, stats
    found = m.graph.attention_backward(*map(m.tensor, given), fp8=fp8, causal=is_causal)

    def rounding(a: Any, off: Any, scale: float) -> Any:
        return off + info.eps / 2 * (a.abs() + off + info.smallest_normal / scale)

    def each(q: Any, k: Any, v: Any, o: Any, do: Any, stats: Any) -> Any:
        """Return dq, dk, dv and the gradient of scores, and their errors."""
        off = SUMS * (q.abs() @ k.abs().transpose(-1, -2) * factor) + 2.0**-22 * stats.abs()
        weights = (scores(q, k) - stats).exp()
        of_weights_off = weights * (2 * off).clamp_max(UNTOLD).expm1()
        to_values, of_do = v.transpose(-1, -2) * of_values, do * 0.5
        inner = of_do @ to_values - (of_do * o * of_values).sum(-1, keepdim=True)
        sizes = of_do.abs() @ to_values.abs() + (of_do * o * of_values).abs().sum(-1, keepdim=True)
        scale = width**-0.5
        slopes = weights * inner * scale
        slopes_off = (
            of_weights_off * inner.abs() + (weights + of_weights_off) * SUMS * sizes
        ) * scale
        narrow_off = rounding(slopes, slopes_off, of_slopes)
        of_weights_off = rounding(weights, of_weights_off, of_weights)
        products = (
            (slopes, narrow_off, k * of_scores),
            (slopes.transpose(-1, -2), narrow_off.transpose(-1, -2), q * of_scores),
            (weights.transpose(-1, -2), of_weights_off.transpose(-1, -2), of_do),
        )
        exact = [a @ b for a, _, b in products]
        errors = [(off + SUMS * a.abs()) @ b.abs() for a, off, b in products]
        return [*exact, slopes], [*errors, slopes_off]

    arrays = [m.arrays[m.tensor(each).name] for each in given]
    off = SUMS * factor * (arrays[0].abs() @ arrays[1].abs().transpose(-1, -2)).amax(-1, True)
    untold = off + 2.0**-22 * sums.abs() > UNTOLD
    beyond = untold | ((each(*arrays)[0][3].abs() * of_slopes).amax(-1, True) > most)
    places = beyond, beyond.any(2, True), untold.any(2, True), untold
    for place, (tensor, most_of) in enumerate(zip((*found[:3], None), found[3:], strict=True)):
        unknown = places[place]

        def one(*arrays: Any, place: int = place) -> Any:
            return each(*arrays)[0][place]

        def slack(*arrays: Any, place: int = place) -> Any:
            return each(*arrays)[1][place]

        if tensor is not None:
            m.add(
                tensor,
                lambda *a, one=one: one(*a) * of_results,
                *given,
                slack=lambda *a, slack=slack: slack(*a) * of_results,
                unknown=unknown.expand(tensor.shape),
            )
        greatest = m.add(
            most_of,
            lambda *a, one=one: one(*a).abs().amax().view(1, 1, 1, 1),
            *given,
            slack=lambda *a, slack=slack: slack(*a).amax().view(1, 1, 1, 1),
            unknown=unknown.any().view(1, 1, 1, 1),
        )
        m.outputs.append((f"{name}_most{place}_out", greatest))
