"""Hints for names that the modules and functions of this room do not have."""

from __future__ import annotations

import torch

#: Modules of cudnn.torch (Lua), and what they are here.
_LUA = {
    "BGRU": "GRU, with bidirectional=True",
    "BLSTM": "LSTM, with bidirectional=True",
    "BatchNormalization": "BatchNorm1d",
    "RNNReLU": 'RNN, with nonlinearity="relu"',
    "RNNTanh": "RNN",
    "SoftMax": "Softmax",
    "LogSoftMax": "LogSoftmax",
    "SpatialAveragePooling": "AvgPool2d",
    "SpatialBatchNormalization": "BatchNorm2d",
    "SpatialConvolution": "Conv2d",
    "SpatialCrossEntropyCriterion": "SpatialCrossEntropyLoss",
    "SpatialCrossMapLRN": "LocalResponseNorm",
    "SpatialDilatedConvolution": "Conv2d, with dilation",
    "SpatialFullConvolution": "ConvTranspose2d",
    "SpatialLogSoftMax": "SpatialLogSoftmax",
    "SpatialMaxPooling": "MaxPool2d",
    "SpatialSoftMax": "SpatialSoftmax",
    "TemporalConvolution": "Conv1d",
    "VolumetricAveragePooling": "AvgPool3d",
    "VolumetricBatchNormalization": "BatchNorm3d",
    "VolumetricConvolution": "Conv3d",
    "VolumetricCrossEntropyCriterion": "VolumetricCrossEntropyLoss",
    "VolumetricDilatedConvolution": "Conv3d, with dilation",
    "VolumetricFullConvolution": "ConvTranspose3d",
    "VolumetricLogSoftMax": "VolumetricLogSoftmax",
    "VolumetricMaxPooling": "MaxPool3d",
    "VolumetricSoftMax": "VolumetricSoftmax",
}


def advise_lua(name: str, place: str = "") -> str:
    """Return what to use for a module of cudnn.torch; "" for other names."""
    return f"use {place}{_LUA[name]}" if name in _LUA else ""


def advise_module(name: str) -> str:
    """Return what to use for a module that is not here; "" where nothing is known."""
    here = hasattr(torch.nn, name)
    return advise_lua(name) or (f"use torch.nn.{name}" if here else "")


def advise_function(name: str) -> str:
    """Return what to use for a function that is not here; "" where nothing is known."""
    here = hasattr(torch.nn.functional, name)
    return f"use torch.nn.functional.{name}" if here else ""
