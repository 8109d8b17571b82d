"""Graphs in lines of Python: tensors, nodes, names, and what is refused."""

# ruff: noqa: ARG005

from __future__ import annotations

import sys
from typing import Any

import numpy
import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import OPERATIONS, Graph, Tensor
from cudnn_cffi.graph.record.operations import POINTWISE


def block(g: Graph) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    x = g.tensor((8, 64, 56, 56), "HALF", layout="NHWC", name="x")
    w = g.tensor((32, 64, 3, 3), "HALF", layout="NHWC", name="w")
    b = g.tensor((1, 32, 1, 1), "HALF", name="b")
    return x, w, b, g.relu(g.convolution(x, w, padding=1) + b)


def test_a_graph_reads_as_text() -> None:
    g = Graph("block")
    *_, y = block(g)
    g.output(y, name="y")
    assert str(g).splitlines() == [
        "graph block (intermediate float, compute float)",
        "  x: half[8,64,56,56] strides (200704,1,3584,64)",
        "  w: half[32,64,3,3] strides (576,1,192,64)",
        "  b: half[1,32,1,1]",
        "  convolution_forward_y: float[8,32,56,56] strides (100352,1,1792,32) = "
        "convolution_forward(x=x, w=w, padding=1)",
        "  add_y: float[8,32,56,56] strides (100352,1,1792,32) = add(x=convolution_forward_y, b=b)",
        "  y: half[8,32,56,56] strides (100352,1,1792,32) = relu_fwd(x=add_y)",
        "  return y",
    ]


class TestTensors:
    def test_types_follow_from_the_graph_and_from_the_data(self) -> None:
        g = Graph(intermediate_data_type="BFLOAT16")
        *_, y = block(g)
        assert y.data_type == "BFLOAT16"
        assert g.output(y).data_type == "HALF"
        other = Graph(io_data_type="FLOAT")
        x = other.tensor((2, 3))
        assert (x.data_type, other.output(other.relu(x)).data_type) == ("FLOAT", "FLOAT")
        assert other.output(other.exp(x), data_type="half").data_type == "HALF"

    @pytest.mark.parametrize(
        ("given", "name"),
        [("half", "HALF"), (numpy.float16, "HALF"), ("bf16", "BFLOAT16"), ("FP8_E4M3",) * 2],
    )
    def test_types_have_the_names_of_all_libraries(self, given: Any, name: str) -> None:
        assert Graph().tensor((2,), given).data_type == name

    def test_an_array_says_what_its_data_is(self) -> None:
        array = numpy.zeros((4, 3, 2), numpy.float16).transpose(0, 2, 1)
        tensor = Graph().tensor(array)
        assert (tensor.shape, tensor.strides) == ((4, 2, 3), (6, 1, 2))
        assert tensor.data_type == "HALF"

    def test_the_address_of_an_array_limits_the_alignment(self) -> None:
        memory = numpy.zeros(64, numpy.float32)
        first = -memory.ctypes.data % 64 // 4
        assert Graph().tensor(memory[first : first + 8]).alignment == 16
        assert Graph().tensor(memory[first + 1 : first + 9]).alignment == 4

    @pytest.mark.parametrize(
        ("layout", "strides"),
        [
            ("NHWC", (60, 1, 15, 3)),
            ("channels_last", (60, 1, 15, 3)),
            ("NCHW", (60, 20, 5, 1)),
            ((0, 2, 3, 1), (60, 1, 15, 3)),
            ((1, 0, 2, 3), (20, 40, 5, 1)),
        ],
    )
    def test_layouts(self, layout: Any, strides: tuple[int, ...]) -> None:
        assert Graph().tensor((2, 3, 4, 5), layout=layout).strides == strides

    def test_results_keep_the_order_of_strides(self) -> None:
        g = Graph()
        w = g.tensor((4, 1, 3, 3))
        for batch in (1, 2):
            x = g.tensor((batch, 1, 8, 8))
            assert g.convolution(x, w).strides == (144, 36, 6, 1)
            x = g.tensor((batch, 1, 8, 8), layout="NHWC")
            assert g.convolution(x, w).strides == (144, 1, 24, 4)

    @pytest.mark.parametrize(
        ("arguments", "options"),
        [
            (((2, 0),), {}),
            (((),), {}),
            (((2,) * 9,), {}),
            (((2, 2.5),), {}),
            (((2, 3),), {"data_type": "float17"}),
            (((2, 3),), {"strides": (1,)}),
            (((2, 3),), {"layout": "NHWC"}),
            (((2, 3),), {"layout": (0, 0)}),
            (((2, 3),), {"strides": (3, 1), "layout": "packed"}),
            (((2, 3),), {"alignment": 12}),
            (((2, 3),), {"name": "a b"}),
            ((None,), {}),
            (("NCHW",), {}),
        ],
    )
    def test_what_is_no_tensor_is_refused(self, arguments: Any, options: Any) -> None:
        with pytest.raises(errors.ArgumentError):
            Graph().tensor(*arguments, **options)

    def test_a_tensor_is_neither_true_nor_false(self) -> None:
        x = Graph().tensor((2, 3))
        with pytest.raises(errors.ArgumentError, match="not true or false"):
            bool(x == x)


