"""Composites in the place of operations that a release lacks, and shapes that engines take."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, cast

import pytest
from cudnn_cffi import errata, errors
from cudnn_cffi.graph import Graph


def kinds(graph: Graph) -> list[str]:
    return [node.word for node in graph.nodes]


def softmax(**settings: Any) -> Graph:
    g = Graph(**settings)
    results = g.softmax(g.tensor((2, 4, 8, 8), "HALF", name="x"), statistics=True, name="sm")
    g.output(results.y, name="y")
    g.output(results.stats, name="stats")
    return g


def test_a_release_with_the_operation_keeps_it() -> None:
    assert kinds(softmax().lowered("9.20.0")) == ["softmax"]


def test_a_release_without_it_gets_a_composite() -> None:
    g = softmax()
    lowered = g.lowered("9.19.0")
    parts = ["reduction", "sub", "exp", "reduction", "div", "log", "add"]
    assert kinds(lowered) == parts
    assert kinds(g) == ["softmax"]
    # Operands are the same, and parts have the node's name.
    for tensor in g.tensors.values():
        assert lowered.tensors[tensor.uid].name == tensor.name
        assert lowered.tensors[tensor.uid].role == tensor.role
    assert all(node.name.startswith("sm.") for node in lowered.nodes)
    assert "sm.exp" in str(lowered)
    lowered.check()


def test_a_composite_can_be_forced() -> None:
    for graph in (
        softmax().lowered("9.28.0", composites=("softmax",)),
        softmax(composites=("softmax",)).lowered("9.28.0"),
        softmax().lowered("9.28.0", composites=("sm",)),
    ):
        assert "softmax" not in kinds(graph)
    g = Graph()
    g.output(g.relu(g.tensor((2, 3))))
    with pytest.raises(errors.ArgumentError, match="no composite"):
        g.lowered("9.28.0", composites=("relu_fwd",))


def test_what_no_composite_does_says_since_when_there_is_one() -> None:
    g = Graph()
    g.output(g.rope(g.tensor((2, 4, 8, 8)), g.tensor((1, 1, 8, 8)), name="turn"))
    with pytest.raises(errors.NotSupportedError, match=r"turn .*ROPE_FWD.* added in 9\.24\.0"):
        g.lowered("9.19.0")
    assert kinds(g.lowered("9.24.0")) == ["rope_forward"]


def test_a_data_type_that_a_release_lacks_names_the_tensor() -> None:
    g = Graph()
    g.output(g.relu(g.tensor((2, 3, 4), "FP4_E2M1", name="tiny")))
    with pytest.raises(errors.NotSupportedError, match="tiny"):
        g.lowered("9.0.0")


def test_a_mode_that_a_release_lacks() -> None:
    g = Graph()
    x = g.tensor((2, 3, 4))
    g.output(g.atan2(x, x, name="angle"))
    with pytest.raises(errors.NotSupportedError, match=r"angle .*ATAN2 was added in 9\.1\.0"):
        g.lowered("8.9.7")


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(errors.ArgumentError, match=r"one of 8\.5\.0 to .*, got '9\.99\.0'"):
        softmax().lowered("9.99.0")


class TestViews:
    def test_an_input_is_sliced_by_its_address(self) -> None:
        g = Graph()
        x = g.tensor((4, 8, 16), "HALF", name="x")
        g.output(g.relu(g.slice(x, (1, 2, 4), (3, 8, 16), (1, 2, 1))), name="y")
        lowered = g.lowered()
        assert kinds(lowered) == ["relu_fwd"]
        (view,) = [each for each in lowered.tensors.values() if each.base is not None]
        assert view.shape == (2, 3, 12)
        assert view.strides == (128, 32, 1)
        assert view.offset == 1 * 128 + 2 * 16 + 4
        assert view.alignment == 8

    def test_an_input_is_transposed_by_its_strides(self) -> None:
        g = Graph()
        x, b = g.tensor((2, 8, 4), "HALF", name="x"), g.tensor((2, 8, 3), "HALF")
        g.output(g.transpose(x, (0, 2, 1)) @ b)
        lowered = g.lowered()
        assert kinds(lowered) == ["matmul"]
        a = lowered.nodes[0].inputs["a"]
        assert (a.shape, a.strides, a.data_type) == ((2, 4, 8), (32, 1, 4), "HALF")

    def test_what_is_computed_has_no_address(self) -> None:
        g = Graph()
        x = g.relu(g.tensor((4, 8)), name="first")
        g.output(g.slice(x, (0, 0), (2, 8), name="part"))
        with pytest.raises(errors.NotSupportedError, match=r"part .*first_y is computed"):
            g.lowered("9.19.0")

    def test_a_view_ends_in_its_input(self) -> None:
        g = Graph()
        x = g.tensor((4, 8), name="x")
        assert g.view(x, (4, 4), (8, 1), 4).offset == 4
        with pytest.raises(errors.ShapeMismatchError, match="x"):
            g.view(x, (4, 4), (8, 1), 5)

    def test_a_view_of_a_ragged_tensor_is_ragged(self) -> None:
        g = Graph()
        offset = g.tensor((3, 1, 1, 1), "INT32", name="offset")
        x = g.tensor((2, 4, 64, 32), "HALF", ragged_offset=offset, ragged_multiplier=8)
        y = g.tensor((2, 4, 64, 32), "HALF", ragged_offset=offset)
        g.output(y @ g.transpose(x, (0, 1, 3, 2)))
        b = g.lowered().nodes[0].inputs["b"]
        assert b.base is not None
        assert b.ragged_offset is not None
        assert (b.ragged_offset.name, b.ragged_multiplier) == ("offset", 8)

    def test_vectors_of_elements_are_no_matter_of_strides(self) -> None:
        g = Graph()
        x = g.tensor((2, 8, 4, 4), "INT8", vectorization=(4, 1), name="x")
        for shape, offset in (((2, 4, 4, 4), 0), (x.shape, 1)):
            with pytest.raises(errors.NotSupportedError, match="strides alone do not tell"):
                g.view(x, shape, x.strides, offset)
        g.output(g.relu(x))
        assert g.lowered().tensors[x.uid].shape == x.shape

    def test_an_array_of_vectors_that_is_two_operands(self) -> None:
        """Each has a tensor of the same memory, in which elements lie as in the other."""
        g = Graph(compute_data_type="INT32")
        x = g.tensor((8, 8, 1, 1), "INT8", vectorization=(4, 1), name="x")
        g.output(g.convolution(x, x), data_type="INT32")
        one, other = g.lowered("9.19.0").nodes[0].inputs.values()
        assert (one.uid, other.base) == (x.uid, one)
        assert (other.shape, other.strides, other.vectorization) == (x.shape, x.strides, (4, 1))

    def test_a_view_begins_at_a_byte(self) -> None:
        g = Graph()
        x = g.tensor((4, 64), "FP4_E2M1", name="x")
        assert g.view(x, (4, 32), (64, 1)).alignment == 16
        with pytest.raises(errors.NotSupportedError, match="x: several elements of FP4_E2M1 share"):
            g.view(x, (4, 32), (64, 1), 32)


class TestScalars:
    def test_minus_infinity_is_the_lowest_number_where_releases_want_that(self) -> None:
        g = Graph()
        g.output(g.max(g.tensor((2, 3, 4)), float("-inf")))

        def value(release: str) -> Any:
            (number,) = [t.value for t in g.lowered(release).tensors.values() if t.by_value]
            return number

        assert value("9.9.0") == -3.4028234663852886e38
        assert value("9.10.0") == float("-inf")

    def test_constants_are_passed_by_value_where_there_are_none(self) -> None:
        g = Graph()
        g.output(g.tensor((2, 3, 4)) * g.constant(2.0, name="two"))

        def constant(release: str) -> bool:
            return next(t for t in g.lowered(release).tensors.values() if t.by_value).is_constant

        assert not constant("9.12.0")
        assert constant("9.28.0")


class TestReductions:
    @pytest.mark.parametrize(
        ("mode", "parts"),
        [
            ("AVG", ["mul", "reduction"]),
            ("NORM1", ["abs", "reduction"]),
            ("NORM2", ["mul", "reduction", "sqrt"]),
            ("ADD", ["reduction"]),
        ],
    )
    def test_those_that_no_descriptor_takes(self, mode: str, parts: list[str]) -> None:
        g = Graph()
        g.output(g.reduction(g.tensor((2, 3, 4, 5), layout="NHWC"), mode, dims=1))
        assert kinds(g.lowered()) == parts


class TestShapesThatEnginesTake:
    @pytest.mark.parametrize("layout", ["NCHW", (1, 0, 2, 3), (0, 3, 1, 2)])
    def test_pointwise_graphs_become_rows(self, layout: Any) -> None:
        g = Graph()
        x = g.tensor((2, 3, 4, 5), layout=layout, name="x")
        g.output(g.relu(x + 1.0), name="y")
        lowered = g.lowered()
        assert {each.shape for each in lowered.tensors.values()} == {(1, 1, 120), (1, 1, 1)}
        assert {each.strides for each in lowered.tensors.values()} == {(120, 120, 1), (1, 1, 1)}

    @pytest.mark.parametrize(
        ("size", "shape"),
        [
            (8 * 65535, (1, 1, 524280)),
            (1 << 19, (1, 8, 65536)),
            (737280, (1, 12, 61440)),
            (1000003, (1, 1000003, 1)),  # a prime number
        ],
    )
    def test_long_rows_are_cut(self, size: int, shape: tuple[int, ...]) -> None:
        """A grid of CUDA has 65,535 blocks of 8 elements along a row."""
        g = Graph()
        x = g.tensor((size,), name="x")
        g.output(g.relu(x), name="y")
        assert g.lowered().tensors[x.uid].shape == shape

    def test_what_is_repeated_makes_an_image(self) -> None:
        """Engines compute wrong numbers of it in two or three dimensions."""
        g = Graph()
        x, b = g.tensor((2, 3, 4), name="x"), g.tensor((1, 1, 4), name="b")
        g.output(x + b, name="y")
        lowered = g.lowered()
        assert lowered.tensors[x.uid].shape == (6, 4, 1, 1)
        assert lowered.tensors[x.uid].strides == (4, 1, 4, 4)
        assert lowered.tensors[b.uid].shape == (1, 4, 1, 1)

    @pytest.mark.parametrize(
        ("shape", "other"), [((2, 3, 4), (1, 3, 1)), ((2, 3, 4), (2, 1, 4)), ((8, 4, 2), (8, 1, 2))]
    )
    def test_what_no_image_is_made_of_is_refused(
        self, shape: tuple[int, ...], other: tuple[int, ...]
    ) -> None:
        g = Graph("three")
        g.output(g.tensor(shape, name="x") + g.tensor(other, name="b"), name="y")
        with pytest.raises(errors.NotSupportedError, match=r"three.*repeated.*x.*b"):
            g.lowered()

    @pytest.mark.parametrize(
        ("shape", "strides"),
        [
            ((64, 1, 1, 1), (2, 2, 2, 2)),
            ((1, 32, 1, 1), (64, 2, 1, 1)),
            ((64, 1, 2, 1), (3, 1, 1, 1)),
        ],
    )
    def test_what_is_repeated_has_no_gaps(self, shape: Any, strides: Any) -> None:
        """Engines read it as if it had none, and write sums so."""
        g = Graph("gaps")
        x = g.tensor((64, 32, 2, 1), layout="NHWC", name="x")
        g.output(x * g.tensor(shape, strides=strides, name="b"), name="y")
        with pytest.raises(errors.NotSupportedError, match=r"gaps: .*lay between.*b\[") as caught:
            g.lowered()
        assert caught.value.hint == "copy them"
        g = Graph("gaps")
        total = g.reduction(g.tensor((64, 32, 2, 1), layout="NHWC", name="x"), "ADD", shape=shape)
        g.output(total, name="y", strides=strides)
        with pytest.raises(errors.NotSupportedError, match=r"gaps: .*lay between.*y\["):
            g.lowered()

    def test_a_bias_has_no_gaps(self) -> None:
        """Also after a convolution or a matrix product, but in attention."""
        g = Graph("gaps")
        x, w = g.tensor((2, 8, 6, 6), layout="NHWC"), g.tensor((4, 8, 1, 1), layout="NHWC")
        b = g.tensor((1, 4, 1, 1), strides=(8, 2, 8, 8), name="b")
        g.output(g.convolution(x, w) + b)
        with pytest.raises(errors.NotSupportedError, match=r"gaps: .*lay between.*b\["):
            g.lowered()
        g = Graph("gaps")
        y = g.matmul(g.tensor((2, 8, 6)), g.tensor((2, 6, 4)))
        g.output(y + g.tensor((1, 1, 4), strides=(8, 8, 2), name="b"))
        with pytest.raises(errors.NotSupportedError, match=r"gaps: .*lay between.*b\["):
            g.lowered()
        g = Graph(io_data_type="HALF")
        q = g.tensor((2, 4, 64, 64), name="q")
        bias = g.tensor((1, 1, 64, 64), strides=(8192, 8192, 128, 2), name="b")
        g.output(g.attention(q, q, q, bias=bias))
        assert "matmul" in kinds(g.lowered("9.12.0"))

    @pytest.mark.parametrize("strides", [(2, 5, 5, 5), (1, 1, 1, 1)])
    def test_strides_of_one_element_are_no_gaps(self, strides: Any) -> None:
        g = Graph()
        x = g.tensor((64, 32, 2, 1), layout="NHWC", name="x")
        b, c = (
            g.tensor((1, 1, 1, 1), strides=strides),
            g.tensor((1, 32, 1, 1), strides=(7, 1, 9, 9)),
        )
        g.output(x * b + c, name="y")
        assert kinds(g.lowered()) == ["mul", "add"]

    def test_views_get_the_shapes_of_rows(self) -> None:
        """Engines leave most elements of such matrices unwritten."""
        for turned in (True, False):
            g = Graph()
            x = g.tensor((8, 4), name="x")
            part = g.transpose(x, (1, 0)) if turned else g.slice(x, (2, 0), (8, 4))
            y = g.output(g.abs(part), layout=(1, 0) if turned else None)
            lowered = g.lowered()
            (view,) = lowered.nodes[0].inputs.values()
            assert view.base is lowered.tensors[x.uid]
            assert view.base.shape == (8, 4)
            assert len(view.shape) == len(lowered.tensors[y.uid].shape) == 3

    @pytest.mark.parametrize(("shape", "limit"), [((6, 8), (6, 3)), ((24,), (24,))])
    def test_matrices_with_gaps_become_batches(self, shape: Any, limit: Any) -> None:
        g = Graph()
        x = g.slice(g.tensor(shape, name="x"), (0,) * len(shape), limit)
        index = g.gen_index(x, len(shape) - 1)
        g.output(x + index, name="y")
        lowered = g.lowered()
        used = [each for node in lowered.nodes for each in node.tensors().values()]
        assert {len(each.shape) for each in used} == {3}
        assert lowered.nodes[0].options["axis"] == 2
        (view,) = [each for each in used if each.base is not None][:1]
        assert view.strides[-len(shape) :] == (8, 1)[-len(shape) :]

    def test_matrices_that_do_not_lie_row_by_row_are_refused(self) -> None:
        g = Graph("odd")
        x = g.slice(g.tensor((6, 8), name="x"), (0, 0), (6, 8), (1, 2))
        g.output(g.abs(x), name="y")
        with pytest.raises(errors.NotSupportedError, match=r"odd: .*row by row.*8, 2\)"):
            g.lowered()

    def test_a_matrix_that_a_batch_shares_may_have_gaps(self) -> None:
        """As the angles of rotations: half of each row, the same for all batches."""
        g = Graph()
        x = g.tensor((2, 64, 16), strides=(2048, 32, 1), name="x")
        cosine = g.tensor((1, 64, 16), strides=(2048, 32, 1), name="cosine")
        g.output(x * cosine, name="y")
        assert kinds(g.lowered()) == ["mul"]
        g = Graph()
        x = g.tensor((2, 64, 16), strides=(2048, 32, 1), name="x")
        row = g.tensor((2, 64, 1), strides=(128, 2, 1), name="row")
        g.output(x * row, name="y")
        with pytest.raises(errors.NotSupportedError, match="lay between"):
            g.lowered()

    @pytest.mark.parametrize(
        ("shape", "layout", "takes"),
        [
            ((1, 24, 1, 1), None, True),
            ((2, 1, 5, 7), None, True),
            ((2, 24, 5, 7), "NHWC", True),
            ((1, 1, 1, 1), None, True),
            ((2, 24, 5, 7), None, False),
            ((2, 24, 5, 7), (0, 3, 2, 1), False),
            ((2, 1, 5, 7), (0, 1, 3, 2), False),
            ((2, 24, 1, 1), None, False),
            ((1, 24, 5, 7), "NHWC", False),
            ((1, 1, 5, 7), None, False),
            ((2, 24, 1, 7), "NHWC", False),
            ((2, 24, 5, 1), "NHWC", False),
        ],
    )
    @pytest.mark.parametrize("kind", ["forward", "data", "filter"])
    def test_operands_after_a_convolution_are_rows_and_columns(
        self, kind: str, shape: Any, layout: Any, takes: bool
    ) -> None:
        g = Graph("around")
        x, w = g.tensor((2, 16, 5, 7), layout="NHWC"), g.tensor((24, 16, 1, 1), layout="NHWC")
        if kind == "forward":
            y = g.convolution(x, w)
        elif kind == "data":
            w = g.tensor((16, 24, 1, 1), layout="NHWC")
            y = g.convolution_backward_data(x, w, shape=(2, 24, 5, 7))
        else:
            x, dy = g.tensor((3, 24, 9, 9), layout="NHWC"), g.tensor((3, 2, 5, 3), layout="NHWC")
            y = g.convolution_backward_filter(x, dy, (2, 24, 5, 7))
        g.output(g.pointwise("MAX", y, g.tensor(shape, layout=layout, name="b")), name="y")
        if takes:
            assert kinds(g.lowered())[1:] == ["max"]
            return
        with pytest.raises(errors.NotSupportedError, match=r"around: .*axes of positions.*b\["):
            g.lowered()

    def test_images_are_repeated_by_rows_and_columns(self) -> None:
        """A mask that is repeated along the width: a comparison makes it before it is used."""
        for shape, takes in (
            ((3, 4, 2, 13, 1), False),
            ((1, 4, 2, 13, 5), False),
            ((1, 4, 1, 1, 1), True),
        ):
            g = Graph("images")
            x = g.tensor((3, 4, 2, 13, 5), layout="NDHWC", name="x")
            t = g.tensor(shape, layout="NDHWC", name="t")
            g.output(g.binary_select(x, 0.0, t > 0.0), name="y")
            g.output(g.relu(x), name="z")
            bias = g.tensor((1, 4, 1, 1, 1), name="b")
            g.output(g.relu(x + bias), name="u")
            if takes:
                g.lowered()
                continue
            with pytest.raises(errors.NotSupportedError, match=r"images: .*axes of positions"):
                g.lowered()

    @pytest.mark.parametrize(
        ("dims", "takes"), [((0, 2, 3), True), (1, True), (0, True), (2, False), (3, False)]
    )
    def test_images_are_reduced_to_rows_or_columns(self, dims: Any, takes: bool) -> None:
        g = Graph("images")
        x = g.tensor((2, 3, 4, 5), layout="NHWC", name="x")
        g.output(g.reduction(g.abs(x), "MIN", dims=dims), name="y", layout="NHWC")
        if takes:
            assert [each.kind for each in g.lowered().nodes] == ["pointwise", "reduction"]
            return
        with pytest.raises(errors.NotSupportedError, match=r"images: .*axes of positions.*y\["):
            g.lowered()

    def test_strides_of_one_element_are_told_as_those_of_a_vector(self) -> None:
        g = Graph()
        x, w = g.tensor((2, 16, 5, 7), layout="NHWC"), g.tensor((24, 16, 1, 1), layout="NHWC")
        b = g.tensor((1, 24, 1, 1), strides=(27, 1, 26, 25), name="b")
        g.output(g.convolution(x, w) + b, name="y")
        assert g.lowered().tensors[b.uid].strides == (24, 1, 1, 1)

    @pytest.mark.parametrize(
        ("strides", "takes"),
        [
            ((72, 9, 3, 1), True),
            ((72, 1, 24, 8), True),
            ((3, 24, 1, 192), False),
            ((72, 9, 1, 3), False),
            ((9, 144, 3, 1), False),
            ((144, 18, 6, 2), False),
        ],
    )
    def test_filters_lie_in_one_of_two_orders(self, strides: Any, takes: bool) -> None:
        def graphs() -> Any:
            for kind in ("forward", "data", "filter"):
                g = Graph(kind)
                x, dy = g.tensor((2, 8, 6, 6), name="x"), g.tensor((2, 16, 6, 6), name="dy")
                shape = (16, 8, 3, 3)
                if kind == "filter":
                    dw = g.convolution_backward_filter(x, dy, shape, padding=1)
                    g.output(dw, strides=strides, name="w")
                    yield g
                    continue
                w = g.tensor(shape, strides=strides, name="w")
                g.output(
                    g.convolution(x, w, padding=1)
                    if kind == "forward"
                    else g.convolution_backward_data(dy, w, shape=x.shape, padding=1)
                )
                yield g

        for g in graphs():
            if takes:
                g.lowered()
                continue
            with pytest.raises(errors.NotSupportedError, match=r"read filters as .*w\["):
                g.lowered()

    def test_images_of_channels_stay_what_they_are(self) -> None:
        g = Graph()
        x, b = g.tensor((2, 3, 4, 5), name="x"), g.tensor((1, 3, 1, 1), name="b")
        g.output(x + b, name="y")
        assert g.lowered().tensors[x.uid].shape == x.shape

    def test_reductions_become_images(self) -> None:
        g = Graph()
        g.output(g.reduction(g.tensor((2, 3, 4), name="x"), "ADD", dims=-1), name="y")
        lowered = g.lowered()
        x, y = lowered.tensors[1], lowered.tensors[2]
        assert (x.shape, x.strides) == ((6, 4, 1, 1), (4, 1, 4, 4))
        assert y.shape == (6, 1, 1, 1)
        assert lowered.nodes[0].options["shape"] == y.shape

    def test_matrices_become_batches(self) -> None:
        g = Graph()
        g.output(g.tensor((3, 4), name="a") @ g.tensor((4, 5), name="b") + 1.0, name="y")
        shapes = {each.name: each.shape for each in g.lowered().tensors.values()}
        assert shapes["a"] == (1, 3, 4)
        assert shapes["y"] == (1, 3, 5)

    def test_indices_go_along_the_same_dimension_of_batches(self) -> None:
        g = Graph()
        x = g.tensor((3, 4), name="a") @ g.tensor((4, 5), name="b")
        g.output(x + g.gen_index(x, 1), name="y")
        index = g.lowered().nodes[1]
        assert next(iter(index.outputs.values())).shape == (1, 3, 5)
        assert index.options["axis"] == 2

    @pytest.mark.parametrize(
        "make",
        [
            lambda g: g.relu(g.tensor((2, 3, 4, 5), layout="NHWC")),
            lambda g: g.relu(g.tensor((3, 4, 5))),
            lambda g: g.gen_index(g.tensor((2, 3, 4, 5)), 1),
            lambda g: g.relu(g.tensor((2, 3, 4, 5), strides=(120, 40, 10, 2))),
            lambda g: g.tensor((2, 3, 4, 5)) + g.tensor((2, 3, 4, 5), layout="NHWC"),
            lambda g: g.reduction(g.tensor((2, 3, 4)), "ADD", dims=1),
            lambda g: g.reduction(g.tensor((2, 3, 4, 5), layout="NHWC"), "ADD", dims=1),
        ],
    )
    def test_others_stay_as_they_are(self, make: Any) -> None:
        g = Graph()
        g.output(make(g))
        before = {uid: (each.shape, each.strides) for uid, each in g.tensors.items()}
        after = {uid: (t.shape, t.strides) for uid, t in g.lowered().tensors.items()}
        assert before == after

    def test_operands_keep_their_shapes(self) -> None:
        from cudnn_cffi.graph.finalize import operands

        g = Graph()
        g.output(g.relu(g.tensor((2, 3, 4, 5), name="x")), name="y")
        assert [each.shape for each in operands(g.lowered(), g)] == [(2, 3, 4, 5)] * 2


@pytest.mark.parametrize(
    ("shape", "kind", "is_refused"),
    [
        ((8, 1), "BOOLEAN", True),
        ((8, 1), "FLOAT", True),
        ((8, 1), "INT8", True),
        ((1, 1), "BOOLEAN", True),
        ((1, 1), "FLOAT", False),
        ((1, 4), "BOOLEAN", False),
        ((1, 4), "FLOAT", False),
        ((8, 4), "FLOAT", False),
    ],
)
def test_a_condition_that_is_repeated_along_rows(
    shape: tuple[int, int], kind: str, is_refused: bool
) -> None:
    """Engines read such a condition wrongly, of any data type."""
    graph = Graph(io_data_type="FLOAT")
    x, b = graph.tensor((8, 4)), graph.tensor((8, 4))
    graph.output(graph.binary_select(x, b, graph.tensor(shape, kind)))
    if is_refused:
        with pytest.raises(errors.NotSupportedError, match="a condition is repeated") as caught:
            graph.lowered("9.19.0")
        assert "copy" in caught.value.hint
    else:
        graph.lowered("9.19.0")


@pytest.mark.parametrize("port", ["a", "b"])
@pytest.mark.parametrize(
    ("shape", "is_refused"),
    [
        ((1, 1, 8), True),
        ((4, 1, 8), True),
        ((1, 6, 1), True),
        ((4, 6, 1), True),
        ((1, 1, 1), False),
        ((4, 1, 1), False),
        ((1, 6, 8), False),
        ((4, 6, 8), False),
    ],
)
def test_results_that_are_repeated_before_a_product(
    port: str, shape: tuple[int, int, int], is_refused: bool
) -> None:
    """Engines compute them wrongly within matrices: rows from the ninth on take others' numbers."""
    full, other = (4, 6, 8), (4, 8, 5)
    if port == "b":  # both matrices of the same product, turned
        full, other, shape = (4, 8, 6), (4, 5, 8), (shape[0], shape[2], shape[1])
    graph = Graph(io_data_type="FLOAT")
    x, t, w = (graph.tensor(each) for each in (full, shape, other))
    made = graph.mul(x, graph.exp(t))
    graph.output(graph.matmul(made, w) if port == "a" else graph.matmul(w, made))
    if is_refused:
        with pytest.raises(errors.NotSupportedError, match="a result is repeated within"):
            graph.lowered("9.19.0")
    else:
        graph.lowered("9.19.0")


