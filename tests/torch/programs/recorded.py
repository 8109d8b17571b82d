"""Nodes of autograd are what PyTorch expects of them, whether Python's functions record them or the extension:
tensors of the CPU pass for tensors on a GPU. The first argument says which of both it is."""

import gc
import os
import sys
import threading
from typing import Any

import torch
from cudnn_cffi._operation import way_search
from cudnn_cffi.torch import modules
from cudnn_cffi.torch.autograd import recorder
from torch.utils.checkpoint import checkpoint

from tests.fake_driver import FakeDriver
from tests.torch.programs.nodes import FRONT, Computing, described, find_way, pretend, python_of

grad_of = torch.autograd.grad
IS_EXTENSION = sys.argv[1] == "extension"


def expect(error: type[Exception], words: str, call: Any) -> None:
    try:
        call()
    except error as raised:
        assert words in str(raised), raised
    else:
        raise AssertionError(f"no error says {words!r}")


def main() -> None:
    pretend()
    driver, cudnn = FakeDriver(), Computing()
    driver.install(setattr)
    cudnn.bind()
    changed: Any = way_search
    changed.find_uncopied = find_way
    assert recorder.load() == IS_EXTENSION

    x = torch.randn(2, 4, 6, 8, requires_grad=True)
    dy = torch.randn(2, 4, 6, 8)
    relu, tanh, norm = modules.ReLU(), modules.Tanh(), modules.LayerNorm(8)
    torch.nn.init.uniform_(norm.weight, -1, 1)
    for _ in range(5):
        for each in (relu, tanh, norm):
            grad_of(each(x), x, dy)
            grad_of(each(x), [x, *each.parameters()], dy)
    y = relu(x)
    assert (type(y.grad_fn).__name__ == "CppFunction") == IS_EXTENSION, y.grad_fn
    assert y.grad_fn.name() == "CudnnActivationBackward"
    assert not y.is_leaf and y.output_nr == 0 and y._version == 0
    assert [each and each.name() for each, _ in y.grad_fn.next_functions if each] == [
        "torch::autograd::AccumulateGrad"
    ]
    assert python_of(lambda: grad_of(relu(x), x, dy)) <= FRONT
    # Gradients by one plan need no tensors of Python.
    for each in (relu, tanh, norm):
        y = each(x)
        described.clear()
        grad_of(y, [x, *each.parameters()], dy)
        assert bool(described) != IS_EXTENSION, each
    expected = dy * (x > 0)

    # Another graph is needed for a second time, unless the first one is kept.
    y = relu(x)
    torch.testing.assert_close(grad_of(y, x, dy, retain_graph=True)[0], expected)
    torch.testing.assert_close(grad_of(y, x, dy)[0], expected)
    expect(RuntimeError, "second time", lambda: grad_of(y, x, dy))
    # A result or an input that was kept must not have changed.
    y = relu(x)
    with torch.no_grad():
        y.mul_(2)
    expect(RuntimeError, "inplace", lambda: grad_of(y, x, dy))
    z = x * 1
    y = tanh(z)
    with torch.no_grad():
        z.add_(1)
    expect(RuntimeError, "inplace", lambda: grad_of(y, x, dy))

    # A result that is computed of what was kept besides is computed again.
    pool, small = modules.MaxPool2d(2), torch.randn(2, 4, 3, 4)
    for _ in range(5):
        (wanted,) = grad_of(pool(x), x, small)
    for _ in range(3):
        y = pool(x)
        assert (type(y.grad_fn).__name__ == "CppFunction") == IS_EXTENSION, y.grad_fn
        with torch.no_grad():
            y.neg_()
        torch.testing.assert_close(grad_of(y, x, small)[0], wanted)
        z = x * 1
        y = pool(z)
        with torch.no_grad():
            y.neg_()
            z.neg_()
        expect(RuntimeError, "inplace", lambda y=y: grad_of(y, x, small))
        torch.testing.assert_close(grad_of(pool(x), x, small)[0], wanted)

    # Hooks on what is kept, on nodes and on tensors.
    seen: list[str] = []

    def pack(tensor: Any) -> Any:
        seen.append("pack")
        return tensor.detach().clone(), tensor

    def unpack(pair: Any) -> Any:
        seen.append("unpack")
        return pair[0]

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = tanh(x)
    assert seen == ["pack"] * 2, seen
    (found,) = grad_of(y, x, dy)
    assert seen == [*["pack"] * 2, *["unpack"] * 2], seen
    torch.testing.assert_close(found, dy * (1 - x.detach().tanh() ** 2))

    def refuse(_: Any) -> Any:
        raise KeyError("not this one")

    with torch.autograd.graph.saved_tensors_hooks(refuse, unpack):
        expect(KeyError, "not this one", lambda: tanh(x))
    y = relu(x)
    y.grad_fn.register_hook(
        lambda made, _: tuple(each if each is None else each * 2 for each in made)
    )
    y.grad_fn.register_prehook(lambda given: (given[0] * 3,))
    y.register_hook(lambda given: given * 5)
    (found,) = grad_of(y, x, dy)
    torch.testing.assert_close(found, expected * 30)
    y = checkpoint(lambda x: tanh(relu(x)), x, use_reentrant=False)
    (found,) = grad_of(y, x, dy)
    t = x.detach().relu().tanh()
    torch.testing.assert_close(found, expected * (1 - t * t))

    # Gradients may be asked for one after the other, and are none for what needs none.
    w = norm.weight
    for needs in ((True, True), (True, False), (False, True)):
        given = x.detach().requires_grad_(needs[0])
        w.requires_grad_(needs[1])
        y = norm(given)
        for one in [each for each, need in zip((given, w), needs, strict=True) if need]:
            (found,) = grad_of(y, one, dy, retain_graph=True)
            assert found.shape == one.shape
    w.requires_grad_(True)

    # A gradient that is not there is zeros.
    class Undefined(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(_: Any, given: Any) -> Any:
            return given.clone()

        @staticmethod
        def backward(_: Any, _dy: Any) -> Any:
            return None

    (found,) = grad_of(Undefined.apply(relu(x)), x, dy, allow_unused=True)
    assert found is None or not found.any()
    # Gradients have gradients by PyTorch.
    (first,) = grad_of(tanh(x), x, dy, create_graph=True)
    (second,) = grad_of(first.sum(), x)
    t = x.detach().tanh()
    torch.testing.assert_close(second, -2 * dy * t * (1 - t * t))

    # Tools that watch: anomalies, profiles, compiled autograd.
    with torch.autograd.detect_anomaly(check_nan=False):
        y = tanh(x)
        assert "traceback_" in y.grad_fn.metadata
        torch.testing.assert_close(grad_of(y, x, dy)[0], dy * (1 - t * t))
    with torch.profiler.profile() as profile:
        grad_of(relu(x), x, dy)
    names = {each.name for each in profile.events()}
    assert {"CudnnActivation", "CudnnActivationBackward"} <= names, names
    y = tanh(x)
    with torch._dynamo.compiled_autograd._enable(lambda graph: graph):
        torch.testing.assert_close(grad_of(y, x, dy)[0], dy * (1 - t * t))

    # Forward derivatives are PyTorch's, also of calls that are known.
    with torch.autograd.forward_ad.dual_level():
        for given in (x, x.detach()):
            dual = torch.autograd.forward_ad.make_dual(given, dy)
            found = torch.autograd.forward_ad.unpack_dual(relu(dual)).tangent
            torch.testing.assert_close(found, expected)
            assert grad_of(relu(x), x, dy)[0].equal(expected)
        # So are those of gradients.
        dual = torch.autograd.forward_ad.make_dual(dy, dy + 1)
        for each in (relu, tanh):
            (found,) = grad_of(each(x), x, dual)
            found = torch.autograd.forward_ad.unpack_dual(found)
            torch.testing.assert_close(found.tangent, grad_of(each(x), x, dy + 1)[0])
            torch.testing.assert_close(found.primal, grad_of(each(x), x, dy)[0])

    # Errors go to where the gradient was asked for.
    y = relu(x)
    layer: Any = relu._layer
    kept, layer._gradients = layer._gradients, None
    layer.all_gradients = lambda *_: (_ for _ in ()).throw(ZeroDivisionError("in backward"))
    expect(ZeroDivisionError, "in backward", lambda: grad_of(y, x, dy))
    del layer.all_gradients
    layer._gradients = kept

    # Threads share a layer. Nodes that have ended hold no reference to it.
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(50):
            (found,) = grad_of(relu(x), x, dy)
            if not torch.equal(found, expected):
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    y = x
    gc.collect()
    count = sys.getrefcount(layer)
    for _ in range(20):
        y = relu(x)
        grad_of(y, x, dy)
        relu(x)
    y = x
    gc.collect()
    assert sys.getrefcount(layer) == count
    other = modules.ReLU()
    for _ in range(3):
        y = other(x)
    del other
    (found,) = grad_of(y, x, dy)  # the node has what it needs
    torch.testing.assert_close(found, expected)
    # A long graph ends without a long chain of calls.
    y = x
    for _ in range(30_000):
        y = relu(y)
    y = x
    print("right")


if __name__ == "__main__":
    main()
    # The interpreter may free the imitation before the plans that call it.
    sys.stdout.flush()
    os._exit(0)
