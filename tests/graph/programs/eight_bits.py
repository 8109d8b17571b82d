"""Print which graphs of 8 bits are refused for an H200, and with which errors, as JSON."""

import json
from collections.abc import Callable

from cudnn_cffi import CudnnError
from cudnn_cffi.graph import Graph, Tensor

BITS = "FP8_E4M3", "INT8"
SHAPE, ROW = (16, 64, 8, 8), (1, 64, 8, 8)


def refusal(add: Callable[[Graph, str], Tensor | tuple[Tensor, ...]], kind: str) -> str:
    graph = Graph()
    found = add(graph, kind)
    for each in found if isinstance(found, tuple) else (found,):
        graph.output(each, data_type="FLOAT" if isinstance(found, tuple) else kind)
    try:
        graph.build(device="H200")
    except CudnnError as error:
        return type(error).__name__
    return ""


def rms(g: Graph, kind: str) -> Tensor:
    return g.rms_norm(g.tensor(SHAPE, kind), g.tensor(ROW, "FLOAT"), phase="inference").y


def layer(g: Graph, kind: str) -> Tensor:
    scale, bias = (g.tensor(ROW, "FLOAT") for _ in range(2))
    return g.layer_norm(g.tensor(SHAPE, kind), scale, bias, phase="inference").y


def absolutes(g: Graph, kind: str) -> Tensor:
    return g.reduction(g.tensor(SHAPE, kind), "NORM1", dims=(1, 2, 3))


def squares(g: Graph, kind: str) -> Tensor:
    return g.reduction(g.tensor(SHAPE, kind), "NORM2", dims=(1, 2, 3))


def statistics(g: Graph, kind: str) -> tuple[Tensor, ...]:
    return tuple(g.gen_stats(g.tensor(SHAPE, kind)))


def gradient_of_rms(g: Graph, kind: str) -> Tensor:
    dy, x = (g.tensor(SHAPE, kind) for _ in range(2))
    inverse = g.tensor((16, 1, 1, 1), "FLOAT")
    return g.norm_backward("rms", dy, x, g.tensor(ROW, "FLOAT"), None, inverse).dx


def gradient_of_layer(g: Graph, kind: str) -> Tensor:
    dy, x = (g.tensor(SHAPE, kind) for _ in range(2))
    mean, inverse = (g.tensor((16, 1, 1, 1), "FLOAT") for _ in range(2))
    return g.norm_backward("layer", dy, x, g.tensor(ROW, "FLOAT"), mean, inverse).dx


def gradient_of_batch(g: Graph, kind: str) -> Tensor:
    dy, x = (g.tensor(SHAPE, kind) for _ in range(2))
    scale, mean, inverse = (g.tensor((1, 64, 1, 1), "FLOAT") for _ in range(3))
    return g.norm_backward("batch", dy, x, scale, mean, inverse).dx


def blocks(g: Graph, kind: str) -> tuple[Tensor, ...]:
    """Multiply blocks of 32 numbers by powers of two of their own, as MXFP8 has them."""
    scale = g.tensor((16, 4), "FP8_E8M0")
    return (g.block_scale_dequantize(g.tensor((16, 128), kind), scale, block_size=32),)


found = {
    f"{add.__name__} {kind}": refusal(add, kind)
    for add in (
        *(rms, layer, absolutes, squares, statistics),
        *(gradient_of_rms, gradient_of_layer, gradient_of_batch),
    )
    for kind in BITS
}
print(json.dumps(found | {f"blocks {kind}": refusal(blocks, kind) for kind in BITS[:1]}))
