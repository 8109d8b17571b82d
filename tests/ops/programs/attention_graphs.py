"""Operation graphs of attention and its gradients, and what is refused; no engine is asked."""

from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import ops
from cudnn_cffi._operation import way_search
from cudnn_cffi._ways.alignment import uneven
from cudnn_cffi.choice.engine.rounding import adds_in_any_order
from cudnn_cffi.choice.policy import Rule

from tests.refusing import refused

like = ops.Spec.like
H200 = cudnn.DeviceProperties("H200")


def vector(count, dtype):
    return like((count,), dtype, range(1))


def names(operation, *arrays):
    """Return the operands of the operation graph, which cuDNN has taken."""
    case = operation.case(*arrays)
    made = operation.computation(case, None, H200)
    assert made.operation_graph is not None
    operands = {each.name: each for each in made.operands if each.is_argument}
    for name, spec in {**case.inputs, **case.outputs}.items():
        assert operands[name].shape == spec.shape, name
        assert operands[name].strides == spec.strides, name
    return list(operands)


order = range(4)
q, k = like((2, 4, 128, 64), "half", order), like((2, 2, 128, 64), "half", order)
strided = ops.Spec("float16", (2, 4, 128, 64), (32768, 64, 256, 1))
stats, bias = like((2, 4, 128, 1), "float", order), like((1, 4, 128, 128), "half", order)
lengths, one = vector(2, "int32"), vector(1, "int64")

assert names(ops.Attention(), q, k, k) == ["q", "k", "v", "o"]
assert names(ops.Attention(0.5, causal=True, stats=True), q, k, k) == ["q", "k", "v", "o", "stats"]
assert names(ops.Attention(), q, k, k, bias) == ["q", "k", "v", "bias", "o"]
for shape in ((128, 128), (4, 128, 128)):  # axes in front are left out
    fewer = like(shape, "half", range(len(shape)))
    assert names(ops.Attention(), q, k, k, fewer) == ["q", "k", "v", "bias", "o"]
    found = names(ops.AttentionBackward(dbias=True), q, q, q, q, q, stats, fewer)
    assert found[-4:] == ["dq", "dk", "dv", "dbias"], found
pages, table = like((9, 2, 16, 64), "half", order), like((2, 8), "int32", range(2))
paged = [q, pages, pages, None, lengths, lengths, *[None] * 5, table]
refused("batches differ, and there is no page_table_v", lambda: names(ops.Attention(), *paged))
wrong = like((9, 16, 3, 64), "half", order)
paged = [q, wrong, wrong, None, lengths, lengths, *[None] * 5, table, table]
refused("pages are (blocks, heads, tokens of a block,", lambda: names(ops.Attention(), *paged))
case = ops.Attention().case(strided, strided, strided)
assert case.outputs["o"].strides == strided.strides
given = (q, k, k, None, lengths, lengths, one, one)
wanted = ["q", "k", "v", "seq_len_q", "seq_len_kv", "seed", "offset", "o"]
assert names(ops.Attention(dropout=0.1), *given) == wanted
back = ["do", "q", "k", "v", "o", "stats"]
assert names(ops.AttentionBackward(), q, q, k, k, q, stats) == [*back, "dq", "dk", "dv"]
# Where bits are to stay, the sum over keys is no sum that blocks add to in any order.
seen: list[Any] = []


def search(self: Any, *_: Any) -> Any:
    seen.append(self)
    return None, None


gradient: Any = ops.AttentionBackward
searching = way_search.search, way_search.choice_of
way_search.search, way_search.choice_of = search, lambda *_: {}
for rule, keeps in (
    (Rule(pick="heuristic"), False),
    (Rule(pick="heuristic", deterministic=False), False),
    (Rule(pick="heuristic", deterministic=True), True),
    (Rule(pick="deterministic"), True),
):
    one_sided = gradient(causal=True)
    case = one_sided.case(q, q, k, k, q, stats)
    one_sided.find_way(case, rule, None, H200)
    (computed,) = seen
    assert computed.options["causal"] and computed.options["deterministic"] is keeps, rule
    found = computed.computation(case, None, H200)
    is_composite = len(found.operation_graph.ops) > 1  # else the engine's note tells
    assert adds_in_any_order(found) is (is_composite and not keeps), rule
    seen.clear()
