"""The attention of a graph, and the operations that cuDNN itself does not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from ..enums import attention_implementation, diagonal_alignment
from ..failures import cudnnGraphNotSupportedError
from ..tensors import Node, Tensor
from .norms import Norms

if TYPE_CHECKING:
    from ..tensors import Operand

#: The operations that only the front end's engines in Python compute.
ENGINES_IN_PYTHON = tuple(
    f"{word}{end}"
    for word in ("gdn", "gdn2", "gdp", "kda", "mamba2")
    for end in ("", "_bwd", "_summary", "_summary_bwd")
)

_SDPA = ("q", "k", "v")
_FP8 = ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")
_BACKWARD = ("q", "k", "v", "o", "dO", "stats")
_FP8_BACKWARD = (
    *("descale_q", "descale_k", "descale_v", "descale_o", "descale_dO", "descale_s", "descale_dP"),
    *("scale_s", "scale_dQ", "scale_dK", "scale_dV", "scale_dP"),
)
_MXFP8_BACKWARD = (
    *("q", "q_T", "k", "k_T", "v", "o_f16", "dO_f16", "dO", "dO_T", "stats", "descale_q"),
    *("descale_q_T", "descale_k", "descale_k_T", "descale_v", "descale_dO", "descale_dO_T"),
)

#: Tensors that the program describes, and the operation writes.
_WRITTEN = frozenset("rng_dump score_max score_sum_exp sf_o dBias dSink_token".split())


class Options(TypedDict, total=False):
    """Keywords of attention beside its tensors; forms take those that they have."""

    name: str
    compute_data_type: object
    out_dims: object
    is_inference: bool | None
    generate_stats: bool | None
    attn_scale: Any
    bias: Operand
    block_mask: Any
    use_alibi_mask: bool
    use_padding_mask: bool
    seq_len_q: Any
    seq_len_kv: Any
    cu_seq_len_q: Any
    cu_seq_len_kv: Any
    max_total_seq_len_q: int | None
    max_total_seq_len_kv: int | None
    use_causal_mask: bool
    use_causal_mask_bottom_right: bool
    sliding_window_length: int | None
    sliding_window: int | None
    diagonal_alignment: diagonal_alignment
    diagonal_band_left_bound: int | None
    diagonal_band_right_bound: int | None
    left_bound: int | None
    right_bound: int | None
    dropout: Sequence[Any] | None
    rng_dump: Any
    paged_attention_k_table: Any
    paged_attention_v_table: Any
    paged_attention_max_seq_len_kv: int | None
    score_mod: Callable[[Any, Tensor], Tensor] | None
    score_mod_bprop: Callable[[Any, Tensor], Tensor] | None
    fn: Callable[[Any, Tensor], Tensor] | None
    implementation: attention_implementation
    score_max: Any
    score_sum_exp: Any
    sink_token: Any
    dSink_token: Any
    dBias: Any
    use_deterministic_algorithm: bool
    unfuse_fma: bool
    stats_use_log2: bool
    kv_mask: Any
    softmax_precision: Any
    attn_scale_prefolded: bool
    scale_o: Any
    sf_o: Any


_OPTIONS = frozenset(Options.__annotations__)

#: Options that only engines in Python have.
IN_PYTHON = ("kv_mask", "softmax_precision", "attn_scale_prefolded", "sf_o")


def _forward_dims(node: Node) -> Mapping[str, Sequence[int]]:
    q, v = list(node.inputs["q"].dim), list(node.inputs["v"].dim)
    one = [1, 1, 1, 1]
    stats = [*q[:-1], 1]
    return {"O": [*q[:-1], v[-1]], "Stats": stats, "Amax_S": one, "Amax_O": one}


def _backward_dims(node: Node) -> Mapping[str, Sequence[int]]:
    one = [1, 1, 1, 1]
    found = {f"d{port.upper()}": list(node.inputs[port].dim) for port in _SDPA}
    return found | {f"amax_d{port}": one for port in ("Q", "K", "V", "P")}


class Attention(Norms):
    """Scaled dot product attention. Its options are keywords with the names of the front end's."""

    def _sdpa(
        self,
        word: str,
        ports: Sequence[str],
        outputs: Sequence[str],
        given: Sequence[Any],
        options: Any,
        dims: Any,
    ) -> list[Tensor | None]:
        if len(given) > len(ports):
            raise TypeError(f"{word}() takes {len(ports)} tensors by place: {', '.join(ports)}")
        name, compute = options.pop("name", ""), options.pop("compute_data_type", None)
        out_dims = options.pop("out_dims", None)
        for port, each in zip(ports, given, strict=False):
            if port in options:
                raise TypeError(f"{word}() got {port!r} by its place and by its name")
            options[port] = each
        unknown = sorted(options.keys() - _OPTIONS - set(ports))
        if unknown:
            raise TypeError(f"{word}() got an unexpected keyword argument {unknown[0]!r}")
        missing = [port for port in ports if options.get(port) is None]
        if missing:
            raise TypeError(f"{word}() misses {missing[0]!r}")
        inputs: dict[str, Any] = {}
        params: dict[str, Any] = {}
        written: dict[str, Tensor] = {}
        dropout = options.pop("dropout", None)
        for key, value in options.items():
            if key in _WRITTEN:
                if value is not None:
                    written[key] = value
            elif isinstance(value, Tensor) or hasattr(value, "__dlpack__"):
                inputs[key] = value
            else:
                params[key] = value
        if dropout is not None:
            params["_dropout_n"] = len(dropout)
            for place, each in enumerate(dropout):
                is_tensor = isinstance(each, Tensor) or hasattr(each, "__dlpack__")
                (inputs if is_tensor else params)[f"dropout_{place}"] = each
        wanted = {port: port for port in outputs if port != "Stats" or _with_stats(params)}
        self.add_node(
            word,
            word.upper().replace("BACKWARD", "BWD"),
            inputs,
            params,
            wanted,
            name,
            compute,
            dims,
            out_dims,
        )
        node = self._nodes[-1]
        results = [node.outputs.get(port) for port in outputs]
        for key, each in written.items():
            node.outputs[key] = self.to_tensor(each, f"{node.name}::{key}")
        return results

    def sdpa(self, *tensors: Any, **options: Unpack[Options]) -> list[Tensor | None]:
        """Return the result of attention of q, k and v, and its statistics or None.

        Args:
            tensors: q, k, v: (batch, heads, length, width).
            options: is_inference or generate_stats, attn_scale, bias, use_alibi_mask,
                use_padding_mask with seq_len_q and seq_len_kv, use_causal_mask,
                use_causal_mask_bottom_right, sliding_window_length, diagonal_alignment,
                diagonal_band_left_bound, diagonal_band_right_bound, dropout (probability, seed,
                offset; or a mask and its scale), rng_dump, paged_attention_k_table,
                paged_attention_v_table, paged_attention_max_seq_len_kv, score_mod, implementation,
                sink_token; name, compute_data_type.
        """
        return self._sdpa("sdpa", _SDPA, ("O", "Stats"), tensors, options, _forward_dims)

    def sdpa_backward(self, *tensors: Any, **options: Unpack[Options]) -> list[Tensor | None]:
        """Return the gradients of attention for q, k and v.

        Args:
            tensors: q, k, v, o, dO, stats.
            options: as for `sdpa`, and dBias, dSink_token, use_deterministic_algorithm,
                score_mod_bprop.
        """
        return self._sdpa(
            "sdpa_backward", _BACKWARD, ("dQ", "dK", "dV"), tensors, options, _backward_dims
        )

    def sdpa_fp8(self, *tensors: Any, **options: Unpack[Options]) -> list[Tensor | None]:
        """Return attention in FP8: the result, statistics, and greatest absolute values.

        Args:
            tensors: q, k, v, descale_q, descale_k, descale_v, descale_s, scale_s, scale_o.
            options: as for `sdpa`.
        """
        outputs = ("O", "Stats", "Amax_S", "Amax_O")
        return self._sdpa("sdpa_fp8", (*_SDPA, *_FP8), outputs, tensors, options, _forward_dims)

    def sdpa_fp8_backward(self, *tensors: Any, **options: Unpack[Options]) -> list[Tensor | None]:
        """Return the gradients of attention in FP8, and their greatest absolute values.

        Args:
            tensors: q, k, v, o, dO, stats, descale_q, descale_k, descale_v, descale_o, descale_dO,
                descale_s, descale_dP, scale_s, scale_dQ, scale_dK, scale_dV, scale_dP.
            options: as for `sdpa_backward`.
        """
        ports = (*_BACKWARD, *_FP8_BACKWARD)
        outputs = ("dQ", "dK", "dV", "amax_dQ", "amax_dK", "amax_dV", "amax_dP")
        return self._sdpa("sdpa_fp8_backward", ports, outputs, tensors, options, _backward_dims)

    def sdpa_mxfp8(self, *tensors: Any, **options: Unpack[Options]) -> list[Tensor | None]:
        """Return attention with block scales: the result, statistics, the greatest value.

        Args:
            tensors: q, k, v, descale_q, descale_k, descale_v.
            options: as for `sdpa`.
        """
        ports = (*_SDPA, "descale_q", "descale_k", "descale_v")
        outputs = ("O", "Stats", "Amax_O")
        return self._sdpa("sdpa_mxfp8", ports, outputs, tensors, options, _forward_dims)

    def sdpa_mxfp8_backward(self, *tensors: Any, **options: Unpack[Options]) -> list[Tensor | None]:
        """Return the gradients of attention with block scales, and their greatest values.

        Args:
            tensors: q, q_T, k, k_T, v, o_f16, dO_f16, dO, dO_T, stats, and the scales of each.
            options: as for `sdpa_backward`.
        """
        outputs = ("dQ", "dK", "dV", "amax_dQ", "amax_dK", "amax_dV")
        return self._sdpa(
            "sdpa_mxfp8_backward", _MXFP8_BACKWARD, outputs, tensors, options, _backward_dims
        )


def _with_stats(params: Mapping[str, object]) -> bool:
    wanted = params.get("generate_stats")
    if wanted is None:
        wanted = not params.get("is_inference", True)
    return bool(wanted)


def _in_python(word: str) -> Any:
    def method(self: Attention, *tensors: Any, **options: Any) -> Any:
        raise cudnnGraphNotSupportedError(
            f"No valid engine configs for {word.upper()}: cuDNN has no such operation. "
            "NVIDIA's front end computes it with kernels of its own, written in Python, which "
            "cudnn_cffi does not have; import the front end for this graph"
        )

    method.__name__ = word
    method.__qualname__ = f"Attention.{word}"
    method.__doc__ = f"Raise cudnnGraphNotSupportedError: only engines in Python compute {word}."
    return method


for _word in ENGINES_IN_PYTHON:
    setattr(Attention, _word, _in_python(_word))
