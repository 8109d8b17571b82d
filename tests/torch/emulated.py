"""Stand-ins for plans on the CPU: they check their operands as plans do, and PyTorch computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from cudnn_cffi.arrays import same_strides
from cudnn_cffi.torch.autograd.layouts import formatted
from cudnn_cffi.torch.fusion.building import ACTIVATIONS, Settings, Way
from cudnn_cffi.torch.fusion.parts import Part
from cudnn_cffi.torch.fusion.pipeline import Pipeline
from cudnn_cffi.torch.fusion.program import Program
from cudnn_cffi.torch.fusion.trace.eager import Like
from cudnn_cffi.torch.fusion.trace.shadow import to_shadow
from cudnn_cffi.torch.fusion.trace.tracing import to_form
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import functional

CONVOLUTIONS: dict[int, Any] = {4: functional.conv2d, 5: functional.conv3d}


def find(part: Part, specs: Mapping[str, Any]) -> Way:
    """A way that computes all of a part, unless the residual has another shape or data type."""
    layer = part.conv
    if part.kind == "norm":
        return Way(lambda *given: _norm(part, specs, *given), "emulated")
    fits = "residual" in specs and specs["residual"][:2] == specs["y"][:2]
    activation = part.activation if fits or part.residual is None else None

    def run(x: Any, w: Any, *others: Any) -> Any:
        rest = list(others)
        bias = rest.pop(0) if "bias" in specs else None
        gate = rest.pop(0) if "gate" in specs else None
        norm = rest.pop(0) if part.before is not None else None
        residual = rest.pop(0) if fits else None
        out = rest.pop(0) if rest else None
        given = {"x": x, "w": w, "bias": bias, "residual": residual, "y": out}
        for name, tensor in given.items():
            if tensor is not None:
                assert tuple(tensor.shape) == specs[name].shape, name
                assert str(tensor.dtype) == f"torch.{specs[name].dtype}", name
                assert tensor.data_ptr() % specs[name].alignment == 0, name
                if name == "y":  # it may be a slice of a concatenation
                    assert same_strides(tensor.shape, tensor.stride(), specs[name].strides), name
                elif name != "x" or norm is None:
                    assert formatted(tensor, True) is tensor, name
        x = x if gate is None else x * gate
        if norm is not None:
            assert part.before is not None
            x = functional.batch_norm(x, *norm.tensors, False, 0.0, norm.epsilon)
            x = ACTIVATIONS[part.before[0]](x, part.before[1])
        padding: Any = layer.padding
        if isinstance(padding, tuple) and any(isinstance(each, tuple) for each in padding):
            pairs = [each if isinstance(each, tuple) else (each, each) for each in padding]
            x = functional.pad(x, [n for pair in reversed(pairs) for n in pair])
            padding = 0
        y = CONVOLUTIONS[x.dim()](x, w, bias, layer.stride, padding, layer.dilation, layer.groups)
        y = y if residual is None else y + residual
        y = y if activation is None else ACTIVATIONS[activation[0]](y, activation[1])
        assert not rest
        return formatted(y, True) if out is None else out.copy_(y)

    return Way(run, "emulated", "", fits, activation is not None)


def _norm(part: Part, specs: Mapping[str, Any], x: Any, w: Any, *others: Any) -> Any:
    """Return a norm of arrays without gaps."""
    rest = list(others)
    b = rest.pop(0) if "bias" in specs else None
    out = rest.pop(0) if rest else None
    for name, tensor in {"x": x, "w": w, "bias": b, "y": out}.items():
        if tensor is not None:
            assert tuple(tensor.shape) == specs[name].shape, name
            assert tensor.is_contiguous(), name
    y = part.layer.compute(x, w, b)  # type: ignore[union-attr]
    return y if out is None else out.copy_(y)


def settle(model: nn.Module, seed: int = 0) -> nn.Module:
    """The model in float64 and eval mode, with random statistics."""
    torch.manual_seed(seed)
    for each in model.modules():
        if isinstance(each, nn.modules.batchnorm._NormBase):
            if each.running_mean is not None and each.running_var is not None:
                each.running_mean.normal_(0.0, 0.3)
                each.running_var.uniform_(0.5, 1.5)
            if each.affine:
                nn.init.uniform_(each.weight, 0.5, 1.5)
                nn.init.normal_(each.bias, 0.0, 0.3)
    return model.double().eval()


def prepared(model: nn.Module, *inputs: Any, compile: bool = False, **named: Any) -> Program:
    """A program with emulated plans."""
    pipeline = Pipeline(to_shadow(model), Settings(compile=compile))
    form, tensors = to_form(inputs, named)
    parts = pipeline.parts(form, tensors)
    program = Program(parts, [Like.of(each) for each in tensors], pipeline.folder, find)
    for each in program._static.values():
        each.fill_(torch.nan if each.is_floating_point() else 1)
    return program


def emulate(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """Have graphs be prepared as on a GPU, with emulated plans; return the programs."""
    by_pytorch, made = Pipeline._run, []

    def run(self: Any, form: Any, tensors: list[Any]) -> object:
        if not tensors or isinstance(tensors[0], FakeTensor):
            return by_pytorch(self, form, tensors)
        likes = [Like.of(each) for each in tensors]
        key: Any = (form, *likes)
        program: Any = self._programs.get(key)
        if program is None:
            program = self._programs[key] = Program(self.parts(form), likes, self.folder, find)
            self.ran = program.ran
            made.append(program)
        return program.run(tensors)

    monkeypatch.setattr(Pipeline, "_run", run)
    return made


def difference(y: Any, reference: Any) -> float:
    """The largest difference, over the largest number."""
    assert y.shape == reference.shape
    return float((y - reference).abs().max() / reference.abs().max())


def check_while_weights_change(program: Program, model: nn.Module, x: torch.Tensor) -> None:
    """Compare all results of a program with a model's, before and after its weights change."""
    for _ in range(2):
        with torch.no_grad():
            given = program.run([x]), model(x)
        for y, wanted in zip(*given, strict=True):
            assert difference(y, wanted) < 1e-12
        for each in model.state_dict().values():
            if each.is_floating_point():
                each.add_(0.05 * torch.rand_like(each))
