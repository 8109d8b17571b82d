"""A new version: one number, and a section of the changelog."""

from __future__ import annotations

import datetime
import shutil
from pathlib import Path

import pytest

from scripts.release import COPIES, ROOT, ReleaseError, check, release

DAY = datetime.date(2026, 11, 22)
FILES = ("overlay/cudnn_cffi/_version.py", "CHANGELOG.md", *COPIES)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(
        changelog.read_text().replace(
            "## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- A name.\n", 1
        )
    )
    return tmp_path


def test_the_version_and_the_changelog(copy: Path) -> None:
    before = (copy / "CHANGELOG.md").read_text()
    assert release(copy, "7.2", DAY) == "7.2"
    assert (copy / FILES[0]).read_text().endswith('\n__version__ = "7.2"\n')
    after = (copy / "CHANGELOG.md").read_text()
    assert "## [Unreleased]\n\n## [7.2] - 2026-11-22\n" in after
    assert after.replace("\n## [7.2] - 2026-11-22\n", "", 1) == before


@pytest.mark.parametrize(
    ("version", "text"), [("0.0.1", "not newer"), ("next", "is no version"), ("9", "expected one")]
)
def test_what_is_refused_changes_nothing(copy: Path, version: str, text: str) -> None:
    if version == "9":
        (copy / FILES[-1]).write_text("no version\n")
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


def test_the_tag_of_a_release_is_checked(copy: Path) -> None:
    before = release_of(copy)
    for name in (FILES[0], *COPIES):
        (copy / name).write_text((copy / name).read_text().replace(before, "7.1"))
    assert "CHANGELOG.md has no section for" in check(copy, "7.1")
    release(copy, "7.2", DAY)
    assert check(copy, "7.2") == ""
    assert check(copy, "7.3") == "overlay/cudnn_cffi/_version.py: expected version 7.3, got 7.2"
    changelog = copy / "CHANGELOG.md"
    text = changelog.read_text()
    changelog.write_text(
        text.replace("## [Unreleased]\n", "## [Unreleased]\n\n- Another name.\n", 1)
    )
    assert "changes under '## [Unreleased]', which 7.2 would have" in check(copy, "7.2")
    changelog.write_text(text)
    (copy / "CITATION.cff").write_text("version: 7.1\n")
    assert check(copy, "7.2") == "CITATION.cff: expected version 7.2, got 7.1"


def release_of(copy: Path) -> str:
    return (copy / FILES[0]).read_text().split('"')[-2]
