"""cuDNN's functions in NumPy, on host memory: what operations made of several calls compute.

Descriptors are cuDNN's own; they work without a GPU. Nothing is executed.
"""

from __future__ import annotations

import ctypes
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
from cudnn_cffi import arrays, errors
from cudnn_cffi._lookup import calls
from cudnn_cffi._operation import way_search
from cudnn_cffi._operation.operation import Operation
from cudnn_cffi._ways import call_sequence as steps
from cudnn_cffi._ways.array_spec import Spec
from cudnn_cffi._ways.graph_draft import Draft
from cudnn_cffi.choice.policy import Engine, Rule
from cudnn_cffi.diagnose.evaluate import evaluate
from cudnn_cffi.driver import timing
from cudnn_cffi.plan.run import call_steps as plan_steps

HANDLE = SimpleNamespace(
    device=0, stream=None, get_stream=lambda: 0, workspace=SimpleNamespace(limit=None)
)


def at(address: int, shape: Any, strides: Any, dtype: Any) -> Any:
    """Return memory as an array; strides are in elements."""
    kind = np.dtype(arrays.dtype_name(dtype))
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    raw = (ctypes.c_char * (reach * kind.itemsize)).from_address(address)
    flat = np.frombuffer(raw, kind)
    return np.lib.stride_tricks.as_strided(
        flat, shape, [s * kind.itemsize for s in strides], writeable=True
    )


def seen(desc: Any, address: int) -> Any:
    """Return memory as a tensor descriptor says."""
    return at(address, desc.shape, desc.strides, desc.dtype)


def wide(array: Any) -> Any:
    return np.array(array, np.float64)


def store(desc: Any, address: int, alpha: float, result: Any, beta: float) -> None:
    target = seen(desc, address)
    target[...] = alpha * result + (beta * wide(target) if beta else 0)


def softmax(
    _h: Any, algo: Any, mode: Any, alpha: Any, x: Any, a: Any, beta: Any, y: Any, b: Any
) -> None:
    values = wide(seen(x, a))
    over = {"CHANNEL": (1,), "INSTANCE": (1, 2, 3)}[mode.name]
    values = values - values.max(over, keepdims=True)
    logs = values - np.log(np.exp(values).sum(over, keepdims=True))
    store(y, b, alpha, logs if algo.name == "LOG" else np.exp(logs), beta)


def transform(_h: Any, alpha: Any, x: Any, a: Any, beta: Any, y: Any, b: Any) -> None:
    assert x.shape == y.shape
    store(y, b, alpha, wide(seen(x, a)), beta)


def reduction(
    _h: Any,
    op: Any,
    _i: Any,
    _n: Any,
    _s: Any,
    _w: Any,
    alpha: Any,
    x: Any,
    a: Any,
    beta: Any,
    y: Any,
    b: Any,
) -> None:
    assert x.shape != y.shape
    axes = tuple(i for i, (n, m) in enumerate(zip(x.shape, y.shape, strict=True)) if n != m)
    values, name = wide(seen(x, a)), op.op.name
    function: Any = {"ADD": np.sum, "AVG": np.mean, "MAX": np.max}[name]
    store(y, b, alpha, function(values, axis=axes, keepdims=True), beta)


def bias_gradient(_h: Any, alpha: Any, x: Any, a: Any, beta: Any, y: Any, b: Any) -> None:
    assert y.shape == (1, x.shape[1], 1, 1)
    store(y, b, alpha, wide(seen(x, a)).sum((0, 2, 3), keepdims=True), beta)


def op_tensor(
    _h: Any,
    op: Any,
    alpha: Any,
    x: Any,
    a: Any,
    alpha2: Any,
    y: Any,
    b: Any,
    beta: Any,
    z: Any,
    c: Any,
) -> None:
    first, second = alpha * wide(seen(x, a)), alpha2 * wide(seen(y, b))
    found = {"ADD": np.add, "MUL": np.multiply}[op.op.name](first, second)
    store(z, c, 1.0, found, beta)


def _axes(mode: Any) -> Any:
    return (0,) if mode.name == "PER_ACTIVATION" else (0, 2, 3, 4)


def _over(mode: Any, rank: Any) -> Any:
    return tuple(axis for axis in _axes(mode) if axis < rank)


