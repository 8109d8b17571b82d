"""Recurrent modules: what is passed to the network, and where PyTorch's parameters are."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.ops.rnn.backward import RNNGradients, RNNResults

from .cases import check_operator, compiled

NAMES = {"LSTM": "ifgo", "GRU": "run", "RNN_TANH": "h"}


def check_order(*arrays: Any) -> None:
    """Refuse what the gradients of networks refuse, which no layer arranges."""
    for each in arrays:
        if each is not None and (not each.is_contiguous() or each.is_neg()):
            raise errors.ArgumentError(f"expected C order, got the strides {each.stride()}")


class Net:
    """A network by PyTorch, with the interface of `cudnn_cffi.ops.LSTM` and its like."""

    def __init__(self, torch: Any, layer: Any, seen: list[Any]) -> None:
        self.torch, self.seen = torch, seen
        self.x: Any = None
        self.cell, self.o = layer.cell, dict(layer.settings)
        name = "RNN" if self.cell.startswith("RNN") else self.cell
        more = {"proj_size": self.o["projection_size"]} if "projection_size" in self.o else {}
        self.module = getattr(torch.nn, name)(
            self.o["input_size"], self.o["hidden_size"], self.o["layers"], bias=self.o["bias"],
            bidirectional=self.o["bidirectional"], batch_first=self.o["batch_first"], **more,
        ).double()  # fmt: skip

    def weights_count(self, dtype: str, device: Any) -> int:
        return sum(each.numel() for each in self.module.parameters())

    def layout(self, weights: Any) -> list[Any]:
        """As cuDNN has it: the matrices of all layers first, then all biases."""
        found, start = [], 0
        gates = NAMES[self.cell]
        for kind in ("weight", "bias"):
            for name, each in self.module.named_parameters():
                if not name.startswith(kind):
                    continue
                level = name.split("_l")[1].split("_")[0]
                direction = "backward" if name.endswith("reverse") else "forward"
                if "_hr_" in name:
                    parts = [("projection.weight", tuple(each.shape))]
                else:
                    side = "input" if "_ih_" in name else "recurrent"
                    shape = (each.shape[0] // len(gates), *each.shape[1:])
                    parts = [(f"{gate}.{side}_{kind}", shape) for gate in gates]
                for part, shape in parts:
                    count = int(self.torch.Size(shape).numel())
                    place = f"layer{level}.{direction}.{part}"
                    found.append(SimpleNamespace(name=place, offset=start, shape=shape))
                    start += count
        assert start == weights.numel()
        return sorted(found, key=lambda each: int(each.name[5 : each.name.index(".")]))

    def compute(self, x: Any, weights: Any, hx: Any, cx: Any, lengths: Any) -> Any:
        from cudnn_cffi.torch.functional.recurrent import regions

        torch = self.torch
        parameters = {}
        names = [name for name, _ in self.module.named_parameters()]
        for name, (start, count, shape) in zip(names, regions(self.layout(weights)), strict=True):
            parameters[name] = weights[start : start + count].view(shape)
        if lengths is not None:
            sizes = torch.tensor([sum(n > t for n in lengths) for t in range(lengths[0])])
            x = torch.nn.utils.rnn.PackedSequence(x, sizes)
        states = None if hx is None else hx if cx is None else (hx, cx)
        y, states = torch.func.functional_call(self.module, parameters, (x, states))
        states = states if isinstance(states, tuple) else (states, None)
        return (y.data if lengths is not None else y.contiguous()), *states

    def __call__(
        self, x: Any, weights: Any, hx: Any = None, cx: Any = None, *, training: bool, lengths: Any
    ) -> RNNResults[Any, Any]:
        if not x.numel():
            raise errors.ArgumentError(f"x: {tuple(x.shape)} has no elements")
        self.seen.append(("forward", training, lengths))
        kept = None
        if training:
            kept = SimpleNamespace(network=self, array=self.torch.zeros(1), lengths=lengths,
                                   algorithm="STANDARD", math="FMA")  # fmt: skip
        y, hy, cy = self.compute(x, weights, hx, cx, lengths)
        return RNNResults(y, hy, cy, kept)

    def backward_data(
        self, dy: Any, y: Any, weights: Any, reserve: Any, hx: Any, cx: Any, dhy: Any, dcy: Any
    ) -> RNNGradients[Any]:
        check_order(dy, y, weights, hx, cx, dhy, dcy)
        assert not reserve.array.any(), "cuDNN has changed it"
        reserve.array += 1
        self.given = weights, hx, cx, dy, dhy, dcy, reserve.lengths
        dx, dhx, dcx, _ = self.gradients(None)
        return RNNGradients(dx, dhx, dcx, None)

    def backward_weights(self, x: Any, y: Any, reserve: Any, hx: Any) -> Any:
        check_order(x, y, hx)
        return self.gradients(x)[3]

    def gradients(self, x: Any) -> Any:
        torch = self.torch
        weights, hx, cx, dy, dhy, dcy, lengths = self.given
        x = self.x if x is None else x
        with torch.enable_grad():
            leaves = [each if each is None else each.detach().requires_grad_()
                      for each in (x, hx, cx, weights)]  # fmt: skip
            results = self.compute(leaves[0], leaves[3], leaves[1], leaves[2], lengths)
            pairs = [(r, g) for r, g in zip(results, (dy, dhy, dcy), strict=True) if g is not None]
            wanted = [each for each in leaves if each is not None]
            found = iter(torch.autograd.grad(
                [r for r, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True
            ))  # fmt: skip
        return [None if each is None else next(found) for each in leaves]


@pytest.fixture
def nets(torch: ModuleType, stand_in: list[str], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    from cudnn_cffi.torch.functional import recurrent

    seen: list[Any] = []
    made: dict[int, Any] = {}

    def operation(self: Any) -> Any:
        if id(self) not in made:
            made[id(self)] = self, Net(torch, self, seen)
        return made[id(self)][1]

    def infer(self: Any, x: Any, *given: Any) -> Any:
        return inferred(self, x, *given)

    monkeypatch.setattr(recurrent, "check_tensors", lambda **_: None)
    inferred = recurrent.Recurrent.infer
    forward = Net.__call__

    def call(self: Net, x: Any, *given: Any, **more: Any) -> Any:
        self.x = x
        return forward(self, x, *given, **more)

    monkeypatch.setattr(Net, "__call__", call)
    monkeypatch.setattr(recurrent.Recurrent, "operation", operation)
    monkeypatch.setattr(
        recurrent,
        "RNNReserve",
        lambda array, a, m, lengths, network: SimpleNamespace(
            array=array, algorithm=a, math=m, lengths=lengths, network=network
        ),
    )
    return seen


def everything(torch: Any, module: Any, x: Any, hx: Any) -> list[Any]:
    leaves = [] if hx is None else list(hx) if isinstance(hx, tuple) else [hx]
    y, states = module(x, hx)
    states = states if isinstance(states, tuple) else (states,)
    data = y if isinstance(y, torch.Tensor) else y.data
    total = data.square().sum() + sum(each.sin().sum() for each in states)
    wanted = [*leaves, *module.parameters()]
    wanted += [x] if isinstance(x, torch.Tensor) else []
    return [data.detach(), *[s.detach() for s in states], *torch.autograd.grad(total, wanted)]


def laid_out(torch: Any, x: Any, how: str) -> Any:
    if how == "transposed":
        return x.transpose(0, 1).contiguous().transpose(0, 1)
    if how == "sliced":
        return torch.stack([x, torch.full_like(x, float("nan"))], -1).flatten(-2)[..., ::2]
    if how == "expanded":
        return x[:1].expand_as(x)
    return torch._neg_view(-x) if how == "negative" else x


@pytest.mark.parametrize("how", ["transposed", "sliced", "expanded", "negative"])
@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_arrays_in_any_order(torch: ModuleType, nets: list[Any], name: str, how: str) -> None:
    """Input, states and their gradients: cuDNN's gradients take C order only."""
    from cudnn_cffi.torch import functional, modules

    kind = {"LSTM": "lstm", "GRU": "gru", "RNN": "rnn_tanh"}[name]
    ours, theirs = (getattr(each, name)(4, 5, 2).double() for each in (modules, torch.nn))
    theirs.load_state_dict(ours.state_dict())
    count = 2 if name == "LSTM" else 1
    shapes = [(3, 6, 4), *[(2, 6, 5)] * count]
    given = [torch.randn(shape, dtype=torch.float64) for shape in shapes]
    grads = [torch.randn(shape, dtype=torch.float64) for shape in [(3, 6, 5), *shapes[1:]]]

    def function(x: Any, hx: Any) -> Any:
        y, *states = getattr(functional, kind)(x, hx, list(ours.parameters()), num_layers=2)
        return y, tuple(states) if count > 1 else states[0]

    found = []
    for call, params in ((ours, ours), (function, ours), (theirs, theirs)):
        leaves = [laid_out(torch, each, how).detach().requires_grad_() for each in given]
        assert how == "negative" or not leaves[0].is_contiguous()
        y, states = call(leaves[0], tuple(leaves[1:]) if count > 1 else leaves[1])
        results = [y, *(states if count > 1 else [states])]
        dys = [laid_out(torch, each, how) for each in grads]
        wanted = [*leaves, *params.parameters()]
        found.append([*results, *torch.autograd.grad(results, wanted, dys)])
    for one, two, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)
        torch.testing.assert_close(two, other)


