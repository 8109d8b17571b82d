"""What engines do not fuse, as calls one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._lookup import calls
from ..choice.policy import Rule
from .classic import Classic, describe, operands_of
from .operation import Case, Operation, Unfit, Way
from .specs import Spec, per_channel, widened

__all__ = ["Chain", "unfused", "with_bias"]


class Chain(Classic):
    """Calls one after the other: the first computes the output, others change it in place."""

    __slots__ = ("_name", "steps")

    def __init__(self, steps: Sequence[Way], case: Case) -> None:
        first = steps[0]
        names = [each.function if isinstance(each, Classic) else "a plan" for each in steps]
        super().__init__(
            ", ".join(names),
            operands_of(case.inputs, case.outputs),
            _never,
            workspace_size=max(each.workspace_size for each in steps),
            algorithm=first.algorithm if isinstance(first, Classic) else "",
            deterministic=all(_is_deterministic(each) for each in steps),
            math=first.math if isinstance(first, Classic) else "",
        )
        self.steps = tuple(steps)
        self._name = next(iter(case.outputs))

    def attempt(self, *given: Any) -> Any:
        """Return NotImplemented: the steps look for themselves."""
        del given
        return NotImplemented

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Run all steps; arguments are those of a plan."""
        names = [each.name for each in self.operands]
        named = {**dict(zip(names, given, strict=False)), **named}
        more = {name: named.pop(name) for name in ("handle", "stream") if name in named}
        output = named.pop(self._name, None)
        for step in self.steps:
            first = step is self.steps[0]
            takes = {
                each.name: named[each.name] if first or each.name in _ADDED else output
                for each in step.inputs
            }
            target = {step.outputs[0].name: output} if output is not None else {}
            output = step(**takes, **target, **more)
        return output


#: The inputs of a chain that are added to its output.
_ADDED = ("residual", "bias")


def _never(*_: Any) -> None:
    raise AssertionError("a chain has no call of its own")


def _is_deterministic(way: Way) -> bool:
    if isinstance(way, Classic):
        return bool(way.deterministic)
    return "NONDETERMINISTIC" not in way.notes


def addition(name: str, what: Spec, wide: Spec, target: Spec, wide_target: Spec) -> Classic:
    """Return the call that adds an array to the output in place.

    Args:
        name: of the array.
        what, target: array and output as the caller has them.
        wide, wide_target: the same as cuDNN wants them.
    """
    a, c = describe(wide), describe(wide_target)

    def run(handle: Any, _scratch: int, _room: int, source: int, result: int) -> None:
        calls.cudnnAddTensor(handle, 1.0, a, source, 1.0, c, result)

    return Classic("cudnnAddTensor", operands_of({name: what}, {"y": target}), run)


def with_bias(first: Way, case: Case) -> Chain:
    """Return a way, and the addition of a bias to its output."""
    y, bias, w = case.outputs["y"], case.inputs["bias"], case.inputs["w"]
    wide = widened(y, len(y.shape) == len(w.shape))
    return Chain([first, addition("bias", bias, per_channel(bias, len(wide.shape)), y, wide)], case)


def unfused(
    plain: Operation, activation: Operation | None, case: Case, rule: Rule, handle: Any
) -> Chain:
    """Return a convolution, and what follows it, in calls of their own.

    Args:
        plain: the convolution alone.
        activation: what is applied to the result.
        case: of all.

    Raises:
        Unfit: a beta belongs to what is fused.
    """
    if case.beta != 0.0:
        raise Unfit("a beta with a bias, residual or activation goes by one graph only")
    y, w = case.outputs["y"], case.inputs["w"]
    inner = case._replace(inputs={name: case.inputs[name] for name in ("x", "w")})
    batch = len(y.shape) == len(w.shape)
    wide = widened(y, batch)
    steps: list[Way] = [plain.choose_way(inner, rule, handle, None)]
    residual, bias = case.inputs.get("residual"), case.inputs.get("bias")
    if residual is not None:
        steps.append(addition("residual", residual, widened(residual, batch), y, wide))
    if bias is not None:
        steps.append(addition("bias", bias, per_channel(bias, len(wide.shape)), y, wide))
    if activation is not None:
        after = Case({"x": y}, {"y": y})
        steps.append(activation.find_way(after, Rule(pick="heuristic"), handle, None))
    return Chain(steps, case)
