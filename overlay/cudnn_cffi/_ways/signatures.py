"""Types in the signatures of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, Protocol, Self, SupportsIndex, TypeAlias, TypedDict

    from .. import ActivationMode
    from ..choice import DeviceProperties
    from ..choice.policy import Choose as Choose
    from ..handles import Handle as Handle
    from ..types import Array as Array
    from ..types import ArrayT as ArrayT
    from ..types import CallStream as CallStream
    from ..types import DTypeWord as DTypeWord
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
