"""Time `execute` on the host, with NVIDIA's front end and with `cudnn_cffi.compat.frontend`.

    python -m benchmarks.gpu_frontend [--batches N] [--json FILE] [--record]

Both are measured in one process, in turns, on the same PyTorch tensors; it takes a GPU, PyTorch and
`pip install nvidia-cudnn-frontend`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import records

CALLS = 200


def convolution(torch: Any, graph: Any) -> dict[Any, Any]:
    """Add a small convolution; return its arrays."""
    x = torch.randn(1, 8, 16, 16, device="cuda", dtype=torch.float16)
    w = torch.randn(8, 8, 3, 3, device="cuda", dtype=torch.float16)
    x, w = (each.to(memory_format=torch.channels_last) for each in (x, w))
    image, weight = _tensor(graph, x), _tensor(graph, w)
    y = graph.conv_fprop(image, weight, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    y.set_output(True)
    return {image: x, weight: w, y: torch.empty_like(x)}


def matmul(torch: Any, graph: Any) -> dict[Any, Any]:
    """Add a product of matrices with bias and ReLU; return its arrays."""
    a = torch.randn(4, 128, 64, device="cuda", dtype=torch.float16)
    b = torch.randn(4, 64, 128, device="cuda", dtype=torch.float16)
    c = torch.randn(1, 1, 128, device="cuda", dtype=torch.float16)
    tensors = [_tensor(graph, each) for each in (a, b, c)]
    y = graph.relu(graph.bias(graph.matmul(tensors[0], tensors[1]), tensors[2]))
    y.set_output(True)
    out = torch.empty(4, 128, 128, device="cuda", dtype=torch.float16)
    return dict(zip([*tensors, y], [a, b, c, out], strict=True))


def attention(torch: Any, graph: Any) -> dict[Any, Any]:
    """Add attention; return its arrays."""
    arrays = [torch.randn(2, 8, 256, 64, device="cuda", dtype=torch.float16) for _ in range(4)]
    q, k, v = (_tensor(graph, each) for each in arrays[:3])
    o, _ = graph.sdpa(q=q, k=k, v=v, is_inference=True, attn_scale=0.125)
    o.set_output(True).set_dim(list(arrays[3].shape)).set_stride(list(arrays[3].stride()))
    return dict(zip([q, k, v, o], arrays, strict=True))


def _tensor(graph: Any, array: Any) -> Any:
    return graph.tensor(dim=list(array.shape), stride=list(array.stride()))


def prepare(cudnn: Any, torch: Any, make: Any, form: str) -> Callable[[], None]:
    """Return what executes a graph of one of the modules.

    Args:
        cudnn: the module.
        torch: PyTorch.
        make: adds operations.
        form: "tensors", "uids" or "addresses": what the variant pack is made of.
    """
    handle = cudnn.create_handle()
    cudnn.set_stream(handle=handle, stream=torch.cuda.current_stream().cuda_stream)
    kind = cudnn.data_type
    graph = cudnn.pygraph(
        io_data_type=kind.HALF,
        intermediate_data_type=kind.FLOAT,
        compute_data_type=kind.FLOAT,
        handle=handle,
    )
    pack = make(torch, graph)
    graph.build([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    space = torch.empty(max(graph.get_workspace_size(), 1), dtype=torch.uint8, device="cuda")
    arrays = list(pack.values())
    if form != "tensors":
        pack = {each.get_uid(): array for each, array in pack.items()}
    if form == "addresses":
        pack = {uid: array.data_ptr() for uid, array in pack.items()}

    def call() -> None:
        graph.execute(pack, space, handle=handle)

    call.arrays = arrays  # type: ignore[attr-defined]  # addresses keep nothing alive
    return call


def batch(call: Callable[[], None]) -> float:
    """Return the microseconds of a call, as the mean of many."""
    began = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - began) / CALLS * 1e6


def measure(ways: dict[str, Callable[[], None]], batches: int, wait: Any) -> dict[str, float]:
    """Return the medians of batches that were run in turns."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for call in ways.values():
        batch(call)
        wait()
    for _ in range(batches):
        for name, call in ways.items():
            times[name].append(batch(call))
            wait()
    return {name: statistics.median(each) for name, each in times.items()}


def main() -> int:
    """Measure, print a table, and write JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--json", type=Path)
    records.add_option(parser)
    options = parser.parse_args()
    try:
        torch: Any = import_module("torch")
        original: Any = import_module("cudnn")
        torch.zeros(1, device="cuda")
    except Exception as error:
        print(f"not run: {error}", file=sys.stderr)
        return 77
    from cudnn_cffi.compat import frontend

    modules = {"original": original, "cudnn_cffi": frontend}
    table: dict[str, dict[str, float]] = {}
    for make in (convolution, matmul, attention):
        for form in ("tensors", "uids", "addresses"):
            ways = {}
            for name, module in modules.items():
                try:
                    ways[name] = prepare(module, torch, make, form)
                except Exception as error:
                    print(f"{make.__name__}, {name}: {str(error)[:300]}", file=sys.stderr)
            title = f"{make.__name__}, {form}"
            table[title] = measure(ways, options.batches, torch.cuda.synchronize)
    print(f"{torch.cuda.get_device_name()}, cuDNN {frontend.backend_version_string()}, ", end="")
    print(f"front end {original.__version__}; host microseconds per execute")
    print(f"{'':24}{'original':>10}{'here':>10}{'ratio':>8}")
    for title, times in table.items():
        theirs, here = times.get("original", float("nan")), times.get("cudnn_cffi", float("nan"))
        print(f"{title:24}{theirs:10.2f}{here:10.2f}{here / theirs:8.2f}")
    if options.json:
        options.json.write_text(json.dumps(table, indent=2))
    if options.record:
        subject = "overlay/cudnn_cffi/compat/frontend", "overlay/cudnn_cffi/plan"
        records.write("gpu_frontend", table, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
