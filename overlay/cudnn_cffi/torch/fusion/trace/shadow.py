"""A copy of a model that shares its tensors, which can be in eval mode and be taken apart."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence, Sized
from itertools import chain, repeat
from operator import attrgetter, is_
from typing import Any, NamedTuple, Self, TypeAlias

import torch
from torch import Tensor, nn

from .... import errors
from ...._call.layer import get_compiled
from ...._support import fork
from .state import (
    INTERNAL,
    ORIGINAL,
    ORIGINALS,
    hooks_of,
    is_generator,
    is_known,
    is_made_anew,
    objects_inside,
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


class Wrapper(nn.Module):
    """A module around a model, with its parameters, buffers, modules and state.

    Attributes:
        original: the model.
        settings: see `fuse`.
    """

    def __init__(self, model: nn.Module, settings: object) -> None:
        super().__init__()
        self._wrap(model, settings)

    def _wrap(self, model: nn.Module, settings: object) -> None:
        own = self.__dict__
        own["original"], own["settings"], own["_lock"] = model, settings, fork.lock()
        # The dictionaries are the model's, so that its tensors may be moved and replaced.
        for name in ("_parameters", "_buffers", "_modules"):
            own[name] = getattr(model, name)
        self._begin()

    def _begin(self) -> None:
        """Prepare anew."""
        raise NotImplementedError

    def _uncompiled(self, *args: Any, **kwargs: Any) -> Any:
        """Call it where `torch.compile` traces nothing: it would trace the preparation, too."""
        if not _disabled:  # earlier, it would import Dynamo with all modules, for a second
            _disabled.append(torch.compiler.disable(_called))
        return _disabled[0](self, args, kwargs)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        self.original._apply(fn, recurse)
        return self

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return that of the model."""
        return self.original.state_dict(*args, **kwargs)

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Load into the model."""
        return self.original.load_state_dict(*args, **kwargs)

    def _replicate_for_data_parallel(self) -> Any:
        raise errors.NotSupportedError(
            "a fused model has no replicas for DataParallel",
            hint="DataParallel(fused.original), or in training DistributedDataParallel(fused)",
        )

    def __getstate__(self) -> dict[str, object]:
        return {"original": self.original, "settings": self.settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        nn.Module.__init__(self)
        self._wrap(state["original"], state["settings"])


#: `_called` as Dynamo leaves it alone, once that was needed.
_disabled: list[Callable[..., Any]] = []


def _called(model: nn.Module, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    return model.forward(*args, **kwargs)


def to_shadow(model: nn.Module) -> nn.Module:
    """Return a copy of a model in eval mode, which shares each tensor with it.

    It also shares generators, and modules that are no submodules, such as those in a list.

    Raises:
        ArgumentError: the model cannot be copied, or is lazy and has no parameters yet.
    """
    check_parameters(model)
    memo: dict[int, object] = {}
    modules = list(model.modules())
    copied = {id(each) for each in modules if not isinstance(each, torch.jit.ScriptModule)}
    memo.update([(id(each), each) for each in modules if id(each) not in copied])
    seen: set[int] = set()
    for module in modules:
        if id(module) not in copied:
            continue
        for own, key in tensors_inside(vars(module), seen):
            if id(own[key]) not in copied:
                memo[id(own[key])] = own[key]
    try:
        made = copy.deepcopy(model, memo)
    except Exception as error:
        raise errors.ArgumentError(
            f"model: {type(model).__name__} cannot be copied: {error}"
        ) from error
    inside = [(memo.get(id(each), each), each) for each, _ in objects_inside(model, set())]
    originals = {id(made): (made, each) for made, each in inside if made is not each}
    for module in modules:
        shadow = memo.get(id(module))
        if shadow is None or isinstance(module, torch.jit.ScriptModule):
            continue
        own = vars(shadow)
        own[ORIGINAL], own[ORIGINALS] = module, originals
        # A buffer that forward replaces is that of the model, too.
        own["_parameters"], own["_buffers"] = module._parameters, module._buffers
        if hooks_of(module):
            for name in ("_forward_hooks", "_forward_pre_hooks"):
                own[name] = wrapped_hooks(getattr(module, name), module)
    made.eval()
    return made


_Dict: TypeAlias = dict[str, object]

_forward = attrgetter("forward")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")

#: The buffer of a norm that inference does not read.
_COUNTER = "num_batches_tracked"


def _is_same_in_python(
    dicts: Sequence[_Dict],
    values: Sequence[object],
    objects: Sequence[object],
    types: Sequence[type],
    spaces: Sequence[_Dict],
    name: str,
    empty: Sequence[object],
) -> bool:
    """Return whether dicts have these values, objects these types, and others nothing.

    Args:
        dicts, values: the dicts, and all of their values in order.
        objects, types: the objects, and the type of each.
        spaces, name: dicts, and what none of them has.
        empty: dicts that have nothing.
    """
    found = list(chain.from_iterable(map(dict.values, dicts)))
    return (
        len(found) == len(values)
        and all(map(is_, found, values))
        and all(map(is_, map(type, objects), types))
        and not any(empty)
        and not any(map(dict.__contains__, spaces, repeat(name)))
    )


def _places(tensors: Sequence[Tensor], _: object = None) -> tuple[object, ...]:
    """Return the addresses, strides, shapes and data types of tensors."""
    return (
        *map(torch.Tensor.data_ptr, tensors), *map(torch.Tensor.stride, tensors),
        *map(torch.Tensor.size, tensors), *[each.dtype for each in tensors],
    )  # fmt: skip


_native: Any = get_compiled("cudnn_cffi_node_type")
_TABLE: object = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
_is_same = _is_same_in_python if _native is None else _native._is_same


class _Place(NamedTuple):
    """Where a module has a tensor, a module that is no submodule, or a container of such."""

    owner: nn.Module
    space: Any  # a dict, or a list
    name: object
    value: object


#: A container of a module, and how many elements it has.
_Sized: TypeAlias = tuple[nn.Module, Sized, int]


def _find_places(modules: Sequence[nn.Module]) -> tuple[list[_Place], list[_Sized]]:
    """Return the places of tensors and modules among the attributes of modules, and containers."""
    places: dict[tuple[int, object], _Place] = {}
    containers: list[_Sized] = []
    for module in modules:
        if is_made_anew(module):
            continue
        for name, value in vars(module).items():
            if name in INTERNAL:
                continue
            ways: dict[int, tuple[Any, Any]] = {}
            inside = list(tensors_inside(value, ways=ways))
            own = [value] if isinstance(value, (list, dict)) and not is_known(module) else []
            own += [each for each, _ in inside]
            if not (own or isinstance(value, (torch.Tensor, nn.Module)) or is_generator(value)):
                continue
            containers += [(module, each, len(each)) for each in own]
            for space, _ in tuple(inside):
                while id(space) in ways:  # objects on the way may be replaced, too
                    space, key = ways.pop(id(space))
                    inside.append((space, key))
            for space, key in (*inside, (vars(module), name)):
                places.setdefault((id(space), key), _Place(module, space, key, space[key]))
    return [*places.values()], containers


class Watch:
    """Notices that a model has other tensors, modules, hooks, or another `forward` than before.

    Slices of a tensor at its address are others, too. It does not look at numbers: those are read
    anew by each call.
    """

    def __init__(self, model: nn.Module) -> None:
        """Remember what there is."""
        modules = [each for each in model.modules() if not isinstance(each, torch.jit.ScriptModule)]
        for each in modules:
            if isinstance(each, nn.RNNBase):
                each._update_flat_weights()  # as copies have it do, which may move its weights
        self.but: set[nn.Module] = set()  # whose tensors may be replaced
        dicts = [
            (each, own, tuple(own.values()))
            for each in modules
            for own in (each._parameters, each._buffers)
        ]
        places, containers = _find_places(modules)
        self._children = tuple([each._modules for each in modules])
        self._inside = tuple(chain.from_iterable(map(dict.values, self._children)))
        self._modules = tuple(modules)
        self._classes = tuple(map(type, modules))
        self._kinds = list(set(self._classes))
        self._functions = list(map(_forward, self._kinds))
        spaces = [each.__dict__ for each in modules]
        self._spaces = tuple([each for each in spaces if "forward" not in each])
        self._replaced = [(each, each["forward"]) for each in spaces if "forward" in each]
        hooks = [own[name] for own in spaces for name in _HOOKS]
        self._hookless = tuple([each for each in hooks if not each])
        self._hooked = [(each, list(each.items())) for each in hooks if each]
        tensors = [
            *[(each, v) for each, own, _ in dicts for name, v in own.items() if name != _COUNTER],
            *[(each.owner, each.value) for each in places],
        ]
        tensors = [each for each in tensors if isinstance(each[1], torch.Tensor)]
        self._read: Any = _places
        if _native is not None and _TABLE is not None:
            every = tuple([each for _, each in tensors])
            if _native._places(every, _TABLE) is not None:  # a class of tensors may have no address
                self._read = _native._places
        located = [(*each, self._read((each[1],), _TABLE)) for each in tensors]
        self._arrange(dicts, places, containers, located)

    def _arrange(
        self,
        dicts: list[tuple[nn.Module, _Dict, tuple[object, ...]]],
        places: list[_Place],
        containers: list[_Sized],
        located: list[tuple[nn.Module, Tensor, Any]],
    ) -> None:
        """Put what is compared into lists, which is fast."""
        self._all = dicts, places, containers, located
        self._dicts = (*[own for _, own, _ in dicts], *self._children)
        self._values = (*chain.from_iterable([each for *_, each in dicts]), *self._inside)
        self._others = [(each.space, each.name) for each in places], [each.value for each in places]
        self._lengths = [each for _, each, _ in containers], [each for *_, each in containers]
        self._tensors = tuple([each for _, each, _ in located])
        found = [each for *_, each in located]
        if self._read is _places:
            self._found: object = tuple(chain.from_iterable(zip(*found, strict=True)))
        else:
            self._found = b"".join(found)
        # Keeps alive what programs read, until a check has noticed that the model dropped it.
        self.memory = [each.detach() for each in self._tensors]

    def without(self, modules: set[nn.Module]) -> Watch:
        """Return one that does not look at the tensors of some modules."""
        made = copy.copy(self)
        made.but = self.but | modules
        lists: Any = [[each for each in some if each[0] not in modules] for some in self._all]
        made._arrange(*lists)
        return made

    def changes(self) -> bool:
        """Return whether something changed since this was made."""
        places, values = self._others
        containers, lengths = self._lengths
        try:
            found = [space[name] for space, name in places]
        except (KeyError, IndexError):
            return True
        return not (
            _is_same(
                *(self._dicts, self._values, self._modules, self._classes, self._spaces),
                *("forward", self._hookless),
            )
            and self._read(self._tensors, _TABLE) == self._found
            and all(map(is_, found, values))
            and list(map(_forward, self._kinds)) == self._functions
            and all(own.get("forward") is before for own, before in self._replaced)
            and all(list(each.items()) == before for each, before in self._hooked)
            and list(map(len, containers)) == lengths
        )
