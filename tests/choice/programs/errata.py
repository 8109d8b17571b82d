"""Engines with wrong numbers are not chosen, unless they are forced.

The engines are compiled: without NVRTC they may not be there at all.
"""

import importlib
import json
import os
import sys
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import choice, errors, library
from cudnn_cffi import errata as errata_of_users
from cudnn_cffi.choice.store import keys
from cudnn_cffi.errata import asks as errata
from cudnn_cffi.errata import table
from cudnn_cffi.errata.asks import misalignment
from cudnn_cffi.graph.attn import composite as attention_composite

from tests.errata.states import put_back
from tests.errata.wrong_engines import wrong_engines

os.environ["CUDNN_CFFI_PLAN_CACHE"] = sys.argv[1]
H200 = cudnn.DeviceProperties("H200")


def pooling(data_type, layout, mode="MAXPOOL", channels=8):
    graph = cudnn.Graph()
    x = graph.tensor((2, channels, 9, 11), data_type=data_type, layout=layout, name="x")
    graph.output(graph.resample(x, mode, window=3, stride=2, padding=1), name="y")
    return graph


def convolution(activation):
    graph = cudnn.Graph()
    x = graph.tensor((2, 8, 9, 11), data_type="FLOAT", name="x")
    w = graph.tensor((8, 8, 1, 1), data_type="FLOAT", name="w")
    graph.output(getattr(graph, activation)(graph.convolution(x, w)), name="y")
    return graph


for activation, wrong in (("tanh", {0}), ("sigmoid", set())):
    graph = convolution(activation)
    assert set(wrong_engines(graph.computation(device=H200))) == wrong
    found = graph.candidates(device=H200, every_engine=True)
    assert not wrong & {each.engine for each in found}


def fused(x, w, results, compute=True):
    """A convolution and a sigmoid: layouts of images, of filters, and of results."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    images = graph.tensor(x[0], strides=x[1], name="x")
    filters = graph.tensor(w[0], layout=w[1], name="w")
    y = graph.convolution(images, filters)
    graph.output(graph.sigmoid(y) if compute else y, name="y", strides=results)
    return graph.computation(device=H200)


ROWS, LAST = (2, 8, 1, 8), (64, 1, 64, 8)
for layout, fuses, wrong in (("NCHW", True, {7}), ("NHWC", True, set()), ("NCHW", False, {47})):
    computation = fused((ROWS, LAST), ((16, 8, 1, 3), layout), (96, 1, 96, 16), fuses)
    assert set(wrong_engines(computation)) == wrong, (layout, fuses)
# A filter of one element has both layouts.
assert not wrong_engines(fused((ROWS, LAST), ((16, 8, 1, 1), "NCHW"), (128, 1, 128, 16)))
# Images of one pixel: those of the graph are given the strides of channels last, unless the input
# has rows.
PIXELS = (3, 1, 1, 1)
assert not wrong_engines(fused(((3, 8, 1, 1), (8, 1, 1, 1)), ((3, 8, 1, 1), "NCHW"), PIXELS))
assert not wrong_engines(fused(((3, 8, 3, 3), (72, 1, 24, 8)), ((3, 8, 3, 3), "NHWC"), PIXELS))
for images in (1, 3):
    rows = fused(((images, 8, 3, 3), (72, 9, 3, 1)), ((3, 8, 3, 3), "NCHW"), PIXELS)
    assert set(wrong_engines(rows)) == {4, 7, 52, 53}
    assert "row-major" in wrong_engines(rows)[4]


def gradient_of(data, padding, images=2, layout="NCHW", data_type="HALF"):
    """Return the engines that are wrong for a gradient of a convolution of 8 x 8 pixels."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type=data_type)
    sides = [padding] * 2
    extents = [8 + sum(pair) - 1 for pair in sides]
    dy = graph.tensor((images, 16, *extents), layout=layout, name="dy")
    other = (16, 8, 2, 2) if data else (images, 8, 8, 8)
    x = graph.tensor(other, layout=layout, name="w" if data else "x")
    if data:
        found = graph.convolution_backward_data(dy, x, shape=(images, 8, 8, 8), padding=sides)
    else:
        found = graph.convolution_backward_filter(x, dy, (16, 8, 2, 2), padding=sides)
    graph.output(found, name="y")
    return set(wrong_engines(graph.computation(device=H200)))


assert gradient_of(False, (0, 1)) == gradient_of(False, (1, 0), layout="NHWC") == {1, 18, 20}
assert gradient_of(True, (0, 1)) == {25, 50}
assert (
    gradient_of(False, (1, 1)) == gradient_of(False, (0, 0)) == {20, 70}
)  # 2 x 81 and 2 x 49 pixels
assert gradient_of(False, (1, 1), 8) == {20}
assert gradient_of(False, (1, 1), 4, data_type="FLOAT") == set()
assert gradient_of(True, (1, 1), 4) == {25, 78}
assert gradient_of(True, (1, 2), 4) == {25, 50}  # 100 pixels


assert gradient_of(False, (1, 1), 8, "NHWC") == {20}


