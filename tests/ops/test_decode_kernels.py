"""The calls of decoding that go to kernels of the package, and the arguments of those kernels."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import driver, errors, ops
from cudnn_cffi._ways.call_sequence import Steps
from cudnn_cffi.choice import measured
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.attn.paged import by_kernels
from cudnn_cffi.plan.run.call_steps import Kernel, Scratch

LIKE = ops.Spec.like


class FakeKernel:
    """Stands for the classes of kernels, which need a device."""

    sizes = 1000, 300

    def __init__(self, *extents: Any, **options: Any) -> None:
        self.extents, self.options = extents, options
        launch = SimpleNamespace(ordinal=0, words=lambda _: (1, 2, 3, 4, 5))
        self.launch, self.launches = launch, (launch, launch)
        made.append(self)

    def words(self, *words: Any) -> tuple[Any, ...]:
        return words


made: list[FakeKernel] = []


@pytest.fixture(autouse=True)
def _device(monkeypatch: pytest.MonkeyPatch) -> None:
    made.clear()
    for name in ("OneQuery", "LastQueries"):
        monkeypatch.setattr(by_kernels, name, type(name, (FakeKernel,), {}))
    monkeypatch.setattr(by_kernels, "can_compile", lambda: True)
    monkeypatch.setattr(measured, "holds", lambda _: True)
    monkeypatch.setattr(driver, "attribute", lambda *_: 132)
    monkeypatch.setattr(driver, "primary_context", lambda _: 1)


def handle_of(context: int = 1, limit: int | None = None) -> Any:
    return SimpleNamespace(device=0, _context=context, workspace=SimpleNamespace(limit=limit))


def find(
    queries: int = 1, context: int = 1, batch: int = 1, heads: int = 64, width: int = 128, dtype: Any = "half",
    order: tuple[int, ...] = (0, 1, 2, 3), kv_heads: int = 8, rule: Any = None, pages: int = 40,
    limit: int | None = None, backwards: bool = False, page: int = 16, **options: Any,
) -> Any:  # fmt: skip
    """Return the call of a kernel, or None."""
    pool = LIKE((40, kv_heads, page, width), dtype, range(4))
    operation = ops.DecodeAttention(**options)
    q = LIKE((batch, heads, queries, width), dtype, order)
    o = q
    if backwards:  # as q[:, ::-1] of CuPy
        q = q._replace(strides=(q.strides[0], -q.strides[1], *q.strides[2:]))
    case = operation.case(
        q, pool, pool, LIKE((batch, pages), "int32", range(2)), LIKE((batch,), "int32", range(1))
    )
    if backwards:
        case = case._replace(outputs={"o": o})
    handle = handle_of(context, limit)
    steps = Steps(case.inputs, case.outputs)
    rule = Rule(pick="heuristic") if rule is None else rule
    return by_kernels.by_kernel(steps, case, operation.options, rule, handle)


def test_one_query() -> None:
    way = find(scale=0.5)
    assert way.algorithm == "kernels.OneQuery"
    assert made[0].extents == (1, 64, 8, 128, 16, 40, "float16")
    assert made[0].options == {"scale": 0.5, "waits": True, "device": 0}
    (step,) = way.steps
    assert isinstance(step, Kernel)
    steps = 8 * 16 * 128, 16 * 128, 128
    assert step.arguments == ("q", "k", "v", "page_table", "lengths", 0, "o", *steps)
    aligned = {each.name: each.alignment for each in way.operands}
    assert aligned == {"q": 16, "k": 16, "v": 16, "o": 16, "page_table": 4, "lengths": 4}
    assert find(pages=513, max_length=8192) is not None
    assert find(pages=512) is not None
    assert find(pages=64, page=128) is not None
    assert find(pages=512, heads=32, kv_heads=4, width=64) is not None
    assert find(pages=4096, page=1) is not None
    assert way.deterministic
    assert way.is_mixed, "nothing to choose again by its name"


def test_one_query_with_many_keys() -> None:
    for pages, name in ((512, "OneQuery"), (513, "LastQueries"), (2048, "LastQueries")):
        assert find(pages=pages).algorithm == f"kernels.{name}"


def test_several_queries() -> None:
    way = find(8, batch=4, order=(0, 2, 1, 3), dtype="bfloat16")
    assert way.algorithm == "kernels.LastQueries"
    assert made[0].extents == (4, 8, 64, 8, 128, 16, 40, "bfloat16")
    assert made[0].options == {
        "scale": 1 / math.sqrt(128),
        "blocks": 132,
        "device": 0,
    }
    one, other = way.steps
    rooms = [Scratch(place) for place in (0, 1024)]
    rows = 8 * 64 * 128, 128, 64 * 128
    pages = 8 * 16 * 128, 16 * 128, 128
    assert one.arguments == other.arguments
    arrays = "q", "k", "v", "page_table", "lengths", "o"
    assert one.arguments == (*arrays, *rooms, *rows, *rows, *pages)
    assert way.workspace_size == 1536


@pytest.mark.parametrize(
    "changed",
    [
        {"batch": 2}, {"context": 2}, {"pages": 2049}, {"pages": 513, "width": 64}, {"pages": 4097, "page": 1},
        {"pages": 513, "heads": 32, "kv_heads": 4}, {"heads": 128}, {"queries": 9}, {"queries": 5, "heads": 128}, {"width": 96},
        {"dtype": "float32"}, {"window": 9}, {"soft_cap": 1.0}, {"stats": True},
        {"rule": Rule(pick="time")}, {"rule": Rule(pick="heuristic", via="graph")},
        {"rule": Rule(pick="heuristic", tensor_cores=False)},
        {"backwards": True, "queries": 8},
    ],
    ids=str,
)  # fmt: skip
def test_what_engines_compute(changed: dict[str, Any]) -> None:
    assert find(**changed) is None
    assert not made


def test_limits_of_workspace() -> None:
    """A kernel is taken where its own workspace fits into the limits of the rule and the handle."""

    def taken(queries: int, rule: int | None, handle: int | None) -> bool:
        return (
            find(queries, rule=Rule(pick="heuristic", workspace_limit=rule), limit=handle)
            is not None
        )

    assert taken(1, 0, 0), "it needs none"
    assert taken(8, None, 1536)
    assert taken(8, 1536, None)
    assert taken(8, -1, None)
    assert not taken(8, None, 1535)
    assert not taken(8, 1535, None)
    assert not taken(8, 1535, 1536)


def test_keys_have_the_width_of_queries() -> None:
    q, k = LIKE((1, 8, 1, 64), "half", range(4)), LIKE((10, 8, 16, 128), "half", range(4))
    v = k._replace(shape=(10, 8, 16, 64))  # a part of each row of an array such as `k`
    operation = ops.DecodeAttention()
    table, lengths = LIKE((1, 4), "int32", range(2)), LIKE((1,), "int32", range(1))
    with pytest.raises(errors.ShapeMismatchError, match="k: expected the width of q, 64, got 128"):
        operation.case(q, k, v, table, lengths)
    case = operation.case(q, v, v, table, lengths)
    assert by_kernels._takes(case, operation.options)
    assert not by_kernels._takes(case._replace(inputs={**case.inputs, "k": k}), operation.options)


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise errors.NotSupportedError("no compiler")

    for name in ("OneQuery", "LastQueries"):
        monkeypatch.setattr(by_kernels, name, refuse)
    assert find() is find(8) is None
    monkeypatch.setattr(by_kernels, "can_compile", lambda: False)
    assert find() is None


def test_checks_come_first() -> None:
    """A call that was asked to check lengths does so before a kernel reads them."""
    operation = ops.DecodeAttention(checked=True)
    pool = LIKE((40, 8, 16, 128), "half", range(4))
    case = operation.case(
        LIKE((1, 64, 1, 128), "half", range(4)), pool, pool, LIKE((1, 40), "int32", range(2)),
        LIKE((1,), "int32", range(1)),
    )  # fmt: skip
    way: Any = operation._planned(case, Rule(pick="heuristic"), handle_of(), None)
    assert way.algorithm == "kernels.OneQuery"
    assert not way.steps
    assert not way.is_steps
