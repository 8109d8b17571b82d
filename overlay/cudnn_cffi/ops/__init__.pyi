# Written by scripts/stubs.py from the classes of operations: change these.

from collections.abc import Sequence
from typing import Any, Literal, overload

from cudnn_cffi._ways.signatures import (
    ActivationWord,
    Array,
    BatchNormWord,
    CallStream,
    Choose,
    Extents,
    Handle,
    Out,
    Padding,
)
from cudnn_cffi._ways.signatures import ArrayT as ArrayT_
from cudnn_cffi.types import ArrayT

from .._explain.calls.front import explain as explain
from .._explain.calls.nearest import Call as Call
from .._operation.candidate_rows import Candidate as Candidate
from .._operation.candidate_rows import Candidates as Candidates
from .._operation.candidates import candidates as candidates
from .._operation.operation import Operation as Operation
from .._operation.recording import Entry as Entry
from .._operation.recording import Recording as Recording
from .._operation.recording import record as record
from .._ways.array_spec import Spec as Spec
from .._ways.case import Unfit as Unfit
from .._ways.classic_call import Classic as Classic
from .attn.dot_product import Attention as Attention
from .attn.dot_product import AttentionBackward as AttentionBackward
from .attn.dot_product import AttentionFP8Gradients as AttentionFP8Gradients
from .attn.dot_product import AttentionFP8Results as AttentionFP8Results
from .attn.dot_product import AttentionGradients as AttentionGradients
from .attn.dot_product import AttentionResults as AttentionResults
from .attn.dot_product import AttentionSinkGradients as AttentionSinkGradients
from .attn.multi_head import MultiHeadAttention as MultiHeadAttention
from .attn.multi_head import MultiHeadAttentionBackward as MultiHeadAttentionBackward
from .attn.multi_head import MultiHeadGradients as MultiHeadGradients
from .attn.multi_head import MultiHeadResults as MultiHeadResults
from .attn.multi_head_weights import MultiHeadParameter as MultiHeadParameter
from .conv.backward import ConvolutionBackwardBias as ConvolutionBackwardBias
from .conv.backward import ConvolutionBackwardData as ConvolutionBackwardData
from .conv.backward import ConvolutionBackwardFilter as ConvolutionBackwardFilter
from .conv.causal import CausalConvolution as CausalConvolution
from .conv.causal import CausalConvolutionBackward as CausalConvolutionBackward
from .conv.causal import CausalGradients as CausalGradients
from .conv.causal import FFTCausalConvolution as FFTCausalConvolution
from .conv.causal import FFTCausalConvolutionBackward as FFTCausalConvolutionBackward
from .conv.causal import FFTCausalGradients as FFTCausalGradients
from .conv.causal import FFTCausalResults as FFTCausalResults
from .conv.columns import Col2Im as Col2Im
from .conv.columns import Fold as Fold
from .conv.columns import Im2Col as Im2Col
from .conv.columns import Unfold as Unfold
from .conv.forward import Convolution as Convolution
from .conv.forward import ConvolutionGradients as ConvolutionGradients
from .conv.forward import ConvolutionTranspose as ConvolutionTranspose
from .element.activation import Activation as Activation
from .element.activation import ActivationBackward as ActivationBackward
from .element.dropout import Dropout as Dropout
from .element.dropout import DropoutBackward as DropoutBackward
from .element.dropout import Dropped as Dropped
from .element.random_state import RandomState as RandomState
from .element.reduction import Reduction as Reduction
from .element.softmax import Softmax as Softmax
from .element.softmax import SoftmaxBackward as SoftmaxBackward
from .element.tensor import Fill as Fill
from .element.tensor import Scale as Scale
from .element.tensor import TensorOperation as TensorOperation
from .element.tensor import Transform as Transform
from .loss.cross_entropy import CrossEntropy as CrossEntropy
from .loss.cross_entropy import CrossEntropyBackward as CrossEntropyBackward
from .loss.ctc import CTCLoss as CTCLoss
from .loss.ctc import CTCResults as CTCResults
from .norm.batch import BatchNorm as BatchNorm
from .norm.batch import BatchNormBackward as BatchNormBackward
from .norm.batch_activation import BatchNormActivation as BatchNormActivation
from .norm.batch_activation import BatchNormActivationBackward as BatchNormActivationBackward
from .norm.batch_activation import BatchNormActivationGradients as BatchNormActivationGradients
from .norm.batch_activation import BatchNormActivationResults as BatchNormActivationResults
from .norm.batch_inference import BatchNormInference as BatchNormInference
from .norm.group import GroupNorm as GroupNorm
from .norm.group import GroupNormBackward as GroupNormBackward
from .norm.layer import InstanceNorm as InstanceNorm
from .norm.layer import InstanceNormBackward as InstanceNormBackward
from .norm.layer import LayerNorm as LayerNorm
from .norm.layer import LayerNormBackward as LayerNormBackward
from .norm.layer import RMSNorm as RMSNorm
from .norm.layer import RMSNormBackward as RMSNormBackward
from .norm.local import DivisiveGradients as DivisiveGradients
from .norm.local import DivisiveNorm as DivisiveNorm
from .norm.local import DivisiveNormBackward as DivisiveNormBackward
from .norm.local import LocalResponseNorm as LocalResponseNorm
from .norm.local import LocalResponseNormBackward as LocalResponseNormBackward
from .norm.results import NormGradients as NormGradients
from .norm.results import NormResults as NormResults
from .rnn.backward import RNNBackwardData as RNNBackwardData
from .rnn.backward import RNNBackwardWeights as RNNBackwardWeights
from .rnn.backward import RNNGradients as RNNGradients
from .rnn.backward import RNNReserve as RNNReserve
from .rnn.backward import RNNResults as RNNResults
from .rnn.backward import rnn_backward as rnn_backward
from .rnn.forward import GRU as GRU
from .rnn.forward import LSTM as LSTM
from .rnn.forward import RNN as RNN
from .rnn.forward import Recurrent as Recurrent
from .rnn.layout import Parameter as Parameter
from .window.aggregation import Aggregation as Aggregation
from .window.aggregation import AggregationBackward as AggregationBackward
from .window.aggregation import AggregationResults as AggregationResults
from .window.pooling import Pooling as Pooling
from .window.pooling import PoolingBackward as PoolingBackward
from .window.spatial_transformer import AffineGrid as AffineGrid
from .window.spatial_transformer import AffineGridBackward as AffineGridBackward
from .window.spatial_transformer import GridSample as GridSample
from .window.spatial_transformer import GridSampleBackward as GridSampleBackward
from .window.spatial_transformer import GridSampleGradients as GridSampleGradients

