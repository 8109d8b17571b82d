"""Time `execute` on the host, with NVIDIA's front end and with `cudnn_cffi.compat.frontend`.

    python -m benchmarks.gpu_frontend [--batches N] [--json FILE] [--record]

Both are measured in one process, in turns, on the same PyTorch tensors; it takes a GPU, PyTorch and
`pip install nvidia-cudnn-frontend`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import cudnn_cffi

from benchmarks import gpu_plans, records
from benchmarks.timing import Sample, in_python, in_turns


def convolution(torch: Any, graph: Any, _: Any) -> dict[Any, Any]:
    """Add a small convolution; return its arrays."""
    x = torch.randn(1, 8, 16, 16, device="cuda", dtype=torch.float16)
    w = torch.randn(8, 8, 3, 3, device="cuda", dtype=torch.float16)
    x, w = (each.to(memory_format=torch.channels_last) for each in (x, w))
    image, weight = _tensor(graph, x), _tensor(graph, w)
    y = graph.conv_fprop(image, weight, padding=[1, 1], stride=[1, 1], dilation=[1, 1])
    y.set_output(True)
    return {image: x, weight: w, y: torch.empty_like(x)}


def matmul(torch: Any, graph: Any, _: Any) -> dict[Any, Any]:
    """Add a product of matrices with bias and ReLU; return its arrays."""
    a = torch.randn(4, 128, 64, device="cuda", dtype=torch.float16)
    b = torch.randn(4, 64, 128, device="cuda", dtype=torch.float16)
    c = torch.randn(1, 1, 128, device="cuda", dtype=torch.float16)
    tensors = [_tensor(graph, each) for each in (a, b, c)]
    y = graph.relu(graph.bias(graph.matmul(tensors[0], tensors[1]), tensors[2]))
    y.set_output(True)
    out = torch.empty(4, 128, 128, device="cuda", dtype=torch.float16)
    return dict(zip([*tensors, y], [a, b, c, out], strict=True))


def attention(torch: Any, graph: Any, _: Any) -> dict[Any, Any]:
    """Add attention; return its arrays."""
    arrays = [torch.randn(2, 8, 256, 64, device="cuda", dtype=torch.float16) for _ in range(4)]
    q, k, v = (_tensor(graph, each) for each in arrays[:3])
    o, _ = graph.sdpa(q=q, k=k, v=v, is_inference=True, attn_scale=0.125)
    o.set_output(True).set_dim(list(arrays[3].shape)).set_stride(list(arrays[3].stride()))
    return dict(zip([q, k, v, o], arrays, strict=True))


def ragged(torch: Any, graph: Any, cudnn: Any) -> dict[Any, Any]:
    """Add attention of 12 tensors: sequences of different lengths, one after the other.

    It is the graph of NVIDIA/cudnn-frontend#1086, with lengths in the place of their sums.
    """
    batch, width, heads, heads_kv = 8, 128, 32, 8
    kind = {"device": "cuda", "dtype": torch.int32}
    lengths_q = torch.tensor([4, 64, 1, 17, 33, 8, 50, 2], **kind)
    lengths = lengths_q * 8
    arrays: dict[str, Any] = {"lengths_q": lengths_q.reshape(-1, 1, 1, 1)}
    arrays["lengths_kv"] = lengths.reshape(-1, 1, 1, 1)
    shapes = {"q": (heads, width), "k": (heads_kv, width), "v": (heads_kv, width)}
    shapes |= {"o": (heads, width), "stats": (heads, 1)}
    tensors: dict[str, Any] = {}
    for name, (count, wide) in shapes.items():
        sizes, most = (lengths, 512) if name in "kv" else (lengths_q, 64)
        offsets = torch.zeros(batch + 1, **kind)
        offsets[1:] = sizes.cumsum(0) * count * wide
        arrays[f"offsets_{name}"] = offsets.reshape(-1, 1, 1, 1)
        type_ = torch.float32 if name == "stats" else torch.float16
        arrays[name] = torch.randn(int(sizes.sum()), count, wide, device="cuda").to(type_)
        dim, stride = [batch, count, most, wide], [most * count * wide, wide, count * wide, 1]
        tensors[name] = {"dim": dim, "stride": stride}
    made: dict[str, Any] = {}
    for name, array in arrays.items():
        if name not in tensors:
            dim, stride = list(array.shape), [1, 1, 1, 1]
            made[name] = graph.tensor(dim=dim, stride=stride, data_type=cudnn.data_type.INT32)
    for name in "qkv":
        made[name] = graph.tensor(**tensors[name])
        made[name].set_ragged_offset(made[f"offsets_{name}"])
    made["o"], made["stats"] = graph.sdpa(
        q=made["q"], k=made["k"], v=made["v"], is_inference=False, attn_scale=width**-0.5,
        use_padding_mask=True, seq_len_q=made["lengths_q"], seq_len_kv=made["lengths_kv"],
    )  # fmt: skip
    for name in ("o", "stats"):
        made[name].set_output(True).set_dim(tensors[name]["dim"])
        made[name].set_stride(tensors[name]["stride"]).set_ragged_offset(made[f"offsets_{name}"])
    made["stats"].set_data_type(cudnn.data_type.FLOAT)
    return {made[name]: array for name, array in arrays.items()}


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
    pack = make(torch, graph, cudnn)
    graph.build([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    space = torch.empty(max(graph.get_workspace_size(), 1), dtype=torch.uint8, device="cuda")
    arrays = list(pack.values())
    by_uid = {each.get_uid(): array for each, array in pack.items()}
    if form != "tensors":
        pack = by_uid
    if form == "addresses":
        pack = {uid: array.data_ptr() for uid, array in pack.items()}

    def call() -> None:
        graph.execute(pack, space, handle=handle)

    call.arrays = arrays  # type: ignore[attr-defined]  # addresses keep nothing alive
    call.pack, call.graph = by_uid, graph  # type: ignore[attr-defined]
    return call


def in_c(call: Any, handle: Any) -> Sample:
    """Return what times a batch of the C function with the plan that a call here executes."""
    plan = call.graph._program().plan  # noqa: SLF001
    arrays = [_AsWanted(each, call.pack[each.uid]) for each in plan.operands if each.is_argument]
    return gpu_plans.in_c(gpu_plans.loop_in_c(), handle, plan, *arrays)


class _AsWanted:
    """An array with the shape of an operand: those of ragged tensors have room for the longest."""

    def __init__(self, operand: Any, array: Any) -> None:
        given = array.__cuda_array_interface__
        size = array.element_size()
        strides = tuple(step * size for step in operand.strides)
        self.__cuda_array_interface__ = given | {"shape": operand.shape, "strides": strides}
        self.array = array


def measure(torch: Any, ways: dict[str, Any], batches: int, beside_c: bool) -> dict[str, float]:
    """Return the medians of calls; beside the loop in C, and calls that are not replayed."""
    rows = {name: in_python(call) for name, call in ways.items()}
    with cudnn_cffi.Handle() as handle:
        if beside_c:
            call = ways["cudnn_cffi"]
            rows = {"C loop": in_c(call, handle), **rows}
            rows["cudnn_cffi, executed"] = gpu_plans.executed(in_python(call))
        found = in_turns(rows, batches, 5, torch.cuda.synchronize)
    return {name: each / 1000 for name, each in found.items()}


def main() -> int:
    """Measure, print a table, and write JSON if asked to."""
    parser = records.parser(__doc__)
    parser.add_argument("--batches", type=int, default=60)
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
    for make in (convolution, matmul, attention, ragged):
        for form in ("tensors", "uids", "addresses"):
            ways = {}
            for name, module in modules.items():
                try:
                    ways[name] = prepare(module, torch, make, form)
                except Exception as error:
                    print(f"{make.__name__}, {name}: {str(error)[:300]}", file=sys.stderr)
            beside_c = make is ragged and "cudnn_cffi" in ways
            found = measure(torch, ways, options.batches, beside_c)
            table[f"{make.__name__}, {form}"] = found
    print(f"{torch.cuda.get_device_name()}, cuDNN {frontend.backend_version_string()}, ", end="")
    print(f"front end {original.__version__}; host microseconds per execute")
    print(f"{'':24}{'original':>10}{'here':>10}{'ratio':>8}")
    for title, times in table.items():
        theirs, here = times.get("original", float("nan")), times.get("cudnn_cffi", float("nan"))
        more = {name: round(each, 2) for name, each in times.items() if "C" in name or "," in name}
        print(f"{title:24}{theirs:10.2f}{here:10.2f}{here / theirs:8.2f} {more or ''}")
    subject = "overlay/cudnn_cffi/compat/frontend", "overlay/cudnn_cffi/plan", "native"
    records.finish(options, "gpu_frontend", table, subject, torch.cuda.get_device_name())
    return 0


if __name__ == "__main__":
    sys.exit(main())
