"""Fused models on the CPU: what is fused, that it is the same, and that changes are noticed."""

from __future__ import annotations

import copy
import ctypes
import math
import numbers
import pickle
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cudnn_cffi import choice, errors, ops
from cudnn_cffi.choice import policy
from cudnn_cffi.choice.store import keys

from tests.threads import in_threads

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import fuse  # noqa: E402
from cudnn_cffi.torch.fusion import building  # noqa: E402
from cudnn_cffi.torch.fusion.weights import Losses, Weights, find_lossy, rounded  # noqa: E402

from . import changes, emulated, foldings  # noqa: E402
from .blocks import Residual  # noqa: E402

Model = Any


def small() -> Model:
    model = nn.Sequential(
        Residual(3, 4), Residual(4, 4), Residual(4, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(6, 5), nn.BatchNorm1d(5),
    )  # fmt: skip
    return emulated.settle(model)


def some(*shape: int) -> Any:
    return torch.randn(shape, dtype=torch.float64)


def expected(model: Model, x: Any) -> Any:
    """The result of the model in eval mode, of a copy that shares nothing."""
    with torch.no_grad():
        return copy.deepcopy(model).eval()(x.clone())


def check(model: Model, *shapes: tuple[int, ...]) -> Any:
    """The model, fused and prepared with emulated plans, computes the same."""
    fused = fuse(model)
    for shape in shapes:
        x = some(*shape)
        wanted = expected(model, x)
        assert emulated.difference(fused(x.clone()), wanted) < 1e-12
        program = emulated.prepared(model, x)
        with torch.no_grad():
            first = program.run([x.clone()])
            kept = first.clone()
            last = x.clone(memory_format=torch.channels_last) if x.dim() == 4 else x.clone()
            second = program.run([last])
        assert emulated.difference(first, wanted) < 1e-12
        assert emulated.difference(second, wanted) < 1e-12
        assert torch.equal(first, kept)
    return fused


def test_nothing_is_prepared_for_a_model_that_has_changed() -> None:
    """A call that may not be repeated would be one of the old model."""

    class Doubling(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3)

        def forward(self, x: Any, doubles: bool = False) -> Any:
            return self.conv(x.mul_(2) if doubles else x)

    model, x = Doubling(), torch.randn(2, 3, 5, 5)
    fused = fuse(model)
    fused(x)
    model.conv = nn.Conv2d(3, 4, 3)
    before = x.clone()
    with pytest.raises(errors.CudnnError, match="the model has changed"):
        fused._pipeline.run((x,), {"doubles": True})
    assert torch.equal(x, before)
    with torch.no_grad():
        torch.testing.assert_close(fused(x, doubles=True), model(before, doubles=True))
    assert torch.equal(x, before)


def test_a_residual_network() -> None:
    fused = check(small(), (2, 3, 12, 12), (1, 3, 9, 7))
    what = {each.name: each.what for each in fused.report}
    assert what["0.conv1"] == "Conv2d + norm + relu"
    assert what["1.conv2"] == "Conv2d + norm + residual + relu"
    assert what["2.short"] == "Conv2d"
    assert what["5"] == "Linear + norm"
    assert "2.conv2" in repr(fused)
    assert "<table>" in fused.report._repr_html_()
    assert fused.report.to_dicts()[0]["name"] == "0.conv1"


NETWORKS = ("resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5")


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_torchvision(name: str) -> None:
    models = pytest.importorskip("torchvision.models")
    check(emulated.settle(getattr(models, name)(weights=None)), (1, 3, 40, 40))


def function(call: Callable[..., Any], *layers: Model) -> Model:
    """A module whose forward is a function of its layers and the input."""

    class Made(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(layers)

        def forward(self, x: Any) -> Any:
            return call(*self.layers, x)

    return emulated.settle(Made())


def conv(channels: int = 4, out: int = 4, window: int = 3, **more: Any) -> Model:
    return nn.Conv2d(channels, out, window, padding=more.pop("padding", window // 2), **more)


def _changed_between(a: Model, b: Model, x: Any) -> Any:
    y = a(x)
    x.mul_(2.0)
    return torch.relu(y + b(x))


def _changed_before_the_norm(layer: Model, norm: Model, x: Any) -> Any:
    x = x * 1.0
    y = layer(x)
    x.mul_(2.0)
    return norm(y) + x


def _added_to_the_input(a: Model, x: Any) -> Any:
    y = x * 1.0
    z = y * 3.0
    y += a(x)
    return y + z


def _used_twice(a: Model, b: Model, x: Any) -> Any:
    y = b(a(x))
    return torch.relu(y) + y


def _changed_later(a: Model, b: Model, x: Any) -> Any:
    y = a(x)
    z = b(y)
    y.relu_()
    return y + z


def _view_is_changed(a: Model, b: Model, x: Any) -> Any:
    y = a(x)
    z = y[:, :2]
    w = b(y)
    z.mul_(3.0)
    return w * y


def _chunks(a: Model, b: Model, x: Any) -> Any:
    first, second = a(x).chunk(2, dim=1)
    return torch.cat([b(first.contiguous()), second, first], 1)


def _flat(a: Model, b: Model, x: Any) -> Any:
    y = a(x)
    return y.view(y.size(0), -1), b(y)


def _added_itself(a: Model, b: Model, x: Any) -> Any:
    y = a(x)
    return torch.relu(torch.add(y, y)) + torch.add(b(x), y, alpha=2)


def _wider(a: Model, b: Model, x: Any) -> Any:
    return torch.relu(b(x) + a(x)) + b(x)


def _set(a: Model, x: Any) -> Any:
    y = a(x)
    z = y
    z[:, 1:] = x[:, :3]
    z *= 2.0
    return y


def _kept_to_the_end(a: Model, b: Model, x: Any) -> Any:
    y = a(x)
    for _ in range(3):
        y = b(y) + x
    return torch.relu(y)


CASES: dict[str, tuple[Any, list[Any]]] = {
    "the input changes before the addition": (_changed_between, [conv, conv]),
    "the input of a convolution changes before its norm": (
        _changed_before_the_norm,
        [conv, lambda: nn.BatchNorm2d(4)],
    ),
    "the input of another layer changes before its norm": (
        _changed_before_the_norm,
        [lambda: nn.ConvTranspose2d(4, 4, 3, padding=1), lambda: nn.BatchNorm2d(4)],
    ),
    "the addition changes the input": (_added_to_the_input, [conv]),
    "a result is used twice": (_used_twice, [conv, lambda: nn.BatchNorm2d(4)]),
    "a result changes after it was read": (_changed_later, [conv, conv]),
    "a view of a result changes": (_view_is_changed, [conv, conv]),
    "parts of a result": (_chunks, [conv, lambda: conv(2, 3)]),
    "a result is added to itself": (_added_itself, [conv, conv]),
    "an addition with repeated channels": (_wider, [conv, lambda: conv(4, 1)]),
    "a part of a result is set": (_set, [conv]),
    "a layer is used several times": (_kept_to_the_end, [conv, conv]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_could_go_wrong(case: str) -> None:
    call, layers = CASES[case]
    check(function(call, *[make() for make in layers]), (2, 4, 6, 6))


def test_views_that_need_the_order_of_axes() -> None:
    model = function(_flat, conv(), conv())
    x = some(2, 4, 6, 5)
    wanted = expected(model, x)
    program = emulated.prepared(model, x)
    with torch.no_grad():
        for own, other in zip(program.run([x]), wanted, strict=True):
            assert emulated.difference(own, other) < 1e-12


LAYERS = {
    "3-D": (lambda: (nn.Conv3d(2, 3, 3), nn.BatchNorm3d(3), nn.ReLU()), (2, 2, 5, 5, 5)),
    "1-D": (lambda: (nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), nn.ReLU()), (2, 2, 9)),
    "same": (lambda: (nn.Conv2d(2, 3, 3, padding="same", dilation=2), nn.ReLU()), (2, 2, 6, 6)),
    "groups": (lambda: (nn.Conv2d(4, 6, 3, groups=2), nn.BatchNorm2d(6)), (2, 4, 6, 6)),
    "no affine": (lambda: (conv(2, 3), nn.BatchNorm2d(3, affine=False), nn.ReLU6()), (2, 2, 6, 6)),
    "no statistics": (lambda: (conv(2, 3), nn.BatchNorm2d(3, track_running_stats=False)), (3, 2, 6, 6)),
    "reflected": (lambda: (conv(2, 3, padding_mode="reflect"), nn.ReLU()), (2, 2, 6, 6)),
    "transposed": (lambda: (nn.ConvTranspose2d(2, 3, 3), nn.BatchNorm2d(3)), (2, 2, 5, 5)),
    "transposed groups": (
        lambda: (nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), nn.BatchNorm2d(6), nn.ReLU()),
        (2, 4, 5, 5),
    ),
    "transposed 1-D": (lambda: (nn.ConvTranspose1d(4, 6, 3), nn.BatchNorm1d(6)), (2, 4, 5)),
    "norm first": (lambda: (nn.BatchNorm2d(2), nn.ReLU(inplace=True), conv(2, 3)), (2, 2, 6, 6)),
    "no batch": (lambda: (conv(2, 3), nn.ReLU()), (2, 6, 6)),
    "sequences": (lambda: (nn.Linear(4, 5), nn.BatchNorm1d(5)), (2, 5, 4)),
    "dropout": (lambda: (conv(2, 3), nn.Dropout(), nn.ReLU(), nn.MaxPool2d(2)), (2, 2, 6, 6)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str) -> None:
    layers, shape = LAYERS[name]
    fused = check(emulated.settle(nn.Sequential(*layers())), shape)  # type: ignore[no-untyped-call]
    if name.startswith("transposed"):
        assert fused.report[0].what.endswith(" + norm")


@pytest.mark.parametrize(
    "layer",
    [
        nn.ReLU(), nn.ReLU6(), nn.Hardtanh(0.0, 2.0), nn.LeakyReLU(0.2), nn.ELU(0.7), nn.Sigmoid(),
        nn.Tanh(), nn.SiLU(), nn.GELU(), nn.GELU("tanh"), nn.Hardtanh(), nn.Hardswish(),
    ],
    ids=repr,
)  # fmt: skip
def test_activations(layer: Model) -> None:
    model = emulated.settle(nn.Sequential(conv(2, 3), nn.BatchNorm2d(3), layer))
    x = some(2, 2, 6, 6)
    for compile in (False, True):
        program = emulated.prepared(model, x, compile=compile)
        with torch.no_grad():
            assert emulated.difference(program.run([x]), expected(model, x)) < 1e-12
    fused = layer not in (0,) and len(program.ran) == 1
    assert fused == (repr(layer) != repr(nn.Hardtanh()))


@pytest.mark.parametrize("word", ["ReLU", "ReLU6", "ELU", "SiLU", "GELU", "Sigmoid", "LeakyReLU"])
def test_activations_of_this_package(word: str) -> None:
    from cudnn_cffi.torch import modules

    model = emulated.settle(nn.Sequential(conv(2, 3), getattr(modules, word)()))
    program = emulated.prepared(model, some(2, 2, 6, 6), compile=True)
    assert len(program.ran) == 1
    clipped = emulated.settle(nn.Sequential(conv(2, 3), modules.ClippedReLU(0.3)))
    x = some(2, 2, 6, 6)
    program = emulated.prepared(clipped, x, compile=True)
    with torch.no_grad():
        assert emulated.difference(program.run([x]), expected(clipped, x)) < 1e-12
    assert len(program.ran) == 1


class WithFusedNorms(nn.Module):  # type: ignore[misc, name-defined]
    """A residual block whose norms have the additions and the ReLUs."""

    def __init__(self, call: str) -> None:
        super().__init__()
        from cudnn_cffi.torch import modules

        self.first, self.second = conv(4, 4, bias=False), conv(4, 4)
        self.norm, self.other = modules.BatchNormActivation2d(4), modules.BatchNormActivation2d(4)
        self.call = call

    def forward(self, x: Any) -> Any:
        y = self.second(self.norm(self.first(x)))
        if self.call == "named":
            return self.other(y, residual=x)
        if self.call == "itself":
            return self.other(y, y)
        return self.other(self.other(y, x) if self.call == "twice" else y, x)


@pytest.mark.parametrize("call", ["positional", "named", "itself", "twice"])
def test_norms_with_additions(call: str) -> None:
    fused = check(emulated.settle(WithFusedNorms(call)), (2, 4, 8, 8), (1, 4, 5, 6))
    what = {each.name: each.what for each in fused.report}
    assert what["first"] == "Conv2d + norm + relu"
    second = {"itself": "Conv2d"}.get(call, "Conv2d + norm + residual + relu")
    assert what["second"] == second


def test_memory_is_used_again() -> None:
    model = emulated.settle(nn.Sequential(*[conv(8, 8) for _ in range(12)]))
    program = emulated.prepared(model, some(1, 8, 16, 16))
    assert program.memory_size == 2 * 8 * 16 * 16 * 8


def test_the_model_stays_as_it_is() -> None:
    model = small().train()
    modes = [each.training for each in model.modules()]
    state = {key: (value, value.clone()) for key, value in model.state_dict(keep_vars=True).items()}
    x = some(2, 3, 8, 8)
    fused = fuse(model)
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    fused.eval()
    assert [each.training for each in model.modules()] == modes
    now = model.state_dict(keep_vars=True)
    assert all(now[key] is value and torch.equal(value, old) for key, (value, old) in state.items())
    shared = dict(fused.named_parameters())
    assert all(shared[name] is value for name, value in model.named_parameters())
    assert fused.original is model
    assert fuse(fused).original is model


def test_filters_that_need_no_folding_are_the_models_own() -> None:
    model = emulated.settle(nn.Sequential(conv(3, 4, 1), nn.ReLU()))
    program = emulated.prepared(model, some(1, 3, 4, 4))
    (weights,) = [own for _, own, _ in program._chosen.values()]
    assert weights.weight.data_ptr() == model[0].weight.data_ptr()


@pytest.mark.parametrize("name", changes.CHANGES)
def test_changes_are_seen_by_the_next_call(name: str) -> None:
    model, x = changes.made(torch.float64, "cpu")
    fused = fuse(model)
    program = emulated.prepared(model, x)
    before = fused(x)
    changes.CHANGES[name](model)
    given = x.to(next(model.parameters()).dtype)
    wanted = changes.in_float64(model, given)
    assert changes.difference(before, wanted) > 1e-3
    rounded = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 1e-2}[given.dtype]
    for _ in range(2):
        assert changes.difference(fused(given), wanted) < rounded
    assert not fused.refresh()
    if name in NUMBERS:  # a program that was prepared before reads them, too
        with torch.no_grad():
            assert changes.difference(program.run([x]), wanted) < 1e-12


#: Changes of numbers alone, of tensors that stay where they are.
NUMBERS = (
    "in_place", "by_data", "detached", "by_an_alias", "copied", "loaded", "optimizer",
    "foreach_optimizer", "fused_optimizer", "moving_average", "running_statistics",
    "requantized", "trained_and_not", "tensor_of_a_list",
)  # fmt: skip


def test_filters_in_all_types_and_layouts_are_folded_anew() -> None:
    layers = [
        (nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6)), (nn.Conv2d(4, 6, 3, groups=2, bias=False), None),
        (nn.ConvTranspose2d(4, 6, 3, groups=2), nn.BatchNorm2d(6)), (nn.Conv2d(4, 6, 3), None),
        (nn.Linear(4, 6), nn.BatchNorm1d(6, affine=False)),
    ]  # fmt: skip
    for layer, norm in layers:
        for dtype in (None, torch.float16):
            own = Weights(layer, norm, dtype, last=True)
            before = own.weight.clone(), own.weight.data_ptr()
            layer.weight.data.mul_(2.0)
            own.refresh()
            assert own.weight.data_ptr() == before[1]
            torch.testing.assert_close(own.weight, before[0] * 2)


@pytest.mark.parametrize("macros", [(), ("-DTYPE=1", "-DWIDE=1")], ids=str)
def test_the_kernel_folds_all_types_and_layouts(tmp_path: Path, macros: tuple[str, ...]) -> None:
    """The source of the kernel, compiled for the CPU."""
    from cudnn_cffi.kernels import compiling
    from cudnn_cffi.torch.fusion.kernels import fold as kernel

    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    source = Path(__file__).parent / "programs" / "fold.cc"
    built = tmp_path / "fold.so"
    subprocess.run(
        [compiler, *macros, "-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC",
         f"-I{Path(kernel.__file__).parent}",
         f"-I{Path(compiling.__file__).parent}", str(source), "-o", str(built)],
        check=True,
    )  # fmt: skip
    library = ctypes.CDLL(str(built))

    def prepare(weights: list[Any]) -> Callable[[], None]:
        table, count, left = kernel.table_of(weights)

        def fold() -> None:
            library.fold_all(table, count)
            for each in left:
                each.refresh()

        return fold

    foldings.check(prepare, "cpu")

    def is_lossy(weights: list[Any]) -> bool:
        table, count, left = kernel.table_of(weights)
        losses = Losses(left)
        losses.note()
        return losses.are_there or bool(library.fold_all(table, count))

    foldings.check_losses(is_lossy, "cpu")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_errors_of_a_filter_cancel(dtype: Any) -> None:
    torch.manual_seed(0)
    for shape in ((64, 96, 3, 3), (32, 640), (8, 5, 3, 3, 3), (16, 1, 5, 5)):
        exact = torch.randn(shape) * torch.logspace(-3, 1, shape[0]).view(
            -1, *[1] * (len(shape) - 1)
        )
        exact[1], exact[2, :, ...], exact[3] = 0.0, 0.7, exact[3] * 1e-9
        exact[4].flatten()[::3] = 0.0
        made = rounded(exact, dtype)
        assert made.dtype == dtype
        assert made.shape == exact.shape
        assert not made[exact == 0].any()
        errors, nearest = (each.double() - exact.double() for each in (made, exact.to(dtype)))
        limits = torch.finfo(dtype).eps * exact.abs().flatten(1).amax(1) + 6e-8
        assert (errors.abs().flatten(1).amax(1) <= limits).all()
        most = exact.abs().flatten(1).amax(1)
        sums, before = ((each.flatten(1).sum(1) / most)[4:] for each in (errors, nearest))
        assert sums.norm() < 0.5 * before.norm(), shape
        assert abs(errors[2].sum()) <= abs(nearest[2].sum()) + 1e-9, "of numbers that are alike"
        if len(shape) > 2:  # of each channel of inputs, too
            channels = errors.flatten(2).sum(2).abs().amax(1)
            assert (channels <= 1.2 * limits).all()
    for number in (torch.inf, -torch.inf, torch.nan, 65519.0):
        exact = torch.randn(2, 3, 3, 3)
        exact[0, 1, 1, 1] = number
        made, nearest = rounded(exact, dtype), exact.to(dtype)
        assert torch.equal(made.isfinite(), nearest.isfinite())
        assert (made - nearest)[nearest.isfinite()].abs().max() < (40 if number == 65519.0 else 0.1)


def test_layers_without_filters_or_memory() -> None:
    for linear in (nn.Linear(8, 0), nn.Linear(0, 8)):
        norm = nn.BatchNorm1d(linear.out_features).half().eval()
        assert Weights(linear.half(), norm).weight.shape == linear.weight.shape
    with torch.device("meta"):
        assert not find_lossy([(nn.Conv2d(3, 4, 1).half(), nn.BatchNorm2d(4).half())])
    half = torch.float16
    for mode in (torch.device("meta"), torch._subclasses.FakeTensorMode()):
        with mode:
            conv, norm = nn.Conv2d(3, 4, 3, dtype=half), nn.BatchNorm2d(4, dtype=half)
            made = Weights(conv, norm).weight
            assert (made.shape, made.dtype) == (conv.weight.shape, half)


def test_types_and_copies() -> None:
    model = small()
    fused = fuse(model)
    x = some(2, 3, 8, 8)
    wanted = expected(model, x)
    for other in (copy.deepcopy(fused), pickle.loads(pickle.dumps(fused))):
        assert other.original is not model
        assert emulated.difference(other(x), wanted) < 1e-12
        with torch.no_grad():
            other.original[0].conv1.weight.zero_()
        assert emulated.difference(fused(x), wanted) < 1e-12
    assert list(fused.state_dict()) == list(model.state_dict())
    other = small()
    with torch.no_grad():
        other[0].conv1.weight.mul_(2)
    fused.load_state_dict(other.state_dict())
    assert emulated.difference(fused(x), expected(other, x)) < 1e-12
    fused.float()
    assert model[0].conv1.weight.dtype is torch.float32
    assert fused(x.float()).dtype is torch.float32


def test_training_and_gradients_are_refused() -> None:
    fused = fuse(small())
    with pytest.raises(errors.NotSupportedError, match="folded into weights"):
        fused.train()
    assert fused.train(False) is fused
    assert not fused.training
    x = some(2, 3, 8, 8).requires_grad_()
    with pytest.raises(errors.NotSupportedError, match="requires one"):
        fused(x)
    with torch.no_grad():
        assert not fused(x).requires_grad
    assert not fused(x.detach()).requires_grad


def test_lazy_modules_are_refused_until_they_have_parameters() -> None:
    from cudnn_cffi.torch import profile

    model = nn.Sequential(conv(3, 4), nn.LazyConv2d(5, 3)).double()
    x = some(1, 3, 6, 6)
    for call in (fuse, lambda model: profile(model, x)):
        with pytest.raises(errors.ArgumentError, match="1 has no parameters yet"):
            call(model)
    model(x)
    assert emulated.difference(fuse(model)(x), expected(model, x)) < 1e-12


def test_inference_mode() -> None:
    model = small()
    fused = fuse(model)
    x = some(2, 3, 8, 8)
    with torch.inference_mode():
        wanted = model(x)
        assert emulated.difference(fused(x), wanted) < 1e-12
        given = some(2, 3, 8, 8)
    with torch.no_grad():
        model[0].conv1.weight.mul_(2.0)
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    with torch.inference_mode():
        wanted = model(given)
    assert emulated.difference(fused(given), wanted) < 1e-12


def test_inputs_whose_layout_does_not_matter() -> None:
    from cudnn_cffi.torch.fusion.parts import split
    from cudnn_cffi.torch.fusion.trace.tracing import to_form, trace

    def free(model: Model) -> tuple[bool, ...]:
        form, _ = to_form((some(2, 4, 6, 6),), {})
        return split(trace(model, form), frozenset()).free

    assert free(nn.Sequential(conv(), nn.ReLU())) == (True,)
    assert free(function(lambda a, x: a(x) + x, conv())) == (True,)
    assert free(function(lambda a, x: a(x) * x, conv())) == (False,)
    assert free(nn.Sequential(nn.ReLU(), conv())) == (False,)


def test_arguments_of_fuse() -> None:
    for wrong in ({"choose": "fastest of all"}, {"shapes": 0}):
        with pytest.raises(errors.ArgumentError):
            fuse(small(), **wrong)
    given: Any
    for given in ({"training": "no"}, {"capture": "no"}, {"compile": "no"}):
        with pytest.raises(errors.ArgumentError, match="expected True or False, got 'no'"):
            fuse(small(), **given)
    for given in ({"dtype": "int8"}, {"calibration": [some(2, 2, 6, 6)]}):
        with pytest.raises(errors.ArgumentError, match="expected neither dtype nor calibration"):
            fuse(small(), training=True, **given)
    with pytest.raises(errors.ArgumentError, match="expected a module"):
        fuse(torch.relu)


def test_arguments_of_calls() -> None:
    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = conv(2, 3), conv(2, 3)

        def forward(self, x: Any, y: Any = None, *, scale: float = 1.0) -> Any:
            found = {"a": self.a(x) * scale}
            if y is not None:
                found["b"] = self.b(y)
            return found

    model = emulated.settle(Net())
    fused = fuse(model)
    x, y = some(1, 2, 5, 5), some(1, 2, 5, 5)
    for args, kwargs in [((x,), {}), ((x, y), {}), ((x,), {"y": y, "scale": 2.0}), ((), {"x": x})]:
        with torch.no_grad():
            wanted = model(*args, **kwargs)
        found = fused(*args, **kwargs)
        assert found.keys() == wanted.keys()
        assert all(torch.allclose(found[key], wanted[key], atol=1e-12) for key in wanted)


class Deciding(nn.Module):  # type: ignore[misc, name-defined]
    """Decides by what is computed, so it cannot be traced."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(conv(4, 4), nn.BatchNorm2d(4), nn.ReLU())

    def forward(self, x: Any) -> Any:
        return self.inner(x) if x.sum() > 0 else self.inner(-x)


def test_what_cannot_be_traced_is_run_as_it_is() -> None:
    for model in (Deciding(), nn.Sequential(conv(4, 4), Deciding(), conv(4, 4), nn.ReLU())):
        made = emulated.settle(model)
        fused = fuse(made)
        for sign in (1, -1):
            x = some(2, 4, 6, 6).abs() * sign
            assert emulated.difference(fused(x), expected(made, x)) < 1e-12
        whys = {each.what: each.why for each in fused.report}
        assert "it cannot be traced" in whys["Deciding"]
        assert "Conv2d + norm + relu" in whys
        with torch.no_grad():
            next(iter(made.modules()))
            for each in made.modules():
                if isinstance(each, nn.BatchNorm2d):
                    each.running_mean.add_(1.0)
        assert emulated.difference(fused(x), expected(made, x)) < 1e-12


def test_wrong_arguments_are_refused_in_the_words_of_pytorch() -> None:
    model = small()
    fused = fuse(model)
    x = some(2, 3, 8, 8)
    for wrong in (some(2, 4, 8, 8), x.long(), x[0, 0]):
        with pytest.raises(Exception) as own:  # noqa: PT011
            model(wrong)
        with pytest.raises(type(own.value)):
            fused(wrong)
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    assert not any("as it is" in each.by and "Residual" in each.what for each in fused.report)


def test_hooks_are_called() -> None:
    model = small()
    seen: list[Any] = []
    model[1].conv1.register_forward_hook(lambda *call: seen.append(call))
    model[2].register_forward_hook(lambda *call: call[-1] * 2)
    fused = fuse(model)
    x = some(2, 3, 8, 8)
    for _ in range(2):
        seen.clear()
        assert emulated.difference(fused(x), model(x)) < 1e-12
        assert [each[0] for each in seen] == [model[1].conv1] * 2
    assert any(each.why == "it has hooks" for each in fused.report)
    assert any(each.what == "Conv2d + norm + relu" for each in fused.report)


def test_layers_of_derived_classes_are_run_as_they_are() -> None:
    class Doubled(nn.Conv2d):  # type: ignore[misc, name-defined]
        def forward(self, input: Any) -> Any:
            return super().forward(input) * 2

    model = emulated.settle(nn.Sequential(Doubled(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU()))
    check(model, (1, 2, 6, 6))
    norm = torch.nn.utils.parametrizations.weight_norm
    check(emulated.settle(nn.Sequential(norm(conv(2, 3)), nn.BatchNorm2d(3))), (1, 2, 6, 6))


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("kind", changes.KINDS)
def test_models_that_keep_state(kind: str, inside: bool) -> None:
    model = emulated.settle(changes.Counting(kind))
    model = nn.Sequential(conv(4, 4), model, nn.ReLU()).double() if inside else model
    own = copy.deepcopy(model)
    fused = fuse(model)
    for _ in range(4):
        x = some(2, 4, 5, 5)
        with torch.no_grad():
            assert emulated.difference(fused(x), own(x)) < 1e-12
    own, model = (each[1] if inside else each for each in (own, model))
    assert (own.n, own.calls, own.tensor) == (model.n, model.calls, model.tensor)
    assert len(own.seen) == len(model.seen)
    if own.previous is not None:
        torch.testing.assert_close(own.previous, model.previous)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("kind", changes.KINDS)
def test_state_is_not_changed_by_preparing(kind: str, inside: bool) -> None:
    from cudnn_cffi.torch.fusion.trace.lock import Untraceable

    own = changes.Counting(kind)
    model = emulated.settle(nn.Sequential(conv(4, 4), own) if inside else own)
    before = copy.deepcopy(own)
    x = some(2, 4, 5, 5)
    if kind.startswith("method"):  # a node of the graph
        emulated.prepared(model, x)
    else:
        with pytest.raises(Untraceable):
            emulated.prepared(model, x)
    assert (before.n, before.calls, before.tensor) == (own.n, own.calls, own.tensor)
    assert own.previous is None
    assert not own.seen


def test_a_number_of_a_tensor_is_read_by_each_call() -> None:
    class Scaled(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv = conv(4, 4)
            self.scale, self.scales = torch.ones(()), [torch.ones(())]
            self.register_buffer("offset", torch.ones(()))

        def forward(self, x: Any) -> Any:
            y = torch.relu(self.conv(x)) * (2 * self.scale)
            return y * self.scales[0].exp() if self.offset > 0 else y - float(self.scale)

    model = emulated.settle(Scaled())
    fused = fuse(model)
    x = some(2, 4, 5, 5)
    for _ in range(2):
        assert emulated.difference(fused(x), expected(model, x)) < 1e-12
        model.scale.add_(1)
        assert emulated.difference(fused(x), expected(model, x)) < 1e-12
        model.scales[0].add_(1)
        assert emulated.difference(fused(x), expected(model, x)) < 1e-12
        model.offset.neg_()


class Changing(nn.Module):  # type: ignore[misc, name-defined]
    """Decides by values, so it is run as it is, and changes its input."""

    def forward(self, x: Any) -> Any:
        return x.mul_(2.0) if float(x.sum()) > -1e9 else x


def test_a_module_changes_its_input_between_a_convolution_and_its_norm() -> None:
    def call(a: Model, norm: Model, change: Model, x: Any) -> Any:
        x = x * 1.0
        y = a(x)
        z = change(x)
        return torch.relu(norm(y)) + z

    from cudnn_cffi.torch.fusion.parts import split
    from cudnn_cffi.torch.fusion.trace.tracing import to_form, trace

    model = function(call, conv(), nn.BatchNorm2d(4), Changing())
    x = some(2, 4, 6, 6)
    fused = fuse(model)
    for _ in range(2):
        assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    parts = split(trace(model, to_form((x,), {})[0]), frozenset(("relu",)))
    assert not any(part.norm is not None for part in parts.list)


def test_one_call_prepares_what_is_inside_a_module_that_is_run_as_it_is() -> None:
    """A CUDA graph may be captured after it."""
    model = small()
    model[1].register_forward_hook(lambda *_: None)
    model.register_forward_hook(lambda *_: None)
    fused = fuse(model)
    x = some(2, 3, 8, 8)
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    told = [(row.name, row.why) for row in fused.report]
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    assert told == [(row.name, row.why) for row in fused.report]
    assert ("conv1", "") in told
    assert sum(why == "it has hooks" for _, why in told) == 2


def test_wrong_arguments_leave_a_module_traceable() -> None:
    model, x = small(), some(2, 3, 8, 8)
    fused = fuse(model)
    with pytest.raises(TypeError, match="int"):
        fused(3)
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    assert fused.report[0].name == "0.conv1"
    assert not any(row.by == "as it is" and row.why for row in fused.report)


#: Decisions of a model by what a stand-in for a tensor has not; the results are doubled.
DECISIONS: dict[str, Callable[[Any], bool]] = {
    "class": lambda y: isinstance(y, torch.Tensor),
    "class of pytorch's own": torch.is_tensor,
    "class of a shape": lambda y: isinstance(y.shape, tuple),
    "class of an extent": lambda y: isinstance(y.size(0), numbers.Integral),
    "class of several": lambda y: isinstance(y.max(1), tuple),
    "extent in a set": lambda y: y.shape[1] in {4, 6},
    "extent in a dict": lambda y: {4: True}.get(y.size(1), False),
    "type in a set": lambda y: y.dtype in {torch.float64},
    "type": lambda y: y.dtype is torch.float64,
    "text": lambda y: str(y.dtype) == "torch.float64",
    "text of a device": lambda y: f"{y.device}" == "cpu",
    "layout": lambda y: y.layout is torch.strided,
    "gradient": lambda y: y.grad is None,
    "device": lambda y: y.is_cuda is False,
    "no such attribute": lambda y: not hasattr(y, "tensors"),
    "no such method": lambda y: not hasattr(y, "__array_ufunc__"),
    "another package": lambda y: math.isqrt(y.shape[1]) == 2,
}


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_by_what_a_value_is(name: str, training: bool) -> None:
    decides, made = DECISIONS[name], cast("Any", fuse)
    model = function(lambda a, x: (y := a(x)) * (2 if decides(y) else 1), conv()).train(training)
    x = some(2, 4, 5, 5)
    with torch.no_grad():
        assert emulated.difference(made(model, training=training)(x), model(x)) < 1e-12


@pytest.mark.parametrize("shape", [(), (9,), (6, 1), (6, 9), (1, 6, 9), (3, 6, 9)])
def test_additions_to_convolutions_along_one_axis(shape: tuple[int, ...]) -> None:
    class Added(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv1d(4, 6, 3, padding=1)
            self.register_buffer("other", some(*shape))

        def forward(self, x: Any) -> Any:
            return torch.relu(self.conv(x) + self.other)

    check(emulated.settle(Added()), (3, 4, 9))


def test_a_convolution_without_a_batch_and_a_norm_of_two_axes() -> None:
    """The norm takes what are channels for the convolution for a batch."""
    for layers in ([], [nn.ReLU()]):
        model = emulated.settle(nn.Sequential(nn.Conv1d(2, 6, 3), nn.BatchNorm1d(6), *layers))
        check(model, (2, 8), (3, 2, 8))


def test_a_forward_that_was_replaced_before() -> None:
    model = small()
    for each in (model[0].conv1, model[0].bn2, model[1].relu, model[2]):
        own = each.forward
        each.forward = lambda x, own=own: own(x) * 2
    fused = fuse(model)
    x = some(2, 3, 8, 8)
    with torch.no_grad():
        wanted = model(x)
    for _ in range(2):
        assert emulated.difference(fused(x), wanted) < 1e-12
    assert any("forward was replaced" in each.why for each in fused.report)
    model.forward = lambda x: x
    assert torch.equal(fused(x), x)


def test_a_forward_of_a_class_is_replaced() -> None:
    class Own(nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x + 1

    model = nn.Sequential(conv(4, 4), Own()).double().eval()
    fused = fuse(model)
    x = some(2, 4, 5, 5)
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12
    Own.forward = lambda self, x: x + 2  # type: ignore[method-assign]
    assert emulated.difference(fused(x), expected(model, x)) < 1e-12


WATCHED: dict[str, Callable[[Any], object]] = {
    "a first parameter": lambda net: net[2].register_parameter(
        "scale", nn.Parameter(torch.ones(1))
    ),
    "no parameter": lambda net: delattr(net[0], "bias"),
    "another parameter": lambda net: setattr(net[0], "bias", nn.Parameter(net[0].bias.detach())),
    "other memory": lambda net: setattr(net[0].weight, "data", net[0].weight.data.clone()),
    "other strides": lambda net: setattr(net[0].weight, "data", net[0].weight.data.transpose(2, 3)),
    "a buffer": lambda net: setattr(net[1], "running_mean", net[1].running_mean.clone()),
    "a class": lambda net: setattr(net[2], "__class__", nn.SiLU),
    "a module": lambda net: net.append(nn.ReLU()),
    "modules in turn": lambda net: net._modules.update({"0": net._modules.pop("0")}),
    "a forward": lambda net: setattr(net[2], "forward", torch.sigmoid),
    "a hook": lambda net: net[2].register_forward_hook(print),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("change", WATCHED)
def test_what_is_watched(monkeypatch: pytest.MonkeyPatch, change: str, compiled: bool) -> None:
    from cudnn_cffi.torch.fusion.trace import shadow

    if not compiled:
        monkeypatch.setattr(shadow, "_native", None)
        monkeypatch.setattr(shadow, "_is_same", shadow._is_same_in_python)
    elif shadow._native is None:
        pytest.skip("nothing was compiled")
    net = nn.Sequential(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
    watch = shadow.Watch(net)
    net.train()
    net(torch.ones(2, 4, 6, 6))  # statistics and their counter are changed in place
    assert not watch.changes()
    WATCHED[change](net)
    assert watch.changes()


def test_a_module_that_changes_itself_hides_no_other_change() -> None:
    from cudnn_cffi.torch.fusion.trace.shadow import Watch

    model = nn.Sequential(conv(4, 4), changes.Counting("new buffer"))
    own = {*model[1].modules()}
    watch = Watch(model)
    model[1].n = model[1].n + 1
    assert watch.changes()
    assert not watch.without(own).changes()
    model[0].weight.data = model[0].weight.data.clone()
    assert watch.without(own).changes()


def test_hooks_of_all_modules_are_called() -> None:
    model = small().train()
    fused = fuse(model)
    x = some(2, 3, 8, 8)
    wanted = expected(model, x)
    fused(x)
    seen: list[Any] = []
    handle = nn.modules.module.register_module_forward_hook(lambda own, *_: seen.append(own))
    try:
        assert emulated.difference(fused(x), wanted) < 1e-12
    finally:
        handle.remove()
    assert {*model.modules()} <= {*seen}
    assert model.training
    assert model[0].bn1.training


class _Meanwhile(nn.Module):  # type: ignore[misc, name-defined]
    """Has another thread call modules while it is called."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.work = work

    def forward(self, x: Any) -> Any:
        thread = threading.Thread(target=self.work)
        thread.start()
        thread.join()
        return self.inner(x).relu()


def test_other_threads_call_modules_during_a_trace() -> None:
    from cudnn_cffi.torch.fusion.trace.tracing import to_form, trace

    x, other = some(2, 4), nn.Sequential(nn.Linear(4, 3), nn.ReLU()).double()
    wanted, found = other(x), []

    def work() -> None:
        try:
            found.append(other(x))
        except Exception as error:
            found.append(error)

    traced = trace(_Meanwhile(work), to_form((x,), {})[0])
    assert [node.op for node in traced.graph.nodes if node.op == "call_module"] == ["call_module"]
    assert len(found) == 1
    assert torch.equal(found[0], wanted)


def test_threads_trace_one_after_the_other() -> None:
    from cudnn_cffi.torch.fusion.trace.tracing import to_form, trace

    x, traced = some(2, 4), []
    plain = nn.Module.__call__, nn.Module.__getattr__
    ready = threading.Barrier(4)

    def work(_: int) -> None:
        model = nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(20)))
        form = to_form((x,), {})[0]
        ready.wait()
        traced.append(len(trace(model, form).graph.nodes))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        in_threads(work, range(4))
    finally:
        sys.setswitchinterval(interval)
    assert traced == [42] * 4
    assert (nn.Module.__call__, nn.Module.__getattr__) == plain


def test_a_fused_model_inside_another_one_is_told_as_one_layer() -> None:
    inner = fuse(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()).eval())
    model = nn.Sequential(inner, nn.Conv2d(4, 4, 1), nn.ReLU()).eval()
    x = torch.randn(1, 3, 8, 8)
    fused = fuse(model)
    assert torch.equal(fused(x), model(x))
    assert [(row.what, row.by) for row in fused.report] == [
        ("Fused", "as it is"),
        ("Conv2d + relu", "torch"),
    ]


