"""Damaged pickles: an error, or an object that can be looked at, in bounded memory."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Program

pytestmark = pytest.mark.attack


def test_damaged_pickles(seed: int, program: Program) -> None:
    done = program("pickles", None, seed, 20000)
    told = json.loads(done.stdout.splitlines()[-1])
    assert sum(told["outcomes"].values()) == 20000
    assert told["outcomes"]["loaded"] > 100
    assert told["wrong"] == []
