"""The backend of `torch.compile` on the CPU: what is fused, that it is the same, and how often."""

from __future__ import annotations

import copy
import gc
import os
import signal
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors

torch = pytest.importorskip("torch", exc_type=ImportError)
nn = torch.nn
F = torch.nn.functional

from cudnn_cffi.torch import backend, compiled_graphs, fuse, modules  # noqa: E402
from cudnn_cffi.torch.compiling import layers  # noqa: E402
from cudnn_cffi.torch.fusion import pipeline as pipelines  # noqa: E402
from cudnn_cffi.torch.fusion.building import Settings  # noqa: E402
from cudnn_cffi.torch.fusion.pipeline import Pipeline  # noqa: E402
from cudnn_cffi.torch.fusion.trace.tracing import to_form, trace  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from . import emulated  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
    gc.collect()


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Fused graphs are prepared as on a GPU, with emulated plans; return the programs."""
    return emulated.emulate(monkeypatch)


class Counter:
    """The backend, and the number of graphs that it compiled."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, graph: Any, examples: Any, **more: Any) -> Any:
        self.count += 1
        return backend(graph, examples, **more)


def _permuted(layer: Any, x: Any) -> Any:
    y = layer(x)
    return y, y.permute(0, 2, 3, 1), y.transpose(1, 2), y[:, ::2], x


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_lie_as_those_of_pytorch(last: bool, dynamic: bool, plans: list[Any]) -> None:
    """Plans have their channels last, but code after a graph may take views of its results."""
    layer = nn.Conv2d(3, 8, 3).double()
    form = torch.channels_last if last else torch.contiguous_format
    layer.to(memory_format=form)
    compiled = torch.compile(lambda x: _permuted(layer, x), backend=backend, dynamic=dynamic)
    with torch.no_grad():
        for count in (2, 3):
            x = image(count, 3, 8, 7).contiguous(memory_format=form)
            found, wanted = compiled(x), _permuted(layer, x)
            assert all(map(same, found, wanted))
            assert [each.stride() for each in found[:3]] == [each.stride() for each in wanted[:3]]
            assert found[-1] is x
    assert plans


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Conv1d(3, 8, 3), (3, 10)),
        (nn.Conv2d(3, 8, 3), (3, 10, 9)),
        (nn.Linear(5, 8), (4, 8, 5)),
    ],
)
def test_a_norm_takes_another_axis_for_channels(
    layer: Any, shape: tuple[int, ...], plans: list[Any]
) -> None:
    norm = nn.BatchNorm1d(8)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2.0)
    model = nn.Sequential(layer, norm).double().eval()
    x = image(*shape)
    with torch.no_grad():
        assert same(torch.compile(model, backend=backend)(x), model(x))


def test_views_after_a_graph_break(plans: list[Any]) -> None:
    layer = nn.Conv2d(3, 8, 3).double()

    def call(x: Any) -> Any:
        y = layer(x)
        torch._dynamo.graph_break()
        return y.view(y.shape[0], -1)

    x = image(2, 3, 8, 8)
    with torch.no_grad():
        assert same(torch.compile(call, backend=backend)(x), call(x))


def test_one_model_is_evaluated_and_trained(plans: list[Any]) -> None:
    model, counter = network(), Counter()
    compiled = torch.compile(model, backend=counter)
    x = image(2, 3, 8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        with torch.no_grad():
            assert same(compiled(x), model(x))
        compiled(x).square().sum().backward()
        assert model.first[0].weight.grad is not None
        optimizer.step()
    assert counter.count == 2


class Network(nn.Module):  # type: ignore[misc, name-defined]
    """Layers of all kinds, with a branch that depends on values if it is asked for."""

    def __init__(self, *, branch: bool = False) -> None:
        super().__init__()
        self.first = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True)
        )
        self.second = nn.Conv2d(8, 8, 3, padding="same", groups=2)
        self.norm = nn.BatchNorm2d(8)
        self.up = nn.ConvTranspose2d(8, 8, 2, 2, bias=False)
        self.after = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(8, 6)
        self.last = nn.BatchNorm1d(6)
        self.layer_norm = nn.LayerNorm(6)
        self.branch = branch

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        x = torch.relu(self.norm(self.second(x)) + x)
        x = self.pool(F.gelu(self.after(self.up(x))))
        count, channels, height, width = x.shape
        x = x.reshape(count, channels, height * width).mean(-1)
        x = self.layer_norm(self.last(self.head(x)))
        if self.branch:
            x = x * 2 if x[0, 0] > x[1, 0] else self.head(torch.cat([x, x[:, :2]], 1))
        return x


