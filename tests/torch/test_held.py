"""Fused models see what models hold besides parameters and buffers, and what their calls change."""

from __future__ import annotations

import copy
import dataclasses
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn

from cudnn_cffi.torch import fuse  # noqa: E402
from cudnn_cffi.torch.fusion.trace.running import run_trace  # noqa: E402
from cudnn_cffi.torch.fusion.trace.shadow import Watch, to_shadow  # noqa: E402
from cudnn_cffi.torch.fusion.trace.state import objects_inside, run_in_eval  # noqa: E402
from cudnn_cffi.torch.fusion.trace.tracing import to_form  # noqa: E402
from cudnn_cffi.torch.fusion.trace.words import is_random  # noqa: E402

from . import emulated  # noqa: E402


class Holding(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution, and what its forward does with what it has made of it."""

    def __init__(self, then: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.then = then
        self.listed = [nn.Conv2d(4, 4, 3, padding=1)]
        self.__dict__["plain"] = nn.Conv2d(4, 4, 3, padding=1)
        self.own = types.SimpleNamespace(scale=torch.rand(4, 1, 1), count=0, seen=[])
        self.own.inner = types.SimpleNamespace(shift=torch.rand(4, 1, 1))
        self.shared, self.pair = self.own.inner, (self.own.inner,)
        self.nested: dict[str, Any] = {"counts": [0.0]}

    def forward(self, x: Any) -> Any:
        return self.then(self, self.conv(x))


def images() -> Any:
    return torch.randn(2, 3, 6, 6)


def _replaced(model: Any) -> None:
    model.own.scale = model.own.scale * 3


def _shift() -> Any:
    return types.SimpleNamespace(shift=torch.ones(4, 1, 1) * 3)


def _swapped(model: Any) -> None:
    model.listed[0] = nn.Conv2d(4, 4, 3, padding=1)


HELD: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "weights of a module in a list": (
        lambda own, y: own.listed[0](y), lambda own: own.listed[0].weight.data.mul_(2)
    ),
    "a module in a list": (lambda own, y: own.listed[0](y), _swapped),
    "weights of a module that is an attribute": (
        lambda own, y: own.plain(y), lambda own: own.plain.bias.data.add_(1)
    ),
    "numbers of a tensor of an object": (
        lambda own, y: y * own.own.scale, lambda own: own.own.scale.mul_(3)
    ),
    "a tensor of an object": (lambda own, y: y * own.own.scale, _replaced),
    "an object of an object": (
        lambda own, y: y + own.own.inner.shift, lambda own: setattr(own.own, "inner", _shift())
    ),
    "an object that another attribute has": (
        lambda own, y: y + own.shared.shift, lambda own: setattr(own, "shared", _shift())
    ),
    "an object in a tuple": (
        lambda own, y: y + own.pair[0].shift, lambda own: setattr(own, "pair", (_shift(),))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HELD)
def test_changes_of_what_is_held_are_seen(name: str) -> None:
    then, change = HELD[name]
    model = Holding(then).eval()
    fused, x = fuse(model), images()
    with torch.no_grad():
        before = model(x)
        torch.testing.assert_close(fused(x), before)
        change(model)
        wanted = model(x)
        assert not torch.allclose(before, wanted)
        torch.testing.assert_close(fused(x), wanted)


def _counts(own: Any, y: Any) -> Any:
    own.own.count += 1
    return y + own.own.count


def _appends(own: Any, y: Any) -> Any:
    own.own.seen.append(1)
    return y + len(own.own.seen)


def _makes(own: Any, y: Any) -> Any:
    own.own.made = getattr(own.own, "made", 0) + 1
    return y + own.own.made


def _adds_inside(own: Any, y: Any) -> Any:
    own.nested["counts"][0] += 1.0
    return y + own.nested["counts"][0]


def _averages(own: Any, y: Any) -> Any:
    own.own.scale = own.own.scale * 0.5 + y.mean()
    return y + own.own.scale


def _marks(own: Any, y: Any) -> Any:
    own.plain.calls = getattr(own.plain, "calls", 0) + 1
    return y + own.plain.calls


@pytest.mark.parametrize("then", [_counts, _appends, _makes, _adds_inside, _averages, _marks])
def test_what_calls_change_is_kept(then: Any) -> None:
    model = Holding(then).eval()
    other = copy.deepcopy(model)
    fused, x = fuse(model), images()
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(fused(x), other(x))
    assert model.own.count == other.own.count
    assert model.own.seen == other.own.seen
    assert model.nested == other.nested


class Turning(nn.Module):  # type: ignore[misc, name-defined]
    """A model whose attributes have the same objects, and that decides by numbers, as it is run."""

    def __init__(self, turn: Callable[[Any], None]) -> None:
        super().__init__()
        self.conv, self.turn = nn.Conv2d(3, 4, 3), turn
        self.all = [types.SimpleNamespace(count=n, owner=self) for n in (1.0, 5.0)]
        self.now, self.pair = self.all[0], (self.all[0],)

    def forward(self, x: Any) -> Any:
        y = self.conv(x)
        y = y if float(y.sum()) < 1e9 else -y
        self.turn(self)
        return y + self.now.owner.now.count + 10 * self.pair[0].count + 100 * self.all[0].count


def _turns(own: Any) -> None:
    own.now = own.all[own.now is own.all[0]]


def _grows(own: Any) -> None:
    own.now.count += 1.0


def _grows_by_one(own: Any) -> None:
    own.all.append(types.SimpleNamespace(count=len(own.all), owner=own))
    own.now = own.all[-1]


@pytest.mark.parametrize("turn", [_turns, _grows, _grows_by_one])
def test_objects_that_several_attributes_have_stay_the_same(turn: Any) -> None:
    model = Turning(turn).eval()
    other = copy.deepcopy(model)
    fused, x, first = fuse(model), images(), model.all[0]
    with torch.no_grad():
        for _ in range(4):
            torch.testing.assert_close(fused(x), other(x))
    assert [each.count for each in model.all] == [each.count for each in other.all]
    assert model.all[0] is model.pair[0] is first
    assert any(model.now is each for each in model.all)
    assert all(each.owner is model for each in model.all[:2])


def test_a_large_table_costs_no_look_at_each_word() -> None:
    """Its words and numbers have nothing inside."""
    model = Holding(lambda own, y: y).eval()
    model.words = {f"word {number}": number for number in range(1000)}
    seen: set[int] = set()
    assert len(list(objects_inside(model.words, seen))) == len(seen) == 1


def _by_python(own: Any, y: Any) -> Any:
    return y * random.random()


def _by_a_number(own: Any, y: Any) -> Any:
    return y * torch.rand(1).item()


def _by_a_branch(own: Any, y: Any) -> Any:
    return y if torch.rand(1) < 0.5 else -y


def _by_a_tensor(own: Any, y: Any) -> Any:
    return y * torch.rand(1)


def _by_its_own(own: Any, y: Any) -> Any:
    return y * own.own.draws.random()


def _by_its_tensor(own: Any, y: Any) -> Any:
    return y * torch.rand(1, generator=own.draws)


def _generators(then: Any) -> list[Any]:
    """Return generators for a model to have."""
    if then is _by_its_tensor:
        return [torch.Generator]
    if then is not _by_its_own:
        return [int]
    numpy = pytest.importorskip("numpy").random
    return [
        lambda: random.Random(3), lambda: numpy.default_rng(3), lambda: numpy.RandomState(3),
        lambda: numpy.Generator(numpy.MT19937(3)),
    ]  # fmt: skip


DRAWS = [_by_python, _by_a_number, _by_a_branch, _by_a_tensor, _by_its_own, _by_its_tensor]


@pytest.mark.parametrize("then", DRAWS)
def test_random_numbers_are_others_in_each_call(then: Any) -> None:
    for generator in _generators(then):
        model = Holding(then).eval()
        model.draws = model.own.draws = generator()
        fused, x = fuse(model), images()
        found = []
        with torch.no_grad():
            fused(x)
            for each in (fused, model):
                torch.manual_seed(0)
                random.seed(3)
                model.draws = model.own.draws = generator()
                found.append([each(x) for _ in range(6)])
        torch.testing.assert_close(*found)
        assert any(not torch.equal(found[0][0], each) for each in found[0][1:])


def test_a_trace_draws_no_random_numbers_of_others() -> None:
    model = Holding(_by_python).eval()
    random.seed(3)
    wanted = random.random()
    random.seed(3)
    form, tensors = to_form((images(),), {})
    with pytest.raises(Exception, match="random numbers"):
        run_trace(to_shadow(model), form, tensors)
    assert random.random() == wanted


@pytest.mark.parametrize("draw", ["exponential_", "cauchy_", "log_normal_", "geometric_", "gumbel"])
def test_random_tensors_are_no_constants(draw: str) -> None:
    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            noise = torch.zeros(2, 3, 6, 6)
            if draw == "gumbel":
                return x + nn.functional.gumbel_softmax(noise)
            more = (0.5,) if draw == "geometric_" else ()
            return x + getattr(noise, draw)(*more) + torch.ones(6)

    form, tensors = to_form((images(),), {})
    traced = run_trace(to_shadow(Model().eval()), form, tensors)
    assert not any(draw in each.name for each in traced.constants)


def test_samples_of_images_are_constants_and_windows_of_chance_are_not() -> None:
    assert not is_random(nn.functional.grid_sample)
    assert not is_random(nn.functional.upsample)
    assert is_random(nn.functional.fractional_max_pool2d)
    assert is_random(torch._sample_dirichlet)


@pytest.fixture(scope="module")
def library() -> Iterator[Any]:
    """Operators that write to an argument, whose names do not tell that."""
    room = torch.library.Library("cudnn_cffi_tests", "FRAGMENT")

    def twice(x: Any) -> None:
        x.mul_(2)

    def noted(x: Any, *, y: Any) -> Any:
        y.copy_(x)
        return x + 0

    for schema, run in (
        ("twice(Tensor(a!) x) -> ()", twice),
        ("noted(Tensor x, *, Tensor(a!) y) -> Tensor", noted),
    ):
        room.define(schema)
        room.impl(schema.partition("(")[0], run, "CompositeExplicitAutograd")
    yield torch.ops.cudnn_cffi_tests
    room._destroy()


class Writing(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution whose input is changed before what is computed with it."""

    def __init__(self, write: Callable[[Any, Any], Any], traced: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.write, self.traced = write, traced

    def forward(self, x: Any) -> Any:
        x = x + 0
        zeros = torch.zeros(2, 3, 6, 6, dtype=x.dtype) if self.traced else x * 0
        y = self.conv(x + zeros)
        self.write(x, zeros)
        return torch.relu(y) + (x.sum() + zeros.sum())


def _by_schema(x: Any, _: Any) -> None:
    torch.ops.cudnn_cffi_tests.twice(x)


def _by_overload(x: Any, _: Any) -> None:
    torch.ops.aten.mul_.Tensor(x, torch.full((), 2.0, device=x.device, dtype=x.dtype))


def _by_keyword(x: Any, zeros: Any) -> None:
    torch.ops.cudnn_cffi_tests.noted(x, y=zeros)


def _to_an_output(x: Any, zeros: Any) -> None:
    torch.mul(x, 2, out=zeros)


def _to_several(x: Any, zeros: Any) -> None:
    torch._foreach_add_([x, zeros], 1.0)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    "write", [_by_schema, _by_overload, _by_keyword, _to_an_output, _to_several]
)
def test_what_operators_write_is_written_where_they_are(
    write: Any, traced: bool, library: Any
) -> None:
    model = Writing(write, traced).double().eval()
    x = images().double()
    program = emulated.prepared(model, x)
    with torch.no_grad():
        for _ in range(2):
            assert emulated.difference(program.run([x]), model(x)) < 1e-12


def test_a_model_whose_buffer_an_operator_writes_to(library: Any) -> None:
    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3)
            self.register_buffer("total", torch.ones(()))

        def forward(self, x: Any) -> Any:
            library.twice(self.total)
            return self.conv(x) + self.total + torch.zeros(1)

    model = Model().eval()
    other = copy.deepcopy(model)
    fused, x = fuse(model), images()
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(fused(x), other(x))
    assert torch.equal(model.total, other.total)


