"""Choices that name how to compute are kept or raise; what else PyTorch computes is told."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import choice, errors

WHY = "no engine takes these strides"


@pytest.fixture(autouse=True)
def default() -> Iterator[None]:
    """The choices of the process, and what it does where PyTorch would compute, as they were."""
    from cudnn_cffi.torch import modules

    before = choice.set_default()
    yield
    choice.set_default(before)
    modules.fallback = "warn"


@pytest.fixture
def gpu(torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of the CPU pass for tensors on a GPU, where cuDNN refuses all that it is asked."""
    from cudnn_cffi.torch.autograd import layer
    from cudnn_cffi.torch.modules import base

    def refuse(*_: Any, **__: Any) -> Any:
        raise errors.NotSupportedError(WHY)

    monkeypatch.setattr(layer, "is_elsewhere", lambda x: False)
    monkeypatch.setattr(base, "on_gpu", lambda x: True)
    for name in ("operation", "plain"):
        monkeypatch.setattr(layer.Layer, name, refuse)


def called(module: Any, *given: Any) -> tuple[Any, list[str]]:
    """Call, and return the result and the texts of the warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        y = module(*given)
    assert all(each.category is RuntimeWarning for each in found)
    return y, [str(each.message) for each in found]


def trained(module: Any, x: Any) -> Any:
    x = x.clone().requires_grad_()
    y = module(x)
    y.square().sum().backward()
    return y, x.grad


FREE: list[Any] = [
    None, "heuristic", "heuristic_once", "time", "time_once", {"tf32": False},
    {"workspace_limit": 100}, {"exclude": 3}, {"pick": "time", "most": 2},
]  # fmt: skip


@pytest.mark.parametrize("choose", FREE, ids=str)
def test_what_leaves_it_open_falls_back_with_one_warning(
    torch: ModuleType, gpu: None, choose: Any
) -> None:
    from cudnn_cffi.torch import modules

    conv = modules.Conv2d(3, 4, 3)
    conv.choose = choose
    theirs = torch.nn.Conv2d(3, 4, 3)
    theirs.load_state_dict(conv.state_dict())
    said = []
    for size in (8, 9, 8):
        x = torch.randn(2, 3, size, size)
        found, texts = called(trained, conv, x)
        torch.testing.assert_close(found, trained(theirs, x))
        said += texts
    assert len(said) == 1, said
    assert said[0].startswith("Conv2d ")
    assert WHY in said[0]
    assert "fallback=" in said[0]
    assert set(conv.refused.values()) == {WHY}
    conv.choose = choose  # is a new beginning
    assert len(called(conv, x)[1]) == 1


FORCED: list[tuple[Any, str]] = [
    ({"engine": 7}, "engine 7"),
    ({"engine": 7, "knobs": {"TILE_SIZE": 3}}, "engine 7 (TILE_SIZE=3)"),
    ("WINOGRAD", "WINOGRAD"),
    ("fft_tiling", "fft_tiling"),
    ("none", "none"),
    ({"via": "classic"}, "via=classic"),
    ({"pick": "time", "via": "graph"}, "via=graph"),
    ("deterministic", "deterministic"),
    ({"deterministic": True}, "deterministic"),
    ({"pick": "time", "deterministic": True}, "deterministic"),
]


def check_error(error: errors.CudnnError, name: str, said: str) -> None:
    text = str(error)
    assert error.message.startswith(f"{name}: the choice {said!r}"), text
    assert WHY in error.message
    assert "PyTorch" in error.hint
    assert isinstance(error, errors.NotSupportedError)


@pytest.mark.parametrize(("choose", "said"), FORCED, ids=str)
def test_a_forced_choice_raises(torch: ModuleType, gpu: None, choose: Any, said: str) -> None:
    """By module, model, scope and process, each time."""
    from cudnn_cffi.torch import convert, modules

    x = torch.randn(2, 3, 8, 8)
    conv = modules.Conv2d(3, 4, 3)
    conv.choose = choose
    for _ in range(2):
        with pytest.raises(errors.CudnnError) as found:
            conv(x)
        check_error(found.value, "Conv2d", said)
    assert conv.refused == {}, "PyTorch has computed nothing"
    for word in ("silent", "error"):
        conv.fallback = word
        with pytest.raises(errors.CudnnError) as found:
            conv(x)
        check_error(found.value, "Conv2d", said)
    model = torch.nn.ModuleDict({"stem": torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3))})
    convert(model, choose=choose)
    with pytest.raises(errors.CudnnError) as found:
        model["stem"](x)
    check_error(found.value, "stem.0 (Conv2d)", said)
    model["stem"][0].reset_mode()
    assert len(called(model["stem"], x)[1]) == 1
    with choice.scope(choose), pytest.raises(errors.CudnnError) as found:
        model["stem"](x)
    check_error(found.value, "stem.0 (Conv2d)", said)
    called(model["stem"], x)
    choice.set_default(choose)
    with pytest.raises(errors.CudnnError) as found:
        model["stem"](x)
    check_error(found.value, "stem.0 (Conv2d)", said)


def test_settings_of_the_process_and_choices_of_a_model_force(
    torch: ModuleType, gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi import library
    from cudnn_cffi.torch import convert, modules
    from cudnn_cffi.torch.model import choosing

    x, conv = torch.randn(2, 3, 8, 8), modules.Conv2d(3, 4, 3)
    cudnn.conv_fwd_algo = "WINOGRAD"
    with pytest.raises(errors.NotSupportedError, match="WINOGRAD"):
        conv(x)
    assert len(called(modules.MaxPool2d(2), x)[1]) == 1, "pooling has no such algorithm"
    cudnn.conv_fwd_algo = None
    cudnn.deterministic = True
    with pytest.raises(errors.NotSupportedError, match="deterministic"):
        modules.MaxPool2d(2)(x)
    cudnn.deterministic = False
    called(conv, x)
    loaded = type("Library", (), {"version": 90100})
    monkeypatch.setattr(library, "load", lambda: loaded)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3))
    convert(model)
    chosen = {"0": {"filter": {"pick": "ALGO_3", "via": "classic"}, "data": {"engine": 1}}}
    choosing.Choices(chosen).apply(model)
    with pytest.raises(errors.NotSupportedError, match=r"^0 \(Conv2d\): the choice 'ALGO_3'"):
        model(x)


@pytest.mark.parametrize("section", ["forward", "data", "filter"])
def test_each_direction_is_forced_by_itself(torch: ModuleType, gpu: None, section: str) -> None:
    from cudnn_cffi.torch import modules

    for make in (modules.Conv2d, modules.ConvTranspose2d):
        conv = make(3, 4, 3)
        conv.set_mode(**{section: "fft_tiling"})
        own = section
        if make is modules.ConvTranspose2d:  # the gradient of a convolution, and the other way
            own = {"forward": "data", "data": "forward"}.get(section, section)
        x = torch.randn(2, 3, 8, 8)
        if own == "forward":
            with pytest.raises(errors.NotSupportedError, match="'fft_tiling'"):
                conv(x)
            continue
        for wanted in ("data", "filter", "none"):
            given = x.clone().requires_grad_(wanted == "data")
            conv.weight.requires_grad_(wanted == "filter")
            conv.bias.requires_grad_(False)
            if wanted == own:  # PyTorch would compute both
                with pytest.raises(errors.NotSupportedError, match="'fft_tiling'"):
                    conv(given)
                with torch.no_grad():
                    called(conv, given)
            else:
                called(conv, given)


def test_refused_gradients_are_reported(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch import convert
    from cudnn_cffi.torch.autograd import layer
    from cudnn_cffi.torch.functional.activations import Activation, ActivationBackward

    def refuse(*_: Any, **__: Any) -> Any:
        raise errors.NotSupportedError(WHY)

    model = torch.nn.Sequential(torch.nn.Tanh())
    report = convert(model, everything=True)
    x = torch.randn(2, 3, requires_grad=True)
    model(x)
    own: Activation = model[0]._layer
    for each in (own, own.parts[ActivationBackward]):
        each.owner, each.strict = model[0]._owner(), False
    monkeypatch.setattr(layer, "is_elsewhere", lambda x: False)
    monkeypatch.setattr(own.parts[ActivationBackward], "operation", refuse)
    _, texts = called(lambda: model(x).sum().backward())
    assert len(texts) == 1
    assert report.refusals() == {"0": [WHY]}
    torch.testing.assert_close(x.grad, 1 - torch.tanh(x).detach() ** 2)


def test_what_cudnn_is_not_asked_for(torch: ModuleType, gpu: None) -> None:
    """It is documented, and of no concern; but no engine may be thought to have run."""
    from cudnn_cffi.torch import modules

    x = torch.randn(2, 4, 8, 8)
    cases = [
        (modules.MaxPool2d(2, dilation=2), x),
        (modules.MaxPool2d(3, 2, ceil_mode=True), x),
        (modules.AvgPool2d(2, divisor_override=3), x),
        (modules.LocalResponseNorm(4), x),
        (modules.Softplus(threshold=3), x),
        (modules.InstanceNorm2d(4, track_running_stats=True), x),
        (modules.BatchNorm2d(4, momentum=None), x),
        (modules.BatchNorm2d(4).double(), x.double()),
        (modules.BatchNorm2d(4).half().eval(), x.half()),
        (modules.Sigmoid(), x),
    ]
    cases[-1][0].inplace = True
    for module, given in cases[:-3]:
        assert called(module, given)[1] == [], module
        module.choose = {"engine": 3}
        with pytest.raises(errors.NotSupportedError, match="engine 3"):
            module(given)
        module.choose = "deterministic"  # PyTorch has a switch of its own
        assert len(called(module, given)[1] + called(module, given)[1]) == 1, module
        module.choose = "deterministic"
        torch.use_deterministic_algorithms(True)
        try:
            assert called(module, given)[1] == []
        finally:
            torch.use_deterministic_algorithms(False)
        module.choose = "FFT"  # means nothing to it
        assert called(module, given)[1] == []
        module.fallback = "error"
        with pytest.raises(errors.NotSupportedError, match="fallback="):
            module(given)
        module(given[:0])  # nothing is computed


def test_tensors_on_the_cpu(torch: ModuleType) -> None:
    from cudnn_cffi.torch import modules

    x, conv = torch.randn(2, 3, 8, 8), modules.Conv2d(3, 4, 3)
    for choose in (None, "time", "deterministic"):
        conv.choose = choose
        assert called(trained, conv, x)[1] == []
    conv.choose = {"engine": 3}
    with pytest.raises(errors.NotSupportedError, match="the tensor is on cpu"):
        conv(x)
    assert conv(x[:0]).shape == (0, 4, 6, 6)
    assert conv.to("meta")(x.to("meta")).shape == (2, 4, 6, 6)
    pool = modules.MaxPool2d(2)
    modules.fallback = "error"
    with pytest.raises(errors.NotSupportedError, match="the tensor is on cpu"):
        pool(x)
    modules.fallback = "warn"
    assert called(pool, x)[1] == []
    rnn = modules.GRU(3, 4)
    rnn.choose = "PERSIST_STATIC"
    with pytest.raises(errors.NotSupportedError, match="PERSIST_STATIC"):
        rnn(torch.randn(2, 1, 3))


@pytest.mark.parametrize("name", ["BatchNorm2d", "BatchNormActivation2d"])
def test_gradients_of_statistics_that_pytorch_keeps(
    torch: ModuleType, gpu: None, name: str
) -> None:
    """PyTorch's batch norm keeps them for the gradient; later calls of either change them."""
    from cudnn_cffi.torch import modules

    norm, x = getattr(modules, name)(4), torch.randn(3, 4, 5, 5, requires_grad=True)
    own = torch.nn.BatchNorm2d(4)
    own._buffers = norm._buffers
    y = sum(called(each, x * factor)[0] for each in (own, norm) for factor in (1.0, 2.0))
    y.square().sum().backward()
    assert x.grad.any()
    assert norm.running_mean.any()


