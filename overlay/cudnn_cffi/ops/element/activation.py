"""Functions that are applied to each element, and their gradients."""

from __future__ import annotations

import math
import struct
from typing import Any, NamedTuple, cast

from ... import arrays, errors
from ..._advice import said
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import reals
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, check_dtype, check_shape, flattened, in_front
from ..._ways.call_sequence import Steps, packed
from ..._ways.case import NARROW, Case, Unfit, blend
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.graph_draft import Draft
from ...choice.measured import COMPILED_BYTES
from ...choice.policy import Rule
from ...descriptors import ActivationDescriptor
from ...errata import asks as errata
from ...graph.rules.results import INTEGERS
from .activation_kernels import by_kernel
from .integers import copied_as_bytes, refuse_integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import (
        ActivationWord,
        Array,
        ArrayT,
        CallStream,
        Choose,
        DTypeWord,
        Handle,
        Out,
        WithOut,
    )
    from ...graph import Graph, Tensor
    from ...graph.record.types import PointwiseWord

_COPY = "cudnnTransformTensor"


class Kind(NamedTuple):
    """One function of elements.

    Attributes:
        graph, backward: the names of graph modes, and what they are called with; "" for none.
        coefficient: the name of its number, and the default; None for a function without one.
        mode: the name in `ActivationMode`; "" for one that classic functions lack.
        by_result: whether the gradient follows from the result alone.
        formula: the function of x, with a for its number.
    """

    graph: str
    formula: str
    coefficient: tuple[str, float] | None = None
    mode: str = ""
    by_result: bool = False


#: Functions by their words.
ACTIVATIONS = {
    "relu": Kind("RELU", "max(x, 0)", mode="RELU", by_result=True),
    "clipped_relu": Kind("RELU", "min(max(x, 0), a)", ("upper_clip", 6.0), "CLIPPED_RELU", True),
    "leaky_relu": Kind("RELU", "x where x > 0, else a x", ("slope", 0.01)),
    "sigmoid": Kind("SIGMOID", "1 / (1 + exp(-x))", mode="SIGMOID", by_result=True),
    "tanh": Kind("TANH", "tanh(x)", mode="TANH", by_result=True),
    "elu": Kind("ELU", "x where x > 0, else a (exp(x) - 1)", ("elu_alpha", 1.0), "ELU"),
    "swish": Kind("SWISH", "x / (1 + exp(-a x))", ("swish_beta", 1.0), "SWISH"),
    "silu": Kind("SWISH", "x / (1 + exp(-a x))", ("swish_beta", 1.0), "SWISH"),
    "softplus": Kind("SOFTPLUS", "log(1 + exp(a x)) / a", ("softplus_beta", 1.0)),
    "gelu": Kind("GELU", "x (1 + erf(x / sqrt(2))) / 2"),
    "gelu_tanh": Kind("GELU_APPROX_TANH", "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"),
    "identity": Kind("IDENTITY", "x"),
}

#: The words of activations that give whole numbers for whole numbers.
_WHOLE = ("relu", "clipped_relu", "identity")

#: The words of activations whose gradient follows from the result alone.
_BY_RESULT = tuple([word for word, kind in ACTIVATIONS.items() if kind.by_result])


def to_word(activation: Any) -> str:
    """Return the word of an activation, which cuDNN's names and members of its enum mean, too.

    Raises:
        ArgumentError: there is no such activation.
    """
    word = str(getattr(activation, "name", activation)).lower().removeprefix("cudnn_activation_")
    if word not in ACTIVATIONS:
        words = said("activation")
        raise no_word("activation", activation, "an activation", ACTIVATIONS, words)
    return word


def _kind(word: str) -> Kind:
    return ACTIVATIONS[to_word(word)]


def _numbers(kind: Kind, coefficient: float | None) -> dict[str, Any]:
    if kind.coefficient is None:
        if coefficient is not None:
            raise errors.ArgumentError(f"coefficient: {kind.graph} has none, got {coefficient!r}")
        return {}
    name, default = kind.coefficient
    return {name: default if coefficient is None else reals(coefficient=coefficient)[0]}


