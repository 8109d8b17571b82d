"""Time of whole steps of training on a GPU: fused, in eager mode, and by PyTorch's compiler.

All are in one process, in bfloat16 by autocast with channels last and `cudnn.benchmark`, by SGD
with momentum, the optimizer included. All are captured as CUDA graphs, and timed in turns. "Ready"
is the time of the first step, with nothing on disk. Losses are those of the last tenth of a
training of ResNet-18 on images of ten kinds that can be told apart.

    python -m benchmarks.gpu_training [--networks resnet50] [--batches 64,256] [--compile]
                                      [--losses] [--steps 300] [--seeds 3] [--json FILE] [--record]
                                      [--kernels]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from benchmarks import records
from benchmarks.timing import Call, captured, in_turns, of_device


def network(torch: Any, name: str) -> Any:
    """Return a network of torchvision as it is before a training."""
    torch.manual_seed(0)
    model = getattr(import_module("torchvision").models, name)(weights=None)
    return model.cuda().to(memory_format=torch.channels_last)


def step_of(torch: Any, call: Any, optimizer: Any, x: Any, labels: Any) -> Call:
    """Return a step of PyTorch's."""

    def step() -> None:
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            loss = torch.nn.functional.cross_entropy(call(x), labels)
        loss.backward()
        optimizer.step()

    return step


def ours(torch: Any, model: Any, optimizer: Any, x: Any, labels: Any, **settings: Any) -> Call:
    """Return the step of a fused model."""
    fused = import_module("cudnn_cffi.torch").fuse(model, training=True, **settings)

    def loss(x: Any, labels: Any) -> Any:
        with torch.autocast("cuda", torch.bfloat16):
            return torch.nn.functional.cross_entropy(fused(x), labels)

    step = fused.step(loss, optimizer)
    return lambda: step(x, labels)


def measure(torch: Any, name: str, batch: int, options: Any) -> dict[str, dict[str, float]]:
    """Return the times of steps of a network."""
    torch.manual_seed(1)
    x = torch.randn(batch, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (batch,), device="cuda")
    made: dict[str, Call] = {}
    found: dict[str, dict[str, float]] = {}

    def prepare(label: str, make: Callable[[Any, Any], Call], as_graph: bool) -> None:
        torch.cuda.empty_cache()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        model = network(torch, name)
        optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
        begin = time.perf_counter()
        step = make(model, optimizer)
        step()
        torch.cuda.synchronize()
        ready = time.perf_counter() - begin
        for _ in range(3):
            step()
        if as_graph:
            step = captured(torch, step, before=optimizer.zero_grad)
        memory = torch.cuda.max_memory_allocated() - before
        made[label], found[label] = step, {"ready_s": ready, "memory_gb": memory / 1e9}
        print(f"{name}, batch {batch}, {label}: ready in {ready:.1f} s", flush=True)

    prepare("fused", lambda m, o: ours(torch, m, o, x, labels, capture=True), False)
    prepare("eager", lambda m, o: step_of(torch, m, o, x, labels), True)
    if options.compile:
        torch.compiler.reset()
        prepare(
            "compiled", lambda m, o: step_of(torch, torch.compile(m), o, x, labels), True
        )  # fmt: skip
    ways = {label: partial(of_device, torch, step, 10) for label, step in made.items()}
    for label, taken in in_turns(ways, options.rounds).items():
        found[label]["ms"] = taken / 1e3
        found[label]["images_per_s"] = batch / found[label]["ms"] * 1e3
        if options.kernels:
            found[label] |= {
                f"{kind}_ms": time_
                for kind, time_ in kinds(torch, made[label], options.kernels).items()
            }
    return found


#: Kinds of kernels by parts of their names, the first that fits.
KINDS = (
    ("optimizer", ("multi_tensor_apply", "fused_sgd", "FusedSgd")),
    ("pooling", ("pool", "resample", "Resample")),
    (
        "norm",
        ("statistics", "normalize", "sums", "gradient", "batch_norm", "bn_fw", "bn_bw", "batchnorm",
         "BatchNorm", "_bn_", "norm_"),
    ),
    (
        "convolution",
        ("xmma", "cutlass", "nvjet", "conv", "gemm", "Gemm", "wgrad", "dgrad", "fprop", "splitK",
         "Padding", "nchwToNhwc", "nhwcTo"),
    ),
    ("copies", ("copy", "Copy", "Memcpy", "cast")),
    ("additions", ("CUDAFunctor_add", "AddFunctor", "CUDAFunctorOnSelf_add")),
    ("relu", ("clamp", "threshold", "relu")),
)  # fmt: skip


