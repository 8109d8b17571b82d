"""Known calls of installed kernels compute what others do, and the extension makes them without objects of Python:
tensors of the CPU pass for tensors on a GPU. The first argument says whether there is the extension."""

import sys
import threading
from typing import Any

import pytest
import torch
from cudnn_cffi._operation import way_search
from cudnn_cffi.torch import install
from cudnn_cffi.torch.autograd import recorder
from cudnn_cffi.torch.interfaces import convolution, installing, kernel
from torch._dynamo import compiled_autograd
from torch.autograd import forward_ad

from tests.fake_driver import FakeDriver
from tests.torch.pretended import Apart
from tests.torch.programs.nodes import Computing, described, find_way, pretend

F, aten, grad = torch.nn.functional, torch.ops.aten, torch.autograd.grad
IS_EXTENSION = sys.argv[1] == "extension"


apart = Apart()

without_bias: Any = F.conv2d(
    torch.ones(1, 1, 1, 1, requires_grad=True), torch.ones(1, 1, 1, 1)
).grad_fn
SIZES_OF_NONE = without_bias._saved_bias_sym_sizes_opt


class Elsewhere(Computing):
    """Plans that compute gradients where autograd is not open."""

    def _execute(self, *given: Any) -> int:
        return int(apart(super()._execute, *given))


def by_pytorch(function: Any, *given: Any) -> Any:
    """Return what PyTorch computes, whose calls are neither known nor learnt."""
    if IS_EXTENSION:
        recorder.extension().forget()
    found = apart(function, *given)
    if IS_EXTENSION:
        recorder.extension().forget()
    return found


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("PyTorch's own kernel was called")


def forward(q: Any, k: Any, v: Any, bias: Any = None, stats: bool = True) -> Any:
    return aten._scaled_dot_product_cudnn_attention(q, k, v, bias, stats, 0.0, False, False)


def backward(do: Any, q: Any, k: Any, v: Any, bias: Any = None) -> Any:
    o, stats, _, _, *lengths, seed, offset, _ = forward(q, k, v, bias)
    return aten._scaled_dot_product_cudnn_attention_backward(
        do, q, k, v, o, stats, seed, offset, bias, None, None, *lengths, 0.0, False
    )


def make(data: str, shape: tuple[int, ...]) -> Any:
    """Return a tensor whose numbers break kernels that mix rows, signs or sums."""
    x = torch.randn(shape, dtype=torch.float64)  # of which sums have few errors
    if data == "rows far below zero":
        x[..., ::2, :] -= 300
    elif data == "wide":
        x *= 30
    elif data in ("inf", "nan"):  # of one row, and of both signs
        x[..., 0, 0], x[..., -1, -1] = float(data), -float(data)
    elif data != "random":
        x.fill_({"zeros": -0.0, "constant": 0.75}[data])
    return x


DATA = "random", "rows far below zero", "wide", "zeros", "constant", "inf", "nan"


def places(x: Any, layout: str) -> Any:
    """Return the same numbers in another layout: (batch, heads, length, width) in memory, or as said."""
    if layout == "heads inside":
        return x.transpose(1, 2).contiguous().transpose(1, 2)
    if layout == "with gaps":
        return torch.cat([x, x + 1, x - 1], 3)[..., x.shape[3] : 2 * x.shape[3]].copy_(x)
    return x


def check(q: Any, k: Any, v: Any, bias: Any = None, do: Any = None) -> None:
    """Compare calls, of which the last ones are known."""
    do = torch.randn_like(q) if do is None else do
    inputs = [each.detach().requires_grad_() for each in (q, k, v)]
    expected = F.scaled_dot_product_attention(*inputs, bias)
    gradients = torch.autograd.grad(expected, inputs, do)
    for turn in range(5):
        described.clear()
        results = [forward(q, k, v, bias)[0], forward(q, k, v, bias, False)[0]]
        results += backward(do, q, k, v, bias)
        assert forward(q, k, v, bias, False)[1] is None
        for one, other in zip(results, (expected, expected, *gradients), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3, equal_nan=True)
            assert not one.requires_grad
        for one, like in zip(results, (q, q, q, k, v), strict=True):
            assert one.stride() == torch.empty_like(like).stride()
        if turn >= 3 and IS_EXTENSION:
            assert not described, (turn, described)


