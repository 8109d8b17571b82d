"""Choices on a GPU: what each word picks, limits, determinism, files, threads, memory, captures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import choice, errors, ops
from cudnn_cffi._operation import way_search as ways
from cudnn_cffi._ways.case import SMALL
from cudnn_cffi.choice import policy_words
from cudnn_cffi.plan import Plan

from tests.gpu.conftest import capturing
from tests.threads import in_threads

pytestmark = pytest.mark.usefixtures("no_choices")

X, W = (8, 16, 28, 28), (24, 16, 3, 3)


class Layer:
    """A convolution's arrays, and its three computations with their float64 references."""

    def __init__(self, torch: Any, fresh: Any, dtype: str = "float32") -> None:
        self.torch = torch
        self.x, self.w = fresh(*X, dtype=dtype), fresh(*W, dtype=dtype)
        self.dy = fresh(X[0], W[0], *X[2:], dtype=dtype)
        rx, rw = (each.cpu().double().requires_grad_() for each in (self.x, self.w))
        y = torch.nn.functional.conv2d(rx, rw, padding=1)
        dx, dw = torch.autograd.grad(y, (rx, rw), self.dy.cpu().double())
        self.expected = {"forward": y.detach(), "data": dx, "filter": dw}

    def call(self, section: str, choose: Any = None) -> Callable[[], Any]:
        """Return the call of one operation."""
        if section == "forward":
            return partial(ops.Convolution(1, choose=choose), self.x, self.w)
        if section == "data":
            return partial(ops.ConvolutionBackwardData(1, choose=choose), self.dy, self.w, shape=X)
        return partial(ops.ConvolutionBackwardFilter(1, choose=choose), self.x, self.dy, shape=W)

    def run(self, section: str, choose: Any = None) -> Any:
        return self.call(section, choose)()

    def recorded(self, section: str, choose: Any = None) -> tuple[Any, Any]:
        """Return what was computed, and the record of what ran."""
        with ops.record() as log:
            result = self.run(section, choose)
        self.torch.cuda.synchronize()
        return result, log[-1]

    def candidates(self, **settings: Any) -> Any:
        return ops.candidates("convolution", self.x, self.w, padding=1, **settings)


SECTIONS = ("forward", "data", "filter")

#: Engines that are timed where not all are the point: nothing is kept, so each is built again.
MOST = 4


@pytest.fixture
def layer(torch: Any, fresh: Any) -> Layer:
    return Layer(torch, fresh)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("word", policy_words.WORDS)
def test_each_word_picks_what_it_says(layer: Layer, error_of: Any, word: str, section: str) -> None:
    listed = [each for each in layer.candidates(gradients=True) if each.section == section]
    supported = {each.name: each for each in listed if each.via == "classic" and each.supported}
    try:
        result, entry = layer.recorded(section, {"pick": word, "most": MOST})
    except errors.NotSupportedError:
        # A word for a transform that neither an algorithm nor an engine has for this.
        assert word in ("fft", "fft_tiling", "winograd", "winograd_non_fused")
        assert policy_words.MEANINGS[section].get(word) not in supported
        return
    assert error_of(result, layer.expected[section]) < 2e-3
    meaning = policy_words.MEANINGS[section].get(word)
    if word == "deterministic":
        assert entry.via == "graph" or supported[entry.way].deterministic, entry
    elif meaning in supported:
        assert (entry.via, entry.way) == ("classic", meaning), entry
    elif word == "none":
        assert entry.workspace == 0, entry
    elif word == "small":
        assert entry.workspace <= SMALL, entry


@pytest.mark.parametrize("section", SECTIONS)
def test_named_algorithms_and_engines_run(layer: Layer, error_of: Any, section: str) -> None:
    listed = layer.candidates(gradients=True)
    listed = [each for each in listed if each.section == section and each.supported]
    seen: set[tuple[str, str]] = set()
    for each in listed:
        if (each.via, each.name) in seen or len(seen) > 12:
            continue
        seen.add((each.via, each.name))
        try:
            result, entry = layer.recorded(section, each.choose)
        except errors.NotSupportedError:
            assert each.via == "graph"  # which only a build tells
            continue
        assert (entry.via, entry.way) == (each.via, each.name)
        assert error_of(result, layer.expected[section]) < 2e-2
    assert {via for via, _ in seen} == {"graph", "classic"}


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("limit", [0, 1 << 16, 1 << 20, 1 << 30])
def test_limits_are_kept(layer: Layer, section: str, limit: int) -> None:
    for word in ("heuristic", "time", "none", "small", "large", "deterministic"):
        own = {"pick": word, "workspace_limit": limit, "most": MOST}
        try:
            _, entry = layer.recorded(section, own)
        except errors.NotSupportedError:
            continue
        assert entry.workspace <= limit, (word, entry)


