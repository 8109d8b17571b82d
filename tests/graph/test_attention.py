"""Attention in graphs: what it is lowered to in each release, and what cuDNN makes of that."""

from __future__ import annotations

import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph, alibi_slopes
from cudnn_cffi.graph.attn.checks import SCALES
from cudnn_cffi.graph.finalize import operands
from cudnn_cffi.graph.lower import partial_graphs as parts
from cudnn_cffi.graph.lower.by_release import lower
from cudnn_cffi.library import sublibraries

from tests.choice.conftest import describing, no_driver
from tests.conftest import finds
from tests.graph import attention_cases as cases

__all__ = ["describing", "no_driver"]  # fixtures

#: The oldest release with the form of one operation; "" for none that is known.
SINGLE = {
    **{"forward plain": "9.14.0", "forward grouped heads": "9.14.0"},
    **{"forward statistics": "9.14.0", "forward lengths": "9.15.0", "forward ragged": "9.15.0"},
    **{"forward pages": "9.15.0", "forward causal": "9.21.0", "forward bottom right": "9.21.0"},
    **{"forward window": "9.21.0", "forward bias": "9.21.0", "forward alibi": "9.21.0"},
    **{"forward lengths, bottom right": "9.21.0", "forward pages, causal": "9.21.0"},
    **{"forward score": "9.21.0", "forward sink": "9.21.0", "forward sink, statistics": "9.21.0"},
    **{"forward dropout": "9.22.0", "forward dropout of numbers": "9.22.0"},
    **{"forward dropout, mask": "9.22.0", "forward dropout, statistics": ""},
    **{"forward dropout mask": "", "forward fp8": "9.25.0", "forward float": ""},
    **{"forward rows": "9.21.0", "forward window behind": "9.21.0"},
    "forward dropout mask, scale": "",
    **{f"backward {each}": "9.28.0" for each in cases.BACKWARD},
    **{"backward ragged": "", "backward deterministic": ""},
    **{"backward score": "", "backward fp8": ""},
}
RELEASES = ["9.12.0", "9.14.0", "9.15.0", "9.19.0", "9.21.0", "9.22.0", "9.25.0", "9.28.0"]


def graph_of(name: str, **more: Any) -> Any:
    direction, case = name.split(" ", 1)
    if direction == "forward":
        return cases.forward(case, **more)
    return cases.backward(case, **more)


def is_single(graph: Any) -> bool:
    return any(node.kind.startswith("sdpa") for node in graph.nodes)


def qkv(**settings: Any) -> tuple[Any, ...]:
    g = Graph(io_data_type=settings.pop("io", "HALF"))
    q = g.tensor(settings.get("q", (2, 4, 128, 64)), name="q")
    k = g.tensor(settings.get("k", (2, 4, 128, 64)), name="k")
    return g, q, k, g.tensor(settings.get("v", (2, 4, 128, 64)), name="v")


def _own_mask(g: Any, x: Any) -> Any:
    seen = g.pointwise("CMP_GE", g.gen_index(x, 2), g.gen_index(x, 3), compute_data_type="BOOLEAN")
    return g.pointwise("BINARY_SELECT", x, g.scalar(-1e9, "FLOAT", rank=4), seen)


