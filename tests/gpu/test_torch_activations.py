"""Activations that overwrite their input, and the fast softmax, against PyTorch in float64."""

from __future__ import annotations

from typing import Any

import pytest

LIMITS = {"float64": 1e-12, "float32": 2e-6, "float16": 4e-3, "bfloat16": 3e-2}

IN_PLACE: dict[str, Any] = {
    "relu": lambda torch, x: torch.relu(x),
    "relu6": lambda torch, x: torch.nn.functional.relu6(x),
    "leaky_relu": lambda torch, x: torch.nn.functional.leaky_relu(x, 0.01),
    "elu": lambda torch, x: torch.nn.functional.elu(x),
    "silu": lambda torch, x: torch.nn.functional.silu(x),
    "sigmoid": lambda torch, x: torch.sigmoid(x),
    "tanh": lambda torch, x: torch.tanh(x),
}

#: Functions whose gradient follows from the result.
BY_RESULT = ("relu", "relu6", "sigmoid", "tanh")

MODULES = {
    "relu": "ReLU", "relu6": "ReLU6", "leaky_relu": "LeakyReLU", "elu": "ELU", "silu": "SiLU",
    "sigmoid": "Sigmoid", "tanh": "Tanh",
}  # fmt: skip


def error(one: Any, other: Any) -> float:
    assert one.shape == other.shape
    assert not one.isnan().any()
    one, other = one.detach().double().cpu(), other.detach().double().cpu()
    return float((one - other).abs().max() / other.abs().max().clamp(min=1e-3))


def made(torch: Any, dtype: str, shape: tuple[int, ...], last: bool = False) -> Any:
    """Return numbers around 0 and far from it, such as a function's ends need."""
    x = 3 * torch.randn(shape, dtype=torch.float64)
    x.view(-1)[:6] = torch.tensor([0.0, -0.0, 6.0, 40.0, -40.0, 5.9])
    x = x.to(getattr(torch, dtype))
    return x.to(memory_format=torch.channels_last) if last else x


@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("fast", [True, False])
def test_softmax(torch: Any, dtype: str, fast: bool) -> None:
    """Both kinds, forward and backward, along each axis; the log record says which ran."""
    from cudnn_cffi import ops
    from cudnn_cffi.torch import functional, modules

    torch.manual_seed(6)
    for shape, dims, last in (
        ((5, 7), (0, 1), False), ((3, 8, 5, 7), (1, 3), False), ((3, 8, 5, 7), (1,), True),
        ((4, 1024), (1,), False), ((2, 6, 3, 4, 5), (1,), False),
    ):  # fmt: skip
        base = 3 * torch.randn(shape, dtype=torch.float64).to(getattr(torch, dtype))
        if last:
            base = base.to(memory_format=torch.channels_last)
        factor = torch.randn(shape, dtype=torch.float64).to(base.dtype)
        for dim in dims:
            calls: list[Any] = [
                lambda x, dim=dim: functional.softmax(x, dim, fast=fast),
                modules.Softmax(dim, fast),
            ]
            if dim == 1 and len(shape) > 3:
                kind = "Spatial" if len(shape) == 4 else "Volumetric"
                calls.append(getattr(modules, f"{kind}Softmax")(fast))
                if len(shape) == 4:
                    calls.append(modules.Softmax2d(fast))
            exact = base.double().requires_grad_()
            wanted = exact.softmax(dim)
            (gradient,) = torch.autograd.grad(wanted, exact, factor.double())
            for call in calls:
                own = base.cuda().requires_grad_()
                with ops.record() as log:
                    y = call(own)
                    (got,) = torch.autograd.grad(y, own, factor.cuda())
                assert error(y, wanted) < LIMITS[dtype]
                assert error(got, gradient) < 4 * LIMITS[dtype]
                ways = {each.way for each in log if each.via == "classic"}
                assert ways <= {"FAST" if fast else "ACCURATE"}
                assert len(log) == 2
    for each in () if fast else (200.0, -200.0, 1e4, -1e4):
        rows = torch.full((2, 64), each, device="cuda", dtype=getattr(torch, dtype))
        assert error(functional.softmax(rows, 1), torch.full((2, 64), 1 / 64)) < LIMITS[dtype]


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("kind", ["Spatial", "Volumetric"])
def test_softmax_over_channels(torch: Any, log: bool, kind: str) -> None:
    """The modules that cudnn.torch has, with and without a batch."""
    from cudnn_cffi.torch import modules

    torch.manual_seed(7)
    module = getattr(modules, f"{kind}{'Log' if log else ''}Softmax")().cuda()
    shape = (3, 7, 5, 6) if kind == "Spatial" else (3, 7, 2, 5, 6)
    for given in (torch.randn(shape), torch.randn(shape[1:])):
        dim = -3 if kind == "Spatial" else -4
        own, exact = given.cuda().requires_grad_(), given.double().requires_grad_()
        y, wanted = module(own), (torch.log_softmax if log else torch.softmax)(exact, dim)
        assert error(y, wanted) < 2e-6
        factor = torch.randn(given.shape)
        (got,) = torch.autograd.grad(y, own, factor.cuda())
        (gradient,) = torch.autograd.grad(wanted, exact, factor.double())
        assert error(got, gradient) < 1e-5
        assert not module.refused
    with pytest.raises(ValueError, match="axes"):
        module(torch.randn(2, 3, device="cuda"))


