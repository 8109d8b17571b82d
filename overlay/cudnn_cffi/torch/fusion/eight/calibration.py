"""Ranges of a model's values, measured with a few batches, and the loss of each layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from .... import errors
from ..building import by_torch
from ..trace.eager import walk
from ..trace.shadow import Watch
from ..trace.state import original_of
from ..trace.words import Writes
from ..weights import Weights
from .layers import Layer, may_narrow

if TYPE_CHECKING:
    from torch import fx

    from ..parts import Part, Parts
    from .kinds import Kind

    #: Returns the parts of a model for arguments of a call, and the tensors of these.
    PartsOf = Callable[[tuple[object, ...], Mapping[str, object]], tuple[Parts, Sequence[Tensor]]]

#: Maximum count of numbers of a value that are kept of each batch, to find where to clip.
_SAMPLES = 1 << 16

#: Parts of the maximum where INT8 may clip. FP8 has as many digits anywhere, so it clips nothing.
_FRACTIONS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)


class _Range:
    """The range of a value over several batches."""

    def __init__(self) -> None:
        self.most = 0.0
        self.samples: list[Tensor] = []

    def add(self, name: str, value: Tensor) -> None:
        flat = value.detach().reshape(-1)
        if not flat.numel():
            return
        most = float(flat.abs().max())
        if most != most or most == float("inf"):
            raise errors.ArgumentError(f"calibration: {name} computes with NaN or infinity")
        self.most = max(self.most, most)
        self.samples.append(flat[:: max(1, flat.numel() // _SAMPLES)].float())

    def clipped(self, kind: Kind) -> float:
        """Return where to clip: with the least squares of errors."""
        if kind.dtype != torch.int8 or not self.most:
            return self.most
        values = torch.cat(self.samples)
        limits = [self.most * each for each in _FRACTIONS]
        losses = [
            (kind.round(values, limit / kind.most) * (limit / kind.most) - values).square().sum()
            for limit in limits
        ]
        return limits[int(torch.stack(losses).argmin())]


def _loss(part: Part, x: Tensor, residual: Tensor | None, y: Tensor, kind: Kind,
          ranges: tuple[float, float]) -> tuple[float, float]:  # fmt: skip
    """Return error and cosine of a part whose input, filters and result have 8 bits."""
    own = Weights(part.conv, part.norm, torch.float32)
    rows = own.weight.flatten(1)
    scale = rows.abs().amax(1, keepdim=True) / kind.most
    weight = (kind.round(rows, scale) * scale).view(own.weight.shape)
    scales = [each / kind.most for each in ranges]
    near = kind.round(x.float(), scales[0]) * scales[0]
    bias = None if own.bias is None else own.bias.float()
    found = by_torch(part, near, weight, bias, None if residual is None else residual.float())
    found = (kind.round(found, scales[1]) * scales[1]).double()
    right = y.double()
    size = float(right.norm())
    if not size:
        return float((found - right).norm() > 0), 1.0
    cosine = float((found * right).sum()) / max(size * float(found.norm()), 1e-300)
    return float((found - right).norm()) / size, cosine


class _Undoing(Writes):
    """Gives tensors back the numbers that they had before a block, in which calls change them."""

    def __init__(self, tensors: Iterable[Tensor]) -> None:
        super().__init__()
        self._memory = {each.untyped_storage()._cdata for each in tensors}
        self._before: list[tuple[torch.UntypedStorage, torch.UntypedStorage]] = []

    def before(self, tensor: Tensor) -> None:
        memory = tensor.untyped_storage()
        if memory._cdata in self._memory:
            self._memory.remove(memory._cdata)
            self._before.append((memory, memory.clone()))

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for memory, numbers in self._before:
            memory.copy_(numbers)


def _size(layer: Layer) -> tuple[bool, float]:
    """Return what the errors of calls of a layer are compared by: NaN is the largest."""
    return math.isnan(layer.error), layer.error


def _arguments(batch: object) -> tuple[tuple[object, ...], Mapping[str, object]]:
    if isinstance(batch, Tensor):
        return (batch,), {}
    if isinstance(batch, Mapping):
        return (), batch
    if isinstance(batch, (tuple, list)):
        return tuple(batch), {}
    raise errors.ArgumentError(
        f"calibration: expected tensors, or tuples or mappings of arguments, got {batch!r}"
    )


def calibrate(parts_of: PartsOf, batches: Iterable[object], kind: Kind) -> dict[str, Layer]:
    """Return the ranges of the layers of a model by their names, and the loss of each.

    Args:
        parts_of: returns the parts of the model for arguments of a call, and the tensors of these.
        batches: arguments of calls: a tensor, a tuple or a mapping for each.
        kind: the data type.

    Raises:
        ArgumentError: there are no batches, or a value is not finite.
        NotSupportedError: the model cannot be traced.
    """
    calls = [_arguments(each) for each in batches]
    if not calls:
        raise errors.ArgumentError("calibration: expected one batch or more, got none")
    ranges: dict[str, tuple[_Range, _Range]] = {}
    found: dict[str, Layer] = {}
    with torch.inference_mode(False), torch.no_grad():
        for last in (False, True):
            for args, kwargs in calls[-1:] if last else calls:
                parts, tensors = parts_of(args, kwargs)
                kept = Watch(original_of(parts.traced.root)).memory
                with _Undoing([*kept, *tensors]):
                    _look(parts, tensors, kind, ranges, found if last else None)
    return found


def _look(
    parts: Parts, inputs: Sequence[Tensor], kind: Kind, ranges: dict[str, tuple[_Range, _Range]],
    found: dict[str, Layer] | None,
) -> None:  # fmt: skip
    """Extend the ranges by a batch, or compute the losses where all ranges are known."""
    first = {part.nodes[0]: part for part in parts.list if may_narrow(part)}
    last = {part.node: part for part in first.values()}
    kept: dict[fx.Node, Tensor] = {}  # calls of a layer may begin before another one ends
    values: dict[fx.Node, Any] = {}
    for node in walk(parts, inputs, values):
        # The input of a part may be changed in place later.
        if (part := first.get(node)) is not None:
            x = values[part.x]
            if found is None:
                ranges.setdefault(part.name, (_Range(), _Range()))[0].add(part.name, x)
            else:
                kept[part.node] = x
        if (part := last.get(node)) is not None:
            y = cast("Tensor", values[node])
            if found is None:
                ranges[part.name][1].add(part.name, y)
                continue
            limits = [each.clipped(kind) for each in ranges[part.name]]
            residual = None if part.residual is None else values[part.residual]
            pair = (limits[0], limits[1])
            made = Layer(*pair, *_loss(part, kept.pop(part.node), residual, y, kind, pair))
            found[part.name] = max(made, found.get(part.name, made), key=_size)
