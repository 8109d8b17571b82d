"""Host time from the call of an operation to cuDNN, with functions in its place that do nothing.

    python -m benchmarks.dispatch [--rounds N] [--record]

It needs no GPU: cuDNN's functions and the driver's are stood in for, and arrays lie at addresses
that nothing reads. A plan, a classic call, and operations in front of both are called in turns; the
medians of the rounds are printed, of the thread's CPU time. A C compiler is needed, and the
compiled call layer.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from typing import Any

from cudnn_cffi import _call, ops
from cudnn_cffi._call.layer import lib, mode
from cudnn_cffi._call.spec import WRAPPERS
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.classic_call import HANDLE, Classic, Step

from benchmarks import records
from benchmarks.processes import compile_c
from benchmarks.timing import in_turns
from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, make_plan, own

#: The number of calls that are timed at once.
CALLS = 5000

SOURCE = """
#include <stdint.h>
int create(void **made) { static uintptr_t n = 0x500000; *made = (void *)(n += 256); return 0; }
int create_of(int kind, void **made) { return create(made); }
int done(void) { return 0; }
int stream(void *handle, void **found) { *found = 0; return 0; }
int types(void *d, int n, int *type, int *a, int *b, int *c) { *type = 0; return 0; }
int read(void *d, int n, int k, int64_t m, int64_t *count, void *to)
{
    *count = 1;
    if (to) *(int64_t *)to = 0;
    return 0;
}
"""

FUNCTIONS = {
    "cudnnCreate": "create",
    "cudnnGetStream": "stream",
    "cudnnGetTensorNdDescriptor": "types",
    "cudnnBackendCreateDescriptor": "create_of",
    "cudnnBackendGetAttribute": "read",
    **dict.fromkeys(
        (
            *("cudnnDestroy", "cudnnSetStream", "cudnnActivationForward", "cudnnBackendExecute"),
            *("cudnnBackendSetAttribute", "cudnnBackendFinalize", "cudnnBackendDestroyDescriptor"),
        ),
        "done",
    ),
}


def stand_in() -> Any:
    """Put functions that do nothing in the place of cuDNN's; return their library."""
    if mode() != "api":
        print("not run: it takes the compiled call layer", file=sys.stderr)
        sys.exit(77)
    library = compile_c(SOURCE, "-w")
    _call.bind()
    for name, other in FUNCTIONS.items():
        address = ctypes.cast(getattr(library, other), ctypes.c_void_p).value or 0
        lib.cudnn_cffi_bind(WRAPPERS.index(name), address)
    FakeDriver().install(setattr)
    return library


def _case(_: Any, specs: Any, targets: Any, alpha: float, beta: float, call: Any) -> Case:
    return Case(specs, targets, alpha, beta, call)


def calls() -> dict[str, Any]:
    """Return what the measured lines use, by name."""
    x, w, y = (own(each, 0x10000 * place) for place, each in enumerate(CONVOLUTION, 1))
    name = "cudnnActivationForward"
    step = Step(name, HANDLE, 11, 1.0, 12, "x", 0.0, 13, "y")
    way, plan = Classic(name, [CONVOLUTION[0], CONVOLUTION[2]], [step]), make_plan()
    for cls, found in ((ops.Activation, way), (ops.Convolution, plan)):
        changed: Any = cls
        changed._case = _case  # noqa: SLF001
        changed.find_way = lambda _self, *_, found=found: found
    return {
        "x": x, "w": w, "y": y, "way": way, "plan": plan, "relu": ops.Activation(),
        "conv": ops.Convolution(1), "ops": ops,
    }  # fmt: skip


LINES = (
    "plan(x, w, y)",
    "way(x, y)",
    "conv(x, w, out=y)",
    "relu(x, out=y)",
    "ops.relu(x, out=y)",
    "ops.convolution(x, w, out=y, padding=1)",
    "ops.convolution(x, w, out=y, padding=(1, 1), stride=1, groups=1)",
)


def batch(line: str, names: dict[str, Any]) -> Callable[[], float]:
    """Return a function that times a line of Python, in nanoseconds for each run."""
    code = f"def run(n, {', '.join(names)}):\n    for _ in range(n):\n        {line}\n"
    space: dict[str, Any] = {}
    exec(code, space)
    run = space["run"]

    def timed() -> float:
        began = time.thread_time_ns()
        run(CALLS, *names.values())
        return (time.thread_time_ns() - began) / CALLS

    return timed


def main() -> int:
    """Measure and print the table."""
    parser = records.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    library = stand_in()
    names = calls()
    ways = {line: batch(line, names) for line in ("pass", *LINES)}
    times = in_turns(ways, options.rounds, 2)
    empty = times.pop("pass")
    values = {line: (taken - empty) / 1000 for line, taken in times.items()}
    for line, taken in values.items():
        print(f"{line:70} {taken * 1000:6.0f} ns")
    subject = "native", "overlay/cudnn_cffi/ops", "overlay/cudnn_cffi/plan"
    records.finish(options, "dispatch", values, subject)
    del library
    return 0


if __name__ == "__main__":
    sys.exit(main())
