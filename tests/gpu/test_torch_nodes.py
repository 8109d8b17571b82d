"""Calls with gradients that are known go straight to their plans, and are right: again and again, with
other numbers, other needs, and on several threads and streams."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import pytest

from tests.gpu.conftest import capturing
from tests.threads import in_threads
from tests.torch.cases import MODULES, Case, name_of

from .test_torch_modules import LOOSER, check, made, run

#: One plan computes each gradient, or one plan computes all.
KINDS = (
    *("Conv2d", "ConvTranspose2d", "MaxPool2d", "AvgPool2d", "ReLU", "GELU", "Softmax"),
    *("BatchNorm2d", "LayerNorm", "RMSNorm", "InstanceNorm2d", "LocalResponseNorm"),
)
CASES = [each for each in MODULES if each.name in KINDS]

pytestmark = pytest.mark.usefixtures("exact", "nodes")


def layers_of(module: Any) -> list[Any]:
    layer = module._layer
    return list(layer.values()) if isinstance(layer, dict) else [layer]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_known_calls(torch: Any, case: Case) -> None:
    from cudnn_cffi import _call

    ours, theirs = made(torch, case, torch.float32)
    for turn in range(4):
        torch.manual_seed(turn)
        x = torch.randn(case.shape)
        weights = torch.randn(copy.deepcopy(theirs)(x.double()).shape)  # a norm keeps statistics
        check(
            run(torch, ours, x.cuda(), weights.cuda()),
            run(torch, theirs, x.double(), weights.double()), 2e-5 * LOOSER.get(case.name, 1.0),
        )  # fmt: skip
    # Of parameters that are filled in Python knows alone.
    known = case.name == "ReLU" or (case.name == "LayerNorm" and theirs.bias is not None)
    if known and _call.mode() == "api":
        (layer,) = layers_of(ours)
        assert layer.refused or (len(layer._calls) and len(layer._gradients))


@pytest.mark.parametrize("name", ["Conv2d", "LayerNorm", "RMSNorm"])
def test_other_needs(torch: Any, name: str) -> None:
    """The gradients that are needed may change from call to call."""
    case = next(each for each in CASES if each.name == name)
    ours, theirs = made(torch, case, torch.float32)
    for turn in range(3):
        for needs in ("x", "weight", "all"):
            torch.manual_seed(turn)
            x = torch.randn(case.shape)
            weights = torch.randn(theirs(x.double()).shape)
            found = []
            for module, kind in ((ours, "cuda"), (theirs, torch.float64)):
                given = x.to(kind).requires_grad_(needs != "weight")
                own = [] if needs == "x" else [each for _, each in module.named_parameters()]
                wanted = [*([] if needs == "weight" else [given]), *own]
                for each in module.parameters():
                    each.requires_grad_(needs != "x")
                found.append(torch.autograd.grad(module(given), wanted, weights.to(kind)))
            check(list(found[0]), list(found[1]), 2e-5)


def _gradients(module: Any, x: Any, dy: Any) -> list[Any]:
    grad: Any = sys.modules["torch"].autograd.grad
    y = module(x)
    return [y.detach(), *grad(y, [x, *module.parameters()], dy)]


@pytest.mark.parametrize("name", ["Conv2d", "MaxPool2d", "GELU", "LayerNorm", "Softmax"])
def test_what_comes_between_known_calls(torch: Any, name: str) -> None:
    """Gradients of any strides, no elements, modes, copies, transforms, streams, a second device."""
    case = next(each for each in CASES if each.name == name)
    ours, theirs = made(torch, case, torch.float32)
    plain = torch.randn(case.shape, device="cuda", requires_grad=True)
    shape = tuple(ours(plain).shape)
    # Some gradients of softmax are differences of equal numbers.
    tolerance = 1e-3 if name == "Softmax" else 2e-5 * LOOSER.get(name, 1.0)

    def compare(module: Any, x: Any, dy: Any, tolerance: float = tolerance) -> None:
        like = x.detach().double().cpu().requires_grad_()
        check(_gradients(module, x, dy), _gradients(theirs, like, dy.double().cpu()), tolerance)

    def again() -> None:
        for _ in range(2):
            compare(ours, plain, torch.randn(shape, device="cuda"))

    again()
    wide = torch.randn((*shape[:-1], 2 * shape[-1]), device="cuda")
    for dy in (
        torch.randn((), device="cuda").expand(shape), torch.randn(shape[-1], device="cuda").expand(shape),
        wide[..., ::2], torch.zeros(shape, device="cuda"),
        torch.randn(shape[::-1], device="cuda").permute(*reversed(range(len(shape)))),
    ):  # fmt: skip
        for _ in range(3):
            compare(ours, plain, dy)
    again()
    if name != "Softmax":
        empty = plain.detach()[:0].requires_grad_()
        assert (
            _gradients(ours, empty, torch.randn(0, *shape[1:], device="cuda"))[1].shape
            == empty.shape
        )
    with torch.no_grad():
        assert ours(plain).grad_fn is None
        with torch.enable_grad():
            again()
    with torch.inference_mode():
        assert ours(plain).is_inference()
    again()
    torch.backends.cudnn.deterministic = True
    try:
        again()
    finally:
        torch.backends.cudnn.deterministic = False
    with torch.autocast("cuda", torch.bfloat16):
        y = ours(plain)
    assert torch.autograd.grad(y, plain, torch.ones_like(y))[0].dtype == torch.float32
    again()
    for twin in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        for _ in range(3):
            compare(twin, plain, torch.randn(shape, device="cuda"))
    y = ours(plain)
    if name in ("Conv2d", "LayerNorm"):
        with torch.no_grad():
            ours.weight.add_(0)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(y, plain, torch.ones_like(y))
    many = torch.randn(3, *case.shape, device="cuda")
    with torch.no_grad():
        found = torch.func.vmap(ours)(many)
        check([found], [torch.stack([theirs(each) for each in many.double().cpu()])], tolerance)
    (found,) = torch.func.vjp(ours, plain.detach())[1](torch.ones(shape, device="cuda"))
    y = ours(plain)
    check([found], list(torch.autograd.grad(y, plain, torch.ones_like(y))), tolerance)
    y = ours(plain)
    given, many = [plain, *ours.parameters()], torch.randn(3, *shape, device="cuda")
    rows = [torch.autograd.grad(y, given, each, retain_graph=True) for each in many]
    found = list(torch.autograd.grad(y, given, many, is_grads_batched=True))
    check(found, [torch.stack(each) for each in zip(*rows, strict=True)], tolerance)
    # Gradients belong into the stream of the call, wherever they are asked for.
    stream = torch.cuda.Stream()
    dy = torch.randn(shape, device="cuda")
    for _ in range(4):
        numbers = torch.randn(case.shape, device="cuda")
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            torch.cuda._sleep(2_000_000)
            x = torch.zeros_like(numbers).copy_(numbers).requires_grad_()
            y = ours(x)
        compare_with = _gradients(
            theirs, numbers.double().cpu().requires_grad_(), dy.double().cpu()
        )
        check(
            [y.detach(), *torch.autograd.grad(y, [x, *ours.parameters()], dy)],
            compare_with,
            tolerance,
        )
    if torch.cuda.device_count() > 1:
        far = copy.deepcopy(ours).to("cuda:1")
        for _ in range(4):
            compare(far, plain.detach().to("cuda:1").requires_grad_(), dy.to("cuda:1"))
    again()


@pytest.mark.parametrize("name", ["LSTM", "dropout", "attention", "in place"])
def test_many_gradients(torch: Any, name: str) -> None:
    """Gradients of many results are computed one after the other, also where the graph is not kept.

    Where it is, the last of them leaves what the forward call kept as it was.
    """
    from cudnn_cffi.torch import functional, modules

    torch.manual_seed(1)
    x = torch.randn(4, 2, 16, 32, device="cuda", requires_grad=True)
    given = [x]
    if name == "LSTM":
        net = modules.LSTM(32, 24, 2).cuda()
        given += net.parameters()
        y = net(x[0])[0]
    elif name == "dropout":
        y = functional.dropout(x, 0.25)
    elif name == "attention":
        half = x.half()
        y = functional.scaled_dot_product_attention(half, half * 2, half + 1)
    else:
        y = functional.relu(x * 2, inplace=True)
    many = torch.randn(3, *y.shape, device="cuda", dtype=y.dtype)
    rows = [torch.autograd.grad(y, given, each, retain_graph=True) for each in many]
    for keeps in (True, True, False):
        options = {"is_grads_batched": True, "retain_graph": keeps}
        found = torch.autograd.grad(y, given, many, **options)
        for one, each in zip(found, zip(*rows, strict=True), strict=True):
            wanted = torch.stack(each)
            limit = (2e-2 if name == "attention" else 1e-4) * float(wanted.abs().max())
            torch.testing.assert_close(one, wanted, rtol=0, atol=limit)


def test_threads_and_streams(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    torch.manual_seed(0)
    ours = torch.nn.Sequential(
        modules.Conv2d(4, 8, 3, padding=1), modules.ReLU(), modules.MaxPool2d(2),
        modules.LayerNorm(8), modules.Conv2d(8, 4, 3, bias=False), modules.GELU(),
    ).cuda()  # fmt: skip
    theirs = torch.nn.Sequential(
        torch.nn.Conv2d(4, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.LayerNorm(8), torch.nn.Conv2d(8, 4, 3, bias=False), torch.nn.GELU(),
    )  # fmt: skip
    theirs.load_state_dict(ours.state_dict())
    theirs.double()
    inputs = [torch.randn(2, 4, 16, 16) for _ in range(4)]
    expected = []
    for each in inputs:
        x = each.double().requires_grad_()
        expected.append(torch.autograd.grad(theirs(x).square().mean(), [x, *theirs.parameters()]))
    found: list[Any] = [None] * 4

    def work(place: int) -> None:
        with torch.cuda.stream(torch.cuda.Stream()):
            x = inputs[place].cuda().requires_grad_()
            for _ in range(30):
                loss = ours(x).square().mean()
                found[place] = torch.autograd.grad(loss, [x, *ours.parameters()])
            torch.cuda.current_stream().synchronize()

    torch.cuda.synchronize()
    in_threads(work, range(4))
    for own, other in zip(found, expected, strict=True):
        check(list(own), list(other), 5e-4)


def _part(torch: Any, kind: str, shape: tuple[int, ...]) -> Any:
    """A tensor on a GPU that is part of a larger one."""
    n, c, h, w = shape
    last = torch.channels_last if "last" in kind else torch.contiguous_format
    if "half" in kind:
        whole = torch.zeros(n, 2 * c, h, w, device="cuda").contiguous(memory_format=last)
        return whole.chunk(2, 1)[1]
    whole = torch.zeros(n, c, h + 2, w, device="cuda").contiguous(memory_format=last)
    return whole[:, :, 1:-1]


@pytest.mark.parametrize("kind", ["half, last", "half", "crop, last", "crop"])
@pytest.mark.parametrize("name", ["Conv2d", "MaxPool2d", "AvgPool2d", "InstanceNorm2d"])
def test_tensors_with_gaps(torch: Any, name: str, kind: str) -> None:
    """They are copied in each call, captured ones too; results have PyTorch's layout."""
    from cudnn_cffi import _call
    from cudnn_cffi.torch import modules

    arguments = {"Conv2d": (8, 8, 3), "InstanceNorm2d": (8,)}.get(name, (2,))
    options = {"InstanceNorm2d": {"affine": True}}.get(name, {})
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(*arguments, **options)
    ours = getattr(modules, name)(*arguments, **options)
    ours.load_state_dict(theirs.state_dict())
    last = torch.channels_last if "last" in kind else torch.contiguous_format
    ours.cuda().to(memory_format=last)
    like = copy.deepcopy(theirs).cuda().to(memory_format=last)
    theirs.double()
    shape = (2, 8, 12, 10)
    x = _part(torch, kind, shape).requires_grad_()
    with torch.no_grad():
        dy = _part(torch, kind, tuple(like(x).shape))
    parameters = list(ours.parameters())

    def step() -> list[Any]:
        y = ours(x)
        return [y.detach(), *torch.autograd.grad(y, [x, *parameters], dy)]

    def fill(turn: int) -> list[Any]:
        made = torch.Generator().manual_seed(turn)
        numbers = [torch.randn(each.shape, generator=made) for each in (x, dy)]
        with torch.no_grad():
            x.copy_(numbers[0])
            dy.copy_(numbers[1])
        given = numbers[0].double().requires_grad_()
        y = theirs(given)
        grads = torch.autograd.grad(y, [given, *theirs.parameters()], numbers[1].double())
        return [y.detach(), *grads]

    for turn in range(5):
        wanted = fill(turn)
        check(step(), wanted, 1e-4)
        with torch.no_grad():
            y = ours(x)
            assert y.stride() == like(x).stride() or name == "InstanceNorm2d"
    if _call.mode() == "api":
        (layer,) = layers_of(ours)
        assert len(layer._results)
        assert len(layer._calls)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        wanted = fill(7)
        rests = []
        for size in range(40):  # memory of copies is used again at once
            found = step()
            rests.append(torch.full((size * 97 + 1,), 1e9, device="cuda"))
            if size % 7 == 6:
                rests.clear()
        check(found, wanted, 1e-4)
        with capturing(stream=stream) as graph:
            found = step()
        for turn in (8, 9):
            wanted = fill(turn)
            graph.replay()
            check(found, wanted, 1e-4)
    torch.cuda.current_stream().wait_stream(stream)