def test_switched_off(torch: ModuleType, gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.autograd import layer, nodes

    def off(self: Any) -> Any:
        raise nodes.DisabledError("torch.backends.cudnn.enabled is False")

    monkeypatch.setattr(layer.Layer, "operation", off)
    x, conv = torch.randn(2, 3, 8, 8), modules.Conv2d(3, 4, 3)
    assert called(conv, x)[1] == []
    assert conv.refused == {}
    conv.choose = "WINOGRAD"
    with pytest.raises(errors.NotSupportedError, match="WINOGRAD"):
        conv(x)


def test_pytorchs_own_switch_forces_nothing(torch: ModuleType, gpu: None) -> None:
    """PyTorch keeps to it itself."""
    from cudnn_cffi.torch import modules

    torch.backends.cudnn.deterministic = True
    try:
        assert len(called(modules.Conv2d(3, 4, 3), torch.randn(2, 3, 8, 8))[1]) == 1
    finally:
        torch.backends.cudnn.deterministic = False


def test_the_switch(torch: ModuleType, gpu: None) -> None:
    from cudnn_cffi.torch import convert, modules

    x = torch.randn(2, 3, 8, 8)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.MaxPool2d(2))
    report = convert(model, fallback="error")
    with pytest.raises(errors.NotSupportedError, match=r"^0 \(Conv2d\): no engine") as found:
        model(x)
    assert "fallback=" in found.value.hint
    assert report.refusals() == {}
    modules.fallback = "error"
    for each in model:
        each.fallback = "silent"  # of the module, which comes first
    assert called(model, x)[1] == []
    assert report.refusals() == {"0": [WHY], "1": [WHY]}
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert [each.fallback for each in copied] == ["silent", "silent"]
        assert called(copied, x)[1] == []
    for each in model:
        each.fallback = None
    with pytest.raises(errors.NotSupportedError, match="no engine"):
        model(x)
    modules.fallback = "warn"
    texts = called(model, x)[1]
    assert [each.split()[0] for each in texts] == ["0", "1"]
    modules.fallback = "error"  # what was refused before is no exception
    with pytest.raises(errors.NotSupportedError, match=r"^0 \(Conv2d\): no engine"):
        model(x)
    convert(model, back=True)
    kept = set(vars(torch.nn.Conv2d(3, 4, 3)))
    assert set(vars(model[0])) == kept
    for wrong in ("raise", True, None):
        with pytest.raises(errors.ArgumentError, match="fallback"):
            modules.fallback = wrong  # type: ignore[assignment]
    with pytest.raises(errors.ArgumentError, match="fallback"):
        convert(model, fallback="never")  # type: ignore[arg-type]
    assert type(model[0]) is torch.nn.Conv2d
    with pytest.raises(errors.ArgumentError, match="fallback"):
        modules.ReLU().fallback = "never"  # type: ignore[assignment]


