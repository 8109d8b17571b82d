"""Attention for models of the transformers package, by its attention interface."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ... import errors
from ..._support.recent import Recent
from ..autograd.states import is_eager
from ..fallback import Owner
from ..functional.attn.attention import Attention, run_attention

__all__ = ["register_transformers", "transformers_attention"]

#: Arguments of models that attention by cuDNN does not have here; None switches each off.
_OTHERS = ("softcap", "s_aux", "head_mask")

_layers: dict[object, Attention] = Recent(256)


def _layer(scale: float | None, causal: bool, dropout: float, q: Tensor) -> Attention:
    """Return the layer for the options of a call."""
    key = scale, causal, dropout
    found = _layers.get(key)
    if found is None:
        owner = Owner("transformers_attention", None)
        found = Attention(scale, causal, dropout, owner=owner)
        if is_eager(q):
            _layers[key] = found
    return found


def _with_position(
    bias: Tensor, mask: Tensor | None, causal: bool, q: Tensor, k: Tensor
) -> Tensor:  # fmt: skip
    """Return a learnt bias of positions together with a mask."""
    if causal:
        shape = q.shape[2], k.shape[2]
        mask = torch.ones(shape, dtype=torch.bool, device=q.device).tril()
    if mask is None:
        return bias.to(q.dtype)
    if mask.dtype == torch.bool:
        return bias.to(q.dtype).masked_fill(~mask, float("-inf"))
    return (bias + mask).to(q.dtype)


def transformers_attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None,
    scaling: float | None = None, dropout: float = 0.0, is_causal: bool | None = None,
    position_bias: Tensor | None = None, **kwargs: object,
) -> tuple[Tensor, None]:  # fmt: skip
    """Compute attention as transformers calls it; see `register_transformers`.

    PyTorch computes what cuDNN does not: tensors on the CPU, and data types other than float16 and
    bfloat16. `cudnn_cffi.torch.modules.fallback` says whether that gives a warning, or is an error.

    Args:
        module: the layer of the model; its `is_causal` holds if the argument is None.
        query: (batch, heads, length, width).
        key, value: the same, with as many heads, or fewer that groups of queries share.
        attention_mask: is added to the scores, or True for what takes part; (batch or 1, heads
            or 1, length of queries, length of keys).
        scaling: of the scores; 1 / sqrt(width) without it.
        dropout: the probability with which an element of softmax becomes zero.
        is_causal: whether a query sees only keys up to its own place, if there is no mask, and
            more than one query.
        position_bias: is added to the scores, too, and has a gradient.
        kwargs: further arguments of the model, which mean nothing here.

    Returns: the result, (batch, length, heads, width), and None for the weights.

    Raises:
        NotSupportedError: the model asks for a soft cap, sinks, a mask of heads, or weights.
    """
    asked = [name for name in _OTHERS if kwargs.get(name) is not None]
    if kwargs.get("output_attentions"):
        asked.append("output_attentions")
    if asked:
        raise errors.NotSupportedError(
            f"transformers_attention: expected no {' or '.join(asked)}, which the model asks for",
            hint='attn_implementation="eager" or "flex_attention" may have it',
        )
    causal = bool(getattr(module, "is_causal", True) if is_causal is None else is_causal)
    if attention_mask is not None or query.shape[2] == 1:
        causal = False
    if position_bias is not None:
        attention_mask = _with_position(position_bias, attention_mask, causal, query, key)
        causal = False
    scale = None if scaling is None else float(scaling)
    layer = _layer(scale, causal, float(dropout), query)
    found = run_attention(layer, query, key, value, attention_mask, True)
    return found.transpose(1, 2).contiguous(), None


def register_transformers(name: str = "cudnn_cffi") -> None:
    """Have models of transformers find this package's attention, and the masks that it takes.

    A model uses it after `model.set_attn_implementation(name)`, or if it is made with
    `attn_implementation=name`. `transformers.AttentionInterface` alone would not do: models
    without a function for masks get none, and would attend to padding.

    Args:
        name: by which models find it.

    Raises:
        ImportError: there is no transformers, or it is older than 4.53.
    """
    try:
        masking: Any = __import__("transformers.masking_utils", fromlist=["sdpa_mask"])
        theirs: Any = __import__("transformers")
        functions, masks = theirs.AttentionInterface, theirs.AttentionMaskInterface
        mask = masking.sdpa_mask
    except (ImportError, AttributeError) as error:
        raise ImportError(
            "register_transformers needs transformers 4.53 or newer: "
            f'pip install "transformers>=4.53" ({error})',
            name="transformers",
        ) from error
    functions.register(name, transformers_attention)
    masks.register(name, mask)