class TestForm:
    @pytest.mark.parametrize("name", SINGLE)
    def test_one_operation_from_the_release_that_has_it(self, name: str) -> None:
        for release in RELEASES:
            if "sink" in name and release == "9.12.0":
                continue
            padded = {"padded": True} if name.startswith("backward") and release < "9.16.0" else {}
            lowered = graph_of(name, **padded).lowered(release)
            since = SINGLE[name]
            expected = bool(since) and _key(release) >= _key(since)
            assert is_single(lowered) == expected, release
            assert "attention(" not in str(lowered).replace("attention_", "")

    @pytest.mark.parametrize("direction", ["forward", "backward"])
    def test_the_composite_is_there_for_all(self, direction: str) -> None:
        for case in cases.FORWARD if direction == "forward" else cases.BACKWARD:
            graph = graph_of(f"{direction} {case}", form="composite")
            assert not is_single(graph.lowered("9.28.0")), case

    @pytest.mark.parametrize(
        ("name", "count"),
        [
            *[("forward plain", 10), ("forward causal", 14), ("forward bias", 11)],
            *[("forward lengths", 16), ("forward dropout", 13), ("forward alibi", 19)],
            *[("backward plain", 24), ("backward causal", 22), ("backward lengths", 24)],
            *[("backward dropout", 29), ("backward grouped heads", 26)],
            *[("backward deterministic", 23), ("backward dbias", 25)],
        ],
    )
    def test_number_of_nodes(self, name: str, count: int) -> None:
        graph = graph_of(name, form="composite").lowered("9.19.0")
        assert len(graph.nodes) == count, str(graph)

    def test_results_keep_ids_names_and_layout(self) -> None:
        g, q, k, v = qkv()
        o, stats = g.attention(q, k, v, causal=True, stats=True, layout=(0, 2, 1, 3))
        g.output(stats, name="statistics")
        g.output(o, name="o")
        lowered = g.lowered(91900)
        assert [each.name for each in lowered.outputs] == ["statistics", "o"]
        assert [each.uid for each in lowered.outputs] == [stats.uid, o.uid]
        assert lowered.outputs[1].strides == o.strides == (4 * 128 * 64, 64, 4 * 64, 1)
        assert lowered.outputs[0].data_type == "FLOAT"

    def test_a_result_can_be_used(self) -> None:
        g, q, k, v = qkv()
        g.output(g.relu(g.attention(q, k, v)), name="y")
        lowered = g.lowered("9.12.0")
        assert lowered.nodes[-1].word == "relu_fwd"
        assert lowered.nodes[-2].word == "matmul"

    def test_workspace_of_the_gradient(self) -> None:
        roles = [t.role for t in graph_of("backward plain").lowered("9.19.0").tensors.values()]
        assert roles.count("workspace") == 2
        direct = graph_of("backward deterministic").lowered("9.19.0").tensors.values()
        assert [each.role for each in direct].count("workspace") == 1

    def test_old_releases_want_zeros_and_finite_numbers(self) -> None:
        lowered = graph_of("backward causal", padded=True).lowered("9.5.1")
        assert [t.fill for t in lowered.tensors.values() if t.role == "workspace"] == [None, 0]
        values = [each.value for each in lowered.tensors.values() if each.by_value]
        assert -3.4028234663852886e38 in values
        assert float("-inf") not in values

    def test_keys_are_read_transposed_where_they_lie(self) -> None:
        g, q, k, v = qkv(k=(2, 2, 96, 64), v=(2, 2, 96, 64))
        g.output(g.attention(q, k, v, form="composite"))
        lowered = g.lowered("9.19.0")
        view = lowered.nodes[0].inputs["b"]
        assert view.role == "view"
        assert view.base.uid == k.uid
        assert view.shape == (2, 2, 64, 96)
        assert view.strides == (2 * 96 * 64, 96 * 64, 1, 64)

    @pytest.mark.parametrize("form", ["composite", "node"])
    @pytest.mark.parametrize("options", [{"slope": 2.0}, {"slope": 0.5, "upper_clip": 1.5}])
    def test_scores_have_no_relu_that_engines_misread(self, options: Any, form: Any) -> None:
        g, q, k, v = qkv()
        g.output(g.attention(q, k, v, score=lambda g, x: g.relu(x, **options), form=form))
        lowered = g.lowered("9.28.0").nodes
        inside = lowered if form == "composite" else lowered[0].options["subgraph"].nodes
        modes = {each.options["mode"]: each.options for each in inside if "mode" in each.options}
        relu = modes.get("RELU_FWD", {})
        assert "MIN" in modes
        assert "upper_clip" not in relu
        assert relu.get("slope", 0.0) < 1

    def test_signature_knows_the_function_of_scores(self) -> None:
        signatures = set()
        for factor in (0.1, 0.1, 0.2):
            g, q, k, v = qkv()
            g.output(g.attention(q, k, v, score=lambda g, x, f=factor: g.tanh(x * f)))
            signatures.add(g.signature)
        assert len(signatures) == 2

    def test_a_function_of_scores_reads_tensors_of_the_graph(self) -> None:
        g, q, k, v = qkv()
        gate = g.tensor((1, 4, 1, 1), "FLOAT", name="gate")
        g.output(g.attention(q, k, v, score=lambda _, x: gate * x), name="o")
        g.check()
        lowered = g.lowered("9.19.0")
        assert [each.name for each in lowered.nodes[2].inputs.values()] == ["gate", "mul_y"]
        assert "gate" in [each.name for each in operands(lowered, g)]