def lossy(fused: Any, monkeypatch: pytest.MonkeyPatch, *answers: bool) -> None:
    """Have a fused model say of what it prepared that results lost digits: the answers in turn."""
    left = list(answers)
    monkeypatch.setattr(
        fused._pipeline, "is_lossy", lambda: left.pop(0) if len(left) > 1 else left[0]
    )


@pytest.mark.parametrize("answers", [(True,), (False, True)], ids=str)
@pytest.mark.parametrize("is_error", [False, True])
def test_losses_are_told_of_once(
    answers: tuple[bool, ...], is_error: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they are known during a call, and where a warning ends that call."""
    model, x = small(), some(2, 3, 8, 8)
    fused = fuse(model)
    fused(x)
    lossy(fused, monkeypatch, *answers)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if is_error:
            warnings.simplefilter("error", RuntimeWarning)
            with pytest.raises(RuntimeWarning, match="lost digits"):
                fused(x)
        else:
            fused(x)
        count = len(told)
        assert emulated.difference(fused(x), expected(model, x)) < 1e-12
        assert len(told) == count
    assert ["lost digits" in str(each.message) for each in told] == [True] * (not is_error)


@pytest.mark.parametrize("force", [False, True])
def test_losses_that_are_known_after_a_change(force: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model changed before the device had said that results lost digits."""
    model, x = small(), some(2, 3, 8, 8)
    fused = fuse(model)
    fused(x)
    lossy(fused, monkeypatch, False)
    pipeline = fused._pipeline
    monkeypatch.setattr(pipeline, "wait", lambda: setattr(pipeline, "is_lossy", lambda: True))
    if not force:
        model[5].weight = nn.Parameter(torch.ones_like(model[5].weight))
    with pytest.warns(RuntimeWarning, match="lost digits"):
        assert fused.refresh(force=force)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert emulated.difference(fused(x), expected(model, x)) < 1e-12


@pytest.mark.parametrize(("most", "timed"), [(None, 20), (0, 20), (3, 3), (50, 20)])
def test_no_more_engines_are_timed_than_a_choice_allows(
    most: int | None, timed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def autotune(_: object, **options: Any) -> Any:
        asked.append((options["most"], options["runtime_compilation"]))
        return SimpleNamespace(best="the fastest")

    monkeypatch.setattr(choice, "autotune", autotune)
    rule = building.rule_of(building.Settings(policy.Policy.of({"pick": "time", "most": most})))
    found: Any = building._timed(object(), rule, {"runtime_compilation": False}, 1.0)
    assert (found, asked) == ("the fastest", [(timed, False)])


def test_nothing_is_timed_beside_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    filters: list[Any] = []
    known: list[Any] = [SimpleNamespace(plan="the recorded"), None]

    def recorded(_: object, **options: Any) -> Any:
        filters.append(options)
        return known.pop(0)

    monkeypatch.setattr(building, "build_recorded", recorded)
    monkeypatch.setattr(keys, "to_key", lambda *_: None)
    wanted: Any = ["the recorded", None]
    given = {"runtime_compilation": False}
    assert [building._known_by_time(object(), given) for _ in "ab"] == wanted
    assert filters == [given] * 2


@pytest.fixture
def captured(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return what is captured of a function; its graph computes the function again."""
    from contextlib import nullcontext

    from cudnn_cffi.torch import captures
    from torch.utils._pytree import tree_leaves

    def make(run: Callable[[Any], Any], *inputs: Any, free: bool = False) -> Any:
        def replay() -> None:
            again = tree_leaves(run(list(made._inputs.values())))
            for own, new in zip(tree_leaves(made._outputs), again, strict=True):
                own.copy_(new)

        graph = SimpleNamespace(replay=replay)
        monkeypatch.setattr(captures, "capture", lambda _: nullcontext(graph))
        parts = SimpleNamespace(free=(free,) * len(inputs))
        program = SimpleNamespace(lock=None, ran=[], parts=parts, readers={}, run=run)
        made: Any = captures.Captured(program, inputs)
        return made

    return make


@pytest.mark.parametrize("free", [False, True])
def test_captured_models_that_change_an_input(free: bool, captured: Any) -> None:
    """Also if it lies otherwise, or is memory of another one; results may be views of it."""

    def run(inputs: Any) -> Any:
        x, y = inputs
        x += 1
        return x, x[:, 1:], x + y, y, x.flip(1), (x * 2)[:, 1:]

    def check(made: Any, inputs: Any, copies: Any) -> None:
        found, wanted = made.run(inputs), run(copies)
        for own, other in zip((*found, *inputs), (*wanted, *copies), strict=True):
            assert torch.equal(own, other)

    def last(x: Any) -> Any:
        return x.contiguous(memory_format=torch.channels_last)

    layouts: Any = lambda x: x, last, lambda x: torch.cat([x, x], 1)[:, :4]
    for first in layouts:
        made = captured(run, first(some(2, 4, 3, 5)), some(2, 4, 3, 5), free=free)
        for layout in layouts:
            x, y = layout(some(2, 4, 3, 5)), first(some(2, 4, 3, 5))
            check(made, [x, y], [x.clone(), y.clone()])
            same = x.clone()
            check(made, [x, x], [same, same])
            whole = layout(some(4, 4, 3, 5))
            other = whole.clone()
            check(made, [whole[:2], whole[1:3]], [other[:2], other[1:3]])


def test_captured_results_that_are_inputs(captured: Any) -> None:
    """They are those of the call, and views of them, where a graph has copies of both."""

    def run(inputs: Any) -> Any:
        x, y = inputs
        return {"x": x, "part": x[:, 1:], "new": x + y, "y": [y, y.t()]}

    made = captured(run, some(3, 4), some(3, 4))
    x, y = some(3, 4), torch.as_strided(some(40), (3, 4), (4, 1), 7)
    found: Any = made.run([x, y])
    assert found["x"] is x
    assert found["y"][0] is y
    assert found["part"].data_ptr() == x[:, 1:].data_ptr()
    assert torch.equal(found["y"][1], y.t())
    assert found["y"][1].data_ptr() == y.data_ptr()
    assert found["new"].data_ptr() not in (x.data_ptr(), y.data_ptr())


def test_captured_results_that_have_not_the_elements_of_inputs(captured: Any) -> None:
    """Conjugates and negatives, which tensors with the same memory may be; and sparse results."""

    def run(inputs: Any) -> Any:
        (x,) = inputs
        y, z = x[1:], torch.tensor([1.0 + 2.0j])
        return x, x.conj(), y, y.conj(), x.imag, x.conj().imag, z, z.conj(), x.real.to_sparse()

    given = [torch.complex(some(3, 4), some(3, 4)) for _ in range(2)]
    made = captured(run, torch.zeros_like(given[0]))
    for x in (given[0], given[1].conj()):
        found = made.run([x])
        assert found[0] is x
        for own, wanted in zip(found[:-1], run([x])[:-1], strict=True):
            assert torch.equal(own, wanted)
        assert found[-1].layout == torch.sparse_coo


def test_residuals_in_another_layout_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines without a compiler take those with the strides of the result; others are not asked."""
    asked: list[tuple[bool, bool]] = []

    def plan(*_: Any, residual: bool, activation: bool) -> Any:
        asked.append((residual, activation))
        return object(), "engine 1"

    monkeypatch.setattr(building, "_plan", plan)
    x, y = (ops.Spec.like((2, n, 6, 6), "half", "NHWC") for n in (8, 16))
    w, bias = ops.Spec.like((16, 8, 3, 3), "half", "NHWC"), ops.Spec.like((16,), "half")
    wide = y._replace(strides=(1152, 1, 192, 32))
    part: Any = SimpleNamespace(
        kind="convolution", conv=nn.Conv2d(8, 16, 3, padding=1), layer=None, residual=object(),
        activation=("relu", None), norm=None,
    )  # fmt: skip
    free = policy.Rule(pick="heuristic")
    for residual, more, rule, wanted in (
        (y, {}, free, (True, True)), (wide, {}, free, (False, False)),
        (wide, {"compile": True}, free, (True, True)),
        (wide, {}, free._replace(via="classic"), (True, True)),
    ):  # fmt: skip
        specs = {"x": x, "w": w, "bias": bias, "residual": residual, "y": y}
        way = building.find_way(part, specs, building.Settings(**more), rule)
        assert asked.pop(0) == wanted == (way.residual, way.activation)
        assert not asked


def test_a_trace_leaves_no_casts_for_later_calls() -> None:
    """A model switches autocast on, in another block of it that is off: that keeps the casts."""
    from cudnn_cffi.torch.autograd.switches import without_cache
    from torch._subclasses.fake_tensor import FakeTensorMode

    linear, x = nn.Linear(4, 4), torch.ones(2, 4)

    def computed(x: Any) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return linear(x)

    with torch.autocast("cpu", enabled=False):
        with without_cache(), FakeTensorMode(allow_non_fake_inputs=True):
            computed(torch.ones(2, 4))
        assert type(computed(x)) is torch.Tensor
