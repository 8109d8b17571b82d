"""The kernel that reduces axes: by C++ threads on host memory, and that it compiles."""

from __future__ import annotations

import ctypes
import itertools
import math
import random
import struct
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import kernels
from cudnn_cffi.kernels import common, reduce

from tests.compilers import cpp_library
from tests.kernels import as_cpp

_THREADS = 8

_AS_CPP = (
    as_cpp.AS_CPP
    + """
#define WARP 4
static double exchanged[THREADS];
template <typename Number> static Number __shfl_xor_sync(unsigned, Number value, int mask) {
    exchanged[threadIdx.x] = value;
    __syncthreads();
    const Number found = exchanged[threadIdx.x ^ mask];
    __syncthreads();
    return found;
}
static void wait_for_kernel() {}
static void let_next_begin() {}
static int HOW, NAN_WINS;
#include "numbers.cuh"
#include "reduce.cu"
#if SIDE
#define FIRST columns
#else
#define FIRST rows
#endif
extern "C" void run(
    int how, int nan, int is_first, unsigned blocks, unsigned parts, const Reduction *all) {
    HOW = how, NAN_WINS = nan;
    gridDim = {blocks, parts};
    for (unsigned block = 0; block < blocks * parts; block++) {
        std::barrier<> own_barrier(THREADS);
        together = &own_barrier;
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < THREADS; i++)
            threads.emplace_back([=] {
                blockIdx = {block % blocks, block / blocks}, threadIdx.x = i;
                is_first ? FIRST(*all) : finish(*all);
            });
        for (auto &each : threads) each.join();
    }
}
"""
)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """The kernels as a function of the host, by options; how they reduce comes later."""
    folder = tmp_path_factory.mktemp("reduce")
    (folder / "all.cpp").write_text(_AS_CPP, encoding="ascii")

    @cache
    def library(*options: str) -> Any:
        made = folder / f"{abs(hash(options))}.so"
        return cpp_library(made, folder / "all.cpp", *options, f"-I{common.FOLDER}").run

    return library


class HostLaunch:
    """A launch by threads of the host."""

    def __init__(self, kernel: Any, _: int, grid: tuple[int, int, int], threads: int) -> None:
        self.run, self.name = kernel
        self.grid = grid
        assert threads == _THREADS

    def put(self, words: list[int]) -> None:
        data = struct.pack(f"{len(words)}Q", *words)
        room = ctypes.create_string_buffer(data, len(data))
        self.run(int(self.name != "finish"), *self.grid[:2], room)