way_search.search, way_search.choice_of = searching

found = names(ops.AttentionBackward(dbias=True), q, q, k, k, q, stats, bias)
assert found == [*back, "bias", "dq", "dk", "dv", "dbias"]

refused("q: expected (batch, heads", lambda: ops.Attention().case(like((4, 128, 64), "half"), k, k))
refused("k: expected float16", lambda: ops.Attention().case(q, like(k.shape, "bf16"), k))
refused("seq_len_q: expected 2 elements", lambda: ops.Attention().case(q, k, k, None, one))
refused("seed and offset", lambda: ops.Attention(dropout=0.1).case(q, k, k))
refused("seed and offset", lambda: ops.Attention().case(q, k, k, None, None, None, one, one))
refused("dropout: expected from 0", lambda: ops.Attention(dropout=1.0))
refused("do: expected the shape", lambda: ops.AttentionBackward().case(k, q, k, k, q, stats))
refused("stats: expected float32", lambda: ops.AttentionBackward().case(
    q, q, k, k, q, like(stats.shape, "half", order)))  # fmt: skip
refused(
    "dbias: expected a bias", lambda: ops.AttentionBackward(dbias=True).case(q, q, k, k, q, stats)
)
refused("there is no argument", lambda: ops.attention(q, k, k, casual=True))  # type: ignore[call-overload]

# Other arguments of `Graph.attention`.


def call(operation, **named):
    """Return the arrays of a call in their order."""
    return [named.pop(name, None) for name in operation.takes], named


def of(operation, **named):
    given, rest = call(operation, **named)
    assert not rest, rest
    return names(operation, *given)


heads, qkv = vector(4, "float"), {"q": q, "k": k, "v": k}
rows, key_rows, ends = (
    like((200, 4, 64), "half", range(3)),
    like((180, 2, 64), "half", range(3)),
    vector(3, "int32"),
)
ragged = {
    "q": rows, "k": key_rows, "v": key_rows, "seq_len_q": lengths, "seq_len_kv": lengths,
    "offsets_q": ends, "offsets_k": ends, "offsets_v": ends,
}  # fmt: skip
attend = ops.Attention(max_q_length=128, max_kv_length=100, stats=True)
eight, number = like((2, 4, 128, 64), "float8_e4m3fn", order), vector(1, "float")


def check_all():
    """Have cuDNN take a graph with each option."""
    found = of(ops.Attention(causal=True), **qkv, alibi=heads, sink=heads)
    assert found == ["q", "k", "v", "alibi", "sink", "o"]
    mask = like((2, 4, 128, 128), "half", order)
    found = of(ops.Attention(dropout=0.5), **qkv, dropout_mask=mask)
    assert found == ["q", "k", "v", "dropout_mask", "o"]
    capped = ops.Attention(score=lambda g, s: g.mul(g.tanh(g.mul(s, 0.02)), 50.0))
    assert of(capped, **qkv) == ["q", "k", "v", "o"]
    blocks, table = like((16, 2, 32, 64), "half", order), like((2, 4), "int32", range(2))
    found = of(
        ops.Attention(max_kv_length=100), q=q, k=blocks, v=blocks, seq_len_q=lengths,
        seq_len_kv=lengths, page_table_k=table, page_table_v=table,
    )  # fmt: skip
    assert found[:3] == ["q", "k", "v"]
    assert {"page_table_k", "page_table_v"} <= set(found)
    assert of(attend, **ragged)[-2:] == ["o", "stats"]
    case = attend.case(*call(attend, **ragged)[0])
    assert case.outputs["o"].shape == (200, 4, 64)
    assert case.outputs["stats"].shape == (2, 4, 128, 1)
    back = ops.AttentionBackward(max_q_length=128, max_kv_length=100)
    found = of(back, **ragged, do=rows, o=rows, stats=like((2, 4, 128, 1), "float", order))
    assert found[-3:] == ["dq", "dk", "dv"]
    found = of(ops.AttentionBackward(dsink=True), do=q, **qkv, o=q, stats=stats, sink=heads)
    assert found[-1] == "dsink"
    names = ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")
    scales = dict.fromkeys(names, number)
    found = of(ops.Attention(stats=True), q=eight, k=eight, v=eight, **scales)
    assert found[-4:] == ["o", "stats", "amax_s", "amax_o"]