def product_of(mode, inner, divisor):
    """Return the engines that are wrong for a product whose left operand is made of arrays."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    a = graph.tensor((2, 24, inner), name="a")
    given = (a,) if divisor is None else (a, graph.tensor(divisor, name="divisor"))
    a = graph.pointwise("ABS", graph.pointwise(mode, *given))
    graph.output(graph.matmul(a, graph.tensor((2, inner, 16), name="b")), name="y")
    return set(wrong_engines(graph.computation(device=H200)))


assert product_of("DIV", 8, (2, 24, 8)) == product_of("DIV", 72, (1, 1, 72)) == {1, 4, 7}
assert product_of("LOG", 8, None) == product_of("RSQRT", 8, None) == {1, 4, 7}
assert (
    not product_of("DIV", 8, (2, 24, 1))
    | product_of("MUL", 8, (1, 1, 8))
    | product_of("LOG", 64, None)
)


def beside_product(kind):
    """Return the engines that are wrong for a number that is an output beside a product."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    number = graph.abs(graph.tensor((1, 1, 1), kind, name="t"))
    graph.output(number, name="n", data_type=kind)
    y = graph.matmul(graph.tensor((1, 16, 32), name="a"), graph.tensor((1, 32, 24), name="b"))
    graph.output(graph.mul(y, number), name="y")
    return set(wrong_engines(graph.computation(device=H200)))


for kind in ("HALF", "BFLOAT16", "INT8", "UINT8", "FP8_E4M3", "FP8_E5M2"):
    assert beside_product(kind) == {4, 7}, kind
assert not beside_product("FLOAT") | beside_product("INT32")


def normed(x, y):
    """Return the engines that are wrong for a batch norm of a type into another."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    scale, bias = (graph.tensor((1, 8, 1, 1), name=name) for name in ("scale", "bias"))
    made = graph.norm_forward(
        "BATCH_NORM", "TRAINING", graph.tensor((4, 8, 6, 6), x, name="x"), scale=scale, bias=bias,
        epsilon=1e-5,
    )  # fmt: skip
    graph.output(made.y, name="y", data_type=y)
    return set(wrong_engines(graph.computation(device=H200)))


assert normed("FP8_E4M3", "FLOAT") == normed("FLOAT", "FP8_E4M3") == normed("FLOAT", "INT8")
assert normed("FLOAT", "INT8") == {0, 2, 3}
assert not normed("FLOAT", "FLOAT")

assert set(wrong_engines(pooling("FP8_E4M3", "NHWC").computation(device=H200))) == {2}
assert not wrong_engines(pooling("FP8_E5M2", "NHWC").computation(device=H200))
assert not wrong_engines(
    pooling("FP8_E4M3", "NHWC", "AVGPOOL_INCLUDE_PADDING").computation(device=H200)
)


def added(residual=1.0, alpha=1.0):
    """Return the engines that are wrong for a convolution and an array, with factors."""
    graph = cudnn.Graph()
    x = graph.tensor((2, 8, 9, 11), data_type="HALF", layout="NHWC", name="x")
    w = graph.tensor((8, 8, 1, 1), data_type="HALF", layout="NHWC", name="w")
    z = graph.tensor((2, 8, 9, 11), data_type="HALF", layout="NHWC", name="z")
    y = graph.convolution(x, w)
    y = y if alpha == 1.0 else graph.mul(y, alpha)
    graph.output(graph.add(y, z if residual == 1.0 else graph.mul(z, residual)), name="y")
    return set(wrong_engines(graph.computation(device=H200)))


assert added() == added(alpha=-2.0) == {32}
assert added(0.5) == added(0.5, -2.0) == {0, 8, 32}


def total(shape, result):
    graph = cudnn.Graph(compute_data_type="FLOAT")
    x = graph.tensor(shape, "HALF", name="x")
    graph.output(graph.reduction(x, "ADD", shape=result), name="y", data_type="FLOAT")
    return graph.computation(device=H200)


for shape, result, wrong in (
    ((3, 1 << 23), (3, 1), {1}),
    ((1 << 23,), (1,), {1}),
    ((3, 1 << 22), (3, 1), set()),
    ((1 << 22, 4), (1, 4), set()),  # columns
    ((1 << 22, 4), (1 << 22, 1), set()),
):
    assert set(wrong_engines(total(shape, result))) == wrong, shape


def indices(matmuls):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    a, b = graph.tensor((6, 64, 32), name="a"), graph.tensor((6, 32, 96), name="b")
    x = graph.matmul(a, b)
    x = x + graph.gen_index(x, 2)
    for _ in range(matmuls - 1):
        x = graph.matmul(graph.cast(x, "HALF"), graph.tensor((6, 96, 96)))
    graph.output(x, name="y")
    return graph


for matmuls, wrong, why in ((1, {4, 7}, "GEN_INDEX"), (2, {4}, "second"), (5, {4}, "second")):
    graph = indices(matmuls)
    assert set(wrong_engines(graph.computation(device=H200))) == wrong
    found = graph.candidates(device=H200, every_engine=True)
    assert not wrong & {each.engine for each in found}
    assert all(why in e.reason for e in found.refusals if e.stage == "errata")


def apart(kind, where):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    if kind == "convolution":
        x = graph.tensor((2, 16, 6, 8), layout="NHWC", name="x")
        w = graph.tensor((24, 16, 3, 3), layout="NHWC", name="w")
        y, packed, gaps = graph.convolution(x, w, padding=1), (1152, 1, 192, 24), (1920, 1, 320, 40)
    else:
        a, b = graph.tensor((6, 64, 32), name="a"), graph.tensor((6, 32, 96), name="b")
        y, packed, gaps = graph.matmul(a, b), (64 * 96, 96, 1), (64 * 128, 128, 1)
    z = graph.tensor(y.shape, "FLOAT", strides=gaps if where == "operand" else packed, name="z")
    graph.output(y + z, name="y", strides=gaps if where == "result" else packed)
    return graph


for kind, engine, always in (("convolution", 8, {32}), ("matmul", 2, set())):
    for where in ("operand", "result", ""):
        graph = apart(kind, where)
        wrong = set(wrong_engines(graph.computation(device=H200)))
        assert wrong == ({engine} if where else set()) | always
        found = graph.candidates(device=H200, every_engine=True)
        assert not where or engine not in {each.engine for each in found}


def gradient(queries, keys, causal):
    """Attention's gradient, without the mask of what is beside the scores."""
    graph = cudnn.Graph(io_data_type="HALF")
    q, k, v = (graph.tensor((2, 4, keys if n in "kv" else queries, 64), name=n) for n in "qkv")
    stats = graph.tensor((2, 4, queries, 1), "FLOAT", name="stats")
    for each in graph.attention_backward(q, k, v, q, q, stats, causal=causal, form="composite"):
        graph.output(each)
    return graph.computation(device=H200)


