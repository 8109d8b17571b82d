"""The record of each operation: its ports, options, C names, and rule for results.

A record has the names, types, defaults and C names of everything that an operation takes and
gives. The methods of `Graph` read their arguments by it, and descriptors are made by it. Each
record of the text below is::

    kind PREFIX [as=NAME] [compute=ATTRIBUTE] [rule=name] [method=name] [by_mode]
        inputs -> results | options | HELPER ATTRIBUTE: options

PREFIX begins the C names of its attributes, after CUDNN_ATTR_OPERATION_. Without one,
no release has a descriptor, and composites compute it; `as` names the descriptor if that begins
otherwise. HELPER is the descriptor of parameters that the attribute holds. `rule` infers the
results, if it has another name than the kind; `method` is the one of `Graph`, "-" for none. Each
port and option is a word::

    name[?][*][:type[:default]][=ATTRIBUTE]

`?` marks an optional port, `*` one that takes a list. The type of a port is the data type that a
number of Python becomes, or "number" for the one that the graph computes in; `operation.Option`
lists the types of options; "number" is left out. ATTRIBUTE is the rest of the C name. A
word $NAME stands for one of `_SHARED`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..rules import language_models, linear, norms, results
from .operation import COMPUTED, Helper, Operation, Option, Port

_SHARED = {
    "$CONVOLUTION": """CONVOLUTION CONV_DESC: mode:ConvolutionMode=CONV_MODE
    spatial_dims:int=SPATIAL_DIMS pre_padding:sizes=PRE_PADDINGS post_padding:sizes=POST_PADDINGS
    stride:sizes:1=FILTER_STRIDES dilation:sizes:1=DILATIONS""",
    "$RESAMPLE": """RESAMPLE DESC: mode:ResampleMode=MODE spatial_dims:int=SPATIAL_DIMS
    pre_padding:sizes=PRE_PADDINGS post_padding:sizes=POST_PADDINGS stride:sizes:1=STRIDES
    window:sizes=WINDOW_DIMS nan_propagation:NanPropagation=NAN_PROPAGATION
    padding_mode:PaddingMode=PADDING_MODE""",
}
_RECORDS = """
convolution_forward CONVOLUTION_FORWARD compute=COMP_TYPE
    x=X w=W -> y=Y
    | shape:shape groups:int:1 output_padding:sizes alpha:float=ALPHA beta:float=BETA
    | $CONVOLUTION
convolution_backward_data CONVOLUTION_BWD_DATA as=CONVOLUTION_BACKWARD_DATA compute=COMP_TYPE
    dy=DY w=W -> dx=DX
    | shape:shape groups:int:1 output_padding:sizes alpha:float=ALPHA beta:float=BETA
    | $CONVOLUTION
convolution_backward_filter CONVOLUTION_BWD_FILTER as=CONVOLUTION_BACKWARD_FILTER compute=COMP_TYPE
    x=X dy=DY -> dw=DW
    | shape:shape groups:int:1 output_padding:sizes alpha:float=ALPHA beta:float=BETA
    | $CONVOLUTION
pointwise POINTWISE compute=MATH_PREC by_mode
    dy?=DYDESC x=XDESC b?=BDESC t?=TDESC -> y?=YDESC dx?=DXDESC | alpha1=ALPHA1 alpha2=ALPHA2
    | POINTWISE PW_DESCRIPTOR: mode:PointwiseMode=MODE
    nan_propagation:NanPropagation=NAN_PROPAGATION lower_clip=RELU_LOWER_CLIP
    upper_clip=RELU_UPPER_CLIP slope=RELU_LOWER_CLIP_SLOPE elu_alpha=ELU_ALPHA
    softplus_beta=SOFTPLUS_BETA swish_beta=SWISH_BETA axis:axis=AXIS
