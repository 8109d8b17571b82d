"""cuDNN's handles: what they own, one for each thread, and their scratch memory."""

from .handles import Handle as Handle
from .pool import handle as handle
from .workspace import Workspace as Workspace
