"""Planted errors of drawn networks are found, also those that inputs an ulp away would hide."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tests.differ import networks  # noqa: E402
from tests.differ.draw import Draw  # noqa: E402
from tests.differ.judge import DiffersError  # noqa: E402
from tests.differ.nearness import (  # noqa: E402
    Asked,
    Overflowing,
    compare_again,
    compare_near,
    excused,
    roughened,
)
from tests.differ.ways import Twin  # noqa: E402

NAME, UNIT = "gradient of weight", 2.0**-10


def asked(*, ours: float = 0.0, theirs: float = 0.0, right: float = 0.0) -> Asked:
    """Return a call whose results are off by parts of 1."""
    exact = torch.ones(50, dtype=torch.float64) + right
    y, other = (exact + off for off in (ours, theirs))
    return Asked({NAME: y}, [{NAME: other}], {NAME: exact})


class TestCompareAgain:
    def test_what_roundings_turn_over_is_no_error(self) -> None:
        """A ReLU's input near zero, for example: some calls are off by 4 %, and PyTorch's, too."""
        first, few = asked(ours=0.04), [asked(ours=0.04), asked(theirs=0.04), asked(right=0.04)]
        compare_again(NAME, first, first, [*few, *[asked()] * 6], [], UNIT)

    def test_most_calls_are_off(self) -> None:
        """One of PyTorch's that is as far, or moves as far, does not hide it."""
        first, others = asked(ours=0.04), [asked(ours=0.04, theirs=0.04), asked(ours=0.04, right=1)]
        with pytest.raises(DiffersError, match=r"mostly error 0\.04"):
            compare_again(NAME, first, first, [*others, *[asked(ours=0.04)] * 7], [], UNIT)

    def test_it_was_off_once_only(self) -> None:
        """As what is stale in the first call after a change."""
        first, others = asked(ours=0.04), [asked(theirs=0.04), *[asked()] * 8]
        with pytest.raises(DiffersError, match=r"error 0\.04 once, then at most 0"):
            compare_again(NAME, first, asked(), others, [], UNIT)

    def test_pytorch_is_off_as_often(self) -> None:
        first = asked(ours=0.04, theirs=0.02)
        compare_again(NAME, first, first, [first] * 9, [], UNIT)

    def test_roundings_inside_are_as_far(self) -> None:
        first, rough = asked(ours=0.04), asked(right=0.02).right
        compare_again(NAME, first, first, [first] * 9, [rough, rough], UNIT)
        with pytest.raises(DiffersError, match="mostly error"):
            compare_again(NAME, first, first, [first] * 9, [first.right, rough], UNIT / 8)


class TestCompareNear:
    def test_a_gradient_is_zero(self) -> None:
        first = asked(ours=-1.0)
        with pytest.raises(DiffersError, match="is zero, expected about 1"):
            compare_near(NAME, first, [first.right], 1.0, UNIT)

    def test_relu_of_nan_passes_gradients_by_pytorch_alone(self) -> None:
        first, nan = asked(ours=-1.0), torch.tensor([float("nan")])
        for found in (first.ours, *first.theirs, first.right):
            found["buffer mean"] = nan
        compare_near(NAME, first, [first.right], 1.0, UNIT)


