"""Models as files, for an H200 that is not there: each file computes what the model computes."""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import errors
from cudnn_cffi.errata.asks import engines_wrong_restored
from cudnn_cffi.network.reading import read_file

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn
functional = nn.functional

from cudnn_cffi.torch import fuse, package  # noqa: E402
from cudnn_cffi.torch.fusion.weights import Weights  # noqa: E402

from . import emulated, packaged  # noqa: E402
from .blocks import Residual  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def planned() -> None:
    """Skip where the libcudnn of this process cannot plan without a GPU."""
    import cudnn_cffi as cudnn

    g = cudnn.Graph(io_data_type="HALF")
    w = g.tensor((8, 8, 1, 1), strides=(8, 1, 8, 8))
    g.output(g.convolution(g.tensor((1, 8, 8, 8), strides=(512, 1, 64, 8)), w))
    try:
        g.build(device="H200")
    except errors.CudnnError as error:
        pytest.skip(f"no plans without a GPU: {error.message}")


def residual() -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Residual(8, 8), Residual(8, 16, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    )  # fmt: skip


def flattened() -> Any:
    """Elements have another order for the linear layer than for the convolution."""
    return nn.Sequential(
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(16 * 16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 8),
    )  # fmt: skip


class Joined(nn.Module):  # type: ignore[misc, name-defined]
    """Branches that are joined, two inputs, and several outputs, of which one is read again."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(8, 8, 1), nn.Conv2d(8, 16, 3, padding=1)
        self.last = nn.Conv2d(24, 8, 1)

    def forward(self, x: Any, other: Any) -> Any:
        joined = torch.cat([torch.relu(self.one(x)), self.two(other)], 1)
        last = self.last(joined)
        return {"joined": joined, "last": torch.sigmoid(last), "flat": last.flatten(1)}


class Same(nn.Module):  # type: ignore[misc, name-defined]
    """An output twice, and one that is an input."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: Any) -> Any:
        y = self.conv(x)
        return y, y, x


class Halves(nn.Module):  # type: ignore[misc, name-defined]
    """Layers that read parts of what is before them."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(8, 16, 1), nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: Any) -> Any:
        a, b = self.one(x).chunk(2, 1)
        return torch.cat([self.two(b), a], 1), b


def separable() -> Any:
    return nn.Sequential(
        nn.Conv2d(8, 16, 1), nn.BatchNorm2d(16), nn.ReLU6(),
        nn.Conv2d(16, 16, 3, 2, 1, groups=16), nn.BatchNorm2d(16), nn.ReLU6(),
        nn.Conv2d(16, 24, 3, padding=1, groups=2), nn.Tanh(), Mean(),
    )  # fmt: skip


class Mean(nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any) -> Any:
        return x.mean([2, 3])


class Then(nn.Module):  # type: ignore[misc, name-defined]
    """A function between two convolutions, or a layer."""

    def __init__(self, then: Callable[[Any], Any]) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 1)
        self.then = then

    def forward(self, x: Any) -> Any:
        return self.two(self.then(self.one(x)))


def swapped(x: Any) -> Any:
    one, two = x.chunk(2, 1)
    first, second = torch.split(two, [1, 3], 1)
    return torch.cat(tensors=[second, first, one], dim=1)


def increased(x: Any) -> Any:
    x += 1
    return x


def dropped(x: Any) -> Any:
    """Dropout that is off, in place: it writes nothing."""
    return functional.dropout(x, 0.5, False, True)


CASES: dict[str, tuple[Callable[[], Any], list[tuple[int, ...]]]] = {
    "residual": (residual, [(2, 3, 32, 32)]),
    "flattened": (flattened, [(2, 8, 8, 8)]),
    "separable": (separable, [(2, 8, 9, 9)]),
    "joined": (Joined, [(2, 8, 6, 6), (2, 8, 6, 6)]),
    "halves": (Halves, [(2, 8, 6, 6)]),
    "same": (Same, [(1, 8, 5, 7)]),
    "swapped": (lambda: Then(swapped), [(2, 8, 6, 6)]),
    "dropped": (lambda: Then(dropped), [(2, 8, 6, 6)]),
    "dropout": (lambda: Then(nn.Dropout(inplace=True)), [(2, 8, 6, 6)]),
}


def settled(make: Callable[[], Any], dtype: Any) -> Any:
    torch.manual_seed(0)
    return emulated.settle(make().double()).to(dtype)


def test_norms_that_lose_digits_are_told_of(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).eval().half()
    x = torch.randn(2, 8, 9, 9).half()
    package(model, x, tmp_path / "a.net", device="H200")
    model[1].running_mean.fill_(50.0)
    with pytest.warns(RuntimeWarning, match="0: results lose digits"):
        package(model, x, tmp_path / "a.net", device="H200")


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("name", CASES)
def test_a_file_computes_what_the_model_computes(
    name: str, dtype: Any, last: bool, tmp_path: Path
) -> None:
    make, shapes = CASES[name]
    model = settled(make, dtype).eval()
    form = torch.channels_last if last else torch.contiguous_format
    inputs = [torch.randn(shape).to(dtype).contiguous(memory_format=form) for shape in shapes]
    path = tmp_path / "model.net"
    contents = package(model, inputs, path, device="H200")
    assert len(contents.inputs) == len(inputs)
    with torch.no_grad():
        expected = model.double()(*[each.double() for each in inputs])
    if isinstance(expected, dict):
        assert [each.name for each in contents.outputs] == list(expected)
        expected = list(expected.values())
    expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    found = packaged.run(path, *inputs)
    limit = {torch.float16: 1e-2, torch.bfloat16: 6e-2, torch.float32: 1e-5}[dtype]
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert float((one - other).norm() / other.norm()) < limit
    assert packaged.overlaps(path) == []


def test_names_of_inputs_are_those_of_parameters(tmp_path: Path) -> None:
    x = torch.randn(2, 8, 6, 6).half()
    contents = package(Joined().half(), {"x": x, "other": x}, tmp_path / "a.net", device="H200")
    assert sorted(each.name for each in contents.inputs) == ["other", "x"]


def test_the_model_stays_as_it_is(tmp_path: Path) -> None:
    model = settled(residual, torch.float16).train()
    before = {name: each.clone() for name, each in model.state_dict().items()}
    package(fuse(model), torch.randn(2, 3, 32, 32).half(), tmp_path / "a.net", device="H200")
    assert model.training
    assert all(torch.equal(each, before[name]) for name, each in model.state_dict().items())


class _Asks(nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any) -> Any:
        return x if x.sum() > 0 else -x


class _InPlace(nn.Module):  # type: ignore[misc, name-defined]
    """A view is changed, and what it is a view of read afterwards."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 1)
        self.axis = axis

    def forward(self, x: Any) -> Any:
        y = self.one(x)
        changed = y.flatten(self.axis).relu_()
        return self.two(y), changed