masked = attention_composite._spills
if cudnn.library.load().number >= 91600:
    for queries, length, causal, wrong in (
        *((128, 192, False, {6}), (128, 192, True, set()), (128, 128, False, set())),
        *((1, 128, False, {6, 7}), (1, 160, False, set()), (128, 160, False, set())),
    ):
        attention_composite._spills = lambda *_: False
        assert set(wrong_engines(gradient(queries, length, causal))) == wrong, (queries, length)
        attention_composite._spills = masked
        assert not wrong_engines(gradient(queries, length, causal)), (queries, length)

for layout, wrong in (("NHWC", {3}), ("NCHW", set())):  # one channel has both, but for strides
    one = pooling("BFLOAT16", layout, channels=1).computation(device=H200)
    assert set(wrong_engines(one)) == wrong, layout

half = pooling("HALF", "NHWC").candidates(device=H200, every_engine=True)
there = {2, 3} <= {each.engine for each in half}
for mode in ("MAXPOOL", "AVGPOOL_INCLUDE_PADDING"):
    for data_type, layout in (("BFLOAT16", "NHWC"), ("BFLOAT16", "NCHW"), ("HALF", "NHWC")):
        graph = pooling(data_type, layout, mode)
        wrong = wrong_engines(graph.computation(device=H200))
        assert set(wrong) == ({3} if (data_type, layout) == ("BFLOAT16", "NHWC") else set())
        for every_engine in (False, True):
            found = graph.candidates(device=H200, every_engine=every_engine)
            left_out = [each for each in found.refusals if each.stage == "errata"]
            assert wrong or not left_out
            assert not set(wrong) & {each.engine for each in found}
            if wrong and there and every_engine:
                assert {each.engine for each in left_out} == {3}, left_out
                assert "wrong numbers" in left_out[0].reason
                assert 2 in [each.engine for each in found], found

# Padding only after the data is left out of means.
for mode in ("MAXPOOL", "AVGPOOL_INCLUDE_PADDING", "AVGPOOL_EXCLUDE_PADDING"):
    for padding in ((0, 1), (1, 1), (1, 0)):
        graph = cudnn.Graph(io_data_type="FLOAT")
        x = graph.tensor((2, 8, 9, 9), name="x")
        graph.output(graph.resample(x, mode, window=3, stride=1, padding=(padding, (0, 0))))  # type: ignore[call-overload]
        is_wrong = "INCLUDE" in mode and padding != (1, 1)
        assert (1 in wrong_engines(graph.computation(device=H200))) is is_wrong, (mode, padding)

# An entry can be limited to releases and architectures; without limits it holds for all.
release = library.load().number
computation = pooling("BFLOAT16", "NHWC").computation(device=H200)
known = next(
    each for each in table.of("ResampleFwd") if each.id == "pooling-bfloat16-channels-last"
)
for limits, holds in (
    ({}, True),
    ({"first": release, "last": release, "architectures": ((8, 0), (9, 0))}, True),
    ({"first": release + 1}, False),
    ({"last": release - 1}, False),
    ({"architectures": ((8, 0), (10, 0))}, False),
):  # fmt: skip
    called = known._replace(
        subject="cudnnPoolingForward", engine=None, workaround="copy", applies=lambda call: call["x"],
        **limits,
    )  # fmt: skip
    now = table.state()
    table.current = table._with_rows(now.records, now.switched, (known._replace(**limits), called))
    found = wrong_engines(computation)
    assert set(found) == ({3} if holds else set()), limits
    told = errata.wrong_function("cudnnPoolingForward", {"x": True})  # type: ignore[typeddict-unknown-key]
    # Of a device that nothing is known of, every architecture is assumed.
    holds = holds or "architectures" in limits
    assert told == (f"{known.symptom} ({errata.MEASURED}); copy" if holds else ""), told
    assert not errata.wrong_function("cudnnPoolingForward", {"x": False})  # type: ignore[typeddict-unknown-key]
    assert not errata.wrong_function("cudnnPoolingBackward", {"x": True})  # type: ignore[typeddict-unknown-key]
