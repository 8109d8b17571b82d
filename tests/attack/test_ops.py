"""Random and hostile arrays and options for operations: a result or a clear refusal, no GPU."""

from __future__ import annotations

import inspect
import random
from types import SimpleNamespace
from typing import Any

import pytest
from cudnn_cffi import errors, ops
from cudnn_cffi._ways import call_sequence as steps
from cudnn_cffi._ways.graph_draft import Draft
from cudnn_cffi.choice.policy import Policy, Rule

TYPES = ("float32", "float64", "float16", "bfloat16", "int8", "bool", "int64", "int32", "uint8")
ODD: tuple[Any, ...] = (
    *(None, -1, 0, 1, 2, 3, 10**9, 2**70, 1.5, float("nan"), True, "", "same", "max", "é"),
    *((), (1,), (1, 2), (1, 2, 3), ((1, 2), (3, 4)), [1, [2]], {}, {"a": 1}, b"x", object()),
)


def spec(chance: random.Random) -> ops.Spec:
    rank = chance.choice([0, 1, 1, 2, 3, 4, 4, 4, 5, 6, 8])
    shape = tuple(chance.choice([1, 1, 2, 3, 4, 5, 8, 16]) for _ in range(rank))
    made = ops.Spec.like(shape, chance.choice(TYPES[:4] if chance.random() < 0.8 else TYPES))
    if chance.random() < 0.3 and rank > 2:
        made = ops.Spec.like(shape, made.dtype, "NHWC")
    if chance.random() < 0.2:
        made = made._replace(strides=tuple(chance.randrange(0, 40) for _ in shape))
    return made


#: Values of options that are required, for which chance makes none.
_NEEDED: dict[str, tuple[Any, ...]] = {
    "value": (2.0,), "groups": (1, 2, 3), "window": (1, 2, (1, 2)), "heads": (1, 2), "q_size": (2, 4),
    "shape": ((1, 2, 5), (2, 3, 5, 4)), "nodes": (1, 3),
}  # fmt: skip


def _is_made_of_options(cls: Any) -> bool:
    """Return whether the options of an operation may all be left out, but for a number."""
    needed = {
        each.name
        for each in inspect.signature(cls).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }
    return needed <= set(_NEEDED)


#: Recurrent networks need sizes, and their gradients a network: other tests have them.
KINDS = [cls for cls in dict.fromkeys(ops.OPERATIONS.values()) if _is_made_of_options(cls)]


def options(cls: Any, chance: random.Random) -> dict[str, Any]:
    names = [each for each in inspect.signature(cls).parameters if each != "more"]
    found = {name: chance.choice(ODD) for name in names if chance.random() < 0.25}
    for name, values in _NEEDED.items():
        if name in names:
            found.setdefault(name, chance.choice(values))
    return found


#: The attributes of a handle that operations read; cuDNN's functions refuse it.
HANDLE = SimpleNamespace(
    device=0, stream=None, get_stream=lambda: 0, workspace=SimpleNamespace(limit=None)
)


@pytest.mark.attack
def test_operations(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "constant_of", lambda *_: SimpleNamespace(address=256))
    chance = random.Random(seed)
    made = refused = 0
    for _ in range(6000):
        cls = chance.choice(KINDS)
        try:
            operation = cls(**options(cls, chance))
            arrays = [spec(chance) for _ in cls.takes if chance.random() < 0.9]
            if chance.random() < 0.4 and arrays:
                arrays = [arrays[0]] * len(arrays)
            call = {"shape": chance.choice(ODD)} if chance.random() < 0.2 else {}
            if "Filter" in cls.__name__:
                call = {"shape": (4, 4, 1, 1)}
            case = operation.case(*arrays, **call)
            for each in case.outputs.values():
                assert len(each.shape) == len(each.strides)
                assert all(extent > 0 for extent in each.shape)
            made += 1
            for way in ("graph", "classic"):
                try:
                    if way == "graph":
                        operation.graph(case, Draft(case.inputs, case.outputs))
                    elif not operation._has_algorithms and cls.word != "reduce":
                        operation.classic(case, Rule(pick="heuristic"), HANDLE)
                except errors.CudnnError:
                    refused += 1
        except errors.CudnnError:
            refused += 1
    assert made > 100
    assert refused > 100


@pytest.mark.attack
def test_policies(seed: int) -> None:
    chance = random.Random(seed)
    fields = (
        *Rule._fields,
        "forward",
        "data",
        "filter",
        "engine",
        "knobs",
        "algorithm",
        "nonsense",
    )
    values = (*ODD, "time", "GEMM", "FFT", "graph", {"pick": "none"}, {"tf32": False}, [1, "GEMM"])
    texts = [
        "time",
        "none",
        "GEMM",
        "forward",
        "data",
        "=",
        ",",
        ";",
        ".",
        "+",
        "tf32",
        "0",
        "1",
        "engine",
        "exclude",
        "workspace_limit",
        "GiB",
        "é",
    ]
    for _ in range(5000):
        given = {name: chance.choice(values) for name in fields if chance.random() < 0.2}
        try:
            policy = Policy.of(chance.choice(values) if chance.random() < 0.5 else None, **given)
        except errors.ArgumentError:
            pass
        else:
            assert hash(policy) == hash(policy.over(Policy()))
        text = "".join(chance.choice(texts) for _ in range(chance.randrange(8)))
        try:
            assert Policy.parse(text) == Policy.parse(text)
        except errors.ArgumentError:
            pass
