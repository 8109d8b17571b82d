"""Gradients of convolutions for data, filters and bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ... import errors
from ..._lookup import has
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.arguments import whole
from ..._ways.array_spec import Spec, check_dtype, check_shape, per_channel, widened
from ..._ways.case import Case, Unfit, Way, blend
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.graph_draft import Draft
from ...choice.policy import Rule
from ...errata.asks import wrong_function
from ...errata.record import ALIGNMENT
from ...graph.arguments import per_dimension
from ..element.reduction_kernels import by_kernel, from_float32, in_float32
from .base import Convolving, laid_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Device, Handle, Out

_BIAS = "cudnnConvolutionBackwardBias"


class ConvolutionBackwardData(Convolving):
    """The gradient of a convolution for its input: dx = alpha * dy * w^T + beta * dx.

    Formula: dy * w^T
    Arrays: dy, w, `shape` of x
    """

    word = "convolution_backward_data"
    by = "a graph (CONVOLUTION_BACKWARD_DATA), or by `cudnnConvolutionBackwardData`"
    gradient: ClassVar[tuple[str, ...]] = ("convolution", "convolution_backward_filter")
    section = "data"
    gives: tuple[str, ...] = ("dx",)
    sums = True
    _functions = (
        "cudnnConvolutionBackwardData",
        "cudnnGetConvolutionBackwardDataAlgorithm_v7",
        "cudnnFindConvolutionBackwardDataAlgorithm",
        "cudnnGetConvolutionBackwardDataWorkspaceSize",
    )

    def __call__(
        self,
        dy: ArrayT,
        w: Array,
        shape: Sequence[int] | None = None,
        *,
        out: Out = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:
        """Compute the gradient.

        Args:
            dy: the gradient of the convolution's result.
            w: its filters.
            shape: of its input; by default the smallest that has such a result.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        call = () if shape is None else (("shape", whole(shape, "shape")),)
        return self.run((dy, w), out, handle, stream, choose, alpha, beta, call)

    def results(self, case: Case) -> dict[str, Spec]:
        dy, w = case.inputs["dy"], case.inputs["w"]
        self._check_filters(w)
        batch = self._check_rank("dy", dy, len(w.shape))
        check_dtype(w, dy.dtype, "w")
        if dy.shape[batch] != w.shape[0]:
            raise errors.ShapeMismatchError(
                f"dy: expected {w.shape[0]} channels, one for each filter, got {dy.shape[batch]}"
            )
        kernel, sizes = w.shape[2:], dy.shape[1 + batch :]
        shape = case.call.get("shape")
        target = case.outputs.get("dx")
        if shape is None and target is not None:
            shape = target.shape
        if shape is None:
            window = self._window(kernel)
            extra = per_dimension(
                self.options.get("output_padding", 0), len(kernel), "output_padding", 0
            )
            if any(more >= s for more, s in zip(extra, window.stride, strict=True)):
                raise errors.ArgumentError(
                    f"output_padding: expected less than the stride {tuple(window.stride)}, got "
                    f"{tuple(extra)}"
                )
            shape = (
                *dy.shape[:batch],
                w.shape[1] * (self.options["groups"] or 1),
                *[
                    (n - 1) * s - b - a + (k - 1) * d + 1 + more
                    for n, k, b, a, s, d, more in zip(sizes, kernel, *window, extra, strict=True)
                ],
            )
        shape = whole(shape, "shape")
        if len(shape) != len(dy.shape):
            raise errors.ArgumentError(f"shape: expected {len(dy.shape)} extents, got {len(shape)}")
        self._check_groups(shape[batch], w.shape, "shape")
        window = self._window(kernel, shape[1 + batch :])
        if min(shape[batch:]) < 1 or self._extents(window, shape[1 + batch :], kernel) != sizes:
            raise errors.ShapeMismatchError(
                f"dy: a convolution of {shape} with filters {w.shape} does not have a result of "
                f"the spatial extents {sizes}"
            )
        return {"dx": laid_out(shape, dy, w, batch=batch)}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradient."""
        names = (*case.inputs, *case.outputs)
        dy, w, dx = case.inputs[names[0]], case.inputs["w"], case.outputs[names[-1]]
        batch = len(dy.shape) == len(w.shape)
        filters, result = widened(w, True), widened(dx, batch)
        window = self._window(w.shape[2:], dx.shape[1 + batch :]).widened(len(filters.shape) - 2)
        own: dict[str, Any] = {} if case.is_plain else {"alpha": case.alpha, "beta": case.beta}
        made = draft.graph.convolution_backward_data(
            draft.input(names[0], widened(dy, batch)), draft.input("w", filters),
            shape=result.shape, flip=self.options["flip"], **window.options(), **own,
        )  # fmt: skip
        draft.output(made, names[-1], result)

    def _parts(self, case: Case) -> tuple[Spec, Spec, Spec]:
        names = (*case.inputs, *case.outputs)
        return case.outputs[names[-1]], case.inputs["w"], case.inputs[names[0]]


class ConvolutionBackwardFilter(Convolving):
    """The gradient of a convolution for its filters: dw = alpha * x^T * dy + beta * dw.

    Formula: x^T * dy
    Arrays: x, dy, `shape` of w
    """

    word = "convolution_backward_filter"
    by = "a graph (CONVOLUTION_BACKWARD_FILTER), or by `cudnnConvolutionBackwardFilter`"
    gradient = ("convolution_backward_data", "convolution")
    section = "filter"
    gives: tuple[str, ...] = ("dw",)
    sums = True
    _functions = (
        "cudnnConvolutionBackwardFilter",
        "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
        "cudnnFindConvolutionBackwardFilterAlgorithm",
        "cudnnGetConvolutionBackwardFilterWorkspaceSize",
    )

    def __call__(
        self,
        x: ArrayT,
        dy: Array,
        shape: Sequence[int] | None = None,
        *,
        out: Out = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        handle: Handle | None = None,
        stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:
        """Compute the gradient.

        Args:
            x: the convolution's input.
            dy: the gradient of its result.
            shape: of the filters, (K, C / groups, ...); by default that of `out`.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        call = () if shape is None else (("shape", whole(shape, "shape")),)
        return self.run((x, dy), out, handle, stream, choose, alpha, beta, call)

    def results(self, case: Case) -> dict[str, Spec]:
        x, dy = case.inputs["x"], case.inputs["dy"]
        check_dtype(dy, x.dtype, "dy")
        target = case.outputs.get("dw")
        shape = case.call.get("shape") or (None if target is None else target.shape)
        if shape is None:
            raise errors.ArgumentError(
                "shape: expected that of the filters, got None", hint="or pass out="
            )
        shape = whole(shape, "shape")
        if not 3 <= len(shape) <= 5 or min(shape) < 1:
            raise errors.ArgumentError(
                f"shape: expected 3 to 5 extents of filters, all above 0, got {shape}"
            )
        batch = self._check_rank("x", x, len(shape))
        if len(dy.shape) != len(x.shape):
            raise errors.ArgumentError(
                f"dy: expected {len(x.shape)} axes, like x, got {len(dy.shape)}"
            )
        self._check_groups(x.shape[batch], shape, "x")
        window = self._window(shape[2:], x.shape[1 + batch :])
        sizes = self._extents(window, x.shape[1 + batch :], shape[2:])
        wanted = (*x.shape[:batch], shape[0], *sizes)
        check_shape(dy, wanted, "dy")
        return {"dw": laid_out(shape, x, dy)}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradient."""
        x, dy, dw = case.inputs["x"], case.inputs["dy"], case.outputs["dw"]
        batch = len(x.shape) == len(dw.shape)
        result = widened(dw, True)
        window = self._window(dw.shape[2:], x.shape[1 + batch :]).widened(len(result.shape) - 2)
        own: dict[str, Any] = {} if case.is_plain else {"alpha": case.alpha, "beta": case.beta}
        made = draft.graph.convolution_backward_filter(
            draft.input("x", widened(x, batch)), draft.input("dy", widened(dy, batch)),
            result.shape, flip=self.options["flip"], **window.options(), **own,
        )  # fmt: skip
        draft.output(made, "dw", result)

    def _parts(self, case: Case) -> tuple[Spec, Spec, Spec]:
        return case.inputs["x"], case.outputs["dw"], case.inputs["dy"]


class ConvolutionBackwardBias(Operation):
    """The gradient of a bias: db = alpha * sum of dy over all axes but the channels + beta * db.

    Formula: sum of dy for each channel
    Arrays: dy
    Ways: a kernel before both; by the graph float16 with channels last only
    """

    word = "convolution_backward_bias"
    by = "`cudnnConvolutionBackwardBias`, or by a graph (REDUCTION)"
    section = "filter"
    gives: tuple[str, ...] = ("db",)
    sums = True
    ways = ("classic", "graph")

    def __init__(self, *, batch: bool = True, choose: Choose = None) -> None:
        """Make the gradient.

        Args:
            batch: whether `dy` has the batch axis.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(choose, batch=batch)

    def __call__(
        self, dy: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Return the gradient of the bias, (K,).

        Args:
            dy: the gradient of the convolution's result, (N, K, ...), or without N.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dy,), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        dy, batch = case.inputs["dy"], self.options["batch"]
        if not 2 + batch <= len(dy.shape) <= 4 + batch:
            raise errors.ArgumentError(
                f"dy: expected {2 + batch} to {4 + batch} axes, got {len(dy.shape)}",
                hint="batch=False is for one example without the axis N",
            )
        channels = dy.shape[bool(batch)]
        target = case.outputs.get("db")
        if target is not None and per_channel(target).shape[1] == channels:
            return {"db": target}
        return {"db": Spec(dy.dtype, (channels,), (1,), dy.device)}

    def _wide(self, case: Case) -> tuple[Spec, Spec]:
        dy = widened(case.inputs["dy"], self.options["batch"])
        return dy, per_channel(case.outputs["db"], len(dy.shape))

    def alignment_of(self, case: Case) -> int:
        """Return the alignment that the function that sums needs."""
        alignment = min(each.alignment for each in (*case.inputs.values(), *case.outputs.values()))
        is_low = wrong_function(_BIAS, {"alignment": alignment}, self.device_of(case))
        return ALIGNMENT if is_low else 1

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        planned = super()._planned
        return from_float32(case, rule, handle, lambda inner: planned(inner, rule, handle, device))

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a reduction."""
        dy, db = self._wide(case)
        axes = [axis for axis in range(len(dy.shape)) if axis != 1]
        made = draft.graph.reduction(draft.input("dy", dy), "ADD", dims=axes)
        draft.output(blend(case, draft, made, db), "db", db)

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of a kernel of this package, or of classic functions."""
        found = by_kernel(case, "ADD", self._wide(case), rule, handle)
        return super().by_classic(case, rule, handle) if found is None else found

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnConvolutionBackwardBias`, in float32 for bfloat16."""
        if case.inputs["dy"].dtype == "bfloat16":
            return in_float32(case, self._plain)
        return self._plain(case)

    def _plain(self, case: Case) -> Classic:
        """Return one call."""
        dy, db = map(describe, self._wide(case))
        if not has(_BIAS):
            raise Unfit(f"the loaded release has no {_BIAS}")
        step = Step(_BIAS, HANDLE, case.alpha, dy, "dy", case.beta, db, "db")
        return Classic(_BIAS, operands_of(case.inputs, case.outputs, ALIGNMENT), [step])


convolution_backward_data = function(
    ConvolutionBackwardData,
    summary="Return the gradient of a convolution for its input.",
)


convolution_backward_filter = function(
    ConvolutionBackwardFilter,
    summary="Return the gradient of a convolution for its filters.",
)


convolution_backward_bias = function(
    ConvolutionBackwardBias,
    summary=("Return the gradient of a bias: the sum of dy over all axes but the channels."),
)
