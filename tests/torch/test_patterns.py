"""Layers that kernels compute together, found in graphs; PyTorch computes them on the CPU."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cudnn_cffi import handles, ops
from cudnn_cffi.choice import Engine

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn
functional = torch.nn.functional

from cudnn_cffi.torch import fuse, modules  # noqa: E402
from cudnn_cffi.torch.fusion import building, folding, pipeline, values  # noqa: E402
from cudnn_cffi.torch.fusion.kernels import (  # noqa: E402
    few_channels,
    functions,
    grouped,
    runs,
    slices,
    strips,
)
from cudnn_cffi.torch.fusion.kernels.patterns import gather  # noqa: E402
from cudnn_cffi.torch.fusion.program import Program  # noqa: E402
from cudnn_cffi.torch.fusion.trace.eager import Like  # noqa: E402
from cudnn_cffi.torch.fusion.trace.shadow import to_shadow  # noqa: E402
from cudnn_cffi.torch.fusion.trace.tracing import to_form, trace  # noqa: E402
from cudnn_cffi.torch.fusion.values import Chosen  # noqa: E402
from cudnn_cffi.torch.fusion.weights import find_lossy  # noqa: E402

from . import emulated  # noqa: E402


class Gate(nn.Module):  # type: ignore[misc, name-defined]
    """A squeeze and excitation, with the gate on either side."""

    def __init__(self, squeezed: Any, gate: Any, first: bool, bias: bool = True) -> None:
        super().__init__()
        self.before = nn.Conv2d(6, 8, 3, groups=2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.one, self.two = nn.Conv2d(8, 3, 1, bias=bias), nn.Conv2d(3, 8, 1, bias=bias)
        self.squeezed, self.gate, self.first = squeezed, gate, first

    def forward(self, x: Any) -> Any:
        x = self.before(x)
        gate = self.gate(self.two(self.squeezed(self.one(self.pool(x)))))
        return gate * x if self.first else x * gate


class Shifted(nn.Module):  # type: ignore[misc, name-defined]
    """A group norm after an addition to each channel, as of the embedding of a time step."""

    def __init__(self, word: Any) -> None:
        super().__init__()
        self.conv, self.embed = nn.Conv2d(4, 6, 3), nn.Linear(5, 6)
        self.norm, self.word = nn.GroupNorm(3, 6), word

    def forward(self, x: Any, step: Any) -> Any:
        y = self.conv(x) + self.embed(functional.silu(step))[:, :, None, None]
        return self.word(self.norm(y)) + functional.silu(step)[:, :1, None, None]


class Dense(nn.Module):  # type: ignore[misc, name-defined]
    """Layers that read all results before them, side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norms = nn.ModuleList(nn.BatchNorm2d(8 * n) for n in (1, 2, 3))
        self.layers = nn.ModuleList(nn.Conv2d(8 * n, 8, 3, padding=1) for n in (1, 2, 3))

    def forward(self, x: Any) -> Any:
        found = [self.first(x)]
        for norm, layer in zip(self.norms, self.layers, strict=True):
            found.append(layer(functional.relu(norm(torch.cat(found, 1)))))
        return functional.max_pool2d(torch.cat(found, dim=1), 2)


class Bottlenecks(nn.Module):  # type: ignore[misc, name-defined]
    """Layers that read norms of all results before them through fewer channels, and a norm at last."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 40, 3, padding=1)
        self.layers = nn.ModuleList()
        for channels in (40, 48, 56):
            norms = nn.BatchNorm2d(channels, affine=channels != 48), nn.BatchNorm2d(64)
            one, three = nn.Conv2d(channels, 64, 1), nn.Conv2d(64, 8, 3, padding=1)
            act = nn.ReLU() if channels != 56 else nn.LeakyReLU(0.2)
            self.layers.append(nn.Sequential(norms[0], act, one, norms[1], nn.ReLU(), three))
        self.pool = nn.AvgPool2d(2)
        self.between = nn.Sequential(nn.BatchNorm2d(64), nn.ReLU(), nn.Conv2d(64, 64, 1))

    def forward(self, x: Any) -> Any:
        found = [self.first(x)]
        for layer in self.layers:
            found.append(layer(torch.cat(found, 1)))
        return self.pool(self.between(torch.cat(found, 1)))


class Scaled(nn.Module):  # type: ignore[misc, name-defined]
    """A factor for each channel, and an addition."""

    def __init__(self, in_place: bool) -> None:
        super().__init__()
        self.conv, self.in_place = nn.Conv2d(4, 4, 3, padding=1), in_place
        self.factor = nn.Parameter(torch.randn(4, 1, 1))

    def forward(self, x: Any) -> Any:
        y = self.factor * functional.gelu(self.conv(x))
        if self.in_place:
            y += x
            return y
        return y + x


class Causal(nn.Module):  # type: ignore[misc, name-defined]
    """Convolutions after zeros around their input."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        kind = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[axes - 1]
        self.pads = ((2, 0), (1, 1, 2, 0), (1, 0, 1, 1, 2, 0))[axes - 1]
        self.one, self.two = kind(3, 6, 3), kind(6, 6, 3, stride=2, padding=1, groups=6)
        self.norm = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[axes - 1](6)

    def forward(self, x: Any) -> Any:
        y = self.norm(self.one(functional.pad(x, self.pads)))
        return functional.relu(self.two(functional.pad(y, self.pads)))


class Clip(nn.Module):  # type: ignore[misc, name-defined]
    """Volumes: causal convolutions of norms and of repeated pixels, and a residual."""

    def __init__(self, pads: Any = (1, 1, 1, 1, 2, 0), stride: int = 1) -> None:
        super().__init__()
        self.pads, self.up = pads, nn.Upsample(scale_factor=(2.0, 1.0, 2.0))
        self.first, self.last = nn.Conv3d(8, 8, 3, stride), nn.Conv3d(8, 8, 3, dilation=(2, 1, 1))
        self.norm, self.plain = nn.GroupNorm(4, 8), nn.Conv3d(8, 8, 1)

    def forward(self, x: Any) -> Any:
        x = self.first(functional.pad(self.up(x), self.pads))
        y = functional.silu(self.norm(x))
        return self.last(functional.pad(y, (1, 1, 1, 1, 4, 0))) + self.plain(x)


