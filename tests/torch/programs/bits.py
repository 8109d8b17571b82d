"""Tensors whose memory has other numbers than they are left to Python, also where PyTorch's objects
look otherwise than expected."""

import ctypes
from collections.abc import Callable
from typing import Any
from unittest import mock

import torch
from cudnn_cffi import handles
from cudnn_cffi.plan.arrays import torch_bits
from cudnn_cffi.plan.run import addresses, reading
from cudnn_cffi.plan.run.compiled import native

from tests.fake_driver import FakeDriver
from tests.plan.standin import StandIn, make_plan


def answering(answer: bool) -> int:
    """Return the address of a function that has one answer for all tensors."""
    function = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(lambda _: answer)
    kept.append(function)
    return ctypes.cast(function, ctypes.c_void_p).value or 0


Other: Any = type("Other", (torch.Tensor,), {})
kept: list[object] = []
places = torch_bits._places
wrong: dict[str, Callable[..., Any]] = {
    "no function": lambda: 0,
    "always negative": lambda: answering(True),
    "never negative": lambda: answering(False),
    "no place": lambda *_: set(),
    "two places": lambda one, size: places(one, size) | {8},
    "places that differ": lambda one, _: {16 + 8 * (one.dim() > 1)},
    "no address": lambda one, _: {one.has_no_such_attribute},
}
for how, patch in wrong.items():
    name = "_places" if "place" in how or "address" in how else "_function"
    with mock.patch.object(torch_bits, name, patch):
        torch_bits.find_bits.cache_clear()
        assert torch_bits.find_bits(torch.Tensor) is None, how
torch_bits.find_bits.cache_clear()
assert torch_bits.find_bits(Other) is None, "objects of other classes are not known"
found = torch_bits.find_bits(torch.Tensor)
assert (found is not None) is (torch_bits._function() != 0), found
library = ctypes.CDLL(torch_bits._LIBRARY)
assert found is None or bool(found.reader) is hasattr(library, "aoti_torch_get_data_ptr")


def failing(name: str, types: tuple[int, ...]) -> Any:
    """Return PyTorch's library with a function that fails for some data types (() for all)."""
    made = ctypes.CDLL(torch_bits._LIBRARY)
    function, number = made[name], made["aoti_torch_get_dtype"]
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def instead(tensor: int, answer: int) -> int:
        found = ctypes.c_int32()
        number(ctypes.c_void_p(tensor), ctypes.byref(found))
        fails = not types or found.value in types
        return 1 if fails else int(function(ctypes.c_void_p(tensor), ctypes.c_void_p(answer)))

    return {**{each: made[each] for each in known}, name: kind(instead)}


if found is not None and found.reader:
    known = [
        "aoti_torch_device_type_cuda",
        *(f"aoti_torch_get_{each}" for each in torch_bits._READ),
    ]
    half = int(library["aoti_torch_dtype_float16"]())
    right = found.reader[2]
    assert right[2 * half : 2 * half + 2] == bytes((2, 16)), right
    refused = right[: 2 * half] + bytes(2) + right[2 * half + 2 :]
    for name in known[1:]:
        for given, types in (((), None), ((half,), refused)):
            instead = failing(name, given)
            with (
                mock.patch.object(torch_bits, "_function", return_value=found.function),
                mock.patch.object(ctypes, "CDLL", return_value=instead),
            ):
                torch_bits.find_bits.cache_clear()
                other = torch_bits.find_bits(torch.Tensor)
            assert other is not None, f"{name} is of readers, and the bits are asked without them"
            assert other[:2] == found[:2], name
            assert (other.reader[2] if other.reader else None) == types, (name, given)
    torch_bits.find_bits.cache_clear()
if native is not None:
    cudnn = StandIn()
    cudnn.bind()
    FakeDriver().install(setattr)
    handle = handles.handle(0)
    plan: Any = make_plan()
    plan._keep_apart(())  # one array is all of them here
    launch = addresses.launcher(plan, lambda *_, **__: "slow", [(0, 0, True, False, False)] * 3)
    x, z = torch.ones(4, 6), torch.ones(4, 6, dtype=torch.complex64)
    # Tensors are asked in C++ if the place is known; parameters by their methods.
    reading.learn_type(x)
    reading.READ_PRIVATE = False
    reading.learn_type(torch.nn.Parameter(x))
    kinds: tuple[Callable[[Any], Any], ...] = (torch.Tensor, torch.nn.Parameter)
    for kind in kinds:
        for plain in (x, x[1:], x.t(), z, z.imag, z.conj().conj(), torch.ones(())):
            given = plain if kind is torch.Tensor else torch.nn.Parameter(plain, False)
            launch._learn(handle, handle, (1, 2, 3), (0, 1, 2), (given,) * 3, False)
            assert launch(dict.fromkeys((1, 2, 3), given), 1 << 20, handle) is None, (kind, plain)
        executed = len(cudnn.executions)
        negative, imaginary = torch._neg_view(x), z.conj().imag
        for other in (
            *(negative, negative[1:], negative.t(), imaginary, imaginary.as_strided((6,), (1,))),
            *(torch._neg_view(torch.ones(())), z.conj(), z.conj().t(), torch._neg_view(z)),
        ):
            given = other if kind is torch.Tensor else torch.nn.Parameter(other, False)
            assert given.is_neg() or given.is_conj()
            for key in (1, 2, 3):
                pack = dict.fromkeys((1, 2, 3), x) | {key: given}
                assert launch(pack, 1 << 20, handle) == "slow", (kind, other)
        assert len(cudnn.executions) == executed, kind
    # PyTorch's functions in C, which read tensors, tell the same as DLPack's table.
    for dtype in ("float16", "bfloat16", "float64", "int8", "int64", "bool"):
        whole = torch.zeros(3, 4, 6, dtype=getattr(torch, dtype))
        for plain in (whole, whole[1:, :, 2:], whole.permute(2, 0, 1), whole[:0], whole[0, 0, 0]):
            kept_one = torch.nn.Parameter(plain, False)
            launch._learn(handle, handle, (1, 2, 3), (0, 1, 2), (kept_one,) * 3, False)
            right = None if plain.numel() else "slow"
            assert launch(dict.fromkeys((1, 2, 3), plain), 1 << 20, handle) == right, plain.shape
    answers: list[Any] = []

    def ask(given: Any) -> Any:
        answers.append(launch(dict.fromkeys((1, 2, 3), given), 1 << 20, handle))
        return given

    torch.func.vmap(ask)(torch.ones(2, 4, 6))
    assert answers == ["slow"], "tensors without memory of their own are not read"
print("right")
