"""Conditions for convolutions, their gradients, and graphs that begin with one."""

from __future__ import annotations

import math

from ..facts import is_alone, is_loose, is_low, mode_of, needed, read, size_of, tensor, type_of
from ..needs import needs
from ..record import ALIGNMENT, BEYOND_32_BITS, MAXIMUM_OF_GRID, Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..._backend import Descriptor
    from ..facts import Operations, Structure

#: Maximum of channels with which engine 80 could always be launched.
_CHANNELS = 8192

#: The rank of volumes, and of how many channels engine 62 is slower for them than engine 22.
_VOLUME, _NARROW = 5, 32

#: The need of a sum.
_SUM = "Pointwise.pw_descriptor ADD"


def _is_fused(structure: Structure) -> bool:
    return len(structure.kinds) > 1


def _has_both(structure: Structure) -> bool:
    """Return whether there are a convolution and pointwise operations."""
    return structure.distinct >= {"ConvolutionForward", "Pointwise"}


def _is_mixed(operation: Descriptor, _: Operations) -> bool:
    """Return whether images and filters of a convolution lie differently."""
    x, w = needed(operation, "x"), needed(operation, "w")
    is_last = (x["strides"][1] == 1) is (w["strides"][1] == 1)
    if is_last and x["dimensions"][1] > 1 < w["dimensions"][1]:
        return False  # the channels of both lie side by side, or of neither
    return _layout(x) + _layout(w) in ("NCHWNHWC", "NHWCNCHW")


def _layout(tensor: Mapping[str, Any]) -> str:
    """Return the only layout that a tensor has; "" where it has both, or neither."""
    shape, strides = tensor["dimensions"], tensor["strides"]
    images, channels, *pixels = zip(shape, strides, strict=True)
    is_first = _is_packed(images, channels, *pixels)
    if is_first is _is_packed(images, *pixels, channels):
        return ""
    return "NCHW" if is_first else "NHWC"


def _is_packed(*axes: tuple[int, int]) -> bool:
    """Return whether axes, which are extents and strides, have no gaps in this order."""
    step = 1
    for extent, stride in axes[::-1]:
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True


def _is_pixel_by_rows(operation: Descriptor, operations: Operations) -> bool:
    """Return whether images by rows give results of one pixel, after a convolution."""
    x = needed(operation, "x")
    channels, *strides = x["strides"][1:]
    axes = zip(x["dimensions"][2:], strides, strict=True)
    if channels < min([stride for extent, stride in axes if extent > 1], default=math.inf):
        return False
    for each in operations.given[1:]:
        y = tensor(each, "ydesc")
        if y is not None and not y.get("is_virtual") and math.prod(y["dimensions"][2:]) == 1:
            return True
    return False


def _is_computed_by_rows(operation: Descriptor, _: Operations) -> bool:
    """Return whether an operation before a convolution computes its images, by rows."""
    x = needed(operation, "x")
    return bool(x.get("is_virtual") and x["strides"][1] != 1)


def _has_sum_within(structure: Structure) -> bool:
    return structure.kinds == ("ConvolutionForward", "Pointwise", "Pointwise")


def _keeps_sum(_: None, operations: Operations) -> bool:
    """Return whether a sum after a convolution is kept, and an operation reads it."""
    if "ADD" not in operations.modes:
        return False
    added = operations.given[1]
    if mode_of(added) != "ADD":
        return False
    results = (tensor(each, "ydesc") for each in operations.given[1:])
    return not any(y.get("is_virtual") for y in results if y is not None)


def _are_many(name: str, is_last: bool) -> Condition:
    """Return what finds more images than a grid has, with the channels innermost or not."""

    def applies(operation: Descriptor, _: Operations) -> bool:
        images = needed(operation, name)
        is_many: bool = images["dimensions"][0] > MAXIMUM_OF_GRID
        return is_many and (images["strides"][1] == 1) is is_last

    return Condition(None, applies, needs=needs(f"any.{name} BEYOND_GRID"))


def _has_many_channels(operation: Descriptor, _: Operations) -> bool:
    x = needed(operation, "x")
    return bool(x["dimensions"][1] > _CHANNELS and x["strides"][1] == 1)


