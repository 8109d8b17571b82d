"""A sample of the differential tests, other cases every day; `nox -s differ` draws others each time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.differ import core

#: Of each part: together a minute.
SECONDS = 12.0


@pytest.mark.parametrize("part", core.PARTS)
def test_nothing_differs(part: str) -> None:
    tally = core.run((part,), datetime.now(UTC).toordinal(), SECONDS)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.counts["same"] or tally.counts.total() < 5, "nothing was compared"
