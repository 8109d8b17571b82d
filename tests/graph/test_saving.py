"""Graphs as JSON, DOT and SVG: what is written is read back, and what is damaged is refused."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph

from tests.graph import attention_cases as cases
from tests.graph.operations import CASES

SVG = "{http://www.w3.org/2000/svg}"


def graph_of(name: str) -> Graph:
    case = CASES[name]
    graph = Graph(name, **case.settings)
    case.build(graph)
    return graph


@pytest.mark.parametrize("name", CASES)
def test_every_operation_is_read_back(name: str) -> None:
    graph = graph_of(name)
    text = graph.to_json()
    other = Graph.from_json(text)
    assert other == graph
    assert other.to_json() == text
    assert str(other) == str(graph)
    assert other.signature == graph.signature


@pytest.mark.parametrize("case", [*cases.FORWARD, *cases.LATER])
def test_attention_is_read_back(case: str) -> None:
    """With functions of scores; also as it is lowered, to operations with others inside."""
    _check_attention(cases.forward(case))


@pytest.mark.parametrize("case", cases.BACKWARD)
def test_gradients_of_attention_are_read_back(case: str) -> None:
    _check_attention(cases.backward(case))


def _check_attention(graph: Graph) -> None:
    text = graph.to_json()
    other = Graph.from_json(text)
    for one, two in ((graph, other), (graph.lowered("9.28.0"), other.lowered("9.28.0"))):
        assert two.signature == one.signature
        again = Graph.from_json(one.to_json())
        assert again == one
        assert again.to_json() == one.to_json()
        assert str(again) == str(one)
    more = pickle.loads(pickle.dumps(other)).copy()
    more.output(more.relu(more.outputs[0], name="tanh_fwd"))
    assert Graph.from_json(more.to_json()) == more


def test_damage_inside_a_node_is_refused() -> None:
    def damaged(change: Callable[[Any], Any]) -> str:
        record = json.loads(cases.forward("score").to_json())
        change(record["nodes"][0]["options"]["score"])
        return json.dumps(record)

    changes: list[Callable[[Any], Any]] = [
        lambda r: r.update(nested="Graph"),
        lambda r: r.update(result=99),
        lambda r: r.update(arguments=["q"]),
        lambda r: r["tensors"][0].update(shape=3),
        lambda r: r["nodes"][0].update(kind="tanh"),
        lambda r: r["nodes"][0]["inputs"].update(x=99),
        lambda r: r.pop("nodes"),
    ]
    for change in changes:
        with pytest.raises(errors.GraphError, match=r"node (attention|mul)|tensor score"):
            Graph.from_json(damaged(change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"offset": 1}, "input is a view of x, and less aligned than it says"),
        ({"offset": 5}, "input is a view of x, and does not lie in it"),
        ({"offset": -1}, "does not lie in it"),
        ({"shape": [4, 9]}, "the shape (4, 9)"),
        ({"data_type": "FLOAT"}, "does not lie in it"),
        ({"base": 3}, "input is a view of relu_fwd_y, which is no input"),
        ({"ragged_multiplier": 0, "ragged_offset": 1}, "its ragged multiplier is 0"),
        ({"value": 1.0}, "has a value, and is not passed by value"),
        ({"by_value": True}, "is passed by value, and has the shape (4, 4)"),
        ({"fill": 7}, "is filled with 7"),
    ],
)
def test_views_and_numbers_are_checked(change: dict[str, Any], words: str) -> None:
    g = Graph()
    x = g.tensor((4, 8), "HALF", name="x")
    g.output(g.relu(g.view(x, (4, 4), (8, 1), 4)))
    assert Graph.from_json(g.to_json()) == g
    record = json.loads(g.to_json())
    record["tensors"][1].update(change)
    with pytest.raises((errors.GraphError, errors.ShapeMismatchError), match=re.escape(words)):
        Graph.from_json(json.dumps(record))


def test_a_node_of_any_descriptor_is_read_back() -> None:
    g = Graph()
    a, b = g.tensor((2, 3), name="a"), g.tensor((2, 3), name="b")
    g.output(
        g.operation(
            "OperationConcatDescriptor",
            input_descs=[a, b],
            axis=0,
            outputs={"output_desc": (4, 3)},
        )
    )
    assert Graph.from_json(g.to_json()) == g


def test_graphs_are_copied_and_pickled() -> None:
    graph = graph_of("convolution-bias-residual-relu")
    for other in (graph.copy(), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert other == graph
        other.output(other.relu(other.outputs[0]), name="more")
        assert other != graph


def test_infinite_numbers_are_read_back() -> None:
    g = Graph()
    g.output(g.max(g.tensor((2, 3)), float("-inf")))
    assert Graph.from_json(g.to_json()) == g


def changed(change: Callable[[Any], Any]) -> str:
    graph = graph_of("convolution-bias-residual-relu")
    record = json.loads(graph.to_json())
    change(record)
    return json.dumps(record)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r.update(schema="onnx"), "onnx"),
        (lambda r: r.update(version=99), "version 99"),
        (lambda r: r.pop("tensors"), "tensors"),
        (lambda r: r.update(more=1), "more"),
        (lambda r: r["nodes"][0].update(kind="convolve"), "convolve"),
        (lambda r: r["nodes"][0]["inputs"].update(x=99), "uid 99"),
        (lambda r: r["nodes"][0]["inputs"].pop("w"), "its w is missing"),
        (lambda r: r["nodes"][0]["inputs"].update(q=1), "no port 'q'"),
        (lambda r: r["nodes"][0]["options"].pop("stride"), "stride"),
        (lambda r: r["nodes"][0]["options"].update(stride="wide"), "options"),
        (lambda r: r["nodes"][0]["options"].update(of_later=1), "of_later"),
        (lambda r: r["nodes"][0]["options"].update(compute_data_type="REAL"), "REAL"),
        (lambda r: r["nodes"][-1]["options"].update(slope="steep"), "slope: 'steep'"),
        (lambda r: r["nodes"][1].update(name=r["nodes"][0]["name"]), "called 'convolution_f"),
        (lambda r: r["tensors"][1].update(uid=1), "uid 1"),
        (lambda r: r["tensors"][1].update(name="x"), "called 'x'"),
        (lambda r: r["tensors"][0].update(shape=[4, 32, 14, 0]), "shape"),
        (lambda r: r["tensors"][0].update(shape=[4, 16, 14, 14]), "x"),
        (lambda r: r["tensors"][0].update(data_type="FLOAT17"), "FLOAT17"),
        (lambda r: r["tensors"][0].update(output=True), "no node computes"),
        (lambda r: r["nodes"].pop(), "no node computes"),
        (lambda r: r["outputs"].clear(), "outputs"),
        (lambda r: r["nodes"][1]["inputs"].update(x=r["nodes"][2]["outputs"]["y"]), "circle"),
        (
            lambda r: r["nodes"][1]["outputs"].update(y=r["nodes"][0]["outputs"]["y"]),
            "both compute",
        ),
    ],
)
def test_damage_is_refused_and_named(change: Callable[[Any], Any], words: str) -> None:
    with pytest.raises((errors.GraphError, errors.ShapeMismatchError), match=re.escape(words)):
        Graph.from_json(changed(change))


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node["inputs"].pop("scale"),
        lambda node: node["options"].pop("length_kv"),
        lambda node: node["options"].update(length_kv=[64]),
        lambda node: node["options"].update(left=[1, 2]),
        lambda node: node["options"].update(dropout="often"),
        lambda node: node["options"].update(form=[1]),
        lambda node: node["options"].update(no_such_option=1),
    ],
)
def test_damage_of_attention_is_refused(change: Callable[[Any], Any]) -> None:
    """Before it is lowered, where a release is known only."""
    graph = Graph(io_data_type="HALF")
    q, k, v = (graph.tensor((2, 4, 64, 32), name=name) for name in "qkv")
    graph.output(graph.attention(q, k, v))
    record = json.loads(graph.to_json())
    Graph.from_json(json.dumps(record)).lowered("9.19.0")
    change(record["nodes"][0])
    with pytest.raises(errors.GraphError, match="attention"):
        Graph.from_json(json.dumps(record))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"schema": 1}', b"\xff", "x" * 100, "\ud800", '{"name": "\ud800"}'],
)
def test_what_is_no_json_of_a_graph_is_refused(text: str | bytes) -> None:
    with pytest.raises(errors.GraphError, match="no JSON of a graph"):
        Graph.from_json(text)


def test_a_node_without_its_mode_is_refused() -> None:
    graph = Graph(io_data_type="HALF")
    graph.output(graph.relu(graph.tensor((2, 3))))
    record = json.loads(graph.to_json())
    del record["nodes"][0]["options"]["mode"]
    with pytest.raises(errors.GraphError, match=r"options do not go with the operation.*mode"):
        Graph.from_json(json.dumps(record))


def test_no_cut_or_changed_byte_gets_past() -> None:
    """Any change of one character gives a graph that can be read, or an error that says why."""
    import random

    text, numbers = graph_of("batch_norm-running").to_json(), random.Random(1)
    for _ in range(300):
        at = numbers.randrange(len(text))
        for damaged in (text[:at], text[:at] + numbers.choice('{}[]",:0x9-') + text[at + 1 :]):
            try:
                Graph.from_json(damaged)
            except (errors.GraphError, errors.ShapeMismatchError):
                pass


def test_nodes_in_another_order_are_sorted() -> None:
    graph = graph_of("convolution-bias-residual-relu")
    record = json.loads(graph.to_json())
    record["nodes"].reverse()
    assert Graph.from_json(json.dumps(record)) == graph


@pytest.mark.parametrize(
    "name", ["convolution-bias-residual-relu", "batch_norm-running", "logical"]
)
def test_pictures_show_every_node_and_operand(name: str) -> None:
    graph = graph_of(name)
    root = ElementTree.fromstring(graph._repr_svg_())
    assert root.tag == f"{SVG}svg"
    texts = [each.text or "" for each in root.iter(f"{SVG}text")]
    for node in graph.nodes:
        assert any(node.word in text for text in texts), node.name
    boxes = list(root.iter(f"{SVG}rect"))
    operands = [each for each in graph.tensors.values() if each.role in ("input", "output")]
    assert len(boxes) == len(graph.nodes) + len(operands)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    places = set()
    for box in boxes:
        x, y, w, h = (float(box.get(key, 0)) for key in ("x", "y", "width", "height"))
        assert x >= 0
        assert x + w <= width + 1
        assert y >= 0
        assert y + h <= height + 1
        places.add((x, y))
    assert len(places) == len(boxes)

    dot = graph.to_dot()
    assert dot.startswith("digraph")
    assert dot.endswith("}")
    assert dot.count("shape=box") == len(graph.nodes)
    assert dot.count("{") == dot.count("}")


def test_views_are_in_pictures() -> None:
    g = Graph()
    x = g.tensor((4, 8), name="x")
    g.output(g.relu(g.view(x, (4, 4), (8, 1), 4)))
    dot = g.to_dot()
    assert '  t2 [shape=ellipse label="input\\nfloat[4,4]' in dot
    assert '  t1 -> t2 [label="from 4"];' in dot


def test_names_are_escaped_in_pictures() -> None:
    g = Graph('a "b" <c> & d')
    g.output(g.relu(g.tensor((2, 3))))
    ElementTree.fromstring(g.to_svg())
    assert r'digraph "a \"b\" <c> & d"' in g.to_dot()


def test_a_picture_covers_nothing() -> None:
    """Labels end inside the picture, and no boxes lie on each other."""
    g = Graph("attention", io_data_type="HALF")
    q, k, v = (g.tensor((1, 2, 128, 64), name=name) for name in "qkv")
    o, stats = g.attention(q, k, v, causal=True, stats=True)
    g.output(o)
    g.output(stats)
    block = Graph(io_data_type="HALF")
    x = block.tensor((8, 64, 56, 56), name="x")
    w, b = block.tensor((32, 64, 3, 3), name="w"), block.tensor((1, 32, 1, 1), name="b")
    block.output(block.relu(block.convolution(x, w, padding=1) + b))
    for graph in (block, g, g.lowered("9.19.0")):
        root = ElementTree.fromstring(graph.to_svg())
        width = float(root.attrib["width"])
        labels = [each for each in root.iter(f"{SVG}text") if each.get("class") == "label"]
        assert labels
        for each in labels:
            assert float(each.attrib["x"]) + 6 * len(each.text or "") <= width
        boxes = [
            [float(each.attrib[name]) for name in ("x", "y", "width", "height")]
            for each in root.iter(f"{SVG}rect")
        ]
        for number, (at, above, across, down) in enumerate(boxes):
            right, bottom = at + across, above + down
            assert at >= 0
            assert right <= width
            for left, top, wide, high in boxes[:number]:
                beside = at >= left + wide or left >= right
                assert beside or above >= top + high or top >= bottom
