"""Fused models compute what the models compute, for networks of torchvision and small ones."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import gc
import math
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cudnn_cffi import errors

from tests.gpu.conftest import capturing
from tests.threads import in_threads

NETWORKS = {
    "resnet18": 96, "resnet50": 96, "resnext50_32x4d": 64, "mobilenet_v2": 96,
    "mobilenet_v3_small": 96, "vgg11_bn": 64, "densenet121": 64, "efficientnet_b0": 64,
    "googlenet": 96, "regnet_y_400mf": 64, "convnext_tiny": 64, "squeezenet1_1": 96,
    "shufflenet_v2_x0_5": 96, "inception_v3": 96, "swin_t": 64, "mnasnet0_5": 96,
}  # fmt: skip

#: Another data type for some, so that all three are seen with many kinds of layers.
TYPES = {
    "resnet18": "float32", "densenet121": "bfloat16", "resnext50_32x4d": "float32",
    "googlenet": "bfloat16", "mobilenet_v2": "float32", "convnext_tiny": "bfloat16",
}  # fmt: skip


def settled(torch: Any, model: Any, x: Any) -> Any:
    """The model with random statistics that keep its values in a range."""
    model = model.cuda().float().train()
    for each in model.modules():
        if isinstance(each, torch.nn.modules.batchnorm._BatchNorm):
            each.momentum = 1.0
            torch.nn.init.uniform_(each.weight, 0.5, 1.5)
            torch.nn.init.normal_(each.bias, 0.0, 0.3)
    with torch.no_grad():
        model(x.float())
        for each in model.modules():
            if isinstance(each, torch.nn.modules.batchnorm._BatchNorm):
                each.running_mean += 0.1 * torch.randn_like(each.running_mean)
                each.running_var *= 0.75 + 0.5 * torch.rand_like(each.running_var)
    for each in model.parameters():
        if not each.any():  # some begin with zeros, with which nothing is seen
            torch.nn.init.normal_(each.data, 0.0, 0.1)
    return model.eval()


def poison(torch: Any) -> None:
    """Have the allocator hand out memory full of NaN."""
    for size in (1 << 24, 1 << 20, 1 << 12):
        kept = [torch.full((size,), float("nan"), device="cuda") for _ in range(4)]
        del kept
    torch.cuda.synchronize()


def error(y: Any, reference: Any) -> float:
    return float((y.double() - reference).norm() / reference.norm())


def network(torch: Any, name: str, dtype: str) -> tuple[Any, Any, Any]:
    """A network, an input, and what it computes in float64."""
    torchvision = pytest.importorskip("torchvision")
    size = NETWORKS[name]
    more = (
        {"init_weights": False, "aux_logits": False}
        if name in ("googlenet", "inception_v3")
        else {}
    )
    torch.manual_seed(len(name))
    x = torch.randn(2, 3, size, size, device="cuda")
    big = torch.randn(8, 3, size, size, device="cuda")
    model = settled(torch, getattr(torchvision.models, name)(weights=None, **more), big)
    model, x = model.to(getattr(torch, dtype)), x.to(getattr(torch, dtype))
    with torch.no_grad():
        reference = copy.deepcopy(model).double()(x.double())
    return model, x, reference


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_torchvision(torch: Any, name: str) -> None:
    from cudnn_cffi.torch import fuse

    dtype = TYPES.get(name, "float16")
    model, x, reference = network(torch, name, dtype)
    with torch.no_grad():
        own = error(model(x), reference)
    before = {key: (value.data_ptr(), value.clone()) for key, value in model.state_dict().items()}
    # Weights are rounded once more than PyTorch's, after sums that mostly cancel.
    allowed = 4 * own + {"float32": 1e-4, "float16": 2e-3, "bfloat16": 1e-2}[dtype]
    for capture in (False, True):
        fused = fuse(model, capture=capture)
        poison(torch)
        first = fused(x)
        assert error(first, reference) <= allowed, (own, capture, fused.report)
        kept = first.clone()
        second = fused(torch.randn_like(x))
        assert torch.equal(first, kept), "a later call wrote into the result"
        assert not torch.equal(first, second)
        assert error(fused(x.contiguous(memory_format=torch.channels_last)), reference) <= allowed
        assert not any("not captured" in each.why for each in fused.report), fused.report
        own_ways = [each for each in fused.report if each.by.startswith(("engine", "kernel"))]
        assert own_ways or name == "swin_t"
    after = model.state_dict()
    assert all(after[key].data_ptr() == at for key, (at, _) in before.items())
    assert all(torch.equal(after[key], value) for key, (_, value) in before.items())
    assert not model.training


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_mobilenet_v2_loses_no_digits(torch: Any, dtype: str) -> None:
    """Filters of nine numbers, rounded once more with a folded norm, cost no precision."""
    from cudnn_cffi.torch import fuse

    model, x, reference = network(torch, "mobilenet_v2", dtype)
    with torch.no_grad():
        own = error(model(x), reference)
    fused = fuse(model)
    for form in (torch.contiguous_format, torch.channels_last):
        poison(torch)
        assert error(fused(x.contiguous(memory_format=form)), reference) <= 1.5 * own, fused.report


@pytest.fixture
def small(torch: Any) -> Any:
    """A residual network, with all that is fused in it."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, channels: int, out: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(out)
            self.conv2 = nn.Conv2d(out, out, 3, 1, 1)
            self.bn2 = nn.BatchNorm2d(out)
            self.short = nn.Conv2d(channels, out, 1, stride) if stride > 1 else nn.Identity()
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x: Any) -> Any:
            y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            y += self.short(x)
            return self.relu(y)

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.Sequential(Block(8, 16, 2), Block(16, 16, 1), Block(16, 32, 2))
            self.fc = nn.Linear(32, 10)

        def forward(self, x: Any) -> Any:
            return self.fc(self.blocks(x).mean((2, 3)))

    torch.manual_seed(1)
    x = torch.randn(16, 8, 24, 24, device="cuda")
    return settled(torch, Net(), x)


