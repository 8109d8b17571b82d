"""Arguments of wrong kinds to what has no C name: refused in words, not by an inner attribute."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Program

pytestmark = pytest.mark.attack


def test_arguments_of_wrong_kinds(seed: int, program: Program, cudnn_library: Path) -> None:
    told = json.loads(program("nonsense", cudnn_library, seed, 20000).stdout.splitlines()[-1])
    assert told["wrong"] == {}
    assert told["outcomes"]["returned"] > 500
    assert told["outcomes"]["refused"] > 5000
