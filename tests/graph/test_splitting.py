"""Graphs in several parts: the parts compute what the whole says, whatever engines take.

There is no cuDNN here. A part is evaluated with NumPy, on one piece of memory in which each operand
lies at its address, in the shapes and strides that cuDNN would be told.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph, finalize
from cudnn_cffi.graph.lower import splitting
from cudnn_cffi.graph.lower.by_release import lower
from cudnn_cffi.graph.lower.replacements import match_types
from cudnn_cffi.plan import Sequence
from cudnn_cffi.plan.operand import span
from cudnn_cffi.plan.run.copy import Copy
from cudnn_cffi.plan.sequence import BUFFER

RELEASE = "9.19.0"
TYPES = {"FLOAT": np.float32, "HALF": np.float16, "INT32": np.int32, "BOOLEAN": np.bool_,
         "INT64": np.int64, "DOUBLE": np.float64}  # fmt: skip
POINTWISE: dict[str, Any] = {
    "ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "DIV": np.divide, "MAX": np.maximum,
    "EXP": np.exp, "LOG": np.log, "SQRT": np.sqrt, "RSQRT": lambda x: x**-0.5, "ABS": np.abs,
    "RELU_FWD": lambda x: np.maximum(x, 0), "IDENTITY": np.array, "CMP_GT": np.greater,
    "BINARY_SELECT": lambda x, b, t: np.where(t != 0, x, b),
}  # fmt: skip
REDUCTIONS: dict[str, Any] = {"ADD": np.sum, "MAX": np.max}


def gradient_of_attention(node: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the results of a node by port, for as many heads of keys as of queries."""
    q, k, v, o, do = (given[port] for port in ("q", "k", "v", "o", "do"))
    raw = q @ k.swapaxes(2, 3) * given["scale"] + given.get("bias", 0.0)
    if "right" in node.options:
        rows, columns = np.indices(raw.shape[2:])
        raw = np.where(columns <= rows + node.options["right"], raw, -np.inf)
    weights = np.exp(raw - given["stats"])
    kept = given.get("dropout_mask", 1.0) / (1 - node.options.get("dropout", 0.0))
    slope = ((do @ v.swapaxes(2, 3)) * kept - (do * o).sum(3, keepdims=True)) * weights
    results = {
        "dq": slope @ k * given["scale"],
        "dk": slope.swapaxes(2, 3) @ q * given["scale"],
        "dv": (weights * kept).swapaxes(2, 3) @ do,
    }
    if "dbias" in node.outputs:
        axes = [i for i, n in enumerate(given["bias"].shape) if n < slope.shape[i]]
        results["dbias"] = slope.sum(tuple(axes), keepdims=True)
    return results


def compute(node: Any, given: dict[str, Any]) -> Any:
    """Return the result of a node on float64 arrays."""
    y, o = next(iter(node.outputs.values())), node.options
    first = next(iter(given.values()))
    if node.kind == "pointwise":
        return POINTWISE[o["mode"]](*given.values())
    if node.kind == "matmul":
        return given["a"] @ given["b"]
    if node.kind == "convolution_forward":
        return np.einsum("nchw,kc->nkhw", given["x"], given["w"][:, :, 0, 0])
    if node.kind == "reduction":
        axes = tuple(i for i, (n, m) in enumerate(zip(first.shape, y.shape, strict=True)) if n != m)
        return REDUCTIONS[o["mode"]](first, axis=axes, keepdims=True)
    if node.kind == "transpose":
        return first.transpose(o["permutation"])
    if node.kind == "slice":
        return first[tuple(map(slice, o["start"], o["limit"], o["step"]))]
    if node.kind == "reshape":
        return first.reshape(y.shape)
    if node.kind == "concatenate":
        return np.concatenate(list(given.values()), o["axis"])
    assert node.kind == "expand", node.kind
    return np.broadcast_to(first, y.shape)


def evaluate(graph: Any, values: dict[int, Any]) -> dict[int, Any]:
    """Add the results of all nodes to the values of tensors, by uid."""
    for tensor in graph.tensors.values():
        if tensor.value is not None:
            values[tensor.uid] = np.full(tensor.shape, float(tensor.value))
        if tensor.base is not None and tensor.uid not in values:  # all of it, for another operand
            values[tensor.uid] = values[tensor.base.uid]
    for node in graph.nodes:
        given = {port: values[each.uid] for port, each in node.inputs.items()}
        if node.kind == "attention_backward":
            for port, result in gradient_of_attention(node, given).items():
                values[node.outputs[port].uid] = result
            continue
        y = next(iter(node.outputs.values()))
        with np.errstate(all="ignore"):
            values[y.uid] = np.broadcast_to(compute(node, given), y.shape)
    return values


