"""Results of attention if a plan leaves out examples without keys, as engines do."""

import itertools
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import ml_dtypes  # noqa: F401  gives NumPy its types
import numpy as np
from cudnn_cffi import arrays, errors, ops
from cudnn_cffi._lookup import calls
from cudnn_cffi._operation import way_search
from cudnn_cffi._operation.operation import Operation
from cudnn_cffi._ways.alignment import in_workspace, uneven
from cudnn_cffi._ways.case import Unfit
from cudnn_cffi.choice.policy import Engine, Rule
from cudnn_cffi.graph import Graph
from cudnn_cffi.plan import Sequence as Several

from tests.ops.imitation import HANDLE, at, install, seen

HEADS, WIDTH, LONGEST = 2, 16, 4
RULE = Rule(pick="heuristic")
#: Lengths of queries and keys: the second and fourth example have no key, the third no query.
LENGTHS = np.array([4, 3, 0, 2], np.int32), np.array([3, 0, 4, 0], np.int32)
BATCH = len(LENGTHS[0])
WITH_KEYS = [each for each in range(BATCH) if LENGTHS[1][each]]


class Plan:
    """An engine's plan: it writes ones, and nothing of examples without keys."""

    workspace_size = 0
    _apart = ()
    notes = ()
    _is_armed = False
    _ordinal = None
    deterministic = True
    engine, knobs = 8, {"STAGES": 2}

    def __init__(self, case):
        roles = [("input", case.inputs), ("output", case.outputs)]
        self.operands = [
            SimpleNamespace(
                name=name, shape=each.shape, strides=each.strides, data_type=each.data_type,
                alignment=each.alignment, role=role, is_argument=True,
            )
            for role, specs in roles for name, each in specs.items()
        ]  # fmt: skip
        self.inputs = [each for each in self.operands if each.role == "input"]
        self.outputs = [each for each in self.operands if each.role == "output"]
        self.operands.append(SimpleNamespace(name="scale", role="input", is_argument=False))

    def execute_at(self, handle, found, workspace):
        assert (handle, workspace) == (HANDLE, 0)
        for each in self.operands:
            if not each.is_argument:
                continue
            view = at(found[each.name], each.shape, each.strides, each.data_type)
            if each.role == "input":
                read[each.name] = view.copy()
                odd = any(step * view.itemsize % 16 for step in each.strides[:-1])
                assert each.shape[-1] != WIDTH or not odd
                continue
            if each.shape[0] == BATCH:
                view[WITH_KEYS] = 1
            else:  # ragged: the vectors of all examples, one after the other
                ends = np.cumsum([0, *LENGTHS[0]])
                for example in WITH_KEYS:
                    view[ends[example] : ends[example + 1]] = 1


install()
setattr(way_search, "by_graph", lambda _operation, case, *_: Plan(case))  # noqa: B010
setattr(Operation, "find_way", lambda self, *arguments: self._by_graph(*arguments))  # noqa: B010
set_calls: list[str] = []
read: dict[str, Any] = {}


def set_tensor(_handle, desc, address, value):
    set_calls.append(desc.dtype.name)
    seen(desc, address)[...] = value


calls.cudnnSetTensor = set_tensor