def _key(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _refused(what: type[Exception], text: str) -> Any:
    return pytest.raises(what, match=re.compile(text))


def _lower_gradient(
    keys: int, lengths: bool, score: Any, score_backward: Any, is_refused: bool
) -> None:
    """Lower a gradient for scores that a function changes; it is refused for what it multiplies."""
    g = Graph(io_data_type="HALF")
    q, o, do = (g.tensor((1, 2, 17, 64)) for _ in range(3))
    k, v = (g.tensor((1, 2, keys, 64)) for _ in range(2))
    ports = ("seq_len_q", "seq_len_kv") if lengths else ()
    more: Any = {each: g.tensor((1, 1, 1, 1), "INT32") for each in ports}
    given = q, k, v, o, do, g.tensor((1, 2, 17, 1), "FLOAT")
    found = g.attention_backward(*given, **more, score=score, score_backward=score_backward)
    for each in found[:3]:
        g.output(each)
    if is_refused:
        with _refused(errors.NotSupportedError, "multiplies by the score"):
            g.lowered("9.19.0")
    else:
        g.lowered("9.19.0")


def test_rows_by_a_boolean_of_another_library() -> None:
    numpy = pytest.importorskip("numpy")
    for value, count in ((numpy.bool_(True), 3), (numpy.bool_(False), 1)):
        g, q, k, v = qkv()
        g.attention(q, k, v, return_rows=value)
        assert len(g.nodes[-1].outputs) == count


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"causal": True, "window": (4, 2)}, r"causal contradicts window=\(4, 2\)"),
            ({"causal": "middle"}, "'top_left' or 'bottom_right', got 'middle'"),
            ({"window": (1,)}, r"window is \(left, right\)"),
            ({"window": (0, -1)}, r"window: expected numbers from 0 on, got \(-1,\)"),
            ({"window": (-(2**40), 0)}, "expected numbers from -2147483648 on"),
            ({"return_rows": "both"}, "return_rows: expected a bool, 'max' or 'sum', got 'both'"),
            (
                {"return_rows": ["max"]},
                r"return_rows: expected a bool, 'max' or 'sum', got \['max'\]",
            ),
            ({"dropout": 0.5, "dropout_scale": 2.0}, "dropout_scale goes with dropout_mask"),
            ({"diagonal": "bottom_right"}, "needs causal or window"),
            ({"form": "flash"}, "form: expected 'node' or 'composite', got 'flash'"),
            ({"dropout": 1.5, "seed": 1, "offset": 2}, "dropout is between 0 and 1, got 1.5"),
            ({"dropout": 0.5}, "either seed and offset, or dropout_mask"),
            ({"seed": 3, "offset": 3}, "without dropout"),
            ({"max_seq_len_kv": 100}, "max_seq_len_kv goes with page tables"),
            ({"return_mask": True}, "return_mask needs dropout"),
        ],
    )
    def test_contradictions(self, options: dict[str, Any], text: str) -> None:
        g, q, k, v = qkv()
        with _refused(errors.ArgumentError, text):
            g.attention(q, k, v, **options)
        assert not g.nodes

    @pytest.mark.parametrize(
        ("shapes", "text"),
        [
            ({"k": (2, 4, 128, 32)}, r"differ in width: q is q \(2, 4, 128, 64\) and k is k"),
            ({"k": (2, 3, 128, 64)}, "the heads of k have to divide those of q"),
            ({"k": (1, 4, 128, 64)}, "batches differ"),
            ({"v": (2, 4, 127, 64)}, "keys and values differ in length"),
            ({"q": (4, 128, 64)}, r"\(batch, heads, length, width\): q is q \(4, 128, 64\)"),
        ],
    )
    def test_shapes(self, shapes: dict[str, Any], text: str) -> None:
        g, q, k, v = qkv(**shapes)
        with _refused(errors.ShapeMismatchError, text):
            g.attention(q, k, v)

    def test_widths(self) -> None:
        shape = (2, 4, 128, 20)
        g, q, k, v = qkv(q=shape, k=shape, v=shape)
        with _refused(errors.ArgumentError, "the width of q is 20, cuDNN computes multiples of 8"):
            g.attention(q, k, v)
        shape = (2, 4, 128, 264)
        g, q, k, v = qkv(q=shape, k=shape, v=shape)
        stats = g.tensor((2, 4, 128, 1), "FLOAT")
        with _refused(errors.ArgumentError, "up to a width of 256, got 264 and 264"):
            g.attention_backward(q, k, v, g.tensor(shape), g.tensor(shape), stats)

    def test_types(self) -> None:
        g, q, k, v = qkv(io="INT8")
        with _refused(errors.ArgumentError, "HALF, BFLOAT16, FLOAT, FP8_E4M3 or FP8_E5M2"):
            g.attention(q, k, v)
        g, q, k, v = qkv()
        with _refused(errors.ArgumentError, "block_mask is UINT8, got HALF"):
            g.attention(q, k, v, block_mask=g.tensor((2, 4, 1, 1)))
        g, q, k, v = qkv()
        with _refused(errors.ArgumentError, "seq_len_q and seq_len_kv are INT32, got HALF"):
            lengths = g.tensor((2, 1, 1, 1))
            g.attention(q, k, v, seq_len_q=lengths, seq_len_kv=lengths)

    def test_lengths_of_int64(self) -> None:
        """Engines take both of them, without the gradient."""
        g, q, k, v = qkv()
        whole, long = (g.tensor((2, 1, 1, 1), kind) for kind in ("INT32", "INT64"))
        with _refused(errors.ArgumentError, "are INT32, got INT32 and INT64"):
            g.attention(q, k, v, seq_len_q=whole, seq_len_kv=long)
        stats = g.tensor((2, 4, 128, 1), "FLOAT")
        with _refused(errors.ArgumentError, "attention_backward: .* are INT32, got INT64"):
            g.attention_backward(q, k, v, q, q, stats, seq_len_q=long, seq_len_kv=long)
        g, q, k, v = qkv()
        long = g.tensor((2, 1, 1, 1), "INT64")
        g.output(g.attention(q, k, v, seq_len_q=long, seq_len_kv=long))
        assert not is_single(g.lowered("9.28.0"))
        g, q, k, v = qkv(io="FP8_E4M3")
        with _refused(errors.ArgumentError, "FP8, and nothing else, takes descale_q"):
            g.attention(q, k, v)

    def test_strides(self) -> None:
        g, q, k, _ = qkv()
        v = g.tensor((2, 4, 128, 64), strides=(32768, 8192, 1, 128), name="turned")
        with _refused(errors.ArgumentError, "elements of v along the width are 128 apart"):
            g.attention(q, k, v)

    def test_queries_that_see_no_key(self) -> None:
        g, q, k, v = qkv(k=(2, 4, 64, 64), v=(2, 4, 64, 64))
        with _refused(errors.ArgumentError, "128 queries and 64 keys leaves queries that see no"):
            g.attention(q, k, v, causal="bottom_right")

    def test_one_query_and_key_have_no_gradient(self) -> None:
        shape = (1, 2, 1, 64)
        g, q, k, v = qkv(q=shape, k=shape, v=shape)
        with _refused(errors.ArgumentError, "no gradient of one query and one key"):
            g.attention_backward(q, k, v, q, q, g.tensor((1, 2, 1, 1), "FLOAT"))

    def test_lengths_go_together(self) -> None:
        g, q, k, v = qkv()
        lengths = {
            each: g.tensor((3 if each.startswith("cu") else 2, 1, 1, 1), "INT32", name=each)
            for each in ("seq_len_q", "seq_len_kv", "cu_seq_len_q", "cu_seq_len_kv")
        }
        with _refused(errors.ArgumentError, "seq_len_q or cu_seq_len_q, got both"):
            g.attention(q, k, v, **lengths)
        with _refused(
            errors.ArgumentError, "expected both seq_len_q and seq_len_kv or neither, got one"
        ):
            g.attention(q, k, v, cu_seq_len_q=lengths["cu_seq_len_q"])
        with _refused(errors.ShapeMismatchError, r"expected cu_seq_len_q to be \(3, 1, 1, 1\)"):
            g.attention(
                *(q, k, v), cu_seq_len_q=lengths["seq_len_q"], seq_len_kv=lengths["seq_len_kv"]
            )

    def test_gradients_see_their_own_key(self) -> None:
        g, q, k, v = qkv()
        stats = g.tensor((2, 4, 128, 1), "FLOAT")
        with _refused(errors.ArgumentError, "attention_backward window: expected .* from 0 on"):
            g.attention_backward(q, k, v, q, q, stats, window=(-1, 4))

    def test_gradients_of_float_take_several_plans(self) -> None:
        g, q, k, v = qkv(io="FLOAT")
        stats = g.tensor((2, 4, 128, 1), "FLOAT")
        for each in g.attention_backward(q, k, v, q, q, stats):
            g.output(each)
        for release in ("9.19.0", "9.28.0"):
            with _refused(errors.NotSupportedError, "as composite: FLOAT is not possible"):
                g.lowered(release)

    def test_float_has_no_dropout(self) -> None:
        """Kernels for random masks do not compile, and results with a given mask are NaN."""
        g, q, k, v = qkv(io="FLOAT")
        g.output(g.attention(q, k, v, dropout=0.5, dropout_mask=g.tensor((2, 4, 128, 128))))
        for release in ("9.12.0", "9.28.0"):
            with _refused(errors.NotSupportedError, "FLOAT with dropout_mask is not possible"):
                g.lowered(release)
        g, q, k, v = qkv(io="FLOAT")
        g.output(g.attention(q, k, v, dropout=0.5, seed=1, offset=2))
        with _refused(errors.NotSupportedError, "FLOAT dropout is not possible"):
            lower(g, "9.19.0", g.composites, whole=False)

    @pytest.mark.parametrize("case", cases.LATER)
    def test_options_that_older_releases_lack(self, case: str) -> None:
        since, _ = cases.LATER[case]
        older = {"9.14.0": "9.13.1", "9.21.0": "9.20.0", "9.24.0": "9.23.0"}.get(since)
        graph = cases.forward(case)
        assert is_single(graph.lowered(since)), since
        assert is_single(graph.lowered("9.28.0"))
        with _refused(errors.NotSupportedError, f"as node: .*needs {since}"):
            graph.lowered(older or "9.24.0")

    def test_ragged_needs_lengths(self) -> None:
        g, q, k, v = qkv()
        q.ragged_offset = g.tensor((3, 1, 1, 1), "INT32")
        with _refused(errors.ArgumentError, "a ragged tensor needs seq_len_q and seq_len_kv"):
            g.attention(q, k, v)

    @pytest.mark.parametrize(
        ("name", "release", "form", "text"),
        [
            ("forward causal", "9.19.0", "node", r"as node: causal needs 9\.21\.0"),
            (
                "forward sink",
                "9.12.0",
                None,
                r"sink needs 9\.21\.0; as composite: sink needs 9\.13",
            ),
            ("backward plain", "9.19.0", "node", r"gradient of attention needs 9\.28\.0"),
            ("backward plain", "9.12.0", None, r"192 keys, no multiple of 128, .* needs 9\.16\.0"),
            ("backward deterministic", "9.28.0", "node", "deterministic is not possible"),
            ("forward plain", "8.9.7", None, r"attention needs 9\.0\.0"),
            ("forward plain", "9.10.1", None, "attention, wrong in this release, needs 9.10.2"),
        ],
    )
    def test_what_a_release_lacks(
        self, name: str, release: str, form: str | None, text: str
    ) -> None:
        with _refused(errors.NotSupportedError, text):
            graph_of(name, form=form).lowered(release)

    @pytest.mark.parametrize("lengths", [False, True])
    @pytest.mark.parametrize(
        ("keys", "is_wrong"), [(128, (False, False)), (192, (True, False)), (160, (True, True))]
    )
    def test_slopes_that_are_nan_beside_the_scores(
        self, lengths: bool, keys: int, is_wrong: tuple[bool, bool]
    ) -> None:
        """Engines have -inf there, with lengths as well if keys are no multiple of 64."""
        _lower_gradient(
            keys, lengths, lambda _, x: x + x * x * 0.25, lambda _, d, x: d + d * x * 0.5,
            is_wrong[lengths],
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("score", "is_nan"),
        [
            (lambda g, x: x * g.sigmoid(x), True),
            (lambda g, x: g.swish(x), True),
            (lambda g, x: g.gelu(x), True),
            (lambda g, x: x * g.exp(x), True),
            (lambda g, x: x * (g.sigmoid(x) * 2.0), True),
            (lambda g, x: g.sqrt(x), True),
            (lambda _, x: x / x, True),
            (lambda _, x: x * 0.0, True),
            (lambda g, x: g.relu(x) * 0.0, False),
            (lambda g, x: g.relu(x, slope=0.5) * 0.0, True),
            (lambda _, x: x + x * x * 0.25, True),
            (lambda _, x: x + x, False),
            (lambda g, x: x + g.tanh(x * 0.5), False),
            (lambda g, x: g.exp(x) + 1.0, False),
            (lambda _, x: x * -1.0, False),
        ],
    )
    def test_scores_that_are_nan_for_minus_infinity(self, score: Any, is_nan: bool) -> None:
        """Gradients of them are NaN where keys are no multiple of 64."""
        _lower_gradient(160, True, score, lambda _, d, x: d * x, is_nan)

    def test_keys_and_values_may_be_one_tensor(self) -> None:
        g, q, k, _ = qkv()
        o, stats = g.attention(q, k, k, stats=True)
        for each in g.attention_backward(q, k, k, o, q, stats):
            g.output(each)
        g.lowered("9.19.0")

    def test_what_single_releases_lack(self) -> None:
        """Refuse what NVIDIA's front end refuses there."""
        g, q, k, v = qkv(k=(2, 4, 2048, 64), v=(2, 4, 2048, 64))
        g.output(g.attention(q, k, v, window=(8, None)))
        with _refused(errors.NotSupportedError, "window to the left of more than 1024 keys"):
            g.lowered("9.14.0")
        for release in ("9.13.0", "9.15.0"):
            g.lowered(release)
        g, q, k, v = qkv(k=(2, 4, 192, 64), v=(2, 4, 192, 64))
        g.output(g.attention(q, k, v, window=(8, 0), diagonal="bottom_right"))
        with _refused(errors.NotSupportedError, r"window from the bottom right .* needs 9\.6\.0"):
            g.lowered("9.5.0")
        g.lowered("9.6.0")
        g, q, k, v = qkv(q=(2, 4, 128, 160), k=(2, 4, 128, 160), v=(2, 4, 128, 96))
        o, stats = g.tensor(v.shape), g.tensor((2, 4, 128, 1), "FLOAT")
        for each in g.attention_backward(q, k, v, o, o, stats):
            g.output(each)
        with _refused(errors.NotSupportedError, "widths of 160 and 96"):
            g.lowered("9.12.0")
        for release in ("9.10.2", "9.13.0"):
            g.lowered(release)

    @pytest.mark.parametrize("option", ["bias", "dropout_mask"])
    def test_gradients_that_come_out_wrong(self, option: str) -> None:
        """Gradients of a bias that is repeated along queries, and of a mask that is given."""
        g, q, k, v = qkv()
        shape = (1, 1, 1, 128) if option == "bias" else (2, 4, 128, 128)
        more = {option: g.tensor(shape)} | ({} if option == "bias" else {"dropout": 0.5})
        stats = g.tensor((2, 4, 128, 1), "FLOAT")
        gradients = g.attention_backward(q, k, v, q, q, stats, dbias=option == "bias", **more)
        for each in gradients:
            g.output(each)
        for release in ("9.19.0", "9.28.0"):
            with _refused(errors.NotSupportedError, "repeated|dropout_mask is not possible"):
                g.lowered(release)

    def test_gradients_of_ragged_tensors_with_a_mask(self) -> None:
        g, q, k, v = qkv()
        offsets = g.tensor((3, 1, 1, 1), "INT32", name="offsets")
        lengths = {name: g.tensor((2, 1, 1, 1), "INT32") for name in ("seq_len_q", "seq_len_kv")}
        ragged = g.tensor(q.shape, "HALF", ragged_offset=offsets, name="ragged")
        stats = g.tensor((2, 4, 128, 1), "FLOAT")
        mask = g.tensor((2, 4, 128, 128), name="mask")
        for each in g.attention_backward(
            *(ragged, k, v, q, q, stats), dropout=0.5, dropout_mask=mask, **lengths
        ):
            g.output(each)
        with _refused(errors.NotSupportedError, "ragged tensors with dropout_mask"):
            lower(g, "9.19.0", (), whole=False)

    def test_what_comes_out_wrong_together(self) -> None:
        """Maxima of rows with a sink; the gradient of a bias beside a function of scores."""
        g, q, k, v = qkv()
        sink = g.tensor((1, 4, 1, 1), "FLOAT")
        for each in g.attention(q, k, v, sink=sink, return_rows=True):
            g.output(each)
        with _refused(errors.NotSupportedError, r"return_rows with a sink.* needs 9\.21\.0"):
            g.lowered("9.19.0")
        g.lowered("9.21.0")
        g, q, k, v = qkv(q=(2, 4, 1, 64), k=(2, 4, 320, 64), v=(2, 4, 320, 64))
        g.output(g.attention(q, k, v, dropout=0.1, seed=1, offset=2))
        with _refused(errors.NotSupportedError, "dropout of one query and more than 200 keys"):
            g.lowered("9.19.0")
        for release, refused in (("9.19.0", True), ("9.21.0", False)):  # a node from 9.21.0 on
            g, q, k, v = qkv()
            g.output(g.attention(q, k, v, score=_own_mask))
            if refused:
                with _refused(errors.NotSupportedError, "a score that compares indices"):
                    g.lowered(release)
            else:
                g.lowered(release)
        for more in (
            {"scale": -0.1},
            {"score": cases.softcap, "score_backward": cases.softcap_backward},
        ):
            g, q, k, v = qkv()
            stats, bias = g.tensor((2, 4, 128, 1), "FLOAT"), g.tensor((1, 4, 128, 128))
            given: dict[str, Any] = {"bias": bias, **more}
            for each in g.attention_backward(q, k, v, q, q, stats, dbias=True, **given):
                g.output(each)
            with _refused(errors.NotSupportedError, "dbias with score or a scale of zero or below"):
                g.lowered("9.19.0")

    @pytest.mark.parametrize("port", ["q", "k", "v", "o", "do", "dq", "dk", "dv"])
    @pytest.mark.parametrize("how", [{2: 67}, {0: 4 * 128 * 64 + 3}])
    def test_rows_that_engines_misread(self, port: str, how: dict[int, int]) -> None:
        """Rows, and examples, that do not begin at multiples of 16 bytes."""
        for gap, forward in itertools.product((0, 5), (True, False)):
            g = Graph(io_data_type="HALF")
            strides = [4 * 128 * 64, 128 * 64, 64, 1]
            for axis, step in how.items():
                strides[axis] = step + gap
            names = ("q", "k", "v") if forward else ("q", "k", "v", "o", "do")
            made: dict[str, Any] = {
                name: g.tensor((2, 4, 128, 64), strides=strides if name == port else None)
                for name in names
            }
            if forward:
                results = {"o": g.attention(**made)}
            else:
                stats = g.tensor((2, 4, 128, 1), "FLOAT")
                gradients = g.attention_backward(**made, stats=stats)
                results = dict(zip(("dq", "dk", "dv"), gradients, strict=True))
            for name, each in results.items():
                g.output(each, strides=strides if name == port else None)
            if gap or port not in made | results:
                g.lowered("9.19.0")
                continue
            with _refused(errors.NotSupportedError, f"{port} has the strides .*; copy the array"):
                g.lowered("9.19.0")

    @pytest.mark.parametrize(
        ("shape", "keys", "wanted"),
        [
            ((2, 1, 1, 1), 128, (2, 1, 1, 128)),
            ((2, 4, 1, 1), 128, (2, 4, 1, 128)),
            ((2, 4, 1, 1), 1, (2, 4, 128, 1)),
            ((1, 4, 1, 1), 128, None),
            ((2, 4, 128, 1), 128, None),
            ((2, 4, 1, 128), 128, None),
        ],
    )
    def test_a_bias_of_each_example(
        self, shape: tuple[int, ...], keys: int, wanted: tuple[int, ...] | None
    ) -> None:
        """It is repeated along the keys, or the queries of one key, by a plan of its own."""
        g, q, k, v = qkv(k=(2, 4, keys, 64), v=(2, 4, keys, 64))
        bias = g.tensor(shape, name="bias")
        for each in g.attention(q, k, v, bias=bias, stats=True):
            g.output(each)
        if wanted is None:
            assert "matmul" in [each.kind for each in g.lowered("9.19.0").nodes]
            return
        with _refused(errors.NotSupportedError, "a bias of one element for each example"):
            g.lowered("9.19.0")
        expand, attention = lower(g, "9.19.0", (), whole=False).nodes
        assert (expand.kind, attention.kind) == ("expand", "attention")
        assert expand.inputs["x"].uid == bias.uid
        assert attention.inputs["bias"].shape == wanted
        assert [each.data_type for each in attention.outputs.values()] == ["HALF", "FLOAT"]

    def test_one_query_and_one_key_with_a_bias_of_each_example(self) -> None:
        g, q, k, v = qkv(**dict.fromkeys("qkv", (2, 4, 1, 64)))
        g.output(g.attention(q, k, v, bias=g.tensor((2, 1, 1, 1))))
        with _refused(errors.NotSupportedError, "a bias of one element for each example"):
            lower(g, "9.19.0", (), whole=False)

    @pytest.mark.parametrize("form", [None, "composite"])
    def test_gradients_of_a_sink_with_dropout(self, form: str | None) -> None:
        """Engines multiply them by what dropout keeps."""
        g, q, k, v = qkv()
        given = {"sink": g.tensor((1, 4, 1, 1), "FLOAT"), "dropout": 0.2, "seed": 1, "offset": 2}
        stats = g.tensor((2, 4, 128, 1), "FLOAT")
        *_, dsink = g.attention_backward(q, k, v, q, q, stats, dsink=True, form=form, **given)
        g.output(dsink)
        with _refused(errors.NotSupportedError, "gradient of a sink with dropout"):
            g.lowered("9.19.0")
        if form is not None:
            with _refused(errors.NotSupportedError, "gradient of a sink with dropout"):
                lower(g, "9.19.0", (), whole=False)
            return
        gradient, product = lower(g, "9.19.0", (), whole=False).nodes
        assert (gradient.kind, product.options["mode"]) == ("attention_backward", "MUL")
        assert product.inputs["x"] is gradient.outputs["dsink"]
        assert product.inputs["b"].value == 1 / (1 - 0.2)

    def test_gradients_of_fp8_take_multiples_of_16_queries(self) -> None:
        for queries in (96, 100):
            g = Graph(io_data_type="FP8_E4M3")
            q, o, do = (g.tensor((2, 4, queries, 128)) for _ in range(3))
            k, v = (g.tensor((2, 4, 100, 128)) for _ in range(2))
            scales = {
                name: g.tensor((1, 1, 1, 1), "FLOAT") for name in SCALES["attention_backward"]
            }
            stats = g.tensor((2, 4, queries, 1), "FLOAT")
            for each in g.attention_backward(q, k, v, o, do, stats, fp8=scales):
                g.output(each)
            if queries % 16 == 0:
                g.lowered("9.19.0")
                continue
            with _refused(errors.NotSupportedError, "FP8 are not a multiple of 16.*; pad q, o, do"):
                g.lowered("9.19.0")

    def test_parts_write_ragged_results_by_their_offsets(self) -> None:
        g, q, k, v = qkv()
        offsets = g.tensor((3, 1, 1, 1), "INT32", name="offsets")
        lengths = {name: g.tensor((2, 1, 1, 1), "INT32") for name in ("seq_len_q", "seq_len_kv")}
        ragged = g.tensor(q.shape, "HALF", ragged_offset=offsets, name="ragged")
        g.output(g.attention(ragged, k, v, **lengths))
        stored = {uid: parts.Stored(uid, each.strides, 0) for uid, each in g.tensors.items()}
        part = parts.cut(g, g.nodes, stored)
        assert part is not None
        (o,) = part.outputs
        assert o.ragged_offset is part.tensors[offsets.uid]

    def test_results_lie_as_what_has_their_offsets(self) -> None:
        """Queries, keys and values that are slices of one tensor, of 768 elements a row."""
        g, q, k, v = qkv()
        offsets, own = (g.tensor((3, 1, 1, 1), "INT32") for _ in range(2))
        lengths = {name: g.tensor((2, 1, 1, 1), "INT32") for name in ("seq_len_q", "seq_len_kv")}
        for each in (q, k, v):
            each.strides = (each.shape[2] * 768, each.shape[3], 768, 1)
            each.ragged_offset = offsets
        o, stats = g.attention(q, k, v, stats=True, **lengths)
        assert o.strides == q.strides
        back = g.attention_backward(q, k, v, o, o, stats, **lengths)
        assert [each.strides for each in back] == [each.strides for each in (q, k, v)]
        packed = (q.shape[1] * q.shape[2] * q.shape[3], q.shape[3], q.shape[1] * q.shape[3], 1)
        for how in ({"ragged_offset": own}, {"strides": packed}):
            assert g.attention(q, k, v, **lengths, **how).strides == packed

    def test_a_function_of_scores_returns_scores(self) -> None:
        g, q, k, v = qkv()
        for function in (lambda *_: 3, lambda _, x: x):
            with _refused(errors.ArgumentError, "a tensor that it computes from the scores"):
                g.attention(q, k, v, score=function)
        with _refused(errors.ShapeMismatchError, "to have the shape"):
            g.attention(q, k, v, score=lambda g, x: g.reduction(x, "MAX", dims=3))
        assert not g.nodes


