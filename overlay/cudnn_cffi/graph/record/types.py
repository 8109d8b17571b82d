"""The types of arguments, options and settings of graphs, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, SupportsIndex, TypeAlias, TypedDict

if TYPE_CHECKING:
    from ... import enums, types
    from ...enum_words import DataTypeLike, PointwiseModeLike, ReduceTensorOpLike, TensorFormatLike


class HasShape(Protocol):
    """An array of any library."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return its extents."""


class HostArray(HasShape, Protocol):
    """An array of NumPy."""

    @property
    def dtype(self) -> DType:
        """Return its data type."""

    @property
    def itemsize(self) -> int:
        """Return the bytes of an element."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Return its steps in bytes."""

    @property
    def __array_interface__(self) -> Mapping[str, tuple[int, bool]]: ...


#: cuDNN's names of data types, as tensors have them.
DataTypeName: TypeAlias = Literal[
    "FLOAT", "DOUBLE", "HALF", "BFLOAT16", "INT8", "UINT8", "INT32", "UINT32", "INT64", "BOOLEAN",
    "FP8_E4M3", "FP8_E5M2", "FP8_E8M0", "FP8_E5M3", "FP4_E2M1", "INT4", "UINT4", "BYTE_BOOLEAN",
    "FAST_FLOAT_FOR_FP8", "COMPLEX_FP32", "COMPLEX_FP64", "INT8x4", "UINT8x4", "INT8x32",
]  # fmt: skip

#: A mode of pointwise operations; the forward modes and comparisons also without FWD and CMP.
PointwiseWord: TypeAlias = "PointwiseModeLike | _ShortMode"
_ShortMode = Literal[
    "RELU", "TANH", "SIGMOID", "ELU", "GELU", "SOFTPLUS", "SWISH", "GELU_APPROX_TANH", "relu",
    "tanh", "sigmoid", "elu", "gelu", "softplus", "swish", "gelu_approx_tanh", "EQ", "NEQ", "GT",
    "GE", "LT", "LE", "eq", "neq", "gt", "ge", "lt", "le",
]  # fmt: skip

#: A mode of reductions, also by a word of array libraries.
ReductionWord: TypeAlias = "ReduceTensorOpLike | _Reduction"
_Reduction = Literal[
    "absmax", "sum", "plus", "mean", "average", "prod", "product", "multiply", "times", "minimum",
    "maximum", "l1", "l2", "norm",
]  # fmt: skip

#: A mode of norms; for gradients also without NORM.
NormWord: TypeAlias = "enums.BackendNormMode | _Norm"
_Norm = Literal[
    "LAYER_NORM", "INSTANCE_NORM", "BATCH_NORM", "GROUP_NORM", "RMS_NORM", "ADA_LAYER_NORM",
    "layer_norm", "instance_norm", "batch_norm", "group_norm", "rms_norm", "ada_layer_norm",
]  # fmt: skip
NormGradientWord: TypeAlias = "NormWord | _NormGradient"
_NormGradient = Literal["layer", "instance", "batch", "group", "rms", "ada_layer"]
PhaseWord: TypeAlias = "enums.BackendNormFwdPhase | enums.BnFinalizeStatsMode | _Phase"
_Phase = Literal["TRAINING", "INFERENCE", "training", "inference"]

ReshapeWord: TypeAlias = "enums.BackendReshapeMode | _Reshape"
_Reshape = Literal["VIEW_ONLY", "LOGICAL", "view_only", "logical"]
ReorderingWord: TypeAlias = "enums.BackendTensorReordering | _Reordering"
_Reordering = Literal["NONE", "INT8x32", "F16x16", "F8_128x4"]

#: A data type: its name, a member of cuDNN's `DataType`, or a data type of any array library.
DType: TypeAlias = "types.DType | DataTypeLike | DataTypeName"

#: A layout: a word for it, or the order of dimensions, outermost first.
Layout: TypeAlias = "TensorFormatLike | _Layout | Sequence[SupportsIndex]"
_Layout = Literal[
    "channels_last", "nhwc", "nwc", "ndhwc", "nlc", "NHWC", "NWC", "NDHWC", "NLC",
    "channels_first", "nchw", "ncw", "ncdhw", "ncl", "NCHW", "NCW", "NCDHW", "NCL", "row_major",
    "packed", "column_major", "transposed",
]  # fmt: skip

#: A number for all spatial dimensions, or one for each.
PerDimension: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
#: The same, or for each dimension the numbers before and after it.
Padding: TypeAlias = PerDimension | Sequence[Sequence[SupportsIndex]]

#: The key of a graph or of a node: a hashable value.
Key: TypeAlias = tuple[object, ...]

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
        data_type: of the result; by default the graph's for virtual tensors and outputs.
        compute_data_type: that it computes in; by default the graph's.
        strides, layout: of the result; by default packed, in the inputs' order of dimensions.
    """

    name: str | None
    data_type: DType | None
    compute_data_type: DType | None
    strides: Sequence[int] | None
    layout: Layout | None


class OutputSettings(TypedDict, total=False):
    """The settings of an output; see `Graph.output`."""

    name: str | None
    data_type: DType | None
    strides: Sequence[int] | None
    layout: Layout | None
    alignment: int | None


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