put_back(now)
assert all(each.evidence and each.symptom for each in table.state().records.values())
assert wrong_engines(computation)[3].endswith(
    "(measured with cuDNN 9.19.0 on an H200); engine=3 uses it all the same"
)


# Errata decide the strides that cuDNN gets, so a plan that was saved without them is not used with them.
def of_one_pixel() -> cudnn.Graph:
    graph = cudnn.Graph(io_data_type="FLOAT")
    x = graph.tensor((1, 8, 1, 1), strides=(8, 1, 3, 5), name="x")
    graph.output(graph.convolution(x, graph.tensor((8, 8, 1, 1), name="w")), name="y")
    return graph


def strides_in(plan: cudnn.Plan) -> list[int]:
    saved = json.loads(json.loads(plan.to_json())["plan"])
    (x,) = [each.uid for each in plan.operands if each.name == "x"]
    (found,) = [
        each["stride"] for each in saved["operationGraph"]["tensors"] if str(each["name"]) == str(x)
    ]
    return list(found)


if library.load().number >= 91000:  # which writes all plans as JSON
    with errata_of_users.off("convolution-strides-of-one"):
        assert strides_in(of_one_pixel().build(device=H200)) == [8, 1, 3, 5]
        old = of_one_pixel().computation(device=H200)
    # A plan of a graph that was described before errata changed is nobody else's.
    assert strides_in(cudnn.choice.build(old)) == [8, 1, 3, 5]
    assert strides_in(of_one_pixel().build(device=H200)) == [8, 1, 1, 1]


# So are the operands: a steep slope is a number of its own.
def operands_of_steep_relu() -> list[int]:
    graph = cudnn.Graph(io_data_type="HALF")
    graph.output(graph.relu(graph.tensor((1, 64, 128), name="x"), slope=2.0), name="y")
    return [each.uid for each in graph.computation(device=H200).operands]


for _ in range(2):
    with errata_of_users.off("pointwise-steep-relu"):
        assert operands_of_steep_relu() == [1, 2]
    assert operands_of_steep_relu() == [1, 3, 2]

# A choice that was saved before that was known is not used, unless it was forced.
from cudnn_cffi.choice.filters import MODES
from cudnn_cffi.choice.store import disk

computation = pooling("BFLOAT16", "NHWC").computation(device=H200)
restored: list[int | None] = []


def restore(_key: Any, _computation: Any, saved: disk.Saved) -> Any:
    restored.append(saved.engine)
    raise ZeroDivisionError


restoring, keys.Key._restore = keys.Key._restore, restore
for engine, used in ((None, []), (3, [3])):
    key = keys.to_key(computation, MODES, engine, None, None, {})
    assert key is not None
    disk.save(key.place, key._on_disk(computation), disk.Saved(3, {}))
    try:
        assert key.find(computation) is None
    except ZeroDivisionError:
        assert engine == 3
    assert restored == used
keys.Key._restore = restoring

# An engine of a file is not used, either, unless the file was written by hand.
from cudnn_cffi.choice.store import choices as book

key = keys.to_key(computation, MODES, None, None, None, {})
assert key is not None
adopted = key._blank()._replace(engine=3)
listed: list[int] = []


def of_engine(self: Any, engine: int, _: Any) -> Any:
    listed.append(engine)
    return self


keys.Key._of_engine = of_engine
for how, used in (("heuristic", []), ("time", []), ("hand", [3])):
    book.adopt_all([adopted._replace(how=how)])
    try:
        key._find_listed(computation, False)
    except RecursionError:
        assert how == "hand"
    assert listed[:1] == used, how
    book.forget()

from cudnn_cffi import ops
from cudnn_cffi.choice.policy import Rule

x, w = ops.Spec.like((2, 16, 8, 8)), ops.Spec.like((16, 16, 3, 3))
operation: Any = ops.Convolution(1)
case = operation.case(x, w)
picks: list[Any] = []


def search(_operation: Any, _case: Any, rule: Rule, *_: Any) -> Any:
    picks.append(rule.pick)
    return None, None


ways: Any = importlib.import_module("cudnn_cffi._operation.way_search")
ways.search = ways.find_first = search
ways.choice_of = lambda *_: {}
ways.is_wrong = lambda _, engine, __: engine == 3
rule = Rule(pick="heuristic")
entry = ways.key_of(operation, case, rule, None, H200)._replace(engine=3)
for how, engine in (("heuristic", 3), ("heuristic", 4), ("hand", 3)):
    book.adopt_all([entry._replace(how=how, engine=engine)])
    ways.choose_way(operation, case, rule, None, H200)
assert picks[0] == "heuristic" and [each.number for each in picks[1:]] == [4, 3], picks
book.forget()

if not there:
    sys.exit()
graph = pooling("BFLOAT16", "NHWC")
(forced,) = graph.candidates(device=H200, engine=3)
assert forced.engine == 3
try:
    graph.build(device=H200, exclude=(0, 1, 2))
