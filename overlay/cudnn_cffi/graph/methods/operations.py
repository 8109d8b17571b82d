"""The methods of graphs that add operations, from their families."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from ..builder import Builder
from ..record.formulas import told
from ..tensors import Operand, Tensor
from ..whole import wholes
from . import attention, generic, linear, norms, operands, resampling, shapes, special
from .pointwise import pointwise

if TYPE_CHECKING:
    from ..record.types import DType, Settings
    from .pointwise import PointwiseOptions


@wholes
@told
class Operations(Builder):
    """The core of a graph with a method for each operation."""

    # Where results and views lie

    output = operands.output
    workspace = operands.workspace
    view = operands.view

    # Convolutions, products, reductions

    convolution = linear.convolution
    convolution_backward_data = linear.convolution_backward_data
    convolution_transpose = linear.convolution_transpose
    convolution_backward_filter = linear.convolution_backward_filter
    matmul = linear.matmul
    reduction = linear.reduction

    # Pooling

    resample = resampling.resample
    resample_backward = resampling.resample_backward

    # Norms

    norm_forward = norms.norm_forward
    layer_norm = norms.layer_norm
    ada_layer_norm = norms.ada_layer_norm
    rms_norm = norms.rms_norm
    instance_norm = norms.instance_norm
    batch_norm = norms.batch_norm
    norm_backward = norms.norm_backward
    gen_stats = norms.gen_stats
    bn_finalize = norms.bn_finalize
    bn_bwd_weights = norms.bn_bwd_weights

    # Moving data

    concatenate = shapes.concatenate
    reshape = shapes.reshape
    transpose = shapes.transpose
    slice = shapes.slice
    expand = shapes.expand
    signal = shapes.signal
    expand_band_matrix = shapes.expand_band_matrix
    contract_band_matrix = shapes.contract_band_matrix
    diagonal_band_mask = shapes.diagonal_band_mask
    paged_cache_load = shapes.paged_cache_load

    # Language models

    softmax = special.softmax
    rng = special.rng
    block_scale_quantize = special.block_scale_quantize
    block_scale_dequantize = special.block_scale_dequantize
    moe_grouped_matmul = special.moe_grouped_matmul
    moe_grouped_matmul_backward = special.moe_grouped_matmul_backward
    rope = special.rope
    rope_backward = special.rope_backward

    # Attention

    attention_backward = attention.attention_backward
    attention = attention.attention

    # Any other operation

    operation = generic.operation
    add_generic = generic.add_generic

    # Pointwise operations: element by element, with extents of 1 repeated

    pointwise = pointwise

    def batch_norm_inference(
        self,
        x: Tensor,
        mean: Tensor,
        inv_variance: Tensor,
        scale: Tensor,
        bias: Tensor,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Return `(x - mean) * inv_variance * scale + bias`, as four pointwise nodes.

        Before `relu_backward` and `norm_backward`, engines want it as one node:
        `norm_forward("BATCH_NORM", "INFERENCE", ...)`.

        Args:
            x: the input, (N, C, ...).
            mean, inv_variance: the statistics, (1, C, 1, ...): inv_variance is
                1 / sqrt(variance + epsilon).
            scale, bias: (1, C, 1, ...).
            settings: see `Settings`.
        """
        centred = self.pointwise("MUL", self.pointwise("SUB", x, mean), inv_variance)
        return self.pointwise("ADD", self.pointwise("MUL", centred, scale), bias, **settings)

    # Two operands

    def add(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Add `a + b`."""
        return self.pointwise("ADD", a, b, **settings)

    def add_square(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Add `a + b * b`."""
        return self.pointwise("ADD_SQUARE", a, b, **settings)

    def sub(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Subtract: `a - b`."""
        return self.pointwise("SUB", a, b, **settings)

    def mul(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Multiply: `a * b`."""
        return self.pointwise("MUL", a, b, **settings)

    def div(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Divide: `a / b`."""
        return self.pointwise("DIV", a, b, **settings)

    def mod(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the remainder of a division, with the sign of `a`, as C's fmod."""
        return self.pointwise("MOD", a, b, **settings)

    def floor_mod(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the remainder of a division, with the sign of `b`, as Python's `%`."""
        return self.pointwise("FLOOR_MOD", a, b, **settings)

    def pow(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Raise `a` to the power `b`."""
        return self.pointwise("POW", a, b, **settings)

    def atan2(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the angle of the point with ordinate `a` and abscissa `b`."""
        return self.pointwise("ATAN2", a, b, **settings)

    def max(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the larger element of each pair."""
        return self.pointwise("MAX", a, b, **settings)

    def min(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the smaller element of each pair."""
        return self.pointwise("MIN", a, b, **settings)

    def equal(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return whether `a == b`, element by element; BOOLEAN unless another type is set."""
        return self.pointwise("CMP_EQ", a, b, **settings)

    def not_equal(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return whether `a != b`, element by element; BOOLEAN unless another type is set."""
        return self.pointwise("CMP_NEQ", a, b, **settings)

    def greater(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return whether `a > b`, element by element; BOOLEAN unless another type is set."""
        return self.pointwise("CMP_GT", a, b, **settings)

    def greater_equal(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return whether `a >= b`, element by element; BOOLEAN unless another type is set."""
        return self.pointwise("CMP_GE", a, b, **settings)

    def less(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return whether `a < b`, element by element; BOOLEAN unless another type is set."""
        return self.pointwise("CMP_LT", a, b, **settings)

    def less_equal(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return whether `a <= b`, element by element; BOOLEAN unless another type is set."""
        return self.pointwise("CMP_LE", a, b, **settings)

    def logical_and(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return `a and b` of each pair of elements, as BOOLEAN."""
        return self.pointwise("LOGICAL_AND", a, b, **settings)

    def logical_or(self, a: Operand, b: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return `a or b` of each pair of elements, as BOOLEAN."""
        return self.pointwise("LOGICAL_OR", a, b, **settings)

    # One operand

    def logical_not(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return `not x` of each element, as BOOLEAN."""
        return self.pointwise("LOGICAL_NOT", x, **settings)

    def abs(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the absolute value of each element."""
        return self.pointwise("ABS", x, **settings)

    def ceil(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Round each element up to an integer."""
        return self.pointwise("CEIL", x, **settings)

    def floor(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Round each element down to an integer."""
        return self.pointwise("FLOOR", x, **settings)

    def exp(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the exponential of each element."""
        return self.pointwise("EXP", x, **settings)

    def log(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the natural logarithm of each element."""
        return self.pointwise("LOG", x, **settings)

    def neg(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return -x."""
        return self.pointwise("NEG", x, **settings)

    def sqrt(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the square root of each element."""
        return self.pointwise("SQRT", x, **settings)

    def rsqrt(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return 1 / sqrt(x)."""
        return self.pointwise("RSQRT", x, **settings)

    def reciprocal(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return 1 / x."""
        return self.pointwise("RECIPROCAL", x, **settings)

    def sin(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the sine of each element, an angle in radians."""
        return self.pointwise("SIN", x, **settings)

    def cos(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the cosine of each element, an angle in radians."""
        return self.pointwise("COS", x, **settings)

    def tan(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the tangent of each element, an angle in radians."""
        return self.pointwise("TAN", x, **settings)

    def erf(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the error function of each element."""
        return self.pointwise("ERF", x, **settings)

    def identity(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Copy a tensor, with another data type or layout where one is set."""
        return self.pointwise("IDENTITY", x, **settings)

    def cast(self, x: Operand, data_type: DType, *, name: str | None = None) -> Tensor:
        """Convert a tensor to another data type.

        Args:
            x: the input.
            data_type: of the result.
            name: of the node, unique among the graph's nodes.
        """
        return self.pointwise("IDENTITY", x, data_type=data_type, name=name)

    def gen_index(self, x: Operand, axis: int, **settings: Unpack[Settings]) -> Tensor:
        """Return the index of each element along a dimension, in INT32.

        Args:
            x: a tensor, which tells the extents.
            axis: the dimension.
            settings: see `Settings`.
        """
        return self.pointwise("GEN_INDEX", x, axis=axis, **settings)

    # Activations

    def relu(
        self,
        x: Operand,
        *,
        lower_clip: float | None = None,
        upper_clip: float | None = None,
        slope: float | None = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Return max(x, 0); or it kept between clips, with a slope below the lower one.

        Args:
            x: the input.
            lower_clip: the least result; by default 0.
            upper_clip: the greatest result; by default there is none.
            slope: of the result below `lower_clip`, as of a leaky ReLU; by default 0.
            settings: see `Settings`.
        """
        if lower_clip is upper_clip is slope is None:
            return self.pointwise("RELU_FWD", x, **settings)
        clips = _given(lower_clip=lower_clip, upper_clip=upper_clip, slope=slope)
        return self.pointwise("RELU_FWD", x, **clips, **settings)

    def tanh(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the hyperbolic tangent of each element."""
        return self.pointwise("TANH_FWD", x, **settings)

    def sigmoid(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return 1 / (1 + exp(-x))."""
        return self.pointwise("SIGMOID_FWD", x, **settings)

    def elu(
        self, x: Operand, *, alpha: float | None = None, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return x where it is positive, else alpha * (exp(x) - 1).

        Args:
            x: the input.
            alpha: the negative of the limit below zero; by default 1.
            settings: see `Settings`.
        """
        return self.pointwise("ELU_FWD", x, **_given(elu_alpha=alpha), **settings)

    def gelu(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return x times the normal distribution's probability of less than x."""
        return self.pointwise("GELU_FWD", x, **settings)

    def gelu_approx_tanh(self, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return GELU by an approximation with the hyperbolic tangent."""
        return self.pointwise("GELU_APPROX_TANH_FWD", x, **settings)

    def softplus(
        self, x: Operand, *, beta: float | None = None, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return log(1 + exp(beta * x)) / beta.

        Args:
            x: the input.
            beta: the factor of the input; by default 1.
            settings: see `Settings`.
        """
        return self.pointwise("SOFTPLUS_FWD", x, **_given(softplus_beta=beta), **settings)

    def swish(
        self, x: Operand, *, beta: float | None = None, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return x / (1 + exp(-beta * x)); SiLU, if beta is 1.

        Args:
            x: the input.
            beta: the factor of the input; by default 1.
            settings: see `Settings`.
        """
        return self.pointwise("SWISH_FWD", x, swish_beta=1.0 if beta is None else beta, **settings)

    # Their gradients: of the result, and the input of the forward operation

    def relu_backward(
        self,
        dy: Operand,
        x: Operand,
        *,
        lower_clip: float | None = None,
        upper_clip: float | None = None,
        slope: float | None = None,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Return the gradient of `relu` for its input, from that of its result and its input."""
        clips = _given(lower_clip=lower_clip, upper_clip=upper_clip, slope=slope)
        return self.pointwise("RELU_BWD", dy, x, **clips, **settings)

    def tanh_backward(self, dy: Operand, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the gradient of `tanh` for its input."""
        return self.pointwise("TANH_BWD", dy, x, **settings)

    def sigmoid_backward(self, dy: Operand, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the gradient of `sigmoid` for its input."""
        return self.pointwise("SIGMOID_BWD", dy, x, **settings)

    def elu_backward(
        self, dy: Operand, x: Operand, *, alpha: float | None = None, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return the gradient of `elu` for its input."""
        return self.pointwise("ELU_BWD", dy, x, **_given(elu_alpha=alpha), **settings)

    def gelu_backward(self, dy: Operand, x: Operand, **settings: Unpack[Settings]) -> Tensor:
        """Return the gradient of `gelu` for its input."""
        return self.pointwise("GELU_BWD", dy, x, **settings)

    def gelu_approx_tanh_backward(
        self, dy: Operand, x: Operand, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return the gradient of `gelu_approx_tanh` for its input."""
        return self.pointwise("GELU_APPROX_TANH_BWD", dy, x, **settings)

    def softplus_backward(
        self, dy: Operand, x: Operand, *, beta: float | None = None, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return the gradient of `softplus` for its input."""
        return self.pointwise("SOFTPLUS_BWD", dy, x, **_given(softplus_beta=beta), **settings)

    def swish_backward(
        self, dy: Operand, x: Operand, *, beta: float | None = None, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return the gradient of `swish` for its input."""
        return self.pointwise(
            "SWISH_BWD", dy, x, swish_beta=1.0 if beta is None else beta, **settings
        )

    # Three operands

    def binary_select(
        self, x: Operand, b: Operand, condition: Operand, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return the element of `x` where the condition is true, and that of `b` elsewhere.

        Args:
            x, b: tensors or numbers; extents of 1 are repeated.
            condition: BOOLEAN.
            settings: see `Settings`.
        """
        return self.pointwise("BINARY_SELECT", x, b, condition, **settings)


def _given(**options: Unpack[PointwiseOptions]) -> PointwiseOptions:
    given = {name: value for name, value in options.items() if value is not None}
    return cast("PointwiseOptions", given)
