"""The tables for a library, and libraries that get none."""

from __future__ import annotations

import warnings

import pytest
from cudnn_cffi._tables.selection import Selection, TablesWarning, check_pinned, select
from cudnn_cffi.errors import UnsupportedVersionError

RELEASES = {
    "8.9.6": "8.9.6",
    "8.9.7": "8.9.6",
    "9.8.0": "9.8.0",
    "9.10.0": "9.10.0",
    "9.10.1": "9.10.1",
    "9.10.2": "9.10.1",
    "9.28.0": "9.28.0",
}


@pytest.mark.parametrize(("version", "tables"), RELEASES.items())
def test_a_known_release_gets_its_own(version: str, tables: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert select(version, RELEASES) == Selection(version, version, tables, True)


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("9.29.0", "9.28.0"),
        ("9.28.1", "9.28.0"),
        ("9.9.0", "9.8.0"),  # not those of a newer one, whose values need not exist yet
        ("9.11.0", "9.10.2"),
        ("8.9.8", "8.9.7"),
    ],
)
def test_an_unknown_one_gets_the_nearest_older_of_its_major(version: str, release: str) -> None:
    with pytest.warns(TablesWarning, match=rf"python -m cudnn_cffi generate {version}") as caught:
        selection = select(version, RELEASES)
    assert selection == Selection(version, release, RELEASES[release], False)
    assert len(caught) == 1
    assert str(selection) == f"{release}, the nearest to {version}"


@pytest.mark.parametrize("version", ["10.0.0", "7.6.5"])
def test_an_unknown_major_is_refused(version: str) -> None:
    with pytest.raises(UnsupportedVersionError, match="8 or 9") as caught:
        select(version, RELEASES)
    assert f"python -m cudnn_cffi generate {version}" in str(caught.value)


def test_one_older_than_all_of_its_major_is_refused() -> None:
    with pytest.raises(UnsupportedVersionError, match=r"oldest known of cuDNN 8 is 8\.9\.6"):
        select("8.4.1", RELEASES)


def test_the_order_of_the_releases_does_not_matter() -> None:
    backwards = dict(reversed(RELEASES.items()))
    with pytest.warns(TablesWarning):
        assert select("9.11.0", backwards).release == "9.10.2"


def test_a_pin_accepts_a_release_with_the_same_api() -> None:
    assert check_pinned("9.10.1", "9.10.2", RELEASES).tables == "9.10.1"


def test_a_pin_refuses_a_release_with_another_api() -> None:
    with pytest.raises(UnsupportedVersionError) as caught:
        check_pinned("9.10.0", "9.10.2", RELEASES)
    text = str(caught.value)
    assert "9.10.0" in text
    assert "9.10.2" in text
    assert "load cuDNN 9.10.0" in text


def test_a_pin_names_all_libraries_that_would_do() -> None:
    with pytest.raises(UnsupportedVersionError, match=r"load cuDNN 8\.9\.6 or 8\.9\.7"):
        check_pinned("8.9.7", "9.28.0", RELEASES)


def test_a_pin_warns_about_a_library_that_nobody_knows() -> None:
    with pytest.warns(TablesWarning):
        assert check_pinned("9.28.0", "9.28.1", RELEASES).exact is False


def test_a_pin_needs_tables() -> None:
    with pytest.raises(UnsupportedVersionError, match=r"no tables for cuDNN 9\.5\.0"):
        check_pinned("9.5.0", "9.10.2", RELEASES)
