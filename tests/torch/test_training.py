"""Models fused for training compute what the models compute, by operations that PyTorch computes."""

from __future__ import annotations

import contextlib
import copy
import gc
import pickle
import random
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors

from tests.torch.processes import in_two_processes

PROGRAM = Path(__file__).parent / "programs" / "fused_training.py"


class Block:
    """Makes a residual block of two convolutions, with what a test asks for in its forward."""

    def __new__(cls, torch: Any, forward: Callable[[Any, Any], Any] | None = None) -> Any:
        nn = torch.nn

        class Own(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.conv1 = nn.Conv2d(4, 4, 3, padding=1, bias=False)
                self.bn1 = nn.BatchNorm2d(4)
                self.relu = nn.ReLU(inplace=True)
                self.conv2 = nn.Conv2d(4, 4, 3, padding=1)
                self.bn2 = nn.BatchNorm2d(4)

            def plain(self, x: Any) -> Any:
                y = self.relu(self.bn1(self.conv1(x)))
                y = self.bn2(self.conv2(y))
                y += x
                return self.relu(y)

            def forward(self, x: Any) -> Any:
                return self.plain(x) if forward is None else forward(self, x)

        return Own()


def network(torch: Any, *blocks: Any) -> Any:
    nn = torch.nn
    torch.manual_seed(5)
    made = nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), *(blocks or (Block(torch),)),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3),
    )  # fmt: skip
    for each in made.parameters():
        nn.init.normal_(each, 0.1, 0.5)
    return made


def steps(torch: Any, call: Any, model: Any, count: int = 3, rate: float = 0.1) -> list[Any]:
    """The losses and gradients of some steps of training, and the model at the end."""
    optimizer = torch.optim.SGD([e for e in model.parameters() if e.requires_grad], rate, 0.9)
    found = []
    generator = torch.Generator().manual_seed(8)
    torch.manual_seed(9)
    random.seed(10)
    for _ in range(count):
        x = torch.randn(4, 3, 9, 9, generator=generator)
        optimizer.zero_grad()
        loss = call(x).square().mean()
        loss.backward()
        grads = [each.grad for each in model.parameters()]
        found += [loss.detach(), *[torch.zeros(()) if e is None else e.clone() for e in grads]]
        optimizer.step()
    return [*found, *[each.detach().clone() for each in model.state_dict().values()]]


def assert_trains_alike(torch: Any, model: Any, **settings: Any) -> Any:
    """Train a copy in the usual way and the model fused; return what fuses it."""
    from cudnn_cffi.torch import fuse

    other = copy.deepcopy(model)
    fused = fuse(model, training=True, **settings)
    for one, two in zip(steps(torch, fused, model), steps(torch, other, other), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)
    return fused


def test_a_norm_an_addition_and_a_relu_are_one_call(torch: ModuleType, stand_in: list[str]) -> None:
    fused = assert_trains_alike(torch, network(torch))
    assert stand_in.count("batch_norm_activation") == 9
    assert stand_in.count("batch_norm_activation_backward") == 9
    assert "activation" not in stand_in
    assert "batch_norm" not in stand_in
    rows = {row.name: row for row in fused.report}
    assert rows["3.bn2"].what == "norm + residual + relu"
    assert rows["1"].what == "norm + relu"
    assert rows["3.conv1"].by == "cuDNN"
    assert rows["6"].by == "as it is"
    assert "3.relu" not in rows
    assert "norm + residual + relu" in repr(fused)


@pytest.mark.parametrize(
    "name", ["resnet18", "regnet_y_400mf", "efficientnet_b0", "convnext_tiny", "densenet121"]
)
def test_networks_of_torchvision(torch: ModuleType, stand_in: list[str], name: str) -> None:
    models = pytest.importorskip("torchvision.models")
    from cudnn_cffi.torch import fuse

    torch.manual_seed(3)
    model = getattr(models, name)(weights=None)
    other = copy.deepcopy(model)
    x = torch.randn(2, 3, 64, 64).to(memory_format=torch.channels_last)
    fused = fuse(model, training=True)
    for call, own in ((fused, model), (other, other)):
        torch.manual_seed(4)  # of dropout and stochastic depth
        call(x).square().mean().backward()
        assert all(each.grad is not None for each in own.parameters())
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        difference = (one.grad - two.grad).norm()
        assert difference <= 1e-3 * two.grad.norm() + 1e-6
    for one, two in zip(model.buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)


def _frozen_norm(model: Any) -> None:
    model[3].bn1.eval()


def _averages(model: Any) -> None:
    model[3].bn2.momentum = None


def _untracked(torch: Any) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        model[1] = torch.nn.BatchNorm2d(4, track_running_stats=False)

    return change


def _frozen_weight(model: Any) -> None:
    model[3].conv1.weight.requires_grad_(False)
    model[3].bn1.weight.requires_grad_(False)


def _shared(model: Any) -> None:
    model[3].bn2 = model[3].bn1  # which counts two batches in each call


@pytest.mark.parametrize("case", range(5))
def test_modes_of_norms(torch: ModuleType, stand_in: list[str], case: int) -> None:
    changes = _frozen_norm, _averages, _untracked(torch), _frozen_weight, _shared
    model = network(torch)
    changes[case](model)
    assert_trains_alike(torch, model)