@pytest.mark.parametrize(
    ("factors", "full", "is_refused"),
    [
        (((1, 8, 4), (1, 4, 8)), (3, 8, 8), True),
        (((3, 1, 4), (3, 4, 8)), (3, 8, 8), True),
        (((3, 8, 4), (3, 4, 1)), (3, 8, 8), True),
        (((3, 8, 4), (1, 4, 8)), (3, 8, 8), False),
        (((3, 8, 4), (3, 4, 8)), (1, 1, 8), False),
        (((1, 8, 4), (1, 4, 8)), (1, 8, 8), False),
    ],
)
def test_results_that_are_repeated_after_a_product(
    factors: tuple[tuple[int, int, int], ...], full: tuple[int, int, int], is_refused: bool
) -> None:
    """Engines do not write them; several plans compute the graph."""
    graph = Graph(io_data_type="FLOAT")
    product = graph.matmul(*map(graph.tensor, factors))
    graph.output(graph.relu(product) + graph.tensor(full))
    if is_refused:
        with pytest.raises(errors.NotSupportedError, match="repeats the result of a product"):
            graph.lowered("9.19.0")
    else:
        graph.lowered("9.19.0")


@pytest.mark.parametrize("shape", [(1, 8, 6, 6), (2, 8, 1, 1)])
def test_results_that_are_repeated_after_a_convolution(shape: tuple[int, ...]) -> None:
    """They are written by a plan of their own."""
    graph = Graph(io_data_type="FLOAT")
    made = graph.convolution(graph.tensor(shape), graph.tensor((8, 8, 1, 1)))
    graph.output(made + graph.tensor((2, 8, 6, 6)))
    with pytest.raises(errors.NotSupportedError, match="repeats the result of a product"):
        graph.lowered("9.19.0")


