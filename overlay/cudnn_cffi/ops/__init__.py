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
from .activations import leaky_relu as leaky_relu
from .activations import relu as relu
from .activations import sigmoid as sigmoid
from .activations import silu as silu
from .activations import softplus as softplus
from .activations import swish as swish
from .activations import tanh as tanh
from .candidates import Candidate as Candidate
from .candidates import Candidates as Candidates
from .candidates import candidates as candidates
from .classic import Classic as Classic
from .convolution import Convolution as Convolution
from .convolution import ConvolutionBackwardBias as ConvolutionBackwardBias
from .convolution import ConvolutionBackwardData as ConvolutionBackwardData
from .convolution import ConvolutionBackwardFilter as ConvolutionBackwardFilter
from .convolution import ConvolutionGradients as ConvolutionGradients
from .convolution import ConvolutionTranspose as ConvolutionTranspose
from .convolution import convolution as convolution
from .convolution import convolution_backward_bias as convolution_backward_bias
from .convolution import convolution_backward_data as convolution_backward_data
from .convolution import convolution_backward_filter as convolution_backward_filter
from .convolution import convolution_transpose as convolution_transpose
from .norms import BatchNorm as BatchNorm
from .norms import BatchNormBackward as BatchNormBackward
from .norms import BatchNormInference as BatchNormInference
from .norms import InstanceNorm as InstanceNorm
from .norms import InstanceNormBackward as InstanceNormBackward
from .norms import LayerNorm as LayerNorm
from .norms import LayerNormBackward as LayerNormBackward
from .norms import NormGradients as NormGradients
from .norms import NormResults as NormResults
from .norms import RMSNorm as RMSNorm
from .norms import RMSNormBackward as RMSNormBackward
from .norms import batch_norm as batch_norm
from .norms import batch_norm_backward as batch_norm_backward
from .norms import batch_norm_inference as batch_norm_inference
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
from .recording import Entry as Entry
from .recording import Recording as Recording
from .recording import record as record
from .softmax import Softmax as Softmax
from .softmax import SoftmaxBackward as SoftmaxBackward
from .softmax import log_softmax as log_softmax
from .softmax import softmax as softmax
from .softmax import softmax_backward as softmax_backward
from .specs import Spec as Spec
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

#: The classes of operations, by the names of their functions.
OPERATIONS: dict[str, type[Operation]] = {
    each.word: each
    for each in (
        *(Activation, ActivationBackward, BatchNorm, BatchNormBackward, BatchNormInference),
        *(Convolution, ConvolutionBackwardBias, ConvolutionBackwardData),
        *(ConvolutionBackwardFilter, ConvolutionTranspose, Fill, InstanceNorm),
        *(InstanceNormBackward, LayerNorm, LayerNormBackward, Pooling, PoolingBackward),
        *(RMSNorm, RMSNormBackward, Reduction, Scale, Softmax, SoftmaxBackward),
        *(TensorOperation, Transform),
    )
}
