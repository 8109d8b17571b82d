"""Random options of attention together, evaluated with NumPy, against the reference.

The composite is evaluated node by node, forward and backward. A node of newer releases is evaluated
by its options and the operations inside it.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph, alibi_slopes

np = pytest.importorskip("numpy")

from cudnn_cffi.diagnose import evaluate as evaluation  # noqa: E402

from tests.gpu import attention_reference as reference  # noqa: E402

B, H = 2, 4
BANDS: tuple[dict[str, Any], ...] = (
    *({}, {"causal": True}, {"causal": "bottom_right"}, {"window": (2, None)}),
    *({"window": (0, 2)}, {"window": (None, 1)}, {"window": (3, 0)}),
    *(
        {"window": (2, 1), "diagonal": "bottom_right"},
        {"window": (1, 0), "diagonal": "bottom_right"},
        {"window": (2, None), "diagonal": "bottom_right"},
    ),
)


class Case:
    """Options by chance, as the graph has them and as the reference has them."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.queries, self.keys = chance.choice([1, 3, 8, 13]), chance.choice([2, 5, 8, 16])
        self.groups, self.width = chance.choice([4, 2, 1]), chance.choice([8, 16])
        self.bands = chance.choice(BANDS)
        self.use = {
            name: chance.random() < 0.35
            for name in ("lengths", "bias", "score", "sink", "alibi", "scale", "dropout", "mask")
        }
        self.use["alibi"] &= self.bands == {"causal": True}
        left, right = self.bands.get("window", (None, None))
        ends = (self.bands.get("causal"), self.bands.get("diagonal"))
        self.known: dict[str, Any] = {
            "left": left,
            "right": 0 if ends[0] else right,
            "bottom_right": "bottom_right" in ends,
        }
        self.arrays: dict[str, Any] = {}

    def tensor(self, g: Graph, name: str, heads: int, length: int, width: int) -> Any:
        shape = (B, heads, length, width)
        self.arrays.setdefault(name, self.numbers.normal(size=shape))
        tokens_first = (length * heads * width, width, heads * width, 1)
        strides = self.chance.choice([None, tokens_first])
        return g.tensor(shape, "HALF", strides, name=name)

    def inputs(self, g: Graph) -> list[Any]:
        return [
            self.tensor(g, "q", H, self.queries, 8),
            self.tensor(g, "k", self.groups, self.keys, 8),
            self.tensor(g, "v", self.groups, self.keys, self.width),
        ]

    def options(self, g: Graph) -> dict[str, Any]:
        use, numbers, known = self.use, self.numbers, self.known
        options: dict[str, Any] = dict(self.bands)

        def add(name: str, value: Any, kind: str = "FLOAT", as_: str = "") -> Any:
            self.arrays[name] = known[as_ or name] = value
            options[name] = g.tensor(np.shape(value), kind, name=name)

        scores = (B, H, self.queries, self.keys)
        if use["scale"]:
            options["scale"] = known["scale"] = self.chance.choice([0.3, 0.0, -0.2, 1e-40])
        if use["lengths"]:
            for name, most in (("seq_len_q", self.queries), ("seq_len_kv", self.keys)):
                value = np.reshape([most, numbers.integers(1, most + 1)], (B, 1, 1, 1))
                add(name, value, "INT32", name.replace("seq_len", "lengths"))
        if use["bias"]:
            shape = [self.chance.choice([1, n]) for n in scores]
            add("bias", numbers.normal(size=shape), "HALF")
        if use["alibi"]:
            add("alibi", np.reshape(alibi_slopes(H), (1, H, 1, 1)), as_="slopes")
        if use["sink"]:
            add("sink", numbers.normal(size=(1, H, 1, 1)))
        if use["score"]:
            options["score"] = lambda g, x: g.tanh(x * 0.5) * 2.0
            known["score"] = lambda x: 2 * np.tanh(x / 2)
        if use["dropout"]:
            kept = numbers.random(scores) < 0.75
            options["dropout"], known["kept"] = 0.25, kept / 0.75
            if use["mask"]:
                self.arrays["dropout_mask"] = kept
                options["dropout_mask"] = g.tensor(scores, "FLOAT", name="dropout_mask")
            else:
                self.arrays["random"] = kept
                options |= {"seed": 1, "offset": 2}
        return options

    def valid(self, array: Any, port: str) -> Any:
        """Return an array with zeros after the lengths, and where a query sees no key."""
        array = np.where(np.isfinite(array), array, 0.0)
        lengths = self.known.get("lengths_kv" if port in ("dk", "dv") else "lengths_q")
        for entry, length in enumerate(np.ravel(lengths) if lengths is not None else ()):
            array[entry, :, length:] = 0
        return array

    def compare(self, found: Any, wanted: Any, port: str, message: str) -> None:
        if port.startswith(("dq", "dk", "dv", "o", "stats")):
            found, wanted = self.valid(found, port), self.valid(wanted, port)
        np.testing.assert_allclose(found, wanted, atol=1e-9, err_msg=message)


