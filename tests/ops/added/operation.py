"""The square of each element: an operation as CONTRIBUTING.md says to add one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudnn_cffi import arrays, errors
from cudnn_cffi._operation.functions import function
from cudnn_cffi._operation.operation import Operation
from cudnn_cffi._ways.array_spec import Spec
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.graph_draft import Draft

if TYPE_CHECKING:
    from cudnn_cffi._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out


class _Square(Operation):
    """The base of a square and its gradient."""

    ways = ("graph",)

    def __init__(self, factor: float = 1.0, *, choose: Choose = None) -> None:
        """Make the operation.

        Args:
            factor: the number that squares are multiplied by.
            choose: the policy that picks the engine; see `cudnn_cffi.choice`.
        """
        super().__init__(choose, factor=float(factor))

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        x = case.inputs["x"]
        for name, each in case.inputs.items():
            if each.shape != x.shape:
                raise errors.ShapeMismatchError(
                    f"{name}: expected the shape {x.shape}, got {each.shape}"
                )
        return {self.gives[0]: Spec(x.dtype, x.shape, arrays.packed_strides(x.shape), x.device)}


class ScaledSquare(_Square):
    """Return the square of each element, times a factor.

    Formula: factor x^2
    Arrays: any shape of up to 8 axes
    Ways: compiled for each shape
    """

    word = "scaled_square"
    by = "a graph (POINTWISE)"
    gradient = ("scaled_square_backward",)

    def __call__(
        self, x: ArrayT, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Square.

        Args:
            x: an array of any shape.
            out, handle, stream, choose: as for `Convolution`.

        Returns: an array like `x`.
        """
        return self.run((x,), out, handle, stream, choose)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add two products."""
        x = draft.input("x")
        draft.output(draft.graph.mul(draft.graph.mul(x, x), self.options["factor"]), "y")


class ScaledSquareBackward(_Square):
    """Return the gradient of a square.

    Formula: 2 factor x dy
    Arrays: dy, x
    """

    word = "scaled_square_backward"
    by = "a graph (POINTWISE)"
    section = "data"
    gives = ("dx",)

    def __call__(
        self, dy: ArrayT, x: Array, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Differentiate.

        Args:
            dy: the gradient for the result.
            x: the input.
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dy, x), out, handle, stream, choose)

    def graph(self, case: Case, draft: Draft) -> None:
        """Add two products."""
        product = draft.graph.mul(draft.input("dy"), draft.input("x"))
        draft.output(draft.graph.mul(product, 2 * self.options["factor"]), "dx")


scaled_square = function(ScaledSquare)

scaled_square_backward = function(ScaledSquareBackward)