class Memory:
    """Bytes, in which arrays lie at addresses."""

    def __init__(self, size: int) -> None:
        self.data = np.full(size, 0x7F, np.uint8)

    def at(self, address: int, kind: Any, shape: Any, strides: Any) -> Any:
        size = np.dtype(kind).itemsize
        assert address % size == 0
        last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) + 1
        assert 0 <= address <= address + last * size <= self.data.size
        flat = self.data[address : address + last * size].view(kind)
        return np.lib.stride_tricks.as_strided(flat, shape, [step * size for step in strides])


def is_attention(graph: Any) -> bool:
    """Return whether an engine computes a graph by a pattern; its composite has tests of its own."""
    return any(node.kind == "attention_backward" for node in graph.nodes)


class FakePlan:
    """A part that NumPy evaluates."""

    workspace_size = 512
    notes = ()
    closed = False
    _is_armed = False  # the compiled layer cannot run it

    def __init__(self, graph: Any) -> None:
        self.lowered = graph if is_attention(graph) else graph.lowered(RELEASE)
        if is_attention(graph):
            (node,) = graph.nodes
            assert not any(each.is_virtual for each in node.outputs.values()), "all are written"
            graph.lowered(RELEASE)
        self.operands = finalize.operands(self.lowered, graph)
        self._takes = tuple(each for each in self.operands if each.is_argument)

    def run(self, memory: Memory, found: dict[str, int]) -> None:
        values: dict[int, Any] = {}
        places = {}
        for each in self._takes:
            places[each.uid] = found[each.name]
            places |= {uid: found[each.name] + offset for uid, offset in each.views}
        tensors = self.lowered.tensors
        for uid, place in places.items():
            tensor = tensors[uid]
            assert place % tensor.alignment == 0, "as its descriptor says"
            if tensor.producer is None:
                values[uid] = np.array(
                    memory.at(place, TYPES[tensor.data_type], tensor.shape, tensor.strides)
                )
        evaluate(self.lowered, values)
        for tensor in self.lowered.outputs:
            kind = TYPES[tensor.data_type]
            memory.at(places[tensor.uid], kind, tensor.shape, tensor.strides)[...] = values[
                tensor.uid
            ]


def split(graph: Graph, takes: Callable[[Any], bool]) -> Sequence:
    """Return the plans of a graph with engines that take some parts."""

    def make(part: Any) -> Any:
        part.check()
        plan = FakePlan(part)
        if not takes(plan.lowered):
            raise errors.NoPlanError("engines refuse it")
        return plan

    lowered = lower(graph, RELEASE, (), whole=False)
    match_types(lowered)
    splitter = splitting._Splitter(lowered, make, errors.NoPlanError("the whole is refused"))
    splitter.run()
    return splitter.join(finalize.operands(lowered, graph))


