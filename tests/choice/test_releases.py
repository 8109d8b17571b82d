"""Choosing with real libraries, for a GPU that is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.choice.conftest import release_of
from tests.conftest import python_path

Program = Callable[..., subprocess.CompletedProcess[str]]


def test_every_release_takes_the_devices_that_the_package_knows(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    for library in describing:
        done = program("devices", library, **no_driver)
        wanted = release_of(library) >= (9, 28)
        if wanted or release_of(library) < (9, 20):
            assert done.stdout.split(": ")[1].strip() == ("wanted" if wanted else "not wanted")


def test_candidates_of_each_release(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    for library in describing:
        program("choosing", library, **no_driver)


def test_plans_are_built_and_remembered(
    program: Program, describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    for library in describing:
        program("building", library, tmp_path / library.parent.name, **no_driver)


def test_the_first_plan_asks_little(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    for library in describing:
        program("firsts", library, CUDNN_CFFI_PLAN_CACHE="0", **no_driver)


def test_what_was_measured_to_be_faster_is_tried_first(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    for library in describing:
        program("faster", library, CUDNN_CFFI_PLAN_CACHE="0", **no_driver)


def test_engines_with_wrong_numbers_are_not_chosen(
    program: Program, describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    for library in describing:
        program("errata", library, tmp_path / library.parent.name, **no_driver)


def test_plans_are_built_where_they_cannot_be_saved(
    program: Program, describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    program("no_space", describing[-1], tmp_path, **no_driver)


def test_processes_share_a_folder(
    describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    path = Path(__file__).parent / "programs" / "writers.py"
    environment = {
        **os.environ,
        **no_driver,
        "CUDNN_CFFI_LIBRARY": str(describing[-1]),
        "PYTHONPATH": python_path(),
    }
    children = [
        subprocess.Popen(
            [sys.executable, "-P", str(path), str(tmp_path), str(number)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    answers = [each.communicate(timeout=120) for each in children]
    assert [each.returncode for each in children] == [0, 0, 0], answers
    assert len({out for out, _ in answers}) == 1, answers
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_release_without_device_properties_says_since_when(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    older = [each for each in cudnn_libraries if release_of(each) < (9, 2)]
    if not older:
        pytest.skip("no cuDNN before 9.2")
    program("older", older[-1])


def test_without_cublas_there_is_an_error_and_no_crash(
    program: Program, describing: list[Path]
) -> None:
    for library in describing:
        if release_of(library) < (9, 20):  # newer ones need the stand-in for the driver
            done = program("without_cublas", library)
            assert done.stdout.strip() in ("refused", "found")


def test_what_version_0_1_saved_is_used(
    program: Program, describing: list[Path], no_driver: dict[str, str], tmp_path: Path
) -> None:
    libraries = [each for each in describing if release_of(each) == (9, 12, 0)]
    if not libraries:
        pytest.skip("no cuDNN 9.12.0, with which the plans were made")
    done = program(
        "version_0_1", libraries[0], tmp_path, CUDNN_CFFI_PLAN_CACHE=str(tmp_path), **no_driver
    )
    assert done.stdout == "done\n"
