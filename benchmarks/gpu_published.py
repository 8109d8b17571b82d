"""Device time at shapes with published figures: attention and norms, both directions.

Each row has the time of the plan that `Graph.build` picks, that of the fastest engine and knobs of
a sweep, that of NVIDIA's front end (if it is installed), the published figure, the best time of
each engine, and for norms the speed of a copy of as many bytes. Arrays are taken in turns, so that
none is in the device's cache, and calls are captured into one CUDA graph; each time is the median
of rounds.

    python -m benchmarks.gpu_published [--seconds N] [--only TEXT] [--sweep N] [--record]
"""

from __future__ import annotations

import contextlib
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from threading import Lock
from typing import Any, NamedTuple

import torch
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph

from benchmarks import records as measured

#: Bytes that the arrays of a row span together, so that a call finds none in the cache.
SPAN = 256 << 20
#: Calls of a CUDA graph at least, and how often it is launched.
CALLS, ROUNDS = 4, 9
#: Threads that build plans.
THREADS = 14
#: The norm of a difference to the chosen plan's results, over their norm, at most.
MOST_APART = 0.05
SCALES = ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")
SDPA = "cudnn-frontend, sdpa_benchmark_training/results/h200_919_only_cudnn"
NORMS = "cudnn-frontend, benchmark/norms/results/h200"


class Row(NamedTuple):
    """A computation, its work, and a figure that was published for an H200.

    Attributes:
        kind: "attention", "fp8", "rms_norm" or "layer_norm".
        backward: whether it is the gradient.
        shape: of attention (heads, heads of keys, length, width, causal), of norms (rows, width).
        published: in the unit of the row; 0 for none.
        source: of the published figure.
    """

    kind: str
    backward: bool
    shape: tuple[int, ...]
    published: float = 0.0
    source: str = ""

    @property
    def name(self) -> str:
        """Return a title."""
        way = "backward" if self.backward else "forward"
        if self.is_norm:
            return f"{self.kind} {way} {self.shape[0]}x{self.shape[1]}"
        heads, heads_kv, length, width, causal = self.shape
        masked = ", causal" if causal else ""
        return f"{self.kind} {way} {heads}/{heads_kv} x {width}, {length}{masked}"

    @property
    def is_norm(self) -> bool:
        """Return whether the device's memory bounds it."""
        return "norm" in self.kind

    @property
    def unit(self) -> str:
        """Return the unit of its speed."""
        return "GB/s" if self.is_norm else "TFLOP/s"

    @property
    def work(self) -> float:
        """Return bytes, or operations."""
        if self.is_norm:
            rows, width = self.shape
            return 2.0 * rows * width * (3 if self.backward else 2)
        heads, _, length, width, causal = self.shape
        return (10.0 if self.backward else 4.0) * heads * length**2 * width / (2 if causal else 1)

    def speed(self, microseconds: float) -> float:
        """Return the speed in the row's unit."""
        return self.work / microseconds * (1e-3 if self.is_norm else 1e-6)


ROWS = (
    Row("attention", False, (64, 8, 8192, 128, 0), 691, SDPA),
    Row("attention", True, (64, 8, 8192, 128, 0), 594, SDPA),
    Row("fp8", False, (64, 8, 8192, 128, 0), 1023, SDPA),
    Row("layer_norm", True, (1024, 12288), 946, NORMS),
    Row("layer_norm", False, (1024, 12288), 3227, NORMS),
    Row("rms_norm", False, (16384, 4096), 3708, NORMS),
    Row("rms_norm", True, (16384, 4096), 3801, NORMS),
    Row("attention", False, (64, 8, 8192, 128, 1), 644, SDPA),
    Row("attention", True, (64, 8, 8192, 128, 1), 541, SDPA),
    Row("fp8", False, (64, 8, 8192, 128, 1), 964, SDPA),
    Row("fp8", True, (16, 16, 8192, 128, 0), 636, SDPA),
    Row("fp8", True, (16, 16, 8192, 128, 1), 370, SDPA),
    Row("attention", False, (64, 8, 16384, 128, 0), 702, SDPA),
    Row("attention", True, (64, 8, 16384, 128, 0), 612, SDPA),
    Row("rms_norm", False, (8192, 8192)),
    Row("rms_norm", True, (8192, 8192)),
    Row("layer_norm", False, (16384, 4096)),
    Row("layer_norm", True, (16384, 4096)),
)


