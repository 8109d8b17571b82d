"""Unmodified PyTorch while kernels are installed: outputs and gradients against float64, and what ran.

The cases are those in which PyTorch documents attention and convolutions: heads, masks, dropout,
scales, widths, layouts, autocast, compilation, captures. Where PyTorch's cuDNN attention refuses a
call, it does so with kernels of this package, too.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest
from cudnn_cffi import ops

from tests.gpu.conftest import captured
from tests.threads import in_threads

#: The largest error, as the norm of the difference over the norm of the reference.
TOLERANCES = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


pytestmark = pytest.mark.usefixtures("exact")


@pytest.fixture(autouse=True)
def switches(torch: Any, extension: bool) -> Iterator[None]:
    """Kernels are PyTorch's own in the end; the extension makes known calls."""
    from cudnn_cffi.torch import uninstall

    assert extension in (True, False)
    torch.manual_seed(0)
    yield
    uninstall()


@pytest.fixture
def repeating(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's convolutions have the same bits each time."""
    monkeypatch.setattr(torch.backends.cudnn, "deterministic", True)


def by_cudnn(torch: Any) -> Any:
    """Have PyTorch choose its cuDNN attention, whatever it prefers on this GPU."""
    return torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION)


def error(one: Any, other: Any) -> float:
    one, other = one.double(), other.double()
    return float((one - other).norm() / other.norm().clamp(min=1e-3))


def strides(x: Any) -> list[int]:
    """Return the strides that mean something."""
    return [step for step, extent in zip(x.stride(), x.shape, strict=True) if extent > 1]


def check(found: list[Any], wanted: list[Any], tolerance: float) -> None:
    assert len(found) == len(wanted)
    for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
        assert one.shape == other.shape
        assert error(one, other) < tolerance, f"result {place}: {error(one, other):.2e}"


def compared(compute: Callable[[], list[Any]]) -> tuple[list[Any], list[Any], Any, list[str]]:
    """Return results with kernels installed and before, the report, and what was recorded.

    PyTorch computes before and after it, with the same bits, and nothing is recorded of it.
    """
    from cudnn_cffi.torch import install

    with ops.record() as alone:
        before, again = compute(), compute()
    with install() as installation, ops.record() as ran:
        found = compute()
    with ops.record() as later:
        after = compute()
    assert not alone
    assert not later
    names = [each.operation for each in ran]
    for name, calls in installation.report.handled.items():
        assert names.count(name) >= calls
    for place, (one, same, other) in enumerate(zip(before, again, after, strict=True)):
        repeats = torch_equal(one, same)  # PyTorch's other kernels need not
        assert not repeats or torch_equal(one, other), f"result {place} differs after it"
    assert torch_equal(before[0], after[0])
    return found, before, installation.report, names


def torch_equal(one: Any, other: Any) -> bool:
    return bool((one == other).all()) and one.stride() == other.stride()


# Convolutions


