"""Host time of a plan's call on a GPU, beside the same plan in a loop in C, PyTorch, and others.

All are timed in turns in one process, in batches with the device idle at the start of each. A batch
is shorter than the device's queue, so no call waits for the device: a call in C takes as long in
batches of 5 as in batches of 800. Several processes are run, and the median of all is printed:
where a process has its code and data in memory changes the result by some hundred nanoseconds.

Calls that come again on the same addresses are launched as CUDA graphs, which is what a user gets
and what most rows show. "executed" rows have cuDNN execute each call, as the loop in C and the
front end do.

    python -m benchmarks.gpu_plans [--processes N] [--batches N] [--json FILE] [--record]

The front end of NVIDIA is measured where it is installed (`pip install nvidia-cudnn-frontend`).
"""

from __future__ import annotations

import ctypes
import json
import statistics
import sys
from importlib import import_module
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import library
from cudnn_cffi._call import mode

from benchmarks import records
from benchmarks.processes import add_options, compile_c, reports
from benchmarks.timing import CALLS, Sample, in_python, in_turns, torch_on_gpu

#: Names of the computations in a record, in their order.
COLUMNS = ("small", "large", "attention")

SOURCE = """
#include <stdint.h>
#include <time.h>

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double time_plan(int (*execute)(void *, void *, void *), int n, void *handle, void *plan,
                 void *pack)
{
    int64_t began = now();
    int status;
    for (int i = 0; i < n; i++)
        if ((status = execute(handle, plan, pack))) return -status;
    return (double)(now() - began) / n;
}
"""


def loop_in_c() -> Any:
    """Compile the loop in C and load it."""
    function = compile_c(SOURCE).time_plan
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 3]
    return function


def in_c(loop: Any, handle: Any, plan: Any, *arrays: Any) -> Sample:
    """Return what times a batch of the C function, with the plan and a pack of these tensors."""
    from cudnn_cffi.plan.descriptors import variant_pack

    launch = plan._place(arrays, {"handle": handle})  # noqa: SLF001
    pack = variant_pack([uid for uid, *_ in plan._packed], launch.addresses, launch.workspace)  # noqa: SLF001
    execute = library.load().address("cudnnBackendExecute")

    def batch(_kept: Any = launch) -> float:
        taken = loop(execute, CALLS, handle.address, plan.execution_plan.address, pack.address)
        if taken < 0:
            sys.exit(f"cudnnBackendExecute failed in C: {-taken:.0f}")
        return float(taken)

    return batch


def executed(batch: Sample) -> Sample:
    """Return what times a batch in which nothing is launched as a graph."""
    from cudnn_cffi.driver import graphs
    from cudnn_cffi.plan.run import arming, compiled

    native: Any = compiled.native
    names = arming.REPLAYING
    addresses = tuple([graphs.function_address(name) for name in names])

    def without() -> float:
        if native is None:
            return batch()
        native._replay(functions=addresses, after=0, **arming.REPLAYS)  # noqa: SLF001
        try:
            return batch()
        finally:
            after = arming.REPLAY_AFTER
            native._replay(functions=addresses, after=after, **arming.REPLAYS)  # noqa: SLF001

    return without


def front_end(torch: Any, shape: tuple[int, ...], x: Any, w: Any, y: Any) -> Sample | None:
    """Return what times a batch of the front end's `execute`; None where it is not installed."""
    try:
        fe = import_module("cudnn")
        handle = fe.create_handle()
        fe.set_stream(handle=handle, stream=torch.cuda.current_stream().cuda_stream)
        graph = fe.pygraph(
            io_data_type=fe.data_type.HALF,
            intermediate_data_type=fe.data_type.FLOAT,
            compute_data_type=fe.data_type.FLOAT,
            handle=handle,
        )
        image = graph.tensor(name="x", dim=list(shape), stride=list(x.stride()))
        weight = graph.tensor(name="w", dim=list(w.shape), stride=list(w.stride()))
        result = graph.conv_fprop(
            image=image, weight=weight, padding=[1, 1], stride=[1, 1], dilation=[1, 1]
        )
        result.set_output(True)
        graph.build([fe.heur_mode.A, fe.heur_mode.FALLBACK])
        size = max(graph.get_workspace_size(), 1)
        space = torch.empty(size, dtype=torch.uint8, device="cuda")
    except Exception as error:
        print(f"the front end is left out: {str(error)[:200]}", file=sys.stderr)
        return None
    return in_python(graph.execute, {image: x, weight: w, result: y}, space, handle=handle)


