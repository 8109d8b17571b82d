"""convert changes modules in place, keeps all that belongs to them, and tells what it did."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cudnn_cffi import errors

from .cases import MODULES, Case, name_of


def network(torch: Any) -> Any:
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.Sequential(nn.MaxPool2d(2), nn.ModuleList([nn.Identity()])[0], nn.Dropout(0.5)),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4), nn.LogSoftmax(1),
    )  # fmt: skip


def test_both_ways(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert, modules

    model = network(torch)
    before = [(id(each), type(each)) for each in model.modules()]
    parameters = [id(each) for each in model.parameters()]
    seen: list[str] = []
    model[0].register_forward_hook(lambda *_: seen.append("forward"))
    model[0].register_full_backward_hook(lambda *_: seen.append("backward"))
    model[1].eval()
    x = torch.randn(2, 3, 6, 6)
    torch.manual_seed(0)
    wanted = model(x)
    report = convert(model, everything=True, exclude="3.2")
    assert [each.name for each in report.changed] == ["0", "1", "2", "3.0", "7"]
    assert "<tr><td>0</td><td>Conv2d</td><td>yes</td>" in report._repr_html_()
    assert f"<p>5 of {len(report)} modules changed</p>" in report._repr_html_()
    assert [type(model[place]) for place in (0, 1, 2)] == [
        modules.Conv2d, modules.BatchNorm2d, modules.ReLU,
    ]  # fmt: skip
    assert isinstance(model[0], torch.nn.Conv2d)
    assert not model[1].training
    assert model[0].training
    assert [id(each) for each in model.modules()] == [each for each, _ in before]
    assert [id(each) for each in model.parameters()] == parameters
    torch.manual_seed(0)
    y = model(x)
    assert torch.equal(y, wanted)
    y.sum().backward()
    assert seen == ["forward", "forward", "backward"]
    back = convert(model, back=True)
    assert [each.name for each in back] == ["0", "1", "2", "3.0", "7"]
    assert [(id(each), type(each)) for each in model.modules()] == before
    torch.manual_seed(0)
    assert torch.equal(model(x), wanted)


def test_a_choice_that_is_none_changes_nothing(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert

    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3))
    for _ in range(2):
        with pytest.raises(errors.ArgumentError, match=r"did you mean time\?"):
            convert(model, choose="tiem")
        assert type(model[0]) is torch.nn.Conv2d


def test_the_report_says_why(torch: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    from cudnn_cffi.torch import convert

    class Padded(torch.nn.Conv2d):  # type: ignore[misc, name-defined]
        pass

    nn = torch.nn
    model = nn.ModuleDict(
        {
            "linear": nn.Linear(2, 2),
            "dropout": nn.Dropout(0.5),
            "tanh": nn.Tanh(),
            "own": Padded(1, 1, 1),
            "lazy": nn.LazyConv2d(3, 3),
            "even": nn.LocalResponseNorm(4),
            "indices": nn.MaxPool2d(2, return_indices=True),
            "running": nn.InstanceNorm2d(3, track_running_stats=True),
            "every": nn.BatchNorm2d(3, momentum=None),
            "left": nn.Conv2d(1, 1, 1),
            "script": torch.jit.script(nn.Tanh()),
        }
    )
    report = convert(model, exclude="left", verbose=True)
    why = {each.name: (each.changed, each.why) for each in report}
    assert why["linear"] == (False, "cuDNN has nothing for it")
    assert why["dropout"][0] is False
    assert "everything=True" in why["dropout"][1]
    assert why["tanh"][1].startswith("PyTorch's kernel is as fast")
    assert why["own"] == (False, "it derives from Conv2d, and may compute something else")
    assert why["lazy"] == (False, "it has no parameters yet: convert after the first call")
    assert why["even"] == (True, "PyTorch computes windows of an even size")
    assert why["indices"] == (True, "PyTorch computes maxima with their places")
    assert why["running"] == (True, "PyTorch computes running statistics")
    assert why["every"] == (True, "PyTorch computes averages over all batches")
    assert why["left"] == (False, "excluded")
    assert why["script"] == (False, "TorchScript has compiled it")
    printed = capsys.readouterr().out
    assert "it derives from Conv2d" in printed
    assert "4 of 11 modules changed" in printed
    again = convert(model, exclude="left", everything=True)
    assert [each.name for each in again.changed] == ["dropout", "tanh"]


def test_what_is_excluded(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert, modules

    for exclude, count in (
        ("0", 5), (["0", "3.*"], 3), (torch.nn.Conv2d, 5), ((torch.nn.ReLU, "0"), 4),
        (lambda name, module: name.startswith("3"), 4), ("*", 0),
    ):  # fmt: skip
        model = network(torch)
        assert len(convert(model, exclude, everything=True).changed) == count, exclude
        assert sum(isinstance(each, modules.Cudnn) for each in model.modules()) == count
    model = network(torch)
    assert len(convert(model, model[0], everything=True).changed) == 5
    with pytest.raises(errors.ArgumentError, match="exclude: expected a name"):
        convert(model, exclude=[3])
    for wrong, words in (("3.22", "no module '3.22'"), (torch.nn.ReLU(), "got another ReLU")):
        with pytest.raises(errors.ArgumentError, match=words):
            convert(model, exclude=wrong)


def test_a_module_with_two_names_is_excluded_by_each(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert

    for name in ("0", "1"):
        conv = torch.nn.Conv2d(3, 3, 1)
        model = torch.nn.Sequential(conv, conv)
        assert not convert(model, exclude=name).changed
        assert type(conv) is torch.nn.Conv2d
    with pytest.raises(errors.ArgumentError, match="model: expected a module, got int"):
        convert(3)
    for name in ("back", "everything"):
        with pytest.raises(errors.ArgumentError, match=f"^{name}: expected True or False"):
            convert(model, **{name: "no"})


def test_a_module_alone_and_shared_ones(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert, modules

    conv = torch.nn.Conv2d(1, 1, 1)
    assert repr(convert(conv)).splitlines()[1].startswith("(the model)")
    assert type(conv) is modules.Conv2d
    one = torch.nn.Tanh()
    model = torch.nn.Sequential(one, torch.nn.Sequential(one))
    convert(model, everything=True)
    assert model[0] is model[1][0] is one
    assert type(one) is modules.Tanh


def test_parametrizations_and_weight_norm(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert, modules
    from torch.nn.utils import parametrizations, parametrize, weight_norm

    x = torch.randn(2, 3, 6, 6)
    for wrap in (parametrizations.weight_norm, parametrizations.spectral_norm, weight_norm):
        conv = wrap(torch.nn.Conv2d(3, 4, 3)).eval()
        wanted = conv(x)
        convert(conv)
        assert isinstance(conv, modules.Conv2d)
        assert torch.equal(conv(x), wanted)
        conv(x).sum().backward()
        convert(conv, back=True)
        assert not isinstance(conv, modules.Conv2d)
        assert torch.equal(conv(x), wanted)
    conv = parametrizations.weight_norm(torch.nn.Conv2d(3, 4, 3))
    convert(conv)
    parametrize.remove_parametrizations(conv, "weight")
    assert type(conv) is modules.Conv2d


def test_choices(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert, modules

    model = network(torch)
    convert(model, choose="deterministic")
    assert model[0].choose == "deterministic"
    assert "choose='deterministic'" in repr(model[0])
    model[0].set_mode("time", "none", None)
    assert model[0].choose.forward.pick == "time"
    assert model[0].choose.data.pick == "none"
    assert model[0].reset_mode().choose is None
    with pytest.raises(errors.ArgumentError):
        model[0].choose = "nonsense"
    convert(model, back=True)
    assert not hasattr(model[1], "choose")
    assert modules.benchmark is False
    try:
        modules.benchmark = True
        import cudnn_cffi

        assert cudnn_cffi.benchmark is True
        assert modules.benchmark is True
    finally:
        modules.benchmark = False
    assert modules.fastest is False
    assert modules.verbose is False


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_modules_are_those_of_pytorch(torch: ModuleType, case: Case) -> None:
    """On the CPU they compute what PyTorch's do; they are copied, pickled, printed and loaded."""
    from cudnn_cffi.torch import modules

    torch.manual_seed(0)
    theirs = getattr(torch.nn, case.name)(*case.arguments, **case.options)
    torch.manual_seed(0)
    ours = getattr(modules, case.name)(*case.arguments, **case.options)
    assert isinstance(ours, type(theirs))
    assert repr(ours) == f"cudnn.{theirs!r}"
    assert ours.state_dict().keys() == theirs.state_dict().keys()
    for name, each in theirs.state_dict().items():  # the same numbers from the same seed
        assert torch.equal(ours.state_dict()[name], each)
    x = torch.randn(case.shape)
    for training in (True, False):
        wanted = theirs.train(training)(x)
        assert torch.equal(ours.train(training)(x), wanted)
    for copied in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert type(copied) is type(ours)
        assert torch.equal(copied(x), wanted)
    theirs.load_state_dict(ours.state_dict())
    meta = copy.deepcopy(ours).to("meta")
    assert meta(torch.empty(case.shape, device="meta")).shape == wanted.shape


