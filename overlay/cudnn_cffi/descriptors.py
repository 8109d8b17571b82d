"""Descriptors as people use them: made by what they say, read back from cuDNN, compared by it.

Each class adds to an emitted one, so it goes into every function under its C name. Nothing is
remembered here that cuDNN knows: a property asks it, so it is right whoever set the descriptor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from . import arrays, errors, families
from ._family import Family
from ._tables import active
from .calls import ops as _ops

if TYPE_CHECKING:
    from .handles import Handle

__all__ = [
    "ActivationDescriptor",
    "ConvolutionDescriptor",
    "DropoutDescriptor",
    "FilterDescriptor",
    "LRNDescriptor",
    "OpTensorDescriptor",
    "PoolingDescriptor",
    "ReduceTensorDescriptor",
    "SpatialTransformerDescriptor",
    "TensorDescriptor",
    "TensorTransformDescriptor",
]

#: Convolution and pooling descriptors have two axes fewer than tensors may have.
_SPATIAL_MAX = 6


class Configured(Family):
    """What descriptors share whose configuration can be read back from cuDNN.

    Two are equal when they are configured alike. So the hash changes when a descriptor is set
    anew: one that is a key has to be left alone. Pickling keeps the configuration, with names
    instead of numbers, so that another release of cuDNN can restore it.
    """

    __slots__ = ()

    _label: ClassVar[str]

    def _configuration(self) -> dict[str, Any]:
        """Keyword arguments that `_restored` makes an equal one of; {} where nothing is set."""
        raise NotImplementedError

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        raise NotImplementedError

    def _text(self) -> str:
        """What is between the parentheses of the repr."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configured) or other._c_name != self._c_name:
            return NotImplemented
        if self.closed or other.closed:
            return self is other
        return self.address == other.address or self._configuration() == other._configuration()

    def __hash__(self) -> int:
        self.address  # noqa: B018  a closed one has no configuration
        return hash((self._c_name, tuple(self._configuration().items())))

    def __reduce__(self) -> Any:
        self.address  # noqa: B018
        return _restore, (type(self), self._configuration())

    def __copy__(self) -> Self:
        return self.copied()

    def copied(self) -> Self:
        """Another descriptor of the same configuration."""
        made: Self = _restore(type(self), self._configuration())
        return made

    def __repr__(self) -> str:
        if self.closed:
            return f"{self._label}(closed)"
        try:
            return f"{self._label}({self._text() if self._configuration() else 'not set'})"
        except errors.CudnnError as error:
            return f"{self._label}({self.address:#x}, {type(error).__name__} when read)"


def _restore(cls: type[Configured], configuration: dict[str, Any]) -> Any:
    return cls._restored(**configuration) if configuration else cls()


def member(enum: str, value: Any) -> Any:
    """The member of an enum of the loaded release, by itself, its number or its name.

    Raises:
        ArgumentError: this release has none of that name.
    """
    cls = active().enum(enum)
    if isinstance(value, int) and not isinstance(value, bool):
        return cls(int(value))
    try:
        return cls[value]
    except KeyError:
        raise errors.ArgumentError(
            f"a {enum} was expected, {value!r} came",
            hint=f"this cuDNN has {', '.join(each.name for each in cls)}",
        ) from None


def nan_option(propagate: bool) -> Any:
    """The NanPropagation of a choice; a number of the same meaning where the enum is gone."""
    try:
        cls = active().enum("NanPropagation")
    except KeyError:
        return int(propagate)
    return int(cls["PROPAGATE_NAN" if propagate else "NOT_PROPAGATE_NAN"])


def _is_known(value: Any) -> bool:
    """Whether an enum member is one; a descriptor that was never set can hold anything."""
    return not value.name.startswith("UNKNOWN_")


def _each(value: int | Iterable[int], count: int, name: str) -> tuple[int, ...]:
    """One number for each of `count` axes."""
    if isinstance(value, int):
        return (value,) * count
    numbers = tuple(value)
    if len(numbers) != count:
        raise errors.ArgumentError(f"{name}: {count} numbers were expected, {len(numbers)} came")
    return numbers


