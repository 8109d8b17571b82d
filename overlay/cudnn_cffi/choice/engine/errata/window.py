"""Errata of engines for pooling, reductions and norms."""

from __future__ import annotations

import math

from .record import MAXIMUM_OF_GRID, engines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from .... import backend

    Operations: TypeAlias = Sequence[backend.OperationDescriptor]
    Pooling: TypeAlias = backend.OperationResampleFwdDescriptor
    Norm: TypeAlias = backend.OperationNormForwardDescriptor
    NormGradient: TypeAlias = backend.OperationNormBackwardDescriptor

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


def _is_instance_norm(operation: NormGradient, _: Operations) -> bool:
    return operation.mode.name == "INSTANCE_NORM"


def _goes_over_rows(operation: Norm | NormGradient) -> bool:
    return operation.mode.name in ("LAYER_NORM", "RMS_NORM", "ADA_LAYER_NORM")


def _has_low_statistics(operation: Norm | NormGradient, _: Operations) -> bool:
    statistics = operation.mean_desc, operation.inv_variance_desc
    return _goes_over_rows(operation) and any(
        each is not None and each.data_type.name != "FLOAT" for each in statistics
    )


def _has_bias_of_other_type(phase: str) -> Callable[[Norm, Operations], bool]:
    """Return the condition for forward norms of a phase."""

    def applies(operation: Norm, _: Operations) -> bool:
        scale, bias = operation.scale_desc, operation.bias_desc
        return (
            _goes_over_rows(operation)
            and operation.phase.name == phase
            and scale is not None
            and bias is not None
            and scale.data_type != bias.data_type
        )

    return applies


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
    *engines(
        "NormForward",
        [3, 5],
        _has_low_statistics,
        "it writes mean and inverse deviation of layer and RMS norms as FLOAT, whatever their type "
        "is, and so beyond their ends",
        workaround="give them the type FLOAT",
    ),
    *engines(
        "NormBackward",
        [3, 4],
        _has_low_statistics,
        "it reads mean and inverse deviation of layer and RMS norms as FLOAT, whatever their type "
        "is, and so beyond their ends",
        workaround="give them the type FLOAT",
    ),
    *[
        erratum
        for phase, numbers in (("TRAINING", [1, 3, 5]), ("INFERENCE", [1, 4, 6]))
        for erratum in engines(
            "NormForward",
            numbers,
            _has_bias_of_other_type(phase),
            f"in {phase} it reads the bias of layer and RMS norms as if it had the type of the "
            "scale",
            workaround="give scale and bias the same type",
        )
    ],
)
