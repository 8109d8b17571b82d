"""Sums and maxima over axes by functions that are faster at them than `cudnnReduceTensor`.

It has several kernels, which use little of the device. The gradient of a bias is a sum, too,
and so is the mean of a window: one that covers all there is. A maximum is that of such a window.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import arrays
from ..._lookup import has
from ..._ways.array_spec import Spec, per_channel
from ..._ways.call_sequence import GRAIN as _GRAIN
from ..._ways.call_sequence import Steps
from ..._ways.case import HALVES, Case, Unfit, Way, is_deterministic, plan_of
from ..._ways.classic_call import HANDLE, Classic, Scratch, Step, describe, operands_of
from ...choice import measured
from ...choice.policy import Rule
from ...descriptors import PoolingDescriptor
from ...errata.asks import wrong_function
from ...errata.record import ALIGNMENT
from ...plan import Operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle

BIAS, _POOLING = "cudnnConvolutionBackwardBias", "cudnnPoolingForward"
_TYPES = (*HALVES, "float32", "float64")

_LIMITS = measured.REDUCTIONS


class Order(NamedTuple):
    """The axes of a sum in memory, without those of one element.

    Attributes:
        outer: elements in axes that are summed over, outside of the others.
        kept: elements of the result.
        inner: elements in axes that are summed over, inside of the others.
    """

    outer: int
    kept: int
    inner: int


def operands_at(case: Case) -> tuple[Operand, ...]:
    """Return the operands of a sum, at addresses that `cudnnConvolutionBackwardBias` takes."""
    return operands_of(case.inputs, case.outputs, ALIGNMENT)


def is_misplaced(case: Case, device: int | None) -> bool:
    """Return whether `cudnnConvolutionBackwardBias` does not take the arrays of a sum."""
    specs = (*case.inputs.values(), *case.outputs.values())
    alignment = min(each.alignment for each in specs)
    return bool(wrong_function(BIAS, {"alignment": alignment}, device))


def order_of(x: Spec, y: Spec, full: tuple[int, ...]) -> Order | None:
    """Return how a sum lies in memory; None where it is not so simple.

    Args:
        x: what is summed.
        y: the result, with all axes of `x`.
        full: the shape of the result, with 1 for axes that are summed over.
    """
    if not x.is_dense:
        return None
    outer = kept = inner = 1
    step = math.prod(full)
    axes = zip(x.strides, x.shape, full, y.strides, strict=True)
    for _, extent, left, stride in sorted(axes, key=lambda each: -each[0]):
        if extent == 1:
            continue
        if left == 1:
            if kept == 1:
                outer *= extent
            else:
                inner *= extent
            continue
        step //= extent
        if inner > 1 or stride != step:
            return None
        kept *= extent
    return Order(1, 1, outer) if kept == 1 else Order(outer, kept, inner)


def sum_of(case: Case, name: str, result: str, order: Order, factor: float = 1.0) -> Classic | None:
    """Return the call that sums an array; None where `cudnnReduceTensor` is better.

    It may round between two steps, and is for no arrays of 16 bits: sums that cancel would have an
    error as large as that of their parts.

    Args:
        case: its alpha and beta count, too; it has one input.
        name, result: the operands.
        order: how they lie in memory.
        factor: what the sum is multiplied by.
    """
    x, y = case.inputs[name], case.outputs[result]
    outer, kept, inner = order
    if x.dtype in HALVES or not measured.holds(x.device):
        return None
    if inner == 1 and kept >= _LIMITS.columns:
        found = by_windows(case, name, result, order, factor)
        if found is not None:
            return found
    if x.dtype != y.dtype or x.dtype not in ("float32", "float64") or not has(BIAS):
        return None
    each, count = outer * inner, outer * kept * inner
    if count >= 1 << 31 or each == 1:
        return None
    few = _LIMITS.contiguous_per_block if inner > 1 else _LIMITS.strided_per_block
    if kept == 1:
        few = _LIMITS.single_per_block
    operands = operands_at(case)
    alpha = case.alpha * factor
    if each <= few or (inner == 1 and kept >= _LIMITS.strided_sums):
        step = _bias(x, order, alpha, name, case.beta, result)
        return Classic(BIAS, operands, [step])
    if inner == 1 and kept > 1:
        return _in_two(case, name, result, order, alpha)
    if x.dtype == "float64" or not has(_POOLING):
        return None
    if kept == 1 and count >= _LIMITS.single_by_reduce:
        return None
    few = max(_near(outer * kept, inner), -(-inner // _LIMITS.parts_per_block))
    parts = _parts(outer * kept, inner, few)
    if parts is None:
        if kept < _LIMITS.sums:
            return None
        return Classic(BIAS, operands, [_bias(x, order, alpha, name, case.beta, result)])
    inner //= parts
    window = _factors(inner)
    wide = _packed(x, (outer, kept * parts, *window))
    pooling = PoolingDescriptor._of("AVERAGE_COUNT_EXCLUDE_PADDING", window, window, (0, 0))
    small = describe(_packed(x, (outer, kept * parts, 1, 1)))
    if outer == parts == 1:
        step = Step(
            _POOLING, HANDLE, pooling, alpha * inner, describe(wide), name, case.beta, small, result
        )  # fmt: skip
        return Classic(_POOLING, operands, [step])
    place = Scratch()
    steps = [
        Step(_POOLING, HANDLE, pooling, 1.0, describe(wide), name, 0.0, small, place),
        _bias(x, Order(outer, kept, parts), alpha * inner, place, case.beta, result),
    ]
    size = outer * kept * parts * arrays.itemsize(x.dtype)
    return Classic(f"{_POOLING}, {BIAS}", operands, steps, workspace_size=size)


def by_windows(
    case: Case, name: str, result: str, order: Order, factor: float | None = None, nan: bool = True
) -> Classic | None:
    """Return the call that takes means or maxima of windows, and of these again until one is left.

    Args:
        case, name, result, order: as for `sum_of`.
        factor: what the sum is multiplied by; None for the largest element.
        nan: whether a NaN wins over numbers.

    Returns: None where there are no such windows. Means between two steps have the type of the
    array; they do not overflow where sums of float16 would, and lose what is too small for it.
    """
    x, y = case.inputs[name], case.outputs[result]
    outer, kept, inner = order
    count = outer * inner
    if x.dtype != y.dtype or x.dtype not in _TYPES or not has(_POOLING):
        return None
    if count == 1 or count * kept >= 1 << 31 or not measured.holds(x.device):
        return None
    mode = "MAX" if factor is None else "AVERAGE_COUNT_EXCLUDE_PADDING"
    alpha = case.alpha if factor is None else case.alpha * factor * count
    steps: list[Step] = []
    source: Any = name
    size = 0
    while outer * inner > 1:
        near = inner > 1
        along, others = (inner, outer * kept) if near else (outer, kept)
        parts = _parts(others, along, _near(others, along) if near else _LIMITS.window_strided)
        if parts is None:
            return None
        is_column = not near and kept >= _LIMITS.columns
        window = (along // parts, 1) if is_column else _factors(along // parts)
        outer, inner = (outer, parts) if near else (parts, 1)
        if near:
            wide = describe(_packed(x, (1, others * parts, *window)))
            small = describe(_packed(x, (1, others * parts, 1, 1)))
        else:
            wide, small = (
                describe(_last(x, (parts, kept, *each)), "NHWC") for each in (window, (1, 1))
            )
        pooling = PoolingDescriptor._of(mode, window, window, (0, 0), nan)
        if outer * inner == 1:
            more: tuple[Any, ...] = (alpha, wide, source, case.beta, small, result)
        else:
            more = (1.0, wide, source, 0.0, small, Scratch(size))
            source = Scratch(size)
            size += -(-others * parts * arrays.itemsize(x.dtype) // _GRAIN) * _GRAIN
        steps.append(Step(_POOLING, HANDLE, pooling, *more))
    return Classic(
        ", ".join([_POOLING] * len(steps)), operands_at(case), steps,
        workspace_size=size,
    )  # fmt: skip


def in_float32(case: Case, make: Callable[[Case], Classic]) -> Classic:
    """Return what converts an array to float32, reduces it, and converts the result back.

    Args:
        case: has one input; the first output is the result. Its alpha and beta count, too.
        make: returns the call that reduces an array of float32.

    Raises:
        Unfit: an array has gaps.
    """
    (name, x), (result, y) = (next(iter(e.items())) for e in (case.inputs, case.outputs))
    if not (x.is_dense and y.is_dense):
        raise Unfit(f"{name}: arrays of {x.dtype} without gaps are converted only")
    wide, total = (each._replace(dtype="float32", alignment=16) for each in (x, y))
    steps, outputs = Steps(case.inputs, case.outputs), dict(case.outputs)
    steps.room("wide", wide)
    steps.call("cudnnTransformTensor", 1.0, _flat(x), name, 0.0, _flat(wide), "wide")
    names = {"wide": "wide", **{each: each for each in outputs}}
    if y.dtype == "float32":
        steps.way(make(case._replace(inputs={name: wide})), names | {name: "wide"})
        return steps.classic()
    outputs[result] = total
    steps.room("total", total)
    inner = Case({name: wide}, outputs, call=case.call)
    steps.way(make(inner), names | {name: "wide", result: "total"})
    steps.call(
        "cudnnTransformTensor", case.alpha, _flat(total), "total", case.beta, _flat(y), result
    )  # fmt: skip
    return steps.classic()


def from_float32(
    case: Case, rule: Rule, handle: Handle | None, plan: Callable[[Case], Way], *, adds: bool = True
) -> Way:
    """Return the plan of a reduction, with a conversion after it if the result is narrow.

    Engines for reductions write float32 only. Sums are asked of errata: their order may vary.

    Args:
        case: has one input; the first output is the result. Its alpha and beta count, too.
        rule: says whether the bits are to stay.
        handle: without one, the plan alone is returned.
        plan: returns the plan of a case.
        adds: whether the reduction rounds, so that the order counts.

    Raises:
        Unfit: the result has gaps, or bits are to stay that a graph changes.
    """
    if adds and rule.keeps_bits and (why := wrong_function("reduction sums", {})):
        raise Unfit(f"the same bits are wanted each time: {why}")
    result, y = next(iter(case.outputs.items()))
    if y.dtype not in HALVES:
        return plan(case)
    if not y.is_dense:
        raise Unfit(f"{result}: an array of {y.dtype} without gaps is converted only")
    total = y._replace(dtype="float32", alignment=16)
    outputs = {**case.outputs, result: total}
    made = plan(case._replace(outputs=outputs, alpha=1.0, beta=0.0))
    if handle is None:
        return made
    steps = Steps(case.inputs, case.outputs)
    steps.room("total", total)
    steps.way(made, {**{name: name for name in case.inputs}, result: "total"})
    steps.call(
        "cudnnTransformTensor", case.alpha, _flat(total), "total", case.beta, _flat(y), result
    )  # fmt: skip
    way = steps.classic(deterministic=not adds and is_deterministic(made))
    way.core = plan_of(made)
    return way


def _in_two(case: Case, name: str, result: str, order: Order, alpha: float) -> Classic | None:
    """Return a sum over outer axes in two steps; None where these have no such extents.

    The first one has as many results as occupy the device: some of the outer elements are taken for
    elements that are kept.
    """
    x = case.inputs[name]
    outer, kept, _ = order
    counts = range(-(-_LIMITS.strided_sums // kept), _LIMITS.strided_per_block + 1)
    parts = next((each for each in counts if outer % each == 0), 1)
    each = outer // parts
    if parts == 1 or each == 1:
        return None
    place = Scratch()
    steps = [
        _bias(x, Order(each, parts * kept, 1), 1.0 / each, name, 0.0, place),
        _bias(x, Order(parts, kept, 1), alpha * each, place, case.beta, result),
    ]
    return Classic(
        f"{BIAS}, {BIAS}", operands_at(case), steps,
        workspace_size=parts * kept * arrays.itemsize(x.dtype),
    )  # fmt: skip


def _bias(x: Spec, order: Order, alpha: float, source: Any, beta: float, result: Any) -> Step:
    """Return the step that adds up an array as if it were the gradient of a result."""
    outer, kept, inner = order
    if inner > 1 or outer == 1:
        wide = _packed(x, (outer, kept, inner, 1))
    else:
        strides = (outer * kept, 1, kept, kept)
        wide = x._replace(shape=(1, kept, outer, 1), strides=strides, alignment=16)
    small = per_channel(_packed(x, (kept,)))
    return Step(BIAS, HANDLE, alpha, describe(wide), source, beta, describe(small), result)


def _flat(x: Spec) -> Any:
    """Return the descriptor of all elements of an array without gaps, as it is copied fastest."""
    count = math.prod(x.shape)
    is_short = count < _LIMITS.copied_along_last
    return describe(_packed(x, (1, count, 1, 1) if is_short else (1, 1, 1, count)))


def _last(x: Spec, shape: tuple[int, ...]) -> Spec:
    """Return an array with channels last, with the type and the device of another one."""
    _, channels, height, width = shape
    strides = (channels * height * width, 1, channels * width, channels)
    return x._replace(shape=shape, strides=strides, alignment=16)


def _packed(x: Spec, shape: tuple[int, ...]) -> Spec:
    """Return an array in C order with the type and the device of another one."""
    strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return x._replace(shape=shape, strides=strides, alignment=16)


def _factors(count: int) -> tuple[int, int]:
    """Return two extents of so many elements, as equal as can be; the second is larger."""
    small = next(each for each in range(math.isqrt(count), 0, -1) if count % each == 0)
    return small, count // small


def _near(count: int, along: int) -> int:
    """Return the maximum of contiguous elements of a window.

    Args:
        count: how many sums there are; many have windows of all their elements.
        along: the elements of each.
    """
    if count >= _LIMITS.windows:
        return along
    return max(_LIMITS.window_contiguous, -(-count * along // _LIMITS.windows_maximum))


def _parts(count: int, along: int, few: int) -> int | None:
    """Return in how many parts elements are taken, so that windows are small and occupy the device.

    Args:
        count: how many sums there are.
        along: the elements of each.
        few: the maximum of elements of a window.

    Returns: the fewest; None where no window is of such a size.
    """
    least = 1
    if along > few:
        many = min(_LIMITS.windows, count * along // _LIMITS.window_minimum)
        least = max(-(-many // count), -(-along // few))
    for parts in range(least, max(min(along // 2, least + _LIMITS.contiguous_per_block), 1) + 1):
        if along % parts == 0 and max(_factors(along // parts)) <= _LIMITS.window_extent:
            return parts
    return None
