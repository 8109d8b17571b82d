"""Files that are kept for later processes, and warnings of what is kept."""

from .store import warn_once as warn_once
