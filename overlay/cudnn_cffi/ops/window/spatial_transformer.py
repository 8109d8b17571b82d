"""Spatial transformers: grids of affine maps, sampling at a grid, and their gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple

from ... import arrays, errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._operation.sharing import shared
from ..._support.arguments import whole
from ..._ways.array_spec import Spec, check_dtype, check_shape, refuse_gaps
from ..._ways.case import Case
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.type_variables import ArrayT
from ...choice.policy import Rule
from ...descriptors import SpatialTransformerDescriptor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import Array, ArrayT, CallStream, Choose, Handle, Out, WithOut


class GridSampleGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of sampling at a grid."""

    x: ArrayT
    grid: ArrayT


def _checked(specs: Mapping[str, Spec], shapes: Mapping[str, tuple[int, ...]], dtype: str) -> None:
    """Refuse arrays that have another shape or data type, or gaps."""
    for name, shape in shapes.items():
        each = specs.get(name)
        if each is None:
            continue
        check_shape(each, shape, name)
        check_dtype(each, dtype, name)
        refuse_gaps(each, name)


def _like(shape: tuple[int, ...], like: Spec) -> Spec:
    return Spec(like.dtype, shape, arrays.packed_strides(shape), like.device)


class _Grid(Operation):
    """The base of the grid and its gradient."""

    ways = ("classic",)

    def __init__(self, size: Sequence[int], *, choose: Choose = None) -> None:
        """Make a grid.

        Args:
            size: of what will be sampled: (N, C, H, W), or (H, W). The number of examples is that
                of the arrays.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        extents = whole(size, "size")
        if len(extents) not in (2, 4) or min(extents) < 1:
            raise errors.ArgumentError(f"size: expected (N, C, H, W), got {size!r}")
        super().__init__(choose, size=extents)

    def _shapes(self, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shapes of the maps and of the grid."""
        size = self.options["size"]
        if len(size) == 4 and size[0] != count:
            raise errors.ShapeMismatchError(
                f"size: expected {count} examples, as the array has, got {size[0]}"
            )
        return (count, 2, 3), (count, *size[-2:], 2)

    def _descriptor(self, spec: Spec) -> Any:
        shape = (spec.shape[0], 1, *self.options["size"][-2:])
        return SpatialTransformerDescriptor.bilinear(shape, spec.dtype)


