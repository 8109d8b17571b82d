"""Results of composites, evaluated with NumPy in float64, against plain formulas."""

# Cases get all inputs, whether they need them or not.
# ruff: noqa: ARG005

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph
from cudnn_cffi.graph.lower.by_release import lower

np = pytest.importorskip("numpy")

from cudnn_cffi.diagnose.evaluate import evaluate  # noqa: E402

RELEASE = "9.19.0"
EPSILON = 1e-5


def compute(graph: Graph, arrays: dict[str, Any], **options: Any) -> list[Any]:
    """Return the outputs of a graph as it is lowered."""
    lowered = lower(graph, RELEASE, (), **options)
    return list(evaluate(lowered, arrays, graph).values())


def arrays_of(graph: Graph, seed: int = 0) -> dict[str, Any]:
    """Return numbers for all inputs by name."""
    chance = np.random.default_rng(seed)
    inputs = [each for each in graph.tensors.values() if each.role == "input"]
    return {
        each.name: chance.integers(-9, 9, each.shape) * 1.0
        if each.data_type.startswith("INT")
        else chance.normal(size=each.shape)
        for each in inputs
    }


SHAPE = (2, 6, 4, 3)
#: The dimensions that are averaged over, and the shape of the scale, by the mode of a norm.
NORMS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "LAYER_NORM": ((1, 2, 3), (1, 6, 4, 3)),
    "RMS_NORM": ((1, 2, 3), (1, 6, 4, 3)),
    "ADA_LAYER_NORM": ((1, 2, 3), (2, 6, 4, 3)),
    "INSTANCE_NORM": ((2, 3), (1, 6, 1, 1)),
    "BATCH_NORM": ((0, 2, 3), (1, 6, 1, 1)),
}


def norm(x: Any, dims: tuple[int, ...], mode: str) -> tuple[Any, Any, Any]:
    """Return the normalized input, the mean and the inverse deviation."""
    mean = 0.0 if mode == "RMS_NORM" else x.mean(dims, keepdims=True)
    inverse = 1 / np.sqrt(((x - mean) ** 2).mean(dims, keepdims=True) + EPSILON)
    return (x - mean) * inverse, mean, inverse


@pytest.mark.parametrize("mode", NORMS)
def test_a_norm_in_training(mode: str) -> None:
    dims, parameters = NORMS[mode]
    g = Graph(composites=("norm_forward",))
    x = g.tensor(SHAPE, name="x")
    scale, bias = (g.tensor(parameters, name=name) for name in ("scale", "bias"))
    made = g.norm_forward(mode, "TRAINING", x, scale=scale, bias=bias, epsilon=EPSILON)
    for each in (made.y, made.mean, made.inv_variance):
        if each is not None:
            g.output(each)
    given = arrays_of(g)
    y, *statistics = evaluate(g.lowered("9.28.0", g.composites), given, g).values()
    expected, mean, inverse = norm(given["x"], dims, mode)
    np.testing.assert_allclose(y, expected * given["scale"] + given["bias"])
    wanted = [inverse] if mode == "RMS_NORM" else [mean, inverse]
    for found, each in zip(statistics, wanted, strict=True):
        np.testing.assert_allclose(found, each)


@pytest.mark.parametrize("mode", ["BATCH_NORM", "INSTANCE_NORM"])
def test_a_norm_with_statistics_that_are_given(mode: str) -> None:
    """Inference by statistics of the past does not compute those of this batch."""
    parameters = NORMS[mode][1]
    g = Graph(composites=("norm_forward",))
    x = g.tensor(SHAPE, name="x")
    names = ("scale", "bias", "mean", "inv_variance")
    given: dict[str, Any] = {name: g.tensor(parameters, name=name) for name in names}
    g.output(g.norm_forward(mode, "INFERENCE", x, **given).y)
    arrays = arrays_of(g)
    (y,) = evaluate(g.lowered("9.28.0"), arrays, g).values()
    wanted = (arrays["x"] - arrays["mean"]) * arrays["inv_variance"]
    np.testing.assert_allclose(y, wanted * arrays["scale"] + arrays["bias"])


