"""Host time of reading arrays in a plan's call: by private memory, and by public protocols.

    python -m benchmarks.reading            # arrays in host memory, or with made-up addresses
    python -m benchmarks.reading --record   # and write benchmarks/results/reading.json
    python -m benchmarks.reading --cuda     # arrays of PyTorch and CuPy on the device, real plans

The compiled layer describes arrays by the C functions of DLPack's exchange table, if their type has
one: PyTorch's tensors, `StridedMemoryView` of cuda.core, and a type of apache-tvm-ffi whose table
has no function that describes, only one that makes an owner. The table does not tell whether a
tensor of PyTorch is negative, which a function in C++ is asked for, whose argument is at a place
that is found once. CuPy's arrays are read by the fields of the object, or by the table if CuPy has
one. `READ_PRIVATE` of `plan/run/reading.py` turns off both: then tensors are asked by a method, and
arrays of CuPy by their attributes. Each figure is in nanoseconds, for one array or for a call with
three; the median of the rounds, of the thread's CPU time. Each mode has a process of its own.
Libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from statistics import median
from typing import Any

from benchmarks import records

#: A change of these makes the record old.
SUBJECT = (
    "native/arrays.c",
    "native/arrays.h",
    "native/launcher.c",
    "overlay/cudnn_cffi/plan/arrays",
)

CALLS = 5000
ROUNDS = 31

#: Calls between two waits for the device: more would fill its queue, and wait for it themselves.
QUEUED = 100

#: Lines of Python that read an array `x` by public means, by the library.
LINES = {
    "torch": (
        "x.__dlpack__()",
        "x.is_neg()",
        "x.data_ptr(), x.shape, x.stride(), x.dtype, x.get_device()",
    ),
    "cupy": (
        "x.__dlpack__()",
        "x.__cuda_array_interface__",
        "x.data.ptr, x.shape, x.strides, x.dtype, x.data.device_id",
    ),
}


def time_line(
    line: str, names: dict[str, Any], calls: int = CALLS, wait: Callable[[], object] = bool
) -> float:
    """Return the median nanoseconds of a line of Python, less those of the loop.

    `wait` is called between the rounds, which have `calls` calls each.
    """
    space: dict[str, Any] = {}
    found = []
    for each in ("pass", line):
        exec(f"def run({', '.join(names)}):\n for _ in range({calls}):\n  {each}\n", space)
        run: Callable[..., None] = space["run"]
        samples = []
        for _ in range(ROUNDS * CALLS // calls if calls < CALLS else ROUNDS):
            wait()
            began = time.thread_time_ns()
            run(*names.values())
            samples.append((time.thread_time_ns() - began) / calls)
        found.append(median(samples))
    return found[1] - found[0]


def _torch() -> object:
    return import_module("torch").zeros(8, 8)


def _core() -> object:
    view = import_module("cuda.core.utils").StridedMemoryView
    return view.from_dlpack(import_module("numpy").zeros((8, 8)), stream_ptr=-1)


def _tvm() -> object:
    core = import_module("tvm_ffi.core")
    return core.DLTensorTestWrapper(core.from_dlpack(import_module("numpy").zeros((8, 8))))


#: Functions that make an array in host memory, by its kind.
MAKERS: dict[str, Callable[[], object]] = {
    "pytorch": _torch,
    "cuda_core": _core,
    "tvm_ffi_owner": _tvm,
}


def without_a_device() -> dict[str, float]:
    """Return the time of one array by its table, and of calls with three others."""
    from cudnn_cffi import handles

    from benchmarks import dispatch

    library = dispatch.stand_in()
    handle = handles.handle(0)
    found = {}
    for kind, make in MAKERS.items():
        try:
            found[kind] = by_table(make, handle)
        except ImportError:
            continue
    found |= whole_calls(handle)
    del library
    return found


def by_table(make: Callable[[], object], handle: Any) -> float:
    """Return the time of one array in a launcher of a plan that does nothing.

    It is what the launcher takes longer with three arrays than with three addresses.
    """
    from cudnn_cffi.plan.run import addresses, reading

    from tests.plan.standin import make_plan

    pack = {key: make() for key in (1, 2, 3)}
    launch = addresses.launcher(
        make_plan(), lambda *_, **__: "slow", [(0, 0, True, False, False)] * 3
    )
    reading.learn_type(pack[1])
    assert reading.is_learnt(type(pack[1])), f"{type(pack[1])} is not read by the compiled layer"
    times = []
    for given in (dict.fromkeys(pack, 0x7000), pack):
        kinds = tuple(given.values())
        launch._learn(handle, handle, (1, 2, 3), (0, 1, 2), kinds, False)  # noqa: SLF001
        assert launch(given, 1 << 20, handle) is None, "these are not taken as they are"
        names = {"launch": launch, "pack": given, "handle": handle}
        times.append(time_line(f"launch(pack, {1 << 20}, handle)", names))
    return (times[1] - times[0]) / 3


def whole_calls(handle: Any) -> dict[str, float]:
    """Return the time of a plan's call with three arrays at addresses where there is nothing."""
    from cudnn_cffi.plan.run import reading

    from tests.plan.standin import CONVOLUTION, make_plan, own

    def cupy(operand: Any, address: int) -> object:
        library = import_module("cupy")
        memory = library.cuda.UnownedMemory(address, 1 << 20, None, 0)
        strides = tuple(2 * step for step in operand.strides)
        place = library.cuda.MemoryPointer(memory, 0)
        return library.ndarray(operand.shape, "float16", place, strides)

    found = {}
    for kind, make in (("call with DeviceArrays", own), ("call with CuPy", cupy)):
        plan = make_plan()
        try:
            x, w, y = (make(each, each.uid << 16) for each in CONVOLUTION)
        except ImportError:
            continue
        # CuPy does not describe its arrays in Python without a GPU, so the plan learns from others.
        plan(*[own(each, each.uid << 16) for each in CONVOLUTION], handle=handle)
        reading.learn_type(x)
        assert plan.attempt(x, w, y, handle=handle) is y, "Python makes the call"
        names = {"plan": plan, "x": x, "w": w, "y": y, "handle": handle}
        found[kind] = time_line("plan(x, w, y, handle=handle)", names)
    return found


