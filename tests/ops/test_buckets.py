"""Buckets of lengths: which calls get one, and where their plans find arrays, without a GPU."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import arrays, ops
from cudnn_cffi._ways.call_sequence import Steps
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.attn import buckets
from cudnn_cffi.plan.run.call_steps import Fill, Rows

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
        {"score": lambda g, x: g.tanh(x)}, {"causal": True, "diagonal": "bottom_right"},
    ):  # fmt: skip
        assert bucket_of(ops.Attention(**options), 100, 90)[0] is None
    for change in (
        {"exact": True}, {"exact": None}, {"deterministic": True}, {"pick": "time"},
        {"pick": "deterministic"},
    ):  # fmt: skip
        rule = HEURISTIC._replace(**change)
        assert bucket_of(ops.Attention(), 100, 90, rule)[0] is None


def longer(
    operation: Any, monkeypatch: pytest.MonkeyPatch, *specs: Any
) -> tuple[Any, dict[str, Any], Any]:
    """The case of a plan for a bucket of 64, the numbers that it gets, and the call."""
    seen: list[Any] = []
    numbers: dict[str, Any] = {}
    plan: Any = SimpleNamespace(
        workspace_size=0, operands=(), notes=(), _takes=(), _ordinal=None, _is_armed=False,
        replays=True,
    )  # fmt: skip

    def find(case: Any) -> Any:
        seen.append(case)
        return plan

    def keep(_: Any, handle: Any, given: Any) -> None:
        assert handle is None
        numbers.update({name: np.array(values) for name, values in given.items()})

    def place(_: Any, way: Any, names: Any) -> None:
        assert way is plan
        for name, kept in names.items():  # the same numbers are kept once
            if kept in numbers:
                numbers[name] = numbers[kept]

    monkeypatch.setattr(Steps, "whole_constants", keep)
    monkeypatch.setattr(Steps, "way", place)
    case = operation.case(*specs)
    handle: Any = None
    made = buckets.in_bucket(case, buckets.Lengths(64, 64), handle, find)
    return seen[0] if seen else None, numbers, made


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("heads", [(4, 4), (2, 2), (1, 1), (4, 2), (1, 2)])
def test_sequences_are_where_the_arrays_have_them(
    order: tuple[int, ...], heads: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, rows, width = 2, 5, 8
    specs = [spec((batch, each, rows, width), (*order, 3)) for each in (4, *heads)]
    case, numbers, made = longer(ops.Attention(), monkeypatch, *specs)
    assert made.detail == " for 64 queries and 64 keys"
    assert not any(isinstance(each, Rows) for each in made.steps), "nothing is copied"
    names = {"seq_len_q", "seq_len_kv", "offsets_q", "offsets_k", "offsets_v", "offsets_o"}
    assert set(case.inputs) == {"q", "k", "v"} | names
    for name, own in zip("qkv", specs, strict=True):
        whole = np.arange(batch * own.shape[1] * rows * width)
        wanted = np.lib.stride_tricks.as_strided(whole, own.shape, [8 * n for n in own.strides])
        vectors, of_head, _ = case.inputs[name].shape
        step, head_step, _ = case.inputs[name].strides
        begins, end = numbers[f"offsets_{name}"][:-1], numbers[f"offsets_{name}"][-1]
        assert vectors == len(begins) * 64
        assert end == begins[-1] + rows * step
        assert (len(begins), of_head) in ((batch, own.shape[1]), (batch * 4, 1))
        got = begins[:, None, None, None] + (
            np.arange(of_head)[:, None, None] * head_step
            + np.arange(rows)[:, None] * step
            + np.arange(width)
        )
        if len(begins) == batch:
            assert (got == wanted).all()
        else:  # each head is an example, and several read one head of keys
            seen = np.repeat(wanted, 4 // own.shape[1], axis=1)
            assert (got.reshape(seen.shape) == seen).all()
    lengths = numbers["seq_len_q"]
    assert (lengths == rows).all()
    assert len(lengths) == len(numbers["offsets_q"]) - 1


def test_statistics_and_biases_are_copied_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def copies(operation: Any, *specs: Any) -> tuple[Any, list[Any], list[int]]:
        case, _, made = longer(operation, monkeypatch, *specs)
        rows = [each for each in made.steps if isinstance(each, Rows)]
        sizes = [each.count for each in made.steps if isinstance(each, Fill)]
        return case, [(e.rows, e.width, e.pitch, e.to_pitch) for e in rows], sizes

    q, stats, bias = spec((2, 4, 5, 8)), spec((2, 4, 5, 1), dtype="float32"), spec((2, 4, 1, 5))
    case, rows, sizes = copies(ops.Attention(stats=True), q, q, q, bias)
    assert case.inputs["bias"].shape == (8, 1, 1, 64)
    assert case.outputs["stats"].shape == (8, 1, 64, 1)
    assert rows == [(8, 5 * 2, 5 * 2, 64 * 2), (8, 5 * 4, 64 * 4, 5 * 4)]
    assert sizes == [2 * 4 * 64 * 2]
    case, rows, sizes = copies(ops.AttentionBackward(), q, q, q, q, q, stats)
    assert case.inputs["stats"].shape == (8, 1, 64, 1)
    assert rows == [(8, 5 * 4, 5 * 4, 64 * 4)]
    assert sizes == [2 * 4 * 64 * 4]


def test_who_gets_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = spec((2, 4, 5, 8))
    assert longer(ops.Attention(), monkeypatch, apart, apart, apart)[2] is not None
    huge = ops.Spec("float16", (2, 4, 5, 8), (1 << 31, 40, 8, 1), 0)
    assert longer(ops.Attention(), monkeypatch, huge, huge, huge)[2] is None
    slopes = ops.Spec("float32", (4,), (1,), 0)
    given = (apart, apart, apart, *[None] * 5, slopes)
    assert longer(ops.Attention(causal=True), monkeypatch, *given)[2] is None
    stats, few = spec((2, 4, 5, 1), dtype="float32"), spec((2, 2, 5, 8))
    for k, v in ((few, few), (few, apart), (apart, few)):
        gradients = (apart, apart, k, v, apart, stats)
        assert longer(ops.AttentionBackward(), monkeypatch, *gradients)[2] is None
    gradients = (apart, apart, apart, apart, apart, stats)
    assert longer(ops.AttentionBackward(), monkeypatch, *gradients)[2] is not None
