"""Models fused for training on a GPU, against float64 and beside PyTorch's own training."""

from __future__ import annotations

import copy
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gpu.test_torch_fuse import error, poison
from tests.torch.test_training import train_in_two_processes

pytestmark = pytest.mark.usefixtures("exact")


def resnet(torch: Any, last: bool = True) -> Any:
    models = pytest.importorskip("torchvision.models")
    torch.manual_seed(4)
    model = models.resnet18(weights=None, num_classes=10).cuda()
    for each in model.modules():
        if isinstance(each, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(each.weight, 0.5, 1.5)
            torch.nn.init.normal_(each.bias, 0.0, 0.3)
    return model.to(memory_format=torch.channels_last if last else torch.contiguous_format)


def images(torch: Any, count: int = 8, size: int = 64) -> Any:
    x = torch.randn(count, 3, size, size, device="cuda")
    x[0] = 0.0
    x[1] -= 100.0
    return x


def gradients(torch: Any, call: Any, model: Any, x: Any, lower: Any = None) -> list[Any]:
    """The result, the gradients of all parameters, and the statistics."""
    model.zero_grad()
    with torch.autocast("cuda", lower or torch.bfloat16, enabled=lower is not None):
        y = call(x)
    (y.double() * torch.linspace(-1, 1, y.numel(), device="cuda").view_as(y)).sum().backward()
    counts = [e.double() if e.dtype == torch.long else e.clone() for e in model.buffers()]
    return [y.detach(), *[each.grad for each in model.parameters()], *counts]


@pytest.mark.parametrize(
    ("word", "last"),
    [
        ("float32", True), ("float64", True), ("bfloat16", True), ("float16", True),
        ("bfloat16", False),
    ],
)  # fmt: skip
def test_gradients_beside_float64(torch: Any, word: str, last: bool) -> None:
    """Errors are at most one and a half times those of eager mode."""
    from cudnn_cffi.torch import fuse

    dtype = getattr(torch, word)
    lower = dtype if dtype.itemsize == 2 else None
    model, x = resnet(torch, last), images(torch)
    if word == "float64":
        model, x = model.double(), x.double()
    eager, wide = copy.deepcopy(model), copy.deepcopy(model).double()
    fused = fuse(model, training=True)
    poison(torch)
    found = gradients(torch, fused, model, x, lower)
    theirs = gradients(torch, eager, eager, x, lower)
    right = gradients(torch, wide, wide, x.double())
    least = {"float64": 1e-12, "float32": 1e-5}.get(word, 1e-2)
    for ours, own, wanted in zip(found, theirs, right, strict=True):
        assert ours.dtype == own.dtype
        assert error(ours, wanted) <= 1.5 * error(own, wanted) + least
    total = [
        statistics.mean(error(a, b) for a, b in zip(some, right, strict=True))
        for some in (found, theirs)
    ]
    assert total[0] <= 1.5 * total[1] + 1e-12
    rows = [row.what for row in fused.report]
    assert rows.count("norm + residual + relu") == 8
    assert rows.count("norm + relu") == 9


LARGE = [  # pieces of all multiprocessors, tiles without gaps and with them, and rows of one lane
    ((64, 64, 56, 56), ("relu", None), False, True),
    ((16, 264, 29, 31), ("relu", None), True, True),
    ((64, 2048, 7, 7), ("relu", None), True, True),
    ((8, 144, 61, 5), ("swish", None), False, True),
    ((2, 32, 3, 1), None, False, True),
]


@pytest.mark.parametrize("word", ["bfloat16", "float16"])
def test_norms_by_kernels(torch: Any, word: str) -> None:
    """Results, gradients and statistics beside float64 and PyTorch, with data that breaks kernels."""
    from tests.torch import normalizing

    for case in (*normalizing.CASES, *LARGE):
        normalizing.check_norms("cuda", case, getattr(torch, word))
    normalizing.check_casts("cuda", getattr(torch, word))
    for rows in (*normalizing.ROWS, ((16 * 49 * 49, 192), True), ((9, 3000), False)):
        normalizing.check_layer_norms("cuda", rows, getattr(torch, word))


@pytest.mark.parametrize("word", ["float16", "bfloat16"])
def test_first_layers_by_squares(torch: Any, word: str) -> None:
    """Errors beside float64 are at most one and a half times those of PyTorch."""
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.fusion.training import layers

    kind, convolve, last = getattr(torch, word), torch.nn.functional.conv2d, torch.channels_last
    step = torch.finfo(kind).eps
    for channels, sides, kernel, padding in (
        (3, (64, 48), 7, 3), (3, (34, 30), 3, 1), (1, (12, 20), 5, 2), (4, (18, 8), (3, 7), (1, 3)),
    ):  # fmt: skip
        torch.manual_seed(4)
        layer = modules.Conv2d(channels, 40, kernel, stride=2, padding=padding).cuda()
        own, bias = layers.Unshuffling(layer), layer.bias.detach().to(kind)
        images = torch.randn(5, channels, *sides, device="cuda")
        for x in (images, images * 0, images - 300.0, images * 1e-3, images.to(kind)):
            x = x.to(memory_format=last)
            given = layer.weight.detach().to(kind).to(memory_format=last)
            torch.full((1 << 22,), torch.nan, device="cuda")  # new memory begins with NaN
            pairs: list[tuple[Any, ...]] = []
            for by in ("squares", "pytorch", "float64"):
                of = torch.float64 if by == "float64" else kind
                weight = given.to(of, copy=True).requires_grad_()
                if by == "squares":
                    y = own(x, weight, bias)
                else:
                    y = convolve(x.to(kind).to(of), weight, bias.to(of), 2, padding)
                if not pairs:
                    dy = torch.randn_like(y)
                pairs.append((y.detach(), *torch.autograd.grad(y, weight, dy.to(of))))
            assert own._known, "squares are taken"
            for one, other, right in zip(*pairs, strict=True):
                assert one.shape == right.shape
                errors = [float((each.double() - right).norm()) for each in (one, other)]
                limit = 1.5 * errors[1] + step * float(right.norm())
                assert errors[0] <= limit, (kernel, errors)


def test_kernels_of_norms_give_the_same_bits(torch: Any) -> None:
    """Also in two streams at once, in a replay, with checkpoints, and of what was kept elsewhere."""
    from cudnn_cffi.torch.fusion.training import norms
    from cudnn_cffi.torch.modules import BatchNorm2d
    from torch.utils.checkpoint import checkpoint

    own = BatchNorm2d(128, track_running_stats=False).cuda()
    norm = norms.Normalizing(own, ("swish", None), 0, has_word=False)
    x = torch.randn(32, 128, 28, 28, device="cuda").bfloat16()
    x = x.to(memory_format=torch.channels_last).requires_grad_()
    dy = torch.randn_like(x)

    def call(x: Any) -> Any:
        return norm(x, torch.zeros(norms.tiles_of(128), dtype=torch.int32, device="cuda"))

    def compute(call: Any = call) -> list[Any]:
        y = call(x)
        return [y.detach(), *torch.autograd.grad(y, [x, own.weight, own.bias], dy)]

    wanted = compute()
    torch.cuda.synchronize()
    found = []
    streams = [torch.cuda.Stream() for _ in range(2)]
    for turn in range(20):
        with torch.cuda.stream(streams[turn % 2]):
            found.append(compute())
    found.append(compute(lambda x: checkpoint(call, x, use_reentrant=False)))
    with torch.autograd.graph.save_on_cpu():
        found.append(compute())
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found.append(compute())
    for _ in range(2):
        graph.replay()
    torch.cuda.synchronize()
    for some in found:
        assert all(torch.equal(one, two) for one, two in zip(some, wanted, strict=True))


def test_second_derivatives_of_norms() -> None:
    """They are PyTorch's, of what kernels have computed first."""
    from tests.torch import normalizing

    normalizing.check_second_derivatives("cuda")


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("regnet_y_400mf", {"norm + relu": 33}), ("convnext_tiny", {"layer norm": 21}),
        ("efficientnet_b0", {"norm + swish": 33}),
        ("mobilenet_v3_large", {"norm + relu": 11, "norm + hard_swish": 20}),
    ],
)  # fmt: skip
def test_networks_in_bfloat16(torch: Any, name: str, rows: dict[str, int]) -> None:
    """The loss and all gradients are as close to float64 as those of autocast in eager mode."""
    models = pytest.importorskip("torchvision.models")
    from cudnn_cffi.torch import fuse

    torch.manual_seed(6)
    model = getattr(models, name)(weights=None).cuda().to(memory_format=torch.channels_last)
    for each in model.modules():
        if "Dropout" in type(each).__name__ or "Stochastic" in type(each).__name__:
            each.p = 0.0
    eager, wide = copy.deepcopy(model), copy.deepcopy(model).double()
    x = torch.randn(8, 3, 96, 96, device="cuda").to(memory_format=torch.channels_last)
    fused = fuse(model, training=True)
    poison(torch)
    found = gradients(torch, fused, model, x, torch.bfloat16)
    theirs = gradients(torch, eager, eager, x, torch.bfloat16)
    right = gradients(torch, wide, wide, x.double())
    total = [
        statistics.mean(min(1.0, error(a, b)) for a, b in zip(some, right, strict=True))
        for some in (found, theirs)
    ]
    assert total[0] <= 1.5 * total[1] + 1e-3
    words = [row.what for row in fused.report]
    assert {each: words.count(each) for each in rows} == rows


