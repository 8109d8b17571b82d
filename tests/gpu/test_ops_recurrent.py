"""Recurrent networks, dropout and local norms of `ops`, against PyTorch on the CPU in float64."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.gpu.conftest import reference, supported

TYPES = {"float64": 1e-11, "float32": 5e-5, "float16": 1e-2, "bfloat16": 6e-2}
#: Gradients of ReLU in low precision: a state near zero that rounds across it changes the slope from
#: 0 to 1. A share s of such states makes an error of about the root of s.
JUMPS = {"float16": 0.25, "bfloat16": 0.4}
#: By cuDNN's word: PyTorch's module and its nonlinearity.
CELLS = {"LSTM": "lstm", "GRU": "gru", "RNN_TANH": "rnn", "RNN_RELU": "rnn"}
#: PyTorch stacks the gates in this order.
ORDER = {
    "LSTM": ("input", "forget", "cell", "output"), "GRU": ("reset", "update", "new"),
    "RNN_TANH": ("hidden",), "RNN_RELU": ("hidden",),
}  # fmt: skip
#: Float32 without TF32, so that numbers can be compared.
EXACT = {"tf32": False}


def make(ops: Any, cell: str, *sizes: int, **options: Any) -> Any:
    if cell.startswith("RNN"):
        return ops.RNN(*sizes, nonlinearity=cell[4:].lower(), **options)
    return getattr(ops, cell)(*sizes, **options)


def module(torch: Any, cell: str, net: Any) -> Any:
    o = net.options
    options = {
        "num_layers": o["layers"], "bidirectional": o["bidirectional"], "bias": bool(o["bias"]),
    }  # fmt: skip
    if cell == "LSTM":
        options["proj_size"] = o["projection_size"] or 0
    kind = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU}.get(cell)
    if kind is None:
        return torch.nn.RNN(
            o["input_size"], o["hidden_size"], nonlinearity=cell[4:].lower(), **options
        ).double()
    return kind(o["input_size"], o["hidden_size"], **options).double()


def in_torch(torch: Any, net: Any, cell: str, weights: Any) -> dict[str, Any]:
    """Return weights, or their gradients, under PyTorch's names."""
    views = {name: reference(each) for name, each in net.parameters(weights).items()}
    state = {}
    for layer in range(net.options["layers"]):
        for direction in ("forward", "backward")[: 1 + net.options["bidirectional"]]:
            suffix = f"l{layer}{'_reverse' if direction == 'backward' else ''}"
            at = f"layer{layer}.{direction}"
            for kind, side in (("ih", "input"), ("hh", "recurrent")):
                for word in ("weight", "bias"):
                    parts = [
                        views[name]
                        for gate in ORDER[cell]
                        if (name := f"{at}.{gate}.{side}_{word}") in views
                    ]
                    if parts:
                        state[f"{word}_{kind}_{suffix}"] = torch.cat(parts)
            if f"{at}.projection.weight" in views:
                state[f"weight_hr_{suffix}"] = views[f"{at}.projection.weight"]
    return state


