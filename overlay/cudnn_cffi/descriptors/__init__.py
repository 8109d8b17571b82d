"""Descriptors of tensors and filters, and of what is done to their elements.

Each class adds to an emitted one, so it goes into every function under its C name. They are made by
what they say. Nothing is remembered here that cuDNN knows: a property asks it, so it is right
whoever set the descriptor.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Self

from .. import arrays, errors
from .._lookup import families
from .configured import (
    Configured,
    dtype_text,
    member,
    nan_option,
    numbers,
    padded,
    per_axis,
    whole,
)

if TYPE_CHECKING:
    from ..calls import ops as _ops
    from ..enums import (
        DataType,
        FoldingDirection,
        IndicesType,
        OpTensorOp,
        ReduceTensorIndices,
        ReduceTensorOp,
        TensorFormat,
    )

__all__ = [
    "FilterDescriptor",
    "OpTensorDescriptor",
    "ReduceTensorDescriptor",
    "TensorDescriptor",
    "TensorTransformDescriptor",
]


_LAYOUTS = ("NCHW", "NHWC")


def layout_of(shape: Sequence[int], strides: Sequence[int], prefer: str = "NCHW") -> str | None:
    """Which layout strides are; `prefer` where they fit both, None where there are gaps."""
    for layout in (prefer, *_LAYOUTS):
        if arrays._same_steps(shape, strides, arrays.packed_strides(shape, layout)):
            return layout
    return None


class TensorDescriptor(Configured, families.TensorDescriptor):
    """Data type, extents and strides of an array, whose axes are N, C and then the others."""

    __slots__ = ()
    _label = "Tensor"

    @classmethod
    def packed(
        cls, shape: Sequence[int], dtype: Any = "float32", layout: Any = "NCHW", axes: int = 4
    ) -> Self:
        """An array without gaps.

        Args:
            shape: extents in the order N, C, ..., whatever the layout.
            dtype: a data type of cuDNN or of any array library, or its name.
            layout: a `TensorFormat` or its name. "NCHW": row-major; "NHWC": channels last in
                memory; "NCHW_VECT_C" for a data type of several channels each.
            axes: extents of 1 are appended up to so many; most functions want four or more.

        Raises:
            ArgumentError: an extent below 1, or a data type or layout that cuDNN does not have.
        """
        extents = padded(shape, axes)
        kind = member("TensorFormat", layout)
        if kind.name in _LAYOUTS:
            strides = arrays.packed_strides(extents, kind.name)
            return cls.strided(extents, strides, dtype, axes=len(extents))
        self = cls()
        self.set_nd_ex(kind, arrays.data_type(dtype), len(extents), extents)
        return self

    @classmethod
    def strided(
        cls, shape: Sequence[int], strides: Sequence[int], dtype: Any = "float32", axes: int = 4
    ) -> Self:
        """An array with these strides, in elements; see `packed` for the rest."""
        given, steps = whole(shape, "shape"), whole(strides, "strides")
        if len(given) != len(steps):
            raise errors.ArgumentError(
                f"as many strides as extents were expected, {len(steps)} for {len(given)} came"
            )
        extents = padded(given, axes)
        steps += (1,) * (len(extents) - len(steps))
        self = cls()
        self.set_nd(arrays.data_type(dtype), len(extents), extents, steps)
        return self

    @classmethod
    def like(cls, array: Any, layout: Any = None, axes: int = 4, *, batch: bool = True) -> Self:
        """What describes an array on the device, of any library.

        Args:
            array: with extents N, C, ...; its strides say what the layout is.
            layout: a `TensorFormat` or its name: NHWC where the axes of the array itself are in
                that order, for libraries that have row-major arrays only.
            axes: as for `packed`.
            batch: whether the first axis is the batch, N. False for one example without that axis,
                such as an image of C, H, W: an axis of 1 is put in front. Three axes are else
                N, C, H.

        Raises:
            ArgumentError: it is no array on the device, or another layout is named.
        """
        info = arrays.describe(array)
        return cls.of_info(info if batch else arrays.batch_of_one(info), layout, axes)

    @classmethod
    def of_info(
        cls, info: arrays.ArrayInfo, layout: Any = None, axes: int = 4, *, prefer: str = "NCHW"
    ) -> Self:
        """What `like` makes, of what `arrays.describe` said of an array.

        With one channel, or one element in each channel, the strides of an array fit both layouts.
        It is then taken to be in the one to `prefer`.
        """
        shape, strides = info.shape, info.strides
        if layout is not None:
            named = member("TensorFormat", layout).name
            if named not in _LAYOUTS:
                raise errors.ArgumentError(f"layout: NCHW or NHWC was expected, {named} came")
            if named == "NHWC":
                order = (0, len(shape) - 1, *range(1, len(shape) - 1))
                shape = tuple(shape[axis] for axis in order)
                strides = tuple(strides[axis] for axis in order)
        more = (1,) * (axes - len(shape))
        shape, strides = shape + more, strides + more
        found = layout_of(shape, strides, prefer)
        if found is not None:
            # The stride of an axis with one element means nothing; some of cuDNN's checks read it.
            strides = arrays.packed_strides(shape, found)
        return cls.strided(shape, strides, info.dtype, axes)

    @classmethod
    def per_channel(cls, channels: int, dtype: Any = "float32", axes: int = 4) -> Self:
        """One number for each channel, such as a bias: 1, C, 1, ..."""
        return cls.packed((1, channels), dtype, axes=axes)

    @classmethod
    def for_batch_norm(cls, x: families.TensorDescriptor | int, mode: Any = "SPATIAL") -> Self:
        """What scale, bias, mean and variance of batch normalisation of `x` look like."""
        self = cls()
        self.derive_bn(x, member("BatchNormMode", mode))
        return self

    @property
    def dtype(self) -> DataType:
        """The member of `DataType`."""
        return self.get_nd().dataType

    @property
    def shape(self) -> tuple[int, ...]:
        return self.get_nd().dimA

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        return self.get_nd().strideA

    @property
    def ndim(self) -> int:
        return self.get_nd().nbDims

    @property
    def size_in_bytes(self) -> int:
        """From the first to behind the last element, gaps included."""
        return self.get_size_in_bytes()

    @property
    def layout(self) -> str | None:
        """ "NCHW", "NHWC" or "NCHW_VECT_C" for an array without gaps; None for other strides."""
        got = self.get_nd()
        if self._is_vectorised(got):
            return "NCHW_VECT_C"
        return layout_of(got.dimA, got.strideA)

    def _is_vectorised(self, got: Any) -> bool:
        return "x" in got.dataType.name and self.get_size_in_bytes() == prod(got.dimA)

    def _configuration(self) -> dict[str, Any]:
        got = self.get_nd()
        if not got.nbDims:
            return {}
        if self._is_vectorised(got):
            return {"shape": got.dimA, "dtype": got.dataType.name, "layout": "NCHW_VECT_C"}
        return {"shape": got.dimA, "strides": got.strideA, "dtype": got.dataType.name}

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        axes = len(configuration["shape"])
        if "layout" in configuration:
            return cls.packed(**configuration, axes=axes)
        return cls.strided(**configuration, axes=axes)

    def _text(self) -> str:
        got = self.get_nd()
        layout = self.layout or f"strides {numbers(got.strideA)}"
        return f"{numbers(got.dimA)} {dtype_text(got.dataType)} {layout}"


class FilterDescriptor(Configured, families.FilterDescriptor):
    """Data type, extents and layout of a filter, whose axes are K, C and then the others."""

    __slots__ = ()
    _label = "Filter"

    @classmethod
    def packed(
        cls, shape: Sequence[int], dtype: Any = "float32", layout: Any = "NCHW", axes: int = 4
    ) -> Self:
        """A filter without gaps; other ones cuDNN does not have.

        Args:
            shape: output channels, input channels of a group, and the window's extents.
            dtype: a data type of cuDNN or of any array library, or its name.
            layout: a `TensorFormat` or its name, as for tensors.
            axes: extents of 1 are appended up to so many.
        """
        extents = padded(shape, axes)
        self = cls()
        self.set_nd(arrays.data_type(dtype), member("TensorFormat", layout), len(extents), extents)
        return self

    @classmethod
    def like(cls, array: Any, layout: Any = None, axes: int = 4) -> Self:
        """What describes an array on the device; see `TensorDescriptor.like`.

        Raises:
            ArgumentError: the array has gaps.
        """
        return cls.of_info(arrays.describe(array), layout, axes)

    @classmethod
    def of_info(
        cls, info: arrays.ArrayInfo, layout: Any = None, axes: int = 4, *, prefer: str = "NCHW"
    ) -> Self:
        """What `like` makes, of what `arrays.describe` said of an array; see the tensors'."""
        tensor = TensorDescriptor.of_info(info, layout, axes, prefer=prefer)
        found = layout_of(tensor.shape, tensor.strides, prefer)
        if found is None:
            raise errors.ArgumentError(
                f"a filter without gaps was expected, {tensor!r} came",
                hint="make the array contiguous",
            )
        return cls.packed(tensor.shape, tensor.dtype, found, axes)

    @property
    def dtype(self) -> DataType:
        """The member of `DataType`."""
        return self.get_nd().dataType

    @property
    def shape(self) -> tuple[int, ...]:
        return self.get_nd().filterDimA

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        got = self.get_nd()
        return arrays.packed_strides(got.filterDimA, got.format.name)

    @property
    def layout(self) -> str:
        return str(self.get_nd().format.name)

    @property
    def ndim(self) -> int:
        return self.get_nd().nbDims

    @property
    def size_in_bytes(self) -> int:
        return self.get_size_in_bytes()

    def _configuration(self) -> dict[str, Any]:
        got = self.get_nd()
        if not got.nbDims:
            return {}
        return {"shape": got.filterDimA, "dtype": got.dataType.name, "layout": got.format.name}

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.packed(**configuration, axes=len(configuration["shape"]))

    def _text(self) -> str:
        got = self.get_nd()
        return f"{numbers(got.filterDimA)} {dtype_text(got.dataType)} {got.format.name}"


