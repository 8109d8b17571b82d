"""The types of arguments, options and settings of graphs, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, SupportsIndex, TypeAlias, TypedDict


class Enumerator(Protocol):
    """A member of one of cuDNN's enums."""

    @property
    def name(self) -> str:
        """Return its name."""


class HasShape(Protocol):
    """An array of any library."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return its extents."""


class SupportsItemSize(Protocol):
    """A data type of an array library."""

    @property
    def itemsize(self) -> int:
        """Return the bytes of an element."""


#: cuDNN's names of data types, as tensors have them.
DataTypeName: TypeAlias = Literal[
    "FLOAT", "DOUBLE", "HALF", "BFLOAT16", "INT8", "UINT8", "INT32", "UINT32", "INT64", "BOOLEAN",
    "FP8_E4M3", "FP8_E5M2", "FP8_E8M0", "FP8_E5M3", "FP4_E2M1", "INT4", "UINT4", "BYTE_BOOLEAN",
    "FAST_FLOAT_FOR_FP8", "COMPLEX_FP32", "COMPLEX_FP64", "INT8x4", "UINT8x4", "INT8x32",
]  # fmt: skip

#: Names of modes of pointwise operations.
PointwiseWord: TypeAlias = Literal[
    "ADD", "ADD_SQUARE", "DIV", "MAX", "MIN", "MOD", "MUL", "POW", "SUB", "ABS", "CEIL", "COS",
    "EXP", "FLOOR", "LOG", "NEG", "RSQRT", "SIN", "SQRT", "TAN", "ERF", "IDENTITY", "RECIPROCAL",
    "ATAN2", "FLOOR_MOD", "RELU_FWD", "TANH_FWD", "SIGMOID_FWD", "ELU_FWD", "GELU_FWD",
    "SOFTPLUS_FWD", "SWISH_FWD", "GELU_APPROX_TANH_FWD", "RELU_BWD", "TANH_BWD", "SIGMOID_BWD",
    "ELU_BWD", "GELU_BWD", "SOFTPLUS_BWD", "SWISH_BWD", "GELU_APPROX_TANH_BWD", "CMP_EQ",
    "CMP_NEQ", "CMP_GT", "CMP_GE", "CMP_LT", "CMP_LE", "LOGICAL_AND", "LOGICAL_OR",
    "LOGICAL_NOT", "GEN_INDEX", "BINARY_SELECT", "RELU", "TANH", "SIGMOID", "ELU", "GELU",
    "SOFTPLUS", "SWISH", "GELU_APPROX_TANH", "EQ", "NEQ", "GT", "GE", "LT", "LE", "add",
    "add_square", "div", "max", "min", "mod", "mul", "pow", "sub", "abs", "ceil", "cos", "exp",
    "floor", "log", "neg", "rsqrt", "sin", "sqrt", "tan", "erf", "identity", "reciprocal",
    "atan2", "floor_mod", "relu_fwd", "tanh_fwd", "sigmoid_fwd", "elu_fwd", "gelu_fwd",
    "softplus_fwd", "swish_fwd", "gelu_approx_tanh_fwd", "relu_bwd", "tanh_bwd", "sigmoid_bwd",
    "elu_bwd", "gelu_bwd", "softplus_bwd", "swish_bwd", "gelu_approx_tanh_bwd", "cmp_eq",
    "cmp_neq", "cmp_gt", "cmp_ge", "cmp_lt", "cmp_le", "logical_and", "logical_or",
    "logical_not", "gen_index", "binary_select", "relu", "tanh", "sigmoid", "elu", "gelu",
    "softplus", "swish", "gelu_approx_tanh", "eq", "neq", "gt", "ge", "lt", "le",
]  # fmt: skip

#: Names of modes of reductions, and words of array libraries.
ReductionWord: TypeAlias = Literal[
    "ADD", "MUL", "MIN", "MAX", "AMAX", "AVG", "NORM1", "NORM2", "MUL_NO_ZEROS", "add", "mul",
    "min", "max", "amax", "avg", "norm1", "norm2", "mul_no_zeros", "absmax", "sum", "plus",
    "mean", "average", "prod", "product", "multiply", "times", "minimum", "maximum", "l1", "l2",
    "norm",
]  # fmt: skip

#: Names of modes of resampling.
ResampleWord: TypeAlias = Literal[
    "NEAREST", "BILINEAR", "AVGPOOL", "AVGPOOL_INCLUDE_PADDING", "AVGPOOL_EXCLUDE_PADDING",
    "MAXPOOL", "nearest", "bilinear", "avgpool", "avgpool_include_padding",
    "avgpool_exclude_padding", "maxpool",
]  # fmt: skip

#: Names of padding modes.
PaddingModeWord: TypeAlias = Literal[
    "ZERO_PAD", "NEG_INF_PAD", "EDGE_VAL_PAD", "zero_pad", "neg_inf_pad", "edge_val_pad",
]  # fmt: skip

#: Names of treatments of NaN.
NanWord: TypeAlias = Literal[
    "NOT_PROPAGATE_NAN", "PROPAGATE_NAN", "not_propagate_nan", "propagate_nan",
]  # fmt: skip