def kinds(torch: Any, call: Call, shown: int) -> dict[str, float]:
    """Return the milliseconds of each kind of kernels; print the names of the longest.

    A kernel that begins before another one ends, counts from that end.
    """
    profiler = import_module("torch.profiler")
    call()
    torch.cuda.synchronize()
    with profiler.profile(activities=[profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    found: dict[str, float] = {}
    names: dict[str, tuple[float, int, str]] = {}
    on_device = torch.autograd.DeviceType.CUDA
    events = [each for each in profile.events() if each.device_type == on_device]
    end = 0.0
    for event in sorted(events, key=lambda each: each.time_range.start):
        begin, end = max(end, event.time_range.start), max(end, event.time_range.end)
        kind = next((k for k, words in KINDS if any(w in event.name for w in words)), "other")
        found[kind] = found.get(kind, 0.0) + (end - begin) / 1e3
        time_, count, _ = names.get(event.name, (0.0, 0, kind))
        names[event.name] = time_ + end - begin, count + 1, kind
    for name, (time_, count, kind) in sorted(names.items(), key=lambda e: -e[1][0])[:shown]:
        print(f"{time_:8.0f} us {count:4} x {kind:12} {name[:110]}")
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def curve(torch: Any, seed: int, fused: bool, options: Any) -> list[float]:
    """Return the losses of a training of ResNet-18 on images that can be told apart."""
    torch.manual_seed(seed)
    models = import_module("torchvision").models
    model = models.resnet18(weights=None, num_classes=10).cuda()
    model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 0.02, momentum=0.9)
    kinds = torch.randn(10, 3, 32, 32, device="cuda")
    call = model
    if fused:
        call = import_module("cudnn_cffi.torch").fuse(model, training=True, capture=True)

    def loss(x: Any, labels: Any) -> Any:
        with torch.autocast("cuda", torch.bfloat16):
            return torch.nn.functional.cross_entropy(call(x), labels)

    step = call.step(loss, optimizer) if fused else None
    found = []
    for _ in range(options.steps):
        labels = torch.randint(0, 10, (64,), device="cuda")
        x = 0.35 * kinds[labels] + torch.randn(64, 3, 32, 32, device="cuda")
        x = x.to(memory_format=torch.channels_last)
        if step is None:
            optimizer.zero_grad()
            value = loss(x, labels)
            value.backward()
            optimizer.step()
        else:
            value = step(x, labels)
        found.append(value.detach())
    return [float(each) for each in torch.stack(found).tolist()]


def losses(torch: Any, options: Any) -> dict[str, dict[str, float]]:
    """Return the mean loss at the end for each seed, and how far apart the curves are."""
    found: dict[str, dict[str, float]] = {"fused": {}, "eager": {}}
    curves: dict[str, list[list[float]]] = {label: [] for label in found}
    tail = max(1, options.steps // 10)
    for seed in range(options.seeds):
        for label, rows in curves.items():
            rows.append(curve(torch, seed, label == "fused", options))
            found[label][f"seed {seed}"] = statistics.mean(rows[-1][-tail:])
            print(f"{label}, seed {seed}: {found[label][f'seed {seed}']:.4f}", flush=True)

    def apart(one: list[float], other: list[float]) -> float:
        return statistics.mean([abs(a - b) for a, b in zip(one, other, strict=True)])

    eager = curves["eager"]
    found["apart"] = {
        "same seed": statistics.mean(map(apart, curves["fused"], eager)),
        "eager, two seeds": statistics.mean(
            [apart(eager[i], eager[i - 1]) for i in range(len(eager))]
        ),
    }
    print(f"mean distance: {found['apart']}")
    return found


def main() -> int:
    """Measure and print."""
    parser = records.parser(__doc__)
    parser.add_argument("--networks", default="resnet50")
    parser.add_argument("--batches", default="64,256")
    parser.add_argument("--compile", action="store_true", help="with torch.compile: minutes")
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kernels", type=int, default=0, help="profile; number of names to print")
    options = parser.parse_args()
    os.environ["CUDNN_CFFI_PLAN_CACHE"] = tempfile.mkdtemp()
    torch = import_module("torch")
    torch.backends.cudnn.benchmark = True
    found: dict[str, Any] = {}
    for name in filter(None, options.networks.split(",")):
        for batch in map(int, options.batches.split(",")):
            rows = found[f"{name} batch {batch}"] = measure(torch, name, batch, options)
            for label, row in rows.items():
                print(f"{label:10}", {key: round(each, 2) for key, each in row.items()}, flush=True)
    if options.losses:
        found["losses"] = losses(torch, options)
    subject = "native", "overlay/cudnn_cffi/torch", "overlay/cudnn_cffi/ops"
    records.finish(options, "gpu_training", found, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