def expected(torch: Any, model: Any, x: Any) -> Any:
    with torch.no_grad():
        return copy.deepcopy(model).double()(x.double())


@pytest.mark.parametrize("capture", [False, True])
def test_shapes_may_change(torch: Any, small: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    model = small.half()
    fused = fuse(model, capture=capture)
    for shape in [(1, 24, 24), (3, 24, 24), (1, 17, 31), (1, 24, 24), (5, 9, 9)]:
        x = torch.randn(shape[0], 8, *shape[1:], device="cuda", dtype=torch.half)
        poison(torch)
        assert error(fused(x), expected(torch, model, x)) < 4e-3
    wide = torch.randn(2, 16, 24, 24, device="cuda", dtype=torch.half)
    y = wide[:, 1:9]  # at an odd address, and not packed
    assert error(fused(y), expected(torch, model, y)) < 4e-3


def test_graphs_keep_no_workspaces(torch: Any) -> None:
    """Memory of their pool is used again by later plans."""
    from cudnn_cffi import ops
    from cudnn_cffi.driver import keeping
    from cudnn_cffi.torch.captures import capture
    from torch.utils._pytree import tree_leaves

    made = {"device": "cuda", "dtype": torch.half}
    x, w = torch.randn(32, 192, 64, 64, **made), torch.randn(192, 192, 3, 3, **made) / 40
    x, w = (each.to(memory_format=torch.channels_last) for each in (x, w))
    found = ops.candidates("convolution", x, w, padding=1)
    chosen = next(
        each for each in found if each.via == "graph" and each.supported and each.workspace
    )
    run = ops.Convolution(1, choose=chosen.choose).plan(x, w)
    y = run(x, w)
    before = [*map(id, keeping._kept)]
    with capture(x.device) as graph:
        results = [run(x, w) for _ in range(3)]
    kept = tree_leaves([each[1] for each in keeping._kept if id(each) not in before])
    assert sum(each is run for each in kept) == 3
    assert not any(isinstance(each, torch.Tensor) for each in kept)
    poison(torch)
    graph.replay()
    assert all(torch.equal(each, y) for each in results)


@pytest.mark.parametrize("capture", [False, True])
def test_changes_are_seen_by_the_next_call(torch: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    from tests.torch import changes

    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    modes = (torch.no_grad, torch.inference_mode, torch.enable_grad)
    wrong: list[Any] = []
    for place, (name, change) in enumerate(changes.CHANGES.items()):
        model, x = changes.made(torch.half, "cuda")
        fused = fuse(model, capture=capture)
        before = fused(x)
        with torch.cuda.stream(side if place % 2 else main):
            side.wait_stream(main)
            change(model)
        main.wait_stream(side)
        given = x.to(next(model.parameters()).dtype)
        wanted = changes.in_float64(model, given)
        with torch.no_grad():
            own = changes.difference(model(given), wanted)
        seen = changes.difference(before, wanted) > 1e-2
        poison(torch)
        for mode in modes:
            with mode():
                found = changes.difference(fused(given), wanted)
            if not seen or not found < 4 * own + 3e-3:
                wrong.append((name, mode.__name__, found, own, seen))
        engines = any(each.by.startswith("engine") for each in fused.report)
        whole = not any("not captured" in each.why for each in fused.report)
        if whole == (capture and name == "replaced_forward"):
            wrong.append((name, fused.report))
        if engines == (name in ("hooked", "replaced_forward_of_all")):
            wrong.append((name, fused.report))
    assert not wrong


@pytest.mark.parametrize("capture", [False, True])
def test_models_that_keep_state(torch: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    from tests.torch import changes

    for kind in changes.KINDS:
        for inside in (False, True):
            torch.manual_seed(5)
            own = changes.Counting(kind)
            model = torch.nn.Sequential(torch.nn.Conv2d(4, 4, 1), own) if inside else own
            model = model.half().cuda().eval()
            other = copy.deepcopy(model)
            fused = fuse(model, capture=capture)
            for _ in range(4):
                x = torch.randn(2, 4, 9, 9, device="cuda", dtype=torch.half)
                with torch.no_grad():
                    assert error(fused(x), other(x).double()) < 4e-3, (kind, inside)
            other = other[1] if inside else other
            assert (own.n, own.calls, own.tensor) == (other.n, other.calls, other.tensor), kind
            assert len(own.seen) == len(other.seen)


@pytest.mark.parametrize("capture", [False, True])
def test_an_input_that_the_model_changes(torch: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    model = nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(8, 8, 3)).half().cuda().eval()
    fused = fuse(model, capture=capture)
    for _ in range(3):
        x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.half)
        wanted, changed = expected(torch, model, x.clone()), x.clone().relu_()
        assert error(fused(x), wanted) < 3e-3
        assert torch.equal(x, changed)


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_results_that_are_inputs(torch: Any, capture: bool, last: bool) -> None:
    """They are those of the call, and so are views of them, as in PyTorch."""
    from cudnn_cffi.torch import fuse

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Conv2d(8, 8, 3)

        def forward(self, x: Any, y: Any) -> Any:
            return y, self.layer(x), x[:, 2:5], {"x": x}, x.transpose(2, 3) + 1

    model = Model().half().cuda().eval()
    fused = fuse(model, capture=capture)
    form = torch.channels_last if last else torch.contiguous_format
    for _ in range(3):
        x = torch.randn(2, 8, 9, 9, device="cuda").half().contiguous(memory_format=form)
        y = torch.randn(3, device="cuda").half()
        found, wanted = fused(x, y), model(x, y)
        assert found[0] is y
        assert found[3]["x"] is x
        assert found[2].data_ptr() == wanted[2].data_ptr() == x[:, 2:5].data_ptr()
        assert found[2].stride() == wanted[2].stride()
        assert torch.equal(found[2], wanted[2])
        assert torch.equal(found[4], wanted[4])
        assert error(found[1], wanted[1].detach().double()) < 3e-3
        kept = found[1].clone()
        fused(torch.randn_like(x), y)
        assert torch.equal(found[1], kept)
    assert not any("not captured" in each.why for each in fused.report), fused.report


def _flat(y: Any) -> Any:
    y.flatten(1).relu_()
    return y


def _read(y: Any) -> Any:
    z = y.view(len(y), -1)
    y.mul_(3.0)
    return z


def _copied(y: Any) -> Any:
    y.permute(0, 2, 3, 1).contiguous().mul_(3.0)
    return y


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("function", [_flat, _read, _copied])
def test_changes_in_place_of_other_layouts(torch: Any, function: Any, capture: bool) -> None:
    """Views of PyTorch's results, of which there would be copies with channels last, and copies."""
    from cudnn_cffi.torch import fuse

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(8, 16, 3)

        def forward(self, x: Any) -> Any:
            return function(self.conv(x))

    model = Model().half().cuda().eval()
    fused = fuse(model, capture=capture)
    for _ in range(3):
        x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.half)
        wanted = expected(torch, model, x)
        poison(torch)
        assert error(fused(x), wanted) < 3e-3


@pytest.mark.parametrize("capture", [False, True])
def test_an_input_that_is_changed_by_another_name(torch: Any, capture: bool) -> None:
    """A graph, which has a copy of each input, is not replayed for such."""
    from cudnn_cffi.torch import fuse

    class Both(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(8, 8, 3, padding=1)

        def forward(self, x: Any, other: Any) -> Any:
            return self.conv(x.relu_()) + other

    model = Both().half().cuda().eval()
    fused, wide = fuse(model, capture=capture), copy.deepcopy(model).double()
    for turn in range(5):
        x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.half)
        other = x.clone() if turn == 3 else x.view(x.shape)
        changed = x.clone().relu_()
        with torch.no_grad():
            wanted = wide(changed.double(), (other if turn == 3 else changed).double())
        poison(torch)
        assert error(fused(x, other), wanted) < 3e-3, turn
        assert torch.equal(x, changed)


@pytest.mark.parametrize("fails", [False, True])
def test_a_change_that_another_thread_has_seen(torch: Any, fails: bool) -> None:
    """A call by what was prepared before is computed again."""
    from cudnn_cffi import CudnnError
    from cudnn_cffi.torch import fuse

    model = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3), torch.nn.ReLU()).half().cuda().eval()
    x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.half)
    fused = fuse(model)
    fused(x), fused(x)
    model[0] = torch.nn.Conv2d(8, 8, 3).half().cuda()
    old, main = fused._pipeline.run, threading.get_ident()
    is_there, may_go_on = threading.Event(), threading.Event()

    def run(*given: Any) -> Any:
        if threading.get_ident() == main:
            return old(*given)
        found = old(*given)
        is_there.set()
        assert may_go_on.wait(60)
        if fails:
            raise CudnnError("as of what was freed")
        return found

    fused._pipeline.run = run
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(fused, x)
        assert is_there.wait(60)
        found = fused(x)
        may_go_on.set()
        for each in (found, other.result()):
            assert error(each, expected(torch, model, x)) < 3e-3


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("word", ["doubles", "counts"])
def test_a_changed_model_with_arguments_of_a_new_kind(torch: Any, word: str, capture: bool) -> None:
    """It is prepared anew before the call, which would do twice what it does to x, or to itself."""
    from cudnn_cffi.torch import fuse

    class Deciding(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.count = torch.nn.Conv2d(8, 8, 3), 0

        def forward(self, x: Any, word: str = "") -> Any:
            if word == "doubles":
                x.mul_(2)
            if word == "counts":
                self.count += 1
                return self.conv(x) * self.count
            return self.conv(x)

    model = Deciding().half().cuda().eval()
    fused = fuse(model, capture=capture)
    x = torch.randn(2, 8, 9, 9, device="cuda", dtype=torch.half)
    for _ in range(3):
        assert error(fused(x), expected(torch, model, x)) < 3e-3
    model.conv = torch.nn.Conv2d(8, 8, 3).half().cuda()
    given = x.clone()
    found = fused(given, word)
    wanted = x * 2 if word == "doubles" else x
    assert torch.equal(given, wanted)
    assert model.count == (word == "counts")
    assert error(found, expected(torch, model, wanted)) < 3e-3
    assert error(fused(x), expected(torch, model, x)) < 3e-3


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("channels", [3, 8])
def test_an_input_whose_memory_has_other_signs(torch: Any, channels: int, capture: bool) -> None:
    """An imaginary part has them. The first call computes its numbers, as all others do."""
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(channels, 64, 3), nn.ReLU()).half().cuda().eval()
    fused = fuse(model, capture=capture)
    for turn in range(6):
        x = torch.randn(2, channels, 9, 9, device="cuda", dtype=torch.half)
        given = x if turn in (2, 5) else torch._neg_view(x)
        poison(torch)
        assert error(fused(given), expected(torch, model, given.resolve_neg())) < 3e-3, turn


