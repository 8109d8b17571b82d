"""Modules that keep state: what their forward changes or draws, and what is called in its place."""

from __future__ import annotations

import random
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import is_
from typing import Any, Protocol, Self, TypeAlias, cast

import torch
from torch import nn
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.nn.modules import module as _module

HOOKS = "it has hooks"

#: Attributes of one kind, by name; a function that is called before or after a module.
_Space: TypeAlias = dict[str, object]
_Hook: TypeAlias = Callable[..., object]
#: A container or an object, and what it contains.
_Content: TypeAlias = tuple[object, tuple[object, ...]]

_HOOK_DICTS = ("_forward_hooks", "_forward_pre_hooks")

#: The key, among the attributes of a shadow, of the module that it is a copy of.
ORIGINAL = "_cudnn_cffi_original"

#: The key, among the attributes of a shadow, of the objects and containers that it has copies of,
#: by the ids of these: pairs of copy and original.
ORIGINALS = "_cudnn_cffi_originals"

#: The key, among the attributes of a shadow, of why its original is run in its place.
REASON = "_cudnn_cffi_reason"

#: Attributes that every module has, which are looked at in other ways.
INTERNAL = frozenset(vars(nn.Module())) | {ORIGINAL, ORIGINALS, REASON}


def hooks_of(module: nn.Module) -> bool:
    """Return whether something is called before or after a module."""
    return bool(module._forward_hooks or module._forward_pre_hooks)


def has_global_hooks() -> bool:
    """Return whether something is called before or after every module."""
    return bool(_module._global_forward_hooks or _module._global_forward_pre_hooks)


def has_global_gradient_hooks() -> bool:
    """Return whether something is called before or after the gradients of every module."""
    return bool(_module._global_backward_hooks or _module._global_backward_pre_hooks)


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
    modes = [(each, each.training) for each in module.modules()]
    if any(mode for _, mode in modes):
        module.eval()  # which some modules do in their own way
    try:
        return module(*args, **kwargs)
    finally:
        for each, mode in modes:
            if each.training is not mode:
                each.training = mode


#: NumPy's generators of random numbers.
_NUMPY = "Generator", "RandomState"

#: Rooms of Python's and PyTorch's whose objects have what a model puts into them.
_HOLDING = ("types", "collections", "torch.distributions")

#: Types of values that contain nothing, which most attributes and elements have.
_LEAVES = frozenset(
    {*(bool, bytes, complex, float, int, str, type(None), torch.device, torch.dtype)}
    | {torch.Tensor, nn.Parameter}
)


def _attributes_of(value: object) -> _Space | None:
    """Return the attributes of an object that is neither a tensor, nor a module, nor a class."""
    if isinstance(value, (type, torch.Tensor, nn.Module)):
        return None
    room = type(value).__module__
    if not room.startswith(_HOLDING):
        top = room.partition(".")[0]
        if top in ("torch", "cudnn_cffi") or top in sys.stdlib_module_names:
            return None
    found = getattr(value, "__dict__", None)
    return found if type(found) is dict else None


def _space_of(value: object) -> _Space | None:
    """Return a dict, or the attributes of an object or a module; None for other values."""
    if isinstance(value, dict):
        return value
    return vars(value) if isinstance(value, nn.Module) else _attributes_of(value)


def _contents(value: object) -> tuple[object, ...] | None:
    """Return what a container or an object contains; None for other values."""
    if isinstance(value, (list, tuple, set, deque)):
        return tuple(value)
    space = _space_of(value)
    return None if space is None else (*space.keys(), *space.values())


def objects_inside(value: object, seen: set[int]) -> Iterator[_Content]:
    """Return containers and objects that a value is, or has, and what each contains."""
    left = [value]
    while left:
        each = left.pop()
        found = None if id(each) in seen else _contents(each)
        if found is not None:
            seen.add(id(each))
            yield each, found
            if not _LEAVES.issuperset(map(type, found)):
                left += [inner for inner in found if type(inner) not in _LEAVES]


def _has(value: object, before: tuple[object, ...]) -> bool:
    """Return whether a container or an object contains what it did before."""
    now = _contents(value) or ()
    return len(now) == len(before) and all(map(is_, now, before))


