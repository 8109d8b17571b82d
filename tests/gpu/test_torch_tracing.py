"""What traces and wraps tensors: opcheck, torch.compile, export, vmap, subclasses, threads."""

from __future__ import annotations

import threading
from typing import Any

import pytest


def calls(torch: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """Operators with arguments; a Float gets gradients."""

    def t(*shape: int, dtype: Any = torch.float32) -> Any:
        return torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True)

    def stat(*shape: int) -> Any:
        return torch.rand(shape, device="cuda") + 0.5

    half = torch.float16
    window = ((1, 1), (1, 1), (1, 1), 1)
    x, w = t(2, 4, 6, 6), t(8, 4, 3, 3)
    return [
        ("convolution", (x, w, t(8), *window, "")),
        ("convolution", (x, w, None, *window, "deterministic")),
        ("convolution_backward_data", (t(2, 8, 6, 6), w, (2, 4, 6, 6), *window, "")),
        ("convolution_backward_filter", (x, t(2, 8, 6, 6), (8, 4, 3, 3), *window, "")),
        ("convolution_backward_bias", (t(2, 8, 6, 6), True, "")),
        ("convolution_transpose", (t(2, 8, 6, 6), w, t(4), *window, (0, 0), "")),
        ("pooling", (x, "max", (2, 2), (2, 2), (0, 0), True, "")),
        ("pooling", (x, "average", (2, 2), (2, 2), (0, 0), True, "")),
        ("activation", (x, "relu", None, "")),
        ("activation", (x, "elu", 0.5, "")),
        ("softmax", (x, 1, True, "")),
        ("batch_norm", (x, t(4), t(4), 0.1, 1e-5, "")),
        ("batch_norm_inference", (x, t(4), t(4), stat(4), stat(4), 1e-5, "")),
        ("layer_norm", (t(4, 16, dtype=half), t(16, dtype=half), t(16, dtype=half), (16,), 1e-5, "")),
        ("rms_norm", (t(4, 16, dtype=half), t(16, dtype=half), (16,), 1e-5, "")),
        ("instance_norm", (x, t(4), t(4), 1e-5, "")),
        ("local_response_norm", (x, 5, 1e-4, 0.75, 1.0, "")),
        ("affine_grid", (t(2, 2, 3), (2, 4, 6, 6), "")),
        ("grid_sample", (x, torch.rand(2, 5, 5, 2, device="cuda", requires_grad=True), "")),
        ("attention", (*(t(1, 2, 64, 64, dtype=half) for _ in range(3)), None, None, None, None,
                       True, 0.0, "")),
    ]  # fmt: skip


@pytest.mark.parametrize("place", range(20))
def test_opcheck(torch: Any, place: int) -> None:
    import cudnn_cffi.torch.functional  # noqa: F401

    name, arguments = calls(torch)[place]
    operator = getattr(torch.ops.cudnn_cffi, name).default
    torch.library.opcheck(operator, arguments, rtol=1e-2, atol=1e-2)


def model_of(torch: Any) -> Any:
    from cudnn_cffi.torch import convert

    torch.manual_seed(2)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.MaxPool2d(2), nn.Conv2d(8, 8, 3), nn.GELU(), nn.Softmax(1),
    ).cuda()  # fmt: skip
    convert(model)
    return model


@pytest.mark.parametrize("training", [True, False])
def test_compile(torch: Any, training: bool) -> None:
    model = model_of(torch).train(training)
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
    model = model_of(torch).eval()
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
    model = model_of(torch).eval()
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
    model = model_of(torch).eval()
    x = torch.randn(8, 3, 12, 12, device="cuda")
    both = torch.nn.DataParallel(model)
    torch.testing.assert_close(both(x), model(x), rtol=1e-3, atol=1e-3)
    both(x).sum().backward()
