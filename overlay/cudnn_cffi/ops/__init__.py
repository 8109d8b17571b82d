"""Operations on arrays of any library, forward and backward, with the choice of algorithm.

An operation is an object that keeps its options and its plans, and a function of the same name:
`ops.Convolution(padding=1)(x, w)` and `ops.convolution(x, w, padding=1)` do the same.
"""

from .._explain.calls.front import explain as explain
from .._operation.candidate_rows import Candidate as Candidate
from .._operation.candidate_rows import Candidates as Candidates
from .._operation.candidates import candidates as candidates
from .._operation.operation import Operation as Operation
from .._operation.recording import Entry as Entry
from .._operation.recording import Recording as Recording
from .._operation.recording import record as record
from .._operation.searched import Call as Call
from .._ways.array_spec import Spec as Spec
from .._ways.case import Unfit as Unfit
from .._ways.classic_call import Classic as Classic
from .attn.decode import DecodeAttention as DecodeAttention
from .attn.decode import decode_attention as decode_attention
from .attn.dot_product import Attention as Attention
from .attn.dot_product import AttentionBackward as AttentionBackward
from .attn.dot_product import AttentionFP8Gradients as AttentionFP8Gradients
from .attn.dot_product import AttentionFP8Results as AttentionFP8Results
from .attn.dot_product import AttentionGradients as AttentionGradients
from .attn.dot_product import AttentionResults as AttentionResults
from .attn.dot_product import AttentionSinkGradients as AttentionSinkGradients
from .attn.dot_product import attention as attention
from .attn.dot_product import attention_backward as attention_backward
from .attn.multi_head import MultiHeadAttention as MultiHeadAttention
from .attn.multi_head import MultiHeadAttentionBackward as MultiHeadAttentionBackward
from .attn.multi_head import MultiHeadGradients as MultiHeadGradients
from .attn.multi_head import MultiHeadResults as MultiHeadResults
from .attn.multi_head import multi_head_attention as multi_head_attention
from .attn.multi_head import multi_head_attention_backward as multi_head_attention_backward
from .attn.multi_head_weights import MultiHeadParameter as MultiHeadParameter
from .conv.backward import ConvolutionBackwardBias as ConvolutionBackwardBias
from .conv.backward import ConvolutionBackwardData as ConvolutionBackwardData
from .conv.backward import ConvolutionBackwardFilter as ConvolutionBackwardFilter
from .conv.backward import convolution_backward_bias as convolution_backward_bias
from .conv.backward import convolution_backward_data as convolution_backward_data
from .conv.backward import convolution_backward_filter as convolution_backward_filter
from .conv.causal import CausalConvolution as CausalConvolution
from .conv.causal import CausalConvolutionBackward as CausalConvolutionBackward
from .conv.causal import CausalGradients as CausalGradients
from .conv.causal import FFTCausalConvolution as FFTCausalConvolution
from .conv.causal import FFTCausalConvolutionBackward as FFTCausalConvolutionBackward
from .conv.causal import FFTCausalGradients as FFTCausalGradients
from .conv.causal import FFTCausalResults as FFTCausalResults
from .conv.causal import causal_convolution as causal_convolution
from .conv.causal import causal_convolution_backward as causal_convolution_backward
from .conv.causal import fft_causal_convolution as fft_causal_convolution
from .conv.causal import fft_causal_convolution_backward as fft_causal_convolution_backward
from .conv.columns import Col2Im as Col2Im
from .conv.columns import Fold as Fold
from .conv.columns import Im2Col as Im2Col
from .conv.columns import Unfold as Unfold
from .conv.columns import col2im as col2im
from .conv.columns import fold as fold
from .conv.columns import im2col as im2col
from .conv.columns import unfold as unfold
from .conv.forward import Convolution as Convolution
from .conv.forward import ConvolutionGradients as ConvolutionGradients
from .conv.forward import ConvolutionTranspose as ConvolutionTranspose
from .conv.forward import convolution as convolution
from .conv.forward import convolution_transpose as convolution_transpose
from .element.activation import Activation as Activation
from .element.activation import ActivationBackward as ActivationBackward
from .element.activation import activation as activation
from .element.activation import activation_backward as activation_backward
from .element.activation import clipped_relu as clipped_relu
from .element.activation import elu as elu
from .element.activation import gelu as gelu
from .element.activation import gelu_tanh as gelu_tanh
from .element.activation import identity as identity
from .element.activation import leaky_relu as leaky_relu
from .element.activation import relu as relu
from .element.activation import sigmoid as sigmoid
from .element.activation import silu as silu
from .element.activation import softplus as softplus
from .element.activation import swish as swish
from .element.activation import tanh as tanh
from .element.dropout import Dropout as Dropout
from .element.dropout import DropoutBackward as DropoutBackward
from .element.dropout import Dropped as Dropped
from .element.dropout import dropout as dropout
from .element.dropout import dropout_backward as dropout_backward
from .element.random_state import RandomState as RandomState
from .element.reduction import Reduction as Reduction
from .element.reduction import reduce as reduce
from .element.softmax import Softmax as Softmax
from .element.softmax import SoftmaxBackward as SoftmaxBackward
from .element.softmax import log_softmax as log_softmax
from .element.softmax import softmax as softmax
from .element.softmax import softmax_backward as softmax_backward
from .element.tensor import Fill as Fill
from .element.tensor import Scale as Scale
from .element.tensor import TensorOperation as TensorOperation
from .element.tensor import Transform as Transform
from .element.tensor import add as add
from .element.tensor import fill as fill
from .element.tensor import scale as scale
from .element.tensor import tensor_operation as tensor_operation
from .element.tensor import transform as transform
from .loss.cross_entropy import CrossEntropy as CrossEntropy
from .loss.cross_entropy import CrossEntropyBackward as CrossEntropyBackward
from .loss.cross_entropy import cross_entropy as cross_entropy
from .loss.cross_entropy import cross_entropy_backward as cross_entropy_backward
from .loss.ctc import CTCLoss as CTCLoss
from .loss.ctc import CTCResults as CTCResults
from .loss.ctc import ctc_loss as ctc_loss
from .norm.batch import BatchNorm as BatchNorm
from .norm.batch import BatchNormBackward as BatchNormBackward
from .norm.batch import batch_norm as batch_norm
from .norm.batch import batch_norm_backward as batch_norm_backward
from .norm.batch_activation import BatchNormActivation as BatchNormActivation
from .norm.batch_activation import BatchNormActivationBackward as BatchNormActivationBackward
from .norm.batch_activation import BatchNormActivationGradients as BatchNormActivationGradients
from .norm.batch_activation import BatchNormActivationResults as BatchNormActivationResults
from .norm.batch_activation import batch_norm_activation as batch_norm_activation
from .norm.batch_activation import batch_norm_activation_backward as batch_norm_activation_backward
from .norm.batch_inference import BatchNormInference as BatchNormInference
from .norm.batch_inference import batch_norm_inference as batch_norm_inference
from .norm.group import GroupNorm as GroupNorm
from .norm.group import GroupNormBackward as GroupNormBackward
from .norm.group import group_norm as group_norm
from .norm.group import group_norm_backward as group_norm_backward
from .norm.layer import InstanceNorm as InstanceNorm
from .norm.layer import InstanceNormBackward as InstanceNormBackward
from .norm.layer import LayerNorm as LayerNorm
from .norm.layer import LayerNormBackward as LayerNormBackward
from .norm.layer import RMSNorm as RMSNorm
from .norm.layer import RMSNormBackward as RMSNormBackward
from .norm.layer import instance_norm as instance_norm
from .norm.layer import instance_norm_backward as instance_norm_backward
from .norm.layer import layer_norm as layer_norm
from .norm.layer import layer_norm_backward as layer_norm_backward
from .norm.layer import rms_norm as rms_norm
from .norm.layer import rms_norm_backward as rms_norm_backward
from .norm.local import DivisiveGradients as DivisiveGradients
from .norm.local import DivisiveNorm as DivisiveNorm
from .norm.local import DivisiveNormBackward as DivisiveNormBackward
from .norm.local import LocalResponseNorm as LocalResponseNorm
from .norm.local import LocalResponseNormBackward as LocalResponseNormBackward
from .norm.local import divisive_norm as divisive_norm
from .norm.local import divisive_norm_backward as divisive_norm_backward
from .norm.local import local_response_norm as local_response_norm
from .norm.local import local_response_norm_backward as local_response_norm_backward
from .norm.results import NormGradients as NormGradients
from .norm.results import NormResults as NormResults
from .rnn.backward import RNNBackwardData as RNNBackwardData
from .rnn.backward import RNNBackwardWeights as RNNBackwardWeights
from .rnn.backward import RNNGradients as RNNGradients
from .rnn.backward import RNNReserve as RNNReserve
from .rnn.backward import RNNResults as RNNResults
from .rnn.backward import rnn_backward as rnn_backward
from .rnn.backward import rnn_backward_data as rnn_backward_data
from .rnn.backward import rnn_backward_weights as rnn_backward_weights
from .rnn.forward import GRU as GRU
from .rnn.forward import LSTM as LSTM
from .rnn.forward import RNN as RNN
from .rnn.forward import Recurrent as Recurrent
from .rnn.forward import gru as gru
from .rnn.forward import lstm as lstm
from .rnn.forward import rnn as rnn
from .rnn.layout import Parameter as Parameter
from .window.aggregation import Aggregation as Aggregation
from .window.aggregation import AggregationBackward as AggregationBackward
from .window.aggregation import AggregationResults as AggregationResults
from .window.aggregation import aggregate as aggregate
from .window.aggregation import aggregate_backward as aggregate_backward
from .window.pooling import Pooling as Pooling
from .window.pooling import PoolingBackward as PoolingBackward
from .window.pooling import average_pool as average_pool
from .window.pooling import max_pool as max_pool
from .window.pooling import pooling_backward as pooling_backward
from .window.pooling import sum_pool as sum_pool
from .window.spatial_transformer import AffineGrid as AffineGrid
from .window.spatial_transformer import AffineGridBackward as AffineGridBackward
from .window.spatial_transformer import GridSample as GridSample
from .window.spatial_transformer import GridSampleBackward as GridSampleBackward
from .window.spatial_transformer import GridSampleGradients as GridSampleGradients
from .window.spatial_transformer import affine_grid as affine_grid
from .window.spatial_transformer import affine_grid_backward as affine_grid_backward
from .window.spatial_transformer import grid_sample as grid_sample
from .window.spatial_transformer import grid_sample_backward as grid_sample_backward

from .._support.results import tell_fields as _tell_fields  # isort: skip
from .._advice import equip as _equip  # isort: skip
from .._operation.functions import FUNCTIONS as _FUNCTIONS  # isort: skip
from .._operation.operation import CLASSES as _CLASSES  # isort: skip
from .._operation.shortcuts import cover as _cover  # isort: skip

_cover(globals(), {each.__module__ for each in _CLASSES.values()})

#: The class of operations that each function calls, by the name of the function.
OPERATIONS: dict[str, type[Operation]] = {
    **{word: cls for word, cls in _CLASSES.items() if cls is not Pooling},
    **{name: made.cls for name, made in _FUNCTIONS.items()},
}

# Using a result tuple as an array raises an error that lists its fields.
for _each in tuple(globals().values()):
    if isinstance(_each, type) and issubclass(_each, tuple) and hasattr(_each, "_fields"):
        setattr(_each, "__getattr__", _tell_fields)  # noqa: B010  mypy: it has none

_equip(__name__)
