"""Time, error and memory of twelve networks on a GPU, fused and captured, beside PyTorch.

All ways of a network run in turns in one process: `fuse(model, capture=True)`, eager mode as a CUDA
graph, and on request `torch.compile` with max-autotune. Networks are those of torchvision, for
images of 224x224, and those of `benchmarks.models`. "Ready" is the time from the model to the end
of the first call; `--ready` measures it alone, in a new process for each row with nothing on disk:
then it has the import of what PyTorch traces with, but for networks of torchvision, which imports
that. Errors are those of a batch of 1 beside float64.

Where a call takes seconds (`--latents`), PyTorch and `fuse` make three calls each, one way after
the other and without CUDA graphs, and the results are compared. PyTorch times no algorithms there,
and upsamples by views, as its own function refuses results of 2^31 elements.

    python -m benchmarks.gpu_networks [--networks resnet50,unet] [--batches 1,32] [--dtype float16]
                                      [--autotune] [--ready] [--profile] [--rounds N] [--record]
"""

from __future__ import annotations

import argparse
import copy
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from benchmarks import records
from benchmarks.gpu_fuse import microseconds, untrained
from benchmarks.timing import Call, captured

#: The networks in the order of the table, with their names in it.
NAMES = {
    "resnet18": "ResNet-18", "resnet50": "ResNet-50", "regnet_y_8gf": "RegNet-Y 8GF",
    "efficientnet_b0": "EfficientNet-B0", "mobilenet_v3_large": "MobileNet v3 large",
    "convnext_tiny": "ConvNeXt-T", "densenet121": "DenseNet-121", "swin_t": "Swin-T",
    "vit_b_16": "ViT-B/16", "unet": "diffusion UNet", "video_decoder": "video decoder",
    "speech_encoder": "speech encoder",
}  # fmt: skip

#: Ways whose first calls are measured with PyTorch's `benchmark`.
FIRST = "eager", "converted", "fused", "converted_later", "fused_later"

_OWN = {"unet": "UNet", "video_decoder": "VideoDecoder", "speech_encoder": "SpeechEncoder"}


def network(
    torch: Any, name: str, batch: int, word: str, latents: int = 32
) -> tuple[Any, tuple[Any, ...]]:
    """Return a network with random weights and statistics, and its inputs, on the GPU."""
    dtype = getattr(torch, word)
    torch.manual_seed(0)
    with torch.device("cuda"):
        return _network(torch, name, batch, dtype, latents)


def _network(
    torch: Any, name: str, batch: int, dtype: Any, latents: int
) -> tuple[Any, tuple[Any, ...]]:
    if name in _OWN:
        model = getattr(import_module("benchmarks.models"), _OWN[name])().eval()
        for each in model.modules():
            if isinstance(each, (torch.nn.BatchNorm1d, torch.nn.GroupNorm)):
                torch.nn.init.uniform_(each.weight, 0.5, 1.5)
                torch.nn.init.normal_(each.bias, 0.0, 0.2)
    else:
        model = untrained(torch, name)
    model = model.cuda().to(dtype)
    made = {"device": "cuda", "dtype": dtype}
    if name == "video_decoder":
        x = torch.randn(batch, 16, 4, latents, latents, **made)
        form = torch.channels_last_3d
        return model.to(memory_format=form), (x.contiguous(memory_format=form),)
    if name == "speech_encoder":
        return model, (torch.randn(batch, 64, 1600, **made),)
    model = model.to(memory_format=torch.channels_last)
    shape = (4, 64, 64) if name == "unet" else (3, 224, 224)
    x = torch.randn(batch, *shape, **made).contiguous(memory_format=torch.channels_last)
    return model, (x, torch.randn(batch, 192, **made)) if name == "unet" else (x,)


def error_of(y: Any, reference: Any) -> float:
    """Return the size of the error over that of the reference."""
    return float((y.double() - reference).norm() / reference.norm())


