"""Functions with gradients; names and arguments are those of `torch.nn.functional`.

Functions that PyTorch lacks are named as in `cudnn_cffi.ops`.

They compute tensors on a GPU by cuDNN, or raise an error that says why not. `choose` is a choice of
how; see `cudnn_cffi.choice`.
"""

from .activations import clipped_relu as clipped_relu
from .activations import elu as elu
from .activations import gelu as gelu
from .activations import leaky_relu as leaky_relu
from .activations import log_softmax as log_softmax
from .activations import relu as relu
from .activations import relu6 as relu6
from .activations import sigmoid as sigmoid
from .activations import silu as silu
from .activations import softmax as softmax
from .activations import softplus as softplus
from .activations import swish as swish
from .activations import tanh as tanh
from .aggregation import aggregate as aggregate
from .attn.attention import scaled_dot_product_attention as scaled_dot_product_attention
from .attn.decode import decode_attention as decode_attention
from .attn.multi_head import multi_head_attention as multi_head_attention
from .conv.causal import causal_convolution as causal_convolution
from .conv.causal import fft_causal_convolution as fft_causal_convolution
from .conv.columns import blocks_to_channels as blocks_to_channels
from .conv.columns import channels_to_blocks as channels_to_blocks
from .conv.columns import fold as fold
from .conv.columns import unfold as unfold
from .conv.convolution import conv1d as conv1d
from .conv.convolution import conv2d as conv2d
from .conv.convolution import conv3d as conv3d
from .conv.convolution import conv_transpose1d as conv_transpose1d
from .conv.convolution import conv_transpose2d as conv_transpose2d
from .conv.convolution import conv_transpose3d as conv_transpose3d
from .losses import cross_entropy as cross_entropy
from .losses import ctc_loss as ctc_loss
from .losses import dropout as dropout
from .norm.batch import batch_norm as batch_norm
from .norm.batch import batch_norm_activation as batch_norm_activation
from .norm.local import divisive_norm as divisive_norm
from .norm.local import group_norm as group_norm
from .norm.local import local_response_norm as local_response_norm
from .norm.norms import instance_norm as instance_norm
from .norm.norms import layer_norm as layer_norm
from .norm.norms import rms_norm as rms_norm
from .pooling import avg_pool1d as avg_pool1d
from .pooling import avg_pool2d as avg_pool2d
from .pooling import avg_pool3d as avg_pool3d
from .pooling import max_pool1d as max_pool1d
from .pooling import max_pool2d as max_pool2d
from .pooling import max_pool3d as max_pool3d
from .recurrent import gru as gru
from .recurrent import lstm as lstm
from .recurrent import rnn_relu as rnn_relu
from .recurrent import rnn_tanh as rnn_tanh
from .spatial import affine_grid as affine_grid
from .spatial import grid_sample as grid_sample
from .tensors import add as add
from .tensors import reduce as reduce
from .tensors import tensor_operation as tensor_operation
from .tensors import transform as transform

from ..._advice import equip as _equip  # isort: skip
from .. import hints as _words  # isort: skip

_advise = _words.advise_function
_equip(__name__)
