"""Read graphs that NVIDIA's front end saved as JSON."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .... import errors
from ..enums import (
    attention_implementation,
    convolution_mode,
    data_type,
    diagonal_alignment,
    reduction_mode,
    to_data_type,
)
from ..tensors import Node, NodeType, Tensor
from .graphs import add_tensor
from .plans import of_original

if TYPE_CHECKING:
    from ..planning import Planning

#: The numbers of the forms of the original's texts: by names of tensors, and by their uids.
_ORIGINAL = ("1.0", "2.0")

#: Values by name, as JSON has them.
Fields = Mapping[str, Any]


class _Kind(NamedTuple):
    """The words of a kind of nodes in the JSON.

    Attributes:
        ports: what `pygraph` calls inputs and outputs, by the JSON's names.
        options: the parameter of the node, and what makes its value; by the JSON's names.
        ignored: options that change no numbers.
    """

    ports: Mapping[str, str]
    options: Mapping[str, tuple[str, Callable[[Any], Any]]]
    ignored: Iterable[str] = ()


def _number(value: Any) -> Any:
    """Return a number; floats are their bits as hexadecimal text."""
    if not isinstance(value, str):
        return value
    return struct.unpack("=f", struct.pack("=I", int(value, 16)))[0]


def _ports(text: str) -> dict[str, str]:
    return dict(word.split("=") for word in text.split())


_WINDOW: dict[str, tuple[str, Callable[[Any], Any]]] = {
    **{name: (name, list) for name in ("pre_padding", "post_padding", "stride", "dilation")},
    "math_mode": ("convolution_mode", convolution_mode.__getitem__),
}
_ATTENTION = _Kind(
    _ports(
        "Q=q K=k V=v Attn_scale=attn_scale Bias=bias SEQ_LEN_Q=seq_len_q SEQ_LEN_KV=seq_len_kv "
        "CU_SEQ_LEN_Q=cu_seq_len_q CU_SEQ_LEN_KV=cu_seq_len_kv Seed=dropout_1 Offset=dropout_2 "
        "Dropout_mask=dropout_0 Dropout_scale=dropout_1 Page_table_K=paged_attention_k_table "
        "Page_table_V=paged_attention_v_table Block_mask=block_mask SINK_TOKEN=sink_token "
        "O=O Stats=Stats Max=score_max Sum_exp=score_sum_exp RNG_DUMP=rng_dump"
    ),
    {
        "attn_scale_value": ("attn_scale", _number),
        "alibi_mask": ("use_alibi_mask", bool),
        "padding_mask": ("use_padding_mask", bool),
        "causal_mask": ("use_causal_mask", bool),
        "causal_mask_bottom_right": ("use_causal_mask_bottom_right", bool),
        "sliding_window_length": ("sliding_window_length", int),
        "left_bound": ("diagonal_band_left_bound", int),
        "right_bound": ("diagonal_band_right_bound", int),
        "diagonal_alignment": ("diagonal_alignment", diagonal_alignment.__getitem__),
        "dropout_probability": ("dropout_0", _number),
        "max_seq_len_kv": ("paged_attention_max_seq_len_kv", int),
        "max_total_seq_len_q": ("max_total_seq_len_q", int),
        "max_total_seq_len_kv": ("max_total_seq_len_kv", int),
        "stats_use_log2": ("stats_use_log2", bool),
        "implementation": ("implementation", attention_implementation.__getitem__),
    },
    ("generate_stats", "is_inference", "mma_core_mode"),
)

_KINDS = {
    "CONV_FPROP": _Kind(_ports("X=image W=weight Y=Y"), _WINDOW),
    "CONV_DGRAD": _Kind(_ports("DY=loss W=filter DX=DX"), _WINDOW),
    "CONV_WGRAD": _Kind(_ports("X=image DY=loss DW=DW"), _WINDOW),
    "MATMUL": _Kind(_ports("A=A B=B C=C"), {"padding_value": ("padding", _number)}),
    "POINTWISE": _Kind(
        _ports("IN_0=IN_0 IN_1=IN_1 IN_2=IN_2 OUT_0=OUT_0"),
        {
            "mode": ("mode", str),
            "axis": ("axis", int),
            "relu_lower_clip": ("lower_clip", _number),
            "relu_upper_clip": ("upper_clip", _number),
            "relu_lower_clip_slope": ("slope", _number),
            **{name: (name, _number) for name in ("swish_beta", "elu_alpha", "softplus_beta")},
        },
    ),
    "REDUCTION": _Kind(
        _ports("X=input Y=OUT_0"),
        {"mode": ("mode", reduction_mode.__getitem__)},
        ("is_deterministic",),
    ),
    "SDPA": _ATTENTION,
}

#: Tags that earlier versions wrote, and what they are called now.
_FORMER = {"SDPA_FWD": "SDPA"}

#: Fields of all nodes.
_COMMON = frozenset({"tag", "name", "compute_data_type", "inputs", "outputs"})


def read_original_graph(graph: Planning, saved: Fields) -> None:
    """Add the tensors and nodes of JSON that the original's `repr` returns to an empty graph.

    Args:
        graph: gets convolutions, products, pointwise operations, reductions and attention.
        saved: the JSON.

    Raises:
        ArgumentError: it is of another form, damaged, or has another operation or option.
    """
    form = saved.get("json_version")
    if form not in _ORIGINAL:
        raise errors.ArgumentError(f"json_version: expected {' or '.join(_ORIGINAL)}, got {form!r}")
    try:
        _read(graph, saved)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, struct.error) as error:
        if isinstance(error, errors.CudnnError):
            raise
        raise errors.ArgumentError(
            f"the JSON is not a graph of the front end: {error!r}"
        ) from error


def _read(graph: Planning, saved: Fields) -> None:
    context = saved.get("context", {})
    for name in ("io_data_type", "intermediate_data_type", "compute_data_type"):
        setattr(graph.context, name, _type(context.get(name)))
    given = saved["tensors"]
    named = given.items() if isinstance(given, dict) else [(each["uid"], each) for each in given]
    tensors: dict[str, Tensor] = {}
    ragged: dict[Tensor, object] = {}
    for key, fields in named:
        made = add_tensor(graph, _tensor_fields(fields))
        tensors[str(key)] = tensors[str(fields.get("name") or key)] = made
        ragged[made] = fields.get("ragged_offset_uid")
    for tensor, uid in ragged.items():
        tensor.ragged_offset = None if uid is None else tensors[str(uid)]
    for fields in saved["nodes"]:
        graph._nodes.append(_node(fields, tensors))


def _type(name: str | None) -> data_type | None:
    return None if name in (None, "NOT_SET") else to_data_type(name)


def _tensor_fields(fields: Fields) -> Fields:
    """Return the fields of a tensor, in the form of this package."""
    made = dict(of_original(fields))
    value = fields.get("pass_by_value")
    made["pass_by_value"] = _number(value["value"] if isinstance(value, dict) else value)
    made["ragged_offset_multiplier"] = fields.get("ragged_offset_multiplier", 1)
    made["assigned"] = [bool(fields["dim"]), bool(fields["stride"])]
    return made


def _node(fields: Fields, tensors: Mapping[str, Tensor]) -> Node:
    tag: str = fields["tag"]
    name, tag = fields.get("name") or tag, _FORMER.get(tag, tag)
    kind = _KINDS.get(tag)
    if kind is None:
        raise errors.ArgumentError(
            f"node {name}: {tag} of the front end's JSON is not read",
            hint=f"those of {', '.join(_KINDS)} are",
        )
    node = Node(name, NodeType[tag], _type(fields.get("compute_data_type")))
    for of, found in (("inputs", node.inputs), ("outputs", node.outputs)):
        for port, reference in fields[of].items():
            if port not in kind.ports:
                raise errors.ArgumentError(f"node {name}: {port} of its {of} is not read")
            found[kind.ports[port]] = tensors[str(reference)]
    for option, value in fields.items():
        if option in _COMMON or option in kind.ignored or value is None or value is False:
            continue
        if option not in kind.options:
            raise errors.ArgumentError(f"node {name}: {option}={value!r} is not read")
        parameter, make = kind.options[option]
        node.params[parameter] = make(value)
    if tag == "SDPA" and {"dropout_0", "dropout_1"} & {*node.params, *node.inputs}:
        node.params["_dropout_n"] = 3 if "dropout_0" in node.params else 2
    return node