class TestScalars:
    def test_numbers_on_either_side_have_the_rank_of_the_tensor(self) -> None:
        g = Graph()
        x = g.tensor((2, 3, 4), "HALF")
        y = 2 - x
        assert y.producer is not None
        number = y.producer.inputs["x"]
        assert (number.shape, number.value, number.data_type) == ((1, 1, 1), 2, "FLOAT")
        assert (x / 4).producer is not None

    def test_an_integer_beside_integers_is_one(self) -> None:
        g = Graph()
        index = g.gen_index(g.tensor((2, 3)), 1)
        y = index + 1
        assert y.producer is not None
        assert (y.data_type, y.producer.inputs["b"].data_type) == ("INT32", "INT32")
        whole: list[Any] = [numpy.int64(2**24 + 1), numpy.array(3, "i"), numpy.bool_(True)]
        for number in whole:
            y = index + number
            assert y.producer is not None
            assert (y.data_type, y.producer.inputs["b"].value) == ("INT32", number.item())
        half: Any = numpy.float32(0.5)
        assert (index + half).data_type == "FLOAT"

    def test_one_number_serves_tensors_of_several_ranks(self) -> None:
        g = Graph()
        number = g.scalar(2.0)
        g.tensor((2, 3)) * number
        y = g.tensor((2, 3, 4)) * number
        assert y.producer is not None
        assert y.producer.inputs["b"].shape == (1, 1, 1)

    def test_an_argument_has_one_rank(self) -> None:
        g = Graph()
        number = g.scalar(name="s")
        g.tensor((2, 3)) * number
        with pytest.raises(errors.ShapeMismatchError, match="s"):
            g.tensor((2, 3, 4)) * number


class TestOperators:
    @pytest.mark.parametrize(
        ("mode", "make"),
        [
            ("ADD", lambda a, b: a + b),
            ("SUB", lambda a, b: a - b),
            ("MUL", lambda a, b: a * b),
            ("DIV", lambda a, b: a / b),
            ("POW", lambda a, b: a**b),
            ("FLOOR_MOD", lambda a, b: a % b),
            ("CMP_LT", lambda a, b: a < b),
            ("CMP_LE", lambda a, b: a <= b),
            ("CMP_GT", lambda a, b: a > b),
            ("CMP_GE", lambda a, b: a >= b),
            ("CMP_EQ", lambda a, b: a == b),
            ("CMP_NEQ", lambda a, b: a != b),
            ("LOGICAL_AND", lambda a, b: a & b),
            ("LOGICAL_OR", lambda a, b: a | b),
            ("NEG", lambda a, b: -a),
            ("ABS", lambda a, b: abs(a)),
            ("LOGICAL_NOT", lambda a, b: ~a),
        ],
    )
    def test_each_adds_its_node(self, mode: str, make: Any) -> None:
        g = Graph()
        a, b = g.tensor((2, 3), name="a"), g.tensor((2, 3), name="b")
        y = make(a, b)
        assert y.producer.options["mode"] == mode
        assert next(iter(y.producer.inputs.values())) is a
        if mode.startswith(("CMP", "LOGICAL")):
            assert y.data_type == "BOOLEAN"

    def test_each_mode_has_a_method_or_is_named(self) -> None:
        g = Graph()
        for mode, ports in POINTWISE.items():
            x = [g.tensor((2, 3)) for _ in ports]
            options: dict[str, Any] = {"axis": 0} if mode == "GEN_INDEX" else {}
            y = g.pointwise(mode.lower(), *x, **options)
            assert y.producer is not None
            assert y.producer.options["mode"] == mode

    def test_an_unknown_mode_or_option_names_the_known(self) -> None:
        g = Graph()
        x = g.tensor((2, 3))
        with pytest.raises(errors.ArgumentError, match="GELU_FWD"):
            g.pointwise("gelo", x)
        with pytest.raises(errors.ArgumentError, match="swish_beta"):
            g.pointwise("SWISH_FWD", x, beta=1.0)  # type: ignore[call-arg]
        with pytest.raises(errors.ArgumentError, match="2 operands"):
            g.pointwise("ADD", x)


