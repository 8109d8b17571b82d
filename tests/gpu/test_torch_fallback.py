"""Forced choices are kept or raise, also where cuDNN itself says no; other layers fall back."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import choice, errors, ops


@pytest.fixture(autouse=True)
def default() -> Iterator[None]:
    from cudnn_cffi.torch import modules

    before = choice.set_default()
    yield
    choice.set_default(before)
    modules.fallback = "warn"


def layer(torch: Any, stride: int = 1) -> tuple[Any, Any]:
    from cudnn_cffi.torch import modules

    x = torch.randn(2, 8, 12, 12, device="cuda", requires_grad=True)
    return modules.Conv2d(8, 16, 3, stride, padding=1).cuda(), x


def test_a_supported_algorithm_is_what_runs(torch: Any) -> None:
    """Forward and for each gradient, with channels last and under autocast, too."""
    for last in (False, True):
        for cast in (False, True):
            conv, x = layer(torch)
            conv.set_mode("IMPLICIT_GEMM", "ALGO_1", "ALGO_1")
            if last:
                x = x.detach().to(memory_format=torch.channels_last).requires_grad_()
            with ops.record() as ran, torch.autocast("cuda", torch.float16, cast):
                y = conv(x)
                y.float().sum().backward()
            found = [
                each.way
                for each in ran
                if each.operation.startswith("convolution")
                and each.operation != "convolution_backward_bias"
            ]
            assert [name.rpartition(".")[2] for name in found] == ["IMPLICIT_GEMM", "ALGO_1",
                                                                  "ALGO_1"], (last, cast, found)  # fmt: skip


REFUSED: list[Any] = ["WINOGRAD", "FFT", {"engine": 999}, {"via": "classic", "pick": "winograd"}]


@pytest.mark.parametrize("choose", REFUSED, ids=str)
def test_what_cudnn_refuses_raises(torch: Any, choose: Any) -> None:
    """Neither has strides of two."""
    from cudnn_cffi.torch import convert, modules

    conv, x = layer(torch, 2)
    wanted = torch.nn.functional.conv2d(x, conv.weight, conv.bias, 2, 1)
    torch.testing.assert_close(conv(x), wanted, rtol=1e-2, atol=1e-2)
    conv.choose = choose
    for word in (None, "silent", "error"):
        conv.fallback = word
        with pytest.raises(errors.CudnnError, match=r"^Conv2d: the choice"):
            conv(x)
    assert conv.refused == {}
    model = torch.nn.Sequential(torch.nn.Conv2d(8, 16, 3, 2, 1)).cuda()
    convert(model, choose=choose)
    with pytest.raises(errors.CudnnError, match=r"^0 \(Conv2d\): the choice"):
        model(x)
    model[0].reset_mode()
    model(x)
    with choice.scope(choose), pytest.raises(errors.CudnnError, match=r"^0 \(Conv2d\)"):
        model(x)
    for section in ("data", "filter"):
        if isinstance(choose, dict):
            conv.choose = {section: choose}
        else:
            conv.set_mode(**{section: choose if section == "data" else "FFT"})
        y = conv(x)
        with pytest.raises(errors.CudnnError, match=r"^Conv2d: the choice"):
            y.sum().backward()
    assert issubclass(modules.Conv2d, torch.nn.Conv2d)


def test_settings_of_the_process(torch: Any) -> None:
    conv, x = layer(torch, 2)
    cudnn.conv_fwd_algo = "WINOGRAD"
    with pytest.raises(errors.NotSupportedError, match="WINOGRAD"):
        conv(x)
    cudnn.conv_fwd_algo = None
    cudnn.conv_bwd_data_algo = "WINOGRAD"
    with pytest.raises(errors.NotSupportedError, match="WINOGRAD"):
        conv(x).sum().backward()
    cudnn.conv_bwd_data_algo = None
    conv(x).sum().backward()


def test_other_choices_fall_back_with_one_warning(torch: Any) -> None:
    from cudnn_cffi.torch import convert, modules

    model = torch.nn.Sequential(torch.nn.LayerNorm(16), torch.nn.LayerNorm(16)).double().cuda()
    report = convert(model)
    x = torch.randn(4, 16, device="cuda", dtype=torch.float64, requires_grad=True)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for size in (4, 3, 4):
            model(x[:size]).sum().backward()
    assert [str(each.message).split()[0] for each in found] == ["0", "1"]
    assert set(report.refusals()) == {"0", "1"}
    modules.fallback = "error"
    with pytest.raises(errors.NotSupportedError, match=r"^0 \(LayerNorm\)"):
        model(x)
    model[0].fallback = model[1].fallback = "silent"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(x)
    model[0].choose = {"engine": 1}
    with pytest.raises(errors.NotSupportedError, match="engine 1"):
        model(x)


def test_switched_off_or_not_on_the_gpu(torch: Any) -> None:
    conv, x = layer(torch)
    conv.choose = "IMPLICIT_GEMM"
    with torch.backends.cudnn.flags(enabled=False), pytest.raises(errors.NotSupportedError):
        conv(x)
    with pytest.raises(errors.NotSupportedError, match="the tensor is on cpu"):
        conv.cpu()(x.cpu())
    conv.reset_mode()
    with torch.backends.cudnn.flags(enabled=False):
        conv.cuda()(x)
