"""Host time of an operation inside `jax.jit`, with what XLA takes for each call.

    python -m benchmarks.gpu_jax

A chain of small activations is compiled without command buffers. The device needs less than the
host for each, so the time of the chain is the host's: the smallest of the rounds, by the number of
calls.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

# Or JAX takes three quarters of the device's memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

CALLS, ROUNDS = 1000, 20


def main() -> int:
    """Measure, and print the microseconds of a call."""
    import jax
    from cudnn_cffi.jax import tanh

    def chain(x: Any) -> Any:
        for _ in range(CALLS):
            x = tanh(x)
        return x

    x = jax.numpy.ones((8, 64))
    options = {"xla_gpu_enable_command_buffer": ""}
    compiled = jax.jit(chain).lower(x).compile(compiler_options=options)
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        jax.block_until_ready(compiled(x))
        times.append((time.perf_counter() - start) / CALLS * 1e6)
    print(f"tanh in a chain: {min(times):.2f} microseconds of the host a call")
    return 0


if __name__ == "__main__":
    sys.exit(main())
