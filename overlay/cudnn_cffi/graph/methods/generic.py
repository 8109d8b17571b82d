"""Any operation, by the class of its descriptor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ... import errors
from ..record.enum_words import extents
from ..record.operation import Operation, Parameters, Port
from ..rules.results import Result
from ..tensors import Tensor

if TYPE_CHECKING:
    from ..._backend import Descriptor
    from ..builder import Builder
    from ..record.types import Options
    from ..tensors import Node


def operation(
    self: Builder,
    descriptor: type[Descriptor] | str,
    *,
    outputs: Mapping[str, Tensor | Sequence[int]],
    name: str | None = None,
    **attributes: object,
) -> Tensor | tuple[Tensor, ...]:
    """Add an operation by its descriptor, also one that this package has no method for.

    Args:
        descriptor: the class of the operation's descriptor, such as
            `OperationRopeFwdDescriptor`, or its name.
        outputs: the results by the descriptor's attributes: a shape, or a tensor that was made
            with `virtual=True`.
        name: of the node.
        attributes: everything else by the descriptor's attributes. Tensors, and lists of them,
            are inputs. A pair (descriptor class, attributes) makes a descriptor of parameters.

    Returns:
        The result, or a tuple of results.

    Raises:
        ArgumentError: the descriptor has no such attribute, or is none of an operation.
    """
    cls = descriptor_class(descriptor)
    inputs: dict[str, Tensor] = {}
    options: dict[str, object] = {}
    lists = []
    for key, value in attributes.items():
        _attribute(cls, key)
        if isinstance(value, Tensor):
            inputs[key] = value
        elif isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
            inputs |= {f"{key}{number}": each for number, each in enumerate(value)}
            lists.append(key)
        elif value is not None:
            options[key] = _frozen(value)
    if not isinstance(outputs, Mapping) or not outputs:
        raise errors.ArgumentError(
            f"outputs: expected a dict of a result at least, by attributes, got {outputs!r}"
        )
    given = {
        key: value if isinstance(value, Tensor) else self.tensor(extents(value, key), virtual=True)
        for key, value in outputs.items()
    }
    node = add_generic(self, cls, inputs, tuple(lists), given, options, name)
    results = tuple(node.outputs.values())
    return results[0] if len(results) == 1 else results


def add_generic(
    self: Builder,
    cls: type[Descriptor],
    inputs: dict[str, Tensor],
    lists: tuple[str, ...],
    outputs: dict[str, Tensor],
    options: dict[str, object],
    name: str | None,
) -> Node:
    """Add a node of a descriptor's class, whose ports and options are its attributes."""
    ports = {
        key.rstrip("0123456789") if key.rstrip("0123456789") in lists else key: None
        for key in inputs
    }
    made = Operation(
        cls.__name__,
        cls.c_name.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR"),
        tuple(Port(key, _attribute(cls, key), False, key in lists) for key in ports),
        tuple(Port(key, _attribute(cls, key)) for key in outputs),
        {key: _attribute(cls, key) for key in options},
        None,
        lambda _: {key: Result(each.shape) for key, each in outputs.items()},
        cls=cls,
    )
    return self._add_node(made, inputs, cast("Options", options), name, outputs)


def descriptor_class(descriptor: object) -> type[Descriptor]:
    """Return the class of an operation's descriptor, by itself or its name.

    Raises:
        ArgumentError: it is none.
    """
    from ... import backend

    if isinstance(descriptor, str):
        found = getattr(backend, descriptor, None)
        if found is None or descriptor not in backend.__all__:
            near = [each for each in backend.__all__ if each.startswith("Operation")]
            raise errors.ArgumentError(
                f"no class of descriptors is called {descriptor!r}",
                hint=f"one of {', '.join(near)}",
            )
        descriptor = found
    c_name = getattr(descriptor, "c_name", None)
    known = isinstance(c_name, str) and c_name.startswith("CUDNN_BACKEND_OPERATION_")
    if not known or getattr(descriptor, "__name__", "") not in backend.__all__:
        raise errors.ArgumentError(
            f"expected the class of an operation's descriptor, got {descriptor!r}"
        )
    return cast("type[Descriptor]", descriptor)


def _attribute(cls: type[Descriptor], keyword: str) -> str:
    from ..._attributes import DESCRIPTORS

    known = DESCRIPTORS[cls.__name__][1]
    if keyword not in known:
        raise errors.ArgumentError(
            f"{cls.__name__} has no attribute {keyword!r}", hint=f"one of {', '.join(known)}"
        )
    return known[keyword].removeprefix("CUDNN_ATTR_")


def _frozen(value: object) -> object:
    """Return an option as a hashable value."""
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and isinstance(value[0], type) and isinstance(value[1], Mapping):
            return Parameters(
                value[0].__name__, tuple((k, _frozen(v)) for k, v in value[1].items())
            )
        return tuple(_frozen(each) for each in value)
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else value