def kernels(torch: Any, call: Call) -> list[tuple[str, int, float]]:
    """Return what the kernels of a call take: their names, how many, and µs; the longest first."""
    call()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
        call()
        torch.cuda.synchronize()
    times: dict[str, list[float]] = defaultdict(list)
    for event in found.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            times[event.name].append(event.device_time)
    rows = [(name, len(each), sum(each)) for name, each in times.items()]
    return sorted(rows, key=lambda row: -row[2])


def gigaflops_of(model: Any, given: Any) -> float:
    """Return the billions of operations of a call.

    Without kernels, which PyTorch would time for each shape.
    """
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils.flop_counter import FlopCounterMode

    with FakeTensorMode(allow_non_fake_inputs=True), FlopCounterMode(display=False) as counter:
        model(*given)
    return float(counter.get_total_flops() / 1e9)


def upsample_by_views(torch: Any, model: Any) -> Any:
    """Return a copy of a model, with the same weights, whose upsampling is a copy of a view."""

    class Upsample(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, scale: Sequence[float]) -> None:
            super().__init__()
            self.scale = [*map(int, scale)]

        def forward(self, x: Any) -> Any:
            y = x.permute(0, 2, 3, 4, 1)
            n, d, h, w, c = y.shape
            a, b, e = self.scale
            y = y[:, :, None, :, None, :, None].expand(n, d, a, h, b, w, e, c)
            return y.reshape(n, d * a, h * b, w * e, c).permute(0, 4, 1, 2, 3)

    made = copy.deepcopy(model, {id(each): each for each in model.parameters()})
    for parent in [*made.modules()]:
        for name, child in parent.named_children():
            if isinstance(child, torch.nn.Upsample):
                setattr(parent, name, Upsample(child.scale_factor))
    return made


def measure_large(torch: Any, name: str, options: Any) -> dict[str, dict[str, float]]:
    """Return the numbers of a network whose calls take seconds, by way."""
    from cudnn_cffi.torch import fuse

    torch.backends.cudnn.benchmark = False
    model, given = network(torch, name, 1, options.dtype, options.latents)
    gigaflops = gigaflops_of(model, given)
    rows: dict[str, dict[str, float]] = {}
    results: list[Any] = []
    ways: dict[str, Callable[[], Any]] = {
        "eager": lambda: upsample_by_views(torch, model),
        "fused": lambda: fuse(model, choose="heuristic"),
    }
    for label, make in ways.items():
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before, times = torch.cuda.memory_allocated(), [time.perf_counter()]
        call = make()
        for _ in range(3):
            y = call(*given)
            torch.cuda.synchronize()
            times.append(time.perf_counter())
            print(f"{label}: {times[-1] - times[-2]:.2f} s", flush=True)
        least = min(times[2] - times[1], times[3] - times[2])
        most = torch.cuda.max_memory_allocated() - before
        rows[label] = {
            "ready_s": times[1] - times[0], "megabytes": most / 1e6, "us": 1e6 * least,
            "per_second": 1 / least, "teraflops": gigaflops / least / 1e3,
        }  # fmt: skip
        results.append(y.cpu())
        del call, y
    theirs, ours = (each.flatten().split(1 << 24) for each in results)
    squares = [
        ((b.double() - a.double()).square().sum(), a.double().square().sum())
        for a, b in zip(theirs, ours, strict=True)
    ]
    error, size = (sum(map(float, each)) for each in zip(*squares, strict=True))
    fused = rows["fused"]
    fused |= {"difference": (error / size) ** 0.5, "of_best": fused["us"] / rows["eager"]["us"]}
    return rows


