"""The pointwise operations of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..recording import Recorder
from ..tensors import Node, Tensor

if TYPE_CHECKING:
    from ..tensors import Operand

_ACTIVATIONS = (
    *("relu", "elu", "gelu", "gelu_approx_tanh", "sigmoid", "softplus", "swish", "tanh"),
)

#: The mode of each method in cuDNN.
MODES = {
    "bias": "ADD",
    "scale": "MUL",
    "leaky_relu": "RELU_FWD",
    "leaky_relu_backward": "RELU_BWD",
    **{
        word + end: word.upper() + mode
        for word in _ACTIVATIONS
        for end, mode in (("", "_FWD"), ("_backward", "_BWD"))
    },
}


def _broadcast(node: Node) -> Mapping[str, Sequence[int]]:
    """Return the extents of a result: those of its operands, with extents of 1 repeated.

    A number that the graph knows has as many dimensions as the others.
    """
    result: list[int] = []
    operands = [each for each in node.inputs.values() if each.pass_by_value is None]
    for each in operands or node.inputs.values():
        dim = list(each.dim)
        if not dim:
            return {}
        long, short = (dim, result) if len(dim) > len(result) else (result, dim)
        for at in range(1, len(short) + 1):
            one, other = long[-at], short[-at]
            if one != other and 1 not in (one, other):
                shapes = ", ".join(f"{t.name} {list(t.dim)}" for t in node.inputs.values())
                raise ValueError(f"node {node.name!r}: extents do not go together: {shapes}")
            long[-at] = max(one, other)
        result = long
    return {"OUT_0": result}


class Pointwise(Recorder):
    """Operations that compute element by element, with extents of 1 repeated."""

    def _pointwise(
        self, word: str, name: str, compute_data_type: object, *operands: Any, **params: Any
    ) -> Tensor:
        for each in operands:
            if each is None:
                raise TypeError(f"{word}: expected {len(operands)} tensors, got None")
        inputs = {f"IN_{place}": each for place, each in enumerate(operands)}
        (result,) = self.add_node(
            word,
            "POINTWISE",
            inputs,
            {"mode": word, **params},
            {"OUT_0": "OUT_0"},
            name,
            compute_data_type,
            _broadcast,
        )
        return result

    def abs(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the absolute values."""
        return self._pointwise("abs", name, compute_data_type, input)

    def ceil(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the values rounded up."""
        return self._pointwise("ceil", name, compute_data_type, input)

    def cos(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the cosine."""
        return self._pointwise("cos", name, compute_data_type, input)

    def elu(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return ELU."""
        return self._pointwise("elu", name, compute_data_type, input)

    def erf(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the error function."""
        return self._pointwise("erf", name, compute_data_type, input)

    def exp(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the exponential."""
        return self._pointwise("exp", name, compute_data_type, input)

    def floor(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the values rounded down."""
        return self._pointwise("floor", name, compute_data_type, input)

    def gelu(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return GELU."""
        return self._pointwise("gelu", name, compute_data_type, input)

    def gelu_approx_tanh(
        self, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return GELU, approximated by the hyperbolic tangent."""
        return self._pointwise("gelu_approx_tanh", name, compute_data_type, input)

    def identity(
        self, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the same values, in another data type."""
        return self._pointwise("identity", name, compute_data_type, input)

    def log(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the natural logarithm."""
        return self._pointwise("log", name, compute_data_type, input)

    def logical_not(
        self, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return whether a value is zero."""
        return self._pointwise("logical_not", name, compute_data_type, input)

    def neg(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the negative values."""
        return self._pointwise("neg", name, compute_data_type, input)

    def reciprocal(
        self, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return 1 / input."""
        return self._pointwise("reciprocal", name, compute_data_type, input)

    def rsqrt(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return 1 / sqrt(input)."""
        return self._pointwise("rsqrt", name, compute_data_type, input)

    def sigmoid(
        self, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the logistic function."""
        return self._pointwise("sigmoid", name, compute_data_type, input)

    def sin(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the sine."""
        return self._pointwise("sin", name, compute_data_type, input)

    def softplus(
        self, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return softplus."""
        return self._pointwise("softplus", name, compute_data_type, input)

    def sqrt(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the square root."""
        return self._pointwise("sqrt", name, compute_data_type, input)

    def tan(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the tangent."""
        return self._pointwise("tan", name, compute_data_type, input)

    def tanh(self, input: Operand, *, name: str = "", compute_data_type: object = None) -> Tensor:
        """Return the hyperbolic tangent."""
        return self._pointwise("tanh", name, compute_data_type, input)

    def add(
        self, a: Operand, b: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return a + b."""
        return self._pointwise("add", name, compute_data_type, a, b)

    def add_square(
        self, a: Operand, b: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return a + b * b."""
        return self._pointwise("add_square", name, compute_data_type, a, b)

    def div(
        self, a: Operand, b: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return a / b."""
        return self._pointwise("div", name, compute_data_type, a, b)

    def logical_and(
        self, a: Operand, b: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return whether both are true."""
        return self._pointwise("logical_and", name, compute_data_type, a, b)

    def logical_or(
        self, a: Operand, b: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return whether one is true."""
        return self._pointwise("logical_or", name, compute_data_type, a, b)

    def mul(
        self, a: Operand, b: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return a * b."""
        return self._pointwise("mul", name, compute_data_type, a, b)

    def sub(
        self, a: Operand, b: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return a - b."""
        return self._pointwise("sub", name, compute_data_type, a, b)

    def max(
        self, input0: Operand, input1: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the greater one of two values."""
        return self._pointwise("max", name, compute_data_type, input0, input1)

    def min(
        self, input0: Operand, input1: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the smaller one of two values."""
        return self._pointwise("min", name, compute_data_type, input0, input1)

    def mod(
        self, input0: Operand, input1: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the remainder of input0 / input1."""
        return self._pointwise("mod", name, compute_data_type, input0, input1)

    def pow(
        self, input0: Operand, input1: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return input0 ** input1."""
        return self._pointwise("pow", name, compute_data_type, input0, input1)

    def cmp_eq(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input == comparison."""
        return self._pointwise("cmp_eq", name, compute_data_type, input, comparison)

    def cmp_neq(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input != comparison."""
        return self._pointwise("cmp_neq", name, compute_data_type, input, comparison)

    def cmp_gt(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input > comparison."""
        return self._pointwise("cmp_gt", name, compute_data_type, input, comparison)

    def cmp_ge(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input >= comparison."""
        return self._pointwise("cmp_ge", name, compute_data_type, input, comparison)

    def cmp_lt(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input < comparison."""
        return self._pointwise("cmp_lt", name, compute_data_type, input, comparison)

    def cmp_le(
        self,
        input: Operand,
        comparison: Operand,
        *,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input <= comparison."""
        return self._pointwise("cmp_le", name, compute_data_type, input, comparison)

    def bias(
        self, input: Operand, bias: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return input + bias."""
        return self._pointwise("bias", name, compute_data_type, input, bias)

    def scale(
        self, input: Operand, scale: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return input * scale."""
        return self._pointwise("scale", name, compute_data_type, input, scale)

    def elu_backward(
        self, loss: Operand, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the gradient of `elu`."""
        return self._pointwise("elu_backward", name, compute_data_type, loss, input)

    def gelu_backward(
        self, loss: Operand, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the gradient of `gelu`."""
        return self._pointwise("gelu_backward", name, compute_data_type, loss, input)

    def gelu_approx_tanh_backward(
        self, loss: Operand, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the gradient of `gelu_approx_tanh`."""
        return self._pointwise("gelu_approx_tanh_backward", name, compute_data_type, loss, input)

    def sigmoid_backward(
        self, loss: Operand, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the gradient of `sigmoid`."""
        return self._pointwise("sigmoid_backward", name, compute_data_type, loss, input)

    def softplus_backward(
        self, loss: Operand, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the gradient of `softplus`."""
        return self._pointwise("softplus_backward", name, compute_data_type, loss, input)

    def tanh_backward(
        self, loss: Operand, input: Operand, *, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the gradient of `tanh`."""
        return self._pointwise("tanh_backward", name, compute_data_type, loss, input)

    def binary_select(
        self,
        input0: Operand,
        input1: Operand,
        mask: Any,
        *,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input0 where mask is true, input1 elsewhere."""
        return self._pointwise("binary_select", name, compute_data_type, input0, input1, mask)

    def relu(
        self,
        input: Operand,
        negative_slope: float | None = None,
        lower_clip: float | None = None,
        upper_clip: float | None = None,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return ReLU, with a slope below and other bounds if they are given."""
        clips = {"lower_clip": lower_clip, "upper_clip": upper_clip}
        return self._pointwise(
            "relu", name, compute_data_type, input, negative_slope=negative_slope, **clips
        )

    def relu_backward(
        self,
        loss: Operand,
        input: Operand,
        negative_slope: float | None = None,
        lower_clip: float | None = None,
        upper_clip: float | None = None,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return the gradient of `relu`."""
        clips = {"lower_clip": lower_clip, "upper_clip": upper_clip}
        return self._pointwise(
            "relu_backward",
            name,
            compute_data_type,
            loss,
            input,
            negative_slope=negative_slope,
            **clips,
        )

    def leaky_relu(
        self,
        input: Operand,
        negative_slope: float,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return ReLU with a slope below zero."""
        return self._pointwise(
            "leaky_relu", name, compute_data_type, input, negative_slope=negative_slope
        )

    def leaky_relu_backward(
        self,
        loss: Operand,
        input: Operand,
        negative_slope: float,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return the gradient of `leaky_relu`."""
        return self._pointwise(
            "leaky_relu_backward",
            name,
            compute_data_type,
            loss,
            input,
            negative_slope=negative_slope,
        )

    def swish(
        self,
        input: Operand,
        swish_beta: float | None = None,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return input * sigmoid(swish_beta * input)."""
        return self._pointwise("swish", name, compute_data_type, input, swish_beta=swish_beta)

    def swish_backward(
        self,
        loss: Operand,
        input: Operand,
        swish_beta: float | None = None,
        name: str = "",
        compute_data_type: object = None,
    ) -> Tensor:
        """Return the gradient of `swish`."""
        return self._pointwise(
            "swish_backward", name, compute_data_type, loss, input, swish_beta=swish_beta
        )

    def gen_index(
        self, input: Operand, axis: int, name: str = "", compute_data_type: object = None
    ) -> Tensor:
        """Return the index of each element along an axis."""
        return self._pointwise("gen_index", name, compute_data_type, input, axis=axis)