def arrays_of(row: Row) -> dict[str, Any]:
    """Return inputs and outputs of a row, by the names of operands."""

    def made(*shape: int, dtype: Any = torch.bfloat16) -> Any:
        return torch.randn(shape, device="cuda").to(dtype)

    if row.is_norm:
        rows, width = row.shape
        x = made(rows, width, 1, 1)
        wide, narrow = (1, width, 1, 1), (rows, 1, 1, 1)
        found = {"x": x, "scale": made(*wide)}
        if row.kind == "layer_norm" and not row.backward:
            found["bias"] = made(*wide)
        names = ("mean", "inv_variance") if row.kind == "layer_norm" else ("inv_variance",)
        statistics = {name: torch.ones(narrow, device="cuda") for name in names}
        if not row.backward:
            return {**found, "y": torch.empty_like(x), **statistics}
        dbias = {"dbias": made(*wide)} if row.kind == "layer_norm" else {}
        dx = {"dx": torch.empty_like(x), "dscale": made(*wide)}
        return {"dy": torch.randn_like(x), **found, **statistics, **dx, **dbias}
    heads, heads_kv, length, width, _ = row.shape
    kind = torch.float8_e4m3fn if row.kind == "fp8" else torch.bfloat16
    q, o = (made(1, heads, length, width, dtype=kind) for _ in range(2))
    k, v = (made(1, heads_kv, length, width, dtype=kind) for _ in range(2))
    # The logarithm of the number of keys: near that of scores of random numbers.
    stats = torch.full((1, heads, length, 1), math.log(length) + 0.5, device="cuda")
    number = (1, 1, 1, 1)
    if not row.backward:
        found = {"q": q, "k": k, "v": v}
        if row.kind == "fp8":
            found |= {name: torch.ones(number, device="cuda") for name in SCALES}
        found |= {"o": o, "stats": stats}
        if row.kind == "fp8":
            found |= {name: torch.ones(number, device="cuda") for name in ("amax_s", "amax_o")}
        return found
    found = {"q": q, "k": k, "v": v, "o": o}
    found |= {"do": made(1, heads, length, width, dtype=kind), "stats": stats}
    if row.kind == "fp8":
        found |= {name: torch.ones(number, device="cuda") for name in _BACKWARD}
    found |= {f"d{name}": torch.empty_like(found[name]) for name in "qkv"}
    if row.kind == "fp8":
        greatest = ("amax_dq", "amax_dk", "amax_dv", "amax_dp")
        found |= {name: torch.ones(number, device="cuda") for name in greatest}
    return found


_BACKWARD = (
    "descale_q", "descale_k", "descale_v", "descale_o", "descale_do", "descale_s", "descale_dp",
    "scale_s", "scale_dp", "scale_dq", "scale_dk", "scale_dv",
)  # fmt: skip


def graph_of(row: Row, arrays: dict[str, Any]) -> Graph:
    """Return the graph of a row."""
    graph = Graph(io_data_type="FP8_E4M3" if row.kind == "fp8" else "BFLOAT16")
    g: Any = graph  # results by words that the row gives
    t: dict[str, Any] = {
        name: graph.tensor(each.shape, _type(each), tuple(each.stride()), name=name)
        for name, each in ((name, arrays[name]) for name in inputs_of(row, arrays))
    }
    results: Any
    if row.kind in ("attention", "fp8"):
        causal = bool(row.shape[4])
        if row.backward:
            given = [t[name] for name in ("q", "k", "v", "o", "do", "stats")]
            more = {"fp8": {name: t[name] for name in _BACKWARD}} if row.kind == "fp8" else {}
            results = g.attention_backward(*given, causal=causal, **more)
        else:
            q, k, v = (t.pop(name) for name in "qkv")
            results = g.attention(q, k, v, causal=causal, stats=True, **t)
    elif row.backward:
        mode = "RMS_NORM" if row.kind == "rms_norm" else "LAYER_NORM"
        results = g.norm_backward(
            mode, t["dy"], t["x"], t["scale"], t.get("mean"), t["inv_variance"],
            bias=row.kind == "layer_norm",
        )  # fmt: skip
    elif row.kind == "rms_norm":
        results = g.rms_norm(t["x"], t["scale"])
    else:
        results = g.layer_norm(t["x"], t["scale"], t["bias"])
    made = [each for each in results if each is not None]
    for name, each in zip(outputs_of(row, arrays), made, strict=True):
        graph.output(each, name=name, data_type=_type(arrays[name]))
    return graph


