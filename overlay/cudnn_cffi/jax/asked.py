"""A call of an operation, as JAX traces it: planned when XLA compiles what has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from .. import arrays, handles
from .._operation.operation import Operation
from .._ways.array_spec import Spec
from .._ways.case import Case, Way
from ..choice.policy import Rule
from ..ops import Softmax, SoftmaxBackward
from ..plan import Operand
from .calls import Shaped, apply
from .targets import Target, local_device, offer

if TYPE_CHECKING:
    from jax import Array

#: By operations: the inputs whose first axis counts examples that do not know of each other, as the
#: first axis of each result does.
_EXAMPLES = {
    "activation": "x",
    "activation_backward": "dy x y",
    "attention": "q k v",
    "attention_backward": "do q k v o stats",
    "causal_convolution": "x",
    "batch_norm_inference": "x",
    "convolution": "x residual",
    "convolution_backward_data": "dy",
    "convolution_transpose": "x",
    "divisive_norm": "x means",
    "fold": "x",
    "grid_sample": "x grid",
    "group_norm": "x",
    "im2col": "x",
    "instance_norm": "x",
    "layer_norm": "x",
    "local_response_norm": "x",
    "local_response_norm_backward": "dy x y",
    "pooling": "x",
    "pooling_backward": "dy x y",
    "rms_norm": "x",
    "softmax": "x",
    "softmax_backward": "dy y",
    "unfold": "x",
}


class Traced(Spec):
    """The description of an array of JAX, with the array."""

    array: Array

    @classmethod
    def of_array(cls, array: Array) -> Traced:
        """Describe an array, which may be traced."""
        made = cls(*_spec(array))
        made.array = array
        return made


def _spec(array: Shaped, device: int | None = None) -> Spec:
    found = Spec.like(array.shape, array.dtype, range(len(array.shape)))
    return found._replace(device=device)


class Asked(NamedTuple):
    """A call of an operation, without its arrays.

    Attributes:
        operation: the operation.
        names: those of its inputs that are given.
        alpha: the factor of the result.
        call: further arguments that matter.
        rule: the choice that was in force.
    """

    operation: Operation
    names: tuple[str, ...]
    alpha: float
    call: tuple[tuple[str, Any], ...]
    rule: Rule

    def __repr__(self) -> str:
        return f"{self.operation!r}({', '.join(self.names)})"

    def _case(self, inputs: Sequence[Shaped], device: int | None = None) -> Case:
        given = {n: _spec(a, device) for n, a in zip(self.names, inputs, strict=True)}
        every = [given.get(name) for name in self.operation.takes]
        return self.operation.case(*every, alpha=self.alpha, **dict(self.call))

    def gives(self, inputs: Sequence[Shaped]) -> list[str]:
        """Return the names of the results."""
        return list(self._case(inputs).outputs)

    def results(self, inputs: Sequence[Shaped]) -> list[jax.ShapeDtypeStruct]:
        """Return the shapes and types of the results."""
        return [
            jax.ShapeDtypeStruct(each.shape, arrays.numpy_dtype(each.dtype))
            for each in self._case(inputs).outputs.values()
        ]

    def target(self, inputs: Sequence[Shaped]) -> tuple[Target, Sequence[Operand]]:
        """Return what XLA is to call, and the operands."""
        case = self._case(inputs)
        places = {name: place for place, name in enumerate(self.names)}
        places |= {name: -1 - place for place, name in enumerate(case.outputs)}

        def make(device: int) -> Way:
            return _find_way(self.operation, self._case(inputs, device), self.rule, device)

        specs = {**case.inputs, **case.outputs}
        text = repr((self.operation, self.alpha, self.call, self.rule, specs))
        target = offer(make, local_device(), places, {}, text)
        operands = [
            Operand(
                name, 0, each.shape, each.strides, each.data_type, has_bytes=each.dtype == "bool"
            )
            for name, each in ((name, specs[name]) for name in places)
        ]
        return target, operands

    def batched(
        self, size: int, inputs: Sequence[Array], axes: Sequence[int | None]
    ) -> list[Array] | None:
        """Return the results of a batch, computed as more examples; None where that is not so."""
        pairs = list(zip(inputs, axes, strict=True))
        one = [a if axis is None else _without(a, axis) for a, axis in pairs]
        examples = self._examples(dict(zip(self.names, one, strict=True)))
        mapped = {n for n, axis in zip(self.names, axes, strict=True) if axis is not None}
        if not mapped <= examples:
            return None
        merged = []
        for name, (each, axis) in zip(self.names, pairs, strict=True):
            if name in examples:
                in_front = (
                    jax.numpy.broadcast_to(each, (size, *each.shape))
                    if axis is None
                    else jax.numpy.moveaxis(each, axis, 0)
                )
                merged.append(in_front.reshape(size * in_front.shape[1], *in_front.shape[2:]))
            else:
                merged.append(each)
        more = tuple([(n, (size * v[0], *v[1:]) if n == "shape" else v) for n, v in self.call])
        wanted = [each.shape for each in self.results(one)]
        made = apply(self._replace(call=more), *merged)
        return [a.reshape(size, *shape) for a, shape in zip(made, wanted, strict=True)]

    def _examples(self, one: dict[str, Shaped]) -> set[str]:
        """Return the inputs whose first axis counts examples; none where it may not grow."""
        operation, options = self.operation, self.operation.options
        found = {*_EXAMPLES.get(operation.word, "").split()} & {*self.names}
        ranks = {name: len(each.shape) for name, each in one.items()}
        first = ranks[self.names[0]]
        is_free = (
            first > ranks.get("scale", 0)
            and ranks.get("w", first) == first
            and options.get("batch", True)
            and not ("k" in ranks and {*self.names} - found)
            and not (
                isinstance(operation, (Softmax, SoftmaxBackward)) and 0 in operation._axes(first)
            )
        )
        return found if is_free else set()


def _find_way(operation: Operation, case: Case, rule: Rule, device: int) -> Way:
    return operation.find_way(case, rule, handles.handle(device), None)


def _without(array: Shaped, axis: int) -> jax.ShapeDtypeStruct:
    shape = list(array.shape)
    del shape[axis]
    return jax.ShapeDtypeStruct(tuple(shape), array.dtype)
