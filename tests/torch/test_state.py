"""State that layers keep from call to call, for their gradients too, is never stale."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from cudnn_cffi import choice, errors

from .test_recurrent import Net


@pytest.fixture
def autocast(torch: ModuleType) -> Iterator[None]:
    """Autocast for tensors on a GPU, which a build for the CPU refuses as a context."""
    torch.set_autocast_enabled("cuda", True)
    yield
    torch.set_autocast_enabled("cuda", False)


def test_gradients_to_be_differentiated_do_not_count_what_inputs_have_in_common(
    torch: ModuleType, stand_in: list[str]
) -> None:
    from cudnn_cffi.torch.functional.norm.norms import LayerNorm

    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    layer = LayerNorm((4,), 1e-5)
    functions: list[Any] = [layer]
    functions.append(lambda x, w, b: torch.nn.functional.layer_norm(x, (4,), w, b, 1e-5))
    found = []
    for function in functions:
        w = x[0, 0] * 2
        y = function(x, w, w)  # the scale and the bias are one tensor, computed from x
        (one,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
        (two,) = torch.autograd.grad(one.square().sum(), x)
        found.append((one.detach(), two))
    torch.testing.assert_close(*found)


def test_gradients_have_the_scopes_of_their_call(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch computes gradients on a GPU in threads of its own, where no scope is open."""
    from cudnn_cffi.choice.policy import open_policy
    from cudnn_cffi.torch.functional import activations
    from cudnn_cffi.torch.functional.conv import convolution

    seen: list[Any] = []
    x = torch.randn(1, 2, 4, 4, requires_grad=True)
    w = torch.randn(2, 2, 3, 3, requires_grad=True)
    layer = convolution.Convolution((1, 1), (1, 1), (1, 1), 1)
    relu: Any = activations.Activation("relu", None)
    for each in (layer, relu):
        gradients = each.gradients

        def note(*given: Any, gradients: Any = gradients) -> Any:
            seen.append(open_policy())
            return gradients(*given)

        monkeypatch.setattr(each, "gradients", note)
    with choice.scope("deterministic") as inside:
        y = relu(layer(x, w, None))
    worker = threading.Thread(target=y.sum().backward)
    worker.start()
    worker.join()
    assert seen == [inside, inside]
    assert open_policy() is None
    with choice.scope("time"):  # which is open: no step of Python opens it again
        relu(layer(x, w, None)).sum().backward(retain_graph=True)
    assert {each.forward.pick for each in seen[2:]} == {"time"}


