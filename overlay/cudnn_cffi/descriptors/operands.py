"""Arrays as operands of the calls that describe and check their arguments.

Describing an array anew costs more than the call that it is for. So descriptors are kept by what
they say, and cuDNN's choice of an algorithm by what it was made for. These are never handed out,
since anyone who holds a descriptor can set it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .. import arrays, errors, handles
from .._lookup import calls
from . import FilterDescriptor, TensorDescriptor, layout_of
from .configured import member, numbers

if TYPE_CHECKING:
    from ..arrays import ArrayInfo
    from ..handles import Handle
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


def _described(array: Any, name: str) -> ArrayInfo:
    try:
        return arrays.describe(array)
    except errors.CudnnError as error:
        raise type(error)(f"{name}: {error.message}", hint=error.hint) from None


def _batched(info: ArrayInfo, name: str, axes: int, batch: bool | None) -> ArrayInfo:
    """The array with a batch in front, as an operation on so many axes takes it."""
    count = len(info.shape)
    if batch is False:
        if count != axes - 1:
            raise errors.ArgumentError(
                f"{name}: {axes - 1} axes were expected, as there is no batch, {count} came"
            )
        return arrays.batch_of_one(info)
    if batch is None and count == axes - 1:
        raise errors.ArgumentError(
            f"{name}: {axes} axes were expected, N, C and {axes - 2} spatial ones, {count} came",
            hint="batch=False is for one example without the axis N; batch=True appends an axis "
            "of 1",
        )
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


def _refuse_beta(out: Any, beta: float) -> None:
    if out is None and beta != 0:
        raise errors.ArgumentError(
            f"out: an array was expected, as beta is {beta}, None came",
            hint="what was in the output before is added beta times",
        )


def _empty(shape: Sequence[int], dtype: str, layout: str, handle: Handle) -> Any:
    """The array to write into where none was given."""
    from ..memory import DeviceArray

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


def _pair(
    shape: Sequence[int], x: ArrayInfo, out: ArrayInfo
) -> tuple[TensorDescriptor, TensorDescriptor]:
    """Descriptors of an input and an output, which must have this shape."""
    key = shape, x[1:4], out[1:4]
    found = _pairs.get(key)
    if found is None:
        layout = _layout(x, out)
        x_desc = TensorDescriptor.of_info(x, prefer=layout)
        _check_output(out, x, shape)
        found = _keep(_pairs, key, (x_desc, TensorDescriptor.of_info(out, prefer=layout)))
    return found


def apply(
    function: Callable[..., None],
    desc: Any,
    x: Any,
    out: Any,
    handle: Handle | None,
    alpha: float,
    beta: float,
    axes: int | None = None,
    batch: bool | None = None,
) -> Any:
    """One of the functions that take a descriptor, an input and an output; returns the output.

    The arguments are looked at first, and only then is a handle made.

    Args:
        axes: how many `x` has, where `desc` has an output shape of its own.
        batch: whether `x` has a batch; see `_batched`.
    """
    if handle is not None:
        given_handle(handle)
    _refuse_beta(out, beta)
    source = _described(x, "x")
    shape: Sequence[int] = source.shape
    if axes is not None:
        source = _batched(source, "x", axes, batch)
        shape = desc.get_nd_forward_output_dim(_tensor(source), axes)
    target = pair = None
    if out is not None:
        target = _described(out, "out")
        if batch is False:
            target = arrays.batch_of_one(target)
        pair = _pair(shape, source, target)
    handle = handles.handle() if handle is None else handle
    handle.stream  # noqa: B018  a closed one is refused
    arrays.check_place(source, "x", handle.device)
    if target is None or pair is None:
        made = _empty(shape, source.dtype, _layout(source), handle)
        target, out = arrays.describe(made), made[0] if batch is False else made
        pair = _pair(shape, source, target)
    arrays.check_place(target, "out", handle.device)
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


def _planned(
    kinds: tuple[Any, ...],
    conv: ConvolutionDescriptor,
    x: ArrayInfo,
    w: ArrayInfo,
    out: ArrayInfo | None,
) -> Plan:
    key = kinds if out is None else (kinds, out[1:4])
    plan = _plans.get(key)
    return _keep(_plans, key, _plan(conv, x, w, out)) if plan is None else plan


def convolve(
    conv: ConvolutionDescriptor,
    x: Any,
    w: Any,
    out: Any,
    handle: Handle | None,
    alpha: float,
    beta: float,
    algorithm: Any,
    batch: bool | None = None,
) -> Any:
    """A forward convolution; returns the output. Arguments are looked at as in `apply`."""
    if handle is not None:
        given_handle(handle)
    _refuse_beta(out, beta)
    if algorithm is not None:
        algorithm = member("ConvolutionFwdAlgo", algorithm)
    source, weights = _described(x, "x"), _described(w, "w")
    source = _batched(source, "x", len(weights.shape), batch)
    target = None if out is None else _described(out, "out")
    if target is not None and batch is False:
        target = arrays.batch_of_one(target)
    kinds = conv._setting(), source[1:4], weights[1:4]
    plan = _planned(kinds, conv, source, weights, target)
    handle = handles.handle() if handle is None else handle
    stream, device = handle.stream, handle.device  # a closed stream is refused
    arrays.check_place(source, "x", device)
    arrays.check_place(weights, "w", device)
    if target is None:
        made = _empty(plan.shape, source.dtype, plan.layout, handle)
        target, out = arrays.describe(made), made[0] if batch is False else made
        plan = _planned(kinds, conv, source, weights, target)
    arrays.check_place(target, "out", device)
    case = kinds, target[1:4]
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
        size = calls.cudnnGetConvolutionForwardWorkspaceSize(
            handle, plan.x, plan.w, conv, plan.y, algorithm
        )
    scratch = handle.workspace.get(size, stream) if size else 0
    calls.cudnnConvolutionForward(
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
    count = calls.cudnnGetConvolutionForwardAlgorithmMaxCount(handle)
    found = calls.cudnnGetConvolutionForwardAlgorithm_v7(
        handle, plan.x, plan.w, conv, plan.y, count
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
        f"no algorithm supports x={plan.x!r} w={plan.w!r} conv={conv!r} y={plan.y!r}",
        function="cudnnGetConvolutionForwardAlgorithm_v7",
        hint="another layout, data type or compute type may be supported",
    )
