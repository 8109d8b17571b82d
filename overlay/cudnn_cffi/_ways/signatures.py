"""Types in the signatures of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, Protocol, Self, SupportsIndex, TypeAlias, TypedDict

    from .. import ActivationMode
    from ..choice import DeviceProperties
    from ..choice.policy import Choose as Choose
    from ..enum_words import OpTensorOpLike, ReduceTensorOpLike
    from ..graph.graph import Graph
    from ..graph.record.types import Corner as Corner
    from ..graph.record.types import Form as Form
    from ..graph.tensors import Tensor
    from ..handles import Handle as Handle
    from ..types import Array as Array
    from ..types import ArrayT as ArrayT
    from ..types import CallStream as CallStream
    from ..types import DType as DType
    from ..types import DTypeWord as DTypeWord
    from ..types import Layout as Layout
    from ..types import PlainLayout as PlainLayout
    from ..types import SupportsCudaArrayInterface

    class Viewed(SupportsCudaArrayInterface, Protocol):
        """An array whose library makes views of it."""

        def __getitem__(self, key: slice, /) -> Self: ...
        def reshape(self, shape: Sequence[int], /) -> Self: ...
        def transpose(self, *axes: int) -> Self: ...

    #: The functions that `activation=` names; members of cuDNN's enum do, too.
    ActivationWord: TypeAlias = (
        Literal[
            "relu", "clipped_relu", "leaky_relu", "sigmoid", "tanh", "elu", "swish", "silu",
            "softplus", "gelu", "gelu_tanh", "identity",
        ]
        | ActivationMode
    )  # fmt: skip

    #: The axes over which batch norm counts.
    BatchNormWord: TypeAlias = Literal["spatial", "per_activation", "spatial_persistent"]

    #: Operations on each element of two tensors, or of one.
    OperationWord: TypeAlias = Literal["add", "mul", "min", "max", "sqrt", "not"] | OpTensorOpLike

    #: Reductions.
    ReductionWord: TypeAlias = (
        Literal[
            "add", "mul", "min", "max", "amax", "avg", "norm1", "norm2", "mul_no_zeros", "sum",
            "mean", "prod",
        ]
        | ReduceTensorOpLike
    )  # fmt: skip

    #: Aggregations of the features that edges lead from.
    AggregationWord: TypeAlias = Literal["sum", "mean", "max", "min", "add", "average"]

    #: Biases of a recurrent network: both, none, or that of the input or of the state.
    BiasWord: TypeAlias = bool | Literal["input", "recurrent"]

    #: The function of plain cells of a recurrent network.
    Nonlinearity: TypeAlias = Literal["tanh", "relu"]

    #: Integers in host memory.
    Numbers: TypeAlias = Sequence[SupportsIndex] | Array

    #: Labels of all sequences, or those of each.
    Labels: TypeAlias = Numbers | Sequence[Sequence[SupportsIndex]]

    #: The first key that each query sees, and the end of what it sees.
    Windows: TypeAlias = tuple[Numbers, Numbers]

    #: A change of attention's scores, and its gradient.
    Score: TypeAlias = Callable[[Graph, Tensor], Tensor]
    ScoreBackward: TypeAlias = Callable[[Graph, Tensor, Tensor], Tensor]

    #: The outputs of a call: an array, or several with None for those to be made.
    Out: TypeAlias = "Array | Sequence[Array | None] | None"

    #: A device that need not be there: its properties, or the name of one that is known.
    Device: TypeAlias = DeviceProperties | str

    #: A number, or one for each spatial dimension.
    Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

    #: Zeros around images: extents, a pair (before, after) for each dimension, or a word.
    Padding: TypeAlias = (
        Extents
        | Sequence[tuple[SupportsIndex, SupportsIndex]]
        | Literal["valid", "same", "half", "full"]
    )

    class InPlace(TypedDict, total=False):
        """Keywords of calls that change an array in place."""

        handle: Handle | None
        stream: CallStream
        choose: Choose

    class WithOut(InPlace, total=False):
        """Keywords of calls that return new arrays, or write to those that are given."""

        out: Out