class AffineGrid(_Grid):
    """The points at which an affine map of each example samples it.

    Coordinates are (x, y), from -1 at the center of the first element to 1 at that of the last one,
    as PyTorch has them with align_corners=True.

    Formula: the points at which affine maps sample
    Arrays: theta (N, 2, 3), `size`
    """

    word = "affine_grid"
    by = "`cudnnSpatialTfGridGeneratorForward`"
    gradient = ("affine_grid_backward",)
    gives: tuple[str, ...] = ("grid",)

    def __call__(
        self, theta: ArrayT, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Return the grid (N, H, W, 2).

        Args:
            theta: the maps, (N, 2, 3), in C order.
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((theta,), out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        theta = case.inputs["theta"]
        maps, grid = self._shapes(theta.shape[0] if theta.shape else 0)
        _checked({**case.inputs, **case.outputs}, {"theta": maps, "grid": grid}, theta.dtype)
        return {"grid": _like(grid, theta)}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnSpatialTfGridGeneratorForward`."""
        desc = self._descriptor(case.inputs["theta"])

        name = "cudnnSpatialTfGridGeneratorForward"
        step = Step(name, HANDLE, desc, "theta", "grid")
        return Classic(name, operands_of(case.inputs, case.outputs), [step])

    def backward(self, dgrid: ArrayT, **call: Unpack[WithOut]) -> ArrayT:
        """Return the gradient for the maps; see `AffineGridBackward`."""
        return shared(AffineGridBackward, {"size": self.options["size"]})(dgrid, **call)


class AffineGridBackward(_Grid):
    """The gradient of a grid for the affine maps.

    Formula: for theta: sum of dgrid (x, y, 1)' over all points
    Arrays: dgrid
    """

    word = "affine_grid_backward"
    by = "`cudnnSpatialTfGridGeneratorBackward`"
    section = "data"
    gives: tuple[str, ...] = ("dtheta",)

    def __call__(
        self, dgrid: ArrayT, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Return the gradient (N, 2, 3).

        Args:
            dgrid: the gradient of the grid, (N, H, W, 2), in C order.
            out, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dgrid,), out, handle, stream, choose)

    def results(self, case: Case) -> dict[str, Spec]:
        dgrid = case.inputs["dgrid"]
        maps, grid = self._shapes(dgrid.shape[0] if dgrid.shape else 0)
        _checked({**case.inputs, **case.outputs}, {"dgrid": grid, "dtheta": maps}, dgrid.dtype)
        return {"dtheta": _like(maps, dgrid)}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnSpatialTfGridGeneratorBackward`."""
        desc = self._descriptor(case.inputs["dgrid"])

        name = "cudnnSpatialTfGridGeneratorBackward"
        step = Step(name, HANDLE, desc, "dgrid", "dtheta")
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], deterministic=None)


class _Sampling(Operation):
    """The base of sampling and its gradients."""

    ways = ("classic",)

    def __init__(self, *, choose: Choose = None) -> None:
        """Make the operation: bilinear, with zeros outside.

        Args:
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        super().__init__(choose)

    def _check(self, case: Case) -> tuple[Spec, tuple[int, ...]]:
        """Return the input, and the shape of what is sampled."""
        x, grid = case.inputs["x"], case.inputs["grid"]
        if len(x.shape) != 4:
            raise errors.ShapeMismatchError(f"x: expected (N, C, H, W), got {x.shape}")
        if len(grid.shape) != 4 or grid.shape[0] != x.shape[0] or grid.shape[3] != 2:
            raise errors.ShapeMismatchError(
                f"grid: expected ({x.shape[0]}, H, W, 2), got {grid.shape}"
            )
        shape = (*x.shape[:2], *grid.shape[1:3])
        shapes = {"grid": grid.shape, "dgrid": grid.shape, "dy": shape, "dx": x.shape, "x": x.shape}
        _checked({**case.inputs, **case.outputs}, shapes, x.dtype)
        return x, shape


class GridSample(_Sampling):
    """Bilinear sampling of each example at the points of a grid; zeros lie outside.

    Formula: bilinear, zeros outside, corners at the centers of elements
    Arrays: x (N, C, H, W), grid (N, H', W', 2), row-major
    """

    word = "grid_sample"
    by = "`cudnnSpatialTfSamplerForward`"
    gradient = ("grid_sample_backward",)

    def __call__(
        self, x: ArrayT, grid: Array, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Return (N, C, H of the grid, W of the grid).

        Args:
            x: (N, C, H, W), in C order.
            grid: the points, (N, H, W, 2), as `AffineGrid` returns them.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x, grid), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        x, shape = self._check(case)
        _checked(case.outputs, {"y": shape}, x.dtype)
        return {"y": _like(shape, x)}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnSpatialTfSamplerForward`."""
        x, y = describe(case.inputs["x"]), describe(case.outputs["y"])
        desc = SpatialTransformerDescriptor.bilinear(
            case.outputs["y"].shape, case.outputs["y"].dtype
        )
        name = "cudnnSpatialTfSamplerForward"
        step = Step(
            name, HANDLE, desc, case.alpha, x, "x", "grid", case.beta, y, "y"
        )  # fmt: skip
        return Classic(name, operands_of(case.inputs, case.outputs), [step])

    def backward(
        self, dy: ArrayT, x: Array, grid: Array, **call: Unpack[WithOut]
    ) -> GridSampleGradients[ArrayT]:
        """Return the gradients; see `GridSampleBackward`."""
        return shared(GridSampleBackward, {})(dy, x, grid, **call)


class GridSampleBackward(_Sampling):
    """The gradients of sampling for the input and the grid.

    Formula: for x: dy added to the four neighbors of each point, by their shares; for grid: dy by
        the slope between them
    Arrays: dy, x, grid
    """

    word = "grid_sample_backward"
    by = "`cudnnSpatialTfSamplerBackward`"
    section = "data"
    gives: tuple[str, ...] = ("dx", "dgrid")

    def __call__(
        self, dy: ArrayT, x: Array, grid: Array, *, out: Out = None, handle: Handle | None = None,
        stream: CallStream = ..., choose: Choose = None,
    ) -> GridSampleGradients[ArrayT]:  # fmt: skip
        """Compute the gradients.

        Args:
            dy: the gradient of the result.
            x, grid: as in the forward call.
            out: `dx`, or a tuple of both, with None for those to be made.
            handle, stream, choose: as for `Convolution`.
        """
        return GridSampleGradients(*self.run((dy, x, grid), out, handle, stream, choose))

    def results(self, case: Case) -> dict[str, Spec]:
        x, _ = self._check(case)
        return {"dx": _like(x.shape, x), "dgrid": _like(case.inputs["grid"].shape, x)}

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of `cudnnSpatialTfSamplerBackward`."""
        dy, x, dx = (describe({**case.inputs, **case.outputs}[n]) for n in ("dy", "x", "dx"))
        desc = SpatialTransformerDescriptor.bilinear(
            case.inputs["dy"].shape, case.inputs["dy"].dtype
        )

        name = "cudnnSpatialTfSamplerBackward"
        step = Step(
            name, HANDLE, desc, 1.0, x, "x", 0.0, dx, "dx", 1.0, dy, "dy", "grid", 0.0, "dgrid"
        )
        operands = operands_of(case.inputs, case.outputs)
        return Classic(name, operands, [step], deterministic=False)


affine_grid = function(
    AffineGrid,
    summary=(
        "Return the points at which an affine map of each example samples it.\n"
        "\n"
        "Coordinates are (x, y), from -1 at the center of the first element to 1 at that "
        "of the last one,\n"
        "as PyTorch has them with align_corners=True."
    ),
    order="theta size",
)


affine_grid_backward = function(
    AffineGridBackward,
    summary="Return the gradient of a grid for the affine maps.",
    order="dgrid size",
)


grid_sample = function(
    GridSample,
    summary=("Sample each example at the points of a grid: bilinear, with zeros outside."),
)


grid_sample_backward = function(
    GridSampleBackward,
    summary="Return the gradients of sampling for the input and the grid.",
)
