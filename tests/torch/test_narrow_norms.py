"""Batch norm whose parameters are float16 or bfloat16, as `model.half()` makes them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from cudnn_cffi import choice


@pytest.fixture
def switch(torch: ModuleType) -> Iterator[Any]:
    """PyTorch's switches, as they were afterwards."""
    before = torch.backends.cudnn.benchmark
    yield torch.backends.cudnn
    torch.backends.cudnn.benchmark = before


def pair(torch: ModuleType, name: str = "BatchNorm2d", count: int = 6, **options: Any) -> Any:
    """Our module and PyTorch's for inference, with the same numbers, in float16."""
    from cudnn_cffi.torch import modules

    theirs = getattr(torch.nn, name)(count, **options)
    for each in (*theirs.parameters(), *theirs.buffers()):
        if each.is_floating_point():
            torch.nn.init.uniform_(each, 0.5, 1.5)
    ours = getattr(modules, name)(count, **options)
    ours.load_state_dict(theirs.state_dict())
    return ours.half().eval(), theirs.half().eval()


def check(torch: ModuleType, ours: Any, theirs: Any, x: Any) -> None:
    one, other = ours(x), theirs(x)
    torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-3)
    assert (one.dtype, one.stride()) == (other.dtype, other.stride())


def test_cudnn_computes_what_a_choice_asks_for(
    torch: ModuleType, stand_in: list[str], switch: Any
) -> None:
    ours, theirs = pair(torch)
    x = torch.randn(2, 6, 4, 5).half()
    last = x.to(memory_format=torch.channels_last)
    ran = ["batch_norm_inference"]
    with torch.no_grad():
        for each in (x, last, x[:, :, :1, :1].contiguous()):
            check(torch, ours, theirs, each)
        assert stand_in == []
        switch.benchmark = True
        for each in (last[:, :, :1, :1], x[:, :, :1, :1].contiguous(), x[..., ::2]):
            check(torch, ours, theirs, each)
        assert stand_in == []  # one pixel has two layouts, of which PyTorch keeps the given one
        check(torch, ours, theirs, x)
        assert stand_in == ran
        check(torch, ours, theirs, last)
        assert stand_in == ran * 2
        del stand_in[1:]
        switch.benchmark = False
        check(torch, ours, theirs, last)
        assert stand_in == ran
        for words in ("time", {"via": "graph"}, "time_once"):
            with choice.scope(words):
                check(torch, ours, theirs, last)
            ours.choose = words
            check(torch, ours, theirs, last)
            ours.choose = None
            assert stand_in == ran * 3, words
            del stand_in[1:]
        for words in ("deterministic", "heuristic"):
            with choice.scope(words):
                check(torch, ours, theirs, last)
        check(torch, ours, theirs, last)
    assert stand_in == ran


@pytest.mark.parametrize(
    ("shape", "by_cudnn"), [((1, 8, 724, 725), True), ((1, 6, 850, 850), False),
                            ((1, 8, 720, 720), False)]
)  # fmt: skip
def test_cudnn_computes_large_images(
    torch: ModuleType, stand_in: list[str], shape: tuple[int, ...], by_cudnn: bool
) -> None:
    ours, theirs = pair(torch, count=shape[1])
    x = torch.randn(shape).half()
    with torch.no_grad():
        check(torch, ours, theirs, x.to(memory_format=torch.channels_last))
        check(torch, ours, theirs, x)
    assert stand_in == ["batch_norm_inference"] * by_cudnn


