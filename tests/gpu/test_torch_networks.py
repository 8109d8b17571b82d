"""Recurrent networks, attention, losses and whole networks against PyTorch."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from .test_torch_modules import check

pytestmark = pytest.mark.usefixtures("exact")


def sequences(torch: Any, module: Any, x: Any, hx: Any) -> list[Any]:
    """Outputs, and gradients for input, states and parameters."""
    leaves = [x, *(hx if isinstance(hx, tuple) else [hx] if hx is not None else [])]
    leaves = [each for each in leaves if each is not None]
    y, states = module(x, hx)
    states = states if isinstance(states, tuple) else (states,)
    if not isinstance(y, torch.Tensor):
        y = y.data
    total = y.square().sum() + sum(each.sin().sum() for each in states)
    found = torch.autograd.grad(total, [*leaves, *module.parameters()])
    return [y.detach(), *[each.detach() for each in states], *found]


KINDS = [("LSTM", {}), ("LSTM", {"proj_size": 5}), ("GRU", {}), ("RNN", {}),
         ("RNN", {"nonlinearity": "relu"})]  # fmt: skip


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize(("name", "more"), KINDS)
def test_recurrent_networks(
    torch: Any, name: str, more: dict[str, Any], batch_first: bool, bidirectional: bool, bias: bool
) -> None:
    from cudnn_cffi.torch import modules

    options = {"batch_first": batch_first, "bidirectional": bidirectional, "bias": bias, **more}
    ours = getattr(modules, name)(6, 8, 2, **options).double().cuda()
    theirs = getattr(torch.nn, name)(6, 8, 2, **options).double()
    theirs.load_state_dict(ours.state_dict())
    pointers = [each.data_ptr() for each in ours.parameters()]
    x = torch.randn(4, 7, 6, dtype=torch.float64)
    batch = 4 if batch_first else 7
    count = 4 if bidirectional else 2
    shapes = [(count, batch, more.get("proj_size", 8))] + [(count, batch, 8)] * (name == "LSTM")
    for given in (False, True):
        hx: Any = None
        if given:
            hx = tuple(torch.randn(shape, dtype=torch.float64) for shape in shapes)
        results = []
        for module, device in ((ours, "cuda"), (theirs, "cpu")):
            own = None if hx is None else tuple(each.to(device).requires_grad_() for each in hx)
            own = own if own is None or name == "LSTM" else own[0]
            results.append(sequences(torch, module, x.to(device).requires_grad_(), own))
        check(results[0], results[1], 1e-6)
    assert not ours.refused, ours.refused
    assert pointers == [each.data_ptr() for each in ours.parameters()]


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_packed_and_single_sequences(torch: Any, name: str) -> None:
    from cudnn_cffi.torch import modules
    from torch.nn.utils.rnn import pack_sequence

    ours = getattr(modules, name)(6, 8, 2, bidirectional=True).cuda()
    theirs = getattr(torch.nn, name)(6, 8, 2, bidirectional=True).double()
    theirs.load_state_dict(ours.state_dict())
    rows = [torch.randn(length, 6) for length in (3, 7, 5)]
    results = []
    for module, kind in ((ours, {"device": "cuda"}), (theirs, {"dtype": torch.float64})):
        own = [each.to(**kind).requires_grad_() for each in rows]
        packed = pack_sequence(own, enforce_sorted=False)
        y, states = module(packed)
        states = states if isinstance(states, tuple) else (states,)
        total = y.data.square().sum() + sum(each.sin().sum() for each in states)
        found = torch.autograd.grad(total, [*own, *module.parameters()])
        results.append([y.data.detach(), *[each.detach() for each in states], *found])
        single, state = module(own[0])
        results[-1] += [single.detach(), (state[0] if name == "LSTM" else state).detach()]
    check(results[0], results[1], 2e-5)
    assert not ours.refused, ours.refused


def test_weights_are_shared_and_replaced(torch: Any) -> None:
    """Nothing is copied while PyTorch's buffer is whole; other parameters are copied, and right."""
    from cudnn_cffi.torch import modules

    ours, theirs = modules.LSTM(6, 8).cuda(), torch.nn.LSTM(6, 8).cuda()
    ours.weight_hh_l0 = torch.nn.Parameter(torch.randn(32, 8, device="cuda"))
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(5, 3, 6, device="cuda")
    check(sequences(torch, ours, x.requires_grad_(), None),
          sequences(torch, theirs, x, None), 1e-5)  # fmt: skip
    with torch.no_grad():
        for each in itertools.chain(ours.parameters(), theirs.parameters()):
            each.mul_(0.5)
        check([ours(x)[0]], [theirs(x)[0]], 1e-5)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("mask", ["none", "bias", "truths"])
def test_attention(torch: Any, causal: bool, mask: str) -> None:
    from cudnn_cffi.torch import functional as own

    if causal and mask != "none":
        return
    q, k, v = (torch.randn(2, 4, 64, 64, device="cuda").half().requires_grad_() for _ in range(3))
    added: Any = None
    if mask == "bias":
        added = torch.randn(2, 4, 64, 64, device="cuda").half()
    if mask == "truths":
        added = (torch.rand(64, 64, device="cuda") > 0.3) | torch.eye(64, device="cuda").bool()
    y = own.scaled_dot_product_attention(q, k, v, added, is_causal=causal)
    weights = torch.randn_like(y)
    ours = [y.detach(), *torch.autograd.grad((y * weights).sum(), (q, k, v))]
    wide = [each.detach().double().requires_grad_() for each in (q, k, v)]
    other = added.double() if mask == "bias" else added
    y = torch.nn.functional.scaled_dot_product_attention(*wide, other, is_causal=causal)
    theirs = [y.detach(), *torch.autograd.grad((y * weights.double()).sum(), wide)]
    check(ours, theirs, 5e-3)


