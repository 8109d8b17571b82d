"""State of layers, written and read again, where only a GPU shows it."""

from __future__ import annotations

from typing import Any

import pytest
from cudnn_cffi import choice, ops

from tests.gpu.conftest import capturing
from tests.torch.cases import MODULES, Case, name_of


def test_what_is_written_in_place_counts_as_changed(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    relu = modules.ReLU(inplace=True)
    x = torch.randn(3, 5, device="cuda")
    w = torch.randn(3, 5, device="cuda", requires_grad=True)
    product = x * w
    with torch.no_grad():
        relu(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
    norm = modules.BatchNorm2d(5).cuda()
    before = norm.running_mean._version, norm.running_var._version
    norm(torch.randn(2, 5, 4, 4, device="cuda"))
    assert (norm.running_mean._version, norm.running_var._version) > before


def test_in_place_refuses_leaves_before_it_writes(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    x = torch.randn(3, 5, device="cuda", requires_grad=True)
    kept = x.detach().clone()
    with pytest.raises(RuntimeError, match="leaf Variable"):
        modules.ReLU(inplace=True)(x)
    assert torch.equal(x.detach(), kept)


def test_in_place_under_vmap(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    relu = modules.ReLU(inplace=True)
    x = torch.randn(3, 5, device="cuda")
    found = torch.vmap(lambda each: relu(each * 2))(x)
    torch.testing.assert_close(found, (x * 2).relu())


def test_scopes_are_those_of_the_call_in_gradients(torch: Any) -> None:
    """PyTorch computes gradients in threads of its own, where no scope is open."""
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(4, 4, 3, padding=1).cuda()
    x = torch.randn(2, 4, 8, 8, device="cuda", requires_grad=True)
    for via in ("classic", "graph"):
        with choice.scope(via=via):
            loss = conv(x).sum()
        with ops.record() as log:
            loss.backward()
        assert {(each.section, each.via) for each in log} == {("data", via), ("filter", via)}


def test_a_refusal_is_forgotten_with_its_cause(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(4, 4, 3)
    x = torch.randn(2, 4, 8, 8, device="cuda")
    with pytest.raises(RuntimeError):
        conv(x)  # its filters are on the CPU
    conv.cuda()
    with ops.record() as log:
        conv(x)
    assert [each.operation for each in log] == ["convolution"]
    with choice.scope("FFT_TILING", via="classic"):
        wide = modules.Conv2d(4, 4, 3, stride=2).cuda()
        wide(x)
    with ops.record() as log:
        wide(x)
    assert [each.operation for each in log] == ["convolution"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_what_rms_norm_adds_by_default(torch: Any, dtype: str) -> None:
    from cudnn_cffi.torch import modules

    x = torch.full((4, 64), 1e-3, dtype=getattr(torch, dtype), device="cuda")
    ours, theirs = (room.RMSNorm(64, elementwise_affine=False)(x) for room in (modules, torch.nn))
    torch.testing.assert_close(ours, theirs, atol=2e-2, rtol=2e-2)


def test_a_first_call_while_a_stream_is_captured_leaves_nothing_behind(torch: Any) -> None:
    """A scale that the layer makes itself is the graph's there, and not filled before it runs."""
    from cudnn_cffi.torch.functional.norm.base import filled
    from cudnn_cffi.torch.functional.norm.norms import LayerNorm

    layer, x = LayerNorm((64,), 1e-5), torch.randn(8, 64, device="cuda")
    torch.zeros(1, device="cuda")
    with capturing(torch.cuda.CUDAGraph()):
        filled(layer, "scale", 1.0, (64,), x, torch.float32)
    found = filled(layer, "scale", 1.0, (64,), x, torch.float32)
    assert torch.equal(found, torch.ones(64, device="cuda"))


def test_autocast_casts_no_gradients(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(4, 4, 3).cuda()
    x = torch.randn(2, 4, 8, 8, device="cuda", requires_grad=True)
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False, deterministic=True):
        y = conv(x).square().sum()
        outside = torch.autograd.grad(y, (x, conv.weight), retain_graph=True)
        with torch.autocast("cuda"):
            inside = torch.autograd.grad(y, (x, conv.weight))
    for one, other in zip(inside, outside, strict=True):
        assert torch.equal(one, other)


def test_fused_models_follow_scopes_and_switches(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    model = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3, padding=1)).cuda().eval()
    fused, x = fuse(model), torch.randn(2, 8, 16, 16, device="cuda")
    first = fused(x)
    assert fused.report[0].by.startswith("engine")
    with choice.scope("IMPLICIT_GEMM", via="classic"):
        torch.testing.assert_close(fused(x), first, atol=1e-2, rtol=1e-2)
        assert not fused.report[0].by.startswith("engine")
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False, deterministic=True):
        exact = fused(x).double()
    error = (exact - model.double()(x.double())).norm() / exact.norm()
    assert error < 2e-6


@pytest.mark.parametrize(
    "case", [each for each in MODULES if len(each.shape) > 2 and each.shape[0] < 5], ids=name_of
)
def test_batches_of_none(torch: Any, case: Case) -> None:
    """Modules do with them what PyTorch's do."""
    from cudnn_cffi.torch import modules

    found: list[Any] = []
    for room in (modules, torch.nn):
        module = getattr(room, case.name)(*case.arguments, **case.options).cuda()
        x = torch.randn((0, *case.shape[1:]), device="cuda", requires_grad=True)
        try:
            y = module(x)
            y.sum().backward()
        except (RuntimeError, ValueError, IndexError) as error:
            found.append(type(error))
            continue
        grads = [None if e.grad is None else e.grad.shape for e in (x, *module.parameters())]
        found.append((y.shape, y.dtype, grads))
    assert found[0] == found[1]


def test_what_torchscript_traces_is_computed_for_other_inputs_too(torch: Any) -> None:
    """Work without PyTorch's knowledge would be a constant of the graph."""
    from tests.torch.cases import model_of

    model = model_of(torch, "cuda").eval()
    with torch.no_grad():
        given, x = (torch.randn(2, 3, 16, 16, device="cuda") for _ in range(2))
        model(given)  # calls are known from now on
        traced = torch.jit.trace(model, given)
        torch.testing.assert_close(traced(x), model(x), atol=1e-3, rtol=1e-3)