def test_norms_that_no_composite_computes() -> None:
    def refused(match: str, mode: str, phase: str = "INFERENCE", **options: Any) -> None:
        g = Graph(composites=("norm_forward",))
        x, scale = g.tensor(SHAPE, name="x"), g.tensor((1, 6, 1, 1), name="scale")
        others = {
            name: g.tensor((1, 6, 1, 1), name=name) for name, each in options.items() if each is ...
        }
        g.output(g.norm_forward(mode, phase, x, scale=scale, **{**options, **others}).y)
        with pytest.raises(errors.NotSupportedError, match=match):
            g.lowered("9.28.0")

    refused("needs mean and inv_variance for inference", "BATCH_NORM")
    refused("takes mean and inv_variance together", "BATCH_NORM", mean=...)
    refused("does not know the groups", "GROUP_NORM")
    refused("needs an epsilon", "RMS_NORM", epsilon=None)
    running = dict.fromkeys(("running_mean", "running_variance", "momentum"), ...)
    refused("keeps no running statistics", "BATCH_NORM", "TRAINING", **running)


def test_statistics_of_a_norm_go_together() -> None:
    g = Graph()
    x, scale = g.tensor(SHAPE, name="x"), g.tensor((1, 6, 1, 1), name="scale")
    with pytest.raises(errors.ArgumentError, match="running statistics need running_mean as well"):
        g.norm_forward("BATCH_NORM", "TRAINING", x, scale=scale, running_variance=scale)
    with pytest.raises(errors.ArgumentError, match="training computes mean, and takes none"):
        g.norm_forward("BATCH_NORM", "TRAINING", x, scale=scale, mean=scale)


@pytest.mark.parametrize("log2", [None, True])
@pytest.mark.parametrize("with_sink", [False, True])
def test_softmax(log2: Any, with_sink: bool) -> None:
    g = Graph(composites=("softmax",))
    x = g.tensor((2, 3, 4, 5), name="x")
    sink = g.tensor((1, 3, 1, 1), name="sink") if with_sink else None
    for each in g.softmax(x, sink=sink, statistics=True, log2=log2):
        g.output(each)
    given = arrays_of(g)
    raised = np.exp(given["x"])
    total = raised.sum(-1, keepdims=True)
    if with_sink:
        total = total + np.exp(given["sink"])
    y, stats = evaluate(g.lowered("9.28.0"), given, g).values()
    np.testing.assert_allclose(y, raised / total)
    np.testing.assert_allclose(stats, np.log2(total) if log2 else np.log(total))


@pytest.mark.parametrize("shift", [None, 0, 2, -1])
@pytest.mark.parametrize("left", [None, 1, 3])
def test_a_band_mask(shift: int | None, left: int | None) -> None:
    g = Graph(composites=("diagonal_band_mask",))
    x = g.tensor((2, 3, 6, 5), name="x")
    g.output(g.diagonal_band_mask(x, -7.0, left_bound=left, shift_right_bound=shift))
    given = arrays_of(g)
    rows, columns = np.indices((6, 5))
    kept = rows + (shift or 0) >= columns
    if left is not None:
        kept &= columns > rows - left
    (y,) = evaluate(g.lowered("9.28.0"), given, g).values()
    np.testing.assert_allclose(y, np.where(kept, given["x"], -7.0))


@pytest.mark.parametrize("data_type", ["FLOAT", "INT32", "INT64"])
@pytest.mark.parametrize("factors", [{}, {"alpha1": 3.0, "alpha2": 2.0}])
def test_floor_mod(data_type: str, factors: dict[str, Any]) -> None:
    """The remainder has the sign of the divisor, also of integers."""
    g = Graph()
    a, b = g.tensor((4, 9), data_type, name="a"), g.tensor((4, 9), data_type, name="b")
    g.output(g.pointwise("FLOOR_MOD", a, b, **factors))
    given = arrays_of(g)
    given["b"] = np.where(given["b"] == 0, 4.0, given["b"])
    if data_type == "FLOAT":  # quotients that round to 0
        given["a"][0], given["b"][0] = given["a"][0] * 1e-200, given["b"][0] * 1e200
    wanted = np.mod(given["a"] * factors.get("alpha1", 1), given["b"] * factors.get("alpha2", 1))
    (y,) = compute(g, given)
    np.testing.assert_allclose(y, wanted, atol=1e-12)


