"""Attention and its gradient on a GPU, against NumPy in float64.

Graphs that need a newer release than a GPU had here are built without one, in tests/graph, and were
never executed: the single operation with masks, bias, sink, dropout or FP8, and that of the
gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from tests.gpu import attention_cases as cases  # noqa: E402
from tests.gpu import attention_reference as reference  # noqa: E402
from tests.gpu.attention_cases import BANDS, CASES, NAMES, SHAPES, Case  # noqa: E402

#: The norm of the difference over the norm of the reference, forward and backward.
TOLERANCES = {"float16": (2e-3, 5e-3), "bfloat16": (1.5e-2, 3e-2), "float32": (1e-5, 2e-3)}


def _bounds(case: Case) -> dict[str, Any]:
    left, right = case.window or (None, None)
    bottom = "bottom_right" in (case.causal, case.diagonal)
    return {"left": left, "right": 0 if case.causal else right, "bottom_right": bottom}


class Data:
    """The arrays of a case on the device, and what the reference gets."""

    def __init__(self, torch: Any, case: Case, dtype: str) -> None:
        self.torch, self.case, self.dtype = torch, case, dtype
        c = case
        self.arrays = {name: self.random(shape) for name, shape in cases.shapes(c).items()}
        self.options: dict[str, Any] = {"scale": case.scale, **_bounds(case)}
        if case.bias:
            self.arrays["bias"] = torch.randn(case.bias, device="cuda").to(getattr(torch, dtype))
            self.options["bias"] = host(self.arrays["bias"])
        if case.sink:
            self.arrays["sink"] = torch.randn(1, c.heads, 1, 1, device="cuda")
            self.options["sink"] = host(self.arrays["sink"])
        if case.alibi:
            from cudnn_cffi.graph import alibi_slopes

            self.options["slopes"] = np.array(alibi_slopes(c.heads))
            slopes = torch.tensor(alibi_slopes(c.heads), device="cuda", dtype=torch.float32)
            self.arrays["alibi"] = slopes.reshape(1, -1, 1, 1)
        if case.lengths:
            for index, name in enumerate(("seq_len_q", "seq_len_kv")):
                values = [each[index] for each in case.lengths]
                self.options["lengths_q" if index == 0 else "lengths_kv"] = values
                tensor = torch.tensor(values, device="cuda", dtype=torch.int32)
                self.arrays[name] = tensor.reshape(-1, 1, 1, 1)
        if case.given_mask:
            mask = torch.rand(c.batch, c.heads, c.length_q, c.length, device="cuda") >= c.dropout
            self.arrays["dropout_mask"] = mask.float()
            self.options["kept"] = host(mask) / (1 - c.dropout)
        elif case.dropout:
            for name, value in (("seed", 1234), ("offset", 8)):
                self.arrays[name] = torch.full(
                    (1, 1, 1, 1), value, device="cuda", dtype=torch.int64
                )
        if case.softcap:
            self.options["score"] = lambda x: 2 * np.tanh(x / 2)

    def random(self, shape: tuple[int, ...]) -> Any:
        batch, heads, length, width = shape
        torch = self.torch
        if self.case.layout == "bshd":
            array = torch.randn(batch, length, heads, width, device="cuda").transpose(1, 2)
        elif self.case.layout == "apart":
            array = torch.randn(batch, heads, length, width + 24, device="cuda")
            return array.to(getattr(torch, self.dtype))[..., :width]
        else:
            array = torch.randn(shape, device="cuda")
        return array.to(getattr(torch, self.dtype))

    def valid(self, array: Any, port: str) -> Any:
        """Return an array with zeros where a batch entry has ended."""
        array = np.array(array)
        index = 1 if port[-1] in "kv" else 0
        for entry, lengths in enumerate(self.case.lengths):
            array[entry, :, lengths[index] :] = 0
        return array


def host(tensor: Any) -> Any:
    return tensor.detach().cpu().double().numpy()


def error(result: Any, expected: Any) -> float:
    assert not np.isnan(result).any(), "an element was not written, or is NaN"
    norm = np.linalg.norm(expected)
    return float(np.linalg.norm(result - expected) / (norm or 1.0))


@pytest.fixture
def poison(torch: Any) -> Callable[..., Any]:
    def make(like: Any, shape: Any = None, dtype: Any = None) -> Any:
        strides = like.stride() if shape is None else None
        shape = tuple(like.shape) if shape is None else shape
        dtype = dtype or like.dtype
        if strides is None:
            return torch.full(shape, float("nan"), device="cuda", dtype=dtype)
        made = torch.empty_strided(shape, strides, device="cuda", dtype=dtype)
        return made.fill_(float("nan"))

    return make


def make_graph(data: Data, names: tuple[str, ...]) -> tuple[Any, dict[str, Any]]:
    """Return a graph, and a tensor of it for each array."""
    from cudnn_cffi.graph import Graph

    graph = Graph(io_data_type=NAMES.get(data.dtype, "HALF"))
    tensors = {name: graph.tensor(data.arrays[name], name=name) for name in names}
    return graph, tensors


def run(
    graph: Any, results: dict[str, Any], arrays: dict[str, Any], outputs: dict[str, Any]
) -> Any:
    for name, tensor in results.items():
        graph.output(tensor, name=name, strides=outputs[name].stride())
    plan = graph.build()
    plan(**arrays, **outputs)
    return plan


def attend(torch: Any, poison: Any, data: Data) -> dict[str, Any]:
    """Return result, statistics and mask of attention."""
    names = tuple(name for name in data.arrays if name != "do")
    graph, tensors = make_graph(data, names)
    results = cases.attend(graph, data.case, tensors)
    q, c = data.arrays["q"], data.case
    outputs = {
        "o": poison(data.arrays["do"]),
        "stats": poison(q, (c.batch, c.heads, c.length_q, 1), torch.float32),
    }
    if "mask" in results:
        outputs["mask"] = poison(q, (c.batch, c.heads, c.length_q, c.length), torch.float32)
    run(graph, results, {name: data.arrays[name] for name in names}, outputs)
    return outputs


def gradients(poison: Any, data: Data, forward: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return the gradients of attention."""
    data.arrays |= {name: forward[name] for name in ("o", "stats")}
    graph, tensors = make_graph(data, tuple(data.arrays))
    results = cases.attend_backward(graph, data.case, tensors, **options)
    outputs = {port: poison(data.arrays[port[1:]]) for port in results}
    run(graph, results, data.arrays, outputs)
    return outputs