OPERATIONS: dict[str, type[Operation]]

def activation(
    x: ArrayT_,
    word: ActivationWord = ...,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def activation_backward(
    dy: ArrayT_,
    x: Array | None = ...,
    y: Array | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    activation: ActivationWord = ...,
    coefficient: float | None = ...,
) -> ArrayT_: ...
def add(
    a: Any,
    b: Any = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    alpha2: float = ...,
    propagate_nan: bool = ...,
) -> Any: ...
def affine_grid(
    theta: ArrayT_,
    size: Sequence[int],
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def affine_grid_backward(
    dgrid: ArrayT_,
    size: Sequence[int],
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def aggregate(
    x: Array,
    offsets: Any,
    indices: Array,
    operation: str = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> AggregationResults: ...
def aggregate_backward(
    dy: ArrayT,
    offsets: Any,
    indices: Array,
    nodes: int,
    operation: str = ...,
    *,
    rev_offsets: Any = ...,
    rev_edges: Any = ...,
    positions: Any = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT: ...
def attention(
    q: ArrayT,
    k: Array,
    v: Array,
    *,
    bias: Array | None = ...,
    seq_len_q: Array | None = ...,
    seq_len_kv: Array | None = ...,
    seed: Array | None = ...,
    offset: Array | None = ...,
    alibi: Array | None = ...,
    sink: Array | None = ...,
    dropout_mask: Array | None = ...,
    page_table_k: Array | None = ...,
    page_table_v: Array | None = ...,
    offsets_q: Array | None = ...,
    offsets_k: Array | None = ...,
    offsets_v: Array | None = ...,
    offsets_o: Array | None = ...,
    descale_q: Array | None = ...,
    descale_k: Array | None = ...,
    descale_v: Array | None = ...,
    descale_s: Array | None = ...,
    scale_s: Array | None = ...,
    scale_o: Array | None = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    scale: float | None = ...,
    causal: bool | str = ...,
    window: Any = ...,
    diagonal: str = ...,
    dropout: float = ...,
    stats: bool = ...,
    max_q_length: int | None = ...,
    max_kv_length: int | None = ...,
    score: Any = ...,
    form: str | None = ...,
) -> ArrayT: ...
def attention_backward(
    do: ArrayT,
    q: Array,
    k: Array,
    v: Array,
    o: Array,
    stats: Array,
    *,
    bias: Array | None = ...,
    seq_len_q: Array | None = ...,
    seq_len_kv: Array | None = ...,
    seed: Array | None = ...,
    offset: Array | None = ...,
    alibi: Array | None = ...,
    sink: Array | None = ...,
    dropout_mask: Array | None = ...,
    offsets_q: Array | None = ...,
    offsets_k: Array | None = ...,
    offsets_v: Array | None = ...,
    offsets_o: Array | None = ...,
    descale_q: Array | None = ...,
    descale_k: Array | None = ...,
    descale_v: Array | None = ...,
    descale_o: Array | None = ...,
    descale_do: Array | None = ...,
    descale_s: Array | None = ...,
    descale_dp: Array | None = ...,
    scale_s: Array | None = ...,
    scale_dp: Array | None = ...,
    scale_dq: Array | None = ...,
    scale_dk: Array | None = ...,
    scale_dv: Array | None = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    scale: float | None = ...,
    causal: bool | str = ...,
    window: Any = ...,
    diagonal: str = ...,
    dropout: float = ...,
    dbias: bool = ...,
    dsink: bool = ...,
    deterministic: bool = ...,
    max_q_length: int | None = ...,
    max_kv_length: int | None = ...,
    score: Any = ...,
    score_backward: Any = ...,
    form: str | None = ...,
) -> ArrayT: ...
def average_pool(
    x: ArrayT_,
    window: Extents = ...,
    stride: Extents | None = ...,
    padding: Padding = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    deterministic: bool = ...,
    batch: bool = ...,
    count_padding: bool = ...,
) -> ArrayT_: ...
def batch_norm(
    x: Array,
    scale: Array,
    bias: Array,
    running_mean: Array | None = ...,
    running_variance: Array | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    mode: BatchNormWord = ...,
    epsilon: float = ...,
    momentum: float = ...,
) -> NormResults: ...
def batch_norm_activation(
    x: Array,
    scale: Array,
    bias: Array,
    residual: Array | None = ...,
    running_mean: Array | None = ...,
    running_variance: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    mode: BatchNormWord = ...,
    epsilon: float = ...,
    momentum: float = ...,
) -> BatchNormActivationResults: ...
def batch_norm_activation_backward(
    dy: Array,
    x: Array,
    y: Array,
    scale: Array,
    bias: Array,
    mean: Array,
    inv_variance: Array,
    reserve: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    mode: BatchNormWord = ...,
    epsilon: float = ...,
    residual: bool = ...,
) -> BatchNormActivationGradients: ...
def batch_norm_backward(
    dy: Array,
    x: Array,
    scale: Array,
    mean: Array | None = ...,
    inv_variance: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    mode: BatchNormWord = ...,
    epsilon: float = ...,
) -> NormGradients: ...
def batch_norm_inference(
    x: ArrayT_,
    scale: Array,
    bias: Array,
    mean: Array,
    variance: Array,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    mode: BatchNormWord = ...,
    epsilon: float = ...,
) -> ArrayT_: ...
def causal_convolution(
    x: ArrayT_,
    weight: Array,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    activation: str | None = ...,
    channels_last: bool = ...,
) -> ArrayT_: ...
def causal_convolution_backward(
    dy: Array,
    x: Array,
    weight: Array,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    activation: str | None = ...,
    channels_last: bool = ...,
) -> CausalGradients: ...
def clipped_relu(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def col2im(
    y: ArrayT_,
    shape: Sequence[int],
    window: Extents,
    stride: Extents = ...,
    padding: Padding = ...,
    dilation: Extents = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def convolution(
    x: ArrayT_,
    w: Array,
    bias: Array | None = ...,
    residual: Array | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    alpha2: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    padding: Padding = ...,
    stride: Extents = ...,
    dilation: Extents = ...,
    groups: int | None = ...,
    flip: bool = ...,
    activation: ActivationWord | None = ...,
    coefficient: float | None = ...,
) -> ArrayT_: ...
def convolution_backward_bias(
    dy: ArrayT_,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    batch: bool = ...,
) -> ArrayT_: ...
def convolution_backward_data(
    dy: ArrayT_,
    w: Array,
    shape: Sequence[int] | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    padding: Padding = ...,
    stride: Extents = ...,
    dilation: Extents = ...,
    groups: int | None = ...,
    flip: bool = ...,
) -> ArrayT_: ...
def convolution_backward_filter(
    x: ArrayT_,
    dy: Array,
    shape: Sequence[int] | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    padding: Padding = ...,
    stride: Extents = ...,
    dilation: Extents = ...,
    groups: int | None = ...,
    flip: bool = ...,
) -> ArrayT_: ...
def convolution_transpose(
    x: ArrayT_,
    w: Array,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    padding: Padding = ...,
    stride: Extents = ...,
    dilation: Extents = ...,
    output_padding: Extents = ...,
    groups: int | None = ...,
    flip: bool = ...,
) -> ArrayT_: ...
def cross_entropy(
    x: ArrayT,
    target: Array,
    reduction: str = ...,
    weight: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    ignore_index: int = ...,
    label_smoothing: float = ...,
) -> ArrayT: ...
def cross_entropy_backward(
    dloss: ArrayT_,
    x: Array,
    target: Array,
    reduction: str = ...,
    weight: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    ignore_index: int = ...,
    label_smoothing: float = ...,
) -> ArrayT_: ...
def ctc_loss(
    x: Array,
    labels: Array,
    input_lengths: Array | None = ...,
    label_lengths: Array | None = ...,
    *,
    gradient: bool = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    normalize: bool = ...,
    deterministic: bool = ...,
    max_label_length: int = ...,
    skip_out_of_bounds: bool = ...,
) -> CTCResults: ...
def divisive_norm(
    x: ArrayT_,
    means: Array | None = ...,
    size: int = ...,
    alpha: float = ...,
    beta: float = ...,
    k: float = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def divisive_norm_backward(
    dy: Array,
    x: Array,
    means: Array | None = ...,
    size: int = ...,
    alpha: float = ...,
    beta: float = ...,
    k: float = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> DivisiveGradients: ...
def dropout(
    x: Array,
    rate: float = ...,
    seed: int | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    state: RandomState | None = ...,
) -> Dropped: ...
def dropout_backward(
    dy: ArrayT_,
    reserve: Array,
    rate: float = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    state: RandomState | None = ...,
) -> ArrayT_: ...
def elu(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def fft_causal_convolution(
    x: Array,
    weight: Array,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    long: bool = ...,
) -> FFTCausalResults: ...
def fft_causal_convolution_backward(
    dy: Array,
    x: Array | None = ...,
    weight: Array | None = ...,
    reserve: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    kernel: int | None = ...,
) -> FFTCausalGradients: ...
def fill(
    x: ArrayT_,
    value: float,
    *,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def fold(
    x: ArrayT_,
    factor: Any = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    layout: Any = ...,
) -> ArrayT_: ...
def gelu(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def gelu_tanh(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def grid_sample(
    x: ArrayT_,
    grid: Array,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def grid_sample_backward(
    dy: Array,
    x: Array,
    grid: Array,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> GridSampleGradients: ...
@overload
def group_norm(
    x: ArrayT,
    groups: int,
    scale: Array | None = ...,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[False] = ...,
) -> ArrayT: ...
@overload
def group_norm(
    x: ArrayT,
    groups: int,
    scale: Array | None = ...,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[True],
) -> NormResults: ...
@overload
def group_norm(
    x: ArrayT,
    groups: int,
    scale: Array | None = ...,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: bool,
) -> ArrayT | NormResults: ...
def group_norm_backward(
    dy: Array,
    x: Array,
    groups: int,
    scale: Array | None = ...,
    mean: Array | None = ...,
    inv_variance: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
) -> NormGradients: ...
def gru(
    x: Array,
    weights: Array,
    hidden_size: int,
    *,
    hx: Array | None = ...,
    cx: Array | None = ...,
    training: bool = ...,
    lengths: Any = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    layers: int = ...,
    bidirectional: bool = ...,
    bias: Any = ...,
    projection_size: int | None = ...,
    dropout: float = ...,
    seed: int | None = ...,
    batch_first: bool = ...,
    packed: bool = ...,
    batch: bool = ...,
    skip_input: bool = ...,
    clip: Any = ...,
) -> RNNResults: ...
def identity(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def im2col(
    x: ArrayT_,
    window: Extents,
    stride: Extents = ...,
    padding: Padding = ...,
    dilation: Extents = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
@overload
def instance_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[False] = ...,
) -> ArrayT: ...
@overload
def instance_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[True],
) -> NormResults: ...
@overload
def instance_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: bool,
) -> ArrayT | NormResults: ...
def instance_norm_backward(
    dy: Array,
    x: Array,
    scale: Array,
    mean: Array,
    inv_variance: Array,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
) -> NormGradients: ...
@overload
def layer_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[False] = ...,
) -> ArrayT: ...
@overload
def layer_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[True],
) -> NormResults: ...
@overload
def layer_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: bool,
) -> ArrayT | NormResults: ...
def layer_norm_backward(
    dy: Array,
    x: Array,
    scale: Array,
    mean: Array,
    inv_variance: Array,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
) -> NormGradients: ...
def leaky_relu(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def local_response_norm(
    x: ArrayT_,
    size: int = ...,
    alpha: float = ...,
    beta: float = ...,
    k: float = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def local_response_norm_backward(
    dy: ArrayT_,
    x: Array,
    y: Array,
    size: int = ...,
    alpha: float = ...,
    beta: float = ...,
    k: float = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def log_softmax(
    x: ArrayT_,
    axis: int | str | Sequence[int] = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    accurate: bool = ...,
) -> ArrayT_: ...
def lstm(
    x: Array,
    weights: Array,
    hidden_size: int,
    *,
    hx: Array | None = ...,
    cx: Array | None = ...,
    training: bool = ...,
    lengths: Any = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    layers: int = ...,
    bidirectional: bool = ...,
    bias: Any = ...,
    projection_size: int | None = ...,
    dropout: float = ...,
    seed: int | None = ...,
    batch_first: bool = ...,
    packed: bool = ...,
    batch: bool = ...,
    skip_input: bool = ...,
    clip: Any = ...,
) -> RNNResults: ...
def max_pool(
    x: ArrayT_,
    window: Extents = ...,
    stride: Extents | None = ...,
    padding: Padding = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    deterministic: bool = ...,
    batch: bool = ...,
) -> ArrayT_: ...
def multi_head_attention(
    q: Array,
    k: Array,
    v: Array,
    weights: Array | None,
    heads: int,
    *,
    residual: Array | None = ...,
    training: bool = ...,
    q_lengths: Array | None = ...,
    kv_lengths: Array | None = ...,
    windows: Any = ...,
    step: int | None = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    q_projection: int = ...,
    k_projection: int = ...,
    v_projection: int = ...,
    o_projection: int = ...,
    scale: float | None = ...,
    bias: bool = ...,
    dropout: float = ...,
    output_dropout: float = ...,
    seed: int | None = ...,
    batch_first: bool = ...,
    causal: bool = ...,
) -> MultiHeadResults: ...
def multi_head_attention_backward(
    do: Array,
    q: Array,
    k: Array,
    v: Array,
    weights: Array,
    reserve: Array,
    heads: int,
    *,
    q_lengths: Array | None = ...,
    kv_lengths: Array | None = ...,
    windows: Any = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    q_projection: int = ...,
    k_projection: int = ...,
    v_projection: int = ...,
    o_projection: int = ...,
    scale: float | None = ...,
    bias: bool = ...,
    dropout: float = ...,
    output_dropout: float = ...,
    seed: int | None = ...,
    batch_first: bool = ...,
    causal: bool = ...,
) -> MultiHeadGradients: ...
def pooling_backward(
    dy: ArrayT_,
    x: Array,
    y: Array,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    kind: str = ...,
    window: Extents = ...,
    stride: Extents | None = ...,
    padding: Padding = ...,
    deterministic: bool = ...,
    batch: bool = ...,
) -> ArrayT_: ...
def reduce(
    x: ArrayT,
    operation: Any = ...,
    axes: int | Sequence[int] | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    keep_axes: bool = ...,
    indices: bool = ...,
    propagate_nan: bool = ...,
) -> ArrayT: ...
def relu(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
@overload
def rms_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[False] = ...,
) -> ArrayT: ...
@overload
def rms_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: Literal[True],
) -> NormResults: ...
@overload
def rms_norm(
    x: ArrayT,
    scale: Array,
    bias: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    statistics: bool,
) -> ArrayT | NormResults: ...
def rms_norm_backward(
    dy: Array,
    x: Array,
    scale: Array,
    inv_variance: Array,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    epsilon: float = ...,
    bias: bool = ...,
) -> NormGradients: ...
def rnn(
    x: Array,
    weights: Array,
    hidden_size: int,
    *,
    hx: Array | None = ...,
    cx: Array | None = ...,
    training: bool = ...,
    lengths: Any = ...,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    layers: int = ...,
    nonlinearity: str = ...,
    bidirectional: bool = ...,
    bias: Any = ...,
    dropout: float = ...,
    seed: int | None = ...,
    batch_first: bool = ...,
    packed: bool = ...,
    batch: bool = ...,
    skip_input: bool = ...,
) -> RNNResults: ...
def rnn_backward_data(
    dy: Array,
    y: Array,
    weights: Array,
    reserve: RNNReserve,
    hx: Array | None = ...,
    cx: Array | None = ...,
    dhy: Array | None = ...,
    dcy: Array | None = ...,
    *,
    out: Out = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> RNNGradients: ...
def rnn_backward_weights(
    x: ArrayT,
    y: Array,
    reserve: RNNReserve,
    hx: Array | None = ...,
    *,
    out: Out = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT: ...
def scale(
    x: ArrayT_,
    factor: float,
    *,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def sigmoid(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def silu(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def softmax(
    x: ArrayT_,
    axis: int | str | Sequence[int] = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    log: bool = ...,
    accurate: bool = ...,
) -> ArrayT_: ...
def softmax_backward(
    dy: ArrayT_,
    y: Array,
    axis: int | str | Sequence[int] = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    log: bool = ...,
    accurate: bool = ...,
) -> ArrayT_: ...
def softplus(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def sum_pool(
    x: ArrayT_,
    window: Extents = ...,
    stride: Extents | None = ...,
    padding: Padding = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    deterministic: bool = ...,
    batch: bool = ...,
) -> ArrayT_: ...
def swish(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def tanh(
    x: ArrayT_,
    coefficient: float | None = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def tensor_operation(
    operation: Any,
    a: Any,
    b: Any = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    alpha2: float = ...,
    propagate_nan: bool = ...,
) -> Any: ...
def transform(
    x: ArrayT_,
    layout: Any = ...,
    dtype: Any = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
) -> ArrayT_: ...
def unfold(
    x: ArrayT_,
    factor: Any = ...,
    *,
    out: Out = ...,
    alpha: float = ...,
    beta: float = ...,
    handle: Handle | None = ...,
    stream: CallStream = ...,
    choose: Choose = ...,
    layout: Any = ...,
) -> ArrayT_: ...
