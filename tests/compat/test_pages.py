"""The pages for those who move: the names that they recommend are there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import ops

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "porting"


@pytest.mark.parametrize("page", ["cupy.md", "libcudnn.md", "others.md"])
def test_better_words_are_there(cudnn: Any, page: str) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    tables = "\n".join("|".join(row.split("|")[2:]) for row in rows)  # ours, after theirs
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
    assert found > 20


def test_words_of_theano_and_lua_lead_to_what_there_is() -> None:
    text = (PAGES / "others.md").read_text(encoding="utf-8")
    modules = {
        name
        for path in (ROOT / "overlay/cudnn_cffi/torch/modules").glob("*.py")
        for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    named = set(re.findall(r"`modules\.(\w+)", text))
    assert len(named) > 15
    assert named <= modules
    options = set(re.findall(r"`(padding|stride|dilation|groups|flip)`?=?", text))
    assert options <= set(inspect.signature(ops.Convolution).parameters)
    assert repr(ops.BatchNorm("per-activation")) == repr(ops.BatchNorm("per_activation"))