def check(torch: Any, poison: Any, case: Case, dtype: str, **options: Any) -> None:
    """Compare attention, its statistics and its gradients with the reference."""
    data = Data(torch, case, dtype)
    before, after = TOLERANCES[dtype]
    found = attend(torch, poison, data)
    if "mask" in found:
        mask = host(found["mask"])
        if not case.lengths and not case.causal:  # what is masked is not always written
            assert set(np.unique(mask)) <= {0.0, 1.0}
            assert abs(mask.mean() - (1 - case.dropout)) < 0.02
        data.options["kept"] = np.nan_to_num(mask) / (1 - case.dropout)
    q, k, v, do = (host(data.arrays[name]) for name in ("q", "k", "v", "do"))
    expected = reference.forward(q, k, v, **data.options)
    assert error(data.valid(host(found["o"]), "o"), data.valid(expected.o, "o")) < before
    stats = data.valid(expected.stats, "o")
    assert error(data.valid(host(found["stats"]), "o"), stats) < 1e-3
    if not case.backward or case.length_q == 1 == case.length:
        return
    if case.lengths:  # numbers after the lengths must not count
        do = data.valid(do, "o")
    settings = dict(data.options)
    if case.softcap:
        data.options["score_backward"] = lambda d, x: d * (1 - np.tanh(x / 2) ** 2)
    wanted = reference.backward(q, k, v, do, **data.options)
    # A row of one key has no gradient: the norm of what goes through it is the measure.
    terms = reference.sizes_of_terms(q, k, v, do, **settings)
    scale = max(np.linalg.norm(each) for each in wanted if each is not None)
    for name, result in gradients(poison, data, found, **options).items():
        target = getattr(wanted, name[1:])
        result = host(result)
        if name in ("dq", "dk", "dv"):
            result, target = data.valid(result, name), data.valid(target, name)
        # The gradient of a bias of whole rows is zero but for rounding.
        least = (0.1 if name == "dbias" and case.bias[3] == 1 else 1e-3) * scale
        least = max(least, 0.2 * terms.get(name, 0.0))
        difference = (
            error(result, target) * np.linalg.norm(target) / max(np.linalg.norm(target), least)
        )
        assert difference < after, name


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_half(torch: Any, poison: Any, case: Case) -> None:
    check(torch, poison, case, "float16")


