"""Call cuDNN's functions with arrays: describe them, check them, make room for the result.

Describing an array costs more than the call that it is for. So descriptors are cached by what they
describe, and cuDNN's choice of an algorithm by what it was chosen for. No cached descriptor is
handed out, since anyone who holds a descriptor can set it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from ... import arrays, errors, handles, memory
from ..._support.arguments import join
from ..._support.recent import Recent
from ...handles import ordering
from ..tensor import TensorDescriptor, layout_of

if TYPE_CHECKING:
    from typing import TypedDict

    from ...arrays import ArrayInfo
    from ...enum_words import ConvolutionFwdAlgoLike
    from ...handles import Handle
    from ...types import PlainLayout

    class Applying(TypedDict, total=False):
        """The keyword arguments of a descriptor that is called with arrays."""

        handle: Handle | None
        alpha: float
        beta: float

    class ApplyingBatch(Applying, total=False):
        """Entries of a descriptor that is called with a batch."""

        batch: bool | None

    class ApplyingBy(ApplyingBatch, total=False):
        """Entries of a descriptor with several algorithms."""

        algorithm: ConvolutionFwdAlgoLike | int | None


#: Descriptors and algorithms of calls with arrays: the descriptor of an array, the pair of an input
#: and an output, the plan of a convolution, and its algorithm; keys are all that they depend on.
kept: dict[Hashable, Any] = Recent(4096)


def described(array: object, name: str) -> ArrayInfo:
    """Describe an array; errors begin with the name of the argument."""
    try:
        return arrays.describe(array)
    except errors.CudnnError as error:
        raise error.replace(message=f"{name}: {error.message}") from None


def output_of(out: object, batch: bool | None) -> ArrayInfo:
    """Describe an array to write to; with `batch=False` one without the batch.

    Raises:
        ArgumentError: it is none, or is read-only.
    """
    arrays.check_writable(out, "out")
    info = described(out, "out")
    return arrays.batch_of_one(info) if batch is False else info


def batched(info: ArrayInfo, name: str, axes: int, batch: bool | None) -> ArrayInfo:
    """Return an array with the batch in front, for an operation on `axes` axes."""
    count = len(info.shape)
    if batch is False:
        if count != axes - 1:
            raise errors.ArgumentError(
                f"{name}: expected {axes - 1} axes, as there is no batch, got {count}"
            )
        return arrays.batch_of_one(info)
    if batch is None and count == axes - 1:
        raise errors.ArgumentError(
            f"{name}: expected {axes} axes, N, C and {axes - 2} spatial ones, got {count}",
            hint="batch=False is for one example without the axis N; batch=True appends an axis "
            "of 1",
        )
    return info


def common_layout(*infos: ArrayInfo) -> PlainLayout:
    """Return the layout of the first array whose strides fit one layout only; else "NCHW"."""
    for info in infos:
        layout = layout_of(info.shape, info.strides)
        if layout is not None and layout == layout_of(info.shape, info.strides, "NHWC"):
            return layout
    return "NCHW"


def _tensor(info: ArrayInfo) -> TensorDescriptor:
    key = info[1:4]
    tensor: TensorDescriptor | None = kept.get(key)
    if tensor is None:
        tensor = kept[key] = TensorDescriptor.of_info(info)
    return tensor


def refuse_beta(out: object, beta: float) -> None:
    """Refuse a beta where the caller passed no output.

    Raises:
        ArgumentError: there is a beta and no output.
    """
    if out is None and beta != 0:
        raise errors.ArgumentError(
            f"out: expected an array, as beta is {beta}, got None",
            hint="what was in the output before is added beta times",
        )


def allocate_output(
    shape: Sequence[int], dtype: str, layout: PlainLayout, handle: Handle
) -> memory.DeviceArray:
    """Allocate the output where the caller passed none."""
    return memory.DeviceArray.empty(
        shape,
        dtype,  # type: ignore[arg-type]
        layout=layout,
        stream=handle.stream,
        device=handle.device,
    )


def check_output(out: ArrayInfo, x: ArrayInfo, shape: Sequence[int]) -> None:
    """Refuse an output with another data type than the input, or with another shape.

    Raises:
        ArgumentError: it has.
    """
    if out.dtype != x.dtype:
        raise errors.ArgumentError(f"out: expected {x.dtype}, like x, got {out.dtype}")
    if out.shape != shape and _padded(out.shape) != _padded(tuple(shape)):
        raise errors.ArgumentError(f"out: expected shape {join(shape)}, got {join(out.shape)}")


def _pair(
    shape: Sequence[int], x: ArrayInfo, out: ArrayInfo
) -> tuple[TensorDescriptor, TensorDescriptor, int, int]:
    """Return descriptors of an input and an output, and the bytes that each spans.

    The output must have this shape.
    """
    key = "pair", shape, x[1:4], out[1:4]
    pair: tuple[TensorDescriptor, TensorDescriptor, int, int] | None = kept.get(key)
    if pair is None:
        layout = common_layout(x, out)
        x_desc = TensorDescriptor.of_info(x, prefer=layout)
        check_output(out, x, shape)
        y_desc = TensorDescriptor.of_info(out, prefer=layout)
        pair = kept[key] = x_desc, y_desc, arrays.span_of(x), arrays.span_of(out)
    return pair


def apply(
    function: Callable[..., None],
    desc: Any,
    x: object,
    out: Any,
    handle: Handle | None,
    alpha: float,
    beta: float,
    axes: int | None = None,
    batch: bool | None = None,
) -> Any:
    """Call a function that takes a descriptor, an input and an output; return the output.

    All arguments are checked before a handle is made.

    Args:
        function: of cuDNN, under its C name.
        desc: the descriptor of the operation.
        x, out, handle, alpha, beta: as for `ConvolutionDescriptor`.
        axes: the number of axes of `x`, if `desc` decides the shape of the output; None if that is
            the shape of `x`.
        batch: whether `x` has the axis N; see `batched`.
    """
    if handle is not None:
        handles.checked_handle(handle)
    refuse_beta(out, beta)
    source = described(x, "x")
    shape: Sequence[int] = source.shape
    if axes is not None:
        source = batched(source, "x", axes, batch)
        shape = desc.get_nd_forward_output_dim(_tensor(source), axes)
    target = pair = None
    if out is not None:
        target = output_of(out, batch)
        pair = _pair(shape, source, target)
        if arrays.are_near(target.address - source.address, pair[3], pair[2]):
            # Activations have the shape of x, and windows need memory of their own.
            arrays.refuse_overlaps("out", target, {"x": source}, "x" if axes is None else "")
    handle, order = ordering.place(handle, (x,) if out is None else (x, out))
    arrays.check_place(source, "x", handle.device)
    if target is None or pair is None:
        array = allocate_output(shape, source.dtype, common_layout(source), handle)
        target, out = arrays.describe(array), array[0] if batch is False else array
        pair = _pair(shape, source, target)
    arrays.check_place(target, "out", handle.device)
    function(handle, desc, alpha, pair[0], source.address, beta, pair[1], target.address)
    if order is not None:
        ordering.end(order, handle)
    return out


def _padded(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape + (1,) * (4 - len(shape))
