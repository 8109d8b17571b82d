"""Recurrent networks forward and backward: functions of cuDNN 6 and 7, by those of version 8."""

from __future__ import annotations

from typing import Any, SupportsIndex

from ... import errors
from ...descriptors import RNNDataDescriptor
from .._calls import calls
from . import recurrent as networks
from .recurrent import INFERENCE, TRAINING, described, old_first, packed, prepare, steps

__all__ = [
    "RNNBackwardData",
    "RNNBackwardDataEx",
    "RNNBackwardWeights",
    "RNNBackwardWeightsEx",
    "RNNForwardInference",
    "RNNForwardInferenceEx",
    "RNNForwardTraining",
    "RNNForwardTrainingEx",
]

#: The member of WgradMode that adds to the gradient.
_ADD = 0


def _forward(
    mode: int, handle: int, rnnDesc: int, data: tuple[Any, Any], lengths: tuple[int, ...], x: int,
    hxDesc: int, hx: int, cxDesc: int, cx: int, w: int, y: int, hyDesc: int, hy: int, cyDesc: int,
    cy: int, workspace: int, workspaceSize: int, reserve: int | None, reserveSize: int,
) -> None:  # fmt: skip
    weights = networks.weights_size(handle, rnnDesc)
    on_device = networks.on_device(handle, lengths)
    calls.cudnnRNNForward(
        handle, rnnDesc, mode, on_device, data[0], x, data[1], y, hxDesc or hyDesc, hx,
        hy, cxDesc or cyDesc, cx, cy, weights, w, workspaceSize, workspace, reserveSize, reserve,
    )  # fmt: skip


def _check_no_attention(*given: object) -> None:
    if any(given):
        raise errors.BadParamError("descriptors and arrays of attention must be 0, as in C")