if tuple(map(int, cudnn.library.load().version.split("."))) >= (9, 19):
    check_all()


def attempt(operation, **named):
    return lambda: operation.computation(operation.case(*call(operation, **named)[0]), None, H200)


refused(
    "alibi: expected 4 elements",
    attempt(ops.Attention(causal=True), **qkv, alibi=vector(3, "float")),
)
refused("alibi needs causal", attempt(ops.Attention(), **qkv, alibi=heads))
refused(
    "sink: expected 4 elements of float32", attempt(ops.Attention(), **qkv, sink=vector(4, "half"))
)
refused("page_table_k: expected (2, blocks)", attempt(
    ops.Attention(), **qkv, page_table_k=like((3, 4), "int32", range(2))))  # fmt: skip
refused(
    "descale_q: expected None with q of float16, got an array",
    attempt(ops.Attention(), **qkv, descale_q=number),
)
refused("descale_k: expected an array of one float32 with q of float8_e4m3fn, got None", attempt(
    ops.Attention(), q=eight, k=eight, v=eight, descale_q=number))  # fmt: skip
refused("offsets_q, offsets_k", attempt(ops.Attention(), **{**ragged, "offsets_k": None}))
refused("max_q_length: expected a number", attempt(ops.Attention(), **ragged))
refused("seq_len_q: expected an array", attempt(attend, **{**ragged, "seq_len_q": None}))
refused("q: expected (vectors, heads", attempt(attend, **{**ragged, "q": q}))
refused(
    "offsets_q: expected 3 elements", attempt(attend, **{**ragged, "offsets_q": vector(4, "int32")})
)
# Arrays with the same offsets have vectors that are equally far apart, and are no copies.
attend_back = ops.AttentionBackward(max_q_length=128, max_kv_length=100)
of_rows = {"o": rows, "do": rows, "stats": like((2, 4, 128, 1), "float", order)}
slices: dict[str, Any] = {name: ragged[name]._replace(strides=(768, 64, 1)) for name in "qkv"}
short = like((180, 2, 32), "half", range(3))
of_short = dict.fromkeys(("o", "do"), like((200, 4, 32), "half", range(3)))
for operation, own, changed in (
    (attend, ragged, {"q": slices["q"]}),
    (attend, ragged, {"v": short}),
    (attend, ragged, {"out": slices["q"]}),
    (attend_back, {**ragged, **of_rows}, slices),
    (attend_back, {**ragged, **of_rows}, {**of_short, "v": short}),
    (attend_back, {**ragged, **of_rows}, {"out": (None, slices["k"])}),
):
    named = {**own, **changed}
    refused(
        "and offsets are the same for both",
        lambda operation=operation, named=named: operation.plan(**named, device=H200),
    )
assert uneven(ops.Attention().case(q, k, k._replace(strides=(32768, 64, 256, 1))))
gaps = {**ragged, **slices, "offsets_o": ends}
assert not uneven(attend.case(*call(attend, **gaps)[0]))
single = like((2, 4, 128, 64), "float", order)
refused(
    "hint: Graph.attention_backward computes float32 by several plans",
    lambda: ops.AttentionBackward().plan(*[single] * 5, stats, device=H200),
)
refused("form:", lambda: ops.Attention(form="both"))
refused("score: expected a function", lambda: ops.Attention(score=3))
refused("score and score_backward", lambda: ops.AttentionBackward(score=abs))
refused("max_q_length: expected 1 or more", lambda: ops.Attention(max_q_length=0))
refused("dsink: expected a sink", attempt(
    ops.AttentionBackward(dsink=True), do=q, **qkv, o=q, stats=stats))  # fmt: skip
refused("there is no argument 'scale_x'", lambda: ops.attention(q, k, k, scale_x=number))  # type: ignore[call-overload]
