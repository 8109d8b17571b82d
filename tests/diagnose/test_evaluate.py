"""Graphs in float64 by NumPy, which checks of errata compare with."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import Graph, errata
from cudnn_cffi.diagnose.evaluate import NoReferenceError, evaluate, reference
from cudnn_cffi.graph import OPERATIONS

from tests.gpu.attention_reference import forward

CHANCE = np.random.default_rng(3)


def made(graph: Graph, **arrays: Any) -> dict[str, Any]:
    return evaluate(graph, arrays)


def by_hand(x: Any, w: Any, pads: Any, stride: int, dilation: int) -> Any:
    """Return a convolution, one product at a time."""
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    rows, columns = (
        (n - dilation * (k - 1) - 1) // stride + 1
        for n, k in zip(x.shape[2:], w.shape[2:], strict=True)
    )
    y = np.zeros((x.shape[0], w.shape[0], rows, columns))
    groups = x.shape[1] // w.shape[1]
    for n, k, i, j in np.ndindex(*y.shape):
        first = k // (w.shape[0] // groups) * w.shape[1]
        for c, a, b in np.ndindex(*w.shape[1:]):
            pixel = x[n, first + c, i * stride + a * dilation, j * stride + b * dilation]
            y[n, k, i, j] += pixel * w[k, c, a, b]
    return y


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(("channels", "filters"), [(3, (4, 3)), (6, (4, 3)), (4, (8, 1))])
@pytest.mark.parametrize(
    ("pads", "stride", "dilation"), [((0, 0), 1, 1), ((1, 2), 2, 1), ((2, 0), 1, 2), ((1, 1), 3, 2)]
)
def test_convolutions_and_their_gradients(
    pads: Any, stride: int, dilation: int, channels: int, filters: tuple[int, int], flip: bool
) -> None:
    x = CHANCE.standard_normal((2, channels, 7, 8))
    w = CHANCE.standard_normal((*filters, 3, 2))
    sides = [pads, pads[::-1]]
    exact = by_hand(x, np.flip(w, (2, 3)) if flip else w, sides, stride, dilation)
    dy = CHANCE.standard_normal(exact.shape)
    options: Any = {"padding": sides, "stride": stride, "dilation": dilation, "flip": flip}
    graph = Graph(io_data_type="FLOAT")
    tensors = {
        name: graph.tensor(each.shape, name=name) for name, each in (("x", x), ("w", w), ("dy", dy))
    }
    graph.output(graph.convolution(tensors["x"], tensors["w"], **options), name="y")
    graph.output(
        graph.convolution_backward_data(tensors["dy"], tensors["w"], shape=x.shape, **options),
        name="dx",
    )
    graph.output(
        graph.convolution_backward_filter(tensors["x"], tensors["dy"], w.shape, **options),
        name="dw",
    )
    found = made(graph, x=x, w=w, dy=dy)
    np.testing.assert_allclose(found["y"], exact, atol=1e-12)
    # A gradient of a linear map is its adjoint.
    for name, other in (("dx", x), ("dw", w)):
        np.testing.assert_allclose((found[name] * other).sum(), (dy * exact).sum())


@pytest.mark.parametrize(
    ("mode", "one", "axes"),
    [
        ("LAYER_NORM", (1, 4, 2, 5), (1, 2, 3)),
        ("LAYER_NORM", (1, 1, 1, 5), (3,)),
        ("RMS_NORM", (1, 4, 2, 5), (1, 2, 3)),
        ("RMS_NORM", (1, 1, 2, 5), (2, 3)),
        ("INSTANCE_NORM", (1, 4, 1, 1), (2, 3)),
        ("BATCH_NORM", (1, 4, 1, 1), (0, 2, 3)),
        ("ADA_LAYER_NORM", (3, 1, 2, 5), (2, 3)),
    ],
)
def test_norms_and_their_gradients(mode: Any, one: Any, axes: Any) -> None:
    shape = (3, 4, 2, 5)
    rows = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    x, dy = CHANCE.standard_normal(shape), CHANCE.standard_normal(shape)
    scale, bias = CHANCE.standard_normal(one), CHANCE.standard_normal(one)
    graph = Graph(io_data_type="FLOAT")
    a, s, b = (graph.tensor(n, name=k) for n, k in ((shape, "x"), (one, "scale"), (one, "bias")))
    forward = graph.norm_forward(mode, "TRAINING", a, scale=s, bias=b, epsilon=1e-5)
    names = {"y": forward.y, "inverse": forward.inv_variance}
    for name, each in (names | ({} if mode == "RMS_NORM" else {"mean": forward.mean})).items():
        graph.output(each, name=name)
    known = made(graph, x=x, scale=scale, bias=bias)
    centre = 0.0 if mode == "RMS_NORM" else x.mean(axes, keepdims=True)
    spread = np.sqrt(((x - centre) ** 2).mean(axes, keepdims=True) + 1e-5)
    np.testing.assert_allclose(known["y"], (x - centre) / spread * scale + bias)
    np.testing.assert_allclose(known["inverse"], 1 / spread)

    gradient = Graph(io_data_type="FLOAT")
    d, a, s = (gradient.tensor(n, name=k) for n, k in ((shape, "dy"), (shape, "x"), (one, "scale")))
    given = {name: known[name] for name in ("mean", "inverse") if name in known}
    statistics = {name: gradient.tensor(rows, name=name) for name in given}
    found = gradient.norm_backward(
        mode, d, a, s, statistics.get("mean"), statistics["inverse"], bias=True
    )
    for name in ("dx", "dscale", "dbias"):
        gradient.output(getattr(found, name), name=name)
    results = made(gradient, dy=dy, x=x, scale=scale, **given)
    step = 1e-6
    for name, wrong in (("dx", "x"), ("dscale", "scale"), ("dbias", "bias")):
        arrays = {"x": x, "scale": scale, "bias": bias}
        along = CHANCE.standard_normal(arrays[wrong].shape)
        sides = [
            (made(graph, **arrays | {wrong: arrays[wrong] + sign * step * along})["y"] * dy).sum()
            for sign in (1, -1)
        ]
        slope = (sides[0] - sides[1]) / (2 * step)
        np.testing.assert_allclose((results[name] * along).sum(), slope, rtol=1e-5)


def test_pooling_and_the_gradient_of_means() -> None:
    x = CHANCE.standard_normal((2, 3, 6, 7))
    graph = Graph(io_data_type="FLOAT")
    a = graph.tensor(x.shape, name="x")
    options: Any = {"window": 3, "stride": 2, "padding": ((0, 1), (1, 1))}
    graph.output(graph.resample(a, "MAXPOOL", **options), name="most")
    graph.output(graph.resample(a, "AVGPOOL_INCLUDE_PADDING", **options), name="mean")
    found = made(graph, x=x)
    for name, fill, function in (("most", -np.inf, np.max), ("mean", 0.0, np.mean)):
        wide = np.pad(x, [(0, 0), (0, 0), (0, 1), (1, 1)], constant_values=fill)
        for i, j in itertools.product(range(3), range(4)):
            window = wide[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
            np.testing.assert_allclose(found[name][:, :, i, j], function(window, axis=(2, 3)))
    dy = CHANCE.standard_normal(found["mean"].shape)
    gradient = Graph(io_data_type="FLOAT")
    made_of = gradient.resample_backward(
        gradient.tensor(dy.shape, name="dy"), "AVGPOOL_INCLUDE_PADDING", shape=x.shape, **options
    )
    gradient.output(made_of, name="dx")
    dx = made(gradient, dy=dy)["dx"]
    np.testing.assert_allclose((dx * x).sum(), (dy * found["mean"]).sum())


def test_interpolation() -> None:
    """Pixel i of a result is at i / factor, and the edge goes on."""
    x, factors = CHANCE.standard_normal((2, 3, 5, 1, 4)), (2, 4, 3)
    graph = Graph(io_data_type="FLOAT")
    y = graph.resample(graph.tensor(x.shape, name="x"), "BILINEAR", shape=(2, 3, 10, 4, 12))
    graph.output(y, name="y")
    found, wanted = made(graph, x=x)["y"], x
    for axis, factor in enumerate(factors, 2):
        last = wanted.shape[axis] - 1
        one, other = (wanted.take(np.minimum(np.arange(last + 1) + n, last), axis) for n in (0, 1))
        between = [one + (other - one) * i / factor for i in range(factor)]
        shape = (*wanted.shape[:axis], -1, *wanted.shape[axis + 1 :])
        wanted = np.stack(between, axis + 1).reshape(shape)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_products_views_and_indices() -> None:
    a, b = CHANCE.standard_normal((2, 3, 4)), CHANCE.standard_normal((2, 4, 5))
    graph = Graph(io_data_type="FLOAT")
    y = graph.matmul(graph.tensor(a.shape, name="a"), graph.tensor(b.shape, name="b"))
    y = graph.binary_select(y, graph.abs(y), graph.gen_index(y, 2) >= graph.gen_index(y, 1))
    graph.output(graph.reduction(graph.exp(y), "MAX", dims=1), name="most")
    wanted = a @ b
    wanted = np.where(np.arange(5) >= np.arange(3)[:, None], wanted, abs(wanted))
    np.testing.assert_allclose(made(graph, a=a, b=b)["most"], np.exp(wanted).max(1, keepdims=True))


def test_attention_of_grouped_heads() -> None:
    q, k, v = (CHANCE.standard_normal((2, heads, 5, 8)) for heads in (4, 2, 2))
    graph = Graph(io_data_type="HALF")
    tensors = [graph.tensor(each.shape, name=n) for each, n in zip((q, k, v), "qkv", strict=True)]
    graph.output(graph.attention(*tensors), name="o")
    k, v = (np.repeat(each, 2, axis=1) for each in (k, v))
    weights = np.exp(q @ k.swapaxes(2, 3) / np.sqrt(8))
    wanted = weights / weights.sum(-1, keepdims=True) @ v
    np.testing.assert_allclose(made(graph, q=q, k=k[:, ::2], v=v[:, ::2])["o"], wanted)


def test_attention_with_lengths() -> None:
    """An example without keys has zeros, as have queries after the length."""
    q, k, v = (CHANCE.standard_normal((3, 2, n, 8)) for n in (4, 6, 6))
    graph = Graph(io_data_type="HALF")
    tensors = [graph.tensor(each.shape, name=n) for each, n in zip((q, k, v), "qkv", strict=True)]
    lengths: Any = {
        name: graph.tensor((3, 1, 1, 1), "INT32", name=name) for name in ("seq_len_q", "seq_len_kv")
    }
    graph.output(graph.attention(*tensors, **lengths), name="o")
    queries, keys = (np.reshape(each, (3, 1, 1, 1)) for each in ((4, 4, 3), (0, 6, 5)))
    found = made(graph, q=q, k=k, v=v, seq_len_q=queries, seq_len_kv=keys)["o"]
    assert not found[0].any()
    assert not found[2, :, 3:].any()
    for example, rows, columns in ((1, 4, 6), (2, 3, 5)):
        own_k, own_v = (each[example, :, :columns] for each in (k, v))
        weights = np.exp(q[example] @ own_k.swapaxes(1, 2) / np.sqrt(8))
        wanted = weights / weights.sum(-1, keepdims=True) @ own_v
        np.testing.assert_allclose(found[example, :, :rows], wanted[:, :rows])


def test_a_band_from_where_the_lengths_end() -> None:
    q, k, v = (CHANCE.standard_normal((2, 3, n, 8)) for n in (5, 9, 9))
    graph = Graph(io_data_type="HALF")
    tensors = [graph.tensor(each.shape, name=n) for each, n in zip((q, k, v), "qkv", strict=True)]
    lengths: Any = {
        name: graph.tensor((2, 1, 1, 1), "INT32", name=name) for name in ("seq_len_q", "seq_len_kv")
    }
    o = graph.attention(*tensors, window=(2, 0), diagonal="bottom_right", **lengths)
    graph.output(o, name="o")
    ends = {"seq_len_q": (5, 4), "seq_len_kv": (9, 6)}
    given = {name: np.reshape(each, (2, 1, 1, 1)) for name, each in ends.items()}
    found = made(graph, q=q, k=k, v=v, **given)["o"]
    for example, (rows, columns) in enumerate(zip(*ends.values(), strict=True)):
        own = (q[[example], :, :rows], *(each[[example], :, :columns] for each in (k, v)))
        wanted = forward(*own, scale=8**-0.5, left=2, right=0, bottom_right=True)
        np.testing.assert_allclose(found[[example], :, :rows], wanted[0])


@pytest.mark.parametrize("diagonal", ["top_left", "bottom_right"])
@pytest.mark.parametrize("window", [(None, 0), (2, 0), (1, 3)])
def test_attention_in_a_band(window: Any, diagonal: Any) -> None:
    q, k, v = (CHANCE.standard_normal((2, 3, n, 8)) for n in (5, 9, 9))
    bias = CHANCE.standard_normal((1, 3, 5, 9))
    graph = Graph(io_data_type="HALF")
    given = {"q": q, "k": k, "v": v, "bias": bias}
    tensors = {name: graph.tensor(each.shape, name=name) for name, each in given.items()}
    found = graph.attention(
        *(tensors[name] for name in "qkv"),
        bias=tensors["bias"],
        window=window,
        diagonal=diagonal,
        stats=True,
    )
    for name, each in zip(("o", "stats"), found, strict=False):
        graph.output(each, name=name)
    options = {"left": window[0], "right": window[1], "bottom_right": diagonal == "bottom_right"}
    wanted = forward(q, k, v, bias=bias, scale=8**-0.5, **options)
    results = made(graph, **given)
    np.testing.assert_allclose(results["o"], wanted[0])
    np.testing.assert_allclose(results["stats"], wanted[1])


def test_a_clipped_relu() -> None:
    graph = Graph(io_data_type="FLOAT")
    x = graph.tensor((5,), name="x")
    y = graph.pointwise("RELU_FWD", x, lower_clip=-1.0, upper_clip=2.0, slope=0.5)
    graph.output(y, name="y")
    found = made(graph, x=np.array([-3.0, -1.0, 0.5, 2.0, 4.0]))["y"]
    np.testing.assert_array_equal(found, [-2.0, -1.0, 0.5, 2.0, 2.0])


def test_options_without_a_reference_are_named() -> None:
    graph = Graph(io_data_type="FLOAT")
    graph.output(graph.pointwise("ELU_FWD", graph.tensor((5,), name="x"), elu_alpha=2.0), name="y")
    with pytest.raises(NoReferenceError, match=r"pointwise with elu_alpha"):
        reference(graph, {"x": np.zeros(5)})
    graph = Graph(io_data_type="HALF")
    offsets = graph.tensor((3, 1, 1, 1), "INT32", name="offsets")
    x = graph.tensor((2, 2, 8, 16), name="x", ragged_offset=offsets)
    graph.output(graph.relu(x), name="y")
    with pytest.raises(NoReferenceError, match="x, which is ragged"):
        reference(graph, {"x": np.zeros((2, 2, 8, 16))})


@pytest.mark.parametrize(
    ("mode", "formula"),
    [
        ("MOD", math.fmod),
        ("POW", lambda a, b: abs(a) ** b),
        ("FLOOR", lambda a, _: math.floor(a)),
        ("RSQRT", lambda a, _: 1 / math.sqrt(abs(a))),
        ("CMP_GE", lambda a, b: a >= b),
        ("CMP_NEQ", lambda a, b: a != b),
        ("SIGMOID_FWD", lambda a, _: 1 / (1 + math.exp(-a))),
        ("DIV", lambda a, b: a / b),
    ],
)
def test_pointwise_modes_by_one_number(mode: Any, formula: Any) -> None:
    a, b = CHANCE.standard_normal((2, 3, 4)), CHANCE.standard_normal((1, 3, 1))
    graph = Graph(io_data_type="FLOAT")
    tensors = [graph.tensor(each.shape, name=n) for each, n in ((a, "a"), (b, "b"))]
    one_operand = mode in ("FLOOR", "RSQRT", "SIGMOID_FWD")
    if mode in ("POW", "RSQRT"):
        tensors[0] = graph.abs(tensors[0])
    y = graph.pointwise(mode, *tensors[: 1 if one_operand else 2])
    graph.output(graph.mul(y, 1.0), name="y")
    found = made(graph, a=a, b=b)["y"]
    for place in np.ndindex(*a.shape):
        wanted = formula(float(a[place]), float(b[0, place[1], 0]))
        assert found[place] == pytest.approx(float(wanted)), place


def test_quotients_of_integers_are_cut_off() -> None:
    graph = Graph(io_data_type="INT32")
    a, b = (graph.tensor((1, 2, 3), name=name) for name in "ab")
    graph.output(graph.pointwise("DIV", a, b, compute_data_type="INT32"), name="y")
    numbers = np.array([[[7, -7, 6], [5, -5, 1]]]), np.array([[[2, 2, 3], [-2, 3, 9]]])
    found = made(graph, a=numbers[0], b=numbers[1])["y"]
    assert found.ravel().tolist() == [3, -3, 2, -2, -1, 0]


@pytest.mark.parametrize(
    ("mode", "formula"),
    [("ADD", sum), ("MUL", math.prod), ("MAX", max), ("MIN", min),
     ("AMAX", lambda each: max(map(abs, each)))],
)  # fmt: skip
def test_reductions_of_rows_and_of_heads(mode: Any, formula: Any) -> None:
    x = CHANCE.standard_normal((2, 6, 3, 4))
    graph = Graph(io_data_type="FLOAT")
    tensor = graph.tensor(x.shape, name="x")
    graph.output(graph.reduction(tensor, mode, dims=3), name="rows")
    grouped: Any = {"mode": mode, "shape": (2, 2, 3, 4)}  # as attention's composite has it
    node = graph.add_node(OPERATIONS["reduction"], {"x": tensor}, grouped)
    graph.output(node.outputs["y"], name="heads")
    found = made(graph, x=x)
    for n, h, row in np.ndindex(2, 6, 3):
        assert found["rows"][n, h, row, 0] == pytest.approx(formula(x[n, h, row].tolist()))
    for n, h, row, column in np.ndindex(2, 2, 3, 4):
        three = x[n, 3 * h : 3 * h + 3, row, column].tolist()
        assert found["heads"][n, h, row, column] == pytest.approx(formula(three))


def test_elements_are_moved() -> None:
    x, z = CHANCE.standard_normal((2, 3, 8)), CHANCE.standard_normal((2, 3, 2))
    graph = Graph(io_data_type="FLOAT")
    a, b = graph.tensor(x.shape, name="x"), graph.tensor(z.shape, name="z")
    graph.output(graph.transpose(graph.abs(a), (0, 2, 1)), name="turned")
    graph.output(graph.slice(graph.abs(a), (0, 1, 1), (2, 3, 8), (1, 1, 3)), name="some")
    graph.output(graph.concatenate([graph.abs(a), graph.abs(b)], axis=2), name="both")
    found = made(graph, x=x, z=z)
    for i, j, k in np.ndindex(*x.shape):
        assert found["turned"][i, k, j] == found["both"][i, j, k] == abs(x[i, j, k])
    for i, j, k in np.ndindex(*z.shape):
        assert found["both"][i, j, 8 + k] == abs(z[i, j, k])
    for i, j, k in np.ndindex(2, 2, 3):
        assert found["some"][i, j, k] == abs(x[i, 1 + j, 1 + 3 * k])


def test_softmax_and_its_statistics() -> None:
    x = CHANCE.standard_normal((2, 3, 4, 5))
    graph = Graph(io_data_type="FLOAT")
    node = graph.add_node(
        OPERATIONS["softmax"], {"x": graph.tensor(x.shape, name="x")}, {}, None,
        ("y", "stats", "max", "sum_exp"),
    )  # fmt: skip
    for name, each in node.outputs.items():
        graph.output(each, name=name)
    found = made(graph, x=x)
    for place in np.ndindex(2, 3, 4):
        row = x[place].tolist()
        total = sum(map(math.exp, row))
        assert found["y"][place].tolist() == pytest.approx([math.exp(e) / total for e in row])
        assert found["stats"][place][0] == pytest.approx(math.log(total))
        assert found["max"][place][0] == max(row)
        assert found["sum_exp"][place][0] == pytest.approx(total / math.exp(max(row)))


def test_keys_and_values_of_pages() -> None:
    blocks = CHANCE.standard_normal((5, 2, 4, 3))  # blocks, heads, keys of one, width
    table = np.array([[[[3], [0]]], [[[1], [4]]]])
    graph = Graph(io_data_type="HALF")
    bound = {
        "container": graph.tensor(blocks.shape, name="blocks"),
        "sequence": graph.tensor((2, 1, 1, 1), "INT32", name="lengths"),
        "page_table": graph.tensor(table.shape, "INT32", name="table"),
    }
    load = OPERATIONS["paged_cache_load"]
    node = graph.add_node(
        load, bound, {"shape": (2, 2, 8, 3)}, None, ("y",), "HALF", (48, 24, 3, 1)
    )
    graph.output(node.outputs["y"], name="y")
    found = made(graph, blocks=blocks, table=table, lengths=np.full((2, 1, 1, 1), 8))["y"]
    for n, h, key, column in np.ndindex(2, 2, 8, 3):
        block = table[n, 0, key // 4, 0]
        assert found[n, h, key, column] == blocks[block, h, key % 4, column]


def test_attention_of_pages_as_one_node() -> None:
    """Elements of pages after the length take no part, be they infinite."""
    graph = Graph.from_json(json.dumps(errata.get("attention-node-pages-nan").shows["graph"]))
    q, k, v = (CHANCE.standard_normal(shape) for shape in ((2, 4, 8, 64), *[(4, 2, 16, 64)] * 2))
    v[1::2, :, -1] = np.inf
    lengths = {"queries": np.full((2, 1, 1, 1), 8.0), "keys": np.full((2, 1, 1, 1), 31.0)}
    pages = np.arange(4.0).reshape(2, 1, 2, 1)
    found = reference(graph, {"q": q, "k": k, "v": v, "pages": pages, **lengths})["o"]
    for example in range(2):
        own_k, own_v = (
            np.concatenate(list(each[2 * example :][:2]), 1)[:, :31].repeat(2, 0) for each in (k, v)
        )
        weights = np.exp(q[example] @ own_k.swapaxes(1, 2) / 8)
        wanted = weights / weights.sum(-1, keepdims=True) @ own_v
        np.testing.assert_allclose(found[example], wanted)


def test_arrays_have_the_shapes_of_the_original() -> None:
    x = CHANCE.standard_normal((4, 6))
    graph = Graph(io_data_type="FLOAT")
    graph.output(graph.relu(graph.tensor(x.shape, name="x")), name="y")
    lowered = graph.lowered("9.12.0")
    assert [each.shape for each in lowered.outputs] != [x.shape]
    found = evaluate(lowered, {"x": x}, graph)["y"]
    assert found.tolist() == np.where(x > 0, x, 0).tolist()


def test_what_has_no_reference_is_named() -> None:
    graph = Graph(io_data_type="FLOAT")
    x = graph.tensor((2, 8, 9, 9), name="x")
    graph.output(graph.resample(x, "BILINEAR", window=2, stride=1), name="y")
    with pytest.raises(NoReferenceError, match="BILINEAR"):
        made(graph, x=np.zeros((2, 8, 9, 9)))
    graph = Graph(io_data_type="FLOAT")
    x = graph.tensor((2, 8, 9, 9), name="x")
    y = graph.resample(x, "MAXPOOL", window=3, stride=2, padding=1, padding_mode="ZERO_PAD")
    graph.output(y, name="y")
    with pytest.raises(NoReferenceError, match="MAXPOOL with ZERO_PAD"):  # of numbers below 0
        made(graph, x=np.full((2, 8, 9, 9), -1.0))
