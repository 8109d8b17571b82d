"""Random graphs, lowered, in parts, and read back: they compute what they say.

A failure names the seed of its graph, by which `random_graph` makes it again.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph
from cudnn_cffi.graph.lower.by_release import lower

np = pytest.importorskip("numpy")

from cudnn_cffi.diagnose.evaluate import evaluate  # noqa: E402

from tests.graph import test_splitting as parts  # noqa: E402
from tests.graph.random_graphs import random_graph  # noqa: E402

RELEASES = ("9.12.0", "9.19.0", "9.28.0")


@pytest.mark.parametrize("seed", range(0, 300, 20))
def test_lowered(seed: int) -> None:
    lowered = 0
    for each in range(seed, seed + 20):
        graph = random_graph(each)
        graph.check()
        assert Graph.from_json(graph.to_json()) == graph
        numbers = np.random.default_rng(each)
        inputs = [tensor for tensor in graph.tensors.values() if tensor.role == "input"]
        arrays = {tensor.name: numbers.normal(size=tensor.shape) for tensor in inputs}
        wanted = evaluate(lower(graph, "9.19.0", (), whole=False), arrays, graph)
        for release in RELEASES:
            try:
                made = graph.lowered(release)
            except errors.NotSupportedError:
                continue
            lowered += 1
            found = evaluate(made, arrays, graph)
            for name, value in wanted.items():
                np.testing.assert_allclose(
                    found[name], value, atol=1e-9, err_msg=f"seed {each}, {release}, {name}"
                )
    assert lowered > 15  # operations that do not hang together are refused


def compute(node: Any, given: dict[str, Any]) -> Any:
    """Return what the modes of these graphs compute besides those of the other tests."""
    known = {"MIN": np.minimum, "NEG": np.negative, "MOD": np.fmod, "CMP_LT": np.less}
    mode = node.options.get("mode") if node.kind == "pointwise" else None
    return known[mode](*given.values()) if mode in known else _compute(node, given)


_compute = parts.compute


@pytest.mark.parametrize("how", ["alone", "row-major", "chance"])
@pytest.mark.parametrize("seed", range(0, 200, 40))
def test_in_parts(seed: int, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "compute", compute)
    for each in range(seed, seed + 40):
        chance, known = random.Random(each), dict[Any, bool]()

        def takes(part: Any, chance: Any = chance, known: Any = known) -> bool:
            if any(node.kind not in ("pointwise", "reduction", "matmul") for node in part.nodes):
                return False
            return len(part.nodes) == 1 or known.setdefault(part.key, chance.random() < 0.4)

        engines = {"alone": parts.alone, "row-major": parts.row_major, "chance": takes}
        graph = random_graph(each)
        try:
            parts.run(graph, parts.split(graph, engines[how]), each)
        except (AssertionError, errors.CudnnError) as error:
            raise AssertionError(f"seed {each}") from error
