"""The classes of every descriptor type make, read and free it, with each library that is here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


#: By release: how many types finalize, of how many, and how many operations alone in a graph. The
#: graph of 8.9 takes a handle, and what has a graph does too, so these need a GPU.
REACHED = {"8.9.7": (27, 34, 0), "9.12.0": (39, 41, 22), "9.28.0": (49, 51, 32)}


@pytest.mark.parametrize("version", REACHED)
def test_every_type_is_made_read_and_freed(
    cudnn_libraries: list[Path], program: Callable[..., Any], beside: list[Path], version: str
) -> None:
    found = [path for path in cudnn_libraries if path.parent.name == version]
    if not found:
        pytest.skip(f"no libcudnn {version}: python scripts/libraries.py {version}")
    done = program("every_type", found[0], *beside)
    told = json.loads(done.stdout.splitlines()[-1])
    types, all_types, operations = REACHED[version]
    missing = [why for why in told["refused"].values() if why == "no cuBLAS" and operations]
    assert len(told["finalized"]) + len(missing) == types, told["refused"]
    absent = [name for name, why in told["refused"].items() if why == "absent"]
    assert 51 - len(absent) == all_types
    assert len(told["graphs"]) == operations, told["refused"]
    assert told["wrong"] == []
    assert told["told"] > 30
    assert told["left"] == []
    assert told["refused"]["IntermediateInfoDescriptor"].startswith("no attribute of it can be set")
    hint = told["refused"]["KnobInfoDescriptor"]
    assert hint == "it is not made but read, as EngineDescriptor.knob_info"


def test_the_code_of_the_page_runs(
    cudnn_libraries: list[Path], run: Callable[..., Any], beside: list[Path]
) -> None:
    """The code of the section on descriptors, with each library that is here."""
    text = (ROOT / "docs/graph.md").read_text(encoding="utf-8")
    section = text.partition("## Descriptors")[2].partition("\n## ")[0]
    snippets = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    assert snippets
    for library in cudnn_libraries:
        preload = "".join(f"ctypes.CDLL({str(each)!r}, 256)\n" for each in beside)
        done = run(f"import ctypes\n{preload}" + "\n".join(snippets), library)
        assert done.stdout == "(200704, 3136, 56, 1) RELU_FWD\n"


def test_descriptors_that_cudnn_makes_are_of_their_class(
    cudnn_libraries: list[Path], program: Callable[..., Any], beside: list[Path]
) -> None:
    """Heuristics are asked for a device that is described, in the releases that take one."""
    asked = 0
    for library in cudnn_libraries:
        first = beside
        if not any("cublasLt" in path.name for path in first):
            pytest.skip("heuristics need libcublasLt: name its folder in LD_LIBRARY_PATH")
        if library.parent.name in ("9.12.0", "9.28.0"):
            assert program("lent", library, *first).stdout.endswith("done\n")
            asked += 1
    if not asked:
        pytest.skip("needs cuDNN 9.12.0 or 9.28.0")


@pytest.mark.parametrize("version", ["8.9.7", "9.12.0", "9.19.0", "9.28.0"])
def test_a_type_that_lacks_an_attribute_is_refused_and_does_not_crash(
    cudnn_libraries: list[Path], program: Callable[..., Any], beside: list[Path], version: str
) -> None:
    found = [path for path in cudnn_libraries if path.parent.name == version]
    if not found:
        pytest.skip(f"no libcudnn {version}: python scripts/libraries.py {version}")
    told = json.loads(program("incomplete", found[0], *beside).stdout.splitlines()[-1])
    assert told["tried"] > 250
    assert told["crashes"] == {}