def _fill(value: object, contents: tuple[object, ...]) -> bool:
    """Give a container or an object its contents; return whether it takes some."""
    if isinstance(value, (list, set, deque)):
        value.clear()
        (value.update if isinstance(value, set) else value.extend)(contents)
        return True
    space = None if isinstance(value, tuple) else _space_of(value)
    if space is None:
        return False
    half = len(contents) // 2
    pairs = zip(contents[:half], contents[half:], strict=True)
    before = dict(cast("Iterator[tuple[str, object]]", pairs))
    # Other threads may read attributes meanwhile; those of a dict have an order.
    for key in list(space) if space is value else space.keys() - before:
        del space[key]
    space.update(before)
    return True


def _spaces(module: nn.Module) -> tuple[_Space, ...]:
    return vars(module), module._buffers, module._parameters


class State:
    """The attributes of modules at one time: plain ones, buffers, and parameters.

    It looks at what lists, dicts, objects and modules that are no submodules have, too.
    """

    def __init__(self, *roots: nn.Module, deep: bool = True, seen: set[int] | None = None) -> None:
        """Remember.

        Args:
            roots: the modules.
            deep: whether modules inside of them are looked at, too.
            seen: by their ids, modules and objects that others look at.
        """
        if seen is None:
            seen = {id(each) for root in roots for each in root.modules()}
        self._saved: list[tuple[str, _Space, _Space, dict[str, list[_Content]]]] = []
        for root in roots:
            for name, module in root.named_modules() if deep else [("", root)]:
                if isinstance(module, torch.jit.ScriptModule) or is_made_anew(module):
                    continue
                for space in _spaces(module):
                    kept = {key: space[key] for key in space if not _is_skipped(key)}
                    inner = {
                        key: list(objects_inside(value, seen))
                        for key, value in kept.items()
                        if type(value) not in _LEAVES
                    }
                    self._saved.append((name, space, kept, inner))

    def _changed(self) -> Iterator[tuple[str, str, _Space, _Space, list[_Content]]]:
        for name, space, kept, inner in self._saved:
            for key in [*kept, *[key for key in space if key not in kept and not _is_skipped(key)]]:
                same = key in kept and key in space and space[key] is kept[key]
                found = inner.get(key, [])
                if not same or not all(_has(own, before) for own, before in found):
                    yield name, key, space, kept, found

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
            for own, before in inner:
                _fill(own, before)
        return first

    def hand_over(self, shadow: nn.Module) -> None:
        """Change the original of a shadow as that was changed, whose state alone this is."""
        own = [id(each[1]) for each in self._saved]
        spaces = dict(zip(own, _spaces(original_of(shadow)), strict=bool(own)))
        copies: dict[int, tuple[object, object]] = vars(shadow).get(ORIGINALS, {})

        def original(value: object) -> object:
            """Return what a value is a copy of; itself where that is the original's, or new."""
            return copies.get(id(value), (value, value))[1]

        for _, key, space, _, found in self._changed():
            for each, before in found:
                if original(each) is not each and not _has(each, before):
                    _fill(original(each), tuple(map(original, _contents(each) or ())))
            if key in space:
                spaces[id(space)][key] = original(space[key])
            else:
                spaces[id(space)].pop(key, None)


def _is_skipped(key: str) -> bool:
    return key in INTERNAL or key.startswith("_tensor_constant")


def tensors_inside(
    value: object, seen: set[int] | None = None, ways: dict[int, tuple[Any, Any]] | None = None
) -> Iterator[tuple[Any, Any]]:
    """Return where containers and objects have what copies of a model share with it.

    That is tensors, modules and generators of random numbers.

    Args:
        value: a container or an object.
        seen: by their ids, containers and dicts that were looked at.
        ways: gets, by the id of each container or dict inside, what has it, and the key.

    Returns: each container or dict, and the key.
    """
    seen = set() if seen is None else seen
    left: list[tuple[Any, Any]] = [(value, None)]
    while left:
        own, place = left.pop()
        if not isinstance(own, (list, tuple, dict, deque)):
            own = _attributes_of(own)
        if own is None or id(own) in seen:
            continue
        seen.add(id(own))
        if place is not None and ways is not None:
            ways[id(own)] = place
        for key, each in list(own.items() if isinstance(own, dict) else enumerate(own)):
            if isinstance(each, (torch.Tensor, nn.Module)) or is_generator(each):
                yield own, key
            elif type(each) not in _LEAVES:
                left.append((each, (own, key)))


