"""Pooling and its gradient by every engine, in each data type and layout, against float64."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from tests.gpu import graph_arrays

SHAPE, POOLED = (2, 32, 12, 8), (2, 32, 6, 4)
WINDOW: dict[str, Any] = {"window": 3, "stride": 2, "padding": 1}
TOLERANCES = {"FLOAT": 3e-6, "HALF": 2e-3, "BFLOAT16": 1.5e-2}
MODES = ("MAXPOOL", "AVGPOOL_INCLUDE_PADDING", "AVGPOOL_EXCLUDE_PADDING")


def pooled(torch: Any, mode: str, x: Any) -> Any:
    f = torch.nn.functional
    if mode == "MAXPOOL":
        return f.max_pool2d(x, 3, 2, 1)
    return f.avg_pool2d(x, 3, 2, 1, count_include_pad=mode.endswith("INCLUDE_PADDING"))


def add(g: Any, mode: str, data_type: str, layout: str, how: str) -> None:
    """Add pooling, its positions, or its gradient."""
    if how == "backward":
        settings = {"data_type": data_type, "layout": layout}
        dy = g.tensor(POOLED, name="dy", **settings)
        if mode == "MAXPOOL":
            index = g.tensor(POOLED, "INT8", layout=layout, name="index")
            dx = g.resample_backward(dy, mode, index=index, shape=SHAPE, **WINDOW)
        else:
            x, y = g.tensor(SHAPE, name="x", **settings), g.tensor(POOLED, name="y", **settings)
            dx = g.resample_backward(dy, mode, x=x, y=y, **WINDOW)
        g.output(dx, name="result")
        return
    x = g.tensor(SHAPE, data_type, layout=layout, name="x")
    if how == "forward":
        g.output(g.resample(x, mode, **WINDOW), name="result")
        return
    y, index = g.resample(x, mode, index=True, **WINDOW)
    g.output(y, name="y")
    g.output(index, name="index")


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("data_type", TOLERANCES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["forward", "backward"])
def test_each_engine(
    cudnn: Any, torch: Any, how: str, mode: str, data_type: str, layout: str
) -> None:
    g = cudnn.Graph()
    add(g, mode, data_type, layout, how)
    errors = {}
    kind = getattr(torch, graph_arrays.TYPES[data_type])
    for seed, candidate in enumerate(g.candidates(every_engine=True)):
        if candidate.engine in errors:
            continue
        try:
            plan = candidate.build()
        except cudnn.CudnnError:
            continue
        torch.manual_seed(seed)
        # Numbers that every type has, all different in a window: positions are the same then.
        order = torch.rand(SHAPE[0], SHAPE[1], SHAPE[2] * SHAPE[3]).argsort(-1).double()
        x = ((order - 48) / 16).reshape(SHAPE).requires_grad_()
        dy = torch.randn(POOLED, dtype=torch.float64).to(kind).double()
        y = pooled(torch, mode, x)
        (reference,) = torch.autograd.grad(y, x, dy, retain_graph=True)
        if how == "forward":
            reference = y.detach()
        values = {"x": x.detach(), "y": y.detach(), "dy": dy}
        arguments = {}
        for each in plan.inputs:
            if each.name == "index":  # in the way of cuDNN's own
                first = cudnn.Graph()
                add(first, mode, "HALF", "NHWC", "index")
                forward = first.build()
                given = graph_arrays.laid_out(torch, x.detach(), forward.inputs[0])
                _, index = forward(given)
                values["index"] = index.double()
            arguments[each.name] = graph_arrays.laid_out(torch, values[each.name], each)
        (output,) = plan.outputs
        result = graph_arrays.poisoned(torch, output)
        plan(**arguments, result=result)
        torch.cuda.synchronize()
        errors[candidate.engine] = graph_arrays.error_of(torch, result.cpu(), reference)
    if not errors:
        assert layout == "NCHW", "engines take channels last of each type"
        pytest.skip("no engine")
    wrong = {engine: each for engine, each in errors.items() if not each <= TOLERANCES[data_type]}
    assert not wrong, f"wrong: {wrong}; all: {errors}"


@pytest.mark.parametrize("window", [3, 11, 12, 17])
def test_gradients_of_large_windows(cudnn: Any, torch: Any, window: int) -> None:
    """Positions of maxima have room, whatever the window: INT8 wraps around."""
    shape = (2, 32, 40, 40)
    g, h = cudnn.Graph(), cudnn.Graph()
    how = {"window": window, "stride": window}
    y, index = g.resample(
        g.tensor(shape, "HALF", layout="NHWC", name="x"), "MAXPOOL", index=True, **how
    )
    g.output(y, name="y")
    g.output(index, name="index")
    given = h.tensor(index.shape, index.data_type, index.strides, name="index")
    dy = h.tensor(y.shape, "HALF", y.strides, name="dy")
    h.output(h.resample_backward(dy, "MAXPOOL", index=given, shape=shape, **how), name="dx")
    x = torch.randn(shape, device="cuda").half().to(memory_format=torch.channels_last)
    x.requires_grad_()
    wanted = torch.nn.functional.max_pool2d(x, window)
    gradient = torch.randn_like(wanted)
    wanted.backward(gradient)
    result, positions = g.build()(x.detach())
    assert torch.equal(result, wanted.detach())
    assert torch.equal(h.build()(positions, gradient), x.grad)


@pytest.mark.parametrize("layout", [(0, 2, 1), None], ids=["channels last", "rows"])
@pytest.mark.parametrize(
    ("data_type", "shape", "how"),
    [
        ("HALF", (5, 24, 24), (2, 1, 0)),
        ("BFLOAT16", (16, 2, 4), (2, 3, 1)),
        ("FLOAT", (4, 13, 13), (3, 3, 1)),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_lines(
    cudnn: Any, torch: Any, mode: str, data_type: str, shape: Any, how: Any, layout: Any
) -> None:
    """Engines leave results of three dimensions unwritten, or end the context."""
    size, stride, padding = how
    kind = getattr(torch, graph_arrays.TYPES[data_type])
    x = torch.randint(-4, 5, shape).double().requires_grad_()
    f, options = torch.nn.functional, {}
    if mode != "MAXPOOL":
        options["count_include_pad"] = mode.endswith("INCLUDE_PADDING")
    pool = f.max_pool1d if mode == "MAXPOOL" else f.avg_pool1d
    y = pool(x, size, stride, padding, **options)
    dy = torch.randint(-4, 5, y.shape).double()
    (gradient,) = torch.autograd.grad(y, x, dy)
    window = {"window": size, "stride": stride, "padding": padding}
    g, h = cudnn.Graph(), cudnn.Graph()
    given = g.tensor(shape, data_type, layout=layout, name="x")
    g.output(g.resample(given, mode, **window), name="result", layout=layout)
    cases = [(g, y.detach())]
    if mode != "MAXPOOL":
        given = h.tensor(dy.shape, data_type, layout=layout, name="dy")
        gradients = h.resample_backward(given, mode, shape=shape, **window)
        h.output(gradients, name="result", layout=layout)
        cases.append((h, gradient))
    values = {"x": x.detach(), "dy": dy}
    for graph, expected in cases:
        plan = graph.build()
        (result,) = (graph_arrays.poisoned(torch, each) for each in plan.outputs)
        arguments = {
            each.name: graph_arrays.laid_out(torch, values[each.name], each) for each in plan.inputs
        }
        plan(**arguments, result=result)
        assert result.dtype == kind
        assert graph_arrays.error_of(torch, result.cpu(), expected) <= TOLERANCES[data_type]


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("window", [(1, 3, 0), (3, 2, 1)])
@pytest.mark.parametrize(
    "types", [("BFLOAT16", "FLOAT"), ("BFLOAT16", "BFLOAT16"), ("HALF", "FLOAT"), ("FLOAT", "HALF")]
)
def test_gradients_of_averages_alone(
    cudnn: Any, torch: Any, types: Any, window: Any, layout: str
) -> None:
    """Without images, which an engine wants, and in types of which one computes none."""
    size, stride, padding = window
    x = torch.zeros(1, 5, 9, 16, dtype=torch.float64, requires_grad=True)
    y = torch.nn.functional.avg_pool2d(x, size, stride, padding, count_include_pad=False)
    dy = torch.randint(-4, 5, y.shape).double()
    (expected,) = torch.autograd.grad(y, x, dy)
    g = cudnn.Graph()
    given = g.tensor(dy.shape, types[0], layout=layout, name="dy")
    how = {"window": size, "stride": stride, "padding": padding}
    dx = g.resample_backward(given, MODES[2], shape=x.shape, **how)
    g.output(dx, name="dx", data_type=types[1], layout=layout)
    plan = g.build()
    result = graph_arrays.computed(torch, plan, dy=graph_arrays.laid_out(torch, dy, plan.inputs[0]))
    assert graph_arrays.error_of(torch, result.cpu(), expected) <= TOLERANCES[types[1]]


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("data_type", ["HALF", "FLOAT"])
def test_maxima_keep_nan(cudnn: Any, torch: Any, data_type: str, layout: str) -> None:
    """A NaN at each place of a window wins with each engine that may be chosen, if it is to."""
    g = cudnn.Graph(io_data_type=data_type)
    x = g.tensor((2, 16, 9, 9), layout=layout, name="x")
    g.output(
        g.resample(x, "MAXPOOL", window=3, stride=3, nan_propagation="PROPAGATE_NAN"), name="y"
    )
    values = torch.randn((2, 16, 9, 9), dtype=torch.float64) - 3
    for channel in range(9):
        values[:, channel, channel // 3 :: 3, channel % 3 :: 3] = float("nan")
    seen = set()
    for candidate in g.candidates(every_engine=True):
        try:
            plan = candidate.build()
        except cudnn.CudnnError:
            continue
        y = graph_arrays.poisoned(torch, plan.outputs[0]).zero_()
        plan(x=graph_arrays.laid_out(torch, values, plan.inputs[0]), y=y)
        torch.cuda.synchronize()
        assert y[:, :9].isnan().all(), candidate.engine
        assert not y[:, 9:].isnan().any(), candidate.engine
        seen.add(candidate.engine)
    assert seen


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("result", ["FP8_E4M3", "FP8_E5M2", "FLOAT"])
@pytest.mark.parametrize("data_type", ["FP8_E4M3", "FP8_E5M2"])
def test_maxima_of_low_numbers_of_fp8(
    cudnn: Any, torch: Any, data_type: str, result: str, layout: str
) -> None:
    """A window has the lowest number, or others below where an engine begins, also beside padding."""
    g = cudnn.Graph()
    x = g.tensor((2, 16, 8, 8), data_type, layout=layout, name="x")
    y, index = g.resample(x, "MAXPOOL", window=3, stride=2, padding=1, index=True)
    g.output(y, name="y", data_type=result, layout=layout)
    only = cudnn.Graph()
    x = only.tensor((2, 16, 8, 8), data_type, layout=layout, name="x")
    y = only.resample(x, "MAXPOOL", window=3, stride=2, padding=1)
    only.output(y, name="y", data_type=result, layout=layout)
    g.output(index, name="index", layout=layout)
    channels = torch.tensor([-448.0, -416, -384, -352, -320, -288, -256, -240] * 2)
    values = channels.double().view(1, 16, 1, 1).expand(2, 16, 8, 8)
    kinds = [getattr(torch, graph_arrays.TYPES[each]) for each in (data_type, result)]
    exact = channels
    for kind in kinds:
        exact = exact.to(kind).float()
    for graph in (only, g):
        plan = graph.build()
        outputs = {each.name: graph_arrays.poisoned(torch, each) for each in plan.outputs}
        plan(x=graph_arrays.laid_out(torch, values, plan.inputs[0]), **outputs)
        torch.cuda.synchronize()
        found = outputs["y"].float().cpu()
        assert (found == exact.view(1, 16, 1, 1)).all(), found[0, :, 0, 0]


def test_the_index_of_maxima(cudnn: Any, torch: Any) -> None:
    """It is that of the largest number, in copies for rows; a NaN that has to win is refused."""

    def graph(layout: str, nan: str | None = None) -> Any:
        g = cudnn.Graph(io_data_type="HALF")
        x = g.tensor((2, 16, 9, 9), layout=layout, name="x")
        how = {"window": 3, "stride": 3, "nan_propagation": nan}
        for name, each in zip("yi", g.resample(x, "MAXPOOL", index=True, **how), strict=True):
            g.output(each, name=name)
        return g

    with pytest.raises(cudnn.NotSupportedError, match="numbers win over NaN"):
        graph("NHWC", "PROPAGATE_NAN").build()
    order = torch.rand(2, 16, 3, 3, 9).argsort(-1).double()
    x = order.reshape(2, 16, 3, 3, 3, 3).permute(0, 1, 2, 4, 3, 5).reshape(2, 16, 9, 9)
    plans = [graph("NCHW").build()]
    for candidate in graph("NHWC").candidates(every_engine=True):
        with contextlib.suppress(cudnn.CudnnError):
            plans.append(candidate.build())
    for plan in plans:
        y, index = (graph_arrays.poisoned(torch, each) for each in plan.outputs)
        plan(x=graph_arrays.laid_out(torch, x, plan.inputs[0]), y=y, i=index)
        torch.cuda.synchronize()
        assert torch.equal(index.cpu().long(), order.argmax(-1)), plan