def spec(array):
    strides = tuple(s // array.itemsize for s in array.strides)
    low = array.ctypes.data & -array.ctypes.data
    return ops.Spec(array.dtype.name, array.shape, strides, None, min(low, 256))


def run(operation, given, outs, find=lambda of, case: of.find_way(case, RULE, HANDLE, None)):
    """Call an operation on arrays, by name; return what it ran."""
    case = operation.case(
        *[spec(given[each]) if each in given else None for each in operation.takes],
        out=tuple([spec(outs[each]) if each in outs else None for each in operation.gives]),
    )
    way = find(operation, case)
    if isinstance(way, Plan):
        return way
    scratch = np.full(way.workspace_size + 512, 0x7F, np.uint8)
    start = -(-scratch.ctypes.data // 256) * 256
    named = {**given, **outs}
    way.call_with(HANDLE, start, *[named[each.name].ctypes.data for each in way.operands])
    return way


def new(shape, dtype, gaps=False, low=False):
    """Return an array of sevens: with gaps between its elements, or at an odd address."""
    if gaps:
        return np.full((*shape[:-1], shape[-1] * 2), 7, dtype)[..., : shape[-1]]
    data = np.full(int(np.prod(shape)) + 64, 7, dtype)
    start = next(i for i in range(64) if (data[i:].ctypes.data % 16 == 0) != low)
    return data[start : start + int(np.prod(shape))].reshape(shape)


def wanted(shape):
    found = np.zeros(shape)
    found[WITH_KEYS] = 1
    return found


small = {"seq_len_q": LENGTHS[0], "seq_len_kv": LENGTHS[1]}
scales = {
    name: np.ones(1, np.float32)
    for name in ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")
}
shape = (BATCH, HEADS, LONGEST, WIDTH)
for dtype, gaps, low in itertools.product(
    ("float16", "bfloat16", "float32", "float8_e4m3fn"), (False, True), (False, True)
):
    if gaps and low:
        continue
    fp8 = dtype.startswith("float8")
    attend = ops.Attention(stats=True)
    given = {each: new(shape, dtype, low=low) for each in "qkv"} | small
    given |= scales if fp8 else {}
    outs = {"o": new(shape, dtype, gaps, low), "stats": new((*shape[:3], 1), "float32")}
    outs |= {each: new((1, 1, 1, 1), "float32") for each in attend.gives[2:] if fp8}
    around = outs["o"].base if gaps else outs["o"]
    before = around.copy()
    set_calls.clear()
    way = run(attend, given, outs)
    assert not isinstance(way, Plan)
    if not low:  # the engine is told, and picked again, as that of a plan alone
        assert way_search.choice_of(attend, way) == {
            "via": "graph",
            "engine": 8,
            "knobs": {"STAGES": 2},
        }
        assert way_search._pin(way) == {"pick": Engine(8, (("STAGES", 2),)), "via": "graph"}
    assert np.array_equal(outs["o"].astype("float64"), wanted(shape)), dtype
    lowest = np.where(wanted((*shape[:3], 1)), 1, -np.inf)
    assert np.array_equal(outs["stats"], lowest), dtype
    assert set_calls == ([arrays.DTYPES["int8" if fp8 else dtype]] if gaps else []), set_calls
    if gaps:  # what lies between is someone else's
        assert (around[..., WIDTH:] == before[..., WIDTH:]).all()
    if fp8 or gaps:
        continue
    given |= {"o": outs["o"], "stats": outs["stats"], "do": new(shape, dtype)}
    grads = {each: new(shape, dtype) for each in ("dq", "dk", "dv")}
    run(ops.AttentionBackward(), given, grads)
    for each in ("dk", "dv"):
        assert np.array_equal(grads[each].astype("float64"), wanted(shape)), (each, dtype)

# Ragged arrays: rows that belong to no example are zeros, also those of gradients.
ends = [np.cumsum([0, *each]).astype(np.int32) * HEADS * WIDTH for each in LENGTHS]
rows = [int(each.sum()) for each in LENGTHS]
q, k, v = (new((each, HEADS, WIDTH), "float16") for each in (rows[0], rows[1], rows[1]))
given = {"q": q, "k": k, "v": v, **small}
given |= {"offsets_q": ends[0], "offsets_k": ends[1], "offsets_v": ends[1]}
most = {"max_q_length": LONGEST, "max_kv_length": LONGEST}
outs = {"o": new(q.shape, "float16")}
run(ops.Attention(**most), given, outs)
assert (outs["o"][:4] == 1).all()
assert (outs["o"][4:] == 0).all()
given |= {"o": outs["o"], "do": new(q.shape, "float16")}
given["stats"] = new((BATCH, HEADS, LONGEST, 1), "float32")
grads = {f"d{each}": new(given[each].shape, "float16") for each in "qkv"}
run(ops.AttentionBackward(**most), given, grads)
for name, each in grads.items():
    assert set(np.unique(each)) <= {0.0, 1.0}, name
    assert (each == 0).any(), name

# One query of pages, whose engine writes zeros; and without lengths: the plan, and nothing else.
pages = {each: new((5, HEADS, 2, WIDTH), "float16") for each in "kv"}
pages |= {f"page_table_{each}": np.zeros((BATCH, 2), np.int32) for each in "kv"} | small
for queries in (1, 4):
    pages["q"] = new((BATCH, HEADS, queries, WIDTH), "float16")
    way = run(ops.Attention(), pages, {"o": new(pages["q"].shape, "float16")})
    assert isinstance(way, Plan) == (queries == 1)
whole = {each: new(shape, "float16") for each in "qkv"}
assert isinstance(run(ops.Attention(), whole, {"o": new(shape, "float16")}), Plan)


# Engines read beside rows that are not multiples of 16 bytes apart: they get copies.
def copied(operation, case):
    try:
        operation.find_way(case, RULE, HANDLE, None)
    except Unfit as error:
        assert "multiples of 16 bytes" in str(error)
    else:
        raise AssertionError("a plan takes rows that begin anywhere")
    find = lambda inner: operation.find_way(inner, RULE, HANDLE, None)  # noqa: E731
    return in_workspace(case, uneven(case), find)


qkv = {each: np.random.default_rng(3).normal(size=shape).astype("float16") for each in "qkv"}
gradient = {"do": qkv["q"] * 2, "o": qkv["q"] * 3, "stats": new((*shape[:3], 1), "float32")}
for operation, whole, results in (
    (ops.Attention(), qkv, "o"),
    (ops.AttentionBackward(), qkv | gradient, ("dq", "dk", "dv")),
):
    for name in ("q", "k", "v", "o", "do", *results):
        room = np.full((BATCH, HEADS, LONGEST, WIDTH + 3), 7, "float16")
        apart = room[..., :WIDTH]
        given, outs = dict(whole), {each: new(shape, "float16") for each in results}
        if name in outs:
            outs[name] = apart
        elif name in given:
            apart[...] = given[name]
            given[name] = apart
        else:
            continue
        read.clear()
        run(operation, given, outs, copied)
        assert all(np.array_equal(array, whole[each]) for each, array in read.items()), name
        assert all((array[WITH_KEYS] == 1).all() for array in outs.values()), name
        assert (room[..., WIDTH:] == 7).all(), name


# Several plans compute what no engine computes as a whole, for arrays as callers have them.
Base: Any = Several


class Parts(Plan, Base):  # type: ignore[misc]
    """Several plans, whose operands are those of the graph."""

    _steps = None  # not executed by the compiled layer

    def __init__(self, graph):
        specs = {each.name: each for each in graph.tensors.values() if each.role}
        self.operands = [
            SimpleNamespace(
                name=name, shape=each.shape, strides=each.strides, alignment=16, role=each.role,
                data_type=each.data_type, is_argument=not each.by_value,
            )
            for name, each in specs.items()
        ]  # fmt: skip


def refuse(_self, case, *_):
    raise errors.NotSupportedError("no engine computes this")


built: list[Any] = []


def build(graph, handle, _device, **filters):
    built.append((handle, filters))
    return Parts(graph)


setattr(way_search, "by_graph", refuse)  # noqa: B010
setattr(Graph, "build", build)  # noqa: B010
bias = new((LONGEST, 1), "float16")
for choice in ("heuristic", "deterministic"):
    RULE = Rule(pick=choice)
    way = run(ops.Attention(), qkv | {"bias": bias} | small, {"o": new(shape, "float16")})
    assert [each.shape for each in way.operands if each.name == "bias"] == [(LONGEST, 1)]
    assert read["bias"].shape == (1, 1, LONGEST, 1)
    handle, filters = built.pop()
    assert handle == HANDLE
    assert filters.get("deterministic", False) == (choice == "deterministic")
wide = {name: array.astype("float32") for name, array in qkv.items()}
for given, rule in ((wide, Rule(pick="heuristic")), (qkv, Rule(pick=Engine(6)))):
    RULE = rule
    try:
        run(ops.Attention(), given, {"o": new(shape, given["q"].dtype.name)})
    except errors.NotSupportedError as error:
        assert "no engine" in str(error)
    else:
        raise AssertionError("float32, and engines that are named, take one plan")
assert not built
