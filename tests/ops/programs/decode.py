"""Attention of the newest queries over pages: what is refused, and plans for an H200."""

from typing import Any

from cudnn_cffi import errata, errors, library, ops

from tests.refusing import refused

like = ops.Spec.like


def arrays(
    queries: int = 1, dtype: Any = "half", heads: int = 8, pages: int = 24, size: int = 16,
    **changed: Any,
) -> list[Any]:  # fmt: skip
    """Return descriptions of the arrays of a call for two sequences."""
    found = {
        "q": like((2, heads, queries, 64), dtype, range(4)),
        "k": like((pages, 2, size, 64), dtype, range(4)),
        "v": like((pages, 2, size, 64), dtype, range(4)),
        "table": like((2, 12), "int32", range(2)),
        "lengths": like((2,), "int32", range(1)),
    }
    return list((found | changed).values())


def takes(plan: Any) -> set[str]:
    return {each.name for each in plan.operands if each.is_argument}


plain: Any = ops.DecodeAttention()
for text, changed in {
    "q: expected (batch, heads, queries, width)": {"q": like((2, 8, 64), "half", range(3))},
    "k: expected float16, got bfloat16": {"k": like((24, 2, 16, 64), "bfloat16", range(4))},
    "v: expected (24, 2, 16) pages, heads and page size": {
        "v": like((24, 2, 32, 64), "half", range(4))
    },
    "page_table: expected (2, 1 or more pages), got (3, 12)": {
        "table": like((3, 12), "int32", range(2))
    },
    "page_table: expected (2, 1 or more pages), got (2, 0)": {
        "table": like((2, 0), "int32", range(2))
    },
    "page_table: expected 24 elements of int32": {"table": like((2, 12), "int64", range(2))},
    "lengths: expected 2 elements of int32": {"lengths": like((3,), "int32", range(1))},
}.items():
    refused(text, lambda changed=changed: plain.case(*arrays(**changed)))
refused(
    "max_length: expected at most 192", lambda: ops.DecodeAttention(max_length=193).case(*arrays())
)
refused("window: expected 1 or more", lambda: ops.DecodeAttention(window=0))
refused("soft_cap: expected a number above 0", lambda: ops.DecodeAttention(soft_cap=-1.0))
refused("scale: expected a number above 0", lambda: ops.DecodeAttention(scale=0.0))
refused(
    "descale_q: it goes with FP8", lambda: plain.case(*arrays(), None, like((1,), "float", (0,)))
)

there = [each._replace(device=0) for each in arrays()]
for place, name in enumerate(("q", "k", "v", "page_table", "lengths")):
    apart = [*there[:place], there[place]._replace(device=1), *there[place + 1 :]]
    text = f"{name if place else 'k'}: expected memory of device {int(not place)}"
    refused(text, lambda apart=apart: plain.case(*apart), errors.ArgumentError)
low = like((8,), "float8_e4m3fn", (0,)).dtype
refused("descale_q: it goes with FP8", lambda: plain.case(*arrays(dtype=low)), errors.ArgumentError)

wrong = set(errata.get("attention-pages-nan").engines)
wrong |= set(errata.get("attention-node-pages-nan").engines)
for queries in (1, 3):
    options: Any
    for options in ({}, {"window": 20}, {"soft_cap": 4.0}, {"stats": True}):
        plan: Any = ops.DecodeAttention(**options).plan(*arrays(queries), device="H200")
        assert plan.engine not in wrong, (queries, options, plan)
sink = like((8,), "float", (0,))
if library.load().number >= 91300:  # before, graphs have no sink
    assert "sink" in takes(plain.plan(*arrays(3), sink=sink, device="H200"))
assert "stats" in takes(plain.plan(*arrays(1), sink=sink, device="H200")), (
    "a second plan has the sink"
)

finite: Any = ops.DecodeAttention(finite=True)
if plain.plan(*arrays(3), device="H200").engine != finite.plan(*arrays(3), device="H200").engine:
    assert finite.plan(*arrays(3), device="H200").engine in wrong
assert finite.plan(*arrays(3), device="H200").replays, "calls are launched as CUDA graphs"
assert finite.plan(*arrays(1), device="H200").engine not in wrong
if library.load().number >= 91300:  # before, no engine takes FP8 in pages
    one = like((1,), "float", (0,))
    eight = arrays(4, "float8_e4m3fn")
    scales = {"descale_q": one, "descale_k": one, "descale_v": one, "device": "H200"}
    refused("finite", lambda: plain.plan(*eight, **scales), errors.NotSupportedError)
    assert finite.plan(*eight, **scales).engine in wrong
