"""The patterns of scripts/english.py: sentences without a subject, and words with another meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import english
from scripts.pages import ROOT


@pytest.mark.parametrize(
    "sentence",
    [
        "What a plan has, too.",
        "Those of norms read them.",
        "The most elements that are read.",
        "That the device waits for the host.",
        "Nor are they kept.",
        "So many calls are made.",
        "Which tables go with a release.",
        "3 axes were expected, 4 came",
        "Copied behind the plan.",
    ],
)
def test_riddles_are_found(sentence: str) -> None:
    assert not english.is_plain(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Return the maximum number of elements.",
        "expected 3 axes, got 4",
        "The policy `behind` is a fallback.",
        "What crashes?",
        "Somewhat later.",
    ],
)
def test_plain_sentences_pass(sentence: str) -> None:
    assert english.is_plain(sentence)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.py", '"""Fine.\n\nWhat follows.\n"""\n', 3),
        ("a.py", "x = 1\n\n# Fine.\n# So many of\n# them.\n", 4),
        ("a.py", "def f():\n    raise ValueError(f'{1} came')\n", 2),
        ("a.c", "/* Fine. */\nint x; /* What x is. */\n", 2),
        ("a.md", "# What it is\n\nFine.\n\n- Those are\n  wrong.\n", 5),
        ("a.md", "| a | b |\n|---|---|\n| c | The most of it |\n", 3),
    ],
)
def test_faults_have_their_lines(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_text(text)
    assert {number for number, _ in english.faults(tmp_path / name)} == {line}


def test_code_in_pages_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("```\nWhat came behind\n```\nFine.\n")
    assert list(english.faults(tmp_path / "a.md")) == []


def test_all_sources_in_c_are_read() -> None:
    suffixes = {path.suffix for path in (ROOT / "native").glob("*.*")}
    assert suffixes
    assert suffixes <= english._READERS.keys()