class TensorTransformDescriptor(Configured, families.TensorTransformDescriptor):
    """How `cudnnTransformTensorEx` pads, folds and lays out a tensor anew."""

    __slots__ = ()
    _label = "TensorTransform"

    @classmethod
    def of(
        cls,
        layout: Any,
        pad_before: Sequence[int] | None = None,
        pad_after: Sequence[int] | None = None,
        fold: Sequence[int] | None = None,
        direction: Any = "FOLD",
        axes: int = 4,
    ) -> Self:
        """To `layout`, with so many elements added before and after each axis.

        Args:
            layout: a `TensorFormat`, or its name.
            pad_before: for each axis; none by default.
            pad_after: likewise.
            fold: by what each spatial axis is folded into the channels; 1 by default.
            direction: "FOLD" or "UNFOLD".
            axes: of the tensors, where nothing else tells.
        """
        axes, (before, after) = per_axis(
            axes,
            pad_before=0 if pad_before is None else pad_before,
            pad_after=0 if pad_after is None else pad_after,
        )
        spatial, (factors,) = per_axis(axes - 2, fold=1 if fold is None else fold)
        if spatial != axes - 2:
            raise errors.ArgumentError(
                f"fold: {axes - 2} numbers were expected, for {axes} axes, {spatial} came"
            )
        self = cls()
        self.set(
            axes,
            member("TensorFormat", layout),
            before,
            after,
            (*factors, 0, 0),
            member("FoldingDirection", direction),
        )
        return self

    def _read(self) -> tuple[_ops.GetTensorTransformDescriptorResult, int]:
        got = self.get(8)
        # How many axes there are is told by the factors of the spatial ones, which are not 0.
        return got, sum(1 for factor in got.foldA if factor) + 2

    @property
    def layout(self) -> TensorFormat:
        """The member of `TensorFormat` of what comes out."""
        return self._read()[0].destFormat

    @property
    def pad_before(self) -> tuple[int, ...]:
        got, axes = self._read()
        return tuple(got.padBeforeA[:axes])

    @property
    def pad_after(self) -> tuple[int, ...]:
        got, axes = self._read()
        return tuple(got.padAfterA[:axes])

    @property
    def fold(self) -> tuple[int, ...]:
        """By what each spatial axis is folded into the channels."""
        got, axes = self._read()
        return tuple(got.foldA[: axes - 2])

    @property
    def direction(self) -> FoldingDirection:
        """The member of `FoldingDirection`."""
        return self._read()[0].direction

    def _configuration(self) -> dict[str, Any]:
        got, axes = self._read()
        if axes == 2:
            return {}
        return {
            "layout": got.destFormat.name,
            "pad_before": got.padBeforeA[:axes],
            "pad_after": got.padAfterA[:axes],
            "fold": got.foldA[: axes - 2],
            "direction": got.direction.name,
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self._configuration()
        return (
            f"{got['direction']} by {numbers(got['fold'])} to {got['layout']} "
            f"padding {numbers(got['pad_before'])} and {numbers(got['pad_after'])}"
        )


class OpTensorDescriptor(Configured, families.OpTensorDescriptor):
    """An operation on the elements of two tensors, or of one; ADD until it is set."""

    __slots__ = ()
    _label = "OpTensor"

    def __init__(self) -> None:
        super().__init__()
        # cuDNN leaves in it what was in its memory before.
        self.set(member("OpTensorOp", 0), arrays.data_type(0), nan_option(False))

    @classmethod
    def of(cls, op: Any, compute: Any = "float32", *, propagate_nan: bool = True) -> Self:
        """An operation by its name in `OpTensorOp`: "ADD", "MUL", "MIN", "MAX", "SQRT", "NOT"."""
        self = cls()
        self.set(member("OpTensorOp", op), arrays.data_type(compute), nan_option(propagate_nan))
        return self

    @property
    def op(self) -> OpTensorOp:
        """The member of `OpTensorOp`."""
        return self.get().opTensorOp

    @property
    def compute(self) -> DataType:
        """The member of `DataType`."""
        return self.get().opTensorCompType

    @property
    def propagate_nan(self) -> bool:
        return bool(self.get().opTensorNanOpt)

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        return {
            "op": got.opTensorOp.name,
            "compute": got.opTensorCompType.name,
            "propagate_nan": bool(got.opTensorNanOpt),
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self.get()
        return f"{got.opTensorOp.name} {dtype_text(got.opTensorCompType)}"


class ReduceTensorDescriptor(Configured, families.ReduceTensorDescriptor):
    """A reduction over the axes that have one element in the result; ADD until it is set."""

    __slots__ = ()
    _label = "ReduceTensor"

    def __init__(self) -> None:
        super().__init__()
        # cuDNN leaves in it what was in its memory before.
        self.set(
            member("ReduceTensorOp", 0),
            arrays.data_type(0),
            nan_option(False),
            member("ReduceTensorIndices", 0),
            member("IndicesType", 0),
        )

    @classmethod
    def of(
        cls,
        op: Any,
        compute: Any = "float32",
        *,
        propagate_nan: bool = True,
        indices: Any = "NO_INDICES",
        index_type: Any = 0,
    ) -> Self:
        """A reduction by its name in `ReduceTensorOp`: "ADD", "MAX", "NORM2", ...

        Args:
            op: a member or its name.
            compute: in which type to compute.
            propagate_nan: whether NaN wins over numbers.
            indices: "FLATTENED_INDICES" to be told where minimum or maximum were found.
            index_type: an `IndicesType`; 32 bits by default.
        """
        self = cls()
        self.set(
            member("ReduceTensorOp", op),
            arrays.data_type(compute),
            nan_option(propagate_nan),
            member("ReduceTensorIndices", indices),
            member("IndicesType", index_type),
        )
        return self

    @property
    def op(self) -> ReduceTensorOp:
        """The member of `ReduceTensorOp`."""
        return self.get().reduceTensorOp

    @property
    def compute(self) -> DataType:
        """The member of `DataType`."""
        return self.get().reduceTensorCompType

    @property
    def propagate_nan(self) -> bool:
        return bool(self.get().reduceTensorNanOpt)

    @property
    def indices(self) -> ReduceTensorIndices:
        """The member of `ReduceTensorIndices`."""
        return self.get().reduceTensorIndices

    @property
    def index_type(self) -> IndicesType:
        """The member of `IndicesType`."""
        return self.get().reduceTensorIndicesType

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        return {
            "op": got.reduceTensorOp.name,
            "compute": got.reduceTensorCompType.name,
            "propagate_nan": bool(got.reduceTensorNanOpt),
            "indices": got.reduceTensorIndices.name,
            "index_type": got.reduceTensorIndicesType.name,
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self.get()
        return f"{got.reduceTensorOp.name} {dtype_text(got.reduceTensorCompType)}"