def test_what_is_excluded_is_not_used(layer: Layer) -> None:
    _, first = layer.recorded("forward")
    number = int(first.way.split()[-1]) if first.via == "graph" else first.way
    for word in ("heuristic", "time"):
        own = {"pick": word, "exclude": number, "most": MOST}
        _, entry = layer.recorded("forward", own)
        assert (entry.via, entry.way) != (first.via, first.way)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("section", SECTIONS)
def test_deterministic_gives_the_same_bits(
    torch: Any, fresh: Any, dtype: str, section: str
) -> None:
    layer = Layer(torch, fresh, dtype)
    for choose in (
        "deterministic",
        {"deterministic": True},
        {"pick": "time", "deterministic": True, "most": MOST},
    ):
        first = layer.run(section, choose)
        call = layer.call(section, choose)  # another operation, which cuDNN is asked about once
        for _ in range(99):
            assert torch.equal(call(), first), choose


@pytest.mark.alone
def test_timing_compares_engines_and_classic_algorithms(layer: Layer, error_of: Any) -> None:
    listed = layer.candidates(gradients=True, time=True, seconds=10)
    for section in SECTIONS:
        timed = [e for e in listed if e.section == section and e.time is not None]
        assert {each.via for each in timed} == {"graph", "classic"}, section
        choice.forget()
        result, entry = layer.recorded(section, "time")
        (known,) = choice.choices()
        assert known.how == "time"
        assert known.time is not None
        name = f"engine {known.engine}" if known.via == "graph" else known.algorithm
        assert (known.via, name) == (entry.via, entry.way)
        assert known.time <= 1.5 * min(each.time for each in timed), section
        assert error_of(result, layer.expected[section]) < 2e-3
    assert "<table>" in listed._repr_html_()
    assert json.loads(listed.to_json())


@pytest.mark.parametrize("wanted", ["graph", "classic"])
def test_timing_takes_the_faster_way(
    layer: Layer, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    def pretend(way: Any, _handle: Any, _best: Any) -> tuple[float, str]:
        return (1.0 if isinstance(way, Plan) == (wanted == "graph") else 2.0), ""

    def few(computation: Any, choose: Any = "heuristics", **settings: Any) -> Any:
        return build(computation, choose, **{**settings, "most": MOST})

    build: Any = vars(ways)["build"]
    monkeypatch.setattr(ways, "time_way", pretend)
    monkeypatch.setattr(ways, "build", few)
    for section in SECTIONS:
        assert layer.recorded(section, "time")[1].via == wanted


def test_files_decide_what_other_processes_run(layer: Layer, tmp_path: Path) -> None:
    path = tmp_path / "choices.json"
    for section in SECTIONS:
        layer.run(section, "time")
    choice.save(path)
    program = f"""
import json, torch
from cudnn_cffi import choice, ops
choice.load({str(path)!r})
choice.set_default("time")
x, w = torch.randn({X}, device="cuda"), torch.randn({W}, device="cuda")
dy = torch.randn({(X[0], W[0], *X[2:])}, device="cuda")
with ops.record() as log:
    ops.Convolution(1)(x, w)
    ops.ConvolutionBackwardData(1)(dy, w, shape={X})
    ops.ConvolutionBackwardFilter(1)(x, dy, shape={W})
print(json.dumps([[e.operation, e.via, e.way] for e in log]))
"""

    def ran() -> list[list[str]]:
        done = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True,
            env={**os.environ, "CUDNN_CFFI_PLAN_CACHE": "0"},
        )  # fmt: skip
        return json.loads(done.stdout)

    def said() -> list[list[str]]:
        rows = json.loads(path.read_text())["choices"]
        found = [
            [r["operation"], r["choice"]["via"],
             f"engine {r['choice']['engine']}" if r["choice"]["via"] == "graph"
             else r["choice"]["algorithm"]]
            for r in rows
        ]  # fmt: skip
        order = ("convolution", "convolution_backward_data", "convolution_backward_filter")
        return sorted(found, key=lambda row: order.index(row[0]))

    assert ran() == said()
    document = json.loads(path.read_text())
    for row, name in zip(document["choices"], ("IMPLICIT_GEMM", "ALGO_1", "ALGO_1"), strict=True):
        row["choice"] = {"via": "classic", "algorithm": name}
    path.write_text(json.dumps(document))
    assert ran() == said()


