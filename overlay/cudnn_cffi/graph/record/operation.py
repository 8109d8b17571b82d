"""What is said of a kind of operation: its ports, its options, and its rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Port(NamedTuple):
    """A tensor of an operation.

    Attributes:
        name: what graphs call it.
        attribute: the C name of the backend attribute, without CUDNN_ATTR_.
        optional: whether the operation may lack it.
        many: whether it takes a list; ports of its tensors are then numbered, `x0`, `x1`, ...
    """

    name: str
    attribute: str
    optional: bool = False
    many: bool = False


class Helper(NamedTuple):
    """The descriptor with the parameters of an operation, where cuDNN keeps them in one.

    Attributes:
        descriptor: its type, without CUDNN_BACKEND_ and _DESCRIPTOR.
        attribute: the attribute of the operation that takes it.
        options: its attributes by the names of options.
    """

    descriptor: str
    attribute: str
    options: dict[str, str]


class Operation(NamedTuple):
    """A kind of operation.

    Attributes:
        kind: its name in texts and JSON.
        descriptor: the type of its descriptor, without CUDNN_BACKEND_ and _DESCRIPTOR.
        inputs, outputs: its ports.
        options: the operation's own attributes by the names of options.
        helper: the descriptor with parameters; None where there is none.
        rule: infers the results; see `rules.results`.
        compute: the attribute with the data type that it computes in; "" for none.
        named_by_mode: whether people know it by its mode, as pointwise operations.
        cls: the class of the descriptor, where the table does not know the operation.
    """

    kind: str
    descriptor: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    options: dict[str, str]
    helper: Helper | None
    rule: Callable[[Any], dict[str, Any]]
    compute: str = ""
    named_by_mode: bool = False
    cls: Any = None

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports."""
        return self.inputs + self.outputs


class Parameters(NamedTuple):
    """A descriptor of parameters, as an option of a node.

    Attributes:
        descriptor: the name of its class.
        attributes: pairs of keyword and value.
    """

    descriptor: str
    attributes: tuple[tuple[str, Any], ...]

    def make_descriptor(self, node: Any, tensors: Any) -> Any:
        """Return the finalized descriptor."""
        from ... import backend

        values = {
            key: each.make_descriptor(node, tensors) if isinstance(each, Parameters) else each
            for key, each in self.attributes
        }
        return getattr(backend, self.descriptor)(**values)


def parameters_of(descriptor: str, attributes: tuple[tuple[str, Any], ...]) -> Parameters:
    """Return the option that makes a descriptor of parameters."""
    return Parameters(descriptor, attributes)