class Wide(nn.Module):  # type: ignore[misc, name-defined]
    """Products of pixels, with additions that the next product and a later addition read."""

    def __init__(self) -> None:
        super().__init__()
        self.short, self.one = nn.Conv2d(64, 256, 1), nn.Conv2d(64, 256, 1, bias=False)
        self.two, self.three = nn.Conv2d(256, 64, 1, bias=False), nn.Conv2d(64, 256, 1)
        self.norms = nn.ModuleList(nn.BatchNorm2d(count) for count in (256, 64, 256))
        self.last = nn.Conv2d(256, 128, 1)

    def forward(self, x: Any) -> Any:
        y = functional.relu(self.norms[0](self.one(x)) + self.short(x))
        z = functional.relu(self.norms[1](self.two(y)))
        z = functional.relu(self.norms[2](self.three(z)) + y)
        return self.last(z), z


class Inverted(nn.Module):  # type: ignore[misc, name-defined]
    """Two blocks as of mobile networks: more channels, a filter for each, a gate, and fewer again."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList()
        for step, window in ((1, 3), (2, 5)):
            gated = Gate(nn.SiLU(), nn.Sigmoid(), False)
            gated.before = nn.Sequential(
                nn.Conv2d(144, 144, window, step, window // 2, groups=144, bias=False),
                nn.BatchNorm2d(144), nn.SiLU(),
            )  # fmt: skip
            gated.one, gated.two = nn.Conv2d(144, 6, 1), nn.Conv2d(6, 144, 1)
            self.blocks.append(
                nn.Sequential(
                    nn.Conv2d(24, 144, 1, bias=False), nn.BatchNorm2d(144), nn.SiLU(), gated,
                    nn.Conv2d(144, 24, 1, bias=False), nn.BatchNorm2d(24),
                )
            )  # fmt: skip

    def forward(self, x: Any) -> Any:
        y = self.blocks[0](x) + x
        return self.blocks[1](y), y


#: Models, and the shapes of their inputs.
BLOCKS: dict[str, Any] = {
    "gate": (lambda: Gate(nn.SiLU(), nn.Sigmoid(), False), (3, 6, 17, 14)),
    "hard gate": (lambda: Gate(nn.ReLU(), nn.Hardsigmoid(), True), (2, 6, 9, 9)),
    "shifted": (lambda: Shifted(functional.silu), (2, 4, 13, 8), (2, 5)),
    "dense": (Dense, (2, 3, 18, 11)),
    "bottlenecks": (Bottlenecks, (2, 3, 18, 11)),
    "scaled": (lambda: Scaled(True), (3, 4, 9, 6)),
    "causal": (lambda: Causal(2), (2, 3, 9, 8)),
    "clip": (Clip, (2, 8, 3, 6, 5)),
    "line": (lambda: Causal(1), (3, 3, 21)),
    "first": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
            nn.MaxPool2d(3, 2, 1), nn.Conv2d(16, 8, 1),
        ),
        (3, 3, 37, 50),
    ),
    "depthwise": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 16, 3, 2), nn.Conv2d(16, 16, 5, padding=2, groups=16, bias=False),
            nn.BatchNorm2d(16), nn.Hardswish(), nn.Conv2d(16, 8, 1), nn.GroupNorm(4, 8),
            nn.MaxPool2d(3, 1, 1), nn.Upsample(scale_factor=2),
        ),
        (2, 3, 23, 19),
    ),
}  # fmt: skip


def both(model: Any, *inputs: Any, exactly: tuple[str, ...] | None = None) -> Program:
    """Compare a program with its model, before and after all weights changed."""
    emulated.settle(model)
    program = emulated.prepared(model, *inputs)
    with torch.no_grad():
        for _ in range(2):
            assert emulated.difference(program.run(inputs), model(*inputs)) < 1e-12
            for each in model.state_dict().values():
                if each.is_floating_point():
                    each.add_(0.05 * torch.rand_like(each))
    if exactly is not None:
        assert tuple(each.what for each in program.ran) == exactly, program.ran
    return program


def some(*shape: int) -> Any:
    """A tensor of random numbers."""
    return torch.randn(*shape, dtype=torch.float64)


#: The same for a GPU, whose kernels take many pixels.
WIDE = Wide, (11, 64, 55, 57)
INVERTED = Inverted, (24, 24, 55, 57)
NORMED = Bottlenecks, (9, 3, 43, 45)

#: Layers and norms whose folded bias or filters need more than 16 bits, by what they have.
LAYERS = {
    "images": (lambda: (nn.Conv2d(16, 8, 3), nn.BatchNorm2d(8)), (9, 9)),
    "line": (lambda: (nn.Conv1d(16, 8, 3), nn.BatchNorm1d(8)), (40,)),
    "volumes": (lambda: (nn.Conv3d(16, 8, 2), nn.BatchNorm3d(8)), (5, 5, 4)),
    "rows": (lambda: (nn.Linear(16, 8), nn.BatchNorm1d(8)), ()),
    "transposed": (
        lambda: (nn.ConvTranspose2d(16, 8, 3, 1, 2, groups=2), nn.BatchNorm2d(8)), (7, 7),
    ),
    "with an addition": (lambda: (nn.Conv2d(16, 8, 3), modules.BatchNormActivation2d(8)), (9, 9)),
}  # fmt: skip


def settled_on(layer: Any, norm: Any, x: Any) -> None:
    """Have a norm the statistics of what a layer computes of an input."""
    rows = copy.deepcopy(layer).double()(x.double()).transpose(0, 1).flatten(1)
    norm.running_mean.copy_(rows.mean(1))
    norm.running_var.copy_(rows.var(1))


def means_apart(y: Any, reference: Any) -> float:
    """The size of the difference between the means of channels."""
    return float((y.double() - reference).transpose(0, 1).flatten(1).mean(1).norm())


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_norms_that_cancel_means_are_not_folded(name: str, dtype: Any) -> None:
    torch.manual_seed(0)
    make, extents = LAYERS[name]
    layer, norm = cast("Any", make)()
    with torch.no_grad():
        nn.init.uniform_(norm.weight, -1.5, 1.5)
        model = nn.Sequential(layer, norm, nn.ReLU()).eval().to(dtype)
        for mean, lossy in ((1.0, False), (300.0, True)):
            x = (torch.randn(64 if name == "rows" else 4, 16, *extents) + mean).to(dtype)
            settled_on(layer, norm, x)
            assert bool(find_lossy([(layer, norm)])) == lossy
            reference = copy.deepcopy(model).double()(x.double())
            program = emulated.prepared(model, x)
            folded = any(" + norm" in each.what for each in program.ran)
            assert folded != lossy, program.ran
            ours, theirs = (means_apart(each, reference) for each in (program.run([x]), model(x)))
            # A bias has one rounding, of at most 32 times what the norm is multiplied by.
            most = 0.01 * float(torch.finfo(dtype).eps / torch.finfo(torch.half).eps)
            assert ours < (1.5 * theirs if lossy else max(1.5 * theirs, most)), (mean, ours, theirs)


def test_which_norms_are_not_folded() -> None:
    def norm(change: Any, dtype: Any = torch.half) -> Any:
        made = nn.BatchNorm2d(8, eps=1e-12).to(dtype).float()
        with torch.no_grad():
            change(made)
        return made

    def set_to(**numbers: float) -> Any:
        return lambda made: [getattr(made, name).fill_(n) for name, n in numbers.items()]

    cases = [
        (set_to(), False), (set_to(weight=-1.0, bias=0.5), False),
        (set_to(running_mean=31.0), False), (set_to(running_mean=33.0), True),
        (set_to(running_mean=33.0, weight=-1.0), True),
        (set_to(running_mean=33.0, bias=1.0), False),  # which needs as many bits
        (set_to(running_mean=1e4, weight=0.0), False), (set_to(running_mean=1e4, bias=400.0), False),
        (set_to(running_var=1e-12), "half"),  # filters are too large
        (set_to(running_var=1e-12, weight=0.0), False),
        (set_to(running_var=1e10), "half"), (set_to(running_var=1e10, weight=1e-5), False),
        (set_to(running_mean=31.0, weight=2200.0), "half"),  # the bias is too large
    ]  # fmt: skip
    for dtype in (torch.half, torch.bfloat16, torch.float32):
        torch.manual_seed(0)
        layers = [nn.Conv2d(4, 8, 3, bias=False).to(dtype) for _ in cases]
        pairs = [(layer, norm(change)) for layer, (change, _) in zip(layers, cases, strict=True)]
        wanted = [each is True or (each == "half" and dtype is torch.half) for _, each in cases]
        found = find_lossy(pairs)
        if dtype is torch.float32:
            assert not found
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found = find_lossy(pairs)
            wanted = [each is True for _, each in cases]
        assert [pair in found for pair in pairs] == wanted, dtype


def test_norms_are_judged_by_the_type_of_autocast_too() -> None:
    """Convolutions are folded in that type, whatever they have; other layers in their own."""
    for layer in (nn.Conv2d(4, 8, 3, bias=False), nn.Linear(4, 8, bias=False)):
        norm = (nn.BatchNorm2d if isinstance(layer, nn.Conv2d) else nn.BatchNorm1d)(8, eps=1e-12)
        norm.running_var.fill_(1e-12)
        for own, lower, lossy in (
            (torch.bfloat16, torch.float16, True), (torch.float64, torch.float16, True),
            (torch.float16, torch.bfloat16, True), (torch.float32, torch.bfloat16, False),
        ):  # fmt: skip
            pair = layer.to(own), norm
            with torch.autocast("cpu", dtype=lower):
                assert bool(find_lossy([pair])) == lossy, (layer, own, lower)
    x = torch.randn(2, 4, 9, 9)
    conv = nn.Conv2d(4, 8, 3, bias=False).bfloat16()
    norm = nn.BatchNorm2d(8, eps=1e-12)
    norm.running_var.fill_(1e-12)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.float16):
        program = emulated.prepared(nn.Sequential(conv, norm).eval(), x)
        assert not any(" + norm" in each.what for each in program.ran)


class OnDevice(torch.Tensor):  # type: ignore[misc, name-defined]
    """Filters that say that they are on a GPU."""

    is_cuda = True
    device = torch.device("cuda", 3)


def test_the_kernel_that_folds_is_compiled_before_a_model_is_traced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A first call waits for it, after all plans are there."""
    begun: list[Any] = []
    monkeypatch.setattr(folding, "begin_folding", lambda *given: begun.append(given))
    conv, half = nn.Conv2d(4, 4, 1).half(), torch.float16
    wide, narrow = nn.Linear(4, 4), nn.Linear(4, 4).bfloat16()
    for layers, lower, found in (
        ((conv, nn.BatchNorm2d(4)), None, [([(half, half)], 3)]),
        ((conv, copy.deepcopy(conv)), None, [([], 3)]),
        ((conv, narrow), None, []),
        ((narrow,), None, []),
        ((narrow, nn.BatchNorm1d(4)), None, [([(torch.bfloat16, torch.bfloat16)], 3)]),
        ((wide, nn.BatchNorm1d(4)), None, [([], 3)]),
        ((wide, nn.BatchNorm1d(4)), half, [([(torch.float32, half)], 3)]),
        ((nn.BatchNorm1d(4),), None, []),
    ):
        monkeypatch.setattr(folding, "autocast_type", lambda _, lower=lower: lower)
        model = copy.deepcopy(nn.ModuleList(layers))
        folding.Folder().foresee(model)
        assert not begun, "they are on the CPU"
        for each in model.modules():
            if isinstance(each, (nn.Conv2d, nn.Linear)):
                own: Any = each.weight.detach().as_subclass(OnDevice)
                each._parameters["weight"] = own
        folding.Folder().foresee(model)
        assert begun == found, layers
        begun.clear()

    class Noting(nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            begun.append("traced")
            return x * 2

    def foresee(_: object, root: object) -> None:
        begun.append(type(root).__name__)

    monkeypatch.setattr(folding.Folder, "foresee", foresee)
    emulated.prepared(Noting(), torch.ones(2))
    assert begun == ["Noting", "traced"]


def test_statistics_that_change_later() -> None:
    """Weights that are folded anew are judged anew."""
    torch.manual_seed(0)
    layer, norm = nn.Conv2d(16, 8, 3), nn.BatchNorm2d(8)
    model = nn.Sequential(layer, norm, nn.ReLU()).eval().half()
    x = torch.randn(2, 16, 9, 9).half()
    program = emulated.prepared(model, x)
    program.run([x])
    folding: Any = program._folding
    assert not folding.is_lossy
    with torch.no_grad():
        norm.running_mean.fill_(50.0)
    program.run([x])
    assert folding.is_lossy
    with torch.no_grad():
        norm.running_mean.zero_()
    program.run([x])
    assert folding.is_lossy  # of the result before
    with torch.no_grad():  # as it is prepared now
        norm.running_mean.fill_(50.0)
        again = emulated.prepared(model, x)
        reference = copy.deepcopy(model).double()(x.double())
        assert not any(" + norm" in each.what for each in again.ran)
        assert means_apart(again.run([x]), reference) <= 1.5 * means_apart(model(x), reference)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(
    "words", [(nn.ReLU(), nn.Sigmoid()), (nn.SiLU(inplace=True), nn.Hardsigmoid())], ids=str
)
def test_gates(words: Any, first: bool) -> None:
    word, gate = words
    both(
        Gate(word, gate, first, bias=first),
        some(2, 6, 9, 7),
        exactly=("Conv2d", "gate_of", "tailed"),
    )


class First(nn.Module):  # type: ignore[misc, name-defined]
    """A first layer and a pooling; what else reads the first, and how the pooling is."""

    def __init__(self, stride: int = 2, reads: bool = False, padding: int = 3) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 7, 2, padding), nn.BatchNorm2d(8)
        self.pool, self.reads = nn.MaxPool2d(3, stride, 1), reads
        self.next = nn.Conv2d(8, 4, 1)

    def forward(self, x: Any) -> Any:
        y = functional.relu(self.norm(self.conv(x)))
        z = self.next(self.pool(y))
        return (z, y) if self.reads else z