def test_slopes_of_alibi() -> None:
    assert alibi_slopes(8) == [2.0**-i for i in range(1, 9)]
    assert alibi_slopes(3) == [2.0**-4, 2.0**-8, 2.0**-2]


def test_descriptors(cudnn_libraries: list[Path], program: Any, no_driver: dict[str, str]) -> None:
    """Every form is an operation graph to the releases that have it."""
    checked = 0
    for library in cudnn_libraries:
        release = _key(sublibraries.version_in(library))
        if release < (9, 0):
            continue
        answers = json.loads(program("attention", library, "finalize", **no_driver).stdout)
        checked += 1
        for name, answer in answers.items():
            if "sink" in name and release < (9, 13):
                assert answer.startswith("NotSupportedError")
                assert "sink needs" in answer
                continue
            since = cases.LATER[name[6:]][0] if name.startswith("later ") else SINGLE[name]
            expected = "node" if since and release >= _key(since) else "composite"
            assert answer == expected, (release, name)
    assert checked


#: Plans that are compiled for an H200, a second each.
BUILT = [
    "backward fp8",
    *["forward plain", "forward causal", "forward pages, causal", "forward fp8"],
    *["backward causal", "backward dbias", "backward score"],
]


@pytest.mark.slow
def test_plans(cudnn_libraries: list[Path], program: Any) -> None:
    """Engines take the composites, where the machine can compile for a device that it lacks."""
    path = os.environ.get("LD_LIBRARY_PATH", "")
    for name in ("libcuda.so.1", "libnvrtc.so.13", "libcublasLt.so.13"):
        if not finds(name, LD_LIBRARY_PATH=path):
            pytest.skip(f"plans of attention are compiled with {name}, which is not here")
    for library in cudnn_libraries:
        release = _key(sublibraries.version_in(library))
        if release >= (9, 8):
            done = program("attention", library, "build", *BUILT, LD_LIBRARY_PATH=path)
            for name, answer in json.loads(done.stdout).items():
                assert answer in ("node", "composite"), (release, name, answer)


