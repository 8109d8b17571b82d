"""Forking: free before the first handle, refused with a reason after it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Program

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def test_a_child_calls_as_long_as_there_was_no_handle(
    program: Program, cudnn_library: Path
) -> None:
    done = program(
        "fork",
        cudnn_library,
        "a_child_calls_as_long_as_there_was_no_handle",
    )
    assert done.stdout == "4\n"


def test_a_child_of_a_process_with_handles_is_told(program: Program, cudnn_library: Path) -> None:
    """Without a GPU there is no handle; that one was made is all that the check goes by."""
    done = program(
        "fork",
        cudnn_library,
        "a_child_of_a_process_with_handles_is_told",
    )
    assert "ForkedError" in done.stdout
    assert "spawn" in done.stdout
    assert done.stdout.endswith("True\n")
    assert not done.stderr


def test_handles_are_counted_once_whoever_made_them(program: Program, cudnn_library: Path) -> None:
    """The overlay's handles do not take the place of those that were made under the C name."""
    done = program(
        "fork",
        cudnn_library,
        "handles_are_counted_once_whoever_made_them",
    )
    assert "ForkedError" in done.stdout


def test_a_child_leaves_to_the_parent_what_that_made_with_cuda(program: Program) -> None:
    """Also what belonged to the parent's other threads, which Python ends before any hook."""
    done = program("fork_after_cuda")
    assert (done.stdout, done.stderr) == ("", "")


def test_memory_that_lives_at_exit_is_not_freed(program: Program) -> None:
    """Its stream may be gone, in whose order cuda.core would free it."""
    done = program("exit_after_cuda")
    assert (done.stdout, done.stderr) == ("ends\n", "")
