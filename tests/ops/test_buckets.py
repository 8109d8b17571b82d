"""Buckets of lengths: which calls get one, and where their arrays are copied, without a GPU."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import arrays, ops
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.attn import buckets
from cudnn_cffi.plan.run.call_steps import Rows, Scratch

np = pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def one_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "EXACT", 1)


HEURISTIC = Rule(pick="heuristic", exact=False)


def spec(shape: tuple[int, ...], order: Any = None, dtype: Any = "float16") -> ops.Spec:
    strides = arrays.ordered_strides(shape, order or range(len(shape)))
    return ops.Spec(dtype, shape, strides, 0)


def bucket_of(
    operation: Any, first: int, length: int, rule: Rule = HEURISTIC, **more: Any
) -> tuple[Any, Any]:
    def find(n: int) -> tuple[Any, Any]:
        given = {name: each(n) for name, each in more.items()}
        names = [name for name in operation.takes if name in given]
        q = spec((2, 4, n, 64))
        extra = [given.get(name) for name in operation.takes[3:]] if names else []
        case = operation.case(q, q, q, *extra)
        return buckets.find_bucket(operation.options, case, rule, operation._first), case

    assert find(first)[0] is None
    return find(length)


def test_lengths_are_rounded_up_by_a_quarter_at_most() -> None:
    assert buckets.round_up(1) == 1
    for length in range(2, 5000):
        found = buckets.round_up(length)
        assert found >= length
        assert found - length < max(64, length / 4 + 1)
        assert found % 64 == 0
        assert buckets.round_up(found) == found
    assert len({buckets.round_up(n) for n in range(2, 8193)}) <= 28


def test_the_first_lengths_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "EXACT", 3)
    operation, found = ops.Attention(), []
    for length in (100, 90, 100, 80, 70, 90, 65):
        q = spec((2, 4, length, 64))
        case = operation.case(q, q, q)
        found.append(buckets.find_bucket(operation.options, case, HEURISTIC, operation._first))
    assert found == [None, None, None, None, (128, 128), None, (128, 128)]


def test_who_gets_a_bucket() -> None:
    bucket, _ = bucket_of(ops.Attention(), 100, 90)
    assert bucket == (128, 128)
    assert bucket_of(ops.Attention(), 100, 128)[0] is None  # it fills its bucket
    assert bucket_of(ops.Attention(causal=True), 100, 520)[0] == (640, 640)
    for options in (
        {"window": (8, 0), "causal": True}, {"causal": "bottom_right"}, {"form": "composite"},
        {"score": lambda g, x: g.tanh(x)},
    ):  # fmt: skip
        assert bucket_of(ops.Attention(**options), 100, 90)[0] is None
    for change in (
        {"exact": True}, {"exact": None}, {"deterministic": True}, {"pick": "time"},
        {"pick": "deterministic"},
    ):  # fmt: skip
        rule = HEURISTIC._replace(**change)
        assert bucket_of(ops.Attention(), 100, 90, rule)[0] is None


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_copies(order: tuple[int, ...]) -> None:
    """A copy to a longer array has zeros after it, and the copy back is the array."""
    axes = (*order, 3)
    operation = ops.Attention()
    shapes = [(2, 3, 5, 8), (2, 3, 5, 8), (2, 3, 5, 8)]
    specs = [spec(shape, axes) for shape in shapes]
    case = operation.case(*specs)
    plan: Any = SimpleNamespace(
        workspace_size=0, operands=(), notes=(), _takes=(), _ordinal=None, _is_armed=False,
        replays=True,
    )  # fmt: skip
    seen: list[Any] = []

    def find(longer: Any) -> Any:
        seen.append(longer)
        return plan

    made = buckets.in_bucket(case, buckets.Lengths(64, 64), find)
    assert made is not None
    (longer,) = seen
    assert set(longer.inputs) == {"q", "k", "v", "seq_len_q", "seq_len_kv"}
    assert made.detail == " for 64 queries and 64 keys"
    copies = [each for each in made.steps if isinstance(each, Rows)]
    assert len(copies) == 4
    memory = np.zeros(made.workspace_size, np.uint8)
    data = np.arange(1, 1 + 2 * 3 * 5 * 8, dtype=np.float16)

    def view(flat: Any, at: ops.Spec, strides: tuple[int, ...]) -> Any:
        return np.lib.stride_tricks.as_strided(flat, at.shape, [2 * step for step in strides])

    own, wide = case.inputs["v"], longer.inputs["v"]
    step = next(each for each in copies if each.source == "v")
    assert isinstance(step.target, Scratch)
    source = data.view(np.uint8)
    for row in range(step.rows):
        begin = step.target.offset + row * step.to_pitch
        memory[begin : begin + step.width] = source[row * step.pitch :][: step.width]
    room = memory[step.target.offset :].view(np.float16)
    assert (view(room, own, wide.strides) == view(data, own, own.strides)).all()
    assert not view(room, wide, wide.strides)[:, :, 5:].any()
    back = next(each for each in copies if each.target == "o")
    result = np.zeros_like(data).view(np.uint8)
    assert isinstance(back.source, Scratch)
    size = 2 * 2 * 3 * 64 * 8
    at, begin = back.source.offset, step.target.offset
    memory[at : at + size] = memory[begin : begin + size].copy()
    for row in range(back.rows):
        begin = back.source.offset + row * back.pitch
        result[row * back.to_pitch :][: back.width] = memory[begin : begin + back.width]
    out = case.outputs["o"]
    assert (view(result.view(np.float16), out, out.strides) == view(data, own, own.strides)).all()