@pytest.mark.parametrize("name", ["regnet_y_400mf", "efficientnet_b0"])
def test_networks_beside_eager_mode(torch: Any, name: str) -> None:
    models = pytest.importorskip("torchvision.models")
    from cudnn_cffi.torch import fuse

    torch.manual_seed(6)
    model = getattr(models, name)(weights=None).cuda().to(memory_format=torch.channels_last)
    eager, x = copy.deepcopy(model), torch.randn(4, 3, 96, 96, device="cuda")
    results = []
    for call, own in ((fuse(model, training=True), model), (eager, eager)):
        torch.manual_seed(7)  # of dropout
        results.append(gradients(torch, call, own, x))
    for ours, theirs in zip(*results, strict=True):
        # Gradients of biases before a norm are zero but for rounding.
        assert (ours - theirs).norm() <= 2e-3 * theirs.norm() + 1e-4


@pytest.mark.parametrize("word", ["bfloat16", "float16", "float32"])
def test_max_pooling_keeps_places(torch: Any, word: str) -> None:
    """Results and gradients are PyTorch's, also of equal and very negative numbers, and NaN."""
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.fusion.training import pooling

    dtype = getattr(torch, word)
    for count, (size, sides) in enumerate(
        [((2, 16, 9, 11), (3, 2, 1)), ((3, 8, 12, 8), (2, 2, 0))]
    ):
        torch.manual_seed(count)
        own = torch.nn.MaxPool2d(*sides)
        x = torch.randn(size, device="cuda").round().to(dtype)  # many are equal
        x[0, :4] -= 3000.0
        x[0, 4:6] = 0.0
        x[-1, :, :4] = x[-1, :, :4] * 1e4
        x = x.to(memory_format=torch.channels_last)
        found = []
        ours = pooling.MaxPooling(modules.MaxPool2d(*sides))
        for module in (ours, own):
            given = x.detach().requires_grad_()
            poison(torch)
            y = module(given)
            dy = torch.arange(1, y.numel() + 1, device="cuda").view_as(y).to(dtype) % 13
            y.backward(dy)
            assert isinstance(y.grad_fn, pooling._Pooling._backward_cls) == (module is not own)
            found.append((y.detach(), given.grad))
        assert torch.equal(found[0][0], found[1][0])
        # A sum of several gradients may be rounded in another order.
        torch.testing.assert_close(found[0][1], found[1][1], rtol=2e-2, atol=0)
        x[0, 0, 2, 2] = torch.nan
        assert torch.equal(ours(x.requires_grad_()).isnan(), own(x).isnan())


