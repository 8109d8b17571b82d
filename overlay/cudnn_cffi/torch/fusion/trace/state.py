"""Modules that keep state: what their forward changes, and what is called in its place."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from itertools import chain
from operator import is_
from typing import Any, Protocol, TypeAlias

import torch
from torch import nn
from torch.nn.modules import module as _module

HOOKS = "it has hooks"

#: Attributes of one kind, by name; a function that is called before or after a module.
_Space: TypeAlias = dict[str, object]
_Hook: TypeAlias = Callable[..., object]

_HOOK_DICTS = ("_forward_hooks", "_forward_pre_hooks")

#: The key, among the attributes of a shadow, of the module that it is a copy of.
ORIGINAL = "_cudnn_cffi_original"

#: The key, among the attributes of a shadow, of why its original is run in its place.
REASON = "_cudnn_cffi_reason"

#: Attributes that every module has, which are looked at in other ways.
INTERNAL = frozenset(vars(nn.Module())) | {ORIGINAL, REASON}


def hooks_of(module: nn.Module) -> bool:
    """Return whether something is called before or after a module."""
    return bool(module._forward_hooks or module._forward_pre_hooks)


def has_global_hooks() -> bool:
    """Return whether something is called before or after every module."""
    return bool(_module._global_forward_hooks or _module._global_forward_pre_hooks)


def override_of(module: nn.Module) -> str:
    """Return what else a call of a module does than its class says; "" for nothing."""
    if REASON in vars(module):
        return str(vars(module)[REASON])
    if "forward" in vars(module):
        return "its forward was replaced"
    return HOOKS if hooks_of(module) else ""


def is_from_pytorch(hook: object) -> bool:
    """Return whether a hook is one that computes weights, such as that of `weight_norm`."""
    return type(hook).__module__.startswith("torch.nn.utils.")


def foreign_hooks(module: nn.Module) -> bool:
    """Return whether a module has a hook that may do anything."""
    hooks = chain.from_iterable(vars(module)[name].values() for name in _HOOK_DICTS)
    return not all(map(is_from_pytorch, hooks))


def is_made_anew(module: nn.Module) -> bool:
    """Return whether only hooks of PyTorch are called, which make a weight anew for each call."""
    return hooks_of(module) and not foreign_hooks(module)


def original_of(module: nn.Module) -> nn.Module:
    """Return the module that a module is a shadow of; itself if it is none."""
    found: nn.Module = vars(module).get(ORIGINAL, module)
    return found


class Prepared(Protocol):
    """A pipeline of the module `root`."""

    root: nn.Module


def pipeline_of(module: nn.Module) -> Prepared | None:
    """Return the pipeline of a fragment; None for other modules."""
    found: Prepared | None = vars(module).get("pipeline")
    return found


def is_fused(module: nn.Module) -> bool:
    """Return whether a module is a fused model."""
    return "_pipeline" in vars(module)


def is_known(module: nn.Module | None) -> bool:
    """Return whether a module is of PyTorch or this package, and keeps no state in eval mode."""
    return type(module).__module__.startswith(
        ("torch.nn.modules.", "cudnn_cffi.torch.modules.")
    ) and not (override_of(module))


def is_own(module: nn.Module | None, name: str) -> bool:
    """Return whether a module is PyTorch's of that name, or this package's counterpart."""
    kind = type(module)
    if kind.__name__ != name:
        return False
    return kind is getattr(nn, name, None) or kind.__module__.startswith("cudnn_cffi.torch.")


def run_in_eval(module: nn.Module, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    """Call a module in eval mode, and set it back to its mode."""
    training = [each for each in module.modules() if each.training]
    for each in training:
        each.training = False
    try:
        return module(*args, **kwargs)
    finally:
        for each in training:
            each.training = True


def _contents(value: object) -> tuple[object, ...]:
    if isinstance(value, (list, tuple, set, deque)):
        return tuple(value)
    if isinstance(value, dict):
        return (*value.keys(), *value.values())
    return ()


def _same(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    return len(first) == len(second) and all(map(is_, first, second))


def _fill(value: object, contents: tuple[object, ...]) -> None:
    """Give a container its contents."""
    if isinstance(value, dict):
        half = len(contents) // 2
        pairs = list(zip(contents[:half], contents[half:], strict=True))
        value.clear()
        value.update(pairs)
    elif isinstance(value, (list, set, deque)):
        value.clear()
        (value.update if isinstance(value, set) else value.extend)(contents)


def _spaces(module: nn.Module) -> tuple[_Space, ...]:
    return vars(module), module._buffers, module._parameters


class State:
    """The attributes of modules at one time: plain ones, buffers, and parameters."""

    def __init__(self, *roots: nn.Module, deep: bool = True) -> None:
        """Remember.

        Args:
            roots: the modules.
            deep: whether modules inside of them are looked at, too.
        """
        self._saved: list[tuple[str, _Space, _Space, dict[str, tuple[object, ...]]]] = []
        for root in roots:
            for name, module in root.named_modules() if deep else [("", root)]:
                if isinstance(module, torch.jit.ScriptModule) or is_made_anew(module):
                    continue
                for space in _spaces(module):
                    kept = {key: space[key] for key in space if not _is_skipped(key)}
                    inner = {key: found for key, v in kept.items() if (found := _contents(v))}
                    self._saved.append((name, space, kept, inner))

    def _changed(self) -> Iterator[tuple[str, str, _Space, _Space, tuple[object, ...]]]:
        for name, space, kept, inner in self._saved:
            for key in [*kept, *[key for key in space if key not in kept and not _is_skipped(key)]]:
                same = key in kept and key in space and space[key] is kept[key]
                if not same or not _same(_contents(space[key]), inner.get(key, ())):
                    yield name, key, space, kept, inner.get(key, ())

    def change(self) -> tuple[str, str] | None:
        """Return the module and attribute of the first change; None if there is none."""
        for name, key, *_ in self._changed():
            return name, key
        return None

    def restore(self) -> tuple[str, str] | None:
        """Undo all changes, and return the first one; None if there is none."""
        first = None
        for name, key, space, kept, inner in self._changed():
            first = first or (name, key)
            if key not in kept:
                del space[key]
                continue
            space[key] = kept[key]
            _fill(kept[key], inner)
        return first

    def hand_over(self, other: nn.Module) -> None:
        """Change another module in the same way; only for the state of a single module."""
        own = [id(each[1]) for each in self._saved]
        spaces = dict(zip(own, _spaces(other), strict=bool(own)))
        for _, key, space, _, _ in self._changed():
            target = spaces[id(space)]
            if key not in space:
                target.pop(key, None)
            elif type(space[key]) is type(target.get(key)) and _contents(space[key]):
                _fill(target[key], _contents(space[key]))
            else:
                target[key] = space[key]


def _is_skipped(key: str) -> bool:
    return key in INTERNAL or key.startswith("_tensor_constant")


def tensors_inside(
    value: object, seen: set[int] | None = None
) -> Iterator[tuple[MutableMapping[Any, Any] | list[Any], Any]]:
    """Return where lists, tuples and dicts among attributes have tensors: container and key."""
    seen = set() if seen is None else seen
    if not isinstance(value, (list, tuple, dict)) or id(value) in seen:
        return
    seen.add(id(value))
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in pairs:
        if isinstance(each, torch.Tensor):
            yield value, key  # type: ignore[misc]
        else:
            yield from tensors_inside(each, seen)


def wrapped_hooks(hooks: Mapping[int, _Hook], original: nn.Module) -> OrderedDict[int, _Hook]:
    """Return hooks that are called with the original in the place of its shadow."""

    def wrap(hook: _Hook) -> _Hook:
        if is_from_pytorch(hook):  # it sets the weight of the module that it is called with
            return hook

        def call(_: nn.Module, *args: object, **kwargs: object) -> object:
            return hook(original, *args, **kwargs)

        return call

    return OrderedDict((key, wrap(hook)) for key, hook in hooks.items())
