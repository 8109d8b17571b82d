"""Lengths, offsets and pages beyond their limits are refused before anything runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import driver, errors, ops
from cudnn_cffi._operation.operation import Operation
from cudnn_cffi._ways.classic_call import Classic
from cudnn_cffi.choice import Rule
from cudnn_cffi.ops.attn import checking
from cudnn_cffi.ops.attn.checking import Limits, Pages, Vectors

#: Limits of lengths of queries and of keys, of a page table of two sequences, and of offsets.
LIMITS = Limits(
    {"seq_len_q": 4, "seq_len_kv": 40},
    tables={"page_table_k": Pages(3, 5, 16)},
    offsets=[("offsets_q", "seq_len_q", Vectors("q", 7, 32))],
)
RIGHT = {
    "seq_len_q": [4, 3], "seq_len_kv": [17, 40], "page_table_k": [0, 4, 99, 3, 2, 1],
    "offsets_q": [0, 128, 224],
}  # fmt: skip


def test_what_is_within_its_limits() -> None:
    LIMITS.check(RIGHT.get)
    LIMITS.check({**RIGHT, "seq_len_q": [0, 0], "seq_len_kv": [0, 1]}.get)
    LIMITS.check({**RIGHT, "seq_len_q": None, "page_table_k": [0, 1, 2, 3, 4, 0]}.get)
    Limits({"lengths": 8}, 3).check({"lengths": [0, 3, 8]}.get)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"seq_len_q": [4, 5]}, "seq_len_q: expected 0 to 4, got 5 at 1"),
        ({"seq_len_kv": [-1, 0]}, "seq_len_kv: expected 0 to 40, got -1 at 0"),
        ({"seq_len_kv": [1, 41]}, "seq_len_kv: expected 0 to 40, got 41 at 1"),
        ({"page_table_k": [0, 5, 0, 3, 2, 1]}, r"page_table_k: expected 0 to 4, got 5 at \(0, 1\)"),
        ({"page_table_k": [0, 1, 0, 3, 2, -1]}, r"got -1 at \(1, 2\)"),
        ({"offsets_q": [0, 160, 224]}, "offsets_q: expected 3 vectors of q from 160 at 1, in 7"),
        ({"offsets_q": [-32, 96, 224]}, "4 vectors of q from -32 at 0"),
        ({"seq_len_q": None, "offsets_q": [0, 128, 256]}, "4 vectors of q from 128 at 1"),
        ({"seq_len_q": None, "offsets_q": [0, 64, 32]}, "offsets_q: expected 64 or more at 2, got 32"),
        ({"seq_len_kv": None, "page_table_k": [0, 4, 99, 3, 2, 1]}, r"got 99 at \(0, 2\)"),
    ],
)  # fmt: skip
def test_what_is_beyond(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(errors.ArgumentError, match=says):
        LIMITS.check({**RIGHT, **wrong}.get)


def test_lengths_below_the_number_of_queries() -> None:
    with pytest.raises(errors.ArgumentError, match="lengths: expected 0, or 3 to 8, got 2 at 1"):
        Limits({"lengths": 8}, 3).check({"lengths": [3, 2]}.get)


def test_limits_of_calls() -> None:
    """They are those of arrays, of the longest sequence, and of the room of page tables."""
    spec = ops.Spec.like
    padded: Any = ops.Attention(checked=True)
    arrays = {"q": spec((2, 8, 4, 64), "half"), "k": spec((2, 8, 40, 64), "half")}
    found = padded._limits(arrays)
    assert found == Limits({"seq_len_q": 4, "seq_len_kv": 40}, tables={}, offsets=[])
    paged: Any = ops.Attention(checked=True, max_kv_length=44)
    table = spec((2, 3), "int32")
    arrays |= {"k": spec((5, 8, 16, 64), "half"), "page_table_k": table}
    assert paged._limits(arrays).most["seq_len_kv"] == 44
    assert padded._limits(arrays).most["seq_len_kv"] == 48
    assert padded._limits(arrays).tables == {"page_table_k": Pages(3, 5, 16)}
    ragged: Any = ops.AttentionBackward(checked=True, max_q_length=9, max_kv_length=7)
    names = ("do", "q", "o", "dq", "k", "v", "dk", "dv")
    arrays = dict.fromkeys(names, spec((30, 8, 64), "half"))
    arrays |= dict.fromkeys(("offsets_q", "offsets_k", "offsets_v", "seq_len_q"), table)
    found = ragged._limits(arrays)
    assert found.most == {"seq_len_q": 9, "seq_len_kv": 7}
    sides = {each[2].name: each[:2] for each in found.offsets}
    of_q = dict.fromkeys(("q", "o", "do", "dq"), ("offsets_q", "seq_len_q"))
    assert sides == of_q | {
        **dict.fromkeys(("k", "dk"), ("offsets_k", "seq_len_kv")),
        **dict.fromkeys(("v", "dv"), ("offsets_v", "seq_len_kv")),
    }
    assert {each[2][1:] for each in found.offsets} == {(30, 8 * 64)}


def test_choices_of_operations_without_checks_keep_their_keys() -> None:
    assert ops.Attention().options["checked"] is None
    assert ops.Attention(checked=False).options["checked"] is None
    assert ops.Attention(checked=True).options["checked"] is True
    with pytest.raises(errors.ArgumentError, match="checked: expected True or False, got 2"):
        ops.AttentionBackward(checked=2)  # type: ignore[arg-type]


def test_checks_come_before_a_plan(cudnn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a call names no handle."""
    spec, device = ops.Spec.like, cudnn.DeviceProperties("H200")
    q, lengths = spec((2, 4, 128, 64), "half"), spec((2,), "int32")
    own = {"seq_len_q": lengths, "seq_len_kv": lengths}
    whole = {"q": q, "k": q, "v": q, **own}
    try:
        plan: Any = ops.Attention().plan(q, q, q, **own, device=device)
    except errors.SublibraryError as error:
        pytest.skip(f"plans need cuBLAS: {error.message}")
    operation: Any = ops.Attention(checked=True)
    case = operation._case(whole, {}, 1.0, 0.0, {})
    assert operation.find_way(case, Rule(pick="heuristic"), None, device).engine == plan.engine
    monkeypatch.setattr(Operation, "find_way", lambda *_: plan)
    ran: list[str] = []
    monkeypatch.setattr(driver, "synchronize", lambda _: ran.append("synchronize"))
    monkeypatch.setattr(checking, "is_captured", lambda _: False)
    monkeypatch.setattr(checking, "copy_out", lambda _, size: bytes(size - 4) + b"\x81\0\0\0")
    way = operation.find_way(case, Rule(pick="heuristic"), None, None)
    assert isinstance(way, Classic)
    assert way.core is plan
    handle = SimpleNamespace(get_stream=lambda: 0)
    addresses = [4096 * place for place in range(1 + len(way.operands))]
    with pytest.raises(errors.ArgumentError, match="seq_len_q: expected 0 to 128, got 129 at 1"):
        way.call_with(handle, *addresses)
    assert ran == ["synchronize"]
    monkeypatch.setattr(checking, "is_captured", lambda _: True)
    with pytest.raises(errors.ArgumentError, match="checked: lengths cannot be read"):
        way.call_with(handle, *addresses)
    assert ran == ["synchronize"]