class Adding(nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self, add: Callable[[Any, Any], Any], layer: Any) -> None:
        super().__init__()
        self.layer, self.add = layer, add

    def forward(self, x: Any, other: Any) -> Any:
        return torch.relu(self.add(self.layer(x), other))


def _in_place(y: Any, other: Any) -> Any:
    y += other
    return y


LAYERS: dict[str, Any] = {
    "convolution": lambda: nn.Conv2d(4, 4, 1),
    "norm": lambda: nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)),
    "linear": lambda: nn.Linear(4, 4),
}


@pytest.mark.parametrize("add", [_in_place, lambda y, other: y.add_(other), lambda y, o: y + o])
@pytest.mark.parametrize("layer", LAYERS)
def test_a_sum_in_place_keeps_its_data_type(layer: str, add: Any) -> None:
    model = Adding(add, LAYERS[layer]()).bfloat16().eval()
    x, other = torch.randn(2, 4, 4, 4).bfloat16(), torch.randn(2, 4, 4, 4)
    program = emulated.prepared(model, x, other)
    with torch.no_grad():
        found, wanted = program.run([x, other]), model(x, other)
    assert found.dtype == wanted.dtype
    torch.testing.assert_close(found, wanted, rtol=2e-2, atol=2e-2)


def test_a_sum_in_place_keeps_its_data_type_in_training(stand_in: list[str]) -> None:
    for add in (_in_place, lambda y, other: y + other):
        model = Adding(add, nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)))
        x, other = torch.randn(2, 4, 4, 4), torch.randn(2, 4, 4, 4, dtype=torch.float64)
        found, wanted = fuse(model, training=True)(x, other), model(x, other)
        assert found.dtype == wanted.dtype
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_slice_at_the_same_address_is_another_tensor(
    is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch.fusion.trace import shadow

    if not is_compiled:
        monkeypatch.setattr(shadow, "_native", None)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Linear(4, 4))
    changes: tuple[Callable[[Any], Any], ...] = (
        lambda data: data[:4], lambda data: data.clone(),
        lambda data: data.view(torch.int32).view(torch.float32)[:2],
    )  # fmt: skip
    for change in changes:
        watch = Watch(model)
        assert not watch.changes()
        model[0].weight.data = change(model[0].weight.data)
        assert watch.changes()