def network(**more: Any) -> Any:
    return emulated.settle(Network(**more))


def image(*shape: int) -> Any:
    return torch.randn(shape, dtype=torch.float64)


def same(found: Any, wanted: Any) -> bool:
    return emulated.difference(found, wanted) < 1e-12


def whats() -> dict[str, str]:
    return {row.name: row.what for report in compiled_graphs() for row in report}


def test_what_is_fused(plans: list[Any]) -> None:
    model = network()
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    x = image(2, 3, 8, 8)
    with torch.no_grad():
        assert same(compiled(x), model(x))
    found = whats()
    assert found["first.0"] == "Conv2d + norm + relu"
    assert found["second"] == "Conv2d + norm + residual + relu"
    assert found["up"] == "ConvTranspose2d + norm"
    assert found["head"] == "Linear + norm"
    assert "max_pool2d" in found.values()
    assert {row.by for row in compiled_graphs()[-1] if row.what.startswith("Conv2d")} == {
        "emulated"
    }


@pytest.mark.parametrize(
    ("name", "least"), [("resnet18", 20), ("mobilenet_v3_small", 52), ("convnext_tiny", 22)]
)
def test_networks_of_torchvision(name: str, least: int, plans: list[Any]) -> None:
    models = pytest.importorskip("torchvision.models")
    model = emulated.settle(getattr(models, name)(weights=None))
    x = image(1, 3, 33, 33)
    with torch.no_grad():
        assert same(torch.compile(model, backend=backend)(x), model(x))
    assert sum(row.by == "emulated" for row in compiled_graphs()[-1]) == least


@pytest.mark.parametrize("plan", [True, False])
def test_control_flow_that_depends_on_values(plan: bool, request: pytest.FixtureRequest) -> None:
    if plan:
        request.getfixturevalue("plans")
    model, counter = network(branch=True), Counter()
    compiled = torch.compile(model, backend=counter)
    with torch.no_grad():
        x = image(2, 3, 8, 8)
        assert same(compiled(x), model(x))
        assert same(compiled(x.flip(0)), model(x.flip(0)))
    assert counter.count == 3, "before the branch, and each side of it"


def test_graph_breaks(plans: list[Any]) -> None:
    model, counter = network(), Counter()

    def call(x: Any) -> Any:
        y = model.first(x)
        torch._dynamo.graph_break()
        return model.second(y)

    x = image(2, 3, 8, 8)
    with torch.no_grad():
        assert same(torch.compile(call, backend=counter)(x), call(x))
    assert counter.count == 2
    assert [len(report) for report in compiled_graphs()[-2:]] == [1, 1]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("training", [False, True])
def test_batch_sizes(dynamic: bool | None, training: bool, plans: list[Any]) -> None:
    model, counter = network().train(training), Counter()
    compiled = torch.compile(model, backend=counter, dynamic=dynamic)
    with torch.set_grad_enabled(training):
        for count in (2, 3, 5, 7, 2):
            x = image(count, 3, 8, 8)
            twin = copy.deepcopy(model)
            assert same(compiled(x), twin(x))
    assert counter.count == (1 if dynamic else 2), "a new batch size is compiled once at most"
    assert bool(plans) is not training


def test_a_marked_dimension_is_compiled_once(plans: list[Any]) -> None:
    model, counter = network(), Counter()
    compiled = torch.compile(model, backend=counter)
    with torch.no_grad():
        for count in (2, 4, 6):
            x = image(count, 3, 8, 8)
            torch._dynamo.mark_dynamic(x, 0)
            assert same(compiled(x), model(x))
    assert counter.count == 1


def _in_place(model: Any) -> None:
    with torch.no_grad():
        model.first[0].weight.mul_(2.0)
        model.norm.running_var.add_(1.0)


def _load(model: Any) -> None:
    model.load_state_dict({name: each + 0.25 for name, each in model.state_dict().items()})


def _assign(model: Any) -> None:
    model.second.weight = nn.Parameter(model.second.weight.detach() * 3.0)


def _data(model: Any) -> None:
    model.first[0].weight.data = model.first[0].weight.data * 3.0


def _buffer(model: Any) -> None:
    model.norm.running_mean = model.norm.running_mean + 1.0


