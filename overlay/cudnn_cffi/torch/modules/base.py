"""The base of all modules: a layer, which is made anew if an option changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

import torch
from torch import Tensor, nn

from ... import errors
from ...choice.policy import Policy, to_policy
from .. import fallback
from ..autograd.sharing import is_dynamo
from ..autograd.states import is_eager, is_empty
from ..autograd.switches import is_grad_on, traced
from ..fallback import Fallback, Owner


def on_gpu(x: Tensor) -> bool:
    """Return whether a tensor is where cuDNN can compute it."""
    return bool(x.is_cuda)


def is_plain(x: Tensor) -> bool:
    """Return whether a tensor is on a GPU, and neither traced nor wrapped."""
    return on_gpu(x) and is_eager(x)


def is_traceable(x: Tensor) -> bool:
    """Return whether a tensor is on a GPU, and an operator can compute it where it is traced."""
    transforms = torch._C._are_functorch_transforms_active() and not is_dynamo()
    return on_gpu(x) and not transforms and torch.autograd.forward_ad._current_level < 0


if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ...choice.policy_words import Pick

    _Module: TypeAlias = nn.Module  # each module derives from PyTorch's of its name, too
else:
    _Module = object

LayerT = TypeVar("LayerT")

#: The modules of this package by PyTorch's of their names.
COUNTERPARTS: dict[type, type[Cudnn]] = {}

#: The modules of this package by their names.
CLASSES: dict[str, type[Cudnn]] = {}


class Cudnn(_Module):
    """Base of the modules: the choice of this module, and its fallback on PyTorch.

    PyTorch computes what cuDNN does not, such as tensors on the CPU,
    unless a choice names how to compute: then that is an error.

    Attributes:
        choose: how this module is computed: what `choose=` takes; see `cudnn_cffi.choice`.
        fallback: what happens where PyTorch would compute: "warn" (once, if cuDNN refuses),
            "silent", or "error"; None for what `modules.fallback` says for the process.
    """

    choose: Choose = None
    fallback: Fallback | None = None

    #: Its name in the model that it is in, as far as that is known.
    _path: str = ""
    _known_owner: Owner | None = None

    #: The attributes that PyTorch's module of the name does not have.
    _own: ClassVar[tuple[str, ...]] = ("choose", "fallback", "_layer", "_path", "_known_owner")

    #: The attributes that decide what is computed.
    _decides: ClassVar[frozenset[str]] = frozenset()

    _layer: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.__module__.startswith(f"{__package__}."):
            return
        CLASSES.setdefault(cls.__name__, cls)
        theirs = getattr(nn, cls.__name__, None)
        if theirs and issubclass(cls, theirs):
            COUNTERPARTS[theirs] = cls

    def __setattr__(self, name: str, value: Tensor) -> None:
        if name == "choose" or name == "fallback":
            if name == "choose":
                to_policy(value)
            elif value is not None:
                fallback.check(value)
            self._forget()
        elif name in self._decides:
            self.__dict__.pop("_layer", None)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._forget()
        super().__delattr__(name)

    def _forget(self) -> None:
        """Forget the layers, and that a warning was given."""
        self.__dict__.pop("_layer", None)
        self.__dict__.pop("_known_owner", None)

    def _name_as(self, path: str) -> None:
        """Set the name in a model, for messages."""
        self._forget()
        self.__dict__["_path"] = path

    def _owner(self) -> Owner:
        """Return how layers know this module."""
        found = self._known_owner
        if found is None:
            kind = type(self).__name__
            found = Owner(f"{self._path} ({kind})" if self._path else kind, self.fallback)
            self.__dict__["_known_owner"] = found
        return found

    def _terms(self) -> dict[str, Any]:
        """Return what layers get besides their options."""
        return {"choose": self.choose, "owner": self._owner()}

    def _sections(self, section: str, given: tuple[Tensor, ...]) -> tuple[str, ...]:
        """Return the sections of what PyTorch computes in place of cuDNN: the gradients, too."""
        if section != "forward" or not is_grad_on():
            return (section,)
        data = ("data",) if any(each.requires_grad for each in given) else ()
        own = any(each.requires_grad for each in self.parameters(recurse=False))
        return (section, *data, *(("filter",) if own else ()))

    def _leave(
        self, why: str, *given: Tensor, section: str = "forward", algorithms: bool = False
    ) -> None:
        """Let PyTorch compute calls that cuDNN is not asked for, or raise; see `fallback.leave`.

        Args:
            why: cuDNN is not asked.
            given: the tensors.
            section, algorithms: as for `fallback.named`.
        """
        elsewhere = not on_gpu(given[0])
        if is_dynamo() or is_empty(given) or given[0].is_meta:
            return
        choice = fallback.named(self.choose, self._sections(section, given), algorithms)
        why = f"the tensor is on {given[0].device}" if elsewhere else why
        fallback.leave(self._owner(), choice, why, is_elsewhere=elsewhere)

    def _refuse(
        self, error: errors.CudnnError, *given: Tensor, section: str = "forward",
        algorithms: bool = False,
    ) -> None:  # fmt: skip
        """Let PyTorch compute calls that cuDNN refuses, or raise; see `fallback.refuse`."""
        if traced():
            raise error  # TorchScript's tracer ends the process if it goes on after an error
        if is_dynamo() or is_empty(given):
            return
        choice = fallback.named(self.choose, self._sections(section, given), algorithms)
        owner = self._owner()
        owner.warn(fallback.refuse(owner, choice, error))

    def _make(self, cls: Callable[..., LayerT], *options: object) -> LayerT:
        """Return a layer of a class, which is kept."""
        return self._remember(cls(*options, choose=self.choose, owner=self._owner()))

    def _remember(self, layer: LayerT) -> LayerT:
        """Keep a layer, or several by keys, and return it."""
        self.__dict__["_layer"] = layer
        original = self.__dict__.get("_original")
        if original is not None:
            original.__dict__["_layer"] = layer
        return layer

    def _replicate_for_data_parallel(self) -> nn.Module:
        """Return a copy for another device; its layers are found again by the next copy."""
        replica = super()._replicate_for_data_parallel()
        replica.__dict__["_original"] = self
        return replica

    def _kept(self, key: object, make: Callable[[], LayerT]) -> LayerT:
        """Return a layer, one for each key."""
        layers: Any = self.__dict__.get("_layer")
        if layers is None:
            layers = self._remember({})
        found: LayerT | None = layers.get(key)
        if found is None:
            found = layers[key] = make()
        return found

    def _weight_and_bias(self) -> tuple[Tensor, Tensor]:
        """Return both parameters; they are read where they are: attributes of modules take long."""
        parameters = self._parameters
        if "weight" in parameters and "bias" in parameters:
            return parameters["weight"], parameters["bias"]
        return self.weight, self.bias  # they are computed, by a parametrization for example

    def _statistics(self) -> tuple[Tensor | None, Tensor | None]:
        """Return the running mean and variance, which may be attributes as weights may."""
        buffers = self._buffers
        if "running_mean" in buffers and "running_var" in buffers:
            return buffers["running_mean"], buffers["running_var"]
        return self.running_mean, self.running_var

    def set_mode(
        self, forward: Pick | None = None, data: Pick | None = None, filter: Pick | None = None
    ) -> Self:
        """Choose how this module is computed, forward and for each gradient.

        Args:
            forward, data, filter: a pick as for `choose`, or None for what holds elsewhere.

        Returns: the module.
        """
        self.choose = Policy.of(forward=forward, data=data, filter=filter)
        return self

    def reset_mode(self) -> Self:
        """Forget the choice of this module, and return it."""
        self.choose = None
        return self

    @property
    def refused(self) -> dict[tuple[object, ...], str]:
        """Return what was computed by PyTorch, and why, by kinds of arrays."""
        layers = self.__dict__.get("_layer")
        if layers is None:
            return {}
        found: dict[tuple[object, ...], str] = {}
        open_ = list(layers.values()) if isinstance(layers, dict) else [layers]
        while open_:
            layer = open_.pop()
            found.update(layer.refused)
            open_ += layer.parts.values()  # the gradients
        return found

    def _get_name(self) -> str:
        return f"cudnn.{type(self).__name__}"

    def extra_repr(self) -> str:
        """Return the options, and the choice."""
        text: str = super().extra_repr()
        if self.choose is None:
            return text
        return f"{text}{', ' if text else ''}choose={str(self.choose)!r}"