def training(torch: Any, call: Any, lower: Any = None) -> Callable[..., Any]:
    """A function of images and labels that is the loss under autocast."""

    def loss(x: Any, labels: Any) -> Any:
        with torch.autocast("cuda", lower or torch.bfloat16, enabled=lower is not None):
            return torch.nn.functional.cross_entropy(call(x), labels)

    return loss


def optimizers(torch: Any, word: str, model: Any) -> Any:
    if word in ("adam", "on the host"):
        return torch.optim.Adam(model.parameters(), 1e-3, capturable=word == "adam")
    return torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, fused=word == "fused")


@pytest.mark.parametrize("word", ["sgd", "fused", "adam", "on the host"])
def test_captured_steps_are_those_of_eager_mode(torch: Any, word: str) -> None:
    """With rates that change, another batch, changed weights, and a frozen layer."""
    from cudnn_cffi.torch import fuse

    model = resnet(torch).double()
    eager = copy.deepcopy(model)
    fused = fuse(model, training=True, capture=True)
    ours, theirs = optimizers(torch, word, model), optimizers(torch, word, eager)
    step = fused.step(training(torch, fused), ours)
    loss = training(torch, eager)
    for turn in range(12):
        torch.manual_seed(turn)
        count = 6 if turn in (4, 5, 6) else 4
        x, labels = images(torch, count, 40).double(), torch.randint(0, 10, (count,), device="cuda")
        if turn == 7:
            assert step.has_optimizer == (word != "on the host")
            for each in (ours, theirs):
                each.param_groups[0]["lr"] *= 0.5
        for own in (model, eager):
            if turn == 8:
                with torch.no_grad():
                    own.conv1.weight.mul_(1.5)
            if turn == 9:
                own.layer1[0].conv1.weight.requires_grad_(False)
            if turn == 10:
                own.layer2[0].bn1.eval()
            if turn == 11:
                own.layer1[1].conv1.weight.data = own.layer1[1].conv1.weight.data.clone()
        theirs.zero_grad()
        wanted = loss(x, labels)
        wanted.backward()
        theirs.step()
        poison(torch)
        found = step(x, labels)
        assert error(found, wanted.detach()) < 1e-9, turn
        for one, two in zip(model.parameters(), eager.parameters(), strict=True):
            assert (one.grad is None) == (two.grad is None)
            if one.grad is not None:
                assert error(one.grad, two.grad) < 1e-7
        if turn == 2:  # as `Module.to` does
            model.conv1.weight.grad.data = model.conv1.weight.grad.data.clone()
        else:
            model.zero_grad()  # which a replay undoes
    assert not step.has_optimizer
    for one, two in zip(model.state_dict().values(), eager.state_dict().values(), strict=True):
        assert error(one.double(), two.double()) < 1e-7