def test_options_may_change(torch: ModuleType, stand_in: list[str]) -> None:
    """A module computes by its attributes as they are, also after calls."""
    from cudnn_cffi.torch import modules

    conv, x = modules.Conv2d(2, 2, 3, bias=False), torch.randn(1, 2, 8, 8)
    assert conv(x).shape == (1, 2, 6, 6)
    conv.stride, conv.padding, conv.dilation = (2, 2), (2, 2), (2, 2)
    wanted = torch.nn.functional.conv2d(x, conv.weight, None, 2, 2, 2)
    torch.testing.assert_close(conv(x), wanted)
    assert stand_in


@pytest.mark.parametrize("last", [True, False])
def test_what_is_split_and_shuffled_keeps_pytorchs_layout(
    torch: ModuleType, stand_in: list[str], last: bool
) -> None:
    """As in ShuffleNet, where only the strides of filters tell the layout after a shuffle."""
    from cudnn_cffi.torch import convert

    nn: Any = torch.nn

    class Unit(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.branch = nn.Sequential(
                nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
                nn.Conv2d(4, 4, 3, padding=1, groups=4, bias=False), nn.BatchNorm2d(4),
                nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
            )  # fmt: skip

        def forward(self, x: Any) -> Any:
            kept, other = x.chunk(2, dim=1)
            y = torch.cat((kept, self.branch(other)), 1)
            y = y.view(len(y), 2, 4, *y.shape[2:]).transpose(1, 2).contiguous()
            return y.view(len(y), 8, *y.shape[3:])

    theirs = nn.Sequential(Unit(), Unit(), nn.MaxPool2d(2)).eval()
    ours = copy.deepcopy(theirs)
    convert(ours)
    layouts: list[list[Any]] = [[], []]
    for model, found in zip((ours, theirs), layouts, strict=True):
        model.to(memory_format=torch.channels_last if last else torch.contiguous_format)
        for name, module in model.named_modules():
            if not list(module.children()):
                module.register_forward_hook(
                    lambda _, __, y, name=name, found=found: found.append((name, y.stride()))
                )
    x = torch.randn(2, 8, 6, 6)
    x = x.to(memory_format=torch.channels_last) if last else x
    with torch.no_grad():
        torch.testing.assert_close(ours(x), theirs(x))
    assert stand_in.count("convolution") == 6, stand_in
    assert layouts[0] == layouts[1]


def test_whole_networks_of_torchvision(torch: ModuleType) -> None:
    models = pytest.importorskip("torchvision.models")
    from cudnn_cffi.torch import convert

    for name in ("resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5"):
        model = getattr(models, name)(weights=None).eval()
        x = torch.randn(1, 3, 64, 64)
        with torch.no_grad():
            wanted = model(x)
            report = convert(model)
            assert len(report.changed) > 20
            assert len(convert(model, everything=True).changed) > 8
            assert torch.equal(model(x), wanted)
            assert torch.equal(copy.deepcopy(model)(x), wanted)


def test_verbose_modules_say_what_pytorch_computes(
    torch: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    from cudnn_cffi import errors
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.fallback import Owner
    from cudnn_cffi.torch.functional.activations import Activation

    layer = Activation("relu", None, owner=Owner("a layer", None))
    refusal = errors.NotSupportedError("no engine takes it")
    with caplog.at_level("INFO", logger="cudnn_cffi.torch"):
        layer.note((torch.zeros(2, 3),), refusal)
        assert caplog.messages == []
        modules.verbose = True
        try:
            layer.note((torch.zeros(2, 3),), refusal)
            saved, grads = (torch.zeros(3),), (torch.ones(3),)
            layer.backward_instead(refusal, saved, (True,), grads)
        finally:
            modules.verbose = False
    assert caplog.messages == [
        "activation(torch.float32 (2, 3)) is computed by PyTorch: no engine takes it",
        "the gradient of activation is computed by PyTorch: no engine takes it",
    ]


def test_the_example_of_the_page_for_cudnn_torch(
    torch: ModuleType, stand_in: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """As it is printed, on the CPU."""
    import cudnn_cffi as cudnn

    text = (Path(__file__).parents[2] / "docs/porting/others.md").read_text(encoding="utf-8")
    section = text.partition("## From cudnn.torch\n")[2]
    code = section.partition("```python\n")[2].partition("```")[0]
    space: dict[str, Any] = {}
    try:
        exec(code.replace(".cuda()", "").replace('"cuda"', '"cpu"'), space)
    finally:
        cudnn.benchmark = False
    printed = capsys.readouterr().out
    assert [printed.count(f"cudnn.{kind}(") for kind in ("Conv2d", "ReLU", "MaxPool2d")] == [1] * 3
    kinds = [type(each).__module__.partition(".")[0] for each in space["net"]]
    assert kinds == ["torch"] * 3  # the last line has PyTorch's layers back
    assert space["y"].shape == (1, 16, 6, 6)
    assert space["conv"].choose is None


def test_words_of_cudnn_torch(torch: ModuleType) -> None:
    import cudnn_cffi as cudnn
    from cudnn_cffi.torch import convert, modules

    conv: Any = modules.Conv2d(3, 4, 3)
    picks = [rule.pick for rule in conv.set_mode(1, 1, 1).choose]
    assert picks == ["IMPLICIT_PRECOMP_GEMM", "ALGO_1", "ALGO_1", None]
    rnn: Any = modules.LSTM(3, 4)
    for given, names in ((("PERSIST_STATIC",), {}), ((), {"recurrent": 1})):
        assert rnn.set_mode(*given, **names) is rnn
        assert [rule.pick for rule in rnn.choose] == [None, None, None, "PERSIST_STATIC"]
    with pytest.raises(errors.ArgumentError, match="one algorithm") as caught:
        rnn.set_mode(1, 1, 1)
    assert "recurrent=" in caught.value.hint
    assert rnn.reset_mode().choose is None
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.MaxPool2d(2))
    for room in (cudnn, modules, torch.nn):
        with pytest.raises(errors.ArgumentError, match="exclude: expected names") as caught:
            convert(model, room)
        assert "back=True" in caught.value.hint
    assert len(convert(model, lambda module: isinstance(module, torch.nn.Conv2d)).changed) == 1
    assert type(model[0]) is torch.nn.Conv2d
