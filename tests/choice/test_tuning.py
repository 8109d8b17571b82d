"""Choosing by timing, on a device that only notes what it is given: who wins, and what is told."""

from __future__ import annotations

import gc
import math
import sys
import time
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import arrays, driver, errors, library
from cudnn_cffi.choice import Refusal, plans
from cudnn_cffi.choice.filters import MODES
from cudnn_cffi.choice.tune import autotune as tuning
from cudnn_cffi.choice.tune import samples
from cudnn_cffi.choice.tune import trials as bench
from cudnn_cffi.choice.tune.device_clock import Sampler, is_far
from cudnn_cffi.driver import captures, timing
from cudnn_cffi.plan import Operand, binding

#: Candidates and computations of these tests are not those of the package.
autotune: Any = tuning.autotune

OPERANDS = (
    Operand("x", 1, (2, 3), (3, 1), "FLOAT"),
    Operand("y", 2, (2, 3), (3, 1), "FLOAT", role="output"),
)
RIGHT = np.arange(1.0, 7.0)


class FakeHandle:
    device = 0
    stream = None
    workspace = SimpleNamespace(get=np.zeros)

    def get_stream(self) -> int:
        return 7

    def _current(self) -> Any:
        import contextlib

        return contextlib.nullcontext()


class FakeCandidate:
    """A candidate whose plan writes a result and needs some time."""

    source = "A"
    behavior_notes = ()

    def __init__(
        self,
        engine: int,
        times: float = 10.0,
        result: Any = RIGHT,
        notes: tuple[str, ...] = (),
        fails: Exception | None = None,
        workspace: int = 0,
    ) -> None:
        self.engine, self.times, self.result, self.fails = engine, times, result, fails
        self.knobs: dict[str, int] = {}
        self.numeric_notes = tuple(SimpleNamespace(name=note) for note in notes)
        self.workspace = workspace

    @property
    def deterministic(self) -> bool:
        return all(note.name != "NONDETERMINISTIC" for note in self.numeric_notes)

    def for_computation(self, _: Any) -> FakeCandidate:
        return self

    def build(self) -> Any:
        if isinstance(self.fails, errors.NotSupportedError):
            raise self.fails
        return FakePlan(self)


class FakePlan:
    closed = False

    def share(self) -> None:
        pass

    def __init__(self, candidate: FakeCandidate) -> None:
        self.candidate = candidate
        self.workspace_size = candidate.workspace
        self.engine = candidate.engine

    def __call__(self, *, y: Any, **_: Any) -> Any:
        if self.candidate.fails is not None:
            raise self.candidate.fails
        if self.candidate.result is not None:
            result = np.array(self.candidate.result, float)
            y[:] = np.where(np.isnan(result) & np.isnan(y), y, result)
        return y


class FakeClock:
    def __init__(self, *_: Any, cold: bool) -> None:
        self.cold = cold

    def close(self) -> None:
        pass


class FakeSampler:
    host = 30.0

    def __init__(self, _: Any, run: Any) -> None:
        plan = run.__closure__ and next(
            cell.cell_contents
            for cell in run.__closure__
            if isinstance(cell.cell_contents, FakePlan)
        )
        self.noise = iter(range(10**6))
        self.rough = self.times = plan.candidate.times

    def sample(self) -> float:
        return self.times * (1 + 0.001 * (next(self.noise) % 3))


