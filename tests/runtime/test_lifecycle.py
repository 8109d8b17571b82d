"""Scopes and their ends: blocks, forks, interpreters, imports."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.conftest import Program

MODES = pytest.mark.parametrize("mode", ["api", "abi"])


@MODES
def test_an_exception_of_a_signal_handler_leaves_nothing_on(
    mode: str, program: Program, cudnn_library: Path
) -> None:
    done = program("interrupts", cudnn_library, 1, 2000, CUDNN_CFFI_MODE=mode)
    assert done.stdout == "0\n"


@MODES
def test_a_signal_handler_may_open_blocks(mode: str, program: Program, cudnn_library: Path) -> None:
    assert program("signal_handlers", cudnn_library, CUDNN_CFFI_MODE=mode).stdout == "None True\n"


@MODES
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_children_forked_amid_blocks_end(mode: str, program: Program, cudnn_library: Path) -> None:
    done = program("forks", cudnn_library, 1, 0.7, 4, CUDNN_CFFI_MODE=mode)
    assert done.stdout == "True 0\n"


@MODES
@pytest.mark.parametrize("threads", [0, 4])
def test_calls_at_the_end_of_the_interpreter(
    mode: str, threads: int, program: Program, cudnn_library: Path
) -> None:
    done = program(
        "owners", cudnn_library, threads, 0.02, CUDNN_CFFI_MODE=mode, CUDNN_CFFI_CHECK="1"
    )
    if mode == "api":  # in abi a call is Python's code, and has lost its names by then
        assert not done.stderr


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another interface")
def test_an_interpreter_that_ended_looks_at_no_calls(program: Program, cudnn_library: Path) -> None:
    """Each of the interpreters of a process has checks of its own, the last one too."""
    done = program(
        "second_interpreter",
        cudnn_library,
        CUDNN_CFFI_MODE="api",
        CUDNN_CFFI_CHECK="1",
    )
    assert done.stdout == "_check_call\n"


@MODES
@pytest.mark.parametrize("check", ["0", "1"])
def test_imported_again_it_has_words_and_checks(
    mode: str, check: str, program: Program, cudnn_library: Path
) -> None:
    done = program(
        "imported_again",
        cudnn_library,
        CUDNN_CFFI_MODE=mode,
        CUDNN_CFFI_CHECK=check,
    )
    text, watched = json.loads(done.stdout)
    assert "cuDNN says: " in text
    assert str(cudnn_library) in text
    assert watched is (check == "1")
