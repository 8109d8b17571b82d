"""Planted errors are found, and what rounding does is not taken for one."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tests.differ import calls, executing, families, further, graphs, known, values  # noqa: E402
from tests.differ.draw import Draw, read_line  # noqa: E402
from tests.differ.judge import DiffersError, RefusedError, SkippedError, compare  # noqa: E402

KINDS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.fixture(autouse=True)
def on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)  # tests are many and small
    for module in (calls, executing, values):
        monkeypatch.setattr(module, "device", lambda: "cpu")


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def numbers(kind: Any, *shape: int) -> tuple[Any, Any]:
    """Return normal numbers in a type, and the same in float64."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return x.to(kind, copy=True), x


def is_accepted(expected: Any, results: dict[str, Any], *more: Any) -> bool:
    """Return whether what is expected agrees with results; more is what else was written."""
    try:
        for name, result in results.items():
            expected.compare(name, result, "", *more)
    except DiffersError:
        return False
    return True


def next_after(x: Any, steps: int) -> Any:
    """Return what is some steps of a type away."""
    return x * (1 + steps * torch.finfo(x.dtype).eps)


class TestCompare:
    def test_rounding_is_no_difference(self, kind: Any) -> None:
        y, exact = numbers(kind, 50, 60)
        compare("y", y, y.clone(), exact)
        compare("y", next_after(y, 2), y, exact)
        compare("y", next_after(y, -2), None, exact)

    @pytest.mark.parametrize("wrong", [math.nan, math.inf, 0.0, "sign", "one in a hundred"])
    def test_one_wrong_element(self, kind: Any, wrong: Any) -> None:
        y, exact = numbers(kind, 50, 60)
        theirs = y.clone()
        place = int(exact.abs().argmax())
        flat = y.view(-1)
        if wrong == "one in a hundred":
            flat[place] *= 1.01 if kind in (torch.float64, torch.float32) else 1.2
        else:
            flat[place] = -flat[place] if wrong == "sign" else wrong
        with pytest.raises(DiffersError, match=r"y: 1 of 3000 are wrong, such as \(\d+, \d+\): "):
            compare("y", y, theirs, exact)
        with pytest.raises(DiffersError):
            compare("y", y, None, exact)

    def test_many_ulps(self, kind: Any) -> None:
        y, exact = numbers(kind, 50, 60)
        with pytest.raises(DiffersError):
            compare("y", next_after(y, 30), y, exact)

    @pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
    def test_what_is_not_finite_stays_so(self, kind: Any, number: float) -> None:
        y, exact = numbers(kind, 8, 8)
        y[3, 4] = exact[3, 4] = number
        compare("y", y, y.clone(), exact)
        for other in (0.0, 1.0, -number, math.inf if math.isnan(number) else math.nan):
            if math.isnan(other) and math.isnan(number):
                continue
            lost = y.clone()
            lost[3, 4] = other
            with pytest.raises(DiffersError):
                compare("y", lost, y, exact)

    def test_numbers_that_only_float64_does_not_have(self, kind: Any) -> None:
        y, exact = numbers(kind, 8, 8)
        theirs = y.clone()
        for places in ((3, 4), (3,), slice(None)):
            exact[places] = math.nan
            close, wrong, absent = next_after(y, 2), y.clone(), y.clone()
            wrong[3, 4], absent[3, 4] = 0.0, math.nan
            compare("y", close, theirs, exact)
            compare("y", absent, theirs, exact)  # as in float64
            with pytest.raises(DiffersError, match="1 of 64"):
                compare("y", wrong, theirs, exact)

    def test_zeros(self, kind: Any) -> None:
        zeros = torch.zeros(5, dtype=kind)
        compare("y", zeros, zeros, zeros.double())
        with pytest.raises(DiffersError):
            compare("y", zeros + 1e-3, zeros, zeros.double())

    def test_shape_and_type(self) -> None:
        y, exact = numbers(torch.float32, 4, 1)
        for ours in (y.double(), y.half(), y[:, 0], y.T):
            with pytest.raises(DiffersError, match="expected"):
                compare("y", ours, y, exact)

    def test_the_error_of_the_other_is_allowed(self, kind: Any) -> None:
        """A sum of many terms, for example, may have four times of it, and no more."""
        _, exact = numbers(kind, 50, 60)
        unit = torch.finfo(kind).eps
        theirs = (exact * (1 + 8 * unit)).to(kind)
        compare("y", (exact * (1 - 20 * unit)).to(kind), theirs, exact)
        with pytest.raises(DiffersError):
            compare("y", (exact * (1 - 100 * unit)).to(kind), theirs, exact)

    def test_the_error_of_the_other_is_small_by_chance(self) -> None:
        """So that of inputs an ulp away counts, too."""
        y, exact = numbers(torch.float32, 50, 60)
        ours, near = y * (1 + 1e-5), (y * (1 - 1e-5), exact)
        compare("y", ours, y, exact, beside=[(y, exact), near])
        with pytest.raises(DiffersError):
            compare("y", ours, y, exact, beside=[(y, exact)])

    def test_cancelling_sums(self) -> None:
        """Where large numbers cancel, inputs that move by an ulp say what is lost."""
        a, b = torch.tensor([[1e4, 1.0]]).double(), torch.tensor([[-1e4, 1e-3]]).double()
        exact, unit = (a + b).sum(1), torch.finfo(torch.float32).eps
        nudged = (a * (1 + unit) + b).sum(1)
        y = exact.float() + 1e-3
        compare("y", y, None, exact, nudged, 1e4)
        with pytest.raises(DiffersError):
            compare("y", y, None, exact, None, 1e4)
        with pytest.raises(DiffersError):
            compare("y", y + 0.1, None, exact, nudged, 1e4)

    def test_overflow(self) -> None:
        exact = torch.tensor([7e4, 1.0], dtype=torch.float64)
        infinite = torch.tensor([math.inf, 1.0], dtype=torch.float16)
        compare("y", infinite, infinite, exact)
        compare("y", infinite, None, exact)
        with pytest.raises(DiffersError):
            compare("y", torch.tensor([1.0, 1.0]).half(), infinite, exact)

    def test_approximations_and_narrower_types(self) -> None:
        y, exact = numbers(torch.float32, 50, 60)
        rough = exact.float() * (1 + 2.0**-16)
        compare("y", rough, y, exact, floor=2.0**-17)
        with pytest.raises(DiffersError):
            compare("y", rough, y, exact)
        lost = exact * (1 + 1e-13)  # as much as float32 has lost
        compare("y", lost, exact.clone(), exact, narrower=(exact * (1 + 1e-4)).float())
        with pytest.raises(DiffersError):
            compare("y", lost, exact.clone(), exact, narrower=y)

    def test_slopes_of_functions_that_saturate(self) -> None:
        """They are off by an ulp of 1, however small they are."""
        exact = torch.tensor([4.9e-4, 3.9e-30], dtype=torch.float64)
        found = torch.tensor([4.9e-4 + 5e-8, 0.0])
        compare("y", found, None, exact, slope=2.0**-23)
        with pytest.raises(DiffersError):
            compare("y", found, None, exact)
        with pytest.raises(DiffersError):
            compare("y", found + 1e-6, None, exact, slope=2.0**-23)

    def test_integers(self) -> None:
        places = torch.tensor([1, 2, 3])
        compare("places", places, places, places)
        with pytest.raises(DiffersError):
            compare("places", places + 1, places, places)