def test_modules_that_choose_their_mode_keep_it() -> None:
    class Always(nn.Dropout):  # type: ignore[misc, name-defined]
        def train(self, mode: bool = True) -> Any:
            return super().train(True)

    model = nn.Sequential(nn.Linear(64, 64), Always(0.5)).train()
    found: Any = run_in_eval(model, (torch.ones(1, 64),), {})
    assert int((found == 0).sum()) > 0
    assert model.training
    model = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(4)).train()
    model[1].eval()
    assert torch.equal(run_in_eval(model, (torch.zeros(2, 4),), {}), torch.zeros(2, 4))
    assert [each.training for each in model.modules()] == [True, True, False]


def test_models_are_prepared_for_another_default_data_type() -> None:
    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x if torch.get_default_dtype() == torch.float32 else -x

    fused, x = fuse(Model().eval()), images()
    assert torch.equal(fused(x), x)
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.equal(fused(x), -x)
    finally:
        torch.set_default_dtype(torch.float32)


class Twice(torch.Tensor):  # type: ignore[misc, name-defined]
    """Twice the numbers of another tensor, which it computes with where functions get it."""

    @staticmethod
    def __new__(cls, inner: Any) -> Any:
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, device=inner.device, strides=inner.stride()
        )

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.detach.default:
            return cls(args[0].inner)
        given = torch.utils._pytree.tree_map_only(cls, lambda each: each.inner * 2, args)
        return func(*given, **(kwargs or {}))