@pytest.mark.parametrize("keeps", [False, True])
def test_many_gradients(torch: ModuleType, nets: list[Any], keeps: bool) -> None:
    """Each of them finds what the forward call left, also where the graph is not kept."""
    from cudnn_cffi.torch import modules

    net = modules.LSTM(4, 5, 2).double()
    x = torch.randn(3, 6, 4, dtype=torch.float64, requires_grad=True)
    given = [x, *net.parameters()]
    y, (hy, cy) = net(x)
    many = [torch.randn(3, *each.shape, dtype=each.dtype) for each in (y, hy, cy)]
    wanted = [
        torch.autograd.grad((y, hy, cy), given, dys, retain_graph=True)
        for dys in zip(*many, strict=True)
    ]
    for again in (True, False) if keeps else (False,):  # the last call leaves all as it was
        options = {"is_grads_batched": True, "retain_graph": again}
        found = torch.autograd.grad((y, hy, cy), given, many, **options)
        for one, rows in zip(found, zip(*wanted, strict=True), strict=True):
            torch.testing.assert_close(one, torch.stack(rows))


def test_no_examples(torch: ModuleType, nets: list[Any]) -> None:
    from cudnn_cffi.torch import functional, modules

    ours, theirs = (each.LSTM(4, 5, 2, bidirectional=True) for each in (modules, torch.nn))
    theirs.load_state_dict(ours.state_dict())
    x = torch.zeros(3, 0, 4)
    wanted = everything(torch, theirs, x.clone().requires_grad_(), None)
    with torch._dynamo.config.patch(allow_rnn=True):
        for module in (ours, compiled(torch, ours, x)):
            found = everything(torch, module, x.clone().requires_grad_(), None)
            for one, other in zip(found, wanted, strict=True):
                torch.testing.assert_close(one, other)
    y, *_ = functional.lstm(x, None, list(ours.parameters()), num_layers=2, bidirectional=True)
    assert y.shape == (3, 0, 10)
    assert nets == []


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_results_and_gradients(
    torch: ModuleType, nets: list[Any], name: str, bidirectional: bool, batch_first: bool,
    bias: bool,
) -> None:  # fmt: skip
    from cudnn_cffi.torch import modules

    for more in ({}, {"proj_size": 3}) if name == "LSTM" else ({},):
        options = {"bidirectional": bidirectional, "batch_first": batch_first, "bias": bias, **more}
        ours = getattr(modules, name)(4, 5, 2, **options).double()
        theirs = getattr(torch.nn, name)(4, 5, 2, **options).double()
        theirs.load_state_dict(ours.state_dict())
        x = torch.randn(3, 6, 4, dtype=torch.float64, requires_grad=True)
        count, batch = (4 if bidirectional else 2), (3 if batch_first else 6)
        state = torch.randn(count, batch, more.get("proj_size", 5), dtype=torch.float64)
        cell = torch.randn(count, batch, 5, dtype=torch.float64)
        own: Any = state.requires_grad_()
        if name == "LSTM":
            own = own, cell.requires_grad_()
        for hx in (None, own):
            one = everything(torch, ours, x, hx)
            other = everything(torch, theirs, x, hx)
            for a, b in zip(one, other, strict=True):
                torch.testing.assert_close(a, b)
        with torch.no_grad():
            torch.testing.assert_close(ours(x)[0], theirs(x)[0])
        single = x[0].detach()
        for a, b in zip(ours(single), theirs(single), strict=True):
            torch.testing.assert_close(a, b)
    assert {each[0] for each in nets} == {"forward"}
    assert {each[1] for each in nets} == {True, False}


