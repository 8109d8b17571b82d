"""The primitive of JAX that executes plans, and `call`, which executes a given one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from .. import arrays, errors, handles
from .._ways.case import Way
from ..graph import Graph
from ..plan import Plan
from ..plan.arrays.outputs import PAIRS, storage
from ..plan.binding import bind
from ..plan.operand import Number, Operand, encode
from .targets import Target, local_device, offer

if TYPE_CHECKING:
    from jax import Array
    from jax.core import ShapedArray
    from jax.typing import ArrayLike

ArrayT = TypeVar("ArrayT")


class Shaped(Protocol):
    """An array of JAX, or what stands for one: its shape and type."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extents."""

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Return the data type."""


class Work(Protocol):
    """A parameter of the primitive: the work of a call. Two that are equal do the same."""

    def results(self, inputs: Sequence[Shaped]) -> list[jax.ShapeDtypeStruct]:
        """Return the shapes and types of the results; no GPU is needed."""

    def target(self, inputs: Sequence[Shaped]) -> tuple[Target, Sequence[Operand]]:
        """Return what XLA is to call, and the operands: inputs, then results."""

    def batched(
        self, size: int, inputs: Sequence[Array], axes: Sequence[int | None]
    ) -> list[Array] | None:
        """Return the results of a batch, the axis in front; None to compute one after the other."""


_primitive = Primitive("cudnn")
_primitive.multiple_results = True


#: Attributes of an array's type with the axes of a mesh that it varies over, by JAX's releases.
_VARYING = ("manual_axis_type", "vma")
_NONE: frozenset[str] = frozenset()


def _abstract(*inputs: ShapedArray, work: Work) -> list[ShapedArray]:
    found = [jax.core.ShapedArray(each.shape, each.dtype) for each in work.results(inputs)]
    first = inputs[0] if inputs else None  # of those that are alike
    if first is None or not _axes(first):
        return found
    like = {name: getattr(first, name) for name in _VARYING if hasattr(first, name)}
    whole = NamedSharding(first.sharding.mesh, PartitionSpec())
    return [each.update(sharding=whole, **like) for each in found]


def alike(arrays: Iterable[ArrayT]) -> list[ArrayT]:
    """Return arrays that vary over the same axes of a mesh, as `jax.shard_map` wants operands.

    JAX sums the gradient of one that did not.
    """
    given = list(arrays)
    own = [_axes(jax.typeof(each)) if hasattr(jax, "typeof") else _NONE for each in given]
    every = _NONE.union(*own)
    return [
        _varied(each, tuple(sorted(every - axes))) if every - axes else each
        for each, axes in zip(given, own, strict=True)
    ]


def _axes(kind: object) -> frozenset[str]:
    found = next((getattr(kind, name) for name in _VARYING if hasattr(kind, name)), _NONE)
    return frozenset(getattr(found, "varying", found))


def _varied(array: Any, axes: tuple[str, ...]) -> Any:
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, axes, to="varying")
    return jax.lax.pvary(array, axes)


_primitive.def_abstract_eval(_abstract)


def _call_target(*inputs: Array, work: Work) -> list[Array]:
    """Return the results of what XLA calls, and the workspace after them."""
    target, operands = work.target(inputs)
    results = work.results(inputs)
    orders = [_order(each) for each in operands]
    kinds = list(results)
    if target.workspace:
        kinds.append(jax.ShapeDtypeStruct((target.workspace,), np.uint8))
        orders.append((0,))
    made = jax.ffi.ffi_call(
        target.name,
        kinds,
        input_layouts=orders[: len(inputs)],
        output_layouts=orders[len(inputs) :],
        vmap_method="sequential",
    )(*inputs, key=np.int64(target.key))
    return list(made)[: len(results)]


def _storage(operand: Operand) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the data types that an array of JAX may have, and its shape.

    Arrays of JAX with elements of 4 bits do not say how they lie in memory, so bytes are taken.
    """
    names, shape, _ = storage(operand)
    if operand.data_type in PAIRS:
        names = "uint8", "int8"
    return names, shape


def _order(operand: Operand) -> tuple[int, ...]:
    """Return the axes of an array, outermost first.

    Raises:
        ArgumentError: its elements have gaps, which arrays of JAX never have.
    """
    _, shape, strides = storage(operand)
    axes = sorted(range(len(shape)), key=lambda axis: (-strides[axis], axis))
    ones = [axis for axis in axes if shape[axis] == 1]
    axes = ones + [axis for axis in axes if shape[axis] != 1]
    step = 1
    for axis in reversed(axes):
        if shape[axis] != 1 and strides[axis] != step and 0 not in shape:
            raise errors.ArgumentError(
                f"{operand.name}: expected strides without gaps, as arrays of JAX have, got "
                f"{strides} for {shape}"
            )
        step *= shape[axis]
    return tuple(axes)


def _refuse(*_: Array, work: Work) -> list[Array]:
    local_device()  # without any GPU there is another advice
    raise errors.NotSupportedError(
        f"{work!r} is computed on NVIDIA's GPUs alone", hint="move the arrays to one"
    )