def test_second_derivatives_and_transforms(torch: ModuleType, stand_in: list[str]) -> None:
    """PyTorch has them where cuDNN has none: of functions, too."""
    from cudnn_cffi.torch.functional.activations import Activation
    from cudnn_cffi.torch.functional.norm.batch import BatchNormInference

    x = torch.randn(2, 3, requires_grad=True)
    for choose, is_forced in ((None, False), ("deterministic", False), ({"engine": 2}, True)):
        layer: Any = Activation("tanh", None, choose=choose)
        torch.autograd.grad(layer(x).sum(), x)  # the first ones are cuDNN's
        y = layer(x).sum()
        norm: Any = BatchNormInference(1e-5, choose=choose)(x, None, None, *torch.ones(2, 3))
        calls: list[Any] = [
            lambda y=y: torch.autograd.grad(y, x, create_graph=True),
            lambda norm=norm: torch.autograd.grad(norm.sum(), x),
            lambda layer=layer: torch.func.grad(lambda x: layer(x).sum())(x.detach()),
        ]
        for call in calls:
            if is_forced:
                with pytest.raises(errors.NotSupportedError, match="engine 2"):
                    call()
            else:
                call()
    forward: Any = Activation("tanh", None, choose={"forward": {"engine": 2}})
    torch.autograd.grad(forward(x).sum(), x, create_graph=True)


