"""Choose how a computation runs: engines, knobs, timing, and what was chosen before.

The module can be called: `with cudnn_cffi.choice("deterministic"):` has operations computed so
while the block runs; see `scope`.
"""

from __future__ import annotations

from .._words import Module as _Module
from .._words import equip as _equip
from .bench import Timing as Timing
from .book import Choice as Choice
from .book import Choices as Choices
from .book import choices as choices
from .book import forget as forget
from .build import build as build
from .candidates import Candidates as Candidates
from .candidates import Filters as Filters
from .candidates import candidates as candidates
from .devices import DeviceProperties as DeviceProperties
from .engines import Candidate as Candidate
from .files import adopt as adopt
from .files import export as export
from .files import load as load
from .files import merge as merge
from .files import save as save
from .kernels import KernelCache as KernelCache
from .knobs import Knob as Knob
from .memory import CacheInfo as CacheInfo
from .memory import PlanCache as PlanCache
from .memory import no_cache as no_cache
from .memory import plans as plans
from .policy import Engine as Engine
from .policy import Policy as Policy
from .policy import Rule as Rule
from .policy import default_policy as default_policy
from .policy import scope as scope
from .policy import set_default as set_default
from .refusals import Refusal as Refusal
from .tuning import Tuned as Tuned
from .tuning import autotune as autotune

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Unpack

    from .policy import ChoiceSettings as ChoiceSettings
    from .policy import Choose as Choose


class _Callable(_Module):
    """This module, which stands for `scope` where it is called."""

    def __call__(
        self, value: Choose = None, **settings: Unpack[ChoiceSettings]
    ) -> AbstractContextManager[Policy]:
        return scope(value, **settings)


_equip(__name__, _Callable)