class Call:
    """A function of x with a weight and a count of calls; wrong where it is told to be."""

    def __init__(self, kind: Any, wrong: str = "") -> None:
        self.weight = torch.full((3,), 0.5, dtype=kind).requires_grad_()
        self.total = torch.zeros(3, dtype=kind)
        self.parameters, self.wrong, self.count = [self.weight], wrong, 0

    def __call__(self, tree: Any) -> Any:
        (x,), options = tree
        self.count += 1
        with torch.no_grad():
            self.total += 0 if self.wrong == "state" and self.count == 2 else x.mean((0, 2))
        y = (x * options["factor"]).relu() * self.weight[:, None]
        if self.wrong == "sign":
            return -y
        if self.wrong == "later" and self.count == 4:
            return y.detach() * 0 + 1
        if self.wrong == "order" and not x.is_contiguous():
            return y.reshape(-1).flip(0).reshape(y.shape)
        if self.wrong == "NaN":
            return torch.nan_to_num(y)
        if self.wrong == "unwritten":
            y = y.clone()
            y[-1, -1, -1] = math.nan
        if self.wrong == "slope":
            return doubled(y) if y.requires_grad else y
        if self.wrong == "refused":
            raise NotImplementedError("it is too small\nand more")
        if self.wrong == "type":
            return y.double() if y.dtype != torch.float64 else y.float()
        return y

    def state(self) -> list[Any]:
        return [self.total]


def doubled(y: Any) -> Any:
    """Return y with a gradient that is wrong where that of the caller is not contiguous."""
    y = y.clone()
    y.register_hook(lambda dy: dy if dy.is_contiguous() else 2 * dy)
    return y


def compare_by(
    wrong: str, case: int, theirs: Callable[[Any], Any] = Call, refused: str = ""
) -> str:
    draw = Draw("planted", 1, case)
    given = calls.Given(((numbers(torch.float64, 4, 3, 5)[0],), {"factor": 2.0}), lambda *_: True)
    kind = draw.pick("dtype", KINDS)
    calls.prepared(draw, given, kind, lambda _: False)
    return calls.compare_calls(
        draw, given, kind, lambda kind: Call(kind, wrong), theirs, (NotImplementedError,),
        lambda: refused,
    )  # fmt: skip