NAN = {"nan_propagation": "PROPAGATE_NAN"}


@pytest.mark.parametrize("slope", [-0.5, 0.1, 2.0])
@pytest.mark.parametrize("low", [-0.3, 0.0, 0.2])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"upper_clip": 1.1},
        {"upper_clip": 1.1, "alpha1": 3.0},
        {"upper_clip": 1.1, "alpha1": 3.0, **NAN},
    ],
)
def test_no_relu_has_a_slope_above_1_or_with_a_ceiling(
    slope: float, low: float, options: dict[str, Any]
) -> None:
    g = Graph()
    g.output(
        g.pointwise("RELU_FWD", g.tensor(SHAPE, name="x"), slope=slope, lower_clip=low, **options)
    )
    given = arrays_of(g)
    x = given["x"] * options.get("alpha1", 1.0)
    wanted = np.where(
        x < low, low + slope * (x - low), np.minimum(x, options.get("upper_clip", 99))
    )
    assert (wanted == 1.1).any() or not options
    (y,) = compute(g, given)
    np.testing.assert_allclose(y, wanted, atol=1e-12)
    for node in lower(g, RELEASE, ()).nodes:
        own: Any = node.options
        assert "alpha1" not in own
        if slope > 0 and own.get("mode") == "RELU_FWD":
            assert own.get("slope", 0.0) < 1
            assert "upper_clip" not in own


@pytest.mark.parametrize(
    ("mode", "function"),
    [
        ("ADD", np.add),
        ("SUB", np.subtract),
        ("MUL", np.multiply),
        ("MAX", np.maximum),
        ("ABS", np.abs),
    ],
)
@pytest.mark.parametrize("factors", [(3.0, 1.0), (1.0, -0.25), (2.0, -0.5)])
def test_no_operand_has_a_factor(mode: Any, function: Any, factors: tuple[float, float]) -> None:
    """Engines refuse them, or leave them out."""
    g = Graph()
    operands = [g.tensor(SHAPE, name=name) for name in ("x", "b")[: function.nin]]
    options = dict(zip(("alpha1", "alpha2"), factors, strict=True))
    g.output(g.pointwise(mode, *operands, **options))
    given = arrays_of(g)
    scaled = [factor * each for factor, each in zip(factors, given.values(), strict=False)]
    (y,) = compute(g, given)
    np.testing.assert_allclose(y, function(*scaled), atol=1e-12)
    for node in lower(g, RELEASE, ()).nodes:
        assert not {"alpha1", "alpha2"} & node.options.keys()


@pytest.mark.parametrize(
    ("io", "factor", "types"),
    [("HALF", 2.0, {"FLOAT"}), ("INT32", 3.0, {"INT32"}), ("INT8", 3.0, {"INT8", "INT32"})],
)
def test_products_with_factors_are_as_wide_as_their_operation(
    io: Any, factor: float, types: set[str]
) -> None:
    """A narrow intermediate type rounds none; FLOAT would round integers."""
    g = Graph(intermediate_data_type="HALF")
    g.output(g.pointwise("ADD", g.tensor(SHAPE, io), g.tensor(SHAPE, io), alpha2=factor))
    product, _ = lower(g, RELEASE, ()).nodes
    found = product.inputs["b"], product.outputs["y"]
    assert {each.data_type for each in found} == types


