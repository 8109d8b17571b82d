"""The short way from PyTorch's tensors to a classic function, with stand-ins for both."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from cudnn_cffi import ops
from cudnn_cffi.ops import classic
from cudnn_cffi.plan import Operand


class Tensor:
    count = 0

    def __init__(self, shape, strides, dtype="float32", device="cuda:0"):
        Tensor.count += 1
        self.shape, self._strides, self.dtype, self.device = shape, strides, dtype, device
        self.address = 4096 * Tensor.count

    def stride(self):
        return self._strides

    def data_ptr(self):
        return self.address


class Parameter(Tensor):
    pass


def empty_strided(shape, strides, *, dtype, device):
    return Tensor(shape, strides, dtype, device)


sys.modules["torch"] = SimpleNamespace(
    Tensor=Tensor, nn=SimpleNamespace(Parameter=Parameter), empty_strided=empty_strided,
    _C=SimpleNamespace(_cuda_getCurrentRawStream=lambda ordinal: 77 + ordinal),
)  # fmt: skip
asked: list[Any] = []
ran: list[Any] = []
HANDLE = SimpleNamespace(
    _current=nullcontext, device=0, workspace=SimpleNamespace(get=lambda size: 1000 + size)
)


def choose_handle(*given):
    asked.append(given)
    return HANDLE


vars(classic).update(choose_handle=choose_handle)

common = {"data_type": "FLOAT", "alignment": 4}
operands = (
    Operand("x", 1, (2, 3), (3, 1), role="input", **common),
    Operand("w", 2, (3,), (1,), role="input", **common),
    Operand("y", 3, (2, 3), (3, 1), role="output", **common),
    Operand("z", 4, (3,), (1,), role="output", **common),
)
way = ops.Classic("f", operands, lambda *given: ran.append(given), workspace_size=5)
x, w = Tensor((2, 3), (3, 1)), Parameter((3,), (1,))
assert way.attempt(x, w) is NotImplemented  # nothing was learnt yet
bound = {"x": x, "w": w, "y": Tensor((2, 3), (3, 1)), "z": Tensor((3,), (1,))}
way._quick = classic._learn(way, bound, 0)

y, z = way.attempt(x, w)
assert (y.shape, z.shape) == ((2, 3), (3,)) and y is not bound["y"]
assert ran == [(HANDLE, 1005, 5, x.address, w.address, y.address, z.address)]
assert asked == [(None, ..., 77, 0)]
again, _ = way.attempt(x, w)
assert again is not y

for other in (
    Tensor((3, 2), (3, 1)),
    Tensor((2, 3), (1, 2)),
    Tensor((2, 3), (3, 1), "float16"),
    Tensor((2, 3), (3, 1), device="cuda:1"),
    Parameter((2, 3), (3, 1)),
    object(),
):
    assert way.attempt(other, w) is NotImplemented, other
assert way.attempt(x) is NotImplemented
assert way.attempt(x, w, y) is NotImplemented
assert len(ran) == 2

# Arrays of other libraries, and types derived from PyTorch's, are not learnt.
assert classic._learn(way, {**bound, "w": object()}, 0) is None
