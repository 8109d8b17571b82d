"""The engines that errata leave for the package's own graphs are those of the record."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Program = Callable[..., subprocess.CompletedProcess[str]]


def test_errata_leave_out_what_the_record_says(
    program: Program, describing: list[Path], no_driver: dict[str, str]
) -> None:
    for library in describing:
        program("left", library, "--check", "--errata", **no_driver)


def test_an_engine_is_left(
    program: Program, describing: list[Path], no_driver: dict[str, str], places: dict[str, str]
) -> None:
    for library in describing:
        program("left", library, "--check", **no_driver | places)
