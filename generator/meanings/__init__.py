"""Look up meanings of functions and arguments, operations that compute the same, and manuals."""

from .store import COMPUTED as COMPUTED
from .store import SHOWN as SHOWN
from .store import Meanings as Meanings
from .store import MeaningsError as MeaningsError
from .store import load as load
