"""The descriptor of a spatial transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from .. import arrays
from .._lookup import families
from ._core.configured import made_by_methods
from .tensor import padded

if TYPE_CHECKING:
    from ..types import DType


@made_by_methods
class SpatialTransformerDescriptor(families.SpatialTransformerDescriptor):
    """The sampling grid of a spatial transformer.

    Set by `cudnnSetSpatialTransformerNdDescriptor` (cudnn_ops.h). cuDNN has no function that reads
    one back, so each is equal to itself alone and cannot be pickled.
    """

    __slots__ = ()

    @classmethod
    def bilinear(cls, shape: Sequence[int], dtype: DType = "float32") -> Self:
        """Sample bilinearly, by `cudnnSetSpatialTransformerNdDescriptor` (cudnn_ops.h).

        Args:
            shape: the extents of the output, N, C, H, W.
            dtype: the data type of the output.

        Raises:
            ArgumentError: an extent is below 1, or the loaded release has no such data type.
            BadParamError: cuDNN refuses the combination.
        """
        extents = padded(shape, 4)
        self = cls()
        self.set_nd(
            arrays.member("SamplerType", "BILINEAR"), arrays.data_type(dtype), len(extents), extents
        )
        return self
