"""Needs of records: the compiled layer knows them by the same numbers as Python."""

from __future__ import annotations

import re

import pytest
from cudnn_cffi.errata import needs, scope

from tests.conftest import ROOT


def test_facts_have_the_order_of_the_compiled_layer() -> None:
    text = (ROOT / "native" / "facts.h").read_text(encoding="utf-8")
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    graph, tensor, which = (
        tuple(re.findall(r"\w+", body)) for body in re.findall(r"enum \{(.*?)\}", bare, re.DOTALL)
    )
    assert (graph, tensor) == (needs.GRAPH, needs.TENSOR)
    assert [each.upper() for each in needs.WHICH] == [each.removeprefix("OF_") for each in which]


@pytest.mark.parametrize(
    ("constraint", "bounds"),
    [
        (3, (1 - (1 << 63), (1 << 63) - 1, (3,), True)),
        ([1, 2], (1 - (1 << 63), (1 << 63) - 1, (1, 2), True)),
        ({"none_of": [4], "from": 3}, (3, (1 << 63) - 1, (4,), False)),
        ({"above": 1, "below": 9}, (2, 8, (), False)),
    ],
)
def test_constraints_on_knobs_are_bounds(constraint: object, bounds: tuple[object, ...]) -> None:
    assert scope.bounds_of({"KNOB": constraint}) == (("KNOB", *bounds),)


def test_a_remainder_is_no_bound() -> None:
    assert scope.bounds_of({"KNOB": {"modulo": 2, "is": 0}}) is None