def _type(array: Any) -> Any:
    return {"torch.float32": "FLOAT", "torch.bfloat16": "BFLOAT16"}.get(
        str(array.dtype), "FP8_E4M3"
    )


_OUTPUTS = (
    *("dq", "dk", "dv", "dx", "dscale", "dbias", "y", "amax_s", "amax_o"),
    *("amax_dq", "amax_dk", "amax_dv", "amax_dp"),
)


def outputs_of(row: Row, arrays: dict[str, Any]) -> list[str]:
    """Return the names of what is written."""
    written = (*_OUTPUTS, *(() if row.backward else ("o", "stats", "mean", "inv_variance")))
    return [name for name in arrays if name in written]


def inputs_of(row: Row, arrays: dict[str, Any]) -> list[str]:
    """Return the names of what is read."""
    written = outputs_of(row, arrays)
    return [name for name in arrays if name not in written]


def front_end(cudnn: Any, row: Row, sets: Sequence[dict[str, Any]]) -> list[Callable[[], None]]:
    """Return calls of NVIDIA's front end."""
    kind = cudnn.data_type
    handle = cudnn.create_handle()
    cudnn.set_stream(handle=handle, stream=torch.cuda.current_stream().cuda_stream)
    graph = cudnn.pygraph(
        io_data_type=kind.FP8_E4M3 if row.kind == "fp8" else kind.BFLOAT16,
        intermediate_data_type=kind.FLOAT, compute_data_type=kind.FLOAT, handle=handle,
    )  # fmt: skip
    types = {"FLOAT": kind.FLOAT, "BFLOAT16": kind.BFLOAT16, "FP8_E4M3": kind.FP8_E4M3}
    arrays = sets[0]
    t = {
        name: graph.tensor(
            dim=list(arrays[name].shape), stride=list(arrays[name].stride()),
            data_type=types[_type(arrays[name])], name=name,
        )
        for name in inputs_of(row, arrays)
    }  # fmt: skip
    constant = torch.full((1, 1, 1, 1), 1e-5)
    epsilon = None
    if row.is_norm and not row.backward:
        epsilon = graph.tensor(
            dim=[1] * 4, stride=[1] * 4, data_type=kind.FLOAT, is_pass_by_value=True
        )
        phase = cudnn.norm_forward_phase.TRAINING
        more = {"norm_forward_phase": phase, "epsilon": epsilon}
        bias = {"bias": t["bias"]} if row.kind == "layer_norm" else {}
        call = graph.layernorm if row.kind == "layer_norm" else graph.rmsnorm
        results = call(input=t["x"], scale=t["scale"], **bias, **more)
    elif row.kind == "layer_norm":
        results = graph.layernorm_backward(
            grad=t["dy"], input=t["x"], scale=t["scale"], mean=t["mean"],
            inv_variance=t["inv_variance"],
        )  # fmt: skip
    elif row.kind == "rms_norm":
        results = graph.rmsnorm_backward(
            grad=t["dy"], input=t["x"], scale=t["scale"], inv_variance=t["inv_variance"],
            has_dbias=False,
        )  # fmt: skip
    else:
        options: dict[str, Any] = {"attn_scale": row.shape[3] ** -0.5}
        if row.shape[4]:
            options["use_causal_mask"] = True
        names = {"do": "dO", "descale_do": "descale_dO", "descale_dp": "descale_dP"}
        names["scale_dp"], names["scale_dq"] = "scale_dP", "scale_dQ"
        names["scale_dk"], names["scale_dv"] = "scale_dK", "scale_dV"
        if row.backward:
            call = graph.sdpa_fp8_backward if row.kind == "fp8" else graph.sdpa_backward
            results = call(**{names.get(name, name): each for name, each in t.items()}, **options)
        else:
            call = graph.sdpa_fp8 if row.kind == "fp8" else graph.sdpa
            results = call(**t, **options, is_inference=False)
    made = [each for each in results if each is not None]
    written = outputs_of(row, arrays)
    for name, each in zip(written, made, strict=False):
        each.set_output(True).set_dim(list(arrays[name].shape))
        each.set_stride(list(arrays[name].stride())).set_data_type(types[_type(arrays[name])])
    graph.build([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    space = torch.empty(max(graph.get_workspace_size(), 1), device="cuda", dtype=torch.uint8)
    packs = []
    for each in sets:
        pack = {t[name]: each[name] for name in t}
        pack |= {tensor: each[name] for name, tensor in zip(written, made, strict=False)}
        if epsilon is not None:
            pack[epsilon] = constant
        packs.append(pack)

    def execute(pack: dict[Any, Any]) -> None:
        cudnn.set_stream(handle=handle, stream=torch.cuda.current_stream().cuda_stream)
        graph.execute(pack, space, handle=handle)

    return [partial(execute, pack) for pack in packs]


def captured(calls: Sequence[Callable[[], Any]]) -> Any:
    """Return a CUDA graph of calls in turns, with the number of them.

    So nothing but their kernels is timed, and no call waits for the host.
    """
    calls = [calls[at % len(calls)] for at in range(max(CALLS, len(calls)))]
    calls[0]()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    graph.replay()
    return graph, len(calls)


def times_of(graphs: dict[str, Any], rounds: int) -> dict[str, float]:
    """Return the median microseconds of a call in each graph; they are launched in turns.

    The order is another one each time, since what runs before may leave less power.
    """
    found: dict[str, list[float]] = {name: [] for name in graphs}
    rng = random.Random(0)
    for _ in range(rounds):
        for name, (graph, count) in rng.sample(list(graphs.items()), len(graphs)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            found[name].append(begin.elapsed_time(end) * 1000 / count)
    return {name: statistics.median(each) for name, each in found.items()}


class Found(NamedTuple):
    """A plan of a sweep, and its time in microseconds."""

    us: float
    plan: Any


def sweep(graph: Graph, arrays: dict[str, Any], outputs: Sequence[str], seconds: float) -> Any:
    """Yield plans of candidates and of drawn knobs whose results are those of the chosen plan.

    Threads build them for some seconds; each is timed alone.
    """
    given = iter(graph.candidates(every_engine=True))
    rng, lock, end = random.Random(0), Lock(), time.monotonic() + seconds
    wanted = {name: arrays[name].float() for name in outputs}
    drawn: set[object] = set()
    built: list[Any] = []

    def draw() -> Any:
        """Return a candidate, or one that was built with another value of a knob."""
        with lock:
            if (each := next(given, None)) is not None or not built:
                return each
            for _ in range(1000):
                each = rng.choice(built)
                if not each.engine_knobs:
                    continue
                knob = rng.choice(each.engine_knobs)
                values = range(knob.minimum, knob.maximum + 1, max(knob.stride, 1))
                other = each.with_knobs(**{knob.name: rng.choice(values)})
                key = other.engine, *sorted(other.knobs.items())
                if key not in drawn:
                    drawn.add(key)
                    return other
        return None

    def build(_: int) -> list[Any]:
        made = []
        while time.monotonic() < end and (each := draw()) is not None:
            with contextlib.suppress(errors.CudnnError):
                made.append(each.build())
                built.append(each)
        return made

    with ThreadPoolExecutor(THREADS) as pool:
        plans = [plan for made in pool.map(build, range(THREADS)) for plan in made]
    for plan in plans:
        for name in outputs:
            arrays[name].zero_()
        try:
            plan(**arrays)
            torch.cuda.synchronize()
        except errors.CudnnError:
            continue
        far = [(arrays[name].float() - each).norm() / each.norm() for name, each in wanted.items()]
        if not max(float(each) for each in far) < MOST_APART:
            continue
        us = times_of({"": captured([partial(plan, **arrays)])}, 3)[""]
        yield Found(us, plan)


def measure(row: Row, seconds: float, original: Any) -> dict[str, Any]:
    """Return the times of a row in microseconds, and what else there is to tell."""
    first = arrays_of(row)
    size = sum(each.numel() * each.element_size() for each in first.values())
    sets = [first]
    for _ in range(min(12, -(-SPAN // size)) - 1):
        sets.append({name: each.clone() for name, each in first.items()})
    graph = graph_of(row, first)
    ours = graph.build()
    ours(**first)
    seconds *= 2 if row.is_norm else 1  # their engines have more knobs
    others = sorted(sweep(graph, first, outputs_of(row, first), seconds), key=lambda each: each.us)
    plans = {"ours": ours} | {f"best {at}": each.plan for at, each in enumerate(others[:4])}
    ways = {
        name: captured([partial(plan, **each) for each in sets]) for name, plan in plans.items()
    }
    if row.is_norm:
        pairs = [torch.empty(2, int(row.work) // 2, dtype=torch.uint8, device="cuda") for _ in sets]
        ways["copy"] = captured([partial(one.copy_, other) for one, other in pairs])
    told: dict[str, Any] = {"engine": f"{ours.engine} {ours.knobs}"}
    if original is not None:
        try:
            ways["front end"] = captured(front_end(original, row, sets))
        except Exception as error:
            told["front end"] = f"{type(error).__name__}: {str(error)[:200]}"
    times = times_of(ways, ROUNDS)
    at = min(plans, key=times.__getitem__)
    told["best engine"] = f"{plans[at].engine} {plans[at].knobs}"
    engines: dict[int, list[float]] = {}
    for each in others:
        engines.setdefault(each.plan.engine, []).append(each.us)
    return {**told, "times": {**times, "best": times[at]}, "engines": engines}


def main() -> int:
    """Measure, print a table, and write the record if asked to."""
    parser = measured.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=140, help="begin no row after that")
    parser.add_argument("--sweep", type=float, default=5, help="seconds to look for the best plan")
    parser.add_argument("--only", default="", help='parts of the titles of rows, such as "rms|fp8"')
    options = parser.parse_args()
    try:
        original: Any = import_module("cudnn")
    except ImportError as error:
        print(f"without NVIDIA's front end: {error}", file=sys.stderr)
        original = None
    began = time.monotonic()
    print(torch.cuda.get_device_name(), getattr(original, "__version__", ""))
    print(f"{'':44}{'ours us':>9}{'best':>9}{'front end':>10}{'speed':>9}{'published':>10}")
    values: dict[str, dict[str, float]] = {}
    for row in ROWS:
        if not any(part in row.name for part in options.only.split("|")):
            continue
        if time.monotonic() - began > options.seconds:
            print(f"{row.name} and what follows it were left out for lack of time")
            break
        try:
            found = measure(row, options.sweep, original)
        except (errors.CudnnError, torch.OutOfMemoryError, IndexError) as error:
            print(f"{row.name:44}{type(error).__name__}: {str(error)[:300]}", flush=True)
            continue
        times, engines = found.pop("times"), found.pop("engines")
        table = {each: f"{min(all_):.1f} of {len(all_)}" for each, all_ in engines.items()}
        theirs = times.get("front end", math.nan)
        print(
            f"{row.name:44}{times['ours']:9.1f}{times['best']:9.1f}{theirs:10.1f}"
            f"{row.speed(times['ours']):9.0f}{row.published or math.nan:10.0f} {row.unit} "
            f"{found} {table}",
            flush=True,
        )
        values[row.name] = {
            "ours": times["ours"], "best": times["best"], "speed": row.speed(times["ours"]),
            **({"front_end": theirs} if "front end" in times else {}),
            **({"copy": row.speed(times["copy"])} if "copy" in times else {}),
            **({"published": row.published} if row.published else {}),
            **{f"engine_{each}": min(all_) for each, all_ in engines.items()},
        }  # fmt: skip
        torch.cuda.empty_cache()
    subject = "overlay/cudnn_cffi/graph", "overlay/cudnn_cffi/choice"
    measured.finish(options, "gpu_published", values, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
