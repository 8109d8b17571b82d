"""Errata of engines for pooling, reductions and norms."""

from __future__ import annotations

import math

from .record import MAXIMUM_OF_GRID, engines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from .... import backend

    Operations: TypeAlias = Sequence[backend.OperationDescriptor]
    Pooling: TypeAlias = backend.OperationResampleFwdDescriptor

#: Maximum of contiguous elements that engine 1 reduces to one.
_LONGEST = 64 * MAXIMUM_OF_GRID


def _is_bfloat16_channels_last(operation: Pooling, _: Operations) -> bool:
    x = operation.xdesc
    return x.data_type.name == "BFLOAT16" and x.strides[1] == 1


def _is_mean_padded_after(operation: Pooling, _: Operations) -> bool:
    resampling = operation.desc
    if resampling is None:
        return False
    counts = resampling.mode.name in ("AVGPOOL", "AVGPOOL_INCLUDE_PADDING")
    return counts and tuple(resampling.pre_paddings) != tuple(resampling.post_paddings)


def _is_without_input(operation: backend.OperationResampleBwdDescriptor, _: Operations) -> bool:
    return operation.xdesc is None and operation.idxdesc is None


def _is_long_sum(operation: backend.OperationReductionDescriptor, _: Operations) -> bool:
    """Return whether so many elements that lie side by side make one result."""
    x, y = operation.xdesc, operation.ydesc
    axes = zip(x.dimensions, y.dimensions, x.strides, strict=True)
    reduced = [(n, stride) for n, m, stride in axes if m == 1 and n > 1]
    along = min((stride for _, stride in reduced), default=0)
    return along == 1 and math.prod([n for n, _ in reduced]) > _LONGEST


def _is_instance_norm(operation: backend.OperationNormBackwardDescriptor, _: Operations) -> bool:
    return operation.mode.name == "INSTANCE_NORM"


ERRATA = (
    *engines(
        "ResampleFwd",
        [1],
        _is_mean_padded_after,
        "it leaves out padding that counts after the pixels if there is none before them",
    ),
    *engines(
        "ResampleFwd",
        [3],
        _is_bfloat16_channels_last,
        "it reads BFLOAT16 of channels-last images as HALF, which gives wrong numbers",
    ),
    *engines(
        "ResampleBwd",
        [1],
        _is_without_input,
        "its gradient of average pooling fails when it runs, if the graph has no x and y",
        workaround="pass x and y",
    ),
    *engines(
        "Reduction",
        [1],
        _is_long_sum,
        "it cannot be launched if more than 4,194,240 contiguous elements make one result",
    ),
    *engines(
        "NormBackward",
        [0],
        _is_instance_norm,
        "in a CUDA graph it gives wrong gradients of scale and bias",
    ),
)
