"""Use a layer that was added at the places of CONTRIBUTING.md, computed by a stand-in."""

import pytest
import torch
from cudnn_cffi import ops
from cudnn_cffi.torch import functional, modules
from cudnn_cffi.torch.functional import squares as room

from tests.torch import stand_in

stand_in.STAND_INS[ops.ScaledSquare] = lambda op, x: op.options["factor"] * x.square()
stand_in.STAND_INS[ops.ScaledSquareBackward] = stand_in.differentiated
with pytest.MonkeyPatch.context() as patch:
    ran = stand_in.take_over(patch)
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad(modules.ScaledSquare(3.0)(x).sum(), x)
    torch.testing.assert_close(grad, 6.0 * x)
    assert ran == ["scaled_square", "scaled_square_backward"], ran
    layer = room.ScaledSquare(3.0)
    assert torch.autograd.gradcheck(layer, (x,)), "the gradients are right"
    assert torch.autograd.gradgradcheck(layer, (x,)), "second ones are PyTorch's"

# PyTorch computes it on the CPU, and its tools know shapes and gradients of the operator.
torch.testing.assert_close(modules.ScaledSquare(3.0)(x), 3.0 * x * x)
schema = str(torch.ops.cudnn_cffi.scaled_square.default._schema)
assert schema == "cudnn_cffi::scaled_square(Tensor x, float factor, str choose) -> Tensor", schema
made = torch.ops.cudnn_cffi.scaled_square(torch.empty(3, 5, device="meta"), 3.0, "")
assert made.shape == (3, 5), made.shape
assert functional.scaled_square is room.scaled_square, "the function is there"
print("added")
