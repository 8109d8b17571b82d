"""The descriptor of a local response normalization."""

from __future__ import annotations

from typing import Self

from .._lookup import families
from .._support.arguments import integers, reals
from ._core.configured import Configured, Field


class LRNDescriptor(Configured, families.LRNDescriptor):
    """A local response normalization across channels.

    Set by `cudnnSetLRNDescriptor`, read by `cudnnGetLRNDescriptor` (cudnn_ops.h).
    """

    __slots__ = ()

    @classmethod
    def of(cls, n: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 2.0) -> Self:
        """Compute x / (k + alpha / n * sum of squares over n channels) ** beta.

        Calls `cudnnSetLRNDescriptor` (cudnn_ops.h).

        Args:
            n: the number of channels to sum over.
            alpha, beta, k: numbers of the formula.

        Raises:
            ArgumentError: an argument is not a number.
            BadParamError: cuDNN refuses a number: n below 1 or above 16, k below 1e-5, beta below
                0.01.
        """
        self = cls()
        self.set(*integers(n=n), *reals(alpha=alpha, beta=beta, k=k))
        return self

    n: Field[int] = Field("lrnN", "Return the number of channels to sum over.", shown="n {}")
    alpha: Field[float] = Field("lrnAlpha", "Return alpha.", shown="alpha {}")
    beta: Field[float] = Field("lrnBeta", "Return beta, the exponent.", shown="beta {}")
    k: Field[float] = Field("lrnK", "Return k.", shown="k {}")
