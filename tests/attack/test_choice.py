"""Saved plans that were damaged in any way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.choice.conftest import describing as describing
from tests.choice.conftest import no_driver as no_driver
from tests.conftest import Program


@pytest.mark.attack
def test_damaged_plans_are_never_used(
    program: Program, describing: list[Path], no_driver: dict[str, str], seed: int, tmp_path: Path
) -> None:
    for library in describing:
        folder = tmp_path / library.parent.name
        done = program("choice/damage", library, folder, seed, 300, **no_driver)
        assert done.stdout.endswith("done\n")
