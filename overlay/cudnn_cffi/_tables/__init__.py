"""Enums, structs, constants and functions of a release, from its emitted tables."""

from __future__ import annotations

from .absent import elsewhere as elsewhere
from .active import active as active
from .active import chosen_release as chosen_release
from .active import enum_map as enum_map
from .active import expected_member as expected_member
from .active import in_use as in_use
from .active import record_class as record_class
from .enums import ENUM_TYPES as ENUM_TYPES
from .enums import TolerantEnum as TolerantEnum
from .enums import find_member as find_member
from .enums import members_hint as members_hint
from .tables import Tables as Tables
from .tables import family_named as family_named
from .tables import newest as newest
from .tables import tables as tables
from .tables import version_part as version_part
