"""Time of fused networks on a GPU, beside PyTorch's eager mode, CUDA graphs, and its compiler.

All are timed in turns in one process: the time of a call, from many calls one after the other, with
inputs that are there. "Ready" is the time from the model to the end of the first call, with nothing
on disk.

    python -m benchmarks.gpu_fuse [--networks resnet18,vit_b_16,bert,llama] [--batches 1,32,256]
                                  [--dtype float16] [--compile] [--rounds N] [--json FILE]
                                  [--captured] [--noticing] [--record]
"""

from __future__ import annotations

import copy
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

#: Models of transformers: the class, sizes, and the length of a sequence; BERT's base model, and
#: two layers of the shapes of Llama's with 8 billion weights.
CONFIGURED: dict[str, tuple[str, dict[str, Any], int]] = {
    "bert": ("Bert", {}, 128),
    "llama": (
        "Llama",
        {
            "vocab_size": 4096, "hidden_size": 4096, "intermediate_size": 14336,
            "num_hidden_layers": 2, "num_attention_heads": 32, "num_key_value_heads": 8,
        },
        128,
    ),
}  # fmt: skip


def untrained(torch: Any, name: str) -> Any:
    """Return a network of torchvision or transformers with random weights and statistics."""
    if name in CONFIGURED:
        theirs = import_module("transformers")
        kind, sizes, _ = CONFIGURED[name]
        config = getattr(theirs, f"{kind}Config")(**sizes, use_cache=False, return_dict=False)
        return getattr(theirs, f"{kind}Model")(config).eval()
    made = getattr(import_module("torchvision").models, name)(weights=None).eval()
    for each in made.modules():
        if isinstance(each, torch.nn.BatchNorm2d):
            each.running_var.uniform_(0.5, 1.5)
            each.running_mean.normal_(0, 0.2)
    for each in made.parameters():
        if not each.any():  # the head of ViT begins with zeros
            each.data.normal_(0, 0.02)
    return made


def first(y: Any) -> Any:
    """Return the first of several results."""
    return y[0] if isinstance(y, tuple) else y


def microseconds(torch: Any, call: Call, least: float) -> float:
    """Return the time of a call, from as many as take `least` seconds."""
    torch.cuda.synchronize()
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        torch.cuda.synchronize()
        taken = time.perf_counter() - start
        if taken >= least:
            return taken / count * 1e6
        count = max(count + 1, int(count * min(10.0, 1.2 * least / taken)))


def host(call: Call, torch: Any) -> float:
    """Return the microseconds of a call on the host, with an idle device."""
    times = []
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    torch.cuda.synchronize()
    return statistics.median(times) * 1e6


def show_steps(torch: Any, made: Any, x: Any) -> None:
    """Print what each step of a fused model takes of the host."""
    from cudnn_cffi.plan.run.launcher import Launcher

    made(x)
    (program, *_) = made._pipeline._programs.values()
    times: list[list[float]] = [[] for _ in program._steps]
    slow = []
    run = Launcher._run
    for turn in range(30):
        values = [x, *[None] * (program._size - 1)]
        torch.cuda.synchronize()
        if turn == 29:  # which calls the compiled layer leaves to Python

            def counted(self: Any, *given: Any) -> Any:
                slow.append(self)
                return run(self, *given)

            Launcher._run = counted  # type: ignore[method-assign, assignment]
        for step, taken in zip(program._steps, times, strict=True):
            start = time.perf_counter()
            step(values)
            taken.append((time.perf_counter() - start) * 1e6)
    Launcher._run = run  # type: ignore[method-assign]
    medians = [statistics.median(each) for each in times]
    print(f"{len(medians)} steps, {sum(medians):.0f} us of the host, {len(slow)} plans by Python")
    by_engine: dict[str, list[float]] = {}
    engines = {each.name: each.by for each in program.ran}
    for label, median in zip(program.labels, medians, strict=True):
        kind = engines.get(label, "layout" if label.startswith("layout") else "other")
        by_engine.setdefault(kind, []).append(median)
    for kind, each in sorted(by_engine.items()):
        print(f"  {kind:16} {len(each):3} steps, {statistics.median(each):6.1f} us each")
    checks = [host(made._watch.changes, torch) for _ in range(3)]
    print(f"  looking for changes of the model {min(checks):.1f} us")