class TestNames:
    def test_names_are_made_up_and_unique(self) -> None:
        g = Graph()
        x = g.tensor((2, 3))
        names = [g.relu(x).name for _ in range(3)]
        assert names == ["relu_fwd_y", "relu_fwd_1_y", "relu_fwd_2_y"]

    def test_one_name_is_for_one_tensor(self) -> None:
        g = Graph()
        g.tensor((2, 3), name="x")
        with pytest.raises(errors.ArgumentError, match="called 'x' already"):
            g.tensor((2, 3), name="x")
        with pytest.raises(errors.ArgumentError, match="uid 1"):
            g.tensor((2, 3), uid=1)

    def test_a_refused_node_leaves_nothing_behind(self) -> None:
        g = Graph()
        a, b = g.tensor((2, 3), name="a"), g.tensor((4, 5), name="b")
        before = str(g)
        with pytest.raises(errors.ShapeMismatchError):
            g.add(a, b, name="sum")
        assert str(g) == before
        g.add(a, a, name="sum")


class TestRefusals:
    @pytest.mark.parametrize(
        "make",
        [
            lambda g, a, b: g.matmul(a, b),
            lambda g, a, b: a + b,
            lambda g, a, b: g.convolution(a, b),
            lambda g, a, b: g.concatenate([a, b], 0),
            lambda g, a, b: g.layer_norm(a, b),
            lambda g, a, b: g.norm_backward("layer", a, b, a, None, a),
            lambda g, a, b: g.bn_bwd_weights(a, b, a, a, a),
        ],
    )
    def test_shapes_that_do_not_fit_are_both_named(self, make: Any) -> None:
        g = Graph()
        a = g.tensor((2, 5, 7, 9), name="first")
        b = g.tensor((3, 4, 6, 8), name="second")
        with pytest.raises(errors.ShapeMismatchError) as caught:
            make(g, a, b)
        for part in ("node ", "first", "second", "(2, 5, 7, 9)", "(3, 4, 6, 8)"):
            assert part in str(caught.value)

    def test_a_tensor_of_another_graph_is_refused(self) -> None:
        a, b = Graph(), Graph()
        x = a.tensor((2, 3), name="x")
        with pytest.raises(errors.GraphError, match="x, a tensor of another graph"):
            b.relu(x)
        with pytest.raises(errors.GraphError, match="another graph"):
            b.output(x)

    def test_an_array_is_no_tensor(self) -> None:
        g = Graph()
        with pytest.raises(errors.ArgumentError, match=r"g\.tensor"):
            g.tensor((2, 3)) + numpy.zeros((2, 3))  # type: ignore[operator]

    def test_a_graph_without_output_is_refused(self) -> None:
        g = Graph()
        with pytest.raises(errors.GraphError, match="no node"):
            g.check()
        y = g.relu(g.tensor((2, 3)))
        with pytest.raises(errors.GraphError, match="no output") as caught:
            g.check()
        assert f"g.output({y.name})" in str(caught.value)

    def test_an_input_that_nobody_reads_is_refused(self) -> None:
        g = Graph()
        g.output(g.relu(g.tensor((2, 3))))
        g.tensor((4,), name="forgotten")
        with pytest.raises(errors.GraphError, match="forgotten"):
            g.check()

    def test_a_virtual_tensor_that_nobody_computes_is_refused(self) -> None:
        g = Graph()
        x = g.tensor((2, 3), virtual=True, name="x")
        with pytest.raises(errors.GraphError, match="x, which is virtual"):
            g.relu(x)

    def test_an_input_is_no_output(self) -> None:
        g = Graph()
        with pytest.raises(errors.ArgumentError, match="is an input"):
            g.output(g.tensor((2, 3)))

    @pytest.mark.parametrize(
        "padding", [-1, (1, 2, 3), ((1, 2),), ((1, 2), (3,)), "same", (1.5, 1)]
    )
    def test_bad_padding_is_refused(self, padding: Any) -> None:
        g = Graph()
        x, w = g.tensor((2, 3, 8, 8)), g.tensor((4, 3, 3, 3))
        with pytest.raises(errors.ArgumentError, match="padding"):
            g.convolution(x, w, padding=padding)


