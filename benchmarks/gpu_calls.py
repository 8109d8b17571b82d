"""Host time of a call on a GPU: through this package, and the same call in a loop in C.

Both are timed in turns in one process, in batches with the device idle at the start of each, so
that nothing waits for the device; of its batches a process takes the median. Where a process has
its code and data in memory changes what cuDNN leaves of them in the caches, and so the result, by
some hundred nanoseconds: several processes are run, and the median of their medians is printed,
with the least and the most.

    python -m benchmarks.gpu_calls [--processes N] [--batches N] [--json FILE] [--record]
"""

from __future__ import annotations

import ctypes
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import library
from cudnn_cffi._call import mode

from benchmarks import records
from benchmarks.processes import add_options, compile_c, reports
from benchmarks.timing import CALLS, Sample, in_python, in_turns, torch_on_gpu

SOURCE = """
#include <stdint.h>
#include <time.h>

typedef int (*activation)(void *, void *, const void *, void *, const void *, const void *, void *,
                          void *);
typedef int (*convolution)(void *, const void *, void *, const void *, void *, const void *, void *,
                           int, void *, uint64_t, const void *, void *, void *);

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double time_activation(uintptr_t f, int n, const uintptr_t *a)
{
    float alpha = 1, beta = 0;
    int64_t began = now();
    for (int i = 0; i < n; i++)
        if (((activation)f)((void *)a[0], (void *)a[1], &alpha, (void *)a[2], (void *)a[3], &beta,
                            (void *)a[4], (void *)a[5]))
            return -1;
    return (double)(now() - began) / n;
}

double time_convolution(uintptr_t f, int n, const uintptr_t *a)
{
    float alpha = 1, beta = 0;
    int64_t began = now();
    for (int i = 0; i < n; i++)
        if (((convolution)f)((void *)a[0], &alpha, (void *)a[1], (void *)a[2], (void *)a[3],
                             (void *)a[4], (void *)a[5], (int)a[6], (void *)a[7], a[8], &beta,
                             (void *)a[9], (void *)a[10]))
            return -1;
    return (double)(now() - began) / n;
}
"""


@dataclass
class Row:
    """One way to make a call.

    Attributes:
        call: the C function.
        through: what calls it.
        median: nanoseconds.
        above_c: nanoseconds more than the loop in C of the same process.
        least: the same of the best process.
        most: the same of the worst.
    """

    call: str
    through: str
    median: float
    above_c: float
    least: float
    most: float


def in_c(loops: ctypes.CDLL, name: str, symbol: str, addresses: Sequence[int]) -> Sample:
    """Return a function that times one batch of calls from the loop in C."""
    function = getattr(loops, name)
    function.restype = ctypes.c_double
    arguments = (ctypes.c_size_t * len(addresses))(*addresses)
    target = ctypes.c_size_t(library.load().address(symbol))

    def batch() -> float:
        nanoseconds = float(function(target, CALLS, arguments))
        if nanoseconds < 0:
            sys.exit(f"{symbol} failed in C")
        return nanoseconds

    return batch


def together(runs: Sequence[Sequence[Row]]) -> list[Row]:
    """Combine the rows of several processes into one row each."""
    rows = []
    for same in zip(*runs, strict=True):
        above = [row.above_c for row in same]
        median = statistics.median(row.median for row in same)
        first = same[0]
        rows.append(
            Row(first.call, first.through, median, statistics.median(above), min(above), max(above))
        )
    return rows


def in_processes(count: int, batches: int) -> tuple[str, list[Row]]:
    """Run the benchmark in several processes and return the device's name and all rows."""
    found = reports("gpu_calls", count, batches)
    runs = [[Row(**row) for row in each["rows"]] for each in found]
    return f"{found[0]['title']}, {count} processes", together(runs)


def main() -> int:
    """Measure and print the table."""
    parser = records.parser(__doc__)
    add_options(parser, 5)
    options = parser.parse_args()
    if options.child:
        title, rows = in_this_process(options.batches)
        print(json.dumps({"title": title, "rows": [asdict(row) for row in rows]}))
        return 0
    if options.processes > 1:
        title, rows = in_processes(options.processes, options.batches)
    else:
        title, rows = in_this_process(options.batches)
    print(f"{title}; ns per call")
    print(f"{'call':24} {'through':38} {'median':>8} {'above C':>8} {'least':>7} {'most':>7}")
    for row in rows:
        print(
            f"{row.call:24} {row.through:38} {row.median:8.0f} {row.above_c:8.0f} "
            f"{row.least:7.0f} {row.most:7.0f}"
        )
    values: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        of_call = values.setdefault(row.call.removeprefix("cudnn"), {})
        of_call[row.through.rpartition(": ")[2]] = {
            name: getattr(row, name) / 1000 for name in ("median", "above_c", "least", "most")
        }
    subject = "native", "overlay/cudnn_cffi/_call", "overlay/cudnn_cffi/descriptors"
    records.finish(options, "gpu_calls", values, subject, title.partition(",")[0])
    return 0


