"""Tests of objects hold for every library that is here, in both call modes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
TESTS = [
    "descriptors/test_descriptors.py",
    "descriptors/test_lifetimes.py",
    "descriptors/test_operands.py",
    "arrays/test_arrays.py",
    "handles/test_handles.py",
]


@pytest.mark.parametrize("mode", ["api", "abi"])
def test_in_a_process_of_its_own(cudnn_libraries: list[Path], mode: str) -> None:
    if mode == "api" and not list((ROOT / "overlay/cudnn_cffi").glob("_cudnn.*")):
        pytest.skip("the compiled call layer is not built")
    for library in cudnn_libraries:
        done = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
                *(str(ROOT / "tests" / name) for name in TESTS),
            ],
            env=os.environ
            | {
                "CUDNN_CFFI_LIBRARY": str(library),
                "CUDNN_CFFI_MODE": mode,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
            capture_output=True,
            text=True,
            timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{library}, {mode}:\n{done.stdout[-4000:]}{done.stderr}"
        assert " passed" in done.stdout


PICKLED = """
import pickle, sys
sys.path.insert(0, {folder!r})
import cudnn_cffi as cudnn
import test_descriptors
"""

DUMP = """
made = [(text, pickle.dumps(make(cudnn))) for make, text in test_descriptors.MADE]
with open({path!r}, "wb") as file:
    pickle.dump(made, file)
print(len(made))
"""

LOAD = """
for path in {paths!r}:
    with open(path, "rb") as file:
        made = pickle.load(file)
    assert len(made) == len(test_descriptors.MADE)
    for (text, one), (make, _) in zip(made, test_descriptors.MADE):
        found = pickle.loads(one)
        assert repr(found) == text, (path, text, repr(found))
        assert found == make(cudnn), (path, text)
print("restored", cudnn.cudnnGetVersion())
"""


def test_pickles_travel_between_releases(
    cudnn_libraries: list[Path], run: Callable[..., Any], tmp_path: Path
) -> None:
    """Enumerators have other numbers in other releases, and functions other names."""
    head = PICKLED.format(folder=str(FOLDER))
    paths = []
    for number, library in enumerate(cudnn_libraries):
        paths.append(str(tmp_path / f"{number}.pickle"))
        run(head + DUMP.format(path=paths[-1]), library)
    for library in cudnn_libraries:
        assert "restored" in run(head + LOAD.format(paths=paths), library).stdout
