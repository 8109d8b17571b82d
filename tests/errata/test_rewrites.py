"""Rewritings because of errors follow their records: the releases, and whether one is on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import DeviceProperties, Graph, errata, errors, ops
from cudnn_cffi._ways.array_spec import Spec
from cudnn_cffi._ways.case import FREE, Case
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.errata import asks, definitions, judging
from cudnn_cffi.errata.conditions.engines import CONDITIONS
from cudnn_cffi.graph.lower.by_release import LOWEST
from cudnn_cffi.graph.lower.relabel import relabel
from cudnn_cffi.graph.record.key import kept

from tests.errata.wrong_engines import wrong_engines
from tests.graph import attention_cases as cases

pytestmark = pytest.mark.usefixtures("cudnn")


def modes(graph: Any) -> Counter[str]:
    return Counter(str(node.options.get("mode", node.kind)) for node in graph.nodes)


def padded(release: str) -> Any:
    return cases.backward("lengths", form="composite").lowered(release)


def selections(release: str) -> int:
    return modes(padded(release))["BINARY_SELECT"]


def fills(release: str) -> list[Any]:
    return [each.fill for each in padded(release).tensors.values() if each.data_type == "FLOAT"]


def masks(release: str) -> set[float]:
    lowered = cases.forward("causal", form="composite").lowered(release)
    values = [each.value for each in lowered.tensors.values()]
    return {each for each in values if isinstance(each, float) and each < -1e30}


@pytest.mark.parametrize(
    ("record", "read", "release", "later"),
    [
        ("attention-gradient-mask-lost", selections, "9.9.0", "9.10.2"),
        ("minus-infinity", masks, "9.9.0", "9.12.0"),
    ],
)
def test_a_rewriting_ends_with_the_releases_of_its_record(
    record: str, read: Callable[[str], Any], release: str, later: str
) -> None:
    rewritten = read(release)
    assert rewritten != read(later)
    with errata.off(record):
        assert read(release) == read(later)
    assert read(release) == rewritten


def test_masked_scores_are_minus_infinity_or_the_lowest_number() -> None:
    assert masks("9.9.0") == {LOWEST}
    assert masks("9.12.0") == {-math.inf}


def test_memory_for_sums_is_cleared_where_engines_do_not() -> None:
    assert 0 in fills("9.5.1")
    assert 0 not in fills("9.6.0")
    with errata.off("attention-gradient-workspace-not-cleared"):
        assert 0 not in fills("9.5.1")


def test_one_query_of_pages_is_written() -> None:
    for array, is_left in (("stats", True), ("o", False)):
        why = asks.wrong_function(
            "attention", {"lengths": True, "one_paged_query": True, "array": array}
        )
        assert bool(why) is is_left
    assert asks.wrong_function("attention", {"lengths": True, "array": "o"})


def test_gradients_of_maxima_need_indices_because_of_a_record() -> None:
    g = Graph("maxima", io_data_type="HALF")
    dy = g.tensor((1, 8, 4, 4), layout="NHWC", name="dy")
    g.output(g.resample_backward(dy, shape=(1, 8, 8, 8), mode="MAXPOOL", window=2, stride=2))
    for graph in (g, Graph.from_json(g.to_json())):  # which would end the process
        with pytest.raises(errors.NotSupportedError, match=r"index: .* end the process .* pass"):
            graph.build(device="H200")
        with errata.off("max-pooling-gradient-without-index"):
            assert graph.lowered("9.19.0")


def test_conditions_of_layouts_take_tensors_of_several_ranks() -> None:
    g = Graph("ranks", io_data_type="FLOAT")
    for shape in ((4,), (2, 3, 4, 5), (6, 1)):
        g.output(g.relu(g.tensor(shape)))
    assert g.lowered("9.19.0")


def test_positions_that_wrap_are_refused_because_of_a_record() -> None:
    g = Graph("maxima", io_data_type="HALF")
    x = g.tensor((1, 8, 24, 24), layout="NHWC", name="x")
    y, index = g.resample(x, "MAXPOOL", window=12, stride=12, index=True)
    g.output(y, name="y")
    g.output(index, name="index")
    assert g.lowered("9.19.0")
    index.given_type = "INT8"
    with pytest.raises(errors.NotSupportedError, match=r"index: indices of INT8 wrap .*; indices"):
        g.lowered("9.19.0")
    with errata.off("pooling-int8-indices-wrap"):
        assert g.lowered("9.19.0")


def test_attention_of_other_lengths_shares_no_kernels_because_of_a_record() -> None:
    def kept_of(length: int) -> Any:
        g = Graph(io_data_type="HALF", dynamic_shapes=True)
        q, k, v = (g.tensor((2, 4, length, 64), name=name) for name in "qkv")
        g.output(g.attention(q, k, v, form="composite"), name="o")
        return kept(g.nodes), kept(g.lowered("9.19.0").nodes)

    assert kept_of(64) != kept_of(128)
    with errata.off("attention-kernels-of-other-lengths"):
        assert kept_of(64) == kept_of(128)


@pytest.mark.parametrize("cls", [ops.LocalResponseNorm, ops.LocalResponseNormBackward])
def test_response_norm_pools_windows_because_of_a_record(
    cls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = cls(3)
    monkeypatch.setattr(type(operation), "_by_windows", lambda *_: "windows")
    monkeypatch.setattr(type(operation), "_directly", lambda *_: "the function")

    def computed(dtype: str) -> Any:
        x = Spec.like((2, 8, 4, 4), dtype)
        return operation.classic(Case({"x": x}, {"y": x}), FREE, None)

    def alignment(dtype: str) -> int:
        x = Spec.like((2, 8, 4, 4), dtype)
        return int(operation.alignment_of(Case({"x": x}, {"y": x})))

    assert {computed(each) for each in ("float32", "float16", "float64")} == {"windows"}
    assert computed("bfloat16") == "the function"
    assert (alignment("float32"), alignment("bfloat16")) == (16, 1), "engines take no low addresses"
    with errata.off("response-norm-running-squares"):
        assert computed("float32") == "the function"
        assert alignment("float32") == 1


def leaving_out(cls: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Return what tells the algorithms that are left out for filters of a size, and why."""
    monkeypatch.setattr(cls, "_descriptors", lambda *_: ())
    monkeypatch.setattr(cls, "_measure", lambda *_, **__: None)
    monkeypatch.setattr(cls, "_plain_only", lambda *_: None)
    monkeypatch.setattr(cls, "_call", lambda _, __, name, ___: name)

    def left_out(dtype: str, size: int = 4, rule: Rule = FREE) -> dict[str, str]:
        x, w = Spec.like((2, 8, 4, 4), dtype), Spec.like((8, 8, size, size), dtype)
        monkeypatch.setattr(cls, "_parts", lambda *_: (x, w, x))
        found = cls().algorithms(Case({"dy": x}, {"dx": x}), None, rule)
        return {name: why for name, way, why in found if way is None}

    return left_out


