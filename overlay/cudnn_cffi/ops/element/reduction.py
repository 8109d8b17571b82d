"""Reductions over axes: sums, means, extremes, norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._ways.array_spec import Spec, flattened, in_front, to_axes
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Unfit, Way, blend
from ..._ways.classic_call import HANDLE, Classic, Scratch, Step, describe, operands_of
from ..._ways.graph_draft import Draft
from ...choice.policy import Rule
from ...descriptors import OpTensorDescriptor, ReduceTensorDescriptor
from .integers import refuse_integers
from .reduction_kernels import by_kernel, from_float32, in_float32
from .tensor import compute_type, operation_among, refuse_nan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from ..._ways.signatures import (
        ArrayT,
        CallStream,
        Choose,
        Device,
        Handle,
        Out,
        ReductionWord,
    )

    OpTensorWord: TypeAlias = Literal["MAX", "MIN"]
    ReduceWord: TypeAlias = Literal[
        "ADD", "MUL", "MIN", "MAX", "AMAX", "AVG", "NORM1", "NORM2", "MUL_NO_ZEROS"
    ]


#: The reductions that make the absolute value of a single element.
_ABSOLUTE = ("AMAX", "NORM1", "NORM2")
_REDUCTIONS = ("ADD", "MUL", "MIN", "MAX", "AMAX", "AVG", "NORM1", "NORM2", "MUL_NO_ZEROS")


class Reduction(Operation):
    """A reduction over axes: y = alpha * reduce(x) + beta * y, and where the extreme was.

    Formula: add, mul, min, max, amax, avg, norm1, norm2, mul_no_zeros; positions of extremes
    Arrays: x with up to 8 axes
    Ways: a kernel before both, without positions, if axes of each kind are at most two groups in
        memory; by the graph no positions, and min, max and amax with `propagate_nan=False` only
    Edges: a NaN: wins in min, max and amax; int8: rounded, and -128 or 127 beyond, but for an `out`
        of float32 (PyTorch: int64)
    """

    word = "reduce"
    by = "`cudnnReduceTensor`, or by a graph (REDUCTION)"
    gradient = ()
    gives: tuple[str, ...] = ("y", "indices")
    in_c_order = frozenset({"indices"})
    ways = ("classic", "graph")

    def __init__(
        self,
        operation: ReductionWord = "add",
        axes: int | Sequence[int] | None = None,
        *,
        keep_axes: bool = False,
        indices: bool = False,
        propagate_nan: bool = True,
        choose: Choose = None,
    ) -> None:
        """Make a reduction.

        Where all elements of a maximum are -inf, `cudnnReduceTensor` may return the lowest finite
        number of the type, with which it begins; where all of a minimum are inf, the largest one.
        "norm2" adds squares in float32, or float64, as PyTorch and NumPy do: in float32 a norm
        above 1.8e19 is inf, and elements below 1e-19 may count as zeros.

        Args:
            operation: "add", "mul", "min", "max", "amax" (the largest absolute value), "avg",
                "norm1", "norm2" or "mul_no_zeros"; also "sum", "mean", "prod".
            axes: the axes to reduce; by default all.
            keep_axes: whether the result has these axes, with one element.
            indices: whether to return the positions, in INT32, of what "min", "max" or "amax"
                found: counted over the axes that are reduced, in row-major order.
            propagate_nan: whether a NaN wins over numbers in "min", "max" and "amax"; graphs
                cannot do that.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        self._name = cast("ReduceWord", operation_among(operation, _REDUCTIONS))
        if indices and self._name not in ("MIN", "MAX", "AMAX"):
            raise errors.ArgumentError(f"indices: expected min, max or amax, got {operation!r}")
        super().__init__(
            choose, operation=self._name.lower(), axes=axes, keep_axes=keep_axes,
            indices=indices, propagate_nan=propagate_nan,
        )  # fmt: skip
        self.sums = self._name in ("ADD", "NORM1", "NORM2")

    def __call__(
        self, x: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> Any:  # fmt: skip
        """Reduce.

        Args:
            x: an array with up to eight axes.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.

        Returns: the result; with `indices`, a pair of it and the positions.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def _shapes(self, x: Spec) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shape of the result with the axes, and without."""
        rank, axes = len(x.shape), self.options["axes"]
        chosen = to_axes(range(rank) if axes is None else axes, rank, "axes")
        full = tuple(1 if axis in chosen else n for axis, n in enumerate(x.shape))
        return full, tuple(n for axis, n in enumerate(x.shape) if axis not in chosen)

    def results(self, case: Case) -> dict[str, Spec]:
        x = case.inputs["x"]
        full, short = self._shapes(x)
        shape = full if self.options["keep_axes"] else short
        found = {"y": Spec(x.dtype, shape, arrays.packed_strides(shape), x.device)}
        if self.options["indices"]:
            found["indices"] = Spec("int32", shape, arrays.packed_strides(shape), x.device)
        return found

    def _may_convert(self, name: str, target: Spec) -> bool:
        return name == "y" and target.dtype in ("float32", "float64")

    def _wide(self, spec: Spec, full: tuple[int, ...]) -> Spec:
        """Return the result with the axes that were reduced."""
        if len(spec.shape) == len(full):
            return spec
        steps = iter(spec.strides)
        strides = tuple(
            next(steps) if n > 1 or self._is_kept(axis, full) else 1 for axis, n in enumerate(full)
        )
        return spec._replace(shape=full, strides=strides)

    def _is_kept(self, axis: int, full: tuple[int, ...]) -> bool:
        axes = self.options["axes"]
        if axes is None:
            return False
        return axis not in to_axes(axes, len(full), "axes")

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a reduction node."""
        if self.options["indices"]:
            raise Unfit("graphs return no positions")
        refuse_integers(case)
        shape = case.inputs["x"].shape
        full, _ = self._shapes(case.inputs["x"])
        y = self._wide(case.outputs["y"], full)
        if full == shape:  # NaN stays, too
            x, graph = draft.input("x"), draft.graph
            if self._name == "MUL_NO_ZEROS":
                made = graph.add(x, graph.equal(x, 0.0, data_type=draft.compute))
            else:
                made = graph.abs(x) if self._name in _ABSOLUTE else graph.identity(x)
        else:
            refuse_nan(self._name, case.inputs["x"], self.options["propagate_nan"])
            made = draft.graph.reduction(draft.input("x"), self._name, shape=full)
        draft.output(blend(case, draft, made, y), "y", y)

    def _planned(self, case: Case, rule: Rule, handle: Handle | None, device: Device | None) -> Way:
        planned = super()._planned
        x = case.inputs["x"]
        adds = self._name not in ("MIN", "MAX", "AMAX") and self._shapes(x)[0] != x.shape
        return from_float32(
            case, rule, handle, lambda inner: planned(inner, rule, handle, device), adds=adds
        )

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of a kernel of this package, or of classic functions."""
        x, found = case.inputs["x"], None
        full, _ = self._shapes(x)
        if full != x.shape and not self.options["indices"]:
            given = x, self._wide(case.outputs["y"], full)
            nan = self.options["propagate_nan"]
            found = by_kernel(case, self._name, given, rule, handle, nan=nan)
        return super().by_classic(case, rule, handle) if found is None else found

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnReduceTensor`, in float32 for bfloat16."""
        x = case.inputs["x"]
        full, _ = self._shapes(x)
        if full == x.shape:
            return self._of_ones(case, full)
        if x.dtype == "bfloat16":
            return in_float32(case, lambda inner: self._reduced(inner, full, handle))
        return self._reduced(case, full, handle)

    def _of_ones(self, case: Case, full: tuple[int, ...]) -> Classic:
        """Return the call for axes of one element, which `cudnnReduceTensor` does not take.

        Raises:
            Unfit: the result is neither a copy nor the absolute values.
        """
        if self._name == "MUL_NO_ZEROS":
            raise Unfit("no classic function makes ones of zeros")
        given = case.inputs["x"], self._wide(case.outputs["y"], full)
        x, y = (describe(in_front(each, 4)) for each in flattened(*given) or given)
        steps = Steps(case.inputs, case.outputs)
        if self._name in _ABSOLUTE:  # the larger one of x and -x
            extreme: OpTensorWord = "MAX" if case.alpha >= 0 else "MIN"
            op = OpTensorDescriptor.of(extreme, compute_type(case.inputs["x"]), propagate_nan=True)
            steps.call(
                "cudnnOpTensor", op, case.alpha, x, "x", -case.alpha, x, "x", case.beta, y, "y"
            )
        else:
            steps.call("cudnnTransformTensor", case.alpha, x, "x", case.beta, y, "y")
        if self.options["indices"]:
            steps.zero("indices", 4 * math.prod(full))
        return steps.classic()

    def _reduced(self, case: Case, full: tuple[int, ...], handle: Handle) -> Classic:
        """Return the call of `cudnnReduceTensor`."""
        x = case.inputs["x"]
        wants = self.options["indices"]
        op = ReduceTensorDescriptor.of(
            self._name, compute_type(x), propagate_nan=self.options["propagate_nan"],
            indices="FLATTENED_INDICES" if wants else "NO_INDICES",
        )  # fmt: skip
        a, c = describe(x), describe(self._wide(case.outputs["y"], full))
        size = calls.cudnnGetReductionWorkspaceSize(handle, op, a, c)
        room_for = 4 * math.prod(full) if wants else 0
        name = "cudnnReduceTensor"
        step = Step(
            name, HANDLE, op, "indices" if wants else None, room_for, Scratch(), size, case.alpha,
            a, "x", case.beta, c, "y",
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], workspace_size=size)


reduce = function(
    Reduction,
    summary="Reduce an array over axes: y = alpha * f(x) + beta * y.",
    order="x operation axes",
    notes="Kernels add in float32, or float64 of float64, and round the result alone.",
)