def is_generator(value: object) -> bool:
    """Return whether a value draws random numbers."""
    if isinstance(value, (random.Random, torch.Generator)):
        return True
    kind = type(value)
    return kind.__name__ in _NUMPY and kind.__module__.startswith("numpy.random.")


def generators_inside(root: nn.Module) -> Iterator[tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """Return how states of generators on the host, which a model has, are read, and set."""
    modules, seen = {id(root): root}, set[int]()
    left = [root]
    while left:
        for own, key in tensors_inside(vars(left.pop()), seen):
            each = own[key]
            if isinstance(each, nn.Module):
                if id(each) not in modules:
                    modules[id(each)] = each
                    left.append(each)
            elif isinstance(each, random.Random):
                yield each.getstate, each.setstate
            elif isinstance(each, torch.Generator):
                if each.device.type == "cpu":
                    yield each.get_state, each.set_state
            elif is_generator(each):
                bits = each.bit_generator if hasattr(each, "bit_generator") else each._bit_generator
                yield partial(getattr, bits, "state"), partial(setattr, bits, "state")


def wrapped_hooks(hooks: Mapping[int, _Hook], original: nn.Module) -> OrderedDict[int, _Hook]:
    """Return hooks that are called with the original in the place of its shadow."""

    def wrap(hook: _Hook) -> _Hook:
        if is_from_pytorch(hook):  # it sets the weight of the module that it is called with
            return hook

        def call(_: nn.Module, *args: object, **kwargs: object) -> object:
            return hook(original, *args, **kwargs)

        return call

    return OrderedDict((key, wrap(hook)) for key, hook in hooks.items())


#: Number of traces of a model while other threads may draw the numbers.
ATTEMPTS = 3


class Drawing:
    """Sees in a block whether random numbers are drawn, and sets the generators back.

    They are those of the process, so other threads may have drawn. Where one did anything, the
    generators stay as they are: it would draw the same numbers again.

    Attributes:
        why: says that numbers were drawn; "" if none were.
        is_disturbed: whether another thread may have drawn them.
    """

    why = ""
    is_disturbed = False

    def __init__(self, root: nn.Module) -> None:
        """Watch the process's generators, and a model's own."""
        generators: list[tuple[Callable[[], Any], Callable[[Any], object]]] = [
            (random.getstate, random.setstate),
            (torch.get_rng_state, torch.set_rng_state),
            *generators_inside(root),
        ]
        if "numpy" in sys.modules:
            numpy = sys.modules["numpy"].random
            generators.append((numpy.get_state, numpy.set_state))
        if torch.cuda.is_initialized() and not torch.cuda.is_current_stream_capturing():
            generators.append((torch.cuda.get_rng_state, torch.cuda.set_rng_state))
        self._generators = generators

    def __enter__(self) -> Self:
        self._others = _other_threads()  # before the generators, and after them at the end
        with unset_fake_temporarily():
            self._before = [read() for read, _ in self._generators]
        return self

    def __exit__(self, *_: object) -> None:
        with unset_fake_temporarily():
            drawn = [
                (write, state)
                for (read, write), state in zip(self._generators, self._before, strict=True)
                if not _is_same(read(), state)
            ]
            others, self._others = self._others, {}  # frames keep what is in them
            self.is_disturbed = bool(drawn) and others != _other_threads()
            if drawn and not self.is_disturbed:
                self.why = "it draws random numbers while it is traced"
                for write, state in drawn:
                    write(state)
            elif drawn:
                self.why = "it, or another thread, draws random numbers while it is traced"


def _other_threads() -> dict[int, tuple[object, int]]:
    """Return where other threads are; those that are there later, too, have waited in between.

    Or they are in a loop of one line, which is not told from that.
    """
    own = threading.get_ident()
    return {
        thread: (frame, frame.f_lasti)
        for thread, frame in sys._current_frames().items()
        if thread != own
    }


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two states of a generator are equal."""
    if isinstance(one, torch.Tensor):
        return bool(torch.equal(one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other) if not hasattr(one, "tobytes") else one.tobytes() == other.tobytes()