REFUSED: dict[str, tuple[Any, str]] = {
    "gelu": (nn.Sequential(nn.Conv2d(8, 8, 1), nn.GELU()), r"1 \(GELU\) cannot be packaged"),
    "norm": (nn.Sequential(nn.Conv2d(8, 8, 1), nn.GroupNorm(2, 8)), r"1 \(GroupNorm\)"),
    "alone": (nn.Conv2d(8, 8, 3), r"conv2d \(conv2d\) cannot be packaged"),
    "transposed": (
        nn.Sequential(nn.ConvTranspose2d(8, 8, 2), nn.BatchNorm2d(8)),
        r"0 \(ConvTranspose2d \+ norm\)",
    ),
    "in place": (_InPlace(2), "it changes flatten, which others read"),
    "in place of a copy": (_InPlace(1), "relu_ changes what one may share"),
    "input": (nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(8, 8, 1)), "it changes"),
    **{
        name: (Then(then), rf"\({name}\) cannot be packaged: it writes to its argument")
        for name, then in {
            "Hardtanh": nn.Hardtanh(inplace=True),
            "SELU": nn.SELU(inplace=True),
            "Mish": nn.Mish(inplace=True),
            "add_": lambda y: y.add_(1),
            "iadd": increased,
            "mul_": lambda y: y.mul_(2),
            "zero_": lambda y: y.zero_(),
            "clamp_": lambda y: y.clamp_(0, 1),
            "setitem": lambda y: (operator.setitem(y, 0, 1.0), y)[1],
            "copy_": lambda y: y.copy_(y.transpose(2, 3)),
            "dropout": lambda y: functional.dropout(y, 0.5, True, True),
        }.items()
    },
    "as_strided": (
        Then(lambda y: torch.as_strided(y, (2, 8, 6, 6), (288, 36, 1, 6))),
        "as it lies",
    ),
    "Hardswish": (Then(nn.Hardswish()), r"then \(Hardswish\) cannot be packaged"),
    "control": (nn.Sequential(nn.Conv2d(8, 8, 1), _Asks()), "cannot be packaged"),
    "empty": (nn.Sequential(nn.Flatten()), "without a layer that is a plan"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_layer_of_pytorch_is_named(name: str, tmp_path: Path) -> None:
    model, words = REFUSED[name]
    path = tmp_path / "a.net"
    with pytest.raises(errors.NotSupportedError, match=words):
        package(model.half(), torch.randn(2, 8, 6, 6).half(), path, device="H200")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [8, 256])
