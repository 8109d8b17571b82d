"""Convolutions and transposed convolutions in one to three dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple

from ... import errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._operation.sharing import shared
from ..._support.arguments import reals
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, check_dtype, check_shape, per_channel, widened
from ..._ways.case import FREE, Case, Unfit, Way, blend
from ..._ways.classic_call import Classic
from ..._ways.graph_draft import Draft
from ..._ways.type_variables import ArrayT
from ...choice.policy import Rule
from ..element.activation import ACTIVATIONS, Activation, ActivationBackward, activate
from .backward import (
    ConvolutionBackwardBias,
    ConvolutionBackwardData,
    ConvolutionBackwardFilter,
)
from .base import WINDOW, Convolving, laid_out
from .chain import unfused, with_bias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import (
        ActivationWord,
        Array,
        ArrayT,
        CallStream,
        Choose,
        Device,
        Extents,
        Handle,
        InPlace,
        Out,
        Padding,
    )


class ConvolutionGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of a convolution; None where they were not asked for."""

    x: ArrayT | None = None
    w: ArrayT | None = None
    bias: ArrayT | None = None


class Convolution(Convolving):
    """A convolution: y = activation(alpha * (x * w) + alpha2 * residual + bias) + beta * y.

    The factors are arguments of a call, 1, 1 and 0 by default.

    Example::

        conv = ops.Convolution(padding="same", activation="relu")
        y = conv(x, w, bias)
        dx, dw, dbias = conv.backward(dy, x, w, y=y)

    Formula: f(alpha x * w + alpha2 residual + bias)
    Arrays: x (N, C, ...), w (K, C/groups, ...), bias (K,), residual like y; batch optional
    Ways: the graph also has ADD and the activation; of the functions, the last two follow the first
    Edges: a partial sum that overflows: an infinity or NaN; an infinity or NaN at zeros of padding,
        a stride or other groups: left out by some engines, NaN by others; an infinity or NaN
        elsewhere: engines of FFT and Winograd make NaN of other pixels of its image
    """

    word = "convolution"
    by = (
        "a graph (CONVOLUTION_FORWARD), or by `cudnnConvolutionForward`, "
        "`cudnnAddTensor`, `cudnnActivationForward`"
    )
    gradient = (
        "convolution_backward_data",
        "convolution_backward_filter",
        "convolution_backward_bias",
    )
    _functions = (
        "cudnnConvolutionForward",
        "cudnnGetConvolutionForwardAlgorithm_v7",
        "cudnnFindConvolutionForwardAlgorithm",
        "cudnnGetConvolutionForwardWorkspaceSize",
    )

    def __init__(
        self,
        padding: Padding = 0,
        stride: Extents = 1,
        dilation: Extents = 1,
        *,
        groups: int | None = None,
        flip: bool = False,
        activation: ActivationWord | None = None,
        coefficient: float | None = None,
        choose: Choose = None,
    ) -> None:
        """Make a convolution.

        Args:
            padding: zeros on both sides of each spatial dimension: a number, one for each, or a
                pair (before, after) for each. Or a word: "valid" for none; "same" for a result of
                the extents of the input, divided by the stride; "half" for half of the filter;
                "full" for all of it but one element.
            stride: the step of the filter: a number, or one for each dimension.
            dilation: the distance of the filter's elements, likewise.
            groups: the number of groups; by default it follows from the channels of `x` and `w`.
            flip: whether filters are mirrored, as mathematics has it; frameworks do not.
            activation: a word such as "relu"; see `Activation`.
            coefficient: the number of the activation, as for `Activation`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        if activation is not None:
            activation = Activation(activation, coefficient).options["activation"]
        elif coefficient is not None:
            raise errors.ArgumentError("coefficient: expected an activation with it, got none")
        super().__init__(
            padding, stride, dilation, groups=groups, flip=flip, choose=choose,
            activation=activation, coefficient=coefficient,
        )  # fmt: skip

    def __call__(
        self,
        x: ArrayT,
        w: Array,
        bias: Array | None = None,
        residual: Array | None = None,
        *,
        out: Out = None,
        alpha: float = 1.0,
        alpha2: float = 1.0,
        beta: float = 0.0,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:
        """Convolve.

        Args:
            x: (N, C, [D, [H,]] W), or without N.
            w: the filters, (K, C / groups, [D, [H,]] W).
            bias: a number for each of the K channels, in any shape with one axis above 1.
            residual: is added before the activation; of the shape of the result.
            out: the array to write to; by default a new one of the library of `x`, in its layout.
            alpha: the factor of x * w, a number.
            alpha2: the factor of `residual`, a number; with 0 it is not read.
            beta: the factor of what was in `out`, a number; it is added after the activation.
            handle: the handle whose device and stream are used; by default that of this thread.
            stream: a stream of any library; by default the current one of the library of `x`.
            choose: the policy of this call, before that of the operation; see `cudnn_cffi.choice`.

        Returns: (N, K, [D, [H,]] W), or without N.
        """
        if alpha2 == 0.0 and residual is not None:
            residual, alpha2 = None, 1.0  # as in cuDNN: 0 times a NaN does not count
        call = () if alpha2 == 1.0 else (("alpha2", reals(alpha2=alpha2)[0]),)
        arrays = (x, w, bias, residual)
        return self.run(arrays, out, handle, stream, choose, alpha, beta, call)

    def results(self, case: Case) -> dict[str, Spec]:
        x, w = case.inputs["x"], case.inputs["w"]
        self._check_filters(w)
        batch = self._check_rank("x", x, len(w.shape))
        check_dtype(w, x.dtype, "w")
        channels, sizes = x.shape[batch], x.shape[1 + batch :]
        self._check_groups(channels, w.shape, "x")
        window = self._window(w.shape[2:], sizes)
        shape = (*x.shape[:batch], w.shape[0], *self._extents(window, sizes, w.shape[2:]))
        bias, residual = case.inputs.get("bias"), case.inputs.get("residual")
        if bias is not None:
            try:
                count = per_channel(bias).shape[1]
            except errors.ArgumentError as error:
                raise error.replace(message=f"bias: {error.message}") from None
            if count != w.shape[0]:
                raise errors.ShapeMismatchError(f"bias: expected {w.shape[0]} numbers, got {count}")
        if residual is None and "alpha2" in case.call:
            raise errors.ArgumentError(
                "residual: expected an array, as alpha2 was given, got None",
                hint="alpha is the factor of the convolution, alpha2 that of the residual",
            )
        if residual is not None:
            check_shape(residual, shape, "residual")
        return {"y": laid_out(shape, x, w, batch=batch)}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a convolution node, and pointwise nodes for the rest."""
        x, w, y = case.inputs["x"], case.inputs["w"], case.outputs["y"]
        batch = len(x.shape) == len(w.shape)
        wide, result = widened(x, batch), widened(y, batch)
        filters = widened(w, True)
        window = self._window(w.shape[2:], x.shape[1 + batch :]).widened(len(filters.shape) - 2)
        graph = draft.graph
        fused = len(case.inputs) > 2 or self.options["activation"] is not None
        own: dict[str, Any] = {}
        if not fused and not case.is_plain:
            own = {"alpha": case.alpha, "beta": case.beta}
        made = graph.convolution(
            draft.input("x", wide), draft.input("w", filters), flip=self.options["flip"],
            **window.options(), **own,
        )  # fmt: skip
        if fused and case.alpha != 1.0:
            made = graph.mul(made, case.alpha)
        if "residual" in case.inputs:
            residual = draft.input("residual", widened(case.inputs["residual"], batch))
            factor = case.call.get("alpha2", 1.0)
            made = graph.add(made, residual if factor == 1.0 else graph.mul(residual, factor))
        if "bias" in case.inputs:
            bias = per_channel(case.inputs["bias"], len(filters.shape))
            made = graph.add(made, draft.input("bias", bias))
        made = activate(graph, made, self.options["activation"], self.options["coefficient"])
        if fused:
            made = blend(case._replace(alpha=1.0), draft, made, result)
        draft.output(made, "y", result)

    def _parts(self, case: Case) -> tuple[Spec, Spec, Spec]:
        return case.inputs["x"], case.inputs["w"], case.outputs["y"]

    def _plain_only(self, case: Case) -> None:
        if len(case.inputs) > 2 or self.options["activation"] is not None:
            raise Unfit("cudnnConvolutionForward fuses no bias, residual or activation")

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnConvolutionForward`, followed by those of what is fused."""
        if len(case.inputs) == 2 and self.options["activation"] is None:
            return super().classic(case, rule, handle)
        options = self.options
        plain = shared(Convolution, {name: options[name] for name in WINDOW})
        after = None
        if options["activation"] is not None:
            after = shared(
                Activation, {name: options[name] for name in ("activation", "coefficient")}
            )
        return unfused(plain, after, case, rule, handle)

    def gradients(self, case: Case) -> list[tuple[Operation, Case]]:
        """Return the convolution and its gradients, each with its case."""
        options = {name: self.options[name] for name in WINDOW}
        x, w, y = case.inputs["x"], case.inputs["w"], case.outputs["y"]
        data = ConvolutionBackwardData(choose=self.policy, **options)
        filters = ConvolutionBackwardFilter(choose=self.policy, **options)
        return [
            (self, case),
            (data, data.case(y, w, shape=x.shape)),
            (filters, filters.case(x, y, shape=w.shape)),
        ]

    def backward(
        self, dy: ArrayT, x: Array, w: Array, *, y: Array | None = None,
        wants: Sequence[str] = ("x", "w", "bias"), handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ConvolutionGradients[ArrayT]:  # fmt: skip
        """Return the gradients of the result for input, filters and bias.

        The forward call is one with the default factors; after another one, multiply the gradients
        for `x` and `w` by its alpha.

        Args:
            dy: the gradient of the result.
            x, w: the arrays of the forward call.
            y: its result, where there is an activation.
            wants: which gradients to compute.
            handle, stream, choose: as in a call.

        Raises:
            NotSupportedError: the gradient of the activation does not follow from its result.
        """
        unknown = [each for each in wants if each not in ConvolutionGradients._fields]
        if unknown:
            raise no_word("wants", unknown[0], "gradients", ConvolutionGradients._fields)
        where: InPlace = {"handle": handle, "stream": stream}
        if self.options["activation"] is not None:
            dy = self._through_activation(dy, y, where)
        window = {name: self.options[name] for name in WINDOW}
        more: InPlace = {**where, "choose": choose}
        found: dict[str, Any] = {}
        if "x" in wants:
            shape = tuple(Spec.of(x, "x").shape)
            found["x"] = self._like(ConvolutionBackwardData, **window)(dy, w, shape, **more)
        if "w" in wants:
            shape = tuple(Spec.of(w, "w").shape)
            found["w"] = self._like(ConvolutionBackwardFilter, **window)(x, dy, shape, **more)
        if "bias" in wants:
            batch = len(Spec.of(x, "x").shape) == len(Spec.of(w, "w").shape)
            found["bias"] = shared(ConvolutionBackwardBias, {"batch": batch})(dy, **more)
        return ConvolutionGradients(**found)

    def _through_activation(self, dy: Array, y: Array | None, where: InPlace) -> Any:
        word = self.options["activation"]
        if not ACTIVATIONS[word].by_result:
            raise errors.NotSupportedError(
                f"backward: the gradient of {word} does not follow from its result",
                hint="convolve without an activation, and keep its input: see Activation",
            )
        if y is None:
            raise errors.ArgumentError("y: expected the result of the forward call, got None")
        settings = {"activation": word, "coefficient": self.options["coefficient"]}
        return shared(ActivationBackward, settings)(dy, None, y, **where)


class ConvolutionTranspose(ConvolutionBackwardData):
    """A transposed convolution: the gradient of a convolution for its input, used forward.

    Its filters are (K, C / groups, ...), where K are the channels of `x`, as PyTorch has them.

    Formula: the gradient of a convolution for its input, + bias
    Arrays: x (N, K, ...), w (K, C/groups, ...)
    Ways: `cudnnAddTensor` adds the bias, after a graph as well
    """

    word = "convolution_transpose"
    by = (
        "a graph (CONVOLUTION_BACKWARD_DATA), or by "
        "`cudnnConvolutionBackwardData`, `cudnnAddTensor`"
    )
    gradient = ("convolution", "convolution_backward_filter", "convolution_backward_bias")
    gives: tuple[str, ...] = ("y",)
    sums = False

    def __init__(
        self,
        padding: Padding = 0,
        stride: Extents = 1,
        dilation: Extents = 1,
        *,
        output_padding: Extents = 0,
        groups: int | None = None,
        flip: bool = False,
        choose: Choose = None,
    ) -> None:
        """Make a transposed convolution.

        Args:
            padding, stride, dilation, groups, flip, choose: of the convolution whose gradient it
                is, as for `Convolution`; "same" only with a stride of 1.
            output_padding: how much longer the result is at the end of each dimension.
        """
        super().__init__(
            padding, stride, dilation, groups=groups, flip=flip, choose=choose,
            output_padding=output_padding,
        )  # fmt: skip

    def __call__(  # type: ignore[override]
        self,
        x: ArrayT,
        w: Array,
        bias: Array | None = None,
        *,
        out: Out = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:
        """Convolve.

        Args:
            x: (N, K, [D, [H,]] W), or without N.
            w: the filters, (K, C / groups, [D, [H,]] W).
            bias: a number for each of the C channels.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.

        Returns: (N, C, [D, [H,]] W), or without N.
        """
        return self.run((x, w, bias), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        inner = {"dy": case.inputs["x"], "w": case.inputs["w"]}
        try:
            made = super().results(Case(inner, {}, call=case.call))["dx"]
        except errors.CudnnError as error:
            raise error.replace(message=error.message.replace("dy:", "x:", 1)) from None
        bias = case.inputs.get("bias")
        if bias is not None:
            channels = made.shape[len(made.shape) == len(inner["w"].shape)]
            count = per_channel(bias).shape[1]
            if count != channels:
                raise errors.ShapeMismatchError(f"bias: expected {channels} numbers, got {count}")
        return {"y": made}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradient."""
        if "bias" in case.inputs:
            raise Unfit("no engine fuses a bias with a transposed convolution")
        super().graph(case, draft)

    def find_way(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        if "bias" not in case.inputs or case.is_empty:
            return super().find_way(case, rule, handle, device)
        inputs = {name: each for name, each in case.inputs.items() if name != "bias"}
        first = super().find_way(case._replace(inputs=inputs), rule, handle, device)
        return with_bias(first, case)

    def algorithms(
        self, case: Case, handle: Handle, rule: Rule = FREE
    ) -> Iterator[tuple[str, Classic | None, str]]:
        """Yield each classic algorithm, followed by the addition of a bias, if there is one."""
        if "bias" not in case.inputs:
            yield from super().algorithms(case, handle, rule)
            return
        inputs = {name: each for name, each in case.inputs.items() if name != "bias"}
        for name, way, why in super().algorithms(case._replace(inputs=inputs), handle, rule):
            yield name, None if way is None else with_bias(way, case), why

    def gradients(self, case: Case) -> list[tuple[Operation, Case]]:
        """Return the operation and its gradients, each with its case.

        It is computed as a gradient for data; so that for its input is a convolution.
        """
        options = {name: self.options[name] for name in WINDOW}
        x, w, y = case.inputs["x"], case.inputs["w"], case.outputs["y"]
        data = Convolution(choose=self.policy, **options)
        filters = ConvolutionBackwardFilter(choose=self.policy, **options)
        return [
            (self, case), (data, data.case(y, w)), (filters, filters.case(y, x, shape=w.shape))
        ]  # fmt: skip

    def backward(
        self, dy: ArrayT, x: Array, w: Array, *, wants: Sequence[str] = ("x", "w", "bias"),
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ConvolutionGradients[ArrayT]:  # fmt: skip
        """Return the gradients of the result for input, filters and bias.

        Args:
            dy: the gradient of the result.
            x, w: the arrays of the forward call.
            wants, handle, stream, choose: as for `Convolution.backward`.
        """
        window = {name: self.options[name] for name in WINDOW}
        more: InPlace = {"handle": handle, "stream": stream, "choose": choose}
        found: dict[str, Any] = {}
        if "x" in wants:
            found["x"] = self._like(Convolution, **window)(dy, w, **more)
        if "w" in wants:
            shape = tuple(Spec.of(w, "w").shape)
            found["w"] = self._like(ConvolutionBackwardFilter, **window)(dy, x, shape, **more)
        if "bias" in wants:
            batch = len(Spec.of(x, "x").shape) == len(Spec.of(w, "w").shape)
            found["bias"] = shared(ConvolutionBackwardBias, {"batch": batch})(dy, **more)
        return ConvolutionGradients(**found)


convolution = function(
    Convolution,
    summary=(
        "Compute y = activation(alpha * (x * w) + alpha2 * residual + bias) + beta * y.\n"
        "\n"
        "x * w is the convolution."
    ),
)


convolution_transpose = function(
    ConvolutionTranspose,
    summary=(
        "Compute a transposed convolution: the gradient of a convolution for its input.\n"
        "\n"
        "Its filters are (K, C / groups, ...), where K are the channels of `x`, as "
        "PyTorch has them."
    ),
)
