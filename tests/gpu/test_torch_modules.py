"""Modules against PyTorch's in float64: outputs, all gradients and buffers, by type and layout."""

from __future__ import annotations

import copy
import zlib
from typing import Any

import pytest

from tests.gpu.conftest import capturing
from tests.torch.cases import MODULES, Case, has_channels_last, name_of

#: The largest error, as the norm of the difference over the norm of the reference.
TOLERANCES = {"float32": 2e-5, "float16": 8e-3, "bfloat16": 5e-2}

#: cuDNN computes these in float32 and less with TF32 or another formula.
LOOSER = {"Softplus": 4.0, "GELU": 4.0, "LocalResponseNorm": 4.0}


pytestmark = pytest.mark.usefixtures("exact")


def made(torch: Any, case: Case, dtype: Any) -> tuple[Any, Any]:
    """Our module on the GPU, and PyTorch's in float64 on the CPU, with the same numbers."""
    from cudnn_cffi.torch import modules

    theirs = getattr(torch.nn, case.name)(*case.arguments, **case.options)
    ours = getattr(modules, case.name)(*case.arguments, **case.options)
    for each in theirs.parameters():
        torch.nn.init.uniform_(each, -1, 1)
    norm = case.name.startswith(("BatchNorm", "InstanceNorm", "GroupNorm"))
    kind = torch.float32 if norm else dtype
    theirs = theirs.to(kind)
    ours.load_state_dict(theirs.state_dict())
    return ours.to("cuda", kind), theirs.double()


def run(torch: Any, module: Any, x: Any, weights: Any) -> list[Any]:
    x = x.clone().requires_grad_()
    y = module(x)
    found = torch.autograd.grad((y * weights.to(y)).sum(), [x, *module.parameters()])
    return [y.detach(), *found, *[each for each in module.buffers() if each.dim()]]


def check(ours: list[Any], theirs: list[Any], tolerance: float) -> None:
    assert len(ours) == len(theirs)
    for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        other = other.double().to(one.device)  # large networks take seconds on the host
        error = (one.double() - other).norm() / other.norm().clamp(min=1e-3)
        assert one.shape == other.shape
        assert error < tolerance, f"result {place}: {float(error):.2e}"


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_outputs_and_gradients(torch: Any, case: Case, dtype: str) -> None:
    torch.manual_seed(zlib.crc32(f"{name_of(case)} {dtype}".encode()))
    kind = getattr(torch, dtype)
    ours, theirs = made(torch, case, kind)
    tolerance = TOLERANCES[dtype] * LOOSER.get(case.name, 1.0)
    x = torch.randn(case.shape).to(kind)
    if "Pool" in case.name:  # no two elements are the same, in any type
        x = (torch.randperm(x.numel()).reshape(case.shape) / x.numel() - 0.5).to(kind)
        if dtype == "bfloat16" and case.name.startswith("Max"):
            x = (torch.randperm(x.numel()).reshape(case.shape) % 256 - 128).to(kind)
    layouts = [x.cuda()]
    if has_channels_last(case):
        form = torch.channels_last if x.dim() == 4 else torch.channels_last_3d
        layouts.append(x.cuda().to(memory_format=form))
    for training in (True, False):
        for module in (ours, theirs):
            module.train(training)
        for each in layouts:
            with torch.no_grad():
                shape = theirs.__class__.forward(theirs, x.double()).shape
            weights = torch.randn(shape).to(kind)
            if training:
                theirs.load_state_dict(ours.state_dict())
            one = run(torch, ours, each, weights.cuda())
            other = run(torch, theirs, x.double(), weights.double())
            check(one, other, tolerance)


