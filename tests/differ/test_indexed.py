"""Errata that are asked by engine answer as if each record was asked, for the graphs of the list."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.choice.conftest import describing, no_driver

torch = pytest.importorskip("torch")

__all__ = ["describing", "no_driver"]


def test_errata_by_engine_are_those_of_all_records(
    program: Callable[..., subprocess.CompletedProcess[str]],
    request: pytest.FixtureRequest,
) -> None:
    """With the cuDNN of a PyTorch that has one, which would not go with another."""
    if torch.version.cuda:
        done = program("indexed", None)
    else:
        libraries: list[Path] = request.getfixturevalue("describing")
        done = program("indexed", libraries[-1], **request.getfixturevalue("no_driver"))
    asked, found = map(int, done.stdout.split())
    assert asked >= 100
    assert found >= 50
