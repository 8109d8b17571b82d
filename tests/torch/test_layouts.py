"""Tensors in any memory order, with gaps, repeated, negated or without elements: as PyTorch."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import ops

from .cases import LAYOUTS, MODULES, Case, compiled, laid_out, name_of


def run(torch: Any, module: Any, x: Any, dy: Any) -> list[Any]:
    x = x.detach().requires_grad_()
    wanted = [x, *module.parameters()]
    try:
        y = module(x)
        return [y.detach(), *torch.autograd.grad(y, wanted, dy)]
    except RuntimeError:  # PyTorch takes few orders on the CPU
        y = module(x.contiguous())
        return [y.detach(), *torch.autograd.grad(y, wanted, dy.contiguous())]


def pair(torch: Any, case: Case) -> list[Any]:
    from cudnn_cffi.torch import modules

    made = []
    for room in (modules, torch.nn):
        torch.manual_seed(3)
        made.append(getattr(room, case.name)(*case.arguments, **case.options).double())
    return made


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_memory(torch: ModuleType, stand_in: list[str], case: Case) -> None:
    """The input, and the gradient of the result, come in any memory."""
    ours, theirs = pair(torch, case)
    x = torch.randn(case.shape, dtype=torch.float64)
    like = theirs(x).detach()
    dy = torch.randn(like.shape, dtype=torch.float64)
    for how in ("plain", *LAYOUTS):
        given = laid_out(torch, x, how)
        for grad in ("plain", *LAYOUTS) if how == "plain" else ("plain", how):
            dys = laid_out(torch, dy, grad)
            found = run(torch, ours, given, dys)
            for one, other in zip(found, run(torch, theirs, given, dys), strict=True):
                torch.testing.assert_close(one, other, msg=lambda m, h=how, g=grad: f"{h} {g} {m}")
    special = case.name == "LocalResponseNorm" and case.arguments == (4,)
    assert stand_in or special or "ceil_mode" in case.options, "cuDNN computes it"


def test_parameters(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and numbers of channels with gaps, or one number for all."""
    from cudnn_cffi.torch.functional.conv import convolution
    from cudnn_cffi.torch.functional.norm import batch, norms
    from cudnn_cffi.torch.functional.norm import batch as fused_norms
    from cudnn_cffi.torch.functional.norm import local as local_norms

    P = torch.nn.functional
    image = (2, 6, 4, 5)
    cases: list[tuple[Any, Any, list[tuple[int, ...]]]] = [
        (batch.BatchNorm(0.1, 1e-5), lambda x, w, b: P.batch_norm(x, None, None, w, b, True),
         [image, (6,), (6,)]),
        (batch.BatchNormInference(1e-5),
         lambda x, w, b, m, v: P.batch_norm(x, m, v, w, b), [image, (6,), (6,), (6,), (6,)]),
        (norms.InstanceNorm(1e-5), lambda x, w, b: P.instance_norm(x, None, None, w, b),
         [image, (6,), (6,)]),
        (norms.LayerNorm((5,), 1e-5), lambda x, w, b: P.layer_norm(x, (5,), w, b),
         [image, (5,), (5,)]),
        (norms.RMSNorm((5,), 1e-5), lambda x, w: P.rms_norm(x, (5,), w, 1e-5), [image, (5,)]),
        (local_norms.GroupNorm(3, 1e-5), lambda x, w, b: P.group_norm(x, 3, w, b),
         [image, (6,), (6,)]),
        (fused_norms.BatchNormActivation(0.1, 1e-5),
         lambda x, w, b, z: torch.relu(P.batch_norm(x, None, None, w, b, True) + z),
         [image, (6,), (6,), image]),
        (convolution.Convolution((0, 0), (1, 1), (1, 1), 1), P.conv2d, [image, (4, 6, 3, 3), (4,)]),
        (convolution.ConvolutionTranspose((0, 0), (1, 1), (1, 1), 1, (0, 0)), P.conv_transpose2d,
         [image, (6, 4, 3, 3), (4,)]),
    ]  # fmt: skip
    for ours, theirs, shapes in cases:
        given = [torch.rand(shape, dtype=torch.float64) + 0.5 for shape in shapes]
        dy = torch.randn(theirs(*given).shape, dtype=torch.float64)
        for how in ("gaps", "repeated", "negative"):
            count = 3 if theirs is not cases[1][1] else 1  # statistics have no gradients
            found = []
            for call in (ours, theirs):
                leaves = [laid_out(torch, each, how).detach() for each in given]
                for each in leaves[:count]:
                    each.requires_grad_()
                y = call(*leaves)
                found.append([y, *torch.autograd.grad(y, leaves[:count], dy)])
            for one, other in zip(*found, strict=True):
                torch.testing.assert_close(one, other, msg=lambda m, o=ours, h=how: f"{o} {h} {m}")
    assert {"batch_norm", "convolution", "group_norm"} <= set(stand_in)