def run(graph: Graph, plan: Sequence, seed: int = 0) -> None:
    """Execute all steps, and compare the outputs with what the whole graph says."""
    chance = np.random.default_rng(seed)
    memory = Memory(1 << 22)
    end = 1 << 12
    found, values = {}, {}
    for each in plan.operands:
        found[each.name] = end
        array = memory.at(end, TYPES[each.data_type], each.shape, each.strides)
        if each.role == "input":
            array[...] = chance.standard_normal(each.shape) * 0.7
            values[each.uid] = np.array(array, np.float64)
        end += -(-span(each) // 256) * 256
    found[BUFFER] = end
    for step, places in plan._sequence:
        inner = {name: found[where] + offset for name, (where, offset) in places.items()}
        if isinstance(step, FakePlan):
            step.run(memory, inner)
            continue
        assert isinstance(step, Copy)
        ends = [
            memory.at(
                inner[name] + offset * step.itemsize, f"V{step.itemsize}", step.shape, strides
            )
            for name, (strides, offset) in (("x", step.source), ("y", step.target))
        ]
        ends[1][...] = ends[0].copy()
    evaluate(graph if is_attention(graph) else lower(graph, RELEASE, (), whole=False), values)
    exact = all(each.data_type != "HALF" for each in graph.tensors.values())
    tolerance = 1e-4 if exact else 2e-2
    for tensor in graph.outputs:
        kind = TYPES[tensor.data_type]
        got = memory.at(found[tensor.name], kind, tensor.shape, tensor.strides)
        np.testing.assert_allclose(got, values[tensor.uid], tolerance, tolerance, err_msg=str(plan))


def alone(part: Any) -> bool:
    kinds = ("pointwise", "reduction", "matmul", "attention_backward")
    return len(part.nodes) == 1 and part.nodes[0].kind in kinds


def row_major(part: Any) -> bool:
    """Take what engines take: matrices, batches and channels-last images, without gaps."""
    kinds = {node.kind for node in part.nodes}
    if kinds == {"attention_backward"}:
        return True
    if not kinds <= {"pointwise", "reduction", "matmul"} or len(part.nodes) > 3:
        return False
    for node in part.nodes:
        for each in node.tensors().values():
            if each.by_value or node.kind == "matmul":
                continue
            rank = len(each.shape)
            order = range(rank) if rank < 4 else (0, *range(2, rank), 1)
            step = 1
            for axis in reversed(order):
                if each.shape[axis] > 1 and each.strides[axis] != step:
                    return False
                step *= each.shape[axis]
    return all(len(each.shape) == 3 for n in part.nodes if n.kind == "matmul"
               for each in n.tensors().values())  # fmt: skip


def softmax(g: Graph, layout: Any = None) -> None:
    x = g.tensor((2, 6, 4, 10), name="x", layout=layout)
    y, stats = g.softmax(x, statistics=True)
    g.output(y, name="y")
    g.output(stats, name="stats")


def moved(g: Graph) -> None:
    x = g.tensor((2, 3, 8, 6), name="x")
    part = g.slice(g.exp(x), (0, 1, 2, 1), (2, 3, 8, 6), (1, 1, 2, 2))
    g.output(part, name="part")
    turned = g.transpose(part, (3, 0, 2, 1))
    g.output(turned, name="turned", strides=(1, 3, 6, 18))
    flat = g.reshape(turned, (3, 12), mode="LOGICAL")
    joined = g.concatenate([flat, g.relu(flat), flat], 1)
    g.output(joined, name="joined", data_type="HALF")
    g.output(g.reduction(joined, "ADD", dims=0), name="sum", data_type="HALF")
    g.output(g.expand(g.tensor((1, 3, 1, 5), name="b"), (4, 3, 7, 5)), name="wide")


def views(g: Graph) -> None:
    """Other shapes of what lies in memory in another order than its strides say."""
    x = g.tensor((4, 6, 8), name="x")
    image = g.tensor((2, 6, 4, 8), name="image", layout="NHWC")
    turned = g.transpose(x, (2, 0, 1))
    g.output(g.exp(g.reshape(turned, (4, 48))), name="y")
    part = g.slice(g.abs(x), (0, 2, 1), (4, 6, 7))
    g.output(g.relu(g.reshape(part, (8, 12))), name="z")
    g.output(g.relu(g.reshape(image, (2, 2, 3, 32))), name="w")
    g.output(g.reduction(g.reshape(g.exp(turned), (16, 12)), "ADD", dims=0), name="v")


def heads(g: Graph) -> None:
    x, w = g.tensor((2, 8, 12), "HALF", name="x"), g.tensor((1, 12, 12), "HALF", name="w")
    q = g.transpose(g.reshape(g.matmul(x, w), (2, 8, 3, 4)), (0, 2, 1, 3))
    weights = g.softmax(g.matmul(q, g.transpose(q, (0, 1, 3, 2))) * 0.1)
    o = g.transpose(g.matmul(weights, q), (0, 2, 1, 3))
    g.output(g.reshape(o, (2, 8, 12), mode="LOGICAL"), name="y", data_type="HALF")


def shared_results(g: Graph) -> None:
    """Results that several parts read, outputs that others go on from, truth values."""
    x, y = g.tensor((4, 6, 8), name="x"), g.tensor((4, 6, 8), name="b")
    total = x + y
    g.output(total, name="total")
    most = g.reduction(total, "MAX", dims=-1)
    chosen = g.binary_select(total, most, x > y)
    g.output(g.reduction(chosen * total, "ADD", dims=1), name="y")
    g.output(g.sqrt(g.abs(most)), name="root")


def gradient(
    g: Graph,
    *,
    masked: bool = True,
    bias: tuple[int, ...] = (2, 1, 1, 8),
    outputs: Any = ("dq", "dk", "dv", "dbias"),
    **options: Any,
) -> None:
    """Attention's gradient with a mask that is given, or with a bias that is repeated."""
    q, k, v, o, do = (g.tensor((2, 3, 8, 8), "HALF", name=name) for name in ("q", *"kv", "o", "do"))
    stats = g.tensor((2, 3, 8, 1), name="stats")
    if masked:
        mask = g.relu(g.tensor((2, 3, 8, 8), name="mask"))  # any factors: none is negative
        options |= {"dropout": 0.25, "dropout_mask": mask}
    found = g.attention_backward(
        *(q, k, v, o, do, stats), bias=g.tensor(bias, name="bias"), dbias=True, **options
    )
    for name, each in zip(("dq", "dk", "dv", "dbias"), found, strict=True):
        if name in outputs:
            g.output(each, name=name, data_type="FLOAT")


GRAPHS: dict[str, Callable[[Graph], None]] = {
    "softmax": softmax,
    "softmax of images": lambda g: softmax(g, "NHWC"),
    "moved": moved,
    "views": views,
    "heads": heads,
    "shared results": shared_results,
    "gradient": gradient,
    "gradient, causal": lambda g: gradient(g, causal=True),
    "gradient, heads": lambda g: gradient(g, bias=(1, 3, 8, 8)),
    "gradient, bias": lambda g: gradient(g, masked=False),
    "gradient, one": lambda g: gradient(g, outputs=("dk",)),
    "gradient, products": gradient,
    "gradient, bias, products": lambda g: gradient(g, masked=False),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("takes", [alone, row_major], ids=["alone", "row-major"])
def test_parts_compute_the_whole(name: str, takes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if "products" in name:  # a release that does not compute the gradient of eight keys
        monkeypatch.setattr(sys.modules[__name__], "RELEASE", "9.12.0")
    graph = Graph()
    GRAPHS[name](graph)
    before = str(graph)
    plan = split(graph, takes)
    assert str(graph) == before
    assert len(plan.parts) > 1
    for seed in range(2):
        run(graph, plan, seed)


@pytest.mark.parametrize("seed", range(6))
def test_parts_by_chance(seed: int) -> None:
    """Engines that take any part or not, as it comes; alone they take all."""
    chance = random.Random(seed)
    name = chance.choice(list(GRAPHS))
    graph = Graph()
    GRAPHS[name](graph)
    known: dict[Any, bool] = {}

    def takes(part: Any) -> bool:
        if any(
            node.kind not in ("pointwise", "reduction", "matmul", "attention_backward")
            for node in part.nodes
        ):
            return False
        return len(part.nodes) == 1 or known.setdefault(part.key, chance.random() < 0.3)

    run(graph, split(graph, takes), seed)


def test_memory_is_used_again() -> None:
    g = Graph()
    x = y = g.tensor((64, 64), name="x")
    for _ in range(8):
        y = g.relu(g.exp(y))
    g.output(y, name="y")
    plan = split(g, alone)
    assert len(plan.parts) == 16
    assert plan.workspace_size == 2 * x.shape[0] * x.shape[1] * 4 + 512


def test_the_largest_parts_are_taken() -> None:
    g = Graph()
    x = g.tensor((64, 64), name="x")
    g.output(g.relu(g.exp(x) + 1.0) * 2.0, name="y")
    other = g.tensor((64, 64), name="other")
    g.output(g.sqrt(other), name="z")
    plan = split(g, lambda part: len(part.nodes) <= 3)
    parts: Any = plan.parts
    sizes = [len(each.lowered.nodes) for each in parts]
    assert sizes == [3, 1, 1]


def test_the_error_names_the_operation_that_no_engine_takes() -> None:
    g = Graph()
    x = g.tensor((4, 6, 8), name="x")
    g.output(g.log(g.exp(x), name="bad"), name="y")

    def takes(part: Any) -> bool:
        return all(node.word != "log" for node in part.nodes)

    with pytest.raises(errors.NoPlanError, match=r"node bad \(log\) cannot be computed alone"):
        split(g, takes)
    alone_graph = Graph()
    alone_graph.output(alone_graph.log(alone_graph.tensor((4, 6), name="x")), name="y")
    with pytest.raises(errors.NoPlanError, match="the whole is refused"):
        split(alone_graph, takes)


def test_expand_needs_copies() -> None:
    g = Graph()
    x = g.tensor((1, 3), name="x")
    with pytest.raises(errors.ShapeMismatchError, match=r"that repeats to the shape \(2, 4\)"):
        g.expand(x, (2, 4))
    g.output(g.expand(x, (2, 3)), name="y")
    with pytest.raises(errors.NotSupportedError, match="only copies do"):
        g.lowered(RELEASE)


@pytest.mark.parametrize("shape", [(6, 4), (24,), (24, 1), (3, 8), (2, 3, 4), (1, 2, 3, 2, 2)])
@pytest.mark.parametrize("mode", ["abs", "softmax", "add", "layout"])
def test_views_have_shapes_that_engines_take(shape: Any, mode: str) -> None:
    """Engines leave most elements of one or two dimensions unwritten."""
    g = Graph("views")
    x = g.tensor((2, 3, 4), "FLOAT", layout=(0, 2, 1) if mode == "layout" else None, name="x")
    y = g.reshape(x, shape, mode="LOGICAL")
    if mode == "softmax":
        y = g.softmax(y)
    elif mode == "add":
        y = y + g.tensor((1,) * (len(shape) - 1) + shape[-1:], "FLOAT", name="b")
    else:
        y = g.abs(y)
    g.output(y, name="y")
    ranks: list[int] = []

    def takes(lowered: Any) -> bool:
        used = [each for node in lowered.nodes for each in node.tensors().values()]
        ranks.extend(len(each.shape) for each in used)
        return True

    run(g, split(g, takes))
    assert min(ranks) >= 3


def test_what_engines_do_not_take_in_a_narrow_type_is_computed_in_float() -> None:
    g = Graph(io_data_type="HALF")
    x, w = g.tensor((2, 8, 3, 4), name="x"), g.tensor((6, 8, 1, 1), name="w")
    g.output(g.relu(g.convolution(g.abs(x), w)), name="y")

    def takes(part: Any) -> bool:
        if len(part.nodes) > 1:
            return False
        (node,) = part.nodes
        types = {each.data_type for each in node.tensors().values()}
        return node.kind == "pointwise" or types == {"FLOAT"}

    plan = split(g, takes)
    run(g, plan)
    parts: Any = plan.parts
    kinds = [each.lowered.nodes[0].kind for each in parts if isinstance(each, FakePlan)]
    assert kinds.count("convolution_forward") == 1

    def refuses(part: Any) -> bool:
        return takes(part) and part.nodes[0].kind == "pointwise"

    with pytest.raises(errors.NoPlanError, match=r"convolution.* cannot be computed alone"):
        split(g, refuses)


@pytest.mark.parametrize("kept", [False, True])
def test_a_float_result_becomes_half_beside_half(kept: bool) -> None:
    """Engines multiply arrays of one type only; a result of the caller stays FLOAT."""
    g = Graph(io_data_type="HALF")
    x, w = g.tensor((2, 8, 12), name="x"), g.tensor((1, 12, 12), name="w")
    y = g.exp(x)
    if kept:
        g.output(y, name="y", data_type="FLOAT")
    g.output(y @ w, name="z", data_type="FLOAT")

    def takes(part: Any) -> bool:
        """Return whether the operands of a product have one type."""
        for node in part.nodes:
            types = {each.data_type for each in node.inputs.values()}
            if node.kind == "matmul" and types != {"HALF"}:
                return False
        return alone(part)

    plan = split(g, takes)
    run(g, plan)
    parts: Any = plan.parts
    types = [[each.data_type for each in part.operands] for part in parts]
    assert types == [["HALF", "FLOAT"], ["FLOAT", "HALF"], ["HALF", "HALF", "FLOAT"]]


def test_truth_values_are_bytes_for_copies_alone() -> None:
    g = Graph("g")
    m = g.tensor((4, 8), "BOOLEAN", name="m")
    g.output(g.transpose(m, (1, 0)), name="y")
    assert [each.has_bytes for each in split(g, lambda _: False).operands] == [True, True]
    x = g.tensor((4, 8), name="x")
    g.output(g.binary_select(x, g.exp(x), m), name="z")
    with pytest.raises(errors.NotSupportedError, match="m: engines have truth values as bits"):
        split(g, lambda _: True)