def _norms_before(block: Any, x: Any) -> Any:
    y = block.relu(block.bn2(block.conv1(block.relu(block.bn1(x)))))
    return x + block.conv2(y)


def _reads_twice(block: Any, x: Any) -> Any:
    y = block.bn1(block.conv1(x))
    z = block.bn2(block.conv2(y))
    return block.relu(z + y) + z


@pytest.mark.parametrize("forward", [_norms_before, _reads_twice])
def test_other_orders(torch: ModuleType, stand_in: list[str], forward: Any) -> None:
    assert_trains_alike(torch, network(torch, Block(torch, forward), Block(torch)))


def test_eval_mode_is_the_model_itself(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch)
    fused = fuse(model, training=True)
    x = torch.randn(2, 3, 9, 9)
    fused(x)
    assert fused.eval() is fused
    assert not any(each.training for each in (fused, *model.modules()))
    before = len(stand_in)
    assert torch.equal(fused(x), model(x))
    assert len(stand_in) == before
    assert fused.train().training
    assert model[3].bn1.training
    model[3].bn1.eval()  # which is noticed
    counted = model[3].bn1.num_batches_tracked.clone(), model[3].bn2.num_batches_tracked.clone()
    fused(x)
    assert (model[3].bn1.num_batches_tracked, model[3].bn2.num_batches_tracked - 1) == counted


def test_it_is_the_model_s_state(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch)
    fused = fuse(fuse(model, training=True), training=True)
    assert fused.original is model
    assert all(a is b for a, b in zip(fused.parameters(), model.parameters(), strict=True))
    assert list(fused.state_dict()) == list(model.state_dict())
    assert [name for name, _ in fused.named_buffers()] == [n for n, _ in model.named_buffers()]
    fused.load_state_dict({k: v + 1 for k, v in model.state_dict().items()})
    assert int(model[1].num_batches_tracked) == 1
    for other in (copy.deepcopy(fused), pickle.loads(pickle.dumps(fuse(model[:3], training=True)))):
        assert other.original is not model
        x = torch.randn(2, 3, 9, 9)
        other(x).sum().backward()
    assert all(each.grad is None for each in model.parameters())
    assert fused.double() is fused
    assert model[0].weight.dtype == torch.float64


def test_changes_of_the_model_are_seen(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch)
    fused = fuse(model, training=True)
    x = torch.randn(2, 3, 9, 9)

    def assert_same() -> None:
        other = copy.deepcopy(model)
        y, wanted = fused(x), other(x)
        torch.testing.assert_close(y, wanted)
        model.zero_grad()
        y.sum().backward()
        wanted.sum().backward()
        for one, two in zip(model.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(one.grad, two.grad, rtol=1e-4, atol=1e-5)

    assert_same()
    with torch.no_grad():
        model[3].conv1.weight.mul_(2)
        model[3].bn1.bias.add_(1)
    assert_same()
    model[3].conv2.weight = torch.nn.Parameter(torch.randn(4, 4, 3, 3))
    assert_same()
    model[3].conv2.weight.data = torch.randn(4, 4, 3, 3)
    assert_same()
    model[2] = torch.nn.SiLU()
    assert_same()
    model[3].relu.forward = torch.nn.functional.leaky_relu
    assert_same()
    model[3].conv1.padding = model[3].conv2.padding = (0, 0)
    model[3].conv1.kernel_size = model[3].conv2.kernel_size = (1, 1)
    for each in (model[3].conv1, model[3].conv2):
        each.weight = torch.nn.Parameter(each.weight[:, :, :1, :1].clone())
    assert fused.refresh(force=True)
    assert_same()


@pytest.mark.parametrize("first", ["ReLU", "SiLU", "Hardswish", "ReLU6"])
@pytest.mark.parametrize("second", ["ReLU", "SiLU", "Hardswish", "ReLU6", "addition"])
@pytest.mark.parametrize("inplace", [False, True])
def test_one_activation_after_another(
    torch: ModuleType, stand_in: list[str], first: str, second: str, inplace: bool
) -> None:
    """The norm computes the first; it is no norm alone, with which the second one were computed."""
    from cudnn_cffi.torch import fuse

    acts = [
        getattr(torch.nn, each)(inplace=inplace) for each in (first, second) if each != "addition"
    ]

    class Own(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.acts = torch.nn.BatchNorm2d(4), torch.nn.ModuleList(acts)

        def forward(self, x: Any) -> Any:
            y = self.norm(x)
            for each in self.acts:
                y = each(y)
            return torch.relu(y + x) if second == "addition" else y

    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), Own(), torch.nn.Conv2d(4, 4, 1)).double()
    other, x = copy.deepcopy(model), torch.randn(2, 3, 9, 9, dtype=torch.float64)
    torch.testing.assert_close(fuse(model, training=True)(x), other(x))


