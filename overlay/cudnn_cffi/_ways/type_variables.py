"""Type variables of the results of operations."""

from __future__ import annotations

from typing import TypeVar

from ..types import ArrayT as ArrayT

#: A result that an option decides: an array, memory that gradients need, or None.
KeptT = TypeVar("KeptT", covariant=True)
