"""The compiled call layer and the one without a compiler: same results, same errors."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import build_native
from tests.conftest import Program

Run = Callable[..., Any]


def test_both_modes_give_the_same_results_and_errors(library: Path, program: Program) -> None:
    told = {}
    for mode in ("api", "abi"):
        done = program("call_modes", library, CUDNN_CFFI_MODE=mode)
        used, told[mode] = json.loads(done.stdout.splitlines()[-1])
        assert used == mode
    for compiled, plain in zip(told["api"], told["abi"], strict=True):
        assert compiled == plain
    answers = [answer for _, answer in told["api"]]
    assert any("GetTensor4dDescriptorResult(" in answer for answer in answers)
    assert any("BadParamError" in answer for answer in answers)
    assert any("ArgumentError" in answer for answer in answers)
    assert not [answer for answer in answers if "cudnn_cffi" not in answer and "Error" in answer]


def test_a_mode_that_does_not_exist_is_refused(run: Run) -> None:
    done = run("import cudnn_cffi._call", CUDNN_CFFI_MODE="fast", check=False)
    assert done.returncode
    assert "CUDNN_CFFI_MODE is 'fast'; it may be 'api' or 'abi'" in done.stderr


def test_python_without_its_lock_takes_its_own_layer_only(run: Run) -> None:
    code = """
        import importlib.machinery
        import sys
        sys.abiflags = "t"
        importlib.machinery.EXTENSION_SUFFIXES[0] = ".cpython-399t.so"
        from cudnn_cffi import _call
        print(_call.layer.mode())
    """
    assert run(code, CUDNN_CFFI_MODE="").stdout == "abi\n"
    done = run(code, CUDNN_CFFI_MODE="api", check=False)
    assert done.returncode
    assert (
        "_cudnn.cpython-399t.so is missing, and files for other Pythons do not fit" in done.stderr
    )


def test_the_shims_are_the_same(program: Program) -> None:
    done = program("shims")
    assert done.stdout.strip() == "True"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python has no distutils of its own")
def test_the_stable_abi_is_asked_for_after_an_import_of_distutils() -> None:
    code = """
import distutils.core, warnings
import build_native
build_native.prefer_setuptools()
warnings.simplefilter("error", UserWarning)
from cffi._shimmed_dist_utils import Extension
print(Extension("x", [], py_limited_api=True).py_limited_api)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=build_native.ROOT
    )
    assert done.stdout == "True\n", done.stderr


#: Functions whose log does not tell how the number is read.
UNTOLD = ("cudnnSetTensor",)


def test_factors_have_the_type_that_cudnn_reads(library: Path, program: Program) -> None:
    """cuDNN's log of the same calls is the reference."""
    log = {"CUDNN_LOGLEVEL_DBG": "3", "CUDNN_LOGINFO_DBG": "1", "CUDNN_LOGDEST_DBG": "stderr"}
    told = {}
    for mode in ("api", "abi"):
        done = program("factors", library, CUDNN_CFFI_MODE=mode, **log)
        used, told[mode] = json.loads(done.stdout.splitlines()[-1])
        assert used == mode
    assert told["api"] == told["abi"]
    functions = set()
    for case, (passed, read) in told["api"].items():
        function = case.split()[0]
        if function not in UNTOLD:
            functions.add(function)
            assert passed == read, case
    assert len(functions) >= 25