def activate(graph: Graph, x: Tensor, word: str | None, coefficient: float | None = None) -> Tensor:
    """Add the node of an activation to a graph; None and "identity" add none."""
    if word is None or word == "identity":
        return x
    kind = _kind(word)
    options = _numbers(kind, coefficient)
    if kind.graph == "RELU" and x.data_type not in INTEGERS:  # else engines may make NaN a 0
        options["nan_propagation"] = "PROPAGATE_NAN"
    return graph.pointwise(cast("PointwiseWord", f"{kind.graph}_FWD"), x, **options)


class _Elements(Operation):
    """The base of an activation and its gradient."""

    takes_low = True
    ways = ("classic", "graph")  # a classic function needs no compiler
    graph_from = COMPILED_BYTES

    def __init__(
        self,
        activation: ActivationWord = "relu",
        coefficient: float | None = None,
        *,
        choose: Choose = None,
    ) -> None:
        """Make an activation.

        Args:
            activation: "relu", "clipped_relu", "leaky_relu", "sigmoid", "tanh", "elu", "swish" or
                "silu", "softplus", "gelu", "gelu_tanh" or "identity".
            coefficient: the ceiling of a clipped ReLU (6), the slope of a leaky one below zero
                (0.01), the alpha of ELU (1), or the beta of swish and softplus (1).
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        word = to_word(activation)
        self._kind = ACTIVATIONS[word]
        self._numbers = _numbers(self._kind, coefficient)
        super().__init__(choose, activation=word, coefficient=coefficient)

    def results(self, case: Case) -> dict[str, Spec]:
        first = next(iter(case.inputs.values()))
        for name, each in case.inputs.items():
            check_shape(each, first.shape, name)
            check_dtype(each, first.dtype, name)
        if "float" not in first.dtype and self.options["activation"] not in _WHOLE:
            raise errors.ArgumentError(f"x: expected a floating-point type, got {first.dtype}")
        strides = first.strides if first.is_dense else arrays.packed_strides(first.shape)
        return {self.gives[0]: Spec(first.dtype, first.shape, strides, first.device)}

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of a kernel of this package, or of classic functions."""
        word, number = self.options["activation"], next(iter(self._numbers.values()), 1.0)
        of_result = "dy" in case.inputs and "y" in case.inputs and self._kind.by_result
        by, found = "y" if of_result else "x", None
        if by in case.inputs and not self.is_large(case):
            found = by_kernel(case, word, number, by, rule, handle)
        return super().by_classic(case, rule, handle) if found is None else found

    def _specs(self, case: Case) -> dict[str, Spec]:
        """Return all arrays as graphs see them."""
        refuse_integers(case)
        specs = {**case.inputs, **case.outputs}
        flat = flattened(*specs.values())
        return specs if flat is None else dict(zip(specs, flat, strict=True))

    def _descriptor(self, dtype: str = "") -> Any:
        """Return the descriptor; with a data type that for a gradient."""
        kind = self._kind
        if not kind.mode:
            raise Unfit(f"no classic function computes {self.options['activation']}")
        number = next(iter(self._numbers.values()), 0.0)
        if dtype and kind.mode == "CLIPPED_RELU":
            number = _below(number, dtype)
        swish = number if kind.mode == "SWISH" else None
        try:
            return ActivationDescriptor._of(
                kind.mode, 0.0 if kind.mode == "SWISH" else number, True, swish
            )
        except (errors.ArgumentError, errors.MissingFunctionError) as error:
            raise Unfit(f"the loaded release lacks {kind.mode}: {error.message}") from error

    @staticmethod
    def _copy(case: Case, source: str, target: str) -> Classic:
        if (exact := copied_as_bytes(case, source, target)) is not None:
            return exact
        found = _described({**case.inputs, **case.outputs})
        steps = Steps(case.inputs, case.outputs)
        steps.call(
            "cudnnTransformTensor", case.alpha, found[source], source, case.beta, found[target],
            target,
        )  # fmt: skip
        return steps.classic()


