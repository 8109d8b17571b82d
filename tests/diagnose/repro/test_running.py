"""Both programs of a case, on results that are played: there is no GPU here."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cudnn_cffi
import numpy as np
import pytest
from cudnn_cffi import Graph, driver, errors
from cudnn_cffi.diagnose.repro import c_program, data, running
from cudnn_cffi.diagnose.repro.case import Case, make
from cudnn_cffi.driver import libcuda, timing
from cudnn_cffi.plan.operand import span

from tests.diagnose.repro.conftest import PROGRAMS, Compile

pytestmark = pytest.mark.usefixtures("cudnn")


def convolution(images: int = 2) -> Case:
    g = Graph(io_data_type="HALF")
    x = g.tensor((images, 16, 8, 8), layout="NHWC", name="x")
    w = g.tensor((16, 16, 3, 3), layout="NHWC", name="w")
    b = g.tensor((1, 16, 1, 1), name="bé")
    g.output(g.relu(g.convolution(x, w, padding=1) + b * 0.5), name="y")
    given = {"x": "negative_rows", "bé": [float(i) for i in range(16)]}
    return make(g, 3, {"TILE_SIZE": 2}, 5, given, None, "9.19.0")


def matmul() -> Case:
    g = Graph(io_data_type="BFLOAT16")
    a = g.tensor((3, 24, 40), strides=(2000, 48, 1), name="a")
    b = g.tensor((3, 40, 56), strides=(2240, 1, 40), name="b", alignment=2)
    g.output(g.matmul(a, b), name="c", data_type="FLOAT")
    return make(g, 0, {}, -1, {"a": "cancelling", "b": "integers"}, None, "9.19.0")


def norm() -> Case:
    g = Graph(io_data_type="FLOAT")
    x, scale, bias = (
        g.tensor(shape, name=name)
        for name, shape in (("x", (8, 32, 1, 1)), ("s", (1, 32, 1, 1)), ("t", (1, 32, 1, 1)))
    )
    made = g.norm_forward("LAYER_NORM", "TRAINING", x, scale=scale, bias=bias, epsilon=1e-5)
    for name in ("y", "mean", "inv_variance"):
        g.output(getattr(made, name), name=name, data_type="FLOAT")
    return make(g, 1, {}, 0, {"x": "one_huge", "s": "positive"}, {"y": 1e-4}, "9.19.0")


def attention() -> Case:
    g = Graph(io_data_type="HALF")
    q, k, v = (g.tensor((2, 3, 40, 32), name=name) for name in "qkv")
    g.output(g.attention(q, k, v, scale=0.25), name="o")
    return make(g, 0, {}, 0, {}, None, "9.19.0")


def truth() -> Case:
    """Truth values as input and as output, whose number is no multiple of eight."""
    g = Graph(io_data_type="BOOLEAN")
    a = g.tensor((1, 3, 7, 5), strides=(200, 64, 9, 1), name="a")
    b = g.tensor((1, 3, 7, 5), name="b")
    g.output(g.logical_and(a, b), name="y")
    values = [float(i % 3 == 0 or i % 5 == 1) for i in range(105)]
    return make(g, 1, {}, 3, {"a": "normal", "b": values}, None, "9.19.0")


CASES: dict[str, Callable[[], Case]] = {
    "convolution": convolution,
    "large": lambda: convolution(8),
    "matmul": matmul,
    "norm": norm,
    "attention": attention,
    "truth": truth,
}


def spoil_one(name: str, memory: Any) -> None:
    del name
    memory[0] ^= 0x2F << (8 * memory.itemsize - 8) if memory.itemsize > 1 else 1


def spoil_most(name: str, memory: Any) -> None:
    del name
    memory[1::2] = memory[::2][: memory[1::2].size]


def forget(name: str, memory: Any) -> None:
    if name in ("y", "c", "o"):
        memory[-1] = np.iinfo(memory.dtype).max  # poison


SPOILT: dict[str, Callable[[str, Any], None] | None] = {
    "right": None, "one": spoil_one, "most": spoil_most, "unwritten": forget,
}  # fmt: skip


def results(case: Case, spoil: Callable[[str, Any], None] | None) -> dict[str, Any]:
    """Return the memory of exact outputs, which is changed then."""
    exact, found = case.exact(case.inputs()), {}
    for each in case.operands:
        if each.role == "output":
            kept = data.format_of(each)
            given = [float(value) for value in exact[each.name].ravel()]
            found[each.name] = data.memory(each, given, 0)
            assert found[each.name].itemsize == kept.size
            if spoil is not None:
                spoil(each.name, found[each.name])
    return found


def on_device(memory: Any, data_type: str) -> bytes:
    """Return memory as engines have it: eight truth values in a byte, the first the lowest bit."""
    is_bits = data_type == "BOOLEAN"
    return bytes((np.packbits(memory != 0, bitorder="little") if is_bits else memory).tobytes())


@pytest.fixture(scope="module")
def stand_ins(compile_c: Compile, cudart: Path) -> list[str]:
    """Return the compiler's options to link with stand-ins of both libraries."""
    made = [compile_c(PROGRAMS / "cudnn.c", "9.19.0", "-shared", "-fPIC"), cudart]
    return [*map(str, made), f"-Wl,-rpath,{cudart.parent}"]


