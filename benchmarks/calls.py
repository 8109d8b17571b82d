"""Time calls: this package beside raw cffi, ctypes and CuPy, in one run.

    python -m benchmarks.calls [--library FILE] [--rounds N] [--markdown] [--record]

All contestants run in one process, in turns, so that whatever disturbs the machine disturbs all;
each number is the median of its rounds. No GPU is needed. The library is the one that cudnn_cffi
finds; CuPy's cuDNN binding (CuPy 13, cuDNN 8) takes part where it can be imported.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import records

CALLS = ("set4d", "get4d", "create+destroy")
EXTENTS = (8, 64, 56, 56)

DECLARATIONS = """
typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;
int cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *);
int cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t);
int cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t, int, int, int, int, int, int);
int cudnnGetTensor4dDescriptor(cudnnTensorDescriptor_t, int *, int *, int *, int *, int *,
                               int *, int *, int *, int *);
"""


class Contestant(NamedTuple):
    """Statements to time, and the names that they use."""

    name: str
    names: dict[str, Any]
    set4d: str
    get4d: str
    create_destroy: str

    def timer(self, call: str) -> timeit.Timer:
        """Return a timer of one of the measured calls."""
        statement = {"create+destroy": self.create_destroy}.get(call) or getattr(self, call)
        return timeit.Timer(statement, globals=self.names)


def ours() -> Iterator[Contestant]:
    """Yield this package under its C names and with methods, in the mode it is in."""
    import cudnn_cffi as cudnn
    from cudnn_cffi import _call

    x = cudnn.TensorDescriptor()
    names = {
        "new": cudnn.cudnnCreateTensorDescriptor,
        "delete": cudnn.cudnnDestroyTensorDescriptor,
        "put": cudnn.cudnnSetTensor4dDescriptor,
        "get": cudnn.cudnnGetTensor4dDescriptor,
        "x": x,
        "address": x.address,
        "NCHW": cudnn.TensorFormat.NCHW,
        "FLOAT": cudnn.DataType.FLOAT,
        "TensorDescriptor": cudnn.TensorDescriptor,
    }
    mode = "compiled" if _call.mode() == "api" else "not compiled"
    yield Contestant(
        f"cudnn_cffi, {mode}",
        names,
        "put(x, NCHW, FLOAT, 8, 64, 56, 56)",
        "get(x)",
        "delete(new())",
    )
    yield Contestant(
        f"cudnn_cffi, {mode}, methods",
        names,
        "x.set_4d(NCHW, FLOAT, 8, 64, 56, 56)",
        "x.get_4d()",
        "TensorDescriptor().close()",
    )


def raw_cffi(name: str, ffi: Any, lib: Any) -> Contestant:
    """Nothing around the calls: no status is looked at, no result made."""
    cell = ffi.new("cudnnTensorDescriptor_t *")
    lib.cudnnCreateTensorDescriptor(cell)
    return Contestant(
        name,
        {
            "new": lib.cudnnCreateTensorDescriptor,
            "delete": lib.cudnnDestroyTensorDescriptor,
            "put": lib.cudnnSetTensor4dDescriptor,
            "get": lib.cudnnGetTensor4dDescriptor,
            "x": cell[0],
            "cell": ffi.new,
        },
        "put(x, 0, 0, 8, 64, 56, 56)",
        "c = [cell('int *') for _ in range(9)]; get(x, *c); tuple([each[0] for each in c])",
        "c = cell('cudnnTensorDescriptor_t *'); new(c); delete(c[0])",
    )


def cffi_api(library: Path, folder: str) -> Contestant:
    """Compile a module of raw cffi against the library and return its contestant."""
    from cffi import FFI

    builder = FFI()
    builder.cdef(DECLARATIONS)
    builder.set_source(
        "raw_cudnn",
        DECLARATIONS,
        extra_link_args=[str(library), f"-Wl,-rpath,{library.parent}"],
    )
    built = builder.compile(tmpdir=folder)
    spec = importlib.util.spec_from_file_location("raw_cudnn", built)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return raw_cffi("raw cffi, API mode", module.ffi, module.lib)


def cffi_abi(library: Path) -> Contestant:
    """Return the contestant that opens the library with raw cffi."""
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(DECLARATIONS)
    return raw_cffi("raw cffi, ABI mode", ffi, ffi.dlopen(str(library)))


def with_ctypes(library: Path) -> Contestant:
    """Return the contestant that opens the library with ctypes and declares argument types."""
    import ctypes

    lib = ctypes.CDLL(str(library))
    lib.cudnnCreateTensorDescriptor.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
    lib.cudnnDestroyTensorDescriptor.argtypes = [ctypes.c_void_p]
    lib.cudnnSetTensor4dDescriptor.argtypes = [ctypes.c_void_p] + [ctypes.c_int] * 6
    pointer = ctypes.POINTER(ctypes.c_int)
    lib.cudnnGetTensor4dDescriptor.argtypes = [ctypes.c_void_p] + [pointer] * 9
    x = ctypes.c_void_p()
    lib.cudnnCreateTensorDescriptor(ctypes.byref(x))
    return Contestant(
        "ctypes with argtypes",
        {
            "new": lib.cudnnCreateTensorDescriptor,
            "delete": lib.cudnnDestroyTensorDescriptor,
            "put": lib.cudnnSetTensor4dDescriptor,
            "get": lib.cudnnGetTensor4dDescriptor,
            "x": x,
            "int_": ctypes.c_int,
            "pointer": ctypes.c_void_p,
            "by": ctypes.byref,
        },
        "put(x, 0, 0, 8, 64, 56, 56)",
        "c = [int_() for _ in range(9)]; get(x, *[by(i) for i in c]); tuple([i.value for i in c])",
        "c = pointer(); new(by(c)); delete(c)",
    )


def with_cupy() -> Contestant | None:
    """Return CuPy's binding, or None where CuPy is missing or has no cuDNN."""
    try:
        cudnn = importlib.import_module("cupy_backends.cuda.libs.cudnn")
    except ImportError as error:
        print(f"CuPy takes no part: {error}", file=sys.stderr)
        return None
    return Contestant(
        "CuPy's Cython binding",
        {
            "new": cudnn.createTensorDescriptor,
            "delete": cudnn.destroyTensorDescriptor,
            "put": cudnn.setTensor4dDescriptor,
            "get": cudnn.getTensor4dDescriptor if hasattr(cudnn, "getTensor4dDescriptor") else None,
            "x": cudnn.createTensorDescriptor(),
        },
        "put(x, 0, 0, 8, 64, 56, 56)",
        "get(x)",
        "delete(new())",
    )