@old_first
def RNNForwardInference(
    handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex, x: int, hxDesc: int, hx: int,
    cxDesc: int, cx: int, wDesc: int, w: int, yDesc: SupportsIndex, y: int, hyDesc: int, hy: int,
    cyDesc: int, cy: int, workspace: int, workSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences without padding, by `cudnnRNNForward`."""
    data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
    _forward(
        INFERENCE, handle, rnnDesc, data, lengths, x, hxDesc, hx, cxDesc, cx, w, y, hyDesc,
        hy, cyDesc, cy, workspace, workSpaceSizeInBytes, None, 0,
    )  # fmt: skip


@old_first
def RNNForwardTraining(
    handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex, x: int, hxDesc: int, hx: int,
    cxDesc: int, cx: int, wDesc: int, w: int, yDesc: SupportsIndex, y: int, hyDesc: int, hy: int,
    cyDesc: int, cy: int, workspace: int, workSpaceSizeInBytes: int, reserveSpace: int,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences without padding, by `cudnnRNNForward`."""
    data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
    _forward(
        TRAINING, handle, rnnDesc, data, lengths, x, hxDesc, hx, cxDesc, cx, w, y, hyDesc, hy,
        cyDesc, cy, workspace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
    )  # fmt: skip


def _both(
    rnnDesc: int, count: int, xDesc: SupportsIndex, yDesc: SupportsIndex
) -> tuple[tuple[RNNDataDescriptor, RNNDataDescriptor], tuple[int, ...]]:
    """Return descriptors of input and output, and the lengths of sequences."""
    lengths, size, data_type = steps(count, xDesc)
    others, width, _ = steps(count, yDesc)
    if lengths != others:
        raise errors.BadParamError(f"x has sequences of {lengths} steps, y of {others}")
    prepare(rnnDesc, size, data_type)
    return (packed(lengths, size, data_type), packed(lengths, width, data_type)), lengths


@old_first
def RNNForwardInferenceEx(
    handle: int, rnnDesc: int, xDesc: int, x: int, hxDesc: int, hx: int, cxDesc: int, cx: int,
    wDesc: int, w: int, yDesc: int, y: int, hyDesc: int, hy: int, cyDesc: int, cy: int, kDesc: int,
    keys: object, cDesc: int, cAttn: object, iDesc: int, iAttn: object, qDesc: int, queries: object,
    workSpace: int, workSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences, by `cudnnRNNForward`."""
    _check_no_attention(kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries)
    lengths, size, data_type = described(xDesc)
    prepare(rnnDesc, size, data_type)
    _forward(
        INFERENCE, handle, rnnDesc, (xDesc, yDesc), lengths, x, hxDesc, hx, cxDesc, cx, w, y,
        hyDesc, hy, cyDesc, cy, workSpace, workSpaceSizeInBytes, None, 0,
    )  # fmt: skip


@old_first
def RNNForwardTrainingEx(
    handle: int, rnnDesc: int, xDesc: int, x: int, hxDesc: int, hx: int, cxDesc: int, cx: int,
    wDesc: int, w: int, yDesc: int, y: int, hyDesc: int, hy: int, cyDesc: int, cy: int, kDesc: int,
    keys: object, cDesc: int, cAttn: object, iDesc: int, iAttn: object, qDesc: int, queries: object,
    workSpace: int, workSpaceSizeInBytes: int, reserveSpace: int, reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences, by `cudnnRNNForward`."""
    _check_no_attention(kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries)
    lengths, size, data_type = described(xDesc)
    prepare(rnnDesc, size, data_type)
    _forward(
        TRAINING, handle, rnnDesc, (xDesc, yDesc), lengths, x, hxDesc, hx, cxDesc, cx, w, y,
        hyDesc, hy, cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace,
        reserveSpaceSizeInBytes,
    )  # fmt: skip


def _backward_data(
    handle: int, rnnDesc: int, lengths: tuple[int, ...], yDesc: SupportsIndex, y: int, dy: int,
    xDesc: SupportsIndex, dx: int, hDesc: int, hx: int, dhy: int, dhx: int, cDesc: int, cx: int,
    dcy: int, dcx: int, w: int, workspace: int, workspaceSize: int, reserve: int, reserveSize: int,
) -> None:  # fmt: skip
    weights = networks.weights_size(handle, rnnDesc)
    on_device = networks.on_device(handle, lengths)
    calls.cudnnRNNBackwardData_v8(
        handle, rnnDesc, on_device, yDesc, y, dy, xDesc, dx, hDesc, hx, dhy, dhx, cDesc,
        cx, dcy, dcx, weights, w, workspaceSize, workspace, reserveSize, reserve,
    )  # fmt: skip


@old_first
def RNNBackwardData(
    handle: int, rnnDesc: int, seqLength: int, yDesc: SupportsIndex, y: int, dyDesc: SupportsIndex,
    dy: int, dhyDesc: int, dhy: int, dcyDesc: int, dcy: int, wDesc: int, w: int, hxDesc: int,
    hx: int, cxDesc: int, cx: int, dxDesc: SupportsIndex, dx: int, dhxDesc: int, dhx: int,
    dcxDesc: int, dcx: int, workspace: int, workSpaceSizeInBytes: int, reserveSpace: int,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Compute gradients for input and states, by `cudnnRNNBackwardData_v8`."""
    data, lengths = _both(rnnDesc, seqLength, dxDesc, yDesc)
    _backward_data(
        handle, rnnDesc, lengths, data[1], y, dy, data[0], dx, hxDesc or dhyDesc or dhxDesc,
        hx, dhy, dhx, cxDesc or dcyDesc or dcxDesc, cx, dcy, dcx, w, workspace,
        workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
    )  # fmt: skip


@old_first
def RNNBackwardDataEx(
    handle: int, rnnDesc: int, yDesc: int, y: int, dyDesc: int, dy: int, dcDesc: int,
    dcAttn: object, dhyDesc: int, dhy: int, dcyDesc: int, dcy: int, wDesc: int, w: int, hxDesc: int,
    hx: int, cxDesc: int, cx: int, dxDesc: int, dx: int, dhxDesc: int, dhx: int, dcxDesc: int,
    dcx: int, dkDesc: int, dkeys: object, workSpace: int, workSpaceSizeInBytes: int,
    reserveSpace: int, reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Compute gradients for input and states, by `cudnnRNNBackwardData_v8`."""
    _check_no_attention(dcDesc, dcAttn, dkDesc, dkeys)
    lengths, size, data_type = described(dxDesc)
    prepare(rnnDesc, size, data_type)
    _backward_data(
        handle, rnnDesc, lengths, yDesc, y, dy, dxDesc, dx, hxDesc or dhyDesc or dhxDesc, hx,
        dhy, dhx, cxDesc or dcyDesc or dcxDesc, cx, dcy, dcx, w, workSpace,
        workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
    )  # fmt: skip


def _backward_weights(
    handle: int, rnnDesc: int, lengths: tuple[int, ...], xDesc: SupportsIndex, x: int, hDesc: int,
    hx: int, yDesc: SupportsIndex, y: int, dw: int, workspace: int, workspaceSize: int,
    reserve: int, reserveSize: int,
) -> None:  # fmt: skip
    weights = networks.weights_size(handle, rnnDesc)
    on_device = networks.on_device(handle, lengths)
    calls.cudnnRNNBackwardWeights_v8(
        handle, rnnDesc, _ADD, on_device, xDesc, x, hDesc, hx, yDesc, y, weights, dw,
        workspaceSize, workspace, reserveSize, reserve,
    )  # fmt: skip


@old_first
def RNNBackwardWeights(
    handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex, x: int, hxDesc: int, hx: int,
    yDesc: SupportsIndex, y: int, workspace: int, workSpaceSizeInBytes: int, dwDesc: int, dw: int,
    reserveSpace: int, reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Add the gradient for the weights to `dw`, by `cudnnRNNBackwardWeights_v8`."""
    data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
    _backward_weights(
        handle, rnnDesc, lengths, data[0], x, hxDesc, hx, data[1], y, dw, workspace,
        workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
    )  # fmt: skip


@old_first
def RNNBackwardWeightsEx(
    handle: int, rnnDesc: int, xDesc: int, x: int, hxDesc: int, hx: int, yDesc: int, y: int,
    workSpace: int, workSpaceSizeInBytes: int, dwDesc: int, dw: int, reserveSpace: int,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Add the gradient for the weights to `dw`, by `cudnnRNNBackwardWeights_v8`."""
    lengths, size, data_type = described(xDesc)
    prepare(rnnDesc, size, data_type)
    _backward_weights(
        handle, rnnDesc, lengths, xDesc, x, hxDesc, hx, yDesc, y, dw, workSpace,
        workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes,
    )  # fmt: skip