def _axes_of(*values: int | Iterable[int], default: int) -> int:
    """How many axes the values are for, by those that are sequences."""
    for value in values:
        if not isinstance(value, int):
            return len(tuple(value))
    return default


def _numbers(values: Iterable[int]) -> str:
    return ",".join(map(str, values))


def _dtype_text(dtype: Any) -> str:
    return arrays.dtype_name(dtype) or str(dtype.name)


def _padded(shape: Sequence[int], axes: int) -> tuple[int, ...]:
    extents = tuple(int(extent) for extent in shape)
    if not extents or min(extents) < 1:
        raise errors.ArgumentError(
            f"extents of 1 or more were expected, {_numbers(extents) or 'none'} came",
            hint="cuDNN has no empty tensors",
        )
    return extents + (1,) * (axes - len(extents))


# Tensors and filters ---


class TensorDescriptor(Configured, families.TensorDescriptor):
    """Data type, extents and strides of an array, whose axes are N, C and then the others."""

    __slots__ = ()
    _label = "Tensor"

    @classmethod
    def packed(
        cls, shape: Sequence[int], dtype: Any = "float32", layout: str = "NCHW", axes: int = 4
    ) -> Self:
        """An array without gaps.

        Args:
            shape: extents in the order N, C, ..., whatever the layout.
            dtype: a data type of cuDNN or of any array library, or its name.
            layout: "NCHW": row-major; "NHWC": channels last in memory; or "NCHW_VECT_C" for a
                data type of several channels each.
            axes: extents of 1 are appended up to so many; most functions want four or more.

        Raises:
            ArgumentError: an extent below 1, or a data type or layout that cuDNN does not have.
        """
        extents = _padded(shape, axes)
        if layout in ("NCHW", "NHWC"):
            strides = arrays.packed_strides(extents, layout)
            return cls.strided(extents, strides, dtype, axes=len(extents))
        self = cls()
        self.set_nd_ex(
            member("TensorFormat", layout), arrays.data_type(dtype), len(extents), extents
        )
        return self

    @classmethod
    def strided(
        cls, shape: Sequence[int], strides: Sequence[int], dtype: Any = "float32", axes: int = 4
    ) -> Self:
        """An array with these strides, in elements; see `packed` for the rest."""
        if len(shape) != len(strides):
            raise errors.ArgumentError(
                f"as many strides as extents were expected, {len(strides)} for {len(shape)} came"
            )
        extents = _padded(shape, axes)
        steps = tuple(strides) + (1,) * (len(extents) - len(strides))
        self = cls()
        self.set_nd(arrays.data_type(dtype), len(extents), extents, steps)
        return self

    @classmethod
    def like(cls, array: Any, layout: str | None = None, axes: int = 4) -> Self:
        """What describes an array on the device, of any library.

        Args:
            array: with extents N, C, ...; its strides say what the layout is.
            layout: "NHWC" where the axes of the array itself are in that order, for libraries
                that have row-major arrays only.
            axes: as for `packed`.
        """
        return cls.of_info(arrays.describe(array), layout, axes)

    @classmethod
    def of_info(cls, info: arrays.ArrayInfo, layout: str | None = None, axes: int = 4) -> Self:
        """What `like` makes, of what `arrays.describe` said of an array."""
        shape, strides = info.shape, info.strides
        if layout == "NHWC":
            order = (0, len(shape) - 1, *range(1, len(shape) - 1))
            shape = tuple(shape[axis] for axis in order)
            strides = tuple(strides[axis] for axis in order)
        # The stride of an axis with one element means nothing; some of cuDNN's checks read it.
        if arrays._same_steps(shape, strides, arrays.packed_strides(shape)):
            strides = arrays.packed_strides(shape)
        elif arrays._same_steps(shape, strides, arrays.packed_strides(shape, "NHWC")):
            strides = arrays.packed_strides(shape, "NHWC")
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
    def dtype(self) -> Any:
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
        for layout in ("NCHW", "NHWC"):
            steps = arrays.packed_strides(got.dimA, layout)
            if arrays._same_steps(got.dimA, got.strideA, steps):
                return layout
        return None

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
        layout = self.layout or f"strides {_numbers(got.strideA)}"
        return f"{_numbers(got.dimA)} {_dtype_text(got.dataType)} {layout}"


