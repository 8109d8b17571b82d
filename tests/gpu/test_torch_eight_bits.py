"""Layers of 8 bits of fused models: kernels, plans and whole models, against float64."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest

EIGHT = pytest.mark.parametrize("dtype", ["float8_e4m3", "int8"])

#: A block of a ResNet and a head whose linear layer has another activation.
CHANNELS = 32


def kind_of(dtype: str) -> Any:
    from cudnn_cffi.torch.fusion.eight.kinds import KINDS

    return KINDS[dtype]


def rounded(torch: Any, dtype: str, x: Any) -> Any:
    """Round numbers to 8 bits, in float64; INT8 goes to -128."""
    if dtype == "int8":
        return x.double().nan_to_num(0.0, math.inf, -math.inf).round().clamp(-128, 127)
    return x.float().clamp(-448, 448).to(torch.float8_e4m3fn).double()


@EIGHT
@pytest.mark.parametrize("given", ["float16", "bfloat16", "float32"])
def test_values(torch: Any, dtype: str, given: str) -> None:
    from cudnn_cffi.torch.fusion.eight.kernel import Quantizer

    kind = kind_of(dtype)
    special = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, 127.5, -128.5, 447.0, 464.0, 6e4, -6e4, 2.0**-10]
    special += [math.inf, -math.inf, math.nan, 1.5 * 2.0**-10, 2.0**-9]
    for count in (1, 15, 16, 17, 4099, 300_000):
        x = torch.randn(count, device="cuda").mul_(40).to(getattr(torch, given))
        x[: len(special)] = torch.tensor(special, device="cuda")[:count].to(x.dtype)
        y = Quantizer(kind, 0.5)(x)
        right = rounded(torch, dtype, x.float() * 2.0)
        assert torch.equal(y.float().double().nan_to_num(999.0), right.nan_to_num(999.0))
    image = torch.randn(2, 16, 3, 5, device="cuda").to(memory_format=torch.channels_last)
    made = Quantizer(kind, 0.01)(image)
    assert made.stride() == image.stride()
    assert torch.equal(made.float().double(), rounded(torch, dtype, image * (1 / 0.01)))
    apart = image[:, ::2, :, 1:4]  # with gaps
    made = Quantizer(kind, 0.01)(apart)
    assert torch.equal(made.float().double(), rounded(torch, dtype, apart * (1 / 0.01)))
    assert Quantizer(kind, 1.0)(torch.empty(0, 16, device="cuda")).shape == (0, 16)


def extreme(torch: Any, weight: Any) -> None:
    """Give rows of filters zeros, a constant, one huge element, tiny ones, and NaN."""
    first = (0,) * (weight.dim() - 1)
    with torch.no_grad():
        weight[0] = 0.0
        weight[1] = -0.25
        weight[2, *first] = 3e4
        weight[3] *= 2.0**-10
        weight[4] = -0.0
        weight[5, *first] = math.nan


@EIGHT
@pytest.mark.parametrize("given", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("last", [True, False])
def test_weights(torch: Any, dtype: str, given: str, last: bool) -> None:
    from cudnn_cffi.torch.fusion.eight.kernel import Requantizing
    from cudnn_cffi.torch.fusion.eight.weights import NarrowWeights, why_not
    from cudnn_cffi.torch.fusion.parts import Part
    from cudnn_cffi.torch.fusion.products import Matrix

    kind, nn, made = kind_of(dtype), torch.nn, []
    torch.manual_seed(1)
    for layer in (
        nn.Conv2d(48, 80, 3), nn.Conv2d(64, 32, 1, bias=False), nn.Conv2d(16, 16, 2),
        nn.Linear(64, 48), nn.Linear(17, 16, bias=False),
    ):  # fmt: skip
        layer.cuda().to(getattr(torch, given))
        norm = None
        if isinstance(layer, nn.Conv2d):
            layer.to(memory_format=torch.channels_last if last else torch.contiguous_format)
            norm = nn.BatchNorm2d(layer.out_channels).cuda().to(getattr(torch, given)).eval()
            for each in (norm.weight, norm.bias, norm.running_mean):
                each.data.normal_()
            norm.running_var.uniform_(0.5, 2.0)
            kept: Any = layer
        else:
            kept = Matrix(layer, ("weight", "bias"))
        extreme(torch, layer.weight)
        part = Part("convolution", None, (), None, kept, norm)  # type: ignore[arg-type]
        assert why_not(part) == ""
        made.append(NarrowWeights(part, kind, 0.5, 4.0))
    quantizing = Requantizing(made, 0)
    for turn in range(2):
        for own in made:
            for each in (own.weight.view(torch.uint8), own.factors, own.offsets):
                each.fill_(77)  # as it is left by others
            if turn:
                with torch.no_grad():
                    own.layer.weight.data.mul_(-3.0)
        quantizing.run()
        for own in made:
            w = own.layer.weight.detach().double()
            rows = w.flatten(1)
            most = rows.abs().amax(1)
            inverse = torch.where(most == 0, torch.zeros_like(most), kind.most / most)
            right = rounded(torch, dtype, (rows * inverse[:, None]).float()).view(w.shape)
            found = own.weight.float().double()
            assert torch.equal(found.nan_to_num(999.0), right.nan_to_num(999.0))
            if w.dim() == 4:
                assert own.weight.is_contiguous(memory_format=torch.channels_last)
            scale, offset = torch.ones_like(most), torch.zeros_like(most)
            if own.layer.bias is not None:
                offset = own.layer.bias.detach().double()
            if own.norm is not None:
                scale = own.norm.weight.detach().double()
                scale = scale / (own.norm.running_var.double() + own.norm.eps).sqrt()
                offset = (offset - own.norm.running_mean.double()) * scale
                offset = offset + own.norm.bias.detach().double()
            factors = most / kind.most * scale * 0.5
            for got, want in ((own.factors, factors), (own.offsets, offset * 4.0)):
                torch.testing.assert_close(got.double(), want, rtol=1e-6, atol=1e-6, equal_nan=True)


#: Residual, result and activation of a layer, its size and stride: "narrow" is of 8 bits.
LAYERS = [
    (None, "narrow", "relu", 3, 1), ("narrow", "narrow", "relu", 1, 1),
    ("HALF", "HALF", None, 1, 1), (None, "narrow", "gelu", 1, 1), (None, "HALF", None, 3, 2),
]  # fmt: skip


@EIGHT
@pytest.mark.parametrize("layer", LAYERS, ids=lambda each: "-".join(map(str, each)))
def test_plans(torch: Any, dtype: str, layer: Any) -> None:
    """A plan computes what its graph says, and clips what is larger than 8 bits."""
    from cudnn_cffi.torch.fusion.eight.graphs import Shape, to_graph

    residual, result, word, size, stride = layer
    kind = kind_of(dtype)
    torch.manual_seed(2)
    n, c, k, e = 3, 32, 48, 11
    out = (e - 1) // stride + 1
    names = [kind.data_type if each == "narrow" else each for each in (residual, result)]
    shape = Shape(
        kind, x=(n, c, e, e), w=(k, c, size, size), y=(n, k, out, out),
        padding=(size // 2,) * 2, stride=(stride,) * 2, dilation=(1, 1), residual=names[0],
        result=names[1], word=word,
    )  # fmt: skip
    plan = to_graph(shape).build()

    def narrow(*extents: int) -> Any:
        made = rounded(torch, dtype, torch.randn(extents, device="cuda") * 40)
        made.flatten()[::7] = 0.0
        made.flatten()[1::53] = 127.0 if dtype == "int8" else 448.0
        made = made.clamp(-127, 127) if dtype == "int8" else made
        return made.float().to(kind.dtype).to(memory_format=torch.channels_last)

    given = {"x": narrow(*shape.x), "w": narrow(*shape.w)}
    given["w"][5] = 0
    x, w = given["x"].float().double(), given["w"].float().double()
    y = torch.nn.functional.conv2d(x, w, None, stride, size // 2)
    # Sums of FP8 have fewer bits than float32 on Hopper.
    slack = torch.nn.functional.conv2d(x.abs(), w.abs(), None, stride, size // 2)
    slack *= 2.0**-9 if dtype != "int8" else 0.0
    given["factors"] = torch.rand(1, k, 1, 1, device="cuda") * (60.0 / y.std())
    given["factors"][0, 7] *= 1e6  # far above the range
    given["factors"][0, 8] *= -1.0
    given["offsets"] = torch.randn(1, k, 1, 1, device="cuda") * 10
    given["offsets"][0, 5] = -3.0
    given["more"] = torch.full((1, 1, 1, 1), 0.5, device="cuda")
    slack *= given["factors"].double().abs()
    y = y * given["factors"].double() + given["offsets"].double()
    if residual:
        extents = shape.y
        given["residual"] = narrow(*extents)
        if residual == "HALF":
            given["residual"] = given["residual"].half()
        given["residual_factor"] = torch.full((1, 1, 1, 1), 0.7, device="cuda")
        y = y + given["residual"].float().double() * given["residual_factor"].double()
    if word:
        y = getattr(torch.nn.functional, word)(y)
    y = y * 0.5 if word == "gelu" else y
    kept = torch.float16 if result == "HALF" else kind.dtype
    made = torch.full(shape.y, 77.0, device="cuda").to(kept).to(memory_format=torch.channels_last)
    arguments = [each.name for each in plan.operands if each.is_argument]
    plan(*(given[name] for name in arguments[:-1]), made)
    assert arguments[-1] == "y"
    found = made.float().double()
    if result == "HALF":
        right = y.half().double()
        near = (found - right).abs() <= right.abs() * 1e-3 + 0.01 + slack
        assert bool((near | (found == right)).all())  # both may be infinite
        return
    right = rounded(torch, dtype, y)
    # Sums in another order may round to the neighbor.
    step = 1.0 if dtype == "int8" else (right.abs() / 8).clamp_min(2.0**-9)
    assert bool(((found - right).abs() <= step + slack).all())
    assert float(((found - right).abs() > slack).double().mean()) < 0.02
    if word == "relu":
        assert float(found[:, 7].max()) == kind.most


def block(torch: Any) -> Any:
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(3, CHANNELS, 3, padding=1)
            self.first = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)
            self.norm = nn.BatchNorm2d(CHANNELS)
            self.second = nn.Conv2d(CHANNELS, CHANNELS, 1)
            self.third = nn.Conv2d(CHANNELS, 64, 3, stride=2, padding=1)
            self.head = nn.Linear(64, 10)

        def forward(self, x: Any) -> Any:
            x = torch.relu(self.stem(x))
            y = torch.relu(self.norm(self.first(x)))
            y = torch.relu(self.second(y) + x)
            y = torch.relu(self.third(y))
            return self.head(y.mean((2, 3)))

    torch.manual_seed(3)
    model = Block()
    model.norm.running_var.uniform_(0.5, 1.5)
    model.norm.running_mean.normal_()
    return model.cuda().half().eval()


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Have layers of 8 bits win whatever the times."""
    from cudnn_cffi.torch.fusion.eight.narrowing import Narrower

    monkeypatch.setattr(Narrower, "_wide_time", lambda *_: 1e9)
    return lambda: None