def check_gradients(
    x: Any, w: Any, transposed: bool = False, has_bias: bool = False, is_known: bool = True
) -> None:
    """Compare gradients of a convolution, of which the last ones are known."""
    options = [1, 1], [1, 0], [1, 1], transposed, [0, 0], 1
    function = F.conv_transpose2d if transposed else F.conv2d
    dy = torch.randn_like(by_pytorch(function, x, w, None, 1, (1, 0)))
    bias = [dy.shape[1]] if has_bias else None
    wanted = [True, True, has_bias]
    expected = by_pytorch(aten.convolution_backward, dy, x, w, bias, *options, wanted)
    largest = 10 + float(x[x.isfinite()].abs().max())
    for turn in range(4):
        described.clear()
        found = aten.convolution_backward(dy, x, w, bias, *options, wanted)
        for one, other in zip(found, expected, strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                torch.testing.assert_close(
                    one, other, rtol=1e-4, atol=1e-5 * largest, equal_nan=True
                )
                assert one.stride() == other.stride()
        if turn >= 2 and IS_EXTENSION and is_known:
            assert not described, (turn, described)


def attend(*given: Any, **named: Any) -> Any:
    """Return the result with its node."""
    q, k, v, *bias = given
    needs = torch.is_grad_enabled() and any(each.requires_grad for each in (q, k, v))
    bias = bias[0] if bias else None
    return aten._scaled_dot_product_cudnn_attention(
        q, k, v, bias, needs, 0.0, False, False, **named
    )[0]


def make_inputs(*lengths: int) -> list[Any]:
    shapes = [(2, 2, length, 8) for length in lengths]
    return [torch.randn(s, dtype=torch.float64).half().requires_grad_() for s in shapes]


def check_many(call: Any, given: Any, dy: Any, gradients: Any) -> None:
    """Compare gradients of several results at once, which are tensors without memory of their own."""
    found = grad(call(), given, torch.stack([dy, -dy]), is_grads_batched=True)
    for one, other in zip(found, gradients, strict=True):
        expected = torch.stack([other, -other])
        torch.testing.assert_close(one, expected, rtol=1e-2, atol=1e-2)


def check_nodes() -> None:
    """Nodes of known calls are as PyTorch's."""
    q, k, v = given = make_inputs(7, 5, 5)
    do = torch.randn(2, 2, 7, 8, dtype=torch.float16)
    expected = F.scaled_dot_product_attention(*given)
    gradients = grad(expected, given, do)

    def is_right(found: Any, *places: int) -> None:
        for one, place in zip(found, places or range(3), strict=True):
            torch.testing.assert_close(one, gradients[place], rtol=1e-2, atol=1e-2)

    for turn in range(5):
        described.clear()
        o = attend(*given)
        torch.testing.assert_close(o, expected, rtol=1e-2, atol=1e-2)
        is_right(grad(o, given, do))
        if turn >= 3 and IS_EXTENSION:
            assert not described, (turn, described)

    o = attend(*given)
    node: Any = o.grad_fn
    assert type(node).__name__ == node.name() == "ScaledDotProductCudnnAttentionBackward0"
    assert node._saved_query is q
    assert node._saved_attn_bias is None
    assert node._saved_scale is None
    assert node._saved_output.data_ptr() == o.data_ptr()
    assert [each[0] for each in node.next_functions] == [
        each.expand_as(each).grad_fn.next_functions[0][0] for each in given
    ]
    # Twice where it is kept, and not after that.
    for _ in range(2):
        is_right(grad(o, given, do, retain_graph=True))
    is_right(grad(o, given, do))
    with pytest.raises(RuntimeError, match="second time"):
        grad(o, given, do)
    for some in ((0,), (1,), (2,), (0, 2)):
        is_right(grad(attend(*given), [given[i] for i in some], do), *some)
    # Inputs of which one needs no gradient, or has a node of its own.
    found = grad(attend(q, k.detach(), v), [q, v], do)
    is_right(found, 0, 2)
    is_right(grad(attend(q * 1, k, v), given, do))
    check_many(lambda: attend(*given), given, do, gradients)
    # No gradient of the result.
    with pytest.raises(
        RuntimeError, match="derivative for aten::_scaled_dot_product_cudnn_attention_backward"
    ):
        first = grad(attend(*given), q, do.clone().requires_grad_(), create_graph=True)
        first[0].sum().backward()
    assert not attend(*[each.detach() for each in given]).requires_grad
    with torch.no_grad():
        assert attend(*given).grad_fn is None
    with torch.inference_mode():
        assert attend(*given).is_inference()
    # Changes of kept tensors are seen.
    k2 = k.detach().clone().requires_grad_()
    o = attend(q, k2, v)
    with torch.no_grad():
        k2.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        grad(o, q, do)
    o = attend(*given)
    o.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        grad(o, q, do)
    hooked: list[Any] = []

    def pack(x: Any) -> Any:
        hooked.append(x)
        return x.clone()

    def unpack(x: Any) -> Any:
        hooked.append(x)
        return x

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        o = attend(*given)
    kept = len(hooked)
    assert kept >= 5, kept
    is_right(grad(o, given, do))
    assert len(hooked) == 2 * kept, "each is asked for once"
    # Hooks of nodes and of tensors.
    o = attend(*given)
    o.grad_fn.register_hook(lambda made, _: tuple([2 * each for each in made]))
    o.register_hook(lambda each: each / 2)
    is_right(grad(o, given, do))
    # Where forward derivatives, transforms, traces, tools and other tensors come, it is PyTorch's.
    with torch.autograd.detect_anomaly(check_nan=False):
        is_right(grad(attend(*given), given, do))
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
        is_right(grad(attend(*given), given, do))
    names = [each.name for each in seen.events()]
    for name in ("attention", "attention_backward"):
        assert names.count(f"aten::_scaled_dot_product_cudnn_{name}") == 1, name
    is_right(torch.func.vjp(attend, *given)[1](do))
    y = torch.empty(0)
    y = torch.func.grad(lambda x: (attend(x, k, v) * do).sum())(q)
    is_right([y], 0)
    with (
        forward_ad.dual_level(),
        pytest.raises(NotImplementedError, match="Trying to use forward AD"),
    ):
        grad(attend(*given), given, forward_ad.make_dual(do, do))
    # A gradient on another thread, and after the installation.
    o = attend(*given)
    made: list[Any] = []
    thread = threading.Thread(target=lambda: made.extend(grad(o, given, do)))
    thread.start()
    thread.join()
    is_right(made)
    # A bias with a gradient is PyTorch's, which has none.
    bias = torch.zeros(1, 2, 7, 5, dtype=torch.float16)
    for _ in range(4):
        is_right(grad(attend(*given, bias), given, do))
    with pytest.raises(
        RuntimeError, match="not differentiable with respect to argument 'attn_bias'"
    ):
        attend(*given, bias.requires_grad_())
    with compiled_autograd._enable(lambda graph: graph):
        is_right(grad(attend(*given), given, do))
    if IS_EXTENSION:  # without the kernels in front of Python's
        part: Any = installing._parts["attention"]
        del part._covers[:2]
        described.clear()
        is_right(grad(attend(*given), given, do))
        assert not described
        assert attend(*[each.detach() for each in given]).grad_fn is None
        assert not described


def check_convolution_nodes(transposed: bool, form: Any, installation: Any) -> None:
    """The same of convolutions, which are counted; PyTorch computes transposed ones of the CPU."""
    function = F.conv_transpose2d if transposed else F.conv2d
    given = [torch.randn(shape) for shape in ((2, 4, 6, 8), (4, 4, 3, 3), (4,))]
    given[:2] = [each.to(memory_format=form) for each in given[:2]]
    x, w, b = [each.requires_grad_() for each in given]

    def call(x: Any = x, w: Any = w, b: Any = b) -> Any:
        return function(x, w, b, 1, (1, 0))

    def expect() -> Any:
        y = call()
        return y, dy, grad(y, (x, w, b), dy)

    dy = torch.randn_like(call())
    expected, _, gradients = by_pytorch(expect)

    def is_right(found: Any, *places: int) -> None:
        for one, place in zip(found, places or range(3), strict=True):
            torch.testing.assert_close(one, gradients[place], rtol=1e-4, atol=1e-4)

    for turn in range(4):
        described.clear()
        before = installation.report.handled.get("convolution", 0)
        y = call()
        assert installation.report.handled.get("convolution", 0) == before + (not transposed)
        torch.testing.assert_close(y, expected)
        is_right(grad(y, (x, w, b), dy))
        if turn >= 2 and IS_EXTENSION:
            assert not described, (turn, described)
    y = call()
    node: Any = y.grad_fn
    assert type(node).__name__ == node.name() == "ConvolutionBackward0"
    assert node._saved_input is x
    assert node._saved_bias_sym_sizes_opt == (4,)
    assert node._saved_padding == (1, 0)
    assert node._saved_transposed == transposed
    for _ in range(2):
        is_right(grad(y, (x, w, b), dy, retain_graph=True))
    for some in ((0,), (1,), (2,), (0, 2)):
        is_right(grad(call(), [given[i] for i in some], dy), *some)
    assert call(b=None).grad_fn._saved_bias_sym_sizes_opt == SIZES_OF_NONE
    is_right(grad(call(b=None), (x, w), dy), 0, 1)
    is_right(grad(call(b=b.detach()), (x, w), dy), 0, 1)
    is_right(grad(call(x.detach(), w.detach()), b, dy), 2)
    is_right(grad(call(x.detach()), w, dy), 1)
    assert call(x.detach(), w.detach(), None).grad_fn is None
    with torch.no_grad():
        assert call().grad_fn is None
    check_many(call, (x, w, b), dy, gradients)
    # Second derivatives, transforms and forward derivatives.
    twice = by_pytorch(
        lambda: torch.autograd.gradgradcheck(
            call, [e.detach().double().requires_grad_() for e in given]
        )
    )
    assert twice
    (first,) = grad(call(), x, dy.requires_grad_(), create_graph=True)
    (second,) = grad(first.sum(), dy)
    torch.testing.assert_close(
        second, by_pytorch(call, torch.ones_like(x), w, None), rtol=1e-4, atol=1e-4
    )
    dy = dy.detach()
    is_right(torch.func.vjp(call, x, w, b)[1](dy))
    _, tangent = torch.func.jvp(lambda x: call(x, w, None), (x,), (torch.ones_like(x),))
    torch.testing.assert_close(tangent, second, rtol=1e-4, atol=1e-4)
    with forward_ad.dual_level():  # the gradient is linear in dy
        made = grad(call(), (x, w, b), forward_ad.make_dual(2 * dy, dy))
        is_right([forward_ad.unpack_dual(each).tangent for each in made])
    found = torch.vmap(lambda x: call(x[None], w, b)[0])(x)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    with torch.no_grad():
        w.mul_(1)
    y = call()
    with torch.no_grad():
        w.mul_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        grad(y, x, dy)
    with compiled_autograd._enable(lambda graph: graph):
        is_right(grad(call(), (x, w, b), dy))
    if IS_EXTENSION:  # without the kernels in front of Python's
        part: Any = installing._parts["convolution"]
        del part._covers[:3]
        y = call()
        described.clear()
        is_right(grad(y, (x, w, b), dy))
        assert not described


def main() -> None:
    pretend()
    driver, cudnn = FakeDriver(), Elsewhere()
    driver.install(setattr)
    cudnn.bind()
    changed: Any = way_search
    changed.find_uncopied = find_way
    place: Any = kernel
    place.KEY = "CPU"
    assert recorder.load() == IS_EXTENSION
    own = torch.library.Library("aten", "IMPL")
    for name in ("", "_backward"):
        own.impl(f"_scaled_dot_product_cudnn_attention{name}", refuse, "CPU")
    for name in ("", "_transpose"):
        own.impl(f"cudnn_convolution{name}", refuse, "CPU")
    place = convolution
    place._select = lambda *_: None if apart.here else convolution.CUDNN[0]

    torch.manual_seed(0)
    with install("attention", fallback="error"):
        q, k, v = (torch.randn(2, 2, 8, 8, dtype=torch.float16) for _ in "qkv")
        bias = torch.randn(2, 2, 8, 8, dtype=torch.float16)
        check(q, k, v)
        check(q, k, v, bias=bias)
        check(q, q, q)
        check(q, k, v)  # known with other arrays than those that were one
        other = [each.transpose(1, 2).contiguous().transpose(1, 2) for each in (q, k, v)]
        check(other[0], other[1], other[2])
        check(q[:1], k[:1], v[:1])
        for data in DATA:
            for layout in ("heads outside", "heads inside", "with gaps"):
                shapes = (2, 2, 7, 8), (2, 2, 5, 8), (2, 2, 5, 8)
                q, k, v = (places(make(data, shape), layout) for shape in shapes)
                check(q, k, v)
                bias = make(data, (1, 2, 7, 5))
                check(q, k, v, bias=bias, do=places(make(data, shapes[0]), layout))
        with torch.inference_mode():
            found = forward(q, k, v)[0]
            assert found.is_inference()
        check_nodes()
    for transposed in (False, True):
        for form in (torch.contiguous_format, torch.channels_last):
            with install("convolution", fallback="error") as installation:
                check_convolution_nodes(transposed, form, installation)
    with install("convolution", fallback="error"):
        x, w = torch.randn(2, 4, 6, 8), torch.randn(4, 4, 3, 3)
        for form in (torch.contiguous_format, torch.channels_last):
            x, w = x.to(memory_format=form), w.to(memory_format=form)
            check_gradients(x, w)
            check_gradients(x, w, has_bias=True)
            check_gradients(x, w, transposed=True)
            for data in DATA:
                one, other = (
                    make(data, each.shape).float().to(memory_format=form) for each in (x, w)
                )
                check_gradients(one, other, has_bias=True)
                check_gradients(places(one, "with gaps"), other, is_known=False)


main()
print("right")
