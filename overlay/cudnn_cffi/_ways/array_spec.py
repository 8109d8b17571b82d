"""The description of an array for an operation: all but its memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from .. import arrays, errors
from .._support.arguments import whole
from .._support.constructors import list_makers
from .._support.results import NamedTuple
from .._support.wording import meant, no_word
from ..graph.record.enum_words import CHANNELS_FIRST, CHANNELS_LAST, data_type_name, layout_strides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from ..graph.record.types import DataTypeName
    from ..types import Array, DType, DTypeWord, LayoutWord

#: Data types that a misspelt one may mean.
_TYPES = (
    *("float16", "half", "bfloat16", "float32", "float", "float64", "double", "float8_e4m3fn"),
    *("float8_e5m2", "int8", "uint8", "int32", "int64", "bool"),
)


@list_makers
class Spec(NamedTuple):
    """Data type, shape and strides of an array, and where it is.

    Attributes:
        dtype: as NumPy or ml_dtypes name it.
        shape: the extents.
        strides: in elements.
        device: the ordinal of the device; None for none.
        alignment: what the address is a multiple of, at most 16 bytes.
    """

    dtype: DTypeWord
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int | None = None
    alignment: int = 16

    @classmethod
    def of(cls, array: Array | Spec, name: str) -> Spec:
        """Describe an array in device memory, of any library; a `Spec` is what it is.

        Raises:
            ArgumentError: it is no array in device memory; the message begins with its name.
        """
        if isinstance(array, Spec):
            return array
        try:
            address, dtype, shape, strides, device = arrays.describe(array)
        except errors.CudnnError as error:
            hint = error.hint
            if isinstance(array, (tuple, list)):
                hint = "pass an array; in plans ops.Spec.like(shape, dtype, layout) stands for one"
            raise error.replace(message=f"{name}: {error.message}", hint=hint) from None
        return cls(
            cast("DTypeWord", dtype),
            shape,
            strides,
            device,
            min(16, address & -address) if address else 16,
        )

    @classmethod
    def like(
        cls,
        shape: Sequence[int],
        dtype: DType = "float32",
        layout: LayoutWord | Sequence[SupportsIndex] = "NCHW",
    ) -> Spec:
        """Return the description of an array that need not exist, packed in a layout.

        Args:
            shape: the extents, batch and channels first whatever the layout is.
            dtype: a data type by any name.
            layout: a word such as "NHWC", or the order of axes, outermost first.

        Raises:
            ArgumentError: there is no such data type or layout.
        """
        extents = whole(shape, "shape")
        name = arrays.dtype_name(dtype)
        if not name:
            raise errors.ArgumentError(
                f"expected a data type, got {dtype!r}", hint=meant(dtype, _TYPES).rstrip()
            )
        if isinstance(layout, str):
            word = layout.lower()
            if word not in (*CHANNELS_FIRST, *CHANNELS_LAST):
                known = [each.upper() for each in ("nchw", "nhwc", "ncdhw", "ndhwc", "ncw", "nwc")]
                of_rank = [each for each in known if len(each) == len(extents)]
                words = (*(of_rank or known), "channels_first", "channels_last")
                raise no_word("layout", layout, "a layout", words, more=", or the order of axes")
            layout = "channels_last" if word in CHANNELS_LAST else "channels_first"
            if len(extents) < 3:
                layout = range(len(extents))
        try:
            return cls(name, extents, layout_strides(extents, layout))
        except TypeError as error:
            raise errors.ArgumentError(f"layout: expected a layout, got {layout!r}") from error

    @property
    def data_type(self) -> DataTypeName:
        """Return cuDNN's name of the data type, such as "HALF"."""
        return data_type_name(self.dtype)

    @property
    def layout(self) -> str:
        """Return "NCHW" or "NHWC" for packed arrays, else the strides as text; for people."""
        for name in ("NCHW", "NHWC"):
            packed = arrays.packed_strides(self.shape, name)
            if arrays.same_strides(self.shape, self.strides, packed):
                return name
        return f"strides {self.strides}"

    @property
    def is_repeated(self) -> bool:
        """Return whether the elements along some axis are one element in memory."""
        return any(n > 1 and not step for n, step in zip(self.shape, self.strides, strict=True))

    @property
    def is_dense(self) -> bool:
        """Return whether each element between the first and the last belongs to the array."""
        step = 1
        for stride, extent in sorted(zip(self.strides, self.shape, strict=True)):
            if extent > 1:
                if stride != step:
                    return 0 in self.shape
                step *= extent
        return True

    @property
    def innermost(self) -> int:
        """The axis whose elements lie closest to each other, of those with more than one."""
        axes = range(len(self.shape))
        return min(axes, key=lambda axis: (self.shape[axis] == 1, self.strides[axis]))

    @property
    def is_in_c_order(self) -> bool:
        """Return whether its elements lie without gaps, those of the last axis side by side."""
        packed = arrays.packed_strides(self.shape)
        return 0 in self.shape or arrays.same_strides(self.shape, self.strides, packed)

    def info(self) -> arrays.ArrayInfo:
        """Return the same for descriptors, which need no address."""
        return arrays.ArrayInfo(0, self.dtype, self.shape, self.strides, self.device)

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)} {self.layout}"

    @property
    def text(self) -> str:
        """The description with all that choices depend on, but the device."""
        return str(self) if self.alignment >= 16 else f"{self} aligned {self.alignment}"


