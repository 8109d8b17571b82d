"""A copy of a model that shares its tensors, which can be in eval mode and be taken apart."""

from __future__ import annotations

import copy
from itertools import chain, repeat
from operator import attrgetter, getitem, is_
from typing import Any, NamedTuple

import torch
from torch import nn

from ... import errors
from .state import (
    INTERNAL,
    ORIGINAL,
    hooks_of,
    is_known,
    is_made_anew,
    tensors_inside,
    wrapped_hooks,
)


def check_parameters(model: nn.Module) -> None:
    """Refuse a model whose lazy modules have no parameters yet.

    Raises:
        ArgumentError: it says which module.
    """
    for name, module in model.named_modules():
        for each in (*module._parameters.values(), *module._buffers.values()):
            if isinstance(each, nn.parameter.UninitializedTensorMixin):
                raise errors.ArgumentError(
                    f"model: {name or 'it'} has no parameters yet, as it is lazy",
                    hint="call the model once before",
                )


def to_shadow(model: nn.Module) -> nn.Module:
    """Return a copy of a model in eval mode, which shares each tensor with it.

    Raises:
        ArgumentError: the model cannot be copied, or is lazy and has no parameters yet.
    """
    check_parameters(model)
    memo: dict[int, Any] = {}
    modules = list(model.modules())
    for module in modules:
        if isinstance(module, torch.jit.ScriptModule):
            memo[id(module)] = module
            continue
        for tensor in (*module._parameters.values(), *module._buffers.values()):
            if tensor is not None:
                memo[id(tensor)] = tensor
        for value in vars(module).values():
            if isinstance(value, torch.Tensor):
                memo[id(value)] = value
            for own, key in tensors_inside(value):
                memo[id(own[key])] = own[key]
    try:
        made = copy.deepcopy(model, memo)
    except Exception as error:
        raise errors.ArgumentError(
            f"model: {type(model).__name__} cannot be copied: {error}"
        ) from error
    for module in modules:
        shadow = memo.get(id(module))
        if shadow is None or isinstance(module, torch.jit.ScriptModule):
            continue
        own = vars(shadow)
        own[ORIGINAL] = module
        # A buffer that forward replaces is that of the model, too.
        own["_parameters"], own["_buffers"] = module._parameters, module._buffers
        if hooks_of(module):
            for name in ("_forward_hooks", "_forward_pre_hooks"):
                own[name] = wrapped_hooks(getattr(module, name), module)
    made.eval()
    return made


_address = torch.Tensor.data_ptr
_stride = torch.Tensor.stride
_forward = attrgetter("forward")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")


class _Place(NamedTuple):
    """Where a module has a tensor, or a container of tensors, or nothing yet."""

    owner: nn.Module
    space: Any
    name: Any
    value: Any
    address: int
    strides: tuple[int, ...]

    @classmethod
    def of(cls, owner: nn.Module, space: Any, name: Any) -> _Place:
        value = space[name]
        if not isinstance(value, torch.Tensor):
            return cls(owner, space, name, value, 0, ())
        return cls(owner, space, name, value, value.data_ptr(), value.stride())


class Watch:
    """Notices that a model has other tensors, modules, hooks, or another `forward` than before.

    It does not look at numbers: those are read anew by each call.
    """

    def __init__(self, model: nn.Module) -> None:
        """Remember what there is."""
        modules = [each for each in model.modules() if not isinstance(each, torch.jit.ScriptModule)]
        self.but: set[nn.Module] = set()  # whose tensors may be replaced
        places: list[_Place] = []
        containers: list[tuple[nn.Module, Any, int]] = []
        for module in modules:
            for space in (module._parameters, module._buffers):
                names = [name for name in space if name != "num_batches_tracked"]
                places += [_Place.of(module, space, name) for name in names]
            for name, value in vars(module).items():
                if name in INTERNAL or is_made_anew(module):
                    continue
                if isinstance(value, torch.Tensor):
                    places.append(_Place.of(module, vars(module), name))
                elif isinstance(value, (list, tuple, dict)):
                    inside = list(tensors_inside(value))
                    if inside or (not isinstance(value, tuple) and not is_known(module)):
                        containers += [
                            (module, each, len(each))
                            for each in (value, *[own for own, _ in inside])
                        ]
                        inside.append((vars(module), name))
                        places += [_Place.of(module, *each) for each in inside]
        self._arrange(places, containers)
        self._modules = modules
        self._classes = list(map(type, modules))
        self._kinds = list(set(self._classes))
        self._functions = list(map(_forward, self._kinds))
        spaces = [each.__dict__ for each in modules]
        self._spaces = [each for each in spaces if "forward" not in each]
        self._replaced = [(each, each["forward"]) for each in spaces if "forward" in each]
        self._parents = [each._modules for each in modules if each._modules]
        self._children = list(chain.from_iterable(map(dict.values, self._parents)))
        hooks = [own[name] for own in spaces for name in _HOOKS]
        self._hookless = [each for each in hooks if not each]
        self._hooked = [(each, list(each.items())) for each in hooks if each]

    def _arrange(self, places: list[_Place], containers: list[tuple[nn.Module, Any, int]]) -> None:
        """Put what is compared into lists, which is fast."""
        self._places, self._containers = places, [each for _, each, _ in containers]
        self._counted, self._lengths = containers, [length for *_, length in containers]
        self._spaces_of = [each.space for each in places]
        self._names = [each.name for each in places]
        self._values = [each.value for each in places]
        tensors = [each for each in places if isinstance(each.value, torch.Tensor)]
        self._tensors = [each.value for each in tensors]
        # Keeps alive what programs read, until a check has noticed that the model dropped it.
        self.memory = [each.detach() for each in self._tensors]
        self._addresses = [each.address for each in tensors]
        wide = [each for each in tensors if len(each.strides) > 1]
        self._wide = [each.value for each in wide]
        self._strides = [each.strides for each in wide]

    def without(self, modules: set[nn.Module]) -> Watch:
        """Return one that does not look at the tensors of some modules."""
        made = copy.copy(self)
        made.but = self.but | modules
        made._arrange(
            [each for each in self._places if each.owner not in modules],
            [each for each in self._counted if each[0] not in modules],
        )
        return made

    def changes(self) -> bool:
        """Return whether something changed since this was made."""
        try:
            values = list(map(getitem, self._spaces_of, self._names))
        except (KeyError, IndexError):
            return True
        return not (
            all(map(is_, values, self._values))
            and list(map(_address, self._tensors)) == self._addresses
            and list(map(_stride, self._wide)) == self._strides
            and list(map(type, self._modules)) == self._classes
            and list(map(_forward, self._kinds)) == self._functions
            and not any(map(dict.__contains__, self._spaces, repeat("forward")))
            and all(own.get("forward") is before for own, before in self._replaced)
            and list(chain.from_iterable(map(dict.values, self._parents))) == self._children
            and not any(self._hookless)
            and all(list(each.items()) == before for each, before in self._hooked)
            and list(map(len, self._containers)) == self._lengths
        )
