"""Pages that programs write: what is written, compared and refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts import pages


def test_a_page_is_written_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    page.write_text("# Page\n<!-- list -->\nold\n<!-- end of list -->\n", encoding="utf-8")
    made = {page: lambda text: pages.with_part(text, "list", "new"), other: "all\n"}
    monkeypatch.setattr(sys, "argv", ["program", "--check"])
    assert pages.write("Write pages.", made) == 1
    said = capsys.readouterr().out
    assert "page.md: is not what it is made of" in said
    assert "other.md: is not what it is made of" in said
    assert "old" in page.read_text(encoding="utf-8")
    assert not other.exists()
    monkeypatch.setattr(sys, "argv", ["program"])
    assert pages.write("Write pages.", made) == 0
    written = "# Page\n<!-- list -->\nnew\n<!-- end of list -->\n"
    assert page.read_text(encoding="utf-8") == written
    monkeypatch.setattr(sys, "argv", ["program", "--check"])
    assert pages.write("Write pages.", made) == 0


@pytest.mark.parametrize("text", ["", "<!-- list -->\n", "old\n<!-- end of list -->"])
def test_a_page_without_a_place_for_a_part(text: str) -> None:
    with pytest.raises(ValueError, match="no place for list"):
        pages.with_part(text, "list", "new")
