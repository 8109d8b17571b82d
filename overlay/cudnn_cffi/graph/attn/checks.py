"""Refuse attention that no release computes, before one is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ... import arrays, errors
from ..record.enum_words import extents
from ..rules.results import packed
from ..tensors import Tensor

if TYPE_CHECKING:
    from ..record.types import Options

_HALVES = ("HALF", "BFLOAT16")
_OTHERS = (*_HALVES, "FLOAT")
_FP8 = ("FP8_E4M3", "FP8_E5M2")
_SIDES = ("_q", "_kv")
#: The lowest number of INT32, in which engines compare indices.
_LEAST = -(2**31)
_CUMULATIVE = ("cu_seq_len_q", "cu_seq_len_kv")
_LENGTHS = ("seq_len_q", "seq_len_kv", *_CUMULATIVE)
#: The arrays with a row for each query, and for each key; and all that engines read by rows.
QUERY_ROWS, KEY_ROWS = ("q", "o", "do", "dq"), ("k", "v", "dk", "dv")
ROWS = (*QUERY_ROWS, *KEY_ROWS)
#: Inputs that must be scalars, with their allowed types.
_NUMBERS = {
    "scale": _OTHERS,
    "dropout_scale": ("FLOAT",),
    **dict.fromkeys(("seed", "offset"), ("INT64", "INT32")),
}
#: The types of other inputs.
_TYPES = {
    **dict.fromkeys(("alibi", "sink", "stats"), ("FLOAT",)),
    **dict.fromkeys((*_CUMULATIVE, "page_table_k", "page_table_v"), ("INT32",)),
    **dict.fromkeys(("dropout_mask", "bias"), _OTHERS),
    "block_mask": ("UINT8",),
}
#: The scales of FP8, by the kind of operation.
SCALES = {
    "attention": ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o"),
    "attention_backward": (
        *("descale_q", "descale_k", "descale_v", "descale_o", "descale_do", "descale_s"),
        *("descale_dp", "scale_s", "scale_dp", "scale_dq", "scale_dk", "scale_dv"),
    ),
}


class _Strided(Protocol):
    """A tensor of a graph, or an array of a call."""

    @property
    def data_type(self) -> str: ...

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def strides(self) -> tuple[int, ...]: ...


def is_fp8(q: Tensor) -> bool:
    """Return whether tensors like this are FP8."""
    return q.data_type in _FP8


def is_float(q: Tensor) -> bool:
    """Return whether tensors like this are FLOAT."""
    return q.data_type == "FLOAT"


def has_multiplier(inputs: dict[str, Tensor]) -> bool:
    """Return whether ragged offsets of an input are multiplied."""
    return any((inputs[port].ragged_multiplier or 1) != 1 for port in "qkv")


def is_grouped(inputs: dict[str, Tensor]) -> bool:
    """Return whether heads of queries share those of keys or values."""
    return inputs["q"].shape[1] != min(inputs["k"].shape[1], inputs["v"].shape[1])


def is_ragged(inputs: dict[str, Tensor]) -> bool:
    """Return whether an input is ragged."""
    return any(inputs[port].ragged_offset is not None for port in "qkv")


def bounds(
    kind: str, causal: bool | str, window: Sequence[int | None] | None, diagonal: str
) -> Options:
    """Return the bands that a query sees, as the options `left`, `right` and `bottom_right`."""
    if isinstance(causal, str):
        if causal not in ("top_left", "bottom_right"):
            raise _refusal(
                kind, f"expected causal to be a bool, 'top_left' or 'bottom_right', got {causal!r}"
            )
        if causal != diagonal and diagonal != "top_left":
            raise _refusal(kind, f"causal={causal!r} contradicts diagonal={diagonal!r}")
        diagonal = causal
        causal = True
    if diagonal not in ("top_left", "bottom_right"):
        raise _refusal(kind, f"diagonal is 'top_left' or 'bottom_right', got {diagonal!r}")
    left = right = None
    if window is not None:
        if not isinstance(window, (tuple, list)) or len(window) != 2:
            raise _refusal(kind, f"window is (left, right), got {window!r}")
        left, right = (
            None if each is None else extents((each,), f"{kind} window", least)[0]
            for each, least in zip(window, (_LEAST if kind == "attention" else 0, 0), strict=True)
        )
    if causal:
        if right:
            raise _refusal(
                kind,
                f"causal contradicts window={tuple(window or ())}, which shows {right} later keys",
                hint=f"window=({left}, 0)",
            )
        right = 0
    if left is None and right is None:
        if diagonal != "top_left":
            raise _refusal(kind, f"diagonal={diagonal!r} needs causal or window")
        return {}
    found: Options = {}
    if left is not None:
        found["left"] = left
    if right is not None:
        found["right"] = right
    if diagonal == "bottom_right":
        found["bottom_right"] = True
    return found


def _check_operands(kind: str, inputs: dict[str, Tensor]) -> None:
    """Refuse queries, keys and values that do not go together."""
    q, k, v = (inputs[port] for port in "qkv")
    for port in "qkv":
        if len(inputs[port].shape) != 4:
            raise _misfit(kind, "shapes are (batch, heads, length, width)", {port: inputs[port]})
        if inputs[port].strides[3] != 1:
            raise _refusal(
                kind,
                f"the elements of {port} along the width are {inputs[port].strides[3]} "
                f"apart, cuDNN takes adjacent ones only: {inputs[port].describe()}",
            )
    heads = q.shape[1]
    if k.shape[3] != q.shape[3]:
        raise _misfit(kind, "queries and keys differ in width", {"q": q, "k": k})
    for port in "kv":
        if heads % inputs[port].shape[1]:
            raise _misfit(
                kind,
                f"the heads of {port} have to divide those of q{_of_pages(port, inputs)}",
                {"q": q, port: inputs[port]},
            )
    types = {port: inputs[port].data_type for port in "qkv"}
    if len(set(types.values())) > 1 or types["q"] not in (*_OTHERS, *_FP8):
        raise _refusal(
            kind,
            f"queries, keys and values are HALF, BFLOAT16, FLOAT, FP8_E4M3 or "
            f"FP8_E5M2, all the same; got {types}",
        )
    step = 16 if is_fp8(q) else 8
    for port, tensor in (("q", q), ("v", v)):
        if tensor.shape[3] % step:
            raise _refusal(
                kind,
                f"the width of {port} is {tensor.shape[3]}, cuDNN computes multiples of "
                f"{step} with {tensor.data_type}",
            )


def check_shapes(kind: str, inputs: dict[str, Tensor], options: Options) -> int:
    """Refuse shapes and types that do not go together; return the maximum of keys of an entry."""
    _check_operands(kind, inputs)
    batch, heads, length_q, _ = inputs["q"].shape
    v, length = inputs["v"], _length(kind, inputs, options)
    expected: dict[str, tuple[int, ...]] = {
        "seq_len_q": (batch, 1, 1, 1),
        "seq_len_kv": (batch, 1, 1, 1),
        "cu_seq_len_q": (batch + 1, 1, 1, 1),
        "cu_seq_len_kv": (batch + 1, 1, 1, 1),
        "alibi": (1, heads, 1, 1),
        "sink": (1, heads, 1, 1),
        "dropout_mask": (batch, heads, length_q, length),
        "stats": (batch, heads, length_q, 1),
        "o": (batch, heads, length_q, v.shape[3]),
        "do": (batch, heads, length_q, v.shape[3]),
        **dict.fromkeys(SCALES[kind], (1, 1, 1, 1)),
    }
    for port, shape in expected.items():
        if port in inputs and inputs[port].shape != shape:
            raise _misfit(kind, f"expected {port} to be {shape}", {port: inputs[port]})
    for port, types in {**_TYPES, **dict.fromkeys(SCALES[kind], ("FLOAT",))}.items():
        _check_type(kind, inputs, port, types)
    _check_lengths(kind, inputs)
    scores = (batch, heads, length_q, length)
    bias = inputs.get("bias")
    if bias is not None and (
        len(bias.shape) != 4
        or any(n not in (1, m) for n, m in zip(bias.shape, scores, strict=True))
    ):
        raise _misfit(
            kind, f"expected a bias that broadcasts to scores of {scores}", {"bias": bias}
        )
    if kind == "attention_backward":
        _check_gradient(kind, inputs)
    return length


def _check_lengths(kind: str, inputs: dict[str, Tensor]) -> None:
    """Refuse lengths that are not INT32; the forward operation takes both as INT64, too."""
    types = {inputs[port].data_type for port in ("seq_len_q", "seq_len_kv") if port in inputs}
    if types - {"INT32"} and (kind != "attention" or types != {"INT64"}):
        raise _refusal(
            kind,
            f"seq_len_q and seq_len_kv are INT32, got {' and '.join(sorted(types))}",
            hint="convert them: cuDNN takes both as INT64 in the forward operation only",
        )


def check_numbers(kind: str, inputs: dict[str, Tensor]) -> None:
    """Refuse tensors that have to be one number, but have several elements or another type."""
    for port, types in _NUMBERS.items():
        each = inputs.get(port)
        if each is None:
            continue
        if each.shape != (1, 1, 1, 1):
            raise _misfit(kind, f"expected {port} to be (1, 1, 1, 1)", {port: each})
        if not each.by_value:
            _check_type(kind, inputs, port, types)


def _check_gradient(kind: str, inputs: dict[str, Tensor]) -> None:
    q, k, v, stats = (inputs[port] for port in ("q", "k", "v", "stats"))
    if max(q.shape[3], v.shape[3]) > 256:
        raise _refusal(
            kind, f"gradients are computed up to a width of 256, got {q.shape[3]} and {v.shape[3]}"
        )
    if q.shape[2] == 1 == k.shape[2]:
        raise _refusal(kind, "cuDNN computes no gradient of one query and one key")
    if stats.ragged_offset is None and stats.strides != packed(stats.shape):
        raise _refusal(kind, f"expected packed statistics, got strides {stats.strides}")


def _length(kind: str, inputs: dict[str, Tensor], options: Options) -> int:
    """Return the most keys of a batch entry."""
    lengths = {}
    batch = inputs["q"].shape[0]
    for port in "kv":
        tensor, table = inputs[port], inputs.get(f"page_table_{port}")
        if table is None:
            if tensor.shape[0] != batch:
                other = "page_table_v" if port == "k" else "page_table_k"
                more = f", and there is no page_table_{port}" if other in inputs else ""
                raise _misfit(kind, f"batches differ{more}", {"q": inputs["q"], port: tensor})
            lengths[port] = tensor.shape[2]
        elif len(table.shape) != 4 or table.shape != (batch, 1, table.shape[2], 1):
            raise _misfit(
                kind, f"a page table is ({batch}, 1, blocks, 1)", {f"page_table_{port}": table}
            )
        else:
            lengths[port] = table.shape[2] * tensor.shape[2]
    paged = "page_table_k" in inputs or "page_table_v" in inputs
    most = options.get("max_seq_len_kv")
    if not paged:
        if most is not None:
            raise _refusal(kind, "max_seq_len_kv goes with page tables, got none")
        if lengths["k"] != lengths["v"]:
            raise _misfit(
                kind, "keys and values differ in length", {"k": inputs["k"], "v": inputs["v"]}
            )
        return lengths["k"]
    room = min(lengths.values())
    if most is None:
        return room
    (most,) = extents((most,), f"{kind} max_seq_len_kv")
    if most > room:
        raise _refusal(kind, f"max_seq_len_kv is {most}, the tables have room for {room}")
    return most


def check_together(kind: str, inputs: dict[str, Tensor], options: Options) -> None:
    """Refuse options that contradict each other, or that cuDNN does not compute together."""
    has = inputs.__contains__
    left, bottom = options.get("left"), options.get("bottom_right")
    length_q, length = inputs["q"].shape[2], options["length_kv"]
    given = {
        side: [port for port in _LENGTHS if port.endswith(side) and has(port)] for side in _SIDES
    }
    padded = bool(given["_q"])
    form = options.get("form")
    if form not in (None, "node", "composite"):
        raise _refusal(kind, f"form: expected 'node' or 'composite', got {form!r}")
    if any(len(ports) > 1 for ports in given.values()):
        twice = next(ports for ports in given.values() if len(ports) > 1)
        raise _refusal(kind, f"{twice[0]} or {twice[1]}, got both")
    if padded != bool(given["_kv"]):
        raise _refusal(kind, "expected both seq_len_q and seq_len_kv or neither, got one")
    for what, is_there in (
        ("a ragged tensor", is_ragged(inputs)),
        ("a page table", has("page_table_k") or has("page_table_v")),
    ):
        if is_there and not padded:
            raise _refusal(kind, f"{what} needs seq_len_q and seq_len_kv")
    _check_dropout(kind, inputs, options)
    if has("alibi") and (options.get("right") != 0 or bottom):
        raise _refusal(kind, "alibi needs causal, from the top left")
    if (bottom or left is not None) and not padded and length_q > length:
        what = "diagonal='bottom_right'" if bottom else "window"
        raise _refusal(
            kind, f"{what} with {length_q} queries and {length} keys leaves queries that see no key"
        )
    if has("sink") and length_q == 1:
        raise _refusal(kind, "cuDNN computes no sink for one query")
    known = SCALES[kind]
    scales = [port for port in known if has(port)]
    if is_fp8(inputs["q"]) != bool(scales) or len(scales) not in (0, len(known)):
        raise _refusal(
            kind,
            f"FP8, and nothing else, takes {', '.join(known)}; got "
            f"{', '.join(scales) or 'none'} with {inputs['q'].data_type}",
        )
    if scales and (has("bias") or has("dropout_mask")):
        raise _refusal(kind, "cuDNN computes FP8 without bias and dropout_mask")


def dropout_scale(inputs: dict[str, Tensor], options: Options) -> Tensor | float:
    """Return the factor of elements that dropout keeps."""
    given = inputs.get("dropout_scale")
    return 1 / (1 - options["dropout"]) if given is None else given


def steps_of(array: _Strided) -> list[int]:
    """Return how many bytes rows, heads and examples of a tensor or an array are apart."""
    size = arrays.itemsize(arrays.dtype_name(array.data_type))
    axes = zip(array.shape[:-1], array.strides[:-1], strict=True)
    return [step * size for extent, step in axes if extent > 1]


def _check_dropout(kind: str, inputs: dict[str, Tensor], options: Options) -> None:
    """Refuse incomplete dropout: it needs a generator, or a mask with a probability or a scale."""
    has = inputs.__contains__
    dropout = options.get("dropout")
    if dropout is not None and (not isinstance(dropout, (int, float)) or not 0 < dropout < 1):
        raise _refusal(kind, f"dropout is between 0 and 1, got {dropout!r}")
    if has("dropout_scale") and (dropout is not None or not has("dropout_mask")):
        raise _refusal(kind, "dropout_scale goes with dropout_mask, in the place of dropout")
    if dropout is not None:
        generated = has("seed") and has("offset")
        if generated == has("dropout_mask") or has("seed") != has("offset"):
            raise _refusal(kind, "dropout needs either seed and offset, or dropout_mask")
    elif has("seed") or has("offset") or (has("dropout_mask") and not has("dropout_scale")):
        raise _refusal(kind, "seed, offset or dropout_mask without dropout, the probability")


def _check_type(kind: str, inputs: dict[str, Tensor], port: str, types: tuple[str, ...]) -> None:
    if port in inputs and inputs[port].data_type not in types:
        raise _refusal(kind, f"{port} is {' or '.join(types)}, got {inputs[port].data_type}")


def _of_pages(port: str, inputs: dict[str, Tensor]) -> str:
    """Return the shape of pages, where a tensor is made of them; else nothing."""
    if f"page_table_{port}" not in inputs:
        return ""
    return ", and pages are (blocks, heads, tokens of a block, width)"


def _refusal(kind: str, problem: str, hint: str = "") -> errors.ArgumentError:
    return errors.ArgumentError(f"{kind}: {problem}", hint=hint)


def _misfit(kind: str, problem: str, tensors: dict[str, Tensor]) -> errors.ShapeMismatchError:
    which = " and ".join(f"{port} is {each.name} {each.shape}" for port, each in tensors.items())
    return errors.ShapeMismatchError(f"{kind}: {problem}: {which}")