def network(torch: Any, name: str, batch: int, word: str) -> tuple[Any, Any]:
    """Return a network with random weights and statistics, and an input: images, or words."""
    dtype = getattr(torch, word)
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = untrained(torch, name).to(dtype=dtype, memory_format=torch.channels_last)
    if name in CONFIGURED:
        return model, torch.randint(0, 4096, (batch, CONFIGURED[name][2]), device="cuda")
    x = torch.randn(batch, 3, 224, 224, device="cuda", dtype=dtype)
    return model, x.contiguous(memory_format=torch.channels_last)


def folding_anew(torch: Any, fused: Any) -> float:
    """Return the time of folding all weights of a fused model after each of them changed."""
    (folding,) = fused._pipeline.folder._foldings.values()
    weights = [each.data for each in fused.original.parameters()]
    times: list[float] = []
    for _ in range(15):
        torch._foreach_neg_(weights)
        before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(100_000)
        before.record()
        folding.run()
        after.record()
        after.synchronize()
        times.append(1e3 * before.elapsed_time(after))
    return statistics.median(times)


def measure_noticing(torch: Any, name: str, batch: int, options: Any) -> dict[str, float]:
    """Return the time of a captured network with and without the check for changed weights."""
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.kernels.fold import Folding

    model, x = network(torch, name, batch, options.dtype)
    run, kept = Folding.run, []

    def fold_once(own: Any) -> None:
        """Fold, but not in the captured call, which reads what was folded before."""
        if not torch.cuda.is_current_stream_capturing():
            run(own)

    def made(notices: bool) -> Call:
        Folding.run = run if notices else fold_once  # type: ignore[method-assign, assignment]
        fused = fuse(model, choose="heuristic", capture=True)
        fused(x)
        kept.append(fused)
        (program,) = fused._pipeline._programs.values()
        return program._graph.replay

    with torch.no_grad():
        try:
            calls = [made(notices) for notices in (False, True, False)]
        finally:
            Folding.run = run  # type: ignore[method-assign]
        ways = {str(at): partial(of_device, torch, call) for at, call in enumerate(calls)}
        before, noticing, after = in_turns(ways, 5 * options.rounds).values()
    without = (before + after) / 2
    weights = kept[1]._pipeline.folder._weights.values()
    parts = [part for each in weights for part in each.parts]
    read = [each.layer.weight for each in parts if each.is_derived]
    size = sum(each.numel() * each.element_size() for each in read)
    return {
        "megabytes": size / 1e6, "without_us": without, "with_us": noticing,
        "cost_us": noticing - without, "apart_us": abs(before - after),
        "anew_us": folding_anew(torch, kept[1]),
    }  # fmt: skip


