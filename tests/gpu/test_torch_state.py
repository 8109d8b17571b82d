"""State of layers, written and read again, where only a GPU shows it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from cudnn_cffi import choice, ops

from tests.gpu.conftest import capturing
from tests.torch.cases import MODULES, Case, name_of

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn


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


@pytest.mark.parametrize("last", [False, True])
def test_statistics_that_pytorch_updates_too(torch: Any, last: bool) -> None:
    """It keeps running statistics for gradients, and does not count what batch norms write."""
    from cudnn_cffi.torch import fuse, modules

    nn = torch.nn
    x = torch.randn(2, 8, 6, 6, device="cuda").half()
    x = x.to(memory_format=torch.channels_last) if last else x
    for fused in (False, True):
        norm, twin = nn.BatchNorm2d(8).cuda(), nn.BatchNorm2d(8).double()
        other = modules.BatchNorm2d(8).cuda()
        other._parameters, other._buffers = norm._parameters, norm._buffers
        if fused:
            other = fuse(nn.Sequential(norm, nn.SiLU()), training=True)
        for each in (norm, other, norm, other):
            each(x)
            twin(x.double().cpu())
        found = norm.running_mean.cpu().double()
        torch.testing.assert_close(found, twin.running_mean, rtol=1e-4, atol=1e-6)
        y = [each(x * factor) for factor, each in ((1.0, norm), (2.0, other), (0.5, norm))]
        sum(each.float().square().sum() for each in y).backward()
        assert norm.weight.grad.isfinite().all()
        assert norm.weight.grad.any()


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
    with capturing():
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


class _Sum(nn.Module):  # type: ignore[misc, name-defined]
    """A layer whose result gets something added in place."""

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Any, other: Any) -> Any:
        y = self.layers(x)
        y += other
        return torch.relu(y)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("lowers", [False, True])
def test_a_sum_in_place_keeps_its_data_type(training: bool, lowers: bool) -> None:
    from cudnn_cffi.torch import fuse

    model = _Sum(nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8)).cuda().train(training)
    model = model if lowers else model.half()
    x, other = (torch.randn(2, 8, 6, 6, device="cuda") for _ in range(2))
    x = (x if lowers else x.half()).contiguous(memory_format=torch.channels_last)
    fused = fuse(model, training=True) if training else fuse(model)
    with torch.no_grad(), torch.autocast("cuda", enabled=lowers):
        found, wanted = fused(x, other), model(x, other)
    assert found.dtype == wanted.dtype == torch.float16
    torch.testing.assert_close(found, wanted, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_a_slice_of_a_weight_is_noticed(dtype: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    model = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()).cuda().to(dtype).eval()
    fused, x = fuse(model, capture=capture), torch.randn(2, 8, 6, 6, device="cuda", dtype=dtype)
    with torch.no_grad():
        for _ in range(3):
            fused(x)
        for each in (model[0].weight, model[0].bias):
            each.data = each.data[:8]
        torch.testing.assert_close(fused(x), model(x), rtol=1e-2, atol=1e-2)


def test_captures_have_the_precision_of_products_of_their_call() -> None:
    from cudnn_cffi.torch import fuse

    model = nn.Sequential(nn.Conv2d(3, 8, 1), nn.Flatten(), nn.Linear(8 * 64, 512)).cuda().eval()
    x = torch.randn(64, 3, 8, 8, device="cuda")
    fused, exact = fuse(model, capture=True), copy.deepcopy(model).double()
    before = torch.get_float32_matmul_precision()
    errors = []
    try:
        with torch.no_grad(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            wanted = exact(x.double())
            for word in ("high", "highest"):
                torch.set_float32_matmul_precision(word)
                for _ in range(3):
                    y = fused(x)
                errors.append(float((y - wanted).abs().max() / wanted.abs().max()))
    finally:
        torch.set_float32_matmul_precision(before)
    assert errors[1] < 1e-5 < errors[0]


def test_networks_have_a_precision_of_their_own() -> None:
    from cudnn_cffi.torch import convert

    backends = torch.backends.cudnn
    if not hasattr(backends, "rnn"):
        pytest.skip("this PyTorch has one switch for both")
    network = nn.LSTM(256, 256).cuda()
    x, exact = torch.randn(8, 64, 256, device="cuda"), copy.deepcopy(network).double()
    wanted = exact(x.double())[0].detach()
    convert(network)
    before = backends.conv.fp32_precision, backends.rnn.fp32_precision
    errors = []
    try:
        for words in (("tf32", "ieee"), ("ieee", "tf32")):
            backends.conv.fp32_precision, backends.rnn.fp32_precision = words
            errors.append(float((network(x)[0].detach() - wanted).abs().max()))
    finally:
        backends.conv.fp32_precision, backends.rnn.fp32_precision = before
    assert errors[0] < 2e-6 < errors[1]


def test_captured_steps_see_hooks_and_parameters_that_are_replaced() -> None:
    from cudnn_cffi.torch import fuse

    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten()).cuda()
    head = nn.Linear(8 * 36, 5).cuda()
    pairs = [(model, head), (copy.deepcopy(model), copy.deepcopy(head))]
    optimizers = [
        torch.optim.SGD([*one.parameters(), *two.parameters()], 0.1) for one, two in pairs
    ]
    calls = [0, 0]

    def hook_of(place: int) -> Any:
        def hook(*_: Any) -> None:
            calls[place] += 1

        return hook

    fused = fuse(model, training=True, capture=True)
    functional = nn.functional
    step = fused.step(lambda x, y: functional.cross_entropy(head(fused(x)), y), optimizers[0])
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        for number in range(7):
            if number == 3:
                for place, each in enumerate(optimizers):
                    each.register_step_post_hook(hook_of(place))
            if number == 5:
                for _, each in pairs:
                    each.weight.data = each.weight.data * -3
            x, y = (
                torch.randn(16, 3, 8, 8, device="cuda"),
                torch.randint(0, 5, (16,), device="cuda"),
            )
            found = step(x, y)
            optimizers[1].zero_grad()
            wanted = functional.cross_entropy(pairs[1][1](pairs[1][0](x)), y)
            wanted.backward()
            optimizers[1].step()
            torch.testing.assert_close(found, wanted.detach(), rtol=1e-3, atol=1e-3)
    assert calls == [4, 4]
    for one, other in zip(*[[*a.parameters(), *b.parameters()] for a, b in pairs], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-3)


def test_weights_elsewhere_are_an_error_of_pytorch() -> None:
    from cudnn_cffi.torch import fuse

    x = torch.randn(2, 8, 4, 4, device="cuda", dtype=torch.float16)
    for layers in ((nn.Conv2d(8, 8, 1), nn.ReLU()), (nn.Linear(4, 8),)):
        fused = fuse(nn.Sequential(*layers).half().eval())
        with pytest.raises(RuntimeError, match=r"device|type"):
            fused(x)