def block(torch: Any) -> Any:
    """A block of a ResNet with a projection, of PyTorch's modules alone."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(16, 32, 3, 2, 1, bias=False)
            self.norm1 = nn.BatchNorm2d(32)
            self.conv2 = nn.Conv2d(32, 32, 3, padding=1, bias=False)
            self.norm2 = nn.BatchNorm2d(32)
            self.project = nn.Conv2d(16, 32, 1, 2, bias=False)

        def forward(self, x: Any) -> Any:
            y = nn.functional.relu(self.norm1(self.conv1(x)))
            return nn.functional.relu(self.norm2(self.conv2(y)) + self.project(x))

    return Block()


def results(torch: Any, model: Any, x: Any) -> list[Any]:
    """The output, and the gradients for input and parameters."""
    x = x.detach().requires_grad_()
    y = model(x)
    weights = torch.linspace(-1, 1, y.numel(), device=y.device).reshape(y.shape).to(y.dtype)
    found = torch.autograd.grad((y * weights).sum(), [x, *model.parameters()])
    return [y.detach(), *found]


@pytest.mark.usefixtures("repeating")
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("dtype", list(TOLERANCES))
def test_a_block_of_a_resnet(torch: Any, dtype: str, last: bool) -> None:
    """In float32, and by autocast; each convolution and each of its gradients is computed here."""
    form = torch.channels_last if last else torch.contiguous_format
    model = block(torch)
    x = torch.randn(8, 16, 28, 28)
    wanted = results(torch, model.double(), x.double())
    model = model.float().cuda().to(memory_format=form)
    x = x.cuda().to(memory_format=form)
    kind = getattr(torch, dtype)

    def compute() -> list[Any]:
        with torch.autocast("cuda", kind, dtype != "float32"):
            return results(torch, model, x)

    found, before, report, ran = compared(compute)
    for one, other, exact in zip(found, before, wanted, strict=True):
        assert one.dtype == other.dtype
        # Statistics of batches enlarge what a convolution rounds, PyTorch's too.
        limit = max(4 * TOLERANCES[dtype], 1.5 * error(other, exact.cuda()))
        assert error(one, exact.cuda()) < limit
        assert strides(one) == strides(other)
    assert report.fallbacks == {}
    assert ran.count("convolution") == 3
    assert ran.count("convolution_backward_data") == 3
    assert ran.count("convolution_backward_filter") == 3


#: The class, its arguments, the shape of the input, and the calls.
LAYERS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("Conv1d", {"kernel_size": 5, "padding": 2}, (4, 8, 50)),
    ("Conv1d", {"kernel_size": 3, "dilation": 2, "groups": 2}, (4, 8, 50)),
    ("Conv2d", {"kernel_size": 3, "stride": 2}, (4, 8, 17, 19)),
    ("Conv2d", {"kernel_size": (1, 7), "padding": (0, 3), "groups": 4}, (4, 8, 17, 19)),
    ("Conv2d", {"kernel_size": 3, "padding": "same", "dilation": 2}, (4, 8, 17, 19)),
    ("Conv2d", {"kernel_size": 3, "padding": 1, "padding_mode": "circular"}, (4, 8, 17, 19)),
    ("Conv2d", {"kernel_size": 3}, (8, 17, 19)),
    ("Conv3d", {"kernel_size": 3, "padding": 1}, (2, 8, 6, 9, 10)),
    ("ConvTranspose1d", {"kernel_size": 4, "stride": 2}, (4, 8, 25)),
    ("ConvTranspose2d", {"kernel_size": 3, "stride": 2, "output_padding": 1}, (4, 8, 9, 8)),
    ("ConvTranspose2d", {"kernel_size": 3, "padding": 1, "groups": 4}, (4, 8, 9, 8)),
    ("ConvTranspose3d", {"kernel_size": 2, "stride": 2}, (2, 8, 4, 5, 6)),
]


@pytest.mark.usefixtures("repeating")
@pytest.mark.parametrize("dtype", list(TOLERANCES))
@pytest.mark.parametrize(("name", "options", "shape"), LAYERS, ids=str)
def test_convolutions(torch: Any, name: str, options: Any, shape: Any, dtype: str) -> None:
    """PyTorch has kernels of its own for some, in some directions; then it computes them."""
    layer = getattr(torch.nn, name)(8, 16, **options)
    x = torch.randn(shape).to(getattr(torch, dtype))
    layer = layer.to(getattr(torch, dtype))
    wanted = [each.cuda() for each in results(torch, layer.double(), x.double())]
    layer, x = layer.to("cuda", getattr(torch, dtype)), x.cuda()
    found, _, report, ran = compared(lambda: results(torch, layer, x))
    check(found, wanted, 2 * TOLERANCES[dtype])
    assert report.fallbacks == {}
    if dtype == "float32" or "3d" not in name:
        assert ("convolution_transpose" if "Transpose" in name else "convolution") in ran
        assert "convolution_backward_filter" in ran


def test_a_depthwise_convolution_is_pytorchs(torch: Any) -> None:
    layer = torch.nn.Conv2d(8, 8, 5, groups=8).cuda()
    x = torch.randn(1, 8, 12, 12, device="cuda")
    found, before, _, _ = compared(lambda: results(torch, layer, x))
    check(found, before, TOLERANCES["float32"])


@pytest.mark.parametrize("wanted", [(), (0,), (1,), (2,), (0, 2), (1, 2)], ids=str)
def test_gradients_that_are_asked_for(torch: Any, wanted: tuple[int, ...]) -> None:
    given = [torch.randn(each, device="cuda") for each in ((2, 4, 9, 9), (6, 4, 3, 3), (6,))]
    exact = [each.double().cpu() for each in given]

    def compute(given: list[Any]) -> list[Any]:
        for place in wanted:
            given[place].requires_grad_()
        y = torch.nn.functional.conv2d(*given, padding=1)
        chosen = [given[place] for place in wanted]
        return [y.detach(), *(torch.autograd.grad(y.square().sum(), chosen) if chosen else ())]

    found, _, report, ran = compared(lambda: compute(given))
    check(found, [each.cuda() for each in compute(exact)], TOLERANCES["float32"])
    assert report.fallbacks == {}
    expected = {"convolution"}
    expected |= {"convolution_backward_data"} if 0 in wanted else set()
    expected |= {"convolution_backward_filter"} if 1 in wanted else set()
    assert report.handled == dict.fromkeys(expected, 1)
    assert ran[0] == "convolution"


def test_layouts_of_convolutions(torch: Any) -> None:
    """Gaps, transposed axes, repeated elements, also in the gradient that comes in."""
    layer = torch.nn.Conv2d(8, 16, 3).cuda()
    base = torch.randn(4, 16, 20, 20, device="cuda")
    views = {
        "channels": base[:, ::2], "columns": base[:, :8, :, 2:], "examples": base[::2, :8],
        "transposed": base[:, :8].transpose(2, 3), "repeated": base[:1, :8].expand(4, -1, -1, -1),
    }  # fmt: skip
    for name, x in views.items():

        def compute(x: Any = x) -> list[Any]:
            x = x.detach().requires_grad_()
            y = layer(x)
            return [y.detach(), *torch.autograd.grad(y.sum(), [x, layer.weight, layer.bias])]

        found, before, report, _ = compared(compute)
        check(found, before, TOLERANCES["float32"])
        assert report.fallbacks == {}, name


def test_second_derivatives(torch: Any) -> None:
    def compute(kind: Any, device: str) -> list[Any]:
        torch.manual_seed(3)
        given = [torch.randn(each).to(device, kind).requires_grad_()
                 for each in ((2, 4, 8, 8), (6, 4, 3, 3))]  # fmt: skip
        y = torch.nn.functional.conv2d(*given)
        first = torch.autograd.grad(y.pow(3).sum(), given, create_graph=True)
        return list(torch.autograd.grad(sum(each.square().sum() for each in first), given))

    found, _, report, _ = compared(partial(compute, torch.float32, "cuda"))
    check(found, [each.cuda() for each in compute(torch.float64, "cpu")], 1e-4)
    assert report.fallbacks == {}


# Attention


def exact_attention(
    torch: Any, given: list[Any], mask: Any = None, causal: bool = False, scale: float | None = None
) -> Any:
    """Attention by its formula, for which PyTorch has gradients."""
    q, k, v = given
    heads = q.shape[1]
    k, v = (each.repeat_interleave(heads // each.shape[1], 1) for each in (k, v))
    found = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        allowed = torch.ones(found.shape[-2:], dtype=torch.bool, device=q.device).tril()
        found = found.masked_fill(~allowed, -math.inf)
    if mask is not None:
        found = found.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else found + mask
    return found.softmax(-1) @ v


ATTENTION: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"causal": True},
    "a scale": {"scale": 0.3},
    "two heads share keys": {"keys": (2, 4, 128, 64)},
    "all heads share keys": {"keys": (2, 1, 128, 64), "causal": True},
    "fewer keys": {"keys": (2, 8, 72, 64)},
    "more keys": {"keys": (2, 8, 333, 64)},
    "odd lengths": {"queries": (2, 8, 77, 64), "keys": (2, 8, 91, 64)},
    "odd lengths, causal": {"queries": (1, 2, 131, 64), "keys": (1, 2, 131, 64), "causal": True},
    "one query": {"queries": (2, 8, 1, 64)},
    "one example and head": {"queries": (1, 1, 128, 64), "keys": (1, 1, 128, 64)},
    **{
        f"width {width}": {"queries": (2, 4, 96, width), "keys": (2, 4, 96, width)}
        for width in (8, 16, 32, 40, 72, 96, 128, 192, 256)
    },
    "another width of values": {"values": (2, 8, 128, 32)},
    "truths": {"mask": (2, 8, 128, 128), "truths": True},
    "truths for all heads": {"mask": (2, 1, 128, 128), "truths": True},
    "truths of padding": {"mask": (2, 1, 1, 128), "truths": True},
    "truths of two axes": {"mask": (128, 128), "truths": True},
    "a bias": {"mask": (2, 8, 128, 128)},
    "a bias for all examples": {"mask": (1, 8, 128, 128)},
    "a bias of two axes": {"mask": (128, 128)},
    "a bias and shared keys": {"mask": (2, 1, 128, 128), "keys": (2, 2, 128, 64)},
    "a bias and a scale": {"mask": (2, 8, 128, 128), "scale": 0.05},
    "lengths before heads": {"layout": "BSHD"},
    "lengths first": {"layout": "SBHD"},
    "one projection for all": {"layout": "packed"},
    "gaps": {"layout": "gaps"},
    "repeated keys": {"layout": "repeated"},
}


def operands(torch: Any, case: dict[str, Any], dtype: Any) -> list[Any]:
    """The tensors of a case, on the GPU."""
    queries = case.get("queries", (2, 8, 128, 64))
    keys = case.get("keys", (*queries[:2], 128, queries[3]))
    shapes = queries, keys, case.get("values", keys)
    given = [torch.randn(each, device="cuda", dtype=dtype) for each in shapes]
    layout = case.get("layout")
    order = {"BSHD": (0, 2, 1, 3), "SBHD": (2, 0, 1, 3)}.get(layout or "")
    if order is not None:
        back = [order.index(axis) for axis in range(4)]
        return [each.permute(order).contiguous().permute(back) for each in given]
    if layout == "packed":
        whole = torch.stack([each.transpose(1, 2) for each in given], 2).contiguous()
        return [each.transpose(1, 2) for each in whole.unbind(2)]
    if layout == "gaps":
        return [torch.cat([each, each], 2)[:, :, : each.shape[2]] for each in given]
    if layout == "repeated":
        return [given[0], *[each[:, :1].expand(-1, 8, -1, -1) for each in given[1:]]]
    return given


def mask_of(torch: Any, case: dict[str, Any], dtype: Any) -> Any:
    if "mask" not in case:
        return None
    found = torch.randn(case["mask"], device="cuda", dtype=dtype)
    if not case.get("truths"):
        return found
    found = found > -0.5
    found[..., 0] = True  # each query sees a key
    return found


def attend(torch: Any, given: list[Any], mask: Any, case: dict[str, Any], grads: bool) -> list[Any]:
    given = [each.detach().requires_grad_(grads) for each in given]
    options = {"is_causal": case.get("causal", False), "scale": case.get("scale")}
    with by_cudnn(torch):
        o = torch.nn.functional.scaled_dot_product_attention(
            *given, mask, **options, enable_gqa=given[0].shape[1] != given[1].shape[1]
        )
    return [o.detach(), *(torch.autograd.grad(o, given, o.detach().cos()) if grads else ())]


@pytest.mark.parametrize("grads", [True, False])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ATTENTION)
def test_attention(torch: Any, name: str, dtype: str, grads: bool) -> None:
    case, kind = ATTENTION[name], getattr(torch, dtype)
    given, mask = operands(torch, case, kind), mask_of(torch, case, kind)
    compute = partial(attend, torch, given, mask, case, grads)
    refused = refusal(compute)
    if refused:
        from cudnn_cffi.torch import install

        with install():
            assert refusal(compute) == refused
        pytest.skip(f"PyTorch's cuDNN attention refuses it: {refused}")
    exact = [each.detach().double().requires_grad_() for each in given]
    wide = mask if mask is None or mask.dtype == torch.bool else mask.double()
    o = exact_attention(torch, exact, wide, case.get("causal", False), case.get("scale"))
    theirs = compute()
    wanted = [o.detach()]
    if grads:
        wanted += torch.autograd.grad(o, exact, theirs[0].double().cos())
    from cudnn_cffi.torch import install

    with install() as installation, ops.record() as ran:
        found = compute()
    with ops.record() as later:
        after = compute()
    assert not later
    assert torch.equal(theirs[0], after[0]), "PyTorch's bits are as before"
    check(found, wanted, TOLERANCES[dtype])
    names = ["attention", "attention_backward"] if grads else ["attention"]
    assert {each.operation for each in ran} >= set(names)
    assert installation.report.handled == dict.fromkeys(names, 1)
    assert strides(found[0]) == strides(theirs[0])


def refusal(compute: Callable[[], Any]) -> str:
    """Return how PyTorch refuses a call; "" if it computes it."""
    try:
        compute()
    except RuntimeError as found:
        if "No available kernel" not in str(found):
            raise
        return str(found)
    return ""


@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 2)], ids=str)
def test_gradients_of_some_operands(torch: Any, wanted: tuple[int, ...]) -> None:
    from cudnn_cffi.torch import install

    given = operands(torch, {}, torch.float16)
    exact = [each.double() for each in given]
    for each in (given, exact):
        for place in wanted:
            each[place].requires_grad_()
    o = exact_attention(torch, exact)
    expected = torch.autograd.grad(o.sum(), [exact[place] for place in wanted])
    with install() as installation, by_cudnn(torch):
        o = torch.nn.functional.scaled_dot_product_attention(*given)
        found = torch.autograd.grad(o.sum(), [given[place] for place in wanted])
    assert installation.report.handled == {"attention": 1, "attention_backward": 1}
    for one, other in zip(found, expected, strict=True):
        # The gradients for queries and keys of a sum cancel.
        assert float((one - other).abs().max()) < 2e-2 * max(1.0, float(other.abs().max()))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_dropout(torch: Any, dtype: str) -> None:
    """The generator decides, the gradient has the same mask, and the mean is kept."""
    from cudnn_cffi.torch import install

    length, rate, kind = 64, 0.25, getattr(torch, dtype)
    q, k = (torch.randn(4, 8, length, length, device="cuda", dtype=kind) for _ in range(2))
    # The result is the matrix of softmax with elements dropped.
    v = torch.eye(length, device="cuda", dtype=kind).expand(4, 8, -1, -1).contiguous()
    v.requires_grad_()
    plain = exact_attention(torch, [each.detach().double() for each in (q, k, v)])

    def compute(seed: int) -> tuple[Any, Any, Any]:
        torch.manual_seed(seed)
        with by_cudnn(torch):
            o = torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=rate)
        do = torch.randn_like(o)
        return o.detach(), do, torch.autograd.grad(o, v, do)[0]

    with install() as installation:
        (o, do, dv), again, other = compute(1), compute(1), compute(2)
    assert installation.report.handled == {"attention": 3, "attention_backward": 3}
    assert torch.equal(o, again[0])
    assert torch.equal(dv, again[2])
    assert not torch.equal(o, other[0])
    dropped = o == 0
    assert abs(float(dropped.double().mean()) - rate) < 0.01
    check([o], [torch.where(dropped, 0, plain / (1 - rate))], TOLERANCES[dtype])
    check([dv], [o.double().transpose(-1, -2) @ do.double()], TOLERANCES[dtype])


def test_rows_that_see_nothing(torch: Any) -> None:
    """Other rows, and their gradients, are right; there is no NaN in them."""
    from cudnn_cffi.torch import install

    case = {"mask": (2, 1, 128, 128), "truths": True}
    given, mask = operands(torch, case, torch.float16), mask_of(torch, case, torch.float16)
    mask[:, :, 5:9] = False
    seen = torch.ones(128, dtype=torch.bool, device="cuda")
    seen[5:9] = False
    exact = exact_attention(torch, [each.double() for each in given], mask)
    with install() as installation:
        o = attend(torch, given, mask, case, False)[0]
    assert installation.report.handled == {"attention": 1}
    check([o[:, :, seen]], [exact[:, :, seen]], TOLERANCES["float16"])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("grads", [True, False])
def test_a_module_of_attention_by_autocast(torch: Any, dtype: str, grads: bool) -> None:
    """`torch.nn.MultiheadAttention` in training, with masks, which calls the function."""
    from cudnn_cffi.torch import install

    kind = getattr(torch, dtype)
    module = torch.nn.MultiheadAttention(256, 4, batch_first=True).cuda()
    x = torch.randn(2, 96, 256, device="cuda")
    mask = torch.ones(96, 96, dtype=torch.bool, device="cuda").triu(1)

    def compute(model: Any, x: Any) -> list[Any]:
        x = x.detach().requires_grad_(grads)
        with by_cudnn(torch) if model is module else nullcontext():
            y = model(x, x, x, need_weights=False, attn_mask=mask)[0]
        if not grads:
            return [y.detach()]
        return [y.detach(), *torch.autograd.grad(y.square().sum(), [x, *model.parameters()])]

    wanted = compute(copy.deepcopy(module).double(), x.double())
    with install() as installation, torch.autocast("cuda", kind), ops.record() as ran:
        found = compute(module, x)
    assert installation.report.fallbacks == {}
    assert "attention" in [each.operation for each in ran]
    bias = module.in_proj_bias.numel()
    for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if one.numel() == bias:  # that of keys has a gradient of zero
            one, other = one[2 * bias // 3 :], other[2 * bias // 3 :]
        assert error(one, other) < 3 * TOLERANCES[dtype], place


# Between the functions and the kernels


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_compiled_models(torch: Any, backend: str, when: str) -> None:
    """Installing takes hold of models that were compiled before, and undoing does, too."""
    from cudnn_cffi.torch import install

    if backend == "inductor":
        pytest.importorskip("triton")
    torch._dynamo.reset()
    model = block(torch).cuda().half()
    x = torch.randn(4, 16, 28, 28, device="cuda", dtype=torch.half)

    def function(x: Any) -> Any:
        y = model(x)
        q = y.flatten(2).unflatten(1, (4, 8)).transpose(2, 3).contiguous()
        q = torch.nn.functional.pad(q, (0, 8))
        return torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)

    def compute(call: Any) -> list[Any]:
        own = x.detach().requires_grad_()
        y = call(own)
        return [y.detach(), *torch.autograd.grad(y.square().sum(), [own, *model.parameters()])]

    compiled = torch.compile(function, backend=backend)
    try:
        with by_cudnn(torch):
            wanted = compute(function)
            if when == "before":
                compute(compiled)
            with install() as installation, ops.record() as ran:
                found = compute(compiled)
                again = compute(compiled)
            with ops.record() as later:
                compute(compiled)
    finally:
        torch._dynamo.reset()
    assert not later
    check(found, wanted, 5e-2)
    check(again, wanted, 5e-2)
    handled = installation.report.handled
    assert handled["attention"] == handled["attention_backward"] == 2
    assert handled["convolution"] == handled["convolution_backward_filter"] == 6
    assert len(ran) >= sum(handled.values())


def test_a_captured_step(torch: Any) -> None:
    """Forward and backward in a CUDA graph, which computes the same after the end, too."""
    from cudnn_cffi.torch import install

    model = block(torch).cuda().half()
    x = torch.randn(4, 16, 28, 28, device="cuda", dtype=torch.half).requires_grad_()
    q = torch.randn(2, 4, 64, 64, device="cuda", dtype=torch.half).requires_grad_()

    def step() -> list[Any]:
        y = model(x)
        with by_cudnn(torch):
            o = torch.nn.functional.scaled_dot_product_attention(q, q, q)
        given = [x, q, *model.parameters()]
        loss = y.float().square().sum() + o.float().square().sum()
        return [y.detach(), o.detach(), *torch.autograd.grad(loss, given)]

    with install() as installation:
        graph, outputs = captured(step)
    assert installation.report.fallbacks == {}
    with torch.no_grad():
        x.copy_(torch.randn_like(x))
        q.copy_(torch.randn_like(q))
    graph.replay()
    wanted = step()
    check(outputs, wanted, 2e-2)


def test_dropout_in_a_captured_graph(torch: Any) -> None:
    """Each replay draws other random numbers, and its gradient has the same ones."""
    from cudnn_cffi.torch import install

    length, kind = 64, {"device": "cuda", "dtype": torch.half}
    q, k = (torch.randn(2, 4, length, length, **kind) for _ in range(2))
    v = torch.eye(length, **kind).expand(2, 4, -1, -1).contiguous().requires_grad_()
    do = torch.randn(2, 4, length, length, **kind)

    def step() -> tuple[Any, Any]:
        with by_cudnn(torch):
            o = torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
        return o.detach(), torch.autograd.grad(o, v, do)[0]

    with install() as installation:
        graph, (o, dv) = captured(step)
    assert installation.report.fallbacks == {}
    found = []
    for _ in range(3):
        graph.replay()
        check([dv], [o.double().transpose(-1, -2) @ do.double()], TOLERANCES["float16"])
        found.append(o.clone())
    assert not torch.equal(found[0], found[1])
    assert not torch.equal(found[1], found[2])


def test_memory_is_flat(torch: Any) -> None:
    """Over steps, and over installations."""
    from cudnn_cffi.torch import install

    model = block(torch).cuda()
    x = torch.randn(4, 16, 28, 28, device="cuda")
    used = []
    for _ in range(40):
        with install():
            results(torch, model, x)
        torch.cuda.synchronize()
        used.append(torch.cuda.memory_allocated())
    # Autograd's thread may hold the gradients of a call for a while.
    assert min(used[30:]) <= min(used[10:20])


def test_transforms(torch: Any) -> None:
    """Examples by `vmap`, gradients by `torch.func.grad`, forward derivatives."""
    functional, func = torch.nn.functional, torch.func
    x, w = torch.randn(3, 2, 4, 9, 9, device="cuda"), torch.randn(6, 4, 3, 3, device="cuda")
    calls: list[Callable[[], Any]] = [
        lambda: func.vmap(functional.conv2d, (0, None))(x, w),
        lambda: func.grad(lambda w: functional.conv2d(x[0], w).square().sum())(w),
        lambda: func.jvp(lambda w: functional.conv2d(x[0], w), (w,), (w,))[1],
    ]
    for call in calls:

        def compute(call: Callable[[], Any] = call) -> list[Any]:
            return [call()]

        found, before, report, ran = compared(compute)
        check(found, before, TOLERANCES["float32"])
        assert ran
        assert report.fallbacks == {}


def test_empty_tensors(torch: Any) -> None:
    """PyTorch has results without cuDNN."""
    layer = torch.nn.Conv2d(4, 6, 3).cuda()
    x = torch.randn(0, 4, 8, 8, device="cuda")
    found, before, _, ran = compared(lambda: results(torch, layer, x))
    assert [each.shape for each in found] == [each.shape for each in before]
    assert not ran


def test_threads_with_streams(torch: Any) -> None:
    """Threads train on streams of their own; each gets what it gets alone."""
    from cudnn_cffi.torch import install

    model = block(torch).cuda()
    model.eval()
    inputs = [torch.randn(2, 16, 20, 20, device="cuda") for _ in range(4)]
    with install():
        wanted = [results(torch, model, x) for x in inputs]
        torch.cuda.synchronize()
        found: list[Any] = [None] * len(inputs)

        def work(place: int) -> None:
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(5):
                    found[place] = results(torch, model, inputs[place])
                torch.cuda.current_stream().synchronize()

        in_threads(work, range(len(inputs)))
    for one, other in zip(found, wanted, strict=True):
        check(one, other, 1e-4)


def test_choices_hold(torch: Any) -> None:
    """A scope of this package chooses the algorithm of PyTorch's own module."""
    from cudnn_cffi import choice, errors
    from cudnn_cffi.torch import install

    layer = torch.nn.Conv2d(8, 16, 3, padding=1).cuda()
    x = torch.randn(2, 8, 12, 12, device="cuda")
    with install(), ops.record() as ran, choice.scope("IMPLICIT_GEMM"):
        layer(x)
    assert [each.way.rpartition(".")[2] for each in ran] == ["IMPLICIT_GEMM"]
    strided = torch.nn.Conv2d(8, 16, 3, 2).cuda()
    with install(), choice.scope("WINOGRAD"), pytest.raises(errors.CudnnError, match="the choice"):
        strided(x)