def test_what_compilers_trace(torch: ModuleType) -> None:
    from cudnn_cffi.torch import modules

    x, conv = torch.randn(2, 3, 8, 8), modules.Conv2d(3, 4, 3)
    torch._dynamo.reset()
    torch.testing.assert_close(torch.compile(conv, backend="eager", fullgraph=True)(x), conv(x))
    conv.choose = {"engine": 3}
    torch._dynamo.reset()
    with pytest.raises(errors.NotSupportedError, match="engine 3"):
        torch.compile(conv, backend="eager")(x)


def test_models_are_looked_at_whatever_is_forced(torch: ModuleType) -> None:
    from cudnn_cffi.torch import convert
    from cudnn_cffi.torch.model.survey import survey

    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU())
    convert(model, choose={"engine": 3}, fallback="error")
    assert [each.name for each in survey(model, (torch.randn(1, 3, 8, 8),))] == ["0", "1"]


@pytest.mark.parametrize("padding", [0, 1])
def test_means_with_padding_get_rows(torch: ModuleType, padding: int) -> None:
    """PyTorch's gradients leave the padding out where channels are last."""
    from cudnn_cffi.torch import modules

    pool = modules.AvgPool2d(2, 2, padding, divisor_override=3)
    x = torch.randn(2, 3, 4, 6).to(memory_format=torch.channels_last)
    y = pool(x)
    assert y.is_contiguous() == bool(padding)
    torch.testing.assert_close(y, torch.nn.functional.avg_pool2d(x, 2, 2, padding, False, True, 3))
