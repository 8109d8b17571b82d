"""The modules for programs that were written for CuPy's cuDNN functions."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import re
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.compat import cupy_backends_cudnn, cupy_cudnn

Program = Callable[..., "subprocess.CompletedProcess[str]"]

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "porting" / "cupy.md"

#: A folder with CuPy 13.6, whose raw functions then answer again.
ORIGINAL = "CUDNN_CFFI_TEST_CUPY13"

#: Enums that CuPy takes as size_t: what is no member is refused all the same, in other words.
AS_SIZES = (
    "setConvolution2dDescriptor_v5, argument 8",
    "setConvolutionMathType, argument 1",
    "setRNNDataDescriptor, argument 2",
    "setSpatialTransformerDescriptor, argument 1",
)


def recorded() -> dict[str, Any]:
    """Return what CuPy 13.6 answered with cuDNN 8.9.7."""
    return json.loads((HERE / "data" / "cupy_13_6.json").read_text())


def test_lengths_on_the_device_belong_to_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are there and freed in its order, and stay where a CUDA graph reads them."""
    from cudnn_cffi.compat._cupy import recurrent as networks

    class Array:
        def __init__(self, numbers: Any, stream: Any) -> None:
            self.numbers, self.stream = numbers, stream

        @classmethod
        def from_numpy(cls, numbers: Any, *, stream: Any) -> Array:
            return cls(numbers.tolist(), stream)

    streams = {1: 0x10, 2: 0x20}
    captured: set[int] = set()
    now: list[int] = []
    cuda = SimpleNamespace(get_current_stream=lambda: f"stream {now[-1]}")
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(networks, "DeviceArray", Array)
    monkeypatch.setattr(networks, "device_of", lambda: 0)
    monkeypatch.setattr(networks, "capturing_graph", lambda address: address in captured)
    monkeypatch.setattr(networks, "calls", SimpleNamespace(cudnnGetStream=streams.__getitem__))

    def ask(handle: int, *lengths: int) -> Any:
        now.append(handle)
        return networks.on_device(handle, lengths)

    first = ask(1, 3, 2)
    assert (first.numbers, first.stream) == ([3, 2], "stream 1")
    assert ask(1, 3, 2) is first
    assert ask(2, 3, 2).stream == "stream 2"
    captured.add(0x10)
    assert ask(1, 3, 2) is first
    with pytest.raises(errors.NotSupportedError, match="while a stream is captured"):
        ask(1, 5, 4)
    captured.clear()
    gone = weakref.ref(ask(1, 7, 7))
    kept = weakref.ref(first)
    del first
    for n in range(300):
        ask(1, 100 + n)
    assert gone() is None
    assert kept() is not None


def test_raw_functions_answer_as_those_of_cupy(
    program: Program, cudnn_libraries: list[Path]
) -> None:
    """Results and exceptions, with each argument replaced by wrong ones."""
    expected = recorded()
    assert len(expected) > 800
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        module = "cudnn_cffi.compat.cupy_backends_cudnn"
        got = json.loads(program("raw_answers", library, module).stdout)
        assert got.keys() == expected.keys()
        wrong = {
            question: (got[question], answer)
            for question, answer in expected.items()
            if got[question] != answer and not question.startswith(AS_SIZES)
        }
        assert wrong == {}
        refused = [each for each in expected if each.startswith(AS_SIZES) and got[each][0]]
        assert len(refused) >= 10


NAMES: dict[str, Any] = json.loads((HERE / "data" / "cupy_13_6_names.json").read_text())


@pytest.mark.parametrize(
    "module", [cupy_cudnn, cupy_backends_cudnn], ids=lambda each: each.__name__
)
def test_names_arguments_and_defaults_are_those_of_cupy(module: Any) -> None:
    functions = NAMES[module.__name__.rpartition(".")[2]]
    assert len(functions) > 50
    for name, (arguments, defaults, keyword_only) in functions.items():
        own = [
            each
            for each in inspect.signature(getattr(module, name)).parameters.values()
            if each.name != "self"
        ]
        assert [each.name for each in own] == arguments.split(), name
        given = {each.name: each.default for each in own if each.default is not each.empty}
        assert given == defaults, name
        assert [each.name for each in own if each.kind is each.KEYWORD_ONLY] == keyword_only, name