@pytest.mark.usefixtures("torch")
def test_the_kernel_folds_all_types_and_layouts() -> None:
    from cudnn_cffi.torch.fusion.kernels.fold import Folding
    from cudnn_cffi.torch.fusion.weights import Losses

    from tests.torch import foldings

    def prepare(weights: list[Any]) -> Callable[[], None]:
        """The kernel is compiled for the types of most filters, so each pair of types is alone."""
        groups: dict[Any, list[Any]] = {}
        for each in weights:
            groups.setdefault((each.weight.dtype, each.layer.weight.dtype), []).append(each)
        made = [Folding(group, 0, Losses) for group in groups.values()]

        def fold() -> None:
            for each in made:
                each.run()

        return fold

    foldings.check(prepare, "cuda")


@pytest.mark.usefixtures("torch")
def test_the_kernel_tells_of_norms_that_need_more_bits(torch: Any) -> None:
    from cudnn_cffi.torch.fusion.kernels.fold import Folding
    from cudnn_cffi.torch.fusion.weights import Losses

    from tests.torch import foldings

    def fold(weights: list[Any]) -> bool:
        folding = Folding(weights, 0, Losses)
        folding.run()
        torch.cuda.synchronize()
        return folding.is_lossy

    foldings.check_losses(fold, "cuda")


