"""The operations that graphs know: one record each, with ports, options and a rule for results.

A record says everything that descriptors need, so that an operation is a few lines here and a
method with a signature in one of the modules of methods.
"""

from __future__ import annotations

from collections.abc import Callable

from ..rules import language_models as infer_models
from ..rules import linear as infer_linear
from ..rules import norms as infer_norms
from ..rules import results as infer
from ..rules.results import Result
from ..tensors import Node
from .operation import Helper, Operation, Port


def _pairs(prefix: str, text: str) -> dict[str, str]:
    return {
        name: f"{prefix}_{attribute}"
        for name, attribute in (each.split("=") for each in text.split())
    }


def _ports(prefix: str, text: str) -> tuple[Port, ...]:
    ports = []
    for name, attribute in _pairs(prefix, text).items():
        plain = name.rstrip("?*")
        ports.append(Port(plain, attribute, "?" in name, "*" in name))
    return tuple(ports)


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
) -> Operation:
    prefix = f"OPERATION_{prefix}"
    made = None
    if helper is not None:
        name, attribute, text = helper
        made = Helper(name, f"{prefix}_{attribute}", _pairs(name, text))
        compute = f"{name}_{compute}" if compute else ""
    elif compute:
        compute = f"{prefix}_{compute}"
    return Operation(
        kind,
        f"OPERATION_{descriptor}" if descriptor else prefix,
        _ports(prefix, inputs),
        _ports(prefix, outputs),
        _pairs(prefix, options),
        made,
        rule,
        compute,
        named_by_mode,
    )


_CONVOLUTION = (
    "CONVOLUTION",
    "CONV_DESC",
    "mode=CONV_MODE spatial_dims=SPATIAL_DIMS pre_padding=PRE_PADDINGS post_padding=POST_PADDINGS "
    "stride=FILTER_STRIDES dilation=DILATIONS",
)
_POINTWISE = (
    "POINTWISE",
    "PW_DESCRIPTOR",
    "mode=MODE nan_propagation=NAN_PROPAGATION lower_clip=RELU_LOWER_CLIP "
    "upper_clip=RELU_UPPER_CLIP slope=RELU_LOWER_CLIP_SLOPE elu_alpha=ELU_ALPHA "
    "softplus_beta=SOFTPLUS_BETA swish_beta=SWISH_BETA axis=AXIS",
)
_RESAMPLE = (
    "RESAMPLE",
    "DESC",
    "mode=MODE spatial_dims=SPATIAL_DIMS pre_padding=PRE_PADDINGS post_padding=POST_PADDINGS "
    "stride=STRIDES window=WINDOW_DIMS nan_propagation=NAN_PROPAGATION padding_mode=PADDING_MODE",
)
_BAND = "lower=MATRIX_LOWER_BANDWIDTH upper=MATRIX_UPPER_BANDWIDTH axis=MATRIX_AXIS "