class TestOverflowing:
    """A product of -65558 is -inf in float16, of which a leaky ReLU of -0.5 is inf, and not 32779."""

    FACTORS = torch.tensor([[-65558.0, 3.0], [-65504.0, -65300.0], [-60000.0, 7.0]]).double()

    def asked(self, place: tuple[int, int]) -> Asked:
        """Return a call whose result has an infinity at a place."""
        exact = self.computed()
        theirs = exact.clamp_max(65504 / 2).half()
        ours = theirs.clone()
        ours[place] = torch.inf
        return Asked({"y0": ours}, [{"y0": theirs}], {"y0": exact})

    def computed(self) -> Any:
        model = torch.nn.LeakyReLU(-0.5)
        return model(torch.nn.Parameter(self.FACTORS) * 1.0).detach()

    def judge(self, place: tuple[int, int]) -> None:
        asked = self.asked(place)
        with pytest.raises(DiffersError, match="1 of 6 are wrong"):
            compare_near("y0", asked, [asked.right], 7.0, UNIT)
        with Overflowing(torch.float16):
            overflown = self.computed()
        compare_near("y0", excused(asked, {"y0": overflown}), [asked.right], 7.0, UNIT)

    @pytest.mark.parametrize("place", [(0, 0), (1, 0), (1, 1)])
    def test_numbers_in_between_are_beyond_the_type(self, place: tuple[int, int]) -> None:
        self.judge(place)

    @pytest.mark.parametrize("place", [(0, 1), (2, 0), (2, 1)])
    def test_others_are_not(self, place: tuple[int, int]) -> None:
        with pytest.raises(DiffersError, match=r"wrong, such as .* inf, exact"):
            self.judge(place)

    def test_a_result_is_as_large_as_the_largest(self) -> None:
        exact = torch.tensor([65530.0, 3.0]).double()
        theirs, ours = torch.tensor([65504.0, 3.0]).half(), torch.tensor([torch.inf, 3.0]).half()
        asked = Asked({"y0": ours}, [{"y0": theirs}], {"y0": exact})
        compare_near("y0", asked, [asked.right], 7.0, UNIT)

    def test_results_in_place_and_views(self) -> None:
        x = torch.full((2, 2), 7e4, dtype=torch.float64)
        with Overflowing(torch.float16):
            y = x.clone().t()[0].mul_(1.0)
            assert y.isinf().all()
            assert (1 / y == 0).all()
            assert x.to(torch.int64).sum() == 280000

    def test_a_network_with_an_infinity(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ask = networks._Turns._ask

        def planted(self: Any, values: Any, *, by_cudnn: bool = False) -> Any:
            found = ask(self, values, by_cudnn=by_cudnn)
            found.ours["y0"] = y = found.ours["y0"].clone()
            y[(0,) * y.dim()] = torch.inf
            return found

        monkeypatch.setattr(networks._Turns, "_ask", planted)
        draw = {"mode": 0, "how": 0, "dtype": 0, "count": 3, "x_layout": 0}
        with pytest.raises(DiffersError, match="y0: 1 of"):
            networks.run(Draw("networks", 1, 9, draw))


class TestRoughened:
    """Results of layers are moved, so that a maximum of equal elements gets another place."""

    def _gradient(self, x: Any, unit: float | None) -> Any:
        model, x = torch.nn.Sequential(torch.nn.Identity(), torch.nn.MaxPool1d(64)), x.clone()
        if unit is not None:
            roughened(model, unit, torch.Generator().manual_seed(1))
        y = model(x.requires_grad_())
        return torch.autograd.grad(y, x, torch.full_like(y, 3.0))[0]

    def test_ulps(self) -> None:
        x = torch.ones(1, 8, 64, dtype=torch.float64)
        exact, rough = self._gradient(x, None), self._gradient(x, UNIT)
        assert int((exact.argmax(2) != rough.argmax(2)).sum()) > 4
        torch.testing.assert_close(rough.sum(), exact.sum(), rtol=8 * UNIT, atol=0)
        assert rough.sum() != exact.sum()

    def test_a_norm_of_equal_elements(self) -> None:
        norm = torch.nn.BatchNorm1d(3).double()
        x = torch.full((4, 3, 5), 2.0, dtype=torch.float64)
        assert not norm(x).any()
        roughened(norm, UNIT, torch.Generator().manual_seed(1))
        assert UNIT * 100 < norm(x).abs().max() < UNIT * 4000

    def test_numbers_below_the_smallest_normal_one(self) -> None:
        x = torch.linspace(0, 1e-39, 64, dtype=torch.float64).view(1, 1, 64)
        assert int(self._gradient(x, None).argmax()) == 63
        assert int(self._gradient(x, 0.0).argmax()) == 0
        assert int(self._gradient(x * 1e9, 0.0).argmax()) == 63


def test_optimizers_in_float64_count_in_float64() -> None:
    for kind in (torch.float32, torch.float64):
        twin = Twin(torch.optim.NAdam, {"weight": torch.ones(3)}, kind)
        twin.step({"weight": torch.ones(3)}, {"weight": torch.ones(3)})
        (state,) = twin.optimizer.state.values()
        assert state["step"].dtype == state["mu_product"].dtype == kind
    assert torch.get_default_dtype() == torch.float32


def test_group_norms_in_float64_get_the_order_of_axes() -> None:
    """Their gradients, too: with channels last those of PyTorch end the process on the CPU."""
    norm = torch.nn.GroupNorm(2, 4)
    seen: list[Any] = []
    x, dy = (torch.randn(2, 5, 6, 4, dtype=torch.float64).permute(0, 3, 1, 2) for _ in range(2))
    results: list[Any] = []
    for each in (networks._in_float64(norm), copy.deepcopy(norm).double()):
        given = x.clone().requires_grad_()
        each.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
        y = each(given.contiguous() if results else given)
        if not results:
            node = y.grad_fn
            while "GroupNorm" not in node.name():
                node = node.next_functions[0][0]
            node.register_prehook(lambda grads: seen.append(grads[0]))
        y.backward(dy.contiguous() if results else dy)
        results.append((y, given.grad, each.weight.grad))
    assert all(each.is_contiguous() for each in seen)
    assert len(seen) > 2
    for one, two in zip(*results, strict=True):
        torch.testing.assert_close(one, two)


def test_a_gradient_that_is_off_by_a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = networks._Turns._ask

    def planted(self: Any, values: Any, *, by_cudnn: bool = False) -> Any:
        found = ask(self, values, by_cudnn=by_cudnn)
        for name in found.ours:
            if "gradient" in name:
                found.ours[name] = found.ours[name] * 1.1
        return found

    monkeypatch.setattr(networks._Turns, "_ask", planted)
    draw = Draw("networks", 1, 3, {"mode": 1, "how": 0, "dtype": 0, "count": 3, "backward": 0})
    with pytest.raises(DiffersError, match="gradient of steps"):
        networks.run(draw)


@pytest.mark.parametrize(
    ("usual", "calls", "wrong"),
    [(0.1, 99, ""), (0.0, 99, "mostly error"), (0.0, 2, "PyTorch's or moved at most")],
)
def test_pytorch_is_near_by_chance(
    monkeypatch: pytest.MonkeyPatch, usual: float, calls: int, wrong: str
) -> None:
    """Gradients through norms of constants are noise, of which one call of PyTorch's has little.

    A call that is off each time with some numbers is wrong, if nothing is as far with those nearby.
    """
    ask, count = networks._Turns._ask, 0

    def planted(self: Any, values: Any, *, by_cudnn: bool = False) -> Any:
        nonlocal count
        found, count = ask(self, values, by_cudnn=by_cudnn), count + 1
        for name in found.ours:
            if "gradient" in name:
                found.ours[name] = found.ours[name] * (1.1 if count <= calls else 1.0)
                for each in found.theirs:
                    each[name] = each[name] * (1 + (usual if count > 2 else 0.0))
        return found

    monkeypatch.setattr(networks._Turns, "_ask", planted)
    choices = {"mode": 1, "how": 0, "dtype": 0, "count": 3, "backward": 0, "turns": 0, "changes": 0}
    draw = Draw("networks", 1, 3, choices)
    turn = networks._Turns._turn
    monkeypatch.setattr(
        networks._Turns, "_turn", lambda self, n, shape: None if n else turn(self, n, shape)
    )
    if not wrong:
        assert networks.run(draw) == ""
    else:
        with pytest.raises(DiffersError, match=wrong):
            networks.run(draw)


@pytest.mark.parametrize("wrong", ["strides of y0: 3 of 3", "y0 of an earlier call has changed"])
def test_how_results_lie_and_how_long(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    ask = networks._Turns._ask

    def planted(self: Any, values: Any, *, by_cudnn: bool = False) -> Any:
        found = ask(self, values, by_cudnn=by_cudnn)
        if "strides" in wrong:
            found.ours["strides of y0"] += 1
        else:
            for _, y, _ in self.kept[:1]:
                y.add_(1)
        return found

    draw = {"mode": 0, "how": 0, "dtype": 0, "count": 3, "x_layout": 0}
    assert networks.run(Draw("networks", 1, 9, draw)) == ""
    monkeypatch.setattr(networks._Turns, "_ask", planted)
    with pytest.raises(DiffersError, match=wrong):
        networks.run(Draw("networks", 1, 9, draw))