mlir.register_lowering(_primitive, mlir.lower_fun(_refuse, multiple_results=True))
mlir.register_lowering(
    _primitive, mlir.lower_fun(_call_target, multiple_results=True), platform="cuda"
)


def _batch(
    inputs: Sequence[Array], axes: Sequence[int | None], *, work: Work
) -> tuple[list[Array], list[int]]:
    size = next(a.shape[axis] for a, axis in zip(inputs, axes, strict=True) if axis is not None)
    found = work.batched(size, inputs, axes)
    if found is None:
        moved = [
            each if axis is None else jax.numpy.moveaxis(each, axis, 0)
            for each, axis in zip(inputs, axes, strict=True)
        ]
        mapped = [each for each, axis in zip(moved, axes, strict=True) if axis is not None]

        def one(some: list[Array]) -> list[Array]:
            rest = iter(some)
            every = [
                each if axis is None else next(rest) for each, axis in zip(moved, axes, strict=True)
            ]
            return _primitive.bind(*every, work=work)

        found = jax.lax.map(one, mapped)
    return list(found), [0] * len(found)


batching.primitive_batchers[_primitive] = _batch

_jitted: Callable[..., list[Array]] = jax.jit(
    lambda work, *inputs: _primitive.bind(*inputs, work=work), static_argnums=0, inline=True
)


def _run(*inputs: Array, work: Work) -> list[Array]:
    with jax.disable_jit(False):  # XLA alone can call it
        return _jitted(work, *inputs)


_primitive.def_impl(_run)


def apply(work: Work, *inputs: ArrayLike) -> list[Array]:
    """Compute some work, inside or outside of `jax.jit`; return its results."""
    return _jitted(work, *inputs)


class _Given:
    """The execution of a plan that was given, with the numbers that it takes."""

    def __init__(self, way: Way, numbers: dict[str, bytes]) -> None:
        self._way = way
        self._numbers = {name: Number(data) for name, data in numbers.items()}
        self._key = id(way), tuple(sorted(numbers.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Given) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return repr(self._way)

    @cached_property
    def _inputs(self) -> list[Operand]:
        return [each for each in self._way.inputs if not each.by_value]

    def results(self, inputs: Sequence[Shaped]) -> list[jax.ShapeDtypeStruct]:
        for each, given in zip(self._inputs, inputs, strict=True):
            names, shape = _storage(each)
            if given.dtype.name not in names or given.shape != shape:
                raise errors.ArgumentError(
                    f"{each.name}: expected {names[0]}{list(shape)}, got "
                    f"{given.dtype.name}{list(given.shape)}"
                )
        kinds = [_storage(each) for each in self._way.outputs]
        return [jax.ShapeDtypeStruct(shape, arrays.numpy_dtype(names[0])) for names, shape in kinds]

    def target(self, _: object) -> tuple[Target, Sequence[Operand]]:
        way = self._way
        operands = [*self._inputs, *way.outputs]
        places = {each.name: place for place, each in enumerate(self._inputs)}
        places |= {each.name: -1 - place for place, each in enumerate(way.outputs)}
        own = way.ordinal

        def make(device: int) -> Way:
            if own in (None, device) or not isinstance(way, Plan):
                return way
            return Plan.from_json(way.to_json(), handles.handle(device))

        device = local_device() if own is None else own
        return offer(make, device, places, self._numbers), operands

    def batched(self, *_: object) -> None:
        """Return None: a plan is for arrays of one shape."""


def call(
    plan: Way | Graph, *given: ArrayLike | float, **named: ArrayLike | float
) -> Array | tuple[Array, ...]:
    """Execute a plan on arrays of JAX, also inside `jax.jit` and `jax.vmap`.

    XLA executes it in its own stream and provides the workspace. A `vmap` executes it once for each
    element. A plan has no gradient; the functions of this module have.

    Args:
        plan: a `Plan`, what the method `plan` of an operation returns, or a `Graph` to build. It
            has to stay open as long as what was compiled with it is called.
        given, named: the inputs, by their places or names, as for a call of the plan: arrays, and
            Python numbers where the plan takes such.

    Returns: the output, or a tuple of several.

    Raises:
        ArgumentError: an array does not fit, or is not dense.
        NotInitializedError: JAX has no GPU here.
        NotSupportedError: only Python can make the call, or its order matters, as of dropout.
        jax.errors.JaxRuntimeError: in the execution, which tells cuDNN's error.
    """
    way = plan.build() if isinstance(plan, Graph) else plan
    bound = bind([each for each in way.operands if each.is_argument], given, named)
    outputs = [each.name for each in way.outputs if each.name in bound]
    if outputs:
        raise errors.ArgumentError(f"{outputs[0]}: arrays of JAX are not written to")
    numbers = {e.name: encode(e, bound[e.name]) for e in way.inputs if e.by_value}
    inputs = [jax.numpy.asarray(bound[each.name]) for each in way.inputs if not each.by_value]
    found = apply(_Given(way, numbers), *alike(inputs))
    return found[0] if len(found) == 1 else tuple(found)