@pytest.mark.parametrize("port", ["dx", "dscale", "dbias"])
def test_operations_after_the_gradient_of_a_norm_are_a_graph_of_their_own(port: str) -> None:
    """Engines do not write their results, or end the context."""
    graph = Graph(io_data_type="FLOAT")
    dy, x, scale = (graph.tensor(each) for each in ((2, 8, 4, 4), (2, 8, 4, 4), (1, 8, 4, 4)))
    mean, inverse = (graph.tensor((2, 1, 1, 1)) for _ in range(2))
    found = graph.norm_backward("LAYER_NORM", dy, x, scale, mean, inverse)
    graph.output(found.dx)
    graph.output(found.dscale)
    graph.lowered("9.19.0")
    graph.output(graph.relu(getattr(found, port)))
    with pytest.raises(errors.NotSupportedError, match="after gradients of norms") as caught:
        graph.lowered("9.19.0")
    assert "graphs of their own" in caught.value.hint


def test_operations_that_do_not_hang_together_are_graphs_of_their_own() -> None:
    """Engines leave results unwritten: of what is beside a product, and of a second norm."""
    graph = Graph("apart", io_data_type="FLOAT")
    a, b = graph.tensor((2, 8, 8)), graph.tensor((2, 8, 8))
    graph.output(graph.matmul(a, b), name="c")
    graph.output(graph.relu(a), name="d")
    with pytest.raises(errors.NotSupportedError, match="hang together") as caught:
        graph.lowered("9.19.0")
    assert "graphs of their own" in caught.value.hint
    graph = Graph("norms", io_data_type="FLOAT")
    x, scale = graph.tensor((2, 8, 4, 4)), graph.tensor((1, 8, 4, 4))
    for _ in range(2):
        x = graph.layer_norm(x, scale, scale, phase="inference").y
    graph.output(x)
    with pytest.raises(errors.NotSupportedError, match="more than one norm"):
        graph.lowered("9.19.0")
    graph = Graph("pointwise", io_data_type="FLOAT")
    graph.output(graph.relu(graph.tensor((2, 8, 8))), name="c")
    graph.output(graph.abs(graph.tensor((2, 8, 8))), name="d")
    graph.lowered("9.19.0")


