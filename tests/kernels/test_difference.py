"""The difference of two arrays: the kernel by C++ threads on host memory, and that it compiles."""

from __future__ import annotations

import contextlib
import ctypes
import math
import struct
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import errors, kernels
from cudnn_cffi.choice.tune import samples, trials
from cudnn_cffi.kernels import differing
from cudnn_cffi.plan import Operand

from tests.compilers import cpp_library
from tests.kernels import as_cpp

_THREADS = 8

_AS_CPP = (
    as_cpp.AS_CPP
    + """
#include "numbers.cuh"
#include SOURCE
extern "C" void run(
    unsigned blocks, const number *own, const number *other, long long count, double *sums) {
    gridDim.x = blocks;
    for (unsigned block = 0; block < blocks; block++) {
        std::barrier<> own_barrier(THREADS);
        together = &own_barrier;
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < THREADS; i++)
            threads.emplace_back([=] {
                blockIdx.x = block, threadIdx.x = i;
                difference(own, other, count, sums);
            });
        for (auto &each : threads) each.join();
    }
}
"""
)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The kernel as a function of the host, by data type."""
    folder, found = tmp_path_factory.mktemp("difference"), {}
    (folder / "all.cpp").write_text(_AS_CPP, encoding="ascii")
    for name, number in differing.TYPES.items():
        found[name] = cpp_library(
            folder / f"{name}.so", folder / "all.cpp", f"-DTYPE={number}",
            f"-DTHREADS={_THREADS}", f'-DSOURCE="{differing._SOURCE}"',
            f"-I{differing._SOURCE.parent}",
        ).run  # fmt: skip
    return found


class HostMemory:
    """Host memory in place of that of a device."""

    made = 0

    def __init__(self, size: int, *_: Any) -> None:
        self._held = ctypes.create_string_buffer(b"\xff" * size, size)
        self.address, self.size = ctypes.addressof(self._held), size
        HostMemory.made += 1

    def close(self) -> None:
        HostMemory.made -= 1


@pytest.fixture
def there(compiled: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have host memory be that of a device, and the kernel run; return its handle."""

    def launch(_: int, data_type: str) -> Any:
        def put(_: int, *arguments: bytes) -> None:
            own, other, count, sums = (struct.unpack("q", each)[0] for each in arguments)
            compiled[data_type](
                differing._BLOCKS, ctypes.c_void_p(own), ctypes.c_void_p(other),
                ctypes.c_int64(count), ctypes.c_void_p(sums),
            )  # fmt: skip

        return SimpleNamespace(put=put)

    timing = SimpleNamespace(
        copy_out=lambda address, size, _: ctypes.string_at(address, size),
        copy_within=lambda source, target, size, _: ctypes.memmove(target, source, size),
        fill_with=lambda address, byte, size, _: ctypes.memset(address, byte, size),
    )
    for module in (differing, trials):
        monkeypatch.setattr(module, "Memory", HostMemory)
        monkeypatch.setattr(module, "timing", timing)
    monkeypatch.setattr(samples, "_LARGE", 1)
    monkeypatch.setattr(differing, "_BLOCKS", 3)
    monkeypatch.setattr(differing, "_launch", launch)
    monkeypatch.setattr(kernels, "can_compare", lambda _, name: name in differing.TYPES)
    monkeypatch.setattr(HostMemory, "made", 0)
    return SimpleNamespace(
        device=0, stream=None, get_stream=lambda: 7, _current=contextlib.nullcontext
    )


def bits(values: Any, data_type: str) -> Any:
    """Return numbers as a type has them in memory, rounded towards zero."""
    if data_type == "BFLOAT16":
        return (np.asarray(values, "<f4").view("<u4") >> 16).astype("<u2")
    return np.asarray(values, "<f2" if data_type == "HALF" else "<f4").copy()


def as_floats(array: Any, data_type: str) -> Any:
    if data_type == "BFLOAT16":
        array = (array.astype("<u4") << 16).view("<f4")
    return array.astype(float)


@pytest.mark.parametrize("data_type", differing.TYPES)
@pytest.mark.parametrize("count", [1, 7, 8, 24, 25, 1003])
def test_sums(there: Any, data_type: str, count: int) -> None:
    """They are float64's, also of what is infinite, huge, tiny or no number."""
    draw = np.random.default_rng(count)
    wide = {"HALF": 4, "BFLOAT16": 30, "FLOAT": 30}[data_type]
    values = draw.standard_normal(count) * 10.0 ** draw.integers(-wide, wide, count)
    other = bits(values, data_type)
    for odd in ([], [math.nan], [math.inf, -math.inf], [math.nan, 0.0, -0.0, math.inf]):
        own = bits(as_floats(other, data_type) * draw.choice([1.0, 1.25, -1.0], count), data_type)
        with_odd = other.copy()
        for i, each in enumerate(odd[:count]):
            own[i] = bits([each], data_type)[0]
            with_odd[-1 - i] = bits([draw.choice([each, 1.0])], data_type)[0]
        x, y = as_floats(own, data_type), as_floats(with_odd, data_type)
        with np.errstate(all="ignore"):
            gap = np.where((x == y) | np.isnan(x) | np.isnan(y), 0.0, x - y)
        found = kernels.difference(data_type, own.ctypes.data, with_odd.ctypes.data, count, there)
        assert found.apart == pytest.approx(float((gap**2).sum()), rel=1e-12)
        assert found.norm == pytest.approx(float((y[~np.isnan(y)] ** 2).sum()), rel=1e-12)
        assert (found.nan, found.other_nan) == (np.isnan(x).sum(), np.isnan(y).sum())
        assert found.odd == (np.isnan(x) != np.isnan(y)).sum()
        by_host = samples.difference(*(
            np.frombuffer(e, [(data_type, "<u2")]) if data_type == "BFLOAT16" else e
            for e in (own, with_odd)
        ))  # fmt: skip
        assert found.error == pytest.approx(by_host, rel=1e-4)
    assert HostMemory.made == 0