matmul MATMUL compute=COMP_TYPE
    a=ADESC b=BDESC m?:INT32=GEMM_M_OVERRIDE_DESC n?:INT32=GEMM_N_OVERRIDE_DESC
    k?:INT32=GEMM_K_OVERRIDE_DESC -> c=CDESC | batch_count:int=IRREGULARLY_STRIDED_BATCH_COUNT
    | MATMUL DESC: padding_value=PADDING_VALUE
reduction REDUCTION compute=COMP_TYPE
    x=XDESC group_offset?=GROUP_OFFSET_DESC -> y=YDESC | shape:shape
    | REDUCTION DESC: mode:ReduceTensorOp:ADD=OPERATOR deterministic:bool=IS_DETERMINISTIC
resample_forward RESAMPLE_FWD compute=COMP_TYPE
    x=XDESC -> y=YDESC index?=IDXDESC | shape:shape alpha:float=ALPHA beta:float=BETA | $RESAMPLE
resample_backward RESAMPLE_BWD compute=COMP_TYPE
    dy=DYDESC index?=IDXDESC x?=XDESC y?=YDESC -> dx=DXDESC
    | shape:shape alpha:float=ALPHA beta:float=BETA | $RESAMPLE
norm_forward NORM_FWD as=NORM_FORWARD method=norm_forward
    x=XDESC scale?=SCALE_DESC bias?=BIAS_DESC epsilon?:number:1e-5=EPSILON_DESC mean?=MEAN_DESC
    inv_variance?=INV_VARIANCE_DESC momentum?:number=EXP_AVG_FACTOR_DESC
    running_mean?=INPUT_RUNNING_MEAN_DESC running_variance?=INPUT_RUNNING_VAR_DESC
    peer_statistics?*=PEER_STAT_DESCS -> y=YDESC mean_out?=MEAN_DESC
    inv_variance_out?=INV_VARIANCE_DESC running_mean_out?=OUTPUT_RUNNING_MEAN_DESC
    running_variance_out?=OUTPUT_RUNNING_VAR_DESC
    | mode:BackendNormMode=MODE phase:BackendNormFwdPhase=PHASE
norm_backward NORM_BWD as=NORM_BACKWARD
    dy=DYDESC x=XDESC scale?=SCALE_DESC mean?=MEAN_DESC inv_variance?=INV_VARIANCE_DESC
    epsilon?:number=EPSILON_DESC peer_statistics?*=PEER_STAT_DESCS -> dx=DXDESC
    dscale?=DSCALE_DESC dbias?=DBIAS_DESC | mode:BackendNormMode=MODE
gen_stats GENSTATS as=GEN_STATS compute=MATH_PREC
    x=XDESC -> sum=SUMDESC square_sum=SQSUMDESC | mode:GenStatsMode=MODE
bn_finalize BN_FINALIZE as=BN_FINALIZE_STATISTICS compute=MATH_PREC
    sum?=Y_SUM_DESC square_sum?=Y_SQ_SUM_DESC scale=SCALE_DESC bias=BIAS_DESC
    running_mean?=PREV_RUNNING_MEAN_DESC running_variance?=PREV_RUNNING_VAR_DESC
    epsilon:number:1e-5=EPSILON_DESC count?:INT64=ACCUM_COUNT_DESC
    momentum?:number=EXP_AVERATE_FACTOR_DESC -> eq_scale=EQ_SCALE_DESC eq_bias=EQ_BIAS_DESC
    mean?=SAVED_MEAN_DESC inv_std?=SAVED_INV_STD_DESC running_mean_out?=UPDATED_RUNNING_MEAN_DESC
    running_variance_out?=UPDATED_RUNNING_VAR_DESC | mode:BnFinalizeStatsMode:training=STATS_MODE
bn_bwd_weights BN_BWD_WEIGHTS compute=MATH_PREC
    dy=DY_DESC x=X_DESC mean=MEAN_DESC inv_std=INVSTD_DESC scale=BN_SCALE_DESC ->
    dscale=DBN_SCALE_DESC dbias=DBN_BIAS_DESC eq_dy_scale=EQ_DY_SCALE_DESC
    eq_x_scale=EQ_X_SCALE_DESC eq_bias=EQ_BIAS
