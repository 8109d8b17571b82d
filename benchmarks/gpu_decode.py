"""Device and host time of attention over pages, and of whole steps of a Llama-like model.

Attention has 64 heads of queries and 8 of keys, of width 128. Pages lie in random order, and the
calls of a CUDA graph read 1 GB or more in turn, so that little is in the cache of the device. The
bytes are those of keys and values, and of weights. The model is that of examples/llama_decode.py,
with the layers and words of Llama 3 8B.

    python -m benchmarks.gpu_decode [--seconds N] [--layers N] [--json FILE] [--record]
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import driver, errors, kernels, ops

from benchmarks import records as measured

#: (batch, keys, queries)
CASES = [
    *((32, 8192, 8), (8, 8192, 8), (1, 8192, 8), (32, 8192, 1), (1, 2048, 1), (1, 8192, 1)),
    *((8, 8192, 1), (128, 8192, 1), (128, 8192, 8)),
]
#: (batch, keys) of one query by the kernel for few sequences, which begins early, as in steps.
FEW = [(1, 2048), (1, 8192)]
#: (batch, keys) of steps of the model.
STEPS = [(1, 2048), (8, 8192), (32, 8192)]
HEADS, KV_HEADS, WIDTH, PAGE = 64, 8, 128, 16
#: Bytes per second of the memory of devices, by a part of their names.
PEAKS = {"H200": 4.8e12, "H100": 3.35e12}
#: The count of random numbers, which larger arrays repeat.
CHUNK = 1 << 24
CALLS = 400
#: Calls of a CUDA graph, so that the begin of a graph is a small part of its time.
LEAST = 8


@cache
def random_chunk() -> cudnn.DeviceArray:
    """Return random numbers, float16."""
    rng = np.random.default_rng(0)
    values = (rng.random(CHUNK, np.float32) - np.float32(0.5)) / 32
    made = cudnn.DeviceArray.from_numpy(values.astype(np.float16))
    made.synchronize()
    return made


def filled(stream: cudnn.Stream, *shape: int) -> cudnn.DeviceArray:
    """Return an array of random numbers, which repeat; float16."""
    array = cudnn.DeviceArray.empty(shape, "float16", stream=stream)
    source, flat = random_chunk(), array.reshape(-1)
    for first in range(0, flat.size, CHUNK):
        part = flat[first : first + CHUNK]
        part.copy_from(source[: part.size])
    return array


def microseconds(stream: cudnn.Stream, launch: Callable[[], None], count: int) -> float:
    """Return the least time of a launch on the device."""
    launch()
    found = []
    for _ in range(10):
        begin = stream.record()
        for _ in range(count):
            launch()
        end = stream.record()
        end.synchronize()
        found.append(begin.elapsed_time(end) * 1000 / count)
    return min(found)


def attention(batch: int, keys: int, queries: int, by_kernel: bool = False) -> dict[str, float]:
    """Return the times of one case, in microseconds, and what it reads each second, in GB."""
    read = batch * keys * KV_HEADS * WIDTH * 2 * 2
    turns = max(1, min(128, (2 << 30) // read))
    blocks = keys // PAGE
    with cudnn.Stream() as stream:
        k, v = [filled(stream, turns * batch * blocks, KV_HEADS, PAGE, WIDTH) for _ in "kv"]
        q = filled(stream, batch, HEADS, queries, WIDTH)
        order = np.random.default_rng(1).permutation(turns * batch * blocks).astype(np.int32)
        tables = [
            cudnn.DeviceArray.from_numpy(each, stream=stream)
            for each in order.reshape(turns, batch, blocks)
        ]
        lengths = cudnn.DeviceArray.from_numpy(np.full(batch, keys, np.int32), stream=stream)
        out = cudnn.DeviceArray.zeros(q.shape, "float16", stream=stream)
        operation = ops.DecodeAttention(finite=queries > 1)
        few = kernels.OneQuery(batch, HEADS, KV_HEADS, WIDTH, PAGE, blocks) if by_kernel else None

        def call(table: cudnn.DeviceArray) -> None:
            if few is None:
                operation(q, k, v, table, lengths, out=out, stream=stream)
            else:
                few(q[:, :, 0], k, v, table, lengths, out[:, :, 0], early=True, stream=stream)

        call(tables[0])
        given = tables * -(-LEAST // turns)
        with stream.capture() as graph:
            for table in given:
                call(table)
        device = microseconds(stream, graph.launch, max(1, 32 // len(given))) / len(given)
        for _ in range(20):  # from then on it is launched as a CUDA graph
            call(tables[0])
        stream.synchronize()
        began = time.perf_counter()
        for _ in range(CALLS if device < 50 else 20):
            call(tables[0])
        host = (time.perf_counter() - began) * 1e6 / (CALLS if device < 50 else 20)
        stream.synchronize()
    return {"us": device, "host_us": host, "gb": read / device / 1e3}


def example() -> ModuleType:
    """Return the module of the example."""
    path = Path(__file__).parents[1] / "examples" / "llama_decode.py"
    spec = importlib.util.spec_from_file_location("llama_decode", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["llama_decode"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def step(
    llama: Any, weights: dict[str, Any], shapes: Any, batch: int, keys: int
) -> dict[str, float]:
    """Return the time of a step, in microseconds, and what it reads each second, in GB."""
    base: Any = llama.FewSequences if batch <= 8 else llama.Model

    class Model(base):  # type: ignore[misc]
        """The model, with weights that are on the device already."""

        def to_device(self, array: Any) -> Any:
            return super().to_device(array) if isinstance(array, np.ndarray) else array

    model = Model(shapes, weights, batch, keys)
    for pools in model.pools:
        for pool in pools:
            pool.copy_from(filled(model.stream, *pool.shape))
    model.step(np.arange(batch), np.full(batch, keys - 1))
    read = sum(each.nbytes for name, each in weights.items() if name != "embedding")
    read += batch * keys * shapes.layers * shapes.kv_heads * shapes.width * 2 * 2
    took = microseconds(model.stream, model.graph.launch, 3)
    began = time.perf_counter()
    for _ in range(5):
        model.step(np.arange(batch), np.full(batch, keys - 1))
    whole = (time.perf_counter() - began) * 1e6 / 5
    return {"us": took, "whole_us": whole, "gb": read / took / 1e3}


def steps(layers: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the results of steps of the model."""
    llama = example()
    shapes = llama.Shapes(layers=layers, words=128_256)
    stream = cudnn.Stream()
    weights: dict[str, Any] = {
        f"{layer}.{name}": filled(stream, *extents)
        for layer in range(shapes.layers)
        for name, extents in shapes.outputs.items()
    }
    weights["head"] = filled(stream, shapes.words, shapes.hidden)
    stream.synchronize()
    weights["embedding"] = np.zeros((1024, shapes.hidden), np.float16)
    for batch, keys in STEPS:
        try:
            yield f"step_b{batch}_k{keys}", step(llama, weights, shapes, batch, keys)
        except errors.AllocationError as error:
            print(f"batch {batch}, {keys} keys: {error.message}")


