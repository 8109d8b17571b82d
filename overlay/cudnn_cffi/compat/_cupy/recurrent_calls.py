"""Recurrent networks forward and backward: functions of cuDNN 6 and 7, by those of version 8."""

from __future__ import annotations

from collections.abc import Mapping
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

#: Descriptors of input and output, or their addresses.
_Data = tuple[RNNDataDescriptor, RNNDataDescriptor] | tuple[int, int]

#: The member of WgradMode that adds to the gradient.
_ADD = 0


def _forward(
    mode: int, given: Mapping[str, Any], data: _Data, lengths: tuple[int, ...], workspace: int
) -> None:
    """Run a network, with the arguments of a function by their names."""
    get = given.__getitem__
    weights = networks.weights_size(get("handle"), get("rnnDesc"))
    on_device = networks.on_device(get("handle"), lengths)
    calls.cudnnRNNForward(
        get("handle"), get("rnnDesc"), mode, on_device, data[0], get("x"), data[1], get("y"),
        get("hxDesc") or get("hyDesc"), get("hx"), get("hy"), get("cxDesc") or get("cyDesc"),
        get("cx"), get("cy"), weights, get("w"), get("workSpaceSizeInBytes"), workspace,
        given.get("reserveSpaceSizeInBytes", 0), given.get("reserveSpace"),
    )  # fmt: skip


def _prepared(rnnDesc: int, data: int) -> tuple[int, ...]:
    """Return the lengths of sequences, for which a network is prepared."""
    lengths, size, data_type = described(data)
    prepare(rnnDesc, size, data_type)
    return lengths


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
    _forward(INFERENCE, locals(), data, lengths, workspace)


@old_first
def RNNForwardTraining(
    handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex, x: int, hxDesc: int, hx: int,
    cxDesc: int, cx: int, wDesc: int, w: int, yDesc: SupportsIndex, y: int, hyDesc: int, hy: int,
    cyDesc: int, cy: int, workspace: int, workSpaceSizeInBytes: int, reserveSpace: int,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences without padding, by `cudnnRNNForward`."""
    data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
    _forward(TRAINING, locals(), data, lengths, workspace)


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
    lengths = _prepared(rnnDesc, xDesc)
    _forward(INFERENCE, locals(), (xDesc, yDesc), lengths, workSpace)


@old_first
def RNNForwardTrainingEx(
    handle: int, rnnDesc: int, xDesc: int, x: int, hxDesc: int, hx: int, cxDesc: int, cx: int,
    wDesc: int, w: int, yDesc: int, y: int, hyDesc: int, hy: int, cyDesc: int, cy: int, kDesc: int,
    keys: object, cDesc: int, cAttn: object, iDesc: int, iAttn: object, qDesc: int, queries: object,
    workSpace: int, workSpaceSizeInBytes: int, reserveSpace: int, reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Run a network over sequences, by `cudnnRNNForward`."""
    _check_no_attention(kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries)
    lengths = _prepared(rnnDesc, xDesc)
    _forward(TRAINING, locals(), (xDesc, yDesc), lengths, workSpace)


def _backward_data(
    given: Mapping[str, Any], data: _Data, lengths: tuple[int, ...], workspace: int
) -> None:
    get = given.__getitem__
    weights = networks.weights_size(get("handle"), get("rnnDesc"))
    on_device = networks.on_device(get("handle"), lengths)
    calls.cudnnRNNBackwardData_v8(
        get("handle"), get("rnnDesc"), on_device, data[1], get("y"), get("dy"), data[0], get("dx"),
        get("hxDesc") or get("dhyDesc") or get("dhxDesc"), get("hx"), get("dhy"), get("dhx"),
        get("cxDesc") or get("dcyDesc") or get("dcxDesc"), get("cx"), get("dcy"), get("dcx"),
        weights, get("w"), get("workSpaceSizeInBytes"), workspace, get("reserveSpaceSizeInBytes"),
        get("reserveSpace"),
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
    _backward_data(locals(), data, lengths, workspace)


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
    lengths = _prepared(rnnDesc, dxDesc)
    _backward_data(locals(), (dxDesc, yDesc), lengths, workSpace)


def _backward_weights(
    given: Mapping[str, Any], data: _Data, lengths: tuple[int, ...], workspace: int
) -> None:
    get = given.__getitem__
    weights = networks.weights_size(get("handle"), get("rnnDesc"))
    on_device = networks.on_device(get("handle"), lengths)
    calls.cudnnRNNBackwardWeights_v8(
        get("handle"), get("rnnDesc"), _ADD, on_device, data[0], get("x"), get("hxDesc"), get("hx"),
        data[1], get("y"), weights, get("dw"), get("workSpaceSizeInBytes"), workspace,
        get("reserveSpaceSizeInBytes"), get("reserveSpace"),
    )  # fmt: skip


@old_first
def RNNBackwardWeights(
    handle: int, rnnDesc: int, seqLength: int, xDesc: SupportsIndex, x: int, hxDesc: int, hx: int,
    yDesc: SupportsIndex, y: int, workspace: int, workSpaceSizeInBytes: int, dwDesc: int, dw: int,
    reserveSpace: int, reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Add the gradient for the weights to `dw`, by `cudnnRNNBackwardWeights_v8`."""
    data, lengths = _both(rnnDesc, seqLength, xDesc, yDesc)
    _backward_weights(locals(), data, lengths, workspace)


@old_first
def RNNBackwardWeightsEx(
    handle: int, rnnDesc: int, xDesc: int, x: int, hxDesc: int, hx: int, yDesc: int, y: int,
    workSpace: int, workSpaceSizeInBytes: int, dwDesc: int, dw: int, reserveSpace: int,
    reserveSpaceSizeInBytes: int,
) -> None:  # fmt: skip
    """Add the gradient for the weights to `dw`, by `cudnnRNNBackwardWeights_v8`."""
    lengths = _prepared(rnnDesc, xDesc)
    _backward_weights(locals(), (xDesc, yDesc), lengths, workSpace)