def cosine(a: Any, b: Any) -> float:
    a, b = a.double().flatten(), b.double().flatten()
    return float((a @ b) / (a.norm() * b.norm()))


@EIGHT
@pytest.mark.usefixtures("always")
def test_a_model(torch: Any, dtype: str) -> None:
    from cudnn_cffi.torch import fuse

    model = block(torch)
    x = torch.randn(4, 3, 18, 18, device="cuda").half()
    for capture in (False, True):
        fused = fuse(model, dtype=dtype, calibration=[x, x[:2]], capture=capture, loss=1.0)
        y = fused(x).clone()
        rows = {row.name: row for row in fused.precision}
        assert [rows[name].dtype for name in ("first", "second", "third")] == [dtype] * 3
        assert [rows[name].result for name in ("first", "second", "third")] == [
            dtype, dtype, "float16",
        ]  # fmt: skip
        assert rows["stem"].dtype == "float16"
        assert cosine(y, copy.deepcopy(model).double()(x.double())) > 0.995
        assert torch.equal(fused(x), y)
        many = torch.randn(8, 3, 18, 18, device="cuda").half()  # inputs of another kind
        assert cosine(fused(many), copy.deepcopy(model).double()(many.double())) > 0.99
        with torch.no_grad():
            model.second.weight.data.mul_(-0.5)
            model.norm.running_var.mul_(0.5)
        changed = fused(x)
        assert not torch.equal(changed, y)
        assert cosine(changed, copy.deepcopy(model).double()(x.double())) > 0.99
        with torch.no_grad():
            model.second.weight[3] = 0.0
            model.second.weight.data.mul_(-2.0)
            model.norm.running_var.mul_(2.0)
        model.first.weight = torch.nn.Parameter(model.first.weight.flip(0).contiguous())
        found = cosine(fused(x), copy.deepcopy(model).double()(x.double()))
        assert found > 0.98  # ranges are those of before