@pytest.mark.parametrize("name", cases.BFLOAT16)
def test_bfloat16(torch: Any, poison: Any, name: str) -> None:
    check(torch, poison, CASES[name], "bfloat16")


@pytest.mark.parametrize("name", cases.FLOAT)
def test_float(torch: Any, poison: Any, name: str) -> None:
    """Results only: gradients of FLOAT are computed by several plans, of few options."""
    check(torch, poison, CASES[name]._replace(backward=False), "float32")


@pytest.mark.parametrize("name", cases.FLOAT_GRADIENTS)
def test_float_gradients(torch: Any, poison: Any, name: str) -> None:
    check(torch, poison, CASES[name], "float32")


@pytest.mark.parametrize("rows", [True, "max", "sum"])
def test_rows(torch: Any, poison: Any, cudnn: Any, rows: Any) -> None:
    data = Data(torch, Case(causal=True), "float16")
    graph, tensors = make_graph(data, ("q", "k", "v"))
    found = graph.attention(*tensors.values(), causal=True, return_rows=rows)
    names = {True: ("o", "max", "sum"), "max": ("o", "max"), "sum": ("o", "sum")}[rows]
    outputs = {name: poison(data.arrays["q"], (2, 4, 128, 1), torch.float32) for name in names}
    outputs["o"] = poison(data.arrays["do"])
    arrays = {name: data.arrays[name] for name in "qkv"}
    if rows is not True and cudnn.library.load().version < "9.21":
        with pytest.raises(cudnn.NotSupportedError, match="maxima or sums alone"):
            run(graph, dict(zip(names, found, strict=True)), arrays, outputs)
        return
    run(graph, dict(zip(names, found, strict=True)), arrays, outputs)
    q, k = host(arrays["q"]), host(arrays["k"])
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) * 64**-0.5
    scores = np.where(reference.seen(scores.shape, None, 0, False, None, None), scores, -np.inf)
    most = scores.max(-1, keepdims=True)
    wanted = {"max": most, "sum": np.exp(scores - most).sum(-1, keepdims=True)}
    for name in names[1:]:
        assert error(host(outputs[name]), wanted[name]) < 1e-5


def _distance(g: Any, x: Any) -> Any:
    return g.sub(g.gen_index(x, 3), g.gen_index(x, 2), data_type="FLOAT")


def _before(g: Any, x: Any, otherwise: float) -> Any:
    end = g.scalar(40, "INT32", rank=4)
    is_before = g.pointwise("CMP_LT", g.gen_index(x, 3), end, compute_data_type="BOOLEAN")
    return g.pointwise("BINARY_SELECT", x, g.scalar(otherwise, "FLOAT", rank=4), is_before)


#: Functions of scores that read indices, their gradients, and both in float64.
INDEXED: dict[str, tuple[Any, Any, Any, Any]] = {
    "distance": (
        lambda g, x: g.add(x, g.mul(_distance(g, x), -0.02)),
        lambda g, d, _: g.mul(d, 1.0),
        lambda x, distance, _: x - 0.02 * distance,
        lambda d, *_: d,
    ),
    "by distance": (
        lambda g, x: g.mul(x, g.mul(_distance(g, x), 0.01)),
        lambda g, d, x: g.mul(d, g.mul(_distance(g, x), 0.01)),
        lambda x, distance, _: x * 0.01 * distance,
        lambda d, distance, _: d * 0.01 * distance,
    ),
    "first keys": (
        lambda g, x: _before(g, x, -2.0),
        lambda g, d, _: _before(g, d, 0.0),
        lambda x, _, keys: np.where(keys < 40, x, -2.0),
        lambda d, _, keys: np.where(keys < 40, d, 0.0),
    ),
}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", INDEXED)
def test_scores_of_indices(torch: Any, poison: Any, cudnn: Any, name: str, causal: bool) -> None:
    """Functions compare no two indices, which engines would take for masks that they know."""
    function, slope, formula, formula_of_slope = INDEXED[name]
    data = Data(torch, Case(causal=causal, length=128), "float16")
    keys = np.arange(data.case.length)
    distance = keys - np.arange(data.case.length_q)[:, None]
    data.options["score"] = lambda x: formula(x, distance, keys)
    graph, t = make_graph(data, ("q", "k", "v"))
    found = graph.attention(*t.values(), causal=causal, score=function, stats=True)
    outputs = {"o": poison(data.arrays["do"])}
    outputs["stats"] = poison(data.arrays["q"], (2, 4, data.case.length_q, 1), torch.float32)
    arrays = {each: data.arrays[each] for each in "qkv"}
    run(graph, dict(zip(("o", "stats"), found, strict=True)), arrays, outputs)
    q, k, v, do = (host(data.arrays[each]) for each in ("q", "k", "v", "do"))
    expected = reference.forward(q, k, v, **data.options)
    assert error(host(outputs["o"]), expected.o) < 2e-3
    assert error(host(outputs["stats"]), expected.stats) < 1e-3
    data.options["score_backward"] = lambda d, _: formula_of_slope(d, distance, keys)
    data.arrays |= outputs
    graph, t = make_graph(data, ("q", "k", "v", "o", "do", "stats"))
    more = {"causal": causal, "score": function, "score_backward": slope}
    found = graph.attention_backward(*t.values(), **more)
    outputs = {f"d{each}": poison(data.arrays[each]) for each in "qkv"}
    arrays = {each: data.arrays[each] for each in t}
    if causal:  # beside a mask it was not measured
        with pytest.raises(cudnn.NotSupportedError, match="a score that compares indices"):
            run(graph, dict(zip(outputs, found, strict=True)), arrays, outputs)
        return
    run(graph, dict(zip(outputs, found, strict=True)), arrays, outputs)
    wanted = reference.backward(q, k, v, do, **data.options)
    for each, result in outputs.items():
        assert error(host(result), getattr(wanted, each[1:])) < 5e-3, each


