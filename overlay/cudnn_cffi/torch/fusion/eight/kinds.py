"""The data types of 8 bits, and how numbers become such."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .... import errors


class Kind(NamedTuple):
    """A data type of 8 bits.

    Attributes:
        name: as `fuse` takes it.
        data_type: the member of `DataType`, by its name.
        dtype: PyTorch's.
        most: the largest number.
        code: for the kernel.
    """

    name: str
    data_type: str
    dtype: torch.dtype
    most: float
    code: int

    def round(self, x: Tensor, scale: Tensor | float) -> Tensor:
        """Return `x / scale` as numbers of this type, in the data type of x; larger ones clipped.

        Where the scale is 0, the result is 0.
        """
        scale = torch.as_tensor(scale, dtype=x.dtype, device=x.device)
        y = torch.where(scale == 0, torch.zeros_like(x), x / scale)
        y = y.clamp(-self.most, self.most)
        return y.round() if self.dtype == torch.int8 else y.float().to(self.dtype).to(x.dtype)


KINDS = {
    each.name: each
    for each in (
        Kind("float8_e4m3", "FP8_E4M3", torch.float8_e4m3fn, 448.0, 1),
        Kind("int8", "INT8", torch.int8, 127.0, 0),
    )
}


def to_kind(dtype: object) -> Kind:
    """Return the data type of a name, or of PyTorch.

    Raises:
        ArgumentError: it is none of these.
    """
    name = str(dtype).removeprefix("torch.").removesuffix("fn")
    found = KINDS.get(name) if isinstance(dtype, (str, torch.dtype)) else None
    if found is None:
        raise errors.ArgumentError(
            f"dtype: expected {', '.join(map(repr, KINDS))} or None, got {dtype!r}"
        )
    return found
