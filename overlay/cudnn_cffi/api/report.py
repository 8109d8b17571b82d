"""A comparison with everything that was asked of it: axes, limits, suppressions, uses.

A `Report` is what every format is made from; written as JSON it is the machine-readable output,
so a change of it is a change of `SCHEMA` and of docs/diff-schema.json.
"""

from __future__ import annotations

from .diff import build as build
from .diff import counted as counted
from .diff import judge as judge
from .diff import judged as judged
from .names.place import Language as Language
from .names.place import Place as Place
from .records import SCHEMA as SCHEMA
from .records import FailOn as FailOn
from .records import Item as Item
from .records import Report as Report
from .records import Scan as Scan
from .records import Side as Side
from .records import Summary as Summary
