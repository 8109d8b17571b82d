"""Device time of each convolution of ResNet-50 on a GPU: the best plan found, beside PyTorch.

For each layer and each direction, `Graph.autotune` chooses a plan, PyTorch chooses its algorithm
with `torch.backends.cudnn.benchmark`, and then both are timed in turns in the same process: by
events around a CUDA graph of many runs, so that the host does not matter. Both read and write the
same tensors.

    python -m benchmarks.gpu_convolutions [--batch N] [--types half,float] [--layers N]
                                          [--seconds S] [--compiled] [--json FILE] [--all]
                                          [--record]

`half` is float16 in NHWC, `float` is float32 in NCHW with TensorFloat-32 allowed on both sides.
Ratios are this package's time over PyTorch's: below 1 is faster.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import cudnn_cffi as cudnn

from benchmarks import records
from benchmarks.timing import captured, in_turns, of_device, torch_on_gpu

#: Runs in one CUDA graph, and how often both graphs are timed.
RUNS, ROUNDS = 20, 20

DIRECTIONS = ("forward", "backward data", "backward filter")


class Layer(NamedTuple):
    """A convolution of ResNet-50, and how often it is there."""

    c: int
    k: int
    size: int  # of the input, square
    filter: int
    stride: int
    times: int

    @property
    def padding(self) -> int:
        """Return the zeros on each side."""
        return self.filter // 2

    def __str__(self) -> str:
        step = f" /{self.stride}" if self.stride > 1 else ""
        return f"{self.filter}x{self.filter}{step} {self.c}->{self.k} {self.size}x{self.size}"


def layers() -> list[Layer]:
    """Return the different convolutions of the network for images of 224 by 224."""
    found = {Layer(3, 64, 224, 7, 2, 1): 1}

    def add(c: int, k: int, size: int, filters: int, stride: int) -> None:
        layer = Layer(c, k, size, filters, stride, 1)
        found[layer] = found.get(layer, 0) + 1

    size, before = 56, 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            stride = 2 if block == 0 and width > 64 else 1
            add(before, width, size, 1, 1)
            add(width, width, size, 3, stride)
            if block == 0:
                add(before, 4 * width, size, 1, stride)
            size //= stride
            add(width, 4 * width, size, 1, 1)
            before = 4 * width
    return [layer._replace(times=times) for layer, times in found.items()]


@dataclass
class Row:
    """Times of one convolution, in microseconds on the device."""

    type: str
    direction: str
    layer: str
    times: int
    ours: float
    torch: float
    candidates: int
    engine: int
    seconds: float  # that choosing the plan took

    @property
    def ratio(self) -> float:
        """Return this package's time over PyTorch's."""
        return self.ours / self.torch


class Case:
    """One convolution in one direction: a graph, the tensors, and PyTorch's call."""

    def __init__(self, torch: Any, layer: Layer, direction: str, batch: int, kind: str) -> None:
        dtype, layout = {
            "half": (torch.float16, torch.channels_last),
            "float": (torch.float32, torch.contiguous_format),
        }[kind]

        def make(*shape: int) -> Any:
            array = torch.randn(shape, device="cuda", dtype=dtype)
            return array.contiguous(memory_format=layout)

        size = layer.size // layer.stride
        x = make(batch, layer.c, layer.size, layer.size)
        w = make(layer.k, layer.c, layer.filter, layer.filter)
        y = make(batch, layer.k, size, size)
        options: Any = {"padding": layer.padding, "stride": layer.stride}
        graph = cudnn.Graph(compute_data_type="FLOAT")
        if direction == "forward":
            a, b = graph.tensor(x, name="x"), graph.tensor(w, name="w")
            result, out = graph.convolution(a, b, **options), y
            self.operands = {"x": x, "w": w, "out": y}
        elif direction == "backward data":
            a, b = graph.tensor(y, name="dy"), graph.tensor(w, name="w")
            out = torch.empty_like(x)
            result = graph.convolution_backward_data(a, b, shape=x.shape, **options)
            self.operands = {"dy": y, "w": w, "out": out}
        else:
            a, b = graph.tensor(x, name="x"), graph.tensor(y, name="dy")
            out = torch.empty_like(w)
            result = graph.convolution_backward_filter(a, b, tuple(w.shape), **options)
            self.operands = {"x": x, "dy": y, "out": out}
        graph.output(result, name="out", strides=out.stride(), data_type=out.dtype)
        self.graph = graph
        wanted = [direction == "backward data", direction == "backward filter", False]

        def run_torch() -> Any:
            if direction == "forward":
                return torch.nn.functional.conv2d(x, w, None, layer.stride, layer.padding)
            return torch.ops.aten.convolution_backward(
                y, x, w, None, [layer.stride] * 2, [layer.padding] * 2, [1, 1], False, [0, 0], 1,
                wanted,
            )  # fmt: skip

        self.run_torch = run_torch


def compare(torch: Any, case: Case, plan: Any) -> tuple[float, float]:
    """Return the median times of the plan and of PyTorch, taken in turns."""
    workspace = torch.empty(max(plan.workspace_size, 16), dtype=torch.uint8, device="cuda")
    runs = partial(plan, workspace=workspace, **case.operands), case.run_torch
    graphs = [captured(torch, *[run] * RUNS) for run in runs]
    ways = {str(at): partial(of_device, torch, graph, 1) for at, graph in enumerate(graphs)}
    ours, theirs = in_turns(ways, ROUNDS).values()
    return ours / RUNS, theirs / RUNS