@pytest.mark.parametrize("change", [_in_place, _load, _assign, _data, _buffer])
def test_changed_weights(change: Callable[[Any], None], plans: list[Any]) -> None:
    model, counter = network(), Counter()
    compiled = torch.compile(model, backend=counter)
    x = image(2, 3, 8, 8)
    with torch.no_grad():
        before = compiled(x)
    change(model)
    with torch.no_grad():
        after = compiled(x)
        assert same(after, model(x))
        assert not same(after, before)
    assert counter.count == 1


def test_models_of_one_class_share_the_graph(plans: list[Any]) -> None:
    models = [network() for _ in range(6)]
    for place, each in enumerate(models):
        with torch.no_grad():
            each.first[0].weight.mul_(place + 1.0)
    counter, x = Counter(), image(2, 3, 8, 8)
    call = torch.compile(lambda model, x: model(x), backend=counter)
    with torch.no_grad():
        for _ in range(2):
            for model in models:
                assert same(call(model, x), model(x))
    assert counter.count == 1


def test_the_weights_of_a_model_that_is_gone_are_freed(plans: list[Any]) -> None:
    x = image(2, 3, 8, 8)
    call = torch.compile(lambda model, x: model(x), backend=backend)
    model = network()
    with torch.no_grad():
        call(model, x)
    program = weakref.ref(plans.pop())
    del model
    gc.collect()
    assert program() is None


def test_reset_frees_what_was_prepared(plans: list[Any]) -> None:
    model, x = network(), image(2, 3, 8, 8)
    compiled = torch.compile(model, backend=backend)
    with torch.no_grad():
        compiled(x)
    program = weakref.ref(plans.pop())
    torch.compiler.reset()
    del compiled
    gc.collect()
    assert program() is None


def _gradients(model: Any, call: Callable[[Any], Any], x: Any) -> list[Any]:
    x = x.clone().requires_grad_()
    y = call(x)
    (y * torch.linspace(0, 1, y.numel(), dtype=y.dtype).view_as(y)).sum().backward()
    grads = [each.grad for each in model.parameters()]
    return [y.detach(), x.grad, *grads, *[each.double() for each in model.buffers()]]


def _by_aot(module: Any, examples: Any) -> Any:
    """PyTorch's way to trace gradients, without its compiler."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    return aot_autograd(fw_compiler=lambda graph, _: make_boxed_func(graph.forward))(
        module, examples
    )


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("rest", ["eager", "inductor"])
def test_gradients(
    rest: str, training: bool, operators: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With layers that compute tensors of the CPU, as operators where PyTorch traces them."""
    monkeypatch.setattr(layers, "inductor", _by_aot)
    model = network(branch=True).train(training)
    twin = copy.deepcopy(model)
    x = image(3, 3, 8, 8)
    compiled = torch.compile(model, backend=backend, options={"rest": rest})
    for _ in range(2):
        found, wanted = _gradients(model, compiled, x), _gradients(twin, twin, x)
        for one, other in zip(found, wanted, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)
    ran = " ".join(operators)
    assert "convolution" in ran
    assert "pool" in ran
    assert ("batch_norm" in ran) is training
    by = {(row.name, row.what): row.by for report in compiled_graphs() for row in report}
    assert by["first.0", "conv2d"] == "layer"
    assert by["first.1", "batch_norm"] == ("layer" if training else "as it is")
    assert by["head", "linear"] == ("as it is" if rest == "eager" else rest)


def test_dropout_differs_in_each_call(plans: list[Any]) -> None:
    dropout = nn.Sequential(nn.Conv2d(3, 8, 1), nn.Dropout(0.5)).double().train()
    compiled = torch.compile(dropout, backend=backend)
    x = image(2, 3, 8, 8)
    with torch.no_grad():
        torch.manual_seed(1)
        first, second = compiled(x), compiled(x)
        torch.manual_seed(1)
        assert same(compiled(x), first)
        assert not torch.equal(first, second)
    assert 50 < int((first == 0).sum()) < 974
    assert plans


def test_made_random_numbers_differ_in_each_call(plans: list[Any]) -> None:
    layer = nn.Conv2d(3, 8, 1).double()
    compiled = torch.compile(lambda x: layer(x) + torch.rand(8, 1, 1), backend=backend)
    x = image(2, 3, 8, 8)
    with torch.no_grad():
        assert not torch.equal(compiled(x), compiled(x))
    assert plans