def convolution(
    torch: Any, loop: Any, handle: Any, shape: tuple[int, ...], batches: int
) -> dict[str, float]:
    """Measure a convolution of 3x3, fp16, channels innermost."""
    channels = shape[1]
    last = torch.channels_last
    x = torch.randn(shape, device="cuda", dtype=torch.float16).to(memory_format=last)
    w = torch.randn(channels, channels, 3, 3, device="cuda", dtype=torch.float16)
    w = w.to(memory_format=last)
    y = torch.empty_like(x)
    graph = cudnn.Graph(compute_data_type="FLOAT")
    result = graph.convolution(graph.tensor(x, name="x"), graph.tensor(w, name="w"), padding=1)
    graph.output(result, name="y")
    plan = graph.build(handle)

    ways: dict[str, Sample | None] = {
        "C loop": in_c(loop, handle, plan, x, w, y),
        "plan, PyTorch": in_python(plan, x, w, y),
        "plan, PyTorch, executed": executed(in_python(plan, x, w, y)),
        "plan, PyTorch, by name": in_python(plan, x=x, w=w, y=y),
        "plan, PyTorch, handle given": in_python(plan, x, w, y, handle=handle),
        "plan, PyTorch, new output": in_python(plan, x, w),
        "plan, PyTorch, new output, executed": executed(in_python(plan, x, w)),
    }
    other = torch.empty_like(x)

    def alternating() -> None:
        plan(x, w, y)
        plan(x, w, other)

    both = in_python(alternating)
    ways["plan, PyTorch, other addresses"] = lambda: both() / 2
    own = [cudnn.DeviceArray.from_dlpack(each) for each in (x, w, y)]
    ways["plan, DeviceArray"] = in_python(plan, *own)
    ways["plan, DeviceArray, new output"] = in_python(plan, *own[:2])
    try:
        cupy = import_module("cupy")
        arrays = [cupy.from_dlpack(each) for each in (x, w, y)]
        ways["plan, CuPy"] = in_python(plan, *arrays)
        ways["plan, CuPy, new output"] = in_python(plan, *arrays[:2])
    except ImportError:
        pass
    torch.backends.cudnn.benchmark = True
    functional = torch.nn.functional
    ways["torch conv2d, no grad"] = in_python(torch.no_grad()(functional.conv2d), x, w, None, 1, 1)
    ways["front end, execute"] = front_end(torch, shape, x, w, y)
    found = {way: sample for way, sample in ways.items() if sample is not None}
    return in_turns(found, batches, 5, torch.cuda.synchronize)


def attention(torch: Any, loop: Any, handle: Any, batches: int) -> dict[str, float]:
    """Measure attention, 4x16x2048x128 in fp16; nothing where it cannot be built."""
    graph = cudnn.Graph(compute_data_type="FLOAT")
    q, k, v = (torch.randn(4, 16, 2048, 128, device="cuda", dtype=torch.float16) for _ in range(3))
    try:
        names = [graph.tensor(each, name=name) for each, name in zip((q, k, v), "qkv", strict=True)]
        graph.output(graph.attention(*names), name="o")
        plan = graph.build(handle)
    except (AttributeError, cudnn.CudnnError) as error:
        print(f"attention is left out: {str(error)[:200]}", file=sys.stderr)
        return {}
    o = torch.empty_like(q)
    attend = torch.nn.functional.scaled_dot_product_attention
    ways = {
        "C loop": in_c(loop, handle, plan, q, k, v, o),
        "plan, PyTorch": in_python(plan, q, k, v, o),
        "plan, PyTorch, executed": executed(in_python(plan, q, k, v, o)),
        "plan, PyTorch, new output": in_python(plan, q, k, v),
        "torch sdpa, no grad": in_python(torch.no_grad()(attend), q, k, v),
    }
    return in_turns(ways, max(batches // 10, 3), 5, torch.cuda.synchronize)


def in_this_process(batches: int) -> dict[str, Any]:
    """Run the benchmark once; return the device's name and the medians of each computation."""
    torch = torch_on_gpu()
    torch.zeros(1, device="cuda")
    loop = loop_in_c()
    tables = {}
    with cudnn.Handle() as handle:
        for shape in ((1, 8, 16, 16), (32, 64, 56, 56)):
            name = f"convolution 3x3, {'x'.join(map(str, shape))} fp16"
            tables[name] = convolution(torch, loop, handle, shape, batches)
        if found := attention(torch, loop, handle, batches):
            tables["attention 4x16x2048x128 fp16"] = found
        title = (
            f"{torch.cuda.get_device_name()}, cuDNN {library.load().version}, Python "
            f"{sys.version.split()[0]}, call mode {mode()}, {batches} batches of {CALLS} calls"
        )
        return {"title": title, "tables": tables}


def in_processes(count: int, batches: int) -> dict[str, Any]:
    """Run the benchmark in several processes; return the medians of their medians."""
    runs = reports("gpu_plans", count, batches)
    tables = {
        call: {way: statistics.median(run["tables"][call][way] for run in runs) for way in medians}
        for call, medians in runs[0]["tables"].items()
    }
    return {"title": f"{runs[0]['title']}, {count} processes", "tables": tables}


def main() -> int:
    """Measure and print the tables."""
    parser = records.parser(__doc__)
    add_options(parser, 3)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(in_this_process(options.batches)))
        return 0
    if options.processes > 1:
        report = in_processes(options.processes, options.batches)
    else:
        report = in_this_process(options.batches)
    print(f"{report['title']}; microseconds per call")
    for call, medians in report["tables"].items():
        print(f"{call:44} {'median':>8} {'of C':>6}")
        for way, median in medians.items():
            print(f"  {way:42} {median / 1000:8.2f} {median / medians['C loop']:6.2f}")
    values = {
        column: {way: median / 1000 for way, median in medians.items()}
        for column, medians in zip(COLUMNS, report["tables"].values(), strict=False)
    }
    subject = "native", "overlay/cudnn_cffi/plan"
    records.finish(options, "gpu_plans", values, subject, report["title"].partition(",")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