def in_this_process(batches: int) -> tuple[str, list[Row]]:
    """Run the benchmark once and return the device's name and its rows."""
    torch = torch_on_gpu()
    loops = compile_c(SOURCE)
    torch.zeros(1, device="cuda")
    handle = cudnn.Handle(stream=torch.cuda.current_stream())
    conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
    relu = cudnn.ActivationDescriptor.relu()
    x = torch.randn(1, 8, 16, 16, device="cuda")
    w = torch.randn(8, 8, 3, 3, device="cuda")
    y = torch.empty_like(x)
    own_x, own_w, own_y = (cudnn.DeviceArray.from_dlpack(each) for each in (x, w, y))
    desc, w_desc = cudnn.TensorDescriptor.like(x), cudnn.FilterDescriptor.like(w)
    count = cudnn.cudnnGetConvolutionForwardAlgorithmMaxCount(handle)
    found = cudnn.cudnnGetConvolutionForwardAlgorithm_v7(handle, desc, w_desc, conv, desc, count)
    best = next(each for each in found if not each.status)
    space = torch.empty(max(best.memory, 1), dtype=torch.uint8, device="cuda")
    own_space = cudnn.DeviceArray.from_dlpack(space)

    h, d, v, c, a = (each.address for each in (handle, desc, w_desc, conv, relu))
    px, pw, py, ps = (each.data_ptr() for each in (x, w, y, space))
    algo, size = best.algo, best.memory
    activation: dict[str, Sample] = {
        "C": in_c(loops, "time_activation", "cudnnActivationForward", (h, a, d, px, d, py)),
    }
    convolution: dict[str, Sample] = {
        "C": in_c(
            loops, "time_convolution", "cudnnConvolutionForward",
            (h, d, px, v, pw, c, int(algo), ps, size, d, py),
        ),
    }  # fmt: skip

    def add(name: str, arrays: Sequence[Any], objects: bool) -> None:
        one, two, three, four = arrays
        handles = (handle, relu, desc, w_desc, conv) if objects else (h, a, d, v, c)
        hh, aa, dd, vv, cc = handles
        activation[name] = in_python(
            cudnn.cudnnActivationForward, hh, aa, 1.0, dd, one, 0.0, dd, three
        )
        convolution[name] = in_python(
            cudnn.cudnnConvolutionForward,
            *(hh, 1.0, dd, one, vv, two, cc, algo, four, size, 0.0, dd, three),
        )

    add("ints", (px, pw, py, ps), objects=False)
    add("descriptors, ints for memory", (px, pw, py, ps), objects=True)
    add("descriptors, DeviceArray", (own_x, own_w, own_y, own_space), objects=True)
    add("descriptors, torch.Tensor", (x, w, y, space), objects=True)
    try:
        cupy = import_module("cupy")
        add(
            "descriptors, cupy.ndarray",
            tuple(cupy.from_dlpack(each) for each in (x, w, y, space)),
            objects=True,
        )
    except ImportError:
        pass
    activation["relu(x, y): described and checked"] = in_python(
        lambda: relu(own_x, own_y, handle=handle)
    )
    convolution["conv(x, w, y): described and checked"] = in_python(
        lambda: conv(own_x, own_w, own_y, handle=handle)
    )

    rows = []
    for call, ways in (
        ("cudnnActivationForward", activation),
        ("cudnnConvolutionForward", convolution),
    ):
        medians = in_turns(ways, batches, 5, torch.cuda.synchronize)
        for through, median in medians.items():
            above = median - medians["C"]
            rows.append(Row(call, through, median, above, above, above))
    handle.close()
    title = (
        f"{torch.cuda.get_device_name()}, cuDNN {library.load().version}, Python "
        f"{sys.version.split()[0]}, call mode {mode()}, {batches} batches of {CALLS} calls"
    )
    return title, rows


if __name__ == "__main__":
    sys.exit(main())