@pytest.mark.parametrize(
    ("io", "number", "factor", "wanted"),
    [("HALF", 2.5, 3.0, 7.5), ("INT32", 300, 3.0, 900), ("HALF", 3, 0.5, 1.5)],
)
def test_numbers_have_their_factors(io: Any, number: float, factor: float, wanted: float) -> None:
    """They are operands by value."""
    g = Graph()
    g.output(g.pointwise("SUB", g.tensor(SHAPE, io, name="x"), number, alpha2=factor))
    (node,) = lower(g, RELEASE, ()).nodes
    value = node.inputs["b"].value
    assert (type(value), value) == (type(wanted), wanted)
    given = arrays_of(g)
    np.testing.assert_allclose(compute(g, given)[0], given["x"] - wanted)


def test_factors_of_gradients_stay() -> None:
    """No document says what they multiply."""
    g = Graph()
    g.output(g.pointwise("TANH_BWD", g.tensor(SHAPE), g.tensor(SHAPE), alpha1=2.0))
    (node,) = lower(g, RELEASE, ()).nodes
    assert node.options["alpha1"] == 2.0


@pytest.mark.parametrize("mode", ["AVG", "NORM1", "NORM2"])
def test_reductions(mode: str) -> None:
    g = Graph(intermediate_data_type="DOUBLE")
    x = g.tensor((3, 4, 5), "DOUBLE", name="x")
    y = g.reduction(x, mode, dims=(0, 2), deterministic=True, compute_data_type="DOUBLE")
    g.output(y)
    lowered = g.lowered(RELEASE)
    assert {each.options["compute_data_type"] for each in lowered.nodes} == {"DOUBLE"}
    (total,) = [each for each in lowered.nodes if each.kind == "reduction"]
    assert total.options["deterministic"] is True
    given = arrays_of(g)
    functions: dict[str, Callable[[Any], Any]] = {
        "AVG": lambda x: x.mean((0, 2), keepdims=True),
        "NORM1": lambda x: abs(x).sum((0, 2), keepdims=True),
        "NORM2": lambda x: np.sqrt((x * x).sum((0, 2), keepdims=True)),
    }
    (found,) = compute(g, given)
    np.testing.assert_allclose(found, functions[mode](given["x"]))


@pytest.mark.parametrize("mode", ["ADD", "MUL", "MIN", "MAX", "AVG", "AMAX", "NORM1", "NORM2"])
def test_reductions_of_axes_of_one(mode: str) -> None:
    """No engine takes them: each element is its own result, or its absolute value."""
    g = Graph()
    g.output(g.reduction(g.tensor((3, 1, 5), "FLOAT", name="x"), mode, dims=1), name="y")
    assert [each.kind for each in g.lowered("8.9.7").nodes] == ["pointwise"]
    given = arrays_of(g)
    absolute = mode in ("AMAX", "NORM1", "NORM2")
    for whole in (True, False):
        (found,) = compute(g, given, whole=whole)
        np.testing.assert_array_equal(found, abs(given["x"]) if absolute else given["x"])


def test_a_reduction_of_groups_has_no_composite() -> None:
    g = Graph()
    offset = g.tensor((3, 1, 1), "INT32", name="offset")
    g.output(g.reduction(g.tensor((1, 8, 4)), "AVG", shape=(3, 1, 4), group_offset=offset))
    with pytest.raises(errors.NotSupportedError, match="takes no group_offset"):
        g.lowered("9.28.0")


def test_moves_of_inputs() -> None:
    g = Graph()
    x = g.tensor((2, 6, 5, 4), layout="NHWC", name="x")
    part = g.slice(x, (0, 1, 2, 0), (2, 6, 5, 4), (1, 2, 1, 3))
    g.output(g.relu(g.transpose(part, (0, 2, 3, 1))), name="y")
    given = arrays_of(g)
    wanted = given["x"][:, 1:6:2, 2:5, 0:4:3].transpose(0, 2, 3, 1)
    lowered = g.lowered(RELEASE)
    assert [each.word for each in lowered.nodes] == ["relu_fwd"]
    (y,) = evaluate(lowered, given, g).values()
    np.testing.assert_allclose(y, np.maximum(wanted, 0))


