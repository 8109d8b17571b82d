"""The names of the front door, for type checkers and editors."""

from . import errors as errors
from . import types as types

# Of two definitions mypy takes the first and pyright the last: the overlay's must be both.
from ._own import *
from ._version import __version__ as __version__
from .names import *  # type: ignore[assignment]  # isort: skip
from ._own import *  # isort: skip
