"""The module `cudnn_cffi.choice`, which can be called, for type checkers."""

from contextlib import AbstractContextManager
from typing import Unpack

from .build import build as _build
from .candidates import candidates as _candidates
from .device.properties import DeviceProperties as _DeviceProperties
from .policy import ChoiceSettings, Choose
from .policy import Engine as _Engine
from .policy import Policy as _Policy
from .policy import Rule as _Rule
from .policy import default_policy as _default_policy
from .policy import scope as _scope
from .policy import set_default as _set_default
from .store.choices import Choice as _Choice_
from .store.choices import Choices as _Choices
from .store.choices import choices as _choices
from .store.choices import forget as _forget
from .store.files import adopt as _adopt
from .store.files import export as _export
from .store.files import load as _load
from .store.files import merge as _merge
from .store.files import save as _save
from .store.plan_cache import no_cache as _no_cache
from .store.plan_cache import plans as _plans
from .tune.autotune import autotune as _autotune

class _Choice:
    Choice = _Choice_
    Choices = _Choices
    DeviceProperties = _DeviceProperties
    Engine = _Engine
    Policy = _Policy
    Rule = _Rule
    plans = _plans
    adopt = staticmethod(_adopt)
    autotune = staticmethod(_autotune)
    build = staticmethod(_build)
    candidates = staticmethod(_candidates)
    choices = staticmethod(_choices)
    default_policy = staticmethod(_default_policy)
    export = staticmethod(_export)
    forget = staticmethod(_forget)
    load = staticmethod(_load)
    merge = staticmethod(_merge)
    no_cache = staticmethod(_no_cache)
    save = staticmethod(_save)
    scope = staticmethod(_scope)
    set_default = staticmethod(_set_default)
    def __call__(
        self, value: Choose = None, **settings: Unpack[ChoiceSettings]
    ) -> AbstractContextManager[_Policy]: ...

choice: _Choice