def test_an_empty_batch_gets_no_parameters_that_pytorch_refuses(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.modules import base

    monkeypatch.setattr(base, "on_gpu", lambda x: True)
    x = torch.randn(0, 6, 16, requires_grad=True)
    y = modules.InstanceNorm1d(6)(x)
    y.sum().backward()
    assert y.shape == x.grad.shape == (0, 6, 16)


def test_autocast_is_for_tensors_on_a_gpu(torch: ModuleType, autocast: None) -> None:
    from cudnn_cffi.torch import modules

    conv, norm = modules.Conv2d(3, 4, 3), modules.LayerNorm(5).half()
    assert conv(torch.randn(1, 3, 5, 5)).dtype == torch.float32
    assert norm(torch.randn(1, 5).half()).dtype == torch.float16


def test_autocast_casts_no_gradients(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are computed in the types of the call, also where the loss is in the block."""
    from cudnn_cffi.torch.autograd import layer
    from cudnn_cffi.torch.functional.conv.convolution import Convolution

    asked: list[str] = []

    def cast(self: Any, given: Any) -> Any:
        asked.append(self.word)
        return given

    monkeypatch.setattr(layer.Layer, "cast", cast)
    x = torch.randn(1, 3, 5, 5, requires_grad=True)
    w = torch.randn(4, 3, 3, 3, requires_grad=True)
    y: Any = Convolution((0, 0), (1, 1), (1, 1), 1)(x, w, None)
    torch.set_autocast_enabled("cuda", True)
    try:
        y.square().sum().backward(create_graph=True)
        assert asked == []
        Convolution((0, 0), (1, 1), (1, 1), 1)(x, w, None)
        assert asked == ["convolution"]
    finally:
        torch.set_autocast_enabled("cuda", False)


def test_a_refusal_is_for_what_was_asked_for(torch: ModuleType) -> None:
    """It is not remembered for other devices, alignments, switches and scopes."""
    from cudnn_cffi.torch.autograd.layer import _kind

    x = torch.zeros(64)
    known = _kind((x[:32], None, 1))
    assert _kind((x[:32], None, 1)) == known
    others = [_kind((x[1:33], None, 1)), _kind((x[:32].to("meta"), None, 1))]
    with choice.scope(deterministic=True):
        others.append(_kind((x[:32], None, 1)))
    with torch.no_grad():
        others.append(_kind((x[:32], None, 1)))
    torch.backends.cudnn.deterministic = True
    try:
        others.append(_kind((x[:32], None, 1)))
    finally:
        torch.backends.cudnn.deterministic = False
    assert known not in others
    assert _kind((x[4:36], None, 1)) == known


def test_refused_gradients_of_norms_have_all_that_pytorch_has(torch: ModuleType) -> None:
    from cudnn_cffi.torch.fallback import Owner
    from cudnn_cffi.torch.functional.norm import local as local_norms
    from cudnn_cffi.torch.functional.norm import norms

    x, dy = torch.randn(6, 4), torch.randn(6, 4)
    mean = x.mean(-1, keepdim=True)
    inverse = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
    layer = norms.LayerNormBackward((4,), 1e-5, owner=Owner("a layer", None))
    for scale in (torch.rand(4), None):
        w = torch.ones(4) if scale is None else scale
        given = [each.clone().requires_grad_() for each in (x, w, torch.zeros(4))]
        y = torch.nn.functional.layer_norm(given[0], (4,), *given[1:], 1e-5)
        wanted = torch.autograd.grad(y, given, dy)
        torch.testing.assert_close(layer(dy, x, scale, mean, inverse), wanted)
    x, dy = torch.randn(3, 4, 5), torch.randn(3, 4, 5)
    rows = x.view(3, 2, -1)
    mean, inverse = rows.mean(-1), (rows.var(-1, unbiased=False) + 1e-5).rsqrt()
    other = local_norms.GroupNormBackward(2, 1e-5, owner=Owner("a layer", None))
    for scale in (torch.rand(4), None):
        w = torch.ones(4) if scale is None else scale
        given = [each.clone().requires_grad_() for each in (x, w, torch.zeros(4))]
        y = torch.nn.functional.group_norm(given[0], 2, *given[1:], 1e-5)
        wanted = torch.autograd.grad(y, given, dy)
        torch.testing.assert_close(other(dy, x, scale, mean, inverse), wanted)


def test_statistics_that_cudnn_writes_count_as_changed(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch import fuse, modules

    from . import stand_in as room

    def batch_norm(op: Any, x: Any, w: Any, b: Any, mean: Any = None, var: Any = None) -> Any:
        # As cuDNN does, without PyTorch's knowledge.
        return room.batch_norm(op, x, w, b, mean.data, var.data)

    stand_ins = dict(room.STAND_INS)
    cls = next(each for each in stand_ins if each.__name__ == "BatchNorm")
    monkeypatch.setitem(room.STAND_INS, cls, batch_norm)
    norm = modules.BatchNorm2d(3).double()
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3).double(), norm)
    fused = fuse(model.eval())
    x = torch.randn(2, 2, 6, 6, dtype=torch.float64)
    torch.testing.assert_close(fused(x), model(x))
    before = norm.running_mean.clone()
    with torch.no_grad():
        model.train()(x)
    assert not torch.equal(before, norm.running_mean)
    torch.testing.assert_close(fused(x), model.eval()(x))
    # A gradient that needs what was there before says so; PyTorch's is wrong.
    y = norm.eval()(torch.randn(2, 3, 4, 4, dtype=torch.float64, requires_grad=True))
    norm.train()(torch.randn(2, 3, 4, 4, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    # One in training, which PyTorch may keep them for, needs none.
    own = torch.nn.BatchNorm2d(3).double()
    mean, variance = own.running_mean, own.running_var
    other = modules.BatchNorm2d(3).double()
    other._buffers = own._buffers
    x = torch.randn(2, 3, 4, 4, dtype=torch.float64, requires_grad=True)
    y = own(x) * other(x * 2)
    y.sum().backward()
    assert x.grad.isfinite().all()
    assert mean.any()
    assert not torch.equal(variance, torch.ones_like(variance))


def test_options_that_cudnn_lacks_are_not_left_out(
    torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.functional import activations
    from cudnn_cffi.torch.functional.norm import norms
    from cudnn_cffi.torch.modules import attention

    x = torch.linspace(-8, 8, 50)
    own = torch.nn.Softplus(1.0, 2.0)(x)
    torch.testing.assert_close(modules.Softplus(1.0, 2.0)(x), own)
    assert stand_in == []
    modules.Softplus(1.0, 30.0)(x)
    assert stand_in == ["activation"]
    for room in (activations, norms):
        monkeypatch.setattr(room, "check_tensors", lambda **_: None)
    for dim in (2, -3):
        with pytest.raises(errors.ArgumentError, match=f"dim: expected -2 to 1, got {dim}"):
            activations.softmax(torch.randn(3, 4), dim)
    with pytest.raises(errors.ArgumentError, match="normalized_shape: expected the last axes"):
        norms.layer_norm(torch.randn(2, 8), (4,))
    with pytest.raises(errors.ArgumentError, match=r"weight, bias: expected the shape \(8,\)"):
        norms.rms_norm(torch.randn(2, 8), (8,), torch.ones(4))
    monkeypatch.setattr(attention, "is_traceable", lambda x: True)
    heads = attention.MultiheadAttention(8, 2).half()
    rows = torch.randn(3, 1, 8).half()
    with pytest.raises(RuntimeError, match="Need attn_mask"):
        heads(rows, rows, rows, need_weights=False, is_causal=True)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_what_rms_norm_adds_by_default(torch: ModuleType, stand_in: list[str], dtype: str) -> None:
    from cudnn_cffi.torch import modules

    x = torch.full((1, 8), 1e-3, dtype=getattr(torch, dtype))
    ours, theirs = (room.RMSNorm(8, elementwise_affine=False)(x) for room in (modules, torch.nn))
    torch.testing.assert_close(ours, theirs)


def test_a_choice_that_is_deleted_is_forgotten(torch: ModuleType, stand_in: list[str]) -> None:
    from cudnn_cffi.torch import modules

    relu = modules.ReLU()
    relu.choose = "deterministic"
    relu(torch.randn(3))
    assert relu._layer.choose == "deterministic"
    del relu.choose
    relu(torch.randn(3))
    assert relu._layer.choose is None


def network(torch: Any, monkeypatch: Any) -> tuple[Any, Any]:
    """A module of ours whose network is PyTorch's, with its parameters in one buffer."""
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.functional import recurrent
    from cudnn_cffi.torch.modules import recurrent as room

    nets: dict[Any, Any] = {}

    def operation(self: Any) -> Any:
        return nets.setdefault(id(self), (self, Net(torch, self, [])))[1]

    monkeypatch.setattr(recurrent.Recurrent, "operation", operation)
    monkeypatch.setattr(room, "is_plain", lambda x: True)
    net = modules.LSTM(4, 4).double()
    layer = recurrent.Recurrent("LSTM", 4, 4, 1, True, False, 0.0, False, 0, False)
    whole, places = layer.buffer(net._flat_weights)
    with torch.no_grad():
        for each, (start, count, shape) in zip(net._flat_weights, places, strict=True):
            each.data = whole[start : start + count].view(shape)
    return net, layer


def test_a_network_notices_that_its_parameters_changed_before_the_gradient(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, _ = network(torch, monkeypatch)
    y, _ = net(torch.randn(3, 2, 4, dtype=torch.float64))
    with torch.no_grad():
        net.weight_hh_l0.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_parameter_with_other_strides_at_the_same_address_is_copied(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, layer = network(torch, monkeypatch)
    weights = list(net._flat_weights)
    whole, places = layer.buffer(weights)
    assert whole.data_ptr() == weights[0].data_ptr()
    start, count, shape = places[1]
    assert shape == (16, 4)
    weights[1] = weights[1].detach().view(4, 16).t()  # the same address, other elements
    copied, _ = layer.buffer(weights)
    assert copied.data_ptr() != whole.data_ptr()
    torch.testing.assert_close(copied[start : start + count].view(shape), weights[1])


def test_fused_models_tell_numbers_of_other_types_apart(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse

    class Times(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any, factor: Any) -> Any:
            return x * factor

    fused, x = fuse(Times()), torch.arange(4)
    assert [fused(x, each).dtype for each in (2, 2.0)] == [torch.int64, torch.float32]


def test_fused_models_take_tuples_of_tensors_as_inputs(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse

    class Cell(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Conv2d(2, 2, 1)

        def forward(self, x: Any, states: Any, *, more: Any = None) -> Any:
            y = self.layer(x) * states[0] + states[1][0]
            return y if more is None else y + more["z"]

    model, shape = Cell().eval(), (1, 2, 3, 3)
    fused = fuse(model)
    with torch.no_grad():
        for _ in range(3):
            given = torch.randn(shape), (torch.randn(shape), (torch.randn(shape), 2))
            torch.testing.assert_close(fused(*given), model(*given))
    pipeline = fused._pipeline
    assert len(pipeline._parts) == 1
    assert not pipeline.why
    assert not [name for name in vars(pipeline.root) if "constant" in name]
    wanted = torch.randn(shape, requires_grad=True)
    for states in ((wanted, (wanted, 2)), [wanted, [wanted]]):
        with pytest.raises(errors.NotSupportedError, match="has no gradients"):
            fused(torch.randn(shape), states)
    with pytest.raises(errors.NotSupportedError, match="has no gradients"):
        fused(torch.randn(shape), (torch.ones(1), (torch.ones(1),)), more={"z": wanted})


def test_fused_models_notice_tensors_that_are_no_parameters(torch: ModuleType) -> None:
    from cudnn_cffi.torch import fuse

    class Scaled(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.ones(1)

        def forward(self, x: Any) -> Any:
            return x * self.scale

    model = Scaled()
    fused, x = fuse(model), torch.randn(3)
    fused(x)
    model.scale = torch.full((1,), 7.0)
    torch.testing.assert_close(fused(x), x * 7)


def test_named_arguments_of_layers_are_seen(torch: ModuleType) -> None:
    from cudnn_cffi.torch import profile
    from cudnn_cffi.torch.model.survey import operation_of, survey

    class Net(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.down = torch.nn.Conv2d(2, 2, 3, stride=2)
            self.up = torch.nn.ConvTranspose2d(2, 2, 3, stride=2)

        def forward(self, x: Any) -> Any:
            return self.up(self.down(input=x), output_size=x.shape[2:])

    model, x = Net(), torch.randn(1, 2, 8, 8)
    assert model(x).shape == x.shape
    down, up = survey(model, (x,))
    assert down.is_convolution
    assert down.is_first
    assert operation_of(up).options["output_padding"] == (1, 1)
    found = profile(model, x, gradients=True)
    assert [each.section for each in found] == ["forward", "gradient"] * 2
    assert all(each.time for each in found), found


@pytest.mark.parametrize("name", ["ReLU", "Softmax"])
def test_replicas_for_several_devices_share_layers(
    torch: ModuleType, stand_in: list[str], name: str
) -> None:
    """`DataParallel` makes them anew for each call."""
    from cudnn_cffi.torch import modules

    module = getattr(modules, name)(*([1] if name == "Softmax" else []))
    found = []
    for _ in range(2):
        replica = module._replicate_for_data_parallel()
        replica(torch.randn(2, 3))
        found.append(replica._layer)
    assert found[0] is found[1] is module._layer
    module.choose = "deterministic"
    assert module._replicate_for_data_parallel()._layer is None


def test_what_one_process_cannot_share_is_an_error_in_all(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi import library
    from cudnn_cffi.torch import share_choices

    def fail() -> Any:
        raise errors.LibraryNotFoundError("no libcudnn was found")

    ranks, sent = [0], [None]

    def broadcast(message: list[Any], src: int, group: Any) -> None:
        if ranks[0] == src:
            sent[:] = message
        else:
            message[:] = sent

    monkeypatch.setattr(library, "load", fail)
    distributed = torch.distributed
    monkeypatch.setattr(distributed, "broadcast_object_list", broadcast)
    monkeypatch.setattr(distributed, "get_rank", lambda: ranks[0])
    with pytest.raises(errors.LibraryNotFoundError):
        share_choices()
    ranks[0] = 1
    with pytest.raises(errors.CudnnError, match=r"process 0 has no choices .* no libcudnn"):
        share_choices()


def test_what_torchscript_traces_is_computed_for_other_inputs_too(
    torch: ModuleType, operators: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work without PyTorch's knowledge would be a constant of the graph."""
    from cudnn_cffi.torch import modules
    from cudnn_cffi.torch.functional import activations

    def operation(_: Any) -> Any:
        return lambda x: torch.from_numpy(x.detach().numpy().clip(0))

    monkeypatch.setattr(activations.Activation, "operation", operation)
    traced = torch.jit.trace(modules.ReLU(), torch.randn(3, 4))
    x = torch.randn(3, 4)
    torch.testing.assert_close(traced(x), x.relu())


def test_forward_derivatives_of_batch_norm_in_training(
    torch: ModuleType, operators: list[str]
) -> None:
    from cudnn_cffi.torch import functional

    x, tangent = torch.randn(4, 3, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
    found = []
    for room in (functional, torch.nn.functional):
        mean, variance = torch.zeros(3).double(), torch.ones(3).double()

        def normalize(x: Any, mean: Any = mean, variance: Any = variance, room: Any = room) -> Any:
            return room.batch_norm(x, mean, variance, training=True)

        with torch.autograd.forward_ad.dual_level():
            y = normalize(torch.autograd.forward_ad.make_dual(x, tangent))
            found.append((*torch.autograd.forward_ad.unpack_dual(y), mean, variance))
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", ["BatchNorm2d", "InstanceNorm2d"])
def test_norms_read_statistics_that_are_plain_attributes(
    torch: ModuleType, stand_in: list[str], name: str, training: bool
) -> None:
    from cudnn_cffi.torch import convert

    norm = getattr(torch.nn, name)(3, affine=True, track_running_stats=True).double()
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2.0)
    for each in ("running_mean", "running_var", "num_batches_tracked"):
        value = getattr(norm, each)
        delattr(norm, each)
        setattr(norm, each, value)
    norm.train(training)
    other = copy.deepcopy(norm)
    convert(other, everything=True)
    x = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    for _ in range(2):
        torch.testing.assert_close(other(x), norm(x))
    for each in ("running_mean", "running_var", "num_batches_tracked"):
        torch.testing.assert_close(getattr(other, each), getattr(norm, each))


@pytest.mark.parametrize("name", ["BatchNorm2d", "InstanceNorm2d", "GroupNorm", "LayerNorm"])
def test_norms_with_a_bias_alone(torch: ModuleType, stand_in: list[str], name: str) -> None:
    from cudnn_cffi.torch import convert

    makes: dict[str, Any] = {
        "GroupNorm": lambda: torch.nn.GroupNorm(2, 4),
        "LayerNorm": lambda: torch.nn.LayerNorm((5,)),
    }
    make = makes.get(name, lambda: getattr(torch.nn, name)(4, affine=True))
    norm = make().double()
    torch.nn.init.normal_(norm.bias)
    norm.weight = None
    other = copy.deepcopy(norm)
    convert(other, everything=True)
    x = torch.randn(2, 4, 3, 5, dtype=torch.float64)
    torch.testing.assert_close(other(x), norm(x))