class FilterDescriptor(Configured, families.FilterDescriptor):
    """Data type, extents and layout of a filter, whose axes are K, C and then the others."""

    __slots__ = ()
    _label = "Filter"

    @classmethod
    def packed(
        cls, shape: Sequence[int], dtype: Any = "float32", layout: str = "NCHW", axes: int = 4
    ) -> Self:
        """A filter without gaps; other ones cuDNN does not have.

        Args:
            shape: output channels, input channels of a group, and the window's extents.
            dtype: a data type of cuDNN or of any array library, or its name.
            layout: "NCHW", "NHWC" or "NCHW_VECT_C", as for tensors.
            axes: extents of 1 are appended up to so many.
        """
        extents = _padded(shape, axes)
        self = cls()
        self.set_nd(arrays.data_type(dtype), member("TensorFormat", layout), len(extents), extents)
        return self

    @classmethod
    def like(cls, array: Any, layout: str | None = None, axes: int = 4) -> Self:
        """What describes an array on the device; see `TensorDescriptor.like`.

        Raises:
            ArgumentError: the array has gaps.
        """
        return cls.of_info(arrays.describe(array), layout, axes)

    @classmethod
    def of_info(cls, info: arrays.ArrayInfo, layout: str | None = None, axes: int = 4) -> Self:
        """What `like` makes, of what `arrays.describe` said of an array."""
        tensor = TensorDescriptor.of_info(info, layout, axes)
        found = tensor.layout
        if found is None:
            raise errors.ArgumentError(
                f"a filter without gaps was expected, {tensor!r} came",
                hint="make the array contiguous",
            )
        return cls.packed(tensor.shape, tensor.dtype, found, axes)

    @property
    def dtype(self) -> Any:
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
        return f"{_numbers(got.filterDimA)} {_dtype_text(got.dataType)} {got.format.name}"


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
        given = [each for each in (pad_before, pad_after) if each is not None]
        axes = len(given[0]) if given else axes
        self = cls()
        self.set(
            axes,
            member("TensorFormat", layout),
            _each(pad_before or 0, axes, "pad_before"),
            _each(pad_after or 0, axes, "pad_after"),
            [*_each(fold or 1, axes - 2, "fold"), 0, 0],
            member("FoldingDirection", direction),
        )
        return self

    def _configuration(self) -> dict[str, Any]:
        got = self.get(8)
        # How many axes there are is told by the factors of the spatial ones, which are not 0.
        axes = sum(1 for factor in got.foldA if factor) + 2
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
            f"{got['direction']} by {_numbers(got['fold'])} to {got['layout']} "
            f"padding {_numbers(got['pad_before'])} and {_numbers(got['pad_after'])}"
        )


# Convolution ---