concatenate CONCAT
    x*=INPUT_DESCS -> y=OUTPUT_DESC | axis:axis=AXIS in_place_index:int=INPLACE_INDEX
signal SIGNAL rule=same
    x=XDESC flag=FLAGDESC -> y=YDESC | mode:SignalMode:SET=MODE value:int=VALUE
reshape RESHAPE
    x=XDESC -> y=YDESC | shape:shape mode:BackendReshapeMode=MODE
transpose TRANSPOSE
    x=XDESC -> y=YDESC | permutation:sizes=PERMUTATION
slice SLICE rule=slicing
    x=XDESC -> y=YDESC | start:sizes=START_INDICES limit:sizes=LIMIT_INDICES step:sizes=STRIDES
expand
    x -> y | shape:shape
rng RNG rule=given_shape
    seed?=SEED offset?:INT64=OFFSET_DESC -> y=YDESC | shape:shape seed:int=SEED
    | RNG DESC: distribution:RngDistribution:BERNOULLI=DISTRIBUTION
    probability:float=BERNOULLI_DIST_PROBABILITY minimum:float=UNIFORM_DIST_MINIMUM
    maximum:float=UNIFORM_DIST_MAXIMUM mean:float=NORMAL_DIST_MEAN
    deviation:float=NORMAL_DIST_STANDARD_DEVIATION
softmax SOFTMAX
    x=XDESC sink?=SINK_DESC -> y=YDESC stats?=STATS_DESC max?=MAX_DESC sum_exp?=SUM_EXP_DESC
    | stats_log2:bool=STATS_LOG2
diagonal_band_mask DIAGONAL_BAND_MASK rule=same
    x=XDESC b:number=BDESC seq_len_q?:INT32=SEQ_LEN_QDESC seq_len_kv?:INT32=SEQ_LEN_KVDESC
    left_bound?:INT32=LEFT_BOUND_DESC shift_right_bound?:INT32=SHIFT_RIGHT_BOUND_DESC
    cu_seq_len_q?:INT32=CU_SEQ_LEN_QDESC cu_seq_len_kv?:INT32=CU_SEQ_LEN_KVDESC -> y=YDESC
    | comparison:PointwiseMode:CMP_GE=COMPARISON_MODE
expand_band_matrix EXPAND_BAND_MATRIX rule=given_shape
    x=XDESC kv_token_offset?=KV_TOKEN_OFFSET_DESC speculative_mask?=SPECULATIVE_MASK_DESC ->
    y=YDESC | shape:shape lower:int=LOWER_BANDWIDTH upper:int=UPPER_BANDWIDTH axis:axis=AXIS
    padding_value:float=PAD_VALUE
contract_band_matrix CONTRACT_BAND as=CONTRACT_BAND_MATRIX rule=given_shape
    x=MATRIX_XDESC -> y=MATRIX_YDESC
    | shape:shape lower:int=MATRIX_LOWER_BANDWIDTH upper:int=MATRIX_UPPER_BANDWIDTH
    axis:axis=MATRIX_AXIS padding_value:float=MATRIX_PAD_VALUE max_token:int=MAX_TOKEN_VALUE
block_scale_quantize BLOCK_SCALE_QUANTIZE compute=MATH_PREC
    x=XDESC -> y=YDESC scale=SCALE_DESC | block_size:int=BLOCK_SIZE axis:axis
block_scale_dequantize BLOCK_SCALE_DEQUANTIZE compute=MATH_PREC
    x=XDESC scale=SCALE_DESC -> y=YDESC | block_size:sizes=BLOCK_SIZE negative_scale:bool=NEG_SCALE
paged_cache_load PAGED_CACHE_LOAD
    container=CONTAINER_DESC sequence=SEQUENCE_DESC page_table=PAGE_TABLE_DESC -> y=YDESC
    | shape:shape