def test_the_module_gives_the_names_of_cupy_and_no_others() -> None:
    names = set(NAMES["cupy_backends_cudnn"]) | set(NAMES["constants"]) | {"CuDNNError"}
    assert set(cupy_backends_cudnn.__all__) == names
    assert set(cupy_cudnn.__all__) == {name for name in NAMES["cupy_cudnn"] if "." not in name}


def test_constants_are_those_of_cupy() -> None:
    for name, value in NAMES["constants"].items():
        assert getattr(cupy_backends_cudnn, name) == value, name


def test_the_recorded_answers_are_those_of_cupy(cudnn8_library: Path) -> None:
    folder = os.environ.get(ORIGINAL)
    if not folder:
        pytest.skip(f"{ORIGINAL} names no folder with CuPy 13.6")
    load = (
        f"import ctypes, runpy, sys; sys.path.insert(0, {folder!r}); "
        f"ctypes.CDLL({str(cudnn8_library)!r}, mode=ctypes.RTLD_GLOBAL); "
        "sys.argv[1:] = ['cupy_backends.cuda.libs.cudnn']; "
        f"runpy.run_path({str(HERE / 'programs' / 'raw_answers.py')!r})"
    )
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == recorded()


def test_an_error_keeps_its_reasons_in_another_process() -> None:
    error = cupy_backends_cudnn.CuDNNError(3)
    error.add_infos(["func: cudnnCreate", "what cuDNN says"])
    got = pickle.loads(pickle.dumps(error))
    assert (type(got), got.status, str(got)) == (type(error), 3, str(error))


def test_each_array_gets_to_its_place(program: Program, cudnn_libraries: list[Path]) -> None:
    for library in {cudnn_libraries[0], cudnn_libraries[-1]}:
        done = program("cupy_functions", library)
        assert done.stdout.startswith("passed"), done.stderr


def test_nothing_needs_cupy(program: Program, cudnn_libraries: list[Path]) -> None:
    program("without_cupy", cudnn_libraries[-1])


# The page


def names_of_page(title: str) -> set[str]:
    """Return the names in the first column of the tables of a section."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_page_has_every_function_of_cupy_cudnn() -> None:
    assert names_of_page("Names of cupy.cudnn") == set(cupy_cudnn.__all__)


def test_the_page_has_every_raw_function() -> None:
    functions = {each for each in cupy_backends_cudnn.__all__ if not each.startswith("CUDNN_")}
    assert names_of_page("Raw names") == functions


def test_functions_have_names_docstrings_and_signatures() -> None:
    for module, names in (
        (cupy_cudnn, set(cupy_cudnn.__all__)),
        (cupy_backends_cudnn, names_of_page("Raw names")),
    ):
        for name in sorted(names):
            value = getattr(module, name)
            assert value.__doc__, name
            assert inspect.signature(value), name
            if not isinstance(value, type) and name != "get_build_version":
                assert value.__name__ == name


def test_constants_are_those_of_every_release() -> None:
    """Where a release has a constant, it has the number; statuses are those of cuDNN 8."""
    from cudnn_cffi._tables import tables

    constants = {
        name: value
        for name, value in vars(cupy_backends_cudnn).items()
        if name.startswith("CUDNN_") and not name.startswith("CUDNN_STATUS_RUNTIME")
    }
    assert len(constants) == 193
    for release in ("8.5.0", "8.9.7", "9.0.0", "9.28.0"):
        own = tables(release)
        for name, value in constants.items():
            if name in own.all_names():
                assert own.get(name) == value, (release, name)


@pytest.mark.parametrize(
    "array", [memoryview(b"12"), "x", None], ids=lambda array: type(array).__name__
)
def test_an_array_of_another_library_is_named(array: Any) -> None:
    with pytest.raises(TypeError, match=f"expected an array of CuPy, got a {type(array).__name__}"):
        cupy_cudnn.softmax_forward(array, 0, 1)