def test_weights_that_lie_otherwise_are_those_of_their_own_layer(size: int, tmp_path: Path) -> None:
    model = nn.Sequential(*[nn.Linear(size, size) for _ in range(6)]).eval()
    for each in model:
        each.weight = nn.Parameter(torch.randn(size, size).div(size**0.5).t())
    x = torch.randn(4, size)
    package(model, x, tmp_path / "a.net", device="H200")
    (found,) = packaged.run(tmp_path / "a.net", x)
    with torch.no_grad():
        expected = model.double()(x.double())
    assert float((found - expected).norm() / expected.norm()) < 1e-5


def test_a_norm_of_another_axis_is_not_folded(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)).eval()
    package(model, torch.randn(4, 8), tmp_path / "a.net", device="H200")
    with pytest.raises(errors.NotSupportedError, match=r"0 \(Linear \+ norm\).*another axis"):
        package(model, torch.randn(4, 8, 8), tmp_path / "b.net", device="H200")


def test_autocast_is_refused(tmp_path: Path) -> None:
    model, x = nn.Sequential(nn.Linear(8, 8), nn.ReLU()), torch.randn(4, 8)
    with torch.autocast("cpu", torch.bfloat16), pytest.raises(errors.NotSupportedError) as found:
        package(model, x, tmp_path / "a.net", device="H200")
    assert "autocast" in str(found.value)


def test_arguments_are_checked(tmp_path: Path) -> None:
    x = torch.randn(2, 8, 6, 6).half()
    for model, given, device, words in (
        (3, x, "H200", "expected a module"),
        (nn.Conv2d(8, 8, 1).half(), 3.0, "H200", "expected a tensor"),
        (nn.Conv2d(8, 8, 1).half(), x[:1].expand(2, -1, -1, -1), "H200", "repeats no elements"),
        (nn.Conv2d(8, 8, 1).half(), x, None, "expected tensors on a GPU"),
    ):
        with pytest.raises(errors.ArgumentError, match=re.escape(words)):
            package(model, given, tmp_path / "a.net", device=device)
    options: Any
    for options in ({"sources": "no"}, {"compile": "no"}, {"compile": None}):
        with pytest.raises(errors.ArgumentError, match="expected True or False"):
            package(nn.Conv2d(8, 8, 1).half(), x, tmp_path / "a.net", device="H200", **options)
    assert list(tmp_path.iterdir()) == []


def test_weights_are_folded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folded, compute = [], Weights._compute

    def count(own: Any) -> Any:
        folded.append(own.layer)
        return compute(own)

    monkeypatch.setattr(Weights, "_compute", count)
    layers = [nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8), nn.Conv2d(8, 16, 3), nn.BatchNorm2d(16)]
    model = nn.Sequential(*layers).half().eval()
    package(model, torch.randn(2, 8, 6, 6).half(), tmp_path / "a.net", device="H200")
    assert len(folded) == len(set(folded)) == 2


def test_the_file_of_the_c_program_is_no_network(tmp_path: Path) -> None:
    with pytest.raises(errors.ArgumentError, match=r"that does not end in \.c, got .*a\.c"):
        package(nn.Conv2d(8, 8, 1).half(), torch.randn(2, 8, 6, 6).half(), tmp_path / "a.c")
    assert list(tmp_path.iterdir()) == []


def test_a_library_that_cannot_be_loaded_is_no_fault_of_a_layer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise errors.LibraryConflictError("another cuDNN is in this process already")

    monkeypatch.setattr(sys.modules[package.__module__], "load", refuse)
    with pytest.raises(errors.LibraryConflictError, match="another cuDNN"):
        package(nn.Conv2d(8, 8, 1), torch.randn(2, 8, 6, 6), tmp_path / "a.net", device="H200")


def test_files_have_no_plan_that_loses_nan(tmp_path: Path) -> None:
    """A file has cuDNN's JSON alone, of which some engines lose NaN; other choices take them."""
    x, conv = torch.randn(1, 3, 224, 224), nn.Conv2d(3, 64, 7, 2, 3)
    package(nn.Sequential(conv, nn.ReLU()).eval(), x, tmp_path / "relu.net", device="H200")
    (plan,) = read_file(tmp_path / "relu.net").plans
    g = cudnn.Graph(io_data_type="FLOAT")
    y = g.convolution(g.tensor((1, 3, 224, 224)), g.tensor((64, 3, 7, 7)), stride=2, padding=3)
    y = y + g.tensor((1, 64, 1, 1))
    g.output(g.pointwise("RELU_FWD", y, nan_propagation="PROPAGATE_NAN"))
    wrong = engines_wrong_restored("ConvolutionForward")
    assert g.candidates(device="H200")[0].engine in wrong
    assert plan.engine not in wrong
