"""The module for programs that were written for cudnn-python-wrappers."""

from __future__ import annotations

import ctypes
import inspect
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from cudnn_cffi.compat import libcudnn, libcudnn_1
from cudnn_cffi.compat._libcudnn import convolutions as _libcudnn_convolutions

Program = Callable[..., "subprocess.CompletedProcess[str]"]

PAGE = Path(__file__).parents[2] / "docs" / "porting" / "libcudnn.md"


def functions(module: ModuleType = libcudnn) -> set[str]:
    return {name for name in module.__all__ if inspect.isfunction(getattr(module, name))}


#: The functions of version 1.0, and how many arguments each has.
FIRST = {
    **{"CheckStatus": 1, "Create": 0, "Destroy": 1, "SetStream": 2, "GetStream": 1},
    **{"CreateTensor4dDescriptor": 0, "SetTensor4dDescriptor": 7, "SetTensor4dDescriptorEx": 10},
    **{"GetTensor4dDescriptor": 1, "DestroyTensor4dDescriptor": 1, "TransformTensor4d": 5},
    **{"AddTensor4d": 7, "CreateFilterDescriptor": 0, "SetFilterDescriptor": 6},
    **{"GetFilterDescriptor": 1, "DestroyFilterDescriptor": 1, "CreateConvolutionDescriptor": 0},
    **{"SetConvolutionDescriptor": 10, "SetConvolutionDescriptorEx": 15, "GetOutputTensor4dDim": 2},
    **{"DestroyConvolutionDescriptor": 1, "ConvolutionForward": 9, "ConvolutionBackwardBias": 6},
    **{"ConvolutionBackwardFilter": 9, "ConvolutionBackwardData": 9, "SoftmaxForward": 7},
    **{"SoftmaxBackward": 9, "CreatePoolingDescriptor": 0, "SetPoolingDescriptor": 6},
    **{"GetPoolingDescriptor": 1, "DestroyPoolingDescriptor": 1, "PoolingForward": 6},
    **{"PoolingBackward": 10, "ActivationForward": 6, "ActivationBackward": 10},
}


def test_functions_on_the_oldest_and_the_newest_release(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        assert program("libcudnn_calls", library).stdout == "passed\n"


def test_version_1_on_the_oldest_and_the_newest_release(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        assert program("libcudnn_1_calls", library).stdout == "passed\n"


def test_version_1_has_all_functions() -> None:
    assert functions(libcudnn_1) == {f"cudnn{name}" for name in FIRST}
    for name, count in FIRST.items():
        function = getattr(libcudnn_1, f"cudnn{name}")
        assert len(inspect.signature(function).parameters) == count, name
        assert function.__doc__, name


def test_answers_are_those_of_the_package(program: Program, cudnn_libraries: list[Path]) -> None:
    """Results and exceptions, with each argument replaced, as version 2.0b2 has them."""
    data = Path(__file__).parent / "data" / "cudnn_python_wrappers_2_0b2.json"
    expected = json.loads(data.read_text(encoding="utf-8"))
    assert len(expected) > 200
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        assert json.loads(program("wrapper_answers", library).stdout) == expected


def test_there_are_all_functions_of_the_package() -> None:
    assert len(functions()) == 48
    for name in functions():
        assert getattr(libcudnn, name).__doc__, name


def test_the_page_has_every_name() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, first = text.split("## Version 1")
    for part, module in ((before, libcudnn), (first, libcudnn_1)):
        rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
        names = {name for row in rows for name in re.findall(r"`(cudnn\w+)`", row)}
        assert names == set(module.__all__)


def test_any_workspace_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """An array is compared with nothing: one of several elements is neither true nor false."""
    own = SimpleNamespace(
        workspace=SimpleNamespace(get=lambda size, _: ("own", size)), get_stream=lambda: 0
    )
    monkeypatch.setattr(_libcudnn_convolutions, "handles", {5: own})

    class Array:
        def __eq__(self, other: object) -> bool:
            raise ValueError("the truth of an array is not known")

        __hash__ = None  # type: ignore[assignment]

    array, pointer = Array(), ctypes.c_void_p(0x7000)
    for given in (array, pointer, 0x7000):
        got, size = _libcudnn_convolutions._workspace(5, given, 64, lambda: 96)
        assert got is given
        assert size == 64
    for none in (None, 0, ctypes.c_void_p(), ctypes.c_void_p(0)):
        assert _libcudnn_convolutions._workspace(5, none, 64, lambda: 96) == (("own", 96), 96)