@pytest.mark.parametrize("layout", [(0, 2, 1), None])
def test_lines_are_pooled_as_planes_of_one_line(layout: Any) -> None:
    """Engines take lines, and leave results unwritten, or end the context."""
    window: dict[str, Any] = {"window": 3, "stride": 2, "padding": 1}
    forward, backward = Graph(io_data_type="HALF"), Graph(io_data_type="HALF")
    x = forward.tensor((4, 8, 20), layout=layout, name="x")
    forward.output(forward.resample(x, "MAXPOOL", **window), name="y")
    dy = backward.tensor((4, 8, 10), layout=layout, name="dy")
    dx = backward.resample_backward(dy, "AVGPOOL_EXCLUDE_PADDING", shape=(4, 8, 20), **window)
    backward.output(dx, name="dx")
    inner = (160, 1, 160, 8) if layout else (160, 20, 20, 1)
    for graph, tensor in ((forward, x), (backward, dx)):
        lowered = graph.lowered("9.19.0")
        node = lowered.nodes[0]
        options = [node.options[name] for name in ("window", "stride", "pre_padding")]
        assert options == [(1, 3), (1, 2), (0, 1)]
        assert lowered.tensors[tensor.uid].shape == (4, 8, 1, 20)
        if tensor is x:
            assert lowered.tensors[x.uid].strides == inner
        assert tensor.shape == (4, 8, 20)
    assert node.options["shape"] == (4, 8, 1, 20)


