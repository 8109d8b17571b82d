# ruff: noqa: ARG005  # functions of scores have the same arguments
"""Attention with three options at a time, drawn by a number, against float64.

`draw(seed)` gives a case; consecutive numbers go through all triples of options, and the rest of a
case is by chance. `check(torch, seed)` computes it forward and backward, into memory full of NaN,
and compares. `python -m tests.gpu.attention_draws SEED ...` repeats cases.
"""

from __future__ import annotations

import itertools
import random
import sys
from typing import Any, NamedTuple

import numpy as np

from tests.gpu import attention_reference as reference

#: The options; those of a group exclude each other.
OPTIONS: dict[str, tuple[str, ...]] = {
    "left": (),
    "right": ("causal",),
    "causal": ("right",),
    "bottom": ("alibi",),
    "padding": ("ragged", "pages"),
    "ragged": ("padding", "pages", "given mask"),
    "pages": ("padding", "ragged"),
    "bias": (),
    "alibi": ("bottom", "right"),
    "score": (),
    "sink": ("decode",),
    "dropout": ("given mask",),
    "given mask": ("dropout", "ragged"),
    "grouped": (),
    "scale": (),
    "decode": ("sink",),
    "bfloat16": (),
    "tokens first": (),
    "widths": (),
    "deterministic": (),
    "rows": (),
    "low": (),
    "high": ("low",),
    "zeros": (),
}
#: All that go together, in an order by chance.
TRIPLES = [
    each
    for each in itertools.combinations(OPTIONS, 3)
    if not any(b in OPTIONS[a] or a in OPTIONS[b] for a, b in itertools.combinations(each, 2))
]
random.Random(1).shuffle(TRIPLES)


class Score(NamedTuple):
    """A function of scores for the graph and for NumPy, and its gradient."""

    graph: Any
    slope: Any
    numpy: Any
    numpy_slope: Any


def _bent_slope(g: Any, gradient: Any, x: Any) -> Any:
    bent = g.tanh(x * 0.5)
    return gradient + (gradient - gradient * bent * bent) * 0.5


SCORES = (
    Score(
        lambda g, x: x + g.tanh(x * 0.5),
        _bent_slope,
        lambda x: x + np.tanh(x / 2),
        lambda d, x: d * (1 + (1 - np.tanh(x / 2) ** 2) / 2),
    ),
    Score(lambda g, x: x * -1.0, lambda g, d, x: d * -1.0, lambda x: -x, lambda d, x: -d),
    Score(
        lambda g, x: x + x * x * 0.25,
        lambda g, d, x: d + d * x * 0.5,
        lambda x: x + x * x / 4,
        lambda d, x: d + d * x / 2,
    ),
)

#: The norm of the difference over the norm of the reference, forward and backward.
TOLERANCES = {"float16": (3e-3, 1e-2), "bfloat16": (2e-2, 5e-2)}
_NAMES = {"float16": "HALF", "bfloat16": "BFLOAT16"}
_PAGE = 16


class Case(NamedTuple):
    """Options and shapes.

    Attributes:
        lengths: (queries, keys) of each batch entry, with padding, ragged tensors and pages.
        level: about how large the scores of each row are, beside what is random in them.
    """

    seed: int
    options: frozenset[str]
    dtype: str
    batch: int
    heads: int
    heads_kv: int
    length_q: int
    length: int
    width: int
    width_v: int
    left: int | None
    right: int | None
    bottom: bool
    lengths: tuple[tuple[int, int], ...]
    bias: tuple[int, ...]
    scale: float | None
    level: float

    @property
    def words(self) -> dict[str, Any]:
        """Return the bands as the graph takes them."""
        if self.left is None and self.right is None:
            return {}
        return {
            "window": (self.left, self.right),
            "diagonal": "bottom_right" if self.bottom else "top_left",
        }


