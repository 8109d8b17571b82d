"""Descriptors of tensors, of filters, and of a change of a tensor's layout.

Each class adds to an emitted one, so its objects go into every function under its C name.
Properties ask cuDNN, so they are right even if a descriptor was set under a C name.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Self

from .. import arrays, errors
from .._lookup import calls, families
from .._support.arguments import axis_count, join, per_axis, whole
from ._core.configured import Configured, Field

if TYPE_CHECKING:
    from ..calls import ops as _ops
    from ..enum_words import BatchNormModeLike, FoldingDirectionLike
    from ..enums import DataType, FoldingDirection, TensorFormat
    from ..types import Array, DType, Layout, LayoutWord, PlainLayout


_LAYOUTS: list[PlainLayout] = ["NCHW", "NHWC"]


def layout_of(
    shape: Sequence[int], strides: Sequence[int], prefer: str = "NCHW"
) -> PlainLayout | None:
    """Return the layout that strides have; `prefer` if they fit both, None if there are gaps."""
    for layout in reversed(_LAYOUTS) if prefer == "NHWC" else _LAYOUTS:
        if arrays.same_strides(shape, strides, arrays.packed_strides(shape, layout)):
            return layout
    return None


def padded(shape: Sequence[int], axes: int) -> tuple[int, ...]:
    """Return a shape with extents of 1 appended up to a number of axes.

    Raises:
        ArgumentError: it is not a shape, an extent is below 1, or the axes are too many.
    """
    extents, axes = whole(shape, "shape"), axis_count(axes)
    if not extents or min(extents) < 1:
        raise errors.ArgumentError(
            f"expected extents of 1 or more, got {join(extents) or 'none'}",
            hint="cuDNN has no empty tensors",
        )
    return extents + (1,) * (axes - len(extents))


class TensorDescriptor(Configured, families.TensorDescriptor):
    """The data type, extents and strides of an array, whose axes are N, C and then the others.

    Set by `cudnnSetTensorNdDescriptor`, read by `cudnnGetTensorNdDescriptor` (cudnn_ops.h).
    """

    __slots__ = ()

    @classmethod
    def packed(
        cls, shape: Sequence[int], dtype: DType = "float32", layout: Layout = "NCHW", axes: int = 4
    ) -> Self:
        """Describe an array without gaps.

        Calls `cudnnSetTensorNdDescriptor`, or `cudnnSetTensorNdDescriptorEx` for "NCHW_VECT_C"
        (cudnn_ops.h).

        Args:
            shape: the extents in the order N, C, ..., whatever the layout.
            dtype: a data type of cuDNN or of any array library, or its name.
            layout: a `TensorFormat` or its name: "NCHW" for row-major, "NHWC" for channels last in
                memory, "NCHW_VECT_C" for a data type that holds several channels, such as INT8x4.
            axes: the least number of axes; extents of 1 are appended. Most functions want four or
                more.

        Raises:
            ArgumentError: an extent is below 1, or the loaded release has no such data type or
                layout.
            BadParamError: cuDNN refuses the combination.
        """
        extents = padded(shape, axes)
        kind = arrays.member("TensorFormat", layout)
        if kind.name in _LAYOUTS:
            strides = arrays.packed_strides(extents, kind.name)
            return cls.strided(extents, strides, dtype, axes=len(extents))
        self = cls()
        calls.cudnnSetTensorNdDescriptorEx(
            self, kind, arrays.data_type(dtype), len(extents), extents
        )
        return self

    @classmethod
    def strided(
        cls, shape: Sequence[int], strides: Sequence[int], dtype: DType = "float32", axes: int = 4
    ) -> Self:
        """Describe an array with any strides, by `cudnnSetTensorNdDescriptor` (cudnn_ops.h).

        Args:
            shape: the extents in the order N, C, ....
            strides: one for each axis, in elements.
            dtype, axes: as for `packed`.

        Raises:
            ArgumentError: an extent is below 1, there are not as many strides as extents, or the
                loaded release has no such data type.
            BadParamError: cuDNN refuses the combination.
        """
        extents, steps = whole(shape, "shape"), whole(strides, "strides")
        if len(extents) != len(steps):
            raise errors.ArgumentError(
                f"expected as many strides as extents, got {len(steps)} for {len(extents)}"
            )
        extents = padded(extents, axes)
        steps += (1,) * (len(extents) - len(steps))
        self = cls()
        self.set_nd(arrays.data_type(dtype), len(extents), extents, steps)
        return self

    @classmethod
    def like(
        cls, array: Array, layout: Layout | None = None, axes: int = 4, *, batch: bool = True
    ) -> Self:
        """Describe an array in device memory, of any library.

        Calls `cudnnSetTensorNdDescriptor` (cudnn_ops.h).

        Args:
            array: with the extents N, C, ...; its strides decide the layout.
            layout: "NHWC", or that member of `TensorFormat`, if the axes of the array itself are in
                that order, as in libraries that have row-major arrays only.
            axes: as for `packed`.
            batch: whether the first axis is the batch, N. False for one example without that axis,
                such as an image with the extents C, H, W: an axis of 1 is put in front. With True,
                three axes are N, C, H.

        Raises:
            ArgumentError: `array` is not an array in device memory, or `layout` is another one.
            ClosedError: its memory was freed.
        """
        info = arrays.describe(array)
        return cls.of_info(info if batch else arrays.batch_of_one(info), layout, axes)

    @classmethod
    def of_info(
        cls,
        info: arrays.ArrayInfo,
        layout: Layout | None = None,
        axes: int = 4,
        *,
        prefer: str = "NCHW",
    ) -> Self:
        """Describe an array as `like` does, by the result of `arrays.describe`.

        Args:
            info: the description of the array.
            layout, axes: as for `like`.
            prefer: "NCHW" or "NHWC", for strides that fit both: those of arrays with one channel,
                or with one element in each channel.
        """
        shape, strides = info.shape, info.strides
        if layout is not None and arrays.plain_layout(layout) == "NHWC":
            order = (0, len(shape) - 1, *range(1, len(shape) - 1))
            shape = tuple(shape[axis] for axis in order)
            strides = tuple(strides[axis] for axis in order)
        more = (1,) * (axes - len(shape))
        shape, strides = shape + more, strides + more
        packed = layout_of(shape, strides, prefer)
        # The stride of an axis with one element means nothing, but cuDNN may read it.
        if packed is not None:
            strides = arrays.packed_strides(shape, packed)
        else:
            strides = arrays.settled_strides(shape, strides, prefer == "NCHW")
        return cls.strided(shape, strides, info.dtype, axes)  # type: ignore[arg-type]

    @classmethod
    def per_channel(cls, channels: int, dtype: DType = "float32", axes: int = 4) -> Self:
        """Describe one number for each channel, such as a bias: the extents are 1, C, 1, ....

        Args:
            channels: the extent C.
            dtype, axes: as for `packed`.

        Raises:
            ArgumentError: as `packed` does.
        """
        return cls.packed((1, channels), dtype, axes=axes)

    @classmethod
    def for_batch_norm(
        cls, x: families.TensorDescriptor | int, mode: BatchNormModeLike = "SPATIAL"
    ) -> Self:
        """Describe the scale, bias, mean and variance of a batch normalization.

        Calls `cudnnDeriveBNTensorDescriptor` (cudnn_ops.h).

        Args:
            x: the descriptor of the input.
            mode: a `BatchNormMode` or its name: "PER_ACTIVATION", "SPATIAL" or
                "SPATIAL_PERSISTENT".

        Raises:
            ArgumentError: there is no such mode.
            BadParamError: cuDNN refuses `x`.
        """
        self = cls()
        self.derive_bn(x, arrays.member("BatchNormMode", mode))
        return self

    shape: Field[tuple[int, ...]] = Field("dimA", "Return the extents, in the order N, C, ....")
    strides: Field[tuple[int, ...]] = Field("strideA", "Return the strides, in elements.")
    dtype: Field[DataType] = Field("dataType", "Return the data type, a member of `DataType`.")

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return self._read().nbDims

    @property
    def size_in_bytes(self) -> int:
        """Return the bytes from the first element to the end of the last, gaps included.

        Calls `cudnnGetTensorSizeInBytes` (cudnn_ops.h).
        """
        return calls.cudnnGetTensorSizeInBytes(self)

    @property
    def layout(self) -> LayoutWord | None:
        """Return "NCHW", "NHWC" or "NCHW_VECT_C"; None if there are gaps between elements."""
        got = self._read()
        if self._is_vectorised(got.dataType.name, got.dimA):
            return "NCHW_VECT_C"
        return layout_of(got.dimA, got.strideA)

    def _is_vectorised(self, dtype: str, shape: tuple[int, ...]) -> bool:
        return "x" in dtype and calls.cudnnGetTensorSizeInBytes(self) == prod(shape)

    def _read(self) -> _ops.GetTensorNdDescriptorResult:
        return self.get_nd()

    def _is_set(self, got: _ops.GetTensorNdDescriptorResult) -> bool:
        return bool(got.nbDims)

    def _configuration(self) -> dict[str, object]:
        configuration = super()._configuration()
        dtype, shape = configuration.get("dtype"), configuration.get("shape")
        if (
            isinstance(dtype, str)
            and isinstance(shape, tuple)
            and self._is_vectorised(dtype, shape)
        ):
            del configuration["strides"]
            configuration["layout"] = "NCHW_VECT_C"
        return configuration

    @classmethod
    def _restored(cls, **configuration: object) -> Self:
        axes = len(configuration["shape"])  # type: ignore[arg-type]
        make = cls.packed if "layout" in configuration else cls.strided
        return make(**configuration, axes=axes)  # type: ignore[arg-type]

    def _summary(self) -> str:
        got = self._read()
        layout = self.layout or f"strides {join(got.strideA)}"
        return f"{join(got.dimA)} {arrays.dtype_text(got.dataType)} {layout}"


class FilterDescriptor(Configured, families.FilterDescriptor):
    """The data type, extents and layout of a filter, whose axes are K, C and then the others.

    Set by `cudnnSetFilterNdDescriptor`, read by `cudnnGetFilterNdDescriptor` (cudnn_ops.h).
    """

    __slots__ = ()

    @classmethod
    def packed(
        cls, shape: Sequence[int], dtype: DType = "float32", layout: Layout = "NCHW", axes: int = 4
    ) -> Self:
        """Describe a filter without gaps; cuDNN has no others.

        Calls `cudnnSetFilterNdDescriptor` (cudnn_ops.h).

        Args:
            shape: output channels, input channels of one group, and the extents of the window.
            dtype: a data type of cuDNN or of any array library, or its name.
            layout: a `TensorFormat` or its name, as for tensors.
            axes: the least number of axes; extents of 1 are appended.

        Raises:
            ArgumentError: an extent is below 1, or the loaded release has no such data type or
                layout.
            BadParamError: cuDNN refuses the combination.
        """
        extents = padded(shape, axes)
        self = cls()
        self.set_nd(
            arrays.data_type(dtype), arrays.member("TensorFormat", layout), len(extents), extents
        )
        return self

    @classmethod
    def like(cls, array: Array, layout: Layout | None = None, axes: int = 4) -> Self:
        """Describe an array in device memory, by `cudnnSetFilterNdDescriptor` (cudnn_ops.h).

        Args:
            array: with the extents K, C, ...; its strides decide the layout.
            layout, axes: as for `TensorDescriptor.like`.

        Raises:
            ArgumentError: `array` has gaps, or is not an array in device memory.
            ClosedError: its memory was freed.
        """
        return cls.of_info(arrays.describe(array), layout, axes)

    @classmethod
    def of_info(
        cls,
        info: arrays.ArrayInfo,
        layout: Layout | None = None,
        axes: int = 4,
        *,
        prefer: str = "NCHW",
    ) -> Self:
        """Describe an array as `like` does, by the result of `arrays.describe`.

        Args:
            info, layout, axes, prefer: as for `TensorDescriptor.of_info`.

        Raises:
            ArgumentError: the array has gaps.
        """
        tensor = TensorDescriptor.of_info(info, layout, axes, prefer=prefer)
        packed = layout_of(tensor.shape, tensor.strides, prefer)
        if packed is None:
            raise errors.ArgumentError(
                f"expected a filter without gaps, got {tensor!r}",
                hint="make the array contiguous",
            )
        return cls.packed(tensor.shape, tensor.dtype, packed, axes)

    shape: Field[tuple[int, ...]] = Field(
        "filterDimA", "Return the extents, in the order K, C, ....", shown="{}"
    )
    dtype: Field[DataType] = Field(
        "dataType", "Return the data type, a member of `DataType`.", shown="{}"
    )
    layout: Field[str] = Field(
        "format.name", 'Return "NCHW", "NHWC" or "NCHW_VECT_C".', convert=str, shown="{}"
    )

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the strides, in elements."""
        got = self._read()
        is_last = got.format.name == "NHWC"
        return arrays.packed_strides(got.filterDimA, "NHWC" if is_last else "NCHW")

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return self._read().nbDims

    @property
    def size_in_bytes(self) -> int:
        """Return the bytes of the filter, by `cudnnGetFilterSizeInBytes`."""
        return calls.cudnnGetFilterSizeInBytes(self)

    def _read(self) -> _ops.GetFilterNdDescriptorResult:
        return self.get_nd()

    def _is_set(self, got: _ops.GetFilterNdDescriptorResult) -> bool:
        return bool(got.nbDims)

    @classmethod
    def _restored(cls, **configuration: object) -> Self:
        axes = len(configuration["shape"])  # type: ignore[arg-type]
        return cls.packed(**configuration, axes=axes)  # type: ignore[arg-type]