def test_lines_are_not_interpolated() -> None:
    graph = Graph("lines", io_data_type="HALF")
    graph.output(graph.resample(graph.tensor((4, 8, 16)), "NEAREST", shape=(4, 8, 32)))
    with pytest.raises(errors.NotSupportedError, match="three dimensions") as caught:
        graph.lowered("9.19.0")
    assert "a height of 1" in caught.value.hint


@pytest.mark.parametrize("before", [True, False])
def test_pooling_is_a_graph_of_its_own(before: bool) -> None:
    """An engine takes it together with others, and leaves it out."""
    graph = Graph("pooling", io_data_type="FLOAT")
    x = graph.tensor((2, 8, 6, 6), layout="NHWC")
    pooled = graph.resample(graph.relu(x) if before else x, "MAXPOOL", window=2)
    graph.output(pooled if before else graph.relu(pooled), layout="NHWC")
    with pytest.raises(errors.NotSupportedError, match="pooling and other operations"):
        graph.lowered("9.19.0")


@pytest.mark.parametrize(
    ("strides", "kind", "takes"),
    [
        ((400, 1, 40, 8), "HALF", True),
        ((400, 1, 41, 8), "HALF", False),
        ((420, 52, 10, 2), "HALF", False),
        ((168, 1, 40, 8), "FLOAT", True),
        ((164, 1, 8, 41), "FLOAT", False),
        ((61, 20, 5, 1), "HALF", False),
        ((64, 20, 5, 1), "HALF", False),
        ((60, 20, 5, 1), "HALF", True),
    ],
)
def test_images_with_gaps(strides: Any, kind: str, takes: bool) -> None:
    """Engines of fused convolutions read them wrongly, and those from HALF to FLOAT."""
    for how in ("alone", "fused", "mixed"):
        graph = Graph("images", io_data_type=kind)
        x, w = graph.tensor((2, 3, 4, 5), strides=strides), graph.tensor((8, 3, 1, 1))
        y = graph.convolution(x, w)
        mixed = "HALF" if kind == "FLOAT" else "FLOAT"
        graph.output(
            graph.relu(y) if how == "fused" else y,
            layout="NHWC" if strides[1] == 1 else None,
            data_type=mixed if how == "mixed" else kind,
        )
        if takes or how == "alone":
            graph.lowered("9.19.0")
            continue
        with pytest.raises(errors.NotSupportedError, match=r"images: .*16 bytes") as caught:
            graph.lowered("9.19.0")
        assert "copy" in caught.value.hint


