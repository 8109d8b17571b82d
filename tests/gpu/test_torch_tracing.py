"""What traces and wraps tensors: opcheck, torch.compile, export, vmap, subclasses, threads."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.torch.cases import OPERATORS, check_operator, model_of, operator_calls


@pytest.mark.parametrize("place", range(OPERATORS))
def test_opcheck(torch: Any, place: int) -> None:
    import cudnn_cffi.torch.functional  # noqa: F401

    name, arguments = operator_calls(torch, "cuda")[place]
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
    wrong = []

    def work(place: int) -> None:
        with torch.no_grad():
            for _ in range(50):
                found = model(x[place])
                torch.cuda.synchronize()
                if not torch.allclose(found, wanted[place], rtol=1e-3, atol=1e-3):
                    wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_data_parallel(torch: Any) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    model = model_of(torch, "cuda").eval()
    x = torch.randn(8, 3, 12, 12, device="cuda")
    both = torch.nn.DataParallel(model)
    torch.testing.assert_close(both(x), model(x), rtol=1e-3, atol=1e-3)
    both(x).sum().backward()
