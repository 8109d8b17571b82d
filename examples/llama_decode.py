"""Generate tokens with a Llama-like model of random weights, without another framework.

All plans of a step are one CUDA graph, for sequences of any length: keys and values lie in pages,
and the device reads lengths, page tables and the places of new keys. The model has two layers with
the shapes of Llama 3 8B. Its tokens are compared with those of NumPy in float32.

Up to eight sequences are computed by kernels of this package, too: products that read weights at
the memory's speed, with norms, gates and additions, rotations that append to the cache, and, of
one sequence, attention with that rotation.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import kernels, ops

Array = np.ndarray[Any, Any]


class Shapes(NamedTuple):
    """The extents of a model; those of Llama 3 8B, but for layers and words."""

    layers: int = 2
    hidden: int = 4096
    heads: int = 32
    kv_heads: int = 8
    width: int = 128
    inner: int = 14336
    words: int = 2048
    page: int = 16
    epsilon: float = 1e-5
    theta: float = 500_000.0

    @property
    def outputs(self) -> dict[str, tuple[int, int]]:
        """Return the (outputs, inputs) of each product of a layer."""
        rows = (self.heads + 2 * self.kv_heads) * self.width
        return {
            "qkv": (rows, self.hidden),
            "o": (self.hidden, self.heads * self.width),
            "gate": (self.inner, self.hidden),
            "up": (self.inner, self.hidden),
            "down": (self.hidden, self.inner),
        }


def random_weights(shapes: Shapes, seed: int = 0) -> dict[str, Array]:
    """Return float16 matrices (outputs, inputs) of each layer, and those of words."""
    rng = np.random.default_rng(seed)

    def matrix(rows: int, columns: int, scale: float) -> Array:
        values = rng.random((rows, columns), np.float32) - np.float32(0.5)
        return (values * np.float32(scale * np.sqrt(12 / columns))).astype(np.float16)

    found = {
        f"{layer}.{name}": matrix(*extents, 1.0)
        for layer in range(shapes.layers)
        for name, extents in shapes.outputs.items()
    }
    found["embedding"] = matrix(shapes.words, shapes.hidden, np.sqrt(shapes.hidden))
    # Some words are likelier than others, so that rounding does not decide which one comes next.
    likely = np.exp(rng.standard_normal((shapes.words, 1), np.float32))
    found["head"] = matrix(shapes.words, shapes.hidden, 1.0) * likely.astype(np.float16)
    return found


def rotations(shapes: Shapes, positions: Array) -> Array:
    """Return for each position the matrix that rotates a row of a head from the right, float16."""
    half = shapes.width // 2
    steps = shapes.theta ** -(np.arange(half, dtype=np.float32) / half)
    angles = np.asarray(positions, np.float32)[:, None] * steps
    found = np.zeros((len(positions), shapes.width, shapes.width), np.float16)
    first, second = np.arange(half), np.arange(half) + half
    found[:, first, first] = found[:, second, second] = np.cos(angles)
    found[:, first, second], found[:, second, first] = np.sin(angles), -np.sin(angles)
    return found


def turns(shapes: Shapes, positions: Array) -> Array:
    """Return for each position the cosines and the sines of a rotation, float32."""
    matrices = rotations(shapes, positions)
    half = shapes.width // 2
    first, second = np.arange(half), np.arange(half) + half
    found = np.concatenate([matrices[:, first, first], matrices[:, first, second]], 1)
    return found.astype(np.float32)


def as_pixels(rows: cudnn.DeviceArray) -> cudnn.DeviceArray:
    """Return rows, (1, count, columns), as an image of a pixel for each."""
    return rows.reshape(*rows.shape, 1).transpose(0, 2, 1, 3)


class Model:
    """The model on the device, with a cache for some sequences, and the graph of a step."""

    def __init__(self, shapes: Shapes, weights: dict[str, Array], batch: int, most: int) -> None:
        self.shapes, self.batch = shapes, batch
        self.stream = cudnn.Stream()
        self.embedding = weights["embedding"]
        self.weights = {
            name: self.to_device(each).reshape(1, *each.shape).transpose(0, 2, 1)
            for name, each in weights.items()
            if name != "embedding"
        }
        blocks = -(-most // shapes.page)
        pages = batch * blocks
        rows = shapes.heads + 2 * shapes.kv_heads
        self.table = np.random.default_rng(1).permutation(pages).astype(np.int32)
        self.table = self.table.reshape(batch, blocks)
        pool = (pages, shapes.kv_heads, shapes.page, shapes.width)
        self.pools = [[self._empty(*pool) for _ in "kv"] for _ in range(shapes.layers)]
        self.x = self._empty(1, batch, shapes.hidden)
        self.y = self._empty(1, batch, shapes.hidden)
        self.normed = self._empty(1, batch, shapes.hidden)
        self.qkv = self._empty(batch, rows, 1, shapes.width)
        self.turned = self._empty(batch, rows - shapes.kv_heads, 1, shapes.width)
        self.attended = self._empty(batch, shapes.heads, 1, shapes.width)
        self.gate = self._empty(1, batch, shapes.inner)
        self.up = self._empty(1, batch, shapes.inner)
        self.logits = self._empty(1, batch, shapes.words, dtype="float32")
        self.zeros = self._empty(1, shapes.hidden, 1, 1)
        self.ones = self.to_device(np.ones(shapes.hidden, np.float16))
        self.one_key = self.to_device(np.ones((batch, 1, 1, 1), np.int32))
        self.pages = self.to_device(self.table)
        self.lengths = self.to_device(np.zeros(batch, np.int32))
        self.places = self.to_device(np.zeros((batch + 1, 1, 1, 1), np.int32))
        self.starts: dict[int, cudnn.DeviceArray] = {}
        self.rotation = self._empty(batch, shapes.width, shapes.width)
        self.attention = ops.DecodeAttention(max_length=most)
        self.norm = ops.RMSNorm(epsilon=shapes.epsilon)
        self._build()
        self.work()  # so that all is made and loaded before the capture
        with self.stream.capture() as self.graph:
            self.work()

    def to_device(self, array: Array) -> cudnn.DeviceArray:
        """Return a copy of an array in device memory."""
        return cudnn.DeviceArray.from_numpy(array, stream=self.stream)

    def _empty(self, *shape: int, dtype: Any = "float16") -> cudnn.DeviceArray:
        return cudnn.DeviceArray.zeros(shape, dtype, stream=self.stream)

    def _product(self, rows: int, columns: int, end: str = "", dtype: Any = None) -> cudnn.Plan:
        """Return the plan of x @ w.T with what follows: an addition, or the product of a gate.

        With an addition, it is a convolution of pixels: for these, cuBLAS does both at once.
        """
        batch = self.batch
        g = cudnn.Graph(io_data_type="HALF")
        if end == "add":
            x = g.tensor((1, columns, batch, 1), layout="NHWC", name="x")
            w = g.tensor((rows, columns, 1, 1), layout="NHWC", name="w")
            other = g.tensor((1, rows, batch, 1), layout="NHWC", name="other")
            zeros = g.tensor((1, rows, 1, 1), layout="NHWC", name="zeros")  # as engines want it
            g.output(g.add(g.add(g.convolution(x, w), other), zeros), name="y")
            return g.build(runtime_compilation=False)
        x = g.tensor((1, batch, columns), name="x")
        w = g.tensor((1, columns, rows), strides=(rows * columns, 1, columns), name="w")
        y = g.matmul(x, w)
        if end:
            other = g.tensor((1, batch, rows), name="other")
            y = g.mul(g.swish(other), y)
        g.output(y, name="y", data_type=dtype)
        return g.build()

    def _rotate(self) -> cudnn.Plan:
        """Return the plan that rotates the rows of queries and keys of each sequence."""
        g = cudnn.Graph(io_data_type="HALF")
        x, turns = g.tensor(self.to_turn, name="x"), g.tensor(self.rotation, name="w")
        g.output(g.matmul(x, turns), name="y")
        return g.build()

    def _append(self, row: cudnn.DeviceArray, pool: cudnn.DeviceArray) -> cudnn.Plan:
        """Return the plan that writes a new row of each sequence to its place in a pool of pages.

        It is attention to one key, whose result is the value; ragged offsets are the places.
        """
        g = cudnn.Graph(io_data_type="HALF")
        starts = np.arange(self.batch + 1, dtype=np.int32) * row.strides[0]
        self.starts[row.strides[0]] = self.to_device(starts.reshape(-1, 1, 1, 1))
        new = g.tensor(row, name="new")
        new.ragged_offset = g.tensor(self.places, name="starts")
        one = g.tensor(self.one_key, name="one")
        places = g.tensor(self.places, name="places")
        old = g.attention(new, new, new, seq_len_q=one, seq_len_kv=one, ragged_offset=places)
        g.output(old, name="y", strides=pool.strides)
        return g.build()

    def _build(self) -> None:
        s, batch = self.shapes, self.batch
        ends = {"o": "add", "up": "gate", "down": "add"}
        self.products = {
            name: self._product(*extents, ends.get(name, "")) for name, extents in s.outputs.items()
        }
        self.to_words = self._product(s.words, s.hidden, dtype="FLOAT")
        turned = s.heads + s.kv_heads
        self.to_turn = self.qkv[:, :turned, 0]
        self.queries, self.keys = self.turned[:, : s.heads], self.turned[:, s.heads :]
        self.values = self.qkv[:, turned:]
        self.rotate = self._rotate()
        # The result is described by its first rows; the offsets say where it goes.
        self.slots = [[pool[:batch, :, :1] for pool in pools] for pools in self.pools]
        self.append_key = self._append(self.keys, self.slots[0][0])
        self.append_value = self._append(self.values, self.slots[0][1])

    def work(self) -> None:
        """Put a step into the stream: x becomes logits, and the cache has a row more."""
        s, stream, batch = self.shapes, self.stream, self.batch
        x, y, norm = self.x, self.y, self.norm
        for layer in range(s.layers):

            def product(name: str, x: Any, y: Any, layer: int = layer, **more: Any) -> None:
                given: dict[str, Any] = {
                    "x": x,
                    "y": y,
                    "w": self.weights[f"{layer}.{name}"],
                    **more,
                }
                if name in ("o", "down"):  # rows as pixels
                    w = given.pop("w")
                    given = {key: as_pixels(each) for key, each in given.items()}
                    given["w"] = w.transpose(2, 1, 0).reshape(*w.shape[:0:-1], 1, 1)
                    given["zeros"] = self.zeros
                self.products[name](**given, stream=stream)

            norm(x, self.ones, out=self.normed, stream=stream)
            product("qkv", self.normed, self.qkv.reshape(1, batch, -1))
            self.rotate(x=self.to_turn, w=self.rotation, y=self.turned[:, :, 0], stream=stream)
            k, v = self.pools[layer]
            places: Any = {"one": self.one_key, "places": self.places, "stream": stream}
            for append, new, slot in zip(
                (self.append_key, self.append_value), (self.keys, self.values), self.slots[layer],
                strict=True,
            ):  # fmt: skip
                append(new=new, starts=self.starts[new.strides[0]], y=slot, **places)
            self.attention(
                self.queries, k, v, self.pages, self.lengths,
                out=self.attended, stream=stream,
            )  # fmt: skip
            product("o", self.attended.reshape(1, batch, -1), y, other=x)
            norm(y, self.ones, out=self.normed, stream=stream)
            product("gate", self.normed, self.gate)
            product("up", self.normed, self.up, other=self.gate)
            product("down", self.up, x, other=y)
        norm(x, self.ones, out=self.normed, stream=stream)
        self.to_words(x=self.normed, w=self.weights["head"], y=self.logits, stream=stream)

    def prepare(self, tokens: Array, positions: Array) -> None:
        """Copy to the device what a step reads of its tokens and their positions."""
        s = self.shapes
        page, slot = np.divmod(positions, s.page)
        places = np.zeros((self.batch + 1, 1, 1, 1), np.int32)
        pages = self.table[np.arange(self.batch), page]
        row = s.page * s.width
        places[:-1, 0, 0, 0] = pages * (s.kv_heads * row) + slot * s.width
        self.x.copy_from(self.embedding[tokens][None])
        self.turn(positions)
        self.places.copy_from(places)
        self.lengths.copy_from(np.asarray(positions + 1, np.int32))

    def turn(self, positions: Array) -> None:
        """Copy to the device how queries and keys at positions are rotated."""
        self.rotation.copy_from(rotations(self.shapes, positions))

    def step(self, tokens: Array, positions: Array) -> Array:
        """Return the logits of the next tokens."""
        self.prepare(tokens, positions)
        self.graph.launch()
        found: Array = self.logits.to_numpy()[0]
        return found


class FewSequences(Model):
    """The same for at most eight sequences, by kernels for few rows; the scales of norms are 1."""

    def _build(self) -> None:
        s, batch = self.shapes, self.batch
        rows = s.heads + 2 * s.kv_heads
        normed = {"epsilon": s.epsilon}
        more: dict[str, Any] = {
            "qkv": normed, "o": {"add": True}, "up": {"gate": True, **normed}, "down": {"add": True}
        }  # fmt: skip
        self.few = {
            name: kernels.FewRows(batch, depth, columns, **more[name])
            for name, (columns, depth) in s.outputs.items()
            if name in more
        }
        self.rotate_and_append = kernels.Rotation(batch, s.heads, s.kv_heads, s.width)
        self.attend = None
        if batch == 1:  # of more, cuDNN's engine fills the device
            extents = s.heads, s.kv_heads, s.width, s.page, self.table.shape[1]
            self.attend = kernels.OneQuery(1, *extents, rotates=True)
        self.to_words = self._product(s.words, s.hidden, dtype="FLOAT")
        self.turns = self._empty(batch, s.width, dtype="float32")
        self.qkv = self.qkv.reshape(batch, rows * s.width)
        self.queries = self._empty(batch, s.heads, 1, s.width)

    def work(self) -> None:
        """Put a step into the stream, as a `Model` does."""
        s, batch = self.shapes, self.batch
        few, x, y = self.few, self.x[0], self.y[0]
        # Weights were written long before, so kernels may read them while others end.
        early: Any = {"early": True, "stream": self.stream}
        for layer in range(s.layers):
            w = {name: self.weights[f"{layer}.{name}"][0].transpose(1, 0) for name in s.outputs}
            k, v = self.pools[layer]
            few["qkv"](x, w["qkv"], self.qkv, **early)
            rows = self.qkv.reshape(batch, -1, s.width)
            if self.attend is not None:
                o = self.attended[:, :, 0]
                self.attend(rows, k, v, self.pages, self.lengths, o, turns=self.turns, **early)
            else:
                q = self.queries[:, :, 0]
                self.rotate_and_append(rows, self.turns, self.places, q, k, v, **early)
                self.attention(
                    self.queries, k, v, self.pages, self.lengths,
                    out=self.attended, stream=self.stream,
                )  # fmt: skip
            few["o"](self.attended.reshape(batch, -1), w["o"], y, other=x, **early)
            few["up"](y, w["up"], self.up[0], gate=w["gate"], **early)
            few["down"](self.up[0], w["down"], x, other=y, **early)
        self.norm(self.x, self.ones, out=self.normed, stream=self.stream)
        self.to_words(
            x=self.normed, w=self.weights["head"], y=self.logits, stream=self.stream
        )  # fmt: skip

    def turn(self, positions: Array) -> None:
        """Copy to the device how queries and keys at positions are rotated."""
        self.turns.copy_from(turns(self.shapes, positions))


class Reference:
    """The same in float32, by NumPy."""

    def __init__(self, shapes: Shapes, weights: dict[str, Array], batch: int) -> None:
        self.shapes = shapes
        self.weights = {name: each.astype(np.float32) for name, each in weights.items()}
        self.cache: list[list[list[Array]]] = [
            [[] for _ in range(batch)] for _ in range(shapes.layers)
        ]

    def norm(self, x: Array) -> Array:
        """Return the RMS norm of rows."""
        scaled: Array = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.shapes.epsilon)
        return scaled

    def step(self, tokens: Array, positions: Array) -> Array:
        """Return the logits of the next tokens."""
        s, w = self.shapes, self.weights
        x = w["embedding"][tokens]
        turns = rotations(s, positions).astype(np.float32)
        for layer, cache in enumerate(self.cache):
            rows = (self.norm(x) @ w[f"{layer}.qkv"].T).reshape(len(x), -1, s.width)
            turned = rows[:, : s.heads + s.kv_heads] @ turns
            attended = np.empty((len(x), s.heads, s.width), np.float32)
            for i, sequence in enumerate(cache):
                del sequence[positions[i] :]
                sequence.append(np.stack([turned[i, s.heads :], rows[i, s.heads + s.kv_heads :]]))
                k, v = np.stack(sequence, 2)  # (heads, keys, width)
                q = turned[i, : s.heads].reshape(s.kv_heads, -1, s.width)
                scores = q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(s.width))
                scores = np.exp(scores - scores.max(-1, keepdims=True))
                attended[i] = (scores / scores.sum(-1, keepdims=True) @ v).reshape(-1, s.width)
            x = x + attended.reshape(len(x), -1) @ w[f"{layer}.o"].T
            y = self.norm(x)
            gate = y @ w[f"{layer}.gate"].T
            x = x + (gate / (1 + np.exp(-gate)) * (y @ w[f"{layer}.up"].T)) @ w[f"{layer}.down"].T
        logits: Array = self.norm(x) @ w["head"].T
        return logits


def generate(model: Model | Reference, prompts: list[list[int]], count: int) -> Array:
    """Return the next tokens after each prompt.

    Prompts end at the same step. Shorter ones begin later: until then they repeat their first one.
    """
    longest = max(map(len, prompts))
    starts = np.array([longest - len(each) for each in prompts])
    tokens = [list(each) for each in prompts]
    for step in range(longest + count - 1):
        positions = np.maximum(step - starts, 0)
        now = np.array(
            [each[int(at)] for each, at in zip(tokens, positions, strict=True)], np.int64
        )
        logits = model.step(now, positions)
        if step >= longest - 1:
            for each, row in zip(tokens, logits, strict=True):
                each.append(int(row.argmax()))
    return np.array([each[-count:] for each in tokens])


def main() -> None:
    """Generate with both, and compare."""
    shapes = Shapes()
    weights = random_weights(shapes)
    prompts = [[1742, 1304, 1046], [552], [630, 83, 154, 33, 358]]
    expected = generate(Reference(shapes, weights, len(prompts)), prompts, 8)
    for prompt, row in zip(prompts, expected, strict=True):
        print(prompt, "->", *row)
    for kind, count in ((Model, 3), (FewSequences, 3), (FewSequences, 1)):
        found = generate(kind(shapes, weights, count, most=64), prompts[:count], 8)
        is_same = np.array_equal(found, expected[:count])
        print(f"the same by {kind.__name__}, {count} at a time:", is_same)
        assert is_same


if __name__ == "__main__":
    if not cudnn.is_available():
        sys.exit("this example needs a GPU: `python -m cudnn_cffi doctor` says what is missing")
    main()