moe_grouped_matmul MOE_GROUPED_MATMUL compute=MATH_PREC
    token=TOKEN_DESC weight=WEIGHT_DESC first_token_offset=FIRST_TOKEN_OFFSET_DESC
    token_index?=TOKEN_INDEX_DESC token_ks?=TOKEN_KS_DESC -> y=OUTPUT_DESC
    | mode:MoeGroupedMatmulMode:NONE=MODE top_k:int=TOP_K
moe_grouped_matmul_backward MOE_GROUPED_MATMUL_BWD compute=MATH_PREC
    token=TOKEN_DESC dy=DOUTPUT_DESC first_token_offset=FIRST_TOKEN_OFFSET_DESC ->
    dweight=DWEIGHT_DESC
rope_forward ROPE_FWD rule=same
    x=XDESC frequencies=FREQSDESC -> y=YDESC
    | output_scale:float=OUTPUT_SCALE rope_dim:int=ROPE_DIM
rope_backward ROPE_BWD rule=same
    dy=DYDESC frequencies=FREQSDESC -> dx=DXDESC
    | output_scale:float=OUTPUT_SCALE rope_dim:int=ROPE_DIM
sdpa_forward SDPA_FWD method=-
    q=QDESC k=KDESC v=VDESC scale?=SCALEDESC block_mask?=BLOCK_MASK_DESC
    page_table_k?=PAGE_TABLE_KDESC page_table_v?=PAGE_TABLE_VDESC seq_len_q?=SEQ_LEN_QDESC
    seq_len_kv?=SEQ_LEN_KVDESC cu_seq_len_q?=CU_SEQ_LEN_QDESC cu_seq_len_kv?=CU_SEQ_LEN_KVDESC
    dropout_seed?=DROPOUT_SEED_DESC dropout_offset?=DROPOUT_OFFSET_DESC descale_q?=DESCALE_QDESC
    descale_k?=DESCALE_KDESC descale_v?=DESCALE_VDESC descale_s?=DESCALE_SDESC
    scale_s?=SCALE_SDESC scale_o?=SCALE_ODESC -> o=ODESC stats?=STATSDESC
    rng_dump?=DROPOUT_RNG_DUMP_DESC amax_s?=AMAX_SDESC amax_o?=AMAX_ODESC
    | dropout_probability:float=DROPOUT_PROBABILITY unfuse_fma:bool=UNFUSE_FMA
    subgraph:nested=SUBGRAPH subgraph_input:int=SUBGRAPH_INPUT_UID
    subgraph_output:int=SUBGRAPH_OUTPUT_UID softmax:nested=SOFTMAX_DESC
sdpa_backward SDPA_BWD method=-
    q=QDESC k=KDESC v=VDESC o=ODESC do=DODDESC stats=STATSDESC scale?=SCALEDESC
    seq_len_q?=SEQ_LEN_QDESC seq_len_kv?=SEQ_LEN_KVDESC sink?=SINK_DESC
    cu_seq_len_q?=CU_SEQ_LEN_QDESC cu_seq_len_kv?=CU_SEQ_LEN_KVDESC
    dropout_seed?=DROPOUT_SEED_DESC dropout_offset?=DROPOUT_OFFSET_DESC -> dq=DQDESC dk=DKDESC
    dv=DVDESC dsink?=DSINK_DESC dbias?=DBIAS_DESC
    | dropout_probability:float=DROPOUT_PROBABILITY max_length_q:int=MAX_TOTAL_SEQ_LEN_Q
    max_length_kv:int=MAX_TOTAL_SEQ_LEN_KV subgraph:nested=SUBGRAPH
    subgraph_input:int=SUBGRAPH_INPUT_UID subgraph_output:int=SUBGRAPH_OUTPUT_UID bias_shape:shape
attention
    q k v bias? alibi? sink? dropout_mask? seq_len_q? seq_len_kv? block_mask? cu_seq_len_q?
    cu_seq_len_kv? page_table_k? page_table_v? descale_q? descale_k? descale_v? descale_s?
    scale_s? scale_o? scale?:number seed?:INT64 offset?:INT64 dropout_scale?:number score?* -> o
    stats? mask? row_max? row_sum? amax_s? amax_o?
    | dropout:number form:str left:int right:int bottom_right:bool length_kv:int score:nested
    max_seq_len_kv:int stats_log2:bool
