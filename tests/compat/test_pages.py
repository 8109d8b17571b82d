"""The pages for those who move: the names that they recommend are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import ops

PAGES = Path(__file__).parents[2] / "docs" / "porting"


@pytest.mark.parametrize("page", ["cupy.md", "libcudnn.md"])
def test_better_words_are_there(cudnn: Any, page: str) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    tables = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    spans = re.findall(r"`([^`]+)`", tables)
    found = 0
    for span in spans:
        for name in re.findall(r"\bops\.(\w+)", span):
            assert hasattr(ops, name), span
            found += 1
        for path in re.findall(r"\bcudnn\.(\w+(?:\.\w+)?)", span):
            owner, _, attribute = path.partition(".")
            assert hasattr(cudnn, owner), span
            assert not attribute or hasattr(getattr(cudnn, owner), attribute), span
            found += 1
    assert found > 30
