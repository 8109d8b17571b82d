"""The backend of `torch.compile` on a GPU, against float64 on the CPU."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.gpu.conftest import capturing

pytestmark = pytest.mark.usefixtures("exact")


@pytest.fixture(autouse=True)
def fresh(torch: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Exact convolutions and products of float32, and no graphs of other tests."""
    monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", False)
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
    gc.collect()


class Counter:
    """The backend, and the number of graphs that it compiled."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, graph: Any, examples: Any, **more: Any) -> Any:
        from cudnn_cffi.torch import backend

        self.count += 1
        return backend(graph, examples, **more)


def network(torch: Any) -> Any:
    """Layers of several kinds; the image decides about the last one, which `fuse` cannot trace."""
    nn = torch.nn

    class Network(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Sequential(
                nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(True)
            )
            self.second = nn.Conv2d(16, 16, 3, padding=1)
            self.norm = nn.BatchNorm2d(16)
            self.pool = nn.MaxPool2d(2)
            self.layer_norm = nn.LayerNorm(16)
            self.head = nn.Linear(16, 10)
            self.other = nn.Conv2d(16, 16, 1)

        def forward(self, x: Any) -> Any:
            bright = x.mean() > 0
            x = self.first(x)
            x = torch.relu(self.norm(self.second(x)) + x)
            x = self.pool(x)
            x = x * 2.0 if bright else self.other(x)
            return self.head(self.layer_norm(x.mean((2, 3))))

    torch.manual_seed(0)
    model = Network()
    for each in model.modules():
        if isinstance(each, nn.BatchNorm2d):
            each.running_mean.normal_(0.0, 0.3)
            each.running_var.uniform_(0.5, 1.5)
    return model.cuda().eval()


def image(torch: Any, count: int, shift: float = 0.5, extents: tuple[int, int] = (16, 16)) -> Any:
    return torch.randn(count, 3, *extents, device="cuda") + shift


def images(torch: Any, x: Any, low: float = -1e4) -> list[Any]:
    """Return an image, and others of its kind, for which nothing is compiled again.

    They are dark, all zero, constant, very negative in every third row or in one example, tiny, and
    have a channel of zeros.
    """
    rows, example, channel = x.clone(), x.clone(), x.clone()
    rows[:, :, ::3] = low
    example[-1] = low
    channel[:, 1] = 0.0
    return [
        *(x, x - 1.0, torch.zeros_like(x), torch.full_like(x, 2.0)),
        *(rows, example, x * 1e-20, channel),
    ]


def reference(torch: Any, model: Any, x: Any) -> Any:
    with torch.no_grad():
        return copy.deepcopy(model).cpu().double()(x.cpu().double())


def near(found: Any, wanted: Any, bound: float = 1e-5) -> None:
    error = (found.cpu().double() - wanted).abs().max()
    assert float(error) <= bound * float(wanted.abs().max())


def engines() -> set[str]:
    from cudnn_cffi.torch import compiled_graphs

    rows = [row for report in compiled_graphs() for row in report]
    return {row.by.split(",")[0].split()[0] for row in rows if row.what.startswith("Conv2d")}


def test_control_flow(torch: Any) -> None:
    model, counter = network(torch), Counter()
    compiled = torch.compile(model, backend=counter)
    with torch.no_grad():
        for x in images(torch, image(torch, 4)):
            near(compiled(x), reference(torch, model, x), 1e-4)
    assert counter.count == 3
    assert engines() == {"engine"}


@pytest.mark.parametrize("options", [{}, {"capture": True}, {"choose": "time", "seconds": 1.0}])
def test_a_residual_network(torch: Any, options: dict[str, Any]) -> None:
    from cudnn_cffi.torch import backend, compiled_graphs

    models = pytest.importorskip("torchvision.models")
    torch.manual_seed(0)
    model = models.resnet18(weights=None).cuda().eval()
    x = torch.randn(2, 3, 64, 64, device="cuda")
    compiled = torch.compile(model, backend=backend, fullgraph=True, options=options)
    rows = x.clone()
    rows[:, :, ::3] = -1e4
    with torch.no_grad():
        for each in (x, rows, torch.full_like(x, 2.0)):
            near(compiled(each), reference(torch, model, each), 1e-4)
    report = compiled_graphs()[-1]
    by = {row.name: row.by for row in report}
    assert by["layer1.0.conv2"].startswith("engine"), report
    assert not [row for row in report if row.why], report


@pytest.mark.parametrize(("dtype", "last"), [("float16", True), ("bfloat16", False)])
def test_narrow_types(torch: Any, dtype: str, last: bool) -> None:
    """By autocast, and as the types of the model; the error is at most that of eager and a half."""
    from cudnn_cffi.torch import backend

    model, kind = network(torch), getattr(torch, dtype)
    x = image(torch, 3, extents=(17, 13)).to(kind)
    if last:
        x = x.contiguous(memory_format=torch.channels_last)
    inputs = images(torch, x, -100.0)
    wanted = [reference(torch, model, each) for each in inputs]
    compiled = torch.compile(model, backend=backend)
    pairs = []
    with torch.no_grad():
        with torch.autocast("cuda", dtype=kind):
            pairs += [(compiled(each.float()), model(each.float())) for each in inputs]
        model.to(kind)
        pairs += [(compiled(each), model(each)) for each in inputs]
    for (found, eager), exact in zip(pairs, [*wanted, *wanted], strict=True):
        assert found.dtype == eager.dtype
        error, bound = (float((e.cpu().double() - exact).abs().max()) for e in (found, eager))
        assert error < 1.5 * bound + 4 * torch.finfo(kind).eps * float(exact.abs().max())


def test_batch_sizes(torch: Any) -> None:
    model, counter = network(torch), Counter()
    compiled = torch.compile(model, backend=counter)
    with torch.no_grad():
        for count in (2, 3, 8, 5, 2, 8):
            for x in images(torch, image(torch, count))[::3]:
                near(compiled(x), reference(torch, model, x), 1e-4)
    assert counter.count <= 4, "two graphs, each static and with any number of images"


def _in_place(model: Any) -> None:
    model.first[0].weight.detach().mul_(2.0)
    model.norm.running_var.add_(1.0)


def _load(model: Any) -> None:
    model.load_state_dict({name: each + 0.25 for name, each in model.state_dict().items()})


def _assign(model: Any) -> None:
    own = model.second.weight
    model.second.weight = type(own)(own.detach() * 3.0)


def _data(model: Any) -> None:
    model.first[0].weight.data = model.first[0].weight.data * 3.0


def _buffer(model: Any) -> None:
    model.norm.running_mean = model.norm.running_mean + 1.0


@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("change", [_in_place, _load, _assign, _data, _buffer])
def test_changed_weights(torch: Any, change: Callable[[Any], None], capture: bool) -> None:
    model, counter = network(torch), Counter()
    compiled = torch.compile(model, backend=counter, options={"capture": capture})
    x = image(torch, 4)
    if capture:
        x = x.contiguous(memory_format=torch.channels_last)
    with torch.no_grad():
        before = compiled(x)
        change(model)
        after = compiled(x)
    near(after, reference(torch, model, x))
    assert not torch.equal(after, before)
    assert counter.count == 2


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("training", [True, False])
def test_a_training_step(torch: Any, training: bool, last: bool) -> None:
    """Results, gradients, statistics, and the weights after steps, against float64."""
    from cudnn_cffi.torch import backend, compiled_graphs

    model = network(torch).train(training)
    if last:
        model.to(memory_format=torch.channels_last)
    exact = copy.deepcopy(model).cpu().double()
    compiled = torch.compile(model, backend=backend)
    for count, place in ((4, 0), (6, 7), (8, 4)):
        x, results = images(torch, image(torch, count), -30.0)[place], []
        for each, call, given in ((model, compiled, x), (exact, exact, x.cpu().double())):
            optimizer = torch.optim.SGD(each.parameters(), lr=0.05)
            optimizer.zero_grad()
            y = call(given)
            (y * torch.linspace(-1, 1, y.numel(), device=y.device).view_as(y)).sum().backward()
            optimizer.step()
            results.append(y.detach())
        near(results[0], results[1], 1e-4)
        pairs = zip(model.named_parameters(), exact.parameters(), strict=True)
        for (name, one), other in pairs:
            assert (one.grad is None) == (other.grad is None), name
            if other.grad is not None and float(other.grad.abs().max()) > 1e-6:
                near(one.grad, other.grad, 1e-3)
            near(one.detach(), other.detach(), 1e-4)
        for one, other in zip(model.buffers(), exact.buffers(), strict=True):
            torch.testing.assert_close(one.cpu().double(), other.double(), rtol=1e-4, atol=1e-5)
    rows = [row for report in compiled_graphs() for row in report]
    by = {(row.name, row.what): (row.by, row.why) for row in rows}
    assert by["first.0", "conv2d"] == ("layer", "")
    assert by["first.1", "batch_norm"] == ("layer" if training else "as it is", "")
    assert by["pool", "max_pool2d"] == ("layer", "")
    assert by["layer_norm", "layer_norm"] == ("layer", "")


def test_gradients_under_autocast(torch: Any) -> None:
    from cudnn_cffi.torch import backend

    model = network(torch).train()
    twin = copy.deepcopy(model)
    x = image(torch, 8)
    found = []
    for each, call in ((model, torch.compile(model, backend=backend)), (twin, twin)):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            y = call(x)
        y.float().square().sum().backward()
        found.append([y, each.first[0].weight.grad, each.second.weight.grad, each.norm.bias.grad])
    for one, other in zip(*found, strict=True):
        assert one.dtype == other.dtype
        near(one.detach(), other.detach().cpu().double(), 0.1)


def test_a_compiled_model_is_captured(torch: Any) -> None:
    """As part of a CUDA graph of the caller's, for which the backend keeps what it prepared."""
    from cudnn_cffi.torch import backend

    model = network(torch)
    layers = model.first, model.second
    compiled = torch.compile(lambda x: layers[1](layers[0](x)), backend=backend)
    x = image(torch, 4)
    stream = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(stream):
        compiled(x)
        stream.synchronize()
        with capturing(stream=stream) as graph:
            y = compiled(x)
        x.add_(1.0)
        model.first[0].weight.mul_(0.5)
        graph.replay()
        stream.synchronize()
        near(y, reference(torch, torch.nn.Sequential(*layers), x))