def test_multihead_attention(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    for first, masked in itertools.product((True, False), repeat=2):
        ours = modules.MultiheadAttention(128, 2, batch_first=first).cuda().half()
        theirs = torch.nn.MultiheadAttention(128, 2, batch_first=first).cuda().half()
        theirs.load_state_dict(ours.state_dict())
        x = torch.randn((3, 32, 128) if first else (32, 3, 128), device="cuda").half()
        more: dict[str, Any] = {"need_weights": False}
        if masked:
            padding = torch.zeros(3, 32, dtype=torch.bool, device="cuda")
            padding[:, 25:] = True
            more["key_padding_mask"] = padding
            more["attn_mask"] = torch.triu(torch.ones(32, 32, device="cuda"), 1).bool()
        results = []
        for module in (ours, theirs):
            module.zero_grad()
            own = x.clone().requires_grad_()
            y, _ = module(own, own, own, **more)
            y.square().sum().backward()
            results.append([y.detach(), own.grad, *[each.grad for each in module.parameters()]])
        check(results[0], results[1], 2e-2)
        assert not ours.refused, ours.refused
        assert torch.equal(ours(x, x, x)[1], theirs(x, x, x)[1])


def test_losses(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    x = torch.randn(20, 3, 7, device="cuda", requires_grad=True)
    labels = torch.tensor([[1, 2, 3, 0], [4, 5, 0, 0], [6, 6, 1, 2]])
    lengths = torch.tensor([3, 2, 4])
    for place, times in itertools.product(("cpu", "cuda"), ((20, 20, 20), (20, 9, 15))):
        for reduction in ("none", "sum", "mean"):
            results = []
            for room in (modules, torch.nn):
                rows = x.log_softmax(-1)
                loss = room.CTCLoss(reduction=reduction)(
                    rows, labels.to(place), torch.tensor(times), lengths
                )
                results.append([loss.detach(), *torch.autograd.grad(loss.sum(), x)])
            check(results[0], results[1], 1e-4)
    logits = torch.randn(8, 5, 4, 4, device="cuda", requires_grad=True)
    target = torch.randint(0, 5, (8, 4, 4), device="cuda")
    results = []
    for module in (modules.SpatialCrossEntropyLoss(), torch.nn.CrossEntropyLoss()):
        loss = module(logits, target)
        results.append([loss.detach(), *torch.autograd.grad(loss, logits)])
    check(results[0], results[1], 1e-5)


def test_dropout(torch: Any) -> None:
    from cudnn_cffi.torch import modules

    dropout = modules.Dropout(0.25)
    x = torch.ones(64, 1000, device="cuda", requires_grad=True)
    y = dropout(x)
    assert 0.2 < float((y == 0).float().mean()) < 0.3
    assert set(y.unique().tolist()) == {0.0, float(torch.tensor(1 / 0.75))}
    (grad,) = torch.autograd.grad((y * 3).sum(), x)
    assert torch.equal(grad, 3 * y)
    assert dropout.eval()(x) is x


NAMES = (
    "resnet18", "resnet50", "alexnet", "vgg11_bn", "squeezenet1_1", "densenet121", "mobilenet_v2",
    "mobilenet_v3_small", "shufflenet_v2_x0_5", "efficientnet_b0", "regnet_y_400mf", "convnext_tiny",
    # Their layers are those of the ones before, as far as this package computes them.
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("mnasnet0_5", "googlenet")),
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_networks_of_torchvision(torch: Any, name: str) -> None:
    """Converted networks compute what they computed, forward and backward, in two layouts."""
    torchvision = pytest.importorskip("torchvision")
    from cudnn_cffi.torch import convert

    torch.manual_seed(1)
    options = {"init_weights": True, "aux_logits": False} if name == "googlenet" else {}
    # Their random weights take seconds on the host; others compute their widths there.
    with torch.device("cuda" if name in ("alexnet", "vgg11_bn") else "cpu"):
        model = getattr(torchvision.models, name)(weights=None, **options).cuda().eval()
    for form in (torch.contiguous_format, torch.channels_last):
        model = model.to(memory_format=form)
        x = torch.randn(2, 3, 128, 128, device="cuda").to(memory_format=form)
        found = []
        for back in (True, False):
            report = convert(model, back=back, everything=True)
            model.zero_grad()
            y = model(x)
            y.square().mean().backward()
            found.append([y.detach(), *[each.grad.clone() for each in model.parameters()]])
        assert report.changed
        check(found[1][:1], found[0][:1], 1e-4)
        check(found[1][1:], found[0][1:], 2e-2)
        convert(model, back=True)


def test_training_follows_pytorch(torch: Any) -> None:
    """A small network has the same curve of losses, from the same seed."""
    from cudnn_cffi.torch import convert

    def losses(ours: bool) -> list[float]:
        torch.manual_seed(5)
        nn = torch.nn
        model = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
            nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ELU(),
            nn.AvgPool2d(4), nn.Flatten(), nn.Linear(32, 4), nn.LogSoftmax(1),
        ).cuda()  # fmt: skip
        if ours:
            assert len(convert(model, everything=True).changed) == 9
        optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        found = []
        for _ in range(60):
            labels = torch.randint(0, 4, (32,), device="cuda")
            x = torch.randn(32, 1, 8, 8, device="cuda") + labels[:, None, None, None] * 0.3
            loss = torch.nn.functional.nll_loss(model(x), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(float(loss))
        return found

    one, other = losses(True), losses(False)
    assert other[-1] < 0.8 * other[0]
    assert max(abs(a - b) for a, b in zip(one[:20], other[:20], strict=True)) < 1e-2
    assert abs(sum(one[-10:]) - sum(other[-10:])) < 1.0
