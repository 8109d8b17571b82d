"""Forks, signals and search paths at random: children end, nothing stays on, the library is found."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Program
from tests.runtime.test_bad_places import BAD, LOAD, bad_places

Run = Callable[..., Any]

pytestmark = [
    pytest.mark.attack,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]
MODES = pytest.mark.parametrize("mode", ["api", "abi"])


@MODES
def test_forks_under_load(mode: str, seed: int, program: Program, cudnn_library: Path) -> None:
    # The child's calls do not fail: cuDNN takes a lock for a message that a thread of the parent,
    # whose call failed at that moment, may have held.
    done = program("runtime/forks", cudnn_library, seed, 20, 4, CUDNN_CFFI_MODE=mode)
    assert done.stdout == "True 0\n"


@MODES
def test_interrupts_at_every_step(
    mode: str, seed: int, program: Program, cudnn_library: Path
) -> None:
    done = program("runtime/interrupts", cudnn_library, seed, 15, CUDNN_CFFI_MODE=mode)
    assert done.stdout == "True 0\n"


@MODES
def test_ends_of_the_interpreter(
    mode: str, seed: int, program: Program, cudnn_library: Path
) -> None:
    draw = random.Random(seed)
    for _ in range(15):
        threads, seconds = draw.randrange(5), draw.uniform(0, 0.05)
        environment = {"CUDNN_CFFI_MODE": mode, "CUDNN_CFFI_CHECK": "1"}
        program("runtime/owners", cudnn_library, threads, seconds, **environment)


def test_the_good_copy_among_bad_places(
    seed: int, run: Run, cudnn_library: Path, tmp_path: Path
) -> None:
    draw = random.Random(seed)
    for turn in range(25):
        root = tmp_path / str(turn)
        places = bad_places(root, draw.choices(list(BAD), k=draw.randrange(1, 9)))
        places += draw.sample(["loopy", "", ".", "/proc/1/root", "/dev", "~nobody"], 3)
        draw.shuffle(places)
        places.insert(draw.randrange(len(places) + 1), str(cudnn_library.parent))
        code = LOAD
        if draw.random() < 0.5:
            gone = str(root / "gone")
            code = f"import os; os.mkdir({gone!r}); os.chdir({gone!r}); os.rmdir({gone!r})\n{code}"
        named = cudnn_library if draw.random() < 0.3 else None
        done = run(code, named, LD_LIBRARY_PATH=os.pathsep.join(places))
        assert done.stdout.strip() == str(cudnn_library), (sys.argv, places)
