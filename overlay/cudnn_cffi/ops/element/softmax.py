"""Softmax and its logarithm over any axes, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import arrays, errors
from ..._advice import said
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, check_dtype, check_shape, is_same_order, to_axes
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Unfit, blend
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.graph_draft import Draft
from ...choice.policy import Rule
from ...errata import asks as errata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut

#: Words for axes. Torch7's SpatialSoftMax and VolumetricSoftMax are over channels, too.
_WORDS = {"channel": 1, "channels": 1, "spatial": 1, "volumetric": 1, "last": -1}


def add_logarithms(
    steps: Steps, mode: Any, like: Spec, count: int, desc: Any, y: str, between: str = "",
    alpha: float = 1.0, beta: float = 0.0,
) -> None:  # fmt: skip
    """Add what computes the logarithm of a softmax: y = alpha * log(softmax(x)) + beta * y.

    Args:
        steps: to add to.
        mode: cudnnSoftmaxMode_t.
        like: an array of the same data type and device.
        count: how many elements sum to one.
        desc: the descriptor of both arrays.
        y: the name of the result, as "x" is that of the input.
        between: the name of an array for a first result; y where nothing of that counts.
        alpha, beta: the factors.
    """
    name, log, x = "cudnnSoftmaxForward", arrays.member("SoftmaxAlgorithm", "LOG"), "x"
    if _is_rounded(mode, like, count):
        steps.call(name, log, mode, 1.0, desc, x, 0.0, desc, between or y)
        x = between or y
    steps.call(name, log, mode, alpha, desc, x, beta, desc, y)


def _is_rounded(mode: Any, like: Spec, count: int) -> bool:
    """Return whether logarithms lose digits, unless they are computed again of the result."""
    call: errata.Call = {
        "mode": mode.name,
        "width": arrays.itemsize(like.dtype),
        "count": count,
    }
    return bool(errata.wrong_function("cudnnSoftmaxForward", call, like.device))


class _Softmax(Operation):
    """The base of a softmax and its gradient."""

    ways = ("classic", "graph")

    def __init__(
        self,
        axis: int | str | Sequence[int] = 1,
        *,
        log: bool = False,
        accurate: bool = True,
        choose: Choose = None,
    ) -> None:
        """Make a softmax.

        Args:
            axis: the axis, or axes that lie next to each other in memory, whose elements sum to
                one; or a word: "channel" for axis 1, also "spatial" and "volumetric", as Torch7
                calls it; "instance" for all axes but the first; "last".
            log: whether to return the logarithm.
            accurate: whether the largest element is subtracted first, so that nothing overflows.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        words = (*_WORDS, "instance")
        if isinstance(axis, str) and axis.lower() not in words:
            raise no_word("axis", axis, "numbers or a word", words, said("axis"))
        if log and not accurate:
            raise errors.ArgumentError("accurate: expected True for a logarithm, got False")
        super().__init__(choose, axis=axis, log=log, accurate=accurate)

    def results(self, case: Case) -> dict[str, Spec]:
        first = next(iter(case.inputs.values()))
        for name, each in case.inputs.items():
            check_shape(each, first.shape, name)
            check_dtype(each, first.dtype, name)
        strides = first.strides if first.is_dense else arrays.packed_strides(first.shape)
        self._axes(len(first.shape))
        return {self.gives[0]: Spec(first.dtype, first.shape, strides, first.device)}

    def _axes(self, rank: int) -> frozenset[int]:
        axis = self.options["axis"]
        if isinstance(axis, str):
            word = axis.lower()
            if word == "instance":
                return frozenset(range(1, rank))
            axis = _WORDS[word]
        return to_axes(axis, rank, "axis")

    def _rows(self, case: Case) -> tuple[int, int, int]:
        """Return how many elements are outside of the axes, on them, and inside.

        Raises:
            Unfit: the arrays have gaps, or the axes do not lie next to each other in memory.
        """
        specs = (*case.inputs.values(), *case.outputs.values())
        first = specs[0]
        if any(not e.is_dense or not is_same_order(e, first) for e in specs):
            raise Unfit("expected arrays without gaps, all with the same strides")
        chosen = self._axes(len(first.shape))
        order = sorted(
            (axis for axis, extent in enumerate(first.shape) if extent > 1),
            key=lambda axis: -first.strides[axis],
        )
        places = [place for place, axis in enumerate(order) if axis in chosen]
        if not places:
            outer = 1
            for each in first.shape:
                outer *= each
            return outer, 1, 1
        if places != list(range(places[0], places[-1] + 1)):
            raise Unfit("the axes do not lie next to each other in memory")
        counts = [1, 1, 1]
        for place, axis in enumerate(order):
            counts[0 if place < places[0] else 1 if place <= places[-1] else 2] *= first.shape[axis]
        return counts[0], counts[1], counts[2]

    def _described(self, case: Case) -> dict[str, Any]:
        outer, count, inner = self._rows(case)
        shape, strides = (outer, count, inner, 1), (count * inner, inner, 1, 1)
        specs = {**case.inputs, **case.outputs}
        return {n: describe(e._replace(shape=shape, strides=strides)) for n, e in specs.items()}

    def _enums(self, case: Case) -> tuple[Any, Any]:
        name = "LOG" if self.options["log"] else "ACCURATE" if self.options["accurate"] else "FAST"
        # Rows without gaps are instances, for which cuDNN has other kernels than for channels: the
        # gradient of 4096 rows of 1024 takes microseconds and not milliseconds.
        mode = "INSTANCE" if self._rows(case)[2] == 1 else "CHANNEL"
        return arrays.member("SoftmaxAlgorithm", name), arrays.member("SoftmaxMode", mode)

    def _graph_view(self, case: Case, name: str) -> Spec:
        """Return an array with the axes of the softmax last."""
        outer, count, inner = self._rows(case)
        spec = case.inputs.get(name) or case.outputs[name]
        return spec._replace(
            shape=(1, outer, inner, count), strides=(outer * count * inner, count * inner, 1, inner)
        )