def draw(seed: int) -> Case:
    """Return the case of a number."""
    chance = random.Random(seed)
    options = set(TRIPLES[seed % len(TRIPLES)])
    if "alibi" in options:
        options.add("causal")
    if "bottom" in options and not options & {"left", "right", "causal"}:
        options.add(chance.choice(["left", "right", "causal"]))
    has = options.__contains__
    length_q = 1 if has("decode") else chance.choice([2, 17, 64, 100, 128, 130, 192])
    length = chance.choice([8, 33, 64, 96, 128, 160, 192, 200, 320])
    if (has("bottom") or has("left")) and length < length_q:
        length = length_q + chance.choice([0, 1, 30, 64])
    if has("pages"):
        length = -(-length // _PAGE) * _PAGE
    batch, heads = chance.choice([1, 2, 3]), 4
    lengths: list[tuple[int, int]] = []
    if options & {"padding", "ragged", "pages"}:
        for entry in range(batch):
            whole = entry == 0 and chance.random() < 0.3
            queries = length_q if whole else chance.randint(1, length_q)
            keys = length if whole else chance.randint(1, length)
            lengths.append((queries, max(keys, queries) if has("bottom") or has("left") else keys))
    bias: tuple[int, ...] = ()
    if has("bias"):
        bias = (
            *(chance.choice([1, batch]), chance.choice([1, heads])),
            *(chance.choice([1, length_q, length_q]), chance.choice([length, length, 1])),
        )
    width = chance.choice([8, 24, 40, 72, 96, 128]) if has("widths") else chance.choice([64, 128])
    return Case(
        seed,
        frozenset(options),
        "bfloat16" if has("bfloat16") else "float16",
        batch,
        heads,
        chance.choice([1, 2]) if has("grouped") else heads,
        length_q,
        length,
        width,
        chance.choice([8, 32, 64, 128]) if has("widths") else width,
        chance.choice([0, 1, 20, 70]) if has("left") else None,
        0 if has("causal") else chance.choice([0, 1, 30]) if has("right") else None,
        has("bottom"),
        tuple(lengths),
        bias,
        chance.choice([0.3, 0.0, -0.1, 0.02]) if has("scale") else None,
        chance.choice([-100.0, -200.0]) if has("low") else 110.0 if has("high") else 0.0,
    )


class _Data:
    """The arrays of a case on the device, and what the reference gets."""

    def __init__(self, torch: Any, case: Case) -> None:
        self.torch, self.case = torch, case
        c, has = case, case.options.__contains__
        self.dtype = getattr(torch, c.dtype)
        self.numbers = np.random.default_rng(c.seed)
        shapes = {
            "q": (c.batch, c.heads, c.length_q, c.width),
            "k": (c.batch, c.heads_kv, c.length, c.width),
            "v": (c.batch, c.heads_kv, c.length, c.width_v),
            "do": (c.batch, c.heads, c.length_q, c.width_v),
        }
        scale = c.width**-0.5 if c.scale is None else c.scale
        self.plain: dict[str, Any] = {}
        for name, shape in shapes.items():
            array = self.numbers.normal(size=shape)
            if c.level and name in "qk" and scale:
                size = abs(c.level / scale) ** 0.5
                sign = -1.0 if name == "k" and (c.level < 0) != (scale < 0) else 1.0
                array[..., 0] = sign * size  # in one element, so that gradients keep their digits
            if has("zeros") and name in ("q", "do"):
                array[:, :, :: self.numbers.integers(1, 3)] = 0
            if c.lengths:  # what lies after the lengths must not count
                for entry, lengths in enumerate(c.lengths):
                    end = lengths[0 if name in ("q", "do") else 1]
                    array[entry, :, end:] = 0.0
            self.plain[name] = self.rounded(array)
        self.options: dict[str, Any] = {"left": c.left, "right": c.right}
        self.options |= {"bottom_right": c.bottom, "scale": c.scale}
        self.arrays: dict[str, Any] = {}
        self.offsets: dict[str, Any] = {}
        self.small()

    def rounded(self, array: Any) -> Any:
        return self.torch.from_numpy(array).to(self.dtype).double().numpy()

    def on_device(self, array: Any, dtype: Any = None) -> Any:
        tensor = self.torch.from_numpy(np.ascontiguousarray(array))
        return tensor.to("cuda").to(dtype or self.dtype)

    def small(self) -> None:
        """Make what is no q, k, v or do."""
        torch, c, has = self.torch, self.case, self.case.options.__contains__
        if c.bias:
            self.options["bias"] = bias = self.rounded(self.numbers.normal(size=c.bias))
            self.arrays["bias"] = self.on_device(bias)
        if has("alibi"):
            from cudnn_cffi.graph import alibi_slopes

            self.options["slopes"] = slopes = np.array(alibi_slopes(c.heads))
            self.arrays["alibi"] = self.on_device(slopes.reshape(1, -1, 1, 1), torch.float32)
        if has("sink"):
            self.options["sink"] = sink = c.level + self.numbers.normal(size=(1, c.heads, 1, 1))
            self.arrays["sink"] = self.on_device(sink, torch.float32)
        if has("score"):
            self.options["score"] = SCORES[c.seed % len(SCORES)].numpy
        for index, side in enumerate(("q", "kv")):
            if c.lengths:
                ends = np.array([each[index] for each in c.lengths])
                self.options[f"lengths_{side}"] = ends
                ends = ends.reshape(-1, 1, 1, 1)
                self.arrays[f"seq_len_{side}"] = self.on_device(ends, torch.int32)
        if has("given mask"):
            kept = self.numbers.random((c.batch, c.heads, c.length_q, c.length)) >= 0.25
            self.options["kept"] = kept / 0.75
            self.arrays["dropout_mask"] = self.on_device(kept, torch.float32)
        elif has("dropout"):
            for name, value in (("seed", c.seed), ("offset", 4)):
                self.arrays[name] = self.on_device(np.full((1, 1, 1, 1), value), torch.int64)

    def ends(self, port: str) -> list[int]:
        return [each[port[-1] in "kv"] for each in self.case.lengths]

    def place(self, array: Any, port: str) -> Any:
        """Return an array on the device as the case has it in memory."""
        torch, has = self.torch, self.case.options.__contains__
        made = self.on_device(array)
        batch, heads, length, width = made.shape
        if has("ragged"):
            buffer = torch.zeros((batch * length, heads, width), device="cuda", dtype=made.dtype)
            start = 0
            for entry, used in enumerate(self.ends(port)):
                buffer[start : start + used] = made[entry, :, :used].transpose(0, 1)
                start += used
            strides = (length * heads * width, width, heads * width, 1)
            return torch.as_strided(buffer, made.shape, strides)
        if has("tokens first"):
            return made.transpose(1, 2).contiguous().transpose(1, 2)
        return made

    def back(self, array: Any, port: str) -> Any:
        """Return an array of the device with zeros after the lengths."""
        if "ragged" not in self.case.options:
            result = array.double().cpu().numpy()
            for entry, used in enumerate(self.ends(port)):
                result[entry, :, used:] = 0
            return result
        batch, heads, length, width = array.shape
        flat = array.as_strided((batch * length, heads, width), (heads * width, width, 1))
        result, start = np.zeros(tuple(array.shape)), 0
        for entry, used in enumerate(self.ends(port)):
            result[entry, :, :used] = (
                flat[start : start + used].double().cpu().numpy().swapaxes(0, 1)
            )
            start += used
        return result

    def offset(self, port: str, like: Any) -> Any:
        """Return the offsets of a ragged array."""
        steps = np.cumsum([0, *self.ends(port)]) * like.shape[1] * like.shape[3]
        return self.on_device(steps.reshape(-1, 1, 1, 1), self.torch.int32)

    def empty(self, like: Any) -> Any:
        """Return memory full of NaN with the extents and strides of an array."""
        made = self.torch.empty_strided(like.shape, like.stride(), device="cuda", dtype=like.dtype)
        return made.fill_(float("nan"))

    def statistics(self) -> Any:
        shape = (self.case.batch, self.case.heads, self.case.length_q, 1)
        return self.torch.full(shape, float("nan"), device="cuda")

    def pages(self) -> dict[str, Any]:
        """Return keys and values in blocks by chance, and their tables."""
        c = self.case
        count = c.length // _PAGE
        found: dict[str, Any] = {}
        for name in "kv":
            order = self.numbers.permutation(c.batch * count + 3)[: c.batch * count]
            array = self.plain[name]
            blocks = np.zeros((c.batch * count + 3, c.heads_kv, _PAGE, array.shape[3]))
            for i, block in enumerate(order):
                entry, page = divmod(i, count)
                blocks[block] = array[entry, :, page * _PAGE : (page + 1) * _PAGE]
            found[name] = self.on_device(blocks)
            table = order.reshape(c.batch, 1, count, 1)
            found[f"page_table_{name}"] = self.on_device(table, self.torch.int32)
        return found


def _error(found: Any, wanted: Any, least: float = 0.0) -> float:
    """Return the norm of the difference over that of what was expected; inf where one is NaN."""
    infinite = np.isneginf(wanted)
    if not (found[infinite] == -np.inf).all():
        return float("inf")
    difference = np.where(infinite, 0.0, found) - np.where(infinite, 0.0, wanted)
    if np.isnan(difference).any():
        return float("inf")
    size = max(float(np.linalg.norm(np.where(infinite, 0.0, wanted))), least)
    return float(np.linalg.norm(difference)) / (size or 1.0)


def _graph(data: _Data, arrays: dict[str, Any]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a graph, its tensors, and the offsets of ragged ones."""
    from cudnn_cffi.graph import Graph

    graph = Graph(io_data_type=_NAMES[data.case.dtype])
    tensors: dict[str, Any] = {}
    offsets: dict[str, Any] = {}
    for name, array in arrays.items():
        more: dict[str, Any] = {}
        if "ragged" in data.case.options and name in ("q", "k", "v", "o", "do"):
            own = f"{name}_offsets"
            offsets[own] = data.offset(name, array)
            more["ragged_offset"] = tensors[own] = graph.tensor(offsets[own], name=own)
        tensors[name] = graph.tensor(array, name=name, **more)
    return graph, tensors, offsets


def _run(graph: Any, results: dict[str, Any], arrays: dict[str, Any], outputs: Any) -> None:
    for name, tensor in results.items():
        graph.output(tensor, name=name, strides=outputs[name].stride())
    graph.build()(**arrays, **outputs)


def _settings(data: _Data, tensors: dict[str, Any]) -> dict[str, Any]:
    names = ("bias", "alibi", "sink", "seq_len_q", "seq_len_kv", "dropout_mask", "seed", "offset")
    found: dict[str, Any] = {name: tensors[name] for name in names if name in tensors}
    if data.case.options & {"dropout", "given mask"}:
        found["dropout"] = 0.25
    if "score" in data.case.options:
        found["score"] = SCORES[data.case.seed % len(SCORES)].graph
    return {**found, **data.case.words, "scale": data.case.scale}


def differences(torch: Any, case: Case) -> dict[str, tuple[float, float]]:
    """Return for each result of a case its error, and the error that it may have.

    Raises:
        NotSupportedError, ArgumentError: what cuDNN does not compute.
    """
    data = _Data(torch, case)
    has = case.options.__contains__
    before, after = (each * (4 if case.level else 1) for each in TOLERANCES[case.dtype])
    big = {name: data.place(data.plain[name], name) for name in ("q", "k", "v", "do")}
    arrays = {name: big[name] for name in "qkv"} | data.arrays
    if has("pages"):
        arrays |= data.pages()
    graph, tensors, offsets = _graph(data, arrays)
    more = {name: tensors[name] for name in arrays if name.startswith("page_table")}
    if offsets and case.width != case.width_v:
        offsets["o_offsets"] = data.offset("o", big["do"])
        more["ragged_offset"] = graph.tensor(offsets["o_offsets"], name="o_offsets")
    dumps, rows = has("dropout"), has("rows")
    found = graph.attention(
        *(tensors[name] for name in "qkv"),
        **(_settings(data, tensors) | more),
        stats=not rows,
        return_mask=dumps,
        return_rows=rows,
    )
    ports = ["o", *["stats"] * (not rows), *["mask"] * dumps, *["max", "sum"] * rows]
    outputs = {"o": data.empty(big["do"])}
    outputs |= {name: data.statistics() for name in ports[1:] if name != "mask"}
    if dumps:
        outputs["mask"] = torch.full(
            (case.batch, case.heads, case.length_q, case.length), float("nan"), device="cuda"
        )
    results = dict(zip(ports, found if isinstance(found, tuple) else (found,), strict=True))
    _run(graph, results, arrays | offsets, outputs)
    if dumps:
        mask = outputs["mask"].double().cpu().numpy()
        data.options["kept"] = np.nan_to_num(mask) / 0.75
    q, k, v = (data.plain[name] for name in "qkv")
    expected = reference.forward(q, k, v, **data.options)
    errors = {"o": (_error(data.back(outputs["o"], "o"), _valid(data, expected.o)), before)}
    stats = outputs.get("stats")
    if stats is None:
        stats = outputs["max"] + outputs["sum"].log()
    found_stats = _valid(data, stats.double().cpu().numpy())
    errors["stats"] = (_error(found_stats, _valid(data, expected.stats), 1.0), 2e-3)
    if has("pages") or rows or case.length_q == 1 == case.length:
        return errors
    arrays = {name: big[name] for name in ("q", "k", "v")} | {"o": outputs["o"]}
    arrays |= {"do": big["do"], "stats": stats, **data.arrays}
    return errors | _gradients(data, arrays, after)


def _gradients(data: _Data, arrays: dict[str, Any], after: float) -> dict[str, Any]:
    case, has = data.case, data.case.options.__contains__
    graph, tensors, offsets = _graph(data, arrays)
    settings = _settings(data, tensors)
    if has("score"):
        score = SCORES[case.seed % len(SCORES)]
        settings["score_backward"] = score.slope
        data.options["score_backward"] = score.numpy_slope
    ports = ["dq", "dk", "dv", *["dbias"] * bool(case.bias), *["dsink"] * has("sink")]
    found = graph.attention_backward(
        *(tensors[name] for name in ("q", "k", "v", "o", "do", "stats")),
        **settings,
        dbias=bool(case.bias),
        dsink=has("sink"),
        deterministic=has("deterministic"),
    )
    outputs = {port: data.empty(arrays[port[1:]]) for port in ports}
    _run(graph, dict(zip(ports, found, strict=True)), arrays | offsets, outputs)
    q, k, v, do = (data.plain[name] for name in ("q", "k", "v", "do"))
    wanted = reference.backward(q, k, v, do, **data.options)
    # A row of one key has no gradient: the norm of all that goes through it is the measure. With
    # dropout or a given mask what is left of it is the rounding of o, up to 3 % of a 100th.
    size = max(float(np.linalg.norm(each)) for each in wanted if each is not None)
    least = {"dbias": 0.1} if case.bias and case.bias[3] == 1 else {"dbias": 0.03}
    usual = 0.1 if case.options & {"given mask", "dropout"} else 1e-2
    errors = {}
    for port in ports:
        target, result = getattr(wanted, port[1:]), outputs[port]
        if port in ("dq", "dk", "dv"):
            result, target = data.back(result, port), _valid(data, target, port)
        else:
            result = result.double().cpu().numpy()
        errors[port] = (_error(result, target, least.get(port, usual) * size), after)
    return errors


def _valid(data: _Data, array: Any, port: str = "o") -> Any:
    array = np.array(array)
    for entry, used in enumerate(data.ends(port)):
        array[entry, :, used:] = 0
    return array


def check(torch: Any, seed: int) -> str:
    """Compare the case of a number; return why cuDNN does not compute it, "" where it does.

    Raises:
        AssertionError: a result is wrong; the message has the line that repeats it.
    """
    from cudnn_cffi import errors

    case = draw(seed)
    try:
        found = differences(torch, case)
    except (errors.NotSupportedError, errors.ArgumentError) as error:
        return str(error)
    wrong = {name: each for name, each in found.items() if not each[0] < each[1]}
    assert not wrong, f"python -m tests.gpu.attention_draws {seed}: {wrong}, {case}"
    return ""


if __name__ == "__main__":
    import torch

    for word in sys.argv[1:]:
        print(draw(int(word)))
        print(check(torch, int(word)) or "right")
