"""Every operation against real libraries: descriptors, and plans for an H200 without a GPU."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.choice.conftest import release_of
from tests.graph import expected
from tests.graph.operations import CASES

#: The first release that makes operation graphs without a handle.
WITHOUT_DEVICE = (9, 8)


def test_descriptors_of_every_operation_are_finalized(
    cudnn_libraries: list[Path], program: Any
) -> None:
    for library in cudnn_libraries:
        release = release_of(library)
        level = "graph" if release >= WITHOUT_DEVICE else "nodes"
        found = json.loads(program("finalize", library, level).stdout.splitlines()[-1])
        assert found.keys() == CASES.keys()
        for name, refusal in found.items():
            assert bool(refusal) != expected.finalizes(name, release), (release, name, refusal)
            if refusal and name not in expected.NEVER:
                known = (
                    "was added in",
                    "no such operation",
                    expected.NOT_YET.get(name, "was added in"),
                )
                assert any(each in refusal for each in known), refusal


def test_operations_that_are_refused_together(cudnn_libraries: list[Path], program: Any) -> None:
    for library in cudnn_libraries:
        answer = json.loads(program("together", library).stdout)
        if release_of(library) < WITHOUT_DEVICE:
            assert answer["kind"] == "MissingFunctionError"
            assert "does not have device properties: they were added in 9.8.0" in answer["message"]
        else:
            assert answer["kind"] == "NotSupportedError"
            assert answer["message"].startswith("graph pair: "), "no node is refused alone"
            assert "matmul(a=norm_forward_y, b=w)" in answer["message"]
            assert "make a result between them an output" in answer["hint"]


def test_8_bits_that_an_h200_lacks_are_refused(
    cudnn_library: Path, program: Any, places: dict[str, str]
) -> None:
    """It has norms over rows and sums, but no gradients of norms, and no blocks with scales."""
    done = program("eight_bits", cudnn_library, CUDNN_CFFI_EXPLAIN="0", **places)
    found = json.loads(done.stdout)
    for name, error in found.items():
        lacks = name.startswith(("gradient", "blocks"))
        assert error == ("NoPlanError" if lacks else ""), name


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_plans_of_every_operation_are_built_for_a_device(part: int, program: Any) -> None:
    """The library that the environment names, with NVRTC and cuBLAS where it finds them."""
    given = os.environ.get("CUDNN_CFFI_LIBRARY")
    if not given or not _has_compiler():
        pytest.skip("needs CUDNN_CFFI_LIBRARY, and NVRTC and cuBLAS on LD_LIBRARY_PATH")
    library = Path(given).resolve()
    release = release_of(library)
    folders = os.environ.get("LD_LIBRARY_PATH", "")
    output = program("build", library, part, 8, LD_LIBRARY_PATH=folders).stdout
    for name, (refusal, parts) in json.loads(output.splitlines()[-1]).items():
        supported = expected.is_supported(name, release)
        assert bool(refusal) != supported, (release, name, refusal)
        assert bool(parts) == expected.is_computed(name, release), (release, name, refusal, parts)
        if refusal and expected.finalizes(name, release):
            assert expected.NO_ENGINE[name] in refusal


def _has_compiler() -> bool:
    folders = [Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(":") if each]
    wanted = ("libnvrtc.so.*", "libcublasLt.so.*")
    return all(any(any(folder.glob(name)) for folder in folders) for name in wanted)
