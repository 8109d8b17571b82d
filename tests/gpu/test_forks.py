"""Forks after the GPU was used."""

from __future__ import annotations

from tests.conftest import Program


def test_a_child_prints_nothing_of_its_own(program: Program) -> None:
    done = program("forked")
    assert done.stdout == "refused\ngoes on\n"
    assert done.stderr == ""
