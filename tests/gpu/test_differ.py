"""A sample of the differential tests, other cases every day; `nox -s differ` draws others each time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.differ import core

#: Of each part: together a minute. Parts of an audit have several processes.
SECONDS = 8.0


@pytest.mark.parametrize("part", core.PARTS + core.AUDITED)
def test_nothing_differs(part: str) -> None:
    seed = datetime.now(UTC).toordinal()
    tally = core.run((part,), seed, SECONDS, shares=core.SHARES)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.counts["same"] or tally.counts.total() < 5, "nothing was compared"