def on_the_device() -> dict[str, float]:
    """Return the times of calls of a plan with arrays of each library."""
    import cudnn_cffi as cudnn

    found = {}
    for name in ("torch", "cupy"):
        try:
            library = import_module(name)
        except ImportError:
            continue
        options = {"device": "cuda"} if name == "torch" else {}

        def new(*shape: int, make: Any = library, more: Any = options) -> Any:
            return make.zeros(shape, dtype=make.float16, **more)

        x, w, y = new(8, 64, 8, 8), new(64, 64, 3, 3), new(8, 64, 8, 8)
        g = cudnn.Graph()
        g.output(g.convolution(g.tensor(x), g.tensor(w), padding=1), name="y")
        plan = g.build()
        plan(x, w, y)
        names = {"plan": plan, "x": x, "w": w, "y": y}
        wait = library.cuda.synchronize if name == "torch" else library.cuda.Device().synchronize
        for line in ("plan(x, w, y)", "plan(x, w)"):
            found[f"{name}: {line}"] = time_line(line, names, QUEUED, wait)
        if name == "torch":
            try:
                view = import_module("cuda.core.utils").StridedMemoryView.from_dlpack
            except ImportError:
                continue
            views = {
                key: view(each, stream_ptr=-1) for key, each in zip("xwy", (x, w, y), strict=True)
            }
            plan(*views.values())
            line = "plan(x, w, y)"
            found[f"cuda.core: {line}"] = time_line(line, names | views, QUEUED, wait)
    return found


def measure(private: bool, cuda: bool) -> dict[str, float]:
    """Return the times of one mode; for a process of its own."""
    from cudnn_cffi.plan.run import reading

    reading.READ_PRIVATE = private
    return on_the_device() if cuda else without_a_device()


def by_python(cuda: bool) -> None:
    """Print the times of public ways in Python."""
    for name, lines in LINES.items():
        try:
            library = import_module(name)
        except ImportError:
            continue
        if name == "cupy" and not cuda:
            continue
        x = library.zeros((8, 8), **({"device": "cuda"} if name == "torch" and cuda else {}))
        for line in lines:
            print(f"{name}, in Python: {line:<62} {time_line(line, {'x': x}):8.0f}")


def main() -> int:
    """Measure both modes and print the table."""
    parser = records.parser(__doc__)
    parser.add_argument("--cuda", action="store_true", help="arrays on the device, and real plans")
    parser.add_argument("--mode", choices=("private", "public"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.mode:
        print(json.dumps(measure(given.mode == "private", given.cuda)))
        return 0
    by_python(given.cuda)
    found: dict[str, dict[str, float]] = {}
    for mode in ("private", "public") * 2:  # in turns; the smaller figure counts
        command = [sys.executable, "-m", "benchmarks.reading", "--mode", mode]
        command += ["--cuda"] if given.cuda else []
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for what, spent in json.loads(answer.splitlines()[-1]).items():
            times = found.setdefault(what, {})
            times[mode] = min(spent, times.get(mode, spent))
    for what, times in found.items():
        more = times["public"] - times["private"]
        both = f"private {times['private']:8.0f}  public {times['public']:8.0f}"
        print(f"{what:<24} {both}  more {more:6.0f}")
    if not given.cuda:
        records.finish(given, "reading", found, SUBJECT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