def test_other_strides_are_not_reshaped() -> None:
    """A view of a result goes by its memory, so the result has to be there."""
    g = Graph()
    x = g.tensor((4, 6), name="x")
    turned = g.transpose(x, (1, 0), name="turn")
    g.output(g.relu(g.reshape(turned, (3, 8), name="view")), name="y")
    with pytest.raises(errors.NotSupportedError, match=r"turn \(transpose\): view reads its"):
        g.lowered(RELEASE)


def test_the_strides_of_a_view() -> None:
    """A view has its elements in row-major order, or strides that are said."""
    g = Graph()
    x = g.tensor((2, 8, 4, 4), layout="NHWC", name="x")
    assert g.reshape(x, (2, 8, 16)).strides == (128, 1, 8)
    assert g.reshape(x, (2, 2, 4, 4, 4)).strides == (128, 4, 1, 32, 8)
    assert g.reshape(x, (2, 128), strides=(128, 1)).strides == (128, 1)
    assert g.reshape(x, (2, 128), mode="LOGICAL").strides == (128, 1)
    with pytest.raises(
        errors.ShapeMismatchError, match=r"x .*no strides make it a view \(2, 128\)"
    ):
        g.reshape(x, (2, 128))
    g.output(g.relu(g.reshape(x, (2, 8, 16))), name="y")
    given = arrays_of(g)
    (y,) = compute(g, given, whole=False)
    np.testing.assert_allclose(y, np.maximum(given["x"], 0).reshape(2, 8, 16))


def test_strides_that_come_too_late_for_a_view() -> None:
    g = Graph()
    x = g.relu(g.tensor((4, 6), name="x"), name="first")
    y = g.reshape(x, (2, 12), name="second")
    for each in (x, y):
        with pytest.raises(errors.GraphError, match="by which node second reads memory"):
            g.output(each, layout="column_major")
        g.output(each, layout="row_major")
    copy = g.reshape(x, (2, 12), mode="LOGICAL")
    assert g.output(copy, layout="column_major").strides == (1, 2)


class TestTypes:
    """Results in memory have room for what they are computed to."""

    @pytest.mark.parametrize(
        ("make", "wanted"),
        [
            (lambda g, x, m, i: m * x, "HALF"),
            (lambda g, x, m, i: x * m, "HALF"),
            (lambda g, x, m, i: i * x, "HALF"),
            (lambda g, x, m, i: i * 0.5, "FLOAT"),
            (lambda g, x, m, i: i * 2, "INT32"),
            (lambda g, x, m, i: i + i, "INT32"),
            (lambda g, x, m, i: g.exp(i), "FLOAT"),
            (lambda g, x, m, i: g.relu(i), "INT32"),
            (lambda g, x, m, i: g.binary_select(i, x, m), "HALF"),
            (lambda g, x, m, i: g.binary_select(x, i, m), "HALF"),
            (lambda g, x, m, i: g.logical_not(m), "BOOLEAN"),
            (lambda g, x, m, i: (x > 0.0) * x, "HALF"),
        ],
    )
    def test_pointwise(self, make: Any, wanted: str) -> None:
        g = Graph()
        shape = (2, 3, 4)
        x, m, i = (g.tensor(shape, kind) for kind in ("HALF", "BOOLEAN", "INT32"))
        assert g.output(make(g, x, m, i)).data_type == wanted

    def test_integers_compute_in_the_widest(self) -> None:
        g = Graph()
        long, short = g.tensor((2, 3), "INT64"), g.tensor((2, 3), "INT8")
        made = (long + 1, short * long, short - 1, g.exp(short))
        assert len(made) == len(g.nodes)
        kinds = [each.options.get("compute_data_type") for each in g.nodes]
        assert kinds == ["INT64", "INT64", "INT32", None]

    def test_blocks(self) -> None:
        g = Graph()
        x, scale = g.tensor((1, 128, 128), "FP8_E4M3"), g.tensor((1, 128, 4), "FP8_E8M0")
        y = g.block_scale_dequantize(x, scale, 32)
        assert g.output(y @ y).data_type == "FLOAT"
