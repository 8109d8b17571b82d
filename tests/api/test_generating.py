"""The files that the command `generated` removes, and those that it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudnn_cffi import _user_tables
from cudnn_cffi.api import store
from cudnn_cffi.api.inputs import generating
from cudnn_cffi.api.model import encode_releases


def test_all_is_all_that_was_generated_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_user_tables, "ROOT", str(tmp_path))
    monkeypatch.setattr(_user_tables, "HOME", str(tmp_path / "now"))
    for folder in ("now", "before"):
        own = tmp_path / folder / _user_tables.OWN
        own.mkdir(parents=True)
        (own / "releases.json").write_bytes(encode_releases(store().releases()[:1]))
    letters = tmp_path / "letters" / "to-a-friend.txt"
    letters.parent.mkdir()
    letters.write_text("kept in the same folder")
    assert generating._generated("all") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letters"]
    assert letters.read_text() == "kept in the same folder"
    assert capsys.readouterr().out.count("removed") == 2
