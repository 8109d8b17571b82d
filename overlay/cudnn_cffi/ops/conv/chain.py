"""Chains of calls for what engines do not fuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._operation.operation import Operation
from ..._operation.way_search import choose_way
from ..._ways.array_spec import Spec, per_channel, widened
from ..._ways.call_sequence import Steps
from ..._ways.case import BEFORE, Case, Way, is_deterministic
from ..._ways.classic_call import (
    HANDLE,
    AnyStep,
    Classic,
    Execute,
    Scratch,
    Step,
    describe,
    operands_of,
)
from ...choice.policy import Rule
from ...errata.record import ALIGNMENT
from ...plan import Operand, Plan
from ...plan.run.launcher import Launch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Handle


class Chain(Classic):
    """Calls one after the other: the first computes the output, others change it in place.

    Attributes:
        ways: the calls.
    """

    def __init__(self, ways: Sequence[Way], case: Case) -> None:
        self.ways = tuple(ways)
        self.is_mixed = any(isinstance(each, Plan) or each.is_mixed for each in ways)
        self.is_makeshift = any(isinstance(each, Classic) and each.is_makeshift for each in ways)
        output = next(iter(case.outputs))
        #: Per call: its operand names -> the chain's.
        self._names = [_names(way, way is ways[0], output) for way in ways]
        first = ways[0]
        steps: list[AnyStep] = []
        #: Whether the compiled layer can run it.
        is_whole = all(isinstance(each, Plan) or each.is_steps for each in ways)
        for way, names in zip(self.ways, self._names, strict=True):
            if isinstance(way, Plan):
                steps.append(Execute(way, names, Scratch() if way.workspace_size else None))
            else:
                steps += [each.placed(_renaming(names)) for each in way.steps]
        operands = operands_of(case.inputs, case.outputs)
        super().__init__(
            ", ".join(each.function if isinstance(each, Classic) else "a plan" for each in ways),
            [self._aligned(each) for each in operands],
            steps if is_whole else _never,
            workspace_size=max(each.workspace_size for each in ways),
            algorithm=first.algorithm if isinstance(first, Classic) else "",
            deterministic=all(is_deterministic(each) for each in ways),
            math=first.math if isinstance(first, Classic) else "",
            touches=[set(names.values()) for names in self._names],
            parts=[
                Execute(way, names, Scratch())
                for way, names in zip(self.ways, self._names, strict=True)
            ],
        )

    def _aligned(self, operand: Operand) -> Operand:
        """Return an operand with the alignment that all calls need."""
        alignments = [
            each.alignment
            for way, names in zip(self.ways, self._names, strict=True)
            for each in way.operands
            if names.get(each.name) == operand.name
        ]
        return operand._replace(alignment=max([operand.alignment, *alignments]))

    def _execute(self, launch: Launch) -> None:
        for way, names in zip(self.ways, self._names, strict=True):
            found = {own: launch.found[name] for own, name in names.items()}
            way._execute(way.placed(launch, found))


def _names(way: Way, is_first: bool, output: str) -> dict[str, str]:
    """Return the names that a call's operands have in its chain."""
    found = {}
    for each in way.operands:
        if each.is_argument:
            kept = each.role == "input" and (is_first or each.name in _ADDED)
            found[each.name] = each.name if kept else output
    return found


def _renaming(names: Mapping[str, str]) -> Callable[[Any], Any]:
    """Return what gives operands other names."""
    return lambda value: names[value] if type(value) is str else value


#: The inputs of a chain that are added to its output.
_ADDED = ("residual", "bias")


def _never(*_: Any) -> None:
    raise AssertionError("a chain has no call of its own")


def addition(
    name: str, what: Spec, wide: Spec, target: Spec, wide_target: Spec, factor: float = 1.0
) -> Classic:
    """Return the call that adds an array, times a factor, to the output in place.

    Args:
        name: of the array.
        what, target: array and output as the caller has them.
        wide, wide_target: the same as cuDNN wants them.
    """
    a, c = describe(wide), describe(wide_target)
    step = Step("cudnnAddTensor", HANDLE, factor, a, name, 1.0, c, "y")
    return Classic("cudnnAddTensor", operands_of({name: what}, {"y": target}), [step])


def with_bias(first: Way, case: Case) -> Chain:
    """Return a way, and the addition of a bias to its output."""
    y, bias, w = case.outputs["y"], case.inputs["bias"], case.inputs["w"]
    wide = widened(y, len(y.shape) == len(w.shape))
    return Chain([first, addition("bias", bias, per_channel(bias, len(wide.shape)), y, wide)], case)


def unfused(
    plain: Operation, activation: Operation | None, case: Case, rule: Rule, handle: Handle
) -> Classic:
    """Return a convolution, and what follows it, in calls of their own.

    Args:
        plain: the convolution alone.
        activation: applied to the result.
        case: of all.
    """
    y, w = case.outputs["y"], case.inputs["w"]
    if activation is not None and case.beta != 0.0:
        return _apart(plain, activation, case, rule, handle)
    inner = case._replace(inputs={name: case.inputs[name] for name in ("x", "w")}, call={})
    batch = len(y.shape) == len(w.shape)
    wide = widened(y, batch)
    steps: list[Way] = [choose_way(plain, inner, rule, handle, None)]
    residual, bias = case.inputs.get("residual"), case.inputs.get("bias")
    if residual is not None:
        factor = case.call.get("alpha2", 1.0)
        steps.append(addition("residual", residual, widened(residual, batch), y, wide, factor))
    if bias is not None:
        steps.append(addition("bias", bias, per_channel(bias, len(wide.shape)), y, wide))
    if activation is not None:
        after = Case({"x": y}, {"y": y})
        steps.append(activation.find_way(after, Rule(pick="heuristic"), handle, None))
    return Chain(steps, case)


def _apart(
    plain: Operation, activation: Operation, case: Case, rule: Rule, handle: Handle
) -> Classic:
    """Return what computes the input of an activation in the workspace, and adds its result."""
    y = case.outputs["y"]
    inner = case._replace(outputs={"y": y._replace(alignment=ALIGNMENT)}, beta=0.0)
    first = unfused(plain, None, inner, rule, handle)
    after = Case({"x": inner.outputs["y"]}, {"y": y}, beta=case.beta)
    last = activation.find_way(after, Rule(pick="heuristic"), handle, None)
    steps = Steps(case.inputs, case.outputs)
    steps.room("before activation", y)
    names = {name: name for name in case.inputs}
    steps.way(first, {**names, "y": "before activation"})
    steps.way(last, {"x": "before activation", BEFORE: "y", "y": "y"})
    made = steps.classic(
        algorithm=first.algorithm, math=first.math,
        deterministic=is_deterministic(first) and is_deterministic(last),
    )  # fmt: skip
    made.is_mixed = first.is_mixed or made.is_mixed
    return made