class Softmax(_Softmax):
    """exp(x) over its sum along axes: y = alpha * softmax(x) + beta * y.

    Formula: exp(x) / sum of exp(x), or the logarithm of that
    Arrays: any axes that lie next to each other in memory
    Ways: the graph since 9.20
    Edges: a NaN or inf: the row is NaN; a row of -inf: NaN, or zeros by some kernels (PyTorch:
        NaN); exp(x) overflows, or is 0 in a row, with `accurate=False`: the row is NaN; the
        logarithm over channels, in rows of more than 512, and of float64: computed again of the
        result, since the first is rounded as far as inputs are
    """

    word = "softmax"
    by = "`cudnnSoftmaxForward`, or by a graph (SOFTMAX)"
    gradient = ("softmax_backward",)

    def __call__(
        self, x: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the softmax.

        Args:
            x: an array of any shape.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a softmax node, which releases before 9.20 have as a composite."""
        y = self._graph_view(case, "y")
        made = draft.graph.softmax(draft.input("x", self._graph_view(case, "x")))
        if self.options["log"]:
            made = draft.graph.log(made)
        draft.output(blend(case, draft, made, y), "y", y)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnSoftmaxForward`."""
        found, (algorithm, mode) = self._described(case), self._enums(case)
        x, y, alpha, beta = found["x"], found["y"], case.alpha, case.beta
        like, count = case.inputs["x"], self._rows(case)[1]
        if self.options["log"] and _is_rounded(mode, like, count):
            steps = Steps(case.inputs, case.outputs)
            between = steps.room("logs", case.outputs["y"]) if beta else ""
            add_logarithms(steps, mode, like, count, x, "y", between, alpha, beta)
            return steps.classic(algorithm=algorithm.name)
        name = "cudnnSoftmaxForward"
        step = Step(name, HANDLE, algorithm, mode, alpha, x, "x", beta, y, "y")
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], algorithm=algorithm.name)

    def backward(self, dy: ArrayT, y: Array, **call: Unpack[WithOut]) -> ArrayT:
        """Return the gradient for the input; see `SoftmaxBackward`."""
        return self._like(SoftmaxBackward, **self.options)(dy, y, **call)


class SoftmaxBackward(_Softmax):
    """The gradient of a softmax, or of its logarithm, from its result.

    Formula: y (dy - sum of dy y); of the logarithm dy - exp(y) sum of dy
    Arrays: dy, y
    """

    word = "softmax_backward"
    by = "`cudnnSoftmaxBackward`, or by a graph (POINTWISE, REDUCTION)"
    section = "data"
    gives: tuple[str, ...] = ("dx",)

    def __call__(
        self, dy: ArrayT, y: Array, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the gradient.

        Args:
            dy: the gradient of the result.
            y: the result.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dy, y), out, handle, stream, choose, alpha, beta)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add what the gradient is made of."""
        graph, dx = draft.graph, self._graph_view(case, "dx")
        dy = draft.input("dy", self._graph_view(case, "dy"))
        y = draft.input("y", self._graph_view(case, "y"))
        if self.options["log"]:
            total = graph.reduction(dy, "ADD", dims=-1)
            made = graph.sub(dy, graph.mul(graph.exp(y), total))
        else:
            total = graph.reduction(graph.mul(dy, y), "ADD", dims=-1)
            made = graph.mul(graph.sub(dy, total), y)
        draft.output(blend(case, draft, made, dx), "dx", dx)

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnSoftmaxBackward`."""
        found, (algorithm, mode) = self._described(case), self._enums(case)
        dy, y, dx = found["dy"], found["y"], found["dx"]
        name = "cudnnSoftmaxBackward"
        step = Step(
            name, HANDLE, algorithm, mode, case.alpha, y, "y", dy, "dy", case.beta, dx, "dx"
        )
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], algorithm=algorithm.name)


_EDGES = "A row with a NaN or inf gives NaN. A row of -inf alone does so by most kernels."

softmax = function(
    Softmax,
    formula="exp(x) / sum of exp(x)",
    summary=f"Return exp(x) over its sum along axes.\n\n{_EDGES}",
    order="x axis",
)

log_softmax = function(
    Softmax,
    "log_softmax",
    f"Return the logarithm of a softmax.\n\n{_EDGES}",
    order="x axis",
    log=True,
    formula="x - log(sum of exp(x))",
)


softmax_backward = function(
    SoftmaxBackward,
    summary=("Return the gradient of a softmax, or of its logarithm, from its result."),
    order="dy y axis",
)
