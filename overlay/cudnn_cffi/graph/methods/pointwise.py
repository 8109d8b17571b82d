"""Pointwise operations: a method for each mode."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from ... import errors
from ..._support.wording import meant
from ..._tables import newest
from ..record.enum_words import data_type_name, enumerator
from ..record.operations import OPERATIONS, POINTWISE, pointwise_ports
from ..rules.results import CLOSED, INTEGERS, LOGIC
from ..tensors import Tensor
from ..arguments import dimension, is_number, no_operand
from .base import Core

#: What an operand may be: a tensor of the graph, or a number, which is passed by value.
Operand = Tensor | float


class Settings(TypedDict, total=False):
    """What every operation takes.

    Keys:
        name: of the node, unique among the graph's nodes.
        data_type: of the result; without one, the graph's for virtual tensors and outputs.
        compute_data_type: what it computes in; without one, the graph's.
        strides, layout: of the result; without them packed, in the inputs' order of dimensions.
    """

    name: str | None
    data_type: Any
    compute_data_type: Any
    strides: Any
    layout: Any


_OPERATION = OPERATIONS["pointwise"]
#: What all modes have, and what some have besides.
_OPTIONS = ("alpha1", "alpha2", "nan_propagation")
_PARAMETERS = {
    "RELU": ("lower_clip", "upper_clip", "slope"),
    "ELU": ("elu_alpha",),
    "SOFTPLUS": ("softplus_beta",),
    "SWISH": ("swish_beta",),
    "GEN_INDEX": ("axis",),
}


class Pointwise(Core):
    """Pointwise operations: element by element, with extents of 1 repeated."""

    def pointwise(
        self,
        mode: Any,
        *operands: Operand,
        name: str | None = None,
        data_type: Any = None,
        compute_data_type: Any = None,
        strides: Any = None,
        layout: Any = None,
        **options: Any,
    ) -> Tensor:
        """Add a pointwise operation of any mode.

        Args:
            mode: a member of `PointwiseMode`, or its name.
            operands: as many as the mode takes; those of a backward mode are the gradient of the
                result, then the input of the forward operation; those of BINARY_SELECT are the
                value where the third is true, the value elsewhere, and the condition.
            name, data_type, compute_data_type, strides, layout: see `Settings`.
            options: the parameters of the mode: `lower_clip`, `upper_clip` and `slope` of ReLU,
                `elu_alpha`, `softplus_beta`, `swish_beta`, `axis` of GEN_INDEX, `alpha1` and
                `alpha2`, which the first and the second operand are multiplied by, and
                `nan_propagation`.

        Raises:
            ArgumentError: no such mode or option, or another number of operands.
            ShapeMismatchError: the shapes do not go together.
        """
        if mode not in POINTWISE:
            mode = _find_mode(mode)
        ports = POINTWISE.get(mode) or pointwise_ports(mode, len(operands))
        if len(operands) != len(ports):
            raise errors.ArgumentError(
                f"{mode} takes {len(ports)} operands, got {len(operands)}: {operands!r}"
            )
        first: Tensor | None = None
        for each in operands:
            if type(each) is Tensor and (first is None or not each.by_value):
                first = each
                if not each.by_value:
                    break
        if first is None:
            for port, each in zip(ports, operands, strict=True):
                if not is_number(each):
                    raise no_operand(each, f"{mode} {port}", "a tensor")
            raise errors.ArgumentError(
                f"{mode}: one operand at least has to be a tensor, got {operands!r}"
            )
        integers = (first.given_type or first.data_type) in INTEGERS
        inputs: dict[str, Tensor] = {}
        for port, each in zip(ports, operands):  # noqa: B905
            if type(each) is Tensor and not each.by_value:
                inputs[port] = each
            else:
                known = first.data_type if integers and type(each) is int else None
                inputs[port] = self._operand(each, f"{mode} {port}", len(first.shape), known)
        settings: dict[str, Any] = {"mode": mode}
        if options:
            settings.update(_checked(mode, options))
        if mode == "GEN_INDEX":
            settings["axis"] = dimension(settings.get("axis"), len(first.shape), "GEN_INDEX axis")
        whole: str | None = None  # the type of a result that holds no fractions, as nobody set one
        if compute_data_type is not None:
            settings["compute_data_type"] = data_type_name(compute_data_type)
        elif mode == "GEN_INDEX":
            settings["compute_data_type"] = "INT32"
        elif integers and (mode in CLOSED or mode in LOGIC):
            types = {each.data_type for each in inputs.values()}
            if types <= INTEGERS:
                settings["compute_data_type"] = kind = "INT64" if "INT64" in types else "INT32"
                if data_type is None and mode in CLOSED:
                    data_type = whole = kind
        elif mode.startswith("LOGICAL_"):
            settings["compute_data_type"] = "BOOLEAN"
        result = "dx" if mode.endswith("_BWD") else "y"
        node = self.add_node(
            _OPERATION, inputs, settings, name, (result,), data_type, strides, layout
        )
        if whole is not None:  # what moves it on is not to cut it to the type of the first operand
            node.outputs[result].memory_type = whole
        return node.outputs[result]

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

    def cast(self, x: Operand, data_type: Any, *, name: str | None = None) -> Tensor:
        """Convert a tensor to another data type."""
        return self.pointwise("IDENTITY", x, data_type=data_type, name=name)

    def gen_index(self, x: Operand, axis: int, **settings: Unpack[Settings]) -> Tensor:
        """Return the index of each element along a dimension, in INT32."""
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
            lower_clip: the least result; 0 without one.
            upper_clip: the greatest result; without one there is none.
            slope: of the result below `lower_clip`: leaky ReLU; 0 without one.
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
        """Return x where it is positive, else alpha * (exp(x) - 1); alpha is 1 without one."""
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
        """Return log(1 + exp(beta * x)) / beta; beta is 1 without one."""
        return self.pointwise("SOFTPLUS_FWD", x, **_given(softplus_beta=beta), **settings)

    def swish(
        self, x: Operand, *, beta: float | None = None, **settings: Unpack[Settings]
    ) -> Tensor:
        """Return x / (1 + exp(-beta * x)); beta is 1 without one, which is SiLU."""
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
        """Return the element of `x` where the condition is true, and that of `b` elsewhere."""
        return self.pointwise("BINARY_SELECT", x, b, condition, **settings)


def _given(**options: Any) -> Any:
    return {name: value for name, value in options.items() if value is not None}


def _find_mode(mode: Any) -> str:
    """Return a mode by its name, also one that only a newer release has."""
    name = enumerator(mode, "POINTWISE_")
    for each in (name, f"{name}_FWD", f"CMP_{name}"):
        if each in POINTWISE or each in newest().enum("PointwiseMode").__members__:
            return each
    raise errors.ArgumentError(
        f"expected a pointwise mode, got {mode!r}",
        hint=f"{meant(mode, POINTWISE)}one of {', '.join(POINTWISE)}",
    )


def _checked(mode: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return options in a fixed order; refuse those that the mode does not have."""
    known = {*_OPTIONS, *_PARAMETERS.get(mode.removesuffix("_FWD").removesuffix("_BWD"), ())}
    if mode not in POINTWISE:  # of a newer release
        known.update(*_PARAMETERS.values())
    unknown = options.keys() - known
    if unknown:
        raise errors.ArgumentError(
            f"{mode}: no option {sorted(unknown)[0]!r}",
            hint=f"{meant(sorted(unknown)[0], known)}one of {', '.join(sorted(known))}",
        )
    return {key: options[key] for key in sorted(options) if options[key] is not None}
