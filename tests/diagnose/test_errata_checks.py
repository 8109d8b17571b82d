"""The comparison of a check, with a plan that is played: there is no GPU here."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import cudnn_cffi.memory
import numpy as np
import pytest
from cudnn_cffi import Graph, arrays, errata, errors
from cudnn_cffi.diagnose import errata as checks
from cudnn_cffi.diagnose import function
from cudnn_cffi.diagnose.evaluate import evaluate
from cudnn_cffi.graph.finalize import operands
from cudnn_cffi.plan.run import compiled

#: Graphs with gaps, low addresses, and arrays that are given; a crossed one has no matrix by rows.
SHOWN = (
    *("matmul-batches-inside", "matmul-low-address", "convolution-gaps-after"),
    *("filter-gradient-few-channels", "norm-statistics-float", "attention-gradient-tiles-nan"),
    *("convolution-tanh-nan", "graph-images-with-gaps", "filter-gradient-sums-of-half"),
    *("convolution-images-with-gaps", "convolution-pixel-unwritten"),
)


class HostArray:
    """Stands for `DeviceArray`, in host memory."""

    lost = False

    def __init__(self, memory: Any) -> None:
        self.memory = memory

    @classmethod
    def from_numpy(cls, memory: Any) -> HostArray:
        return cls(memory.copy())

    @classmethod
    def zeros(cls, shape: Any) -> HostArray:
        if cls.lost:
            raise errors.ExecutionFailedError("CUDA_ERROR_ILLEGAL_ADDRESS")
        return cls(np.zeros(shape))

    def to_numpy(self) -> Any:
        return self.memory.copy()

    def copy_from(self, memory: Any) -> None:
        self.memory[...] = memory

    def _view(self, shape: Any, strides: Any, offset: int) -> Any:  # offset: in bytes
        size = self.memory.dtype.itemsize
        steps = [size * step for step in strides]
        return np.lib.stride_tricks.as_strided(self.memory[offset // size :], shape, steps)


def judged(
    name: str, monkeypatch: pytest.MonkeyPatch, run: Callable[[dict[str, Any]], None]
) -> tuple[str, str]:
    """Return the verdict on a plan that computes rightly, and then does `run` with its arrays."""
    monkeypatch.setattr(cudnn_cffi.memory, "DeviceArray", HostArray)
    record = errata.get(name)
    graph = Graph.from_json(json.dumps(record.shows["graph"]))

    def call(**arrays: Any) -> None:
        given = {
            each.name: arrays[each.name].astype(np.float64)
            for each in plan.operands
            if each.role == "input" and each.is_argument
        }
        for key, value in evaluate(graph, given).items():
            arrays[key][...] = value.astype(arrays[key].dtype)
        run(arrays)

    played = {"operands": operands(graph), "workspace_size": 0, "__call__": staticmethod(call)}
    plan: Any = type("Played", (), played)()
    return checks._computed(record, graph, plan)


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_right_is_right(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, text = judged(name, monkeypatch, lambda _: None)
    assert verdict == "right", text


@pytest.mark.parametrize("name", SHOWN)
def test_one_element_that_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = errata.get(name)
    graph = Graph.from_json(json.dumps(record.shows["graph"]))
    output = graph.outputs[0].name

    def spoil(arrays: dict[str, Any]) -> None:
        largest = abs(arrays[output].astype(np.float64)).max()
        arrays[output][(0,) * arrays[output].ndim] += 0.3 * max(largest, 1e-3)

    verdict, text = judged(name, monkeypatch, spoil)
    assert (verdict, text.partition(":")[0]) == ("wrong", output), text

    def forget(arrays: dict[str, Any]) -> None:
        arrays[output][(0,) * arrays[output].ndim] = np.nan

    verdict, text = judged(name, monkeypatch, forget)
    assert verdict == "wrong"
    assert f"{output}: 1 of " in text
    assert "NaN, inf or not written" in text


@pytest.mark.parametrize("replayed", [True, False])
def test_what_is_wrong_when_it_is_replayed(replayed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def forget(arrays: dict[str, Any]) -> None:
        calls.append(arrays)
        if len(calls) > 3:
            arrays["dscale"][...] = np.nan

    monkeypatch.setattr(compiled, "count_replays", lambda: max(0, len(calls) - 3) * replayed)
    verdict, text = judged("instance-norm-gradient-captured", monkeypatch, forget)
    turns = checks.TURNS["not capturable"]
    assert (verdict, len(calls)) == ("wrong" if replayed else "not checked", turns), text


@pytest.mark.parametrize(("lost", "verdict"), [(False, "fails"), (True, "context lost")])
def test_what_does_not_run(lost: bool, verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HostArray, "lost", lost)

    def fail(_: dict[str, Any]) -> None:
        raise errors.ExecutionFailedError("CUDNN_STATUS_EXECUTION_FAILED")

    found = judged("matmul-low-address", monkeypatch, fail)
    assert found == (verdict, "CUDNN_STATUS_EXECUTION_FAILED")


@pytest.mark.usefixtures("cudnn")
def test_arguments_of_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    record = errata.get("convolution-gradient-parts-of-half")
    graph = Graph.from_json(json.dumps(record.shows["graph"]))
    seen: list[Any] = []

    def add(*given: Any) -> None:
        seen.extend(given)

    monkeypatch.setattr(function, "handle", lambda: "handle")
    monkeypatch.setattr(function, "calls", SimpleNamespace(cudnnAdd=add))
    algorithm = {"ConvolutionBwdDataAlgo": "ALGO_1"}
    call = function.FunctionCall("cudnnAdd", [1.0, "w", algorithm, {"workspace": 8}, 8], graph)
    assert call.workspace_size == 8
    call(w="array of w", dy="array of dy", workspace="memory")
    assert seen == ["handle", 1.0, "array of w", arrays.member(*algorithm.popitem()), "memory", 8]


def test_arrays_lie_at_the_addresses_that_operands_have() -> None:
    operand: Any = SimpleNamespace(shape=(2, 3), strides=(4, 1), data_type="HALF", alignment=8)
    memory = checks._laid_out(np, np.arange(6.0).reshape(2, 3), operand)
    assert memory.dtype == np.float16
    assert list(memory[4:11]) == [0, 1, 2, 0, 3, 4, 5]


def test_a_crash_is_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(stdout=b"", stderr=b"what it wrote\n", returncode=-11)

    monkeypatch.setattr(subprocess, "run", end)
    (found,) = checks.verdicts_of(errata.get("graph-convolution-and-product"))
    assert (found.verdict, found.text) == ("crash", "SIGSEGV what it wrote")


def test_what_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "TIMEOUT", 0.01)
    (found,) = checks.verdicts_of(errata.get("matmul-splits-hang"))
    assert (found.verdict, found.text) == ("hang", "it did not end within 0.01 s")
