"""Operations on arrays of any library, forward and backward, with the choice of algorithm.

An operation is an object that keeps its options and its plans, and a function of the same name:
`ops.Convolution(padding=1)(x, w)` and `ops.convolution(x, w, padding=1)` do the same.
"""

from .activations import Activation as Activation
from .activations import ActivationBackward as ActivationBackward
from .activations import activation as activation
from .activations import activation_backward as activation_backward
from .activations import clipped_relu as clipped_relu
from .activations import elu as elu
from .activations import gelu as gelu
from .activations import gelu_tanh as gelu_tanh
from .activations import identity as identity
from .activations import leaky_relu as leaky_relu
from .activations import relu as relu
from .activations import sigmoid as sigmoid
from .activations import silu as silu
from .activations import softplus as softplus
from .activations import swish as swish
from .activations import tanh as tanh
from .aggregation import Aggregation as Aggregation
from .aggregation import AggregationBackward as AggregationBackward
from .aggregation import AggregationResults as AggregationResults
from .aggregation import aggregate as aggregate
from .aggregation import aggregate_backward as aggregate_backward
from .attention import Attention as Attention
from .attention import AttentionBackward as AttentionBackward
from .attention import AttentionFP8Gradients as AttentionFP8Gradients
from .attention import AttentionFP8Results as AttentionFP8Results
from .attention import AttentionGradients as AttentionGradients
from .attention import AttentionResults as AttentionResults
from .attention import AttentionSinkGradients as AttentionSinkGradients
from .attention import attention as attention
from .attention import attention_backward as attention_backward
from .batch_norm import BatchNorm as BatchNorm
from .batch_norm import BatchNormBackward as BatchNormBackward
from .batch_norm import BatchNormInference as BatchNormInference
from .batch_norm import batch_norm as batch_norm
from .batch_norm import batch_norm_backward as batch_norm_backward
from .batch_norm import batch_norm_inference as batch_norm_inference
from .batch_norm_activation import BatchNormActivation as BatchNormActivation
from .batch_norm_activation import BatchNormActivationBackward as BatchNormActivationBackward
from .batch_norm_activation import BatchNormActivationGradients as BatchNormActivationGradients
from .batch_norm_activation import BatchNormActivationResults as BatchNormActivationResults
from .batch_norm_activation import batch_norm_activation as batch_norm_activation
from .batch_norm_activation import batch_norm_activation_backward as batch_norm_activation_backward
from .candidates import candidates as candidates
from .causal import CausalConvolution as CausalConvolution
from .causal import CausalConvolutionBackward as CausalConvolutionBackward
from .causal import CausalGradients as CausalGradients
from .causal import FFTCausalConvolution as FFTCausalConvolution
from .causal import FFTCausalConvolutionBackward as FFTCausalConvolutionBackward
from .causal import FFTCausalGradients as FFTCausalGradients
from .causal import FFTCausalResults as FFTCausalResults
from .causal import causal_convolution as causal_convolution
from .causal import causal_convolution_backward as causal_convolution_backward
from .causal import fft_causal_convolution as fft_causal_convolution
from .causal import fft_causal_convolution_backward as fft_causal_convolution_backward
from .classic import Classic as Classic
from .convolution import Convolution as Convolution
from .convolution import ConvolutionGradients as ConvolutionGradients
from .convolution import ConvolutionTranspose as ConvolutionTranspose
from .convolution import convolution as convolution
from .convolution import convolution_transpose as convolution_transpose
from .cross_entropy import CrossEntropy as CrossEntropy
from .cross_entropy import CrossEntropyBackward as CrossEntropyBackward
from .cross_entropy import cross_entropy as cross_entropy
from .cross_entropy import cross_entropy_backward as cross_entropy_backward
from .dropout import Dropout as Dropout
from .dropout import DropoutBackward as DropoutBackward
from .dropout import Dropped as Dropped
from .dropout import dropout as dropout
from .dropout import dropout_backward as dropout_backward
from .folding import Col2Im as Col2Im
from .folding import Fold as Fold
from .folding import Im2Col as Im2Col
from .folding import Unfold as Unfold
from .folding import col2im as col2im
from .folding import fold as fold
from .folding import im2col as im2col
from .folding import unfold as unfold
from .gradients import ConvolutionBackwardBias as ConvolutionBackwardBias
from .gradients import ConvolutionBackwardData as ConvolutionBackwardData
from .gradients import ConvolutionBackwardFilter as ConvolutionBackwardFilter
from .gradients import convolution_backward_bias as convolution_backward_bias
from .gradients import convolution_backward_data as convolution_backward_data
from .gradients import convolution_backward_filter as convolution_backward_filter
from .group_norm import GroupNorm as GroupNorm
from .group_norm import GroupNormBackward as GroupNormBackward
from .group_norm import group_norm as group_norm
from .group_norm import group_norm_backward as group_norm_backward
from .heads import MultiHeadParameter as MultiHeadParameter
from .listing import Candidate as Candidate
from .listing import Candidates as Candidates
from .local_norms import DivisiveGradients as DivisiveGradients
from .local_norms import DivisiveNorm as DivisiveNorm
from .local_norms import DivisiveNormBackward as DivisiveNormBackward
from .local_norms import LocalResponseNorm as LocalResponseNorm
from .local_norms import LocalResponseNormBackward as LocalResponseNormBackward
from .local_norms import divisive_norm as divisive_norm
from .local_norms import divisive_norm_backward as divisive_norm_backward
from .local_norms import local_response_norm as local_response_norm
from .local_norms import local_response_norm_backward as local_response_norm_backward
from .losses import CTCLoss as CTCLoss
from .losses import CTCResults as CTCResults
from .losses import ctc_loss as ctc_loss
from .multi_head import MultiHeadAttention as MultiHeadAttention
from .multi_head import MultiHeadAttentionBackward as MultiHeadAttentionBackward
from .multi_head import MultiHeadGradients as MultiHeadGradients
from .multi_head import MultiHeadResults as MultiHeadResults
from .multi_head import multi_head_attention as multi_head_attention
from .multi_head import multi_head_attention_backward as multi_head_attention_backward
from .networks import Parameter as Parameter
from .norms import InstanceNorm as InstanceNorm
from .norms import InstanceNormBackward as InstanceNormBackward
from .norms import LayerNorm as LayerNorm
from .norms import LayerNormBackward as LayerNormBackward
from .norms import RMSNorm as RMSNorm
from .norms import RMSNormBackward as RMSNormBackward
from .norms import instance_norm as instance_norm
from .norms import instance_norm_backward as instance_norm_backward
from .norms import layer_norm as layer_norm
from .norms import layer_norm_backward as layer_norm_backward
from .norms import rms_norm as rms_norm
from .norms import rms_norm_backward as rms_norm_backward
from .operation import Operation as Operation
from .operation import Unfit as Unfit
from .pooling import Pooling as Pooling
from .pooling import PoolingBackward as PoolingBackward
from .pooling import average_pool as average_pool
from .pooling import max_pool as max_pool
from .pooling import pooling_backward as pooling_backward
from .pooling import sum_pool as sum_pool
from .recording import Entry as Entry
from .recording import Recording as Recording
from .recording import record as record
from .recurrent import GRU as GRU
from .recurrent import LSTM as LSTM
from .recurrent import RNN as RNN
from .recurrent import Recurrent as Recurrent
from .recurrent import gru as gru
from .recurrent import lstm as lstm
from .recurrent import rnn as rnn
from .recurrent import rnn_backward as rnn_backward
from .recurrent import rnn_backward_data as rnn_backward_data
from .recurrent import rnn_backward_weights as rnn_backward_weights
from .recurrent_gradients import RNNBackwardData as RNNBackwardData
from .recurrent_gradients import RNNBackwardWeights as RNNBackwardWeights
from .recurrent_gradients import RNNGradients as RNNGradients
from .recurrent_gradients import RNNReserve as RNNReserve
from .recurrent_gradients import RNNResults as RNNResults
from .softmax import Softmax as Softmax
from .softmax import SoftmaxBackward as SoftmaxBackward
from .softmax import log_softmax as log_softmax
from .softmax import softmax as softmax
from .softmax import softmax_backward as softmax_backward
from .spatial import AffineGrid as AffineGrid
from .spatial import AffineGridBackward as AffineGridBackward
from .spatial import GridSample as GridSample
from .spatial import GridSampleBackward as GridSampleBackward
from .spatial import GridSampleGradients as GridSampleGradients
from .spatial import affine_grid as affine_grid
from .spatial import affine_grid_backward as affine_grid_backward
from .spatial import grid_sample as grid_sample
from .spatial import grid_sample_backward as grid_sample_backward
from .specs import Spec as Spec
from .states import RandomState as RandomState
from .statistics import NormGradients as NormGradients
from .statistics import NormResults as NormResults
from .tensors import Fill as Fill
from .tensors import Reduction as Reduction
from .tensors import Scale as Scale
from .tensors import TensorOperation as TensorOperation
from .tensors import Transform as Transform
from .tensors import add as add
from .tensors import fill as fill
from .tensors import reduce as reduce
from .tensors import scale as scale
from .tensors import tensor_operation as tensor_operation
from .tensors import transform as transform

from .._support.results import tell_fields as _tell_fields  # isort: skip
from .._words import equip as _equip  # isort: skip
from .candidates import FUNCTIONS as _FUNCTIONS  # isort: skip
from .operation import CLASSES as _CLASSES  # isort: skip
from .shortcuts import cover as _cover  # isort: skip
from .signatures import tell as _tell  # isort: skip

_cover(globals(), {each.__module__ for each in _CLASSES.values()})

#: The class of operations that each function calls, by the name of the function.
OPERATIONS: dict[str, type[Operation]] = {
    **{word: cls for word, cls in _CLASSES.items() if cls is not Pooling},
    **{name: _CLASSES[word] for name, (word, _) in _FUNCTIONS.items()},
}

for _name, _class in OPERATIONS.items():
    _tell(globals()[_name], _class)

# Whoever takes several results for one array is told which they are.
for _each in tuple(globals().values()):
    if isinstance(_each, type) and issubclass(_each, tuple) and hasattr(_each, "_fields"):
        setattr(_each, "__getattr__", _tell_fields)  # noqa: B010  mypy: it has none

_equip(__name__)