@pytest.mark.parametrize("dsink", [False, True])
def test_what_a_composite_does_not_read_is_no_address_of_the_plan(dsink: bool) -> None:
    g, q, k, v = qkv()
    stats = g.tensor((2, 4, 128, 1), "FLOAT", name="stats")
    sink = g.tensor((1, 4, 1, 1), "FLOAT", name="sink")
    for each in g.attention_backward(q, k, v, q, q, stats, sink=sink, dsink=dsink):
        g.output(each)
    for release, read in (("9.19.0", dsink), ("9.28.0", True)):
        found = {each.name: each.is_read for each in operands(g.lowered(release), g)}
        assert found.pop("sink") == read, "statistics tell enough, but for its own gradient"
        assert all(found.values())


@pytest.mark.parametrize("repeated", ["q", "k", "v"])
def test_repeated_elements_beside_a_bias(repeated: str) -> None:
    """Engines read them; the result needs strides of its own, which end the process otherwise."""
    for bias in (False, True):
        graph = Graph(io_data_type="HALF")
        strides = (0, 64 * 32, 32, 1)
        given: Any = {
            name: graph.tensor((2, 4, 64, 32), strides=strides if name == repeated else None)
            for name in "qkv"
        }
        more: Any = {"bias": graph.tensor((1, 1, 64, 64))} if bias else {}
        o = graph.attention(**given, **more)
        graph.output(o, name="o")
        if repeated == "q":
            with pytest.raises(errors.NotSupportedError, match=r"o has the strides \(1, "):
                graph.lowered("9.19.0")
        graph.output(o, strides=(4 * 64 * 32, 64 * 32, 32, 1))
        Graph.from_json(graph.to_json()).lowered("9.19.0")


