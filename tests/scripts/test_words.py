"""Words of pages: what is counted, and what programs write."""

from __future__ import annotations

import pytest

from scripts import words

PART = "<!-- the rows -->\n| a | b |\n<!-- end of the rows -->"
FIGURES = "<!--\n| a | {r.a:.1f} |\n-->\n| a | 1.0 |\n<!--/-->"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("# A page\n\nTwo words.\n", 5),
        (f"one\n\n{PART}\n\n{FIGURES}\n\ntwo", 2),
        ("takes <!--{r.a:.1f}-->1.0<!--/--> of it", 4),
        ("<!-- a remark -->\none", 1),
        ("# A page\n\nChanges.\nWritten by `a`.\n\n| a |\n", 0),
        ("# A page\n\n<!-- Written by a. -->\n\none\n", 0),
        ("# A page\n\nOne.\n\nWritten by hand.\n", 7),
    ],
)
def test_words_by_hand_are_counted(text: str, count: int) -> None:
    assert words.words(text) == count


def test_pages_that_programs_write_are_found() -> None:
    found = {path.name for path in words.pages() if not words.words(path.read_text("utf-8"))}
    assert found == {"api-changes.md", "engines.md", "needs.md"}


def test_too_many_words_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "LIMIT", 1)
    assert words.main([]) == 1
    monkeypatch.setattr(words, "LIMIT", 1_000_000)
    assert words.main([]) == 0
