"""Arrays as operands of the calls that describe and check their arguments.

Describing an array anew costs more than the call that it is for. So descriptors are kept by what
they say, and cuDNN's choice of an algorithm by what it was made for. These are never handed out,
since anyone who holds a descriptor can set it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from . import arrays, errors, handles
from ._configured import member, numbers
from .calls import cnn as _cnn
from .descriptors import FilterDescriptor, TensorDescriptor, layout_of

if TYPE_CHECKING:
    from .arrays import ArrayInfo
    from .handles import Handle
    from .layers import ConvolutionDescriptor

__all__ = ["apply", "convolve", "given_handle"]

#: How many of each are kept.
_LIMIT = 1024

_T = TypeVar("_T")

_tensors: dict[Hashable, TensorDescriptor] = {}
_pairs: dict[Hashable, tuple[TensorDescriptor, TensorDescriptor]] = {}
_plans: dict[Hashable, Plan] = {}
_algorithms: dict[Hashable, tuple[int, int]] = {}


def _keep(store: dict[Hashable, _T], key: Hashable, value: _T) -> _T:
    if len(store) >= _LIMIT:
        store.clear()
    store[key] = value
    return value


def given_handle(handle: Any) -> Handle:
    """What was given as a handle, if it is one."""
    if not isinstance(handle, handles.Handle):
        raise errors.ArgumentError(
            f"handle: a Handle was expected, a {type(handle).__name__} came",
            hint="Handle.from_address wraps the handle of another library",
        )
    return handle


def _looked_at(array: Any, name: str, device: int) -> ArrayInfo:
    try:
        info = arrays.describe(array)
    except errors.CudnnError as error:
        raise type(error)(f"{name}: {error.message}", hint=error.hint) from None
    arrays.check_place(info, name, device)
    return info


def _layout(*infos: ArrayInfo) -> str:
    """The layout of the first of the arrays whose strides fit one layout only."""
    for info in infos:
        found = layout_of(info.shape, info.strides)
        if found is not None and found == layout_of(info.shape, info.strides, "NHWC"):
            return found
    return "NCHW"


def _tensor(info: ArrayInfo) -> TensorDescriptor:
    key = info[1:4]
    found = _tensors.get(key)
    if found is None:
        found = _keep(_tensors, key, TensorDescriptor.of_info(info))
    return found


def _empty(shape: Sequence[int], dtype: str, layout: str, handle: Handle, beta: float) -> Any:
    """The array to write into where none was given."""
    if beta != 0:
        raise errors.ArgumentError(
            f"out: an array was expected, as beta is {beta}, None came",
            hint="what was in the output before is added beta times",
        )
    from .memory import DeviceArray

    return DeviceArray.empty(
        shape, dtype, layout=layout, stream=handle.stream, device=handle.device
    )


def _check_output(out: ArrayInfo, x: ArrayInfo, shape: Sequence[int]) -> None:
    if out.dtype != x.dtype:
        raise errors.ArgumentError(f"out: {x.dtype} was expected, like x, {out.dtype} came")
    if out.shape != shape and _padded(out.shape) != _padded(tuple(shape)):
        raise errors.ArgumentError(
            f"out: shape {numbers(shape)} was expected, {numbers(out.shape)} came"
        )


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
    handle = handles.handle() if handle is None else given_handle(handle)
    handle.stream  # noqa: B018  a closed one is refused
    device = handle.device
    source = _looked_at(x, "x", device)
    shape = source.shape if shape_of is None else shape_of(_tensor(source))
    if out is None:
        out = _empty(shape, source.dtype, _layout(source), handle, beta)
    target = _looked_at(out, "out", device)
    key = shape, source[1:4], target[1:4]
    pair = _pairs.get(key)
    if pair is None:
        layout = _layout(source, target)
        x_desc = TensorDescriptor.of_info(source, prefer=layout)
        _check_output(target, source, shape)
        pair = _keep(_pairs, key, (x_desc, TensorDescriptor.of_info(target, prefer=layout)))
    function(handle, desc, alpha, pair[0], source.address, beta, pair[1], target.address)
    return out


class Plan(NamedTuple):
    """What a convolution of arrays of certain types, shapes and strides takes.

    Attributes:
        x, w: descriptors of the input and the filters.
        y: of the output; None where none was given.
        conv: used instead of the caller's descriptor, where it says so.
        shape: of the output.
        layout: of the output, where it is made.
    """

    x: TensorDescriptor
    w: FilterDescriptor
    y: Any
    conv: ConvolutionDescriptor | None
    shape: tuple[int, ...]
    layout: str


def _plan(conv: ConvolutionDescriptor, x: ArrayInfo, w: ArrayInfo, out: ArrayInfo | None) -> Plan:
    if w.dtype != x.dtype:
        raise errors.ArgumentError(f"w: {x.dtype} was expected, like x, {w.dtype} came")
    layout = _layout(x, w) if out is None else _layout(x, w, out)
    x_desc = TensorDescriptor.of_info(x, prefer=layout)
    w_desc = FilterDescriptor.of_info(w, prefer=layout)
    groups = conv.groups
    channels = w_desc.shape[1] * groups
    if x_desc.shape[1] != channels:
        raise errors.ArgumentError(
            f"x: {channels} channels were expected, {x_desc.shape[1]} came",
            hint=f"w is {w_desc!r}, in {groups} groups",
        )
    shape = conv.output_shape(x_desc, w_desc)
    y_desc = None
    if out is not None:
        _check_output(out, x, shape)
        y_desc = TensorDescriptor.of_info(out, prefer=layout)
    return Plan(x_desc, w_desc, y_desc, conv._for_input(x.dtype), shape, layout)


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
    handle = handles.handle() if handle is None else given_handle(handle)
    stream, device = handle.stream, handle.device  # a closed stream is refused
    source, weights = _looked_at(x, "x", device), _looked_at(w, "w", device)
    kinds = conv._setting(), source[1:4], weights[1:4]
    if out is None:
        plan = _plans.get(kinds)
        if plan is None:
            plan = _keep(_plans, kinds, _plan(conv, source, weights, None))
        out = _empty(plan.shape, source.dtype, plan.layout, handle, beta)
    target = _looked_at(out, "out", device)
    case = kinds, target[1:4]
    plan = _plans.get(case)
    if plan is None:
        plan = _keep(_plans, case, _plan(conv, source, weights, target))
    if plan.conv is not None:
        conv = plan.conv
    if algorithm is None:
        limit = handle.workspace.limit
        choice = case, device, limit
        found = _algorithms.get(choice)
        if found is None:
            found = _keep(_algorithms, choice, _first_choice(handle, conv, plan, limit))
        algorithm, size = found
    else:
        algorithm = member("ConvolutionFwdAlgo", algorithm)
        size = _cnn.cudnnGetConvolutionForwardWorkspaceSize(
            handle, plan.x, plan.w, conv, plan.y, algorithm
        )
    scratch = handle.workspace.get(size, stream) if size else 0
    _cnn.cudnnConvolutionForward(
        handle, alpha, plan.x, source.address, plan.w, weights.address, conv, algorithm, scratch,
        size, beta, plan.y, target.address,
    )  # fmt: skip
    return out


def _padded(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape + (1,) * (4 - len(shape))


def _first_choice(
    handle: Handle, conv: ConvolutionDescriptor, plan: Plan, limit: int | None
) -> tuple[int, int]:
    """Algorithm and workspace that cuDNN's heuristics put first among those within the limit."""
    count = _cnn.cudnnGetConvolutionForwardAlgorithmMaxCount(handle)
    found = _cnn.cudnnGetConvolutionForwardAlgorithm_v7(handle, plan.x, plan.w, conv, plan.y, count)
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
        f"no algorithm supports x={plan.x!r} w={plan.w!r} conv={conv!r} y={plan.y!r}",
        function="cudnnGetConvolutionForwardAlgorithm_v7",
        hint="another layout, data type or compute type may be supported",
    )
