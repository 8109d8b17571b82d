"""A step of training, as one CUDA graph where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim import optimizer as optim

from .... import errors
from ...._support import fork
from ...._support.arguments import reals
from ...._support.recent import Recent
from ....choice import policy
from ...autograd import switches
from ...captures import are_apart, capture
from ..trace.state import has_global_gradient_hooks, has_global_hooks, objects_inside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch.amp import GradScaler

    from ..building import Settings
    from ..pipeline import Pipeline
    from ..trace.shadow import Watch


class _Model(Protocol):
    """The part of a `FusedTraining` that a step uses."""

    original: nn.Module
    settings: Settings
    _members: Sequence[nn.Module]
    _watch: Watch
    _pipelines: Mapping[object, Pipeline]

    def refresh(self) -> bool: ...

    def modes(self) -> object: ...


class _Graph(NamedTuple):
    """A captured step.

    Attributes:
        replay: runs it.
        inputs: where it reads its tensors.
        written: the places of those that it changes.
        loss: where it writes the loss.
        grads: the optimizer's parameters with the gradients that it writes.
        others: other tensors with what is added to their gradients.
        facts: of the optimizer, when it was captured.
        has_optimizer: whether the optimizer is in the graph.
    """

    replay: Callable[[], None]
    inputs: list[Tensor]
    written: list[int]
    loss: Tensor
    grads: list[tuple[Tensor, Tensor | None]]
    others: list[tuple[Tensor, Tensor]]
    facts: _Facts
    has_optimizer: bool


class _Facts(NamedTuple):
    """The facts that a captured step depends on.

    Attributes:
        numbers: rates and the like of each group and how many parameters it has, numbers of the
            optimizer itself, and its hooks; nothing where it is not in the graph.
        tensors: its parameters, and what it keeps of them where it is in the graph.
    """

    numbers: tuple[object, ...]
    tensors: tuple[object, ...]


class Step:
    """A step of training; see `FusedTraining.step`.

    Attributes:
        has_optimizer: whether the optimizer is in the graph. It is not, and launched by the host,
            if it keeps numbers on the host or has hooks, and once its rates, other numbers or hooks
            have changed; nor if losses are scaled, since a step may be left out then.
    """

    def __init__(
        self, model: _Model, loss: Callable[..., Tensor], optimizer: Optimizer, *,
        capture: bool, scaler: GradScaler | None = None, clip: float | None = None,
    ) -> None:  # fmt: skip
        if not callable(loss):
            raise errors.ArgumentError(f"loss: expected a function, got {loss!r}")
        if not isinstance(optimizer, Optimizer):
            raise errors.ArgumentError(f"optimizer: expected one of PyTorch's, got {optimizer!r}")
        if scaler is not None and not isinstance(scaler, torch.amp.GradScaler):
            raise errors.ArgumentError(f"scaler: expected PyTorch's GradScaler, got {scaler!r}")
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.scaler = scaler if scaler is not None and scaler.is_enabled() else None
        self.clip = None if clip is None else reals(clip=clip)[0]
        if self.clip is not None and self.clip < 0:
            raise errors.ArgumentError(f"clip: expected 0 or more, got {clip!r}")
        self.has_optimizer = self.scaler is None
        self._is_captured = capture
        self._lock = fork.lock()
        self._known: dict[object, _Graph | None] = Recent(model.settings.shapes)
        self._watch: Watch | None = None  # of the preparation that is known
        self._own: list[Tensor] = []  # the parameters that the model had then

    def __repr__(self) -> str:
        model, optimizer = type(self.model.original).__name__, type(self.optimizer).__name__
        kinds = f"{len(self._known)} kinds of tensors captured" if self._is_captured else "executed"
        return f"<Step of {model} by {optimizer}, {kinds}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Step cannot be copied or pickled: the model makes another")

    def __call__(self, *tensors: Tensor) -> Tensor:
        """Compute a step, and return the loss.

        Args:
            *tensors: the arguments of the loss.

        Returns: the loss before the step, without gradients, in new memory.

        Raises:
            ArgumentError: with `capture=True`, an argument is no tensor on a GPU, or requires a
                gradient.
            NotSupportedError: the step cannot be captured; nothing was computed.
        """
        if not self._is_captured:
            return self._compute(tensors)
        for place, each in enumerate(tensors):
            if not isinstance(each, Tensor) or not each.is_cuda:
                raise errors.ArgumentError(
                    f"argument {place}: expected a tensor on a GPU, got {_described(each)}",
                    hint="a replay reads tensors of the device; other values are constants of loss",
                )
            if each.requires_grad:
                raise errors.ArgumentError(
                    f"argument {place}: expected a tensor that requires no gradient",
                    hint="a replay has such gradients in memory of its own; detach the tensor",
                )
        with self._lock:
            return self._replayed(tensors)

    def _compute(self, tensors: Sequence[Tensor]) -> Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        with switches.without_cache():  # the next step casts other weights
            loss = self.loss(*tensors)
            self._scaled(loss).backward()
        if self.scaler is None:
            self._clip()
        self._step()
        return loss.detach()

    def _scaled(self, loss: Tensor) -> Tensor:
        found: Tensor = loss if self.scaler is None else self.scaler.scale(loss)
        return found

    def _clip(self) -> None:
        if self.clip is not None:
            nn.utils.clip_grad_norm_(self._parameters(), self.clip)

    def _step(self) -> None:
        """Have the optimizer change the parameters; the scaler may leave it out."""
        if self.scaler is None:
            self.optimizer.step()
            return
        if self.clip is not None:
            self.scaler.unscale_(self.optimizer)
            self._clip()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def _replayed(self, tensors: Sequence[Tensor]) -> Tensor:
        self.model.refresh()
        if self._watch is not self.model._watch:  # calls of the model itself refresh it, too
            self._known.clear()
            self._watch = self.model._watch
            spaces = [each._parameters.values() for each in self.model._members]
            self._own = [each for each in chain(*spaces) if each is not None]
        key = self._key(tensors)
        found = self._known.get(key)
        if found is not None and (facts := self._facts()) != found.facts:
            if facts.numbers != found.facts.numbers:
                self.has_optimizer = False
            self._known[key] = None
            if len(facts.tensors) < len(found.facts.tensors):  # what the optimizer keeps is gone
                del self._known[key]
            found = None
        if key not in self._known:
            # Everything is prepared by a step that is computed in the usual way.
            before = self._facts().numbers
            loss = self._compute(tensors)
            if self._facts().numbers != before or self._counts_on_host():
                self.has_optimizer = False
            self._known[key] = None
            return loss.clone()
        if found is None:
            found = self._known[key] = self._captured(tensors)
        if found.written and not are_apart(tensors):
            return self._compute(tensors).clone()
        for own, each in zip(found.inputs, tensors, strict=True):
            own.copy_(each)
        found.replay()
        for place in found.written:
            tensors[place].copy_(found.inputs[place])
        for parameter, grad in found.grads:
            if _address(parameter.grad) != _address(grad):  # also where its data was replaced
                parameter.grad = None if grad is None else grad.detach()
        for other, added in found.others:
            with torch.no_grad():
                other.grad = added.clone() if other.grad is None else other.grad.add_(added)
        if not found.has_optimizer:
            self._step()
        return found.loss.clone()

    def _captured(self, tensors: Sequence[Tensor]) -> _Graph:
        """Capture a step, which computes nothing yet.

        Raises:
            NotSupportedError: it cannot be captured.
        """
        if why := _why_not(self.model, self._parameters()):
            raise errors.NotSupportedError(
                f"the step cannot be captured: {why}", hint="fuse(model, training=True)"
            )
        inputs = [torch.empty_like(each).copy_(each) for each in tensors]
        versions = [each._version for each in inputs]
        parameters = self._parameters()
        before = [(each, each.grad) for each in parameters]
        self.optimizer.zero_grad(set_to_none=True)
        if self._hooks():
            self.has_optimizer = False
        facts, has_optimizer = self._facts(), self.has_optimizer
        state = {each: dict(values) for each, values in self.optimizer.state.items()}
        try:
            with capture(inputs[0].device) as graph:
                loss = self.loss(*inputs)
                others = [(each, each.grad) for each in self._others(loss)]
                before += others
                for each, _ in others:
                    each.grad = None
                self._scaled(loss).backward()
                if self.scaler is None:
                    self._clip()
                if has_optimizer:
                    with _fused(self.optimizer):
                        self.optimizer.step()
            if self._facts().tensors != facts.tensors:
                raise errors.NotSupportedError("the optimizer makes its state anew in each step")
        except Exception as error:
            # Tensors that the capture has made have no numbers.
            for each, grad in before:
                each.grad = grad
            self.optimizer.state.clear()
            self.optimizer.state.update(state)
            raise errors.NotSupportedError(
                f"the step cannot be captured: {errors.first_line(error)}",
                hint="fuse(model, training=True) computes it without a graph",
            ) from error
        grads = [(e, None if e.grad is None else e.grad.detach()) for e in parameters]
        added = [(each, each.grad) for each, _ in others if each.grad is not None]
        for each, grad in others:
            each.grad = grad
        pairs = enumerate(zip(inputs, versions, strict=True))
        written = [place for place, (own, version) in pairs if own._version != version]
        return _Graph(
            graph.replay, inputs, written, loss.detach(), grads, added, facts, has_optimizer
        )

    def _parameters(self) -> list[Tensor]:
        return [each for group in self.optimizer.param_groups for each in group["params"]]

    def _others(self, loss: Tensor) -> list[Tensor]:
        """Return what gets gradients of a loss, or may do so, and is not the optimizer's."""
        own = set(map(id, self._parameters()))
        found = {id(each): each for each in self.model.original.parameters() if each.requires_grad}
        nodes, seen = [loss.grad_fn], {None}
        while nodes:
            node = nodes.pop()
            if node not in seen:
                seen.add(node)
                if type(node).__name__ == "AccumulateGrad":
                    found[id(node.variable)] = node.variable
                nodes += [each for each, _ in node.next_functions]
        return [each for key, each in found.items() if key not in own]

    def _state(self) -> list[object]:
        """Return what the optimizer keeps of parameters."""
        return [value for own in self.optimizer.state.values() for value in own.values()]

    def _counts_on_host(self) -> bool:
        """Return whether the optimizer keeps numbers that a replay would not change."""
        return any(
            not value.is_cuda if isinstance(value, Tensor) else isinstance(value, (int, float))
            for value in self._state()
        )

    def _hooks(self) -> tuple[object, ...]:
        """Return what the optimizer calls before and after its steps."""
        own = self.optimizer
        found = (
            optim._global_optimizer_pre_hooks, optim._global_optimizer_post_hooks,
            own._optimizer_step_pre_hooks, own._optimizer_step_post_hooks,
        )  # fmt: skip
        return tuple([each for hooks in found for each in hooks.values()])

    def _facts(self) -> _Facts:
        optimizer, parameters = self.optimizer, self._parameters()
        if not self.has_optimizer:
            return _Facts((), tuple(map(Tensor.data_ptr, parameters)))
        numbers: list[tuple[object, ...]] = [
            tuple([(name, _fact(value)) for name, value in group.items() if name != "params"])
            for group in optimizer.param_groups
        ]
        own = {name: each for name, each in vars(optimizer).items() if name not in _OTHERWISE}
        seen = set(map(id, self.model._members))
        inside = [each for _, contents in objects_inside(own, seen) for each in contents]
        numbers.append(tuple([each for each in inside if type(each) in (int, float)]))
        numbers.append(tuple([len(group["params"]) for group in optimizer.param_groups]))
        numbers.append(self._hooks())
        kept = [each for each in self._state() if isinstance(each, Tensor)]
        return _Facts(tuple(numbers), tuple(map(Tensor.data_ptr, (*parameters, *kept))))

    def _key(self, tensors: Sequence[Tensor]) -> object:
        kinds = [(e.shape, e.stride(), e.dtype, e.device) for e in tensors]
        every = (*self._parameters(), *self._own)
        return (
            tuple(kinds),
            self.model.modes(),
            tuple(map(_requires_grad, every)),
            has_global_hooks() or has_global_gradient_hooks() or _have_hooks(every),
            switches.autocast_type("cuda"),
            switches.state(),
            switches.products(),
            policy.state(),
        )  # fmt: skip


