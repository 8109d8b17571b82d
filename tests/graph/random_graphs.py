"""Random graphs of pointwise operations, reductions, products and moves, in any layout."""

from __future__ import annotations

import math
import random
from typing import Any

from cudnn_cffi import errors
from cudnn_cffi.graph import Graph

Shape = tuple[int, ...]


class _Maker:
    """A graph that grows.

    Attributes:
        full: the extents that new inputs have, or 1.
        values: what operations may read.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.graph = Graph(f"random_{seed}", composites=self.chance.choice([(), ("softmax",)]))
        self.full = [self.chance.randint(1, 4) for _ in range(self.chance.choice([1, 2, 3, 4, 5]))]
        self.values = [self.input(tuple(self.full))]

    def strides(self, shape: Shape) -> Shape | None:
        """Return strides in any order, with gaps or without; None for row-major ones."""
        chance = self.chance
        if chance.random() < 0.35:
            return None
        order = list(range(len(shape)))
        if chance.random() < 0.6:
            chance.shuffle(order)
        gap, step, strides = chance.choice([0, 0, 0, 1, 2]), 1, [0] * len(shape)
        for axis in reversed(order):
            strides[axis] = step
            step *= shape[axis]
            step += gap if chance.random() < 0.3 else 0
        if chance.random() < 0.15:
            alone = [axis for axis, extent in enumerate(shape) if extent == 1]
            for axis in alone:
                strides[axis] = chance.choice([0, 1, 7, 100])
        return tuple(strides)

    def input(self, shape: Shape | None = None) -> Any:
        if shape is None:
            shape = tuple(n if self.chance.random() < 0.75 else 1 for n in self.full)
        return self.graph.tensor(shape, "FLOAT", self.strides(shape))

    def grow(self) -> None:
        """Add an operation to a value."""
        make = self.chance.choice(
            [self.pair, self.pair, self.single, self.sum, self.move, self.more]
        )
        try:
            self.values.append(make(self.chance.choice(self.values)))
        except errors.ShapeMismatchError:
            pass

    def pair(self, x: Any) -> Any:
        chance = self.chance
        other: Any = chance.choice([None, -0.5, *self.values])
        if other is None or chance.random() < 0.3:
            other = self.input()
        mode = chance.choice(["ADD", "SUB", "MUL", "MAX", "MIN"])
        return self.graph.pointwise(mode, *chance.sample([x, other], 2))

    def single(self, x: Any) -> Any:
        return self.graph.pointwise(self.chance.choice(["ABS", "NEG", "RELU_FWD", "IDENTITY"]), x)

    def sum(self, x: Any) -> Any:
        mode = self.chance.choice(["ADD", "MAX", "AVG", "NORM1", "NORM2"])
        rank = len(x.shape)
        return self.graph.reduction(
            x, mode, dims=self.chance.sample(range(rank), self.chance.randint(1, rank))
        )

    def more(self, x: Any) -> Any:
        g, chance = self.graph, self.chance
        kind = chance.choice(["select", "softmax", "matmul", "mod"])
        if kind == "select":
            return g.binary_select(x, chance.choice([0.0, self.input()]), x > 0.25)
        if kind == "softmax":
            return g.softmax(x)
        if kind == "mod" or len(x.shape) < 2:
            return g.floor_mod(x, chance.choice([3.0, -2.0]))
        *batch, _, width = x.shape
        batch = batch if chance.random() < 0.7 else [1] * len(batch)
        y = g.matmul(x, self.input((*batch, width, 3)))
        self.full = list(y.shape)
        return y

    def move(self, x: Any) -> Any:
        g, chance, rank = self.graph, self.chance, len(x.shape)
        kind = chance.choice(["transpose", "slice", "reshape"])
        if kind == "transpose":
            y = g.transpose(x, chance.sample(range(rank), rank))
            if chance.random() < 0.4:
                y = g.reshape(y, (-1, y.shape[0]))
        elif kind == "slice":
            start = [chance.randrange(n) for n in x.shape]
            limit = [chance.randint(a + 1, n) for a, n in zip(start, x.shape, strict=True)]
            y = g.slice(x, start, limit, [chance.choice([1, 1, 2]) for _ in start])
        else:
            size = math.prod(x.shape)
            rows = chance.choice([n for n in range(1, size + 1) if size % n == 0])
            y = g.reshape(x, (rows, -1), mode=chance.choice([None, "LOGICAL"]))
        self.full = list(y.shape)
        return y

    def finish(self) -> Graph:
        """Mark outputs, and forget the inputs that nobody reads."""
        g, chance = self.graph, self.chance
        results = [each for each in self.values if each.producer is not None]
        if not results:
            results = [g.relu(self.values[0])]
        for each in chance.sample(results, chance.randint(1, len(results))):
            if each.is_output:
                continue
            try:
                g.output(each, strides=self.strides(each.shape) if chance.random() < 0.3 else None)
            except errors.GraphError:  # a view goes by the strides that it has
                g.output(each)
        read = {each.uid for node in g.nodes for each in node.inputs.values()}
        for uid, each in list(g.tensors.items()):
            if each.producer is None and uid not in read:
                del g.tensors[uid]
        return g


def random_graph(seed: int) -> Graph:
    """Return a graph with outputs; the same for the same seed."""
    maker = _Maker(seed)
    for _ in range(maker.chance.randint(1, 6)):
        maker.grow()
    return maker.finish()