@pytest.mark.parametrize(
    ("word", "scales"),
    [("sgd", True), ("fused", True), ("on the host", True), ("fused", False), ("adam", False)],
)
def test_captured_steps_with_scaled_losses_and_clipped_gradients(
    torch: Any, word: str, scales: bool
) -> None:
    """As PyTorch's examples have them; gradients of one step are not finite."""
    from cudnn_cffi.torch import fuse

    model, clip, broken = resnet(torch).double(), 0.5, 4 if scales else -1
    eager = copy.deepcopy(model)
    fused = fuse(model, training=True, capture=True)
    ours, theirs = optimizers(torch, word, model), optimizers(torch, word, eager)
    own, scaler = (
        torch.amp.GradScaler("cuda", 512.0, growth_interval=3, enabled=scales) for _ in range(2)
    )
    loss, losses = training(torch, eager), training(torch, fused)
    step = fused.step(lambda x, y, by: losses(x, y) * by, ours, scaler=own, clip=clip)
    for turn in range(8):
        torch.manual_seed(turn)
        x, labels = images(torch, 4, 40).double(), torch.randint(0, 10, (4,), device="cuda")
        by = torch.full((), float("inf") if turn == broken else 1.0 + turn, device="cuda")
        theirs.zero_grad()
        wanted = loss(x, labels) * by
        scaler.scale(wanted).backward()
        scaler.unscale_(theirs)
        torch.nn.utils.clip_grad_norm_(eager.parameters(), clip)
        scaler.step(theirs)
        scaler.update()
        poison(torch)
        found = step(x, labels, by)
        assert torch.equal(found, wanted.detach()) or error(found, wanted.detach()) < 1e-9, turn
        assert own.get_scale() == scaler.get_scale()
        for one, two in zip(model.parameters(), eager.parameters(), strict=True):
            assert error(one.detach(), two.detach()) < 1e-7
            if turn != broken:
                assert error(one.grad, two.grad) < 1e-7
    assert step.has_optimizer == (not scales)
    assert own.get_scale() == (1024.0 if scales else 1.0)