def contestants(folder: str) -> Iterator[Contestant]:
    """Yield all contestants that can run here."""
    yield from ours()
    from cudnn_cffi import library

    loaded = library.current()
    assert loaded is not None
    yield cffi_api(Path(loaded.path), folder)
    yield cffi_abi(Path(loaded.path))
    yield with_ctypes(Path(loaded.path))
    if cupy := with_cupy():
        yield cupy


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Nanoseconds by contestant and call."""
    with tempfile.TemporaryDirectory() as folder:
        running = list(contestants(folder))
        times: dict[tuple[str, str], list[float]] = {}
        skipped: set[tuple[str, str]] = set()
        for _ in range(rounds):
            for call in CALLS:
                for each in running:
                    if (each.name, call) in skipped:
                        continue
                    try:
                        spent = each.timer(call).timeit(2000) / 2000 * 1e9
                    except TypeError:
                        if each.names.get("get") is not None:
                            raise
                        skipped.add((each.name, call))  # the binding lacks the function
                        continue
                    times.setdefault((each.name, call), []).append(spent)
    result: dict[str, dict[str, float]] = {}
    for (name, call), spent_in in times.items():
        result.setdefault(name, {})[call] = statistics.median(spent_in)
    return result


# Starting ----------------------------------------------------------------------------------------

STARTS: dict[str, str] = {
    "import cudnn_cffi": "import cudnn_cffi",
    "import cudnn_cffi.v9_28_0": "import cudnn_cffi.v9_28_0",
    "import and first call (version)": "import cudnn_cffi as c; c.cudnnGetVersion()",
    "import and first descriptor": "import cudnn_cffi as c; c.TensorDescriptor()",
    "the same with ctypes alone": (
        "import ctypes, os; d = ctypes.CDLL(os.environ['CUDNN_CFFI_LIBRARY']); "
        "d.cudnnCreateTensorDescriptor(ctypes.byref(ctypes.c_void_p()))"
    ),
}

TIMED = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"


def starts(library: str, rounds: int) -> dict[str, float]:
    """Milliseconds in fresh interpreters, net of the interpreter, with bytecode compiled."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": folder, "CUDNN_CFFI_LIBRARY": library}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times: dict[str, list[float]] = {name: [] for name in STARTS}
        for turn in range(rounds + 1):
            for name, code in STARTS.items():
                done = subprocess.run(
                    [sys.executable, "-c", TIMED.format(code)],
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                if turn:  # the first one compiles
                    times[name].append(float(done.stdout.split()[-1]) * 1e3)
    return {name: statistics.median(spent) for name, spent in times.items()}


# Telling -----------------------------------------------------------------------------------------

Row = Callable[[list[str]], str]


def table(head: list[str], rows: list[list[str]], markdown: bool) -> str:
    """Return rows as aligned text, or as a Markdown table."""
    if markdown:
        rule = ["---", *["---:"] * (len(head) - 1)]
        return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *rows)
    )