@pytest.mark.parametrize(
    "options", [{"ceil_mode": True, "count_include_pad": False}, {"divisor_override": 3}]
)
@pytest.mark.parametrize("shape", [(1, 5, 1, 12), (3, 8, 7, 9)])
def test_gradients_of_means_that_pytorch_computes(
    torch: Any, shape: tuple[int, ...], options: dict[str, Any]
) -> None:
    """PyTorch 2.11's leave the padding out where channels are last."""
    ours, theirs = made(torch, Case("AvgPool2d", (2, 2, 1), options, shape), torch.float32)
    x = torch.randn(shape)
    weights = torch.randn(theirs(x.double()).shape)
    last = x.cuda().to(memory_format=torch.channels_last)
    one = run(torch, ours, last, weights.cuda())
    check(one, run(torch, theirs, x.double(), weights.double()), 1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("shape", [(2, 58, 14, 14), (1, 64, 7, 7), (5, 24), (3, 8, 1, 1)])
@pytest.mark.parametrize("wide", [(), ("running_mean", "running_var"), ("weight", "bias")])
def test_inference_of_half_models(
    torch: Any, monkeypatch: pytest.MonkeyPatch, dtype: str, last: bool, shape: tuple[int, ...],
    wide: tuple[str, ...],
) -> None:  # fmt: skip
    """Batch norm whose parameters are of the type of the images, in PyTorch's layout."""
    from cudnn_cffi import ops
    from cudnn_cffi.torch import modules

    if last and len(shape) < 4:
        pytest.skip("it has one layout")
    kind, axes = getattr(torch, dtype), max(len(shape) - 2, 1)
    ours = getattr(modules, f"BatchNorm{axes}d")(shape[1]).cuda().to(kind).eval()
    for each in (*ours.parameters(), ours.running_mean, ours.running_var):
        torch.nn.init.uniform_(each, 0.5, 1.5)
    for name in wide:
        getattr(ours, name).data = getattr(ours, name).data.float()
    theirs = getattr(torch.nn, f"BatchNorm{axes}d")(shape[1]).eval()
    theirs.load_state_dict({name: each.cpu() for name, each in ours.state_dict().items()})
    x = torch.randn(shape, device="cuda").to(kind)
    x = x.to(memory_format=torch.channels_last) if last else x
    wanted = theirs.double()(x.cpu().double())
    original = copy.deepcopy(ours)
    original.__class__ = type(theirs)
    try:
        original(x)
        refused = False
    except RuntimeError:  # some of two types
        refused = True
    has_layout = x.dim() == 2 or x[0, 0].numel() > 1
    for timed in (False, True):
        if refused and not (timed and has_layout):
            continue
        monkeypatch.setattr(torch.backends.cudnn, "benchmark", timed)
        with torch.no_grad():
            for _ in range(4):
                with ops.record() as log:
                    y = ours(x)
                check([y], [wanted], TOLERANCES[dtype])
                assert (y.dtype, y.stride()) == (x.dtype, x.stride())
                assert len(log) == (timed and has_layout)
        if not refused:
            x.requires_grad_()
            own = ours(x)
            (grad,) = torch.autograd.grad(own.float().square().sum(), x)
            assert torch.isfinite(grad).all()
            x = x.detach()
    assert not ours.refused


def test_large_images_of_half_models(torch: Any) -> None:
    from cudnn_cffi import ops
    from cudnn_cffi.torch import modules

    ours = modules.BatchNorm2d(64).cuda().half().eval()
    theirs = torch.nn.BatchNorm2d(64).cuda().half().eval()
    x = torch.randn(32, 64, 57, 57, device="cuda").half()
    for each, count in ((x.to(memory_format=torch.channels_last), 1), (x, 0)):
        with torch.no_grad(), ops.record() as log:
            y, wanted = ours(each), theirs(each)
        assert len(log) == count
        torch.testing.assert_close(y, wanted, rtol=2e-3, atol=2e-3)
        assert y.stride() == wanted.stride() == each.stride()


def test_which_modules_cudnn_computes(torch: Any) -> None:
    """PyTorch computes exactly these cases instead."""
    refused = []
    for case in MODULES:
        ours, _ = made(torch, case, torch.float32)
        ours(torch.randn(case.shape, device="cuda", requires_grad=True)).sum().backward()
        refused += [f"{name_of(case)}: {why}" for why in ours.refused.values()]
    assert refused == []


@pytest.mark.parametrize("case", [each for each in MODULES if "Conv" in each.name], ids=name_of)
def test_second_derivatives(torch: Any, case: Case) -> None:
    ours, theirs = made(torch, case, torch.float32)
    results = []
    x = torch.randn(case.shape)
    for module, given in ((ours, x.cuda()), (theirs, x.double())):
        own = given.clone().requires_grad_()
        (grad,) = torch.autograd.grad(module(own).square().sum(), own, create_graph=True)
        grad.square().sum().backward()
        results.append([own.grad, *[each.grad for each in module.parameters()]])
    check(results[0], results[1], 1e-4)


@pytest.mark.parametrize("name", ["Conv1d", "Conv2d", "ConvTranspose2d", "ReLU", "Tanh"])
def test_gradcheck_in_double(torch: Any, name: str) -> None:
    from cudnn_cffi.torch import modules

    case = next(each for each in MODULES if each.name == name)
    ours = getattr(modules, name)(*case.arguments, **case.options).to("cuda", torch.float64)
    x = torch.randn(case.shape, device="cuda", dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(ours, (x,), fast_mode=True, nondet_tol=1e-9)
    assert torch.autograd.gradgradcheck(ours, (x,), fast_mode=True, nondet_tol=1e-9)


@pytest.mark.parametrize("has_means", [True, False])
@pytest.mark.parametrize("shape", [(2, 3, 9, 8), (1, 2, 4, 5, 6)])
def test_divisive_norm(torch: Any, shape: tuple[int, ...], has_means: bool) -> None:
    """Against the formula, window by window, in float64 on the CPU."""
    from cudnn_cffi import ops
    from cudnn_cffi.torch.functional import divisive_norm

    from tests.torch.stand_in import divisive

    given = [torch.randn(shape, requires_grad=True) for _ in range(1 + has_means)]
    weights = torch.randn(shape)
    settings: dict[str, Any] = {"size": 3, "alpha": 0.7, "beta": 0.6, "k": 1.3}
    ours = [each.detach().cuda().requires_grad_() for each in given]
    y = divisive_norm(*ours, **settings)
    wide = [each.detach().double().requires_grad_() for each in given]
    exact = divisive(ops.DivisiveNorm(**settings), *wide)
    check(
        [y.detach(), *torch.autograd.grad((y * weights.cuda()).sum(), ours)],
        [exact.detach(), *torch.autograd.grad((exact * weights).sum(), wide)],
        5e-5,
    )


@pytest.mark.parametrize("name", ["Conv2d", "Conv3d", "ConvTranspose2d", "MaxPool3d", "AvgPool2d"])
def test_other_strides_without_a_batch(torch: Any, name: str) -> None:
    """Channels, height and width in any order of memory are computed as in C order."""
    case = next(e for e in MODULES if e.name == name and len(e.shape) == int(name[-2]) + 1)
    ours, theirs = made(torch, case, torch.float32)
    if "Conv" in name:
        form = torch.channels_last if name.endswith("2d") else torch.channels_last_3d
        ours = ours.to(memory_format=form)
    x = torch.randn(case.shape)
    order = (*range(1, x.dim()), 0)
    other = x.permute(order).contiguous().permute(x.dim() - 1, *range(x.dim() - 1))
    weights = torch.randn(theirs(x.double()).shape)
    check(
        run(torch, ours, other.cuda(), weights.cuda()),
        run(torch, theirs, x.double(), weights),
        2e-5,
    )


def test_in_place(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    base = torch.randn(4, 8, 6, 6, device="cuda", requires_grad=True)
    for name in ("ReLU", "ReLU6", "ELU", "SiLU", "LeakyReLU"):
        found = []
        for room in (modules, torch.nn):
            x = base * 2
            y = getattr(room, name)(inplace=True)(x)
            assert y.data_ptr() == x.data_ptr()
            found.append([y.detach().clone(), *torch.autograd.grad(y.square().sum(), base)])
        check(found[0], found[1], 1e-5)


def test_odd_addresses_and_empty_batches(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    ours, theirs = modules.Conv2d(3, 4, 3).cuda(), torch.nn.Conv2d(3, 4, 3).cuda()
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2 * 3 * 8 * 8 + 1, device="cuda")[1:].view(2, 3, 8, 8)
    check([ours(x)], [theirs(x)], 1e-5)
    assert ours(x[:0]).shape == theirs(x[:0]).shape == (0, 4, 6, 6)
    with pytest.raises(RuntimeError, match="channels"):
        ours(x[:, :2])


def test_autocast(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    for dtype in (torch.float16, torch.bfloat16):
        x = torch.randn(4, 8, 6, 6, device="cuda", requires_grad=True)
        for name, arguments in (
            ("Conv2d", (8, 8, 3)), ("BatchNorm2d", (8,)), ("Softmax", (1,)), ("LayerNorm", (6,)),
            ("ReLU", ()), ("MaxPool2d", (2,)),
        ):  # fmt: skip
            ours = getattr(modules, name)(*arguments).cuda()
            theirs = getattr(torch.nn, name)(*arguments).cuda()
            theirs.load_state_dict(ours.state_dict())
            with torch.autocast("cuda", dtype):
                one, other = ours(x), theirs(x)
            assert one.dtype == other.dtype, name
            check([one], [other], 5e-2)
            one.float().sum().backward()


def test_switches_of_pytorch(torch: Any) -> None:
    from cudnn_cffi import ops
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(16, 16, 3, padding=1).cuda()
    x = torch.randn(4, 16, 16, 16, device="cuda", requires_grad=True)
    backends = torch.backends.cudnn
    try:
        with ops.record() as log:
            backends.enabled = False
            conv(x)
        assert not log
        backends.enabled = True
        torch.use_deterministic_algorithms(True)
        conv(x).sum().backward()
        first = [conv.weight.grad.clone(), x.grad.clone()]
        conv.weight.grad = x.grad = None
        conv(x).sum().backward()
        assert all(map(torch.equal, first, [conv.weight.grad, x.grad]))
        torch.use_deterministic_algorithms(False)
        backends.benchmark = True
        with ops.record() as log:
            conv(x)
        assert [each.operation for each in log] == ["convolution"]
    finally:
        backends.enabled, backends.benchmark = True, False
        torch.use_deterministic_algorithms(False)


def test_switches_of_modules(torch: Any, caplog: pytest.LogCaptureFixture) -> None:
    """`benchmark` times algorithms, `fastest` allows any workspace, `verbose` writes each call."""
    from cudnn_cffi import choice, ops
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(24, 40, 3, padding=1, bias=False).cuda().eval()
    x = torch.randn(3, 24, 17, 19, device="cuda")
    with torch.no_grad():
        wanted = conv(x).double()
        known = len(choice.export(timed=True)["choices"])
        modules.benchmark = modules.fastest = modules.verbose = True
        try:
            with caplog.at_level("INFO", logger="cudnn_cffi.ops"), ops.record() as log:
                y = conv(x)
        finally:
            modules.benchmark = modules.fastest = modules.verbose = False
    assert [each.operation for each in log] == ["convolution"]
    assert any("convolution" in each for each in caplog.messages), caplog.messages
    assert len(choice.export(timed=True)["choices"]) > known, "nothing was timed"
    assert float((y.double() - wanted).norm() / wanted.norm()) < 2e-3


def test_a_choice_of_a_module_and_of_a_scope_win(torch: Any) -> None:
    import cudnn_cffi as cudnn
    from cudnn_cffi import ops
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(16, 16, 3, padding=1, bias=False).cuda().eval()
    x = torch.randn(4, 16, 16, 16, device="cuda")
    with torch.no_grad():
        conv.choose = "IMPLICIT_GEMM"
        with ops.record() as log:
            conv(x)
        assert log[0].way.startswith("IMPLICIT_GEMM")
        conv.reset_mode()
        with cudnn.choice("IMPLICIT_PRECOMP_GEMM"), ops.record() as log:
            conv(x)
        assert log[0].way.startswith("IMPLICIT_PRECOMP_GEMM")


def test_graphs_capture_modules(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    model = torch.nn.Sequential(
        modules.Conv2d(3, 8, 3, padding=1), modules.BatchNorm2d(8), modules.ReLU(inplace=True),
        modules.MaxPool2d(2), modules.Softmax(1),
    ).cuda().eval()  # fmt: skip
    x = torch.randn(2, 3, 8, 8, device="cuda")
    with torch.no_grad():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            model(x)
        torch.cuda.synchronize()
        with capturing() as graph:
            y = model(x)
        x.copy_(torch.randn_like(x))
        graph.replay()
        torch.cuda.synchronize()
        check([y], [model(x)], 1e-6)


def test_the_current_stream_is_used(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(64, 64, 3, padding=1).cuda()
    x = torch.randn(16, 64, 64, 64, device="cuda")
    with torch.no_grad():
        wanted = conv(x)
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            fresh = torch.empty_like(x)
            torch.cuda._sleep(20_000_000)
            fresh.copy_(x)
            y = conv(fresh)
        stream.synchronize()
        assert torch.equal(y, wanted)
