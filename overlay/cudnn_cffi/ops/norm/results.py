"""Results of normalizations, and checks that they share."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

from ... import errors
from ..._ways.array_spec import Spec
from ..._ways.type_variables import ArrayT, KeptT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import DTypeWord


class NormResults(NamedTuple, Generic[ArrayT, KeptT]):
    """The results of a normalization in training; None for those that it does not compute.

    Attributes:
        y: the normalized input.
        mean: of what was normalized together.
        inv_variance: 1 / sqrt(variance + epsilon).
    """

    y: ArrayT
    mean: KeptT
    inv_variance: ArrayT


class NormGradients(NamedTuple, Generic[ArrayT]):
    """The gradients of a normalization; None for arguments that it does not take."""

    x: ArrayT
    scale: ArrayT | None
    bias: ArrayT | None


def check_epsilon(value: Any) -> float:
    """Return what is added to a variance; refuse what is no such number."""
    if not isinstance(value, (int, float)) or not value >= 0:
        raise errors.ArgumentError(f"epsilon: expected a number of 0 or more, got {value!r}")
    return float(value)


def parameter_type(x: Spec) -> DTypeWord:
    """Return the data type of statistics, and of what batch norm multiplies by and adds."""
    return "float64" if x.dtype == "float64" else "float32"