#: Every operation type that is known, by its kind.
OPERATIONS: dict[str, Operation] = {
    each.kind: each
    for each in (
        _operation(
            *("convolution_forward", "CONVOLUTION_FORWARD", "x=X w=W", "y=Y"),
            infer_linear.convolution_forward,
            options="alpha=ALPHA beta=BETA",
            helper=_CONVOLUTION,
            compute="COMP_TYPE",
        ),
        _operation(
            *("convolution_backward_data", "CONVOLUTION_BWD_DATA", "dy=DY w=W", "dx=DX"),
            infer_linear.convolution_backward_data,
            descriptor="CONVOLUTION_BACKWARD_DATA",
            options="alpha=ALPHA beta=BETA",
            helper=_CONVOLUTION,
            compute="COMP_TYPE",
        ),
        _operation(
            *("convolution_backward_filter", "CONVOLUTION_BWD_FILTER", "x=X dy=DY", "dw=DW"),
            infer_linear.convolution_backward_filter,
            descriptor="CONVOLUTION_BACKWARD_FILTER",
            options="alpha=ALPHA beta=BETA",
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
            "a=ADESC b=BDESC m?=GEMM_M_OVERRIDE_DESC n?=GEMM_N_OVERRIDE_DESC "
            "k?=GEMM_K_OVERRIDE_DESC",
            "c=CDESC",
            infer_linear.matmul,
            options="batch_count=IRREGULARLY_STRIDED_BATCH_COUNT",
            helper=("MATMUL", "DESC", "padding_value=PADDING_VALUE"),
            compute="COMP_TYPE",
        ),
        _operation(
            *("reduction", "REDUCTION", "x=XDESC group_offset?=GROUP_OFFSET_DESC", "y=YDESC"),
            infer_linear.reduction,
            helper=("REDUCTION", "DESC", "mode=OPERATOR deterministic=IS_DETERMINISTIC"),
            compute="COMP_TYPE",
        ),
        _operation(
            *("resample_forward", "RESAMPLE_FWD", "x=XDESC", "y=YDESC index?=IDXDESC"),
            infer_linear.resample_forward,
            options="alpha=ALPHA beta=BETA",
            helper=_RESAMPLE,
            compute="COMP_TYPE",
        ),
        _operation(
            *("resample_backward", "RESAMPLE_BWD"),
            "dy=DYDESC index?=IDXDESC x?=XDESC y?=YDESC",
            "dx=DXDESC",
            infer_linear.resample_backward,
            options="alpha=ALPHA beta=BETA",
            helper=_RESAMPLE,
            compute="COMP_TYPE",
        ),
        _operation(
            *("norm_forward", "NORM_FWD"),
            "x=XDESC scale?=SCALE_DESC bias?=BIAS_DESC epsilon?=EPSILON_DESC mean?=MEAN_DESC "
            "inv_variance?=INV_VARIANCE_DESC momentum?=EXP_AVG_FACTOR_DESC "
            "running_mean?=INPUT_RUNNING_MEAN_DESC running_variance?=INPUT_RUNNING_VAR_DESC "
            "peer_statistics?*=PEER_STAT_DESCS",
            "y=YDESC mean_out?=MEAN_DESC inv_variance_out?=INV_VARIANCE_DESC "
            "running_mean_out?=OUTPUT_RUNNING_MEAN_DESC "
            "running_variance_out?=OUTPUT_RUNNING_VAR_DESC",
            infer_norms.norm_forward,
            descriptor="NORM_FORWARD",
            options="mode=MODE phase=PHASE",
        ),
        _operation(
            *("norm_backward", "NORM_BWD"),
            "dy=DYDESC x=XDESC scale?=SCALE_DESC mean?=MEAN_DESC inv_variance?=INV_VARIANCE_DESC "
            "epsilon?=EPSILON_DESC peer_statistics?*=PEER_STAT_DESCS",
            "dx=DXDESC dscale?=DSCALE_DESC dbias?=DBIAS_DESC",
            infer_norms.norm_backward,
            descriptor="NORM_BACKWARD",
            options="mode=MODE",
        ),
        _operation(
            *("gen_stats", "GENSTATS", "x=XDESC", "sum=SUMDESC square_sum=SQSUMDESC"),
            infer_norms.gen_stats,
            descriptor="GEN_STATS",
            options="mode=MODE",
            compute="MATH_PREC",
        ),
        _operation(
            *("bn_finalize", "BN_FINALIZE"),
            "sum?=Y_SUM_DESC square_sum?=Y_SQ_SUM_DESC scale=SCALE_DESC bias=BIAS_DESC "
            "running_mean?=PREV_RUNNING_MEAN_DESC running_variance?=PREV_RUNNING_VAR_DESC "
            "epsilon=EPSILON_DESC count?=ACCUM_COUNT_DESC momentum?=EXP_AVERATE_FACTOR_DESC",
            "eq_scale=EQ_SCALE_DESC eq_bias=EQ_BIAS_DESC mean?=SAVED_MEAN_DESC "
            "inv_std?=SAVED_INV_STD_DESC running_mean_out?=UPDATED_RUNNING_MEAN_DESC "
            "running_variance_out?=UPDATED_RUNNING_VAR_DESC",
            infer_norms.bn_finalize,
            descriptor="BN_FINALIZE_STATISTICS",
            options="mode=STATS_MODE",
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
            options="axis=AXIS in_place_index=INPLACE_INDEX",
        ),
        _operation(
            *("signal", "SIGNAL", "x=XDESC flag=FLAGDESC", "y=YDESC"),
            infer.same,
            options="mode=MODE value=VALUE",
        ),
        _operation(
            *("reshape", "RESHAPE", "x=XDESC", "y=YDESC"),
            infer.reshape,
            options="mode=MODE",
        ),
        _operation(
            *("transpose", "TRANSPOSE", "x=XDESC", "y=YDESC"),
            infer.transpose,
            options="permutation=PERMUTATION",
        ),
        _operation(
            *("slice", "SLICE", "x=XDESC", "y=YDESC"),
            infer.slicing,
            options="start=START_INDICES limit=LIMIT_INDICES step=STRIDES",
        ),
        Operation(
            *("expand", "", (Port("x", ""),), (Port("y", ""),), {}, None, infer.expand),
        ),
        _operation(
            *("rng", "RNG", "seed?=SEED offset?=OFFSET_DESC", "y=YDESC"),
            infer.given_shape,
            options="seed=SEED",
            helper=(
                "RNG",
                "DESC",
                "distribution=DISTRIBUTION probability=BERNOULLI_DIST_PROBABILITY "
                "minimum=UNIFORM_DIST_MINIMUM maximum=UNIFORM_DIST_MAXIMUM mean=NORMAL_DIST_MEAN "
                "deviation=NORMAL_DIST_STANDARD_DEVIATION",
            ),
        ),
        _operation(
            *("softmax", "SOFTMAX", "x=XDESC sink?=SINK_DESC"),
            "y=YDESC stats?=STATS_DESC max?=MAX_DESC sum_exp?=SUM_EXP_DESC",
            infer_models.softmax,
            options="stats_log2=STATS_LOG2",
        ),
        _operation(
            *("diagonal_band_mask", "DIAGONAL_BAND_MASK"),
            "x=XDESC b=BDESC seq_len_q?=SEQ_LEN_QDESC seq_len_kv?=SEQ_LEN_KVDESC "
            "left_bound?=LEFT_BOUND_DESC shift_right_bound?=SHIFT_RIGHT_BOUND_DESC "
            "cu_seq_len_q?=CU_SEQ_LEN_QDESC cu_seq_len_kv?=CU_SEQ_LEN_KVDESC",
            "y=YDESC",
            infer.same,
            options="comparison=COMPARISON_MODE",
        ),
        _operation(
            *("expand_band_matrix", "EXPAND_BAND"),
            "x=MATRIX_XDESC kv_token_offset?=MATRIX_KV_TOKEN_OFFSET_DESC "
            "speculative_mask?=MATRIX_SPECULATIVE_MASK_DESC",
            "y=MATRIX_YDESC",
            infer.given_shape,
            descriptor="EXPAND_BAND_MATRIX",
            options=_BAND + "padding_value=MATRIX_PAD_VALUE",
        ),
        _operation(
            *("contract_band_matrix", "CONTRACT_BAND", "x=MATRIX_XDESC", "y=MATRIX_YDESC"),
            infer.given_shape,
            descriptor="CONTRACT_BAND_MATRIX",
            options=_BAND + "padding_value=MATRIX_PAD_VALUE max_token=MAX_TOKEN_VALUE",
        ),
        _operation(
            *(
                "block_scale_quantize",
                "BLOCK_SCALE_QUANTIZE",
                "x=XDESC",
                "y=YDESC scale=SCALE_DESC",
            ),
            infer_models.block_scale_quantize,
            options="block_size=BLOCK_SIZE",
            compute="MATH_PREC",
        ),
        _operation(
            *("block_scale_dequantize", "BLOCK_SCALE_DEQUANTIZE", "x=XDESC scale=SCALE_DESC"),
            "y=YDESC",
            infer_models.block_scale_dequantize,
            options="block_size=BLOCK_SIZE negative_scale=NEG_SCALE",
            compute="MATH_PREC",
        ),
        _operation(
            *("paged_cache_load", "PAGED_CACHE_LOAD"),
            "container=CONTAINER_DESC sequence=SEQUENCE_DESC page_table=PAGE_TABLE_DESC",
            "y=YDESC",
            infer_models.paged_cache_load,
        ),
        _operation(
            *("moe_grouped_matmul", "MOE_GROUPED_MATMUL"),
            "token=TOKEN_DESC weight=WEIGHT_DESC first_token_offset=FIRST_TOKEN_OFFSET_DESC "
            "token_index?=TOKEN_INDEX_DESC token_ks?=TOKEN_KS_DESC",
            "y=OUTPUT_DESC",
            infer_models.moe_grouped_matmul,
            options="mode=MODE top_k=TOP_K",
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
            options="output_scale=OUTPUT_SCALE rope_dim=ROPE_DIM",
        ),
        _operation(
            *("rope_backward", "ROPE_BWD", "dy=DYDESC frequencies=FREQSDESC", "dx=DXDESC"),
            infer.same,
            options="output_scale=OUTPUT_SCALE rope_dim=ROPE_DIM",
        ),
        _operation(
            *("sdpa_forward", "SDPA_FWD"),
            "q=QDESC k=KDESC v=VDESC scale?=SCALEDESC block_mask?=BLOCK_MASK_DESC "
            "page_table_k?=PAGE_TABLE_KDESC page_table_v?=PAGE_TABLE_VDESC "
            "seq_len_q?=SEQ_LEN_QDESC seq_len_kv?=SEQ_LEN_KVDESC "
            "cu_seq_len_q?=CU_SEQ_LEN_QDESC cu_seq_len_kv?=CU_SEQ_LEN_KVDESC "
            "dropout_seed?=DROPOUT_SEED_DESC dropout_offset?=DROPOUT_OFFSET_DESC "
            "descale_q?=DESCALE_QDESC descale_k?=DESCALE_KDESC descale_v?=DESCALE_VDESC "
            "descale_s?=DESCALE_SDESC scale_s?=SCALE_SDESC scale_o?=SCALE_ODESC",
            "o=ODESC stats?=STATSDESC rng_dump?=DROPOUT_RNG_DUMP_DESC amax_s?=AMAX_SDESC "
            "amax_o?=AMAX_ODESC",
            infer_models.sdpa_forward,
            options="dropout_probability=DROPOUT_PROBABILITY unfuse_fma=UNFUSE_FMA "
            "subgraph=SUBGRAPH subgraph_input=SUBGRAPH_INPUT_UID "
            "subgraph_output=SUBGRAPH_OUTPUT_UID softmax=SOFTMAX_DESC",
        ),
        _operation(
            *("sdpa_backward", "SDPA_BWD"),
            "q=QDESC k=KDESC v=VDESC o=ODESC do=DODDESC stats=STATSDESC scale?=SCALEDESC "
            "seq_len_q?=SEQ_LEN_QDESC seq_len_kv?=SEQ_LEN_KVDESC sink?=SINK_DESC "
            "cu_seq_len_q?=CU_SEQ_LEN_QDESC cu_seq_len_kv?=CU_SEQ_LEN_KVDESC "
            "dropout_seed?=DROPOUT_SEED_DESC dropout_offset?=DROPOUT_OFFSET_DESC",
            "dq=DQDESC dk=DKDESC dv=DVDESC dsink?=DSINK_DESC dbias?=DBIAS_DESC",
            infer_models.sdpa_backward,
            options="dropout_probability=DROPOUT_PROBABILITY max_length_q=MAX_TOTAL_SEQ_LEN_Q "
            "max_length_kv=MAX_TOTAL_SEQ_LEN_KV subgraph=SUBGRAPH "
            "subgraph_input=SUBGRAPH_INPUT_UID subgraph_output=SUBGRAPH_OUTPUT_UID",
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
