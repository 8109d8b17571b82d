"""A sample of the differential tests: other cases every day, but for the audit of engines.

Engines have errors that no seed has shown yet: `nox -s audit` looks for those, this test looks
whether one comes back.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.differ import core

#: The seconds of each process; parts of an audit have several processes: together a minute.
#: `nox -s differ` and `nox -s audit` draw more.
SECONDS = 6.0

#: A part that takes no other cases each day: its cases were not looked at for long.
LEFT_OUT = "further_operations"

#: A seed of the audit, and how many cases from the first on are right: those of networks differ
#: from PyTorch's now and then where norms of few elements amplify roundings.
SEED, RIGHT = 739944, {"engines": 12, "networks": 12}


@pytest.mark.parametrize(
    "part", [*(each for each in core.PARTS if each not in {*RIGHT, LEFT_OUT}), "chosen"]
)
def test_nothing_differs(part: str) -> None:
    seed = SEED if part in core.AUDITED else datetime.now(UTC).toordinal()
    tally = core.run((part,), seed, SECONDS, each=core.EACH)
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.counts["same"] or tally.counts.total() < 5, "nothing was compared"


@pytest.mark.parametrize("part", RIGHT)
def test_the_first_cases_are_right(part: str) -> None:
    found = list(core.cases(part, SEED, SECONDS, most=RIGHT[part]))
    assert not [each for each in found if each.failed], "\n".join(map(str, found))
    assert any(each.outcome == "same" for each in found) or len(found) < 5, "nothing was compared"