def _below(ceiling: float, dtype: str) -> float:
    """Return the float32 below a ceiling that is rounded to a data type, or the float64 below it.

    cuDNN lets the gradient pass where the result is the coefficient; at the ceiling it is 0.
    """
    if ceiling <= 0.0 or dtype not in NARROW:
        return math.nextafter(ceiling, -math.inf)
    try:
        data = arrays.encode_numbers([ceiling], dtype)
    except OverflowError:  # no result is so large
        return ceiling
    code = "=e" if dtype == "float16" else "=f"
    wide = struct.unpack(code, b"\0\0" + data if dtype == "bfloat16" else data)
    (bits,) = struct.unpack("=i", struct.pack("=f", *wide))
    (below,) = struct.unpack("=f", struct.pack("=i", bits - 1))
    return float(below)


def _described(specs: dict[str, Spec]) -> dict[str, Any]:
    """Return descriptors, flat ones if arrays have more axes than cuDNN takes."""
    many = any(len(each.shape) > 5 for each in specs.values())
    flat = flattened(*specs.values()) if many else None
    if flat is not None:
        specs = dict(zip(specs, flat, strict=True))
    prefer = next((e.layout for e in specs.values() if e.layout == "NHWC"), "NCHW")
    return {name: describe(each, prefer) for name, each in specs.items()}