class TestCalls:
    def test_nothing_is_found_where_nothing_is_wrong(self) -> None:
        for case in range(150):
            assert compare_by("", case) == ""

    @pytest.mark.parametrize(
        "wrong", ["sign", "later", "order", "NaN", "unwritten", "slope", "state", "type"]
    )
    def test_what_is_wrong_is_found(self, wrong: str) -> None:
        found = []
        for case in range(150):
            try:
                compare_by(wrong, case)
            except DiffersError as error:
                found.append(str(error))
        assert len(found) > (4 if wrong in ("NaN", "slope") else 30)
        about = {"slope": "gradient", "state": "state"}.get(wrong, "y0")
        assert any(each.startswith(about) for each in found)

    def test_what_the_other_computes_is_compared_for_the_same_strides(self) -> None:
        """It gets arrays at multiples of 16 bytes, which it may compute in another order."""

        def count(refused: str) -> int:
            found = 0
            for case in range(150):
                try:
                    compare_by("order", case, lambda kind: Call(kind, "order"), refused)
                except DiffersError:
                    found += 1
            return found

        assert count("") > 10
        assert count("PyTorch computes it") == 0

    def test_refusals(self) -> None:
        with pytest.raises(RefusedError, match=r"NotImplementedError: it is too small$"):
            compare_by("refused", 1)
        with pytest.raises(SkippedError, match="it is too small"):
            compare_by("refused", 1, lambda kind: Call(kind, "refused"))


class Function:
    """A function of x, as `compare_calls` wants it, whose gradient has an error."""

    parameters = ()

    def __init__(self, function: Callable[[Any], Any], error: float = 0.0) -> None:
        self.function, self.error = function, error

    def __call__(self, tree: Any) -> Any:
        x = tree[0].clone()
        if x.requires_grad:
            x.register_hook(lambda dx: dx + self.error)
        return self.function(x)

    def state(self) -> list[Any]:
        return []


def compare_on(how: str, ours: Function, theirs: Function, **more: int) -> None:
    """Compare two functions in float32 on data of a kind, with choices by name."""
    for case in range(20):
        choices = {"x_data": values.DATA.index(how), "x_layout": 0, **more}
        draw, given = Draw("planted", 1, case, choices), calls.Given([torch.randn(4, 3, 5)], _all)
        calls.prepared(draw, given, torch.float32, lambda _: False, (), ["x"])
        calls.compare_calls(draw, given, torch.float32, lambda _: ours, lambda _: theirs, ())


def _all(*_: Any) -> bool:
    return True


class TestRounding:
    def test_gradients_that_cancel(self) -> None:
        """A norm of zeros multiplies the gradient of its result, and what rounds it, by 316."""

        def norm(x: Any) -> Any:
            return torch.nn.functional.layer_norm(x, (5,))

        given = {"gradient": 1, "dy_layout": 3}
        compare_on("zeros", Function(norm, 1e-5), Function(norm), **given)
        with pytest.raises(DiffersError, match="gradient0"):
            compare_on("zeros", Function(norm, 1e-3), Function(norm), **given)

    @pytest.mark.parametrize(
        ("error", "saturates", "is_right"),
        [(2.0**-51, True, True), (2.0**-51, False, False), (2.0**-45, True, False)],
    )
    def test_gradients_of_softmax(self, error: float, saturates: bool, is_right: bool) -> None:
        """They are dy - dy, up to an ulp, where one element is nearly 1: so in float64."""
        given = calls.Given([1000 * numbers(torch.float64, 4, 3, 5)[0]], _all)
        draw = Draw("planted", 1, 1, {"gradient": 1, "dy_layout": 0, "repeats": 0})

        def made(error: float) -> Any:
            return lambda _: Function(lambda x: x.softmax(-1), error)

        with contextlib.nullcontext() if is_right else pytest.raises(DiffersError, match="gradi"):
            calls.compare_calls(
                *(draw, given, torch.float64, made(error), made(0.0), ()), saturates=saturates
            )

    def test_denormal_numbers_may_be_zeros(self) -> None:
        def double(x: Any) -> Any:
            return 2 * x

        def flushing(x: Any) -> Any:
            return 2 * x.where(x.abs() >= torch.finfo(torch.float32).tiny, 0)

        compare_on("denormal", Function(flushing), Function(double), gradient=0)
        for wrong in (lambda x: -2 * x, lambda x: x + 1e-36):
            with pytest.raises(DiffersError, match="y0"):
                compare_on("denormal", Function(wrong), Function(double), gradient=0)
        mask = calls.Given([torch.full((3,), 1e-38), torch.ones(3, dtype=torch.bool)], _all)
        assert mask.is_small
        small, kept = mask.arrays(torch.float32, True, flushes=True)
        assert not small.any()
        assert kept.dtype == torch.bool
        tiny = torch.full((3,), 1e-38, dtype=torch.float64)
        compare("y", torch.zeros(3), None, 1e3 * tiny, flushed=0 * tiny)
        with pytest.raises(DiffersError):
            compare("y", torch.zeros(3), None, 1e3 * tiny)


