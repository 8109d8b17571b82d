"""Choose how a computation runs: engines, knobs, timing, and what was chosen before.

The module can be called: `with cudnn_cffi.choice("deterministic"):` has operations computed so
while the block runs; see `scope`.
"""

from __future__ import annotations

from .._advice import Module as _Module
from .._advice import equip as _equip
from . import database as database
from .build import build as build
from .candidates import Candidates as Candidates
from .candidates import candidates as candidates
from .device.properties import DeviceProperties as DeviceProperties
from .engine.engines import Candidate as Candidate
from .engine.kernel_cache import KernelCache as KernelCache
from .engine.knobs import Knob as Knob
from .engine.refusals import Refusal as Refusal
from .filters import Filters as Filters
from .policy import Engine as Engine
from .policy import Policy as Policy
from .policy import Rule as Rule
from .policy import default_policy as default_policy
from .policy import scope as scope
from .policy import set_default as set_default
from .store.choices import Choice as Choice
from .store.choices import Choices as Choices
from .store.choices import choices as choices
from .store.choices import forget as forget
from .store.files import adopt as adopt
from .store.files import export as export
from .store.files import load as load
from .store.files import merge as merge
from .store.files import save as save
from .store.plan_cache import CacheInfo as CacheInfo
from .store.plan_cache import PlanCache as PlanCache
from .store.plan_cache import no_cache as no_cache
from .store.plan_cache import plans as plans
from .tune.autotune import Tuned as Tuned
from .tune.autotune import autotune as autotune
from .tune.trials import Timing as Timing

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
