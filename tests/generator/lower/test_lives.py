"""Tables of releases as one list of lives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from generator.lower.lives import lives


def told(*tables: dict[str, int]) -> list[tuple[str, int, str, str | None]]:
    releases = [(str(index), table) for index, table in enumerate(tables)]
    return [(each.name, each.row, each.since, each.until) for each in lives(releases)]


def test_a_row_that_stays_is_there_once() -> None:
    assert told({"a": 1, "b": 2}, {"a": 1, "c": 3, "b": 2}) == [
        ("a", 1, "0", None), ("c", 3, "1", None), ("b", 2, "0", None)
    ]  # fmt: skip


def test_a_row_that_changes_ends_and_begins_again() -> None:
    assert told({"a": 1, "b": 2}, {"a": 5, "b": 2}) == [
        ("a", 1, "0", "1"), ("a", 5, "1", None), ("b", 2, "0", None)
    ]  # fmt: skip


def test_a_row_that_comes_back_has_two_lives() -> None:
    assert told({"a": 1}, {}, {"a": 1}) == [("a", 1, "0", "1"), ("a", 1, "2", None)]


def test_the_fewest_rows_move() -> None:
    found = told({"a": 1, "b": 2, "c": 3}, {"c": 3, "a": 1, "b": 2})
    assert [each for each in found if each[3]] == [("c", 3, "0", "1")]


@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2)), max_size=6))
def test_every_table_comes_back_in_its_order(tables: list[dict[str, int]]) -> None:
    releases = [(str(index), table) for index, table in enumerate(tables)]
    found = lives(releases)
    for index, table in enumerate(tables):
        alive = [
            (each.name, each.row)
            for each in found
            if int(each.since) <= index and (each.until is None or index < int(each.until))
        ]
        assert alive == list(table.items())
