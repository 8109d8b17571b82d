"""Layers of tensors that are copied to another layout first: calls of them are known, too. The
result of a known call is that of a call that no layer has seen. As for nodes, PyTorch computes."""

import os
import random
import sys
from typing import Any

import torch
from cudnn_cffi._call.layer import mode
from cudnn_cffi._operation import way_search
from cudnn_cffi.torch import functional, modules
from cudnn_cffi.torch.autograd import layouts
from cudnn_cffi.torch.functional.conv.convolution import Convolution
from torch import nn

from tests.fake_driver import FakeDriver
from tests.torch.programs import nodes

LAST = torch.channels_last
F = torch.nn.functional
#: The Python functions that a known call runs.
FRONT = nodes.FRONT | {"run_batch_norm", "has_other_types", "updated"}


def views(shape: Any, seed: int = 0) -> dict[str, Any]:
    """Tensors of one shape with the same numbers, by what they are parts of."""
    made = torch.Generator().manual_seed(seed)
    x = torch.randn(shape, generator=made)

    def part(places: Any, within: Any, last: bool = False) -> Any:
        whole = torch.randn(within, generator=made)
        if last:
            whole = whole.contiguous(memory_format=LAST)
        found = whole[places]
        found.copy_(x)
        return found

    found = {"dense": x}
    if len(shape) == 4:
        n, c, h, w = shape
        every = slice(None)
        found["last"] = x.contiguous(memory_format=LAST)
        for last in (False, True):
            found[f"half, {last}"] = part((every, slice(c, None)), (n, 2 * c, h, w), last)
            found[f"crop, {last}"] = part((..., slice(1, h + 1), every), (n, c, h + 2, w), last)
        found["pixels"] = part((..., slice(None, None, 2)), (n, c, h, 2 * w), True)
        found["turned"] = x.transpose(2, 3).contiguous().transpose(2, 3)
    else:
        found["rows"] = part((..., slice(3, 3 + shape[-1])), (*shape[:-1], shape[-1] + 5))
        found["turned"] = x.transpose(-1, -2).contiguous().transpose(-1, -2)
    found["one"] = x[:1].clone().expand(shape)
    return found


MODULES: dict[str, tuple[Any, Any]] = {
    "convolution": (lambda: modules.Conv2d(4, 6, 3, padding=1), (2, 4, 6, 8)),
    "filters of one": (lambda: modules.Conv2d(4, 6, 1, bias=False), (2, 4, 6, 8)),
    "max": (lambda: modules.MaxPool2d(2), (2, 4, 6, 8)),
    "average": (lambda: modules.AvgPool2d(2), (2, 4, 6, 8)),
    "relu": (lambda: modules.ReLU(), (2, 4, 6, 8)),
    "softmax": (lambda: modules.Softmax(1), (2, 4, 6, 8)),
    "softmax of rows": (lambda: modules.Softmax(-1), (6, 8)),
    "layer norm": (lambda: modules.LayerNorm(8), (2, 6, 8)),
    "transposed": (lambda: modules.ConvTranspose2d(4, 6, 3, bias=False), (2, 4, 6, 8)),
    "root mean square": (lambda: modules.RMSNorm(8), (2, 6, 8)),
    "group norm": (lambda: modules.GroupNorm(2, 4), (2, 4, 6, 8)),
    "batch norm": (lambda: modules.BatchNorm2d(4), (2, 4, 6, 8)),
    "local": (lambda: modules.LocalResponseNorm(3), (2, 4, 6, 8)),
    "instance norm": (lambda: modules.InstanceNorm2d(4, affine=True), (2, 4, 6, 8)),
}


def run(module: Any, x: Any, like: Any, grad: bool) -> list[Any]:
    """Outputs and gradients."""
    if not grad:
        with torch.no_grad():
            return [module(x)]
    x = x.detach().requires_grad_()
    y = module(x)
    dy = views(tuple(y.shape), 1).get(like)
    if dy is None:
        dy = views(tuple(y.shape), 1)["dense"]
    return [y.detach(), *torch.autograd.grad(y, [x, *module.parameters()], dy)]


def same(name: Any, found: Any, wanted: Any) -> None:
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3, msg=str(name))
        assert one.stride() == other.stride(), (name, one.stride(), other.stride())