def _fact(value: object) -> object:
    """Return what a graph has of an option: the number, or the place of one on the device."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_fact, value))
    if not isinstance(value, Tensor):
        return value
    return ("tensor", value.data_ptr()) if value.is_cuda else value.tolist()


#: Attributes of optimizers that are looked at in other ways.
_OTHERWISE = frozenset({"state", "param_groups", "defaults"})


def _address(grad: Tensor | None) -> int | None:
    return None if grad is None else grad.data_ptr()


def _described(value: object) -> str:
    return f"one on {value.device}" if isinstance(value, Tensor) else type(value).__name__


_requires_grad = attrgetter("requires_grad")
_hooks_before = attrgetter("_backward_hooks")
_hooks_after = attrgetter("_post_accumulate_grad_hooks")


def _have_hooks(parameters: Sequence[Tensor]) -> bool:
    return any(map(_hooks_before, parameters)) or any(map(_hooks_after, parameters))


def _why_not(model: _Model, parameters: Sequence[Tensor]) -> str:
    """Return why calls of a model run Python code that a replay would not run; "" if none do."""
    if has_global_hooks() or has_global_gradient_hooks():
        return "all modules have hooks, which run in each call"
    for name, module in model.original.named_modules():
        hooks = (
            module._forward_hooks, module._forward_pre_hooks, module._backward_hooks,
            module._backward_pre_hooks,
        )  # fmt: skip
        if any(hooks):
            return f"{name or 'the model'} has hooks, which run in each call"
    for name, parameter in model.original.named_parameters():
        if _have_hooks([parameter]):
            return f"{name} has hooks, which run in each call"
    if _have_hooks(parameters):
        return "a parameter of the optimizer has hooks, which run in each call"
    names = {module: name for name, module in model.original.named_modules()}
    for pipeline in model._pipelines.values():
        for each, why in pipeline.owners().items():
            return f"{names.get(each) or 'the model'}: {why}"
    return ""


@contextmanager
def _fused(optimizer: Optimizer) -> Iterator[None]:
    """Let PyTorch's fused kernel compute a step in which PyTorch may choose.

    Adam's rounds some numbers of float64 to float32.
    """
    chosen = []
    for group in optimizer.param_groups if type(optimizer) in _FUSED else ():
        free = group.get("foreach") is None and group.get("fused") is None
        if free and not group["differentiable"] and all(map(_is_fusable, group["params"])):
            chosen.append(group)
    try:
        for group in chosen:
            group["fused"] = True
        yield
    finally:
        for group in chosen:
            group["fused"] = None


def _is_fusable(parameter: Tensor) -> bool:
    narrow = parameter.is_floating_point() and parameter.dtype != torch.float64
    return narrow and parameter.is_cuda and type(parameter) in _PLAIN


#: Optimizers with a fused kernel, and the classes of parameters that it takes.
_FUSED = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
_PLAIN = Tensor, nn.Parameter