def _is_padded_beyond(name: str) -> Condition:
    """Return what finds images of 2^31 elements if their channels were multiples of 16 bytes."""

    def applies(operation: Descriptor, _: Operations) -> bool:
        own = needed(operation, name)
        images, channels, *extents = shape = own["dimensions"]
        if math.prod(shape) < BEYOND_32_BITS // (2 * ALIGNMENT):
            return False  # an element has at least half a byte
        step = max(1, int(ALIGNMENT / size_of(type_of(operation, name))))
        whole = -(-channels // step) * step
        if whole == channels or own["strides"][1] != 1:
            return False
        return bool(images * whole * math.prod(extents) >= BEYOND_32_BITS)

    return Condition(None, applies, needs=needs(f"any.{name} PADDED_BEYOND"))


def _is_beyond(operation: Descriptor, _: Operations) -> bool:
    """Return whether images or results of a convolution have 2^31 elements."""
    shapes = (needed(operation, name)["dimensions"] for name in "xy")
    return any(math.prod(each) >= BEYOND_32_BITS for each in shapes)


def _have_gaps(*names: str) -> Condition:
    """Return what finds images, by the names of tensors, with gaps or repeated elements."""

    def applies(operation: Descriptor, _: Operations) -> bool:
        for name in names:
            each = needed(operation, name)
            shape, strides = each["dimensions"], each["strides"]
            repeats = 0 in strides and any(
                n > 1 and not step for n, step in zip(shape, strides, strict=True)
            )
            if (repeats or is_loose(shape, strides)) and not each.get("is_virtual"):
                return True
        return False

    return Condition(None, applies, needs=needs("any.any MEMORY GAPS"))


def _are_of_other_order(operation: Descriptor, _: Operations) -> bool:
    """Return whether neither the channels nor the last extent of images are innermost."""
    for name in ("dx", "dy"):
        each = needed(operation, name)
        shape, strides = each["dimensions"], each["strides"]
        if strides[1] != 1 != strides[-1] and (shape[1] > 1 or shape[-1] > 1):
            return True
    return False


def _is_padded_unevenly(operation: Descriptor, _: Operations) -> bool:
    """Return whether a convolution has other paddings after the pixels than before them."""
    convolution = read(operation, "conv_desc")
    return bool(read(convolution, "pre_paddings") != read(convolution, "post_paddings"))


def _has_odd_pixels(name: str) -> Callable[[Descriptor, Operations], bool]:
    """Return what finds images of which a channel has no multiple of 16 bytes in all of them."""

    def applies(operation: Descriptor, _: Operations) -> bool:
        images, _channels, *extents = needed(operation, name)["dimensions"]
        pixels = images * math.prod(extents)
        return bool(pixels % ALIGNMENT and pixels * size_of(type_of(operation, name)) % ALIGNMENT)

    return applies


#: Bytes of the channels of a pixel that engine 72 turns into those of channels last at a time.
_TURNED = 128

_has_odd_pixels_of_x = _has_odd_pixels("x")


def _is_turned_badly(operation: Descriptor, operations: Operations) -> bool:
    """Return whether images are row-major, of such pixels, and channels not of whole 128 bytes."""
    x = needed(operation, "x")
    channels = x["dimensions"][1]
    if channels % _TURNED == 0 or x["strides"][1] == 1:
        return False
    if channels * size_of(type_of(operation, "x")) % _TURNED == 0:
        return False
    return _has_odd_pixels_of_x(operation, operations)


def _is_volume(operation: Descriptor, _: Operations) -> bool:
    """Return whether images are row-major volumes of HALF or BFLOAT16."""
    x = needed(operation, "x")
    shape = x["dimensions"]
    if len(shape) != _VOLUME or type_of(operation, "x") not in ("HALF", "BFLOAT16"):
        return False
    return _is_packed(*zip(shape, x["strides"], strict=True))


def _is_narrow_volume(operation: Descriptor, operations: Operations) -> bool:
    """Return whether such volumes have few channels, before and after a convolution."""
    filters, channels = needed(operation, "w")["dimensions"][:2]
    return bool(filters <= _NARROW >= channels and _is_volume(operation, operations))


def _has_few_channels(operation: Descriptor, _: Operations) -> bool:
    """Return whether the channels of a pixel of x are not a multiple of 8 bytes."""
    channels = needed(operation, "x")["dimensions"][1]
    return bool(channels % 8 and channels * size_of(type_of(operation, "x")) % 8)


def _adds_to_odd_filters(operation: Descriptor, operations: Operations) -> bool:
    """Return whether there are filters of FLOAT, no multiple of 4, and a sum."""
    if needed(operation, "w")["dimensions"][0] % 4 == 0 or type_of(operation, "w") != "FLOAT":
        return False
    return "ADD" in operations.modes


def _has_tanh(_: None, operations: Operations) -> bool:
    return "TANH_FWD" in operations.modes


def _is_factor_of_operand(operation: Descriptor, operations: Operations) -> bool:
    """Return whether an array in memory is multiplied by a number."""
    if "MUL" not in operations.modes or mode_of(operation) != "MUL":
        return False
    is_number = False
    for name in ("xdesc", "bdesc"):
        each = tensor(operation, name)
        if each is not None:
            if each.get("is_virtual"):
                return False
            is_number = is_number or bool(each.get("is_by_value"))
    return is_number


CONDITIONS: dict[str, Callable[..., bool] | Condition] = {
    "array at a low address": Condition(is_alone, is_low, needs=needs("SINGLE", "any.any LOW")),
    "bias for filters of FLOAT, no multiple of 4": Condition(
        _has_both, _adds_to_odd_filters, needs=needs(_SUM, "own.w FLOAT")
    ),
    "channels of a pixel of x no multiple of 8 bytes": _has_few_channels,
    "factor of an array beside a convolution": Condition(
        _has_both,
        _is_factor_of_operand,
        needs=needs("ConvolutionForward", "Pointwise.pw_descriptor MUL"),
    ),
    "filters in another layout than images": Condition(
        _is_fused,
        _is_mixed,
        needs=needs("SEVERAL", "own.any CHANNELS_APART", "own.any CHANNELS_INSIDE"),
    ),
    "gradient of more images with channels last than a grid has": _are_many("dx", True),
    "gradient of more row-major images than a grid has": _are_many("dx", False),
    "filters' gradient of images with gaps": _have_gaps("x", "dy"),
    "gradient of images in another order": Condition(
        None, _are_of_other_order, needs=needs("any.any OTHER_ORDER")
    ),
    "gradient of images with gaps": _have_gaps("dx", "dy"),
    "gradient of padded channels beyond 2^31 elements": _is_padded_beyond("dx"),
    "images or results beyond 2^31 elements": Condition(
        None, _is_beyond, needs=needs("own.any BEYOND")
    ),
    "images with gaps": _have_gaps("x", "y"),
    "many channels that are innermost": Condition(
        None, _has_many_channels, needs=needs("own.x MANY_CHANNELS")
    ),
    "more row-major images than a grid has": _are_many("x", False),
    "paddings before and after differ": Condition(
        None, _is_padded_unevenly, needs=needs("own.conv_desc UNEVEN")
    ),
    "pixels of dy no multiple of 16 bytes": Condition(
        None, _has_odd_pixels("dy"), needs=needs("any.dy ODD_PIXELS")
    ),
    "results of padded channels beyond 2^31 elements": _is_padded_beyond("y"),
    "results of one pixel of row-major images": Condition(
        _is_fused, _is_pixel_by_rows, needs=needs("SEVERAL", "any.ydesc MEMORY PIXEL")
    ),
    "row-major images that operations compute": Condition(
        _is_fused, _is_computed_by_rows, needs=needs("SEVERAL", "own.x COMPUTED")
    ),
    "row-major pixels of x no multiple of 16 bytes": Condition(
        is_alone, _is_turned_badly, needs=needs("SINGLE", "own.x ODD_PIXELS")
    ),
    "row-major volumes": Condition(is_alone, _is_volume, needs=needs("SINGLE", "own.x VOLUME")),
    "row-major volumes of few channels": Condition(
        is_alone, _is_narrow_volume, needs=needs("SINGLE", "own.x VOLUME")
    ),
    "sum with a bias kept before an activation": Condition(
        _has_sum_within, _keeps_sum, True, needs(_SUM, "no Pointwise.ydesc COMPUTED")
    ),
    "tanh after a convolution": Condition(
        _has_both,
        _has_tanh,
        True,
        needs("ConvolutionForward", "Pointwise.pw_descriptor TANH_FWD", decide=True),
    ),
}