def measure(
    torch: Any, kinds: list[str], batch: int, most: int | None, deadline: float, compiled: bool
) -> Iterator[Row | str]:
    """Yield a row for each convolution, and a text for each that was left out."""
    for layer in layers()[:most]:
        for kind in kinds:
            for direction in DIRECTIONS:
                if layer.c == 3 and direction == "backward data":
                    continue  # nobody needs the gradient of an image
                name = f"{kind} {direction} {layer}"
                if time.monotonic() > deadline:
                    yield f"{name}: left out, the time was up"
                    continue
                case = Case(torch, layer, direction, batch, kind)
                began = time.perf_counter()
                try:
                    found = case.graph.autotune(
                        operands=case.operands,
                        precision=0.003,
                        every_engine=True,
                        runtime_compilation=None if compiled else False,
                    )
                except cudnn.NoPlanError as error:
                    yield f"{name}: {str(error).splitlines()[0]}"
                    continue
                seconds = time.perf_counter() - began
                ours, theirs = compare(torch, case, found.best)
                yield Row(
                    kind, direction, str(layer), layer.times, ours, theirs,
                    len(found), found[0].engine, seconds,
                )  # fmt: skip


def report(rows: list[Row], everything: bool) -> None:
    """Print ratios by type and direction, then the worst layers."""
    print(
        f"{'type':6} {'direction':16} {'layers':>6} {'median':>7} {'best':>6} {'worst':>6} network"
    )
    for kind in dict.fromkeys(row.type for row in rows):
        for direction in DIRECTIONS:
            chosen = [row for row in rows if (row.type, row.direction) == (kind, direction)]
            if chosen:
                ratios = [row.ratio for row in chosen]
                ours, theirs = (
                    sum(getattr(row, name) * row.times for row in chosen)
                    for name in ("ours", "torch")
                )
                print(
                    f"{kind:6} {direction:16} {len(chosen):6} {statistics.median(ratios):7.3f} "
                    f"{min(ratios):6.3f} {max(ratios):6.3f} {ours:.0f} us, PyTorch {theirs:.0f} us"
                )
    shown = sorted(rows, key=lambda row: -row.ratio)
    if not everything:
        shown = [row for row in shown if row.ratio > 1.02][:12]
    if shown:
        print("\nratio   ours    PyTorch  engine  convolution")
    for row in shown:
        print(
            f"{row.ratio:5.3f} {row.ours:7.1f} {row.torch:9.1f} {row.engine:7}  "
            f"{row.type} {row.direction} {row.layer}"
        )
    mean = math.exp(statistics.fmean(math.log(row.ratio) for row in rows))
    spent = sum(row.seconds for row in rows)
    print(
        f"\n{len(rows)} convolutions, geometric mean {mean:.3f}, median "
        f"{statistics.median(row.ratio for row in rows):.3f}; choosing took {spent:.0f} s"
    )


def recorded(rows: list[Row]) -> dict[str, Any]:
    """Return what a record has: ratios and times of the network by type and direction."""
    values: dict[str, Any] = {}
    for kind, direction in dict.fromkeys((row.type, row.direction) for row in rows):
        chosen = [row for row in rows if (row.type, row.direction) == (kind, direction)]
        ratios = [row.ratio for row in chosen]
        values.setdefault(kind, {})[direction] = {
            "layers": len(chosen),
            "median": statistics.median(ratios),
            "best": min(ratios),
            "worst": max(ratios),
            "ours": sum(row.ours * row.times for row in chosen),
            "torch": sum(row.torch * row.times for row in chosen),
        }
    values["all"] = {
        "layers": len(rows),
        "median": statistics.median(row.ratio for row in rows),
        "geometric_mean": math.exp(statistics.fmean(math.log(row.ratio) for row in rows)),
        "seconds": statistics.fmean(row.seconds for row in rows),
    }
    return values


def main() -> int:
    """Run the benchmark."""
    parser = records.parser(__doc__)
    parser.add_argument("--batch", type=int, default=32, help="images (32)")
    parser.add_argument("--types", default="half,float", help="half, float, or both (half,float)")
    parser.add_argument("--layers", type=int, help="only this number of layers, the first ones")
    parser.add_argument("--seconds", type=float, default=85, help="stop after this time (85)")
    parser.add_argument(
        "--compiled",
        action="store_true",
        help="time engines too that are compiled at run time, which takes a second for each",
    )
    parser.add_argument("--all", action="store_true", help="print all layers")
    arguments = parser.parse_args()
    torch = torch_on_gpu()
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.benchmark_limit = 0  # all that it knows
    torch.backends.cudnn.allow_tf32 = True
    print(
        f"{torch.cuda.get_device_name()}, cuDNN {cudnn.cudnnGetVersion()}, batch {arguments.batch}"
    )
    deadline = time.monotonic() + arguments.seconds
    rows, others = [], []
    kinds = arguments.types.split(",")
    for found in measure(
        torch, kinds, arguments.batch, arguments.layers, deadline, arguments.compiled
    ):
        if isinstance(found, Row):
            rows.append(found)
        else:
            others.append(found)
    if rows:
        report(rows, arguments.all)
    for text in others:
        print(text)
    if not rows:
        return 1
    subject, values = ("overlay/cudnn_cffi/graph", "overlay/cudnn_cffi/choice"), recorded(rows)
    records.finish(arguments, "gpu_convolutions", values, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
