"""Examples of pages run; without a GPU, what they call checks its arguments and computes nothing."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest
from cudnn_cffi import ops
from cudnn_cffi.ops import Operation, Spec

from reference.entries import nodes, operations
from reference.entries.samples import samples


def spec_of(array: Any) -> Spec | None:
    if array is None:
        return None
    return Spec(str(array.dtype).removeprefix("torch."), tuple(array.shape), array.stride(), None)


SIGNATURE = inspect.signature(Operation.run)


def run(self: Operation, *given: Any, **named: Any) -> Any:
    """Return empty results of the right kinds, as `Operation.run` returns full ones."""
    import torch

    bound = SIGNATURE.bind(self, *given, **named)
    bound.apply_defaults()
    asked, arrays = bound.arguments, bound.arguments["arrays"]
    factors = {name: asked[name] for name in ("alpha", "beta")}
    case = self.case(*map(spec_of, arrays), **factors, **dict(asked["call"]))
    made = [
        torch.empty_strided(each.shape, each.strides, dtype=getattr(torch, each.dtype))
        for each in case.outputs.values()
    ]
    return tuple(made) if len(self.gives) > 1 else made[0] if made else arrays[0]


@pytest.mark.parametrize("name", operations.names())
def test_an_example_of_an_operation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code = operations.example(name)
    if samples("operations")[name].code:
        check_calls(code, name)
        return
    pytest.importorskip("torch")
    called: list[str] = []

    def seen(self: Operation, *given: Any, **named: Any) -> Any:
        called.append(self.word)
        return run(self, *given, **named)

    for cls in {Operation, *ops.OPERATIONS.values()}:
        if "run" in vars(cls):
            monkeypatch.setattr(cls, "run", seen)
    space: dict[str, Any] = {}
    exec(code.replace('"cuda"', '"cpu"'), space)
    assert called == [ops.OPERATIONS[name].word]


@pytest.mark.parametrize("name", nodes.names())
def test_an_example_of_a_node(name: str) -> None:
    """It makes the graph that the picture shows, which has the node."""
    graph = nodes.graph(name)
    graph.check()
    assert graph.nodes
    assert f"g.{name}(" in nodes.example(name)


def check_calls(code: str, name: str) -> None:
    """Find the names that a program takes from the package, and arguments that fit them."""
    calls = [
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("ops.")
        and ast.unparse(node.func).count(".") == 1
    ]  # fmt: skip
    found = []
    for call in calls:
        word = ast.unparse(call.func).removeprefix("ops.")
        options = next((ast.unparse(e.value) for e in call.keywords if e.arg is None), "")
        named = {each.arg: None for each in call.keywords if each.arg}
        if options:
            made = next(line for line in code.splitlines() if line.startswith(f"{options} = "))
            named |= dict.fromkeys(ast.literal_eval(made.partition(" = ")[2]))
        inspect.signature(getattr(ops, word)).bind(*call.args, **named)
        found.append(word)
    assert name in found