@pytest.mark.parametrize("kind", ["INT32", "FLOAT"])
@pytest.mark.parametrize(
    ("shape", "is_lost", "is_lost_in_gradient"),
    [
        ((2, 1, 1, 1), True, True),
        ((2, 4, 1, 1), True, True),
        ((1, 4, 1, 1), None, None),
        ((1, 1, 1, 1), None, None),
        ((1, 1, 1, 64), False, True),
        ((2, 4, 1, 64), False, True),
        ((2, 1, 64, 1), False, False),
        ((1, 4, 64, 64), False, False),
    ],
)
def test_arrays_that_engines_lose(
    shape: tuple[int, ...], is_lost: bool | None, is_lost_in_gradient: bool | None, kind: Any
) -> None:
    """Functions of scores read them; None: whole numbers are lost, others are not."""
    for back, lost in ((False, is_lost), (True, is_lost_in_gradient)):
        graph = Graph(io_data_type="HALF")
        q, k, v, o, do = (graph.tensor((2, 4, 64, 64), name=name) for name in "qkvod")
        n = graph.tensor(shape, kind, name="n")

        def score(g: Any, x: Any, n: Any = n) -> Any:
            return g.min(x, g.tanh(g.add(x, n)))

        if back:
            slope: Any = lambda g, d, _: g.mul(d, 0.5)  # noqa: E731
            stats = graph.tensor((2, 4, 64, 1), "FLOAT", name="stats")
            more: Any = {"score": score, "score_backward": slope}
            for each in graph.attention_backward(q, k, v, o, do, stats, **more):
                graph.output(each)
        else:
            graph.output(graph.attention(q, k, v, score=score))
        if kind == "INT32" if lost is None else lost:
            with pytest.raises(errors.NotSupportedError, match="elements for examples alone"):
                graph.lowered("9.19.0")
        else:
            assert graph.lowered("9.19.0").nodes