class TestSignatures:
    def test_names_make_no_difference(self) -> None:
        a, b = Graph("a"), Graph("b")
        for g, name in ((a, "x"), (b, "other")):
            g.output(g.relu(g.tensor((2, 3), name=name), name=name), name=f"{name}_out")
        assert a.signature == b.signature
        assert a != b

    @pytest.mark.parametrize(
        "change",
        [
            {"shape": (2, 4)},
            {"data_type": "HALF"},
            {"strides": (1, 2)},
            {"alignment": 4},
            {"slope": 0.5},
            {"factor": 3.0},
            {"compute": "DOUBLE"},
        ],
    )
    def test_everything_else_does(self, change: dict[str, Any]) -> None:
        def make(**how: Any) -> Graph:
            g = Graph(compute_data_type=how.get("compute", "FLOAT"))
            x = g.tensor(
                how.get("shape", (2, 3)),
                how.get("data_type", "FLOAT"),
                how.get("strides"),
                alignment=how.get("alignment"),
            )
            g.output(g.relu(x, slope=how.get("slope")) * how.get("factor", 2.0))
            return g

        assert make().signature == make().signature
        assert make().signature != make(**change).signature

    def test_it_is_the_same_in_another_process(self, run: Any) -> None:
        code = """
            from cudnn_cffi.graph import Graph
            g = Graph()
            g.output(g.relu(g.tensor((2, 3))))
            print(g.signature)
        """
        g = Graph()
        g.output(g.relu(g.tensor((2, 3))))
        assert run(code).stdout.strip() == g.signature


def test_options_that_are_none_are_left_out_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise errors.NoPlanError("no engine")

    monkeypatch.setattr(sys.modules["cudnn_cffi.graph.graph"], "build", refuse)
    monkeypatch.setattr(Graph, "_computation", lambda *_: None)
    monkeypatch.setattr(Graph, "_build_parts", lambda *given: given[4])
    found: Any = Graph().build(device="H200", engine=None, most=None, deterministic=True)
    assert found == {"deterministic": True}
    with pytest.raises(errors.NoPlanError):
        Graph().build(device="H200", engine=7)


def test_every_operation_type_of_the_newest_release_is_in_the_table() -> None:
    from cudnn_cffi._tables import newest

    prefix, suffix = "CUDNN_BACKEND_OPERATION_", "_DESCRIPTOR"
    owners = {row[0] for row in newest().attributes.values()}
    types = {each for each in owners if each.startswith(prefix) and each.endswith(suffix)}
    known = {f"CUDNN_BACKEND_{each.descriptor}{suffix}" for each in OPERATIONS.values()}
    assert types <= known
    attributes = newest().attributes
    for each in OPERATIONS.values():
        if not each.descriptor:  # one that others do
            continue
        names = [port.attribute for port in each.ports] + list(each.options.values())
        if each.helper is not None:
            names += [each.helper.attribute, *each.helper.options.values()]
        assert [name for name in names if f"CUDNN_ATTR_{name}" not in attributes] == []


def test_any_descriptor_is_a_node() -> None:
    g = Graph()
    x = g.tensor((2, 3, 4, 5), name="x")
    y: Any = g.operation("OperationReshapeDescriptor", xdesc=x, outputs={"ydesc": (2, 3, 20, 1)})
    assert y.shape == (2, 3, 20, 1)
    with pytest.raises(errors.ArgumentError, match="xdesc"):
        g.operation("OperationReshapeDescriptor", x=x, outputs={"ydesc": (2, 3, 20, 1)})
    with pytest.raises(errors.ArgumentError, match="OperationMatmulDescriptor"):
        g.operation("OperationMatmull", outputs={})
    with pytest.raises(errors.ArgumentError, match="operation's descriptor"):
        g.operation("TensorDescriptor", outputs={})


def test_the_documentation_says_which_release_has_what() -> None:
    import re
    from pathlib import Path

    from cudnn_cffi._index import RELEASES
    from cudnn_cffi._tables import tables

    text = (Path(__file__).parents[2] / "docs/graph.md").read_text(encoding="utf-8")
    text = text.partition("<!-- the operations -->")[2].partition("<!-- end")[0]
    rows = re.findall(r"^\| (\w+) \| (.*) \| ([\d.]+) \|$", text, re.MULTILINE)
    found = {}
    for each in OPERATIONS.values():
        if each.descriptor:
            name = f"CUDNN_BACKEND_{each.descriptor}_DESCRIPTOR"
            having = (release for release in RELEASES if name in tables(release).all_names())
            found[each.kind] = next(having)
    assert {kind: release for kind, _, release in rows} == found
    methods = [name for _, cell, _ in rows for name in re.findall(r"`(\w+)", cell)]
    assert [name for name in methods if not hasattr(Graph, name)] == []