def main() -> None:
    """Measure, and print a table."""
    parser = measured.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=120, help="begin nothing after that")
    parser.add_argument("--layers", type=int, default=32, help="of the model; 0 for no steps")
    options = parser.parse_args()
    began, values = time.monotonic(), dict[str, dict[str, float]]()
    device = driver.info(0).name
    peak = next((each for name, each in PEAKS.items() if name in device), 0.0)
    print(f"{device}, {peak / 1e12} TB/s")

    def show(name: str, found: dict[str, float]) -> None:
        values[name] = found | ({"part": found["gb"] * 1e9 / peak} if peak else {})
        row = " ".join(f"{key} {each:.2f}" for key, each in values[name].items())
        print(f"{name}: {row}", flush=True)

    for batch, keys, queries in CASES:
        if time.monotonic() - began < options.seconds:
            show(f"b{batch}_k{keys}_q{queries}", attention(batch, keys, queries))
    for batch, keys in FEW:
        if time.monotonic() - began < options.seconds:
            show(f"few_b{batch}_k{keys}", attention(batch, keys, 1, by_kernel=True))
    if options.layers and time.monotonic() - began < options.seconds:
        for name, found in steps(options.layers):
            show(name, found)
            if time.monotonic() - began > options.seconds:
                break
    random_chunk.cache_clear()
    subject = (
        "overlay/cudnn_cffi/ops/attn", "overlay/cudnn_cffi/kernels", "examples/llama_decode.py"
    )  # fmt: skip
    measured.finish(options, "gpu_decode", values, subject, device)


if __name__ == "__main__":
    main()