class ConvolutionDescriptor(Configured, families.ConvolutionDescriptor):
    """Padding, stride, dilation, groups, and how to compute."""

    __slots__ = ()
    _label = "Convolution"

    @classmethod
    def cross_correlation(
        cls,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        *,
        groups: int = 1,
        compute: Any = "float32",
        math: Any = None,
        axes: int = 2,
    ) -> Self:
        """What neural networks call a convolution: the filter is not mirrored.

        Args:
            padding, stride, dilation: for each spatial axis, or one for all.
            groups: into how many the channels are divided.
            compute: in which type sums are made; "float64" for tensors of that type.
            math: a `MathType` or its name. "DEFAULT_MATH", the default, lets cuDNN use tensor
                cores, and with them TF32 for float32; "FMA_MATH" keeps to full float32.
            axes: spatial ones, where no sequence tells.
        """
        return cls._of("CROSS_CORRELATION", padding, stride, dilation, groups, compute, math, axes)

    @classmethod
    def convolution(
        cls,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        *,
        groups: int = 1,
        compute: Any = "float32",
        math: Any = None,
        axes: int = 2,
    ) -> Self:
        """The convolution of mathematics: the filter is mirrored. See `cross_correlation`."""
        return cls._of("CONVOLUTION", padding, stride, dilation, groups, compute, math, axes)

    @classmethod
    def _of(
        cls,
        mode: Any,
        padding: int | Sequence[int],
        stride: int | Sequence[int],
        dilation: int | Sequence[int],
        groups: int,
        compute: Any,
        math: Any,
        axes: int = 2,
        reorder: Any = None,
    ) -> Self:
        axes = _axes_of(padding, stride, dilation, default=axes)
        self = cls()
        self.set_nd(
            axes,
            _each(padding, axes, "padding"),
            _each(stride, axes, "stride"),
            _each(dilation, axes, "dilation"),
            member("ConvolutionMode", mode),
            arrays.data_type(compute),
        )
        if groups != 1:
            self.set_group_count(groups)
        if math is not None:
            self.set_math_type(member("MathType", math))
        if reorder is not None:
            self.set_reorder_type(member("ReorderType", reorder))
        return self

    @property
    def padding(self) -> tuple[int, ...]:
        return self.get_nd(_SPATIAL_MAX).padA

    @property
    def stride(self) -> tuple[int, ...]:
        return self.get_nd(_SPATIAL_MAX).strideA

    @property
    def dilation(self) -> tuple[int, ...]:
        return self.get_nd(_SPATIAL_MAX).dilationA

    @property
    def mode(self) -> Any:
        """The member of `ConvolutionMode`."""
        return self.get_nd(_SPATIAL_MAX).mode

    @property
    def compute_type(self) -> Any:
        """The member of `DataType`."""
        return self.get_nd(_SPATIAL_MAX).computeType

    @property
    def groups(self) -> int:
        return self.get_group_count()

    @property
    def math_type(self) -> Any:
        """The member of `MathType`."""
        return self.get_math_type()

    @property
    def axes(self) -> int:
        """How many spatial axes."""
        return self.get_nd(_SPATIAL_MAX).arrayLength

    def output_shape(
        self, x: families.TensorDescriptor, w: families.FilterDescriptor
    ) -> tuple[int, ...]:
        """The extents of what comes out for an input and a filter.

        Raises:
            BadParamError: they do not go together.
        """
        return self.get_nd_forward_output_dim(x, w, self.axes + 2)

    def __call__(
        self,
        x: Any,
        w: Any,
        out: Any = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        algorithm: Any = None,
    ) -> Any:
        """Convolve `x` with `w`.

        Args:
            x, w: arrays on the handle's device, of any library; their strides say the layout.
            out: where to write; a new `DeviceArray` of the layout of `x` by default.
            handle: this thread's by default; the call is made in its stream.
            alpha, beta: `out` becomes alpha * result + beta * `out`.
            algorithm: a `ConvolutionFwdAlgo` or its name; by default the one that cuDNN's
                heuristics put first among those whose workspace is within
                `handle.workspace.limit`.

        Returns: `out`.

        Raises:
            ArgumentError: data types, shapes, strides or devices do not go together.
        """
        from ._operands import convolve

        return convolve(self, x, w, out, handle, alpha, beta, algorithm)

    def _configuration(self) -> dict[str, Any]:
        got = self.get_nd(_SPATIAL_MAX)
        if not got.arrayLength:
            return {}
        return {
            "mode": got.mode.name,
            "padding": got.padA,
            "stride": got.strideA,
            "dilation": got.dilationA,
            "groups": self.get_group_count(),
            "compute": got.computeType.name,
            "math": self.get_math_type().name,
            "reorder": self.get_reorder_type().name,
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls._of(**configuration)

    def _text(self) -> str:
        got = self.get_nd(_SPATIAL_MAX)
        groups = self.get_group_count()
        return (
            f"{got.mode.name} padding {_numbers(got.padA)} stride {_numbers(got.strideA)} "
            f"dilation {_numbers(got.dilationA)}{f' groups {groups}' if groups != 1 else ''} "
            f"{_dtype_text(got.computeType)} {self.get_math_type().name}"
        )


# Pooling, activation, normalisation ---


class PoolingDescriptor(Configured, families.PoolingDescriptor):
    """The window of a pooling, and what it makes of what is in it."""

    __slots__ = ()
    _label = "Pooling"

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
        """The largest element of each window.

        Args:
            window: extents, or one for all axes.
            stride: from window to window; as wide as the window by default.
            padding: on both sides of each axis.
            propagate_nan: whether a NaN in the window is the result.
            deterministic: whether the gradient has to be the same each time.
            axes: spatial ones, where no sequence tells.
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
        """The mean of each window; with or without the zeros of the padding among its elements."""
        mode = f"AVERAGE_COUNT_{'INCLUDE' if count_padding else 'EXCLUDE'}_PADDING"
        return cls._of(mode, window, stride, padding, True, axes)

    @classmethod
    def _of(
        cls,
        mode: Any,
        window: int | Sequence[int],
        stride: int | Sequence[int] | None,
        padding: int | Sequence[int],
        propagate_nan: bool = True,
        axes: int = 2,
    ) -> Self:
        stride = window if stride is None else stride
        axes = _axes_of(window, stride, padding, default=axes)
        self = cls()
        self.set_nd(
            member("PoolingMode", mode),
            nan_option(propagate_nan),
            axes,
            _each(window, axes, "window"),
            _each(padding, axes, "padding"),
            _each(stride, axes, "stride"),
        )
        return self

    @property
    def mode(self) -> Any:
        """The member of `PoolingMode`."""
        return self.get_nd(_SPATIAL_MAX).mode

    @property
    def window(self) -> tuple[int, ...]:
        return self.get_nd(_SPATIAL_MAX).windowDimA

    @property
    def padding(self) -> tuple[int, ...]:
        return self.get_nd(_SPATIAL_MAX).paddingA

    @property
    def stride(self) -> tuple[int, ...]:
        return self.get_nd(_SPATIAL_MAX).strideA

    @property
    def propagates_nan(self) -> bool:
        return bool(self.get_nd(_SPATIAL_MAX).maxpoolingNanOpt)

    @property
    def axes(self) -> int:
        """How many spatial axes."""
        return self.get_nd(_SPATIAL_MAX).nbDims

    def output_shape(self, x: families.TensorDescriptor) -> tuple[int, ...]:
        """The extents of what comes out for an input."""
        return self.get_nd_forward_output_dim(x, self.axes + 2)

    def __call__(
        self,
        x: Any,
        out: Any = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
    ) -> Any:
        """Pool `x`; arguments and errors as for a `ConvolutionDescriptor`."""
        from ._operands import apply

        call = _ops.cudnnPoolingForward
        return apply(call, self, x, out, handle, alpha, beta, self.output_shape)

    def _configuration(self) -> dict[str, Any]:
        got = self.get_nd(_SPATIAL_MAX)
        if not 0 < got.nbDims <= _SPATIAL_MAX or not _is_known(got.mode):
            return {}
        return {
            "mode": got.mode.name,
            "window": got.windowDimA,
            "stride": got.strideA,
            "padding": got.paddingA,
            "propagate_nan": bool(got.maxpoolingNanOpt),
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls._of(**configuration)

    def _text(self) -> str:
        got = self.get_nd(_SPATIAL_MAX)
        return (
            f"{got.mode.name} window {_numbers(got.windowDimA)} "
            f"stride {_numbers(got.strideA)} padding {_numbers(got.paddingA)}"
        )


class ActivationDescriptor(Configured, families.ActivationDescriptor):
    """A function that is applied to each element."""

    __slots__ = ()
    _label = "Activation"

    @classmethod
    def relu(cls, *, propagate_nan: bool = True) -> Self:
        """max(x, 0)."""
        return cls._of("RELU", 0.0, propagate_nan)

    @classmethod
    def clipped_relu(cls, ceiling: float, *, propagate_nan: bool = True) -> Self:
        """min(max(x, 0), ceiling)."""
        return cls._of("CLIPPED_RELU", ceiling, propagate_nan)

    @classmethod
    def sigmoid(cls) -> Self:
        """1 / (1 + exp(-x))."""
        return cls._of("SIGMOID")

    @classmethod
    def tanh(cls) -> Self:
        """tanh(x)."""
        return cls._of("TANH")

    @classmethod
    def elu(cls, alpha: float = 1.0) -> Self:
        """x where it is positive, else alpha * (exp(x) - 1)."""
        return cls._of("ELU", alpha)

    @classmethod
    def swish(cls, beta: float = 1.0) -> Self:
        """x / (1 + exp(-beta * x))."""
        return cls._of("SWISH", swish_beta=beta)

    @classmethod
    def identity(cls) -> Self:
        """x; for the fused convolution, as no other function takes it."""
        return cls._of("IDENTITY")

    @classmethod
    def _of(
        cls,
        mode: Any,
        coefficient: float = 0.0,
        propagate_nan: bool = True,
        swish_beta: float | None = None,
    ) -> Self:
        self = cls()
        self.set(member("ActivationMode", mode), nan_option(propagate_nan), coefficient)
        if swish_beta is not None:
            self.set_swish_beta(swish_beta)
        return self

    @property
    def mode(self) -> Any:
        """The member of `ActivationMode`."""
        return self.get().mode

    @property
    def coefficient(self) -> float:
        """The ceiling of a clipped ReLU, or the alpha of an ELU."""
        return self.get().coef

    @property
    def propagates_nan(self) -> bool:
        return bool(self.get().reluNanOpt)

    @property
    def swish_beta(self) -> float:
        return self.get_swish_beta()

    def __call__(
        self,
        x: Any,
        out: Any = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
    ) -> Any:
        """Apply it to `x`; `out` may be `x` itself. See `ConvolutionDescriptor` for the rest."""
        from ._operands import apply

        call = _ops.cudnnActivationForward
        return apply(call, self, x, out, handle, alpha, beta)

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        found = {
            "mode": got.mode.name,
            "coefficient": got.coef,
            "propagate_nan": bool(got.reluNanOpt),
        }
        if got.mode.name == "SWISH":
            found["swish_beta"] = self.get_swish_beta()
        return found

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls._of(**configuration)

    def _text(self) -> str:
        got = self.get()
        name: str = got.mode.name
        if name in ("CLIPPED_RELU", "ELU"):
            return f"{name} {got.coef:g}"
        return f"{name} {self.get_swish_beta():g}" if name == "SWISH" else name


class LRNDescriptor(Configured, families.LRNDescriptor):
    """Local response normalisation across channels."""

    __slots__ = ()
    _label = "LRN"

    @classmethod
    def of(cls, n: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 2.0) -> Self:
        """x / (k + alpha / n * sum of squares over n channels) ** beta."""
        self = cls()
        self.set(n, alpha, beta, k)
        return self

    @property
    def n(self) -> int:
        """How many channels are summed over."""
        return self.get().lrnN

    @property
    def alpha(self) -> float:
        return self.get().lrnAlpha

    @property
    def beta(self) -> float:
        return self.get().lrnBeta

    @property
    def k(self) -> float:
        return self.get().lrnK

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        return {"n": got.lrnN, "alpha": got.lrnAlpha, "beta": got.lrnBeta, "k": got.lrnK}

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self.get()
        return f"n {got.lrnN} alpha {got.lrnAlpha:g} beta {got.lrnBeta:g} k {got.lrnK:g}"


# Element-wise operations and reductions ---


class OpTensorDescriptor(Configured, families.OpTensorDescriptor):
    """An operation on the elements of two tensors, or of one."""

    __slots__ = ()
    _label = "OpTensor"

    @classmethod
    def of(cls, op: Any, compute: Any = "float32", *, propagate_nan: bool = True) -> Self:
        """An operation by its name in `OpTensorOp`: "ADD", "MUL", "MIN", "MAX", "SQRT", "NOT"."""
        self = cls()
        self.set(member("OpTensorOp", op), arrays.data_type(compute), nan_option(propagate_nan))
        return self

    @property
    def op(self) -> Any:
        """The member of `OpTensorOp`."""
        return self.get().opTensorOp

    @property
    def compute_type(self) -> Any:
        """The member of `DataType`."""
        return self.get().opTensorCompType

    @property
    def propagates_nan(self) -> bool:
        return bool(self.get().opTensorNanOpt)

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        if not _is_known(got.opTensorOp) or not _is_known(got.opTensorCompType):
            return {}
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
        return f"{got.opTensorOp.name} {_dtype_text(got.opTensorCompType)}"


class ReduceTensorDescriptor(Configured, families.ReduceTensorDescriptor):
    """A reduction over the axes that have one element in the result."""

    __slots__ = ()
    _label = "ReduceTensor"

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
    def op(self) -> Any:
        """The member of `ReduceTensorOp`."""
        return self.get().reduceTensorOp

    @property
    def compute_type(self) -> Any:
        """The member of `DataType`."""
        return self.get().reduceTensorCompType

    @property
    def propagates_nan(self) -> bool:
        return bool(self.get().reduceTensorNanOpt)

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        if not _is_known(got.reduceTensorOp) or not _is_known(got.reduceTensorCompType):
            return {}
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
        return f"{got.reduceTensorOp.name} {_dtype_text(got.reduceTensorCompType)}"


class SpatialTransformerDescriptor(families.SpatialTransformerDescriptor):
    """The sampling grid of a spatial transformer.

    cuDNN has no function that reads one back, so it is equal to itself alone and is not pickled.
    """

    __slots__ = ()

    @classmethod
    def bilinear(cls, shape: Sequence[int], dtype: Any = "float32") -> Self:
        """Bilinear sampling, for an output of four axes."""
        extents = _padded(shape, 4)
        self = cls()
        self.set_nd(
            member("SamplerType", "BILINEAR"), arrays.data_type(dtype), len(extents), extents
        )
        return self


# Dropout ---


class DropoutDescriptor(families.DropoutDescriptor):
    """Dropout with the state of its random numbers, which lies in device memory.

    It belongs to a handle, which it keeps alive and which closes it. The state makes each one
    different from all others: it is equal to itself alone and is not pickled.
    """

    __slots__ = ("_handle", "_states")
    _handle: Handle | None
    _states: Any

    @classmethod
    def with_state(cls, handle: Handle, rate: float, seed: int = 0, *, states: Any = None) -> Self:
        """Dropout of elements with the probability `rate`.

        Args:
            handle: whose device has the state; its stream initialises it.
            rate: from 0 to 1.
            seed: of the random numbers.
            states: device memory for the state, `cudnnDropoutGetStatesSize` bytes; allocated
                here by default.

        Raises:
            ArgumentError: `rate` is no probability.
            AllocationError: there is no memory for the state.
        """
        if not 0 <= rate <= 1:
            raise errors.ArgumentError(f"rate: 0 to 1 was expected, {rate} came")
        size = _ops.cudnnDropoutGetStatesSize(handle)
        if states is None:
            from .memory import Memory

            states = Memory(size, handle.device, handle.stream)
            address = states.address
        else:
            address = arrays.device_pointer(states)
        self = cls()
        self._handle = handle
        self._states = states
        handle.adopt(self)
        self.set(handle, rate, address, size, seed)
        return self

    @property
    def rate(self) -> float:
        """The probability with which an element is dropped."""
        return self.get(self._of_handle()).dropout

    @property
    def seed(self) -> int:
        """Of the random numbers."""
        return self.get(self._of_handle()).seed

    @property
    def states(self) -> int:
        """The address of the state."""
        return self.get(self._of_handle()).states

    def _of_handle(self) -> Any:
        handle = getattr(self, "_handle", None)
        if handle is None:
            self.address  # noqa: B018  a closed one says so
            raise errors.ArgumentError(
                "the DropoutDescriptor has no state", hint="DropoutDescriptor.with_state makes one"
            )
        return handle

    def close(self) -> None:
        """Destroy the descriptor, and free the state in the order of the handle's stream."""
        super().close()
        states = getattr(self, "_states", None)
        self._states = None
        self._handle = None
        if states is not None and hasattr(states, "buffer"):
            states.close()

    def __repr__(self) -> str:
        handle = getattr(self, "_handle", None)
        if self.closed or handle is None:
            return f"Dropout({'closed' if self.closed else 'not set'})"
        try:
            got = self.get(handle)
        except errors.CudnnError as error:
            return f"Dropout({self.address:#x}, {type(error).__name__} when read)"
        return f"Dropout({got.dropout:g} seed {got.seed})"
