"""Repeated layers, without a GPU."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from cudnn_cffi import errors

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import convert, reproducible  # noqa: E402
from cudnn_cffi.torch.model import reproducing  # noqa: E402
from cudnn_cffi.torch.model.survey import survey  # noqa: E402
from cudnn_cffi.torch.model.trial import kept_buffers  # noqa: E402

_counts = itertools.count()


class Sum(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """Adds a number that grows with each call: forward, or in the gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any, place: str) -> Any:
        ctx.place = place
        return x + (next(_counts) if place == "forward" else 0)

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        return dy + (next(_counts) if ctx.place == "gradient" else 0), None


class Changing(nn.Module):  # type: ignore[misc, name-defined]
    """A layer whose bits differ; with deterministic algorithms they are equal."""

    def __init__(self, place: str, helps: bool = True) -> None:
        super().__init__()
        self.place, self.helps = place, helps

    def forward(self, x: Any) -> Any:
        if self.helps and torch.are_deterministic_algorithms_enabled():
            return x + 1
        return Sum.apply(x, self.place)


def network(*layers: Any) -> Any:
    return nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Dropout(), *layers,
        nn.Flatten(), nn.Linear(4 * 6 * 6, 3),
    )  # fmt: skip


def image() -> Any:
    return torch.randn(2, 3, 8, 8)


@pytest.mark.parametrize("training", [True, False])
def test_equal_bits(training: bool) -> None:
    model = network().train(training)
    kept = {name: each.clone() for name, each in model.state_dict().items()}
    x = image()
    random = torch.get_rng_state()
    found = reproducible(model, x, runs=3)
    assert found.is_reproducible
    assert not found.differing
    assert {each.runs for each in found} == {3}
    assert {each.replayed for each in found} == {None}
    layers = [each.layer for each in found if each.section == "gradient"]
    assert layers == ["0", "1", "2", "3", "4", "5", ""]
    assert "(the model)" in repr(found)
    assert "0 of 3 differ" in repr(found)
    assert all(torch.equal(each, kept[name]) for name, each in model.state_dict().items())
    assert model.training == training
    assert torch.equal(random, torch.get_rng_state())
    assert all(each.grad is None for each in model.parameters())


def test_attention_that_reads_the_parameters_of_its_modules_is_a_layer() -> None:
    model = nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True))
    layers = survey(model, [torch.randn(2, 5, 8)])
    assert [each.name for each in layers][:2] == ["0.self_attn", "0.dropout1"]
    assert len(layers) == 8, "a module whose modules are called is none"


@pytest.mark.parametrize("section", ["forward", "gradient"])
def test_a_layer_whose_bits_differ(section: str) -> None:
    found = reproducible(network(Changing(section)).train(), image(), runs=4)
    assert not found.is_reproducible
    assert {(each.layer, each.section) for each in found.differing} >= {
        ("4", section),
        ("", section),
    }
    (own,) = [each for each in found.differing if each.layer == "4"]
    assert own.executed == 3
    assert own.kind == "Changing"
    assert own.by == "PyTorch"
    words = "torch.use_deterministic_algorithms(True): its bits were equal in 4 runs"
    assert own.advice == words
    assert words in repr(found)
    assert not torch.are_deterministic_algorithms_enabled()


def test_deterministic_algorithms_that_do_not_help() -> None:
    found = reproducible(network(Changing("forward", helps=False)), image(), runs=2)
    (own,) = [each for each in found.differing if each.layer == "4" and each.section == "forward"]
    assert own.advice == "torch.use_deterministic_algorithms(True) does not help"


def test_a_difference_between_layers() -> None:
    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return Sum.apply(self.layer(x), "forward")

    found = reproducible(Model(), torch.randn(2, 4), runs=2)
    assert {(each.layer, each.section) for each in found.differing} == {("", "forward")}


def test_a_difference_between_layers_of_a_module() -> None:
    class Inner(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return Sum.apply(self.layer(x), "gradient")

    model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), Inner()))
    found = reproducible(model, torch.randn(2, 4), runs=2).differing
    assert [(each.layer, each.section) for each in found] == [("1.1", "gradient"), ("", "gradient")]
    assert found[0].kind == "Inner"


