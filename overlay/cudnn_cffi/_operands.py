"""Arrays as operands of the calls that describe and check their arguments.

Describing an array anew costs more than the call that it is for. So descriptors are kept by what
they say, and cuDNN's choice of an algorithm by what it was made for. These are never handed out,
since anyone who holds a descriptor can set it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from . import arrays, errors
from ._configured import member, numbers
from .calls import cnn as _cnn
from .descriptors import FilterDescriptor, TensorDescriptor

if TYPE_CHECKING:
    from .handles import Handle
    from .layers import ConvolutionDescriptor

__all__ = ["Operand", "apply", "convolve"]

#: How many of each are kept.
_LIMIT = 1024

_T = TypeVar("_T")

_tensors: dict[Hashable, TensorDescriptor] = {}
_filters: dict[Hashable, FilterDescriptor] = {}
_shapes: dict[Hashable, tuple[int, ...]] = {}
_algorithms: dict[Hashable, tuple[int, int]] = {}


def _keep(store: dict[Hashable, _T], key: Hashable, value: _T) -> _T:
    if len(store) >= _LIMIT:
        store.clear()
    store[key] = value
    return value


class Operand(NamedTuple):
    """An array that was looked at once.

    Attributes:
        address: of its first element.
        shape: extents, as many as the array has.
        dtype: as NumPy or ml_dtypes names it.
        key: data type, shape and strides: arrays with the same key have the same descriptor.
        desc: its descriptor.
    """

    address: int
    shape: tuple[int, ...]
    dtype: str
    key: Hashable
    desc: Any


def tensor(array: Any, name: str, handle: Handle) -> Operand:
    """An array as a tensor; errors as for `arrays.check`."""
    info = _looked_at(array, name, handle)
    key = info[1:4]
    found = _tensors.get(key)
    if found is None:
        found = _keep(_tensors, key, TensorDescriptor.of_info(info))
    return Operand(info.address, info.shape, info.dtype, key, found)


def filters(array: Any, name: str, handle: Handle) -> Operand:
    """An array as a filter, which has no gaps."""
    info = _looked_at(array, name, handle)
    key = info[1:4]
    found = _filters.get(key)
    if found is None:
        found = _keep(_filters, key, FilterDescriptor.of_info(info))
    return Operand(info.address, info.shape, info.dtype, key, found)


def _looked_at(array: Any, name: str, handle: Handle) -> arrays.ArrayInfo:
    try:
        info = arrays.describe(array)
    except errors.CudnnError as error:
        raise type(error)(f"{name}: {error.message}", hint=error.hint) from None
    arrays.check_place(info, name, handle.device)
    return info


def output(out: Any, shape: Sequence[int], like: Operand, handle: Handle) -> tuple[Any, Operand]:
    """The array to write into, made or checked."""
    if out is None:
        from .memory import DeviceArray

        layout = "NCHW" if like.desc.layout != "NHWC" else "NHWC"
        out = DeviceArray.empty(
            shape, like.dtype, layout=layout, stream=handle.stream, device=handle.device
        )
    found = tensor(out, "out", handle)
    if found.dtype != like.dtype:
        raise errors.ArgumentError(f"out: {like.dtype} was expected, like x, {found.dtype} came")
    if found.shape != shape and _padded(found.shape) != _padded(tuple(shape)):
        raise errors.ArgumentError(
            f"out: shape {numbers(shape)} was expected, {numbers(found.shape)} came"
        )
    return out, found


def apply(
    function: Callable[..., None],
    desc: Any,
    x: Any,
    out: Any,
    handle: Handle | None,
    alpha: float,
    beta: float,
    shape_of: Callable[[TensorDescriptor], Sequence[int]] | None = None,
) -> Any:
    """One of the functions that take a descriptor, an input and an output; returns the output."""
    handle = _own() if handle is None else handle
    source = tensor(x, "x", handle)
    shape = source.shape if shape_of is None else shape_of(source.desc)
    out, target = output(out, shape, source, handle)
    function(handle, desc, alpha, source.desc, source.address, beta, target.desc, target.address)
    return out


def convolve(
    conv: ConvolutionDescriptor,
    x: Any,
    w: Any,
    out: Any,
    handle: Handle | None,
    alpha: float,
    beta: float,
    algorithm: Any,
) -> Any:
    """A forward convolution; returns the output."""
    handle = _own() if handle is None else handle
    source, weights = tensor(x, "x", handle), filters(w, "w", handle)
    if weights.dtype != source.dtype:
        raise errors.ArgumentError(f"w: {source.dtype} was expected, like x, {weights.dtype} came")
    case = (conv._setting(), source.key, weights.key)
    shape = _shapes.get(case)
    if shape is None:
        shape = _keep(_shapes, case, _output_shape(conv, source, weights))
    out, target = output(out, shape, source, handle)
    if algorithm is None:
        limit = handle.workspace.limit
        choice = (case, target.key, handle.device, limit)
        found = _algorithms.get(choice)
        if found is None:
            first = _first_choice(handle, conv, source, weights, target, limit)
            found = _keep(_algorithms, choice, first)
        algorithm, size = found
    else:
        algorithm = member("ConvolutionFwdAlgo", algorithm)
        size = _cnn.cudnnGetConvolutionForwardWorkspaceSize(
            handle, source.desc, weights.desc, conv, target.desc, algorithm
        )
    scratch = handle.workspace.get(size, handle.stream) if size else 0
    _cnn.cudnnConvolutionForward(
        handle, alpha, source.desc, source.address, weights.desc, weights.address, conv, algorithm,
        scratch, size, beta, target.desc, target.address,
    )  # fmt: skip
    return out


def _padded(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape + (1,) * (4 - len(shape))


def _own() -> Handle:
    from .handles import handle

    return handle()


def _output_shape(
    conv: ConvolutionDescriptor, source: Operand, weights: Operand
) -> tuple[int, ...]:
    groups = conv.groups
    channels = weights.desc.shape[1] * groups
    if source.desc.shape[1] != channels:
        raise errors.ArgumentError(
            f"x: {channels} channels were expected, {source.desc.shape[1]} came",
            hint=f"w is {weights.desc!r}, in {groups} groups",
        )
    return conv.output_shape(source.desc, weights.desc)


def _first_choice(
    handle: Handle,
    conv: ConvolutionDescriptor,
    source: Operand,
    weights: Operand,
    target: Operand,
    limit: int | None,
) -> tuple[int, int]:
    """Algorithm and workspace that cuDNN's heuristics put first among those within the limit."""
    count = _cnn.cudnnGetConvolutionForwardAlgorithmMaxCount(handle)
    found = _cnn.cudnnGetConvolutionForwardAlgorithm_v7(
        handle, source.desc, weights.desc, conv, target.desc, count
    )
    usable = [each for each in found if not int(each.status)]
    for each in usable:
        if limit is None or each.memory <= limit:
            return int(each.algo), int(each.memory)
    if usable:
        least = min(each.memory for each in usable)
        raise errors.AllocationError(
            f"no algorithm makes do with a workspace of {limit} bytes, the least is {least}",
            hint="raise handle.workspace.limit",
        )
    raise errors.NotSupportedError(
        f"no algorithm supports x={source.desc!r} w={weights.desc!r} conv={conv!r} "
        f"y={target.desc!r}",
        function="cudnnGetConvolutionForwardAlgorithm_v7",
        hint="another layout, data type or compute type may be supported",
    )
