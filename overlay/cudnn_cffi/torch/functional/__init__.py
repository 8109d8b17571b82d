"""Functions with gradients; names and arguments are those of `torch.nn.functional`.

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
from .activations import tanh as tanh
from .attention import scaled_dot_product_attention as scaled_dot_product_attention
from .convolution import conv1d as conv1d
from .convolution import conv2d as conv2d
from .convolution import conv3d as conv3d
from .convolution import conv_transpose1d as conv_transpose1d
from .convolution import conv_transpose2d as conv_transpose2d
from .convolution import conv_transpose3d as conv_transpose3d
from .local_norms import divisive_norm as divisive_norm
from .local_norms import group_norm as group_norm
from .local_norms import local_response_norm as local_response_norm
from .losses import cross_entropy as cross_entropy
from .losses import ctc_loss as ctc_loss
from .losses import dropout as dropout
from .norms import batch_norm as batch_norm
from .norms import instance_norm as instance_norm
from .norms import layer_norm as layer_norm
from .norms import rms_norm as rms_norm
from .pooling import avg_pool1d as avg_pool1d
from .pooling import avg_pool2d as avg_pool2d
from .pooling import avg_pool3d as avg_pool3d
from .pooling import max_pool1d as max_pool1d
from .pooling import max_pool2d as max_pool2d
from .pooling import max_pool3d as max_pool3d
from .spatial import affine_grid as affine_grid
from .spatial import grid_sample as grid_sample