def evaluate_node(graph: Any, arrays: dict[str, Any]) -> list[Any]:
    """Return the results of a graph that is one node."""
    values: dict[int, Any] = {}
    for each in graph.tensors.values():
        if each.value is not None:
            values[each.uid] = np.full(each.shape, float(each.value))
        elif each.name in arrays:
            values[each.uid] = np.asarray(arrays[each.name], np.float64)
    (node,) = graph.nodes
    given = {port: values[each.uid] for port, each in node.inputs.items()}
    k, v = (np.repeat(given[port], H // given[port].shape[1], axis=1) for port in "kv")
    x = given["q"] @ k.swapaxes(2, 3) * given["scale"]
    options = node.options
    if "subgraph" in options:
        values[options["subgraph_input"]] = x
        for each in options["subgraph"].nodes:
            (y,) = each.outputs.values()
            read = {port: values[tensor.uid] for port, tensor in each.inputs.items()}
            result = evaluation._pointwise(np, each, read)["y"]
            values[y.uid] = np.broadcast_to(result, y.shape)
        x = values[options["subgraph_output"]]
    if "seq_len_q" in given:
        lengths = (given["seq_len_q"], given["seq_len_kv"])
        x = np.where(reference.seen(x.shape, None, None, False, *lengths), x, -np.inf)
    sink = None
    if "softmax" in options and "sink" in options["softmax"].nodes[0].inputs:
        sink = values[options["softmax"].nodes[0].inputs["sink"].uid]
    with np.errstate(invalid="ignore", divide="ignore"):
        most = x.max(-1, keepdims=True)
        most = most if sink is None else np.maximum(most, sink)
        weights = np.exp(x - most)
        total = weights.sum(-1, keepdims=True) + (0 if sink is None else np.exp(sink - most))
        weights = weights / total
    if "dropout_probability" in options:
        weights = weights * arrays["random"] / (1 - options["dropout_probability"])
    return [weights @ v, np.log(total) + most]


@pytest.mark.parametrize("form", ["composite", "node"])
@pytest.mark.parametrize("seed", range(0, 200, 40))
def test_results(seed: int, form: str) -> None:
    compared = 0
    for each in range(seed, seed + 40):
        case, g = Case(each), Graph()
        q, k, v = case.inputs(g)
        options = case.options(g)
        stats = form == "composite" or "seed" not in options
        try:
            asked: dict[str, Any] = {"stats": stats, "form": form, **options}
            found: Any = g.attention(q, k, v, **asked)
            for result in found if stats else (found,):
                g.output(result)
            graphs = {release: g.lowered(release) for release in ("9.28.0",)}
            if form == "composite":
                graphs["9.19.0"] = g.lowered("9.19.0")
        except (errors.NotSupportedError, errors.ArgumentError):
            continue
        wanted = reference.forward(*(case.arrays[name] for name in "qkv"), **case.known)
        for release, lowered in graphs.items():
            compared += 1
            results = (
                evaluate_node(lowered, case.arrays)
                if form == "node"
                else list(evaluation.evaluate(lowered, case.arrays, g).values())
            )
            for port, result in zip(("o", "stats")[: 1 + stats], results, strict=False):
                case.compare(result, getattr(wanted, port), port, f"seed {each}, {release}, {port}")
    assert compared > 10


@pytest.mark.parametrize("seed", range(0, 200, 40))
def test_gradients(seed: int) -> None:
    compared = 0
    for each in range(seed, seed + 40):
        case, g = Case(each), Graph()
        q, k, v = case.inputs(g)
        o, do = (case.tensor(g, name, H, case.queries, case.width) for name in ("o", "do"))
        stats = g.tensor((B, H, case.queries, 1), "FLOAT", name="stats")
        options, ports = case.options(g), ["dq", "dk", "dv"]
        ports += ["dbias"] * ("bias" in options) + ["dsink"] * ("sink" in options)
        if "score" in options:
            options["score_backward"] = lambda g, d, x: (
                d * (1.0 - g.tanh(x * 0.5) * g.tanh(x * 0.5))
            )
        try:
            found = g.attention_backward(
                *(q, k, v, o, do, stats),
                dbias="bias" in options,
                dsink="sink" in options,
                deterministic=case.chance.random() < 0.3,
                form="composite",
                **options,
            )
            for result in found:
                g.output(result)
            graphs = {release: g.lowered(release) for release in ("9.19.0", "9.28.0")}
        except (errors.NotSupportedError, errors.ArgumentError):
            continue
        arrays = case.arrays
        forward = reference.forward(*(arrays[name] for name in "qkv"), **case.known)
        arrays["do"] = case.valid(arrays["do"], "do")
        arrays |= {"o": forward.o, "stats": case.valid(forward.stats, "stats")}
        known = dict(case.known)
        if "score" in known:
            known["score_backward"] = lambda d, x: d * (1 - np.tanh(x / 2) ** 2)
        wanted = reference.backward(*(arrays[name] for name in ("q", "k", "v", "do")), **known)
        for release, lowered in graphs.items():
            compared += 1
            results = evaluation.evaluate(lowered, arrays, g).values()
            for port, result in zip(ports, results, strict=True):
                target = getattr(wanted, port[1:])
                # cuDNN's kernel for the sink's gradient has the sign in it that the pattern lacks.
                target = -target if port == "dsink" else target
                case.compare(result, target, port, f"seed {each}, {release}, {port}")
    assert compared > 10
