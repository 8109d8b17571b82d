"""Random graphs in several parts, evaluated with NumPy, for engines that take one operation or few."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.graph import Graph

from tests.graph.test_splitting import alone, row_major, run, split

pytestmark = pytest.mark.attack

_MOST = 5000  # elements
_KINDS = (
    *("relu", "exp", "numbers", "add", "mul", "reduction", "transpose", "slice", "reshape"),
    *("concatenate", "expand", "select", "matmul"),
)


def random_graph(chance: random.Random) -> Graph:
    """Return a graph of operations that compute and that move data."""
    g = Graph()
    rank = chance.choice([2, 3, 4])
    shape = tuple(chance.choice([1, 2, 3, 4, 6, 8]) for _ in range(rank))

    def layout(rank: int) -> tuple[int, ...]:
        return tuple(chance.sample(range(rank), rank))

    pool = [g.tensor(shape, "FLOAT", name=name, layout=layout(rank)) for name in ("x", "z")]
    wanted = chance.randint(2, 9)
    while len(pool) < wanted + 2:
        before = len(g.nodes), set(g.tensors)
        y = _add(g, chance, pool)
        if y is not None and math.prod(y.shape) <= _MOST:
            pool.append(y)
            continue
        assert before[0] <= len(g.nodes)
        wanted -= 1
    for number, each in enumerate(reversed(pool[2:])):
        if (not number or chance.random() < 0.3) and not each.is_output:
            # Only of a result that nobody reads: rounding is no error.
            kind = chance.choice(["FLOAT", "HALF"]) if not number else "FLOAT"
            where = chance.choice([None, layout(len(each.shape))])
            each.output(name=f"y{number}", data_type=kind, layout=where)
    read = {each.uid for node in g.nodes for each in node.inputs.values()}
    for uid, each in list(g.tensors.items()):
        if each.producer is None and each.value is None and uid not in read:
            del g.tensors[uid]
    return g


def _add(g: Graph, chance: random.Random, pool: list[Any]) -> Any:
    x = chance.choice(pool)
    shape, rank = x.shape, len(x.shape)
    what = chance.choice(_KINDS)
    if what == "relu":
        return g.relu(x)
    if what == "exp":
        return g.exp(x * 0.1)
    if what == "numbers":
        return x * 0.5 + 1.0
    if what in ("add", "mul"):
        fits = [
            each
            for each in pool
            if len(each.shape) == rank
            and all(a == b or 1 in (a, b) for a, b in zip(each.shape, shape, strict=True))
        ]
        return getattr(g, what)(x, chance.choice(fits))
    if what == "reduction":
        dims = chance.sample(range(rank), chance.randint(1, rank))
        return g.reduction(x, chance.choice(["MAX", "ADD"]), dims=dims)
    if what == "transpose":
        return g.transpose(x, chance.sample(range(rank), rank))
    if what == "slice":
        start = [chance.randrange(extent) for extent in shape]
        limit = [chance.randint(a + 1, extent) for a, extent in zip(start, shape, strict=True)]
        return g.slice(x, start, limit, [chance.choice([1, 1, 2]) for _ in shape])
    if what == "reshape":
        total = math.prod(shape)
        rows = chance.choice([each for each in range(1, total + 1) if total % each == 0])
        return g.reshape(x, (rows, total // rows), mode="LOGICAL")
    if what == "concatenate":
        axis = chance.randrange(rank)
        rest = (*shape[:axis], *shape[axis + 1 :])
        fits = [
            each
            for each in pool
            if len(each.shape) == rank and (*each.shape[:axis], *each.shape[axis + 1 :]) == rest
        ]
        return g.concatenate([x, *chance.sample(fits, min(len(fits), 2))], axis)
    if what == "expand":
        return g.expand(x, [n if n > 1 else chance.choice([1, 2, 3, 5]) for n in shape])
    if what == "select":
        return g.binary_select(x, x * 2.0, x > 0.0)
    if rank < 3:
        return None
    return g.matmul(x, g.transpose(x, (*range(rank - 2), rank - 1, rank - 2))) * 0.1


def test_random_graphs(seed: int) -> None:
    for number in range(600):
        graph = random_graph(random.Random(seed + number))
        for takes in (alone, row_major):
            try:
                plan = split(graph, takes)
                run(graph, plan, number)
            except (AssertionError, errors.CudnnError) as error:
                pytest.fail(f"graph {number}, {takes.__name__}: {error}\n{graph}")
