"""Gradients of operations, by the operations that their records name.

In these records the gradient of `x` is called `dx`, and that of `dx` is called `x`. So the names of
a gradient's operands tell which is an operand of the operation, which is its result, and which is
the gradient of its result.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
from jax.custom_derivatives import CustomVJPPrimal, SymbolicZero

from .. import errors
from .._operation.functions import plain_function
from .._operation.operation import CLASSES, Operation
from .._operation.sharing import shared
from ..choice import policy as policies
from ..ops import ActivationBackward
from .asked import Asked, Traced
from .calls import Shaped, alike, apply

if TYPE_CHECKING:
    from jax import Array

    from ..choice.policy import Choose

#: Options that have an operation return what its gradient needs.
_KEEPING = ("stats", "statistics")

#: Operations that are gradients used forward: what the gradient calls their operands and results.
_ROLES = {"convolution_transpose": {"x": "dy", "y": "dx", "bias": "dbias"}}

#: Results of gradients with a shorter name.
_LONGER = {"db": "dbias"}


def perform(operation: Operation, arguments: Mapping[str, Any]) -> tuple[Any, dict[str, Array]]:
    """Call an operation on arrays of JAX.

    Args:
        operation: the operation.
        arguments: those of its call by name, with a `Traced` for each array.

    Returns: what the call returns, and its results by name.
    """
    found: dict[str, Array] = {}

    def run(
        given: Sequence[Traced | None],
        out: object = None,
        handle: object = None,
        stream: object = ...,
        choose: Choose = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        call: tuple[tuple[str, Any], ...] = (),
        pattern: object = 0,
    ) -> Array | tuple[Array, ...]:
        del out, handle, stream, choose, beta, pattern
        pairs = zip(operation.takes, given, strict=False)
        there = {name: each.array for name, each in pairs if each is not None}
        inputs = dict(zip(there, alike(there.values()), strict=True))
        if changed := [name for name in operation.updates if name in inputs]:
            raise errors.ArgumentError(
                f"{changed[0]}: the operation changes it in place, which arrays of JAX are not",
                hint="compute it of the results",
            )
        rule = policies.rule_for(operation.section, operation.policy, behind=operation.behind)
        asked = Asked(operation, tuple(inputs), alpha, call, rule)
        made = _differentiable(asked, *inputs.values())
        found.update(zip(asked.gives([*inputs.values()]), made, strict=True))
        return made[0] if len(made) == 1 else tuple(made)

    asking = copy.copy(operation)
    asking.__dict__["run"] = run
    return plain_function(type(operation).__call__)(asking, **arguments), found


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _differentiable(asked: Asked, *inputs: Array) -> list[Array]:
    return apply(asked, *inputs)


def _forward(
    asked: Asked, *primals: CustomVJPPrimal
) -> tuple[list[Array], tuple[list[Array], dict[str, Array]]]:
    inputs = [each.value for each in primals]
    operation = asked.operation
    steps = _steps(operation, dict(zip(asked.names, inputs, strict=True)))
    known = {name for _, names in steps for name in names.values()}
    if "residual" in asked.names and operation.word == "convolution":
        known.add("residual")
    for name, each in zip(asked.names, primals, strict=True):
        if each.perturbed and name not in known:
            raise errors.NotSupportedError(
                f"{operation.word}: cuDNN computes no gradient for {name}",
                hint="jax.lax.stop_gradient says that none is wanted",
            )
    if asked.alpha != 1.0 or "alpha2" in dict(asked.call):
        raise errors.NotSupportedError(
            f"{operation.word}: a call with alpha or alpha2 has no gradient",
            hint="multiply the result",
        )
    more = {name: True for name in _KEEPING if name in operation.options}
    keeping = asked
    if more:
        whole = operation._like(type(operation), **operation.options | more)
        keeping = asked._replace(operation=whole)
    made = _differentiable(keeping, *inputs)  # which may be differentiated again
    found = dict(zip(keeping.gives(inputs), made, strict=True))
    return [found[name] for name in asked.gives(inputs)], (inputs, found)


def _backward(
    asked: Asked,
    kept: tuple[list[Array], dict[str, Array]],
    given: Sequence[Array | SymbolicZero],
) -> tuple[Array | None, ...]:
    inputs, results = kept
    operation = asked.operation
    roles = _ROLES.get(operation.word, {})
    operands = dict(zip(asked.names, inputs, strict=True))
    names = asked.gives(inputs)
    above = {
        name: each
        for name, each in zip(names, given, strict=True)
        if not isinstance(each, SymbolicZero)
    }
    if not above:
        return (None,) * len(inputs)
    if names[0] not in above:
        above[names[0]] = jax.numpy.zeros_like(results[names[0]])
    main = above[names[0]]
    word = operation.options.get("activation")
    gradients: dict[str, Array] = {}
    if word is not None and not _takes_activation(operation):
        settings = {"activation": word, "coefficient": operation.options["coefficient"]}
        main = _results(shared(ActivationBackward, settings), {"dy": main, "y": results[names[0]]})[
            "dx"
        ]
    if operation.word == "convolution":
        gradients["residual"] = main
    values = {roles.get(name, name): each for name, each in {**results, **operands}.items()}
    values |= {_other(roles.get(name, name)): each for name, each in above.items()}
    values[_other(roles.get(names[0], names[0]))] = main
    used = {names[0]}
    for step, wanted in _steps(operation, operands):
        arguments = {name: values[name] for name in step.takes if name in values}
        if len(step.takes) == 1:
            arguments = {step.takes[0]: main}
        used |= {name for name in names if _other(roles.get(name, name)) in step.takes}
        first = next(iter(wanted.values()))
        made = _results(step, arguments, operands[first].shape)
        gradients |= {name: made[each] for each, name in wanted.items()}
    if unused := sorted({*above} - used):
        raise errors.NotSupportedError(
            f"{operation.word}: cuDNN computes no gradient of {unused[0]}"
        )
    return tuple(
        [
            gradients[name].reshape(each.shape).astype(each.dtype) if name in gradients else None
            for name, each in operands.items()
        ]
    )


def _other(name: str) -> str:
    """Return the name of an array's gradient, by that of the array."""
    return name[1:] if name.startswith("d") else f"d{name}"


