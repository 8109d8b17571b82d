"""Errata of engines for convolutions, their gradients, and graphs that begin with one."""

from __future__ import annotations

import math

from .... import arrays
from .record import ALIGNMENT, engines, is_low, kinds_of, mode_of, tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from .... import backend

    Forward: TypeAlias = backend.OperationConvolutionForwardDescriptor
    Gradient: TypeAlias = (
        backend.OperationConvolutionBackwardDataDescriptor
        | backend.OperationConvolutionBackwardFilterDescriptor
    )
    Operations: TypeAlias = Sequence[backend.OperationDescriptor]


def _is_mixed(operation: Forward, operations: Operations) -> bool:
    """Return whether images and filters of a convolution before others lie differently."""
    found = {_layout(each) for each in (operation.x, operation.w)}
    return len(operations) > 1 and {"NCHW", "NHWC"} <= found


def _layout(tensor: backend.TensorDescriptor) -> str:
    """Return the only layout that a tensor has; "" where it has both, or neither."""
    shape, strides = tensor.dimensions, tensor.strides
    found = [
        layout
        for layout in ("NCHW", "NHWC")
        if arrays.same_strides(shape, strides, arrays.packed_strides(shape, layout))
    ]
    return found[0] if len(found) == 1 else ""


def _is_pixel_by_rows(operation: Forward, operations: Operations) -> bool:
    """Return whether images by rows give results of one pixel, after a convolution."""
    x = operation.x
    axes = zip(x.dimensions[2:], x.strides[2:], strict=True)
    step = min((stride for extent, stride in axes if extent > 1), default=math.inf)
    if x.strides[1] < step:
        return False
    results = [tensor(each, "ydesc") for each in operations[1:]]
    return any(
        each is not None and not each.is_virtual and math.prod(each.dimensions[2:]) == 1
        for each in results
    )


def _is_padded_unevenly(operation: Gradient, _: Operations) -> bool:
    """Return whether a convolution has other paddings after the pixels than before them."""
    convolution = operation.conv_desc
    return tuple(convolution.pre_paddings) != tuple(convolution.post_paddings)


def _has_odd_pixels(operation: Gradient, _: Operations) -> bool:
    """Return whether the pixels of the results of a convolution are not a multiple of 16 bytes."""
    images, _channels, *extents = operation.dy.dimensions
    size = arrays.itemsize(arrays.dtype_name(operation.dy.data_type.name))
    return bool(images * math.prod(extents) * size % ALIGNMENT)


def _has_few_channels(
    operation: backend.OperationConvolutionBackwardFilterDescriptor, _: Operations
) -> bool:
    """Return whether the channels of a pixel of x are not a multiple of 8 bytes."""
    size = arrays.itemsize(arrays.dtype_name(operation.x.data_type.name))
    return bool(operation.x.dimensions[1] * size % 8)


def _is_tanh(operation: backend.OperationPointwiseDescriptor, operations: Operations) -> bool:
    return mode_of(operation) == "TANH_FWD" and "ConvolutionForward" in kinds_of(operations)


def _is_factor_of_operand(
    operation: backend.OperationPointwiseDescriptor, operations: Operations
) -> bool:
    """Return whether an array in memory is multiplied by a number, beside a convolution."""
    factors = [each for each in (operation.xdesc, operation.bdesc) if each is not None]
    return (
        "ConvolutionForward" in kinds_of(operations)
        and mode_of(operation) == "MUL"
        and any(each.is_by_value for each in factors)
        and not any(each.is_virtual for each in factors)
    )


ERRATA = (
    *engines(
        "ConvolutionForward",
        [7],
        _is_mixed,
        "if it fuses, it reads row-major filters as if their channels were last, where those of "
        "images are",
        workaround="copy the filters to the layout of the images",
    ),
    *engines(
        "ConvolutionForward",
        [4, 7],
        _is_pixel_by_rows,
        "if it fuses, it computes wrong results of one pixel from images with more, if these "
        "are row-major",
        workaround="copy the images to the layout NHWC",
    ),
    *[
        each
        for kind, numbers in (("Filter", [1, 18, 20]), ("Data", [50]))
        for each in engines(
            f"ConvolutionBackward{kind}",
            numbers,
            _is_padded_unevenly,
            "it computes wrong gradients if the paddings before and after the pixels differ",
            workaround="pad x with zeros",
        )
    ],
    *[
        each
        for kind, number in (("Filter", 70), ("Data", 78))
        for each in engines(
            f"ConvolutionBackward{kind}",
            [number],
            _has_odd_pixels,
            "it computes wrong gradients if the pixels of all images of a channel of dy are not a "
            "multiple of 16 bytes",
        )
    ],
    *engines(
        "ConvolutionBackwardFilter",
        [69],
        _has_few_channels,
        "it computes wrong gradients if the channels of a pixel of x are not a multiple of 8 bytes",
    ),
    *engines(
        "ConvolutionBackwardFilter",
        [67],
        is_low,
        "it ends the context if an array is not at a multiple of 16 bytes",
        workaround="copy the array",
    ),
    *engines(
        "Pointwise",
        [0],
        _is_tanh,
        "its TANH_FWD after a convolution gives NaN for numbers above 43.6",
    ),
    *[
        each
        for number, what in ((0, "it ends the context"), (8, "it leaves out part of the result"))
        for each in engines(
            "Pointwise",
            [number],
            _is_factor_of_operand,
            f"{what} if an array is multiplied by a number before it is added to a convolution",
        )
    ],
)
