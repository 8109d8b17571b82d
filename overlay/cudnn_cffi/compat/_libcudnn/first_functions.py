"""The functions of cudnn-python-wrappers 1.0 that call those of the last version with numbers."""

from __future__ import annotations

from types import SimpleNamespace

from .._records import records_of
from . import functions, layers
from .base import made

#: See `record_of`. The last version has scaling factors, formats (0 is NCHW) and paddings.
RECORDS = records_of("""
cudnnTransformTensor4d=cudnnTransformTensor handle 1.0 srcDesc srcData 0.0 destDesc destData: Copy
    a tensor into another layout.
cudnnSetFilterDescriptor=cudnnSetFilter4dDescriptor filterDesc dataType 0 k c h w: Set a filter
    descriptor to k filters of c channels, h rows and w columns.
cudnnSoftmaxForward handle algorithm mode 1.0 srcDesc srcData 0.0 destDesc destData: Compute the
    softmax.
cudnnSoftmaxBackward handle algorithm mode 1.0 srcDesc srcData srcDiffDesc srcDiffData 0.0
    destDiffDesc destDiffData: Compute the gradient of the softmax; `src` is its result.
cudnnSetPoolingDescriptor=cudnnSetPooling2dDescriptor poolingDesc mode windowHeight windowWidth 0
    0 verticalStride horizontalStride: Set a pooling descriptor, without padding.
cudnnGetPoolingDescriptor=cudnnGetPooling2dDescriptor poolingDesc -> tuple: Return mode, window
    and stride (two numbers each) of a pooling descriptor.
cudnnPoolingForward handle poolingDesc 1.0 srcDesc srcData 0.0 destDesc destData: Pool.
cudnnPoolingBackward handle poolingDesc 1.0 srcDesc srcData srcDiffDesc srcDiffData destDesc
    destData 0.0 destDiffDesc destDiffData: Compute the gradient of a pooling; `src` is its result
    and `dest` its input.
cudnnActivationForward handle mode 1.0 srcDesc srcData 0.0 destDesc destData: Apply an activation
    function.
cudnnActivationBackward handle mode 1.0 srcDesc srcData srcDiffDesc srcDiffData destDesc destData
    0.0 destDiffDesc destDiffData: Compute the gradient of an activation; `src` is its result and
    `dest` its input.
""")

_LAST = SimpleNamespace(**vars(functions), **{each: vars(layers)[each] for each in layers.__all__})

globals().update({name: made(record, _LAST, __name__) for name, record in RECORDS.items()})

__all__ = [*RECORDS]
