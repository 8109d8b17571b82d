"""The names of the front door, for type checkers and editors."""

# By absolute names: editors would offer the modules of relative ones. Of two definitions mypy
# takes the first and pyright the last: the overlay's must be both.
from cudnn_cffi._own import *
from cudnn_cffi.names import *  # type: ignore[assignment]
from cudnn_cffi._own import *

from . import errors as errors
from . import types as types

__version__: str
