"""A graph refuses wrong input in words that help; a refused call has no effect."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph


def graph_of_one() -> tuple[Graph, Any]:
    g = Graph("g", io_data_type="HALF")
    return g, g.tensor((8, 64, 56, 56), name="x")


Refused = tuple[Callable[[Any, Any], object], str, str]


def called(name: str) -> Refused:
    """Return a tensor with a name that is an argument of calls, and what is said of it."""
    said = f"name: '{name}' is an argument of each call of a plan"
    return lambda g, _: g.tensor((4,), name=name), said, f"for example {name}_"


#: Wrong calls, and their errors.
REFUSED: dict[str, Refused] = {
    "text": (lambda g, _: g.relu("x"), "RELU_FWD x: expected a tensor, got 'x'", ""),
    "None": (lambda g, _: g.relu(None), "RELU_FWD x: expected a tensor, got None", ""),
    "a graph's name": (lambda g, _: type(g)(name=7), "name: expected a text, got 7", ""),
    "half of a character": (lambda g, _: type(g)(name="\ud800"), "name: expected a text, got", ""),
    "a word of no composite": (
        lambda g, _: g.lowered(composites="gelu"),
        "composites: expected a sequence of names, got 'gelu'",
        "",
    ),
    "one tensor for several": (
        lambda g, x: g.batch_norm(x, x, x, peer_statistics=4),
        "norm_forward peer_statistics: expected a sequence of tensors, got 4",
        "",
    ),
    "an index that is no number": (
        lambda g, x: g.concatenate([x, x], 1, in_place_index="a"),
        "in_place_index: expected a whole number, got 'a'",
        "",
    ),
    "a handle that is none": (
        lambda g, x: (g.output(g.relu(x)), g.build(handle="h")),
        "handle: expected a Handle, got a str",
        "Handle.from_address",
    ),
    "list": (lambda g, x: g.relu([x]), "RELU_FWD x: expected a tensor, got a list", ""),
    "no shape": (lambda g, x: g.expand(x, None), "expand shape: expected integers, got None", ""),
    "no shape of a band": (
        lambda g, x: g.expand_band_matrix(x, None, lower=1, upper=1, axis=3),
        "expand_band_matrix shape: expected integers, got None",
        "",
    ),
    "no shape of its band": (
        lambda g, x: g.contract_band_matrix(x, None, lower=1, upper=1, axis=3),
        "contract_band_matrix shape: expected integers, got None",
        "",
    ),
    "no order": (lambda g, x: g.transpose(x, None), "permutation: expected integers, got None", ""),
    "a flag": (
        lambda g, x: g.attention(x, x, x, stats="no"),
        "attention stats: expected True or False, got 'no'",
        "",
    ),
    "a flag of a gradient": (
        lambda g, x: g.attention_backward(x, x, x, x, x, x, dbias="no"),
        "attention_backward dbias: expected True or False, got 'no'",
        "",
    ),
    "another flag of it": (
        lambda g, x: g.attention_backward(x, x, x, x, x, x, dsink="no"),
        "attention_backward dsink: expected True or False, got 'no'",
        "",
    ),
    "number": (lambda g, x: g.matmul(x, 3.0), "matmul b: expected a tensor, got 3.0", ""),
    "two numbers": (lambda g, _: g.add(1.0, 2.0), "expected a tensor at least", ""),
    "several results": (
        lambda g, x: g.matmul(g.layer_norm(x, None, None), x),
        "matmul a: expected a tensor, got a NormResults",
        "pass one of its tensors: y, mean",
    ),
    "several results, of an operator": (
        lambda g, x: x + g.layer_norm(x, None, None),
        "ADD b: expected a tensor or number, got a NormResults",
        "pass one of its tensors: y, mean",
    ),
    "reduction": (lambda g, x: g.reduction(x, "MIX"), "got 'MIX'", "ADD, MUL, MIN, MAX"),
    "pooling": (lambda g, x: g.resample(x, "max", window=3), "got 'max'", "MAXPOOL"),
    "padding of a number and a pair": (
        lambda g, x: g.resample(x, "MAXPOOL", window=3, padding=[(1, 1), (1, 1), 1]),
        "expected 2 pairs (before, after), got [(1, 1), (1, 1), 1]",
        "",
    ),
    "padding mode": (
        lambda g, x: g.resample(x, "MAXPOOL", window=3, padding_mode="same"),
        "got 'same'",
        "ZERO_PAD",
    ),
    "rank, a text": (lambda g, _: g.scalar(1.0, rank="two"), "rank: expected integers", ""),
    "rank below 1": (
        lambda g, _: g.scalar(1.0, rank=0),
        "rank: expected numbers from 1 on, got (0,)",
        "",
    ),
    "rank above 8": (lambda g, _: g.scalar(1.0, rank=9), "rank: expected at most 8, got 9", ""),
    "ragged_multiplier": (
        lambda g, x: g.tensor((2, 3), ragged_offset=x, ragged_multiplier="two"),
        "ragged_multiplier: expected integers",
        "",
    ),
    "extents of more than 63 bits": (
        lambda g, _: g.tensor((4, 1 << 63), name="big"),
        "tensor big: shape: expected numbers of at most 63 bits, got (4, 9223372036854775808)",
        "",
    ),
    "negative strides": (
        lambda g, _: g.tensor((4, 4), strides=(-4, 1), name="back"),
        "tensor back: strides: expected numbers from 0 on, got (-4, 1)",
        "",
    ),
    "strides of more than 63 bits": (
        lambda g, _: g.tensor((4, 4), strides=(1 << 70, 1), name="far"),
        "tensor far: strides: expected numbers of at most 63 bits, got (1180591620717411303424, 1)",
        "",
    ),
    "an id below 0": (
        lambda g, _: g.tensor((4,), uid=-1),
        "uid: expected numbers from 0 on, got (-1,)",
        "",
    ),
    "a large id": (
        lambda g, _: g.tensor((4,), uid=(1 << 63) - 1),
        "uid: expected at most 46116860184",
        "",
    ),
    **{f"called {name}": called(name) for name in ("handle", "stream", "workspace")},
    "a result called stream": (
        lambda g, x: g.output(g.relu(x), name="stream"),
        "name: 'stream' is an argument of each call of a plan",
        "",
    ),
    "a fraction of padding": (
        lambda g, x: g.convolution(x, x, padding=1.5),
        "padding: expected integers, got 1.5",
        "",
    ),
    "a word for a boolean": (
        lambda g, x: g.convolution(x, x, flip="no"),
        "flip: expected True or False, got 'no'",
        "",
    ),
    "a word for a boolean option": (
        lambda g, x: g.attention(x, x, x, stats_log2="no"),
        "stats_log2: expected True or False, got 'no'",
        "",
    ),
    "a word for a virtual tensor": (
        lambda g, _: g.tensor((4,), virtual="no"),
        "virtual: expected True or False, got 'no'",
        "",
    ),
    "a word for whether sums come": (
        lambda g, x: g.softmax(x, statistics="no"),
        "statistics: expected True or False, got 'no'",
        "",
    ),
    "a word for whether a graph may be split": (
        lambda g, _: g.build(split="no"),
        "split: expected True or False, got 'no'",
        "",
    ),
    "a number for a boolean of a reduction": (
        lambda g, x: g.reduction(x, "add", deterministic=2),
        "deterministic: expected True or False, got 2",
        "",
    ),
    "a dimension": (
        lambda g, x: g.gen_index(x, 4),
        "GEN_INDEX axis: expected a dimension of 4, got 4",
        "",
    ),
    "no dimension": (
        lambda g, x: g.pointwise("GEN_INDEX", x),
        "GEN_INDEX axis: expected a dimension of 4, got None",
        "",
    ),
    "a dimension of blocks": (
        lambda g, x: g.block_scale_quantize(x, 32, axis=4),
        "block_scale_quantize axis: expected a dimension of 4, got 4",
        "",
    ),
    "blocks of nothing": (
        lambda g, x: g.block_scale_quantize(x, 0),
        "block_size: expected numbers from 1 on, got (0,)",
        "",
    ),
    "another mode's option": (
        lambda g, x: g.pointwise("ELU_FWD", x, upper_clip=6.0),
        "ELU_FWD: no option 'upper_clip'",
        "one of alpha1, alpha2, elu_alpha, nan_propagation",
    ),
    "filters of groups": (
        lambda g, x: g.convolution_backward_data(
            x, g.tensor((64, 5, 1, 1), name="w"), shape=(8, 15, 56, 56)
        ),
        "64 filters are not a multiple of the 3 groups",
        "",
    ),
    "a shape beside strides": (
        lambda g, x: g.resample(x, "BILINEAR", stride=2, shape=(8, 64, 28, 28)),
        "expected a shape, or stride and padding, got both",
        "",
    ),
    "the gradient of another pooling": (
        lambda g, x: g.resample_backward(
            x, "AVGPOOL_INCLUDE_PADDING", shape=(8, 64, 112, 112), window=2, stride=3
        ),
        "expected dy to be (8, 64, 37, 37) for an input (8, 64, 112, 112): x (8, 64, 56, 56)",
        "",
    ),
    "indices of another pooling": (
        lambda g, x: g.resample_backward(
            *(x, "MAXPOOL"),
            index=g.tensor((8, 64, 56, 28), "INT8", name="i"),
            shape=(8, 64, 112, 112),
            window=2,
            stride=2,
        ),
        "expected index to be (8, 64, 56, 56) for an input (8, 64, 112, 112): i (8, 64, 56, 28)",
        "",
    ),
    "indices of large windows": (
        lambda g, x: g.resample_backward(
            *(x, "MAXPOOL"),
            index=g.tensor((8, 64, 56, 56), "INT8", name="i"),
            shape=(8, 64, 67, 67),
            window=12,
        ),
        "INT8 has no room for positions in windows (12, 12): i",
        "",
    ),
    "statistics of other channels": (
        lambda g, x: g.norm_backward("batch", x, x, x, g.tensor((1, 32, 1, 1), name="m"), x),
        "expected mean to repeat to the shape of the input: x (8, 64, 56, 56) and m (1, 32, 1, 1)",
        "",
    ),
    "a running variance of one number": (
        lambda g, _: g.batch_norm(
            *(g.tensor((1, 8, 1, 1), name=name) for name in ("z", "scale", "bias")),
            running_mean=g.tensor((1, 8, 1, 1)),
            running_variance=g.tensor((1, 8, 1, 1)),
            momentum=0.1,
        ),
        "expected several numbers for each running variance: z (1, 8, 1, 1)",
        "",
    ),
    "a scale for each head": (
        lambda g, x: g.attention(x, x, x, scale=g.tensor((1, 64, 1, 1), "FLOAT", name="s")),
        "attention: expected scale to be (1, 1, 1, 1): scale is s (1, 64, 1, 1)",
        "",
    ),
    "a seed with fractions": (
        lambda g, x: g.attention(
            *(x, x, x), dropout=0.1, seed=g.tensor((1, 1, 1, 1), "FLOAT"), offset=0
        ),
        "attention: seed is INT64 or INT32, got FLOAT",
        "",
    ),
    "window": (
        lambda g, x: g.attention(x, x, x, window=3),
        "attention: window is (left, right), got 3",
        "",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    g, x = graph_of_one()
    call, message, hint = REFUSED[name]
    with pytest.raises((errors.ArgumentError, errors.ShapeMismatchError)) as caught:
        call(g, x)
    assert message in str(caught.value)
    assert hint in (caught.value.hint or "")


#: Values that few arguments take.
WRONG: tuple[object, ...] = ("nonsense", 1.5, object(), [1, "a"], {}, 1 << 70)

#: Methods that take records, whose callers are other methods.
_OF_RECORDS = ("add_node", "add_generic", "add_tensor")

METHODS = [
    name
    for name, each in inspect.getmembers(Graph, inspect.isfunction)
    if name[0] != "_" and name not in (*_OF_RECORDS, "build", "candidates", "autotune")
]


@pytest.mark.parametrize("method", METHODS)
def test_wrong_values_raise_errors_of_this_package(method: str) -> None:
    parameters = inspect.signature(getattr(Graph, method)).parameters.copy()
    del parameters["self"]
    required = [n for n, each in parameters.items() if each.default is each.empty]
    for name, each in parameters.items():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) or "operands" in parameters:
            continue
        for value in WRONG:
            g = Graph(io_data_type="HALF")
            given = {n: g.tensor((2, 8, 16, 16)) for n in required if n != "settings"}
            with contextlib.suppress(errors.CudnnError):
                getattr(g, method)(**{**given, name: value})


def state_of(g: Graph) -> object:
    """Return what a graph has, but for the names that errors give to what is there."""
    tensors, nodes = [*map(id, g.tensors.values())], [*map(id, g.nodes)]
    producers = [id(each.producer) for each in g.tensors.values()]
    strangers = [name for name, each in g.by_name.items() if id(each) not in (*tensors, *nodes)]
    return tensors, producers, nodes, strangers, [*map(id, g.outputs)], g.next_uid


@pytest.mark.parametrize("method", [*METHODS, "tensor", "scalar", "constant"])
def test_a_refused_call_leaves_nothing(method: str) -> None:
    """As in a notebook, whose cell is corrected and run again."""
    parameters = inspect.signature(getattr(Graph, method)).parameters.copy()
    del parameters["self"]
    required = [n for n, each in parameters.items() if each.default is each.empty]
    settings = {"name": "1 x", "data_type": "HALVE", "strides": (1,), "layout": "LAYOUT"}
    for name, value in [*settings.items(), *((n, w) for n in parameters for w in WRONG)]:
        if parameters.get(name, parameters[required[0]] if required else None) is None:
            continue
        g = Graph(io_data_type="HALF")
        x = g.relu(g.tensor((2, 8, 16, 16), name="x"), name="relu")
        given: dict[str, Any] = dict.fromkeys((n for n in required if n != "settings"), x)
        before = state_of(g)
        try:
            getattr(g, method)(**{**given, name: value})
        except errors.CudnnError:
            assert state_of(g) == before, (name, value)
        except TypeError:
            assert name in settings  # which not all methods take


#: Calls of `operation` that are refused after it has begun.
REFUSED_OPERATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a name": ({"name": "1 x"}, "name: expected letters"),
    "no such attribute": ({"foo": 1}, "has no attribute 'foo'"),
    "no such result": ({"outputs": {"ydesc": (4, 4), "zdesc": (4, 4)}}, "no attribute 'zdesc'"),
    "a shape": ({"outputs": {"ydesc": (4, 4), "xdesc": "a"}}, "xdesc: expected integers, got 'a'"),
    "no mapping": ({"outputs": 3}, "outputs: expected a dict of a result at least"),
    "no result": ({"outputs": {}}, "outputs: expected a dict of a result at least"),
    "another graph's": ({"xdesc": Graph().tensor((4, 4))}, "a tensor of another graph"),
    "no descriptor": ({"descriptor": 3}, "expected the class of an operation's descriptor, got 3"),
    "a class of others": (
        {"descriptor": type("Own", (), {"c_name": "CUDNN_BACKEND_OPERATION_OWN_DESCRIPTOR"})},
        "expected the class of an operation's descriptor, got <class",
    ),
    "no text as C name": (
        {"descriptor": type("Own", (), {"c_name": 3})},
        "expected the class of an operation's descriptor, got <class",
    ),
}


@pytest.mark.parametrize("case", REFUSED_OPERATIONS)
def test_a_refused_operation_leaves_nothing(case: str) -> None:
    changes, message = REFUSED_OPERATIONS[case]
    g = Graph("g")
    x = g.tensor((4, 4), name="x")
    given = {"descriptor": "OperationReductionDescriptor", "outputs": {"ydesc": (4, 4)}, "xdesc": x}
    before = state_of(g)
    with pytest.raises(errors.CudnnError) as caught:
        g.operation(**given | changes)
    assert message in str(caught.value)
    assert state_of(g) == before
    g.output(g.relu(x), name="y")
    g.check()


def test_results_of_a_refused_operation_are_free_again() -> None:
    g = Graph("g")
    x, y = g.tensor((4, 4), name="x"), g.tensor((4, 4), virtual=True, name="v")
    taken = g.relu(x)
    results = {"ydesc": y, "xdesc": taken}
    with pytest.raises(errors.GraphError, match="computes already"):
        g.operation("OperationReductionDescriptor", xdesc=x, outputs=results)
    assert y.producer is None
    made = g.operation("OperationReductionDescriptor", xdesc=x, outputs={"ydesc": y})
    assert made is y
    assert y.producer is g.nodes[-1]


def test_settings_of_an_output_hold_all_or_none() -> None:
    g, x = graph_of_one()
    y = g.relu(x)
    wrong: list[dict[str, Any]] = [
        {"data_type": "HALVE"}, {"strides": (1,)}, {"layout": "LAYOUT"}, {"alignment": 3},
    ]  # fmt: skip
    for each in wrong:
        for function in (g.output, g.workspace) if "data_type" in each else (g.output,):
            more = {"name": "y"} if function == g.output else {}
            before = (y._name, y.given_type, y.strides, y.alignment, y.is_virtual)
            with pytest.raises(errors.ArgumentError):
                function(y, **more, **each)
            assert (y._name, y.given_type, y.strides, y.alignment, y.is_virtual) == before
    assert g.output(y, name="y").name == "y"


def test_a_refused_call_leaves_no_operand() -> None:
    """As in a notebook, whose cell is corrected and run again."""
    g, x = graph_of_one()
    for wrong in (
        lambda: g.pointwise("ADD", x, 2.0, slop=0.1),  # type: ignore[call-arg]
        lambda: g.pointwise("RELU_FWD", 2.0, x),
        lambda: g.layer_norm(x, x, epsilon=2.0, data_type="HALVE"),
    ):
        with pytest.raises(errors.CudnnError):
            wrong()
    g.output(g.relu(x * 3.0), name="y")
    g.check()
    lowered = g.lowered("9.19.0")
    assert [t.value for t in lowered.tensors.values() if t.by_value] == [3.0]


def test_a_refused_score_leaves_nothing() -> None:
    g = Graph("g", io_data_type="HALF")
    q, k, v = (g.tensor((1, 2, 64, 32), name=name) for name in "qkv")
    outer = g.relu(q, name="outer")
    functions: list[Any] = [
        lambda g, x: g.tanh(x * 2.0).name,
        lambda g, x: g.tanh(x * 2.0, name="bend") + q,
        lambda g, x: g.output(g.tanh(x, name="bend"), name="bent"),
        lambda g, x: g.reduction(g.tanh(x, name="bend"), "ADD", dims=3),
        lambda g, x: (g.output(g.tanh(x), name="bent"), g.tanh(x, name="1 x")),
        lambda g, x: (g.output(outer), g.tanh(x, name="1 x")),
    ]
    before = state_of(g)
    for wrong in functions:
        with pytest.raises(errors.CudnnError):
            g.attention(q, k, v, score=wrong)
        assert state_of(g) == before
        assert not outer.is_output
    g.output(g.attention(q, k, v, score=lambda g, x: g.tanh(x, name="bend")), name="o")
    g.check()


@pytest.mark.parametrize("rank", range(1, 6))
def test_tensors_of_any_rank(rank: int) -> None:
    """An operand that does not fit an operation is refused in words, or finalized by nobody."""
    calls: list[Callable[[Any, Any], Any]] = [
        lambda g, t: g.paged_cache_load(t(), t("INT32"), t("INT32")),
        lambda g, t: g.moe_grouped_matmul(t(), t(), t("INT32")),
        lambda g, t: g.moe_grouped_matmul(
            t(), t(), t("INT32"), mode="GATHER", token_index=t("INT32")
        ),
        lambda g, t: g.moe_grouped_matmul_backward(t(), t(), t("INT32")),
        lambda g, t: g.batch_norm(t(), t(), t()),
        lambda g, t: g.instance_norm(t(), t(), t()),
        lambda g, t: g.layer_norm(t(), t(), t()),
        lambda g, t: g.norm_backward("batch", t(), t(), t(), t(), t()),
        lambda g, t: g.gen_stats(t()),
        lambda g, t: g.bn_bwd_weights(t(), t(), t(), t(), t()),
        lambda g, t: g.resample(t(), "MAXPOOL", window=2, index=True),
        lambda g, t: g.resample_backward(t(), "MAXPOOL", x=t(), index=t("INT8"), window=2),
        lambda g, t: g.convolution(t(), t(), padding=1),
        lambda g, t: g.convolution_backward_data(t(), t(), padding=1),
        lambda g, t: g.convolution_backward_filter(t(), t(), (4, 4, 4, 4)),
        lambda g, t: g.matmul(t(), t()),
        lambda g, t: g.softmax(t(), sink=g.tensor((4,) * rank), statistics=True),
        lambda g, t: g.block_scale_quantize(t(), 4),
        lambda g, t: g.attention(t("HALF"), t("HALF"), t("HALF")),
        lambda g, t: g.attention_backward(*[t("HALF") for _ in range(5)], t()),
    ]
    refused = 0
    for call in calls:
        g = Graph()
        try:
            made = call(g, lambda kind="FLOAT": g.tensor((4,) * rank, kind))  # noqa: B023
        except errors.CudnnError:
            refused += 1
            continue
        for each in made if isinstance(made, tuple) else (made,):
            if each is not None:
                g.output(each)
        assert Graph.from_json(g.to_json()) == g
    assert 0 < refused < len(calls)


def test_whole_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    g, x = graph_of_one()
    one, two = numpy.int64(1), numpy.int32(2)
    w = g.tensor((8, 64, 3, 3))
    assert g.convolution(x, w, padding=one, stride=two).shape == (8, 8, 28, 28)
    assert g.convolution(x, w, padding=[one, 0], dilation=numpy.array([1, 1])).shape[2:] == (56, 54)
    assert g.reduction(x, dims=one).shape == (8, 1, 56, 56)
    assert g.reduction(x, dims=numpy.array([-1, 0])).shape == (1, 64, 56, 1)
    assert g.concatenate([x, x], one).shape == (8, 128, 56, 56)
    node = g.gen_index(x, numpy.int64(-1)).producer
    assert node is not None
    assert node.options["axis"] == 3


def test_composites_of_what_is_not_there() -> None:
    g, x = graph_of_one()
    g.output(g.softmax(x, name="weights"))
    for known in ("softmax", "relu_fwd", "weights", "matmul"):
        g.copy().lowered("9.28.0", composites=(known,))
    with pytest.raises(
        errors.ArgumentError, match="composites: 'sofmax' is no operation"
    ) as caught:
        g.lowered("9.28.0", composites=("sofmax",))
    assert "softmax" in caught.value.hint


def test_what_is_inside_a_function_of_scores_stays_there() -> None:
    g = Graph("g", io_data_type="HALF")
    q = g.tensor((1, 2, 64, 32), name="q")
    inner: list[Any] = []

    def score(g: Any, x: Any) -> Any:
        inner.append(g.tanh(x, name="bend"))
        return inner[0] * 2.0

    g.output(g.attention(q, q, q, score=score), name="o")
    calls: list[Callable[[], Any]] = [
        lambda: g.output(inner[0]),
        lambda: g.relu(inner[0]),
        lambda: inner[0] + 1.0,
    ]
    for call in calls:
        with pytest.raises(
            errors.GraphError, match=r"bend_y.* a tensor inside a function of scores"
        ):
            call()
    g.check()


def test_a_number_for_each_call_has_to_be_read() -> None:
    g, x = graph_of_one()
    g.output(g.relu(x))
    g.scalar(name="s")
    with pytest.raises(errors.GraphError, match="no node reads the input s"):
        g.check()


@pytest.mark.parametrize("strides", [(0, 0, 0), (1, 1, 1), (128, 64, 1), (8192, 128, 0)])
def test_outputs_do_not_overlap(strides: tuple[int, ...]) -> None:
    g = Graph("g")
    y = g.relu(g.tensor((2, 64, 128)))
    g.output(y, name="y", strides=strides)
    with pytest.raises(errors.GraphError, match=r"graph g: elements of the output y.* overlap"):
        g.check()


@pytest.mark.parametrize("strides", [(8192, 128, 1), (8192, 1, 64), (1, 256, 2), (20000, 200, 1)])
def test_strides_of_outputs(strides: tuple[int, ...]) -> None:
    g = Graph("g")
    g.output(g.relu(g.tensor((2, 64, 128))), name="y", strides=strides)
    g.check()


def test_axes_of_one_element_have_any_stride() -> None:
    g = Graph("g")
    g.output(g.relu(g.tensor((1, 64, 1))), name="y", strides=(0, 1, 0))
    g.check()


def test_tensors_that_no_memory_holds() -> None:
    for shape, strides in (((1 << 30, 1 << 30), None), ((2, 2), (1 << 60, 1))):
        g = Graph()
        x = g.tensor(shape, strides=strides, name="x")
        g.output(g.relu(x), name="y")
        with pytest.raises(errors.GraphError, match=r"of x\[.* reach beyond 64-bit"):
            g.check()


def test_offsets_of_a_tensor_count_as_read() -> None:
    g = Graph(io_data_type="HALF")
    offsets = g.tensor((3, 1, 1, 1), "INT32", name="offsets")
    x = g.tensor((2, 4, 128, 64), ragged_offset=offsets)
    g.output(g.relu(x))
    g.check()
    g.tensor((3, 1, 1, 1), "INT32", name="others")
    with pytest.raises(errors.GraphError, match="no node reads the input others"):
        g.check()