except errors.NoPlanError as error:
    assert "HALF, which gives wrong numbers" in str(error), error
else:
    raise AssertionError


def norm(alignment):
    graph = cudnn.Graph(compute_data_type="FLOAT")
    x = graph.tensor((2, 8, 9, 11), data_type="HALF", name="x", alignment=alignment)
    scale, bias = (graph.tensor((1, 8, 1, 1), data_type="FLOAT", name=n) for n in ("s", "b"))
    made = graph.norm_forward("INSTANCE_NORM", "INFERENCE", x, scale=scale, bias=bias, epsilon=1e-5)
    graph.output(made.y, name="y")
    return graph


def attention(alignment, of="q", data_type="HALF"):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    q, k, v = (
        graph.tensor(
            (2, 4, 64, 64), data_type, name=name, alignment=alignment if name == of else 16
        )
        for name in "qkv"
    )
    graph.output(graph.attention(q, k, v), name="o")
    return graph


def pooled(alignment):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    x = graph.tensor((2, 8, 6, 6), layout="NHWC", name="x", alignment=alignment)
    graph.output(graph.resample(x, "MAXPOOL", window=2, stride=2), layout="NHWC")
    return graph


def convolved(alignment, bias=True):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    x, w = (graph.tensor(shape, layout="NHWC") for shape in ((2, 8, 6, 6), (8, 8, 3, 3)))
    kind = {} if bias else {"layout": "NHWC", "alignment": alignment}
    y = graph.convolution(x, w, padding=1)
    if bias:
        y = graph.relu(y + graph.tensor((1, 8, 1, 1), name="b", alignment=alignment))
    graph.output(y, **kind)
    return graph


# No engine is asked where some of them read arrays that may lie anywhere as if they could not.
for make, name in ((norm, "x"), (attention, "q"), (pooled, "x"), (convolved, "b")):
    for alignment in (2, 8):
        graph = make(alignment)
        found = graph.candidates(device=H200, every_engine=True)
        assert not found
        (refusal,) = found.refusals
        assert refusal.reason.startswith(f"{name}: its engines read arrays at multiples of 16")
        try:
            graph.build(device=H200, split=False)
        except errors.NoPlanError as error:
            assert f"got an alignment of {alignment}; copy the array" in str(error), error
        else:
            raise AssertionError(make)
    assert misalignment(make(16).computation(device=H200)) == ""
assert misalignment(attention(8, "nothing").computation(device=H200)) == ""
assert misalignment(attention(4, "v", "FLOAT").computation(device=H200)).startswith("v: ")
alone = convolved(2, bias=False)
assert misalignment(alone.computation(device=H200)) == ""
alone.build(device=H200)


# The engine whose work cannot be captured is left out, and calls of its plan are not captured.
def norm_gradient():
    graph = cudnn.Graph(io_data_type="FLOAT")
    x, dy = (graph.tensor((2, 8, 12, 10), layout="NHWC") for _ in range(2))
    scale, mean, inverse = (graph.tensor((n, 8, 1, 1)) for n in (1, 2, 2))
    made = graph.norm_backward("INSTANCE_NORM", dy, x, scale, mean, inverse)
    graph.output(made.dx, layout="NHWC")
    graph.output(made.dscale)
    graph.output(made.dbias)
    return graph


for options, replays in (({}, True), ({"engine": 0}, False)):
    assert set(wrong_engines(norm_gradient().computation(device=H200))) == {0}
    try:
        plan = norm_gradient().build(device=H200, **options)
    except errors.NotSupportedError:
        continue  # it is compiled, which not every machine without a GPU can do
    assert (plan.engine == 0, plan.replays) == (not replays, replays), plan
    assert cudnn.Plan.from_json(plan.to_json(), device=H200).replays is replays


def product(alignment, more):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    a, b = (graph.tensor((2, 64, 64), name=name, alignment=alignment) for name in "ab")
    y = graph.matmul(a, b)
    graph.output(graph.relu(y) if more else y)
    return graph


def biased(columns, strides=None, data_type="HALF", b_strides=None):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type=data_type)
    a = graph.tensor((2, 64, 16), name="a")
    b = graph.tensor((2, 16, columns), strides=b_strides, name="b")
    z = graph.tensor((2, 64, columns), "FLOAT", strides=strides, name="z")
    graph.output(graph.matmul(a, b) + z, data_type="FLOAT")
    return graph


def mean_gradient(given):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    dy = graph.tensor((2, 8, 6, 6))
    x = {name: graph.tensor((2, 8, 6, 6)) for name in ("x", "y") if given}
    graph.output(
        graph.resample_backward(dy, "AVGPOOL_INCLUDE_PADDING", window=1, shape=dy.shape, **x)
    )
    return graph


def filters(alignment):
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    x = graph.tensor((2, 8, 6, 6), layout="NHWC")
    dy = graph.tensor((2, 8, 6, 6), layout="NHWC", alignment=alignment)
    graph.output(graph.convolution_backward_filter(x, dy, shape=(8, 8, 3, 3), padding=1))
    return graph


