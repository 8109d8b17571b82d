"""Refuse options that an operation does not have, and tell what is meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from .. import errors
from .._support.wording import meant

#: Words of other packages, and ours for the same; of several the one that the operation has.
_SYNONYMS = {
    "algo": "choose",
    "algorithm": "choose",
    "alpha": "coefficient",
    "attn_bias": "bias",
    "attn_mask": "bias",
    "attn_scale": "scale",
    "axis": "axes",
    "benchmark": "choose",
    "block_table": "page_table_k page_table_v",
    "border_mode": "padding",
    "ceiling": "coefficient",
    "conv_mode": "flip",
    "cu_seqlens_k": "offsets_k",
    "cu_seqlens_q": "offsets_q",
    "dim": "axis axes",
    "dims": "axes",
    "dropout_p": "dropout",
    "dropout_rate": "dropout rate",
    "eps": "epsilon",
    "filter_dilation": "dilation",
    "filter_flip": "flip",
    "gamma": "scale",
    "is_causal": "causal",
    "keep_dims": "keep_axes",
    "keepdim": "keep_axes",
    "keepdims": "keep_axes",
    "kernel_size": "window",
    "mask": "bias dropout_mask",
    "max_seqlen_k": "max_kv_length",
    "max_seqlen_q": "max_q_length",
    "mode": "kind axis nonlinearity operation",
    "negative_slope": "coefficient",
    "num_groups": "groups",
    "num_layers": "layers",
    "op": "operation",
    "p": "rate",
    "pad": "padding",
    "pads": "padding",
    "page_table": "page_table_k page_table_v",
    "pool_size": "window",
    "proj_size": "projection_size",
    "running_var": "running_variance",
    "sliding_window": "window",
    "softmax_scale": "scale",
    "subsample": "stride",
    "var": "variance",
    "weight": "scale w weights",
    "window_size": "window",
    "workmem": "choose",
    "workspace_limit": "choose",
    "workspace": "choose",
    "ws": "window",
}

#: What such a word becomes where a plain name says too little.
_MORE = {
    "cu_seqlens_k": "in elements, with seq_len_kv",
    "cu_seqlens_q": "in elements, with seq_len_q",
    "workspace": 'as in choose={"workspace_limit": "64 MiB"}',
    "workspace_limit": 'as in choose={"workspace_limit": "64 MiB"}',
}


def refused(cls: Any, wrong: str) -> errors.ArgumentError:
    """Return the error about an option that a class of operations does not have."""
    options, call = _names(cls.__init__), _names(cls.__call__)
    text = f"options: {', '.join(options)}"
    if wrong in call:
        return errors.ArgumentError(
            f"{cls.word}: {wrong!r} is an argument of the call, not an option of the operation",
            hint=f"pass it where the operation is called; {text}",
        )
    known = (*options, *call)
    use = {
        word: f"use {' and '.join(found)}{f', {_MORE[word]}' if word in _MORE else ''}"
        for word, ours in _SYNONYMS.items()
        if (found := _present(word, ours.split(), known))
    }
    return errors.ArgumentError(
        f"{cls.word}: there is no argument {wrong!r}",
        hint=f"{meant(wrong, known, use)}{text}",
    )


def _present(word: str, ours: list[str], known: Iterable[str]) -> list[str]:
    """Return what an operation has of our names: all for pages, else the first."""
    found = [each for each in ours if each in known]
    return found if word in ("page_table", "block_table") else found[:1]


def _names(function: Any) -> list[str]:
    """Return the names of the arguments of a method, without self and those that are open."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]


def checked(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that refuses unknown options with a word on what is meant.

    It looks at what the class itself was called with; what a class hands to its base passes.
    """
    code = init.__code__
    known = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

    @functools.wraps(init)
    def make(self: Any, *given: Any, **options: Any) -> None:
        if not known.issuperset(options) and type(self).__init__ is make:
            raise refused(type(self), next(name for name in options if name not in known))
        init(self, *given, **options)

    return make
