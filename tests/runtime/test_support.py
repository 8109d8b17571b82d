"""Small things that all rooms share: a cache that forgets, a context for a while, errors copied."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudnn_cffi import driver, errors
from cudnn_cffi._support import files
from cudnn_cffi._support.recent import Recent

from tests.fake_driver import FakeDriver


def test_a_cache_forgets_its_oldest_entry_alone() -> None:
    known: Recent[object, object] = Recent(3)
    for key in "abc":
        known[key] = key
    known["a"] = "again"  # no new entry
    assert list(known) == ["a", "b", "c"]
    known["d"] = "d"
    assert list(known) == ["b", "c", "d"]
    for number in range(1000):
        known[number] = number
    assert list(known) == [997, 998, 999]


@pytest.mark.parametrize(
    ("before", "wanted", "stay", "after"),
    [
        (0x1000, 0x2000, False, 0x1000),
        (0x1000, 0x2000, True, 0x1000),
        (0x1000, 0, False, 0x1000),
        (0, 0x2000, False, 0),
        (0, 0x2000, True, 0x2000),
    ],
)
def test_a_context_is_current_for_a_while(
    monkeypatch: pytest.MonkeyPatch, before: int, wanted: int, stay: bool, after: int
) -> None:
    fake = FakeDriver().install(monkeypatch.setattr)
    fake.current = before
    with driver.in_context(wanted, stay=stay):
        assert fake.current == (wanted or before)
        fake.current = 0x3000 if wanted else before  # a file that a library leaves
    assert fake.current == (0x3000 if after == wanted else after)


def test_an_error_is_copied_with_all_that_it_says() -> None:
    error = errors.from_status("cudnnX", 3, "CUDNN_STATUS_BAD_PARAM", text="why", version="9.0.0")
    error.__cause__ = ValueError("cause")
    copy = error.replace(message="more", arguments={"x": "1"})
    assert type(copy) is errors.BadParamError
    assert copy.__cause__ is error.__cause__
    assert (copy.message, copy.arguments) == ("more", {"x": "1"})
    for name in ("function", "status", "status_name", "text", "library", "version", "hint"):
        assert getattr(copy, name) == getattr(error, name)


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    missing, folder = tmp_path / "missing" / "a.net", tmp_path / "folder"
    folder.mkdir()
    for path in (missing, folder):  # which fail when it is opened, and when it is renamed
        with pytest.raises(OSError, match=r": '[^']*'$") as error:
            files.replace(path, b"1", own=True)
        assert error.value.filename == str(path)
    assert list(tmp_path.iterdir()) == [folder]