def report(times: dict[str, dict[str, float]], markdown: bool) -> str:
    """Return the table of calls: nanoseconds, and factors of raw cffi."""
    base = times["raw cffi, API mode"]
    rows = []
    for name, by_call in times.items():
        row = [name]
        for call in CALLS:
            spent = by_call.get(call)
            # A getter's raw form makes its own cells, so a setter is what it is compared with.
            against = base["set4d" if call == "get4d" else call]
            row.append(f"{spent:.0f} ({spent / against:.2f}x)" if spent is not None else "-")
        rows.append(row)
    head = ["ns, median (x: of raw cffi API; get4d: of its set4d)", *CALLS]
    return table(head, rows, markdown)


def main() -> None:
    """Measure and print the tables."""
    parser = records.parser(__doc__)
    parser.add_argument("--library", help="the libcudnn to call")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--markdown", action="store_true", help="print tables for a document")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.library:
        os.environ["CUDNN_CFFI_LIBRARY"] = given.library
    if given.child:
        print(json.dumps(measure(given.rounds)))
        return
    times = measure(given.rounds)
    from cudnn_cffi import _call, library

    loaded = library.current()
    assert loaded is not None
    if _call.mode() == "api":
        # The other mode needs a process of its own.
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.calls", "--child", "--rounds", str(given.rounds)],
            env=os.environ | {"CUDNN_CFFI_MODE": "abi", "CUDNN_CFFI_LIBRARY": str(loaded.path)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        for name, spent in json.loads(done.stdout).items():
            times.setdefault(name, spent)
    print(f"cuDNN {loaded.version}, Python {sys.version.split()[0]}\n")
    print(report(times, given.markdown))
    spent_on = starts(str(loaded.path), max(given.rounds // 2, 5))
    rows = [[name, f"{spent:.1f}"] for name, spent in spent_on.items()]
    print(
        "\n" + table(["ms in a fresh interpreter, net of it, median", "ms"], rows, given.markdown)
    )
    name = records.key(f"calls {loaded.version}")
    subject = "native", "overlay/cudnn_cffi/_call", "overlay/cudnn_cffi/descriptors"
    records.finish(given, name, {"calls": times, "starts": spent_on}, subject)


if __name__ == "__main__":
    main()
