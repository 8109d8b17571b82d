"""A new version: one number, and a section of the changelog."""

from __future__ import annotations

import datetime
import shutil
from pathlib import Path

import pytest

from scripts.release import ROOT, ReleaseError, release

DAY = datetime.date(2026, 11, 22)
FILES = ("overlay/cudnn_cffi/_version.py", "CHANGELOG.md")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_version_and_the_changelog(copy: Path) -> None:
    before = (copy / "CHANGELOG.md").read_text()
    assert release(copy, "7.2", DAY) == "7.2"
    assert (copy / FILES[0]).read_text().endswith('\n__version__ = "7.2"\n')
    after = (copy / "CHANGELOG.md").read_text()
    assert "## [Unreleased]\n\n## [7.2] - 2026-11-22\n" in after
    assert after.replace("\n## [7.2] - 2026-11-22\n", "", 1) == before


@pytest.mark.parametrize(
    ("version", "text"), [("0.0.1", "not newer than"), ("next", "is no version")]
)
def test_what_is_refused_changes_nothing(copy: Path, version: str, text: str) -> None:
    before = [(copy / name).read_text() for name in FILES]
    with pytest.raises(ReleaseError, match=text):
        release(copy, version, DAY)
    assert [(copy / name).read_text() for name in FILES] == before


def test_a_version_is_released_once_and_not_without_changes(copy: Path) -> None:
    release(copy, "7.2", DAY)
    with pytest.raises(ReleaseError, match=r"not newer than 7\.2"):
        release(copy, "7.2", DAY)
    with pytest.raises(ReleaseError, match="nothing under"):
        release(copy, "7.3", DAY)