@pytest.fixture
def there(compiled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have kernels run on the host, in small blocks."""

    def module_of(_: str, __: int, *options: str, **_more: Any) -> Any:
        given = dict(each[2:].split("=") for each in options)
        late = int(given.pop("HOW")), int(given.pop("NAN_WINS"))
        return partial(compiled(*[f"-D{name}={word}" for name, word in given.items()]), *late)

    monkeypatch.setattr(reduce, "module_of", module_of)
    monkeypatch.setattr(reduce, "kernel_of", lambda module, name, _: (module, name))
    monkeypatch.setattr(reduce, "Launch", HostLaunch)
    monkeypatch.setattr(
        reduce, "driver", SimpleNamespace(attribute=lambda *_: 2, MULTIPROCESSORS=0)
    )
    monkeypatch.setattr(reduce, "_THREADS", _THREADS)
    monkeypatch.setattr(reduce, "_ACROSS", _THREADS)


def bits(values: Any, dtype: str) -> Any:
    """Return numbers as a type has them in memory; bfloat16 has all that tests take."""
    if dtype == "bfloat16":
        return (np.asarray(values, "<f4").view("<u4") >> 16).astype("<u2")
    return np.asarray(values, dtype).copy()


def as_floats(array: Any, dtype: str) -> Any:
    if dtype == "bfloat16":
        array = (array.astype("<u4") << 16).view("<f4")
    return array.astype(float)


def placed(values: Any, strides: list[int], begin: int, dtype: str) -> Any:
    """Return an array with these strides, in memory that is NaN around and between its elements.

    Args:
        begin: the number of elements from a multiple of 16 bytes to it.
    """
    reach = sum((n - 1) * step for n, step in zip(values.shape, strides, strict=True)) + 1
    like = bits([math.nan], dtype)
    room = np.full(begin + reach + 64, like[0], like.dtype)
    room = room[(-room.ctypes.data % 16) // room.itemsize :]
    steps = [step * room.itemsize for step in strides]
    array = np.lib.stride_tricks.as_strided(room[begin:], values.shape, steps)
    array[...] = bits(values, dtype)
    return array


def reduced(
    x: Any, axes: tuple[int, ...], word: str, dtype: str, result: str = "", alpha: float = 1.0,
    beta: float = 0.0, nan: bool = True,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the result of the kernel, with 3 before it where it counts, and how it was launched."""
    result = result or dtype
    full = tuple(1 if axis in axes else n for axis, n in enumerate(x.shape))
    steps = np.cumprod((1, *full[:0:-1]))[::-1].tolist()
    y = bits(np.full(full, 3.0 if beta else math.nan), result)
    found = reduce.axes_of(x.shape, [step // x.itemsize for step in x.strides], full, steps)
    if found is None:
        return None, None
    made = reduce.Reduce(word, found, dtype, result, alpha=alpha, beta=beta, nan=nan)
    parts = np.full(made.workspace_size // 4 + 16, 0xFFFFFFFF, "<u4")
    at = {"x": x.ctypes.data, "y": y.ctypes.data, "parts": parts.ctypes.data}
    for launch, words in zip(made.launches, made.words(*at), strict=True):
        launch.put([at[each] if isinstance(each, str) else each for each in words])  # type: ignore[attr-defined]
    assert (parts[made.workspace_size // 4 :] == 0xFFFFFFFF).all()
    return as_floats(y, result), made._shape


def exactly(x: Any, axes: tuple[int, ...], word: str) -> Any:
    over: Any = {"axis": axes, "keepdims": True}
    with np.errstate(invalid="ignore"):
        return {
            "ADD": lambda: x.sum(**over),
            "AVG": lambda: x.mean(**over),
            "NORM1": lambda: np.abs(x).sum(**over),
            "NORM2": lambda: np.sqrt((x * x).sum(**over)),
            "MUL": lambda: x.prod(**over),
            "MUL_NO_ZEROS": lambda: np.where(x == 0, 1, x).prod(**over),
            "MAX": lambda: x.max(**over),
            "MIN": lambda: x.min(**over),
            "AMAX": lambda: np.abs(x).max(**over),
        }[word]()


LAST = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-22, "float64": 1e-14}


@pytest.mark.parametrize("second", [0, reduce._SECOND])
@pytest.mark.usefixtures("there")
def test_sums(monkeypatch: pytest.MonkeyPatch, second: int) -> None:
    """Drawn extents, strides and addresses, by all shapes of launches; nothing else is read."""
    monkeypatch.setattr(reduce, "_SECOND", second)
    draw, seen = random.Random(second), Counter[Any]()
    numbers = np.random.default_rng(second)
    for _ in range(90):
        rank = draw.randint(1, 4)
        shape = [draw.choice([1, 2, 3, 5, 7, 8, 16, 24, 33]) for _ in range(rank)]
        while math.prod(shape) > 5000:
            shape[draw.randrange(rank)] = 1
        axes = tuple(axis for axis in range(rank) if draw.random() < 0.6 and shape[axis] > 1)
        if not axes:
            continue
        strides, step = [0] * rank, draw.choice([1, 1, 1, 1, 2])
        for axis in draw.sample(range(rank), rank):
            strides[axis] = step
            step = step * shape[axis] + draw.choice([0, 0, 0, 0, 8, 3])
        dtype, result = draw.choice(
            [("float16", "float16"), ("bfloat16", "float32"), ("float64", "float64")]
        )
        values = numbers.integers(-8, 9, shape) / 4
        x = placed(values, strides, draw.choice([0, 0, 1, 3]), dtype)
        alpha, beta = draw.choice([(1.0, 0.0), (0.5, 2.0)])
        word = draw.choice(["ADD", "AVG"])
        y, launched = reduced(x, axes, word, dtype, result, alpha, beta)
        if launched is None:
            continue
        wanted = alpha * exactly(values, axes, word) + 3 * beta
        assert np.allclose(y, wanted, LAST[result], 0 if result == "float64" else 1e-5), (
            shape,
            strides,
            axes,
            dtype,
            launched,
        )
        seen[bool(launched.side), launched.folds > 1, launched.parts > 1] += 1
    assert {each[0] for each in seen} == {True, False}
    assert any(folds for _, folds, _ in seen), seen
    assert {(True, True), (False, True)} <= {(side, parts) for side, _, parts in seen}, seen


@pytest.mark.parametrize("word", reduce.WORDS)
@pytest.mark.parametrize("axes", [(1,), (0,)])
@pytest.mark.usefixtures("there")
def test_words(word: str, axes: tuple[int, ...]) -> None:
    """NaN wins; infinities count."""
    values = np.random.default_rng(3).choice([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 0.0], (12, 40))
    if word == "MUL":
        values[values == 0] = 1
    for at, odd in enumerate((math.nan, math.inf, -math.inf)):
        values[at, 11], values[11, at] = odd, odd
    values[3], values[4] = -math.inf, math.inf
    values[:, 3], values[:, 4] = -math.inf, math.inf
    values[4, 3] = math.inf
    x = placed(values, [40, 1], 0, "bfloat16")
    y, _ = reduced(x, axes, word, "bfloat16")
    assert np.allclose(y, exactly(values, axes, word), 2.0**-8, equal_nan=True)


@pytest.mark.usefixtures("there")
def test_a_nan_does_not_count() -> None:
    """Where all are NaN, the result is what the others begin with."""
    values = np.random.default_rng(4).standard_normal((8, 12)).astype("f4").astype(float)
    values[::2, 3], values[1], values[5] = math.nan, math.nan, -math.inf
    x = placed(values, [12, 1], 0, "float32")
    for word, function, empty in (
        ("MAX", np.fmax.reduce, -math.inf), ("MIN", np.fmin.reduce, math.inf),
    ):  # fmt: skip
        y, _ = reduced(x, (1,), word, "float32", nan=False)
        wanted = function(values, axis=1, keepdims=True)
        assert np.array_equal(y, np.where(np.isnan(wanted), empty, wanted))


@pytest.mark.usefixtures("there")
def test_a_sum_is_rounded_once() -> None:
    """Halves that are far apart cancel, and what is left over is exact."""
    values = np.random.default_rng(5).integers(-128, 129, (64, 24)).astype(float)
    values[32:] = -values[:32]
    values[50] += 1 / 64 * (np.abs(values[50]) < 1)
    x = placed(values, [24, 1], 0, "bfloat16")
    y, launched = reduced(x, (0,), "ADD", "bfloat16")
    assert np.array_equal(y, values.sum(0, keepdims=True)), launched


def test_shapes_of_launches() -> None:
    """Each reduction has blocks for a device, and none more than it takes."""
    for extents in itertools.product((1, 3, 64, 4096, 1 << 20), repeat=4):
        outer, far, inner, near = extents
        for size in (2, 4):
            for last in (False, True):
                kept, gone = (near * far * inner, near), (near * inner, 1)
                if last:
                    kept, gone = (inner * far * near, 1), (inner * near, inner)
                axes = reduce.Axes(
                    (reduce.Axis(outer, kept[0], inner), reduce.Axis(inner, kept[1], 1)),
                    (reduce.Axis(far, gone[0], 0), reduce.Axis(near, gone[1], 0)),
                )
                found = reduce.shape_of(axes, size, 132)
                threads = reduce._THREADS
                assert found.team & (found.team - 1) == 0
                assert 1 <= found.team <= threads
                assert 1 <= found.blocks <= 65535
                assert 1 <= found.parts <= 132 * reduce._RESIDENT
                assert found.parts == 1 or found.blocks * found.parts <= 132 * reduce._RESIDENT


@pytest.mark.parametrize(
    "shape", [(1 << 31, 2, 2), (2, 1 << 31, 2), (2, 2, 1 << 31), (1 << 30, 2, 2)]
)
def test_many_elements_are_counted_in_64_bits(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By both launches: the second one reduces the first of three axes."""
    options: list[str] = []
    monkeypatch.setattr(reduce, "module_of", lambda *given, **_: options.extend(given[2:]))
    monkeypatch.setattr(reduce, "kernel_of", lambda *_: None)
    monkeypatch.setattr(reduce, "Launch", lambda *_: None)
    monkeypatch.setattr(
        reduce, "driver", SimpleNamespace(attribute=lambda *_: 132, MULTIPROCESSORS=0)
    )
    near = shape[2] + 1
    axes = reduce.axes_of(shape, (shape[1] * near + 1, near, 1), (1, 1, 1), (1, 1, 1))
    assert axes is not None
    assert axes.late
    reduce.Reduce("ADD", axes, "float16", "float16")
    word = "long long" if max(shape) == 1 << 31 else "int"
    assert f"-DINDEX={word}" in options


def test_more_axes_have_no_kernel() -> None:
    shape, strides = (2,) * 6, (32, 16, 8, 4, 2, 1)
    full = (1, 2, 1, 2, 1, 2)
    assert reduce.axes_of(shape, strides, full, (4, 4, 2, 2, 1, 1)) is None
    found = reduce.axes_of(shape, strides, (1, 1, 1, 2, 2, 2), (8, 8, 8, 4, 2, 1))
    assert found == ((reduce._ONE, (8, 1, 1)), (reduce._ONE, (8, 8, 0)), False)
    found = reduce.axes_of(shape, strides, (1, 2, 1, 1, 1, 1), (2, 1, 1, 1, 1, 1))
    assert found == ((reduce._ONE, (2, 16, 1)), ((2, 32, 0), (16, 1, 0)), False)
    found = reduce.axes_of((3, 4, 5, 6), (500, 100, 10, 1), (1, 4, 1, 1), (4, 1, 1, 1))
    assert found == (((3, 500, 0), (4, 100, 1)), ((5, 10, 0), (6, 1, 0)), True)


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (9, 0)])
def test_the_source_compiles(capability: tuple[int, int]) -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    for dtype, result, side, how in ((0, 0, 0, 0), (1, 1, 8, 0), (1, 2, 1, 5), (3, 2, 2, 2)):
        options = f"-DTYPE={dtype}", f"-DRESULT={result}", f"-DSIDE={side}", f"-DHOW={how}"
        more = f"-DTHREADS={reduce._THREADS}", f"-DBLOCKS={reduce._RESIDENT}", "-DNAN_WINS=1"
        index = f"-DINDEX={'long long' if dtype else 'int'}"
        code = kernels.compiled(common.FOLDER / "reduce.cu", capability, *options, *more, index)
        assert code[:4] == b"\x7fELF"
        assert (b"columns" if side else b"rows") in code
        assert b"finish" in code
