"""Models with layers of 8 bits: which ones, their scales, and what they compute."""

from __future__ import annotations

import copy
import math
import pickle
from functools import partial
from typing import Any

import cudnn_cffi
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from cudnn_cffi.torch import fuse, package  # noqa: E402
from cudnn_cffi.torch.fusion.building import Settings  # noqa: E402
from cudnn_cffi.torch.fusion.eight.asking import to_narrowing  # noqa: E402
from cudnn_cffi.torch.fusion.eight.calibration import calibrate  # noqa: E402
from cudnn_cffi.torch.fusion.eight.kinds import KINDS, to_kind  # noqa: E402
from cudnn_cffi.torch.fusion.fused import _parts_of  # noqa: E402
from cudnn_cffi.torch.fusion.pipeline import Pipeline  # noqa: E402
from cudnn_cffi.torch.fusion.trace.shadow import to_shadow  # noqa: E402
from torch import nn  # noqa: E402

from . import eight  # noqa: E402
from .emulated import difference, settle  # noqa: E402

EIGHT = pytest.mark.parametrize("dtype", list(KINDS))


class Block(nn.Module):  # type: ignore[misc]
    """A residual block, whose first layers read a value of 16 channels."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.first = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32))
        self.other = nn.Sequential(nn.Conv2d(16, 32, 1, bias=False), nn.BatchNorm2d(32))
        self.second = nn.Conv2d(32, 32, 3, padding=1, stride=2)
        self.head = nn.Linear(32, 10)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.stem(x))
        y = torch.relu(self.first(x) + self.other(x))
        y = torch.relu(self.second(y))
        return self.head(y.mean((2, 3)))


def model_and_input() -> tuple[nn.Module, Any]:
    model = settle(Block()).float().requires_grad_(False)
    return model, torch.randn(4, 3, 12, 12)


@EIGHT
def test_values_between_layers_have_eight_bits(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    eight.emulate(monkeypatch)
    model, x = model_and_input()
    program, narrower = eight.prepared(model, x, dtype)
    right = copy.deepcopy(model).double()(x.double())
    assert difference(program.run([x]).double(), right) < 0.1
    rows = {row.name: row for row in narrower.rows}
    assert rows["stem"].dtype == "float32"
    assert "no multiples of 16" in rows["stem"].why
    assert [rows[each].dtype for each in ("first.0", "other.0", "second")] == [dtype] * 3
    # One of both is the residual of the other one.
    assert [rows[each].result for each in ("first.0", "other.0", "second")] == [
        dtype, dtype, "float32",
    ]  # fmt: skip
    for each in ("first.0", "other.0", "second"):
        assert 0 < rows[each].error < 0.1
        assert rows[each].cosine > 0.99


@EIGHT
def test_layers_that_do_not_win_stay(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The slow one reads values of 8 bits, so those before it write others then.
    eight.emulate(monkeypatch, lambda shape: 11.0 if shape.stride == (2, 2) else 1.0)
    model, x = model_and_input()
    program, narrower = eight.prepared(model, x, dtype)
    rows = {row.name: row for row in narrower.rows}
    assert rows["second"].dtype == "float32"
    assert rows["second"].time == 11.0
    results = [rows[each].result for each in ("first.0", "other.0")]
    assert sorted(results) == sorted([dtype, "float32"])
    assert difference(program.run([x]).double(), copy.deepcopy(model).double()(x.double())) < 0.1


@EIGHT
def test_images_in_the_order_of_their_axes(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans without 8 bits, which are timed, read channels last as those with 8 bits do."""
    eight.emulate(monkeypatch)
    model = settle(nn.Sequential(nn.Conv2d(16, 32, 3), nn.ReLU())).float().requires_grad_(False)
    x = torch.randn(4, 16, 12, 12)
    program, narrower = eight.prepared(model, x, dtype)
    assert [row.dtype for row in narrower.rows] == [dtype]
    assert difference(program.run([x]).double(), copy.deepcopy(model).double()(x.double())) < 0.1


