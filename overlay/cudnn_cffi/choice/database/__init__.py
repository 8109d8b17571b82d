"""Times of all engines, recorded on a device: a choice by "time" takes the fastest without timing.

For a graph that is in a database of the same device and release, the words "time" and "time_once"
(and their synonyms, such as "autotune", `cudnn_cffi.benchmark = True`, and `build("autotune")`)
take the fastest recorded engine that the filters of the rule allow and cuDNN builds. Nothing is
timed then. "heuristic" does so where the engine that cuDNN suggests takes more than three times as
long as one that is as exact and as deterministic; see `Case.faster`. `autotune` always times.

The package has databases of some devices. Further files are added by `load`, or by the environment
variable CUDNN_CFFI_ENGINES, separated like PATH; its value 0 turns all databases off.

    import cudnn_cffi as cudnn

    for each in cudnn.choice.database.databases():
        print(each.name, each.release, len(each.cases), each.missed())
    cudnn.choice.database.load("mine.jsonl")

`python -m benchmarks.engines` in a checkout of this package records a device.
"""

from __future__ import annotations

from .reader import Case as Case
from .reader import Database as Database
from .reader import Timed as Timed
from .reader import read as read
from .table import databases as databases
from .table import is_on as is_on
from .table import load as load
from .table import off as off
from .table import unload as unload