class Flash(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """Attention that computes in float32, and keeps arrays in their type, as kernels do."""

    @staticmethod
    def forward(ctx: Any, q: Any, k: Any, v: Any, wrong: str) -> Any:
        scores = q.float() @ k.float().mT / 8**0.5
        most = scores.amax(-1, keepdim=True)
        weights = (scores - most).exp()
        total = weights.sum(-1, keepdim=True)
        o = (weights.to(q.dtype).float() @ v.float() / total).to(q.dtype)
        ctx.save_for_backward(q, k, v, (scores - most - total.log()).exp(), o)
        ctx.wrong = wrong
        return o

    @staticmethod
    def backward(ctx: Any, do: Any) -> Any:
        q, k, v, weights, o = ctx.saved_tensors
        total = (do.float() * o.float()).sum(-1, keepdim=True)
        total *= 0.95 if ctx.wrong == "sums" else 1
        scores = (weights * (do.float() @ v.float().mT - total) / 8**0.5).to(q.dtype).float()
        dq = scores @ k.float()
        if ctx.wrong == "sign":
            dq = -dq
        if ctx.wrong == "row":
            dq[:, -1] = 0
        dv = weights.to(q.dtype).float().mT @ do.float()
        return dq.to(q.dtype), (scores.mT @ q.float()).to(q.dtype), dv.to(q.dtype), None


class Attention:
    """Attention by the kernel above, or by PyTorch in float64."""

    parameters = ()
    state = list

    def __init__(self, kind: Any, wrong: str | None = None) -> None:
        self.kind, self.wrong = kind, wrong

    def __call__(self, tree: Any) -> Any:
        if self.wrong is not None:
            return Flash.apply(*tree, self.wrong)
        wide = [each.double() for each in tree]
        return torch.nn.functional.scaled_dot_product_attention(*wide).to(self.kind)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
class TestAttention:
    def compare_by(self, kind: Any, wrong: str, seed: int) -> None:
        draw = Draw("planted", 1, seed, {"repeats": 0, "gradient": 1, "dy_layout": 0})
        torch.manual_seed(seed)
        arrays = [(3 * torch.randn(4, n, 8)).to(kind).double() for n in (3, 6, 6)]
        calls.compare_calls(
            *(draw, calls.Given(arrays, lambda *_: True), kind),
            *(lambda kind: Attention(kind, wrong), Attention, (NotImplementedError,)),
        )

    def test_what_kernels_round_is_no_difference(self, kind: Any) -> None:
        for seed in range(30):
            self.compare_by(kind, "", seed)

    @pytest.mark.parametrize("wrong", ["sign", "row", "sums"])
    def test_what_is_wrong_is_found(self, kind: Any, wrong: str) -> None:
        found = 0
        for seed in range(30):
            try:
                self.compare_by(kind, wrong, seed)
            except DiffersError as error:
                found += str(error).startswith("gradient")
        assert found > 20


class TestLayouts:
    @pytest.mark.parametrize("layout", values.LAYOUTS)
    def test_what_pytorch_gets_is_aligned(self, layout: str) -> None:
        given = calls.Given([torch.randn(2, 3, 4, 5).double()], lambda *_: True)
        chance = Draw("planted", 1, 1).chance
        given.layouts = [lambda x: values.laid_out(x, layout, chance("places"))]
        for kind in KINDS:
            (x,), (own,) = (given.arrays(kind, False, aligned=each) for each in (True, False))
            assert torch.equal(x, own)
            assert not x.data_ptr() % 16
            assert (layout == "offset") <= bool(own.data_ptr() % 16), "the package gets it as it is"

    @pytest.mark.parametrize("layout", [*values.LAYOUTS])
    @pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3, 4), (2, 3, 4, 5), (2, 1, 3, 4, 5)])
    def test_values_stay(self, layout: str, shape: Any) -> None:
        x = torch.randn(shape)
        for case in range(5):
            y = values.laid_out(x, layout, Draw("planted", 1, case).chance("places"))
            assert y.shape == x.shape
            if layout != "expanded":
                assert torch.equal(x, y)
            y.mul_(1) if layout != "expanded" else None
            assert torch.equal(x, x.clone())

    def test_they_are_what_their_name_says(self) -> None:
        x, chance = torch.randn(2, 3, 4, 5), Draw("planted", 1, 1).chance("places")
        assert values.laid_out(x, "channels_last", chance).stride() == (60, 1, 15, 3)
        assert values.laid_out(x, "offset", chance).storage_offset() == 1
        assert 0 in values.laid_out(x, "expanded", chance).stride()
        sliced = values.laid_out(x, "sliced", chance)
        assert sliced.untyped_storage().nbytes() > 4 * x.numel()
        assert sliced.as_strided((sliced.untyped_storage().nbytes() // 4,), (1,), 0).isnan().any()

    @pytest.mark.parametrize("how", values.DATA)
    def test_data(self, how: str, kind: Any) -> None:
        x = torch.randn(4, 6).double()
        y = values.filled(x, how, Draw("planted", 1, 2).chance("values"), kind)
        assert torch.equal(y.to(kind).double(), y) or y.isnan().any()
        assert how == "plain" or not torch.equal(x, y)
        assert bool(y.isnan().any()) == (how == "nan")


@pytest.mark.parametrize(
    ("shown", "text", "is_known"),
    [
        ("function=conv2d in1_data=infinity", "y0: -9.2, exact nan, other nan", True),
        ("function=conv2d in0_data=infinity", "y0: -9.2, exact nan, other nan", False),
        ("function=conv2d in1_data=infinity", "y0: -9.2, exact 3.1, other 3.1", False),
        ("function=conv_transpose2d in0_data=nan", "gradient1: 30, exact nan, other nan", True),
        ("function=conv_transpose2d in0_data=nan", "y0: 30, exact nan, other nan", False),
        ("function=conv2d in0_data=nan", "gradient1: nan, exact -24.2, other -24.2", True),
        ("function=conv2d in1_data=nan", "gradient1: nan, exact -24.2, other -24.2", False),
        ("function=conv2d in0_data=nan", "gradient1: 3, exact -24.2, other -24.2", False),
        (
            "function=conv_transpose3d dtype=torch.float16 in0_data=very_positive",
            "y0: -inf, exact 117534, other nan",
            True,
        ),
        (
            "function=conv_transpose3d dtype=torch.float16 in0_data=very_positive",
            "y0: -inf, exact 17534, other nan",
            False,
        ),
        (
            "function=conv_transpose3d dtype=torch.bfloat16 in0_data=very_positive",
            "y0: -inf, exact 117534, other nan",
            False,
        ),
        ("module=Conv3d in0_data=infinity", "y0: inf, exact nan, other nan", True),
        ("module=Conv3d in0_data=infinity", "y0: 0, exact -inf, other -inf", False),
        ("module=Conv3d in0_data=infinity", "y0: 0, exact inf, other inf", False),
        ("module=Conv3d in0_data=extremes", "y0: 0, exact -inf, other -inf", False),
        ("function=conv2d in0_data=extremes", "y0: -inf, exact 1.62e+38, other 1.6e+38", True),
        ("function=conv2d in0_data=extremes", "y0: inf, exact -5.4e+38, other nan", True),
        ("function=conv2d in0_data=extremes", "y0: -inf, exact 1.62e+30, other 1.6e+30", False),
        ("function=conv2d in0_data=extremes", "y0: 0, exact 1.62e+38, other 1.6e+38", False),
        (
            "function=conv2d dtype=torch.float64 in0_data=extremes",
            "y0: -inf, exact 1.62e+38, other 1.6e+38",
            False,
        ),
        ("module=MaxPool1d in0_data=nan in0_layout=expanded", "gradient0: 0, exact 3, ", True),
        ("module=MaxPool1d in0_data=nan", "gradient0: 0, exact 3, ", False),
        ("module=ELU in0_data=denormal", "y0: 0, exact -2.04e-37, other -2.04e-37", True),
        ("module=ELU in0_data=denormal", "y0: 0, exact -2.04e-07, other -2.04e-07", False),
        ("module=LeakyReLU in0_data=minus_infinity", "y0: 0, exact nan, other nan", True),
        ("module=LeakyReLU in0_data=minus_infinity", "y0: 0, exact -inf, other -inf", False),
        ("operation=reduce mode=max x_data=minus_infinity", "y0: -65504, exact -inf, ", True),
        ("operation=reduce mode=max x_data=minus_infinity", "y0: 1.70141e+38, exact inf, ", True),
        ("operation=reduce mode=max x_data=minus_infinity", "y0: 1.7, exact inf, ", False),
        ("operation=reduce mode=min x_data=minus_infinity", "y0: -65504, exact -inf, ", False),
        ("operation=pooling alpha=-0.5 x_data=minus_infinity", "y0: 32752, exact inf, ", True),
    ],
)
def test_what_is_known_is_as_documented(shown: str, text: str, is_known: bool) -> None:
    draw: Any = SimpleNamespace(part=f"{shown.partition('=')[0]}s", shown=lambda: shown)
    text = text.replace(": ", ": 2 of 8 are wrong, such as (0, 0): ", 1)
    assert bool(known.reason(draw, text)) == is_known


class Plan:
    """A plan that computes what a graph says, with something wrong."""

    workspace_size = 0

    def __init__(self, made: Any, wrong: str = "", engine: int = 1) -> None:
        self.made, self.wrong, self.count = made, wrong, 0
        self.engine, self.knobs, self.parts = engine, {"KERNEL_CFG": 0}, (self,)
        self.operands = [
            SimpleNamespace(
                **{"name": each.name, "shape": each.shape, "role": role, "is_argument": True},
                strides=each.strides,
                data_type=each.data_type,
                by_value=each.by_value,
            )
            for each in made.graph.tensors.values()
            if (role := each.role) in ("input", "output")
        ]

    def __call__(self, workspace: Any, **arrays: Any) -> None:
        assert workspace.numel()
        self.count += 1
        found = self.made.evaluate()
        for name, index in self.made.outputs:
            array = arrays[name]
            array.copy_(self.rounded(found[index], array.dtype))
            flat = array.untyped_storage().nbytes() // array.element_size()
            if self.wrong == "unwritten":
                array[(-1,) * array.ndim] = math.nan
            elif self.wrong == "beyond":
                array.as_strided((flat,), (1,), 0)[-1] = 1.0
            elif self.wrong == "between":
                array.as_strided((flat,), (1,), 0).nan_to_num_(7.0)
            elif self.wrong == "half":
                array.copy_(self.rounded(0.5 * found[index], array.dtype))
            elif self.wrong == "swapped" and array.numel() > 1:
                array.copy_(found[index].reshape(-1).flip(0).reshape(array.shape))
            elif self.wrong == "later" and self.count == 4:
                array.mul_(3).add_(1)

    @staticmethod
    def rounded(x: Any, kind: Any) -> Any:
        """Return numbers as engines round them: those beyond 8 bits become the largest."""
        if not kind.is_floating_point:
            return x.round().clamp(torch.iinfo(kind).min, torch.iinfo(kind).max)
        return x.clamp(-(most := torch.finfo(kind).max), most) if kind.itemsize == 1 else x


def found_among(drawn: Iterable[Any]) -> tuple[int, int, int]:
    """Judge right results of graphs, which must pass, and half of them.

    Return the number of graphs, of those of which half is another number, and of those found wrong.
    """
    done = wrong = found = 0
    for made in drawn:
        done += 1
        expected = executing.expected_of(made)
        executing.Run(expected, Plan(made)).call()
        results = (expected.exact[i].double().nan_to_num(0, 0, 0) for _, i in made.outputs)
        if min(float(each.abs().max()) for each in results) < 1e-3:
            continue
        wrong += 1
        try:
            executing.Run(expected, Plan(made, "half")).call()
        except DiffersError:
            found += 1
    return done, wrong, found


#: The place of large negative rows among the words for data.
ROWS = graphs.BREAKING.index("negative_rows")


class Known(Plan):
    """A plan with known results."""

    def __init__(self, made: Any, results: Any) -> None:
        super().__init__(made)
        self.results = results

    def __call__(self, workspace: Any, **arrays: Any) -> None:
        assert workspace.numel()
        for name, result in self.results.items():
            arrays[name].copy_(result)


class TestGraphs:
    def made(self, count: int) -> Iterator[Any]:
        from cudnn_cffi.graph import Graph

        for case in range(count):
            with contextlib.suppress(SkippedError):  # some are empty
                yield graphs.make(Draw("graphs", 3, case), Graph("drawn"))

    def test_they_are_valid_and_right(self) -> None:
        nodes: set[str] = set()
        for made in self.made(200):
            made.graph.check()
            graphs.check(made, Plan(made), 1)
            nodes |= {each.kind for each in made.graph.nodes}
        assert nodes >= {
            *("pointwise", "reduction", "matmul", "softmax", "norm_forward", "resample_forward"),
            *("resample_backward", "convolution_forward", "convolution_backward_data"),
            *("convolution_backward_filter", "reshape", "transpose", "slice", "concatenate"),
            *("expand", "norm_backward", "gen_stats"),
        }  # fmt: skip

    @pytest.mark.parametrize("wrong", ["unwritten", "beyond", "between", "swapped", "later"])
    def test_what_is_wrong_is_found(self, wrong: str) -> None:
        found = 0
        for made in self.made(40):
            try:
                graphs.check(made, Plan(made, wrong), 5)
            except DiffersError:
                found += 1
        assert found > (5 if wrong in ("swapped", "later") else 30)

    def test_what_overflows_before_a_product(self) -> None:
        """It may be NaN, and so nothing else may be."""
        made = self.joined("x_data=4")
        expected = executing.Expected(made)
        ((name, index),) = made.outputs
        exact = expected.exact[index]
        assert expected._overflown is not None
        lost = ~expected._overflown[index].isfinite()
        assert 0 < int(lost.sum()) < lost.numel()
        expected.compare(name, exact.where(~lost, math.nan).float(), "")
        with pytest.raises(DiffersError):
            expected.compare(name, exact.where(lost, math.nan).float(), "")

    def test_what_is_beyond_half_is_kept(self) -> None:
        """Between operations of elements there is FLOAT: a square of 1000 is no infinity."""
        made = self.drawn("graphs:seed=3:case=88:x_data=4")
        expected = executing.Expected(made)
        ((name, index),) = made.outputs
        exact = expected.exact[index]
        assert float(exact.max()) == 1e6
        expected.compare(name, exact.float(), "")
        with pytest.raises(DiffersError):
            expected.compare(name, exact.where(exact < 1e5, math.inf).float(), "")

    @pytest.mark.parametrize("wrong", [False, True])
    def test_results_that_are_rounded_before_others_read_them(self, wrong: bool) -> None:
        """The maximum of a BFLOAT16 output and 0, as FLOAT, has the error of BFLOAT16."""
        made = self.drawn("graphs:seed=77:case=96")
        x = made.arrays["x"].float()
        y = torch.nn.functional.avg_pool2d(x, 2, stride=2).bfloat16().float()
        y3 = y.clamp(max=0) * (1 + wrong * (y == y.min()))
        results = {"y1": y, "y2": y.reshape(768, 2), "y3": y3}
        with pytest.raises(DiffersError, match="y3: ") if wrong else contextlib.nullcontext():
            graphs.check(made, Known(made, results), 1)

    @pytest.mark.parametrize("wrong", [False, True])
    def test_terms_of_a_sum_that_cancel(self, wrong: bool) -> None:
        """The sum of normalized numbers times a constant gradient is one of roundings."""
        made = self.drawn(
            "graphs:seed=77:case=7:extent0=0:extent1=0:extent2=0:extent3=0:step0_inverse_order=0:"
            "step0_mean_gap=0:step0_mean_order=0:step0_reads=0:step0_scale_data=0:step1=0:step2=0:"
            "step3=0:step4=0:x_data=0:x_gap=0"
        )
        given = {name.removeprefix("step0_"): each.float() for name, each in made.arrays.items()}
        n = (given["x"] - given["mean"]) * given["inverse"]
        exact = dict(zip((name for name, _ in made.outputs), self.exact(made), strict=True))
        terms = (given["dy"] * n).sum((0, 2, 3), keepdim=True)
        assert float((terms - exact["step0_gradient1_out"]).abs().max()) > 1e-7
        results = exact | {"step0_gradient1_out": terms + wrong * 1e-2}
        with pytest.raises(DiffersError) if wrong else contextlib.nullcontext():
            graphs.check(made, Known(made, results), 1)

    @pytest.mark.parametrize("wrong", [0, 1e-2])
    def test_sums_of_one_sign_that_tensor_cores_cut(self, wrong: float) -> None:
        """All 16,384 terms of a FLOAT sum lose bits towards zero, and the sum at each step."""
        made = self.of_family("engines:seed=443316:case=1601")
        cut = [each.float().view(torch.int32) & ~0x1FFF for each in made.arrays.values()]
        x, dy = (each.view(torch.float32).double() for each in cut)
        y = torch.einsum("nchwd,nkhwd->kc", x, dy).view(3, 8, 1, 1, 1) * (1 - 1e-4 - wrong)
        (exact,) = self.exact(made)
        assert 6e-4 < float((1 - y / exact).min()) - wrong < 9e-4
        with pytest.raises(DiffersError) if wrong else contextlib.nullcontext():
            executing.Expected(made).compare("y2", y.float(), "")

    @pytest.mark.parametrize("step", [2.0**-24, 2.0**-18])
    def test_factors_that_are_denormal(self, step: float) -> None:
        """The gradient of scores is rounded to float16, whose denormal numbers are 2^-24 apart."""
        made = self.of_family("engines:seed=1129:case=40", turn=1)
        q, k, v, do, o, stats = (
            made.arrays[name]
            for name in ("x", "step0_k", "step0_v", "step0_do", "step0_o", "step0_stats")
        )
        ends, columns = made.arrays["step0_length_kv"], torch.arange(k.shape[2])
        rows = torch.arange(q.shape[2]).view(-1, 1) + ends - q.shape[2]
        raw = (q @ k.transpose(-1, -2) / 32**0.5).where(columns <= rows, -torch.inf)
        inner = do @ v.transpose(-1, -2) - (do * o).sum(-1, keepdim=True)
        weights = (raw - stats).exp().where(raw.isfinite(), 0)
        slopes = (weights * inner / 32**0.5 / step).round() * step
        assert 2.0**-18 < float(slopes.abs().max()) < torch.finfo(torch.half).tiny
        y = (slopes.transpose(-1, -2) @ q).half()
        far = float((y.double() - self.exact(made)[1]).abs().max())
        assert far > 8 * 2.0**-24
        with pytest.raises(DiffersError) if step > 2.0**-24 else contextlib.nullcontext():
            executing.Expected(made).compare("y9", y, "")

    @pytest.mark.parametrize("plain", [False, True])
    def test_scores_that_float32_cannot_tell_apart(self, plain: bool) -> None:
        """Weights of scores of 5e8 may be any; those of normal queries and keys may not."""
        made = self.of_family(
            f"engines:seed=4021:case=317{':step0_k_data=0:x_data=0' if plain else ''}"
        )
        y = self.exact(made)[1].half()
        y.view(-1)[int(y.abs().argmax())] *= 0.8
        with pytest.raises(DiffersError) if plain else contextlib.nullcontext():
            executing.Expected(made).compare("y7", y, "")

    @pytest.mark.parametrize("row", [0, 1])
    def test_statistics_that_float_does_not_tell(self, row: int) -> None:
        """A row whose statistics, of 5e8, are rounded by 12 may be any; the next may not."""
        place = list(families.FAMILIES).index("gradient of attention")
        made = self.of_family(
            f"chosen:seed=10107:case=268:family={place}:dtype=2:layout=2:extents=2:outputs=0:"
            f"x_address=1:x_data={ROWS}:x_gap=2:x_repeats=0"
        )
        y = self.exact(made)[0].bfloat16()
        assert float(y[2, 0, 0].abs().max()) > 1e8
        y[2, 0, row] = 1000
        with pytest.raises(DiffersError) if row else contextlib.nullcontext():
            executing.Expected(made).compare("y6", y, "")

    @pytest.mark.parametrize("number", [0.0, 1e-7])
    def test_computed_factors_that_half_has_not(self, number: float) -> None:
        """A product with HALF reads what is computed as HALF, where 4e-9 is zero."""
        made = self.joined("x_data=8")
        (exact,) = self.exact(made)
        assert 1e-9 < float(exact.abs().max()) < 1e-8
        with pytest.raises(DiffersError) if number else contextlib.nullcontext():
            executing.Expected(made).compare("y4", (exact * 0 + number).float(), "")

    @pytest.mark.parametrize("factor", [1.0, 0.8])
    def test_scores_that_are_large(self, factor: float) -> None:
        """Sums of float32 are off by an ulp of scores of 17,000, which is 0.002 of a weight."""
        place = list(families.FAMILIES).index("attention")
        made = self.of_family(
            f"engines:seed=1:case=1:family={place}:dtype=0:layout=1:extents=1:width=1:batch=0:"
            "heads=0:x_gap=0:x_repeats=0:x_data=0:step0_k_repeats=0:step0_v_repeats=0:step0_keys=4:"
            f"step0_band=0:step0_bias=0:step0_lengths=0:step0_v_data=0:step0_k_data={ROWS}"
        )
        q, k, v = (made.arrays[name].float() for name in ("x", "step0_k", "step0_v"))
        y = ((q @ k.transpose(-1, -2)) / 128**0.5).softmax(-1) @ v
        exact = self.exact(made)[1]
        assert 5e-4 < float((y - exact).abs().max()) < 5e-3
        y.view(-1)[int(exact.abs().argmax())] *= factor
        with pytest.raises(DiffersError) if factor < 1 else contextlib.nullcontext():
            executing.Expected(made, tf32=False).compare("y3", y, "")

    @pytest.mark.parametrize("tf32", [False, True])
    def test_gradients_of_attention_to_one_key(self, tf32: bool) -> None:
        """They are zero: what TF32 leaves of two sums that cancel."""
        made = self.of_family("engines:seed=9204:case=234")
        do, v, o, k = (made.arrays[f"step0_{name}"].float() for name in ("do", "v", "o", "k"))
        cut = [(each.view(torch.int32) & ~0x1FFF).view(torch.float32) for each in (do, v)]
        inner = cut[0] @ cut[1].transpose(-1, -2) - (do * o).sum(-1, keepdim=True)
        y = inner * 32**-0.5 @ k
        assert 1e-4 < float(y.abs().max()) < 1e-2
        with contextlib.nullcontext() if tf32 else pytest.raises(DiffersError):
            executing.Expected(made, tf32=tf32).compare("y6", y, "")

    @pytest.mark.parametrize("number", [-0.0, -1e-4])
    def test_functions_that_cancel_1(self, number: float) -> None:
        """GELU of -5.2 is -4e-8, and 0 in float32, whose tanh is -1."""
        made = self.of_family("engines:seed=9203:case=63", turn=1)
        assert -5e-8 < float(self.exact(made)[0].mean()) < -3e-8
        y = torch.full((16, 1, 1), number)
        with pytest.raises(DiffersError) if number else contextlib.nullcontext():
            executing.Expected(made).compare("y5", y, "")

    @pytest.mark.parametrize("error", [4e-7, 4e-5])
    def test_tangents_of_small_numbers(self, error: float) -> None:
        """They are off by an ulp of 1, which is much of 6e-5."""
        place = list(families.FAMILIES).index("chain")
        made = self.of_family(
            f"chosen:seed=10107:case=618:family={place}:dtype=1:extents=4:layout=2:outputs=1:"
            "x_address=0:x_data=8:x_gap=2:x_repeats=0"
        )
        (exact,) = self.exact(made)
        assert 3e-5 < float(exact.abs().max()) < 1e-4
        with pytest.raises(DiffersError) if error > 1e-6 else contextlib.nullcontext():
            executing.Expected(made).compare("y4", (exact - error).float(), "")

    @pytest.mark.parametrize("number", [-65504.0, torch.finfo(torch.float32).min, -math.inf, -1e5])
    def test_windows_of_minus_infinity(self, number: float) -> None:
        """They have the lowest number of the type that engines compute in, or are right."""
        made = self.of_family("engines:seed=9204:case=63")
        (exact,) = self.exact(made)
        y = exact.float().where(exact != -65504, number)
        with pytest.raises(DiffersError) if number == -1e5 else contextlib.nullcontext():
            executing.Expected(made).compare("y1", y, "")

    @staticmethod
    def drawn(line: str) -> Any:
        from cudnn_cffi.graph import Graph

        return graphs.make(read_line(line), Graph("drawn"))

    @staticmethod
    def joined(data: str) -> Any:
        """Return a product of HALF and of GELU times x, whose result is FLOAT."""
        from cudnn_cffi.graph import Graph

        place = list(further.FAMILIES).index("joined product")
        draw = read_line(
            f"further_chosen:seed=10107:case=618:family={place}:dtype=1:extents=4:layout=0:"
            f"outputs=1:x_address=0:x_gap=2:x_repeats=0:{data}"
        )
        return graphs.make(draw, Graph("drawn"), further.family_of(draw))

    @staticmethod
    def of_family(line: str, turn: int = 0) -> Any:
        from cudnn_cffi.graph import Graph

        draw = read_line(line)
        return graphs.make(draw, Graph("drawn"), families.family_of(draw), turn)

    @staticmethod
    def exact(made: Any) -> list[Any]:
        found = made.evaluate()
        return [found[index] for _, index in made.outputs]

    def test_the_same_graph_each_time(self) -> None:
        for one, other in zip(self.made(40), self.made(40), strict=True):
            assert one.graph == other.graph
            assert all(torch.equal(one.arrays[name], other.arrays[name]) for name in one.arrays)
