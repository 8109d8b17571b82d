"""Hints for names that do not exist, and the class of modules that give them.

The words of other packages are in one table, words.json, which also the errors about options,
methods and settings read (`said`, `options`).
"""

from __future__ import annotations

from .names import AbsentError as AbsentError
from .names import Module as Module
from .names import UnknownNameError as UnknownNameError
from .names import advice as advice
from .names import equip as equip
from .words import find as find
from .words import options as options
from .words import plain as plain
from .words import said as said