def _seen_by(mode: Any, *places: int) -> Any:
    """Return a function that compares an index, and a number or another index."""

    def score(g: Any, x: Any) -> Any:
        one, *other = (g.add(g.gen_index(x, place), 3) for place in places)
        bound = other[0] if other else g.scalar(9, "INT32", rank=4)
        seen = g.pointwise(mode, one, bound, compute_data_type="BOOLEAN")
        return g.pointwise("BINARY_SELECT", x, g.scalar(1.0, "FLOAT", rank=4), seen)

    return score


@pytest.mark.parametrize("mode", ["CMP_GE", "CMP_LT", "CMP_EQ"])
def test_indices_in_scores(mode: str) -> None:
    """Engines compute what reads them, unless it compares two of them, or options are beside."""
    lengths = {"seq_len_q": (2, 1, 1, 1), "seq_len_kv": (2, 1, 1, 1)}
    options: dict[str, Any]
    for places, options, is_taken in (
        ((2,), {}, True),
        ((3,), {}, True),
        ((3,), {"causal": True}, True),
        ((3,), {"lengths": lengths}, True),
        ((3,), {"window": (9, None)}, False),
        ((3,), {"causal": "bottom_right"}, False),
        ((3,), {"dropout": 0.5, "seed": 1, "offset": 2}, False),
        ((2, 3), {}, False),
        ((3, 2), {}, False),
    ):
        graph, q, k, v = qkv()
        more: dict[str, Any] = {**options}
        for name, shape in more.pop("lengths", {}).items():
            more[name] = graph.tensor(shape, "INT32", name=name)
        graph.output(graph.attention(q, k, v, score=_seen_by(mode, *places), **more))
        if is_taken:
            assert graph.lowered("9.19.0").nodes
            continue
        with pytest.raises(errors.NotSupportedError, match="a score that compares indices"):
            graph.lowered("9.19.0")