def measure(torch: Any, name: str, batch: int, options: Any) -> dict[str, Any]:
    """Return the times of a network for one batch size."""
    from cudnn_cffi.torch import fuse

    model, x = network(torch, name, batch, options.dtype)
    calls: dict[str, Call] = {}
    ready: dict[str, float] = {}
    errors: dict[str, float] = {}

    def prepare(label: str, make: Callable[[], Call]) -> None:
        torch.cuda.synchronize()
        start = time.perf_counter()
        call = make()
        y = call()
        torch.cuda.synchronize()
        ready[label] = time.perf_counter() - start
        calls[label] = call
        if (y := first(y)) is not None:
            errors[label] = float((y.double() - reference).norm() / size)

    with torch.no_grad():
        reference = None
        if batch <= 8:
            wide = copy.deepcopy(model).double()
            reference = first(wide(x.double() if x.is_floating_point() else x))
            del wide
        if reference is None:
            reference = first(model(x)).double()  # of the same type: only large errors are seen
        size = reference.norm()

        def fused(**settings: Any) -> Callable[[], Call]:
            def make() -> Call:
                made = fuse(model, **settings)
                if options.report and settings == {"choose": "time"}:
                    made(x)
                    print(made.report)
                    show_steps(torch, made, x)
                return lambda: made(x)

            return make

        prepare("fused, captured", fused(choose="heuristic", capture=True))
        if not options.captured:
            prepare("fused", fused(choose="heuristic"))
            prepare("fused, timed", fused(choose="time"))
            prepare("fused, timed, captured", fused(choose="time", capture=True))
            prepare("eager", lambda: lambda: model(x))
        prepare("eager, captured", lambda: captured(torch, partial(model, x)))
        if options.compile:
            for mode in ("max-autotune",) if options.captured else ("default", "max-autotune"):
                torch.compiler.reset()
                compiled = torch.compile(model, mode=mode)

                def run(compiled: Any = compiled) -> Any:
                    return compiled(x)

                prepare(f"compile {mode}", lambda run=run: run)  # type: ignore[misc]
        for call in calls.values():
            for _ in range(3):
                call()
        times: dict[str, list[float]] = {label: [] for label in calls}
        for _ in range(options.rounds):
            for label, call in calls.items():
                times[label].append(microseconds(torch, call, options.seconds))
        hosts = {label: host(call, torch) for label, call in calls.items()}
    found = {
        label: {
            "us": statistics.median(each),
            "min": min(each),
            "host_us": hosts[label],
            "ready_s": ready[label],
            "error": errors.get(label),
        }
        for label, each in times.items()
    }
    return found


def note_noticing(torch: Any, options: Any) -> int:
    """Measure, print and record what noticing changed weights costs."""
    found: dict[str, dict[str, float]] = {}
    for name in options.networks.split(","):
        for batch in map(int, options.batches.split(",")):
            row = found[f"{name} batch {batch}"] = measure_noticing(torch, name, batch, options)
            print(f"{name}, batch {batch}:", {key: round(each, 1) for key, each in row.items()})
    subject = ("overlay/cudnn_cffi/torch/fusion",)
    records.finish(options, "gpu_fuse_noticing", found, subject, torch.cuda.get_device_name())
    return 0


def main() -> int:
    """Measure and print."""
    parser = records.parser(__doc__)
    parser.add_argument("--networks", default="resnet18,resnet50")
    parser.add_argument("--batches", default="1,32,256")
    parser.add_argument("--dtype", default="float16")
    parser.add_argument("--compile", action="store_true", help="with torch.compile: minutes")
    parser.add_argument("--captured", action="store_true", help="what is captured only")
    parser.add_argument("--noticing", action="store_true", help="what seeing changes costs, only")
    parser.add_argument("--report", action="store_true", help="print how each layer runs")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.1, help="of one sample")
    options = parser.parse_args()
    os.environ["CUDNN_CFFI_PLAN_CACHE"] = tempfile.mkdtemp()
    torch = import_module("torch")
    torch.backends.cudnn.benchmark = True
    found: dict[str, Any] = {}
    if options.noticing:
        return note_noticing(torch, options)
    for name in options.networks.split(","):
        for batch in map(int, options.batches.split(",")):
            rows = found[f"{name} {options.dtype} batch {batch}"] = measure(
                torch, name, batch, options
            )
            eager = rows["eager, captured" if options.captured else "eager"]["us"]
            print(f"\n{name}, {options.dtype}, batch {batch}")
            print(f"{'':24} {'us':>9} {'eager/it':>9} {'host us':>8} {'ready s':>8} {'error':>9}")
            for label, row in rows.items():
                error = "-" if row["error"] is None else f"{row['error']:.1e}"
                print(
                    f"{label:24} {row['us']:9.1f} {eager / row['us']:9.2f} {row['host_us']:8.0f} "
                    f"{row['ready_s']:8.2f} {error:>9}",
                    flush=True,
                )
    values = {
        case: {
            label: {name: each for name, each in row.items() if each is not None}
            for label, row in rows.items()
        }
        for case, rows in found.items()
    }
    subject = "native", "overlay/cudnn_cffi/torch/fusion", "overlay/cudnn_cffi/plan"
    name = "gpu_fuse_compile" if options.compile else "gpu_fuse"
    name = "gpu_fuse_captured" if options.captured else name
    records.finish(options, name, values, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