@pytest.mark.parametrize("axes", [0, 1, 2, 3])
def test_cross_entropy(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch, axes: int
) -> None:
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.functional import activations, losses

    for room in (activations, losses):
        monkeypatch.setattr(room, "check_tensors", lambda **_: None)
    shape = (3, 5, *(4, 2, 3)[:axes])
    x, target = torch.randn(shape), torch.randint(0, 5, (3, *shape[2:]))
    weight = torch.rand(5)
    for how in ("plain", *LAYOUTS):
        for more in ({}, {"weight": weight, "reduction": "none"}, {"label_smoothing": 0.1}):
            given = laid_out(torch, x, how).detach()
            found = []
            for call in (
                modules.CrossEntropyLoss(**more),
                lambda x, t, m=more: losses.cross_entropy(x, t, **m),
                lambda x, t, m=more: torch.nn.functional.cross_entropy(x.contiguous(), t, **m),
            ):
                leaf = given.detach().requires_grad_()
                y = call(leaf, target)
                found.append([y, *torch.autograd.grad(y.sum(), leaf)])
            for one, two, other in zip(*found, strict=True):
                torch.testing.assert_close(one, other)
                torch.testing.assert_close(two, other)


@pytest.mark.parametrize("release", [90400, 90500, 90501, 91900])
def test_attention(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch, release: int
) -> None:
    """Older releases read the gradient of the result with the strides of the result."""
    from cudnn_cffi import library
    from cudnn_cffi.torch.functional.attn.attention import Attention, AttentionBackward

    monkeypatch.setattr(library, "load", lambda: SimpleNamespace(number=release))
    strides: set[bool] = set()
    arrange = AttentionBackward.arrange

    def note(self: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        found = arrange(self, given)
        strides.add(found[0].stride() == found[4].stride())
        return found

    monkeypatch.setattr(AttentionBackward, "arrange", note)

    layer = Attention(None, False, 0.0)
    given = [torch.randn(2, 3, 8, 4, dtype=torch.float64) for _ in range(3)]
    dy = torch.randn(2, 3, 8, 4, dtype=torch.float64)
    for how in ("plain", *LAYOUTS):
        for each in (given, [laid_out(torch, x, how) for x in given]):
            found = []
            for call in (layer, torch.nn.functional.scaled_dot_product_attention):
                leaves = [x.detach().requires_grad_() for x in each]
                y = call(*leaves)
                found.append(torch.autograd.grad(y, leaves, laid_out(torch, dy, how)))
            torch.testing.assert_close(*found)
    assert "attention_backward" in stand_in
    assert strides == ({True} if release <= 90500 else {True, False})


def outcome(torch: Any, module: Any, x: Any, training: bool) -> Any:
    """Return the results and gradients of a call, or the kind of its error."""
    module.train(training)
    for each in module.parameters():
        each.grad = None
    x = x.clone().requires_grad_()
    try:
        y = module(x)
        y.sum().backward()
    except (RuntimeError, ValueError, TypeError, IndexError):
        return True
    buffers = [each.clone() for each in module.buffers()]
    return [y.detach(), x.grad, *[each.grad for each in module.parameters()], *buffers]


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_no_elements(torch: ModuleType, operators: list[str], case: Case) -> None:
    """Along each axis, in training and not, and by what traces with an empty batch."""
    ours, theirs = pair(torch, case)
    start = {name: each.clone() for name, each in theirs.state_dict().items()}

    def check(module: Any, x: Any, training: bool) -> None:
        found = []
        for each in (module, theirs):
            for name, buffer in each.named_buffers():
                buffer.copy_(start[name.removeprefix("_orig_mod.")])
            found.append(outcome(torch, each, x, training))
        torch.testing.assert_close(*found, equal_nan=True)

    for axis in range(len(case.shape)):
        shape = [0 if place == axis else size for place, size in enumerate(case.shape)]
        for training in (True, False):
            check(ours, torch.zeros(shape, dtype=torch.float64), training)
    x = torch.zeros((0, *case.shape[1:]), dtype=torch.float64)
    for training in (True, False):
        if outcome(torch, theirs, x, training) is True or case.shape[0] == 6 != case.shape[1]:
            continue  # PyTorch refuses it, or warns of no channels, which no graph can
        ours.train(training)
        check(compiled(torch, ours, x), x, training)
        traced = torch.jit.trace(ours, (x,), check_trace=False)
        torch.testing.assert_close(traced(x), theirs(x))
        exported = torch.export.export(ours, (x,)).module()
        torch.testing.assert_close(exported(x), theirs(x))


def test_refusals_of_what_is_traced(
    torch: ModuleType, operators: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TorchScript's tracer ended the process after an error in an operator."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.fallback import Owner
    from cudnn_cffi.torch.functional.activations import Activation

    from . import stand_in

    def refuse(*_: Any) -> Any:
        raise errors.NotSupportedError("no")

    monkeypatch.setitem(stand_in.STAND_INS, ops.Activation, refuse)
    monkeypatch.setitem(stand_in.STAND_INS, ops.BatchNorm, refuse)
    x = torch.randn(4, 3)
    layer: Any = Activation("tanh", None)
    with pytest.raises(errors.NotSupportedError, match="no"):
        torch.jit.trace(lambda x: layer(x) + 1, (x,), check_trace=False)
    layer.owner, layer.strict = Owner("a layer", "silent"), False
    norm = modules.BatchNorm1d(3).requires_grad_(False)
    for each in (layer, norm._kept("training", norm._new_training)):
        each.owner, each.strict = Owner("a layer", "silent"), False
    monkeypatch.setattr("cudnn_cffi.torch.autograd.layer.is_elsewhere", lambda x: False)
    traced = torch.jit.trace(lambda x: layer(norm(x)) + 1, (x,), check_trace=False)
    torch.testing.assert_close(traced(x), torch.tanh(torch.nn.BatchNorm1d(3)(x)) + 1)
