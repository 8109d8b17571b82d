"""Time of sums and maxima over axes beside PyTorch's: gradients of biases, rows, columns, all.

Arrays are taken in turns, so that none is in the device's cache, and calls are captured into one
CUDA graph; each time is the median of rounds. Host time is that of calls on one array.

    python -m benchmarks.gpu_sums [--seconds N] [--record]
"""

from __future__ import annotations

import math
import sys
import time
from functools import partial
from typing import Any, Literal, NamedTuple

import torch
from cudnn_cffi import ops

from benchmarks import records
from benchmarks.gpu_ops import host_times
from benchmarks.gpu_published import ROUNDS, SPAN, captured, times_of

BIAS = (0, 2, 3)
TYPES = (torch.bfloat16, torch.float32, torch.float64)


class Row(NamedTuple):
    """A reduction.

    Attributes:
        name: its key in the record.
        shape: of the array.
        axes: over which; None for all.
        last: whether channels are last in memory.
        word: "sum" or "max".
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...] | None
    last: bool = False
    word: Literal["sum", "max"] = "sum"


ROWS = (
    Row("bias_64x64x56x56", (64, 64, 56, 56), BIAS),
    Row("bias_64x64x56x56_last", (64, 64, 56, 56), BIAS, True),
    Row("bias_64x2048x7x7", (64, 2048, 7, 7), BIAS),
    Row("bias_64x2048x7x7_last", (64, 2048, 7, 7), BIAS, True),
    Row("bias_8x8x16x16", (8, 8, 16, 16), BIAS),
    Row("bias_8x8x16x16_last", (8, 8, 16, 16), BIAS, True),
    Row("rows_8x2048", (8, 2048), (1,)),
    Row("columns_8x2048", (8, 2048), (0,)),
    Row("rows_32x200704", (32, 200704), (1,)),
    Row("columns_4096x4096", (4096, 4096), (0,)),
    Row("columns_65536x1024", (65536, 1024), (0,)),
    Row("all_16384", (16384,), None),
    Row("all_6422528", (6422528,), None),
    Row("maxima_8x2048", (8, 2048), (1,), word="max"),
    Row("maxima_32x200704", (32, 200704), (1,), word="max"),
)


def measure(row: Row, dtype: torch.dtype) -> dict[str, float]:
    """Return microseconds of the device and of the host, here and by PyTorch."""
    size = math.prod(row.shape) * dtype.itemsize
    arrays = []
    for _ in range(min(12, -(-SPAN // size))):
        x = torch.randn(row.shape, device="cuda", dtype=torch.float32).to(dtype)
        arrays.append(x.contiguous(memory_format=torch.channels_last) if row.last else x)
    operation = ops.Reduction(row.word, row.axes)
    theirs = torch.sum if row.word == "sum" else torch.amax
    axes = tuple(range(len(row.shape))) if row.axes is None else row.axes
    found = operation(arrays[0]).double()
    wanted = theirs(arrays[0].double(), axes)
    wide = arrays[0].double().abs().sum(axes)
    limit = torch.finfo(dtype).eps * wanted.abs() + 2.0**-20 * wide
    if not ((found - wanted).abs() <= limit).all():
        raise ValueError(f"{row.name} of {dtype} is wrong")
    ways = {
        "here": captured([partial(operation, x) for x in arrays]),
        "torch": captured([partial(theirs, x, axes) for x in arrays]),
    }
    times = times_of(ways, ROUNDS)
    x = arrays[0]
    host, host_torch = host_times(torch, (lambda: operation(x), lambda: theirs(x, axes)))
    return {**times, "host": host, "host_torch": host_torch, "gb_per_s": size / times["here"] / 1e3}


def main() -> int:
    """Measure, print a table, and write the record if asked to."""
    parser = records.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="begin no row after that")
    options = parser.parse_args()
    began = time.monotonic()
    print(f"{'':34}{'here us':>9}{'torch':>9}{'GB/s':>7}{'host us':>9}{'torch':>9}")
    values: dict[str, dict[str, dict[str, float]]] = {}
    for dtype in TYPES:
        kind = str(dtype).removeprefix("torch.")
        for row in ROWS:
            if time.monotonic() - began > options.seconds:
                print("what follows was left out for lack of time")
                break
            found: dict[str, Any] = measure(row, dtype)
            print(
                f"{kind:9}{row.name:25}{found['here']:9.1f}{found['torch']:9.1f}"
                f"{found['gb_per_s']:7.0f}{found['host']:9.2f}{found['host_torch']:9.2f}",
                flush=True,
            )
            values.setdefault(kind, {})[row.name] = found
            torch.cuda.empty_cache()
    subject = "overlay/cudnn_cffi/kernels/reduce.cu", "overlay/cudnn_cffi/kernels/reduce.py"
    records.finish(options, "gpu_sums", values, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
