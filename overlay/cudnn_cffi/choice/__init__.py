"""Choose how a computation runs: engines, knobs, timing, and what was chosen before."""

from .build import build as build
from .candidates import Candidates as Candidates
from .candidates import Filters as Filters
from .candidates import candidates as candidates
from .devices import DeviceProperties as DeviceProperties
from .engines import Candidate as Candidate
from .kernels import KernelCache as KernelCache
from .knobs import Knob as Knob
from .memory import CacheInfo as CacheInfo
from .memory import PlanCache as PlanCache
from .memory import no_cache as no_cache
from .memory import plans as plans
from .refusals import Refusal as Refusal
from .tuning import Timing as Timing
from .tuning import Tuned as Tuned
from .tuning import autotune as autotune
