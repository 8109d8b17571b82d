"""The code in the documents for users runs as it stands; what needs a GPU is run by tests/gpu."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errors

ROOT = Path(__file__).parents[1]


_DOCUMENTS = (
    "README.md",
    "docs/overlay.md",
    "reference/guide/index.md",
    "reference/guide/start/five-minutes.md",
    "reference/guide/start/concepts.md",
    "reference/guide/start/errors.md",
)


def snippets() -> list[tuple[str, str]]:
    found = []
    for name in _DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        found += [(name, each) for each in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)]
    return found


def needs_gpu(code: str) -> bool:
    return any(each in code for each in ("cudnn.Handle(", "import torch", ".build()"))


@pytest.mark.parametrize(("name", "code"), [each for each in snippets() if not needs_gpu(each[1])])
def test_a_snippet_runs(cudnn: Any, name: str, code: str) -> None:
    load = f"import cudnn_cffi; cudnn_cffi.load({str(cudnn.load().path)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", load + code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, name + done.stderr
    assert not done.stderr, name + done.stderr
    if name == "README.md":
        assert done.stdout.splitlines() == printed(code), "what stands behind each print"


def printed(code: str) -> list[str]:
    return re.findall(r"^ *print\(.*\)  # (.*)$", code, re.M)


def test_some_of_each_document_runs() -> None:
    assert {name for name, code in snippets() if not needs_gpu(code)} == set(_DOCUMENTS)


def test_links_of_the_readme_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert len(links) > 15
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_of_nox_is_listed() -> None:
    sessions = re.findall(
        r"^@nox\.session.*\ndef (\w+?)_?\(", (ROOT / "noxfile.py").read_text(), re.M
    )
    listed = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Commands")[2]
    assert [name for name in sessions if f"nox -s {name}" not in listed] == []


def test_the_errors_that_the_page_names_are_there() -> None:
    text = (ROOT / "docs/overlay.md").read_text(encoding="utf-8")
    table = text.partition("## Errors")[2].partition("```")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| `")]
    assert len(rows) >= 10
    for names, _, bases in rows:
        for name in re.findall(r"`(\w+)`", names):
            assert name in errors.__all__
            for base in re.findall(r"`(\w+)`", bases):
                assert base in [each.__name__ for each in getattr(errors, name).__mro__]
