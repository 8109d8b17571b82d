"""Attention with three options at a time: other cases each day.

`attention_draws` has more, and so has `nox -s differ -- --only attention`.
"""

from __future__ import annotations

import datetime
from typing import Any

import pytest

pytest.importorskip("numpy")

from tests.gpu import attention_draws

COUNT = 8


@pytest.mark.parametrize("number", range(COUNT))
def test_a_case(torch: Any, number: int) -> None:
    if refusal := attention_draws.check(torch, datetime.date.today().toordinal() * COUNT + number):
        pytest.skip(refusal)


#: A case without options whose rows have statistics of about -95.
LOW = attention_draws.Case(
    0, frozenset(), "float16", 2, 4, 4, 128, 192, 64, 64, None, None, False, (), (), None, -100.0
)


OUTSIDE = {
    "dq": LOW,
    "64 keys": LOW._replace(length=64, dtype="bfloat16", level=-200.0),
    "704 keys": LOW._replace(length=704, heads_kv=2, width=128, width_v=128),
    "bias": LOW._replace(bias=(2, 4, 128, 192)),
    "dropout": LOW._replace(options=frozenset({"dropout"})),
    "deterministic": LOW._replace(options=frozenset({"deterministic"})),
    "one query": LOW._replace(length_q=1, length=128),
    "one query, deterministic": LOW._replace(length_q=1, options=frozenset({"deterministic"})),
    "one query, width 96": LOW._replace(length_q=1, length=256, width=96, width_v=96),
    "ragged, a bias of queries": LOW._replace(
        options=frozenset({"ragged"}), lengths=((44, 112), (1, 150)), bias=(2, 4, 128, 1), level=0.0
    ),
    **{
        f"score {seed}": LOW._replace(
            seed=seed, options=frozenset({"score"}), length=160, level=0.0
        )
        for seed in range(len(attention_draws.SCORES))
    },
    **{
        f"score {seed}, {words}": LOW._replace(
            seed=seed, options=frozenset({"score", *more}), length_q=100, level=0.0, **how
        )
        for seed in range(len(attention_draws.SCORES))
        for words, more, how in (
            ("a scale of zero", (), {"scale": 0.0, "length": 8, "dtype": "bfloat16"}),
            ("whole tiles of keys", (), {"length": 128}),
            ("lengths", ("padding",), {"lengths": ((90, 150), (1, 64))}),
            ("lengths, 160 keys", ("padding",), {"length": 160, "lengths": ((90, 150), (1, 64))}),
            ("causal", ("causal",), {"right": 0, "length": 100}),
        )
    },
}


#: Cases that single engines compute wrongly: errata of `attention` and `attention_backward`.
ELSEWHERE = {
    "a bias of each example": LOW._replace(bias=(2, 1, 1, 1), level=0.0),
    "a bias of each head, lengths": LOW._replace(
        options=frozenset({"padding"}), lengths=((128, 150), (10, 64)), bias=(2, 4, 1, 1), level=0.0
    ),
    "a bias of each head, one query": LOW._replace(length_q=1, bias=(2, 4, 1, 1), level=0.0),
    "a sink, dropout": LOW._replace(options=frozenset({"sink", "dropout"}), level=0.0),
}


@pytest.mark.parametrize("case", ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_takes_several_plans(torch: Any, case: attention_draws.Case) -> None:
    found = attention_draws.differences(torch, case)
    assert all(error < limit for error, limit in found.values()), found


#: Cases with slopes that are infinite or NaN for -inf, the score of what is beside the scores.
REFUSED = {
    *("score 0, a scale of zero", "score 2, a scale of zero"),
    *("score 2", "score 2, causal", "score 2, lengths, 160 keys"),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_is_beside_the_scores(cudnn: Any, torch: Any, name: str) -> None:
    """Elements of a tile that are no keys, or no queries, take no part, whatever rows have."""
    if name in REFUSED:
        with pytest.raises(cudnn.NotSupportedError, match="multiplies by the score"):
            attention_draws.differences(torch, OUTSIDE[name])
        return
    found = attention_draws.differences(torch, OUTSIDE[name])
    assert all(error < limit for error, limit in found.values()), found
