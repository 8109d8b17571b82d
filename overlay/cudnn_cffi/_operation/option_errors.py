"""Refuse options that an operation does not have, and tell what is meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from .. import errors
from .._support.wording import meant, numbered

#: Words of other packages, and ours for the same; of several the one that the operation has.
_SYNONYMS = {
    "algo": "accurate choose",
    "algorithm": "accurate choose",
    "alpha": "coefficient",
    "attn_bias": "bias",
    "attn_dropout": "dropout",
    "attn_mask": "bias",
    "attn_scale": "scale",
    "auto_tune": "choose",
    "axis": "axes mode",
    "batch_axis": "axes",
    "benchmark": "choose",
    "beta": "bias",
    "block_table": "page_table_k page_table_v",
    "border_mode": "padding",
    "ceiling": "coefficient",
    "coef": "coefficient",
    "conv_mode": "flip",
    "count_include_pad": "kind",
    "cu_seqlens_k": "offsets_k",
    "cu_seqlens_q": "offsets_q",
    "decay": "momentum",
    "deterministic": "choose",
    "dilate": "dilation",
    "dim": "axis axes",
    "dims": "axes",
    "dir_mode": "bidirectional",
    "direction": "bidirectional",
    "direction_mode": "bidirectional",
    "dropout": "rate",
    "dropout_p": "dropout",
    "dropout_rate": "dropout rate",
    "dropout_ratio": "dropout rate",
    "embed_dim": "q_size",
    "eps": "epsilon",
    "exponential_average_factor": "momentum",
    "fast": "accurate",
    "fast_mode": "accurate",
    "filter_dilation": "dilation",
    "filter_flip": "flip",
    "gamma": "scale",
    "inplace": "out",
    "input_mode": "skip_input",
    "is_causal": "causal",
    "k_proj_size": "k_projection",
    "kdim": "k_size",
    "keep_dims": "keep_axes",
    "keepdim": "keep_axes",
    "keepdims": "keep_axes",
    "kernel_size": "window",
    "ksize": "window",
    "mask": "bias dropout_mask",
    "max_seqlen_k": "max_kv_length",
    "max_seqlen_q": "max_q_length",
    "mode": "flip kind axis nonlinearity operation activation",
    "n": "size",
    "n_heads": "heads",
    "n_layers": "layers",
    "nan_opt": "propagate_nan",
    "negative_slope": "coefficient",
    "num_groups": "groups",
    "num_heads": "heads",
    "num_layers": "layers",
    "o_proj_size": "o_projection",
    "op": "operation",
    "output_shape": "size",
    "p": "rate",
    "pad": "padding",
    "pads": "padding",
    "page_table": "page_table_k page_table_v",
    "pool_size": "window",
    "proj_size": "projection_size",
    "q_proj_size": "q_projection",
    "ratio": "rate",
    "red_op": "operation",
    "reduce_tensor_indices": "indices",
    "reduce_tensor_op": "operation",
    "return_indices": "indices",
    "rnn_mode": "nonlinearity",
    "running_average_factor": "momentum",
    "running_mean": "mean",
    "running_var": "running_variance variance",
    "scale_height": "size",
    "scale_width": "size",
    "sliding_window": "window",
    "slope": "coefficient",
    "sm_scaler": "scale",
    "softmax_scale": "scale",
    "subsample": "stride",
    "tensor_core": "choose",
    "v_proj_size": "v_projection",
    "var": "variance",
    "vdim": "v_size",
    "weight": "scale w weights",
    "window_shape": "window",
    "window_size": "window",
    "workmem": "choose",
    "workspace": "choose",
    "workspace_limit": "choose",
    "ws": "window",
}

#: Full text for a word if a plain name says too little.
_MORE = {
    "algo accurate": "as in accurate=False, or log=True",
    "algorithm accurate": "as in accurate=False, or log=True",
    "auto_tune": 'as in choose="time"',
    "axis mode": 'as in mode="per_activation"',
    "conv_mode": 'as in flip=True, which conv_mode="conv" means',
    "count_include_pad": 'as in kind="average_without_padding"',
    "decay": "which is 1 - decay",
    "deterministic": 'as in choose="deterministic"',
    "fast": "as in accurate=False",
    "fast_mode": "as in accurate=False",
    "mode flip": "as in flip=True, which CUDNN_CONVOLUTION means",
    "inplace": "as in out=x",
    "tensor_core": 'as in choose={"tensor_cores": True}',
    "cu_seqlens_k": "in elements, with seq_len_kv",
    "cu_seqlens_q": "in elements, with seq_len_q",
    "workspace": 'as in choose={"workspace_limit": "64 MiB"}',
    "workspace_limit": 'as in choose={"workspace_limit": "64 MiB"}',
}


_TYPE = (
    'leave it out: the data type of the arrays decides; choose={"tf32": False} keeps float32 exact'
)
_ENDS = (
    "leave it out: windows end inside of the padded array; pad it, as in padding=((0, 1), (0, 1))"
)
_CENTERS = "leave it out: -1 and 1 are the centers of the last elements"

#: Hints for words of other packages that no option here stands for.
_TOLD = {
    "acc_dtype": _TYPE,
    "acc_type": _TYPE,
    "align_corners": f"{_CENTERS}, as align_corners=True has it",
    "blank": "leave it out: the blank is label 0",
    "blank_symbol": "leave it out: the blank is label 0",
    "ceil_mode": _ENDS,
    "compute_type": _TYPE,
    "conv_desc": "name padding, stride, dilation and groups",
    "cover_all": _ENDS,
    "data_format": "leave it out: the strides of the arrays tell their layout",
    "data_type": _TYPE,
    "direction_hint": (
        "leave it out: gradients are operations of their own, convolution_backward_data and "
        "convolution_backward_filter"
    ),
    "dtype": _TYPE,
    "enable_gqa": "leave it out: k and v may have fewer heads than q",
    "format": "leave it out: the strides of the arrays tell their layout",
    "ignore_border": _ENDS,
    "kernel_size": "leave it out: the extents of the filters decide",
    "ksize": "leave it out: the extents of the filters decide",
    "math_prec": _TYPE,
    "math_type": _TYPE,
    "nan_opt": "leave it out: NaN is propagated",
    "normalized_shape": "leave it out: the shape of the scale decides",
    "padding_mode": "leave it out: what lies outside is zero",
    "precision": _TYPE,
    "relu_nan_opt": "leave it out: NaN is propagated",
    "maxpooling_nan_opt": "leave it out: NaN is propagated",
    "rnn_mode": "leave it out: RNN, LSTM and GRU are classes of their own",
    "training": "leave it out: this is the operation of training",
}


def refused(
    word: str, wrong: str, options: Iterable[str], call: Iterable[str] = (), fixed: str = ""
) -> errors.ArgumentError:
    """Return the error about an option that an operation or a function does not have.

    Args:
        word: the operation or the function.
        wrong: the name of the option.
        options: the names that it has.
        call: the names that a call of the operation has.
        fixed: the class that has the option, if the function sets it.
    """
    text = f"options: {', '.join(options)}"
    if fixed:
        return errors.ArgumentError(
            f"{word}: there is no argument {wrong!r}, since {word} sets it",
            hint=f"the class {fixed} has this option; {text}",
        )
    if wrong in call:
        shift = "what a norm adds is bias; " if wrong == "beta" and "scale" in call else ""
        return errors.ArgumentError(
            f"{word}: {wrong!r} is an argument of the call, not an option of the operation",
            hint=f"pass it where the operation is called; {shift}{text}",
        )
    known = (*options, *call)
    plain = _plain(wrong)
    use = ""
    for name, ours in _SYNONYMS.items():
        if _plain(name) == plain and (found := _present(name, ours.split(), known)):
            more = _MORE.get(f"{name} {found[0]}") or _MORE.get(name)
            use = f"use {' and '.join(found)}{f', {more}' if more else ''}; "
    if not use:
        told = [text for name, text in _TOLD.items() if _plain(name) == plain]
        use = f"{told[0]}; " if told else meant(wrong, known)
    return errors.ArgumentError(f"{word}: there is no argument {wrong!r}", hint=f"{use}{text}")


def _plain(word: str) -> str:
    """Return a word without what tells CUDA.jl's from Theano's: capitals and underscores."""
    return word.lower().replace("_", "")


def _present(word: str, ours: list[str], known: Iterable[str]) -> list[str]:
    """Return what an operation has of our names: all for pages, else the first."""
    found = [each for each in ours if each in known]
    return found if word in ("page_table", "block_table") else found[:1]


def synonyms(option: str, known: Iterable[str]) -> list[str]:
    """Return the words of other packages for which an operation's error names this option."""
    known = tuple(known)
    return [
        word
        for word, ours in _SYNONYMS.items()
        if word not in known and option in _present(word, ours.split(), known)
    ]


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
    most = code.co_argcount - 1

    @functools.wraps(init)
    def make(self: Any, *given: Any, **options: Any) -> None:
        if len(given) > most and type(self).__init__ is make:
            raise errors.ArgumentError(
                f"{self.word}: expected at most {numbered(most, 'option')} without a name, got "
                f"{len(given)}",
                hint=f"options: {', '.join(_names(init))}",
            )
        if not known.issuperset(options) and type(self).__init__ is make:
            wrong = next(name for name in options if name not in known)
            raise refused(self.word, wrong, _names(init), _names(type(self).__call__))
        init(self, *given, **options)

    return make