def test_models_of_transformers(torch: Any) -> None:
    """A Llama of random weights, with padding, beside its `sdpa` and float64."""
    transformers = pytest.importorskip("transformers")
    from cudnn_cffi.torch import register_transformers

    register_transformers()
    config = transformers.LlamaConfig(
        hidden_size=512, intermediate_size=512, num_hidden_layers=2, num_attention_heads=8,
        num_key_value_heads=2, vocab_size=100, max_position_embeddings=128,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).cuda()
    ids = torch.randint(0, 100, (2, 70), device="cuda")
    mask = torch.ones_like(ids)
    mask[0, :20] = 0

    def compute(model: Any, name: str) -> list[Any]:
        model.set_attn_implementation(name)
        y = model(ids, attention_mask=mask).logits[mask.bool()]
        return [y.detach(), *torch.autograd.grad(y.float().square().mean(), model.parameters())]

    wanted = compute(copy.deepcopy(model).double(), "sdpa")
    model = model.bfloat16()
    theirs = compute(model, "sdpa")
    with ops.record() as ran:
        found = compute(model, "cudnn_cffi")
    names = [each.operation for each in ran]
    assert names.count("attention") == names.count("attention_backward") == 2
    for one, other, exact in zip(found, theirs, wanted, strict=True):
        assert error(one, exact) < max(1.5 * error(other, exact), 1e-2)