def measure(torch: Any, name: str, batch: int, options: Any) -> dict[str, dict[str, float]]:
    """Return the numbers of a network for one batch size, by way."""
    from cudnn_cffi.torch import fuse

    model, given = network(torch, name, batch, options.dtype)
    reference = None
    few = [each[:1] for each in given]
    calls: dict[str, Call] = {}
    rows: dict[str, dict[str, float]] = defaultdict(dict)
    if batch == 1 and not options.no_error:
        wide = copy.deepcopy(model).double()
        reference = wide(*[each.double() for each in few])
        del wide
        rows["eager"]["error"] = error_of(model(*few), reference)

    def prepare(label: str, make: Callable[[], Call]) -> None:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before, start = torch.cuda.memory_allocated(), time.perf_counter()
        call = make()
        call()
        torch.cuda.synchronize()
        rows[label]["ready_s"] = time.perf_counter() - start
        rows[label]["megabytes"] = (torch.cuda.max_memory_allocated() - before) / 1e6
        calls[label] = call

    def fused(choose: Any) -> Callable[[], Call]:
        def make() -> Call:
            made = fuse(model, choose=choose, capture=True, seconds=options.budget)
            made(*given)
            if reference is not None:
                kept.append(made)
            if options.report:
                print(made.report)
            return lambda: made(*given)

        return make

    kept: list[Any] = []
    prepare("eager", lambda: lambda: model(*given))
    del calls["eager"]
    host = rows.pop("eager")
    prepare("eager, captured", lambda: captured(torch, lambda: model(*given)))
    rows["eager, captured"] |= {**host, "ready_s": rows["eager, captured"]["ready_s"]}
    prepare("fused", fused("heuristic"))
    if options.timed:
        prepare("fused, timed", fused("time"))
    if options.autotune:
        torch.compiler.reset()
        compiled = torch.compile(model, mode="max-autotune")
        prepare("max-autotune", lambda: lambda: compiled(*given))
    gigaflops = gigaflops_of(model, few) * batch
    for made, label in zip(kept, ("fused", "fused, timed"), strict=False):
        rows[label]["error"] = error_of(made(*few), reference)
    for call in calls.values():
        for _ in range(3):
            call()
    times: dict[str, list[float]] = {label: [] for label in calls}
    for _ in range(options.rounds):
        for label, call in calls.items():
            times[label].append(microseconds(torch, call, options.seconds))
    for label, each in times.items():
        rows[label]["us"] = statistics.median(each)
        rows[label]["per_second"] = batch / rows[label]["us"] * 1e6
        rows[label]["teraflops"] = gigaflops / rows[label]["us"] * 1e3
    best = min(row["us"] for label, row in rows.items() if "fused" not in label)
    rows["fused"]["of_best"] = rows["fused"]["us"] / best
    if options.profile:
        for label, call in calls.items():
            found = kernels(torch, call)
            count, total = sum(row[1] for row in found), sum(row[2] for row in found)
            print(f"{label}: {count} kernels, {total:.1f} us")
            for kernel, count, taken in found[: options.profile]:
                print(f"{taken:9.1f} us {count:4} x {kernel[:150]}", flush=True)
    return dict(rows)


def first_call(torch: Any, name: str, batch: int, dtype: str, way: str) -> float:
    """Return the seconds until a network is made by a way and called for the first time.

    Args:
        torch: PyTorch.
        name, batch, dtype: of the network and its inputs.
        way: "ready" for a fused network by heuristics, after a call by PyTorch; else one of
            `FIRST`, before which PyTorch computes a convolution of another shape; "later" leaves
            timing to the background.
    """
    from cudnn_cffi import choice
    from cudnn_cffi.torch import convert, fuse

    model, given = network(torch, name, batch, dtype)
    if way == "ready":
        model(*given)
    else:
        torch.conv2d(*(torch.ones(1, 8, 8, 8, device="cuda", dtype=given[0].dtype) for _ in "xw"))
    torch.cuda.synchronize()
    if way.endswith("_later"):
        choice.set_default(when="background")
    start = time.perf_counter()
    if way.startswith("converted"):
        convert(model)
    call = model
    if way == "ready" or way.startswith("fused"):
        call = fuse(model, choose="heuristic" if way == "ready" else None, capture=True)
    call(*given)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def first_calls(names: Sequence[str], batches: Sequence[int], options: Any) -> None:
    """Measure first calls in new processes, and write them beside those of earlier runs."""
    found: dict[str, dict[str, float]] = {}
    for name in names:
        for batch in [1] if name == "video_decoder" else batches:
            given = ("--networks", name, "--batches", str(batch), "--dtype", options.dtype)
            case = f"{name} {options.dtype} batch {batch}"
            for way in ["ready"] if options.ready else FIRST:
                command = [sys.executable, "-m", "benchmarks.gpu_networks", "--first", way, *given]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                found.setdefault(case, {})[f"{way}_s"] = float(done.stdout.split()[-1])
                print(f"{case}, {way}: {done.stdout.split()[-1]} s", flush=True)
    if options.record:
        record(import_module("torch"), "ready" if options.ready else "first", found)