@pytest.mark.parametrize(
    "cls", [ops.Convolution, ops.ConvolutionBackwardData, ops.ConvolutionBackwardFilter]
)
def test_an_algorithm_that_is_less_exact_is_not_chosen_for_exact_numbers(
    cls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out, exact = leaving_out(cls, monkeypatch), Rule(tf32=False)
    assert list(left_out("float32", 5, exact)) == ["WINOGRAD_NONFUSED"]
    assert left_out("float32", 5) == left_out("float32", 3, exact) == {}
    assert "WINOGRAD_NONFUSED" not in left_out("float16", 5, exact)
    with errata.off("convolution-winograd-five"):
        assert left_out("float32", 5, exact) == {}


@pytest.mark.parametrize("cls", [ops.ConvolutionBackwardData, ops.ConvolutionBackwardFilter])
def test_an_algorithm_that_adds_float16_is_not_chosen(
    cls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out = leaving_out(cls, monkeypatch)
    assert list(left_out("float16")) == ["ALGO_0"]
    assert "adds parts of sums in memory as float16" in left_out("float16")["ALGO_0"]
    assert left_out("float32") == left_out("bfloat16") == {}
    with errata.off("convolution-gradient-parts-of-half"):
        assert left_out("float16") == {}


def one_pixel() -> tuple[Any, Any]:
    g = Graph("pixel", io_data_type="HALF")
    x = g.tensor((2, 8, 1, 1), strides=(8, 1, 1, 1), name="x")
    w = g.tensor((16, 8, 1, 1), layout="NHWC", name="w")
    g.output(g.relu(g.convolution(x, w)), name="y", strides=(16, 1, 1, 1))
    return g, x


def one_column() -> tuple[Any, Any]:
    g = Graph("column", io_data_type="FLOAT")
    x = g.tensor((8, 1, 8, 1), strides=(8, 1, 1, 1), name="x")
    w = g.tensor((17, 1, 1, 1), strides=(1, 1, 1, 1), name="w")
    y = g.convolution(g.relu(x), w, stride=2)
    g.output(y, name="y", strides=(68, 1, 17, 1))
    return g, y


def one_channel() -> tuple[Any, Any]:
    g = Graph("channel", io_data_type="HALF")
    x, w = g.tensor((16, 8, 8, 1), layout="NHWC"), g.tensor((8, 8, 1, 1), layout="NHWC")
    b = g.tensor((16, 1, 8, 1), strides=(8, 8, 1, 8), name="b")
    g.output(g.sub(g.convolution(x, w), b), name="y", layout="NHWC")
    return g, b


def column_with_gaps() -> tuple[Any, Any]:
    g = Graph("gaps", io_data_type="FLOAT")
    x = g.tensor((1, 8, 1), strides=(64, 4, 2), name="x")
    g.output(g.identity(x), name="y")
    return g, x


def reduced() -> tuple[Any, Any]:
    g = Graph("rows", io_data_type="FLOAT")
    x = g.tensor((4, 8, 16), name="x")
    g.output(g.reduction(x, "ADD", dims=2), name="y")
    return g, x


@pytest.mark.parametrize(
    ("record", "make"),
    [
        ("convolution-strides-of-one", one_pixel),
        ("convolution-strides-of-one", one_column),
        ("convolution-strides-of-one", one_channel),
        ("convolution-strides-of-one", column_with_gaps),
        ("matrices-some-elements", reduced),
    ],
)
def test_tensors_are_described_anew_because_of_a_record(
    record: str, make: Callable[[], tuple[Any, Any]]
) -> None:
    g, x = make()
    before = x.shape, x.strides
    with errata.off(record):
        relabel(g)
        assert (x.shape, x.strides) == before
    g, x = make()
    relabel(g)
    assert (x.shape, x.strides) != before


def test_a_single_column_has_a_stride_of_one() -> None:
    g, x = column_with_gaps()
    relabel(g)
    assert (x.shape, x.strides) == ((1, 8, 1), (64, 4, 1))


def test_columns_of_one_element_lie_around_channels() -> None:
    _, y = found = one_column()
    relabel(found[0])
    assert y.strides == (68, 1, 17, 17)


def test_axes_of_one_element_of_an_array_of_one_channel_lie_within_the_others() -> None:
    _, b = found = one_channel()
    relabel(found[0])
    assert b.strides == (8, 1, 1, 1)
    g = Graph(io_data_type="HALF")
    x, w = g.tensor((16, 8, 1, 1), layout="NHWC"), g.tensor((8, 8, 1, 1), layout="NHWC")
    b = g.tensor((16, 1, 1, 1), strides=(1, 9, 7, 5))
    g.output(g.sub(g.convolution(x, w), b), layout="NHWC")
    relabel(g)
    assert b.strides == (1, 1, 1, 1)


@pytest.mark.parametrize("gap", [0, 8])
@pytest.mark.parametrize("relu", [False, True])
def test_axes_of_one_element_lie_in_the_order_of_the_others(relu: bool, gap: int) -> None:
    """Also in arrays of an operation alone; where these have both orders, it is that of others."""
    g = Graph(io_data_type="FLOAT")
    x = g.tensor((1, 16, 3, 8, 1), strides=(24, 1, 128 + gap, 16, 8))
    dy = g.tensor((1, 1, 3, 8, 1), strides=(5, 7, 8, 1, 40))
    dw = g.convolution_backward_filter(x, dy, (1, 16, 1, 1, 1))
    dw = g.relu(dw) if relu else dw
    g.output(dw, strides=(2, 1, 3, 7, 3))
    relabel(g)
    assert x.strides == (3 * (128 + gap), 1, 128 + gap, 16, 16)
    assert dy.strides == (24, 1, 8, 1, 1)
    assert dw.strides[1] == 1


def test_axes_of_one_element_of_row_major_images_lie_by_rows() -> None:
    g = Graph(io_data_type="FLOAT")
    x = g.tensor((2, 16, 8, 1), strides=(128, 8, 1, 5))
    w = g.tensor((1, 16, 3, 1), strides=(7, 3, 1, 7))
    y = g.convolution(x, w, padding=(1, 0))
    g.output(y, strides=(8, 2, 1, 3))
    relabel(g)
    assert [each.strides for each in (x, w, y)] == [(128, 8, 1, 1), (48, 3, 1, 1), (8, 8, 1, 1)]


@pytest.mark.parametrize(
    ("of_x", "of_y", "wanted"),
    [
        ((256, 16, 1, 1), (16, 1, 1, 1), (16, 16, 1, 1)),
        ((256, 1, 16, 16), (16, 16, 1, 1), (16, 1, 1, 1)),
    ],
)
def test_arrays_that_have_both_orders_have_that_of_the_others(
    of_x: Any, of_y: Any, wanted: Any
) -> None:
    """Engines take the order from a result of one channel; its offsets and factors stay."""
    g = Graph(io_data_type="FP8_E4M3")
    x, w = g.tensor((16, 16, 16, 1), strides=of_x), g.tensor((1, 16, 1, 1))
    factor = g.tensor((1, 1, 1, 1), "FLOAT", strides=(1, 1, 1, 1))
    y = g.convolution(x, w)
    g.output(y, data_type="HALF", strides=of_y)
    g.output(g.mul(y, factor), data_type="HALF", strides=of_y)
    relabel(g)
    assert y.strides == g.outputs[1].strides == wanted
    assert (x.strides, factor.strides) == (of_x, (1, 1, 1, 1))


def test_axes_of_one_element_stay_where_the_others_have_no_usual_order() -> None:
    g = Graph(io_data_type="FLOAT")
    x = g.tensor((2, 16, 8, 4, 1), strides=(512, 1, 16, 128, 5))
    w = g.tensor((8, 16, 1, 1, 1), layout="NDHWC")
    g.output(g.convolution(x, w), layout="NDHWC")
    relabel(g)
    assert x.strides == (512, 1, 16, 128, 5)


@pytest.mark.parametrize(
    ("strides", "wanted"),
    [
        ((16, 2, 1, 16), (16, 2, 1, 1)),
        ((16, 1, 8, 1), (16, 1, 8, 8)),
        ((16, 2, 1, 1), (16, 2, 1, 1)),
    ],
)
def test_columns_of_filters_have_the_strides_of_an_order(strides: Any, wanted: Any) -> None:
    g = Graph(io_data_type="FLOAT")
    dw = g.convolution_backward_filter(g.tensor((4, 8, 8, 6)), g.tensor((4, 5, 7, 6)), (5, 8, 2, 1))
    g.output(dw, strides=strides)
    relabel(g)
    assert dw.strides == wanted


def test_images_are_searched_for_gaps_after_one_that_lies_in_no_memory() -> None:
    def image(strides: tuple[int, ...], *, is_virtual: bool = False) -> Any:
        values = {"dimensions": (2, 4, 3, 3), "strides": strides, "is_virtual": is_virtual}
        return SimpleNamespace(_values=values)

    class ConvolutionForward(SimpleNamespace):
        pass

    (condition,) = CONDITIONS["images with gaps"].either
    dense, loose, repeated = (36, 1, 12, 4), (72, 1, 24, 8), (0, 1, 12, 4)
    for x, y, found in (
        (image(dense), image(dense), False),
        (image(dense), image(loose), True),
        (image(repeated), image(dense), True),
        (image(repeated, is_virtual=True), image(loose), True),
        (image(loose, is_virtual=True), image(dense), False),
    ):
        given: Any = ConvolutionForward(_values={"x": x, "y": y})
        assert (
            judging.holds(condition, "ConvolutionForward", definitions.Graph([given], {})) is found
        )


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, {1, 2, 7}),
        ({"results": "HALF"}, {1, 2, 4, 7}),
        ({"outputs": "z"}, {1, 2, 7}),
        ({"kind": "FLOAT"}, {1, 2}),
        ({"columns": False}, {1}),
        ({"row": (1, 8, 16)}, set()),
        ({"row": (1, 1, 1)}, set()),
        ({"made": False, "outputs": "z"}, set()),
    ],
)
def test_rows_beside_results_by_columns(changed: Any, wrong: set[int]) -> None:
    how = {
        "kind": "HALF", "results": "FLOAT", "outputs": "qz", "columns": True, "row": (1, 1, 16),
        "made": True, **changed,
    }  # fmt: skip
    g = Graph(io_data_type=how["kind"])
    product = g.tensor((1, 8, 24)) @ g.tensor((1, 24, 16))
    row = g.tensor(how["row"])
    q = g.tanh(row) if how["made"] else row
    if "q" in how["outputs"]:
        g.output(q, data_type=how["results"])
    order = (128, 1, 8) if how["columns"] else None
    g.output(g.mul(product, q), data_type=how["results"], strides=order)
    computation = g.computation(device=DeviceProperties("H200"))
    assert {1, 2, 4, 7}.intersection(wrong_engines(computation)) == wrong


@pytest.mark.parametrize("channels", [1, 16])
def test_numbers_of_pixels_beside_a_convolution_are_no_results_of_it(channels: int) -> None:
    g = Graph(io_data_type="HALF")
    y = g.convolution(
        g.tensor((2, 16, 8, 8), layout="NHWC"), g.tensor((16, 16, 1, 1), layout="NHWC")
    )
    q = g.tanh(g.tensor((2, channels, 8, 8), layout="NHWC"))
    g.output(q, data_type="FLOAT", layout="NHWC")
    g.output(g.mul(y, q), data_type="FLOAT", layout="NHWC")
    if channels > 1:
        relabel(g)
        return
    with pytest.raises(errors.NotSupportedError, match="one element along the innermost"):
        relabel(g)
