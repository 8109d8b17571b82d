"""Attention with three options at a time: other cases each day; `attention_draws` has more."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

pytest.importorskip("numpy")

from tests.gpu import attention_draws

COUNT = 20


@pytest.mark.parametrize("number", range(COUNT))
def test_a_case(torch: Any, number: int) -> None:
    if refusal := attention_draws.check(torch, datetime.date.today().toordinal() * COUNT + number):
        pytest.skip(refusal)