def attended(data_type, bias=None):
    """Return attention of two products, the keys of which lie by columns for the first one."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type=data_type)
    q, k, v = (graph.tensor((2, 4, length, 64)) for length in (32, 48, 48))
    added = None if bias is None else graph.tensor((1, 1, 32, 48), strides=bias)
    graph.output(graph.attention(q, k, v, causal=bias is None, bias=added))
    return graph.lowered(composites=["attention"])


def summed(filters, data_type="FLOAT", nan="PROPAGATE_NAN"):
    """Return a convolution of a number of filters with a bias and an activation."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type=data_type)
    x, w = graph.tensor((2, 16, 8, 8)), graph.tensor((filters, 16, 3, 3))
    y = graph.convolution(x, w, padding=1) + graph.tensor((1, filters, 1, 1))
    graph.output(graph.pointwise("RELU_FWD", y, nan_propagation=nan))
    return graph


def converted(data_type, mode):
    """Return a product with an operand that is computed from another data type."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    b = graph.tensor((2, 16, 32), data_type=data_type)
    more = (2.0,) if mode == "MUL" else ()
    graph.output(graph.matmul(graph.tensor((2, 13, 16)), graph.pointwise(mode, b, *more)))
    return graph


def quotients(rows):
    """Return the softmax of a product whose rows have one element."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    y = graph.matmul(graph.tensor((1, rows, 1)), graph.tensor((1, 1, 1)))
    graph.output(graph.softmax(y))
    return graph.lowered(composites=["softmax"])


def copied(word, convolves=False):
    """Return a product, and an operation that reads its copy, and the product if it reads two."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    extents = (8, 3) if convolves else (8, 8)
    x, w = (graph.tensor((8, 8, n, n) if convolves else (1, n, n)) for n in extents)
    y = graph.convolution(x, w) if convolves else graph.matmul(x, w)
    given = (graph.identity(y), y)[: 1 + (word == "add")]
    graph.output(getattr(graph, word)(*given))
    return graph


def torn(channels, data_type, layout="NCHW", images=2):
    """Return a convolution of images of 27 pixels."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type=data_type)
    x = graph.tensor((images, channels, 3, 9), layout=layout)
    graph.output(graph.convolution(x, graph.tensor((8, channels, 3, 3), layout=layout)))
    return graph


def multiplied(rows, columns, alignment=None, strides=None):
    """Return a product of FLOAT whose first factor a ReLU reads, if it is at an address."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="FLOAT")
    a = graph.tensor((2, rows, 8), strides=strides, alignment=alignment or 16)
    b = graph.tensor((2, 8, columns))
    graph.output(graph.matmul(a if alignment is None else graph.relu(a), b))
    return graph


def sloped(dy=None, y=None, alignment=16, kind="matmul"):
    """Return the gradient of a function of a product, whose arrays have some strides, or read by one."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    a, b = graph.tensor((4, 16, 8)), graph.tensor((4, 8, 16))
    dy = graph.tensor(
        (4, 16, 16) if kind == "matmul" else (4, 16, 8), strides=dy, alignment=alignment
    )
    if kind == "matmul":
        graph.output(graph.pointwise("SWISH_BWD", dy, graph.matmul(a, b)), strides=y)
    else:
        graph.output(graph.matmul(graph.pointwise("RELU_BWD", dy, a), b), strides=y)
    return graph