def _count_axes(got: _ops.GetTensorTransformDescriptorResult) -> int:
    """Return the number of axes, told by the factors of the spatial ones: they are not 0."""
    return sum(1 for factor in got.foldA if factor) + 2


class TensorTransformDescriptor(Configured, families.TensorTransformDescriptor):
    """A change of a tensor by `cudnnTransformTensorEx`: padding, folding, another layout.

    Set by `cudnnSetTensorTransformDescriptor`, read by `cudnnGetTensorTransformDescriptor`
    (cudnn_ops.h).
    """

    __slots__ = ()

    @classmethod
    def of(
        cls,
        layout: Layout,
        pad_before: Sequence[int] | None = None,
        pad_after: Sequence[int] | None = None,
        fold: Sequence[int] | None = None,
        direction: FoldingDirectionLike = "FOLD",
        axes: int = 4,
    ) -> Self:
        """Change a tensor to `layout`, and add elements before and after each axis.

        Calls `cudnnSetTensorTransformDescriptor` (cudnn_ops.h).

        Args:
            layout: the layout of the result: a `TensorFormat` or its name.
            pad_before: the elements to add in front of each axis; 0 by default.
            pad_after: the elements to add after each axis; 0 by default.
            fold: the factor by which to fold each spatial axis into the channels; 1 by default.
            direction: "FOLD" or "UNFOLD".
            axes: the number of axes of the tensors, if no sequence tells it.

        Raises:
            ArgumentError: an argument is not what it should be, or sequences differ in length.
            BadParamError: cuDNN refuses the combination.
        """
        axes, (before, after) = per_axis(
            axes,
            pad_before=0 if pad_before is None else pad_before,
            pad_after=0 if pad_after is None else pad_after,
        )
        spatial, (factors,) = per_axis(axes - 2, fold=1 if fold is None else fold)
        if spatial != axes - 2:
            raise errors.ArgumentError(
                f"fold: expected {axes - 2} numbers, for {axes} axes, got {spatial}"
            )
        self = cls()
        self.set(
            axes,
            arrays.member("TensorFormat", layout),
            before,
            after,
            (*factors, 0, 0),
            arrays.member("FoldingDirection", direction),
        )
        return self

    direction: Field[FoldingDirection] = Field(
        "direction", "Return the member of `FoldingDirection`.", shown="{}"
    )
    fold: Field[tuple[int, ...]] = Field(
        lambda got: tuple(got.foldA[: _count_axes(got) - 2]),
        "Return the factor by which each spatial axis is folded into the channels.",
        shown="by {}",
    )
    layout: Field[TensorFormat] = Field(
        "destFormat", "Return the layout of the result, a member of `TensorFormat`.", shown="to {}"
    )
    pad_before: Field[tuple[int, ...]] = Field(
        lambda got: tuple(got.padBeforeA[: _count_axes(got)]),
        "Return the elements added in front of each axis.",
        shown="padding {}",
    )
    pad_after: Field[tuple[int, ...]] = Field(
        lambda got: tuple(got.padAfterA[: _count_axes(got)]),
        "Return the elements added behind each axis.",
        shown="and {}",
    )

    def _read(self) -> _ops.GetTensorTransformDescriptorResult:
        return self.get(8)

    def _is_set(self, got: _ops.GetTensorTransformDescriptorResult) -> bool:
        return _count_axes(got) > 2
