"""JAX: plans and operations inside `jax.jit`, `jax.grad` and `jax.vmap`.

XLA calls them itself, in its own streams, by a handler in C. Importing this imports JAX. The rest
of the package needs no JAX. See docs/jax.md.
"""

from __future__ import annotations

TYPE_CHECKING = False

#: Minimum version of JAX.
LEAST = (0, 5)


def _check() -> None:
    """Import JAX.

    Raises:
        ImportError: there is none, or it is too old; it says what to install.
    """
    wanted = ".".join(map(str, LEAST))
    install = f'pip install "jax[cuda13]>={wanted}", or "jax[cuda12]>={wanted}" for CUDA 12'
    advice = f"cudnn_cffi.jax needs JAX {wanted} or newer: {install}"
    try:
        import jax
        import jaxlib
    except ImportError as error:
        raise ImportError(f"{advice} ({error})", name="jax") from error
    for each in (jax, jaxlib):
        version = str(each.__version__)
        if tuple(int(part) for part in version.split(".")[:2]) < LEAST:
            raise ImportError(f"{advice} ({each.__name__} {version} is installed)", name="jax")


_check()

from .calls import call as call  # noqa: E402
from .operations import NAMES, function  # noqa: E402

__all__ = ("call", *NAMES)

if TYPE_CHECKING:
    from ..ops import activation as activation
    from ..ops import activation_backward as activation_backward
    from ..ops import add as add
    from ..ops import affine_grid as affine_grid
    from ..ops import affine_grid_backward as affine_grid_backward
    from ..ops import aggregate as aggregate
    from ..ops import aggregate_backward as aggregate_backward
    from ..ops import attention as attention
    from ..ops import attention_backward as attention_backward
    from ..ops import average_pool as average_pool
    from ..ops import batch_norm as batch_norm
    from ..ops import batch_norm_activation as batch_norm_activation
    from ..ops import batch_norm_activation_backward as batch_norm_activation_backward
    from ..ops import batch_norm_backward as batch_norm_backward
    from ..ops import batch_norm_inference as batch_norm_inference
    from ..ops import causal_convolution as causal_convolution
    from ..ops import causal_convolution_backward as causal_convolution_backward
    from ..ops import clipped_relu as clipped_relu
    from ..ops import col2im as col2im
    from ..ops import convolution as convolution
    from ..ops import convolution_backward_bias as convolution_backward_bias
    from ..ops import convolution_backward_data as convolution_backward_data
    from ..ops import convolution_backward_filter as convolution_backward_filter
    from ..ops import convolution_transpose as convolution_transpose
    from ..ops import cross_entropy as cross_entropy
    from ..ops import cross_entropy_backward as cross_entropy_backward
    from ..ops import ctc_loss as ctc_loss
    from ..ops import divisive_norm as divisive_norm
    from ..ops import divisive_norm_backward as divisive_norm_backward
    from ..ops import elu as elu
    from ..ops import fft_causal_convolution as fft_causal_convolution
    from ..ops import fft_causal_convolution_backward as fft_causal_convolution_backward
    from ..ops import fold as fold
    from ..ops import gelu as gelu
    from ..ops import gelu_tanh as gelu_tanh
    from ..ops import grid_sample as grid_sample
    from ..ops import grid_sample_backward as grid_sample_backward
    from ..ops import group_norm as group_norm
    from ..ops import group_norm_backward as group_norm_backward
    from ..ops import identity as identity
    from ..ops import im2col as im2col
    from ..ops import instance_norm as instance_norm
    from ..ops import instance_norm_backward as instance_norm_backward
    from ..ops import layer_norm as layer_norm
    from ..ops import layer_norm_backward as layer_norm_backward
    from ..ops import leaky_relu as leaky_relu
    from ..ops import local_response_norm as local_response_norm
    from ..ops import local_response_norm_backward as local_response_norm_backward
    from ..ops import log_softmax as log_softmax
    from ..ops import max_pool as max_pool
    from ..ops import pooling_backward as pooling_backward
    from ..ops import reduce as reduce
    from ..ops import relu as relu
    from ..ops import rms_norm as rms_norm
    from ..ops import rms_norm_backward as rms_norm_backward
    from ..ops import sigmoid as sigmoid
    from ..ops import silu as silu
    from ..ops import softmax as softmax
    from ..ops import softmax_backward as softmax_backward
    from ..ops import softplus as softplus
    from ..ops import sum_pool as sum_pool
    from ..ops import swish as swish
    from ..ops import tanh as tanh
    from ..ops import tensor_operation as tensor_operation
    from ..ops import unfold as unfold
else:
    globals().update({name: function(name) for name in NAMES})