def shifted(torch: Any, dtype: str, mean: float, axes: int) -> tuple[Any, Any, Any]:
    """A model whose norm takes means away, an input, and what it computes in float64."""
    nn = torch.nn
    torch.manual_seed(0)
    layers = {0: nn.Linear(64, 96), 1: nn.Conv1d(64, 96, 3), 2: nn.Conv2d(64, 96, 3)}
    norm = (nn.BatchNorm2d if axes == 2 else nn.BatchNorm1d)(96)
    model = nn.Sequential(layers[axes], norm, nn.ReLU()).eval().cuda().to(getattr(torch, dtype))
    norm.float()
    x = torch.randn(512 if axes == 0 else 4, 64, *[40] * axes, device="cuda") + mean
    x = x.to(getattr(torch, dtype))
    if axes == 2:
        x = x.contiguous(memory_format=torch.channels_last)
    rows = copy.deepcopy(model[0]).double()(x.double()).transpose(0, 1).flatten(1)
    norm.running_mean.copy_(rows.mean(1))
    norm.running_var.copy_(rows.var(1))
    return model, x, copy.deepcopy(model).double()(x.double())


@pytest.mark.parametrize("axes", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_norm_that_takes_means_away_is_not_folded(torch: Any, dtype: str, axes: int) -> None:
    """Its bias would have too few bits; means of results are as right as those of eager mode."""
    from cudnn_cffi.torch import fuse

    for mean in (1.0, 100.0):
        with torch.no_grad():
            model, x, reference = shifted(torch, dtype, mean, axes)
            fused = fuse(model)
            poison(torch)
            ours, theirs = (
                float((each(x).double() - reference).transpose(0, 1).flatten(1).mean(1).norm())
                for each in (fused, model)
            )
        assert any("norm" in each.what for each in fused.report) == (mean == 1.0), fused.report
        # A folded bias is rounded once.
        most = 96**0.5 * float(torch.finfo(x.dtype).eps) if mean == 1.0 else 0.0
        assert ours < max(1.5 * theirs, most), (mean, ours, theirs)


@pytest.mark.parametrize("capture", [False, True])
def test_statistics_that_need_more_bits_later(torch: Any, capture: bool) -> None:
    """A norm that was folded is not folded any more, and results that lost digits are told of."""
    from cudnn_cffi.torch import fuse

    with torch.no_grad():
        model, x, _ = shifted(torch, "float16", 1.0, 2)
        other, y, reference = shifted(torch, "float16", 100.0, 2)
        fused = fuse(model, capture=capture)
        fused(x)
        assert any("norm" in each.what for each in fused.report)
        model.load_state_dict(other.state_dict())
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            results = [fused(y).double()]  # this call may see it at its end
            torch.cuda.synchronize()
            results.append(fused(y).double())
        theirs = (model(y).double() - reference).mean((2, 3)).norm()
        wrong = [float((each - reference).mean((2, 3)).norm() / theirs) > 1.5 for each in results]
        assert not wrong[1]
        # It is told of once: at the end of the first call, or at the beginning of the second.
        assert sum("lost digits" in str(each.message) for each in told) == 1, told
        assert any(each.what == "tailed" for each in fused.report)


def test_other_layers(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    layers = [
        (nn.Sequential(nn.Conv3d(8, 16, 3, padding=1), nn.BatchNorm3d(16), nn.ReLU()), (2, 8, 6, 7, 8)),
        (nn.Sequential(nn.Conv1d(8, 16, 3), nn.BatchNorm1d(16), nn.ReLU()), (2, 8, 20)),
        (nn.Sequential(nn.Conv2d(8, 16, 4, padding="same"), nn.ReLU()), (2, 8, 9, 9)),
        (nn.Sequential(nn.Conv2d(8, 16, 3, dilation=2, padding="valid"), nn.ReLU()), (2, 8, 9, 9)),
        (nn.Sequential(nn.Conv2d(16, 32, 3, groups=4), nn.BatchNorm2d(32), nn.ReLU()), (2, 16, 9, 9)),
        (nn.Sequential(nn.Conv2d(16, 16, 3, groups=16), nn.BatchNorm2d(16), nn.ReLU6()), (2, 16, 9, 9)),
        (nn.Sequential(nn.Conv2d(8, 8, 3, padding_mode="reflect", padding=1), nn.ReLU()), (2, 8, 9, 9)),
        (nn.Sequential(nn.ConvTranspose2d(8, 8, 3, 2), nn.BatchNorm2d(8), nn.ReLU()), (2, 8, 9, 9)),
        (nn.Sequential(nn.Linear(16, 24), nn.BatchNorm1d(24), nn.ReLU()), (5, 16)),
        (nn.Sequential(nn.Conv2d(3, 5, 3), nn.ReLU(), nn.Conv2d(5, 7, 1)), (2, 3, 9, 9)),
        (nn.Sequential(nn.Conv2d(8, 8, 1)), (8, 9, 9)),
    ]  # fmt: skip
    for layer, shape in layers:
        x = torch.randn(shape, device="cuda")
        model = settled(torch, layer, x)
        for dtype in (torch.float16, torch.float32, torch.float64):
            made, given = copy.deepcopy(model).to(dtype), x.to(dtype)
            poison(torch)
            y = fuse(made)(given)
            wanted = expected(torch, made, given)
            assert y.shape == wanted.shape
            assert y.dtype == dtype
            assert error(y, wanted) < {"torch.float16": 3e-3, "torch.float32": 2e-3}.get(
                str(dtype), 1e-12
            ), layer


@pytest.mark.parametrize("word", ["ReLU6", "SiLU", "GELU", "Sigmoid", "Tanh", "ELU", "LeakyReLU"])
def test_activations_of_engines_that_are_compiled(torch: Any, word: str) -> None:
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), getattr(nn, word)())
    x = torch.randn(2, 16, 14, 14, device="cuda")
    model = settled(torch, model, x).half()
    for compile in (False, True):
        y = fuse(model, compile=compile)(x.half())
        assert error(y, expected(torch, model, x.half())) < 3e-3


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_nan_passes_the_relu_of_a_convolution(torch: Any, dtype: str) -> None:
    """Also where filters or their channels are no multiples of 16 bytes."""
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    for channels, filters, window in (
        (8, 7, 1), (7, 8, 1), (16, 4, 1), (16, 24, 1), (24, 7, 1), (64, 64, 1), (16, 16, 3),
        (16, 32, 3), (7, 17, 3),
    ):  # fmt: skip
        conv = nn.Conv2d(channels, filters, window, padding=window // 2)
        model = nn.Sequential(conv, nn.ReLU()).cuda().to(getattr(torch, dtype)).eval()
        x = torch.randn(2, channels, 8, 10, device="cuda", dtype=getattr(torch, dtype))
        x[1, 3, 6, 2] = math.nan
        poison(torch)
        with torch.no_grad():
            wanted, found = copy.deepcopy(model).double()(x.double()), fuse(model)(x)
        assert torch.equal(found.isnan(), wanted.isnan()), (channels, filters, window)
        assert error(found.nan_to_num(0), wanted.nan_to_num(0)) < 0.02


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_recurrent_layers(torch: Any, capfd: Any, kind: str, capture: bool) -> None:
    """Layers around them are computed as in other models, and captured with them."""
    from cudnn_cffi.torch import fuse

    nn = torch.nn

    class Reads(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
            self.rnn = getattr(nn, kind)(8, 6, 2, batch_first=True, bidirectional=True)
            self.head = nn.Linear(12, 8)

        def forward(self, x: Any) -> Any:
            y, _ = self.rnn(self.stem(x).flatten(2).transpose(1, 2))
            return self.head(y).relu()

    x = torch.randn(2, 3, 4, 6, device="cuda")
    model = settled(torch, Reads(), x)
    for dtype, most in ((torch.float32, 1e-2), (torch.float16, 2e-2)):
        own = copy.deepcopy(model).to(dtype)
        fused = fuse(own, capture=capture)
        for _ in range(3):
            poison(torch)
            y = torch.randn_like(x).to(dtype)
            with torch.no_grad():
                wanted = copy.deepcopy(model).cpu().double()(y.cpu().double())
            assert error(fused(y).cpu(), wanted) < most
        rows = {each.name: each for each in fused.report}
        assert {"stem.0", "head"} <= rows.keys(), fused.report
        assert not any("captured" in each.why or "known" in each.why for each in rows.values())
    assert "Traceback" not in capfd.readouterr().err


def test_an_addition_of_another_shape(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    class Net(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a = torch.nn.Conv2d(8, 16, 3, padding=1)
            self.b = torch.nn.Conv2d(8, 16, 1)
            self.c = torch.nn.Conv2d(16, 1, 1)

        def forward(self, x: Any) -> Any:
            y = torch.relu(self.a(x) + self.b(x).mean((2, 3), keepdim=True))
            return self.c(y) + y

    model = Net().cuda().half().eval()
    x = torch.randn(2, 8, 10, 10, device="cuda", dtype=torch.half)
    fused = fuse(model)
    poison(torch)
    assert error(fused(x), expected(torch, model, x)) < 3e-3
    assert any("another shape" in each.why for each in fused.report)


def test_without_tensorfloat_32(torch: Any, small: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.torch import fuse

    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    x = torch.randn(2, 8, 24, 24, device="cuda")
    assert error(fuse(small)(x), expected(torch, small, x)) < 1e-5


def test_chosen_by_timing(torch: Any, small: Any) -> None:
    from cudnn_cffi.torch import fuse

    model = small.half()
    x = torch.randn(4, 8, 24, 24, device="cuda", dtype=torch.half)
    for capture in (False, True):
        fused = fuse(model, choose="time", capture=capture)
        assert error(fused(x), expected(torch, model, x)) < 4e-3
        assert sum(each.by.startswith("engine") for each in fused.report) == 8


def test_under_autocast(torch: Any, small: Any) -> None:
    from cudnn_cffi.torch import fuse

    fused = fuse(small)
    x = torch.randn(2, 8, 24, 24, device="cuda")
    wanted = expected(torch, small, x)
    with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
        own = small(x)
        y = fused(x)
    assert y.dtype == own.dtype
    assert error(y, wanted) < 2 * error(own, wanted) + 8e-3
    assert error(fused(x), wanted) < 2e-3


@pytest.mark.parametrize("capture", [False, True])
def test_derivatives_and_transforms_are_pytorchs(torch: Any, small: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    functional_call, ahead = torch.func.functional_call, torch.autograd.forward_ad

    def by_duals(call: Any, x: Any) -> Any:
        with ahead.dual_level():
            return ahead.unpack_dual(call(ahead.make_dual(x, x.flip(0)))).tangent

    def by_parameters(call: Any, x: Any) -> Any:
        given = {name: torch.stack([e, e * 2]) for name, e in call.named_parameters()}
        return torch.vmap(lambda each: functional_call(call, each, (x,)))(given)

    fused, model = fuse(small, capture=capture), copy.deepcopy(small).eval()
    x = torch.randn(2, 8, 24, 24, device="cuda")
    for call in (
        by_duals, by_parameters, lambda call, x: torch.vmap(call)(x[:, None])[:, 0],
        lambda call, x: torch.func.jvp(call, (x,), (x,))[1],
        lambda call, x: torch.jit.trace(call, x, check_trace=False)(-x),
        lambda call, x: call(x),
    ):  # fmt: skip
        with torch.no_grad(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            found, wanted = call(fused, x), call(model, x)
            right = call(copy.deepcopy(model).double(), x.double())
        assert error(found, right) < 2 * error(wanted, right) + 1e-5
    slopes = [
        torch.func.grad(lambda given, call=call: call(given).square().sum())(given)
        for call, given in ((fused, x), (model, x), (copy.deepcopy(model).double(), x.double()))
    ]
    assert error(slopes[0], slopes[2]) < 2 * error(slopes[1], slopes[2]) + 1e-5


def test_a_capture_under_autocast_casts_weights_in_each_call(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    from tests.differ.judge import poison

    class Product(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(32, 32, device="cuda"))

        def forward(self, x: Any) -> Any:
            return torch.matmul(x, self.weight)

    model = Product()
    fused = fuse(model, capture=True)
    x = torch.randn(16, 32, device="cuda")
    for number in range(3):
        poison()
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            found, wanted = fused(x), model(x)
        assert type(found) is torch.Tensor
        assert torch.equal(found, wanted), number
        model.weight.data.mul_(-2)
    assert not any(each.why for each in fused.report), fused.report


def test_captured_by_the_caller(torch: Any, small: Any) -> None:
    from cudnn_cffi.torch import fuse

    model = small.half()
    fused = fuse(model)
    x = torch.randn(2, 8, 24, 24, device="cuda", dtype=torch.half)
    fused(x)
    with capturing() as graph:
        y = fused(x)
    for _ in range(2):
        x.copy_(torch.randn_like(x))
        y.fill_(float("nan"))
        other = fused(torch.randn_like(x))
        graph.replay()
        assert error(y, expected(torch, model, x)) < 4e-3
        del other


def test_captured_by_the_caller_without_a_call_before(torch: Any) -> None:
    """A bias of zeros, which stands for none, would be written by the graph's runs alone."""
    from cudnn_cffi.torch import fuse

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(256, 256, bias=False)

        def forward(self, x: Any) -> Any:
            return x + self.layer(x)

    model = Model().half().cuda().eval()
    fused = fuse(model)
    x = torch.randn(2, 512, 256, device="cuda").half()
    poison(torch)
    graph = torch.cuda.CUDAGraph()
    with contextlib.suppress(errors.CudnnError), capturing(graph):  # it may be refused
        fused(x)
    del graph
    poison(torch)
    assert error(fused(x), expected(torch, model, x)) < 3e-3
    graph = torch.cuda.CUDAGraph()
    with capturing(graph):
        y = fused(x)
    graph.replay()
    assert error(y, expected(torch, model, x)) < 3e-3


@pytest.mark.parametrize("capture", [False, True])
def test_threads_with_streams_of_their_own(torch: Any, small: Any, capture: bool) -> None:
    from cudnn_cffi.torch import fuse

    model = small.half()
    fused = fuse(model, capture=capture)
    inputs = [torch.randn(4, 8, 24, 24, device="cuda", dtype=torch.half) for _ in range(8)]
    wanted = [expected(torch, model, x) for x in inputs]
    streams = [torch.cuda.Stream() for _ in inputs]
    torch.cuda.synchronize()
    if capture:  # another thread's work would break a capture
        for x, stream in zip(inputs, streams, strict=True):
            with torch.cuda.stream(stream):
                fused(x)
    torch.cuda.synchronize()

    def work(place: int) -> None:
        with torch.cuda.stream(streams[place]):
            for _ in range(30):
                y = fused(inputs[place])
                streams[place].synchronize()
                assert error(y, wanted[place]) <= 4e-3

    in_threads(work, range(8))


def _doubled(y: Any) -> Any:
    y.view(y.shape[0], -1).mul_(2)
    return y


def _maybe_doubled(y: Any) -> Any:
    y.reshape(-1).mul_(2)
    return y


def _packed(y: Any) -> Any:
    y.permute(0, 2, 3, 1).contiguous().mul_(2)
    return y


def _as_it_lies(y: Any) -> Any:
    return y.as_strided((2, 5), (7, 1)) * y.stride(1)


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize("function", [_doubled, _maybe_doubled, _packed, _as_it_lies])
def test_code_of_a_model_reads_results_in_pytorchs_layout(
    torch: Any, function: Callable[[Any], Any], is_traced: bool
) -> None:
    from cudnn_cffi.torch import fuse

    nn = torch.nn

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.one = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())

        def forward(self, x: Any) -> Any:
            y = self.one(x)
            return function(y if is_traced or y.sum() > -1e4 else -y)

    x = torch.randn(2, 8, 9, 7, device="cuda", dtype=torch.half)
    model = settled(torch, Net(), x.float()).half()
    for capture in (False, True):
        fused = fuse(model, capture=capture)
        for _ in range(2):
            poison(torch)
            assert error(fused(x), expected(torch, model, x)) < 4e-3
        assert ("traced" in fused.report[0].why) != is_traced


def test_what_waits_for_numbers_is_run_as_it_is(torch: Any) -> None:
    from cudnn_cffi.torch import fuse

    nn = torch.nn

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.one = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
            self.two = nn.Sequential(nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8), nn.ReLU())

        def forward(self, x: Any) -> Any:
            y = self.one(x)
            return self.two(y) if y.sum() > 0 else y

    x = torch.randn(2, 8, 9, 9, device="cuda")
    model = settled(torch, Net(), x).half()
    fused = fuse(model, capture=True)
    for _ in range(2):  # first all of it as it is, since the error could be the caller's
        assert error(fused(x.half()), expected(torch, model, x.half())) < 4e-3
    by = [each.by for each in fused.report if each.what.startswith("Conv2d")]
    assert len(by) == 2
    assert all(each == "kernel" or each.startswith("engine") for each in by), by
    assert "traced" in fused.report[0].why


@pytest.fixture
def as_it_was(torch: Any) -> Callable[[], None]:
    """A function that checks PyTorch's current stream, random numbers, memory, and captures."""
    stream = torch.cuda.current_stream()
    torch.manual_seed(36)
    numbers = torch.randn(9, device="cuda")
    torch.manual_seed(36)

    def check() -> None:
        assert torch.cuda.current_stream() == stream
        assert torch.equal(torch.randn(9, device="cuda"), numbers)
        with capturing() as graph:
            seen = torch.randn(9, device="cuda")
        torch.cuda.synchronize()  # the capture's stream writes the generator's state
        graph.replay()
        assert seen.isfinite().all()
        assert not torch.equal(seen, numbers)
        torch.manual_seed(36)

    return check


def reserved(torch: Any) -> int:
    """Return the memory that PyTorch holds when nothing needs it."""
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return int(torch.cuda.memory_reserved())


def test_a_capture_that_fails(torch: Any, as_it_was: Any) -> None:
    from cudnn_cffi.torch.captures import capture

    def waits() -> None:
        with capture(torch.device("cuda", 0)):
            torch.randn(1 << 20, device="cuda").sum().item()

    held = []
    for _ in range(3):
        with pytest.raises(RuntimeError):
            waits()
        as_it_was()
        held.append(reserved(torch))
    assert held[1] == held[2], held


def allocates(context: ctypes.c_void_p, answers: list[int]) -> None:
    """Allocate memory by CUDA's driver, which captures forbid; note its answer."""
    from cudnn_cffi.driver import libcuda

    cuda = libcuda.load()
    libcuda.call("cuCtxSetCurrent", context)
    address = ctypes.c_uint64()
    answers.append(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 12)))
    if not answers[-1]:
        cuda.cuMemFree_v2(address)


class Unreachable:
    """A cycle of garbage, whose finalizer allocates."""

    def __init__(self, context: ctypes.c_void_p, answers: list[int]) -> None:
        self.itself, self.context, self.answers = self, context, answers

    def __del__(self) -> None:
        allocates(self.context, self.answers)


@pytest.mark.parametrize("who", ["thread", "finalizer"])
def test_what_others_do_during_a_capture(cudnn: Any, torch: Any, as_it_was: Any, who: str) -> None:
    """Neither another thread nor the end of another library's object breaks it."""
    from cudnn_cffi.driver import libcuda
    from cudnn_cffi.torch.captures import capture

    x = torch.randn(64, device="cuda")
    torch.manual_seed(36)
    context = ctypes.c_void_p()
    libcuda.call("cuCtxGetCurrent", ctypes.byref(context))
    answers: list[int] = []

    def disturb() -> None:
        if who == "thread":
            other = threading.Thread(target=allocates, args=(context, answers))
            other.start()
            other.join()
        else:
            keep = [[each] for each in range(1000)]  # starts the garbage collection
            assert len(keep) == 1000

    before = gc.get_threshold()
    gc.set_threshold(20, 1, 1)
    stream = cudnn.Stream()
    z = torch.empty_like(x)
    cudnn.ops.relu(x, out=z, stream=stream)
    stream.synchronize()
    z.fill_(math.nan)
    torch.cuda.synchronize()
    try:
        if who == "finalizer":
            gc.disable()
            Unreachable(context, answers)
            gc.enable()
        with capture(torch.device("cuda", 0)) as graph:
            disturb()
            y = x + 1
        if who == "finalizer":
            gc.disable()
            Unreachable(context, answers)
            gc.enable()
        with stream.capture() as own:
            disturb()
            cudnn.ops.relu(x, out=z, stream=stream)
    finally:
        gc.set_threshold(*before)
    assert answers == [0, 0]
    graph.replay()
    own.launch()
    stream.synchronize()
    torch.cuda.synchronize()
    assert torch.equal(y, x + 1)
    assert torch.equal(z, x.relu())
    as_it_was()


def test_a_model_that_cannot_be_captured(torch: Any, as_it_was: Any) -> None:
    """It is executed, and PyTorch is as it was."""
    from cudnn_cffi.torch import fuse

    class Travels(torch.nn.Module):  # type: ignore[misc, name-defined]
        """Copies through the memory of the host, which waits."""

        def forward(self, x: Any) -> Any:
            return x.cpu().to(x.device)

    nn = torch.nn
    x = torch.randn(2, 8, 9, 9, device="cuda")
    layers = nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8), Travels()
    model = settled(torch, nn.Sequential(*layers), x).half()
    fused = fuse(model, capture=True)
    torch.manual_seed(36)
    for _ in range(2):
        assert error(fused(x.half()), expected(torch, model, x.half())) < 4e-3
    assert any("not captured" in each.why for each in fused.report), fused.report
    as_it_was()