class Activation(_Elements):
    """A function of each element: y = alpha * f(x) + beta * y.

    Formula: f(x) of each element
    Arrays: any shape
    Ways: below 8 MiB a kernel before both, for ReLU, sigmoid, tanh, SiLU and GELU of up to 32 bits
        without gaps
    Edges: ELU of an x closer to 0 than 3e-8: 0 (PyTorch: x); leaky ReLU of -inf, slope 0: 0
        (PyTorch: NaN)
    """

    word = "activation"
    by = "`cudnnActivationForward`, or by a graph (POINTWISE)"
    gradient = ("activation_backward",)

    def __call__(
        self, x: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Apply the function to each element.

        Args:
            x: an array of any shape.
            out: the array to write to, which may be `x`; by default a new one.
            alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a pointwise node."""
        specs = self._specs(case)
        x = draft.input("x", specs["x"])
        word = self.options["activation"]
        if word == "identity":
            made = draft.graph.identity(x)
        else:
            made = activate(draft.graph, x, word, self.options["coefficient"])
        draft.output(blend(case, draft, made, specs["y"]), "y", specs["y"])

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnActivationForward`; the identity is a copy."""
        if self.options["activation"] == "identity":
            return self._copy(case, "x", "y")
        activation = self._descriptor()
        found = _described({**case.inputs, **case.outputs})
        x, y, alpha, beta = found["x"], found["y"], case.alpha, case.beta

        name = "cudnnActivationForward"
        step = Step(name, HANDLE, activation, alpha, x, "x", beta, y, "y")
        return Classic(name, operands_of(case.inputs, case.outputs), [step])

    def backward(
        self, dy: ArrayT, x: Array | None = None, y: Array | None = None, **call: Unpack[WithOut]
    ) -> ArrayT:
        """Return the gradient for the input; see `ActivationBackward`."""
        return self._like(ActivationBackward, **self.options)(dy, x, y, **call)


class ActivationBackward(_Elements):
    """The gradient of an activation: dx = alpha * dy * f'(x) + beta * dx.

    Formula: dy f'(x)
    Arrays: dy, x, and y for the function; None for x and y alone, if f is ReLU, clipped ReLU,
        sigmoid or tanh
    Ways: below 8 MiB a kernel before both, as for the function
    Edges: ReLU and clipped ReLU at 0 and at the ceiling: 0; ReLU and clipped ReLU of NaN: 0
        (PyTorch: dy); leaky ReLU of NaN: dy (PyTorch: slope * dy); ELU up to 0, also at 0: alpha *
        exp(x), to 6e-8; SiLU of an x so large that x + 1 rounds to x: 0, and dy by a kernel
        (PyTorch: dy); GELU by tanh where x * x * x overflows: NaN, and the limit by a kernel
        (PyTorch: NaN); an infinite dy where the function is constant, by a graph: NaN
    """

    word = "activation_backward"
    by = "`cudnnActivationBackward`, or by a graph (POINTWISE)"
    section = "data"
    gives: tuple[str, ...] = ("dx",)

    def __call__(
        self, dy: ArrayT, x: Array | None = None, y: Array | None = None, *, out: Out = None,
        alpha: float = 1.0, beta: float = 0.0, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the gradient.

        Args:
            dy: the gradient of the result.
            x: the input of the function; None if that was overwritten by the result, for "relu",
                "clipped_relu", "sigmoid" and "tanh", whose gradient follows from the result.
            y: its result, which classic functions read; without it a graph computes the gradient.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.

        Raises:
            ArgumentError: `x` is None, and the gradient does not follow from what there is.
        """
        return self.run((dy, x, y), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        word = self.options["activation"]
        if "x" not in case.inputs and not ("y" in case.inputs and self._kind.by_result):
            what = " and y is None" if self._kind.by_result else ""
            raise errors.ArgumentError(
                f"x: the gradient of {word} follows from the input; x is None{what}",
                hint=f"by the result alone, y: {', '.join(_BY_RESULT)}",
            )
        return super().results(case)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a pointwise node of the gradient and the input."""
        specs = self._specs(case)
        dy = draft.input("dy", specs["dy"])
        if self.options["activation"] == "identity":
            made = draft.graph.identity(dy)
        elif "x" not in specs:
            made = self._by_result(draft.graph, dy, draft.input("y", specs["y"]), specs["y"].dtype)
        else:
            x = draft.input("x", specs["x"])
            bend: errata.Call = {"slope": self._numbers.get("slope", 0.0), "has_ceiling": False}
            if errata.wrong_function("relu_backward", bend):
                x = draft.graph.min(x, 1.0)
            word = cast("PointwiseWord", f"{self._kind.graph}_BWD")
            made = draft.graph.pointwise(word, dy, x, **self._numbers)
        draft.output(blend(case, draft, made, specs["dx"]), "dx", specs["dx"])

    def _by_result(self, graph: Any, dy: Any, y: Any, dtype: str) -> Any:
        """Return the gradient by the result, whose sign is that of the input for ReLU.

        A result of two bytes is a rounded ceiling.
        """
        if self._kind.graph == "RELU":
            ceilings = {name: _below(each, dtype) for name, each in self._numbers.items()}
            return graph.pointwise("RELU_BWD", dy, y, **ceilings)
        rest = graph.sub(1.0, y)
        slope = y if self._kind.graph == "SIGMOID" else graph.add(1.0, y)
        return graph.mul(dy, graph.mul(slope, rest))

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnActivationBackward`; for the identity a copy."""
        if self.options["activation"] == "identity":
            return self._copy(case, "dy", "dx")
        dtype = case.inputs["dy"].dtype
        activation = self._descriptor(dtype)
        if "y" not in case.inputs:
            raise Unfit("cudnnActivationBackward reads y too: pass it")
        name = "cudnnActivationBackward"
        facts: errata.Call = {
            "mode": self._kind.mode,
            "coefficient": next(iter(self._numbers.values()), 0.0),
            "width": arrays.itemsize(dtype),
        }
        if errata.wrong_function(name, facts, self.device_of(case)):
            return self._elu(case)
        found = _described({**case.inputs, **case.outputs})
        source = "x" if "x" in found else "y"
        dy, x, y, dx = (found[each] for each in ("dy", source, "y", "dx"))
        step = Step(
            name, HANDLE, activation, case.alpha, y, "y", dy, "dy", x, source, case.beta, dx, "dx"
        )
        return Classic(name, operands_of(case.inputs, case.outputs), [step])

    def _elu(self, case: Case) -> Classic:
        """Return the gradient of ELU by that with an alpha of 1, which is exp(x) below 0.

        It is alpha times that, and (1 - alpha) * dy more above 0, where ReLU lets dy pass.
        """
        (alpha,) = self._numbers.values()
        specs = {name: each for name, each in case.inputs.items() if name != "y"} | case.outputs
        flat = flattened(*specs.values())
        if flat is not None:
            specs = dict(zip(specs, flat, strict=True))
        kind: DTypeWord = "float64" if specs["x"].dtype == "float64" else "float32"
        is_own = specs["x"].dtype == kind
        steps, seen = Steps(case.inputs, case.outputs), {}
        for name, each in {**specs, "y": specs["x"]}.items():
            wide, at = each, name
            if not is_own or name == "y":
                wide = packed(each.shape, each, kind)
                at = steps.room(f"wide {name}", wide)
            seen[name] = describe(in_front(wide, 4)), at
        x, y, dy, dx = (seen[name] for name in ("x", "y", "dy", "dx"))
        for name, copy in (("x", x), ("dy", dy)):
            if not is_own:
                steps.call(_COPY, 1.0, describe(in_front(specs[name], 4)), name, 0.0, *copy)
        factor, beta = (case.alpha, case.beta) if is_own else (1.0, 0.0)
        elu = ActivationDescriptor._of("ELU", 1.0, True, None)
        relu = ActivationDescriptor._of("RELU", 0.0, True, None)
        gradient = "cudnnActivationBackward"
        steps.call("cudnnActivationForward", elu, 1.0, *x, 0.0, *y)
        steps.call(gradient, elu, factor * alpha, *y, *dy, *x, beta, *dx)
        if alpha != 1.0:
            steps.call(gradient, relu, factor * (1.0 - alpha), *y, *dy, *x, 1.0, *dx)
        if not is_own:
            target = describe(in_front(specs["dx"], 4))
            steps.call(_COPY, case.alpha, *dx, case.beta, target, "dx")
        return steps.classic()


activation = function(
    Activation,
    summary="Apply a function to each element: y = alpha * f(x) + beta * y.",
    order="x word coefficient",
    renames={"word": "activation"},
)


activation_backward = function(
    ActivationBackward,
    summary=(
        "Return the gradient of an activation: dx = alpha * dy * f'(x) + beta * dx.\n"
        "\n"
        "f'(x) of ReLU and of clipped ReLU is 0 at 0, at the ceiling and for NaN; that "
        "of ELU at 0 is its\n"
        "alpha. By a graph, an infinite dy gives NaN where f'(x) is 0."
    ),
)


#: Graphs that compute activations, as the help of functions names them.
_GRAPH = "a graph (POINTWISE)"


def _function(word: str) -> Any:
    by = f"`cudnnActivationForward`, or by {_GRAPH}" if ACTIVATIONS[word].mode else _GRAPH
    if word == "identity":
        by = f"`cudnnTransformTensor`, or by {_GRAPH}"
    formula = f"f(x) = {ACTIVATIONS[word].formula}"
    if ACTIVATIONS[word].coefficient:
        formula += ", with a = coefficient"
    summary = f"Apply {word} to each element: y = alpha * f(x) + beta * y, {formula}."
    return function(
        Activation, word, summary, order="x coefficient", by=by, formula=formula, activation=word
    )


relu = _function("relu")
clipped_relu = _function("clipped_relu")
leaky_relu = _function("leaky_relu")
sigmoid = _function("sigmoid")
tanh = _function("tanh")
elu = _function("elu")
swish = _function("swish")
silu = _function("silu")
identity = _function("identity")
softplus = _function("softplus")
gelu = _function("gelu")
gelu_tanh = _function("gelu_tanh")
