"""Fixtures for choosing without a GPU: libraries of 9.8 and newer, and a stand-in for cuBLAS."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from cudnn_cffi.library import sublibraries

from tests.compilers import c_library
from tests.conftest import finds

#: The status of cuBLAS where it does not start.
NOT_INITIALIZED = 1

#: Functions of cuBLAS that cuDNN asks for as soon as heuristics load it.
CUBLAS = (
    *("Create", "Destroy", "GetProperty", "GetVersion", "Matmul", "MatmulAlgoGetHeuristic"),
    *("GroupedMatrixLayoutCreate", "MatmulDescCreate", "MatmulDescDestroy"),
    *("MatmulDescGetAttribute", "MatmulDescInit_internal", "MatmulDescSetAttribute"),
    *("MatmulPreferenceCreate", "MatmulPreferenceDestroy", "MatmulPreferenceInit_internal"),
    *("MatmulPreferenceSetAttribute", "MatrixLayoutCreate", "MatrixLayoutDestroy"),
    *("MatrixLayoutGetAttribute", "MatrixLayoutInit_internal", "MatrixLayoutSetAttribute"),
    *("MatrixTransform", "MatrixTransformDescCreate", "MatrixTransformDescDestroy"),
    *("MatrixTransformDescGetAttribute", "MatrixTransformDescInit_internal"),
    "MatrixTransformDescSetAttribute",
)


def release_of(library: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in sublibraries.version_in(library).split("."))


@pytest.fixture(scope="session")
def describing(cudnn_libraries: list[Path]) -> list[Path]:
    """The libraries that take device properties instead of a device."""
    found = [each for each in cudnn_libraries if release_of(each) >= (9, 8)]
    if not found:
        pytest.skip("no cuDNN 9.8 or newer")
    return found


def stand_in(name: str, names: Iterable[str], answer: int, folder: Path) -> None:
    """Build a shared library whose functions all give one answer."""
    functions = (f"long {each}(void) {{ return {answer}; }}" for each in sorted(names))
    c_library(folder / name, "\n".join(functions) + "\n", f"-Wl,-soname,{name}")


@pytest.fixture(scope="session")
def no_driver(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which the newest libraries work without a driver and without cuBLAS.

    The package has what stands in for the driver. Heuristics load cuBLAS and end the process
    without it; what is tested here does not call it.
    """
    folder = tmp_path_factory.mktemp("cuda")
    for number in (12, 13):
        if not finds(name := f"libcublasLt.so.{number}"):
            functions = [f"cublasLt{each}" for each in CUBLAS]
            stand_in(name, functions, NOT_INITIALIZED, folder)
    return {"LD_LIBRARY_PATH": str(folder)}
