"""The one table of other packages' words: each word stands once, and leads to something of ours."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from cudnn_cffi import graph
from cudnn_cffi._advice import find, options, plain, said, words
from cudnn_cffi.choice import filters, policy, policy_words
from cudnn_cffi.ops.element.activation import ACTIVATIONS

TABLE = Path(words.__file__).with_name("words.json")
RECORDS = json.loads(TABLE.read_text())
PLACES = {
    "name", "module", "method", "argument", "option", "no_option", "pick", "setting", "filter",
    "activation", "axis",
}  # fmt: skip


def test_each_word_has_one_record_which_tells_something() -> None:
    told = [word for each in RECORDS for word in each["words"].split()]
    assert [word for word, count in Counter(told).items() if count > 1] == []
    assert set(words.records()) == set(told)
    for each in RECORDS:
        places = set(each) - {"words"}
        assert places, each
        assert places <= PLACES, each
    for place in PLACES - {"option"}:
        assert said(place), place  # type: ignore[arg-type]


def test_lines_are_sorted_one_for_each_record() -> None:
    lines = TABLE.read_text().splitlines()
    assert [json.loads(line.rstrip(",")) for line in lines[1:-1]] == RECORDS
    firsts = [each["words"].split()[0] for each in RECORDS]
    assert firsts == sorted(firsts, key=lambda word: (plain(word), word))


@pytest.mark.parametrize("place", ["name", "option", "no_option"])
def test_spellings_of_a_word_are_told_the_same(place: str) -> None:
    table = options() if place == "option" else said(place)  # type: ignore[arg-type]
    for word, text in table.items():
        assert find(table, word.upper()) == text, word
        assert find(table, plain(word)) == text, word
    assert find(table, "nonsense") is None


def test_places_name_what_is_there() -> None:
    """The tests of each place check names of modules, options and layers for PyTorch."""
    graphs = {*dir(graph.Graph), *vars(graph.Graph()), "the", "from_json"}
    for word, text in said("method").items():
        ours = re.search(r"(?:use|as in) (?:Plan\.)?(\w+)", text)
        assert ours, word
        assert ours[1] in graphs, word
        assert word not in graphs, word
    methods = [getattr(graph.Graph, name) for name in dir(graph.Graph) if name[0] != "_"]
    taken = {
        name
        for each in methods
        if inspect.isfunction(each)
        for name in inspect.signature(each).parameters
    }
    assert set(said("argument").values()) <= taken
    for text in said("pick").values():
        assert re.findall(r"use (\w+)", text)[0] in policy_words.WORDS
    settings = {*policy_words.SECTIONS, *policy._FIELDS}
    for word, text in said("setting").items():
        assert word not in settings
        assert re.findall(r"\w+", text)[1] in {*settings, "time"}, word
    for word, text in said("filter").items():
        assert word not in filters.Filters._fields
        assert text.removeprefix("use ") in filters.Filters._fields
    for word, text in said("activation").items():
        assert word not in ACTIVATIONS
        assert re.findall(r"\w+", text)[1] in ACTIVATIONS


#: Dictionaries of words of ours, with texts that begin as those of the table.
OURS = {"graph/graph.py"}


def test_no_other_module_has_such_words() -> None:
    """A dictionary of texts that begin with "use " is part of the table."""
    overlay = Path(words.__file__).parents[1]
    for path in overlay.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict) and path.relative_to(overlay).as_posix() not in OURS:
                texts = [each.value for each in node.values if isinstance(each, ast.Constant)]
                hints = [each for each in texts if str(each).startswith("use ")]
                assert len(hints) < 2, f"{path.relative_to(overlay)}:{node.lineno}"