def test_a_convolution_that_pytorch_computes_is_refused(torch: Any) -> None:
    from cudnn_cffi import errors
    from cudnn_cffi.torch import backend

    layer = torch.nn.Conv2d(4, 8, 3).cuda()
    compiled = torch.compile(layer, backend=backend, options={"fallback": "error"})
    with torch.no_grad(), pytest.raises(errors.NotSupportedError, match="arrays of 3 axes"):
        compiled(torch.randn(4, 9, 9, device="cuda"))  # no batch


@pytest.mark.parametrize("gradients", [False, True])
def test_inductor_computes_the_rest(torch: Any, gradients: bool) -> None:
    pytest.importorskip("triton", reason="PyTorch's compiler needs Triton")
    from cudnn_cffi.torch import backend, compiled_graphs

    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AvgPool2d(4),
        nn.Flatten(), nn.Linear(256, 10), nn.GELU(),
    ).cuda().train(gradients)  # fmt: skip
    exact = copy.deepcopy(model).cpu().double()
    compiled = torch.compile(model, backend=backend, options={"rest": "inductor"})
    with torch.set_grad_enabled(gradients):
        for count in (2, 3):
            x = image(torch, count)
            y, wanted = compiled(x), exact(x.cpu().double())
            near(y.detach(), wanted.detach())
            if gradients:
                y.square().sum().backward()
                wanted.square().sum().backward()
    if gradients:
        for one, other in zip(model.parameters(), exact.parameters(), strict=True):
            if float(other.grad.abs().max()) > 1e-6:
                near(one.grad, other.grad, 1e-3)
    by = {row.what: row.by for report in compiled_graphs() for row in report}
    assert by["gelu"] == "inductor"
    assert gradients or by["Conv2d + norm + relu"].startswith("engine")