#: Names of modes of norms.
NormWord: TypeAlias = Literal[
    "LAYER_NORM", "INSTANCE_NORM", "BATCH_NORM", "GROUP_NORM", "RMS_NORM", "ADA_LAYER_NORM",
    "layer_norm", "instance_norm", "batch_norm", "group_norm", "rms_norm", "ada_layer_norm",
]  # fmt: skip

#: Names of phases of norms.
PhaseWord: TypeAlias = Literal["TRAINING", "INFERENCE", "training", "inference"]

#: Names of modes of reshaping.
ReshapeWord: TypeAlias = Literal["VIEW_ONLY", "LOGICAL", "view_only", "logical"]

#: Names of modes of signals.
SignalWord: TypeAlias = Literal["SET", "WAIT", "set", "wait"]

#: Names of distributions of random numbers.
DistributionWord: TypeAlias = Literal[
    "BERNOULLI", "UNIFORM", "NORMAL", "bernoulli", "uniform", "normal",
]  # fmt: skip

#: Names of modes of experts.
ExpertsWord: TypeAlias = Literal["NONE", "GATHER", "SCATTER", "none", "gather", "scatter"]

#: Names of comparisons.
ComparisonWord: TypeAlias = Literal[
    "CMP_EQ", "CMP_NEQ", "CMP_GT", "CMP_GE", "CMP_LT", "CMP_LE", "cmp_eq", "cmp_neq", "cmp_gt",
    "cmp_ge", "cmp_lt", "cmp_le",
]  # fmt: skip

#: Names of reorderings of a tensor's elements.
ReorderingWord: TypeAlias = Literal[
    "NONE", "INT8x32", "F16x16", "F8_128x4", "none", "int8x32", "f16x16", "f8_128x4",
]  # fmt: skip

#: Words for layouts.
LayoutWord: TypeAlias = Literal[
    "channels_last", "nhwc", "nwc", "ndhwc", "nlc", "NHWC", "NWC", "NDHWC", "NLC",
    "channels_first", "nchw", "ncw", "ncdhw", "ncl", "row_major", "packed", "NCHW", "NCW",
    "NCDHW", "NCL", "column_major", "transposed",
]  # fmt: skip

#: Names of data types in array libraries.
DTypeWord: TypeAlias = Literal[
    "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "uint32", "int64",
    "bool", "complex64", "complex128", "int4", "uint4", "float8_e4m3fn", "float8_e5m2",
    "float8_e8m0fnu", "float4_e2m1fn", "float", "double", "half",
]  # fmt: skip

#: A data type: its name, a member of cuDNN's `DataType`, or a data type of any array library.
DType: TypeAlias = DataTypeName | DTypeWord | Enumerator | SupportsItemSize | type[object]

#: A layout: a word for it, or the order of dimensions, outermost first.
Layout: TypeAlias = LayoutWord | Enumerator | Sequence[SupportsIndex]

#: A number for all spatial dimensions, or one for each.
PerDimension: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
#: The same, or for each dimension the numbers before and after it.
Padding: TypeAlias = PerDimension | Sequence[Sequence[SupportsIndex]]

#: The operations that a form of attention is made of: one, or several.
Form: TypeAlias = Literal["node", "composite"]
#: The corner in which the diagonal of a mask of attention ends.
Corner: TypeAlias = Literal["top_left", "bottom_right"]

#: The extents of a tensor, or an array of any library that has them.
Shaped: TypeAlias = Sequence[SupportsIndex] | HasShape

#: A whole number for each dimension.
Extents: TypeAlias = tuple[int, ...]
#: A number for each dimension: a whole one, or a fraction as numerator and denominator.
Steps: TypeAlias = tuple[int | tuple[int, int], ...]


class Settings(TypedDict, total=False):
    """The settings of every operation.

    Keys:
        name: of the node, unique among the graph's nodes.
        data_type: of the result; without one, the graph's for virtual tensors and outputs.
        compute_data_type: that it computes in; without one, the graph's.
        strides, layout: of the result; without them packed, in the inputs' order of dimensions.
    """

    name: str | None
    data_type: DType | None
    compute_data_type: DType | None
    strides: Sequence[int] | None
    layout: Layout | None


class Options(TypedDict, total=False):
    """The options of nodes: those of all kinds of operations, by the names in their records."""

    alpha: float
    alpha1: float
    alpha2: float
    axis: int
    batch_count: int
    beta: float
    bias_shape: Extents
    block_size: int | Extents
    bottom_right: bool
    comparison: str
    compute_data_type: DataTypeName
    deterministic: bool
    dilation: Extents
    distribution: str
    divided: bool
    dropout: float
    dropout_probability: float
    form: Form
    groups: int
    in_place_index: int
    left: int
    length_kv: int
    limit: Extents
    lower: int
    max_seq_len_kv: int
    max_token: int
    mode: str
    nan_propagation: str
    negative_scale: bool
    output_padding: Extents
    output_scale: float
    padding_mode: str
    padding_value: float
    permutation: Extents
    phase: str
    post_padding: Steps
    pre_padding: Steps
    probability: float
    right: int
    rope_dim: int
    rows: int
    score: object
    score_backward: object
    seed: int
    shape: Extents
    softmax: object
    start: Extents
    stats_log2: bool
    step: Extents
    stride: Steps
    subgraph: object
    subgraph_input: int
    subgraph_output: int
    top_k: int
    upper: int
    value: int
    window: Extents