@pytest.mark.parametrize("window", [(-1, None), (-1, 0), (-4, 9), (-20, None)])
def test_windows_without_the_own_key(torch: Any, poison: Any, window: Any) -> None:
    """Queries that see no key have zeros, and statistics of minus infinity."""
    data = Data(torch, Case(window=window, length=128), "float16")
    graph, tensors = make_graph(data, ("q", "k", "v"))
    found = graph.attention(*tensors.values(), window=window, stats=True)
    outputs = {"o": poison(data.arrays["do"])}
    outputs["stats"] = poison(data.arrays["q"], (2, 4, 128, 1), torch.float32)
    arrays = {name: data.arrays[name] for name in "qkv"}
    run(graph, dict(zip(("o", "stats"), found, strict=True)), arrays, outputs)
    expected = reference.forward(*(host(each) for each in arrays.values()), **data.options)
    assert error(host(outputs["o"]), expected.o) < 2e-3
    empty = np.isinf(expected.stats)
    stats = host(outputs["stats"])
    assert empty.any()
    assert (stats[empty] == -np.inf).all()
    assert error(stats[~empty], expected.stats[~empty]) < 1e-3


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("length_q", "length"), SHAPES)
def test_lengths(torch: Any, poison: Any, length_q: int, length: int, causal: bool) -> None:
    check(
        *(torch, poison),
        Case(batch=1, heads=2, heads_kv=2, length_q=length_q, length=length, causal=causal),
        "float16",
    )


@pytest.mark.parametrize("name", cases.DETERMINISTIC)
def test_deterministic_gradients(torch: Any, poison: Any, name: str) -> None:
    check(torch, poison, CASES[name], "float16", deterministic=True)


def test_deterministic_gradients_are_the_same_twice(torch: Any, poison: Any) -> None:
    case = Case(heads=8, heads_kv=8, length_q=1024, length=1024, causal=True)
    data = Data(torch, case, "float16")
    forward = attend(torch, poison, data)
    runs = []
    for _ in range(2):
        made = gradients(poison, data, forward, deterministic=True)
        runs.append({name: each.clone() for name, each in made.items()})
    for name, first in runs[0].items():
        assert torch.equal(first, runs[1][name]), name


def _pack(torch: Any, array: Any, lengths: list[int]) -> Any:
    """Return a buffer of the array's size in which entries lie without gaps, tokens first."""
    batch, heads, length, width = array.shape
    buffer = torch.full((batch * length, heads, width), 7.0, device="cuda")
    buffer = buffer.to(array.dtype)
    start = 0
    for entry, used in enumerate(lengths):
        buffer[start : start + used] = array[entry, :, :used].transpose(0, 1)
        start += used
    return torch.as_strided(buffer, array.shape, (length * heads * width, width, heads * width, 1))


