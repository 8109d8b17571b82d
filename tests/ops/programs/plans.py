"""Plans of operations for an H200 that is not there; only engines that need no compiler."""

from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errors, ops
from cudnn_cffi.plan import Plan

from tests.refusing import refusal

like = ops.Spec.like
H200 = cudnn.DeviceProperties("H200")


def refused(text, call, kind=errors.ArgumentError):
    refusal(kind, call, text)


def planned(operation: ops.Operation, *arrays: Any, **options: Any) -> Plan:
    """Return the plan of a graph; a classic function has no engine."""
    plan = operation.plan(*arrays, device=H200, **options)
    assert isinstance(plan, Plan)
    return plan


x, w, b = like((8, 32, 16, 16)), like((64, 32, 3, 3)), like((64,))

# Shapes of results: batch or none, one to three dimensions, words for padding.
for dimensions in (1, 2, 3):
    for batch in (True, False):
        sizes = (9, 10, 11)[:dimensions]
        source = like((*(2,) * batch, 16, *sizes))
        filters = like((24, 16, *(3,) * dimensions))
        for padding, extra in (("valid", -2), ("same", 0), ("half", 0), ("full", 2), (1, 0)):
            plan = ops.Convolution(padding).plan(source, filters, device=H200)
            wanted = (*(2,) * batch, 24, *[n + extra for n in sizes])
            assert plan.outputs[0].shape == wanted, (padding, plan.outputs)
            assert [each.name for each in plan.operands] == ["x", "w", "y"]
            assert plan.operands[0].shape == source.shape

# "same" with a stride, as TensorFlow has it; padding before and after.
plan = ops.Convolution("same", 2).plan(like((1, 4, 7, 8)), like((8, 4, 3, 3)), device=H200)
assert plan.outputs[0].shape == (1, 8, 4, 4)
plan = ops.Convolution(((1, 0), (2, 3))).plan(x, w, device=H200)
assert plan.outputs[0].shape == (8, 64, 15, 19)

# Layouts and types: the result is laid out as the input.
for layout, strides in (("NCHW", (16384, 256, 16, 1)), ("NHWC", (16384, 1, 1024, 64))):
    for dtype in ("float", "half", "bf16"):
        conv = ops.Convolution(1)
        plan = conv.plan(like(x.shape, dtype, layout), like(w.shape, dtype, layout), device=H200)
        assert plan.outputs[0].strides == strides
        assert (
            plan.outputs[0].data_type
            == {"float": "FLOAT", "half": "HALF", "bf16": "BFLOAT16"}[dtype]
        )

# Gradients, groups, and what is fused.
plan = ops.ConvolutionBackwardData(1).plan(like((8, 64, 16, 16)), w, device=H200, shape=x.shape)
assert plan.outputs[0].shape == x.shape
plan = ops.ConvolutionBackwardData(1, 2, groups=2).plan(
    like((8, 64, 8, 8)), like((64, 16, 3, 3)), device=H200
)
assert plan.outputs[0].shape == (8, 32, 15, 15)
plan = ops.ConvolutionBackwardFilter(1).plan(x, like((8, 64, 16, 16)), device=H200, shape=w.shape)
assert plan.outputs[0].shape == w.shape
transposed = ops.ConvolutionTranspose(1, 2, output_padding=1)
plan = transposed.plan(like((8, 64, 8, 8)), w, device=H200)
assert plan.outputs[0].shape == (8, 32, 16, 16)
plan = ops.Convolution(1, activation="relu").plan(x, w, b, like((8, 64, 16, 16)), device=H200)
assert [each.name for each in plan.operands] == ["x", "w", "bias", "residual", "y"]
assert plan.operands[2].shape == (64,)
plan = ops.Convolution(1, activation="relu").plan(
    x, w=w, residual=like((8, 64, 16, 16)), bias=b, alpha=-2.0, alpha2=0.5, device=H200
)
assert plan.operands[3].shape == (8, 64, 16, 16)
found = ops.candidates(
    "convolution", x, w, residual=like((8, 64, 16, 16)), padding=1, alpha2=0.5, device=H200
)
assert found[0].supported
plan = ops.Convolution(1).plan(x, like((64, 8, 3, 3)), device=H200)
assert plan.outputs[0].shape == (8, 64, 16, 16)

# Policies decide the plan.
conv = ops.Convolution(1)
first = planned(conv, x, w)
other = planned(conv, x, w, choose={"exclude": [first.engine]})
assert other.engine != first.engine
assert planned(conv, x, w, choose={"engine": 0}).engine == 0
none = conv.plan(x, w, device=H200, choose={"pick": "none", "via": "graph"})
assert none.workspace_size == 0
same = planned(
    ops.ConvolutionBackwardFilter(1),
    x,
    like((8, 64, 16, 16)),
    shape=w.shape,
    choose="deterministic",
)
assert "NONDETERMINISTIC" not in same.notes
with cudnn.choice(engine=1):
    assert planned(conv, x, w).engine == 1
    assert planned(conv, x, w, choose={"engine": 0}).engine == 0
