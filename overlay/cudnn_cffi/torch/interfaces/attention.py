"""Kernels of PyTorch's operators of attention by cuDNN, forward and for the gradients.

PyTorch chooses what computes attention, and calls these kernels where it would call cuDNN: where
that comes first in its order, or `torch.nn.attention.sdpa_kernel` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from ..autograd import switches
from ..functional.attn.attention import Attention, AttentionBackward, additive
from .kernel import again, attempt, known, layer_of, offer, remember, tell

__all__ = ["MAKERS"]

#: The result, the logarithms of the sums, offsets of sequences (None), lengths, the state of the
#: random numbers, a mask for debugging (None).
_Results: TypeAlias = tuple[
    Tensor, Tensor | None, None, None, int, int, Tensor, Tensor, None
]  # fmt: skip

#: By the device's number: the state of random numbers of calls without dropout, which nothing
#: reads.
_unread: dict[int, Tensor] = {}


def _no_state(q: Tensor) -> Tensor:
    """Return the state of random numbers for a call that draws none."""
    found = _unread.get(q.get_device())
    if found is None:
        with torch.inference_mode(False):  # gradients keep it
            found = torch.zeros((), dtype=torch.long, device=q.device)
        # The memory of a capture belongs to its graph.
        if not q.is_cuda or not torch.cuda.is_current_stream_capturing():
            _unread[q.get_device()] = found
    return found


def _is_as_it_is(bias: Tensor | None) -> bool:
    """Return whether operations take a bias as it is, or there is none."""
    return bias is None or (bias.dim() == 4 and bias.dtype != torch.bool)


def attend(own: Any) -> Callable[..., _Results]:
    """Return the kernel of `aten::_scaled_dot_product_cudnn_attention`."""

    def kernel(
        keys: object, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, needs_stats: bool,
        dropout: float = 0.0, causal: bool = False, debug: bool = False, *,
        scale: float | None = None,
    ) -> _Results:  # fmt: skip
        found: Any = None
        seed = offset = None
        if _is_as_it_is(bias) and not dropout and not debug:
            given = (q, k, v) if bias is None else (q, k, v, bias)
            state = switches.state()
            key = ("attention", bias is None, needs_stats, causal, scale, *state)
            call = known(key)
            if call is None:
                layer = layer_of(Attention, scale, causal, dropout)
                compute = layer.compute if needs_stats else layer.infer
                found = attempt(layer, "forward", compute, *given)
                if found is not None:
                    names = () if bias is None else ("bias",)
                    remember(key, state, layer, names, **({} if needs_stats else {"stats": False}))
            else:
                found = again(call, *given)
                if found is not None and _no_state(q) is _unread.get(q.get_device()):
                    offer(call, tuple(range(len(given))), _no_state(q))
                if found is not None and not needs_stats:
                    found = found.o
        else:
            layer = layer_of(Attention, scale, causal, dropout)
            if debug:
                tell(layer.word, "return_debug_mask asks for more than the result")
            else:
                if dropout:
                    seed = torch.randint(0, 1 << 62, (1,), device=q.device)
                    offset = torch.zeros_like(seed)
                mask = None if bias is None else additive(bias, q)
                compute = layer.compute if needs_stats else layer.infer
                found = attempt(layer, "forward", compute, q, k, v, mask, seed, offset)
        if found is None:
            theirs: _Results = own.call_boxed(
                keys, q, k, v, bias, needs_stats, dropout, causal, debug, scale=scale
            )
            return theirs
        if seed is None or offset is None:
            seed = offset = _no_state(q)
        else:
            seed, offset = seed.view(()), offset.view(())
        o, stats = found if needs_stats else (found, None)
        return o, stats, None, None, q.shape[2], k.shape[2], seed, offset, None

    return kernel


def differentiate(own: Any) -> Callable[..., Any]:
    """Return the kernel of `aten::_scaled_dot_product_cudnn_attention_backward`."""

    def kernel(
        keys: object, do: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, stats: Tensor,
        seed: Tensor, offset: Tensor, bias: Tensor | None, starts_q: Tensor | None,
        starts_k: Tensor | None, longest_q: int, longest_k: int, dropout: float, causal: bool, *,
        scale: float | None = None,
    ) -> Any:  # fmt: skip
        found: Any = None
        if starts_q is not None or starts_k is not None:
            tell(AttentionBackward.word, "ragged sequences are PyTorch's")
        elif _is_as_it_is(bias) and not dropout:
            now = switches.state()
            key = ("attention_backward", bias is None, causal, scale, *now)
            given = (do, q, k, v, o, stats) if bias is None else (do, q, k, v, o, stats, bias)
            call = known(key)
            if call is None:
                layer = layer_of(AttentionBackward, scale, causal, dropout, False)
                found = attempt(layer, "data", layer.infer, *given)
                if found is not None:
                    remember(key, now, layer, () if bias is None else ("bias",))
            else:
                found = again(call, *given, section="data")
                if found is not None:  # seed and offset are before the bias
                    offer(call, (*range(6), *(() if bias is None else (8,))))
        else:
            layer = layer_of(AttentionBackward, scale, causal, dropout, False)
            mask = None if bias is None else additive(bias, q)
            state = (seed.view(1), offset.view(1)) if dropout else (None, None)
            found = attempt(layer, "data", layer.infer, do, q, k, v, o, stats, mask, *state)
        if found is None:
            return own.call_boxed(
                keys, do, q, k, v, o, stats, seed, offset, bias, starts_q, starts_k, longest_q,
                longest_k, dropout, causal, scale=scale,
            )  # fmt: skip
        return tuple(found[:3])

    return kernel


#: Functions that make the kernels, by the names of operators.
MAKERS = {
    "_scaled_dot_product_cudnn_attention": attend,
    "_scaled_dot_product_cudnn_attention_backward": differentiate,
}
