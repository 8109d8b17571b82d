"""Replacements of removed and deprecated functions compile in C, and run in Python."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi.api import store

from reference import upgrade
from tests.diagnose.repro.conftest import Compile

#: Unused variables are for the rest of a program.
UNUSED = ("-Wno-unused-variable", "-Wno-unused-but-set-variable")

#: The releases with which C must compile: the first that has all names, and the newest.
RELEASES = ("9.23.0", "9.28.0")


@pytest.fixture(scope="module")
def blocks(program: Any) -> str:
    return str(program("instead_c").stdout)


@pytest.mark.parametrize("release", RELEASES)
def test_c_compiles_without_a_warning(
    blocks: str, tmp_path: Path, compile_c: Compile, release: str
) -> None:
    """Each block in a function of its own, whose parameters have the types that the models say."""
    source = tmp_path / "blocks.c"
    source.write_text(blocks)
    assert blocks.count("void block") > 30
    compile_c(source, release, "-fsyntax-only", *UNUSED)


def test_calls_that_need_no_gpu_run(program: Any, cudnn_library: Path) -> None:
    done = program("instead_python", cudnn_library)
    assert len(done.stdout.splitlines()) == 13


def test_every_entry_is_complete() -> None:
    """A test on a GPU runs the Python of each; here its form is checked, and that of its C."""
    names = {a.name: a.owner for api in store().apis() for a in api.attributes}
    for entry in upgrade.entries():
        ast.parse(upgrade.python_of(entry))
        assert entry["text"].endswith("."), entry["title"]
        assert ("c" in entry) != ("operations" in entry), entry["title"]
        for owner, attributes in entry.get("operations", {}).items():
            assert owner in names.values()
            assert {names[each] for each in attributes} <= {owner}
