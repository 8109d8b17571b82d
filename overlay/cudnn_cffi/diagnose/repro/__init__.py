"""Programs that show what an engine makes of a graph, in Python and in C."""

from .front import Repro as Repro
from .front import repro as repro