def test_packed_sequences(torch: ModuleType, nets: list[Any]) -> None:
    from cudnn_cffi.torch import modules
    from torch.nn.utils.rnn import pack_sequence

    ours, theirs = modules.LSTM(4, 5).double(), torch.nn.LSTM(4, 5).double()
    theirs.load_state_dict(ours.state_dict())
    rows = [torch.randn(n, 4, dtype=torch.float64) for n in (2, 5, 3)]
    packed = pack_sequence(rows, enforce_sorted=False)
    state = tuple(torch.randn(1, 3, 5, dtype=torch.float64, requires_grad=True) for _ in range(2))
    for hx in (None, state):
        one, other = (everything(torch, each, packed, hx) for each in (ours, theirs))
        for a, b in zip(one, other, strict=True):
            torch.testing.assert_close(a, b)
    assert nets[0][2] == (5, 3, 2)


def test_parameters_in_one_buffer_are_not_copied(torch: ModuleType, nets: list[Any]) -> None:
    from cudnn_cffi.torch import modules

    net = modules.GRU(4, 5, 2, bidirectional=True).double()
    x = torch.randn(3, 2, 4, dtype=torch.float64)
    net(x)
    (layer,) = net._layer.values()
    whole, places = layer.buffer(net._flat_weights)
    assert whole.data_ptr() != net._flat_weights[0].data_ptr()
    with torch.no_grad():
        for each, (start, count, shape) in zip(net._flat_weights, places, strict=True):
            each.set_(whole[start : start + count].view(shape))
    wanted = net(x)[0]
    shared, _ = layer.buffer(net._flat_weights)
    assert shared.data_ptr() == whole.data_ptr()
    torch.testing.assert_close(net(x)[0], wanted)
    net.bias_hh_l1 = torch.nn.Parameter(net.bias_hh_l1.detach().clone())
    assert layer.buffer(net._flat_weights)[0].data_ptr() != whole.data_ptr()
    torch.testing.assert_close(net(x)[0], wanted)