def test_volumetric_cross_entropy(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    torch.manual_seed(8)
    x, labels = torch.randn(2, 5, 3, 4, 6), torch.randint(0, 5, (2, 3, 4, 6))
    weight = torch.rand(5)
    cases: tuple[dict[str, Any], ...] = ({}, {"weight": weight}, {"reduction": "sum"})
    for more in cases:
        own, exact = x.cuda().requires_grad_(), x.double().requires_grad_()
        loss = modules.VolumetricCrossEntropyLoss(**more).cuda()(own, labels.cuda())
        doubles = {k: v.double() if k == "weight" else v for k, v in more.items()}
        wanted = torch.nn.functional.cross_entropy(exact, labels, **doubles)
        assert error(loss, wanted) < 1e-5
        (got,) = torch.autograd.grad(loss, own)
        assert error(got, torch.autograd.grad(wanted, exact)[0]) < 1e-5


@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("choose", [None, {"via": "graph"}], ids=["default", "graph"])
def test_in_place(torch: Any, dtype: str, name: str, choose: Any) -> None:
    """The result is in the input, and the gradients are those of PyTorch in float64."""
    from cudnn_cffi.torch import functional

    if choose is not None and (dtype != "float32" or name not in BY_RESULT):
        pytest.skip("engines are compiled for few cases")
    if dtype == "float64" and name == "leaky_relu":
        pytest.skip("neither an engine nor a function computes it")
    torch.manual_seed(3)
    # Engines' tanh is less exact than that of the classic function.
    limit = LIMITS[dtype] if choose is None else max(LIMITS[dtype], 2e-5)
    for shape, last in (((3, 8, 5, 7), False), ((4, 16, 6, 6), True)):
        if choose is not None and not last:
            continue
        base = made(torch, dtype, shape, last)
        factor = torch.randn(shape, dtype=torch.float64).to(base.dtype)
        own, exact = base.cuda().requires_grad_(), base.double().requires_grad_()
        x = own * 1
        y = getattr(functional, name)(x, inplace=True, choose=choose)
        assert y is x
        assert x._version
        wanted = IN_PLACE[name](torch, exact)
        assert error(y, wanted) < limit
        (got,) = torch.autograd.grad(y, own, factor.cuda())
        (gradient,) = torch.autograd.grad(wanted, exact, factor.double())
        assert got.dtype == base.dtype
        # A rounded result that is 1 has a slope of 0.
        assert error(got, gradient) < 4 * limit, (shape, choose)


@pytest.mark.parametrize("name", IN_PLACE)
def test_modules_in_place(torch: Any, name: str) -> None:
    """As PyTorch's: leaves are refused, what needs the old input too; views and inference work."""
    from cudnn_cffi.torch import convert, modules

    torch.manual_seed(4)
    module = getattr(modules, MODULES[name])(inplace=True).cuda()
    base = made(torch, "float32", (3, 8, 5, 7)).cuda()
    wanted = IN_PLACE[name](torch, base.double())
    with torch.no_grad():
        leaf = base.clone().requires_grad_()
        assert module(leaf) is leaf
        assert error(leaf, wanted) < 2e-6
        # Gaps between elements stay as they are, and odd addresses are no matter.
        whole = torch.full((2, 9, 7, 11), float("nan"), device="cuda")
        part = whole[:, 1::2, 1:, 2::3].copy_(base[:2, :4, :4, :3].repeat(1, 1, 2, 1)[:, :, :6])
        kept = part.double()
        module(part)
        assert error(part, IN_PLACE[name](torch, kept)) < 2e-6
        assert int(whole.isnan().sum()) == whole.numel() - part.numel()
        with pytest.raises(RuntimeError, match=r"overlap|single memory location"):
            module(base[:1].expand(3, -1, -1, -1))
    leaf = base.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="leaf"):
        module(leaf)
    assert torch.equal(leaf, base)
    x = leaf * 1
    kept = x.sin()  # whose gradient needs x
    module(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.sum().backward()
    whole = leaf * 1
    module(whole[1])
    exact = base.double().requires_grad_()
    parts = torch.stack([exact[0], IN_PLACE[name](torch, exact[1]), exact[2]])
    assert error(whole, parts) < 2e-6
    got = torch.autograd.grad(whole.square().sum(), leaf)
    assert error(got[0], torch.autograd.grad(parts.square().sum(), exact)[0]) < 1e-5
    # Second derivatives.
    got = torch.autograd.grad(module(leaf * 1).square().sum(), leaf, create_graph=True)
    theirs = IN_PLACE[name](torch, exact)
    first = torch.autograd.grad(theirs.square().sum(), exact, create_graph=True)
    assert error(got[0], first[0]) < 1e-5
    got = torch.autograd.grad(got[0].square().sum(), leaf)
    assert error(got[0], torch.autograd.grad(first[0].square().sum(), exact)[0]) < 1e-4
    if name in ("sigmoid", "tanh"):
        return
    model = torch.nn.Sequential(getattr(torch.nn, MODULES[name])(inplace=True))
    convert(model, everything=True)
    x = leaf * 1
    assert model(x) is x
    assert error(x, wanted) < 2e-6


@pytest.mark.parametrize("name", ["relu", "clipped_relu", "sigmoid", "tanh"])
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("via", ["classic", "graph"])
def test_gradient_by_the_result(torch: Any, name: str, dtype: str, via: str) -> None:
    """Without the input: where that was overwritten, nothing else is there."""
    from cudnn_cffi import ops

    if via == "graph" and dtype not in ("float32", "bfloat16"):
        pytest.skip("engines are compiled for few cases")
    torch.manual_seed(5)
    function = IN_PLACE[{"clipped_relu": "relu6"}.get(name, name)]
    x = made(torch, dtype, (4, 16, 6, 6))
    dy = torch.randn(x.shape, dtype=torch.float64).to(x.dtype)
    exact = x.double().requires_grad_()
    y = function(torch, exact)
    (wanted,) = torch.autograd.grad(y, exact, dy.double())
    given = dy.cuda(), None, y.detach().to(x.dtype).cuda()
    got = ops.activation_backward(*given, activation=name, choose={"via": via})
    assert error(got, wanted) < 4 * LIMITS[dtype]


@pytest.mark.parametrize("name", ["sigmoid", "tanh", "elu", "silu", "gelu", "relu"])
def test_whole_numbers(torch: Any, name: str) -> None:
    """Functions refuse what would be cut or rounded; modules do what PyTorch's do."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import functional, modules

    x = torch.arange(-3, 4, dtype=torch.int32, device="cuda")
    ours, theirs = getattr(functional, name), getattr(torch, name, None)
    with pytest.raises(errors.CudnnError, match=r"floating-point|engines round int32"):
        ours(x)
    kind = {"relu": "ReLU", "elu": "ELU", "silu": "SiLU", "gelu": "GELU"}.get(name, name.title())
    module = getattr(modules, kind)()
    if theirs is None:
        with pytest.raises((RuntimeError, errors.CudnnError)):
            module(x)
    else:
        with pytest.warns(RuntimeWarning, match="is computed by PyTorch"):
            y = module(x)
        assert torch.equal(y, theirs(x))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_slopes(torch: Any, dtype: str) -> None:
    """Engines compute slopes above 1 another way."""
    from cudnn_cffi.torch import functional

    x = made(torch, dtype, (4, 9, 16)).cuda()
    dy = torch.randn_like(x)
    for slope in (-0.5, 0.25, 1.0, 2.0, 30.0):
        own, wide = x.clone().requires_grad_(), x.double().requires_grad_()
        y = functional.leaky_relu(own, slope)
        wanted = torch.nn.functional.leaky_relu(wide, slope)
        assert error(y, wanted) < 4 * LIMITS[dtype]
        y.backward(dy)
        wanted.backward(dy.double())
        assert error(own.grad, wide.grad) < 4 * LIMITS[dtype]
