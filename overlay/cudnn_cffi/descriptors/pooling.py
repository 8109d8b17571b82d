"""The descriptor of a pooling, which can be called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from .. import arrays, errors
from .._lookup import calls, families
from .._support.arguments import per_axis
from ._core import operands
from ._core.configured import SPATIAL_MAX, Configured, Field

if TYPE_CHECKING:
    from typing import Unpack

    from ..calls import ops as _ops
    from ..enums import PoolingMode
    from ..handles import Handle
    from ..memory import DeviceArray
    from ..types import Array
    from ._core.operands import ApplyingBatch


_Out = TypeVar("_Out")


class PoolingDescriptor(Configured, families.PoolingDescriptor):
    """The window of a pooling, and how it reduces the elements in the window.

    Set by `cudnnSetPoolingNdDescriptor`, read by `cudnnGetPoolingNdDescriptor` (cudnn_ops.h).
    """

    __slots__ = ()

    @classmethod
    def max(
        cls,
        window: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        *,
        propagate_nan: bool = True,
        deterministic: bool = False,
        axes: int = 2,
    ) -> Self:
        """Take the largest element of each window, by `cudnnSetPoolingNdDescriptor` (cudnn_ops.h).

        Args:
            window: the extent along each spatial axis, or one number for all axes.
            stride: the step from window to window, likewise; the extents of the window by default.
            padding: the elements added on both sides of each spatial axis, likewise.
            propagate_nan: whether the result for a window with a NaN is a NaN.
            deterministic: whether the same input always gives bitwise the same gradient.
            axes: the number of spatial axes, if all arguments are single numbers.

        Raises:
            ArgumentError: an argument is not what it should be, or sequences differ in length.
            BadParamError: cuDNN refuses the combination.
        """
        mode = "MAX_DETERMINISTIC" if deterministic else "MAX"
        return cls._of(mode, window, stride, padding, propagate_nan, axes)

    @classmethod
    def average(
        cls,
        window: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        *,
        count_padding: bool = True,
        axes: int = 2,
    ) -> Self:
        """Take the mean of each window, by `cudnnSetPoolingNdDescriptor` (cudnn_ops.h).

        Args:
            window, stride, padding, axes: as for `max`.
            count_padding: whether the zeros of the padding count as elements of the window.

        Raises:
            ArgumentError, BadParamError: as `max` does.
        """
        mode = f"AVERAGE_COUNT_{'INCLUDE' if count_padding else 'EXCLUDE'}_PADDING"
        return cls._of(mode, window, stride, padding, True, axes)

    @classmethod
    def _of(
        cls,
        mode: str,
        window: int | Sequence[int],
        stride: int | Sequence[int] | None,
        padding: int | Sequence[int],
        propagate_nan: bool = True,
        axes: int = 2,
        any_padding: bool = False,
    ) -> Self:
        stride = window if stride is None else stride
        axes, (window, padding, stride) = per_axis(
            axes, window=window, padding=padding, stride=stride
        )
        if not any_padding and min(padding, default=0) < 0:  # cuDNN would take it
            raise errors.ArgumentError(f"padding: expected 0 or more, got {min(padding)}")
        self = cls()
        kind = arrays.member("PoolingMode", mode)
        self.set_nd(kind, arrays.nan_option(propagate_nan), axes, window, padding, stride)
        return self

    mode: Field[PoolingMode] = Field("mode", "Return the member of `PoolingMode`.", shown="{}")
    window: Field[tuple[int, ...]] = Field(
        "windowDimA", "Return the extents of the window.", shown="window {}"
    )
    stride: Field[tuple[int, ...]] = Field(
        "strideA", "Return the steps from window to window.", shown="stride {}"
    )
    padding: Field[tuple[int, ...]] = Field(
        "paddingA", "Return the elements added on both sides of each axis.", shown="padding {}"
    )
    propagate_nan: Field[bool] = Field(
        "maxpoolingNanOpt",
        "Return whether the result for a window with a NaN is a NaN.",
        convert=bool,
    )

    @property
    def axes(self) -> int:
        """Return the number of spatial axes."""
        return self._read().nbDims

    def _read(self) -> _ops.GetPoolingNdDescriptorResult:
        return self.get_nd(SPATIAL_MAX)

    def _is_set(self, got: _ops.GetPoolingNdDescriptorResult) -> bool:
        # One that was never set can hold anything.
        return 0 < got.nbDims <= SPATIAL_MAX and not got.mode.name.startswith("UNKNOWN_")

    def output_shape(self, x: families.TensorDescriptor) -> tuple[int, ...]:
        """Return the shape of the output for an input.

        Calls `cudnnGetPoolingNdForwardOutputDim` (cudnn_ops.h).

        Args:
            x: the descriptor of the input, (N, C, ...).

        Raises:
            BadParamError: the input does not fit the window.
        """
        return self.get_nd_forward_output_dim(x, self.axes + 2)

    @overload
    def __call__(
        self, x: Array, out: None = None, **options: Unpack[ApplyingBatch]
    ) -> DeviceArray: ...

    @overload
    def __call__(self, x: Array, out: _Out, **options: Unpack[ApplyingBatch]) -> _Out: ...

    def __call__(
        self,
        x: Array,
        out: object = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        batch: bool | None = None,
    ) -> Any:
        """Pool `x`, by `cudnnPoolingForward` (cudnn_ops.h).

        Args:
            x: an array in device memory, of any library, with the axes N, C and the spatial ones.
            out: the array to write to; by default a new `DeviceArray` with the layout of `x`.
            handle: whose stream computes; by default this thread's, in the current stream of the
                library of `x`. It waits for the work of others on their arrays.
            alpha, beta: `out` becomes alpha * result + beta * `out`. With a beta, pass `out`.
            batch: False if `x` and `out` lack the axis N. With True, `x` may lack the last axis,
                which is taken as an extent of 1.

        Returns: `out`, or the new array.

        Raises:
            ArgumentError: data types, shapes, strides or devices do not go together.
            ClosedError: an array, the handle or its stream is closed.
            NotSupportedError: cuDNN does not support the combination.
            AllocationError: there is no memory for the result.
        """
        call, axes = calls.cudnnPoolingForward, self.axes + 2
        return operands.apply(call, self, x, out, handle, alpha, beta, axes, batch)

    @classmethod
    def _restored(cls, **configuration: object) -> Self:
        return cls._of(**configuration, any_padding=True)  # type: ignore[arg-type]