@pytest.mark.parametrize("how", ["wide", "short", "fewer", "shared"])
def test_weights_that_do_not_fit_are_refused(torch: ModuleType, nets: list[Any], how: str) -> None:
    """So are those of a network that was called before: copies would convert or repeat them."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import modules

    net = modules.GRU(4, 5).double()
    net(torch.randn(3, 2, 4, dtype=torch.float64))
    (layer,) = net._layer.values()
    w, u, b, c = (each.detach() for each in net._flat_weights)
    given = {
        "wide": [w, u.float(), b, c], "short": [w, u, b[:1], c], "fewer": [w, u, b],
        "shared": [w, u[:, :1], b, c],
    }  # fmt: skip
    with pytest.raises(errors.NotSupportedError, match="weights: expected"):
        layer.buffer(given[how])


def test_gates_that_do_not_lie_together_are_refused() -> None:
    from cudnn_cffi.torch.functional.recurrent import regions

    def part(gate: str, start: int) -> Any:
        return SimpleNamespace(
            name=f"layer0.forward.{gate}.input_weight", offset=start, shape=(2, 2)
        )

    assert regions([part("a", 0), part("b", 4)]) == [(0, 8, (4, 2))]
    with pytest.raises(errors.NotSupportedError, match="do not lie together"):
        regions([part("a", 0), part("b", 8)])


def test_on_the_cpu_pytorch_computes(torch: ModuleType) -> None:
    from cudnn_cffi.torch import modules

    for name in ("LSTM", "GRU", "RNN"):
        ours, theirs = getattr(modules, name)(4, 5), getattr(torch.nn, name)(4, 5)
        theirs.load_state_dict(ours.state_dict())
        x = torch.randn(3, 2, 4)
        assert torch.equal(ours(x)[0], theirs(x)[0])
        with pytest.raises((RuntimeError, ValueError)):
            ours(torch.randn(3, 2, 9))


KINDS = [
    ("LSTM", {}), ("LSTM", {"bidirectional": True, "proj_size": 3, "num_layers": 2}),
    ("GRU", {"batch_first": True, "bias": False}), ("RNN", {"num_layers": 2}),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: f"{each[0]}{each[1]}".replace(" ", ""))
@pytest.mark.parametrize("states", [True, False])
def test_operators(
    torch: ModuleType, nets: list[Any], operators: list[str], kind: tuple[str, Any], states: bool
) -> None:
    """Their schemas, fakes and gradients; and what is traced calls them, without a break."""
    from cudnn_cffi.torch import modules

    name, options = kind
    module = getattr(modules, name)(4, 5, **options).double()
    theirs = getattr(torch.nn, name)(4, 5, **options).double()
    theirs.load_state_dict(module.state_dict())
    x = torch.randn(3, 6, 4, dtype=torch.float64, requires_grad=True)
    batch = 3 if options.get("batch_first") else 6
    count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    hx: Any = None
    if states:
        hx = torch.randn(count, batch, options.get("proj_size", 5), dtype=torch.float64)
        hx.requires_grad_()
    if states and name == "LSTM":
        hx = hx, torch.randn(count, batch, 5, dtype=torch.float64, requires_grad=True)
    given = hx if isinstance(hx, tuple) else (hx, None)
    arguments = (
        x, *given, list(module.parameters()), module.mode, 4, 5, module.num_layers, module.bias,
        module.batch_first, 0.0, module.bidirectional, module.proj_size, "",
    )  # fmt: skip
    check_operator(torch, "recurrent", arguments)
    with torch._dynamo.config.patch(allow_rnn=True):
        function = compiled(torch, module, x, hx)
        nets.clear()
        one = everything(torch, function, x, hx)
    assert [each[:2] for each in nets] == [("forward", False), ("forward", True)]
    for a, b in zip(one, everything(torch, theirs, x, hx), strict=True):
        torch.testing.assert_close(a, b)


def test_what_is_traced_by_pytorch(
    torch: ModuleType, nets: list[Any], operators: list[str]
) -> None:
    """Dropout between layers, and packed sequences: the operators keep nothing for gradients."""
    from cudnn_cffi.torch import modules
    from torch._subclasses.fake_tensor import FakeTensorMode

    drops = modules.LSTM(4, 5, 2, dropout=0.5)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        x = mode.from_tensor(torch.randn(3, 2, 4))
        assert drops(x)[0].shape == (3, 2, 5)
        assert drops.eval()(x)[0].shape == (3, 2, 5)
    assert nets == []
    x = torch.randn(3, 2, 4, requires_grad=True)
    parameters = list(modules.GRU(4, 5).parameters())
    y, *_ = torch.ops.cudnn_cffi.recurrent(
        x, None, None, parameters, "GRU", 4, 5, 1, True, False, 0.0, False, 0, ""
    )
    with pytest.raises(errors.NotSupportedError, match="no second derivative"):
        torch.autograd.grad(y.sum(), x, create_graph=True)
