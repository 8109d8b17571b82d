"""Normalizations by neighbours: local response norm across channels, and divisive norm in space."""

from __future__ import annotations

import math
from typing import Any, Generic, NamedTuple

from ... import arrays, errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._operation.way_search import limited_filters
from ..._support.arguments import integers, reals
from ..._ways.array_spec import Spec, check_dtype, check_shape, is_same_order, widened
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Unfit, is_deterministic
from ..._ways.classic_call import HANDLE, Classic, Scratch, Step, describe, operands_of
from ..._ways.type_variables import ArrayT
from ...choice.policy import Rule
from ...descriptors import LRNDescriptor
from ...errata.asks import errata_of, wrong_function
from ...errata.record import ALIGNMENT
from ...graph import Graph
from ..conv.base import laid_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut
    from ...errata.asks import Call
    from ...errata.record import Erratum
    from ...graph import Tensor


_DIVISIVE_GRADIENT = "cudnnDivisiveNormalizationBackward"


class _Local(Operation):
    """The base of both normalizations and their gradients."""

    ways = ("classic",)

    def __init__(
        self, size: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0, *,
        choose: Choose = None,
    ) -> None:  # fmt: skip
        """Make a normalization.

        Args:
            size: the elements of the window, 1 to 16.
            alpha: the factor of the mean of squares.
            beta: the exponent, 0.01 or more.
            k: the summand, 1e-5 or more.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.

        Raises:
            ArgumentError: a number is out of its range.
        """
        (size,) = integers(size=size)
        alpha, beta, k = reals(alpha=alpha, beta=beta, k=k)
        if not 1 <= size <= 16:
            raise errors.ArgumentError(f"size: expected 1 to 16, got {size}")
        if not beta >= 0.01:
            raise errors.ArgumentError(f"beta: expected 0.01 or more, got {beta}")
        if not k >= 1e-5:
            raise errors.ArgumentError(f"k: expected 1e-5 or more, got {k}")
        super().__init__(choose, size=size, alpha=alpha, beta=beta, k=k)

    def _descriptor(self) -> Any:
        options = self.options
        return LRNDescriptor.of(options["size"], options["alpha"], options["beta"], options["k"])

    def _same(self, case: Case) -> Spec:
        """Return the input; refuse others that are not like it."""
        x = case.inputs["x"]
        if not 3 <= len(x.shape) <= 5:
            raise errors.ArgumentError(f"x: expected 3 to 5 axes, got {len(x.shape)}")
        for name, each in case.inputs.items():
            check_shape(each, x.shape, name)
            check_dtype(each, x.dtype, name)
        return x

    def _descriptors(self, case: Case) -> dict[str, Any]:
        specs = {**case.inputs, **case.outputs}
        prefer = "NHWC" if case.inputs["x"].layout == "NHWC" else "NCHW"
        return {name: describe(widened(each, True), prefer) for name, each in specs.items()}