limited = conv.plan(
    like(x.shape, "half"), like(w.shape, "half"), device=H200, choose={"workspace_limit": 1000}
)
assert limited.workspace_size <= 1000
refused(
    "classic functions need a GPU",
    lambda: conv.plan(x, w, device=H200, choose="IMPLICIT_GEMM"),
    errors.NotSupportedError,
)
for choose, text in (
    ({"pick": "IMPLICIT_GEMM", "via": "graph"}, "IMPLICIT_GEMM is an algorithm of the classic"),
    ({"engine": 1, "via": "classic"}, "engine 1 is one of graphs"),
):
    refused(
        text,
        lambda choose=choose: conv.plan(x, w, device=H200, choose=choose),
        errors.NotSupportedError,
    )

# All candidates, before anything runs.
rows = ops.candidates("convolution", x, w, padding=1, device=H200, gradients=True)
assert {row.section for row in rows} == {"forward", "data", "filter"}
assert {row.supported for row in rows} == {True, False}
assert all(row.reason for row in rows if not row.supported)
assert any(row.workspace == 0 for row in rows)
assert not next(row for row in rows if row.via == "classic").supported
assert "engine" in repr(rows)
assert rows._repr_html_().startswith("<table>")
assert rows.to_dicts()[0]["operation"] == "convolution"
best = next(row for row in rows if row.section == "data" and row.supported)
chosen = planned(
    ops.ConvolutionBackwardData(1), like((8, 64, 16, 16)), w, shape=x.shape, choose=best.choose
)
assert f"engine {chosen.engine}" == best.name

# Refusals name the argument, before cuDNN is asked.
shape = errors.ShapeMismatchError
refused(
    "x: expected 3 channels",
    lambda: ops.Convolution(groups=1).plan(x, like((64, 3, 3, 3)), device=H200),
    shape,
)
refused("w: expected a multiple of 4", lambda: conv.plan(x, like((6, 8, 3, 3)), device=H200), shape)
refused(
    "w: expected float32, got float16",
    lambda: conv.plan(x, like(w.shape, "half"), device=H200),
)
refused("w: expected 3 to 5 axes", lambda: conv.plan(x, like((3, 3)), device=H200))
refused("x: expected 4 axes", lambda: conv.plan(like((8, 8)), w, device=H200))
refused("bias: expected 64 numbers", lambda: conv.plan(x, w, like((63,)), device=H200), shape)
refused("bias: expected one number for each", lambda: conv.plan(x, w, like((2, 32)), device=H200))
refused("residual: expected the shape", lambda: conv.plan(x, w, None, x, device=H200), shape)
refused("out: expected the shape", lambda: conv.plan(x, w, out=x, device=H200), shape)
refused(
    "less than filters", lambda: ops.Convolution().plan(like((1, 32, 2, 2)), w, device=H200), shape
)
refused("padding: expected numbers or a word, got 'some'", lambda: ops.Convolution("some"))
refused(
    "activation: expected an activation, got 'none'", lambda: ops.Convolution(activation="none")
)
refused(
    "dy: a convolution of",
    lambda: ops.ConvolutionBackwardData(1).plan(
        like((8, 64, 16, 16)), w, device=H200, shape=(8, 32, 17, 16)
    ),
    shape,
)
refused(
    "shape: expected that of the filters",
    lambda: ops.ConvolutionBackwardFilter(1).plan(x, x, device=H200),
)
refused("there is no argument 'paddings'", lambda: ops.convolution(x, w, **{"paddings": 1}))
refused("operation: there is no 'conv': use ops.convolution", lambda: ops.candidates("conv", x, w))
refused("axis: expected numbers or a word, got 'rows'", lambda: ops.Softmax("rows"))
refused("kind: expected a kind of pooling, got 'min'", lambda: ops.Pooling("min"))
refused(
    "padding: expected less than the window",
    lambda: ops.Pooling("max", 2, padding=2).plan(x, device=H200),
)
refused("coefficient: RELU has none", lambda: ops.Activation("relu", 3.0))
refused("running_mean and running_variance", lambda: ops.batch_norm(x, b, b, b))
refused(
    "operation: expected a word for an operation, got 'divide'",
    lambda: ops.TensorOperation("divide"),
)
refused("indices: expected min, max or amax, got 'sum'", lambda: ops.Reduction("sum", indices=True))