@pytest.mark.parametrize(
    ("own", "other", "error"),
    [
        ([0.0], [-0.0], 0.0), ([1.0], [0.0], math.inf), ([math.inf], [math.inf], 0.0),
        ([math.inf], [-math.inf], math.inf), ([math.nan], [math.nan], 0.0),
        ([math.nan, 3.0], [1.0, 3.0], math.inf), ([3.0, 4.5], [3.0, 4.0], 0.1),
        ([3e38, 0.0], [-3e38, 0.0], 2.0),
    ],
)  # fmt: skip
def test_errors(there: Any, own: Any, other: Any, error: float) -> None:
    a, b = np.array(own, "<f4"), np.array(other, "<f4")
    found = kernels.difference("FLOAT", a.ctypes.data, b.ctypes.data, len(a), there)
    assert found.error == pytest.approx(error)


@pytest.mark.parametrize("data_type", differing.TYPES)
@pytest.mark.parametrize("fails", [False, True])
def test_the_fastest_is_confirmed_there(
    there: Any, data_type: str, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All elements are compared, none is copied to the host; where that fails, the host does it."""
    count, read = 4099, []
    operand = Operand("y", 1, (count,), (1,), data_type, role="output")
    right = bits(np.linspace(-2, 2, count), data_type)

    def plan_of(result: Any) -> Any:
        def plan(*, y: Any, **_: Any) -> None:
            ctypes.memmove(y.address, result.ctypes.data, result.nbytes)

        made: Any = plan
        made.workspace_size = 0
        return made

    def contender(result: Any) -> trials.Contender:
        candidate: Any = SimpleNamespace(numeric_notes=(), deterministic=True)
        return trials.Contender(candidate, plan_of(result))

    def read_array(_: Any, array: Any, _stream: int, *, complete: bool = False) -> Any:
        read.append(complete)
        data = ctypes.string_at(array.address, right.nbytes)[: None if complete else 64]
        return samples._decode_numpy(data_type, data)

    monkeypatch.setattr(samples, "make_array", lambda *_: HostMemory(right.nbytes))
    monkeypatch.setattr(samples, "place", lambda _, array: (array.address, right.nbytes))
    monkeypatch.setattr(samples, "read_array", read_array)
    if fails:

        def refuse(*_: Any) -> None:
            raise errors.AllocationError("full")

        monkeypatch.setattr(kernels, "difference", refuse)
    computation: Any = SimpleNamespace(handle=there, operands=(operand,))
    bench = trials.Bench(computation, None, 0, None, None)
    model = contender(right)
    results: list[dict[str, object]] = [bench.compute(model.plan)]
    bench._compare([model], results)
    late, nan, near = right.copy(), right.copy(), right.copy()
    late[-1] = bits([1e4], data_type)[0]
    nan[-2] = bits([math.nan], data_type)[0]
    near[-3] = bits([as_floats(near, data_type)[-3] * 1.001], data_type)[0]
    read.clear()
    for result, reason in ((late, "is not right"), (nan, "NaN or were not"), (near, "")):
        judged = contender(result)
        bench.confirm(judged)
        assert reason in judged.reason
        assert bool(judged.reason) == bool(reason)
    bench.confirm(model)
    assert not model.reason
    model.plan = bench.model = plan_of(nan)
    bench.confirm(model)
    assert "NaN or were not written" in model.reason
    assert bool(read) == fails
    assert HostMemory.made == 1, "the output alone is kept"


@pytest.mark.parametrize("capability", [(8, 0), (9, 0)])
def test_the_source_compiles(capability: tuple[int, int]) -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    for number in differing.TYPES.values():
        options = f"-DTYPE={number}", f"-DTHREADS={differing._THREADS}"
        code = kernels.compiled(differing._SOURCE, capability, *options)
        assert code[:4] == b"\x7fELF"
        assert b"difference" in code


def test_large_outputs_without_gaps_are_compared_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel is compiled for no others."""
    asked: list[object] = []

    def can_compare(*what: object) -> bool:
        asked.append(what)
        return True

    monkeypatch.setattr(kernels, "can_compare", can_compare)
    few = samples._LARGE // 4
    operand = Operand("y", 1, (few,), (1,), "FLOAT", role="output")
    assert samples.is_comparable(operand, 3)
    assert not samples.is_comparable(operand._replace(shape=(few - 1,)), 3)
    assert not samples.is_comparable(operand._replace(shape=(0,)), 3)
    assert not samples.is_comparable(operand._replace(shape=(2, few), strides=(few + 1, 1)), 3)
    assert asked == [(3, "FLOAT")]


def test_other_types_have_no_kernel() -> None:
    assert not kernels.can_compare(0, "INT8")