def test_training_mode_without_gradients_updates_statistics(plans: list[Any]) -> None:
    model = network().train()
    twin = copy.deepcopy(model)
    x = image(3, 3, 8, 8)
    with torch.no_grad():
        assert same(torch.compile(model, backend=backend)(x), twin(x))
    for one, other in zip(model.buffers(), twin.buffers(), strict=True):
        torch.testing.assert_close(one, other)
    assert not plans, "it writes to an input"


def _writes_to_the_input(layer: Any, x: Any) -> Any:
    return layer(x[:1].mul_(2.0)).mean() + x


def _writes_to_the_weight(layer: Any, x: Any) -> Any:
    layer.weight.mul_(2.0)
    return layer(x)


def _autocast(layer: Any, x: Any) -> Any:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return layer(x.float()).double()


def _gradients_inside(layer: Any, x: Any) -> Any:
    with torch.enable_grad():
        return layer(x)


def _as_it_lies(layer: Any, x: Any) -> Any:
    return layer(x).as_strided((2, 16), (16, 1))


def _condition(layer: Any, x: Any) -> Any:
    return torch.cond(x.sum() > 0, lambda x: layer(x), lambda x: layer(x) * 2.0, (x,))


@pytest.mark.parametrize(
    "call",
    [
        _writes_to_the_input,
        _writes_to_the_weight,
        _autocast,
        _gradients_inside,
        _as_it_lies,
        _condition,
    ],
)
def test_what_is_not_fused(call: Callable[..., Any], plans: list[Any]) -> None:
    layer = nn.Conv2d(3, 8, 3).double()
    if call is _autocast:
        layer.float()
    twin = copy.deepcopy(layer)
    x = image(2, 3, 8, 8)
    own = x.clone()
    with torch.no_grad():
        found = torch.compile(lambda x: call(layer, x), backend=backend)(x)
        wanted = call(twin, own)
    assert same(found, wanted)
    assert found.requires_grad == wanted.requires_grad
    assert torch.equal(x, own)
    assert torch.equal(layer.weight, twin.weight)
    assert not plans
    assert compiled_graphs()[-1][0].by == "not fused"
    assert compiled_graphs()[-1][0].why


def test_checkpointed_layers_have_gradients() -> None:
    from torch.utils.checkpoint import checkpoint

    layer = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU()).double()
    twin = copy.deepcopy(layer)
    x = image(2, 3, 8, 8)
    call = torch.compile(lambda x: checkpoint(layer, x, use_reentrant=False), backend=backend)
    found, wanted = _gradients(layer, call, x), _gradients(twin, twin, x)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other)
    assert "conv2d" in whats().values()
    rows = [row for row in compiled_graphs()[-1] if row.what == "conv2d"]
    assert [(row.by, row.why) for row in rows] == [("torch", "it is not on a GPU")]


def test_inference_mode(plans: list[Any]) -> None:
    model, x = network(), image(2, 3, 8, 8)
    compiled = torch.compile(model, backend=backend)
    with torch.inference_mode():
        assert same(compiled(x), model(x))
    with torch.no_grad():
        assert same(compiled(x), model(x))
    assert plans


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"mode": "max-autotune"}, "mode: expected None"),
        ({"options": {"rset": "eager"}}, "there is no 'rset'"),
        ({"options": {"rest": "xla"}}, 'rest: expected "eager" or "inductor"'),
        ({"options": {"choose": "fastest ever"}}, "fastest ever"),
        ({"options": {"fallback": "never"}}, "fallback: expected"),
        ({"options": {"capture": "yes"}}, "capture: expected"),
        ({"options": {"seconds": "8"}}, "seconds: expected"),
        ({"options": {"shapes": 0}}, "shapes: expected"),
    ],
)
def test_wrong_options(given: dict[str, Any], says: str) -> None:
    compiled = torch.compile(nn.Conv2d(3, 4, 1), backend=backend, **given)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="ArgumentError") as caught:
        compiled(torch.randn(1, 3, 4, 4))
    assert isinstance(caught.value.inner_exception, errors.ArgumentError)
    assert says in str(caught.value)


def test_options_that_are_no_dict() -> None:
    with pytest.raises(errors.ArgumentError, match="options: expected a dict"):
        backend(torch.fx.symbolic_trace(nn.ReLU()), [], options=["eager"])  # type: ignore[arg-type]


@pytest.mark.parametrize("gradients", [True, False])
def test_pytorch_must_not_compute(gradients: bool) -> None:
    layer = nn.Conv2d(3, 4, 1)
    compiled = torch.compile(layer, backend=backend, options={"fallback": "error"})
    with (
        torch.set_grad_enabled(gradients),
        pytest.raises(errors.NotSupportedError, match=r"cpu|not on a GPU"),
    ):
        compiled(torch.randn(1, 3, 4, 4))


