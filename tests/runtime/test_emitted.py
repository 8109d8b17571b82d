"""The emitted package against real libraries, without a GPU: each family made, set, read, closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Program

MAJORS = ("8", "9")


@pytest.fixture(params=MAJORS)
def library(request: pytest.FixtureRequest) -> Path:
    """The newest libcudnn of each major."""
    newest: Path = request.getfixturevalue(
        "cudnn8_library" if request.param == "8" else "cudnn_library"
    )
    if request.param == "8":
        return newest
    if ".so.9" not in newest.name:
        pytest.skip("no libcudnn 9")
    return newest


def test_every_family_is_made_and_destroyed(program: Program, library: Path) -> None:
    done = program(
        "families",
        library,
    )
    assert int(done.stdout) >= 19


def test_what_is_set_comes_back(program: Program, library: Path) -> None:
    """Every setter with its getter: values, enum members, tuples trimmed to the count."""
    assert int(program("round_trips", library).stdout) == 20


def test_output_dimensions(program: Program, library: Path) -> None:
    program(
        "output_dimensions",
        library,
    )


def test_failures_carry_what_cudnn_says(program: Program, library: Path) -> None:
    program(
        "failures",
        library,
        CUDA_VISIBLE_DEVICES="",
    )


def test_a_backend_descriptor_is_set_finalized_and_read(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    """From 9.27 on finalizing needs the driver, so an older library shows it."""
    for path in cudnn_libraries:
        done = program(
            "backend_descriptor",
            path,
        )
        if done.stdout.strip() == "finalized":
            return
    pytest.skip("every libcudnn here needs the driver to finalize")


def test_a_release_module_has_its_own_names_only(program: Program) -> None:
    program("release_module")


def test_a_pinned_release_refuses_another_api(program: Program, library: Path) -> None:
    done = program(
        "pinned_release",
        library,
    )
    assert done.stdout == "ok\n"


def test_a_function_of_another_release_says_when(program: Program, library: Path) -> None:
    program(
        "missing_function",
        library,
    )
