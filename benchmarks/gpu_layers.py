"""Time of each convolution of a fused network on a GPU, by all engines, beside what bounds it.

All candidates of heuristics are timed, of engines that are there without a compiler; `--compile N`
times those that are compiled, too, for the N layers that take longest in all. Sums are of all
layers that have the same shapes. A layer is bounded by what it reads and writes at 4.8 TB/s, or by
its products at 790 TFLOP/s.

    python -m benchmarks.gpu_layers [--network resnet50] [--batch 256] [--dtype float16]
                                    [--seconds 1.0] [--compile 0] [--record]
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from importlib import import_module
from typing import Any, NamedTuple

from benchmarks import records
from benchmarks.gpu_networks import network

#: Bytes, and operations of 16 bits, in a microsecond.
_BYTES, _OPERATIONS = 4.8e6, 790e6


class Layer(NamedTuple):
    """A layer: its computation, its shapes as text, how many are alike, and bounds in µs."""

    computation: Any
    first: Any  # the plan of the default
    text: str
    number: int
    memory: float
    arithmetic: float
    kind: str  # its filters, and whether there is a residual

    @property
    def bound(self) -> float:
        """Return the time that it takes at least."""
        return max(self.memory, self.arithmetic)


#: A layer, and µs of it by the default and by the fastest engine.
Row = tuple[Layer, float, float]


def layers(torch: Any, name: str, batch: int, dtype: str) -> list[Layer]:
    """Return the convolutions of a network, as plans compute them."""
    fuse: Any = import_module("cudnn_cffi.torch").fuse
    choice: Any = import_module("cudnn_cffi.choice")
    pipeline: Any = import_module("cudnn_cffi.torch.fusion.pipeline")
    model, given = network(torch, name, batch, dtype)
    found: dict[int, Any] = {}
    build, find_way, of_rows = choice.build, pipeline.find_way, pipeline._of_rows
    made: dict[int, Any] = {}

    def note(computation: Any, **filters: Any) -> Any:
        plan = build(computation, **filters)
        made[id(plan)] = computation, plan
        return plan

    def find(part: Any, specs: Any, *rest: Any, **named: Any) -> Any:
        way = find_way(part, specs, *rest, **{**named, "by_kernel": None})
        if id(way.run) in made:
            found[id(way.run)] = (*made[id(way.run)], specs, part)
        return way

    choice.build, pipeline.find_way = note, find
    pipeline._of_rows = lambda part, *rest: of_rows(part, *rest) if part.kind == "norm" else None
    try:
        fused = fuse(model, choose="heuristic")
        fused(*given)
    finally:
        choice.build, pipeline.find_way, pipeline._of_rows = build, find_way, of_rows
    (program,) = fused._pipeline._programs.values()
    counts: dict[int, int] = {}
    for each in program._chosen.values():
        counts[id(each.way.run)] = counts.get(id(each.way.run), 0) + 1
    rows = []
    for key, (computation, plan, specs, part) in found.items():
        size = sum(math.prod(e.shape) for name, e in specs.items() if name != "pooled") * 2
        w, y = specs["w"].shape, specs["y"].shape
        products = 2 * math.prod(y) * math.prod(w[1:])
        text = f"{specs['x'].shape[1:]} by {w}, {part.text}"
        kind = f"side_{w[-1]}" + ("_with_residual" if "residual" in specs else "")
        bounds = size / _BYTES, products / _OPERATIONS
        rows.append(Layer(computation, plan, text, counts[key], *bounds, kind))
    return rows


def time_of(choice: Any, layer: Layer, seconds: float, **filters: Any) -> tuple[float, Any]:
    """Return µs of the default's plan, and what was the fastest."""
    tuned = choice.autotune(
        layer.computation, most=40, precision=0.01, seconds=seconds, remember=False, **filters
    )
    own = [
        row.median for row in tuned
        if row.samples and row.engine == layer.first.engine
        and dict(row.knobs) == dict(layer.first.knobs)
    ]  # fmt: skip
    return (own[0] if own else math.nan), tuned[0]


def total(rows: list[Row]) -> dict[str, float]:
    """Return the sums over layers."""
    return {
        "layers": sum(each.number for each, *_ in rows),
        "default_us": sum(each.number * first for each, first, _ in rows),
        "best_us": sum(each.number * best for each, _, best in rows),
        "memory_us": sum(each.number * each.memory for each, *_ in rows),
        "arithmetic_us": sum(each.number * each.arithmetic for each, *_ in rows),
        "bound_us": sum(each.number * each.bound for each, *_ in rows),
    }


def main() -> int:
    """Measure and print."""
    parser = records.parser(__doc__)
    parser.add_argument("--network", default="resnet50")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--dtype", default="float16")
    parser.add_argument("--seconds", type=float, default=1.0, help="of timing a layer")
    parser.add_argument("--compile", type=int, default=0, help="for this number of layers")
    options = parser.parse_args()
    os.environ["CUDNN_CFFI_PLAN_CACHE"] = tempfile.mkdtemp()
    torch, choice = import_module("torch"), import_module("cudnn_cffi.choice")
    with torch.no_grad():
        found = layers(torch, options.network, options.batch, options.dtype)
    found.sort(key=lambda each: -each.number * each.bound)
    print(" default (engine)    best (engine)   memory  arithmetic  count")
    rows: list[Row] = []
    for layer in found:
        first, best = time_of(choice, layer, options.seconds, runtime_compilation=False)
        rows.append((layer, first, best.median))
        print(
            f"{first:8.1f} ({layer.first.engine:3}) {best.median:8.1f} ({best.engine:3}) "
            f"{layer.memory:8.1f} {layer.arithmetic:8.1f} {layer.number:4}  {layer.text}",
            flush=True,
        )
    groups: dict[str, list[Row]] = {"all": rows}
    for row in rows:
        groups.setdefault(row[0].kind, []).append(row)
    totals = {kind: total(some) for kind, some in groups.items()}
    for kind, each in totals.items():
        print(kind, {name: round(number) for name, number in each.items()}, flush=True)
    rows.sort(key=lambda row: -row[0].number * row[2])
    for layer, _, before in rows[: options.compile]:
        _, best = time_of(choice, layer, 4 * options.seconds)
        print(
            f"compiled: {before:8.1f} {best.median:8.1f} ({best.engine:3}) {layer.text}", flush=True
        )
    values = {f"{options.network} {options.dtype} batch {options.batch}": totals}
    subject = ("overlay/cudnn_cffi/torch/fusion", "overlay/cudnn_cffi/choice")
    records.finish(options, "gpu_layers", values, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