def strided(way, strides):
    """Return a convolution, or one of its gradients, that reads images with some strides."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    x = graph.tensor((2, 8, 6, 6), strides=strides)
    if way == "filter":
        dy = graph.tensor((2, 8, 6, 6))
        graph.output(graph.convolution_backward_filter(x, dy, shape=(8, 8, 3, 3), padding=1))
        return graph
    w = graph.tensor((8, 8, 3, 3))
    if way == "data":
        graph.output(graph.convolution_backward_data(x, w, shape=(2, 8, 6, 6), padding=1))
    else:
        graph.output(graph.convolution(x, w, padding=1))
    return graph


def numbered(data_type, reads="", columns=8, shape=(1, 1, 1), convolves=False):
    """Return a product beside a number that is an output, or a product whose result that reads."""
    graph = cudnn.Graph(io_data_type="HALF", compute_data_type="FLOAT")
    if convolves:
        shape = (1, 1, 1, 1)
        images = [graph.tensor((8, 8, n, n), layout="NHWC") for n in (5, 1)]
        y = graph.convolution(*images)
    else:
        y = graph.matmul(graph.tensor((1, columns, 8)), graph.tensor((1, 8, columns)))
    number = graph.add(graph.tensor(shape), y if reads else 0.5)
    if data_type:
        graph.output(number, data_type=data_type)
    graph.output(graph.mul(y, graph.abs(number)), data_type="FLOAT")
    return graph


def beside(shape, batch=3):
    """Return products beside rows or matrices that are outputs."""
    graph = cudnn.Graph(io_data_type="HALF", compute_data_type="FLOAT")
    y = graph.matmul(graph.tensor((batch, 8, 8)), graph.tensor((batch, 8, 8)))
    rows = graph.abs(graph.tensor(shape))
    graph.output(rows)
    graph.output(graph.mul(y, rows))
    return graph


def chained(count, sums=False):
    """Return a number of products, each of the result of the one before, and sums of the last."""
    graph = cudnn.Graph(io_data_type="FLOAT")
    y = graph.tensor((2, 8, 8))
    for _ in range(count):
        y = graph.matmul(y, graph.tensor((2, 8, 8)))
    graph.output(graph.reduction(y, "ADD", dims=1) if sums else y)
    return graph


def bias_first(strides):
    """Return a product of a sum, whose first operand is a bias and whose second is a product."""
    graph = cudnn.Graph(io_data_type="HALF", compute_data_type="FLOAT")
    q, k, v = (graph.tensor((1, 2, 32, 32)) for _ in range(3))
    graph.output((graph.tensor((1, 1, 32, 32), strides=strides) + q @ k) @ v)
    return graph


#: Strides of images by rows, with channels last, with gaps, of repeated elements, by columns.
ROWS, LAST, APART, SAME, DOWN = (
    (288, 36, 6, 1), (288, 1, 48, 8), (296, 37, 6, 1), (288, 36, 6, 0), (288, 36, 1, 6),
)  # fmt: skip


for graph, engines in (
    (product(8, False), {0, 2}), (product(16, False), set()), (product(8, True), {0, 2}),
    (filters(4), {67}), (filters(16), set()),
    (mean_gradient(False), {1}), (mean_gradient(True), set()),
    (biased(8), set()), (biased(4), {2}), (biased(4, data_type="FLOAT"), set()), (biased(1), {2}),
    (biased(8, (1, 16, 2)), {1, 2}), (biased(8, (8, 16, 1)), {1, 2}), (biased(8, (512, 1, 64)), set()),
    (biased(8, b_strides=(8, 16, 1)), {1, 2}), (biased(6, data_type="FLOAT"), {2}),
    (attended("FLOAT"), set()), (attended("HALF"), set()), (attended("HALF", (1536, 1536, 48, 1)), set()),
    (attended("HALF", (1536, 1536, 1, 32)), {1, 2}), (attended("FLOAT", (1536, 1536, 1, 32)), set()),
    (beside((3, 1, 8)), {1}), (beside((3, 8, 8)), set()), (beside((1, 1, 8), 1), {1}),
    (summed(3), {26, 29, 39}), (summed(16), {39}), (summed(3, "HALF"), {39}),
    (summed(16, nan="NOT_PROPAGATE_NAN"), set()),
    (converted("INT8", "MUL"), {7}), (converted("UINT8", "IDENTITY"), {7}), (converted("HALF", "MUL"), set()),
    (quotients(1), {4, 7}), (quotients(2), {4, 7}), (copied("add"), {4, 7}), (copied("abs"), set()),
    (torn(8, "HALF"), {6, 47, 72}), (torn(16, "FLOAT"), {6, 47, 72}), (torn(32, "FLOAT"), {6, 47}),
    (torn(32, "HALF"), {6, 47, 72}), (torn(64, "HALF"), {6, 47}), (copied("add", True), {4, 7, 32}),
    (torn(8, "FLOAT", "NHWC"), {6, 47}), (torn(8, "BFLOAT16", images=8), set()),
    (multiplied(4, 1), {2}), (multiplied(1, 4), set()), (multiplied(4, 4, 16), set()),
    (multiplied(4, 4, 4), {0, 2, 4}), (multiplied(4, 4, strides=(64, 1, 4)), set()),
    (multiplied(4, 4, strides=(40, 0, 1)), {2, 4, 7}), (multiplied(4, 4, strides=(40, 1, 0)), {2, 4, 7}),
    (multiplied(1, 4, strides=(8, 8, 0)), {0, 2, 4, 7}), (multiplied(1, 4, strides=(8, 0, 1)), set()),
    (sloped(), set()), (sloped((1, 64, 4)), {1, 2}), (sloped(y=(1, 64, 4)), {1, 2}),
    (sloped((384, 24, 1)), {2}), (sloped(y=(384, 24, 1)), {2}), (sloped((272, 17, 1)), {2}),
    (sloped(alignment=8), {0, 2}), (sloped((1, 32, 4), kind="before"), {1, 2, 4}),
    (sloped(alignment=8, kind="before"), {0, 2, 4}), (sloped((128, 0, 1), kind="before"), {2, 4, 7}),
    (numbered("HALF"), {4, 7}), (numbered("BFLOAT16"), {4, 7}), (numbered("FLOAT"), set()), (numbered(""), set()),
    (numbered("HALF", shape=(1, 1, 8)), {1, 2}), (numbered("HALF", "y", 1), {2}),
    (numbered("HALF", convolves=True), {4, 7, 32}), (numbered("FLOAT", convolves=True), {32}),
    (chained(1), set()), (chained(2), {4}), (chained(3), {4}), (chained(2, True), {4}),
    (bias_first((1024, 1024, 32, 1)), {4}), (bias_first((1024, 1024, 1, 32)), {1, 2, 4}),
    (strided("forward", ROWS), {6, 47}), (strided("forward", LAST), {6, 47}),
    (strided("forward", APART), {6, 47, 71, 72}), (strided("forward", SAME), {6, 47, 71, 72}),
    (strided("filter", ROWS), {20}), (strided("filter", LAST), {20}),
    (strided("filter", APART), {20, 70}), (strided("filter", SAME), {20, 70}),
    (strided("data", ROWS), {7, 25}), (strided("data", LAST), {7, 25}), (strided("data", APART), {7, 25, 78}),
    (strided("data", SAME), {4, 7, 25, 50, 78}), (strided("data", DOWN), {4, 7, 25, 50}),
):  # fmt: skip
    assert set(wrong_engines(graph.computation(device=H200))) == engines, engines


# NaN of a group reaches others where groups have few channels: advice, unless it is switched on.
for record, engines in (("convolution", {22, 23, 62, 67}), ("data-gradient", {22, 23, 28, 67, 71})):
    for groups, channels, applies in ((8, 4, True), (8, 16, False), (1, 4, False)):
        graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
        x = graph.tensor((1, groups * channels, 6, 6))
        w = graph.tensor((groups * channels, channels, 1, 1))
        if record == "convolution":
            graph.output(graph.convolution(x, w))
        else:
            graph.output(graph.convolution_backward_data(x, w, shape=x.shape))
        computation = graph.computation(device=H200)
        assert not engines & set(wrong_engines(computation))
        with errata_of_users.on(f"{record}-groups-nan"):
            assert (engines <= set(wrong_engines(computation))) == applies


def typed_norm(mode, phase, scale="FLOAT", bias="FLOAT", statistics="FLOAT"):
    """Return the engines that are wrong for a norm with parameters and statistics of some types."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    x = graph.tensor((8, 64, 1, 1), name="x")
    factor = graph.tensor((1, 64, 1, 1), data_type=scale, name="scale")
    if phase == "BACKWARD":
        given = [
            graph.tensor((8, 1, 1, 1), data_type=statistics, name=name)
            for name in ("mean", "inv_variance")[mode == "RMS_NORM" :]
        ]
        mean, inverse = (None, *given)[-2:]
        dy = graph.tensor((8, 64, 1, 1), name="dy")
        made = graph.norm_backward(mode, dy, x, factor, mean, inverse)
        graph.output(made.dx)
        graph.output(made.dscale, data_type=scale)
    else:
        summand = graph.tensor((1, 64, 1, 1), data_type=bias, name="bias")
        made = graph.norm_forward(mode, phase, x, scale=factor, bias=summand, epsilon=1e-5)
        graph.output(made.y)
        for each in (made.mean, made.inv_variance) if phase == "TRAINING" else ():
            if each is not None:
                graph.output(each, data_type=statistics)
    return set(wrong_engines(graph.computation(device=H200)))


