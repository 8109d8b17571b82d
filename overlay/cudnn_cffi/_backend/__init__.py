"""The base of the emitted classes of backend descriptors: set, finalized, read by name."""

from __future__ import annotations

from .absent import absent
from .descriptor import Descriptor, find_type
from .schema import Attribute

__all__ = ["Attribute", "Descriptor", "absent", "find_type"]
