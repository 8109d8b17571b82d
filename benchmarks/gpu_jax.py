"""Host time of operations inside `jax.jit`: of XLA for a call of a function, and of this package.

    python -m benchmarks.gpu_jax [--record]

Two chains of small calls are compiled without command buffers, and enqueued on an idle device. The
time of a call is their difference over that of their lengths; neither fills the device's queue,
which the host would wait for. Beside them are chains of calls of a function in C that does
nothing, which is XLA's own part. All are run in turns; the medians of the batches are printed. A C
compiler is needed.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import records
from benchmarks.processes import compile_c
from benchmarks.timing import in_turns

# Or JAX takes three quarters of the device's memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

#: The number of calls in the chains, and of batches of each.
SHORT, LONG, BATCHES = 16, 80, 101

SOURCE = """
#include "xla.h"
void *nothing(struct xla_frame *frame)
{
    if (frame->extension && frame->extension->type == XLA_METADATA) {
        struct xla_metadata *asked = ((struct xla_asking *)frame->extension)->metadata;
        asked->version.major = 0;
        asked->version.minor = 1;
        asked->traits = XLA_MAY_CAPTURE;
    }
    return NULL;
}
"""


def register_nothing(jax: Any) -> Any:
    """Have XLA know a function that does nothing, by the name "nothing"; return its library."""
    folders = Path(__file__).parents[1] / "native", sysconfig.get_path("include")
    library = compile_c(SOURCE, *[f"-I{each}" for each in folders])
    jax.ffi.register_ffi_target("nothing", jax.ffi.pycapsule(library.nothing), platform="CUDA")
    return library


def batch(jax: Any, function: Callable[[Any], Any], x: Any) -> Callable[[], float]:
    """Return what times both chains of calls, in microseconds for each call."""

    def compile_chain(calls: int) -> Callable[[Any], Any]:
        def chain(x: Any) -> Any:
            for _ in range(calls):
                x = function(x)
            return x

        options = {"xla_gpu_enable_command_buffer": ""}
        return jax.jit(chain).lower(x).compile(compiler_options=options)

    def take(compiled: Callable[[Any], Any]) -> float:
        start = time.perf_counter()
        y = compiled(x)
        taken = time.perf_counter() - start
        jax.block_until_ready(y)
        return taken

    short, long = compile_chain(SHORT), compile_chain(LONG)
    return lambda: (take(long) - take(short)) / (LONG - SHORT) * 1e6


def main() -> int:
    """Measure, and print the microseconds of a call."""
    import jax
    import numpy as np
    from cudnn_cffi import jax as own

    parser = records.parser(__doc__)
    options = parser.parse_args()
    if not any(each.platform == "gpu" for each in jax.devices()):
        print("not run: it takes JAX and a GPU", file=sys.stderr)
        return 77
    library = register_nothing(jax)

    def nothing(x: Any) -> Any:
        kind = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.ffi.ffi_call("nothing", kind)(x, key=np.int64(1))

    small = jax.numpy.ones((8, 64))
    image = jax.numpy.ones((1, 8, 16, 16), jax.numpy.float16)
    w = jax.numpy.full((8, 8, 3, 3), 0.01, jax.numpy.float16)
    chains = {
        "nothing": batch(jax, nothing, small),
        "tanh": batch(jax, own.tanh, small),
        "convolution": batch(jax, lambda x: own.convolution(x, w, padding=1), image),
    }
    medians = in_turns(chains, BATCHES, 3)
    theirs = medians["nothing"]
    print(f"{'microseconds of a call':24}  sum    XLA   ours")
    for name, median in medians.items():
        print(f"{name:24} {median:5.2f}  {theirs:5.2f}  {median - theirs:5.2f}")
    subject = "native", "overlay/cudnn_cffi/jax", "overlay/cudnn_cffi/plan"
    ours = {name: each - theirs for name, each in medians.items() if name != "nothing"}
    values, device = {"xla": theirs, **ours}, jax.devices()[0].device_kind
    records.finish(options, "gpu_jax", values, subject, device)
    del library
    return 0


if __name__ == "__main__":
    sys.exit(main())
