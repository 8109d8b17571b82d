"""Layers of 8 bits on the CPU: PyTorch computes what plans and kernels compute on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch
from cudnn_cffi import handles
from cudnn_cffi.torch.fusion.building import Settings
from cudnn_cffi.torch.fusion.eight import narrowing
from cudnn_cffi.torch.fusion.eight.asking import to_narrowing
from cudnn_cffi.torch.fusion.eight.graphs import Shape, to_graph
from cudnn_cffi.torch.fusion.eight.kinds import Kind
from cudnn_cffi.torch.fusion.eight.search import Found
from cudnn_cffi.torch.fusion.fused import _parts_of
from cudnn_cffi.torch.fusion.pipeline import Pipeline
from cudnn_cffi.torch.fusion.program import Program
from cudnn_cffi.torch.fusion.trace.eager import Like
from cudnn_cffi.torch.fusion.trace.shadow import to_shadow
from cudnn_cffi.torch.fusion.trace.tracing import to_form
from torch import nn
from torch.nn import functional

from .emulated import find

_WORDS: dict[str | None, Callable[[Any], Any]] = {
    None: lambda y: y,
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda y: functional.gelu(y, approximate="tanh"),
    "sigmoid": torch.sigmoid,
    "swish": functional.silu,
    "tanh": torch.tanh,
}

_TYPES = {
    "HALF": torch.float16, "FLOAT": torch.float32, "BFLOAT16": torch.bfloat16,
    "INT8": torch.int8, "FP8_E4M3": torch.float8_e4m3fn,
}  # fmt: skip


class Operand(NamedTuple):
    name: str
    is_argument: bool = True


class EmulatedPlan:
    """Computes in float64 as a plan of 8 bits does, and checks its operands."""

    engine = 7

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        graph = to_graph(shape)
        tensors = [each for each in graph.tensors.values() if not each.is_virtual]
        names = [each.name for each in tensors]
        self.operands = [Operand(str(name)) for name in names if name != "y"] + [Operand("y")]

    def __call__(self, *given: Any) -> Any:
        shape = self.shape
        named = dict(zip([each.name for each in self.operands], given, strict=True))
        for name, extents in (("x", shape.x), ("w", shape.w)):
            assert tuple(named[name].shape) == extents, name
            assert named[name].dtype == shape.kind.dtype, name
            assert named[name].is_contiguous(memory_format=torch.channels_last), name
        y = functional.conv2d(
            *(named[name].float().double() for name in "xw"), None, shape.stride, shape.padding,
            shape.dilation,
        )  # fmt: skip
        y = y * named["factors"].double() + named["offsets"].double()
        if shape.residual is not None:
            assert named["residual"].dtype == _TYPES[shape.residual]
            residual = named["residual"]
            residual = residual.float() if residual.element_size() == 1 else residual
            y = y + residual.double() * named["residual_factor"].double()
        y = _WORDS[shape.word](y)
        y = y * named["more"].double() if "more" in named else y
        made = shape.kind.round(y, 1.0).float() if shape.result == shape.kind.data_type else y
        out = named["y"]
        if out is None:
            return made.to(_TYPES[shape.result]).contiguous(memory_format=torch.channels_last)
        assert out.dtype == _TYPES[shape.result]
        return out.copy_(made.to(out.dtype))


class EmulatedQuantizer:
    def __init__(self, kind: Kind, scale: float) -> None:
        self.kind, self.scale = kind, scale

    def __call__(self, x: Any) -> Any:
        return self.kind.round(x.double(), self.scale).float().to(self.kind.dtype)


class EmulatedQuantizing:
    """Quantizes weights as the kernel does."""

    def __init__(self, weights: list[Any], ordinal: int) -> None:
        self._weights = weights

    def run(self) -> None:
        for own in self._weights:
            layer, norm = own.layer, own.norm
            source = layer.weight.detach().double()
            most = source.flatten(1).abs().amax(1)
            scale = most / own.kind.most
            axes = [1] * (source.dim() - 1)
            rounded = own.kind.round(source, scale.view(-1, *axes)).float()
            own.weight.copy_(rounded.to(own.kind.dtype))
            factor, offset = torch.ones_like(most), torch.zeros_like(most)
            offset = offset if layer.bias is None else layer.bias.detach().double()
            if norm is not None:
                factor = 1.0 / torch.sqrt(norm.running_var.double() + norm.eps)
                factor = factor * norm.weight.detach().double()
                offset = (offset - norm.running_mean.double()) * factor
                offset = offset + norm.bias.detach().double()
            own.factors.copy_(scale * factor * own.factor)
            own.offsets.copy_(offset * own.offset)


def emulate(
    monkeypatch: pytest.MonkeyPatch, times: Callable[[Shape], float | str] = lambda _: 1.0
) -> None:
    """Have plans and kernels emulated; a layer takes 10 us without 8 bits, and a step none.

    Args:
        monkeypatch: of the test.
        times: returns the time of a plan, or why there is none.
    """

    def found(shape: Shape) -> Any:
        time = times(shape)
        return time if isinstance(time, str) else Found(EmulatedPlan(shape), time)

    own = narrowing.Narrower
    monkeypatch.setattr(narrowing, "Quantizer", EmulatedQuantizer)
    monkeypatch.setattr(narrowing, "Requantizing", EmulatedQuantizing)
    monkeypatch.setattr(handles, "handle", lambda _: None)
    monkeypatch.setattr(own, "_find", lambda self, shape, *_: found(shape))
    monkeypatch.setattr(narrowing, "time_of", lambda run: (run(), 10.0)[1])
    monkeypatch.setattr(own, "_step_time", lambda *_: 0.5)


def prepared(
    model: nn.Module, x: Any, dtype: str, calibration: list[Any] | None = None, loss: float = 1.0
) -> tuple[Program, Any]:
    """A program with emulated layers of 8 bits, and what decided for it."""
    batches = [x] if calibration is None else calibration
    given = to_narrowing(model, dtype, batches, loss, partial(_parts_of, model, []))
    pipeline = Pipeline(to_shadow(model), Settings(narrow=given))
    assert pipeline.narrower is not None
    return program_of(pipeline, x), pipeline.narrower


def program_of(pipeline: Pipeline, x: Any) -> Program:
    """A program of a pipeline whose layers are emulated."""
    form, tensors = to_form((x,), {})
    parts, narrower = pipeline.parts(form, tensors), pipeline.narrower
    assert narrower is not None

    def narrow(parts: Any, values: Any) -> Any:
        return narrower.apply(parts, values, pipeline.settings, 0)

    likes = [Like.of(each) for each in tensors]
    return Program(parts, likes, pipeline.folder, find, narrow)
