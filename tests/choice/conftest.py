"""What choosing needs without a GPU: libraries of 9.8 and newer, and stand-ins for CUDA's."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from cudnn_cffi.library import sublibraries
from cudnn_cffi.library.elf import read as read_elf

#: What a machine without a GPU answers, and what cuBLAS answers where it does not start.
NO_DEVICE, NOT_INITIALIZED = 100, 1

#: What cuDNN asks cuBLAS for as soon as heuristics load it.
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


def is_present(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def needed_functions(libraries: Path) -> set[str]:
    """Return the functions of the driver that the libraries in a folder link against."""
    names = {"cuInit", "cuGetErrorName"}
    for path in libraries.glob("libcudnn*.so.*"):
        if "libcuda.so.1" in read_elf(path).needed:
            listed = subprocess.run(["nm", "-D", "-u", path], capture_output=True, text=True)
            names |= set(re.findall(r"\bU (cu[A-Z]\w*)", listed.stdout))
    return names


def stand_in(name: str, names: Iterable[str], answer: int, folder: Path) -> None:
    """Build a shared library whose functions all give one answer."""
    source = folder / f"{name}.c"
    functions = (f"long {each}(void) {{ return {answer}; }}" for each in sorted(names))
    source.write_text("\n".join(functions) + "\n", encoding="ascii")
    command = ["cc", "-w", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", str(folder / name)]
    subprocess.run([*command, str(source)], check=True)


@pytest.fixture(scope="session")
def no_driver(describing: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which the newest libraries work without a driver and without cuBLAS.

    A sub-library links against libcuda, and heuristics load cuBLAS and end the process without it;
    what is tested here calls neither.
    """
    if any(shutil.which(each) is None for each in ("cc", "nm")):
        pytest.skip("no C compiler to make stand-ins for CUDA's libraries")
    folder = tmp_path_factory.mktemp("cuda")
    if not is_present("libcuda.so.1"):
        names = needed_functions(describing[-1].parent)
        stand_in("libcuda.so.1", names, NO_DEVICE, folder)
    for number in (12, 13):
        if not is_present(name := f"libcublasLt.so.{number}"):
            functions = [f"cublasLt{each}" for each in CUBLAS]
            stand_in(name, functions, NOT_INITIALIZED, folder)
    return {"LD_LIBRARY_PATH": str(folder)}
