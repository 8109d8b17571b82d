"""Device time and workspace of gradients of attention that have the same bits each time.

`ops.AttentionBackward` with `deterministic=True` takes turns with the other one, and with PyTorch's
flash backend under `torch.use_deterministic_algorithms`. Arrays are bfloat16, of 16,384 tokens or
fewer, with heads of width 128.

    python -m benchmarks.gpu_deterministic [--seconds N] [--record]
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from cudnn_cffi import ops
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks import records
from benchmarks.gpu_attention import time_in_turns

#: (batch, heads of queries, heads of keys, length)
SHAPES = [
    *((1, 16, 16, 8192), (1, 64, 8, 8192), (1, 16, 16, 16384)),
    *((4, 16, 16, 4096), (8, 16, 16, 2048), (16, 16, 16, 1024)),
]
WIDTH = 128
#: The cycles for which the device waits while the host queues a call.
WAIT = 5_000_000


def measure(batch: int, heads: int, heads_kv: int, length: int, causal: bool) -> dict[str, float]:
    """Return the times in microseconds, and the workspaces in MiB."""
    shapes = [(batch, each, length, WIDTH) for each in (heads, heads_kv, heads_kv, heads)]
    q, k, v, do = (torch.randn(each, device="cuda").bfloat16() for each in shapes)
    o, stats = ops.Attention(causal=causal, stats=True)(q, k, v)[:2]
    arrays, found = (do, q, k, v, o, stats), dict[str, float]()
    functions: dict[str, Callable[[], Any]] = {}
    for name in ("any", "same"):
        operation = ops.AttentionBackward(causal=causal, deterministic=name == "same")
        out = operation(*arrays)[:3]
        found[f"{name}_mib"] = operation.plan(*arrays).workspace_size / 2**20
        functions[name] = partial(operation, *arrays, out=tuple(out))
    inputs = [each.detach().requires_grad_() for each in (q, k, v)]
    torch.use_deterministic_algorithms(True)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        theirs = torch.nn.functional.scaled_dot_product_attention(
            *inputs, is_causal=causal, enable_gqa=heads != heads_kv
        )
    functions["flash"] = partial(torch.autograd.grad, theirs, inputs, do, retain_graph=True)
    return found | time_in_turns(functions, WAIT)


def main() -> None:
    """Measure, and print a table."""
    parser = records.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=90, help="begin no shape after that")
    options = parser.parse_args()
    began, values = time.monotonic(), {}
    for shape in SHAPES:
        for causal in (False, True):
            if time.monotonic() - began > options.seconds:
                break
            name = "x".join(map(str, shape)) + "_causal" * causal
            values[name] = measure(*shape, causal)
            print(name, {key: round(each, 1) for key, each in values[name].items()}, flush=True)
    subject = ("overlay/cudnn_cffi/ops/attn/same_bits.py",)
    records.finish(options, "gpu_deterministic", values, subject, torch.cuda.get_device_name())


if __name__ == "__main__":
    main()