def whole(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, cell: str, dtype: str,
    lengths: Any, time: int, batch: int, sizes: tuple[int, int, int], choose: Any,
    states: bool = True, **options: Any,
) -> Any:  # fmt: skip
    """Compare forward, all gradients and states; return the results of the forward call."""
    net = make(ops, cell, *sizes, choose={**EXACT, **choose}, **options)
    count = net.weights_count(dtype)
    assert net.network._counted() == count, "without a GPU it is counted"
    # A matrix with this scale keeps lengths, so that errors do not grow from step to step.
    weights = fresh(count, dtype=dtype) * (0.8 / sizes[1] ** 0.5)
    network = module(torch, cell, net)
    network.load_state_dict(in_torch(torch, net, cell, weights))
    first, packed = options.get("batch_first", False), options.get("packed", False)
    directions = 2 if options.get("bidirectional") else 1
    width = (options.get("projection_size") or sizes[1]) * directions

    def sequences(size: int) -> tuple[Any, Any]:
        """Return random sequences as the operation takes them, and (time, batch, size)."""
        padded = fresh(time, batch, size, dtype=dtype)
        if packed:
            data = torch.nn.utils.rnn.pack_padded_sequence(padded, lengths).data
            return data.contiguous(), padded
        return (padded.transpose(0, 1).contiguous() if first else padded), padded

    def compared(result: Any) -> Any:
        """Return a result as (time, batch, size), zero after the ends."""
        if packed:
            steps = [sum(each > t for each in lengths) for t in range(max(lengths))]
            given = torch.nn.utils.rnn.PackedSequence(result.cpu().double(), torch.tensor(steps))
            return torch.nn.utils.rnn.pad_packed_sequence(given)[0]
        result = (result.transpose(0, 1) if first else result).cpu().double()
        inside = torch.zeros(time, batch, 1, dtype=torch.bool)
        for place, length in enumerate(lengths or [time] * batch):
            inside[:length, place] = True
        return result.where(inside, 0)

    x, rx = sequences(sizes[0])
    dy, rdy = sequences(width)
    count = sizes[2] * directions
    hidden = (count, batch, width // directions)
    hx, dhy = (fresh(*hidden, dtype=dtype) if states else None for _ in range(2))
    cells = states and cell == "LSTM"
    cx, dcy = (fresh(count, batch, sizes[1], dtype=dtype) if cells else None for _ in range(2))
    inputs = [reference(each).requires_grad_() for each in (rx, hx, cx) if each is not None]
    given = inputs[0]
    if lengths:
        given = torch.nn.utils.rnn.pack_padded_sequence(given, lengths, enforce_sorted=False)
    begin = (tuple(inputs[1:]) if cell == "LSTM" else inputs[1]) if states else None
    out, finals = network(given, begin)
    if lengths:
        out, _ = torch.nn.utils.rnn.pad_packed_sequence(out, total_length=time)
    finals = [*finals] if cell == "LSTM" else [finals]
    grads = [reference(rdy), *(reference(e) for e in (dhy, dcy) if e is not None)]
    torch.autograd.backward((out, *(finals if states else ())), tuple(grads))

    got = supported(cudnn, lambda: net(x, weights, hx, cx, training=True, lengths=lengths))
    plain = supported(cudnn, lambda: net(x, weights, hx, cx, lengths=lengths))
    assert plain.reserve is None
    limit = TYPES[dtype]
    for each in (got, plain):
        assert error_of(compared(each.y), out.detach()) < limit
        assert error_of(each.hy, finals[0].detach()) < limit
        assert (each.cy is not None) == (cell == "LSTM")
        if cell == "LSTM":
            assert error_of(each.cy, finals[1].detach()) < limit
    nan = float("nan")
    outs = (torch.full_like(x, nan), None, None, torch.full_like(weights, nan))
    dx, dhx, dcx, dweights = ops.rnn_backward(
        dy, x, got.y, weights, got.reserve, hx=hx, cx=cx, dhy=dhy, dcy=dcy, out=outs
    )
    assert dx is outs[0]
    assert dweights is outs[3]
    if cell == "RNN_RELU":
        limit = JUMPS.get(dtype, limit)
    assert error_of(compared(dx), inputs[0].grad[:time]) < limit
    if states:
        assert error_of(dhx, inputs[1].grad) < limit
        if cell == "LSTM":
            assert error_of(dcx, inputs[2].grad) < limit
    gradients = in_torch(torch, net, cell, dweights)
    for name, parameter in network.named_parameters():
        assert error_of(gradients[name], parameter.grad) < 2 * limit, name
    return net, got


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", CELLS)
def test_all_gradients(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, cell: str, dtype: str,
    bidirectional: bool,
) -> None:  # fmt: skip
    whole(
        ops, torch, cudnn, fresh, error_of, cell, dtype, None, 7, 4, (12, 16, 2), {},
        bidirectional=bidirectional,
    )  # fmt: skip


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize(
    ("lengths", "options"),
    [
        ((7, 5, 3, 1), {}),
        ((2, 7, 1, 5), {}),
        ((2, 7, 1, 5), {"batch_first": True, "bidirectional": True}),
        ((7, 5, 3, 1), {"packed": True, "bidirectional": True}),
        (None, {"batch_first": True}),
        (None, {"bias": False}),
    ],
    ids=["sorted", "unsorted", "batch_first", "packed", "equal_batch_first", "no_bias"],
)
def test_sequences(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, cell: str, lengths: Any,
    options: Any,
) -> None:  # fmt: skip
    for dtype in ("float64", "float32", "float16"):
        whole(
            ops, torch, cudnn, fresh, error_of, cell, dtype, lengths, 7, 4, (12, 16, 2), {},
            **options,
        )  # fmt: skip


@pytest.mark.parametrize("seed", range(16))
def test_random_networks(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, seed: int
) -> None:
    pick = random.Random(seed)
    cell, dtype = pick.choice(tuple(CELLS)), pick.choice(("float64", "float32"))
    time, batch = pick.randint(1, 12), pick.randint(1, 9)
    sizes = (pick.randint(1, 40), pick.randint(2, 70), pick.randint(1, 3))
    options: dict[str, Any] = {"bidirectional": pick.random() < 0.5, "bias": pick.random() < 0.8}
    lengths = None
    if pick.random() < 0.6:
        lengths = tuple(pick.randint(1, time) for _ in range(batch))
    if lengths and pick.random() < 0.4:
        lengths = (time, *sorted(lengths[1:], reverse=True))
        options["packed"] = True
    else:
        options["batch_first"] = pick.random() < 0.5
    states = pick.random() < 0.7
    print(seed, cell, dtype, time, batch, sizes, lengths, options, states)
    torch.manual_seed(seed)
    whole(
        ops, torch, cudnn, fresh, error_of, cell, dtype, lengths, time, batch, sizes, {}, states,
        **options,
    )  # fmt: skip


@pytest.mark.parametrize("bidirectional", [False, True])
def test_projection(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, bidirectional: bool
) -> None:
    whole(
        ops, torch, cudnn, fresh, error_of, "LSTM", "float32", None, 6, 4, (12, 16, 2), {},
        projection_size=8, bidirectional=bidirectional,
    )  # fmt: skip


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize(
    "algorithm", ["STANDARD", "PERSIST_STATIC", "PERSIST_DYNAMIC", "PERSIST_STATIC_SMALL_H"]
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_algorithms(
    ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, cell: str, algorithm: str,
    dtype: str,
) -> None:  # fmt: skip
    choose = {"pick": algorithm} | ({"tf32": None} if dtype == "float16" else {})
    net, got = whole(
        ops, torch, cudnn, fresh, error_of, cell, dtype, None, 6, 16, (64, 64, 2), choose
    )
    assert got.reserve.algorithm == algorithm
    assert {way.algorithm for way in net.plans} == {algorithm}


@pytest.mark.parametrize("pick", ["heuristic", "time", "none", "small", "deterministic"])
def test_policies(ops: Any, torch: Any, cudnn: Any, fresh: Any, error_of: Any, pick: str) -> None:
    _, got = whole(
        ops, torch, cudnn, fresh, error_of, "LSTM", "float32", None, 6, 8, (32, 32, 2),
        {"pick": pick},
    )  # fmt: skip
    print(pick, got.reserve.algorithm)
    if pick == "deterministic":
        assert got.reserve.algorithm == "STANDARD"


def test_scopes_and_gradients_outside_them(ops: Any, cudnn: Any, fresh: Any) -> None:
    """Gradients use the algorithm of the forward call, whatever the scope is by then."""
    net = ops.LSTM(32, 32)
    weights, x = fresh(net.weights_count()) * 0.1, fresh(5, 8, 32)
    with cudnn.choice(recurrent="STANDARD"), ops.record() as log:
        got = net(x, weights, training=True)
    assert got.reserve.algorithm == "STANDARD"
    with cudnn.choice(recurrent="PERSIST_DYNAMIC"), ops.record() as later:
        net.backward(got.y, x, got.y, weights, got.reserve)
    assert [each.way for each in (*log, *later)] == ["STANDARD"] * 3


def test_candidates(ops: Any, fresh: Any) -> None:
    net = ops.LSTM(32, 32)
    weights, x = fresh(net.weights_count()) * 0.1, fresh(5, 8, 32)
    table = net.candidates(x, weights, time=True)
    print(table)
    names = {each.name for each in table}
    assert {"STANDARD", "PERSIST_STATIC", "PERSIST_DYNAMIC"} <= names
    assert all(each.time for each in table if each.supported)


def test_clipping(ops: Any, torch: Any, fresh: Any, error_of: Any) -> None:
    """The cell state is clipped where it is used: by the output, and by the next step."""
    x, bounds = fresh(6, 4, 12), (-0.1, 0.25)
    net = ops.LSTM(12, 16, clip=bounds, choose=EXACT)
    weights = fresh(net.weights_count())
    got = net(x, weights)
    state = in_torch(torch, net, "LSTM", weights)
    h, c = torch.zeros(4, 16).double(), torch.zeros(4, 16).double()
    for step in reference(x):
        gates = step @ state["weight_ih_l0"].T + h @ state["weight_hh_l0"].T
        i, f, g, o = (gates + state["bias_ih_l0"] + state["bias_hh_l0"]).chunk(4, 1)
        c = f.sigmoid() * c.clamp(*bounds) + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.clamp(*bounds).tanh()
    free = ops.LSTM(12, 16, choose=EXACT)(x, weights)
    assert error_of(free.cy[0], c) > 1e-2
    assert error_of(got.cy[0], c) < TYPES["float32"]
    assert error_of(got.hy[0], h) < TYPES["float32"]


def test_dropout_between_layers(ops: Any, fresh: Any, torch: Any) -> None:
    x = fresh(6, 4, 12)
    one, two = (ops.GRU(12, 16, 2, dropout=0.5, seed=3, choose=EXACT) for _ in range(2))
    weights = fresh(one.weights_count()) * 0.3
    first, second = one(x, weights, training=True), two(x, weights, training=True)
    assert torch.equal(first.y, second.y)
    assert not torch.equal(first.y, one(x, weights, training=True).y)
    plain = ops.GRU(12, 16, 2, choose=EXACT)(x, weights)
    torch.testing.assert_close(one(x, weights).y, plain.y)
    assert not torch.equal(first.y, plain.y)
    # The gradient of the weights, by differences: the mask is the same for the same seed.
    direction = fresh(one.weights_count())
    grads = one.backward(torch.ones_like(first.y), x, first.y, weights, first.reserve)
    values = []
    for step in (1e-2, -1e-2):
        net = ops.GRU(12, 16, 2, dropout=0.5, seed=3, choose=EXACT)
        values.append(net(x, weights + step * direction, training=True).y.double().sum())
    slope = float((values[0] - values[1]) / 2e-2)
    expected = float((grads.weights * direction).double().sum())  # it may happen to be near 0
    assert slope == pytest.approx(expected, abs=0.02 * float(grads.weights.double().norm()))


def test_gradients_of_weights_are_added(ops: Any, fresh: Any, torch: Any) -> None:
    x, net = fresh(5, 4, 8), ops.LSTM(8, 16)
    weights = fresh(net.weights_count()) * 0.3
    got = net(x, weights, training=True)
    net.backward_data(got.y, got.y, weights, got.reserve)
    once = net.backward_weights(x, got.y, got.reserve)
    twice = once.clone()
    assert net.backward_weights(x, got.y, got.reserve, out=twice, beta=1) is twice
    torch.testing.assert_close(twice, 2 * once, rtol=1e-4, atol=1e-5)


def test_functions_views_and_one_example(ops: Any, fresh: Any, torch: Any) -> None:
    net = ops.LSTM(8, 16, choose=EXACT)
    weights = fresh(net.weights_count()) * 0.3
    x = fresh(5, 8)
    one = ops.lstm(x, weights, 16, batch=False, choose=EXACT)
    many = ops.lstm(x[:, None], weights, 16, choose=EXACT)
    assert one.y.shape == (5, 16)
    assert one.hy.shape == (1, 16)
    torch.testing.assert_close(one.y, many.y[:, 0])
    view = net.parameters(weights)["layer0.forward.forget.input_bias"]
    view.fill_(3.0)
    assert int((weights == 3.0).sum()) == 16
    out = torch.full((5, 1, 16), float("nan"), device="cuda")
    assert ops.lstm(x[:, None], weights, 16, out=out).y is out
    assert not out.isnan().any()


def test_the_guide(torch: Any, error_of: Any) -> None:
    """The blocks of the guide run, one after the other; PyTorch stacks the gates in its order."""
    text = (Path(__file__).parents[2] / "docs" / "recurrent.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    net, weights, x = names["net"], names["weights"], names["x"]
    gates = text.partition("| `LSTM` | `input`")[2].partition("|")[0]
    assert ["input", *re.findall(r"`(\w+)`", gates)] == list(ORDER["LSTM"])
    network = torch.nn.LSTM(64, 128, 2, bidirectional=True)
    network.load_state_dict(in_torch(torch, net, "LSTM", weights))
    wanted, _ = network.double()(reference(x))
    assert error_of(net(x, weights, choose=EXACT).y, wanted.detach()) < TYPES["float32"]


@pytest.mark.parametrize("library", ["cupy", "own"])
def test_other_libraries(ops: Any, cudnn: Any, fresh: Any, torch: Any, library: str) -> None:
    net = ops.GRU(8, 16, choose=EXACT)
    weights, x = fresh(net.weights_count()) * 0.3, fresh(5, 4, 8)
    want = net(x, weights).y.cpu().numpy()
    torch.cuda.synchronize()
    if library == "cupy":
        cupy = pytest.importorskip("cupy")
        got = net(cupy.asarray(x), cupy.asarray(weights), training=True)
        grads = net.backward(got.y, cupy.asarray(x), got.y, cupy.asarray(weights), got.reserve)
        assert isinstance(got.y, cupy.ndarray)
        assert isinstance(grads.weights, cupy.ndarray)
        result = got.y.get()
    else:
        arrays = [cudnn.DeviceArray.from_numpy(each.cpu().numpy()) for each in (x, weights)]
        got = net(*arrays, training=True)
        assert isinstance(got.y, cudnn.DeviceArray)
        assert net.parameters(arrays[1])["layer0.forward.new.input_weight"].shape == (16, 8)
        result = got.y.to_numpy()
    assert abs(result - want).max() < 1e-5


class TestDropout:
    @pytest.mark.parametrize("rate", [0.0, 0.3, 0.9])
    def test_and_gradient(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, dtype: str, rate: float
    ) -> None:
        x = fresh(64, 33, 17, dtype=dtype)
        drop = ops.Dropout(rate, seed=11)
        y, reserve = supported(cudnn, lambda: drop(x))
        kept = y != 0
        share = float(kept.double().mean())
        assert share == pytest.approx(1 - rate, abs=0.01)
        scale = 1 / (1 - rate)  # a float32 in cuDNN
        torch.testing.assert_close(
            y.double(), (x.double() * scale).where(kept, 0), rtol=max(TYPES[dtype], 1e-6), atol=1e-6
        )
        dy = fresh(64, 33, 17, dtype=dtype)
        dx = torch.full_like(dy, float("nan"))
        assert drop.backward(dy, reserve, out=dx) is dx
        torch.testing.assert_close(
            dx.double(),
            (dy.double() * scale).where(kept, 0),
            rtol=max(TYPES[dtype], 1e-6),
            atol=1e-6,
        )
        again = ops.dropout_backward(dy, reserve, rate)
        assert torch.equal(again, dx)

    def test_seeds(self, ops: Any, torch: Any) -> None:
        x = torch.ones(1000, device="cuda")
        drop = ops.Dropout(0.5, seed=5)
        first, second = drop(x).y, drop(x).y
        assert not torch.equal(first, second)
        other = ops.Dropout(0.5, seed=5)
        assert torch.equal(other(x).y, first)
        assert torch.equal(other(x).y, second)
        drop.reset()
        assert torch.equal(drop(x).y, first)
        drop.reset(6)
        assert not torch.equal(drop(x).y, first)
        assert torch.equal(ops.dropout(x, 0.5, 5).y, first)
        torch.manual_seed(1)
        one = ops.dropout(x).y
        two = ops.dropout(x).y
        torch.manual_seed(1)
        assert torch.equal(ops.dropout(x).y, one)
        assert not torch.equal(one, two)

    def test_streams(self, ops: Any, torch: Any) -> None:
        """Uses in several streams go on in one sequence."""
        x = torch.ones(1 << 20, device="cuda")
        drop, same = ops.Dropout(0.5, seed=5), ops.Dropout(0.5, seed=5)
        expected = [same(x).y for _ in range(8)]
        torch.cuda.synchronize()
        streams = [torch.cuda.Stream() for _ in range(2)]
        got = []
        for place in range(8):
            with torch.cuda.stream(streams[place % 2]):
                got.append(drop(x).y)
        torch.cuda.synchronize()
        for one, two in zip(got, expected, strict=True):
            assert torch.equal(one, two)

    def test_layouts(self, ops: Any, torch: Any, fresh: Any) -> None:
        x = fresh(2, 8, 5, 7, layout="NHWC")
        y = ops.dropout(x, 0.5, 1).y
        assert y.stride() == x.stride()
        torch.testing.assert_close(y, (2 * x).where(y != 0, 0))


class TestLocalNorms:
    @pytest.mark.parametrize("size", [1, 3, 5])
    @pytest.mark.parametrize("shape", [(2, 12, 5, 7), (2, 12, 9), (2, 6, 3, 4, 5)])
    def test_local_response_norm(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str, size: int,
        shape: Any,
    ) -> None:  # fmt: skip
        if dtype in ("float32", "float16") and size != 3:
            pytest.skip("test_ops_response.py has these graphs, and each is compiled")
        x, dy = fresh(*shape, dtype=dtype), fresh(*shape, dtype=dtype)
        rx = reference(x).requires_grad_()
        expected = torch.nn.functional.local_response_norm(rx, size, 0.5, 0.75, 2.0)
        expected.backward(reference(dy))
        norm = ops.LocalResponseNorm(size, 0.5, 0.75, 2.0)
        out = torch.full_like(x, float("nan"))
        if dtype == "float64":
            with pytest.raises(cudnn.NotSupportedError, match="adds and subtracts squares"):
                norm(x)
            return
        y = supported(cudnn, lambda: norm(x, out=out))
        limit = TYPES[dtype]
        assert y is out
        assert error_of(y, expected.detach()) < limit
        assert error_of(norm.backward(dy, x, y), rx.grad) < 2 * limit
        again = ops.local_response_norm(x, size, 0.5, 0.75, 2.0)
        assert torch.equal(again, y)

    @pytest.mark.parametrize("size", [1, 3, 5])
    @pytest.mark.parametrize("shape", [(2, 4, 9, 11), (2, 3, 5, 6, 7)])
    @pytest.mark.parametrize("means", [False, True])
    def test_divisive_norm(
        self, ops: Any, cudnn: Any, torch: Any, fresh: Any, error_of: Any, dtype: str, size: int,
        shape: Any, means: bool,
    ) -> None:  # fmt: skip
        x, dy = fresh(*shape, dtype=dtype), fresh(*shape, dtype=dtype)
        m = fresh(*shape, dtype=dtype) * 0.3 if means else None
        rx = reference(x).requires_grad_()
        rm = reference(m).requires_grad_() if means else torch.zeros(1).double()
        spatial = len(shape) - 2
        pool = getattr(torch.nn.functional, f"avg_pool{spatial}d")

        def mean(array: Any) -> Any:  # zeros around the array count as elements
            return pool(array, size, 1, size // 2)

        # The mean of (x - mean at the center) ** 2 over the elements that a window has.
        squares = mean(rx**2) - 2 * rm * mean(rx) + rm**2 * mean(torch.ones_like(rx))
        expected = rx / (2.0 + 0.5 * squares) ** 0.75
        expected.backward(reference(dy))
        norm = ops.DivisiveNorm(size, 0.5, 0.75, 2.0)
        out = torch.full_like(x, float("nan"))
        y = supported(cudnn, lambda: norm(x, m, out=out))
        limit = max(TYPES[dtype], 1e-5)
        assert y is out
        assert error_of(y, expected.detach()) < limit
        dx, dmeans = norm.backward(dy, x, m)
        assert error_of(dx, rx.grad) < 2 * limit
        if means:
            assert error_of(dmeans, rm.grad) < 2 * limit
        else:
            assert dmeans is None
