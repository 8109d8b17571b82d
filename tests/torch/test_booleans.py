"""Booleans of functions and modules are booleans: a text or another number is no True."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from cudnn_cffi import errors

#: Calls with a boolean, by the name of its argument.
CALLS: list[tuple[str, Callable[[Any, Any, Any], object]]] = [
    ("inplace", lambda f, x, no: f.relu(x, inplace=no)),
    ("inplace", lambda f, x, no: f.silu(x, inplace=no)),
    ("inplace", lambda f, x, no: f.dropout(x, 0.5, True, no)),
    ("training", lambda f, x, no: f.dropout(x, 0.5, no)),
    ("training", lambda f, x, no: f.batch_norm(x, None, None, training=no)),
    ("training", lambda f, x, no: f.batch_norm_activation(x, None, None, training=no)),
    ("fast", lambda f, x, no: f.softmax(x, 1, fast=no)),
    ("ceil_mode", lambda f, x, no: f.max_pool2d(x, 2, ceil_mode=no)),
    ("ceil_mode", lambda f, x, no: f.avg_pool2d(x, 2, ceil_mode=no)),
    ("count_include_pad", lambda f, x, no: f.avg_pool2d(x, 2, count_include_pad=no)),
    ("keep_axes", lambda f, x, no: f.reduce(x, "add", 1, no)),
    ("align_corners", lambda f, x, no: f.affine_grid(x[:, 0, :2, :3], (2, 4, 4, 4), no)),
    ("align_corners", lambda f, x, no: f.grid_sample(x, x, align_corners=no)),
    ("zero_infinity", lambda f, x, no: f.ctc_loss(x[0], x[0, 0], [4], [2], zero_infinity=no)),
    ("has_biases", lambda f, x, no: f.gru(x[0], None, [x[0, 0]] * 4, no)),
    ("train", lambda f, x, no: f.lstm(x[0], None, [x[0, 0]] * 4, True, 2, 0.5, no)),
    ("bidirectional", lambda f, x, no: f.gru(x[0], None, [x[0, 0]] * 4, bidirectional=no)),
    ("batch_first", lambda f, x, no: f.gru(x[0], None, [x[0, 0]] * 4, batch_first=no)),
    ("is_causal", lambda f, x, no: f.scaled_dot_product_attention(x, x, x, is_causal=no)),
    (
        "enable_gqa",
        lambda f, x, no: f.scaled_dot_product_attention(x, x[:, :2], x[:, :2], enable_gqa=no),
    ),
    ("causal", lambda f, x, no: f.multi_head_attention(x[0], x[0], x[0], None, 2, causal=no)),
    (
        "batch_first",
        lambda f, x, no: f.multi_head_attention(x[0], x[0], x[0], None, 2, batch_first=no),
    ),
    ("finite", lambda f, x, no: f.decode_attention(x, x, x, x, x, finite=no)),
    ("checked", lambda f, x, no: f.decode_attention(x, x, x, x, x, checked=no)),
    ("channels_last", lambda f, x, no: f.causal_convolution(x[0], x[0, 0], channels_last=no)),
    ("long", lambda f, x, no: f.fft_causal_convolution(x[0], x[0, 0], long=no)),
]


@pytest.mark.parametrize("value", ["no", "True", 2, None])
@pytest.mark.parametrize(("name", "call"), CALLS)
def test_what_is_no_boolean(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str, call: Any, value: Any
) -> None:
    from cudnn_cffi.torch import functional

    for module in vars(functional).values():
        source = getattr(module, "__globals__", {})
        if "check_tensors" in source:
            monkeypatch.setitem(source, "check_tensors", lambda **_: None)
    if name == "align_corners" and value is None:
        return  # PyTorch's default, which cuDNN does not compute
    with pytest.raises(errors.ArgumentError, match=rf"^{name}: expected True or False, got"):
        call(functional, torch.rand(2, 4, 4, 4), value)


def test_options_of_modules(torch: ModuleType) -> None:
    from cudnn_cffi.torch import modules

    calls: list[tuple[str, Callable[[], object]]] = [
        ("fast", lambda: modules.Softmax(1, fast="no")),
        ("is_causal", lambda: modules.ScaledDotProductAttention(is_causal="no")),
        ("enable_gqa", lambda: modules.ScaledDotProductAttention(enable_gqa="no")),
        ("is_causal", lambda: modules.ScaledDotProductAttentionFP8(is_causal="no")),
    ]
    for name, call in calls:
        with pytest.raises(errors.ArgumentError, match=rf"^{name}: expected True or False"):
            call()
