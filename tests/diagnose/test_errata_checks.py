"""The comparison of a check, with a plan that is played: there is no GPU here."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import cudnn_cffi.memory
import numpy as np
import pytest
from cudnn_cffi import Graph, arrays, errata, errors
from cudnn_cffi.diagnose import configurations, function
from cudnn_cffi.diagnose import errata as checks
from cudnn_cffi.diagnose.evaluate import NoReferenceError, evaluate, reference
from cudnn_cffi.driver import libcuda
from cudnn_cffi.graph.finalize import operands
from cudnn_cffi.graph.lower import by_release as lowering
from cudnn_cffi.plan.run import compiled

#: Graphs with gaps, low addresses, and arrays that are given; a crossed one has no matrix by rows.
SHOWN = (
    *("matmul-batches-inside", "matmul-low-address", "convolution-gaps-after"),
    *("filter-gradient-few-channels", "norm-statistics-float", "attention-gradient-tiles-nan"),
    *("convolution-tanh-nan", "graph-images-with-gaps", "filter-gradient-sums-of-half"),
    *("convolution-images-with-gaps", "convolution-pixel-unwritten", "resized-volumes"),
    "resized-bytes",
    "convolution-configurations-by-rows",
)


#: Kinds of errors that are seen by numbers, and more elements than a test looks at.
JUDGED, LARGE = ("wrong numbers", "unwritten results", "NaN"), 1 << 20


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


def test_the_reason_where_no_configuration_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of the first one, or that there is none."""
    record = errata.get("matmul-low-address")
    refusals = [errors.NotSupportedError(each) for each in ("first", "second")]

    def refuse(error: errors.NotSupportedError) -> None:
        raise error

    for found, why in ((refusals, "first"), ([], "engine 2 has no configuration that shows mat")):
        made = [SimpleNamespace(build=partial(refuse, each)) for each in found]
        monkeypatch.setattr(configurations, "configurations", lambda *_, made=made: iter(made))
        with pytest.raises(errors.NotSupportedError, match=why):
            configurations.build(Graph(), record, 2)


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


@pytest.mark.parametrize("name", [*SHOWN, "convolution-results-of-int32"])
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


def drawn(name: str, keep: float, monkeypatch: pytest.MonkeyPatch, **spoilt: Any) -> Any:
    """Return the verdict on a graph with dropout whose mask keeps a share of elements."""
    # By a release with sinks, whatever another test has loaded.
    monkeypatch.setattr(Graph, "lowered", lambda graph: lowering.lower(graph, "9.19.0", ()))
    monkeypatch.setattr(cudnn_cffi.memory, "DeviceArray", HostArray)
    record = errata.get(name)
    graph = Graph.from_json(json.dumps(record.shows["graph"]))

    def call(**memory: Any) -> None:
        given: dict[str, Any] = {each.name: memory[each.name].astype(np.float64) for each in inputs}
        given["random"] = np.random.default_rng(3).random(memory["mask"].shape) < keep
        for key, value in reference(graph, given).items():
            memory[key][...] = value.astype(memory[key].dtype)
        for key, value in spoilt.items():
            memory[key][0, 0, 0, 0] = value

    found = operands(graph)
    inputs = [each for each in found if each.role == "input" and each.is_argument]
    played = {"operands": found, "workspace_size": 0, "__call__": staticmethod(call)}
    with errata.off(name):
        return checks._computed(record, graph, type("Played", (), played)())


def test_the_mask_of_dropout_is_what_the_generator_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "attention-gradient-composite-sink-dropout"
    assert drawn(name, 0.5, monkeypatch)[0] == "right"
    for keep, spoilt, text in (
        (0.6, {}, "mask: it keeps 0.60"),
        (0.5, {"mask": 0.5}, "mask: 1 of 65536 elements are neither one nor zero"),
        (0.5, {"dsink": 500.0}, "dsink: the largest error"),
    ):
        verdict, found = drawn(name, keep, monkeypatch, **spoilt)
        assert (verdict, found[: len(text)]) == ("wrong", text)


def test_kernels_of_earlier_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are compiled first, so that the graph has those."""
    built: list[Any] = []

    def build(graph: Any, **_: Any) -> int:
        built.append(graph)
        return len(built)

    monkeypatch.setattr(Graph, "build", build)
    record = errata.get("attention-kernels-of-other-lengths")
    graph = Graph.from_json(json.dumps(record.shows["graph"]))
    found: Any = checks._build(record, None, graph)
    assert found == 2
    assert [each.tensors[1].shape[2] for each in built] == [256, 64]


@pytest.mark.parametrize(("times", "verdict"), [((30, 20, 8), "right"), ((30, 20, 7), "slow")])
def test_a_graph_beside_its_parts(
    times: tuple[int, ...], verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [SimpleNamespace(median=each) for each in times]
    monkeypatch.setattr(Graph, "autotune", lambda *_, **__: [left.pop(0)])
    record = errata.get("fused-convolution-depthwise")
    found = checks._timed_apart(record, Graph.from_json(json.dumps(record.shows["graph"])))
    assert found == (verdict, f"30 us; its parts 20 + {times[2]} us")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("attention-composite-9-10", "it needs a release from 9.10.0, before 9.10.2"),
        ("attention-gradient-strides-of-do", "it needs a release before 9.5.1"),
        (
            "reported-convolution-engine-5-bits",
            "no graph shows it; it needs a release from 9.23.1, before 9.24.0 and a device of "
            "compute capability 8.6; reported for an A10G",
        ),
    ],
)
def test_what_to_check_elsewhere(name: str, text: str) -> None:
    (found,) = checks.verdicts_of(errata.get(name))
    assert found.verdict == "not checked"
    assert text in found.text


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


def test_what_is_wrong_when_it_is_restored_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libcuda, "count", lambda: 1)
    verdict, text = checks.outcome(errata.get("convolution-relu-nan-restored"), 11)
    assert (verdict, "JSON" in text) == ("not checked", True)


def test_a_call_that_lacks_facts_of_the_condition_is_not_checked() -> None:
    (record,) = [each for each in errata.records() if each.id == "batch-norm-training-low-address"]
    (found,) = checks.verdicts_of(record._replace(shows={"call": {"width": 2}}))
    assert found.verdict == "not checked"
    assert "cannot be asked for the call that shows it: KeyError(" in found.text


def test_numbers_of_engines_have_a_reference() -> None:
    """Without one, a check would tell that it ran, and no more."""
    judged, lacking, chance = 0, {}, np.random.default_rng(4)
    for record in errata.records(verified=True):
        shows = record.shows
        if record.scope != "engine" or record.kind not in JUDGED or "graph" not in shows:
            continue
        graph = Graph.from_json(json.dumps(shows["graph"]))
        inputs = [each for each in graph.tensors.values() if each.role == "input"]
        if sum(np.prod(each.shape) for each in graph.tensors.values()) > LARGE:
            continue
        data = shows.get("data", {})
        given = {
            each.name: np.full(each.shape, data.get(each.name, 1.0), np.float64)
            * (1 if each.name in data else chance.uniform(0.5, 2, each.shape))
            for each in inputs
        }
        judged += 1
        try:
            reference(graph, given)
        except NoReferenceError as error:
            lacking[record.id] = str(error)
    assert judged > 60
    assert not lacking
