"""Check of what `fuse` is asked for with 8 bits."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

import torch
from torch import nn

from .... import errors
from .calibration import calibrate
from .kinds import Kind, to_kind
from .narrowing import Narrowing

if TYPE_CHECKING:
    from .calibration import PartsOf


def to_narrowing(
    model: nn.Module,
    dtype: object,
    calibration: Iterable[object],
    loss: float,
    parts_of: PartsOf,
) -> Narrowing | None:
    """Return which layers may have 8 bits; None without a data type. See `fuse`.

    Args:
        model, dtype, calibration, loss: as `fuse` has them.
        parts_of: as `calibrate` has it.

    Raises:
        ArgumentError, NotSupportedError: as `fuse` does.
    """
    if isinstance(calibration, torch.Tensor):
        raise errors.ArgumentError(
            "calibration: expected several batches, got a tensor", hint="pass [x]"
        )
    batches = list(calibration)
    if dtype is None:
        if batches:
            raise errors.ArgumentError(
                'dtype: expected "int8" or another of 8 bits for a calibration, got None'
            )
        return None
    kind = to_kind(dtype)
    if not isinstance(loss, (int, float)) or not loss > 0:
        raise errors.ArgumentError(f"loss: expected a number above 0, got {loss!r}")
    _check_device(model, kind)
    return Narrowing(kind, calibrate(parts_of, batches, kind), float(loss))


def _check_device(model: nn.Module, kind: Kind) -> None:
    """Refuse FP8 on a device that has no such numbers."""
    for each in chain(model.parameters(), model.buffers()):
        if each.is_cuda and kind.dtype != torch.int8:
            found = torch.cuda.get_device_capability(each.device)
            if found < (8, 9):
                raise errors.NotSupportedError(
                    f"{kind.name}: expected compute capability 8.9 or more, got "
                    f"{found[0]}.{found[1]}",
                    hint='dtype="int8" takes any',
                )