def _unpack(array: Any, lengths: list[int]) -> Any:
    batch, heads, length, width = array.shape
    flat = array.as_strided((batch * length, heads, width), (heads * width, width, 1))
    result = np.zeros(tuple(array.shape))
    start = 0
    for entry, used in enumerate(lengths):
        result[entry, :, :used] = host(flat[start : start + used]).swapaxes(0, 1)
        start += used
    return result


@pytest.mark.parametrize("bands", BANDS, ids=str)
@pytest.mark.parametrize("heads_kv", [4, 2])
def test_ragged(torch: Any, poison: Any, heads_kv: int, bands: dict[str, Any]) -> None:
    lengths = ((100, 90), (64, 128), (1, 7))
    case = Case(batch=3, heads_kv=heads_kv, length_q=128, length=128, lengths=lengths, **bands)
    data = Data(torch, case, "float16")
    plain = {name: host(data.arrays[name]) for name in ("q", "k", "v", "do")}
    used = {"q": [a for a, _ in lengths], "k": [b for _, b in lengths]}
    used |= {"v": used["k"], "do": used["q"], "o": used["q"]}
    packed = {name: _pack(torch, data.arrays[name], used[name]) for name in plain}
    from cudnn_cffi.graph import Graph

    offsets: dict[str, Any] = {}
    for name, array in packed.items():
        steps = np.cumsum([0, *used[name]]) * array.shape[1] * array.shape[3]
        tensor = torch.tensor(steps, device="cuda", dtype=torch.int32)
        offsets[f"{name}_offsets"] = tensor.reshape(-1, 1, 1, 1)
    seq = {name: data.arrays[name] for name in ("seq_len_q", "seq_len_kv")}
    arrays = {**{name: packed[name] for name in "qkv"}, **seq}

    def tensors(graph: Any, names: list[str], ragged: dict[str, str]) -> dict[str, Any]:
        made = {
            each: graph.tensor(offsets[each], name=each) for each in sorted(set(ragged.values()))
        }
        for name in names:
            offset = made.get(ragged.get(name, ""))
            made[name] = graph.tensor(arrays[name], name=name, ragged_offset=offset)
        return made

    graph = Graph(io_data_type="HALF")
    own = {"q": "q_offsets", "k": "k_offsets", "v": "v_offsets"}
    t = tensors(graph, [*"qkv", *seq], own)
    o, stats = graph.attention(
        *(t["q"], t["k"], t["v"]), seq_len_q=t["seq_len_q"], seq_len_kv=t["seq_len_kv"],
        **bands, stats=True,
    )  # fmt: skip
    outputs = {
        "o": poison(packed["do"]),
        "stats": poison(packed["q"], (3, 4, 128, 1), torch.float32),
    }
    given = {**arrays, **{each: offsets[each] for each in set(own.values())}}
    run(graph, {"o": o, "stats": stats}, given, outputs)
    expected = reference.forward(*(plain[name] for name in "qkv"), **data.options)
    found = _unpack(outputs["o"], used["o"])
    assert error(found, data.valid(expected.o, "o")) < 2e-3

    graph = Graph(io_data_type="HALF")
    arrays |= {"o": outputs["o"], "do": packed["do"], "stats": outputs["stats"]}
    own |= {"o": "q_offsets", "do": "q_offsets"}
    t = tensors(graph, list(arrays), own)
    results = graph.attention_backward(
        *(t[name] for name in ("q", "k", "v", "o", "do", "stats")),
        seq_len_q=t["seq_len_q"], seq_len_kv=t["seq_len_kv"], **bands,
    )  # fmt: skip
    names = ("dq", "dk", "dv")
    outputs = {name: poison(packed[name[1:]]) for name in names}
    given = {**arrays, **{each: offsets[each] for each in set(own.values())}}
    run(graph, dict(zip(names, results, strict=True)), given, outputs)
    do = data.valid(plain["do"], "o")
    q, k, v = (plain[name] for name in "qkv")
    wanted = reference.backward(q, k, v, do, **data.options)
    for name in names:
        target = data.valid(getattr(wanted, name[1:]), name)
        assert error(_unpack(outputs[name], used[name[1:]]), target) < 5e-3, name


