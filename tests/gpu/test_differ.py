"""A sample of the differential tests, with other cases each time: `nox -s differ` runs more."""

from __future__ import annotations

import random

import pytest

from tests.differ import core

SECONDS = 12.0


@pytest.mark.parametrize("part", core.PARTS)
def test_nothing_differs(part: str) -> None:
    tally = core.run((part,), random.SystemRandom().randrange(10**6), SECONDS)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.counts["same"] or tally.counts.total() < 5, "nothing was compared"