def test_parameters_of_another_optimizer(torch: Any) -> None:
    """Their gradients are there after a replay, too, and are added up where nothing clears them."""
    from cudnn_cffi.torch import fuse

    model = resnet(torch).double()
    eager = copy.deepcopy(model)
    fused = fuse(model, training=True, capture=True)
    (own, other), (their_own, their_other) = (
        [torch.optim.SGD(list(each.parameters())[place::2], 0.01, 0.9) for place in (0, 1)]
        for each in (model, eager)
    )
    step, loss = fused.step(training(torch, fused), own), training(torch, eager)
    for turn in range(6):
        x, labels = images(torch, 4, 40).double(), torch.arange(4, device="cuda")
        if turn != 4:
            other.zero_grad()
            their_other.zero_grad()
        their_own.zero_grad()
        loss(x, labels).backward()
        their_own.step()
        their_other.step()
        poison(torch)
        step(x, labels)
        other.step()
        for one, two in zip(model.parameters(), eager.parameters(), strict=True):
            assert error(one.grad, two.grad) < 1e-7, turn
            assert error(one.detach(), two.detach()) < 1e-7, turn


def test_steps_that_cannot_be_captured(torch: Any) -> None:
    from cudnn_cffi import errors
    from cudnn_cffi.torch import fuse

    x, labels = images(torch, 2, 40), torch.zeros(2, dtype=torch.long, device="cuda")

    def make(change: Callable[[Any], object]) -> Any:
        model = resnet(torch)
        change(model)
        fused = fuse(model, training=True, capture=True)
        optimizer = torch.optim.Adam(model.parameters(), 1e-3, capturable=True)
        step = fused.step(training(torch, fused), optimizer)
        step(x, labels)
        return step

    def average(model: Any) -> None:
        model.bn1.momentum = None  # its average is computed with a number on the host

    for step in (
        make(lambda model: model.layer1.register_forward_hook(lambda *_: None)),
        make(lambda model: model.conv1.weight.register_hook(lambda grad: grad)),
        make(average),
    ):
        grads = [each.grad for each in step.model.parameters()]
        before = [each.clone() for each in step.model.state_dict().values()]
        with pytest.raises(errors.NotSupportedError, match="the step cannot be captured"):
            step(x, labels)
        assert all(a is b.grad for a, b in zip(grads, step.model.parameters(), strict=True))
        for one, two in zip(before, step.model.state_dict().values(), strict=True):
            assert torch.equal(one, two)
    assert torch.randn(3, device="cuda").isfinite().all()
    on_host = fuse(torch.nn.Linear(4, 4).cuda(), training=True, capture=True)
    step = on_host.step(
        lambda x: on_host(x).sum() * float(x.sum()), torch.optim.SGD(on_host.parameters(), 0.1)
    )
    y = torch.randn(2, 4, device="cuda")
    step(y)
    with pytest.raises(errors.NotSupportedError, match=r"captured: .*is capturing"):
        step(y)


