"""Needs of records: the compiled layer knows them by the same numbers as Python."""

from __future__ import annotations

import re

from cudnn_cffi.errata import judging, needs
from cudnn_cffi.errata.definitions import OPERATION, OPTION, TENSOR
from cudnn_cffi.plan import Operand

from tests.conftest import ROOT


def test_facts_have_the_order_of_the_compiled_layer() -> None:
    text = (ROOT / "native" / "facts.h").read_text(encoding="utf-8")
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    told = {
        name: re.findall(r"(\w+)(?: = \d+)?,?", body)
        for name, body in re.findall(r"enum (\w+) \{(.*?)\}", bare, re.DOTALL)
    }
    kinds = ["MATMUL", "CONVOLUTION", "POINTWISE", "REDUCTION", "DATA_GRADIENT", "FILTER_GRADIENT"]
    assert told["graph_facts"] == [*needs.GRAPH, *kinds]
    assert told["operation_facts"] == list(OPERATION)
    assert told["tensor_facts"] == [*TENSOR, "SIZE"]
    assert told["option_facts"] == [*OPTION, *needs.WORDS][: len(told["option_facts"])]
    ports = [each.lower() for each in told["ports"]]
    assert ports == list(needs.PORTS)[: len(ports)]
    assert [each.upper() for each in needs.WHICH] == [
        each.removeprefix("OF_") for each in told["which"]
    ]
    (fields,) = re.findall(r"enum operand_fields \{(.*?)\}", bare)
    for name, place in re.findall(r"(\w+) = (\d+)", fields):
        assert Operand._fields[int(place)] == name.lower()


def test_numbers_have_no_place_for_more_facts_and_ports_than_there_are() -> None:
    assert len(needs.PORTS) <= 64
    assert max(judging._OF_PORT.values()) < judging._PRESENT
    assert max(judging._OF_GRAPH.values()) < 1 << 63
