"""The base class of backend descriptors: check values, set and read attributes."""

from __future__ import annotations

from .absent import absent as absent
from .descriptor import Descriptor as Descriptor
from .descriptor import find_type as find_type
from .descriptor import first_of as first_of
from .descriptor import values_of as values_of
from .schema import Attribute as Attribute
