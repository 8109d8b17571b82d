"""Files that are kept for later processes, and warnings that are given once."""

from .store import warn_once as warn_once