def _parameters(cls: type[Operation]) -> frozenset[str]:
    return frozenset(inspect.signature(cls).parameters)


def _takes_activation(operation: Operation) -> bool:
    """Return whether what computes the gradients knows of the activation."""
    return any("activation" in _parameters(CLASSES[word]) for word in operation.gradient)


def _steps(
    operation: Operation, operands: Mapping[str, Shaped]
) -> list[tuple[Operation, dict[str, str]]]:
    """Return the operations that compute gradients, and the operand that each result is for."""
    roles = {role: name for name, role in _ROLES.get(operation.word, {}).items()}
    found = []
    for word in operation.gradient:
        cls = CLASSES[word]
        options = {n: v for n, v in operation.options.items() if n in _parameters(cls)}
        for name in _parameters(cls) - {*operation.options}:
            operand = name if name in operation.takes else _other(name)
            if operand in operation.takes:
                options[name] = operand in operands
            elif name == "batch":
                options[name] = len(operands["x"].shape) == len(operands["w"].shape)
            elif name in ("shape", "nodes"):
                shape = operands["x"].shape
                options[name] = shape if name == "shape" else shape[0]
        step = operation._like(cls, **options)
        wanted = {}
        for name in step.gives:
            of = _other(_LONGER.get(name, name))
            of = roles.get(of, of)
            if len(step.takes) == len(step.gives) == len(operation.takes) == 1:
                of = operation.takes[0]
            if of in operands:
                wanted[name] = of
        if wanted:
            found.append((step, wanted))
    return found


def _results(
    operation: Operation, arrays: Mapping[str, Array], shape: Sequence[int] = ()
) -> dict[str, Array]:
    """Return the results of an operation by name."""
    call = plain_function(type(operation).__call__)
    arguments: dict[str, Any] = {name: Traced.of_array(each) for name, each in arrays.items()}
    if "shape" in inspect.signature(call).parameters:
        arguments["shape"] = tuple(shape)
    return perform(operation, arguments)[1]


_differentiable.defvjp(_forward, _backward, symbolic_zeros=True)