class AnyOrder(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """Adds gradients in another order each time, with half precision."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.half()

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        order = torch.roll(torch.arange(dy.numel()), 7 * next(_counts))
        total = torch.zeros((), dtype=torch.half)
        for each in dy.flatten()[order]:
            total = total + each
        return total.float().expand(dy.shape)


def test_sums_in_another_order_are_told() -> None:
    class Sums(nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return AnyOrder.apply(x)

    found = reproducible(nn.Sequential(nn.Linear(4, 40), Sums()), torch.randn(2, 4)).differing
    assert [(each.layer, each.section) for each in found] == [("1", "gradient"), ("", "gradient")]


def test_statistics_count_as_results() -> None:
    class Counting(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("total", torch.zeros(()))

        def forward(self, x: Any) -> Any:
            self.total.add_(next(_counts))
            return x * 2

    model = nn.Sequential(Counting())
    found = reproducible(model, torch.randn(3), runs=2)
    assert [each.layer for each in found.differing] == ["0", ""]
    assert model[0].total == 0


def test_nan_and_the_sign_of_zero_are_bits() -> None:
    class Signs(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, values: Any) -> None:
            super().__init__()
            self.values = values

        def forward(self, x: Any) -> Any:
            return x * 0 + next(self.values)

    nan = itertools.repeat(float("nan"))
    assert reproducible(nn.Sequential(Signs(nan)), torch.randn(3), runs=3).is_reproducible
    signs = itertools.cycle([0.0, -0.0])

    class Zero(Signs):
        def forward(self, x: Any) -> Any:
            return torch.full_like(x, next(self.values))

    found = reproducible(nn.Sequential(Zero(signs)), torch.randn(3), runs=2)
    assert not found.is_reproducible


def test_a_layer_that_fails_is_told() -> None:
    class Once(nn.Module):  # type: ignore[misc, name-defined]
        """Takes one call only, that of the model."""

        def __init__(self) -> None:
            super().__init__()
            self.calls = itertools.count()

        def forward(self, x: Any) -> Any:
            if next(self.calls):
                raise ValueError("once only")
            return x

    found = reproducible(nn.Sequential(Once()), torch.randn(3), runs=2)
    assert [each.why for each in found] == ["once only"] * 2
    assert not found.is_reproducible
    assert "once only" in repr(found)


def test_converted_layers_and_no_gradients() -> None:
    model = network().eval()
    convert(model, everything=True)
    found = reproducible(model, image(), gradients=False, runs=2)
    assert {each.section for each in found} == {"forward"}
    assert found.is_reproducible
    assert [each["layer"] for each in found.to_dicts()][-1] == ""


def test_replays_begin_with_the_buffers_of_the_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running statistics are results: each run of a training layer begins with the same ones."""
    place = torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda _: torch.get_rng_state())
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda state, _: torch.set_rng_state(state))
    replayed: list[int] = []

    def replay(run: Any, module: Any, device: Any, first: Any, runs: int) -> int:
        assert device == place
        with kept_buffers(module):
            results = [each.clone() for each in run()]
        replayed.append(0 if reproducing._are_same(first, results) else runs)
        return replayed[-1]

    monkeypatch.setattr(reproducing, "_replay", replay)
    (layer,) = survey(nn.Sequential(nn.BatchNorm2d(3).train()).train(), (image(),))
    subject = reproducing._OfLayer(layer)
    subject.device = place
    (found,) = reproducing._repeat("0", subject, False, 3)
    assert replayed == [0], found
    assert found.is_equal, found


def test_bad_arguments() -> None:
    with pytest.raises(errors.ArgumentError, match="runs: expected at least 2, got 1"):
        reproducible(network(), image(), runs=1)
    with pytest.raises(errors.ArgumentError, match="runs"):
        reproducible(network(), image(), runs="many")
    with pytest.raises(errors.ArgumentError, match="expected a module"):
        reproducible(image(), image())