def bn_training(
    _h: Any,
    mode: Any,
    alpha: Any,
    beta: Any,
    x: Any,
    a: Any,
    y: Any,
    b: Any,
    p: Any,
    scale: Any,
    bias: Any,
    factor: Any,
    mean: Any,
    variance: Any,
    eps: Any,
    m: Any,
    v: Any,
) -> None:
    values = wide(seen(x, a))
    over = _over(mode, values.ndim)
    average = values.mean(over, keepdims=True)
    inverse = 1 / np.sqrt(values.var(over, keepdims=True) + eps)
    made = (values - average) * inverse * wide(seen(p, scale)) + wide(seen(p, bias))
    if mean:
        count = values.size // average.size
        for address, new in (
            (mean, average), (variance, values.var(over, keepdims=True) * count / (count - 1))
        ):  # fmt: skip
            old = seen(p, address)
            old[...] = (1 - factor) * old + factor * new
    store(y, b, alpha, made, beta)
    for address, found in ((m, average), (v, inverse)):
        if address:
            seen(p, address)[...] = found


def bn_inference(
    _h: Any,
    _mode: Any,
    alpha: Any,
    beta: Any,
    x: Any,
    a: Any,
    y: Any,
    b: Any,
    p: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    eps: Any,
) -> None:
    parts = [wide(seen(p, each)) for each in (scale, bias, mean, variance)]
    made = parts[0] * (wide(seen(x, a)) - parts[2]) / np.sqrt(parts[3] + eps) + parts[1]
    store(y, b, alpha, made, beta)


def bn_backward(
    _h: Any,
    mode: Any,
    alpha: Any,
    beta: Any,
    alpha2: Any,
    beta2: Any,
    x: Any,
    a: Any,
    dy: Any,
    b: Any,
    dx: Any,
    c: Any,
    p: Any,
    scale: Any,
    dscale: Any,
    dbias: Any,
    eps: Any,
    m: Any,
    v: Any,
) -> None:
    values, gradient = wide(seen(x, a)), wide(seen(dy, b))
    over = _over(mode, values.ndim)
    if m:
        average, inverse = wide(seen(p, m)), wide(seen(p, v))
    else:
        average = values.mean(over, keepdims=True)
        inverse = 1 / np.sqrt(values.var(over, keepdims=True) + eps)
    normal = (values - average) * inverse
    ds = (gradient * normal).sum(over, keepdims=True)
    db = gradient.sum(over, keepdims=True)
    count = values.size // ds.size
    made = wide(seen(p, scale)) * inverse * (gradient - db / count - normal * ds / count)
    store(dx, c, alpha, made, beta)
    store(p, dscale, alpha2, ds, beta2)
    store(p, dbias, alpha2, db, beta2)


def add(_h: Any, alpha: Any, x: Any, a: Any, beta: Any, y: Any, b: Any) -> None:
    store(y, b, alpha, np.broadcast_to(wide(seen(x, a)), y.shape), beta)


def activate(
    _h: Any, activation: Any, alpha: Any, x: Any, a: Any, beta: Any, y: Any, b: Any
) -> None:
    assert activation.mode.name == "RELU"
    store(y, b, alpha, np.maximum(wide(seen(x, a)), 0), beta)


def activate_backward(
    _h: Any,
    activation: Any,
    alpha: Any,
    y: Any,
    b: Any,
    dy: Any,
    c: Any,
    _x: Any,
    _a: Any,
    beta: Any,
    dx: Any,
    d: Any,
) -> None:
    assert activation.mode.name == "RELU"
    store(dx, d, alpha, wide(seen(dy, c)) * (seen(y, b) > 0), beta)


class _Plan:
    """A graph that NumPy evaluates, with the interface of a plan."""

    workspace_size = 0
    _apart = ()
    notes: tuple[str, ...] = ()
    _is_armed = False
    _ordinal = None

    def __init__(self, operation: Operation, case: Any) -> None:
        draft = Draft(case.inputs, case.outputs)
        operation.graph(case, draft)
        self.graph = draft.graph

        def operands(specs: Any) -> list[Any]:
            return [
                SimpleNamespace(
                    name=name,
                    shape=each.shape,
                    strides=each.strides,
                    data_type=each.data_type,
                    alignment=each.alignment,
                    is_argument=True,
                )
                for name, each in specs.items()
            ]

        self.inputs = operands({**case.inputs, **draft.more})
        self.outputs = operands(case.outputs)
        self.operands = (*self.inputs, *self.outputs)

    def execute_at(self, handle: Any, found: Any, workspace: int) -> None:
        assert handle is HANDLE
        assert workspace == 0
        views = {
            each.name: at(found[each.name], each.shape, each.strides, each.data_type)
            for each in self.operands
        }
        given = {each.name: wide(views[each.name]) for each in self.inputs}
        for name, result in evaluate(self.graph, given).items():
            views[name][...] = result


