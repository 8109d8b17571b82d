"""The options of attention, which all its methods take, and those of graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from .. import enums
    from ..handles import device_properties, kernel_cache
    from ..tensors import Operand, OutDims, Tensor

    #: Adds operations to a graph and returns the result; the graph is of whatever class it names.
    Score = Callable[[Any, Tensor], Tensor]


class Options(TypedDict, total=False):
    """Options of attention; each form takes those that it has."""

    name: str
    compute_data_type: object
    out_dims: OutDims | None
    is_inference: bool | None
    generate_stats: bool | None
    attn_scale: Operand | float | None
    bias: Operand | None
    block_mask: Operand | None
    use_alibi_mask: bool | None
    use_padding_mask: bool | None
    seq_len_q: Operand | None
    seq_len_kv: Operand | None
    cu_seq_len_q: Operand | None
    cu_seq_len_kv: Operand | None
    max_total_seq_len_q: int | None
    max_total_seq_len_kv: int | None
    use_causal_mask: bool | None
    use_causal_mask_bottom_right: bool | None
    sliding_window_length: int | None
    sliding_window: int | None
    diagonal_alignment: enums.diagonal_alignment | None
    diagonal_band_left_bound: int | None
    diagonal_band_right_bound: int | None
    left_bound: int | None
    right_bound: int | None
    dropout: Sequence[Operand | float] | None
    rng_dump: Operand | None
    paged_attention_k_table: Operand | None
    paged_attention_v_table: Operand | None
    paged_attention_max_seq_len_kv: int | None
    score_mod: Score | None
    score_mod_bprop: Score | None
    fn: Score | None
    implementation: enums.attention_implementation | None
    score_max: Operand | None
    score_sum_exp: Operand | None
    sink_token: Operand | None
    dSink_token: Operand | None
    dBias: Operand | None
    use_deterministic_algorithm: bool | None
    unfuse_fma: bool | None
    stats_use_log2: bool | None
    kv_mask: object
    softmax_precision: object
    attn_scale_prefolded: bool | None
    sf_o: Operand | None


class AllOptions(Options, total=False):
    """Options of the forms whose `scale_o` is no tensor that comes by place."""

    scale_o: Operand | None


#: The names of the options.
OPTIONS = frozenset(AllOptions.__annotations__)

#: Options that only engines in Python have.
IN_PYTHON = ("kv_mask", "softmax_precision", "attn_scale_prefolded", "sf_o")

#: Tensors that the program describes, and the operation writes.
WRITTEN = frozenset("rng_dump score_max score_sum_exp sf_o dBias dSink_token".split())


class GraphOptions(TypedDict, total=False):
    """Options of a graph beside its name, handle and data types; see `pygraph`."""

    sm_count: int | None
    sm_version: int | None
    kernel_cache: kernel_cache | None
    device_property: device_properties | None
    is_dynamic_shape_enabled: bool
    is_override_shape_enabled: bool
    cuda_graph_retention: enums.cuda_graph_retention | None
    is_cuda_graph_replay_expected: bool


class WrapperOptions(GraphOptions, total=False):
    """Options of a wrapped graph."""

    name: str
    io_data_type: object
    intermediate_data_type: object
    compute_data_type: object