@pytest.mark.parametrize(
    ("shape", "strides", "kind", "takes"),
    [
        ((8, 8, 1, 1), (8, 1, 1, 1), "BFLOAT16", True),
        ((8, 8, 1, 1), (9, 1, 1, 1), "BFLOAT16", False),
        ((8, 8, 1, 1), (9, 1, 9, 9), "FLOAT", False),
        ((8, 8, 1, 1), (16, 1, 1, 1), "HALF", True),
        ((2, 8, 4, 5), (180, 1, 45, 9), "HALF", False),
        ((2, 8, 4, 5), (320, 1, 80, 16), "HALF", True),
        ((2, 8, 4, 5), (240, 1, 60, 12), "FLOAT", True),
    ],
)
def test_images_with_gaps_before_a_convolution(
    shape: Any, strides: Any, kind: str, takes: bool
) -> None:
    """Engines that compute what a convolution reads take their strides as those do."""
    graph = Graph("images", io_data_type=kind)
    x, w = graph.tensor(shape, strides=strides), graph.tensor((3, 8, 1, 1), layout="NHWC")
    factor = graph.tensor((1, 8, 1, 1))
    graph.output(graph.convolution(graph.relu(x * factor), w), layout="NHWC")
    with nullcontext() if takes else pytest.raises(errors.NotSupportedError, match="16 bytes"):
        graph.lowered("9.19.0")


@pytest.mark.parametrize(("x", "y"), [("NCHW", "NHWC"), ("NHWC", "NHWC"), ("NCHW", "NCHW")])
def test_statistics_lie_as_images_do(x: Any, y: Any) -> None:
    """An engine reads row-major images as if their channels were last."""
    graph = Graph("images", io_data_type="FLOAT")
    tensors = graph.tensor((4, 16, 9, 8), layout=x), graph.tensor((24, 16, 1, 1))
    for each in graph.gen_stats(graph.convolution(*tensors, layout=y)):
        graph.output(each, data_type="FLOAT")
    refused = pytest.raises(errors.NotSupportedError, match="another order")
    with nullcontext() if x == y else refused:
        graph.lowered("9.19.0")