#: The way that operations are computed, and whether engines that a rule names are refused.
settings = SimpleNamespace(pick="heuristic", refuses_engines=False)


def find_way(self: Any, case: Any, rule: Any, handle: Any, _device: Any) -> Any:
    if settings.refuses_engines and isinstance(rule.pick, Engine):
        raise errors.NoPlanError("no engine has such a configuration")
    if self.ways == ("graph",) or rule.via == "graph":
        return _Plan(self, case)
    return self.classic(case, rule, handle)


def fill(address: int, bits: int, count: int, _stream: int, width: int = 1) -> None:
    assert width in timing.FILLING
    data = bits.to_bytes(width, "little") * count
    ctypes.memmove(address, data, len(data))


def copy_rows(
    source: int, target: int, rows: int, width: int, pitch: int, to_pitch: int, _stream: int
) -> None:
    for row in range(rows):
        ctypes.memmove(target + row * to_pitch, source + row * pitch, width)


def copy_of(data: bytes) -> Any:
    """Return memory with these bytes, as constants of operations have it."""
    buffer = np.frombuffer(bytearray(data), np.uint8)
    return SimpleNamespace(address=buffer.ctypes.data, keep=buffer)


def install() -> None:
    """Have cuDNN's functions replaced in this process."""
    for name, function in {
        "cudnnSoftmaxForward": softmax,
        "cudnnTransformTensor": transform,
        "cudnnReduceTensor": reduction,
        "cudnnConvolutionBackwardBias": bias_gradient,
        "cudnnGetReductionWorkspaceSize": lambda *_: 8,
        "cudnnOpTensor": op_tensor,
        "cudnnAddTensor": add,
        "cudnnActivationForward": activate,
        "cudnnActivationBackward": activate_backward,
        "cudnnBatchNormalizationForwardTraining": bn_training,
        "cudnnBatchNormalizationForwardInference": bn_inference,
        "cudnnBatchNormalizationBackward": bn_backward,
    }.items():
        setattr(calls, name, function)
    setattr(way_search, "find_uncopied", find_way)  # noqa: B010
    setattr(plan_steps, "copy_rows", copy_rows)  # noqa: B010
    setattr(plan_steps, "fill_with", fill)  # noqa: B010
    setattr(steps, "constant_of", lambda _handle, data: copy_of(data))  # noqa: B010


def run(operation: Any, *given: Any, **call: Any) -> Any:
    """Return what an operation computes of NumPy's arrays; None for those left out."""

    def spec(array: Any) -> Spec | None:
        if array is None:
            return None
        strides = tuple(s // array.itemsize for s in array.strides)
        return Spec(array.dtype.name, array.shape, strides, None)

    case = operation.case(*map(spec, given), **call)
    way = operation.classic(case, Rule(pick=settings.pick), HANDLE)
    named = {n: a for n, a in zip(operation.takes, given, strict=False) if a is not None}
    results = {}
    for name, each in case.outputs.items():
        reach = 1 + sum((n - 1) * s for n, s in zip(each.shape, each.strides, strict=True))
        raw = np.full(reach, 77, np.dtype(each.dtype))
        if raw.dtype.kind == "f":
            raw[:] = np.nan
        results[name] = np.lib.stride_tricks.as_strided(
            raw, each.shape, [s * raw.itemsize for s in each.strides]
        )
    scratch = np.full(way.workspace_size + 512, 0x7F, np.uint8)
    start = -(-scratch.ctypes.data // 256) * 256
    named |= results
    addresses = [named[each.name].ctypes.data for each in way.operands]
    way.call_with(HANDLE, start, *addresses)
    assert math.isfinite(way.workspace_size)
    found = tuple(results.values())
    return found if len(found) > 1 else found[0]