@pytest.mark.parametrize(
    ("name", "shape", "options"),
    [
        ("BatchNorm1d", (5, 6), {}),
        ("BatchNorm2d", (2, 6, 3, 4), {"affine": False}),
        ("BatchNorm2d", (2, 6, 3, 4), {"momentum": None, "eps": 0.1}),
        ("BatchNorm3d", (2, 6, 3, 4, 2), {}),
    ],
)
@pytest.mark.parametrize("statistics", ["float16", "float32"])
@pytest.mark.parametrize("timed", [False, True])
def test_modules(
    torch: ModuleType, stand_in: list[str], switch: Any, name: str, shape: tuple[int, ...],
    options: dict[str, Any], statistics: str, timed: bool,
) -> None:  # fmt: skip
    ours, theirs = pair(torch, name, **options)
    x = torch.randn(shape).half()
    form = {4: torch.channels_last, 5: torch.channels_last_3d}.get(len(shape))
    x = x if form is None else x.to(memory_format=form)
    switch.benchmark = timed
    with torch.no_grad():
        for each in (ours.running_mean, ours.running_var):
            each.data = each.to(getattr(torch, statistics))
        wanted = theirs.float()(x.float()).half()  # PyTorch refuses several types on a CPU
        if timed or (statistics == "float32" and not theirs.affine):
            one = ours(x)
            torch.testing.assert_close(one, wanted, rtol=2e-3, atol=2e-3)
            assert one.stride() == wanted.stride()
        elif statistics == "float16":
            check(torch, ours, theirs.half(), x)
    is_affine = options.get("affine", True)
    is_wide = statistics == "float32" and not is_affine
    assert stand_in == ["batch_norm_inference"] * (timed or is_wide)


def test_pytorch_computes_the_rest(
    torch: ModuleType, stand_in: list[str], switch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch import modules

    switch.benchmark = True
    ours, theirs = pair(torch)
    x = torch.randn(4, 6, 3, 3).half().to(memory_format=torch.channels_last).requires_grad_()
    weights = torch.randn(4, 6, 3, 3).half()
    found = []
    for module in (ours, theirs):  # a gradient is wanted, in inference and in training
        for training in (False, True):
            module.train(training)
            y = module(x)
            found.append(torch.autograd.grad(y, [x, *module.parameters()], weights))
        found.append(tuple(module.buffers()))
    for one, other in zip(found[:3], found[3:], strict=True):
        torch.testing.assert_close(one, other)
    assert stand_in == []
    ours.eval()
    with torch.no_grad():
        for wrong, error in ((torch.randn(6).half(), ValueError), (x[0], ValueError),
                             (x[:, :5], RuntimeError)):  # fmt: skip
            with pytest.raises(error):
                theirs.eval()(wrong)
            switch.benchmark = False
            with pytest.raises(error):
                ours(wrong)
            switch.benchmark = True
        assert stand_in == []
        # The layers after a norm give the same, whoever computes it.
        fused = modules.BatchNormActivation2d(6)
        fused.load_state_dict(ours.state_dict())
        fused.half().eval()
        residual = torch.randn_like(x)
        wanted = torch.relu(theirs(x) + residual)
        for switch.benchmark in (False, True):
            torch.testing.assert_close(fused(x, residual), wanted, rtol=2e-3, atol=2e-3)
    assert stand_in == ["activation", "batch_norm_inference", "activation"]


def test_functions_have_gradients(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch.functional.norm import batch

    monkeypatch.setattr(batch, "check_tensors", lambda **_: None)
    x = torch.randn(3, 6, 4, 4).half().requires_grad_()
    parameters = [torch.rand(6).half().add(0.5) for _ in range(4)]
    mean, variance, weight, bias = parameters
    given = (x, weight.requires_grad_(), bias.requires_grad_())
    dy = torch.randn(3, 6, 4, 4).half()
    found = []
    for function in (batch.batch_norm, torch.nn.functional.batch_norm):
        y = function(x, mean, variance, weight, bias)
        found.append((y, *torch.autograd.grad(y, given, dy)))
    torch.testing.assert_close(*found)
    assert stand_in == ["batch_norm_inference"]


def test_the_report_tells_it(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert

    model = torch.nn.Sequential(torch.nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3).half())
    wide, narrow = (each.why for each in convert(model))
    assert wide == ""
    assert narrow.startswith("PyTorch computes training with parameters of float16, and")