@pytest.mark.parametrize("grads", [False, True])
def test_known_calls_pass_python(
    torch: Any, extension: bool, grads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third call does at the latest; others after an installation, with other numbers, and
    under a scope."""
    from cudnn_cffi import choice
    from cudnn_cffi.torch import install
    from cudnn_cffi.torch.interfaces import attention, convolution, kernel

    if not extension:
        pytest.skip("the extension is for the compiled call layer")
    seen: list[object] = []

    def known(key: object) -> Any:
        seen.append(key)
        return kernel.known(key)

    def offer(*given: Any, **more: Any) -> None:
        seen.append(given)
        kernel.offer_parts(*given, **more)

    monkeypatch.setattr(attention, "known", known)
    monkeypatch.setattr(convolution, "offer_parts", offer)
    sdpa, conv = torch.nn.functional.scaled_dot_product_attention, torch.conv2d
    q = torch.randn(2, 4, 64, 32, device="cuda", dtype=torch.float16, requires_grad=grads)
    x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.float16, requires_grad=grads)
    w = torch.randn(8, 8, 3, 3, device="cuda", dtype=torch.float16, requires_grad=grads)

    bias = torch.randn(2, 4, 64, 64, device="cuda", dtype=torch.float16)
    dy = torch.randn(q.shape, device="cuda", dtype=torch.float16)

    def step(scale: float, padding: int) -> list[Any]:
        y = sdpa(q, q, q, scale=scale)
        both = [y, sdpa(q, q, q, bias, scale=scale)]
        more = torch.autograd.grad(y, q, dy) if grads else ()
        return [*both, *convolved(x, w, padding), *more]

    def convolved(x: Any, w: Any, padding: int) -> list[Any]:
        y = conv(x, w, padding=padding)
        return [y.detach(), *(torch.autograd.grad(y, (x, w), y.detach()) if grads else ())]

    def expected(scale: float, padding: int) -> list[Any]:
        p = q.detach().double().requires_grad_(grads)
        scores = p @ p.mT * scale
        y = scores.softmax(-1) @ p
        more = torch.autograd.grad(y, p, dy.double(), retain_graph=True) if grads else ()
        both = [y.detach(), ((scores + bias.double()).softmax(-1) @ p).detach()]
        given = [each.detach().double().requires_grad_(grads) for each in (x, w)]
        return [*both, *convolved(given[0], given[1], padding), *more]

    cases = [(0.1, 1), (0.5, 0)]
    wanted = [expected(*each) for each in cases]
    handled = {"attention": 20, "convolution": 10}
    if grads:
        gradients = "convolution_backward_data", "convolution_backward_filter"
        handled |= dict.fromkeys(("attention_backward", *gradients), 10)
    with by_cudnn(torch):
        for _ in range(2):
            with install() as installation:
                for case, numbers in zip(cases, wanted, strict=True):
                    for turn in range(5):
                        seen.clear()
                        check(step(*case), numbers, TOLERANCES["float16"])
                        assert bool(seen) == (turn < 2)
                assert installation.report.handled == handled
                with choice.scope(deterministic=True), ops.record() as ran:
                    check(step(*cases[0]), wanted[0], TOLERANCES["float16"])
                assert Counter(each.operation for each in ran) == {
                    name: calls // 10 for name, calls in handled.items()
                }
                with torch.autocast("cuda", torch.bfloat16):
                    assert conv(x, w).dtype == sdpa(q, q, q).dtype == torch.bfloat16
                y = conv(x.float(), w.float(), padding=1).detach()  # another type
                assert error(y, wanted[0][2]) < TOLERANCES["float32"]