attention_backward
    q k v o do stats bias? alibi? sink? dropout_mask? seq_len_q? seq_len_kv? descale_q? descale_k?
    descale_v? descale_o? descale_do? descale_s? descale_dp? scale_s? scale_dp? scale_dq?
    scale_dk? scale_dv? scale?:number seed?:INT64 offset?:INT64 dropout_scale?:number score?* ->
    dq dk dv dbias? dsink? mask? amax_dq? amax_dk? amax_dv? amax_dp?
    | dropout:number form:str left:int right:int bottom_right:bool length_kv:int score:nested
    score_backward:nested deterministic:bool divided:bool
"""
_WORD = re.compile(r"(\w+)(\??)(\*?):?(\w*):?([\w.-]*)=?(\w*)")


def _words(prefix: str, text: str) -> Iterator[tuple[str, ...]]:
    """Yield name, `?`, `*`, type, default and C name of each word."""
    for *parts, attribute in map(_parts, text.split()):
        yield *parts, f"{prefix}_{attribute}" if attribute else ""


def _parts(word: str) -> tuple[str, ...]:
    found = _WORD.fullmatch(word)
    assert found is not None, word
    return found.groups()


def _default(text: str) -> float | str | None:
    return float(text) if text[:1].isdigit() else text or None


def _ports(prefix: str, text: str) -> tuple[Port, ...]:
    return tuple(
        Port(
            *(name, attribute, bool(optional), bool(many)),
            *(COMPUTED if number == "number" else number or None, _default(default)),
        )
        for name, optional, many, number, default, attribute in _words(prefix, text)
    )


def _options(prefix: str, text: str) -> dict[str, Option]:
    return {
        name: Option(name, attribute, kind or "number", _default(default))
        for name, _, _, kind, default, attribute in _words(prefix, text)
    }


def _attributes(options: dict[str, Option]) -> dict[str, str]:
    return {name: each.attribute for name, each in options.items() if each.attribute}


def record_of(text: str) -> Operation:
    """Return the record of a text, whose form the head of this module describes."""
    head, _, body = text.partition("\n")
    kind, *words = head.split()
    plain = [word for word in words if "=" not in word and word != "by_mode"]
    given = dict(word.split("=") for word in words if "=" in word)
    prefix = f"OPERATION_{plain[0]}" if plain else ""
    ports, *parts = body.split("|")
    inputs, _, outputs = ports.partition("->")
    helpers = [part for part in parts if ": " in part]
    own = _options(prefix, "".join(part for part in parts if part not in helpers))
    settings, helper, compute = own, None, given.get("compute", "")
    if helpers:
        names, _, listed = helpers[0].partition(": ")
        descriptor, attribute = names.split()
        others = _options(descriptor, listed)
        helper = Helper(descriptor, f"{prefix}_{attribute}", _attributes(others))
        settings = own | others
    if compute:
        compute = f"{helper.descriptor if helper else prefix}_{compute}"
    return Operation(
        kind,
        f"OPERATION_{given['as']}" if "as" in given else prefix,
        _ports(prefix, inputs),
        _ports(prefix, outputs),
        _attributes(own),
        helper,
        _RULES[given.get("rule", kind)],
        compute,
        settings,
        given.get("method", kind.removesuffix("_forward")).strip("-"),
        "by_mode" in words,
    )


_RULES = {**vars(results), **vars(linear), **vars(norms), **vars(language_models)}
for _name, _text in _SHARED.items():
    _RECORDS = _RECORDS.replace(_name, _text)

#: Every operation type that is known, by its kind.
OPERATIONS: dict[str, Operation] = {
    each.kind: each for each in map(record_of, re.split(r"\n(?=\w)", _RECORDS.strip()))
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
