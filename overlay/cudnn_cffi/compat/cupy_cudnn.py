"""The functions of CuPy 13's `cupy.cudnn`, on the cuDNN that is loaded.

They take arrays of CuPy and compute in its current stream. Names, arguments and results are those
of CuPy 13.6. Convolutions go to `cudnn_cffi.ops`, which finds engines within the limit of the
workspace and remembers them for each kind of arrays. Recurrent networks go to the functions of
cuDNN 8 and later. CuPy is imported when the first function needs it. docs/porting/cupy.md lists
what differs.
"""

from __future__ import annotations

from ._cupy.convolutions import convolution_backward_data as convolution_backward_data
from ._cupy.convolutions import convolution_backward_filter as convolution_backward_filter
from ._cupy.convolutions import convolution_forward as convolution_forward
from ._cupy.descriptors import Descriptor as Descriptor
from ._cupy.descriptors import create_activation_descriptor as create_activation_descriptor
from ._cupy.descriptors import create_convolution_descriptor as create_convolution_descriptor
from ._cupy.descriptors import create_dropout_descriptor as create_dropout_descriptor
from ._cupy.descriptors import create_filter_descriptor as create_filter_descriptor
from ._cupy.descriptors import create_pooling_descriptor as create_pooling_descriptor
from ._cupy.descriptors import create_rnn_descriptor as create_rnn_descriptor
from ._cupy.descriptors import create_tensor_descriptor as create_tensor_descriptor
from ._cupy.descriptors import create_tensor_nd_descriptor as create_tensor_nd_descriptor
from ._cupy.descriptors import (
    create_uninitialized_tensor_descriptor as create_uninitialized_tensor_descriptor,
)
from ._cupy.descriptors import get_data_type as get_data_type
from ._cupy.descriptors import get_handle as get_handle
from ._cupy.descriptors import get_max_workspace_size as get_max_workspace_size
from ._cupy.descriptors import is_tensor_core_available as is_tensor_core_available
from ._cupy.descriptors import reset_handles as reset_handles
from ._cupy.descriptors import set_dropout_descriptor as set_dropout_descriptor
from ._cupy.descriptors import set_max_workspace_size as set_max_workspace_size
from ._cupy.fused import create_fused_ops_const_param_pack as create_fused_ops_const_param_pack
from ._cupy.fused import create_fused_ops_plan as create_fused_ops_plan
from ._cupy.fused import create_fused_ops_variant_param_pack as create_fused_ops_variant_param_pack
from ._cupy.fused import fused_ops_execute as fused_ops_execute
from ._cupy.fused import (
    get_fused_ops_const_param_pack_attribute as get_fused_ops_const_param_pack_attribute,
)
from ._cupy.fused import (
    get_fused_ops_variant_param_pack_attribute as get_fused_ops_variant_param_pack_attribute,
)
from ._cupy.fused import make_fused_ops_plan as make_fused_ops_plan
from ._cupy.fused import (
    set_fused_ops_const_param_pack_attribute as set_fused_ops_const_param_pack_attribute,
)
from ._cupy.fused import (
    set_fused_ops_variant_param_pack_attribute as set_fused_ops_variant_param_pack_attribute,
)
from ._cupy.layers import DropoutStates as DropoutStates
from ._cupy.layers import activation_backward as activation_backward
from ._cupy.layers import activation_forward as activation_forward
from ._cupy.layers import add_tensor as add_tensor
from ._cupy.layers import create_dropout_states as create_dropout_states
from ._cupy.layers import create_op_tensor_descriptor as create_op_tensor_descriptor
from ._cupy.layers import create_reduce_tensor_descriptor as create_reduce_tensor_descriptor
from ._cupy.layers import (
    create_spatial_transformer_descriptor as create_spatial_transformer_descriptor,
)
from ._cupy.layers import ctc_loss as ctc_loss
from ._cupy.layers import pooling_backward as pooling_backward
from ._cupy.layers import pooling_forward as pooling_forward
from ._cupy.layers import softmax_backward as softmax_backward
from ._cupy.layers import softmax_forward as softmax_forward
from ._cupy.networks import get_rnn_lin_layer_bias_params as get_rnn_lin_layer_bias_params
from ._cupy.networks import get_rnn_lin_layer_matrix_params as get_rnn_lin_layer_matrix_params
from ._cupy.networks import rnn_backward_data as rnn_backward_data
from ._cupy.networks import rnn_backward_data_ex as rnn_backward_data_ex
from ._cupy.networks import rnn_backward_weights as rnn_backward_weights
from ._cupy.networks import rnn_backward_weights_ex as rnn_backward_weights_ex
from ._cupy.networks import rnn_forward_inference as rnn_forward_inference
from ._cupy.networks import rnn_forward_inference_ex as rnn_forward_inference_ex
from ._cupy.networks import rnn_forward_training as rnn_forward_training
from ._cupy.networks import rnn_forward_training_ex as rnn_forward_training_ex
from ._cupy.norms import batch_normalization_backward as batch_normalization_backward
from ._cupy.norms import (
    batch_normalization_forward_inference as batch_normalization_forward_inference,
)
from ._cupy.norms import (
    batch_normalization_forward_training as batch_normalization_forward_training,
)
from ._cupy.norms import (
    batch_normalization_forward_training_ex as batch_normalization_forward_training_ex,
)

__all__ = [
    name
    for name, each in sorted(globals().items())
    if str(getattr(each, "__module__", "")).startswith(f"{__package__}._cupy.")
]
