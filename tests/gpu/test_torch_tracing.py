"""Tools that trace and wrap tensors: opcheck, torch.compile, export, vmap, subclasses, threads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gpu.conftest import capturing
from tests.threads import in_threads
from tests.torch.cases import OPERATORS, check_operator, model_of, operator_calls

#: The C functions of operators that not all releases have.
NEWER = {
    "aggregate": "cudnnGnnAggSimpleForward", "aggregate_backward": "cudnnGnnAggSimpleBackward",
    "causal_convolution": "cudnnCausalConv1dNwhForward",
    "causal_convolution_backward": "cudnnCausalConv1dBackward",
    "fft_causal_convolution": "cudnnLongFFTCausalConv1dForward",
    "fft_causal_convolution_backward": "cudnnLongFFTCausalConv1dBackward",
}  # fmt: skip


@pytest.mark.parametrize("place", range(OPERATORS))
def test_opcheck(torch: Any, cudnn: Any, place: int) -> None:
    import cudnn_cffi.torch.functional  # noqa: F401

    name, arguments = operator_calls(torch, "cuda")[place]
    function = NEWER.get(name)
    if function is not None and not cudnn.has(function):
        pytest.skip(f"this release has no {function}")
    check_operator(torch, name, arguments)


@pytest.mark.parametrize("training", [True, False])
def test_compile(torch: Any, training: bool) -> None:
    model = model_of(torch, "cuda").train(training)
    x = torch.randn(2, 3, 12, 12, device="cuda")
    state = {name: each.clone() for name, each in model.state_dict().items()}
    results = []
    for function in (model, torch.compile(model, fullgraph=True)):
        model.load_state_dict(state)
        model.zero_grad()
        y = function(x)
        (y * torch.linspace(0, 1, y.numel(), device="cuda").view_as(y)).sum().backward()
        grads = [each.grad.clone() for each in model.parameters()]
        results.append([y.detach(), *grads, *[e.clone().float() for e in model.buffers()]])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", ["LSTM", "GRU"])
def test_recurrent_networks(torch: Any, name: str) -> None:
    """Their operators, and that what is traced computes what the module does."""
    from cudnn_cffi.torch import modules

    module = getattr(modules, name)(32, 32, 2, bidirectional=True).cuda()
    x = torch.randn(7, 4, 32, device="cuda", requires_grad=True)
    states = torch.randn(4, 4, 32, device="cuda", requires_grad=True)
    cells = torch.randn(4, 4, 32, device="cuda", requires_grad=True)
    given = (states, cells) if name == "LSTM" else (states, None)
    options = (name, 32, 32, 2, True, False, 0.0, True, 0, "")
    check_operator(torch, "recurrent", (x, *given, list(module.parameters()), *options))
    results = []
    hx = given if name == "LSTM" else states
    with torch._dynamo.config.patch(allow_rnn=True):
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        for each in (compiled, module):
            y, last = each(x, hx)
            last = last[1] if name == "LSTM" else last
            total = y.square().sum() + last.sin().sum()
            found = torch.autograd.grad(total, [x, states, *module.parameters()])
            results.append([y.detach(), *found])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)


def test_dropout(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    utilities = ("test_schema", "test_autograd_registration", "test_faketensor")
    x = torch.randn(64, 1000, device="cuda", requires_grad=True)
    check_operator(torch, "dropout", (x, 0.25, ""), test_utils=utilities)
    compiled = torch.compile(modules.Dropout(0.25), fullgraph=True, backend="aot_eager")
    y = compiled(x)
    (grad,) = torch.autograd.grad((y * 3).sum(), x)
    kept = y != 0
    assert 0.7 < float(kept.float().mean()) < 0.8
    torch.testing.assert_close(y, torch.where(kept, x / 0.75, 0.0))
    torch.testing.assert_close(grad, kept * (3 / 0.75))
    assert not torch.equal(compiled(x) != 0, kept), "the same elements were dropped again"


def test_ctc_loss(torch: Any) -> None:
    """Labels in rows and lengths on the GPU, too, which are put in a row without reading them."""
    from cudnn_cffi.torch import modules

    x = torch.randn(20, 3, 7, device="cuda", requires_grad=True)
    rows = torch.tensor([[1, 2, 3, 0], [4, 5, 0, 0], [6, 6, 1, 2]], device="cuda")
    times, lengths = (torch.tensor(e, device="cuda") for e in ((20, 9, 15), (3, 2, 4)))
    results = []
    ours = modules.CTCLoss()
    compiled = torch.compile(ours, fullgraph=True, backend="aot_eager")
    for each in (compiled, ours, torch.nn.CTCLoss()):
        loss = each(x.log_softmax(-1), rows, times, lengths)
        results.append([loss, *torch.autograd.grad(loss, x)])
    assert not ours.refused, ours.refused
    torch.testing.assert_close(results[0], results[2], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(results[1], results[2], rtol=1e-4, atol=1e-5)


def test_a_training_step_is_captured(torch: Any) -> None:
    """Forward and backward as one CUDA graph, as PyTorch's documents have it."""
    from cudnn_cffi.torch import convert

    nn = torch.nn
    torch.manual_seed(3)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 8, 3), nn.LayerNorm((8, 6, 6)), nn.Flatten(), nn.Linear(288, 4),
    ).cuda()  # fmt: skip
    convert(model, everything=True)
    x = torch.randn(4, 3, 16, 16, device="cuda")
    labels = torch.randint(0, 4, (4,), device="cuda")

    def step() -> Any:
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        return loss

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            model.zero_grad(set_to_none=True)
            step()
    torch.cuda.current_stream().wait_stream(stream)
    model.zero_grad(set_to_none=True)
    with capturing() as graph:
        loss = step()
    x.copy_(torch.randn_like(x))
    state = {name: each.clone() for name, each in model.state_dict().items()}
    graph.replay()
    torch.cuda.synchronize()
    captured = [loss.clone(), *[each.grad.clone() for each in model.parameters()]]
    model.load_state_dict(state)
    model.zero_grad(set_to_none=True)
    plain = [step(), *[each.grad for each in model.parameters()]]
    for one, other in zip(captured, plain, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_export(torch: Any) -> None:
    model = model_of(torch, "cuda").eval()
    x = torch.randn(2, 3, 12, 12, device="cuda")
    program = torch.export.export(model, (x,))
    names = {str(node.target) for node in program.graph.nodes}
    assert "cudnn_cffi.convolution.default" in names
    with torch.no_grad():
        torch.testing.assert_close(program.module()(x), model(x), rtol=1e-3, atol=1e-3)


def test_vmap_and_functional_gradients(torch: Any) -> None:
    from cudnn_cffi.torch import functional as own

    x = torch.randn(3, 2, 4, 6, 6, device="cuda")
    w = torch.randn(8, 4, 3, 3, device="cuda")
    found = torch.func.vmap(lambda x: own.conv2d(x, w))(x)
    torch.testing.assert_close(
        found, torch.stack([own.conv2d(each, w) for each in x]), rtol=1e-3, atol=1e-3
    )
    grad = torch.func.grad(lambda w: own.conv2d(x[0], w).square().sum())(w)
    other = torch.func.grad(lambda w: torch.nn.functional.conv2d(x[0], w).square().sum())(w)
    torch.testing.assert_close(grad, other, rtol=2e-2, atol=2e-2)


def test_forward_derivatives_are_those_of_pytorch(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(4, 8, 3).cuda()
    x, tangent = (torch.randn(2, 4, 6, 6, device="cuda") for _ in range(2))
    _, found = torch.func.jvp(conv, (x,), (tangent,))
    torch.testing.assert_close(
        found, conv(tangent) - conv.bias[:, None, None], rtol=1e-2, atol=1e-2
    )


def test_threads_share_modules(torch: Any) -> None:
    model = model_of(torch, "cuda").eval()
    x = [torch.randn(2 + place % 2, 3, 12, 12, device="cuda") for place in range(4)]
    with torch.no_grad():
        wanted = [model(each) for each in x]
    torch.cuda.synchronize()

    def work(place: int) -> None:
        with torch.no_grad():
            for _ in range(50):
                found = model(x[place])
                torch.cuda.synchronize()
                assert torch.allclose(found, wanted[place], rtol=1e-3, atol=1e-3)

    in_threads(work, range(4))


def test_data_parallel(torch: Any) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    model = model_of(torch, "cuda").eval()
    x = torch.randn(8, 3, 12, 12, device="cuda")
    both = torch.nn.DataParallel(model)
    torch.testing.assert_close(both(x), model(x), rtol=1e-3, atol=1e-3)
    both(x).sum().backward()
