"""Use an operation that was added at the places of CONTRIBUTING.md: all else follows from it."""

import ctypes
import inspect

import cudnn_cffi as cudnn
from cudnn_cffi import errors, ops
from cudnn_cffi.plan import Plan

from scripts import operations, stubs

function = ops.scaled_square


def has_compiler() -> bool:
    """Return whether NVRTC is there."""
    for major in (12, 13):
        try:
            return bool(ctypes.CDLL(f"libnvrtc.so.{major}"))
        except OSError:
            continue
    return False


# The function, with its signature, its help and its checks.
names = list(inspect.signature(function).parameters)
assert names == ["x", "out", "handle", "stream", "choose", "factor"], names
text = inspect.getdoc(function) or ""
assert text.startswith("Return the square of each element, times a factor."), text
assert "Formula" not in text, text
assert "factor: the number that squares are multiplied by." in text, text
assert text.endswith("Computed by a graph (POINTWISE)."), text
assert ops.OPERATIONS["scaled_square"] is ops.ScaledSquare, ops.OPERATIONS
try:
    function(None, factr=2.0)
except errors.ArgumentError as error:
    assert "factor" in str(error), error
else:
    raise AssertionError("a misspelt option is refused")

# Its types.
stub = stubs.formatted(stubs.write())
assert "def scaled_square(\n    x: ArrayT,\n    *,\n" in stub, stub
assert "factor: float = ...,\n) -> ArrayT: ..." in stub, stub
assert "from .element.squares import ScaledSquare as ScaledSquare\n" in stub, stub

# Its rows.
rows = operations.operations()
assert (
    "| `scaled_square` | factor x^2 | any shape of up to 8 axes | `scaled_square_backward` | "
    "a graph (POINTWISE); compiled for each shape |\n"
    "| `scaled_square_backward` | 2 factor x dy | dy, x | - | a graph (POINTWISE) |\n"
) in rows, rows
assert "`ScaledSquare`, `ScaledSquareBackward`," in operations.classes(), operations.classes()
assert "| `scaled_square`, " in operations.functions(), operations.functions()
assert "| `ScaledSquare` | tensors of more than 8 axes |" in operations.modules()

# A way to compute it, and all of them, by its name.
x, device = ops.Spec.like((2, 8, 4, 4), "half"), cudnn.DeviceProperties("H200")
try:
    plan = ops.ScaledSquare(3.0).plan(x, device=device)
except errors.NoPlanError as error:
    assert not has_compiler(), error  # engines compile a kernel for such graphs
else:
    assert isinstance(plan, Plan), plan
    assert [each.name for each in plan.outputs] == ["y"], plan
    assert plan.outputs[0].shape == (2, 8, 4, 4), plan
found = ops.candidates("scaled_square", x, factor=3.0, device=device)
assert found, "no candidate is listed"
assert any(each.supported for each in found) or not has_compiler(), found
try:
    ops.candidates("scaled_squar", x)
except errors.ArgumentError as error:
    assert "scaled_square" in str(error), error
print("added")
