"""Descriptors with named constructors, whose configuration can be read back.

Their modules are imported with the first of their names: most programs need a few of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .attention import AttnDescriptor as AttnDescriptor
    from .attention import SeqDataDescriptor as SeqDataDescriptor
    from .convolution import ConvolutionDescriptor as ConvolutionDescriptor
    from .ctc import CTCLossDescriptor as CTCLossDescriptor
    from .dropout import DropoutDescriptor as DropoutDescriptor
    from .elementwise import ActivationDescriptor as ActivationDescriptor
    from .elementwise import OpTensorDescriptor as OpTensorDescriptor
    from .elementwise import ReduceTensorDescriptor as ReduceTensorDescriptor
    from .normalization import LRNDescriptor as LRNDescriptor
    from .pooling import PoolingDescriptor as PoolingDescriptor
    from .recurrent import RNNDataDescriptor as RNNDataDescriptor
    from .recurrent import RNNDescriptor as RNNDescriptor
    from .spatial import SpatialTransformerDescriptor as SpatialTransformerDescriptor
    from .tensor import FilterDescriptor as FilterDescriptor
    from .tensor import TensorDescriptor as TensorDescriptor
    from .tensor import TensorTransformDescriptor as TensorTransformDescriptor

_NAMES = {
    "attention": ("AttnDescriptor", "SeqDataDescriptor"),
    "convolution": ("ConvolutionDescriptor",),
    "ctc": ("CTCLossDescriptor",),
    "dropout": ("DropoutDescriptor",),
    "elementwise": ("ActivationDescriptor", "OpTensorDescriptor", "ReduceTensorDescriptor"),
    "normalization": ("LRNDescriptor",),
    "pooling": ("PoolingDescriptor",),
    "recurrent": ("RNNDataDescriptor", "RNNDescriptor"),
    "spatial": ("SpatialTransformerDescriptor",),
    "tensor": ("FilterDescriptor", "TensorDescriptor", "TensorTransformDescriptor"),
}

#: The module of each class.
MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in MODULES:
        value = globals()[name] = getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