#: The elements of the weights: W and R of four gates, and two biases.
_COUNT = 4 * (32 * 64 + 64 * 64) + 8 * 64


def test_recurrent_algorithms_are_kept(torch: Any) -> None:
    def run() -> Any:
        lstm = ops.LSTM(32, 64, choose={"recurrent": "time"})
        x = torch.randn(5, 3, 32, device="cuda")
        weights = torch.randn(_COUNT, device="cuda") / 8
        with ops.record() as log:
            lstm(x, weights)
        return log[-1].way

    first = run()
    (known,) = [each for each in choice.choices() if each.operation == "lstm"]
    assert (known.how, known.algorithm) == ("time", first)
    other = "STANDARD" if first != "STANDARD" else "PERSIST_STATIC"
    choice.adopt(choice.Choices([known._replace(algorithm=other, how="hand")]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run() == other or any(other in str(each.message) for each in caught)


def test_threads_agree(torch: Any, fresh: Any, error_of: Any) -> None:
    layers = [Layer(torch, fresh) for _ in range(8)]
    torch.cuda.synchronize()

    def work(layer: Layer) -> None:
        for section in SECTIONS:
            for _ in range(3):
                result = layer.run(section, {"pick": "time", "most": MOST})
                torch.cuda.synchronize()
                assert error_of(result, layer.expected[section]) < 2e-3

    in_threads(work, layers)
    names = [each.operation for each in choice.choices()]
    assert len(names) == len(set(names)) == 3


def test_without_memory_for_timing_a_heuristic_decides(
    torch: Any, fresh: Any, error_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape, filters = (32, 64, 128, 128), (64, 64, 3, 3)
    x, w = fresh(*shape, dtype="float32"), fresh(*filters, dtype="float32")
    out = torch.full(shape, float("nan"), device="cuda")
    asked = []

    def allocate(size: int, *_: Any) -> Any:
        asked.append(size)
        raise errors.AllocationError(f"{size} bytes do not fit on device 0")

    # A device that is full would fail other tests that run at the same time.
    with monkeypatch.context() as full, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        full.setattr("cudnn_cffi.choice.tune.samples.Memory", allocate)
        full.setattr("cudnn_cffi._ways.timing.Memory", allocate)
        ops.Convolution(1, choose={"pick": "time", "workspace_limit": 1 << 20})(x, w, out=out)
    torch.cuda.synchronize()
    assert asked
    expected = torch.nn.functional.conv2d(x[:1].cpu().double(), w.cpu().double(), padding=1)
    assert error_of(out[:1], expected) < 2e-3


def test_what_was_chosen_can_be_captured(layer: Layer, torch: Any, error_of: Any) -> None:
    operation = ops.Convolution(1, choose={"pick": "time", "most": MOST})
    out = torch.full((X[0], W[0], *X[2:]), float("nan"), device="cuda")
    operation(layer.x, layer.w, out=out)
    torch.cuda.synchronize()
    with capturing() as graph:
        operation(layer.x, layer.w, out=out)
    out.fill_(float("nan"))
    graph.replay()
    torch.cuda.synchronize()
    assert error_of(out, layer.expected["forward"]) < 2e-3


def test_nothing_is_timed_during_a_capture(layer: Layer, torch: Any, error_of: Any) -> None:
    operation = ops.Convolution(1, choose="time")
    with capturing() as graph:
        kept = layer.x * 2.0
        with pytest.raises(errors.CudnnError, match="captured"):
            operation(layer.x, layer.w)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(kept, layer.x * 2.0)
    assert error_of(operation(layer.x, layer.w), layer.expected["forward"]) < 2e-3