for mode in ("LAYER_NORM", "RMS_NORM"):
    for phase in ("TRAINING", "INFERENCE", "BACKWARD"):
        for both in ("FLOAT", "HALF", "BFLOAT16"):
            assert not typed_norm(mode, phase, both, both)
    assert typed_norm(mode, "TRAINING", statistics="HALF") == {3, 5}
    assert typed_norm(mode, "BACKWARD", statistics="BFLOAT16") == {3, 4}
    for types in (("FLOAT", "HALF"), ("HALF", "FLOAT"), ("HALF", "BFLOAT16")):
        assert typed_norm(mode, "TRAINING", *types) == {1, 3, 5}
        assert typed_norm(mode, "INFERENCE", *types) == {1, 4, 6}


def volumes(shape, data_type, layout="channels_first", engine=None):
    """Return the candidates for a 3-D convolution of 16 channels."""
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type=data_type)
    x = graph.tensor(shape, layout=layout, name="x")
    w = graph.tensor((16, shape[1], 1, 3, 3), layout=layout, name="w")
    graph.output(graph.convolution(x, w), name="y", layout=layout)
    return graph.candidates(device=H200, engine=engine)


# An engine that is slow for volumes is left out, unless it is forced.
for data_type in ("HALF", "BFLOAT16"):
    for extents in ((124, 1282, 722), (124, 320, 180)):
        large = (1, 16, *extents)
        found = volumes(large, data_type)
        left_out = {each.engine for each in found.refusals if each.stage == "errata"}
        assert 23 not in {each.engine for each in found}
        assert found, large
        with errata_of_users.off("convolution-3d-bfloat16-slow"):
            others = volumes(large, data_type)
        assert {each.engine for each in others} - {each.engine for each in found} <= {23}
        if release == 91900:
            assert others[0].engine == 23
            assert 23 in left_out
            assert found[0].engine == 22
            assert found[0].deterministic
            assert found[0].workspace < others[0].workspace / 2
            assert volumes(large, data_type, engine=23)[0].engine == 23
    refusals = volumes((1, 16, 124, 320, 180), data_type, "channels_last").refusals
    assert 23 not in {each.engine for each in refusals if each.stage == "errata"}


def from_json(graph, engine):
    """Return how often the plan of an engine comes from its JSON, in two builds."""
    found, make = [], keys.make_plan

    def noted(*given, **what):
        found.append(what)
        return make(*given, **what)

    keys.make_plan = noted
    for _ in range(2):
        choice.plans.clear()
        assert choice.build(graph.computation(device=H200), engine=engine).engine == engine
    keys.make_plan = make
    return len(found)


# cuDNN's JSON of a plan lacks attributes of the graph: plans without kernels in it are built anew.
assert from_json(summed(16, nan="NOT_PROPAGATE_NAN"), 11) == 0
assert from_json(summed(16), 11) == 0
keys.has_kernels = lambda _: True  # as if there were a compiler
assert from_json(summed(16), 11) == 2