@pytest.mark.parametrize(("form", "bands"), cases.PAGED)
@pytest.mark.parametrize("length_q", [1, 64])
def test_pages(torch: Any, poison: Any, length_q: int, form: str, bands: dict[str, Any]) -> None:
    batch, size, pages = cases.BATCH, cases.PAGE, cases.PAGES
    shapes = {name: shape for name, (shape, _) in cases.paged_shapes(length_q).items()}
    from cudnn_cffi.graph import Graph

    order = torch.randperm(batch * pages * 2, device="cuda", dtype=torch.int32)
    tables = {
        name: order[i * batch * pages : (i + 1) * batch * pages].reshape(batch, 1, pages, 1)
        for i, name in enumerate(("page_table_k", "page_table_v"))
    }
    arrays = {
        **{name: torch.randn(shapes[name], device="cuda").half() for name in "qkv"},
        **{name: each.contiguous() for name, each in tables.items()},
    }
    lengths = [pages * size - 5, 40]
    for name, values in (("seq_len_q", [length_q] * batch), ("seq_len_kv", lengths)):
        tensor = torch.tensor(values, device="cuda", dtype=torch.int32)
        arrays[name] = tensor.reshape(-1, 1, 1, 1)
    graph = Graph(io_data_type="HALF")
    t: dict[str, Any] = {name: graph.tensor(each, name=name) for name, each in arrays.items()}
    q, k, v = (t.pop(name) for name in "qkv")
    asked: dict[str, Any] = {**t, **bands, "form": form}
    o = graph.attention(q, k, v, **asked)
    outputs = {"o": poison(arrays["q"])}
    run(graph, {"o": o}, arrays, outputs)
    gathered = (
        reference.gather_pages(host(arrays[name]), tables[f"page_table_{name}"].cpu(), pages * size)
        for name in "kv"
    )
    bounds = _bounds(Case(**bands)) | {"lengths_q": [length_q] * batch, "lengths_kv": lengths}
    expected = reference.forward(host(arrays["q"]), *gathered, **bounds)
    assert error(host(outputs["o"]), expected.o) < 2e-3


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", [64, 128])
def test_fp8(torch: Any, poison: Any, width: int, causal: bool) -> None:
    from cudnn_cffi.graph import Graph

    eight = torch.float8_e4m3fn
    shape = (2, 4, 112, width)
    arrays = {name: torch.randn(shape, device="cuda").to(eight) for name in "qkv"}
    factors = {"descale_q": 0.5, "descale_k": 0.5, "descale_v": 2.0, "scale_s": 256.0}
    factors |= {"descale_s": 1 / 256, "scale_o": 8.0}
    for name, value in factors.items():
        arrays[name] = torch.full((1, 1, 1, 1), value, device="cuda")
    graph = Graph(io_data_type="FP8_E4M3")
    t: dict[str, Any] = {name: graph.tensor(each, name=name) for name, each in arrays.items()}
    q, k, v = (t.pop(name) for name in "qkv")
    found = graph.attention(q, k, v, **t, causal=causal, stats=True)
    names = ("o", "stats", "amax_s", "amax_o")
    outputs = {
        "o": torch.zeros(shape, device="cuda").to(eight),
        "stats": poison(arrays["q"], (2, 4, 112, 1), torch.float32),
        "amax_s": poison(arrays["q"], (1, 1, 1, 1), torch.float32),
        "amax_o": poison(arrays["q"], (1, 1, 1, 1), torch.float32),
    }
    run(graph, dict(zip(names, found, strict=True)), arrays, outputs)
    inputs = [host(arrays[name].float()) for name in "qkv"]
    for each, factor in zip(inputs, ("descale_q", "descale_k", "descale_v"), strict=True):
        each *= factors[factor]
    expected = reference.forward(*inputs, right=0 if causal else None)
    assert error(host(outputs["o"].float()) / factors["scale_o"], expected.o) < 0.06
    assert error(host(outputs["stats"]), expected.stats) < 1e-3
    most = np.abs(expected.o).max()
    assert abs(float(outputs["amax_o"]) - most) < 0.1 * most
    if width == 128:  # all that Hopper's engine takes of a gradient
        arrays |= {"o": outputs["o"], "stats": outputs["stats"]}
        _check_fp8_gradients(torch, poison, arrays, inputs, factors, causal)


