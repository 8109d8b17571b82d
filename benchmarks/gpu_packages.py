"""Time of loading a network's file in a new process, by parts, on a GPU.

    python -m benchmarks.gpu_packages [--network resnet18] [--processes 5]
                                      [--exclude 39] [--record]

The file is of eight images in float16. A process has nothing loaded: it imports this package, opens
libcudnn, makes a context of the driver and a handle of cuDNN, and loads the file twice. In a second
process the first load makes context and handle itself, and what it takes after these is measured;
in a third one, cuDNN's calls for all plans alone, after the libraries that the first one opens were
opened. The C program beside the file tells its own times. With --exclude, no layer has these
engines.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import records

IMAGES = 8

#: The libraries that cuDNN opens for its first plan.
_LIBRARIES = "engines_precompiled", "heuristic", "engines_runtime_compiled"


def load(path: str) -> dict[str, float]:
    """Load a network; return the milliseconds of each part, and the number of plans."""
    marks = [time.perf_counter()]

    def passed() -> float:
        marks.append(time.perf_counter())
        return 1e3 * (marks[-1] - marks[-2])

    cudnn: Any = import_module("cudnn_cffi")
    cudnn.load_network  # noqa: B018  is imported when it is asked for
    found = {"import": passed()}
    cudnn.load()
    found["libcudnn"] = passed()
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    found["context"] = passed()
    cudnn.handle()
    found["handle"] = passed()
    loading, weights = (import_module(f"cudnn_cffi.network.{e}") for e in ("loading", "weights"))
    opened, plans = _timed(loading, "_open"), _timed(loading, "_restored")
    copies = _timed(weights.Weights, "write")
    passed()
    network = cudnn.load_network(path)
    found["load"] = passed()
    plans = plans[len(opened) :]  # those before them opened engines
    found |= {"open": max(opened), "plans": sum(plans), "weights": sum(copies)}
    found["count"] = len(plans)
    network.close()
    passed()
    cudnn.load_network(path)
    return found | {"again": passed()}


def load_alone(path: str) -> dict[str, float]:
    """Load a network with nothing there; return the milliseconds after context and handle."""
    cudnn: Any = import_module("cudnn_cffi")
    cudnn.load_network  # noqa: B018
    cudnn.load()
    pool: Any = import_module("cudnn_cffi.handles")
    make, ends = pool.handle, []

    def handle() -> Any:
        made = make()
        ends.append(time.perf_counter())
        return made

    pool.handle = handle
    cudnn.load_network(path)
    return {"after_handle": 1e3 * (time.perf_counter() - ends[0])}


def load_bare(path: str) -> dict[str, float]:
    """Return the milliseconds of cuDNN's calls for all plans of a file, with a handle there.

    Libraries that the first plan needs are opened before it; both are timed apart, too.
    """
    cudnn: Any = import_module("cudnn_cffi")
    file = import_module("cudnn_cffi.network.reading").read_file(path)
    made, handle = ctypes.c_void_p(), ctypes.c_void_p(int(cudnn.handle()))
    library = ctypes.CDLL(str(cudnn.load().path))
    put = library.cudnnBackendSetAttribute
    put.argtypes = [ctypes.c_void_p, *[ctypes.c_int] * 2, ctypes.c_int64, ctypes.c_void_p]
    texts = [file.texts[each.text : each.text + each.text_size] for each in file.plans]
    path_of = Path(library._name).resolve()
    marks, statuses = [time.perf_counter()], []
    for name in _LIBRARIES:
        ctypes.CDLL(str(path_of.with_name(path_of.name.replace("cudnn", f"cudnn_{name}"))))
    for text in texts:
        marks.append(time.perf_counter())
        statuses += [
            library.cudnnBackendCreateDescriptor(
                int(cudnn.CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR), ctypes.byref(made)
            ),
            put(
                made, int(cudnn.CUDNN_ATTR_EXECUTION_PLAN_HANDLE),
                int(cudnn.CUDNN_TYPE_HANDLE), 1, ctypes.addressof(handle),
            ),
            put(
                made, int(cudnn.CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION),
                int(cudnn.CUDNN_TYPE_CHAR), len(text), text,
            ),
            library.cudnnBackendFinalize(made),
        ]  # fmt: skip
    marks.append(time.perf_counter())
    assert not any(statuses), statuses
    spans = {"libraries": (0, 1), "first_plan": (1, 2), "bare": (0, -1)}
    return {name: 1e3 * (marks[end] - marks[begin]) for name, (begin, end) in spans.items()}


def load_in_c(program: Path, path: str) -> dict[str, float]:
    """Return the milliseconds that the C program tells: of device and libraries, and of loading."""
    given, taken = f"{path}.x", f"{path}.y"
    found = os.environ | import_module("tests.gpu.test_packaging").libraries()
    Path(given).write_bytes(bytes(IMAGES * 3 * 224 * 224 * 2))
    words = [str(program), path, given, taken]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=found)
    ready = done.stdout.splitlines()[-1].split()
    return {"c_load": float(ready[6]), "c_device": float(ready[9])}


def _timed(place: Any, name: str) -> list[float]:
    """Have a function note the milliseconds of its calls."""
    before, times = getattr(place, name), []

    def call(*given: Any) -> Any:
        begin = time.perf_counter()
        made = before(*given)
        times.append(1e3 * (time.perf_counter() - begin))
        return made

    setattr(place, name, call)
    return times


def write_file(network: str, path: str, exclude: list[int]) -> None:
    """Write the file of a network of torchvision, without some engines."""
    torch, models = import_module("torch"), import_module("torchvision.models")
    x = torch.randn(IMAGES, 3, 224, 224, device="cuda", dtype=torch.half)
    model = getattr(models, network)(weights=None).eval().cuda().half()
    import_module("cudnn_cffi.torch").package(
        model, x, path, choose={"exclude": exclude} if exclude else None
    )


def _run(*arguments: str) -> dict[str, float]:
    """Return what a process of this module prints."""
    command = [sys.executable, "-m", "benchmarks.gpu_packages", *arguments]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(json.loads(found))


def main() -> None:
    """Load a file in some processes, and print medians."""
    ways = {"load": load, "alone": load_alone, "bare": load_bare}
    parser = records.parser(__doc__)
    parser.add_argument("--network", default="resnet18")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--exclude", type=int, nargs="*", default=[], help="engines")
    for name in ways:
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name, measure in ways.items():
        if (path := getattr(options, name)) is not None:
            print(json.dumps(measure(path)))
            return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "network.net")
        write_file(options.network, path, options.exclude)
        program = Path(folder, "program")
        import_module("tests.gpu.test_packaging").compiled(Path(path), program)
        rows = [
            _run("--load", path) | _run("--alone", path) | _run("--bare", path)
            | load_in_c(program, path)
            for _ in range(options.processes)
        ]  # fmt: skip
    values = {name: statistics.median([row[name] for row in rows]) for name in rows[0]}
    for name, value in values.items():
        print(f"{name:12} {value:8.1f}")
    if options.record:
        torch = import_module("torch")
        subject = "native", "overlay/cudnn_cffi/network", "overlay/cudnn_cffi/plan"
        name = "_without_".join([options.network, *map(str, options.exclude)])
        kept = records.RESULTS / "gpu_packages.json"
        before = records.load(kept)["values"] if kept.exists() else {}
        written = {**before, name: values}
        records.write("gpu_packages", written, subject, torch.cuda.get_device_name())


if __name__ == "__main__":
    main()