@EIGHT
def test_images_in_the_order_of_their_axes(torch: Any, dtype: str) -> None:
    """Plans of 16 bits, which are timed beside those of 8, read channels last."""
    from cudnn_cffi.torch import fuse

    nn = torch.nn
    torch.manual_seed(5)
    model = nn.Sequential(nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 1)).cuda().half()
    x = torch.randn(4, 16, 18, 18, device="cuda").half()
    fused = fuse(model, dtype=dtype, calibration=[x], loss=1.0)
    right = copy.deepcopy(model).double()(x.double())
    for _ in range(2):
        assert cosine(fused(x), right) > 0.99
    assert all(row.time_wide and row.time for row in fused.precision), fused.precision


@pytest.mark.usefixtures("always")
def test_a_capture_by_the_caller(torch: Any, cudnn: Any) -> None:
    from cudnn_cffi.torch import fuse

    model = block(torch)
    x = torch.randn(4, 3, 18, 18, device="cuda").half()
    fused = fuse(model, dtype="int8", calibration=[x], loss=1.0)
    y = fused(x).clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = fused(x)
    graph.replay()
    assert torch.equal(made, y)
    other = fuse(model, dtype="int8", calibration=[x], loss=1.0)
    with (
        pytest.raises(cudnn.CudnnError, match="while the stream is"),
        torch.cuda.graph(torch.cuda.CUDAGraph()),
    ):
        other(x)


def test_fp8_needs_a_device_that_has_it(
    torch: Any, cudnn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch import fuse

    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda *_: (8, 0))
    with pytest.raises(cudnn.NotSupportedError, match=r"compute capability 8\.9 or more, got 8\.0"):
        fuse(block(torch), dtype="float8_e4m3", calibration=[torch.zeros(1, 3, 8, 8).half().cuda()])