def record(torch: Any, suffix: str, found: dict[str, Any]) -> None:
    """Write the rows that were found, beside those of earlier runs."""
    name = f"gpu_networks_{suffix}"
    subject = ("overlay/cudnn_cffi/torch/fusion", "overlay/cudnn_cffi/plan")
    path = records.RESULTS / f"{name}.json"
    before = records.load(path)["values"] if path.exists() else {}
    values = {**before, **{records.key(case): rows for case, rows in found.items()}}
    records.write(name, values, subject, torch.cuda.get_device_name())


def main() -> int:
    """Measure and print."""
    parser = records.parser(__doc__)
    parser.add_argument("--networks", default=",".join(NAMES))
    parser.add_argument("--batches", default="1,32", help="video_decoder takes 1")
    parser.add_argument("--dtype", default="float16")
    parser.add_argument(
        "--latents", type=int, default=32,
        help="height and width of what the video decoder takes; 128 has tensors of 2^32 elements",
    )  # fmt: skip
    parser.add_argument("--autotune", action="store_true", help="with max-autotune: minutes")
    parser.add_argument("--ready", action="store_true", help="first calls in new processes alone")
    parser.add_argument(
        "--first-calls", action="store_true", help="the same with PyTorch's benchmark, by each way"
    )
    parser.add_argument("--first", help=argparse.SUPPRESS)
    parser.add_argument("--timed", action="store_true", help="with engines chosen by time, too")
    parser.add_argument("--budget", type=float, default=1.5, help="seconds of timing engines")
    parser.add_argument("--profile", type=int, default=0, help="number of kernels of each to print")
    parser.add_argument("--report", action="store_true", help="print how each layer runs")
    parser.add_argument("--no-error", action="store_true", help="compute nothing in float64")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="of one sample")
    options = parser.parse_args()
    names, batches = options.networks.split(","), [*map(int, options.batches.split(","))]
    if options.ready or options.first_calls:
        first_calls(names, batches, options)
        return 0
    for name in ("CUDNN_CFFI_PLAN_CACHE", "CUDA_CACHE_PATH"):  # NVRTC keeps binaries in the latter
        os.environ[name] = tempfile.mkdtemp()
    torch = import_module("torch")
    torch.backends.cudnn.benchmark = True
    if options.first:
        with torch.no_grad():
            print(f"{first_call(torch, names[0], batches[0], options.dtype, options.first):.3f}")
        return 0
    found: dict[str, Any] = {}
    for name in names:
        for batch in [1] if name == "video_decoder" else batches:
            case = f"{name} {options.dtype} batch {batch}"
            case += f" latents {options.latents}" if options.latents != 32 else ""
            try:
                with torch.no_grad():
                    if options.latents != 32:
                        rows = found[case] = measure_large(torch, name, options)
                    else:
                        rows = found[case] = measure(torch, name, batch, options)
            except Exception as error:
                print(f"{case}: {type(error).__name__}: {str(error)[:300]}", flush=True)
                continue
            print(f"{case}: fused / best other {rows['fused']['of_best']:.2f}")
            for label, row in rows.items():
                texts = [f"{word} {value:.4g}" for word, value in row.items()]
                print(f"  {label:16} {', '.join(texts)}", flush=True)
            if options.record:
                record(torch, options.dtype, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
