"""The operations that graphs know: one record each, with ports, options and a rule for results.

A record has the names, types, defaults and C names of all that an operation takes and gives. The
methods of `Graph` read their arguments by it, and descriptors are made by it. In its texts, each
word is a port or an option::

    name[?][*][:type[:default]][=ATTRIBUTE]

`?` marks an optional port, `*` one that takes a list. The type of a port is the data type that a
number of Python becomes, or "number" for the one that the graph computes in; `records.Option` lists
those of options. ATTRIBUTE is the end of the C name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..rules import language_models as infer_models
from ..rules import linear as infer_linear
from ..rules import norms as infer_norms
from ..rules import results as infer
from ..rules.results import Result
from ..tensors import Node
from .operation import COMPUTED, Helper, Operation, Option, Port


class _Word(NamedTuple):
    """A word of the texts, in its parts."""

    name: str
    marks: str
    type: str
    default: float | str | None
    attribute: str


def _words(prefix: str, text: str) -> Iterator[_Word]:
    for each in text.split():
        left, _, attribute = each.partition("=")
        name, _, rest = left.partition(":")
        kind, _, default = rest.partition(":")
        plain = name.rstrip("?*")
        value = float(default) if default[:1].isdigit() else default or None
        attribute = f"{prefix}_{attribute}" if attribute else ""
        yield _Word(plain, name[len(plain) :], kind, value, attribute)


def _ports(prefix: str, text: str) -> tuple[Port, ...]:
    return tuple(
        Port(
            *(each.name, each.attribute, "?" in each.marks, "*" in each.marks),
            *(COMPUTED if each.type == "number" else each.type or None, each.default),
        )
        for each in _words(prefix, text)
    )


def _options(prefix: str, text: str) -> dict[str, Option]:
    return {
        each.name: Option(each.name, each.attribute, each.type, each.default)
        for each in _words(prefix, text)
    }


def _attributes(options: dict[str, Option]) -> dict[str, str]:
    return {name: each.attribute for name, each in options.items() if each.attribute}


def _operation(
    kind: str,
    prefix: str,
    inputs: str,
    outputs: str,
    rule: Callable[[Node], dict[str, Result]],
    *,
    descriptor: str = "",
    options: str = "",
    helper: tuple[str, str, str] | None = None,
    compute: str = "",
    named_by_mode: bool = False,
    method: str | None = None,
) -> Operation:
    prefix = f"OPERATION_{prefix}" if prefix else ""
    own = _options(prefix, options)
    settings, made = own, None
    if helper is not None:
        name, attribute, text = helper
        others = _options(name, text)
        made = Helper(name, f"{prefix}_{attribute}", _attributes(others))
        settings = own | others
        compute = f"{name}_{compute}" if compute else ""
    elif compute:
        compute = f"{prefix}_{compute}"
    return Operation(
        kind,
        f"OPERATION_{descriptor}" if descriptor else prefix,
        _ports(prefix, inputs),
        _ports(prefix, outputs),
        _attributes(own),
        made,
        rule,
        compute,
        settings,
        kind.removesuffix("_forward") if method is None else method,
        named_by_mode,
    )


_CONVOLUTION = (
    "CONVOLUTION",
    "CONV_DESC",
    "mode:ConvolutionMode=CONV_MODE spatial_dims:int=SPATIAL_DIMS pre_padding:sizes=PRE_PADDINGS "
    "post_padding:sizes=POST_PADDINGS stride:sizes:1=FILTER_STRIDES dilation:sizes:1=DILATIONS",
)
_POINTWISE = (
    "POINTWISE",
    "PW_DESCRIPTOR",
    "mode:PointwiseMode=MODE nan_propagation:NanPropagation=NAN_PROPAGATION "
    "lower_clip=RELU_LOWER_CLIP upper_clip=RELU_UPPER_CLIP slope=RELU_LOWER_CLIP_SLOPE "
    "elu_alpha=ELU_ALPHA softplus_beta=SOFTPLUS_BETA swish_beta=SWISH_BETA axis:axis=AXIS",
)
_RESAMPLE = (
    "RESAMPLE",
    "DESC",
    "mode:ResampleMode=MODE spatial_dims:int=SPATIAL_DIMS pre_padding:sizes=PRE_PADDINGS "
    "post_padding:sizes=POST_PADDINGS stride:sizes:1=STRIDES window:sizes=WINDOW_DIMS "
    "nan_propagation:NanPropagation=NAN_PROPAGATION padding_mode:PaddingMode=PADDING_MODE",
)
_SCALING = "alpha:float=ALPHA beta:float=BETA"
_BAND = (
    "shape:shape lower:int=MATRIX_LOWER_BANDWIDTH upper:int=MATRIX_UPPER_BANDWIDTH "
    "axis:axis=MATRIX_AXIS padding_value:float=MATRIX_PAD_VALUE"
)
_NORM = "mode:BackendNormMode=MODE"
_LENGTHS = (
    "seq_len_q?=SEQ_LEN_QDESC seq_len_kv?=SEQ_LEN_KVDESC "
    "cu_seq_len_q?=CU_SEQ_LEN_QDESC cu_seq_len_kv?=CU_SEQ_LEN_KVDESC"
)
_ROPE = "output_scale:float=OUTPUT_SCALE rope_dim:int=ROPE_DIM"
_DROPOUT = "dropout_seed?=DROPOUT_SEED_DESC dropout_offset?=DROPOUT_OFFSET_DESC"
_SUBGRAPH = (
    "dropout_probability:float=DROPOUT_PROBABILITY {}subgraph:nested=SUBGRAPH "
    "subgraph_input:int=SUBGRAPH_INPUT_UID subgraph_output:int=SUBGRAPH_OUTPUT_UID"
)
#: The inputs and options of attention that both directions have.
_ATTENTION = "bias? alibi? sink? dropout_mask? seq_len_q? seq_len_kv?"
_NUMBERS = "scale?:number seed?:INT64 offset?:INT64 dropout_scale?:number score?*"
_SCORES = "dropout:number form:str left:int right:int bottom_right:bool length_kv:int score:nested "

#: Every operation type that is known, by its kind.
OPERATIONS: dict[str, Operation] = {
    each.kind: each
    for each in (
        _operation(
            *("convolution_forward", "CONVOLUTION_FORWARD", "x=X w=W", "y=Y"),
            infer_linear.convolution_forward,
            options=f"shape:shape groups:int:1 output_padding:sizes {_SCALING}",
            helper=_CONVOLUTION,
            compute="COMP_TYPE",
        ),
        _operation(
            *("convolution_backward_data", "CONVOLUTION_BWD_DATA", "dy=DY w=W", "dx=DX"),
            infer_linear.convolution_backward_data,
            descriptor="CONVOLUTION_BACKWARD_DATA",
            options=f"shape:shape groups:int:1 output_padding:sizes {_SCALING}",
            helper=_CONVOLUTION,
            compute="COMP_TYPE",
        ),
        _operation(
            *("convolution_backward_filter", "CONVOLUTION_BWD_FILTER", "x=X dy=DY", "dw=DW"),
            infer_linear.convolution_backward_filter,
            descriptor="CONVOLUTION_BACKWARD_FILTER",
            options=f"shape:shape groups:int:1 output_padding:sizes {_SCALING}",
            helper=_CONVOLUTION,
            compute="COMP_TYPE",
        ),
        _operation(
            *("pointwise", "POINTWISE", "dy?=DYDESC x=XDESC b?=BDESC t?=TDESC"),
            "y?=YDESC dx?=DXDESC",
            infer.pointwise,
            options="alpha1=ALPHA1 alpha2=ALPHA2",
            helper=_POINTWISE,
            compute="MATH_PREC",
            named_by_mode=True,
        ),
        _operation(
            *("matmul", "MATMUL"),
            "a=ADESC b=BDESC m?:INT32=GEMM_M_OVERRIDE_DESC n?:INT32=GEMM_N_OVERRIDE_DESC "
            "k?:INT32=GEMM_K_OVERRIDE_DESC",
            "c=CDESC",
            infer_linear.matmul,
            options="batch_count:int=IRREGULARLY_STRIDED_BATCH_COUNT",
            helper=("MATMUL", "DESC", "padding_value=PADDING_VALUE"),
            compute="COMP_TYPE",
        ),
        _operation(
            *("reduction", "REDUCTION", "x=XDESC group_offset?=GROUP_OFFSET_DESC", "y=YDESC"),
            infer_linear.reduction,
            helper=(
                "REDUCTION",
                "DESC",
                "mode:ReduceTensorOp:ADD=OPERATOR deterministic:bool=IS_DETERMINISTIC",
            ),
            compute="COMP_TYPE",
        ),
        _operation(
            *("resample_forward", "RESAMPLE_FWD", "x=XDESC", "y=YDESC index?=IDXDESC"),
            infer_linear.resample_forward,
            options=f"shape:shape {_SCALING}",
            helper=_RESAMPLE,
            compute="COMP_TYPE",
        ),
        _operation(
            *("resample_backward", "RESAMPLE_BWD"),
            "dy=DYDESC index?=IDXDESC x?=XDESC y?=YDESC",
            "dx=DXDESC",
            infer_linear.resample_backward,
            options=f"shape:shape {_SCALING}",
            helper=_RESAMPLE,
            compute="COMP_TYPE",
        ),
        _operation(
            *("norm_forward", "NORM_FWD"),
            "x=XDESC scale?=SCALE_DESC bias?=BIAS_DESC epsilon?:number:1e-5=EPSILON_DESC "
            "mean?=MEAN_DESC inv_variance?=INV_VARIANCE_DESC momentum?:number=EXP_AVG_FACTOR_DESC "
            "running_mean?=INPUT_RUNNING_MEAN_DESC running_variance?=INPUT_RUNNING_VAR_DESC "
            "peer_statistics?*=PEER_STAT_DESCS",
            "y=YDESC mean_out?=MEAN_DESC inv_variance_out?=INV_VARIANCE_DESC "
            "running_mean_out?=OUTPUT_RUNNING_MEAN_DESC "
            "running_variance_out?=OUTPUT_RUNNING_VAR_DESC",
            infer_norms.norm_forward,
            descriptor="NORM_FORWARD",
            options=f"{_NORM} phase:BackendNormFwdPhase:training=PHASE",
            method="norm_forward",
        ),
        _operation(
            *("norm_backward", "NORM_BWD"),
            "dy=DYDESC x=XDESC scale?=SCALE_DESC mean?=MEAN_DESC inv_variance?=INV_VARIANCE_DESC "
            "epsilon?:number=EPSILON_DESC peer_statistics?*=PEER_STAT_DESCS",
            "dx=DXDESC dscale?=DSCALE_DESC dbias?=DBIAS_DESC",
            infer_norms.norm_backward,
            descriptor="NORM_BACKWARD",
            options=_NORM,
        ),
        _operation(
            *("gen_stats", "GENSTATS", "x=XDESC", "sum=SUMDESC square_sum=SQSUMDESC"),
            infer_norms.gen_stats,
            descriptor="GEN_STATS",
            options="mode:GenStatsMode=MODE",
            compute="MATH_PREC",
        ),
        _operation(
            *("bn_finalize", "BN_FINALIZE"),
            "sum?=Y_SUM_DESC square_sum?=Y_SQ_SUM_DESC scale=SCALE_DESC bias=BIAS_DESC "
            "running_mean?=PREV_RUNNING_MEAN_DESC running_variance?=PREV_RUNNING_VAR_DESC "
            "epsilon:number:1e-5=EPSILON_DESC count?:INT64=ACCUM_COUNT_DESC "
            "momentum?:number=EXP_AVERATE_FACTOR_DESC",
            "eq_scale=EQ_SCALE_DESC eq_bias=EQ_BIAS_DESC mean?=SAVED_MEAN_DESC "
            "inv_std?=SAVED_INV_STD_DESC running_mean_out?=UPDATED_RUNNING_MEAN_DESC "
            "running_variance_out?=UPDATED_RUNNING_VAR_DESC",
            infer_norms.bn_finalize,
            descriptor="BN_FINALIZE_STATISTICS",
            options="mode:BnFinalizeStatsMode:training=STATS_MODE",
            compute="MATH_PREC",
        ),
        _operation(
            *("bn_bwd_weights", "BN_BWD_WEIGHTS"),
            "dy=DY_DESC x=X_DESC mean=MEAN_DESC inv_std=INVSTD_DESC scale=BN_SCALE_DESC",
            "dscale=DBN_SCALE_DESC dbias=DBN_BIAS_DESC eq_dy_scale=EQ_DY_SCALE_DESC "
            "eq_x_scale=EQ_X_SCALE_DESC eq_bias=EQ_BIAS",
            infer_norms.bn_bwd_weights,
            compute="MATH_PREC",
        ),
        _operation(
            *("concatenate", "CONCAT", "x*=INPUT_DESCS", "y=OUTPUT_DESC"),
            infer.concatenate,
            options="axis:axis=AXIS in_place_index:int=INPLACE_INDEX",
        ),
        _operation(
            *("signal", "SIGNAL", "x=XDESC flag=FLAGDESC", "y=YDESC"),
            infer.same,
            options="mode:SignalMode:SET=MODE value:int=VALUE",
        ),
        _operation(
            *("reshape", "RESHAPE", "x=XDESC", "y=YDESC"),
            infer.reshape,
            options="shape:shape mode:BackendReshapeMode=MODE",
        ),
        _operation(
            *("transpose", "TRANSPOSE", "x=XDESC", "y=YDESC"),
            infer.transpose,
            options="permutation:sizes=PERMUTATION",
        ),
        _operation(
            *("slice", "SLICE", "x=XDESC", "y=YDESC"),
            infer.slicing,
            options="start:sizes=START_INDICES limit:sizes=LIMIT_INDICES step:sizes=STRIDES",
        ),
        _operation(*("expand", "", "x", "y"), infer.expand, options="shape:shape"),
        _operation(
            *("rng", "RNG", "seed?=SEED offset?:INT64=OFFSET_DESC", "y=YDESC"),
            infer.given_shape,
            options="shape:shape seed:int=SEED",
            helper=(
                "RNG",
                "DESC",
                "distribution:RngDistribution:BERNOULLI=DISTRIBUTION "
                "probability:float=BERNOULLI_DIST_PROBABILITY minimum:float=UNIFORM_DIST_MINIMUM "
                "maximum:float=UNIFORM_DIST_MAXIMUM mean:float=NORMAL_DIST_MEAN "
                "deviation:float=NORMAL_DIST_STANDARD_DEVIATION",
            ),
        ),
        _operation(
            *("softmax", "SOFTMAX", "x=XDESC sink?=SINK_DESC"),
            "y=YDESC stats?=STATS_DESC max?=MAX_DESC sum_exp?=SUM_EXP_DESC",
            infer_models.softmax,
            options="stats_log2:bool=STATS_LOG2",
        ),
        _operation(
            *("diagonal_band_mask", "DIAGONAL_BAND_MASK"),
            "x=XDESC b:number=BDESC "
            "seq_len_q?:INT32=SEQ_LEN_QDESC seq_len_kv?:INT32=SEQ_LEN_KVDESC "
            "left_bound?:INT32=LEFT_BOUND_DESC shift_right_bound?:INT32=SHIFT_RIGHT_BOUND_DESC "
            "cu_seq_len_q?:INT32=CU_SEQ_LEN_QDESC cu_seq_len_kv?:INT32=CU_SEQ_LEN_KVDESC",
            "y=YDESC",
            infer.same,
            options="comparison:PointwiseMode:CMP_GE=COMPARISON_MODE",
        ),
        _operation(
            *("expand_band_matrix", "EXPAND_BAND"),
            "x=MATRIX_XDESC kv_token_offset?=MATRIX_KV_TOKEN_OFFSET_DESC "
            "speculative_mask?=MATRIX_SPECULATIVE_MASK_DESC",
            "y=MATRIX_YDESC",
            infer.given_shape,
            descriptor="EXPAND_BAND_MATRIX",
            options=_BAND,
        ),
        _operation(
            *("contract_band_matrix", "CONTRACT_BAND", "x=MATRIX_XDESC", "y=MATRIX_YDESC"),
            infer.given_shape,
            descriptor="CONTRACT_BAND_MATRIX",
            options=f"{_BAND} max_token:int=MAX_TOKEN_VALUE",
        ),
        _operation(
            *(
                "block_scale_quantize",
                "BLOCK_SCALE_QUANTIZE",
                "x=XDESC",
                "y=YDESC scale=SCALE_DESC",
            ),
            infer_models.block_scale_quantize,
            options="block_size:int=BLOCK_SIZE axis:axis",
            compute="MATH_PREC",
        ),
        _operation(
            *("block_scale_dequantize", "BLOCK_SCALE_DEQUANTIZE", "x=XDESC scale=SCALE_DESC"),
            "y=YDESC",
            infer_models.block_scale_dequantize,
            options="block_size:sizes=BLOCK_SIZE negative_scale:bool=NEG_SCALE",
            compute="MATH_PREC",
        ),
        _operation(
            *("paged_cache_load", "PAGED_CACHE_LOAD"),
            "container=CONTAINER_DESC sequence=SEQUENCE_DESC page_table=PAGE_TABLE_DESC",
            "y=YDESC",
            infer_models.paged_cache_load,
            options="shape:shape",
        ),
        _operation(
            *("moe_grouped_matmul", "MOE_GROUPED_MATMUL"),
            "token=TOKEN_DESC weight=WEIGHT_DESC first_token_offset=FIRST_TOKEN_OFFSET_DESC "
            "token_index?=TOKEN_INDEX_DESC token_ks?=TOKEN_KS_DESC",
            "y=OUTPUT_DESC",
            infer_models.moe_grouped_matmul,
            options="mode:MoeGroupedMatmulMode:NONE=MODE top_k:int=TOP_K",
            compute="MATH_PREC",
        ),
        _operation(
            *("moe_grouped_matmul_backward", "MOE_GROUPED_MATMUL_BWD"),
            "token=TOKEN_DESC dy=DOUTPUT_DESC first_token_offset=FIRST_TOKEN_OFFSET_DESC",
            "dweight=DWEIGHT_DESC",
            infer_models.moe_grouped_matmul_backward,
            compute="MATH_PREC",
        ),
        _operation(
            *("rope_forward", "ROPE_FWD", "x=XDESC frequencies=FREQSDESC", "y=YDESC"),
            infer.same,
            options=_ROPE,
        ),
        _operation(
            *("rope_backward", "ROPE_BWD", "dy=DYDESC frequencies=FREQSDESC", "dx=DXDESC"),
            infer.same,
            options=_ROPE,
        ),
        _operation(
            *("sdpa_forward", "SDPA_FWD"),
            "q=QDESC k=KDESC v=VDESC scale?=SCALEDESC block_mask?=BLOCK_MASK_DESC "
            f"page_table_k?=PAGE_TABLE_KDESC page_table_v?=PAGE_TABLE_VDESC {_LENGTHS} {_DROPOUT} "
            "descale_q?=DESCALE_QDESC descale_k?=DESCALE_KDESC descale_v?=DESCALE_VDESC "
            "descale_s?=DESCALE_SDESC scale_s?=SCALE_SDESC scale_o?=SCALE_ODESC",
            "o=ODESC stats?=STATSDESC rng_dump?=DROPOUT_RNG_DUMP_DESC amax_s?=AMAX_SDESC "
            "amax_o?=AMAX_ODESC",
            infer_models.sdpa_forward,
            options=_SUBGRAPH.format("unfuse_fma:bool=UNFUSE_FMA ")
            + " softmax:nested=SOFTMAX_DESC",
            method="",
        ),
        _operation(
            *("sdpa_backward", "SDPA_BWD"),
            "q=QDESC k=KDESC v=VDESC o=ODESC do=DODDESC stats=STATSDESC scale?=SCALEDESC "
            "seq_len_q?=SEQ_LEN_QDESC seq_len_kv?=SEQ_LEN_KVDESC sink?=SINK_DESC "
            f"cu_seq_len_q?=CU_SEQ_LEN_QDESC cu_seq_len_kv?=CU_SEQ_LEN_KVDESC {_DROPOUT}",
            "dq=DQDESC dk=DKDESC dv=DVDESC dsink?=DSINK_DESC dbias?=DBIAS_DESC",
            infer_models.sdpa_backward,
            options=_SUBGRAPH.format(
                "max_length_q:int=MAX_TOTAL_SEQ_LEN_Q max_length_kv:int=MAX_TOTAL_SEQ_LEN_KV "
            )
            + " bias_shape:shape",
            method="",
        ),
        _operation(
            *("attention", ""),
            f"q k v {_ATTENTION} block_mask? cu_seq_len_q? cu_seq_len_kv? page_table_k? "
            "page_table_v? descale_q? descale_k? descale_v? descale_s? scale_s? scale_o? "
            f"{_NUMBERS}",
            "o stats? mask? row_max? row_sum? amax_s? amax_o?",
            infer_models.attention,
            options=f"{_SCORES} max_seq_len_kv:int stats_log2:bool",
        ),
        _operation(
            *("attention_backward", ""),
            f"q k v o do stats {_ATTENTION} descale_q? descale_k? descale_v? descale_o? "
            "descale_do? descale_s? descale_dp? scale_s? scale_dp? scale_dq? scale_dk? scale_dv? "
            f"{_NUMBERS}",
            "dq dk dv dbias? dsink? mask? amax_dq? amax_dk? amax_dv? amax_dp?",
            infer_models.attention_backward,
            options=f"{_SCORES} score_backward:nested deterministic:bool divided:bool",
        ),
    )
}

COMPARISONS = ("CMP_EQ", "CMP_NEQ", "CMP_GT", "CMP_GE", "CMP_LT", "CMP_LE")

#: The ports of the inputs of each pointwise mode, in the order of arguments.
POINTWISE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            *("ADD", "ADD_SQUARE", "DIV", "MAX", "MIN", "MOD", "MUL", "POW", "SUB", "ATAN2"),
            *("FLOOR_MOD", *COMPARISONS, "LOGICAL_AND", "LOGICAL_OR"),
        ),
        ("x", "b"),
    ),
    **dict.fromkeys(
        (
            *("ABS", "CEIL", "COS", "EXP", "FLOOR", "LOG", "NEG", "RSQRT", "SIN", "SQRT", "TAN"),
            *("ERF", "IDENTITY", "RECIPROCAL", "RELU_FWD", "TANH_FWD", "SIGMOID_FWD", "ELU_FWD"),
            *("GELU_FWD", "SOFTPLUS_FWD", "SWISH_FWD", "GELU_APPROX_TANH_FWD", "LOGICAL_NOT"),
            "GEN_INDEX",
        ),
        ("x",),
    ),
    **dict.fromkeys(
        (
            *("RELU_BWD", "TANH_BWD", "SIGMOID_BWD", "ELU_BWD", "GELU_BWD", "SOFTPLUS_BWD"),
            *("SWISH_BWD", "GELU_APPROX_TANH_BWD"),
        ),
        ("dy", "x"),
    ),
    "BINARY_SELECT": ("x", "b", "t"),
}


def pointwise_ports(mode: str, count: int) -> tuple[str, ...]:
    """Return the ports of a pointwise mode's inputs; guessed for a mode of a newer release."""
    known = POINTWISE.get(mode)
    if known is not None:
        return known
    return ("dy", "x") if mode.endswith("_BWD") else ("x", "b", "t")[:count]