def test_arguments_that_a_captured_step_changes(torch: Any) -> None:
    from cudnn_cffi import errors
    from cudnn_cffi.torch import fuse

    model = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3), torch.nn.Tanh()).cuda()
    fused = fuse(model, training=True, capture=True)
    step = fused.step(
        lambda x, y: (fused(x.relu_()) - y).square().mean(),
        torch.optim.SGD(model.parameters(), 0.1),
    )
    for number in range(4):
        x, y = torch.randn(2, 8, 9, 9, device="cuda"), torch.randn(2, 8, 7, 7, device="cuda")
        wanted, before = x.relu(), y.clone()
        with torch.no_grad():
            loss = (model(wanted) - y).square().mean()
        assert error(step(x, y), loss) < 1e-2, number
        assert torch.equal(x, wanted), number
        assert torch.equal(y, before), number
    for number in range(4):  # what is written to one argument may be in another one, too
        both = torch.randn(2, 8, 9, 9, device="cuda")
        x, y = both, both[:, :, 2:, :7]
        wanted = x.relu()
        with torch.no_grad():
            loss = (model(wanted) - wanted[:, :, 2:, :7]).square().mean()
        assert error(step(x, y), loss) < 1e-2, number
        assert torch.equal(both, wanted), number
    with pytest.raises(errors.ArgumentError, match="argument 0: expected a tensor that requires"):
        step(x.requires_grad_(), y)


def test_another_optimizer_s_state_is_seen(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    model = resnet(torch).double()
    eager = copy.deepcopy(model)
    fused = fuse(model, training=True, capture=True)
    ours, theirs = optimizers(torch, "sgd", model), optimizers(torch, "sgd", eager)
    step = fused.step(training(torch, fused), ours)
    x, labels = images(torch, 4, 40).double(), torch.arange(4, device="cuda")
    for turn in range(5):
        if turn == 3:
            for each in (ours, theirs):
                state = copy.deepcopy(each.state_dict())
                for own in state["state"].values():
                    own["momentum_buffer"] *= -1
                each.load_state_dict(state)
        theirs.zero_grad()
        training(torch, eager)(x, labels).backward()
        theirs.step()
        step(x, labels)
    for one, two in zip(model.parameters(), eager.parameters(), strict=True):
        assert error(one.detach(), two.detach()) < 1e-7


def test_losses_of_a_training(torch: Any) -> None:
    """A short training goes down as eager's does, in bfloat16 by autocast and captured."""
    from cudnn_cffi.torch import fuse

    found = {}
    for fuses in (True, False):
        model = resnet(torch)
        call = fuse(model, training=True, capture=True) if fuses else model
        optimizer = optimizers(torch, "sgd", model)
        loss = training(torch, call, torch.bfloat16)
        step = call.step(loss, optimizer) if fuses else None
        torch.manual_seed(2)
        kinds = torch.randn(10, 3, 32, 32, device="cuda")
        values = []
        for _ in range(60):
            labels = torch.randint(0, 10, (64,), device="cuda")
            x = 0.5 * kinds[labels] + torch.randn(64, 3, 32, 32, device="cuda")
            if step is None:
                optimizer.zero_grad()
                value = loss(x, labels)
                value.backward()
                optimizer.step()
            else:
                value = step(x, labels)
            values.append(value.detach())
        found[fuses] = [float(each) for each in values]
    for some in found.values():
        assert statistics.mean(some[-10:]) < 0.3 * statistics.mean(some[:5])
    ours, theirs = (statistics.mean(found[each][-20:]) for each in (True, False))
    assert abs(ours - theirs) < 0.15 + 0.5 * theirs


def test_memory_is_at_most_that_of_eager_mode(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    peaks = {}
    x = images(torch, 32, 128)
    for fuses in (False, True):
        model = resnet(torch)
        call = fuse(model, training=True) if fuses else model
        for _ in range(2):
            model.zero_grad()
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            with torch.autocast("cuda", torch.bfloat16):
                y = call(x)
            y.float().sum().backward()
            peaks[fuses] = torch.cuda.max_memory_allocated() - before
            del y
    assert peaks[True] <= 1.05 * peaks[False]


@pytest.mark.parametrize("device", ["cuda", "cuda:RANK"])
def test_two_processes(torch: Any, tmp_path: Path, device: str) -> None:
    """`DistributedDataParallel` of a fused model, on one device, and on a device each."""
    if device != "cuda" and torch.cuda.device_count() < 2:
        pytest.skip("a second GPU is needed")
    train_in_two_processes(torch, tmp_path, device)
