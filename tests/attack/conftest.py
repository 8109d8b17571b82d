"""A seed for every test that draws at random, printed where the test fails."""

from __future__ import annotations

import random

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seed", type=int, default=None, help="repeat the attack that failed with this seed"
    )


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of this test: the one given by --seed, else a new one.

    pytest shows what a failed test printed, so the line that repeats the failure is in its report.
    """
    given = request.config.getoption("--seed", default=None)
    chosen = random.SystemRandom().randrange(1 << 32) if given is None else int(given)
    print(f"repeat with: nox -s attack -- --seed={chosen} {request.node.nodeid}")
    return chosen
