"""A sample of the differential tests: other cases every day, but for the audit of engines.

Engines have errors that no seed has shown yet: `nox -s audit` looks for those, this test looks
whether one comes back.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.differ import core

#: Each process has so many; parts of an audit have several processes: together a minute.
#: `nox -s differ` and `nox -s audit` draw more.
SECONDS = 6.0

#: A seed of the audit, and cases of engines from the first on that are right.
SEED, RIGHT = 739944, 12


@pytest.mark.parametrize("part", [*core.PARTS, "chosen"])
def test_nothing_differs(part: str) -> None:
    seed = SEED if part in core.AUDITED else datetime.now(UTC).toordinal()
    tally = core.run((part,), seed, SECONDS, shares=core.SHARES)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.counts["same"] or tally.counts.total() < 5, "nothing was compared"


def test_each_engine_is_right() -> None:
    found = list(core.cases("engines", SEED, SECONDS, most=RIGHT))
    assert not [each for each in found if each.failed]
    assert any(each.outcome == "same" for each in found)