@pytest.mark.parametrize(
    ("x", "y", "takes"),
    [
        ((2048, 1, 256, 32), None, True),
        ((2064, 1, 256, 32), None, True),
        ((2056, 1, 256, 32), None, False),
        ((2112, 1, 264, 32), None, False),
        ((2048, 1, 256, 32), (2064, 1, 256, 32), False),
        ((2048, 1, 256, 32), (3072, 1, 384, 48), True),
    ],
)
def test_images_of_fp8_with_gaps(x: Any, y: Any, takes: bool) -> None:
    """Engines read them wrongly without other operations, too, and write images one after another."""
    graph = Graph("images", io_data_type="FP8_E4M3")
    images = graph.tensor((2, 32, 8, 8), strides=x)
    filters = graph.tensor((32, 32, 1, 1), layout="NHWC")
    graph.output(graph.convolution(images, filters), strides=y or (2048, 1, 256, 32))
    if takes:
        graph.lowered("9.19.0")
        return
    with pytest.raises(errors.NotSupportedError, match=r"images: .*16 bytes"):
        graph.lowered("9.19.0")


@pytest.mark.parametrize("step", [1, 32, 272])
@pytest.mark.parametrize(("apart", "takes"), [(256, True), (272, False)])
def test_columns_of_fp8_tell_no_gaps(apart: int, step: int, takes: bool) -> None:
    """That between images is seen, whatever the stride of the axis of one element is."""
    graph = Graph("images", io_data_type="FP8_E4M3")
    images = graph.tensor((2, 32, 8, 1), strides=(256, 1, 32, 32))
    filters = graph.tensor((32, 32, 1, 1), layout="NHWC")
    graph.output(graph.convolution(images, filters), strides=(apart, 1, 32, step))
    with nullcontext() if takes else pytest.raises(errors.NotSupportedError, match="16 bytes"):
        graph.lowered("9.19.0")


def test_images_of_norms_lie_alike() -> None:
    """cuDNN finalizes no others."""
    for layout, takes in (("NHWC", True), ("NCHW", False)):
        graph = Graph("norm", io_data_type="FLOAT")
        x = graph.tensor((2, 8, 4, 6), layout="NHWC", name="x")
        scale, bias = graph.tensor((1, 8, 1, 1)), graph.tensor((1, 8, 1, 1))
        results = graph.instance_norm(x, scale, bias, phase="training")
        graph.output(results.y, name="y", layout=layout)
        assert results.mean is not None
        graph.output(results.mean, name="mean")
        if takes:
            graph.lowered("9.19.0")
            continue
        with pytest.raises(errors.NotSupportedError, match=r"norm: .*strides.*x\[.*y\[") as caught:
            graph.lowered("9.19.0")
        assert "copy" in caught.value.hint


def test_a_product_of_a_convolution_is_a_graph_of_its_own() -> None:
    """The heuristics of 9.19 end the process for such a graph."""
    graph = Graph("both", io_data_type="FLOAT")
    image = graph.convolution(graph.tensor((8, 8, 8, 8)), graph.tensor((8, 8, 1, 1)))
    graph.output(graph.matmul(graph.relu(image), graph.tensor((8, 8, 8, 8))))
    with pytest.raises(errors.NotSupportedError, match="convolutions and matrix products"):
        graph.lowered("9.19.0")


GAPS, LAST = (1024, 128, 16, 2), (512, 1, 64, 8)


@pytest.mark.parametrize("strides", [GAPS, LAST])
@pytest.mark.parametrize("takes", [("scale",), ("scale", "bias")])
def test_parameters_of_norms_have_no_gaps_and_the_same_strides(
    takes: tuple[str, ...], strides: tuple[int, ...]
) -> None:
    g = Graph()
    x = g.tensor((8, 8, 8, 8), "HALF", name="x")
    parameters = [
        g.tensor((1, 8, 8, 8), "FLOAT", strides if name in takes else None, name=name)
        for name in ("scale", "bias")
    ]
    g.output(g.layer_norm(x, *parameters).y, name="y")
    wanted = (
        "expected the same order of axes" if strides is LAST and len(takes) == 2 else "no gaps, and"
    )
    with pytest.raises(errors.NotSupportedError, match=wanted):
        g.lowered("9.19.0")


@pytest.mark.parametrize("form", ["layer", "rms"])
@pytest.mark.parametrize("order", [None, LAST])
def test_parameters_of_norms_lie_in_the_order_of_the_images(
    form: str, order: tuple[int, ...] | None
) -> None:
    g = Graph()
    x = g.tensor((8, 8, 8, 8), "HALF", order, name="x")
    scale = g.tensor((1, 8, 8, 8), "FLOAT", order, name="scale")
    g.output(getattr(g, f"{form}_norm")(x, scale).y, name="y")
    assert kinds(g.lowered("9.19.0")) == ["norm_forward"]


def test_gradients_of_parameters_lie_like_these() -> None:
    g = Graph()
    x, dy = (g.tensor((8, 8, 8, 8), "HALF", LAST, name=name) for name in ("x", "dy"))
    scale = g.tensor((1, 8, 8, 8), "FLOAT", LAST, name="scale")
    inverse = g.tensor((8, 1, 1, 1), "FLOAT", name="inverse")
    found = g.norm_backward("rms", dy, x, scale, None, inverse)
    for each in (found.dx, found.dscale, found.dbias):
        if each is not None:
            g.output(each)
    assert g.lowered("9.19.0").nodes[0].outputs["dscale"].strides == LAST


@pytest.mark.parametrize("kind", ["HALF", "FLOAT"])
def test_gradients_have_the_type_of_their_images(kind: str) -> None:
    """Engines write HALF into memory for FLOAT."""
    graph = Graph("types", io_data_type="HALF")
    dy = graph.tensor((8, 8, 3, 3), layout="NHWC", name="dy")
    how: Any = {"window": 2, "stride": 2}
    dx = graph.resample_backward(dy, "AVGPOOL_INCLUDE_PADDING", shape=(8, 8, 6, 6), **how)
    graph.output(dx, name="dx", data_type=kind)
    if kind == "HALF":
        graph.lowered("9.19.0")
        return
    with pytest.raises(errors.NotSupportedError, match=r"types: .*several data types: .*dx"):
        graph.lowered("9.19.0")


