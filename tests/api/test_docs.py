"""docs/diff.md says what the code does."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from cudnn_cffi.api import cli
from cudnn_cffi.api.formats import FORMATS
from cudnn_cffi.api.rules import AXES, RULES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def text() -> str:
    return (DOCS / "diff.md").read_text(encoding="utf-8")


def test_the_table_of_rules_is_that_of_the_code(text: str) -> None:
    rows = [
        tuple(cell.strip().strip("`") for cell in line.strip("|").split("|"))
        for line in text.partition("## The rules")[2].splitlines()
        if line.startswith("| `")
    ]
    assert rows == [
        (rule.id, *(getattr(rule, axis) or "" for axis in AXES), rule.reason, rule.advice)
        for rule in RULES.values()
    ]


def test_every_format_is_described(text: str) -> None:
    table = text.partition("## Formats")[2].partition("##")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.M)) == FORMATS


def test_every_option_that_it_mentions_is_there(text: str) -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    cli.add_commands(commands)
    known = {
        option
        for command in commands.choices.values()
        for action in command._actions
        for option in action.option_strings
    }
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert mentioned <= known
    assert {"--headers", "--uses", "--fail-on", "--axis", "--suppressions"} <= mentioned


def test_its_links_lead_somewhere(text: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert len(links) >= 3
    for link in links:
        assert (DOCS / link).exists(), link
