"""The cases of the engine database: a shape of a network, a direction and a data type.

A case becomes a computation, as `cudnn_cffi.ops` makes it, so that a choice of `ops` finds its
record; a product of matrices is one of `Graph.matmul`, and a gradient of maxima one of
`Graph.resample_backward`, which knows their positions.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

SHAPES = Path(__file__).with_name("shapes.json")

#: The directions of each kind of shape: the words of operations.
DIRECTIONS = {
    "attention": ("attention", "attention_backward"),
    "batch_norm": ("batch_norm", "batch_norm_backward"),
    "batched_product": ("batched_product",),
    "convolution": (
        "convolution", "convolution_backward_data", "convolution_backward_filter",
    ),
    "fused_convolution": ("fused_convolution",),
    "instance_norm": ("instance_norm", "instance_norm_backward"),
    "layer_norm": ("layer_norm", "layer_norm_backward"),
    "pooling": ("pooling", "pooling_backward"),
    "product": ("product", "product_backward_data", "product_backward_filter"),
    "rms_norm": ("rms_norm", "rms_norm_backward"),
}  # fmt: skip

#: Rounds over the shapes: the data type, of how many shapes one is taken, and whether images are
#: channels first; they are channels last otherwise.
ROUNDS = (
    ("float16", 1, False), ("bfloat16", 3, False), ("float32", 4, False), ("float16", 4, True),
    ("bfloat16", 5, True), ("float32", 3, True),
)  # fmt: skip

#: The number of shapes that go through all rounds before others.
LAP = 120

#: Kinds whose arrays are images.
IMAGES = ("batch_norm", "convolution", "fused_convolution", "instance_norm", "pooling")

EPSILON = 1e-5

#: cuDNN's names of data types.
KINDS: dict[str, Any] = {"float16": "HALF", "bfloat16": "BFLOAT16", "float32": "FLOAT"}


class Case(NamedTuple):
    """A case.

    Attributes:
        kind: of its shape: a key of `DIRECTIONS`.
        word: of its operation.
        dtype: of its arrays.
        figures: of its shape, as shapes.json has them; "layout" is "NCHW" for channels first.
        networks: the names of those that have the shape.
    """

    kind: str
    word: str
    dtype: str
    figures: dict[str, Any]
    networks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return a text that no other case has."""
        return f"{self.word} {self.dtype} {json.dumps(self.figures, separators=(',', ':'))}"


def shapes() -> list[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """Return the shapes of shapes.json: kind, figures and networks."""
    rows = json.loads(SHAPES.read_text(encoding="utf-8"))
    return [(kind, figures, tuple(networks)) for kind, figures, networks in rows]


def cases(seed: int = 0) -> list[Case]:
    """Return all cases, ordered so that the first ones, however many, are of all kinds."""
    found: list[Case] = []
    mixed = _mixed(shapes(), random.Random(seed))
    for first in range(0, len(mixed), LAP):
        for dtype, step, is_first in ROUNDS:
            for place, (kind, figures, networks) in enumerate(mixed[first : first + LAP], first):
                if place % step or (is_first and kind not in IMAGES):
                    continue
                own = {**figures, "layout": "NCHW"} if is_first else figures
                several = [Case(kind, word, dtype, own, networks) for word in DIRECTIONS[kind]]
                found += [each for each in several if has_engines(each)]
    return found


def has_engines(case: Case) -> bool:
    """Return whether engines compute a case.

    Engines of attention take half precision only, those for gradients of maxima channels last, and
    those for pooling of bfloat16 with channels last compute wrong numbers.
    """
    if case.kind == "attention":
        return case.dtype != "float32"
    is_first = case.figures.get("layout") == "NCHW"
    if has_positions(case):
        return not is_first
    return (case.dtype, case.word, is_first) != ("bfloat16", "pooling", False)


def has_positions(case: Case) -> bool:
    """Return whether a case is the gradient of maxima, whose graph takes their positions."""
    return case.word == "pooling_backward" and case.figures["kind"] == "max"


def _mixed(
    rows: Sequence[tuple[str, dict[str, Any], tuple[str, ...]]], chance: random.Random
) -> list[tuple[str, dict[str, Any], tuple[str, ...]]]:
    """Return shapes with those of each kind in any order, spread over the whole evenly."""
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row)
    placed = []
    for kind, group in sorted(groups.items()):
        chance.shuffle(group)
        placed += [((place + 0.5) / len(group), kind, row) for place, row in enumerate(group)]
    return [row for _, _, row in sorted(placed, key=lambda each: each[:2])]


def computation(case: Case, handle: Any = None, device: Any = None) -> Any:
    """Return the computation of a case, for a handle or a described device."""
    if "product" in case.kind:
        return _product(case).computation(handle, device=device)
    if has_positions(case):
        return pooling_graph(case, True).computation(handle, device=device)
    operation, arrays, call = _operation(case)
    return operation.computation(operation.case(*arrays, **call), handle, device)