class Pooling(few_channels.FewChannels):
    """Computes by PyTorch what the kernel does."""

    def __init__(self, run: Any, pools: bool) -> None:
        self.run, self.pools = run, pools

    def __call__(self, *given: Any) -> Any:
        count = 3  # x, w and a bias
        y = self.run(*given[:count])
        y = functional.max_pool2d(y, 3, 2, 1) if self.pools else y
        return given[count].copy_(y) if len(given) > count else y


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("case", [{}, {"stride": 1}, {"reads": True}], ids=str)
def test_poolings_with_their_convolutions(
    case: Any, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The convolution writes the largest numbers, where nothing else reads its result."""
    found: list[Any] = []
    find = emulated.find

    def with_pooling(part: Any, specs: Any) -> Any:
        way = find(part, {name: each for name, each in specs.items() if name != "pooled"})
        if part.conv.in_channels > 3:
            return way
        found.append(specs)
        pools = "pooled" in specs
        return way._replace(run=Pooling(way.run, pools), pools=pools)

    monkeypatch.setattr(emulated, "find", with_pooling)
    size = 400 if large else 33
    x = some(7, 3, size, 31)
    model = emulated.settle(First(**case))
    program = emulated.prepared(model, x)
    emulated.check_while_weights_change(program, model, x)
    (specs,) = found
    assert ("pooled" in specs) == (not case)
    if not case:
        assert specs["pooled"].shape == (7, 8, -(-size // 4), 8)
    assert [each.by for each in program.ran] == ["emulated", "kernel", "emulated"]


class Added(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution, a number of each channel, an activation and a pooling."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.conv, self.pool = nn.Conv2d(4, 8, 3, groups=groups), nn.MaxPool2d(3, 2, 1)
        self.offset = nn.Parameter(torch.randn(8, 1, 1))

    def forward(self, x: Any) -> Any:
        return self.pool(functional.relu(self.conv(x) + self.offset))


class Sum(nn.Module):  # type: ignore[misc, name-defined]
    """The sum of what two modules compute."""

    def __init__(self, both: Any) -> None:
        super().__init__()
        self.one, self.two = both

    def forward(self, x: Any) -> Any:
        return self.one(x) + self.two(x)


@pytest.mark.parametrize("groups", [1, 2])
def test_kernels_do_not_take_an_activation_after_what_they_do_not_add(
    groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sum with an array of fewer axes is computed after the convolution, before the ReLU."""
    find = emulated.find

    def by_kernel(specs: Any, padding: Any, stride: Any, dilation: Any, word: Any) -> Any:
        def run(*given: Any) -> Any:
            y = building.ACTIVATIONS[word[0]](functional.conv2d(*given[:3], groups=groups), None)
            return functional.max_pool2d(y, 3, 2, 1) if made.pools else y

        made = Pooling(run, "pooled" in specs)
        return made

    def by_plan(part: Any, specs: Any) -> Any:
        settings = building.Settings()
        rule = building.rule_of(settings)
        return building.find_way(part, specs, settings, rule, by_kernel=by_kernel)

    def no_plan(part: Any, specs: Any, *_: Any, **fuses: Any) -> Any:
        return find(part, specs).run, "emulated"

    monkeypatch.setattr(emulated, "find", by_plan)
    monkeypatch.setattr(building, "_plan", no_plan)
    torch.manual_seed(0)
    model, x = emulated.settle(Added(groups)), some(2, 4, 9, 11)
    with torch.no_grad():
        y = emulated.prepared(model, x).run([x])
        assert emulated.difference(y, model(x)) < 1e-12


@pytest.mark.parametrize(("choose", "takes"), [(None, True), (Engine(3), False)])
def test_kernels_of_groups_do_not_take_what_is_asked_of_engines(
    choose: Any, takes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def find(part: Any, specs: Any, *_: Any, by_kernel: Any, **__: Any) -> Any:
        asked.append(by_kernel)
        return emulated.find(part, specs)

    monkeypatch.setattr(pipeline, "find_way", find)
    monkeypatch.setattr(handles, "handle", lambda _: None)
    model, x = emulated.settle(nn.Sequential(nn.Conv2d(4, 8, 3, groups=2))), some(2, 4, 9, 11)
    made = pipeline.Pipeline(to_shadow(model), building.Settings(choose=choose), kernels=True)
    form, tensors = to_form([x], {})
    parts = made.parts(form, tensors)
    likes = [Like.of(each) for each in tensors]
    Program(parts, likes, made.folder, made._finds(parts, 0))
    assert asked == [grouped.find if takes else None]


def test_layers_that_differ_in_what_is_added_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of one of them, which has the activation, is not that of the other one."""

    def find(part: Any, specs: Any, *_: Any, **__: Any) -> Any:
        return emulated.find(part, specs)

    monkeypatch.setattr(pipeline, "find_way", find)
    monkeypatch.setattr(handles, "handle", lambda _: None)
    torch.manual_seed(0)
    x = some(2, 4, 9, 11)
    for order in (1, -1):
        one = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        model = emulated.settle(Sum([one, Added(1)][::order]))
        made = pipeline.Pipeline(to_shadow(model), building.Settings())
        form, tensors = to_form([x], {})
        parts = made.parts(form, tensors)
        likes = [Like.of(each) for each in tensors]
        program = Program(parts, likes, made.folder, made._finds(parts, 0))
        with torch.no_grad():
            assert emulated.difference(program.run([x]), model(x)) < 1e-12


class Blocks(nn.Module):  # type: ignore[misc, name-defined]
    """Two blocks, each of which ends with an addition that the next one's first layer reads."""

    def __init__(self, in_place: bool = False, last: bool = False) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(4, 6, 1), nn.Conv2d(6, 4, 1)
        self.norm, self.three = nn.BatchNorm2d(4), nn.Conv2d(4, 6, 1)
        self.in_place, self.last = in_place, last

    def forward(self, x: Any) -> Any:
        y = functional.relu(self.one(x) + x.repeat(1, 2, 1, 1)[:, :6])
        if self.in_place:
            y[:, 0] += 1
        z = functional.relu(self.norm(self.two(y)))
        return (y, z) if self.last else functional.relu(self.three(z) + y)


class Both(functions.Run):
    """Computes by PyTorch a convolution, and the one that follows it."""

    def __init__(self, run: Any, word: Any = None, weights: Any = None) -> None:
        self.run, self.word, self.weights = run, word, weights

    def followed_by(self, specs: Any, activation: Any) -> Any:
        assert specs["x"].shape[1] == 6
        return Both(self.run, activation)

    def bound(self, weight: Any, bias: Any) -> Any:
        return Both(self.run, self.word, (weight, bias))

    def __call__(self, *given: Any) -> Any:
        y = self.run(*given)
        if self.weights is None:
            return y
        return y, building.ACTIVATIONS[self.word[0]](functional.conv2d(y, *self.weights), None)


@pytest.mark.parametrize("case", [{}, {"last": True}, {"in_place": True}], ids=str)
def test_products_after_products(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One kernel computes both, unless the first result is changed between them."""
    find, made = emulated.find, []

    def with_run(part: Any, specs: Any) -> Any:
        way = find(part, specs)
        if part.name != "one":
            return way
        made.append(Both(way.run))
        return way._replace(run=made[-1])

    monkeypatch.setattr(emulated, "find", with_run)
    model, x = emulated.settle(Blocks(**case)), some(3, 4, 9, 5)
    program = emulated.prepared(model, x)
    emulated.check_while_weights_change(program, model, x)
    joined = program._values.follows
    assert [(a.name, b.name) for a, b in joined.items()] == (
        [] if case.get("in_place") else [("relu", "relu_1")]
    )


class Excited(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution whose results a gate multiplies for another one."""

    def __init__(self, case: str) -> None:
        super().__init__()
        self.before, self.after = nn.Conv2d(4, 8, 3, padding=1, groups=4), nn.Conv2d(8, 4, 1)
        self.pool, self.case = nn.AdaptiveAvgPool2d(1), case
        self.one, self.two = nn.Conv2d(8, 3, 1), nn.Conv2d(3, 8, 1)

    def forward(self, x: Any) -> Any:
        y = self.before(x)
        if self.case == "changed before":
            y[:, 0] += 1
        gate = torch.sigmoid(self.two(functional.relu(self.one(self.pool(y)))))
        z = y * gate
        if self.case == "changed after":
            y[:, 0] += 1
        made = self.after(z) + (z[:, :4] if self.case == "added" else x)
        return (made, z) if self.case == "returned" else (made, made)


class Summing(functions.Run):
    """Computes by PyTorch a convolution, and sums of two places of its results."""

    factor = 1.0

    def __init__(self, run: Any, sums: bool = False) -> None:
        self.run, self.sums = run, sums

    def begin(self) -> None:
        pass

    def summed(self) -> Any:
        return Summing(self.run, True)

    def __call__(self, *given: Any) -> Any:
        y = self.run(*given)
        sums = torch.stack([y[:, :, :2].sum((2, 3)), y[:, :, 2:].sum((2, 3))], 1)
        return (y, sums * self.factor) if self.sums else y


@pytest.mark.parametrize(
    ("case", "applied", "summed"),
    [
        ("", 1, 1), ("changed before", 1, 0), ("changed after", 0, 1), ("added", 0, 1),
        ("returned", 0, 1),
    ],
)  # fmt: skip
def test_gates_of_kernels(
    case: str, applied: int, summed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One kernel sums its results for a gate, and the next one applies it, unless they change."""
    find = emulated.find

    def with_run(part: Any, specs: Any) -> Any:
        way = find(part, specs)
        return way._replace(run=Summing(way.run)) if part.name == "before" else way

    monkeypatch.setattr(emulated, "find", with_run)
    torch.manual_seed(1)  # with which not all is below 0 before the gate
    model, x = emulated.settle(Excited(case)), some(3, 4, 9, 5)
    program = emulated.prepared(model, x)
    gates = program._gates
    assert (len(gates.applied), len(gates.summed)) == (applied, summed)
    emulated.check_while_weights_change(program, model, x)
    monkeypatch.setattr(Summing, "factor", 0.0)
    with torch.no_grad():
        apart = emulated.difference(program.run([x])[0], model(x)[0])
    assert (apart > 1e-6) == bool(summed)


class Lines(Excited):
    """Results of a convolution along a line, of which the gate takes the batch for channels."""

    def __init__(self) -> None:
        super().__init__("")
        self.before = nn.Conv1d(4, 4, 3, padding=1, groups=4)

    def forward(self, x: Any) -> Any:
        y = self.before(x)
        return (y * torch.sigmoid(self.two(functional.relu(self.one(self.pool(y))))),)


def test_sums_are_of_images(monkeypatch: pytest.MonkeyPatch) -> None:
    find = emulated.find

    def with_run(part: Any, specs: Any) -> Any:
        way = find(part, specs)
        return way._replace(run=Summing(way.run))

    monkeypatch.setattr(emulated, "find", with_run)
    model, x = emulated.settle(Lines()), some(8, 4, 9)
    program = emulated.prepared(model, x)
    assert any(isinstance(each.way.run, Summing) for each in program._chosen.values())
    assert any(part.node.meta.get("is_gate") for part in program.parts.list)
    emulated.check_while_weights_change(program, model, x)


def test_gates_with_hooks() -> None:
    model = emulated.settle(Gate(nn.ReLU(), nn.Sigmoid(), False))
    found: list[Any] = []
    model.two.register_forward_hook(lambda module, given, y: found.append(y))
    x = some(2, 6, 9, 7)
    fused = fuse(model)
    assert emulated.difference(fused(x), model(x)) < 1e-12
    assert len(found) == 2
    assert "gate_of" not in str(fused.report)


def test_gates_that_are_others() -> None:
    pooled = Gate(nn.ReLU(), nn.Sigmoid(), False)
    pooled.pool = nn.AdaptiveAvgPool2d(2)
    pooled.before = nn.Conv2d(6, 8, 3, padding=0)
    assert "gate_of" not in str(both(pooled, some(2, 6, 4, 4)).ran)
    padded = Gate(nn.ReLU(), nn.Sigmoid(), False)
    padded.one = nn.Conv2d(8, 3, 1, groups=1, stride=2)
    assert "gate_of" not in str(both(padded, some(2, 6, 9, 7)).ran)


@pytest.mark.parametrize(
    "word", [functional.silu, nn.GELU("tanh"), torch.sigmoid], ids=["silu", "gelu", "sigmoid"]
)
def test_group_norms(word: Any) -> None:
    program = both(Shifted(word), some(2, 4, 8, 6), some(2, 5))
    assert [each.what for each in program.ran].count("group_norm") == 1
    assert [each.what for each in program.ran].count("silu") == 1, "it is computed once"


def test_results_side_by_side() -> None:
    x = some(2, 3, 8, 6).contiguous(memory_format=torch.channels_last)
    program = both(Dense(), x)
    ran = [(each.what, each.by) for each in program.ran]
    assert ran.count(("cat", "in place")) == 4
    assert ran.count(("tailed", "kernel")) == 3


class Changed(Dense):
    """One that changes what it put side by side."""

    def forward(self, x: Any) -> Any:
        one, two = self.first(x), self.layers[0](self.first(x))
        y = torch.cat([one, two], 1)
        y.mul_(2)
        return torch.cat([one, two, self.layers[1](y)], 1)


def test_norms_that_products_apply() -> None:
    """They are computed as a product reads what is side by side; others are not."""
    program = both(Bottlenecks(), some(2, 3, 8, 8))
    assert len(program._gates.applied) == 4
    read = [part for part in program.parts.list if part.node in program._gates.applied]
    assert [part.before for part in read] == [None] * 4  # of the way, and not of the model

    class Other(Bottlenecks):
        """A norm that is read twice, or of what changes before the product."""

        reads = False

        def forward(self, x: Any) -> Any:
            x = self.first(x)
            norm, act, one = self.layers[0][:3]
            y = act(norm(x))
            if self.reads:
                return one(y) + y.mean()
            x += 1
            return one(y) + x.mean()

    for reads in (False, True):
        other = Other()
        other.reads = reads
        assert not both(other, some(2, 3, 8, 8))._gates.applied


def test_means_of_windows() -> None:
    class Means(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, **given: Any) -> None:
            super().__init__()
            self.first, self.pool = nn.Conv2d(3, 4, 3), nn.AvgPool2d(**given)

        def forward(self, x: Any) -> Any:
            return self.pool(self.first(x))

    for given, is_kernel in (
        ({"kernel_size": 2}, True), ({"kernel_size": (3, 2), "stride": (1, 2)}, True),
        ({"kernel_size": 2, "padding": 1}, False), ({"kernel_size": 3, "ceil_mode": True}, False),
        ({"kernel_size": 2, "divisor_override": 3}, False),
    ):  # fmt: skip
        ran = {each.what for each in both(Means(**given), some(2, 3, 9, 8)).ran}
        assert ("averaged" in ran) == is_kernel, (given, ran)


def test_results_that_change() -> None:
    x = some(2, 3, 8, 6).contiguous(memory_format=torch.channels_last)
    program = both(Changed(), x)
    assert "in place" not in [each.by for each in program.ran]


class Twice(nn.Module):  # type: ignore[misc, name-defined]
    """An activation of one value that is computed twice, and one in place."""

    def __init__(self, change: Any) -> None:
        super().__init__()
        self.before, self.inner = nn.Conv2d(3, 4, 1), nn.SiLU(inplace=True)
        self.change = change

    def forward(self, x: Any) -> Any:
        y = self.inner(self.before(x))
        first = functional.silu(y)
        self.change(y, first)
        return first + 2 * functional.silu(y)


@pytest.mark.parametrize(
    ("change", "count"),
    [(lambda *_: None, 1), (lambda y, _: y.add_(1), 2), (lambda _, first: first.mul_(3), 2)],
)
def test_activations_that_are_shared(change: Any, count: int) -> None:
    """One in place, whose input nothing else reads, is no reason to compute others twice."""
    model, x = Twice(change), some(2, 3, 5, 5)
    both(model, x)
    graph = gather(trace(to_shadow(model), to_form((x,), {})[0])).graph
    assert sum(getattr(each.target, "__name__", "") == "silu" for each in graph.nodes) == count


@pytest.mark.parametrize("in_place", [False, True])
def test_factors(in_place: bool) -> None:
    both(Scaled(in_place), some(2, 4, 5, 6), exactly=("Conv2d + gelu", "tailed"))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_zeros_around(axes: int) -> None:
    kind = f"Conv{axes}d"
    both(Causal(axes), some(2, 3, *[6, 7, 8][:axes]), exactly=(f"{kind} + norm", f"{kind} + relu"))
    alone = Causal(axes)
    alone.norm = nn.Identity()
    both(alone, some(3, *[6, 7, 8][:axes]))


@pytest.mark.parametrize("piece", [1 << 40, 20_000, 1])
@pytest.mark.parametrize("pads", [(1, 1, 1, 1, 2, 0), (1, 1, 1, 1, 1, 1), (1, 0, 1, 1, 2, 0)])
def test_pieces_of_volumes(pads: Any, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "_PIECE", piece)
    for stride in (1, 2):
        model = Clip(pads, stride)
        program = both(model, some(2, 8, 4, 6, 5))
        texts = [each.by for each in program.ran if "Conv3d" in each.what]
        is_cut = pads[:2] == (1, 1)  # others have zeros on one side of another axis
        assert texts[0].startswith("emulated, pieces: " if is_cut else "emulated"), texts
        assert ("repeated" in str(program.ran)) is not is_cut
        assert "group_norm" not in str(program.ran)
        if piece == 1 and is_cut:
            assert texts[0] == f"emulated, pieces: {16 // stride}", "one row each, of two volumes"


@pytest.mark.parametrize("axes", [2, 3])
def test_pieces_of_large_tensors(axes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans see no tensor of as many elements, whether images fit or not."""
    kind, norm = (nn.Conv2d, nn.Conv3d)[axes - 2], (nn.BatchNorm2d, nn.BatchNorm3d)[axes - 2]
    model = nn.Sequential(
        kind(4, 8, 3, padding=1), norm(8), nn.ReLU(), kind(8, 5, 1), kind(5, 3, 3, 2, "valid")
    )
    x = some(5, 4, *[7, 5, 5][:axes])
    for most in (8 * x[0, 0].numel() * 2, x[0].numel()):
        for module in (strips, values):
            monkeypatch.setattr(module, "_MOST", most)
        program = both(model, x)
        assert all("pieces: " in each.by for each in program.ran), program.ran


@pytest.mark.parametrize("scale", [2, (1.0, 4.0), 3, 1.5])
def test_repeated_pixels(scale: Any) -> None:
    model = nn.Sequential(nn.Upsample(scale_factor=scale), nn.Conv2d(3, 4, 3))
    program = both(model, some(2, 3, 5, 4))
    assert ("repeated" in str(program.ran)) == (scale in (2, (1.0, 4.0)))


def test_a_line_without_a_batch() -> None:
    model = nn.Sequential(nn.Conv1d(3, 4, 5, padding="same"), nn.BatchNorm1d(4), nn.ReLU())
    both(model, some(2, 3, 9), exactly=("Conv1d + norm + relu",))
    plain = nn.Sequential(nn.Conv1d(3, 4, 5, padding=2), nn.ReLU())
    both(plain, some(3, 9), exactly=("Conv1d + relu",))


def test_engines_with_tensor_cores_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi import choice, errors

    asked: list[Any] = []

    def build(computation: Any, **filters: Any) -> str:
        asked.append(filters.get("tensor_cores"))
        if asked[-1] and computation == "none has them":
            raise errors.NoPlanError("no engine")
        return "plan"

    monkeypatch.setattr(choice, "build", build)
    suggested: Any = building._suggested
    assert suggested("some", "float16", {}, None) == "plan"
    assert suggested("none has them", "bfloat16", {"deterministic": True}, None) == "plan"
    assert suggested("some", "float32", {}, None) == "plan"
    assert suggested("some", "float16", {"tensor_cores": False}, None) == "plan"
    assert asked == [True, True, None, None, False]


def test_plans_are_asked_for_activations_that_engines_have(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def plan(*_: Any, activation: bool, **__: Any) -> Any:
        asked.append(activation)
        return (lambda *_: None), "a plan"

    monkeypatch.setattr(building, "_plan", plan)
    x = ops.Spec("float16", (2, 4, 6, 6), (144, 1, 24, 4), None, 16)
    w = ops.Spec("float16", (4, 4, 1, 1), (4, 1, 4, 4), None, 16)
    for word, compiles, pick, whole in (
        ("relu", False, None, True), ("gelu", False, None, False), ("gelu", True, None, True),
        ("clipped_relu", False, "time", False), ("gelu", False, "IMPLICIT_GEMM", True),
    ):  # fmt: skip
        part: Any = SimpleNamespace(
            kind="convolution", conv=nn.Conv2d(4, 4, 1), activation=(word, None), residual=None
        )
        settings = building.Settings(compile=compiles)
        rule = building.rule_of(settings)._replace(pick=pick)
        way = building.find_way(part, {"x": x, "w": w, "y": x}, settings, rule)
        assert (way.activation, asked.pop()) == (whole, whole), word
    assert not asked


def test_products_whose_fastest_engine_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi import choice, errors, library
    from cudnn_cffi.choice import measured

    cublas = measured.CUBLAS_ENGINE
    monkeypatch.setattr(measured, "holds", lambda _: True)

    def build(computation: Any, **filters: Any) -> int:
        where = filters.get("where") or (lambda _: True)
        for engine in computation.engines:
            if where(SimpleNamespace(engine=engine)):
                return engine
        raise errors.NoPlanError("no engine")

    monkeypatch.setattr(choice, "build", build)
    handle: Any = SimpleNamespace(device=0)

    def found(
        columns: int, rows: int, *engines: int, residual: bool = False, data_type: str = "HALF",
        filters: Any = None, device: Any = None,
    ) -> int:  # fmt: skip
        y = ops.Spec("float16", (1, columns, 1, rows), (1, 1, 1, 1), None, 16)
        w = ops.Spec("float16", (columns, 64, 1, 1), (64, 1, 64, 64), None, 16)
        operands = [SimpleNamespace(data_type=data_type)]
        computation = SimpleNamespace(
            engines=engines, operands=operands, device=device, handle=handle
        )
        known: Any = building._known_engines
        where = known(computation, {"y": y, "w": w}, residual, True)
        suggested: Any = building._suggested
        return suggested(computation, "float16", filters or {}, where)

    many, size = measured.NARROW_PIXELS, measured.CUBLAS_ELEMENTS
    for holds in (True, False):
        release = measured.MACHINE.release if holds else "9.20.0"
        monkeypatch.setattr(
            library, "load", lambda release=release: SimpleNamespace(version=release)
        )
        assert found(256, size // 256, 1, cublas, residual=True) == (cublas if holds else 1)
        assert found(128, many, cublas, 41) == (41 if holds else cublas)
        assert found(256, size // 256 - 1, 1, cublas, residual=True) == 1
        assert found(256, size // 256, 1, residual=True) == 1
        for columns, rows in ((96, many), (129, many), (128, many - 1)):
            assert found(columns, rows, cublas, 41) == cublas
        assert found(128, many, cublas, 41, residual=True) == cublas
        assert found(128, many, cublas) == cublas
        for multiprocessors in (132, 114):  # of a device that is described
            device = SimpleNamespace(compute_capability=(9, 0), multiprocessors=multiprocessors)
            is_like = holds and multiprocessors == 132
            assert found(128, many, cublas, 41, device=device) == (41 if is_like else cublas)
        assert found(128, many, cublas, 41, data_type="FLOAT") == cublas
        own = {"where": lambda each: each.engine == cublas}
        assert found(128, many, 41, cublas, filters=own) == cublas
    w = ops.Spec("float16", (8, 4, 1, 1), (4, 1, 4, 4), None, 16)
    for more, taken in (({}, True), ({"stride": 2}, False), ({"padding": 1}, False)):
        assert building.is_product(nn.Conv2d(4, 8, 1, **more), w) == taken
    assert not building.is_product(nn.Conv2d(8, 8, 1, groups=2), w)


def test_convolutions_of_16_bits_that_an_engine_converts(monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.choice import measured

    for holds, kind, refuses in (
        (True, "HALF", True),
        (True, "FLOAT", False),
        (False, "HALF", False),
    ):
        monkeypatch.setattr(measured, "has_engines_of", lambda _, holds=holds: holds)
        computation = SimpleNamespace(operands=[SimpleNamespace(data_type=kind)])
        where: Any = building._known_engines(computation, {}, False, False)
        assert bool(where) == refuses
        if refuses:
            engines = measured.CONVERTING_ENGINE, 62
            assert [where(SimpleNamespace(engine=each)) for each in engines] == [False, True]


@pytest.mark.parametrize(("dtype", "writes"), [(torch.float16, True), (torch.int8, False)])
def test_a_slice_is_written_by_plans_of_its_data_type_alone(dtype: Any, writes: bool) -> None:
    """A plan of 8 bits keeps its way, since another one would read its weights as wide ones."""
    y = torch.empty(2, 16, 4, 4, dtype=torch.half)
    spec = ops.Spec("float16", (2, 16, 4, 4), (256, 1, 64, 16), None, 16)
    own: Any = SimpleNamespace(weight=torch.empty(16, 8, 3, 3, dtype=dtype))
    first, other = (building.Way(lambda *_: y, text) for text in ("first", "other"))
    values: Any = SimpleNamespace(
        chosen={"node": Chosen(first, own, None)}, specs={"node": {"y": spec}}, tensor=lambda _: y
    )
    part: Any = SimpleNamespace(node="node", residual=None)
    whole = torch.empty(2, 32, 4, 4, dtype=torch.half)
    assert slices._choose(part, 16, values, lambda *_: other, whole) is writes
    assert values.chosen["node"].way is (other if writes else first)


def test_kernels_of_rows_read_one_data_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under autocast, what is added to a convolution may be of float32."""
    made = SimpleNamespace(may_run=lambda: True)
    monkeypatch.setattr(runs, "is_available", lambda *_: True)
    monkeypatch.setattr(runs, "Product", lambda *_: made)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))
    image = ops.Spec("float16", (1, 128, 7, 7), (6272, 1, 896, 128), 0, 16)
    filters = ops.Spec("float16", (128, 128, 3, 3), (1152, 1, 384, 128), 0, 16)
    bias = ops.Spec("float16", (128,), (1,), 0, 16)
    specs = {"x": image, "w": filters, "bias": bias, "residual": image, "y": image}
    window = runs.Window((1, 1), (1, 1), (1, 1))
    found: Any = runs.find_product(specs, ("relu", None), window)
    assert found is made
    for name in ("x", "bias", "residual", "y"):
        other = specs | {name: specs[name]._replace(dtype="float32")}
        assert runs.find_product(other, ("relu", None), window) is None, name


class Written(nn.Module):  # type: ignore[misc, name-defined]
    """A function writes what a layer returns to a tensor that another layer read before."""

    def __init__(self, write: Any, normed: bool) -> None:
        super().__init__()
        self.first, self.second, self.norm = (
            nn.Conv2d(3, 4, 1), nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4),
        )  # fmt: skip
        self.write, self.normed = write, normed
        self.register_buffer("memory", torch.randn(2, 4, 5, 6))

    def forward(self, x: Any) -> Any:
        memory = self.memory
        y = (self.norm if self.normed else self.second)(memory)
        other = self.write(self.first(x), memory)
        return functional.silu(y) if self.normed else functional.relu(y), other


def written(x: Any, memory: Any) -> Any:
    return memory.copy_(x * 3.0)


torch.fx.wrap("written")  # a function that graphs call as it is


def unknown(x: Any, memory: Any) -> Any:
    return written(x, memory)


def multiplied(x: Any, memory: Any) -> Any:
    return torch.mul(x, 3.0, out=memory)


@pytest.mark.parametrize("normed", [False, True])
@pytest.mark.parametrize("write", [multiplied, unknown])
def test_what_is_written_to_another_tensor(write: Any, normed: bool) -> None:
    model = emulated.settle(Written(write, normed))
    x = some(2, 3, 5, 6)
    with torch.no_grad():
        wanted = copy.deepcopy(model)(x)
        kept = model.memory.clone()
        program = emulated.prepared(model, x)
        model.memory.copy_(kept)
        for found, reference in zip(program.run([x]), wanted, strict=True):
            assert emulated.difference(found, reference) < 1e-12


class Late(Excited):
    """A gate of what is joined with other channels, read long after these are."""

    def __init__(self) -> None:
        super().__init__("")
        self.before, self.third = nn.Conv2d(4, 8, 1), nn.Conv2d(4, 8, 1)
        self.joint = nn.Conv2d(16, 16, 1)
        self.more = nn.ModuleList([nn.Conv2d(16, 16, 1) for _ in range(3)])

    def forward(self, x: Any) -> Any:
        y = self.before(x)
        z = self.joint(torch.cat([y, self.third(x)], 1))
        for each in self.more:
            z = each(z)
        return z.mean(1), y * torch.sigmoid(self.two(functional.relu(self.one(self.pool(y)))))


def test_kernels_read_what_was_joined() -> None:
    """Its memory is free after the last of them, not after the last that reads all."""
    model, x = emulated.settle(Late()), some(2, 4, 9, 5)
    program = emulated.prepared(model, x)
    assert [len(each.written) for each in program._wholes] == [2]
    emulated.check_while_weights_change(program, model, x)
