"""What `cudnn_cffi.choice` is to type checkers: a module that can be called."""

from contextlib import AbstractContextManager
from typing import Any

from .build import build as _build
from .candidates import candidates as _candidates
from .devices import DeviceProperties as _DeviceProperties
from .exchange import adopt_tuned as _adopt_tuned
from .exchange import export_tuned as _export_tuned
from .memory import no_cache as _no_cache
from .memory import plans as _plans
from .policy import Engine as _Engine
from .policy import Policy as _Policy
from .policy import Rule as _Rule
from .policy import default_policy as _default_policy
from .policy import scope as _scope
from .policy import set_default as _set_default
from .tuning import autotune as _autotune

class _Choice:
    DeviceProperties = _DeviceProperties
    Engine = _Engine
    Policy = _Policy
    Rule = _Rule
    plans = _plans
    adopt_tuned = staticmethod(_adopt_tuned)
    autotune = staticmethod(_autotune)
    build = staticmethod(_build)
    candidates = staticmethod(_candidates)
    default_policy = staticmethod(_default_policy)
    export_tuned = staticmethod(_export_tuned)
    no_cache = staticmethod(_no_cache)
    scope = staticmethod(_scope)
    set_default = staticmethod(_set_default)
    def __call__(self, value: Any = None, **settings: Any) -> AbstractContextManager[_Policy]: ...

choice: _Choice