@pytest.mark.parametrize("kind", ["forward", "forward_pre", "full_backward", "full_backward_pre"])
@pytest.mark.parametrize("place", ["", "3", "3.bn1", "3.conv1"])
def test_hooks_run_in_each_call(
    torch: ModuleType, stand_in: list[str], kind: str, place: str
) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch)
    model[3].relu.inplace = False  # hooks of gradients refuse to be in place
    seen: list[Any] = []
    fused = fuse(model, training=True)
    x = torch.randn(2, 3, 9, 9, requires_grad=True)
    fused(x).sum().backward()
    module = model.get_submodule(place)
    handle = getattr(module, f"register_{kind}_hook")(lambda own, *_: seen.append(own))
    for _ in range(2):
        fused(x).sum().backward()
    handle.remove()
    fused(x).sum().backward()
    assert seen == [module, module]


@pytest.mark.parametrize("word", ["hook", "pre_hook"])
def test_hooks_of_all_modules_run_in_each_call(
    torch: ModuleType, stand_in: list[str], word: str
) -> None:
    from cudnn_cffi.torch import fuse
    from torch.nn.modules import module as globals_

    model = network(torch, Block(torch, _reads_twice))
    model[2].inplace = model[3].relu.inplace = False
    fused = fuse(model, training=True)
    seen: list[Any] = []
    register = getattr(globals_, f"register_module_full_backward_{word}")
    handle = register(lambda own, *_: seen.append(own))
    try:
        fused(torch.randn(2, 3, 9, 9)).sum().backward()
    finally:
        handle.remove()
    assert {model[1], model[3].bn1, model[3].conv2} <= set(seen)