def compare(compiled: bool) -> None:
    """A module that knows many kinds of calls beside one that knows none."""
    drawn = random.Random(7)
    for name, (make, shape) in MODULES.items():
        torch.manual_seed(1)
        module = make()
        tensors = views(shape)
        kinds = [(x, dy, grad) for x in tensors for dy in ("dense", x) for grad in (False, True)]
        wanted = {}
        for x, dy, grad in kinds:
            fresh = make()
            fresh.load_state_dict(module.state_dict())
            wanted[x, dy, grad] = run(fresh, tensors[x], dy, grad)
        for turn in range(4):
            drawn.shuffle(kinds)
            for x, dy, grad in kinds:
                key = x, dy, grad
                found: list[Any] = []
                ran = nodes.python_of(
                    lambda k=key, m=module, t=tensors, f=found: f.extend(
                        run(m, t[k[0]], k[1], k[2])
                    )
                )
                same((name, *key), found, wanted[key])
                assert not compiled or turn < 2 or ran <= FRONT, (name, key, turn, ran)


def follow_filters() -> None:
    """Filters of 1x1 say a layout by strides of single elements; so the same input has two."""
    x = views((2, 4, 6, 8))["crop, False"]
    w = torch.randn(6, 4, 1, 1)
    both = w, w.as_strided(w.shape, (4, 1, 4, 4))
    with torch.no_grad():
        for _ in range(4):
            for each in both:
                y = functional.conv2d(x, each)
                torch.testing.assert_close(y, F.conv2d(x, w), rtol=1e-4, atol=1e-4)
                assert y.is_contiguous(memory_format=LAST) == (each is both[1])


def watch_copies(driver: FakeDriver, stream: list[Any]) -> None:
    """Copies are made anew in each call, and none where the call is then not made."""
    layer = Convolution((0, 0), (1, 1), (1, 1), 1)
    x = views((2, 4, 6, 8))["half, True"]
    w = torch.randn(3, 4, 3, 1).contiguous(memory_format=LAST)
    made: list[Any] = []
    real = dict(layouts._COPIERS)
    failing: list[Any] = []

    def counted(tensor: Any) -> Any:
        if failing:
            return failing[0](tensor)
        made.append(tensor.contiguous(memory_format=LAST))
        return made[-1]

    layouts._COPIERS[LAST] = counted
    given = x, w, None

    def call() -> Any:
        y = layer(*given)
        torch.testing.assert_close(y, F.conv2d(x, w), rtol=1e-4, atol=1e-4)
        return y

    with torch.no_grad():
        for _ in range(3):
            call()
        made.clear()
        for turn in range(1, 4):
            x.mul_(1.5)  # the same tensor with other numbers
            call()
            assert len(made) == turn
        before = [sys.getrefcount(each) for each in (x, w, made[0])]
        for _ in range(100):
            call()
        assert [sys.getrefcount(each) for each in (x, w, made[0])] == before
        # A call that does not fit, or fails, is left to Python.
        for each in (lambda t: t, lambda t: t.contiguous(), lambda t: None, lambda t: 1 / 0):
            failing[:] = [each]
            call()
        failing[:] = [lambda t: (_ for _ in ()).throw(KeyboardInterrupt)]
        try:
            call()
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("an interrupt was lost")
        failing.clear()
        made.clear()
        # A captured call is made by Python, and is copied once.
        stream[0] = 0x7700
        driver.captures[0x7700] = 5
        call()
        assert not made
        driver.captures.clear()
        call()
        assert len(made) == 1
        stream[0] = None
    # A copy of the gradient serves both gradients; the input is copied forward and for the filters.
    x, w = x.detach().requires_grad_(), w.requires_grad_()
    dy = views((2, 3, 4, 8), 1)["half, True"]
    wanted = torch.autograd.grad(F.conv2d(x, w), (x, w), dy)
    for turn in range(5):
        made.clear()
        found = torch.autograd.grad(layer(x, w, None), (x, w), dy)
        for one, other in zip(found, wanted, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
        assert turn < 2 or len(made) == 3, (turn, len(made))
        assert turn < 2 or sys.getrefcount(made[1]) <= 2
        dy.mul_(2)
        wanted = [2 * each for each in wanted]
    layouts._COPIERS.update(real)


def main() -> None:
    stream: list[Any] = [None]
    nodes.pretend(stream)
    driver = FakeDriver()
    driver.install(setattr)
    cudnn = nodes.Computing()
    cudnn.bind()
    changed: Any = way_search
    changed.find_uncopied = nodes.find_way
    compiled = mode() == "api"
    compare(compiled)
    follow_filters()
    if compiled:
        watch_copies(driver, stream)
    assert nn.Conv2d in modules.Conv2d.__mro__
    cudnn.unbind()
    print("known" if compiled else "right")


if __name__ == "__main__":
    main()
    # The interpreter may free the imitation before the plans that call it.
    sys.stdout.flush()
    os._exit(0)
