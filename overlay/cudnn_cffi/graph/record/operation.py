"""The record of a kind of operation: its ports, its options, and its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..._index import RELEASES
from ..._tables import newest, tables

if TYPE_CHECKING:
    from ..._backend import Descriptor

#: The type of a scalar that replaces a Python number: the one that the graph computes in.
COMPUTED = ""

#: Enums of the words that options take -> the beginning of their C names after CUDNN_.
ENUMS = {
    "BackendNormFwdPhase": "NORM_FWD_",
    "BackendNormMode": "",
    "BackendReshapeMode": "RESHAPE_",
    "BnFinalizeStatsMode": "BN_FINALIZE_STATISTICS_",
    "ConvolutionMode": "",
    "GenStatsMode": "GENSTATS_",
    "MoeGroupedMatmulMode": "MOE_GROUPED_MATMUL_MODE_",
    "NanPropagation": "",
    "PaddingMode": "",
    "PointwiseMode": "POINTWISE_",
    "ReduceTensorOp": "REDUCE_TENSOR_",
    "ResampleMode": "RESAMPLE_",
    "RngDistribution": "RNG_DISTRIBUTION_",
    "SignalMode": "SIGNAL_",
}


class Port(NamedTuple):
    """A tensor of an operation.

    Attributes:
        name: the keyword in graphs.
        attribute: the C name of the backend attribute, without CUDNN_ATTR_.
        optional: whether the operation may lack it.
        many: whether it takes a list; ports of its tensors are then numbered, `x0`, `x1`, ...
        number: the data type of a scalar that replaces a Python number, `COMPUTED` for the one
            that the graph computes in; None if the port takes tensors only.
        default: of the method's argument, or None.
    """

    name: str
    attribute: str = ""
    optional: bool = False
    many: bool = False
    number: str | None = None
    default: float | str | None = None


class Option(NamedTuple):
    """A setting of an operation.

    Attributes:
        name: the keyword in graphs.
        attribute: the C name of the backend attribute, without CUDNN_ATTR_; "" if only the
            inference of results, or the lowering, reads it.
        type: "bool", "float", "int", "str"; "number" for a float or int that is kept as it was
            given; "shape" and "sizes" for a tuple of integers; "axis" for a dimension of the first
            input; "nested" for nodes within the node; or a key of `ENUMS`.
        default: of the method's argument, or None.
    """

    name: str
    attribute: str = ""
    type: str = "number"
    default: float | str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it takes, in upper case; () if it takes none."""
        return tuple(newest().enum(self.type).__members__) if self.type in ENUMS else ()


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
        settings: all options with their types, also those without an attribute, in the order in
            which a node has them.
        method: the method of `Graph` that adds it, with its help; "" for none.
        named_by_mode: whether people know it by its mode, as pointwise operations.
        cls: the class of the descriptor, where the table does not know the operation.
    """

    kind: str
    descriptor: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    options: dict[str, str]
    helper: Helper | None
    rule: Callable[..., object]
    compute: str = ""
    settings: Mapping[str, Option] = {}
    method: str = ""
    named_by_mode: bool = False
    cls: type[Descriptor] | None = None

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports."""
        return self.inputs + self.outputs

    @property
    def c_name(self) -> str:
        """The C name of its descriptor's type; "" if cuDNN has none."""
        return f"CUDNN_BACKEND_{self.descriptor}_DESCRIPTOR" if self.descriptor else ""

    @property
    def since(self) -> str:
        """The first known release that has its descriptor; "" for none."""
        return next((each for each in RELEASES if self.c_name in tables(each).all_names()), "")


class Parameters(NamedTuple):
    """A descriptor of parameters, as an option of a node.

    Attributes:
        descriptor: the name of its class.
        attributes: pairs of keyword and value.
    """

    descriptor: str
    attributes: tuple[tuple[str, object], ...]

    def make_descriptor(self) -> Descriptor:
        """Return the finalized descriptor."""
        from ... import backend

        cls: type[Descriptor] = getattr(backend, self.descriptor)
        return cls(
            **{
                key: each.make_descriptor() if isinstance(each, Parameters) else each
                for key, each in self.attributes
            }
        )
