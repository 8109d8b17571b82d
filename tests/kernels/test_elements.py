"""The kernels of activations, means and batch norms: by C++ on host memory, and that they compile."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import kernels
from cudnn_cffi.kernels import common, elements, means, normalized

from tests.compilers import cpp_library
from tests.kernels import as_cpp
from tests.kernels.test_reduce import as_floats, bits

_FIRST = (
    as_cpp.AS_CPP
    + """
#include <algorithm>
using std::max;
using std::min;
static void wait_for_kernel() {}
static void let_next_begin() {}
"""
)

#: The source with some options, which has a namespace of its own, and the function that runs it.
_EACH = """
namespace with_{name} {{
{options}
#define {kernel} {kernel}_{name}
#include "numbers.cuh"
#include "{kernel}.cu"
extern "C" void run_{name}(unsigned blocks, const void *all) {{
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < THREADS; threadIdx.x++)
            {kernel}(*(const {argument} *)all);
}}
#undef {kernel}
#undef TYPE
#undef PACK
{after}
}}
"""

#: Options of the compiler, without the data type.
_OPTIONS = {
    "elements.cu": [
        {"ACTIVATION": word, "BY": by}
        for word in dict.fromkeys(elements.WORDS.values())
        for by in ("NEITHER", "INPUT", "RESULT")
    ],
    "means.cu": [{"INCLUDES": str(one), "SUMS": str(two)} for one in (0, 1) for two in (0, 1)],
    "normalized.cu": [
        {"VECTOR": "8", "SCALE": one, "BIAS": one, "MEAN": two, "VARIANCE": two}
        for one in "012"
        for two in "012"
    ],
}


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Kernels as functions of the host, by the names of files and options."""
    folder = tmp_path_factory.mktemp("elements")

    @cache
    def library(file: str, kind: str, threads: str) -> Any:
        kernel, text = file.removesuffix(".cu"), _FIRST
        for each in _OPTIONS[file]:
            words = {"TYPE": kind, "THREADS": threads, **each}
            text += _EACH.format(
                name="_".join(each.values()), kernel=kernel, argument=kernel.capitalize(),
                options="\n".join([f"#define {name} {word}" for name, word in words.items()]),
                after="\n".join([f"#undef {name}" for name in ("THREADS", *each)]),
            )  # fmt: skip
        source = folder / f"{kernel}_{kind}.cpp"
        source.write_text(text, encoding="ascii")
        return cpp_library(source.with_suffix(".so"), source, f"-I{common.FOLDER}")

    def function(file: str, *options: str) -> Any:
        given = dict(each[2:].split("=") for each in options)
        kind, threads = given.pop("TYPE"), given.pop("THREADS")
        return getattr(library(file, kind, threads), f"run_{'_'.join(given.values())}")

    return function


class HostLaunch:
    """A launch by threads of the host, one after the other."""

    def __init__(self, kernel: Any, _: int, grid: tuple[int, int, int], __: int) -> None:
        self.kernel, self.grid = kernel, grid

    def put(self, words: list[int]) -> None:
        data = struct.pack(f"{len(words)}Q", *words)
        self.kernel(self.grid[0], ctypes.create_string_buffer(data, len(data)))


