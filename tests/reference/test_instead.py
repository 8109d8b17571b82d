"""Replacements of removed and deprecated functions compile in C, and run in Python."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi.api import store

from generator.headers.records import HeaderError
from generator.headers.web.registry import Registry
from reference import upgrade

#: Unused variables are what a program goes on with.
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable")

#: The releases with which C must compile: the first that has all names, and the newest.
RELEASES = ("9.23.0", "9.28.0")


@pytest.fixture(scope="module")
def blocks(program: Any) -> str:
    return str(program("instead_c").stdout)


@pytest.mark.parametrize("release", RELEASES)
def test_c_compiles_without_a_warning(blocks: str, tmp_path: Path, release: str) -> None:
    """Each block in a function of its own, whose parameters have the types that the models say."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    try:
        with Registry() as registry:
            headers = {"cudnn": registry.fetch(release), "cuda": registry.cuda_headers()}
    except HeaderError as error:
        pytest.skip(f"the headers of a release cannot be had: {error}")
    for name, each in headers.items():
        for file, content in each.files.items():
            target = tmp_path / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    source = tmp_path / "blocks.c"
    source.write_text(blocks)
    assert blocks.count("void block") > 30
    included = (f"-I{tmp_path / 'cudnn'}", "-isystem", str(tmp_path / "cuda"))
    command = [compiler, "-std=c11", "-fsyntax-only", *WARNINGS, *included, str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


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