def in_c(
    case: Case,
    memory: dict[str, Any],
    compile_c: Compile,
    options: list[str],
    folder: Path,
    *arguments: str,
    **variables: str,
) -> tuple[int, str]:
    """Return the exit status of the C program, and what it printed."""
    source, found = folder / f"{folder.name}.c", folder / "results"
    source.write_text(c_program.text(case, "A case"), encoding="utf-8")
    kept = {each.name: each for each in case.operands}
    content = {name: on_device(each, kept[name].data_type) for name, each in memory.items()}
    found.write_text(
        "".join(f"{kept[name].uid} {len(each)} {each.hex()}\n" for name, each in content.items())
    )
    program = compile_c(source, "9.19.0", *options)
    variables = dict(os.environ) | {"RESULTS": str(found)} | variables
    command = [program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    return done.returncode, done.stdout


def in_python(
    case: Case, memory: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> running.Outcome:
    """Return the outcome of the Python program."""
    kept = {each.name: each for each in case.operands}
    seen = {name: data.seen(each, kept[name]) for name, each in memory.items()}
    monkeypatch.setattr(driver, "why_unusable", lambda: "")
    monkeypatch.setattr(running, "_build", lambda _: None)
    monkeypatch.setattr(running, "_executed", lambda *_: seen)
    return running.of_text(case.to_json())


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("name", CASES)
def test_both_say_the_same(
    name: str,
    how: str,
    monkeypatch: pytest.MonkeyPatch,
    compile_c: Compile,
    stand_ins: list[str],
    tmp_path: Path,
) -> None:
    case = CASES[name]()
    memory = results(case, SPOILT[how])
    status, printed = in_c(case, memory, compile_c, stand_ins, tmp_path)
    outcome = in_python(case, memory, monkeypatch)
    assert status == outcome.status == (how != "right"), printed + outcome.text
    ours = [line for line in outcome.text.splitlines() if "float64" not in line]
    assert [line for line in printed.splitlines() if line in ours] == ours, printed
    assert printed.startswith("cuDNN 91900, stand-in\n")
    assert len([line for line in ours if line.startswith(("SAME", "DIFFERS"))]) == len(memory)


def test_the_places_that_are_the_furthest_off_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    case = convolution(8)
    memory = results(case, None)
    memory["y"][5] ^= 0x2F00
    outcome = in_python(case, memory, monkeypatch)
    assert outcome.status == 1
    assert "1 of all 8192 elements differ from NumPy" in outcome.text
    (operand,) = [each for each in case.operands if each.name == "y"]
    index = np.unravel_index(outcome.worst["y"][0], operand.shape)
    assert np.dot(index, operand.strides) == 5


def test_a_wrong_expectation_is_told(
    monkeypatch: pytest.MonkeyPatch, compile_c: Compile, stand_ins: list[str], tmp_path: Path
) -> None:
    case = attention()
    (expected,) = case.expected
    values = [*expected.values[:7], expected.values[7] + 1, *expected.values[8:]]
    planted = case._replace(expected=(expected._replace(values=values),))
    memory = results(case, None)
    status, printed = in_c(planted, memory, compile_c, stand_ins, tmp_path)
    outcome = in_python(planted, memory, monkeypatch)
    assert status == outcome.status == 1
    for text in (printed, outcome.text):
        assert "DIFFERS: o: maximum error" in text
        assert "1 of " in text


@pytest.mark.parametrize(
    ("variables", "status", "said"),
    [
        ({"NO_DEVICE": "1"}, 2, "COULD NOT RUN: cudaGetDeviceCount -> cudaErrorNoDevice"),
        ({"FAILS": "cudnnCreate"}, 2, "COULD NOT RUN: cudnnCreate -> CUDNN_STATUS_NOT_SUPPORTED"),
        ({"FAILS": "cudnnBackendFinalize"}, 2, "COULD NOT RUN: tensor"),
        ({"FAILS": "cudnnBackendExecute"}, 1, "DIFFERS: cudnnBackendExecute -> CUDNN_STATUS_NOT"),
    ],
    ids=str,
)
def test_what_cannot_run_in_c(
    variables: dict[str, str],
    status: int,
    said: str,
    compile_c: Compile,
    stand_ins: list[str],
    tmp_path: Path,
) -> None:
    found, printed = in_c(matmul(), {}, compile_c, stand_ins, tmp_path, **variables)
    assert (found, said in printed) == (status, True), printed
    assert in_c(matmul(), {}, compile_c, stand_ins, tmp_path, "--what")[0] == 2


def test_other_inputs_are_refused(
    monkeypatch: pytest.MonkeyPatch, compile_c: Compile, stand_ins: list[str], tmp_path: Path
) -> None:
    case = matmul()._replace(seed=3)
    status, printed = in_c(case, {}, compile_c, stand_ins, tmp_path, "--inputs")
    outcome = in_python(case, {}, monkeypatch)
    assert status == outcome.status == 2
    assert "a: the checksum of its elements is 0x" in printed
    assert printed.strip() == outcome.text


def test_what_cannot_run_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    case = matmul()
    found = running.of_text("{}")
    assert found.status == 2
    assert found.text.startswith("COULD NOT RUN: ArgumentError: expected the JSON of a case")
    assert (
        running.of_text(case.to_json().replace('"shape": [3, 24, 40]', '"shape": [3]')).status == 2
    )
    if not driver.count():
        found = running.of_text(case.to_json())
        assert (found.status, found.text) == (2, f"COULD NOT RUN: {driver.why_unusable()}")
    monkeypatch.setattr(driver, "why_unusable", lambda: "")

    def refuse(*_: Any) -> Any:
        raise errors.NotSupportedError("no such engine")

    monkeypatch.setattr(running, "_build", refuse)
    found = running.of_text(case.to_json())
    assert (found.status, found.text) == (2, "COULD NOT RUN: NotSupportedError: no such engine")
    monkeypatch.setattr(running, "_build", lambda _: None)
    monkeypatch.setattr(running, "_executed", refuse)
    found = running.of_text(case.to_json())
    assert (found.status, found.text) == (1, "DIFFERS: it fails: NotSupportedError: no such engine")


@pytest.mark.parametrize(("name", "output"), [("matmul", "c"), ("truth", "y")])
def test_one_execution_in_poisoned_memory(
    name: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With memory of the host; the plan is one that computes in float64."""
    case, kept = CASES[name](), []
    wanted, seen = results(case, None), {}

    def call(function: str, *arguments: Any) -> None:
        if function == "cuMemAlloc_v2":
            made = ctypes.create_string_buffer(arguments[1].value + 256)
            kept.append(made)
            arguments[0]._obj.value = -(-ctypes.addressof(made) // 256) * 256
        else:
            assert function == "cuMemsetD8_v2"
            ctypes.memset(arguments[0].value, arguments[1].value, arguments[2].value)

    def execute(plan: Any, _: Any, addresses: list[int], workspace: int) -> None:
        assert ctypes.string_at(workspace, plan.workspace_size) == b"\xff" * plan.workspace_size
        for operand, address in zip(plan.operands, addresses, strict=True):
            assert address % 16 == (operand.alignment if operand.alignment < 16 else 0)
            seen[operand.name] = ctypes.string_at(address, span(operand))
            if operand.role == "output":
                made = on_device(wanted[operand.name], operand.data_type)
                ctypes.memmove(address, made, len(made))

    monkeypatch.setattr(libcuda, "call", call)
    monkeypatch.setattr(running, "launch", execute)
    monkeypatch.setattr(driver, "synchronize_context", lambda: None)
    monkeypatch.setattr(timing, "copy_in", lambda to, of: ctypes.memmove(to, of, len(of)))
    monkeypatch.setattr(timing, "copy_out", ctypes.string_at)
    handle = SimpleNamespace(_current=nullcontext)
    monkeypatch.setattr(running, "own_handle", lambda: handle)
    plan: Any = SimpleNamespace(operands=case.operands, workspace_size=1000)
    monkeypatch.setattr(running, "_build", lambda _: plan)
    monkeypatch.setattr(driver, "why_unusable", lambda: "")
    outcome = running.of_text(case.to_json())
    assert outcome.status == 0, outcome.text
    kinds = {each.name: each.data_type for each in case.operands}
    for each, memory in case.inputs().items():
        assert seen[each] == on_device(memory, kinds[each])
    assert set(seen[output]) == {0xFF}
    spoil_one(output, wanted[output])
    assert running.of_text(case.to_json()).status == 1


def test_a_case_is_read_as_it_was_written() -> None:
    for make_case in CASES.values():
        case = make_case()
        again = Case.from_json(case.to_json())
        assert again.to_json() == case.to_json()
        assert again.graph.key == case.graph.key
        assert json.loads(case.to_json())["schema"] == "cudnn_cffi.repro"


def test_without_a_reference_it_only_has_to_run(
    monkeypatch: pytest.MonkeyPatch, compile_c: Compile, stand_ins: list[str], tmp_path: Path
) -> None:
    g = cudnn_cffi.Graph(io_data_type="FLOAT")
    g.output(g.pointwise("ERF", g.tensor((4, 5), name="x")), name="y")
    case = make(g, 0, {}, 0, {}, None, "9.19.0")
    assert (case.expected, case.reference) == ((), "none: NumPy does not compute erf (ERF)")
    memory = {"y": np.zeros(20, np.uint32)}
    status, printed = in_c(case, memory, compile_c, stand_ins, tmp_path)
    outcome = in_python(case, memory, monkeypatch)
    assert status == outcome.status == 0
    for text in (printed, outcome.text):
        assert text.strip().endswith("SAME: it ran; no result is expected")
