"""Graphs that cuDNN 9.12 and 9.19 refuse: those of public threads, and combinations that were drawn.

`refusals.json` names a function below and its arguments for each. A refusal of a public thread is
for an older kind of device where the thread is about one; if it tells no shapes or no device, they
are common ones. All others are samples, by seed, of the combinations of each function that a
release refused for a device. A mode that no engine computes in any type is there once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

#: Kinds of devices of threads: how they differ from an H200, by NVIDIA's data sheets.
DEVICES = {
    "NVIDIA V100": {
        "deviceVer": 700,
        "multiProcessorCount": 80,
        "maxSharedMemoryPerBlockOptin": 98304,
        "l2CacheSize": 6291456,
    },
    "NVIDIA T4": {
        "deviceVer": 750,
        "multiProcessorCount": 40,
        "maxSharedMemoryPerBlockOptin": 65536,
        "maxThreadsPerSM": 1024,
        "maxCtasPerSM": 16,
        "l2CacheSize": 4194304,
    },
    "NVIDIA GeForce RTX 4090": {
        "deviceVer": 890,
        "multiProcessorCount": 128,
        "maxSharedMemoryPerBlockOptin": 101376,
        "maxThreadsPerSM": 1536,
        "maxCtasPerSM": 24,
        "l2CacheSize": 75497472,
    },
    "NVIDIA H100": {"multiProcessorCount": 132, "l2CacheSize": 52428800},
}


class Refused(NamedTuple):
    """A graph that is refused.

    Attributes:
        maker, options: the function that makes it, and its arguments.
        device: the name of the device.
        split: whether several plans may compute it together.
        source: owner/repository#number of the thread that reports it, or "".
        release: that of cuDNN.
    """

    maker: str
    options: dict[str, Any]
    device: str = "NVIDIA H200"
    split: bool = True
    source: str = ""
    release: str = "9.19.0"

    def make(self, graph: Any) -> Any:
        """Return the graph, given the class of graphs."""
        options = {k: tuple(v) if isinstance(v, list) else v for k, v in self.options.items()}
        return globals()[self.maker](graph, **options)


def device(name: str) -> Any:
    """Return the properties of a device."""
    from cudnn_cffi import DeviceProperties
    from cudnn_cffi._explain.elsewhere import ARCHITECTURES, described

    if name in ARCHITECTURES:
        return DeviceProperties("H200") if name == "NVIDIA H200" else described(name)
    return DeviceProperties({**DeviceProperties("H200"), **DEVICES[name], "deviceName": name})


def _types(kind: str, compute: str = "FLOAT") -> dict[str, str]:
    return {"io_data_type": kind, "compute_data_type": compute, "intermediate_data_type": compute}


def convolution(
    graph: Any, kind: str, layout: str = "NHWC", channels: int = 32, way: str = "forward",
    compute: str = "FLOAT", rank: int = 4, groups: int = 1, alignment: int = 16, dilation: int = 1,
    filters: int = 64, out: str | None = None, flip: bool = False, size: int = 14,
    batch: int = 4, kernel: int = 3, weight: str | None = None, stride: int = 1,
    padding: tuple[int, int] | None = None,
) -> Any:  # fmt: skip
    """Return a convolution, or one of its gradients for a stride of 1.

    Args:
        padding: before and after each spatial dimension; half of the window without it.
    """
    g = graph(**_types(kind, compute))
    spatial, window = (size,) * (rank - 2), (kernel,) * (rank - 2)
    last = "channels_last" if layout == "NHWC" else "channels_first"
    w_shape = (filters, channels // groups, *window)
    around = [padding] * (rank - 2) if padding else kernel // 2
    options = {"padding": around, "stride": stride, "dilation": dilation, "flip": flip}

    def image(name: str, count: int, own: str | None = None) -> Any:
        return g.tensor((batch, count, *spatial), own, layout=last, name=name, alignment=alignment)

    if way == "forward":
        w = g.tensor(w_shape, weight, layout=last, name="w", alignment=alignment)
        g.output(g.convolution(image("x", channels), w, **options), name="y", data_type=out)
    elif way == "data":
        w = g.tensor(w_shape, weight, layout=last, name="w", alignment=alignment)
        shape = (batch, channels, *spatial)
        dx = g.convolution_backward_data(image("dy", filters), w, shape=shape, **options)
        g.output(dx, name="dx", data_type=out)
    else:
        dw = g.convolution_backward_filter(
            image("x", channels), image("dy", filters), w_shape, **options
        )
        g.output(dw, name="dw", data_type=out)
    return g


def fused(graph: Any, kind: str, mode: str, layout: str = "NHWC", bias: str | None = None,
          compute: str = "FLOAT", channels: int = 32) -> Any:  # fmt: skip
    """Return a convolution with a bias and a pointwise operation."""
    g = graph(**_types(kind, compute))
    x = g.tensor((4, channels, 14, 14), layout=layout, name="x")
    w = g.tensor((64, channels, 3, 3), layout=layout, name="w")
    b = g.tensor((1, 64, 1, 1), bias, name="b")
    y = g.pointwise(mode, g.convolution(x, w, padding=1) + b)
    g.output(y, name="y")
    return g


def product(graph: Any, a: str, b: str, c: str, compute: str = "FLOAT", size: int = 64,
            alignment: int = 16, then: str = "", batch: int = 2) -> Any:  # fmt: skip
    """Return a product of matrices, with a pointwise operation after it."""
    g = graph(compute_data_type=compute, intermediate_data_type=compute)
    left = g.tensor((batch, size, size), a, name="a", alignment=alignment)
    right = g.tensor((batch, size, size), b, name="b", alignment=alignment)
    y = g.matmul(left, right)
    g.output(g.pointwise(then, y) if then else y, name="c", data_type=c)
    return g


def pooling(graph: Any, kind: str, mode: str = "MAXPOOL", layout: str = "NHWC", rank: int = 4,
            compute: str = "FLOAT") -> Any:  # fmt: skip
    """Return a pooling."""
    g = graph(**_types(kind, compute))
    last = "channels_last" if layout == "NHWC" else "channels_first"
    x = g.tensor((4, 32, *(16,) * (rank - 2)), layout=last, name="x")
    g.output(g.resample(x, mode, window=2, stride=2), name="y")
    return g


def norm(graph: Any, kind: str, mode: str, scale: str | None = None, phase: str = "training",
         compute: str = "FLOAT", layout: str = "NHWC",
         images: tuple[int, ...] = (4, 32, 14, 14)) -> Any:  # fmt: skip
    """Return a normalization."""
    g = graph(**_types(kind, compute))
    if mode in ("layer_norm", "rms_norm"):
        x = g.tensor((64, 256, 1, 1), layout="NHWC", name="x")
        shape = (1, 256, 1, 1)
    else:
        x, shape = g.tensor(images, layout=layout, name="x"), (1, images[1], 1, 1)
    names = ("scale",) if mode == "rms_norm" else ("scale", "bias")
    own = [g.tensor(shape, scale, layout="NHWC", name=name) for name in names]
    named = dict(zip(names, own, strict=True))
    found = g.norm_forward(mode.upper(), phase.upper(), x, **named)
    g.output(found.y if phase == "training" else getattr(found, "y", found), name="y")
    return g


def reduction(graph: Any, kind: str, mode: str, shape: tuple[int, ...], compute: str = "FLOAT",
              out: str | None = None) -> Any:  # fmt: skip
    """Return a reduction."""
    g = graph(**_types(kind, compute))
    x = g.tensor((4, 32, 14, 16), layout="NHWC", name="x")
    g.output(g.reduction(x, mode=mode, shape=shape), name="y", data_type=out)
    return g


def pointwise(graph: Any, kind: str, mode: str, out: str | None = None,
              compute: str = "FLOAT") -> Any:  # fmt: skip
    """Return a pointwise operation."""
    g = graph(**_types(kind, compute))
    x = g.tensor((4, 32, 14, 16), layout="NHWC", name="x")
    two = mode in ("ADD", "MUL", "SUB", "DIV", "MAX", "CMP_GT", "LOGICAL_AND", "POW")
    more = [g.tensor((4, 32, 14, 16), layout="NHWC", name="b")] if two else []
    g.output(g.pointwise(mode, x, *more), name="y", data_type=out)
    return g


def attention(graph: Any, kind: str = "HALF", q: tuple[int, ...] = (2, 4, 128, 64),
              kv: tuple[int, ...] | None = None, strides: str = "bhsd", bias: str = "",
              v: tuple[int, ...] | None = None,
              **options: Any) -> Any:  # fmt: skip
    """Return attention."""
    g = graph(io_data_type=kind)
    order = (
        (0, 1, 2, 3) if strides == "bhsd" else (0, 2, 1, 3) if strides == "bshd" else (0, 3, 1, 2)
    )
    inputs = [
        g.tensor(shape, layout=order, name=name)
        for name, shape in zip("qkv", (q, kv or q, v or kv or q), strict=True)
    ]
    if bias:
        options["bias"] = g.tensor((1, q[1], q[2], (kv or q)[2]), bias, name="bias")
    o = g.attention(*inputs, **options)
    g.output(o[0] if isinstance(o, tuple) else o, name="o")
    return g


def gradient_of_attention(graph: Any, kind: str = "HALF", q: tuple[int, ...] = (2, 4, 128, 64),
                          kv: tuple[int, ...] | None = None, **options: Any) -> Any:  # fmt: skip
    """Return the gradients of attention."""
    g = graph(io_data_type=kind)
    kv = kv or q
    shapes = {"q": q, "k": kv, "v": kv, "o": q, "do": q}
    tensors = [g.tensor(shape, name=name) for name, shape in shapes.items()]
    stats = g.tensor((*q[:3], 1), "FLOAT", name="stats")
    found = g.attention_backward(*tensors, stats, **options)
    for name, each in zip(("dq", "dk", "dv"), found, strict=False):
        g.output(each, name=name)
    return g


def special(graph: Any, name: str) -> Any:
    """Return the graph of a case of `operations.CASES`."""
    from tests.graph.operations import CASES

    case = CASES[name]
    g = graph(**case.settings)
    case.build(g)
    return g


def norm_then_relu(graph: Any, kind: str) -> Any:
    """Return a layer normalization whose result goes through a ReLU and is scaled."""
    g = graph(io_data_type=kind)
    x = g.tensor((64, 256, 1, 1), layout="NHWC", name="x")
    scale, bias = [g.tensor((1, 256, 1, 1), "FLOAT", name=name) for name in ("scale", "bias")]
    y = g.norm_forward("LAYER_NORM", "TRAINING", x, scale=scale, bias=bias)
    g.output(g.relu(y.y) * 2.0, name="y")
    return g


def gradient_with_bias(graph: Any, kind: str, q: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Return the gradients of attention with a bias, and that of the bias."""
    g = graph(io_data_type=kind)
    tensors = [g.tensor(q, name=name) for name in ("q", "k", "v", "o", "do")]
    stats = g.tensor((*q[:3], 1), "FLOAT", name="stats")
    bias = g.tensor(shape, name="bias")
    found = g.attention_backward(*tensors, stats, bias=bias, dbias=True)
    for name, each in zip(("dq", "dk", "dv", "dbias"), found, strict=True):
        g.output(each, name=name)
    return g


_FILE = Path(__file__).with_name("refusals.json")

#: All refusals, those of public threads first.
REFUSALS = [Refused(**each) for each in json.loads(_FILE.read_text())]