def test_weights_of_another_class_compute_in_their_own_way(operators: list[str]) -> None:
    from cudnn_cffi.torch import modules

    x = images()
    weight = nn.Parameter(Twice(torch.randn(4, 3, 3, 3)), requires_grad=False)
    wanted = nn.functional.conv2d(x, weight.inner * 2)
    module = modules.Conv2d(3, 4, 3, bias=False)
    module.weight = weight
    before = len(operators)
    for _ in range(2):
        torch.testing.assert_close(module(x), wanted)
    assert len(operators) > before  # the operator gets what the class makes of it
    model = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.ReLU()).eval()
    model[0].weight = weight
    program = emulated.prepared(model, x)
    torch.testing.assert_close(program.run([x]), torch.relu(wanted))


class Scaling(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution, whose results an argument scales and moves."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x: Any, state: Any = None, *, by: Any = 1.0) -> Any:
        y = self.conv(x) / by
        return y if state is None else y * state.scale + state.shift


class Argument:
    """An object that each call finds changed."""

    scale: float
    shift: Any


@pytest.mark.parametrize("training", [False, True])
def test_objects_among_arguments_are_read_by_each_call(training: bool, stand_in: list[str]) -> None:
    model, state = Scaling().train(training), Argument()
    fused: Any = fuse(model, training=training)  # type: ignore[call-overload]
    for turn in range(3):
        state.scale, state.shift = turn + 1.0, torch.full((4, 1, 1), turn - 0.5)
        x = images()
        with torch.no_grad():
            torch.testing.assert_close(fused(x, state), model(x, state))
            torch.testing.assert_close(fused(x, state=state), model(x, state))


def test_zeros_of_both_signs_are_other_arguments() -> None:
    model, x = Scaling().eval(), images()
    fused = fuse(model)
    for by in (0.0, -0.0, 0.0, complex(0.0, -0.0), complex(-0.0, 0.0)):
        with torch.no_grad():
            torch.testing.assert_close(fused(x, by=by), model(x, by=by), equal_nan=True)


class Resizing(nn.Module):  # type: ignore[misc, name-defined]
    """A convolution, whose results get the size that an argument says."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x: Any, size: Any) -> Any:
        return nn.functional.interpolate(self.conv(x), size=size)


def test_sizes_of_tensors_are_plain_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = emulated.emulate(monkeypatch)
    model, x = Resizing().eval(), images()
    fused = fuse(model)
    for size in (x.shape[2:], torch.Size((5, 7)), (5, 7)):
        with torch.no_grad():
            torch.testing.assert_close(fused(x, size), model(x, size))
    assert len(programs) == 3


def test_results_in_objects_are_the_model_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing looks for tensors in them: to copy them, or to lay them as PyTorch does."""
    programs = emulated.emulate(monkeypatch)
    made: Any = dataclasses.make_dataclass("Made", ["y", "more"])

    def then(own: Any, y: Any) -> Any:
        return made(y, {"inner": [y * 2]})

    model = Holding(then).eval()
    fused, x = fuse(model), images()
    with torch.no_grad():
        for _ in range(2):
            found, wanted = fused(x), model(x)
            assert type(found) is made
            for one, other in ((found.y, wanted.y), (found.more["inner"][0], wanted.y * 2)):
                torch.testing.assert_close(one, other)
                assert one.stride() == other.stride()
    assert "returns a Made" in fused._pipeline.why
    assert not programs


def _scaled_by_weights(own: Any, x: Any) -> Any:
    return own.inner(x) * (1 + sum(each.abs().mean() for each in own.inner.parameters()))


def _each(own: Any, x: Any) -> Any:
    for each in own.inner:
        x = each(x)
    return x * len(own.inner)


def _by_the_type_of_weights(own: Any, x: Any) -> Any:
    kind, count = next(own.parameters()).dtype, len(list(own.inner.modules()))
    return own.inner(x.to(kind)) * count


def _some(own: Any, x: Any) -> Any:
    y = own.inner[0](x) + own.inner[-1].running_mean[:, None, None]
    return y * (own.inner[1] in own.inner) * len(own.inner.state_dict())


READING = (_scaled_by_weights, _each, _by_the_type_of_weights, _some)


class Untraced(nn.Module):  # type: ignore[misc, name-defined]
    """A model that is run as it is, and reads what a module in it has."""

    def __init__(self, call: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.call = call
        self.inner = nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU(), nn.BatchNorm2d(4))

    def forward(self, x: Any) -> Any:
        y = self.call(self, x)
        return y if bool(y.isfinite().all()) else y * 0


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("call", READING)
def test_code_of_a_model_reads_what_modules_have(
    call: Any, training: bool, stand_in: list[str]
) -> None:
    model = Untraced(call).double().train(training)
    own = copy.deepcopy(model)
    fused: Any = fuse(model, training=training)  # type: ignore[call-overload]
    for _ in range(3):
        x = images().double()
        with torch.set_grad_enabled(training):
            y, wanted = fused(x), own(x)
        torch.testing.assert_close(y, wanted)
        if training:
            grads = [
                torch.autograd.grad(each.square().sum(), [*some.parameters()], allow_unused=True)
                for each, some in ((y, model), (wanted, own))
            ]
            torch.testing.assert_close(*grads)
        torch.testing.assert_close([*model.buffers()], [*own.buffers()])
        with torch.no_grad():
            for each in (*model.parameters(), *own.parameters()):
                each.mul_(0.9)