@EIGHT
def test_layers_without_an_engine_stay(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    eight.emulate(monkeypatch, lambda _: "no engine")
    model, x = model_and_input()
    program, narrower = eight.prepared(model, x, dtype)
    assert {row.dtype for row in narrower.rows} == {"float32"}
    assert "no engine" in {row.why for row in narrower.rows}
    torch.testing.assert_close(program.run([x]), model(x), rtol=1e-4, atol=1e-4)


@EIGHT
def test_layers_that_lose_much_stay(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    eight.emulate(monkeypatch)
    model, x = model_and_input()
    _, narrower = eight.prepared(model, x, dtype, loss=1e-6)
    whys = [row.why for row in narrower.rows if row.name != "stem"]
    assert whys
    assert all("above 1e-06" in why for why in whys)


def test_other_data_types_are_decided_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    eight.emulate(monkeypatch)
    model, x = model_and_input()
    model.head = nn.Identity()
    given = to_narrowing(model, "int8", [x], 1.0, partial(_parts_of, model, []))
    pipeline = Pipeline(to_shadow(model), Settings(narrow=given))
    wide = eight.program_of(pipeline, x).run([x])
    with torch.autocast("cpu", torch.bfloat16):
        program = eight.program_of(pipeline, x)
        found = program.run([x])
    assert (wide.dtype, found.dtype) == (torch.float32, torch.bfloat16)
    assert difference(found.float(), wide) < 0.1
    assert torch.equal(eight.program_of(pipeline, x).run([x]), wide)


@EIGHT
def test_weights_are_read_anew_in_each_call(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    eight.emulate(monkeypatch)
    model, x = model_and_input()
    program, _ = eight.prepared(model, x, dtype)
    before = program.run([x]).clone()
    with torch.no_grad():
        model.second.weight.data.mul_(-0.5)  # a version counter does not see it
        model.first[1].running_var.mul_(4.0)
    after = program.run([x])
    assert difference(after, before) > 0.1
    assert difference(after.double(), copy.deepcopy(model).double()(x.double())) < 0.1


@EIGHT
@pytest.mark.parametrize("word", ["gelu", "relu", None])
def test_linear_layers(dtype: str, word: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Rows(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.LayerNorm(32)
            self.first, self.second = nn.Linear(32, 64), nn.Linear(64, 32)

        def forward(self, x: Any) -> Any:
            y = self.first(self.norm(x))
            y = y if word is None else getattr(nn.functional, word)(y)
            return x + self.second(y)

    eight.emulate(monkeypatch)
    torch.manual_seed(0)
    model, x = Rows().half().eval(), torch.randn(3, 7, 32).half()
    from cudnn_cffi.torch.fusion import pipeline

    monkeypatch.setattr(pipeline, "has_composites", lambda _: True)
    program, narrower = eight.prepared(model, x, dtype)
    rows = {row.name: row for row in narrower.rows}
    assert [rows[each].result for each in ("first", "second")] == [dtype, "float16"]
    right = copy.deepcopy(model).double()(x.double())
    assert difference(program.run([x]).double(), right) < 0.05


def test_extreme_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values beyond the range are clipped, and channels of zeros stay zeros."""
    eight.emulate(monkeypatch)
    model, x = model_and_input()
    with torch.no_grad():
        model.second.weight[3] = 0.0
        model.second.bias.zero_()
        model.first[0].weight[:, 2] = 1e4
    program, _ = eight.prepared(model, x, "int8")
    found = program.run([x * 1e3])
    assert torch.isfinite(found).all()


@EIGHT
def test_ranges_by_calibration(dtype: str) -> None:
    kind = KINDS[dtype]
    model = nn.Sequential(nn.Conv2d(16, 16, 1, bias=False)).eval()
    nn.init.dirac_(model[0].weight)
    x = torch.zeros(2, 16, 4, 4)
    x[0, 0, 0, 0] = -3.0
    found = calibrate(partial(_parts_of, model, []), [x, x / 2], kind)["0"]
    assert found.x == found.y == 3.0 if dtype != "int8" else found.x <= 3.0
    assert found.error < 0.07
    many = torch.randn(2, 16, 32, 32)
    many[0, 0, 0, 0] = 20.0  # one of 32768
    found = calibrate(partial(_parts_of, model, []), [many], kind)["0"]
    assert found.x == 20.0 if dtype != "int8" else found.x < 20.0


@EIGHT
def test_rounding(dtype: str) -> None:
    kind = KINDS[dtype]
    given = torch.tensor([0.0, -0.0, 1.0, 0.5, 1.5, -2.5, 1e6, -1e6, math.inf, -math.inf])
    most = kind.most
    right = {
        "int8": [0, 0, 1, 0, 2, -2, most, -most, most, -most],
        "float8_e4m3": [0, 0, 1, 0.5, 1.5, -2.5, most, -most, most, -most],
    }
    assert kind.round(given, 1.0).tolist() == right[dtype]
    assert not kind.round(given[2:], 0.0).any()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"dtype": "float8"}, "dtype: expected 'float8_e4m3', 'int8' or None, got 'float8'"),
        ({"dtype": torch.float16}, "dtype: expected"),
        ({"dtype": 8}, "dtype: expected"),
        ({"dtype": "int8"}, "expected one batch or more"),
        ({"dtype": "int8", "calibration": torch.zeros(2, 3)}, "expected several batches"),
        ({"dtype": "int8", "calibration": [3]}, "expected tensors, or tuples or mappings"),
        (
            {"calibration": [torch.zeros(1, 3, 8, 8)]},
            'dtype: expected "int8" or another of 8 bits for a calibration, got None',
        ),
        ({"dtype": "int8", "calibration": [torch.zeros(1, 3, 8, 8)], "loss": 0}, "loss: expected"),
        (
            {"dtype": "int8", "calibration": [torch.full((1, 3, 8, 8), math.nan)]},
            "computes with NaN or infinity",
        ),
    ],
)
def test_arguments_are_checked(given: dict[str, Any], text: str) -> None:
    with pytest.raises(cudnn_cffi.ArgumentError, match=text):
        fuse(model_and_input()[0], **given)


def test_a_model_that_cannot_be_traced_is_refused() -> None:
    class Decides(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(16, 16, 1)

        def forward(self, x: Any) -> Any:
            return self.conv(x) if x.sum() > 0 else x

    with pytest.raises(cudnn_cffi.NotSupportedError, match="has to be traced"):
        fuse(Decides(), dtype="int8", calibration=[torch.ones(1, 16, 4, 4)])


def test_a_fused_model_keeps_what_was_calibrated() -> None:
    model, x = model_and_input()
    fused = fuse(model, dtype=torch.int8, calibration=[x])
    assert to_kind("int8") is fused.settings.narrow.kind
    made = pickle.loads(pickle.dumps(fused))
    assert made.settings.narrow == fused.settings.narrow
    torch.testing.assert_close(made(x), model(x))  # on the CPU there are no plans
    assert not len(fused.precision)
    with pytest.raises(cudnn_cffi.NotSupportedError, match="cannot be packaged"):
        package(fused, x, "unused.cudnn")


class Twice(nn.Module):  # type: ignore[misc]
    """Calls a layer twice, the second time on numbers that lose more."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv2d(16, 16, 1)

    def forward(self, x: Any) -> Any:
        return self.layer(x) + self.layer(x * 0.01)


def test_a_layer_that_is_called_twice_has_the_loss_of_its_worst_call() -> None:
    model, x = settle(Twice()).float(), torch.randn(2, 16, 4, 4)
    layers = [
        fuse(each, dtype="int8", calibration=[x]).settings.narrow.layers
        for each in (model, nn.Sequential(model.layer))
    ]
    assert layers[0]["layer"].error >= layers[1]["0"].error > 0
