"""Modules of PyTorch that compute by cuDNN, with the names of `torch.nn`.

Each derives from PyTorch's module of its name: parameters, buffers, state_dict, hooks and arguments
are the same. PyTorch computes calls that cuDNN does not take, such as those with tensors on the
CPU.

Attributes:
    benchmark: whether algorithms are timed, for modules and everything else of this package.
    fallback: what modules do where PyTorch would compute in place of cuDNN, unless they have an
        attribute `fallback` of their own: "warn" (once for each layer that cuDNN refuses),
        "silent", or "error". A choice that names how to compute raises in any case.
    fastest: whether any workspace is allowed.
    verbose: whether each call is written to the logger "cudnn_cffi.ops", and what PyTorch computes
        instead to "cudnn_cffi.torch"; both are printed to stderr if logging is not set up.
"""

from typing import Any

from ... import _settings
from ..._advice import Module as _Words
from ..._advice import equip as _equip
from .. import fallback as _fallback
from .. import hints as _names
from .activations import ELU as ELU
from .activations import GELU as GELU
from .activations import ClippedReLU as ClippedReLU
from .activations import LeakyReLU as LeakyReLU
from .activations import LogSoftmax as LogSoftmax
from .activations import ReLU as ReLU
from .activations import ReLU6 as ReLU6
from .activations import Sigmoid as Sigmoid
from .activations import SiLU as SiLU
from .activations import Softmax as Softmax
from .activations import Softmax2d as Softmax2d
from .activations import Softplus as Softplus
from .activations import SpatialLogSoftmax as SpatialLogSoftmax
from .activations import SpatialSoftmax as SpatialSoftmax
from .activations import Tanh as Tanh
from .activations import VolumetricLogSoftmax as VolumetricLogSoftmax
from .activations import VolumetricSoftmax as VolumetricSoftmax
from .attention import MultiheadAttention as MultiheadAttention
from .attention import ScaledDotProductAttention as ScaledDotProductAttention
from .attention_fp8 import ScaledDotProductAttentionFP8 as ScaledDotProductAttentionFP8
from .base import Cudnn as Cudnn
from .convolution import Conv1d as Conv1d
from .convolution import Conv2d as Conv2d
from .convolution import Conv3d as Conv3d
from .convolution import ConvTranspose1d as ConvTranspose1d
from .convolution import ConvTranspose2d as ConvTranspose2d
from .convolution import ConvTranspose3d as ConvTranspose3d
from .norms import BatchNorm1d as BatchNorm1d
from .norms import BatchNorm2d as BatchNorm2d
from .norms import BatchNorm3d as BatchNorm3d
from .norms import BatchNormActivation1d as BatchNormActivation1d
from .norms import BatchNormActivation2d as BatchNormActivation2d
from .norms import BatchNormActivation3d as BatchNormActivation3d
from .norms import GroupNorm as GroupNorm
from .norms import InstanceNorm1d as InstanceNorm1d
from .norms import InstanceNorm2d as InstanceNorm2d
from .norms import InstanceNorm3d as InstanceNorm3d
from .norms import LayerNorm as LayerNorm
from .norms import LocalResponseNorm as LocalResponseNorm
from .norms import RMSNorm as RMSNorm
from .others import AffineGrid as AffineGrid
from .others import CrossEntropyLoss as CrossEntropyLoss
from .others import CTCLoss as CTCLoss
from .others import Dropout as Dropout
from .others import GridSample as GridSample
from .others import SpatialCrossEntropyLoss as SpatialCrossEntropyLoss
from .others import VolumetricCrossEntropyLoss as VolumetricCrossEntropyLoss
from .pooling import AvgPool1d as AvgPool1d
from .pooling import AvgPool2d as AvgPool2d
from .pooling import AvgPool3d as AvgPool3d
from .pooling import MaxPool1d as MaxPool1d
from .pooling import MaxPool2d as MaxPool2d
from .pooling import MaxPool3d as MaxPool3d
from .recurrent import GRU as GRU
from .recurrent import LSTM as LSTM
from .recurrent import RNN as RNN

benchmark: bool
fallback: _fallback.Fallback
fastest: bool
verbose: bool

_SWITCHES = ("benchmark", "fastest", "verbose")


class _Module(_Words):
    """A module whose switches are settings of the process."""

    def _find(self, name: str) -> Any:
        if name in _SWITCHES:
            return _settings.read(name)
        if name == "fallback":
            return _fallback.default()
        return super()._find(name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in _SWITCHES:
            _settings.assign(name, value)
        elif name == "fallback":
            _fallback.set_default(value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted((*super().__dir__(), *_SWITCHES, "fallback"))


_advise = _names.advise_module
_equip(__name__, _Module)