@pytest.mark.parametrize(
    ("order", "takes"),
    [((0, 1, 2, 3), True), ((0, 2, 3, 1), True), ((1, 0, 2, 3), False), ((0, 1, 3, 2), False)],
)
def test_images_of_other_orders_are_kept_from_pointwise_engines(order: Any, takes: bool) -> None:
    """Engine 1 reads batch and channels in turns if another operand has the channels last."""
    g = Graph("orders", io_data_type="FLOAT")
    x, dy = g.tensor((2, 8, 4, 6), layout=order, name="x"), g.tensor((2, 8, 4, 6), layout="NHWC")
    g.output(g.pointwise("GELU_APPROX_TANH_BWD", dy, x), layout="NHWC")
    if takes:
        g.lowered("9.19.0")
        return
    with pytest.raises(errors.NotSupportedError, match=r"orders: .*x\[") as caught:
        g.lowered("9.19.0")
    assert "copy" in caught.value.hint


def test_one_array_that_is_scale_and_bias() -> None:
    """A norm reads it twice, by a view; other operations, and norms of two arrays, have none."""
    g = Graph("twice")
    x, scale = g.tensor((4, 8, 5, 6), "FLOAT", name="x"), g.tensor((1, 8, 5, 6), "FLOAT", name="s")
    g.output(g.layer_norm(x * x, scale, scale, phase="inference").y, name="y")

    def views() -> list[Any]:
        lowered = g.lowered("9.19.0")
        (norm,) = (each for each in lowered.nodes if each.kind == "norm_forward")
        bases = [each for each in lowered.tensors.values() if each.base is not None]
        assert norm.inputs["scale"].uid == scale.uid
        assert [norm.inputs["bias"]] == (bases or [norm.inputs["scale"]])
        return bases

    (view,) = views()
    assert (view.base.uid, view.offset, view.strides) == (scale.uid, 0, scale.strides)
    with errata.off("repeated-operands"):
        assert not views()


@pytest.mark.parametrize(
    ("build", "count"),
    [
        (lambda _, x: x @ x, 1),
        (lambda g, x: x @ g.exp(x), 1),
        (lambda _, x: x @ x + x, 2),
        (lambda g, x: x @ g.tensor((2, 8, 8), name="w"), 0),
        (lambda g, x: g.exp(x) * x, 0),
        (lambda g, x: (x @ g.tensor((2, 8, 8), name="w")) @ x, 0),  # as attention may do
    ],
)
def test_one_array_that_is_several_factors(build: Any, count: int) -> None:
    g = Graph("twice", io_data_type="HALF")
    x = g.tensor((2, 8, 8), name="x")
    g.output(build(g, x), name="y")
    lowered = g.lowered("9.19.0")
    bases = [each.base for each in lowered.tensors.values() if each.base is not None]
    assert [each.uid for each in bases] == [x.uid] * count
    read = [
        each for node in lowered.nodes if node.kind == "matmul" for each in node.inputs.values()
    ]
    assert len({each.uid for each in read}) == len(read) or not count


@pytest.mark.parametrize("form", ["node", "composite"])
@pytest.mark.parametrize("roles", ["qk", "qv", "kv", "qkv"])
def test_one_array_that_is_several_operands_of_attention(form: Any, roles: str) -> None:
    """Each of them has a tensor of its own, as of arrays that differ; lengths are as they were."""
    g = Graph("twice", io_data_type="HALF")
    one, lengths = g.tensor((2, 4, 64, 64), name="x"), g.tensor((2, 1, 1, 1), "INT32", name="n")
    given: Any = {port: one if port in roles else g.tensor(one.shape, name=port) for port in "qkv"}
    g.output(g.attention(**given, seq_len_q=lengths, seq_len_kv=lengths, form=form), name="o")
    lowered = g.lowered("9.19.0")
    if form == "node":
        (node,) = (each for each in lowered.nodes if each.kind == "sdpa_forward")
        read = [node.inputs[port] for port in "qkv"]
    else:
        products = [each.inputs for each in lowered.nodes if each.kind == "matmul"]
        read = [products[0]["a"], products[0]["b"], products[1]["b"]]
    assert len({each.uid for each in read}) == 3
    bases = [each if each.base is None else each.base for each in read]
    assert [each.uid == one.uid for each in bases] == [port in roles for port in "qkv"]
    assert not [each for each in lowered.tensors.values() if getattr(each.base, "name", "") == "n"]


def test_one_array_that_is_several_operands_of_a_gradient() -> None:
    """The node of a newer release has a tensor for each; composites transpose keys and values."""
    g = Graph("twice", io_data_type="HALF")
    x, o, do = (g.tensor((2, 4, 64, 64), name=name) for name in ("x", "o", "do"))
    stats = g.tensor((2, 4, 64, 1), "FLOAT", name="stats")
    for each in g.attention_backward(x, x, x, o, do, stats, form="node")[:3]:
        g.output(each)

    def operands() -> set[int]:
        (node,) = g.lowered("9.28.0").nodes
        read = [node.inputs[port] for port in "qkv"]
        assert {each.uid if each.base is None else each.base.uid for each in read} == {x.uid}
        return {each.uid for each in read}

    assert len(operands()) == 3
    with errata.off("repeated-operands"):
        assert len(operands()) == 1


def test_a_release_lacks_a_result_of_an_operation() -> None:
    g = Graph(io_data_type="HALF")
    q = g.tensor((2, 4, 128, 64))
    results = {"odesc": (2, 4, 128, 64), "amax_sdesc": (1, 1, 1, 1)}
    for each in cast(
        "tuple[Any, ...]",
        g.operation("OperationSDPAFwdDescriptor", qdesc=q, kdesc=q, vdesc=q, outputs=results),
    ):
        g.output(each)
    assert len(g.lowered("9.28.0").nodes) == 1
    with pytest.raises(errors.NotSupportedError, match="SDPA_FWD_AMAX_SDESC"):
        g.lowered("9.24.1")