def to_axes(value: Any, rank: int, name: str) -> frozenset[int]:
    """Return axes, given as a number or several, counted from the first.

    Raises:
        ArgumentError: one is no axis of an array with `rank` axes.
    """
    single = isinstance(value, int) or not hasattr(value, "__iter__")
    found = []
    for each in (value,) if single else value:
        if not isinstance(each, int) or isinstance(each, bool) or not -rank <= each < rank:
            raise errors.ArgumentError(f"{name}: expected an axis of {rank}, got {each!r}")
        found.append(each % rank)
    return frozenset(found)


def refuse_gaps(spec: Spec, name: str) -> None:
    """Refuse an array whose elements are not in C order without gaps."""
    if not spec.is_in_c_order:
        raise errors.ArgumentError(
            f"{name}: expected an array in C order without gaps, got strides of "
            f"{spec.strides} elements for {spec.shape}",
            hint="copy it",
        )


def check_shape(spec: Spec, shape: tuple[int, ...], name: str) -> None:
    """Refuse an array of another shape."""
    if spec.shape != shape:
        raise errors.ShapeMismatchError(f"{name}: expected the shape {shape}, got {spec.shape}")


def check_dtype(spec: Spec, dtype: str, name: str) -> None:
    """Refuse an array of another data type."""
    if spec.dtype != dtype:
        raise errors.ArgumentError(f"{name}: expected {dtype}, got {spec.dtype}")


def reshaped(spec: Spec, *shape: int) -> Spec:
    """Return the elements of an array in C order in another shape."""
    return spec._replace(shape=shape, strides=arrays.packed_strides(shape))


def in_front(spec: Spec, axes: int) -> Spec:
    """Return the same array with at least `axes` axes; axes of one element are added in front."""
    missing = max(axes - len(spec.shape), 0)
    step = max([1, *[a * b for a, b in zip(spec.shape, spec.strides, strict=True)]])
    return spec._replace(
        shape=(1,) * missing + spec.shape, strides=(step,) * missing + spec.strides
    )


def widened(spec: Spec, batch: bool, axes: int = 4) -> Spec:
    """Return the same array with a batch axis, and with two spatial axes at least.

    Axes of one element are added: in front where the batch is missing, and before the spatial axes.

    Args:
        spec: the array as the caller has it.
        batch: whether it has the batch axis.
        axes: the least number of axes.
    """
    shape, strides = spec.shape, spec.strides
    if not batch:
        step = max([1, *[a * b for a, b in zip(shape, strides, strict=True)]])
        shape, strides = (1, *shape), (step, *strides)
    missing = axes - len(shape)
    if missing > 0 and len(shape) >= 2:
        step = shape[2] * strides[2] if len(shape) > 2 else min(strides[1] * shape[1], strides[0])
        shape = (*shape[:2], *(1,) * missing, *shape[2:])
        strides = (*strides[:2], *(step,) * missing, *strides[2:])
    return spec._replace(shape=shape, strides=strides)


def per_channel(spec: Spec, axes: int = 4) -> Spec:
    """Return a vector with one number for each channel as (1, C, 1, ...).

    Raises:
        ArgumentError: it has another form.
    """
    shape = spec.shape
    count = max(shape, default=1)
    place = shape.index(count) if shape else 0
    if len([each for each in shape if each != 1]) > 1 or (len(shape) > 1 and place > 1):
        raise errors.ArgumentError(f"expected one number for each channel, got {spec}")
    step = spec.strides[place] if count > 1 else 1
    rest = (count * step,) * (axes - 2) if step == 1 else (1,) * (axes - 2)
    return spec._replace(shape=(1, count, *(1,) * (axes - 2)), strides=(count * step, step, *rest))


def flattened(*specs: Spec) -> tuple[Spec, ...] | None:
    """Return dense arrays with the same strides as two axes of one shape; None where they differ.

    Engines for functions of elements want channels innermost. The order of elements means nothing
    to them, so the channels are as many as divide their number well.
    """
    first = specs[0]
    if not first.is_dense or any(not e.is_dense or not is_same_order(e, first) for e in specs):
        return None
    count = math.prod(first.shape)
    inner = next((n for n in (1024, 512, 256, 128, 64, 32, 16, 8, 4, 2) if count % n == 0), 1)
    rows = count // inner
    shape, strides = (rows, inner, 1, 1), (inner, 1, inner, inner)
    return tuple([each._replace(shape=shape, strides=strides) for each in specs])


def in_rows(*specs: Spec) -> tuple[Spec, ...] | None:
    """Return dense arrays with the same strides as rows along their innermost axis.

    Engines repeat a vector with as many elements for all rows.

    Returns: None where arrays differ, or where engines do not take rows of this length.
    """
    first = specs[0]
    if not first.is_dense or any(not e.is_dense or not is_same_order(e, first) for e in specs):
        return None
    count = first.shape[first.innermost]
    if count % 8 or any(e.alignment < 16 for e in specs):
        return None
    shape, strides = (math.prod(first.shape) // count, count, 1, 1), (count, 1, count, count)
    return tuple([each._replace(shape=shape, strides=strides) for each in specs])


def is_same_order(one: Spec, other: Spec) -> bool:
    """Return whether two arrays have one shape, and the same strides where they matter."""
    return one.shape == other.shape and arrays.same_strides(one.shape, one.strides, other.strides)