@pytest.fixture
def there(compiled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have kernels run on the host."""
    for module in (elements, means, normalized):
        monkeypatch.setattr(
            module, "module_of", lambda file, _, *options, **__: compiled(file, *options)
        )
        monkeypatch.setattr(module, "kernel_of", lambda module, *_: module)
        monkeypatch.setattr(module, "Launch", HostLaunch)


def room(count: int, dtype: str) -> Any:
    """Return memory for numbers at a multiple of 16 bytes, with NaN in them and after them."""
    found = bits(np.full(count + 64, math.nan), dtype)
    begin = (-found.ctypes.data % 16) // found.itemsize
    return found[begin : begin + count + 16]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def cdf(x: Any) -> Any:
    return np.array([math.erfc(-each / math.sqrt(2)) / 2 for each in x])


def inner(x: Any) -> Any:
    return np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": sigmoid,
    "tanh": np.tanh,
    "silu": lambda x: x * sigmoid(x),
    "gelu": lambda x: x * cdf(x),
    "gelu_tanh": lambda x: x * (1 + inner(x)) / 2,
}
LAST = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-22}


@pytest.mark.parametrize("dtype", LAST)
@pytest.mark.parametrize("word", FUNCTIONS)
@pytest.mark.usefixtures("there")
def test_functions(word: str, dtype: str) -> None:
    """Results are within an ulp, and nothing after them is written."""
    numbers = np.random.default_rng(1)
    for count in (1, 8, 4099):
        values = np.rint(numbers.standard_normal(count) * 64) / 16
        dys = np.rint(numbers.standard_normal(count) * 16) / 8
        step = 1e-5
        exact = FUNCTIONS[word](values)
        slopes = (FUNCTIONS[word](values + step) - FUNCTIONS[word](values - step)) / (2 * step)
        slopes[values == 0] = 0.0 if word == "relu" else slopes[values == 0]
        for by in ("NEITHER", "INPUT", "RESULT"):
            if by == "RESULT" and word not in ("relu", "sigmoid", "tanh"):
                continue
            x, dy, y = (room(count, dtype) for _ in range(3))
            x[:count] = bits(exact.astype("f4") if by == "RESULT" else values, dtype)
            dy[:count] = bits(dys, dtype)
            launch = elements.elements(word, dtype, count, by)
            put: Any = launch
            put.put([dy.ctypes.data, x.ctypes.data, y.ctypes.data, count])
            found = as_floats(y, dtype)
            assert np.isnan(found[count:]).all()
            wanted = exact if by == "NEITHER" else dys * slopes
            own = as_floats(x, dtype)[:count]
            if by == "RESULT" and word != "relu":
                wanted = dys * (own * (1 - own) if word == "sigmoid" else 1 - own * own)
            limit = 1.02 * LAST[dtype] * np.abs(wanted) + 1e-6 * (1 + np.abs(dys)) * (
                1 + np.abs(own)
            )
            assert (np.abs(found[:count] - wanted) <= limit).all(), (count, by)


@pytest.mark.usefixtures("there")
def test_odd_numbers() -> None:
    """NaN stays but in the gradient of ReLU, which is 0 for an infinite one where ReLU is constant."""
    values = np.array([math.nan, math.inf, -math.inf, -0.0, 1e30, -1e30, 100.0, -100.0], "f4")
    for word, wanted in (
        ("relu", [math.nan, math.inf, 0, 0, 1e30, 0, 100, 0]),
        ("tanh", [math.nan, 1, -1, 0, 1, -1, 1, -1]),
        ("sigmoid", [math.nan, 1, 0, 0.5, 1, 0, 1, 0]),
    ):
        x, dy, y = (room(8, "float32") for _ in range(3))
        x[:8], dy[:8] = values, math.inf
        launch: Any = elements.elements(word, "float32", 8)
        launch.put([0, x.ctypes.data, y.ctypes.data, 8])
        assert np.allclose(y[:8], wanted, 1e-6, 1e-30, equal_nan=True), word
        if word == "relu":
            launch = elements.elements(word, "float32", 8, "INPUT")
            launch.put([dy.ctypes.data, x.ctypes.data, y.ctypes.data, 8])
            assert y[:8].tolist() == [0, math.inf, 0, 0, math.inf, 0, math.inf, 0]


@pytest.mark.parametrize("dtype", LAST)
@pytest.mark.usefixtures("there")
def test_means(dtype: str) -> None:
    """Windows that overlap or leave rows out, padding of one side, channels last."""
    numbers = np.random.default_rng(2)
    for images, inner, size, window, stride, before, out in (
        (3, 1, (7, 9), (2, 2), (2, 2), (0, 0), (3, 4)), (2, 5, (6, 5), (3, 2), (1, 2), (1, 0), (5, 2)),
        (1, 3, (4, 4), (4, 4), (1, 1), (3, 1), (5, 3)), (2, 1, (5, 5), (1, 1), (3, 3), (0, 0), (2, 2)),
    ):  # fmt: skip
        values = np.rint(numbers.standard_normal((images, *size, inner)) * 16) / 8
        x = room(values.size, dtype)
        x[: values.size] = bits(values.reshape(-1), dtype)
        padded = np.zeros((images, size[0] + 16, size[1] + 16, inner))
        ones = padded.copy()
        at = slice(before[0], before[0] + size[0]), slice(before[1], before[1] + size[1])
        padded[:, *at], ones[:, *at] = values, 1
        sums, counts = (
            np.array(
                [
                    [
                        each[
                            :, i * stride[0] : i * stride[0] + window[0],
                            j * stride[1] : j * stride[1] + window[1],
                        ].sum((1, 2))
                        for j in range(out[1])
                    ]
                    for i in range(out[0])
                ]
            ).transpose(2, 0, 1, 3)
            for each in (padded, ones)
        )  # fmt: skip
        for includes, adds in ((True, False), (False, False), (True, True)):
            wanted = sums if adds else sums / (math.prod(window) if includes else counts)
            y = room(wanted.size, dtype)
            made = means.Means(
                dtype, images, inner, size, out, window, stride, before, includes=includes,
                sums=adds,
            )  # fmt: skip
            where = {"x": x.ctypes.data, "y": y.ctypes.data}
            launch: Any = made.launch
            launch.put([where[e] if isinstance(e, str) else e for e in made.words("x", "y")])
            found = as_floats(y, dtype)
            assert np.isnan(found[wanted.size :]).all()
            flat = wanted.reshape(-1)
            assert np.allclose(found[: wanted.size], flat, 1.02 * LAST[dtype], 1e-6), (size, adds)


@pytest.mark.parametrize("kinds", [(0, 0), (0, 2), (2, 0)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.usefixtures("there")
def test_batch_norms(dtype: str, kinds: tuple[int, int]) -> None:
    """Rows that threads share and rows of many blocks, means beside which x is small, no variance."""
    numbers = np.random.default_rng(3)
    one, two = ({0: dtype}.get(each, "float32") for each in kinds)
    for rows, channels in ((1, 8), (7, 24), (130, 8), (3, 4104), (40, 64)):
        spread = np.float32(10.0) ** numbers.integers(-3, 4, channels)
        values = {
            "x": numbers.standard_normal((rows, channels)) * spread,
            "scale": numbers.standard_normal(channels), "bias": numbers.standard_normal(channels) * 8,
            "mean": numbers.standard_normal(channels) * spread,
            "variance": np.where(numbers.random(channels) < 0.2, 0.0, spread),
        }  # fmt: skip
        types = {"x": dtype, "scale": one, "bias": one, "mean": two, "variance": two}
        given, own = {}, {}
        for name, each in values.items():
            given[name] = room(each.size, types[name])
            given[name][: each.size] = bits(each.reshape(-1).astype("f4"), types[name])
            kept = as_floats(given[name], types[name])[: each.size].astype("f8")
            own[name] = kept.reshape(each.shape)
        y = room(rows * channels, dtype)
        made = normalized.Normalized(dtype, rows, channels, 1e-5, [one, one, two, two])
        where = {"y": y.ctypes.data} | {name: each.ctypes.data for name, each in given.items()}
        launch: Any = made.launch
        names = ("x", "y", "scale", "bias", "mean", "variance")
        launch.put([where[e] if isinstance(e, str) else e for e in made.words(*names)])
        found = as_floats(y, dtype)
        assert np.isnan(found[rows * channels :]).all()
        apart = (own["x"] - own["mean"]) / np.sqrt(own["variance"] + 1e-5) * own["scale"]
        wanted = apart + own["bias"]
        most = 65504.0 if dtype == "float16" else math.inf
        fits = np.abs(wanted) < most
        limit = 1.02 * LAST[dtype] * np.abs(wanted) + 1e-6 * (np.abs(apart) + np.abs(own["bias"]))
        found = found[: rows * channels].reshape(rows, channels)
        assert (np.abs(found - wanted) <= limit + 2.0**-24)[fits].all(), (rows, channels)
        assert (np.abs(found[~fits]) >= most).all()


@pytest.mark.usefixtures("there")
def test_odd_batch_norms() -> None:
    """NaN and infinities stay, in place, and a variance below -epsilon gives NaN."""
    x = room(8, "float16")
    x[:8] = bits(
        np.array([math.nan, math.inf, -math.inf, 65504, -65504, 6e-8, 1, 1], "f4"), "float16"
    )
    scale, bias, mean = (
        bits(np.ones(8, "f4"), "float16"),
        bits(np.zeros(8, "f4"), "float16"),
        np.zeros(8, "f4"),
    )
    variance = np.array([1, 1, 1, 1, 1, 1, -1, math.inf], "f4")
    made = normalized.Normalized("float16", 1, 8, 0.0, ["float16", "float16", "float32", "float32"])
    at = [each.ctypes.data for each in (x, x, scale, bias, mean, variance)]
    launch: Any = made.launch
    launch.put([*at, *made.words()])
    wanted = [math.nan, math.inf, -math.inf, 65504, -65504, 6e-8, math.nan, 0]
    assert np.allclose(as_floats(x, "float16")[:8], wanted, 1e-3, 6e-8, equal_nan=True)
    x[:8], bias[:] = 1, 2
    made = normalized.Normalized(
        "float16", 1, 8, 1e39, ["float16", "float16", "float32", "float32"]
    )
    launch = made.launch
    launch.put([*at, *made.words()])
    assert (as_floats(x, "float16")[:8] == 2).all(), "epsilon is beyond float, and nothing is left"


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (9, 0)])
def test_the_sources_compile(capability: tuple[int, int]) -> None:
    if not kernels.can_compile():
        pytest.skip("there is no NVRTC")
    given = [
        ("elements.cu", "-DACTIVATION=GELU", "-DBY=INPUT"),
        ("elements.cu", "-DACTIVATION=TANH", "-DBY=NEITHER"),
        ("means.cu", "-DINCLUDES=0", "-DSUMS=0"),
        ("normalized.cu", "-DVECTOR=8", "-DSCALE=0", "-DBIAS=0", "-DMEAN=0", "-DVARIANCE=2"),
    ]
    for number, (file, *options) in enumerate(given):
        more = f"-DTYPE={number % 3}", "-DTHREADS=128", "-DEXACT"
        code = kernels.compiled(common.FOLDER / file, capability, *options, *more)
        assert code[:4] == b"\x7fELF"
        assert file.removesuffix(".cu").encode() in code