PROGRAM = """
import torch
layer = torch.nn.Conv2d(3, 4, 1)
compiled = torch.compile(layer, backend="cudnn_cffi", options={"rest": "eager"})
x = torch.randn(1, 3, 4, 4)
assert torch.equal(compiled(x), layer(x)), "another result"
from cudnn_cffi.torch import compiled_graphs
assert compiled_graphs()[0][1].what == "conv2d", compiled_graphs()
"""


@pytest.mark.slow
def test_the_name_needs_no_import(tmp_path: Path) -> None:
    """By the entry point of pyproject.toml, as an installation writes it."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = project["entry-points"]["torch_dynamo_backends"]
    folder = tmp_path / "cudnn_cffi-0.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: cudnn-cffi\nVersion: 0.0\n")
    lines = "\n".join(f"{name} = {value}" for name, value in points.items())
    (folder / "entry_points.txt").write_text(f"[torch_dynamo_backends]\n{lines}\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONPATH": path}, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_inductor_computes_the_rest() -> None:
    pytest.importorskip("triton", reason="PyTorch's compiler needs Triton")
    model = network()
    compiled = torch.compile(model, backend=backend, options={"rest": "inductor"})
    with torch.no_grad():
        for count in (2, 3, 4):
            x = image(count, 3, 8, 8)
            assert same(compiled(x), model(x))
    by = {row.name: row.by for report in compiled_graphs() for row in report}
    assert by["first.0"] == "torch"
    assert "inductor" in by.values()


def test_attention_of_fp8_is_not_traced(run: Any) -> None:
    """Dynamo is not imported with all modules."""
    run("""
        import sys
        import cudnn_cffi.torch.modules
        assert "torch._dynamo" not in sys.modules
        """)
    seen = []

    def count(module: Any, _: Any) -> Any:
        seen.append(module)
        return module

    attend = modules.ScaledDotProductAttentionFP8(is_causal=True)
    q = torch.randn(1, 2, 8, 16)
    compiled = torch.compile(lambda x: attend(x * 2, x, x) + 1, backend=count)
    wanted = F.scaled_dot_product_attention(q * 2, q, q, is_causal=True) + 1
    for _ in range(2):
        torch.testing.assert_close(compiled(q), wanted)
    assert len(seen) == 2


def pipelines_made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list of the pipelines that will have been made."""
    made: list[Any] = []
    init = Pipeline.__init__

    def begin(self: Any, *args: Any, **more: Any) -> None:
        init(self, *args, **more)
        made.append(self)

    monkeypatch.setattr(Pipeline, "__init__", begin)
    return made