class _Response(_Local):
    """The base of local response norm and its gradient.

    cuDNN's functions add and subtract squares along the channels, which loses small numbers beside
    large ones; see the record of errata. Here, means of windows are pooled instead: channels are an
    axis of space, pixels those that a pooling calls channels.
    """

    _function: str
    _reads: tuple[str, ...]

    def _known(self, case: Case) -> tuple[Erratum, ...]:
        """Return what is known to be wrong with cuDNN's function for a case."""
        facts: Call = {"data_type": case.inputs["x"].dtype}
        return tuple(errata_of(self._function, facts, self.device_of(case)))

    def alignment_of(self, case: Case) -> int:
        """Return what addresses have to be multiples of: engines take fewer than the function."""
        return ALIGNMENT if self._known(case) else 1

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of cuDNN's function, or of a graph in its place."""
        for known in self._known(case):
            try:
                return self._by_windows(case, rule, handle)
            except errors.NotSupportedError as error:
                raise Unfit(
                    f"{self._function}: {known.reason}, but {errors.first_line(error)}; "
                    f'errata.off("{known.id}") calls it all the same'
                ) from error
        return self._directly(case)

    def _directly(self, case: Case) -> Classic:
        """Return the call of cuDNN's function."""
        raise NotImplementedError

    def _result(self, graph: Graph, given: dict[str, Tensor]) -> Tensor:
        """Add nodes that compute the result from float32 inputs."""
        raise NotImplementedError

    def _by_windows(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return a graph, after copies of arrays that have gaps or another order."""
        x = case.inputs["x"]
        if x.dtype == "float64":
            raise errors.NotSupportedError("graphs do not compute means of float64")
        (result,) = case.outputs
        last = x.layout == "NHWC"
        shape, strides = _as_space(x.shape, last)
        plain = "NHWC" if last else "NCHW"
        whole = x._replace(strides=arrays.packed_strides(x.shape, plain))
        graph = Graph(self.word, intermediate_data_type="FLOAT", compute_data_type="FLOAT")
        steps, places = Steps(case.inputs, case.outputs, ALIGNMENT), {}
        given = {}
        for name in self._reads:
            places[name] = name
            if case.inputs[name].strides != whole.strides:
                places[name] = steps.room(f"{name} without gaps", whole)
                own = [describe(widened(each, True)) for each in (case.inputs[name], whole)]
                steps.call("cudnnTransformTensor", 1.0, own[0], name, 0.0, own[1], places[name])
            given[name] = graph.tensor(shape, x.data_type, strides, name=name)
        graph.output(self._result(graph, given), name=result, strides=strides)
        copies = not case.is_plain or case.outputs[result].strides != whole.strides
        places[result] = steps.room(f"{result} without gaps", whole) if copies else result
        plan = graph.build(handle, **limited_filters(rule, handle))
        steps.way(plan, places)
        if copies:
            own = [describe(widened(each, True)) for each in (whole, case.outputs[result])]
            factors, room = (case.alpha, case.beta), places[result]
            steps.call("cudnnTransformTensor", factors[0], own[0], room, factors[1], own[1], result)
        return steps.classic(deterministic=is_deterministic(plan))

    def _means(self, graph: Graph, x: Tensor, backwards: bool = False) -> Tensor:
        """Add the means over the windows of channels; or over those that have a channel."""
        size = self.options["size"]
        sides = (size - 1) // 2, size // 2
        return graph.resample(
            x, "AVGPOOL_INCLUDE_PADDING", window=(size, 1),
            padding=(sides[::-1] if backwards else sides, (0, 0)),
        )  # fmt: skip

    def _divisor(self, graph: Graph, x: Tensor) -> Tensor:
        """Add what a power of an element is divided by."""
        means = self._means(graph, graph.mul(x, x))
        return graph.add(graph.mul(means, self.options["alpha"]), self.options["k"])


def _as_space(
    shape: tuple[int, ...], last: bool
) -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]:
    """Return shape and strides of images whose channels are an axis of space."""
    images, channels, *sizes = shape
    pixels = math.prod(sizes)
    if last:
        return (images * pixels, 1, channels, 1), (channels, channels, 1, 1)
    return (images, pixels, channels, 1), (channels * pixels, 1, pixels, pixels)


class LocalResponseNorm(_Response):
    """Local response norm: y = x / (k + alpha / size * sum of x ** 2 over size channels) ** beta.

    The window has (size - 1) // 2 channels before the one of the element, and size // 2 after it.

    Formula: x / (k + alpha / size * sum of x^2 over size channels) ^ beta
    Arrays: x (N, C, ...)
    """

    word = "local_response_norm"
    by = "a graph (RESAMPLE_FWD), or `cudnnLRNCrossChannelForward`"
    _function = "cudnnLRNCrossChannelForward"
    _reads = ("x",)
    gradient = ("local_response_norm_backward",)

    def __call__(
        self, x: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Normalize.

        Args:
            x: (N, C, ...), with 3 to 5 axes.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        x = self._same(case)
        return {"y": laid_out(x.shape, x)}

    def _result(self, graph: Graph, given: dict[str, Tensor]) -> Tensor:
        x = given["x"]
        return graph.mul(x, graph.pow(self._divisor(graph, x), -self.options["beta"]))

    def _directly(self, case: Case) -> Classic:
        norm, descs = self._descriptor(), self._descriptors(case)
        mode = arrays.member("LRNMode", "CROSS_CHANNEL_DIM1")
        x, y, alpha, beta = descs["x"], descs["y"], case.alpha, case.beta

        name = self._function
        step = Step(name, HANDLE, norm, mode, alpha, x, "x", beta, y, "y")
        return Classic(name, operands_of(case.inputs, case.outputs), [step])

    def backward(self, dy: ArrayT, x: Array, y: Array, **call: Unpack[WithOut]) -> ArrayT:
        """Return the gradient for the input; see `LocalResponseNormBackward`."""
        return self._like(LocalResponseNormBackward, **self.options)(dy, x, y, **call)


class LocalResponseNormBackward(_Response):
    """The gradient of a local response norm for its input.

    Formula: with n = k + alpha / size * sum of x^2: dy n^-beta - 2 alpha beta / size * x * sum of
        dy y / n over size channels
    Arrays: dy, x, y
    Edges: a large x: its two terms cancel, and the result is as exact as they are
    """

    word = "local_response_norm_backward"
    by = "a graph (RESAMPLE_FWD), or `cudnnLRNCrossChannelBackward`"
    _function = "cudnnLRNCrossChannelBackward"
    _reads = ("dy", "x")
    section = "data"
    gives: tuple[str, ...] = ("dx",)

    def __call__(
        self, dy: ArrayT, x: Array, y: Array, *, out: Out = None, alpha: float = 1.0,
        beta: float = 0.0, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the gradient.

        Args:
            dy: the gradient of the result.
            x, y: input and result of the normalization.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dy, x, y), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        x = self._same(case)
        return {"dx": laid_out(x.shape, x)}

    def _result(self, graph: Graph, given: dict[str, Tensor]) -> Tensor:
        """Add the gradient; the result of the norm is computed again, in float32."""
        dy, x, options = given["dy"], given["x"], self.options
        divisor = self._divisor(graph, x)
        direct = graph.mul(dy, graph.pow(divisor, -options["beta"]))
        others = self._means(graph, graph.div(graph.mul(direct, x), divisor), True)
        rest = graph.mul(graph.mul(x, others), -2 * options["alpha"] * options["beta"])
        return graph.add(direct, rest)

    def _directly(self, case: Case) -> Classic:
        norm, descs = self._descriptor(), self._descriptors(case)
        mode = arrays.member("LRNMode", "CROSS_CHANNEL_DIM1")
        dy, x, y, dx = (descs[name] for name in ("dy", "x", "y", "dx"))
        alpha, beta = case.alpha, case.beta

        name = self._function
        step = Step(
            name, HANDLE, norm, mode, alpha, y, "y", dy, "dy", x, "x", beta, dx, "dx"
        )  # fmt: skip
        return Classic(name, operands_of(case.inputs, case.outputs), [step])


class DivisiveGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of a divisive norm; that of the means is None where there were none."""

    x: ArrayT
    means: ArrayT | None


class _Divisive(_Local):
    """The base of divisive norm and its gradient."""

    def _scratch(self, case: Case) -> int:
        """Return the bytes of one of the two arrays that cuDNN works in."""
        x = case.inputs["x"]
        return -(-math.prod(x.shape) * arrays.itemsize(x.dtype) // 256) * 256

    def _check(self, case: Case) -> Spec:
        x = self._same(case)
        if len(x.shape) < 4:
            raise errors.ArgumentError(f"x: expected 4 or 5 axes, got {len(x.shape)}")
        if not x.is_dense:
            raise errors.ArgumentError("x: expected an array without gaps")
        for name, each in (*case.inputs.items(), *case.outputs.items()):
            if not is_same_order(each, x):
                raise errors.ArgumentError(
                    f"{name}: expected strides of {x.strides} elements, as those of x, got "
                    f"{each.strides}"
                )
        return x._replace(alignment=16)


class DivisiveNorm(_Divisive):
    """Divisive norm: y = x / (k + alpha / size ** d * sum of (x - mean) ** 2) ** beta.

    The sum goes over a window of `size` elements along each of the d spatial axes, as far as they
    are in the array. The mean is the element of `means` at the center of the window.

    Formula: x / (k + alpha / size^d * sum of (x - mean)^2 over windows in d spatial axes) ^ beta;
        the mean is that at the center
    Arrays: x (N, C, [D,] H, W) without gaps, means like x
    """

    word = "divisive_norm"
    by = "`cudnnDivisiveNormalizationForward`"
    gradient = ("divisive_norm_backward",)

    def __call__(
        self, x: ArrayT, means: Array | None = None, *, out: Out = None, alpha: float = 1.0,
        beta: float = 0.0, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Normalize.

        Args:
            x: (N, C, H, W) or (N, C, D, H, W), without gaps.
            means: subtracted from the elements of each window before they are squared, such as
                their mean; an array like `x`. By default zeros.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x, means), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        return {"y": self._check(case)}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnDivisiveNormalizationForward`."""
        norm, descs, size = self._descriptor(), self._descriptors(case), self._scratch(case)
        mode = arrays.member("DivNormMode", "PRECOMPUTED_MEANS")
        x, y, alpha, beta = descs["x"], descs["y"], case.alpha, case.beta
        name = "cudnnDivisiveNormalizationForward"
        step = Step(
            name, HANDLE, norm, mode, alpha, x, "x", "means" if "means" in case.inputs else None,
            Scratch(), Scratch(size), beta, y, "y",
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], workspace_size=2 * size)

    def backward(
        self, dy: ArrayT, x: Array, means: Array | None = None, **call: Unpack[WithOut]
    ) -> DivisiveGradients[ArrayT]:
        """Return the gradients; see `DivisiveNormBackward`."""
        backward = self._like(DivisiveNormBackward, **self.options)
        return backward(dy, x, means, **call)


class DivisiveNormBackward(_Divisive):
    """The gradients of a divisive norm for its input and the means.

    Formula: for x and means
    Arrays: dy, x, means
    """

    word = "divisive_norm_backward"
    by = "`cudnnDivisiveNormalizationBackward`"
    section = "data"
    gives: tuple[str, ...] = ("dx", "dmeans")

    def __call__(
        self, dy: ArrayT, x: Array, means: Array | None = None, *, out: Out = None,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> DivisiveGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of the result.
            x, means: as in the forward call.
            out: `dx`, or a tuple of both, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        got = self.run((dy, x, means), out, handle, stream, choose)
        return DivisiveGradients(got, None) if means is None else DivisiveGradients(*got)

    def results(self, case: Case) -> dict[str, Spec]:
        x = self._check(case)
        size = self.options["size"]
        if why := wrong_function(_DIVISIVE_GRADIENT, {"size": size}, self.device_of(case)):
            raise errors.NotSupportedError(f"size: {why}, got {size}")
        return {"dx": x, "dmeans": x} if "means" in case.inputs else {"dx": x}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnDivisiveNormalizationBackward`."""
        norm, descs, size = self._descriptor(), self._descriptors(case), self._scratch(case)
        mode = arrays.member("DivNormMode", "PRECOMPUTED_MEANS")
        x, dx = descs["x"], descs["dx"]
        name = _DIVISIVE_GRADIENT
        means, dmeans = ("means", "dmeans") if "means" in case.inputs else (None, None)
        step = Step(
            name, HANDLE, norm, mode, 1.0, x, "x", means, "dy", Scratch(), Scratch(size), 0.0, dx,
            "dx", dmeans,
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], workspace_size=2 * size)


local_response_norm = function(
    LocalResponseNorm,
    summary=(
        "Normalize over windows of neighboring channels.\n"
        "\n"
        "y = x / (k + alpha / size * sum of x ** 2 over size channels) ** beta. The "
        "window has\n"
        "(size - 1) // 2 channels before the one of the element, and size // 2 after it."
    ),
    order="x size alpha beta k",
)


local_response_norm_backward = function(
    LocalResponseNormBackward,
    summary="Return the gradient of a local response norm for its input.",
    order="dy x y size alpha beta k",
)


divisive_norm = function(
    DivisiveNorm,
    summary=(
        "Normalize over windows in the d spatial axes.\n"
        "\n"
        "y = x / (k + alpha / size ** d * sum of (x - mean) ** 2) ** beta, where the sum "
        "goes over the\n"
        "elements of the window that are in the array, and the mean is that of its "
        "center."
    ),
    order="x means size alpha beta k",
)


divisive_norm_backward = function(
    DivisiveNormBackward,
    summary="Return the gradients of a divisive norm for its input and the means.",
    order="dy x means size alpha beta k",
)