def test_depth_that_a_generator_of_the_model_draws(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import fuse

    def forward(block: Any, x: Any) -> Any:
        return block.plain(x) if block.draws.random() < 0.5 else x

    model = network(torch, Block(torch, forward))
    model[3].draws = random.Random(3)
    other, x = copy.deepcopy(model), torch.randn(2, 3, 9, 9)
    fused = fuse(model, training=True)
    for _ in range(8):
        torch.testing.assert_close(fused(x), other(x))
    assert model[3].draws.getstate() == other[3].draws.getstate()


def _checkpointed(reentrant: bool) -> Callable[[Any, Any], Any]:
    def forward(block: Any, x: Any) -> Any:
        from torch.utils.checkpoint import checkpoint

        return checkpoint(block.plain, x, use_reentrant=reentrant)

    return forward


def _in_autocast(block: Any, x: Any) -> Any:
    import torch

    with torch.autocast("cpu", torch.bfloat16):
        return block.plain(x).float()


def _without_gradients(block: Any, x: Any) -> Any:
    import torch

    with torch.no_grad():
        y = block.bn1(block.conv1(x))
    return block.plain(x) + y


def _decides(block: Any, x: Any) -> Any:
    return block.plain(x) if random.random() < 0.5 else x


def _draws(block: Any, x: Any) -> Any:
    import torch

    return block.plain(x) * torch.rand(1)


def _looks(block: Any, x: Any) -> Any:
    return block.plain(x) if x.sum() > 0 else x


def _counts(block: Any, x: Any) -> Any:
    block.calls = getattr(block, "calls", 0) + 1
    return block.plain(x) * block.calls


@pytest.mark.parametrize(
    "forward",
    [
        _checkpointed(True), _checkpointed(False), _without_gradients, _decides, _draws, _looks,
        _counts,
    ],
)  # fmt: skip
def test_what_a_graph_does_not_tell(
    torch: ModuleType, stand_in: list[str], forward: Callable[[Any, Any], Any]
) -> None:
    model = network(torch, Block(torch, forward), Block(torch))
    fused = assert_trains_alike(torch, model)
    rows = list(fused.report)
    assert any(row.why for row in rows)
    # The blocks around it are fused all the same.
    assert any(row.what == "norm + residual + relu" for row in rows)


def test_autocast_inside(torch: ModuleType) -> None:
    model = network(torch, Block(torch, _in_autocast), Block(torch))
    fused = assert_trains_alike(torch, model)
    assert any("it switches autocast" in row.why for row in fused.report)


def test_checkpoints_around_it(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import fuse
    from torch.utils.checkpoint import checkpoint

    model = network(torch)
    other, fused = copy.deepcopy(model), fuse(model, training=True)
    found = []
    for call, own in ((fused, model), (other, other)):
        ran = steps(torch, lambda x, call=call: checkpoint(call, x, use_reentrant=False), own)
        found.append(ran)
    for one, two in zip(*found, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)


def test_two_calls_and_two_gradients(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch).double()
    other, fused = copy.deepcopy(model), fuse(model, training=True)
    found = []
    for call, own in ((fused, model), (other, other)):
        generator = torch.Generator().manual_seed(1)
        x, z = (torch.randn(2, 3, 9, 9, dtype=torch.float64, generator=generator) for _ in range(2))
        x.requires_grad_()
        y = call(x).square().sum() + call(z).square().sum()
        y.backward(retain_graph=True)
        y.backward()
        (grad,) = torch.autograd.grad(call(x).square().sum(), x, create_graph=True)
        grad.square().sum().backward()
        found.append([y, x.grad, *[each.grad for each in own.parameters()]])
    for one, two in zip(*found, strict=True):
        torch.testing.assert_close(one, two)


def test_autocast(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch)
    other, fused = copy.deepcopy(model), fuse(model, training=True)
    x = torch.randn(2, 3, 9, 9)
    for call in (fused, other):
        with torch.autocast("cpu", torch.bfloat16):
            y = call(x)
        assert y.dtype == torch.bfloat16
        y.float().sum().backward()
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(one.grad, two.grad)


def test_weights_are_cast_at_once(torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.torch.fusion.training import weights

    sizes = [(4, 3, 3, 3), (6, 4, 1, 1), (5, 6, 3, 3)]
    made = [torch.randn(size).requires_grad_() for size in sizes]
    made[1] = made[1].detach().to(memory_format=torch.channels_last).requires_grad_()
    found = weights._Cast.apply(torch.bfloat16, *made)
    for each, own in zip(found, made, strict=True):
        assert torch.equal(each, own.to(torch.bfloat16))
        assert each.stride() == own.stride()
    (found[0].sum() * 3 + found[2].float().square().sum()).backward()
    assert torch.equal(made[0].grad, torch.full_like(made[0], 3))
    assert made[1].grad is None
    assert made[2].grad.dtype == torch.float32
    wanted = 2 * made[2].to(torch.bfloat16)
    torch.testing.assert_close(made[2].grad, wanted.float(), rtol=1e-2, atol=1e-2)
    with torch.enable_grad():  # gradients that have gradients
        (first,) = torch.autograd.grad(
            weights._Cast.apply(torch.float64, made[0])[0].pow(3).sum(), made[0], create_graph=True
        )
        (second,) = torch.autograd.grad(first.sum(), made[0])
    torch.testing.assert_close(second, 6 * made[0])
    monkeypatch.setattr(weights, "_GROUP", 10)
    assert weights._groups([(0, 4), (3, 6), (4, 20), (5, 1)]) == [[0, 3], [4], [5]]


def test_gradients_by_transforms_of_functions(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Conv2d(4, 2, 1))
    fused, x = fuse(model, training=True), torch.randn(4, 3, 9, 9)

    def gradients(call: Any) -> Any:
        given = {name: each.detach() for name, each in call.named_parameters()}
        compute = torch.func.functional_call
        return torch.func.grad(lambda own: compute(call, own, x).square().sum())(given)

    found, wanted = gradients(fused), gradients(copy.deepcopy(model))
    assert found.keys() == wanted.keys()
    for name, each in found.items():
        assert torch.equal(each, wanted[name]), name


def test_synchronized_norms_and_replicas_are_refused(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch)
    fused = fuse(model, training=True)
    synchronized = torch.nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(model))
    with pytest.raises(errors.NotSupportedError, match=r"3\.bn1|1 is a SyncBatchNorm"):
        fuse(synchronized, training=True)
    model[1] = torch.nn.SyncBatchNorm(4)
    with pytest.raises(errors.NotSupportedError, match="1 is a SyncBatchNorm"):
        fused(torch.randn(2, 3, 9, 9))
    for each in (fused, fuse(model)):
        with pytest.raises(errors.NotSupportedError, match="DataParallel"):
            each._replicate_for_data_parallel()


@pytest.fixture
def losses(torch: ModuleType) -> Callable[..., Any]:
    def loss(fused: Any) -> Any:
        return lambda x, labels: torch.nn.functional.cross_entropy(fused(x), labels)

    return loss


def test_steps(torch: ModuleType, stand_in: list[str], losses: Any) -> None:
    from cudnn_cffi.torch import fuse

    model = network(torch)
    other = copy.deepcopy(model)
    fused = fuse(model, training=True)
    ours, theirs = (torch.optim.SGD(each.parameters(), 0.1, 0.9) for each in (model, other))
    schedules = [torch.optim.lr_scheduler.StepLR(each, 1, 0.5) for each in (ours, theirs)]
    step = fused.step(losses(fused), ours)
    for turn in range(4):
        torch.manual_seed(turn)
        x, labels = torch.randn(4, 3, 9, 9), torch.randint(0, 3, (4,))
        theirs.zero_grad()
        wanted = losses(other)(x, labels)
        wanted.backward()
        theirs.step()
        found = step(x, labels)
        assert not found.requires_grad
        torch.testing.assert_close(found, wanted.detach())
        for each in schedules:
            each.step()
    for one, two in zip(model.state_dict().values(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)


def test_steps_in_one_block_of_autocast(torch: ModuleType) -> None:
    """Autocast keeps casts of weights until its block ends, which steps change before."""
    from cudnn_cffi.torch import fuse

    nn, results = torch.nn, []
    first = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))
    for model in (first, copy.deepcopy(first)):
        fused = fuse(model, training=True)
        optimizer = torch.optim.SGD(model.parameters(), 0.5)
        step = fused.step(lambda x, fused=fused: fused(x).float().square().mean(), optimizer)
        found, x = [], torch.ones(4, 6)
        with torch.autocast("cpu", torch.bfloat16, enabled=model is first):
            for _ in range(3):
                with torch.autocast("cpu", torch.bfloat16):
                    found.append(step(x))
        results.append(torch.stack(found))
    assert len(results[0].unique()) == 3
    assert torch.equal(*results)


#: Inputs of the step whose gradients are not finite.
BROKEN = 2


@pytest.mark.parametrize("clip", [None, 0.05])
def test_steps_with_scaled_losses_and_clipped_gradients(
    torch: ModuleType, stand_in: list[str], losses: Any, clip: float | None
) -> None:
    """As PyTorch's examples of mixed precision have them; one step is left out."""
    from cudnn_cffi.torch import fuse

    model = network(torch)
    other = copy.deepcopy(model)
    fused = fuse(model, training=True)
    ours, theirs = (torch.optim.SGD(each.parameters(), 0.1, 0.9) for each in (model, other))
    own, scaler = (torch.amp.GradScaler("cpu", 512.0, growth_interval=2) for _ in range(2))
    step, sizes = fused.step(losses(fused), ours, scaler=own, clip=clip), []
    for turn in range(6):
        torch.manual_seed(turn)
        x, labels = torch.randn(4, 3, 9, 9), torch.randint(0, 3, (4,))
        x = x * float("inf") if turn == BROKEN else x
        theirs.zero_grad()
        wanted = losses(other)(x, labels)
        scaler.scale(wanted).backward()
        if clip is not None:
            scaler.unscale_(theirs)
            torch.nn.utils.clip_grad_norm_(other.parameters(), clip)
        scaler.step(theirs)
        scaler.update()
        torch.testing.assert_close(step(x, labels), wanted.detach(), equal_nan=True)
        sizes.append(own.get_scale())
        assert sizes[-1] == scaler.get_scale()
        pairs = list(zip(model.parameters(), other.parameters(), strict=True))
        for one, two in pairs:
            torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(one.grad, two.grad, rtol=1e-4, atol=1e-5, equal_nan=True)
    assert sizes == [512, 1024, 512, 512, 1024, 1024]
    if clip is not None:
        norm = torch.stack([each.grad.norm() for each in model.parameters()]).norm()
        torch.testing.assert_close(norm, torch.tensor(clip), rtol=1e-4, atol=0)


def test_norms_that_are_averaged_anew(torch: ModuleType, stand_in: list[str]) -> None:
    """PyTorch's `update_bn` has norms without a momentum meanwhile."""
    from cudnn_cffi.torch import fuse
    from torch.optim.swa_utils import update_bn

    model = network(torch)
    other = copy.deepcopy(model)
    fused = fuse(model, training=True)
    inputs = [torch.randn(4, 3, 9, 9) + turn for turn in range(3)]
    fused(inputs[0]), other(inputs[0])
    update_bn(inputs, fused)
    update_bn(inputs, other)
    fused(inputs[1]), other(inputs[1])
    for one, two in zip(model.buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(one, two)
    for each in (model, other):
        each[1].momentum = 0.75
    fused(inputs[2]), other(inputs[2])
    torch.testing.assert_close(model[1].running_mean, other[1].running_mean)


def test_arguments_of_steps(torch: ModuleType, losses: Any) -> None:
    from cudnn_cffi.torch import fuse

    fused = fuse(network(torch), training=True, capture=True)
    optimizer = torch.optim.SGD(fused.parameters(), 0.1)
    with pytest.raises(errors.ArgumentError, match="loss: expected a function"):
        fused.step(None, optimizer)
    with pytest.raises(errors.ArgumentError, match="optimizer: expected"):
        fused.step(losses(fused), fused)
    with pytest.raises(errors.ArgumentError, match="scaler: expected PyTorch's GradScaler, got 2"):
        fused.step(losses(fused), optimizer, scaler=2.0)
    for clip, got in ((-1.0, "0 or more"), (float("nan"), "a number"), ("1", "a number")):
        with pytest.raises(errors.ArgumentError, match=f"clip: expected {got}"):
            fused.step(losses(fused), optimizer, clip=clip)
    step = fused.step(losses(fused), optimizer)
    with pytest.raises(errors.ArgumentError, match="argument 0: expected a tensor on a GPU"):
        step(torch.randn(4, 3, 9, 9), torch.zeros(4, dtype=torch.long))
    assert repr(step) == "<Step of Sequential by SGD, 0 kinds of tensors captured>"
    for copy_of in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a Step cannot be copied or pickled"):
            copy_of(step)


def test_a_step_that_cannot_be_captured_leaves_gradients_and_state(
    torch: ModuleType, losses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.training import step as steps

    class Anew(torch.optim.SGD):  # type: ignore[name-defined, misc]
        """Makes its state anew in each step."""

        def step(self, closure: Any = None) -> None:
            for each in self.param_groups[0]["params"]:
                self.state[each] = {"mean": each.grad.clone(), "other": each.grad + 1}

    @contextlib.contextmanager
    def capture(device: Any) -> Iterator[Any]:
        yield None

    monkeypatch.setattr(steps, "capture", capture)
    model = network(torch)
    optimizer = Anew(model.parameters(), 0.1)
    step = fuse(model, training=True, capture=True).step(losses(model), optimizer)
    x, labels = torch.randn(4, 3, 9, 9), torch.randint(0, 3, (4,))
    step._compute((x, labels))
    grads = [each.grad for each in model.parameters()]
    before = {each: dict(values) for each, values in optimizer.state.items()}
    with pytest.raises(errors.NotSupportedError, match="captured: the optimizer makes its state"):
        step._captured((x, labels))
    assert all(a.grad is b for a, b in zip(model.parameters(), grads, strict=True))
    assert optimizer.state.keys() == before.keys()
    for each, values in optimizer.state.items():
        assert all(values[name] is before[each][name] for name in ("mean", "other"))


def test_gradients_of_a_captured_step_are_the_graph_s(
    torch: ModuleType, losses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where only their data was replaced since, as `Module.to` does.

    Gradients of parameters that another optimizer has are added to what there is.
    """
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.training import step as steps

    model = network(torch)
    scale = torch.ones((), requires_grad=True)
    first, second, third, *others = model.parameters()
    others.append(scale)
    memory: list[Any] = []

    class Graph:
        count = 0

        def replay(self) -> None:
            self.count += 1
            for each in memory:
                each.fill_(self.count)

    @contextlib.contextmanager
    def capture(device: Any) -> Iterator[Any]:
        yield Graph()
        memory.extend([each.grad.detach() for each in (*model.parameters(), scale)])

    monkeypatch.setattr(steps, "capture", capture)
    fused = fuse(model, training=True, capture=True)
    loss = losses(fused)
    optimizer = torch.optim.SGD([first, second, third], 0.1)
    step = fused.step(lambda *given: loss(*given) * scale, optimizer)
    given = torch.randn(4, 3, 9, 9), torch.randint(0, 3, (4,))
    step._replayed(given)
    before = [each.grad.clone() for each in others]
    total = 0
    for number in range(1, 4):
        step._replayed(given)
        total += number
        assert all((each.grad == number).all() for each in (first, second, third))
        for each, own in zip(others, before, strict=True):
            torch.testing.assert_close(each.grad, own + total)
        first.grad.data = first.grad.data.clone()
        second.grad = None
        third.grad = third.grad + 1
    for each in others:
        each.grad = None
    step._replayed(given)
    assert all((each.grad == 4).all() for each in others)
    others[0].requires_grad_(False)
    step._replayed(given)
    assert len(step._known) == 2


def test_a_captured_step_sees_changes_of_what_it_depends_on(
    torch: ModuleType, losses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is captured anew: the optimizer's hooks run, and no replay reads memory that is gone."""
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.training import step as steps

    captures: list[bool] = []

    class Graph:
        def replay(self) -> None:
            pass

    @contextlib.contextmanager
    def capture(device: Any) -> Iterator[Any]:
        yield Graph()
        captures.append(True)

    monkeypatch.setattr(steps, "capture", capture)
    monkeypatch.setattr(torch.optim.SGD, "step", lambda self: None)
    model, scale = network(torch), torch.nn.Parameter(torch.ones(()))
    fused = fuse(model, training=True, capture=True)
    loss = losses(fused)
    optimizer = torch.optim.SGD([*model.parameters(), scale], 0.1)
    step = fused.step(lambda *given: loss(*given) * scale, optimizer)
    given = torch.randn(4, 3, 9, 9), torch.randint(0, 3, (4,))

    def count() -> int:
        step._replayed(given)
        return len(captures)

    assert [count() for _ in range(3)] == [0, 1, 1]
    assert step.has_optimizer
    precision = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        assert [count() for _ in range(3)] == [1, 2, 2]
    finally:
        torch.set_float32_matmul_precision(precision)
    assert count() == 2
    model[0].weight = torch.nn.Parameter(model[0].weight.detach() * 2)
    fused(given[0])  # the model sees it before the step does
    assert [count() for _ in range(3)] == [2, 3, 3]
    hook = optimizer.register_step_post_hook(lambda *_: None)
    assert [count() for _ in range(2)] == [4, 4]
    assert not step.has_optimizer
    scale.data = scale.data * 2  # of no module, and the optimizer is not in the graph
    assert [count() for _ in range(2)] == [5, 5]
    optimizer.param_groups[0]["lr"] = 0.2
    assert count() == 5
    hook.remove()
    optimizer.add_param_group({"params": [torch.nn.Parameter(torch.ones(()))], "lr": 1.0})
    other = fused.step(lambda *given: loss(*given) * scale, optimizer)
    before, groups = other._facts(), optimizer.param_groups
    groups[1]["params"].insert(0, groups[0]["params"].pop())
    assert other._facts() != before  # the parameters, in their order, are those of before
    optimizer.register_step_pre_hook(lambda *_: None)
    for _ in range(2):
        other._replayed(given)
    assert not other.has_optimizer


@pytest.mark.parametrize("captured", [False, True])
def test_constants_of_captured_calls_are_kept(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch, captured: bool
) -> None:
    """By the graph: the model prepares for few modes at a time, and lets go of the first one."""
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.training import model as training

    model, x = network(torch), torch.randn(4, 3, 9, 9)
    fused, graph = fuse(model, training=True), []
    with monkeypatch.context() as patch:
        patch.setattr(torch.cuda, "is_initialized", lambda: True)
        patch.setattr(torch.cuda, "is_current_stream_capturing", lambda: captured)
        patch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=7))
        patch.setattr(training, "keep_captured", lambda *what: graph.append(what))
        fused(x)
    (first,) = map(weakref.ref, fused._pipelines.values())
    for momentum in (0.2, 0.3, 0.4, 0.5):
        model[1].momentum = momentum
        fused(x)
    gc.collect()
    assert (first() is not None) == captured
    model[1] = torch.nn.BatchNorm2d(4)
    fused(x)
    gc.collect()
    assert [stream for stream, _ in graph] == [7] * captured
    graph.clear()
    gc.collect()
    assert first() is None


def test_a_step_is_told_which_module_changes_itself(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.training.step import _why_not

    class Counting(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.count = torch.nn.BatchNorm2d(4), 0

        def forward(self, x: Any) -> Any:
            self.count += 1
            return self.norm(x)

    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), Counting(), torch.nn.ReLU())
    fused = fuse(model, training=True)
    fused(torch.randn(4, 3, 9, 9))
    assert _why_not(fused, []) == "1: it changes its attribute count"


def test_captured_steps_of_what_lies_together_or_is_gone(
    torch: ModuleType, stand_in: list[str], losses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step is computed in the usual way, where a replay would compute something else."""
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.training import step as steps

    done: list[str] = []

    @contextlib.contextmanager
    def capture(device: Any) -> Iterator[Any]:
        yield SimpleNamespace(replay=lambda: done.append("replayed"))
        done.append("captured")

    monkeypatch.setattr(steps, "capture", capture)
    monkeypatch.setattr(steps.Step, "_counts_on_host", lambda _: False)
    model = network(torch)
    fused = fuse(model, training=True, capture=True)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, 0.5, foreach=False)
    step = fused.step(lambda x, y: fused(x.relu_()).sum() * y.sum(), optimizer)

    def after(x: Any, y: Any) -> list[str]:
        before = model[0].weight.detach().clone()
        step._replayed((x, y))
        assert torch.equal(before, model[0].weight) == (done == ["replayed"])
        if not done:
            assert bool((x >= 0).all())
        found = list(done)
        done.clear()
        return found

    x, y = torch.randn(4, 3, 9, 9), torch.randn(4)
    other = torch.randn(4, 3, 9, 9)
    assert after(x, y) == []
    assert after(x, y) == ["captured", "replayed"]
    assert after(other, other.view(-1)[:4]) == []
    assert after(x, y) == ["replayed"]
    optimizer.state.clear()
    assert after(x, y) == []
    assert after(x, y) == ["captured", "replayed"]


@pytest.mark.parametrize("word", ["lr", "betas", "counts"])
def test_numbers_of_an_optimizer_that_a_graph_keeps(torch: ModuleType, word: str) -> None:
    """They are those of tensors on the host, too, which schedules change in place."""
    from cudnn_cffi.torch import fuse

    model = network(torch)
    rate, beta = torch.tensor(0.1), torch.tensor(0.9)
    betas = beta, torch.tensor(0.99)
    optimizer = torch.optim.Adam(model.parameters(), rate, betas, foreach=False)
    optimizer.counts = {"steps": [1]}
    step = fuse(model, training=True, capture=True).step(lambda x: x, optimizer)
    before = step._facts()
    assert step._facts() == before
    if word == "lr":
        torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5).step()
        assert optimizer.param_groups[0]["lr"] is rate
    elif word == "betas":
        beta.fill_(0.8)
    else:
        optimizer.counts["steps"][0] += 1
    assert step._facts().numbers != before.numbers


@pytest.mark.parametrize("word", [
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
    "register_full_backward_pre_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook", "register_hook",
    "register_post_accumulate_grad_hook", "of the optimizer",
])  # fmt: skip
def test_a_captured_step_refuses_hooks_that_come_later(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    from cudnn_cffi.torch import fuse
    from cudnn_cffi.torch.fusion.training import step as steps

    @contextlib.contextmanager
    def capture(device: Any) -> Iterator[Any]:
        yield SimpleNamespace(replay=lambda: None)

    monkeypatch.setattr(steps, "capture", capture)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    scale = nn.Parameter(torch.ones(()))
    fused = fuse(model, training=True, capture=True)
    optimizer = torch.optim.SGD([*model.parameters(), scale], 0.1)
    step = fused.step(lambda x: fused(x).mean() * scale, optimizer)
    given = (torch.randn(4, 3, 9, 9),)
    for _ in range(3):
        step._replayed(given)
    if word == "of the optimizer":
        handle = scale.register_hook(lambda grad: None)
    else:
        place = nn.modules.module if "module" in word else model[0]
        place = place.weight if hasattr(torch.Tensor, word) else place
        handle = getattr(place, word)(lambda *_: None)
    try:
        step._replayed(given)  # prepares the model anew
        with pytest.raises(errors.NotSupportedError, match="hooks, which run in each call"):
            step._replayed(given)
    finally:
        handle.remove()
    for _ in range(3):
        step._replayed(given)


@pytest.mark.parametrize("window", [2, (2, 2), [2, 2]])
def test_windows_of_pooling(torch: ModuleType, stand_in: list[str], window: Any) -> None:
    from cudnn_cffi.torch import fuse

    pool = torch.nn.MaxPool2d(window)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), pool, torch.nn.ReLU())
    x = torch.randn(2, 3, 12, 12)
    torch.testing.assert_close(fuse(model, training=True)(x), model(x))


def train_in_two_processes(torch: Any, place: Path, device: str) -> None:
    """Run the program of two processes that train a model together."""
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    said = in_two_processes(PROGRAM, place, device, CUDNN_CFFI_PLAN_CACHE="0")
    assert said == ["trained", "trained"]


def test_two_processes(torch: ModuleType, tmp_path: Path) -> None:
    train_in_two_processes(torch, tmp_path, "cpu")


@pytest.mark.parametrize("shared", [False, True])
def test_a_gradient_is_added_in_memory_that_nobody_else_has(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.fusion.training import sums

    added = []

    def add(layer: Any, saved: Any, dy: Any, other: Any) -> Any:
        added.append(other)
        return other.add_(layer.backward(saved, (True, False, False), (dy,))[0])

    monkeypatch.setattr(sums, "_added", add)
    torch.manual_seed(2)
    conv, norm = modules.Conv2d(4, 4, 3, padding=1), modules.BatchNormActivation2d(4)

    class Sum(torch.nn.Module):  # type: ignore[misc, name-defined]
        """A norm by PyTorch: its addition passes one gradient to both of its inputs."""

        def forward(self, y: Any, residual: Any) -> Any:
            parameters = norm.running_mean, norm.running_var, norm.weight, norm.bias
            return (torch.nn.functional.batch_norm(y, *parameters, True) + residual).relu()

    found = []
    for passes in (True, False):
        x = torch.randn(2, 4, 5, 6, generator=torch.Generator().manual_seed(1)).requires_grad_()
        last = Sum() if shared else norm
        z = x * 2
        if passes:
            y, same = sums._Passing.apply(conv._new_layer(), z, conv.weight, conv.bias)
            out = sums.Following(last, 1)(y, same)
            assert same.grad_fn.is_fresh != shared
        else:
            out = last(conv(z), z)
        conv.zero_grad()
        (out * torch.linspace(-1, 1, out.numel()).view_as(out)).sum().backward()
        found.append([x.grad, conv.weight.grad, conv.bias.grad])
    for one, two in zip(*found, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)
    assert len(added) == (not shared)


@pytest.mark.parametrize(
    ("sides", "kernel", "padding"),
    [
        ((8, 10), 7, 3), ((6, 8), 3, 1), ((8, 6), 3, 0), ((10, 12), 5, 2), ((6, 6), 2, 0),
        ((4, 8), 4, 1), ((6, 8), (3, 7), (1, 3)), ((2, 2), 3, 1),
    ],
)  # fmt: skip
def test_first_layers_by_squares(
    sides: Any, kernel: Any, padding: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are the same sums, with gradients of gradients."""
    torch = pytest.importorskip("torch", exc_type=ImportError)
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.fusion.training import layers

    torch.manual_seed(2)
    own = modules.Conv2d(3, 5, kernel, stride=2, padding=padding).double()
    assert layers.Unshuffling.takes(own)
    given = zip(sides, own.kernel_size, own.padding, strict=True)
    found = tuple(layers._Side(*each) for each in given)
    assert all(each.fits for each in found)
    x = torch.randn(2, 3, *sides, dtype=torch.float64).to(memory_format=torch.channels_last)
    convolve, weight = torch.nn.functional.conv2d, own.weight
    before = torch.random.get_rng_state()
    module = layers.Unshuffling(own)
    assert torch.equal(before, torch.random.get_rng_state()), "it draws no numbers"
    monkeypatch.setattr(layers.Unshuffling, "_sides", lambda *_: found)
    y = module(x, weight)
    wanted = convolve(x, weight, None, 2, padding)
    torch.testing.assert_close(y, wanted)
    dy = torch.randn_like(wanted).requires_grad_()
    grads = [torch.autograd.grad(each, weight, dy, create_graph=True)[0] for each in (y, wanted)]
    torch.testing.assert_close(*grads)
    again = [torch.autograd.grad(each.square().sum(), dy)[0] for each in grads]
    torch.testing.assert_close(*again)
    own.choose, own.fallback = "deterministic", "silent"
    module(x, weight)
    inner = module.__dict__["inner"]
    assert (inner.choose, inner.fallback) == ("deterministic", "silent")


def test_layers_that_have_no_squares() -> None:
    pytest.importorskip("torch", exc_type=ImportError)
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.fusion.training import layers

    for given in (
        {"stride": 1}, {"stride": (2, 1)}, {"stride": 2, "dilation": 2}, {"stride": 2, "groups": 3},
        {"stride": 1, "padding": "same"},
    ):  # fmt: skip
        assert not layers.Unshuffling.takes(modules.Conv2d(3, 6, 3, **given)), given
    assert not layers.Unshuffling.takes(modules.Conv2d(5, 6, 3, stride=2))
    assert not layers.Unshuffling.takes(modules.Conv2d(3, 6, 1, stride=2))
    assert not layers._Side(7, 3, 1).fits, "an odd side"


def test_the_first_error_of_a_capture_is_told() -> None:
    from cudnn_cffi.torch.captures import _begun

    class Ending:
        """Its end raises, as that of a capture does after an error."""

        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> None:
            raise RuntimeError("a previous error")

    with pytest.raises(ValueError, match="the first"), _begun(Ending()):
        raise ValueError("the first")
    with pytest.raises(RuntimeError, match="a previous error"), _begun(Ending()):
        pass