def test_losses_of_graphs(plans: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """They are prepared anew and told of, but not while a stream is captured."""
    model = network()
    compiled = torch.compile(model, backend=backend)
    x = image(2, 3, 8, 8)
    lossy: list[Any] = []
    monkeypatch.setattr(Pipeline, "is_lossy", lambda self: self in lossy)
    kept = pipelines_made(monkeypatch)
    with torch.no_grad():
        assert same(compiled(x), model(x))
        lossy += kept
        with monkeypatch.context() as captured:
            captured.setattr(torch.cuda, "is_available", lambda: True)
            captured.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
            with pytest.raises(errors.CudnnError, match="the stream is being captured"):
                compiled(x)
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            with pytest.raises(RuntimeWarning, match="lost digits"):
                compiled(x)
            assert same(compiled(x), model(x))
        assert len(kept) == 2 * len(lossy)
        lossy += kept
        with pytest.warns(RuntimeWarning, match="lost digits"):
            assert same(compiled(x), model(x))
    assert plans


def test_losses_of_graphs_that_are_dropped(
    plans: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fifth model drops the first one's: they are known of when its devices are done."""
    made = pipelines_made(monkeypatch)
    waited: list[Any] = []
    monkeypatch.setattr(Pipeline, "wait", lambda self: waited.append(self))
    monkeypatch.setattr(Pipeline, "is_lossy", lambda self: self is made[0] and self in waited)
    model, x, weights = network(), image(2, 3, 8, 8), []
    compiled = torch.compile(model, backend=backend)
    layer = next(each for each in model.modules() if isinstance(each, nn.Conv2d))
    with torch.no_grad():
        for _ in range(4):
            assert same(compiled(x), model(x))
            weights.append(layer.weight)  # its graph would end with it
            layer.weight = nn.Parameter(torch.randn_like(layer.weight))
        assert not waited
        with pytest.warns(RuntimeWarning, match="lost digits"):
            assert same(compiled(x), model(x))
    assert waited == made[:1]
    assert len(plans) == len(made) == 5


def test_a_pipeline_waits_for_its_own_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    monkeypatch.setattr(pipelines, "Program", lambda *_, **__: SimpleNamespace(is_mutating=False))
    made = Pipeline(nn.Sequential(nn.ReLU()), Settings())
    inner = Pipeline(nn.Sequential(nn.ReLU()), Settings())
    made._fragments.append(SimpleNamespace(pipeline=inner))  # type: ignore[arg-type]
    made.wait()
    assert not waited
    for each, device in ((made, 1), (inner, 0), (inner, 1)):
        with FakeTensorMode():
            x = torch.empty(2, 2, device=f"cuda:{device}")
        each._program(*to_form([x], {}))
    made.wait()
    assert sorted(waited) == [0, 1, 1]


class Switching(nn.Module):  # type: ignore[misc, name-defined]
    """A model that leaves autocast between two layers, which fused models run as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Conv2d(3, 8, 3), nn.Linear(6, 4)

    def forward(self, x: Any) -> Any:
        y = self.first(x)
        with torch.autocast("cpu", enabled=False):
            y = y.float().relu()
        return self.last(y)


@pytest.mark.parametrize("training", [False, True])
def test_fused_models_in_compiled_code(training: bool) -> None:
    """Dynamo leaves them alone: it traced their preparation, and autocast stayed entered."""
    model = Switching().train(training)
    fused: Any = fuse(model, training=True) if training else fuse(model)
    compiled = torch.compile(lambda x: fused(x * 2) + 1, backend="eager")
    with torch.set_grad_enabled(training):
        for factor in (1.0, 2.0, 3.0):
            x = image(2, 3, 8, 8).float() * factor
            with torch.autocast("cpu", torch.bfloat16):
                found, wanted = compiled(x), model(x * 2) + 1
            torch.testing.assert_close(found, wanted)  # also their types
            assert torch.autocast_increment_nesting() == 1
            torch.autocast_decrement_nesting()
            with torch.no_grad():
                model.last.weight.mul_(0.5)  # a cast of it from before would be stale


def test_modules_that_dynamo_reaches_by_their_dictionary(plans: list[Any]) -> None:
    """As in what it compiles after a break: its words for them go through `__dict__`."""

    class Kept(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Conv2d(3, 4, 1)

        def forward(self, x: Any) -> Any:
            return self.__dict__["_modules"]["inner"](x)

    model, x = Kept().double(), image(2, 3, 4, 4)
    with torch.no_grad():
        assert same(torch.compile(model, backend=backend)(x), model(x))
    assert whats()


def test_other_threads_compile_during_a_trace() -> None:
    """Dynamo puts methods back that a trace replaced, and replaces them again when it has compiled."""
    begun, ended = threading.Event(), threading.Event()
    x, found = torch.ones(2, 4), []
    plain = nn.Module.__call__, nn.Module.__getattr__

    def slow(graph: Any, _examples: Any) -> Any:
        begun.set()
        assert ended.wait(60)
        return graph.forward

    function = torch.compile(lambda x: x + 1, backend=slow)
    other = threading.Thread(target=lambda: found.append(function(x)))

    class Meeting(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

        def forward(self, x: Any) -> Any:
            if not other.ident:
                other.start()
                assert not begun.wait(0.5), "it compiles during the trace"
            return self.inner(x)

    try:
        traced = trace(Meeting().eval(), to_form((x,), {})[0])
    finally:
        ended.set()
        other.join()
    assert (nn.Module.__call__, nn.Module.__getattr__) == plain
    calls = [node.target for node in traced.graph.nodes if node.op == "call_module"]
    assert calls == ["inner.0", "inner.1"]
    assert torch.equal(found[0], x + 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_traces_whose_parent_was_compiling() -> None:
    lock = torch._dynamo.convert_frame.compile_lock
    form, model = to_form((torch.ones(2, 4),), {})[0], nn.Sequential(nn.Linear(4, 4))
    trace(model, form)
    held, left = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            left.wait()

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    child = os.fork()
    if not child:
        try:
            signal.alarm(60)
            trace(model, form)
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left.set()
    other.join()
    assert code == 0
