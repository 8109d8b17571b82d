"""A sample of the differential tests, the same cases each time: `nox -s differ` draws others."""

from __future__ import annotations

import pytest

from tests.differ import core

SECONDS = 12.0

#: The seed of each part, and how many of its cases are run.
SAMPLE = {
    "modules": (41, 100),
    "functions": (41, 75),
    "graphs": (42, 7),
    "operations": (41, 22),
    "attention": (41, 8),
}


@pytest.mark.parametrize("part", core.PARTS)
def test_nothing_differs(part: str) -> None:
    seed, most = SAMPLE[part]
    tally = core.run((part,), seed, SECONDS, most=most)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.counts["same"] or tally.counts.total() < 5, "nothing was compared"