@pytest.mark.parametrize("low", ["q", "k", "v", "o"])
def test_fp8_at_low_addresses(torch: Any, low: str) -> None:
    """Attention's engine reads FP8 from the multiple of 16 bytes before: several plans do not."""
    from cudnn_cffi.graph import Graph

    eight, shape = torch.float8_e4m3fn, (2, 4, 112, 128)

    def placed(name: str) -> Any:
        whole = torch.full((2 * 4 * 112 * 128 + 64,), torch.nan, device="cuda").to(eight)
        return whole[4 if name == low else 0 :][: 2 * 4 * 112 * 128].view(shape)

    graph, arrays = Graph(io_data_type="FP8_E4M3"), {name: placed(name) for name in "qkvo"}
    t: dict[str, Any] = {
        name: graph.tensor(shape, name=name, alignment=4 if name == low else None) for name in "qkv"
    }
    for name in "qkv":
        arrays[name].copy_(torch.randn(shape, device="cuda").to(eight))
    factors = {"descale_q": 0.5, "descale_k": 0.5, "descale_v": 2.0, "scale_s": 256.0}
    factors |= {"descale_s": 1 / 256, "scale_o": 8.0}
    for name, value in factors.items():
        arrays[name] = torch.full((1, 1, 1, 1), value, device="cuda")
        t[name] = graph.tensor(arrays[name], name=name)
    q, k, v = (t.pop(name) for name in "qkv")
    o, *_ = graph.attention(q, k, v, **t)
    graph.output(o, name="o", alignment=4 if low == "o" else None)
    graph.build()(**arrays)
    inputs = [host(arrays[name].float()) for name in "qkv"]
    for each, factor in zip(inputs, ("descale_q", "descale_k", "descale_v"), strict=True):
        each *= factors[factor]
    assert error(host(arrays["o"].float()) / 8.0, reference.forward(*inputs).o) < 0.06


def _check_fp8_gradients(
    torch: Any, poison: Any, arrays: Any, inputs: Any, factors: Any, causal: bool
) -> None:
    """Compare the gradients with those of the inputs, which are descaled already."""
    from cudnn_cffi.graph import Graph

    shape = arrays["o"].shape
    do = torch.randn(shape, device="cuda").to(torch.float8_e4m3fn)
    arrays = (
        {name: arrays[name] for name in ("q", "k", "v", "o")}
        | {"do": do}
        | {"stats": arrays["stats"]}
    )
    more = {"descale_o": 1 / factors["scale_o"], "descale_do": 1.0, "scale_dp": 16.0}
    more |= {"descale_dp": 1 / 16, "scale_dq": 8.0, "scale_dk": 8.0, "scale_dv": 8.0}
    kept = ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s")
    scales = {name: factors[name] for name in kept} | more
    numbers = {
        name: torch.full((1, 1, 1, 1), value, device="cuda") for name, value in scales.items()
    }
    graph = Graph(io_data_type="FP8_E4M3")
    t = {name: graph.tensor(each, name=name) for name, each in (arrays | numbers).items()}
    found = graph.attention_backward(
        *(t[name] for name in arrays), fp8={name: t[name] for name in numbers}, causal=causal
    )
    names = ("dq", "dk", "dv", "amax_dq", "amax_dk", "amax_dv", "amax_dp")
    outputs = {name: torch.zeros(shape, device="cuda").to(do.dtype) for name in names[:3]}
    outputs |= {name: poison(do, (1, 1, 1, 1), torch.float32) for name in names[3:]}
    run(graph, dict(zip(names, found, strict=True)), arrays | numbers, outputs)
    q, k, v = inputs
    wanted = reference.backward(q, k, v, host(do.float()), right=0 if causal else None)
    for name in names[:3]:
        target = getattr(wanted, name[1:])
        result = host(outputs[name].float()) / scales[f"scale_{name}"]
        assert error(result, target) < 0.12, name
        most = np.abs(target).max()
        assert abs(float(outputs[f"amax_{name}"]) - most) < 0.15 * most, name


def test_what_a_release_lacks_is_told(cudnn: Any) -> None:
    """Nothing is computed in a form that the release does not have."""
    from cudnn_cffi.graph import Graph

    version = tuple(int(part) for part in cudnn.load().version.split("."))
    if version >= (9, 21, 0):
        pytest.skip("the release has what is tested here")
    graph = Graph(io_data_type="HALF")
    q = graph.tensor((1, 2, 64, 64), name="q")
    graph.output(graph.attention(q, graph.tensor((1, 2, 64, 64)), q, causal=True, form="node"))
    with pytest.raises(cudnn.errors.NotSupportedError, match=r"causal needs 9\.21\.0"):
        graph.build()


@pytest.fixture(autouse=True)
def _fresh_random_numbers(torch: Any) -> None:
    torch.seed()
