"""Handles: their stream, device and workspace; one for each thread."""

from .handles import Handle as Handle
from .handles import checked_handle as checked_handle
from .pool import beside as beside
from .pool import handle as handle
from .pool import lasting as lasting
from .pool import limit_of as limit_of
from .workspace import Workspace as Workspace
