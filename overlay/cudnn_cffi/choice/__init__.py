"""Choose how a computation runs: engines, knobs, timing, and what was chosen before."""

from .candidates import Candidates as Candidates
from .candidates import Filters as Filters
from .candidates import candidates as candidates
from .devices import DeviceProperties as DeviceProperties
from .engines import Candidate as Candidate
from .knobs import Knob as Knob
from .refusals import Refusal as Refusal