@pytest.fixture
def computation(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = SimpleNamespace(
        is_current=True,
        handle=FakeHandle(),
        device=None,
        operands=OPERANDS,
        signature="",
        leads_to_others=False,
        text="y = f(x)",
    )

    def fill(array: Any, byte: int, _size: int, _stream: int) -> None:
        array[:] = math.nan if byte else 0.0

    monkeypatch.setattr(tuning, "_check_place", lambda c: c.handle)
    monkeypatch.setattr(tuning, "_l2_cache", lambda _: 1)
    monkeypatch.setattr(tuning, "Clock", FakeClock)
    monkeypatch.setattr(tuning, "Sampler", FakeSampler)
    monkeypatch.setattr(driver, "synchronize", lambda _: None)
    monkeypatch.setattr(driver, "synchronize_context", lambda: None)
    monkeypatch.setattr(timing, "fill_with", fill)
    monkeypatch.setattr(samples, "make_array", lambda *_: np.zeros(6))
    monkeypatch.setattr(bench, "check", lambda *_: None)
    monkeypatch.setattr(samples, "place", lambda _, array: (array, 24))
    monkeypatch.setattr(samples, "read_array", lambda _, array, *__, **___: np.array(array))
    return made


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library is loaded here, so there is no log to listen to."""
    import contextlib

    monkeypatch.setattr(bench, "listening", lambda: contextlib.nullcontext(Silent()))


class Silent:
    def take(self) -> str:
        return ""


def unsupported(engine: int = 9) -> errors.NotSupportedError:
    error = errors.from_status("f", 3000, "CUDNN_STATUS_NOT_SUPPORTED", text=f"engine {engine}: no")
    assert isinstance(error, errors.NotSupportedError)
    return error


def states(found: Any) -> list[tuple[int, str]]:
    return [(each.engine, each.state) for each in found]


def test_the_fastest_right_candidate_wins(computation: Any) -> None:
    found = autotune(
        computation,
        candidates=[
            FakeCandidate(1, 20.0),
            FakeCandidate(2, 5.0, RIGHT * 1.5),
            FakeCandidate(3, 10.0, RIGHT * (1 + 1e-6), workspace=4096),
            FakeCandidate(4, 1.0, None),  # writes nothing
            FakeCandidate(5, 1.0, [*RIGHT[:5], math.nan]),
            FakeCandidate(6, fails=unsupported()),
        ],
    )
    assert states(found)[:2] == [(3, "ok"), (1, "ok")]
    assert dict(states(found)) == {
        1: "ok",
        2: "wrong",
        3: "ok",
        4: "wrong",
        5: "wrong",
        6: "refused",
    }
    assert found.best.engine == 3
    best = found[0]
    assert best.median == pytest.approx(10, rel=0.01)
    assert best.minimum == 10.0
    assert best.samples >= 5
    assert best.error < 2e-6
    assert best.workspace == 4096
    by_engine = {each.engine: each for each in found}
    assert "y is not right: error 5.0e-01" in by_engine[2].reason
    assert "NaN or were not written" in by_engine[4].reason
    assert "NaN or were not written" in by_engine[5].reason
    assert by_engine[6].reason == "NOT_SUPPORTED: engine 9: no"
    assert by_engine[2].samples == 0
    assert by_engine[2].median == math.inf


def test_the_reference_is_the_first_deterministic_candidate_or_given(computation: Any) -> None:
    loose = FakeCandidate(1, 1.0, RIGHT * 1.5, notes=("NONDETERMINISTIC",))
    strict = FakeCandidate(2, 2.0)
    found = autotune(computation, candidates=[loose, strict])
    assert states(found) == [(2, "ok"), (1, "wrong")]
    assert [each.deterministic for each in found] == [True, False]
    for reference in ({"y": RIGHT * 1.5}, [RIGHT * 1.5]):
        found = autotune(computation, candidates=[loose, strict], reference=reference)
        assert states(found) == [(1, "ok"), (2, "wrong")]
    found = autotune(computation, candidates=[loose, strict], tolerance=1.0)
    assert states(found) == [(1, "ok"), (2, "ok")]


def test_the_log_tells_what_was_timed(computation: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "cudnn_cffi.choice"):
        autotune(computation, candidates=[FakeCandidate(1, 20.0), FakeCandidate(2, 5.0)])
    assert "engine 2 takes 5.0 us, the fastest of 2" in caplog.text


def test_a_reference_that_is_no_number_is_not_taken(computation: Any) -> None:
    broken = FakeCandidate(1, 1.0, [*RIGHT[:5], math.nan])
    found = autotune(computation, candidates=[broken, FakeCandidate(2)])
    assert states(found) == [(2, "ok"), (1, "wrong")]


def test_float32_results_of_tensor_cores_may_differ_more(computation: Any) -> None:
    narrow = FakeCandidate(1, 1.0, RIGHT * (1 + 1e-3), notes=("TENSOR_CORE",))
    found = autotune(computation, candidates=[FakeCandidate(2), narrow])
    assert states(found) == [(1, "ok"), (2, "ok")]
    found = autotune(
        computation,
        candidates=[FakeCandidate(2), narrow],
        tolerance=1e-4,
    )
    assert states(found) == [(2, "ok"), (1, "wrong")]


def test_where_all_refuse_there_is_one_error(computation: Any) -> None:
    with pytest.raises(errors.NoPlanError, match="engine 8: no") as info:
        autotune(
            computation,
            candidates=[
                Refusal(7, {}, "engine", "CUDNN_STATUS_NOT_SUPPORTED", "too odd"),
                FakeCandidate(8, fails=unsupported(8)),
            ],
        )
    assert "too odd" in str(info.value)
    assert "y = f(x)" in str(info.value)
    with pytest.raises(errors.NoPlanError, match="is not right"):
        autotune(
            computation,
            candidates=[FakeCandidate(1, result=RIGHT * 9)],
            reference=[RIGHT],
        )
    with pytest.raises(errors.NoPlanError):
        autotune(computation, candidates=[])


def test_memory_that_does_not_fit_refuses_one_candidate_only(computation: Any) -> None:
    large = FakeCandidate(1, fails=errors.AllocationError("123 bytes do not fit"))
    found = autotune(computation, candidates=[large, FakeCandidate(2)])
    assert states(found) == [(2, "ok"), (1, "refused")]
    assert "do not fit" in found[1].reason
    found = autotune(
        computation,
        candidates=[FakeCandidate(1, 1.0, workspace=100), FakeCandidate(2)],
        workspace_limit=99,
    )
    assert states(found) == [(2, "ok"), (1, "refused")]
    assert found[1].workspace == 100


def test_nothing_is_left_to_the_garbage_collector(
    computation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Freeing memory while a stream is captured would break the capture."""

    class Array(np.ndarray):
        pass

    made: list[weakref.ref[Any]] = []

    def make(*_: Any) -> Any:
        array = np.zeros(6).view(Array)
        made.append(weakref.ref(array))
        return array

    class Refused(FakeCandidate):
        def build(self) -> Any:
            error = unsupported()  # a name in the frame that the error refers to: a cycle
            raise error

    monkeypatch.setattr(samples, "make_array", make)
    gc.collect()
    gc.disable()
    try:
        found = autotune(computation, candidates=[Refused(1), FakeCandidate(2), Refused(3)])
        assert states(found) == [(2, "ok"), (1, "refused"), (3, "refused")]
        assert len(made) == 2
        assert all(each() is None for each in made)
    finally:
        gc.enable()


def test_other_errors_are_not_swallowed(computation: Any) -> None:
    broken = FakeCandidate(1, fails=errors.ClosedError("the Handle is closed"))
    with pytest.raises(errors.ClosedError):
        autotune(computation, candidates=[broken])


def test_samples_are_as_many_as_asked_for(computation: Any) -> None:
    many = [FakeCandidate(i, 10.0 + i) for i in range(5)]
    found = autotune(computation, candidates=many, repeats=4)
    assert [each.samples for each in found] == [4] * 5
    for wrong in (0, -1, 1.5):
        with pytest.raises(errors.ArgumentError, match=rf"most: expected a .*number.* got {wrong}"):
            autotune(computation, candidates=many, most=wrong)
        with pytest.raises(errors.ArgumentError, match=r"repeats: expected a .*number"):
            autotune(computation, candidates=many, repeats=wrong)
    found = autotune(computation, candidates=many, most=np.int64(2))
    assert [each.engine for each in found] == [0, 1]
    slow = [FakeCandidate(0, 1.0), FakeCandidate(1, 100.0)]
    found = autotune(computation, candidates=slow)
    assert found[1].samples < found[0].samples


def test_when_the_time_is_up_the_rest_is_listed_as_skipped(computation: Any) -> None:
    found = autotune(
        computation,
        candidates=[FakeCandidate(i) for i in range(3)],
        seconds=0.0,
    )
    assert states(found) == [(0, "ok"), (1, "skipped"), (2, "skipped")]
    assert found[1].reason == "the time was up"
    assert found.best.engine == 0
    assert found[0].samples >= 1


def test_outputs_that_are_read_too_are_filled_with_zeros(computation: Any) -> None:
    class Adding(FakePlan):
        def __call__(self, *, y: Any, **_: Any) -> Any:
            y += self.candidate.result
            return y

    class Adder(FakeCandidate):
        def build(self) -> Any:
            return Adding(self)

    found = autotune(
        computation,
        candidates=[Adder(1), Adder(2, 1.0, RIGHT * 2)],
    )
    assert states(found) == [(1, "ok"), (2, "wrong")]


def test_operands_are_checked(computation: Any) -> None:
    x = np.ones(6)
    made = bench.Bench(computation, {"x": x}, 0, None, None)
    assert made.arrays["x"] is x
    assert bench.Bench(computation, [x], 0, None, None).arrays["x"] is x
    assert bench.Bench(computation, [None, x], 0, None, None).arrays["y"] is x
    with pytest.raises(errors.ArgumentError, match="no operand 'z'"):
        autotune(computation, {"z": x}, candidates=[])
    with pytest.raises(errors.ArgumentError, match="at most 2 arrays"):
        autotune(computation, [x, x, x], candidates=[])
    with pytest.raises(errors.ArgumentError, match="reference: expected at most 1"):
        autotune(computation, reference=[x, x], candidates=[])


@pytest.mark.parametrize("what", ["cold", "remember", "every_engine"])
def test_words_are_no_switches(computation: Any, what: str) -> None:
    with pytest.raises(errors.ArgumentError, match=f"{what}: expected True or False, got 'no'"):
        autotune(computation, **{what: "no"})


class Placed:
    """An array that says where it lies, and is never read or written."""

    def __init__(self, shape: tuple[int, ...], code: str = "<f4", address: int = 4096) -> None:
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": code, "data": (address, False), "version": 3,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Placed((2, 2)), "y: expected the shape"),
        (Placed((2, 3), "<f2"), "y: expected float32, got float16"),
        (Placed((2, 3), address=4098), "y: expected an address"),
    ],
)
def test_nothing_is_filled_that_does_not_fit(
    computation: Any, given: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outputs are filled before a plan sees them: beyond a small array lie others."""
    filled: list[Any] = []
    monkeypatch.setattr(bench, "check", binding.check)
    monkeypatch.setattr(timing, "fill_with", lambda *given: filled.append(given))
    with pytest.raises(errors.CudnnError, match=said):
        autotune(computation, {"y": given}, candidates=[FakeCandidate(1)])
    assert not filled


def test_a_reference_of_another_type_is_refused(
    computation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "check", binding.check)
    with pytest.raises(errors.ArgumentError, match="y: expected float32, got float64"):
        autotune(computation, reference=[Placed((2, 3), "<f8")], candidates=[])
    bench.Bench(computation, None, 0, None, [Placed((2, 3), address=4100)])


def test_a_workspace_has_no_numbers(computation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that counts on zeros there is wrong with what others have left."""
    memory = np.zeros(3)
    monkeypatch.setattr(FakeHandle, "workspace", SimpleNamespace(get=lambda _: memory))

    class Counting(FakeCandidate):
        def build(self) -> Any:
            made = super().build()

            def call(*, y: Any, **_: Any) -> Any:
                y[:] = RIGHT + memory[0]
                memory[:] = 0.0
                return y

            return Called(made, call)

    found = autotune(computation, candidates=[FakeCandidate(1), Counting(2, 1.0, workspace=24)])
    assert states(found) == [(1, "ok"), (2, "wrong")]


class Called(FakePlan):
    """A plan that calls a function."""

    def __init__(self, made: FakePlan, call: Any) -> None:
        super().__init__(made.candidate)
        self.call = call

    def __call__(self, **arrays: Any) -> Any:
        return self.call(**arrays)


@pytest.mark.parametrize("has_numpy", [True, False])
def test_truth_values_are_compared_one_by_one(has_numpy: bool, monkeypatch: Any) -> None:
    """Engines have eight in a byte, the first one in the lowest bit."""
    values = np.arange(1 << 12) % 3 == 0
    changed = values ^ (np.arange(values.size) == 1000)
    operand = Operand("y", 1, (values.size - 3,), (1,), "BOOLEAN", role="output")
    monkeypatch.setattr(arrays, "device_pointer", lambda array: array)
    memory: dict[int, bytes] = {}
    monkeypatch.setattr(timing, "copy_out", lambda at, size, _: memory[at][:size])
    if not has_numpy:
        monkeypatch.setattr(samples, "_import_numpy", lambda: False)
        monkeypatch.delitem(sys.modules, "numpy")
    for at, each in enumerate((values, changed)):
        memory[at] = np.packbits(each, bitorder="little").tobytes()
    memory[2] = memory[0][:-1] + bytes([memory[0][-1] | 0xE0])  # where no element is
    first, second, third = (samples.read_array(operand, at) for at in range(3))
    assert list(first) == list(values[:-3])
    assert samples.difference(first, third) == 0
    assert samples.difference(second, first) > samples.tolerance("BOOLEAN", narrow=False)


@pytest.mark.parametrize("has_numpy", [True, False])
def test_places_of_truth_values_have_no_rest_of_a_byte(has_numpy: bool, monkeypatch: Any) -> None:
    """Engines write it or not; the last place of a large array ends with it."""
    size = samples._CHUNKS * samples._CHUNK + 16
    operand = Operand("y", 1, (8 * size - 3,), (1,), "BOOLEAN", role="output")
    monkeypatch.setattr(arrays, "device_pointer", lambda array: array)
    if not has_numpy:
        monkeypatch.setattr(samples, "_import_numpy", lambda: False)
        monkeypatch.delitem(sys.modules, "numpy")
    found = []
    for rest in (0, 0xE0):
        memory = bytes([0x15]) * (size - 1) + bytes([0x15 | rest])
        monkeypatch.setattr(timing, "copy_out", lambda at, n, _, m=memory: m[at : at + n])
        found.append(samples.read_array(operand, 0))
    assert list(found[0]) == list(found[1])
    assert list(found[0][:8]) == [1, 0, 1, 0, 1, 0, 0, 0]


def test_outputs_with_gaps_are_left_alone(
    computation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between their elements lie those of other arrays, which would be written over."""
    y = OPERANDS[1]._replace(strides=(8, 1))
    computation.operands = (OPERANDS[0], y)
    checked = []
    monkeypatch.setattr(bench, "check", lambda *given: checked.append(given))
    mine = np.ones(6)
    made = bench.Bench(computation, {"x": mine, "y": mine}, 0, None, None)
    assert made.arrays["x"] is mine
    assert made.arrays["y"] is not mine
    assert checked == [(OPERANDS[0], mine, 0), (y, mine, 0)]
    computation.operands = OPERANDS
    assert bench.Bench(computation, {"y": mine}, 0, None, None).arrays["y"] is mine


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((2, 3), (3, 1)),
        ((2, 3), (8, 1)),
        ((3, 2), (1, 3)),
        ((3, 2), (2, 7)),
        ((2, 32, 9, 9), (9 * 9 * 64, 1, 9 * 64, 64)),
        ((70, 1, 5), (11, 900, 2)),
        ((2, 1 << 19), (3 << 18, 1)),
    ],
)
def test_gaps_are_not_read(
    shape: tuple[int, ...], strides: tuple[int, ...], complete: bool, monkeypatch: Any
) -> None:
    steps = tuple(4 * step for step in strides)
    memory = np.full(
        sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1, np.nan, "f4"
    )
    elements = np.lib.stride_tricks.as_strided(memory, shape, steps)
    elements[:] = np.arange(elements.size).reshape(shape)
    data = memory.tobytes()
    monkeypatch.setattr(arrays, "device_pointer", lambda _: 64)
    monkeypatch.setattr(timing, "copy_out", lambda at, size, _: data[at - 64 :][:size])
    operand = Operand("y", 1, shape, strides, "FLOAT")
    found = samples.read_array(operand, None, complete=complete)
    assert not np.isnan(found).any()
    assert {0, elements.size - 1} <= set(found.tolist()) <= set(range(elements.size))
    assert len(found) == elements.size or (len(found) == 1 << 16 and not complete)
    monkeypatch.setattr(samples, "_import_numpy", lambda: False)
    monkeypatch.delitem(sys.modules, "numpy")
    found = samples.read_array(operand, None)
    assert len(found) >= min(elements.size, 64)
    assert {0, elements.size - 1} <= set(found) <= set(range(elements.size))


@pytest.mark.parametrize(("data_type", "size"), [("HALF", 2), ("FLOAT", 4), ("DOUBLE", 8)])
@pytest.mark.parametrize("count", [2, 3, 5, 63, 100])
def test_parts_of_large_arrays_with_gaps_are_of_whole_elements(
    count: int, data_type: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = 100_003
    step = (width + 5) * size
    read = []

    def copy_out(at: int, length: int, _: int) -> bytes:
        assert at % step + length <= width * size
        assert at % step % size == length % size == 0
        read.extend([at, at + length])
        return bytes(length)

    monkeypatch.setattr(arrays, "device_pointer", lambda _: 0)
    monkeypatch.setattr(timing, "copy_out", copy_out)
    operand = Operand("y", 1, (count, width), (width + 5, 1), data_type)
    assert len(samples.read_array(operand, None)) > 30_000 // size
    assert (min(read), max(read)) == (0, (count - 1) * step + width * size)


def test_lengths_and_indices_are_not_made_up() -> None:
    import random

    lengths = Operand("lengths", 1, (4, 1, 1, 1), (1, 1, 1, 1), "INT32")
    with pytest.raises(errors.ArgumentError, match=r"lengths.*INT32"):
        samples.make_array(lengths, 0, None, random.Random(0))
    number = Operand("scale", 1, (1,), (1,), "FLOAT", by_value=True)
    assert samples.make_array(number, 0, None, random.Random(0)) == 1


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    described: Any = SimpleNamespace(handle=None, device="H200", operands=(), signature="")
    with pytest.raises(errors.ArgumentError, match="device properties, and no handle"):
        autotune(described)
    monkeypatch.setattr(driver, "count", lambda: 0)
    monkeypatch.setattr(driver, "why_unusable", lambda: "no driver here")
    bound: Any = SimpleNamespace(handle=FakeHandle(), operands=(), signature="")
    with pytest.raises(errors.NotInitializedError, match="no driver here"):
        autotune(bound)


def test_under_capture_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "count", lambda: 1)
    monkeypatch.setattr(captures, "is_captured", lambda _stream: True)
    bound: Any = SimpleNamespace(handle=FakeHandle(), operands=(), signature="")
    with pytest.raises(errors.CudnnError, match="is being captured"):
        autotune(bound)


def test_the_winner_is_remembered(computation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.choice.store import keys

    monkeypatch.setattr(keys, "_places", {0: "a GPU"})
    monkeypatch.setattr(library, "load", lambda: SimpleNamespace(version="9.12.0"))
    monkeypatch.setattr(
        tuning, "search", lambda *_: iter([FakeCandidate(1), FakeCandidate(2, 3.0)])
    )
    computation.signature = "signature"
    plans.clear()
    try:
        best = autotune(computation).best
        key = keys.to_key(computation, MODES, None, None, None, {})
        assert key is not None
        assert plans.get(key.memory, tuned=True) is best
        plans.clear()
        autotune(computation, remember=False)
        assert plans.get(key.memory) is None
    finally:
        plans.clear()


def test_all_of_the_winner_is_compared(computation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference outside the places that are compared first is found in the end."""

    def read(_: Any, array: Any, _stream: int, *, complete: bool = False) -> Any:
        return np.array(array if complete else array[:3])

    monkeypatch.setattr(samples, "read_array", read)
    late = FakeCandidate(1, 1.0, [*RIGHT[:5], 99.0])
    unwritten = FakeCandidate(2, 2.0, [*RIGHT[:5], math.nan])
    found = autotune(
        computation,
        candidates=[FakeCandidate(3), late, unwritten],
    )
    assert states(found) == [(3, "ok"), (1, "wrong"), (2, "wrong")]
    assert found[1].samples > 0
    assert "y is not right" in found[1].reason
    assert "not written" in found[2].reason
    with pytest.raises(errors.NoPlanError, match="not written"):
        autotune(computation, candidates=[unwritten])


class NotedClock:
    """A clock that only notes what is put into its stream."""

    def __init__(self, cold: bool) -> None:
        self.cold, self.fill_time = cold, 30.0
        self.done: list[str] = []

    def fill(self) -> None:
        self.done.append("fill")

    def run(self) -> None:
        self.done.append("run")
        time.sleep(1e-4)

    def between(self, work: Any) -> float:
        self.done.append("start")
        work()
        self.done.append("end")
        return 80.0


@pytest.mark.parametrize(
    ("rough", "host", "far"), [(120.0, 100.0, False), (120.0, 10.0, True), (61.0, 0.0, True)]
)
def test_a_slow_host_makes_no_run_far_from_the_fastest(
    rough: float, host: float, far: bool
) -> None:
    """A run that is timed alone waits for the host between two events."""
    sampler: Any = SimpleNamespace(rough=rough, host=host)
    assert is_far(sampler, 5.0) == far
    assert not is_far(sampler, None)


def test_time_on_the_host_is_hidden_by_other_work() -> None:
    for cold, runs, repeats in ((False, 5, 4), (True, 1, 1)):
        clock: Any = NotedClock(cold)
        sampler = Sampler(clock, clock.run)
        assert sampler.rough == 80.0
        assert sampler.fills * 30.0 >= runs * 100
        clock.done.clear()
        assert sampler.sample() == 80.0 / repeats
        warm = [] if cold else ["run"]
        expected = ["fill"] * sampler.fills + warm + ["start"] + ["run"] * repeats + ["end"]
        assert clock.done == expected
