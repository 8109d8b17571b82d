# Written by scripts/stubs.py from the records of methods: change these.
import builtins
from collections.abc import Mapping, Sequence
from typing import NoReturn, Unpack

from .. import enums
from ..tensors import Operand, OutDims, Tensor
from .options import AllOptions, Options
from .records import Method

Made = Tensor | list[Tensor] | list[Tensor | None]

class Operations:
    def _add(
        self,
        method: Method,
        given: Mapping[str, object],
        name: str,
        compute_data_type: object,
        out_dims: OutDims | None = None,
    ) -> Made: ...
    def _add_attention(
        self, method: Method, tensors: tuple[object, ...], options: dict[str, object]
    ) -> Made: ...
    def conv_fprop(
        self,
        image: Operand,
        weight: Operand,
        padding: Sequence[int] | None = ...,
        pre_padding: Sequence[int] | None = ...,
        post_padding: Sequence[int] | None = ...,
        stride: Sequence[int] | None = ...,
        dilation: Sequence[int] | None = ...,
        convolution_mode: enums.convolution_mode | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a convolution of an image (N, C, ...) with filters (K, C / groups, ...)."""
    def conv_dgrad(
        self,
        loss: Operand,
        filter: Operand,
        padding: Sequence[int] | None = ...,
        pre_padding: Sequence[int] | None = ...,
        post_padding: Sequence[int] | None = ...,
        stride: Sequence[int] | None = ...,
        dilation: Sequence[int] | None = ...,
        convolution_mode: enums.convolution_mode | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return the gradient of a convolution for its image; `set_dim` tells its extents."""
    def conv_wgrad(
        self,
        image: Operand,
        loss: Operand,
        padding: Sequence[int] | None = ...,
        pre_padding: Sequence[int] | None = ...,
        post_padding: Sequence[int] | None = ...,
        stride: Sequence[int] | None = ...,
        dilation: Sequence[int] | None = ...,
        convolution_mode: enums.convolution_mode | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return the gradient of a convolution for its filters; `set_dim` tells their extents."""
    def matmul(
        self,
        A: Operand,
        B: Operand,
        compute_data_type: object = ...,
        padding: float = ...,
        name: str = ...,
    ) -> Tensor:
        """Return the product of matrices (..., M, K) and (..., K, N)."""
    def reduction(
        self,
        input: Operand,
        group_offset: Operand | None = ...,
        mode: enums.reduction_mode | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a reduction to the extents that `set_dim` or `out_dims` tells."""
    def genstats(
        self,
        input: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor]:
        """Return the sums of a tensor and of its squares for each channel."""
    def slice(
        self,
        input: Operand,
        slices: Sequence[builtins.slice] = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a part of a tensor: `input[slices]`, with a `slice` for each dimension."""
    def reshape(
        self,
        input: Operand,
        reshape_mode: enums.reshape_mode | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a tensor with the extents, and the strides, that setters of the result tell."""
    def transpose(
        self,
        input: Operand,
        permutation: Sequence[int],
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a tensor with its dimensions in another order."""
    def concatenate(
        self,
        inputs: Sequence[Operand],
        axis: int,
        in_place_index: int | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return tensors joined along a dimension."""
    def block_scale_quantize(
        self,
        input: Operand,
        group_offset: Operand | None = ...,
        block_size: int = ...,
        axis: int | None = ...,
        transpose: bool | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor]:
        """Return a tensor with a scale for each block of elements, and the scales."""
    def block_scale_dequantize(
        self,
        input: Operand,
        descale: Operand,
        block_size: int | Sequence[int],
        is_negative_scale: bool | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a tensor whose blocks are multiplied by their scales."""
    def moe_grouped_matmul(
        self,
        token: Operand,
        weight: Operand,
        first_token_offset: Operand,
        token_index: Operand | None = ...,
        token_ks: Operand | None = ...,
        mode: enums.moe_grouped_matmul_mode | None = ...,
        top_k: int | None = ...,
        *,
        top_k_scores: Operand | None = ...,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return the tokens of each expert multiplied by its weights."""
    def moe_grouped_matmul_bwd(
        self,
        doutput: Operand,
        token: Operand,
        first_token_offset: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return the gradient of the weights of `moe_grouped_matmul`."""
    def rope(
        self,
        input: Operand,
        freqs: Operand,
        output_scale: float | None = ...,
        rope_dim: int | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a tensor with a rotary embedding."""
    def rope_backward(
        self,
        dY: Operand,
        freqs: Operand,
        output_scale: float | None = ...,
        rope_dim: int | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return the gradient of `rope`."""
    def rmsnorm(
        self,
        input: Operand,
        scale: Operand | None = ...,
        bias: Operand | None = ...,
        epsilon: Operand | None = ...,
        norm_forward_phase: enums.norm_forward_phase | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the result of an RMS normalization, and the inverse root mean square."""
    def layernorm(
        self,
        input: Operand,
        scale: Operand | None = ...,
        bias: Operand | None = ...,
        epsilon: Operand | None = ...,
        norm_forward_phase: enums.norm_forward_phase | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the result of a layer normalization, mean and inverse deviation."""
    def adalayernorm(
        self,
        input: Operand,
        scale: Operand,
        bias: Operand | None = ...,
        epsilon: Operand | None = ...,
        norm_forward_phase: enums.norm_forward_phase | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return a layer normalization with a scale for each batch entry, and statistics."""
    def instancenorm(
        self,
        input: Operand,
        scale: Operand,
        bias: Operand | None = ...,
        epsilon: Operand | None = ...,
        norm_forward_phase: enums.norm_forward_phase | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the result of an instance normalization, mean and inverse deviation."""
    def layernorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand | None = ...,
        mean: Operand | None = ...,
        inv_variance: Operand | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the gradients of `layernorm` for its input, scale and bias."""
    def adalayernorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand,
        mean: Operand,
        inv_variance: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the gradients of `adalayernorm` for its input, scale and bias."""
    def instancenorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand,
        mean: Operand,
        inv_variance: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the gradients of `instancenorm` for its input, scale and bias."""
    def rmsnorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand | None = ...,
        inv_variance: Operand | None = ...,
        has_dbias: bool | None = ...,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the gradients of `rmsnorm` for its input, scale, and bias if it had one."""
    def batchnorm(
        self,
        input: Operand,
        scale: Operand,
        bias: Operand,
        in_running_mean: Operand | None = ...,
        in_running_var: Operand | None = ...,
        epsilon: Operand | None = ...,
        momentum: Operand | None = ...,
        *,
        peer_stats: Sequence[Operand] = ...,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return a batch normalization: result, mean, inverse deviation, running statistics."""
    def batchnorm_inference(
        self,
        input: Operand,
        mean: Operand,
        inv_variance: Operand,
        scale: Operand,
        bias: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> Tensor:
        """Return a batch normalization by statistics that are known."""
    def batchnorm_backward(
        self,
        grad: Operand,
        input: Operand,
        scale: Operand,
        mean: Operand,
        inv_variance: Operand,
        *,
        peer_stats: Sequence[Operand] = ...,
        name: str = ...,
        compute_data_type: object = ...,
        out_dims: OutDims | None = ...,
    ) -> list[Tensor | None]:
        """Return the gradients of `batchnorm` for its input, scale and bias."""
    def abs(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the absolute values."""
    def ceil(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the values rounded up."""
    def cos(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the cosine."""
    def elu(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return ELU."""
    def erf(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the error function."""
    def exp(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the exponential."""
    def floor(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the values rounded down."""
    def gelu(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return GELU."""
    def gelu_approx_tanh(
        self, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return GELU, approximated by the hyperbolic tangent."""
    def identity(
        self, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the same values, in another data type."""
    def log(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the natural logarithm."""
    def logical_not(
        self, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return whether a value is zero."""
    def neg(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the negative values."""
    def reciprocal(
        self, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return 1 / input."""
    def rsqrt(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return 1 / sqrt(input)."""
    def sigmoid(
        self, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the logistic function."""
    def sin(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the sine."""
    def softplus(
        self, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return softplus."""
    def sqrt(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the square root."""
    def tan(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the tangent."""
    def tanh(self, input: Operand, *, name: str = ..., compute_data_type: object = ...) -> Tensor:
        """Return the hyperbolic tangent."""
    def add(
        self, a: Operand, b: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return a + b."""
    def add_square(
        self, a: Operand, b: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return a + b * b."""
    def div(
        self, a: Operand, b: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return a / b."""
    def logical_and(
        self, a: Operand, b: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return whether both are true."""
    def logical_or(
        self, a: Operand, b: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return whether one is true."""
    def mul(
        self, a: Operand, b: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return a * b."""
    def sub(
        self, a: Operand, b: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return a - b."""
    def max(
        self, input0: Operand, input1: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the greater one of two values."""
    def min(
        self, input0: Operand, input1: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the smaller one of two values."""
    def mod(
        self, input0: Operand, input1: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the remainder of input0 / input1."""
    def pow(
        self, input0: Operand, input1: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return input0 ** input1."""
    def cmp_eq(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input == comparison."""
    def cmp_neq(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input != comparison."""
    def cmp_gt(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input > comparison."""
    def cmp_ge(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input >= comparison."""
    def cmp_lt(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input < comparison."""
    def cmp_le(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input <= comparison."""
    def bias(
        self, input: Operand, bias: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return input + bias."""
    def scale(
        self, input: Operand, scale: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return input * scale."""
    def elu_backward(
        self, loss: Operand, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the gradient of `elu`."""
    def gelu_backward(
        self, loss: Operand, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the gradient of `gelu`."""
    def gelu_approx_tanh_backward(
        self, loss: Operand, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the gradient of `gelu_approx_tanh`."""
    def sigmoid_backward(
        self, loss: Operand, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the gradient of `sigmoid`."""
    def softplus_backward(
        self, loss: Operand, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the gradient of `softplus`."""
    def tanh_backward(
        self, loss: Operand, input: Operand, *, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the gradient of `tanh`."""
    def binary_select(
        self,
        input0: Operand,
        input1: Operand,
        mask: Operand,
        *,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input0 where mask is true, input1 elsewhere."""
    def relu(
        self,
        input: Operand,
        negative_slope: float | None = ...,
        lower_clip: float | None = ...,
        upper_clip: float | None = ...,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return ReLU, with a slope below and other bounds if they are given."""
    def relu_backward(
        self,
        loss: Operand,
        input: Operand,
        negative_slope: float | None = ...,
        lower_clip: float | None = ...,
        upper_clip: float | None = ...,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return the gradient of `relu`."""
    def leaky_relu(
        self,
        input: Operand,
        negative_slope: float,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return ReLU with a slope below zero."""
    def leaky_relu_backward(
        self,
        loss: Operand,
        input: Operand,
        negative_slope: float,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return the gradient of `leaky_relu`."""
    def swish(
        self,
        input: Operand,
        swish_beta: float | None = ...,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return input * sigmoid(swish_beta * input)."""
    def swish_backward(
        self,
        loss: Operand,
        input: Operand,
        swish_beta: float | None = ...,
        name: str = ...,
        compute_data_type: object = ...,
    ) -> Tensor:
        """Return the gradient of `swish`."""
    def gen_index(
        self, input: Operand, axis: int, name: str = ..., compute_data_type: object = ...
    ) -> Tensor:
        """Return the index of each element along an axis."""
    def sdpa(
        self, q: Operand, k: Operand, v: Operand, **options: Unpack[AllOptions]
    ) -> list[Tensor | None]:
        """Return the result of attention of q, k and v, and its statistics or None."""
    def sdpa_backward(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        o: Operand,
        dO: Operand,
        stats: Operand,
        **options: Unpack[AllOptions],
    ) -> list[Tensor | None]:
        """Return the gradients of attention for q, k and v."""
    def sdpa_fp8(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        descale_q: Operand,
        descale_k: Operand,
        descale_v: Operand,
        descale_s: Operand,
        scale_s: Operand,
        scale_o: Operand,
        **options: Unpack[Options],
    ) -> list[Tensor | None]:
        """Return attention in FP8: the result, statistics, and greatest absolute values."""
    def sdpa_fp8_backward(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        o: Operand,
        dO: Operand,
        stats: Operand,
        descale_q: Operand,
        descale_k: Operand,
        descale_v: Operand,
        descale_o: Operand,
        descale_dO: Operand,
        descale_s: Operand,
        descale_dP: Operand,
        scale_s: Operand,
        scale_dQ: Operand,
        scale_dK: Operand,
        scale_dV: Operand,
        scale_dP: Operand,
        **options: Unpack[AllOptions],
    ) -> list[Tensor | None]:
        """Return the gradients of attention in FP8, and their greatest absolute values."""
    def sdpa_mxfp8(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        descale_q: Operand,
        descale_k: Operand,
        descale_v: Operand,
        **options: Unpack[AllOptions],
    ) -> list[Tensor | None]:
        """Return attention with block scales: the result, statistics, the greatest value."""
    def sdpa_mxfp8_backward(
        self,
        q: Operand,
        q_T: Operand,
        k: Operand,
        k_T: Operand,
        v: Operand,
        o_f16: Operand,
        dO_f16: Operand,
        dO: Operand,
        dO_T: Operand,
        stats: Operand,
        descale_q: Operand,
        descale_q_T: Operand,
        descale_k: Operand,
        descale_k_T: Operand,
        descale_v: Operand,
        descale_dO: Operand,
        descale_dO_T: Operand,
        **options: Unpack[AllOptions],
    ) -> list[Tensor | None]:
        """Return the gradients of attention with block scales, and their greatest values."""
    def gdn(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdn_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdn_summary(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdn_summary_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdn2(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdn2_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdn2_summary(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdn2_summary_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdp(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdp_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdp_summary(self, *tensors: object, **options: object) -> NoReturn: ...
    def gdp_summary_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def kda(self, *tensors: object, **options: object) -> NoReturn: ...
    def kda_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def kda_summary(self, *tensors: object, **options: object) -> NoReturn: ...
    def kda_summary_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def mamba2(self, *tensors: object, **options: object) -> NoReturn: ...
    def mamba2_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
    def mamba2_summary(self, *tensors: object, **options: object) -> NoReturn: ...
    def mamba2_summary_bwd(self, *tensors: object, **options: object) -> NoReturn: ...