def _operation(case: Case) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return the operation of a case, a description of each of its arrays, and its arguments."""
    from cudnn_cffi import ops

    own, backward = case.figures, case.word.endswith(("_backward", "_data", "_filter"))
    images: Any = "channels_first" if own.get("layout") == "NCHW" else "channels_last"

    def like(shape: Sequence[int], dtype: Any = case.dtype, layout: Any = None) -> Any:
        word: Any = images if len(shape) > 3 else "channels_first"
        return ops.Spec.like(shape, dtype, word if layout is None else layout)

    if case.kind in ("convolution", "fused_convolution"):
        x, w = own["x"], own["w"]
        options = {name: own[name] for name in ("stride", "padding", "dilation", "groups")}
        y: tuple[int, ...] = (x[0], w[0], *_extents(x[2:], w[2:], own))
        if case.word == "convolution":
            return ops.Convolution(**options), [like(x), like(w)], {}
        if case.word == "fused_convolution":
            residual = [like(y)] if own["residual"] else []
            fused = ops.Convolution(**options, activation=own["activation"])
            return fused, [like(x), like(w), like([w[0]]), *residual], {}
        if case.word == "convolution_backward_data":
            call = {"shape": tuple(x)}
            return ops.ConvolutionBackwardData(**options), [like(y), like(w)], call
        call = {"shape": tuple(w)}
        return ops.ConvolutionBackwardFilter(**options), [like(x), like(y)], call
    if case.kind == "pooling":
        x = own["x"]
        y = tuple(pooled(own))
        options = {name: own[name] for name in ("window", "stride", "padding")}
        if own["kind"] == "average":
            options["kind"] = "average"
        if not backward:
            return ops.Pooling(**options), [like(x)], {}
        return ops.PoolingBackward(**options), [like(y), like(x), like(y)], {}
    if case.kind == "batch_norm":
        x, row = like(own["x"]), like([own["x"][1]], "float32")
        if not backward:
            return ops.BatchNorm(epsilon=EPSILON), [x, row, row], {}
        return ops.BatchNormBackward(epsilon=EPSILON), [x, x, row, row, row], {}
    if case.kind == "instance_norm":
        x, row = like(own["x"]), like([own["x"][1]], "float32")
        if not backward:
            return ops.InstanceNorm(epsilon=EPSILON), [x, row, row], {}
        mean = like([*own["x"][:2], *[1] * (len(own["x"]) - 2)], "float32", "channels_first")
        return ops.InstanceNormBackward(epsilon=EPSILON), [x, x, row, mean, mean], {}
    if case.kind in ("layer_norm", "rms_norm"):
        x, row = like([own["rows"], own["width"]]), like([own["width"]])
        mean = like([own["rows"], 1], "float32")
        if case.kind == "layer_norm":
            if not backward:
                return ops.LayerNorm(epsilon=EPSILON), [x, row, row], {}
            return ops.LayerNormBackward(epsilon=EPSILON), [x, x, row, mean, mean], {}
        if not backward:
            return ops.RMSNorm(epsilon=EPSILON), [x, row], {}
        return ops.RMSNormBackward(epsilon=EPSILON), [x, x, row, mean], {}
    b, s, h, keys, d = (own[n] for n in ("batch", "length", "heads", "key_heads", "width"))
    q, k = (like((b, n, s, d), layout=(0, 2, 1, 3)) for n in (h, keys))
    if not backward:
        return ops.Attention(causal=own["causal"]), [q, k, k], {}
    stats = like((b, h, s, 1), "float32", "NCHW")
    return ops.AttentionBackward(causal=own["causal"]), [q, q, k, k, q, stats], {}


def pooled(own: dict[str, Any]) -> list[int]:
    """Return the extents of a pooling's result."""
    return [*own["x"][:2], *_extents(own["x"][2:], own["window"], own)]


def pooling_graph(case: Case, backward: bool) -> Any:
    """Return the graph of maxima with their positions, or of their gradient."""
    from cudnn_cffi import Graph

    own, graph = case.figures, Graph()
    layout: Any = "channels_first" if own.get("layout") == "NCHW" else "channels_last"
    options = {name: own[name] for name in ("window", "stride", "padding")}
    if not backward:
        x = graph.tensor(own["x"], KINDS[case.dtype], layout=layout, name="x")
        y, index = graph.resample(x, "MAXPOOL", index=True, **options)
        graph.output(y, name="y")
        graph.output(index, name="index", data_type="INT8")
        return graph
    extents = pooled(own)
    dy = graph.tensor(extents, KINDS[case.dtype], layout=layout, name="dy")
    index = graph.tensor(extents, "INT8", layout=layout, name="index")
    dx = graph.resample_backward(dy, "MAXPOOL", index=index, shape=own["x"], **options)
    graph.output(dx, name="dx", data_type=KINDS[case.dtype])
    return graph


def _product(case: Case) -> Any:
    """Return the graph of a product; `w` of a layer is (N, K), as in PyTorch."""
    from cudnn_cffi import Graph

    own = case.figures
    m, n, k, batch = own["m"], own["n"], own["k"], own.get("batch", 1)
    kind = KINDS[case.dtype]
    graph = Graph()

    def matrix(name: str, rows: int, columns: int, turned: bool = False) -> Any:
        strides = (rows * columns, 1, rows) if turned else (rows * columns, columns, 1)
        return graph.tensor((batch, rows, columns), kind, strides, name=name)

    if case.word == "batched_product":
        made = graph.matmul(matrix("a", m, k), matrix("b", k, n))
    elif case.word == "product":
        made = graph.matmul(matrix("a", m, k), matrix("b", k, n, turned=True))
    elif case.word == "product_backward_data":
        made = graph.matmul(matrix("a", m, n), matrix("b", n, k))
    else:
        made = graph.matmul(matrix("a", n, m, turned=True), matrix("b", m, k))
    graph.output(made, name="y", data_type=kind)
    return graph


def _extents(x: Sequence[int], window: Sequence[int], own: dict[str, Any]) -> list[int]:
    """Return the extents of what a window makes of an image."""
    dilation = own.get("dilation", [1] * len(x))
    return [
        (size + 2 * pad - step * (extent - 1) - 1) // stride + 1
        for size, extent, pad, stride, step in zip(
            x, window, own["padding"], own["stride"], dilation, strict=True
        )
    ]
