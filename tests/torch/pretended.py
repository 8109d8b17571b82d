"""PyTorch's operators of cuDNN on the CPU: where the kernels that `install` replaces can be tested.

PyTorch's dispatcher, its autograd formulas and its functions are the real ones. Its kernels of cuDNN
are written by PyTorch's functions here, and `convolution` and `scaled_dot_product_attention` on the
CPU call them, as they would on CUDA.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from cudnn_cffi.torch.interfaces import convolution, kernel

from .stand_in import StandIn


def scores(q: Any, k: Any, bias: Any, causal: bool, scale: float | None) -> Any:
    """Return what softmax takes, with a head of keys for each of the queries."""
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    found = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        found = found.masked_fill(~torch.ones(found.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return found if bias is None else found + bias


def attend(q: Any, k: Any, v: Any, bias: Any, causal: bool, scale: float | None) -> Any:
    """Return attention and the logarithms of the sums."""
    found = scores(q, k, bias, causal, scale)
    v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)
    return found.softmax(-1) @ v, found.logsumexp(-1, keepdim=True)


class Apart:
    """A thread of its own, since no gradients are computed below PyTorch's autograd.

    Functions of PyTorch compute there without kernels of cuDNN.
    """

    def __init__(self) -> None:
        self._state = threading.local()
        self._pool = ThreadPoolExecutor(1, initializer=self._begin)

    def _begin(self) -> None:
        self._state.here = True

    @property
    def here(self) -> bool:
        return getattr(self._state, "here", False)

    def __call__(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        return self._pool.submit(function, *given, **named).result()

    def close(self) -> None:
        self._pool.shutdown()


def pretend(monkeypatch: pytest.MonkeyPatch, apart: Apart) -> None:
    """Have `install` replace kernels of the CPU, where stand-ins compute operations."""
    compute = StandIn.__call__
    monkeypatch.setattr(kernel, "KEY", "CPU")
    monkeypatch.setattr(
        convolution, "_select", lambda *_: None if apart.here else convolution.CUDNN[0]
    )
    monkeypatch.setattr(StandIn, "__call__", lambda *given, **more: apart(compute, *given, **more))


@contextmanager
def cudnn_on_the_cpu(apart: Apart) -> Iterator[list[str]]:
    """Register PyTorch's kernels, and have it choose them; yield the names of those that ran."""
    ran: list[str] = []
    room = torch.library.Library("aten", "IMPL")
    whole = torch.library.get_kernel("aten::convolution", "CPU")
    back = torch.library.get_kernel("aten::convolution_backward", "CPU")

    def convolve(keys: Any, x: Any, w: Any, padding: Any, stride: Any, dilation: Any,
                 groups: int, *flags: bool) -> Any:  # fmt: skip
        ran.append("cudnn_convolution")
        zeros = [0] * len(stride)
        return whole.call_boxed(keys, x, w, None, stride, padding, dilation, False, zeros, groups)

    def transpose(keys: Any, x: Any, w: Any, padding: Any, more: Any, stride: Any,
                  dilation: Any, groups: int, *flags: bool) -> Any:  # fmt: skip
        ran.append("cudnn_convolution_transpose")
        return whole.call_boxed(keys, x, w, None, stride, padding, dilation, True, more, groups)

    def choose(keys: Any, x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any,
               transposed: bool, more: Any, groups: int) -> Any:  # fmt: skip
        if apart.here:
            return whole.call_boxed(
                keys, x, w, bias, stride, padding, dilation, transposed, more, groups
            )
        flags = False, False, True
        if transposed:
            y = torch.ops.aten.cudnn_convolution_transpose(
                x, w, padding, more, stride, dilation, groups, *flags
            )
        else:
            y = torch.ops.aten.cudnn_convolution(x, w, padding, stride, dilation, groups, *flags)
        return y if bias is None else y + bias.reshape(-1, *(1,) * (w.dim() - 2))

    def differentiate(keys: Any, *given: Any) -> Any:
        if not apart.here:
            ran.append("convolution_backward")
        return back.call_boxed(keys, *given)

    def attention(q: Any, k: Any, v: Any, bias: Any, needs_stats: bool, p: float = 0.0,
                  causal: bool = False, debug: bool = False, *,
                  scale: float | None = None) -> Any:  # fmt: skip
        ran.append("attention")
        o, stats = attend(q, k, v, bias, causal, scale)
        state = torch.zeros((), dtype=torch.long)
        stats = stats if needs_stats else None
        return o, stats, None, None, q.shape[2], k.shape[2], state, state, None

    def gradients(do: Any, q: Any, k: Any, v: Any, o: Any, stats: Any, seed: Any, offset: Any,
                  bias: Any, sq: Any, sk: Any, mq: int, mk: int, p: float, causal: bool, *,
                  scale: float | None = None) -> Any:  # fmt: skip
        ran.append("attention_backward")

        def compute() -> Any:
            given = [each.detach().requires_grad_() for each in (q, k, v)]
            own = attend(given[0], given[1], given[2], bias, causal, scale)[0]
            return torch.autograd.grad(own, given, do)

        return apart(compute)

    def whole_attention(q: Any, k: Any, v: Any, mask: Any = None, p: float = 0.0,
                        causal: bool = False, *, scale: float | None = None,
                        enable_gqa: bool = False) -> Any:  # fmt: skip
        assert enable_gqa or q.shape[1] == k.shape[1]
        if mask is not None and mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, -math.inf)
        if apart.here:
            return attend(q, k, v, mask, causal, scale)[0]
        needs = torch.is_grad_enabled() and any(e.requires_grad for e in (q, k, v))
        return torch.ops.aten._scaled_dot_product_cudnn_attention(
            q, k, v, mask, needs, p, causal, False, scale=scale
        )[0]

    room.impl("cudnn_convolution", convolve, "CPU", with_keyset=True)
    room.impl("cudnn_convolution_transpose", transpose, "CPU", with_keyset=True)
    room.impl("convolution_backward", differentiate, "CPU", with_keyset=True)
    room.impl("convolution", choose, "CPU", with_keyset=True)
    room.impl("_scaled_dot_product_cudnn_attention", attention, "CPU")
    room.impl("_scaled_dot_product_cudnn_attention_backward", gradients, "CPU")
    for key in ("CPU", "AutogradCPU"):
        room.impl("scaled_dot_product_attention", whole_attention, key)
    try:
        yield ran
    finally:
        room._destroy()
