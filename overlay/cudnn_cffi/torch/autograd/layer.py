"""The base of all functions and modules: a layer, which computes by cuDNN and has gradients.

A layer is an operation of `cudnn_cffi.ops` with PyTorch around it. It is called in one of three
ways. Plain tensors in eager mode take the short way: the operation itself where no gradient is
wanted, an autograd function where one is. Tools that trace or wrap tensors (torch.compile, export,
vmap, tensor subclasses, dispatch modes) get an operator of `torch.ops.cudnn_cffi`, which does the
same. PyTorch computes calls that cuDNN does not compute, if the layer is a module's and `fallback`
allows it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import torch
from torch import Tensor
from torch.autograd import forward_ad

from ... import errors
from ..._operation.recording import verbose
from ..._operation.shortcuts import make_memory
from ...choice.policy import state as scopes
from ...ops import Operation
from .. import fallback
from . import operators as library
from . import switches
from .layouts import copier, empty, is_last, settled
from .nodes import (
    REFUSALS,
    DisabledError,
    Parts,
    apply_of,
    compose,
    enter,
    gradients_of,
    make_function,
)
from .record import Gradients, Record, Results, Tensors, shown
from .sharing import is_dynamo
from .states import are_plain, cast, is_eager, is_elsewhere, is_empty
from .switches import is_autocast_on, is_grad_on, traced

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from ..fallback import Owner

    #: PyTorch's switches, the operation for them, and those with other options.
    _Now: TypeAlias = tuple[Any, Any, dict[object, Operation]]


__all__ = ["REFUSALS", "Layer"]

_transforms = torch._C._are_functorch_transforms_active
_set_tracing = torch._C._set_tracing_state
_Transform = torch._C._functorch.TransformType

#: Maximum number of kinds of arrays that a layer remembers as refused.
_MOST = 256

_log = logging.getLogger("cudnn_cffi.torch")


class Layer(Record):
    """An operation with its options, for tensors.

    Subclasses declare its record, and how PyTorch computes the same.

    Attributes:
        options: the values of the options in the order of the class.
        choose: how it is computed, as for operations.
        owner: the module that it computes for; None for a function.
        strict: whether what cuDNN does not compute is an error, as in functions.
        refused: what was computed by PyTorch instead, and why, by kinds of arrays.
    """

    #: Whether there is an operator; what is traced is computed by PyTorch where there is none.
    traced: ClassVar[bool] = True
    #: Number of tensors that are saved first, of which the results after them are computed again
    #: where a function in place has changed those: PyTorch's gradients need no results there.
    again: ClassVar[int] = 0
    #: Whether gradients have gradients by cuDNN; PyTorch computes both where they have not.
    twice: ClassVar[bool] = False

    _function: ClassVar[Any]
    _apply: ClassVar[Any]
    operator: ClassVar[Any] = None

    #: Whether a call is that of the operation, and nothing else.
    is_bare: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = cls.compute is not Layer.compute or cls.infer is not Layer.infer
        cls.is_bare = cls.returns == "Tensor" and not own
        if cls.word:
            if "_function" not in cls.__dict__:
                cls._function = make_function(cls)
            cls._apply = apply_of(cls._function, cls.visible)
            if cls.traced:
                cls.operator = library.register(cls)

    def __init__(self, *options: object, choose: Choose = None, owner: Owner | None = None) -> None:
        self.owner: Any = owner
        self.strict = owner is None
        self.refused: dict[tuple[object, ...], str] = {}
        #: PyTorch's switches, and the operations for them by options that differ from the layer's;
        #: one object, since threads share layers.
        self._now: _Now = (None, None, {})
        self._by_switches: dict[switches.State, _Now] = {}
        #: The layers of gradients.
        self.parts = Parts(self.words, options, choose, owner)
        self._choice = library.text_of(choose)
        self._is_forced = fallback.is_forced(choose)
        #: Caches of calls, of calls with gradients, and of the gradients.
        self._results, self._calls, self._gradients = (make_memory() for _ in range(3))
        if self._results is not None and not is_dynamo():
            self._results._join(self._calls, self._apply, self.refused)
        super().__init__(*options, choose=choose)

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.options, self.choose, self.owner)

    def __repr__(self) -> str:
        pairs = zip(self.names, self.options, strict=True)
        return f"{type(self).__name__}({', '.join(f'{n.split()[-1]}={v!r}' for n, v in pairs)})"

    def compute(self, *given: Tensor) -> Results:
        """Compute by cuDNN: tensors and further arguments, without gradients."""
        return self.operation()(*given)

    def compute_all(self, *given: Tensor) -> Results:
        """Compute as `compute`; PyTorch computes tensors without elements, which cuDNN refuses."""
        try:
            return self.compute(*given)
        except REFUSALS:
            if not is_empty(given):
                raise
        found = self._of_nothing(given)
        made: Any = self.fake(*given)
        if self.returns == "Tensor":
            return made.copy_(found)
        for place, each in enumerate(made):
            if place < self.visible:
                each.copy_(found[place])
            else:
                each.zero_()
        return made

    def _of_nothing(self, given: tuple[Tensor, ...]) -> Results:
        """Return what PyTorch computes where a tensor has no elements: gradients are zeros."""
        given += (None,) * (len(self.tensors) + len(self.extras) - len(given))
        if self.tensors[0] in ("Tensor dy", "Tensor do") and is_empty(given[:1]):
            found: Any = self.fake(*given)
            return found.zero_() if self.returns == "Tensor" else [each.zero_() for each in found]
        return self.reference(*given)

    def infer(self, *given: Tensor) -> Results:
        """Return what callers see, where no gradient is wanted."""
        found = self.compute(*given)
        return found if self.returns == "Tensor" else shown(found, self.visible)

    def reference(self, *given: Tensor) -> Results:
        """Compute by PyTorch, with its gradients; gradients from the layer that they are of."""
        forward, named = self.forward_record(), dict(zip(self.takes, given, strict=False))
        known = dict(zip(self.words, self.options, strict=True))
        layer = forward(*[known[word] for word in forward.words])
        inputs = [named.get(name) for name in forward.takes]
        needs = [each is not None for each in inputs]
        found = dict(zip(forward.takes, layer.own_gradients(inputs, needs, given[:1]), strict=True))
        return self.completed([found.get(name[1:]) for name in self.gives], given[0])

    def fake(self, *given: Tensor) -> Results:
        """Return tensors without memory that are like the results; gradients like operands."""
        named = dict(zip(self.takes, given, strict=False))
        if any(name[1:] not in named for name in self.gives):
            return self.reference(*given)
        last = bool(self.images) and is_last(self.lead(given))
        operands = [named[name[1:]] for name in self.gives]
        return self.completed(
            [each if each is None else empty(each, each.shape, last) for each in operands], given[0]
        )

    def completed(self, results: Gradients, like: Tensor) -> Results:
        """Return results as the operator has them: nothing is a tensor without elements there."""
        made = tuple([like.new_empty(0) if each is None else each for each in results])
        return made[0] if self.returns == "Tensor" else made

    def gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        """Return the gradients for the tensors of the call, by the layers that compute them."""
        if self.composed:
            return compose(self, saved, needs, grads)
        record = self.gradient_record()
        if record is None:
            return self.own_gradients(saved, needs, grads)
        found = self.parts[record.layer](grads[0], *[saved[place] for place in record.places])
        if record.layer.visible == 1:
            return (found,)
        return [each if want else None for each, want in zip(found, needs, strict=False)]

    # Calls

    def operation(self) -> Any:
        """Return the operation for PyTorch's switches as they are."""
        known, found, _ = self._now
        state = switches.state()
        if state == known:
            return found
        return self._switch(state)

    def _switch(self, state: switches.State) -> Any:
        """Return the operation for switches that are not those of the last call."""
        if not state[0] and not self.strict:
            raise DisabledError("torch.backends.cudnn.enabled is False")
        now = self._by_switches.get(state)
        if now is None:
            now = self._by_switches[state] = (state, self._made(state, {}), {})
        self._now = now
        return now[1]

    def _made(self, state: switches.State, options: dict[str, Any]) -> Any:
        made = self.make(**options)
        made.behind = switches.policy_of(state)
        made.arrange, made.copier = self.arrange, copier
        return made

    def plain(self, **options: Any) -> Any:
        """Return the operation with other options, which is kept as well."""
        self.operation()
        state, _, others = self._now
        key = tuple(options.items())
        found = others.get(key)
        if found is None:
            found = others[key] = self._made(state, options)
        return found

    def __call__(self, *given: Tensor) -> Results:
        """Compute by cuDNN, or by PyTorch where that may take over."""
        if is_dynamo():
            return self._wrapped(given)
        try:
            return self._enter(*given)
        except REFUSALS as error:
            return self._instead(given, error)

    def _eager(self, *given: Tensor) -> Results:
        """Compute where nothing traces; what is not plain goes on to the operator or to PyTorch."""
        first = given[0]
        if not is_eager(first) or not are_plain(given):
            return self._wrapped(given)
        if self.casts and is_autocast_on():
            given = self.cast(given)
        if not self.strict:
            if is_elsewhere(first):
                return self._elsewhere(given)
            if self.refused and self.why_refused(given):
                return self.by_pytorch(given)
        if is_grad_on():
            for each in given:
                if isinstance(each, Tensor) and each.requires_grad:
                    return self._apply(self, *given)
        return self.operation()(*given) if self.is_bare else self.infer(*given)

    _enter = enter(_eager)

    def _instead(self, given: tuple[Tensor, ...], error: errors.CudnnError) -> Results:
        """Compute copies without gaps, or by PyTorch what cuDNN refuses, if that may take over.

        Tensors without elements leave nothing to compute, whatever was chosen.
        """
        if fallback.is_told(error):
            raise error
        if type(error) is not DisabledError and not is_empty(given):
            count = len(self.tensors)  # the results after them are changed in place
            copies = tuple([settled(each) for each in given[:count]])
            if any(one is not other for one, other in zip(copies, given, strict=False)):
                return self(*copies, *given[count:])
        if self.casts and is_autocast_on():
            given = self.cast(given)
        if type(error) is DisabledError:
            self.leave(error.message, given)
        elif is_empty(given):
            return self._shown(self._of_nothing(given))
        else:
            text = fallback.refuse(self.owner, self.named(given), error)
            found = self.by_pytorch(given)  # which may refuse it as well
            self.note(given, error)
            self.owner.warn(text)
            return found
        return self.by_pytorch(given)

    def why_refused(self, given: tuple[Tensor, ...], *sections: str) -> str:
        """Return why cuDNN has refused such a call, if PyTorch may compute it; "" if it has not.

        Args:
            given: the tensors.
            sections: as for `named`.
        """
        why = self.refused.get(_kind(given), "")
        if why:
            # The gradients, which PyTorch computes then, too, may be wanted now.
            choice = self.named(given, *sections)
            fallback.refuse(self.owner, choice, errors.NotSupportedError(why))
        return why

    def has_refused(self, given: tuple[Tensor, ...]) -> bool:
        """Return whether cuDNN has refused such a call."""
        return bool(self.refused) and _kind(given) in self.refused

    def _elsewhere(self, given: tuple[Tensor, ...]) -> Results:
        """Compute by PyTorch what is not on a GPU; tensors without memory have no numbers."""
        if not given[0].is_meta:
            self.leave(f"the tensor is on {given[0].device}", given, is_elsewhere=True)
        return self.by_pytorch(given)

    def named(self, given: Tensors, *sections: str) -> tuple[str, bool]:
        """Return how choices say to compute; see `fallback.named`.

        Args:
            given: the tensors, whose gradients are computed by what computes the layer.
            sections: instead of those of the layer and of the gradients that are wanted.
        """
        if fallback.is_open(self.choose):
            return "", False
        try:
            made = self.make()
            section, has_algorithms = made.section, made._has_algorithms
        except REFUSALS:  # of options that cuDNN does not have
            section, has_algorithms = "forward", False
        if not sections:
            # The gradient of a transposed convolution is a convolution.
            data = "data" if section == "forward" else "forward"
            wanted = [data, *["filter"] * (len(given) - 1)] if is_grad_on() else []
            pairs = zip(wanted, given, strict=False)
            more = [name for name, each in pairs if getattr(each, "requires_grad", False)]
            sections = (section, *more)
        return fallback.named(self.choose, sections, has_algorithms)

    def leave(self, why: str, given: Tensors, *sections: str, is_elsewhere: bool = False) -> None:
        """Have PyTorch compute what cuDNN is not asked for, or raise; see `fallback.leave`.

        Tensors without elements leave nothing to compute, whatever was chosen.
        """
        if not is_empty(given):
            choice = self.named(given, *sections)
            fallback.leave(self.owner, choice, why, is_elsewhere=is_elsewhere)

    def has_operator_for(self, x: Tensor) -> bool:
        """Return whether a tensor that is traced or wrapped is for the operator, not for PyTorch.

        There is no forward derivative, and no operator for tensors elsewhere. Operators have no
        gradients for transforms of functions either, but for what `vmap` does.
        """
        elsewhere = not self.strict and is_elsewhere(x)
        if self.operator is None or forward_ad._current_level >= 0 or elsewhere:
            return False
        return is_dynamo() or not _transforms() or all(
            each.key() == _Transform.Vmap for each in torch._C._functorch.get_interpreter_stack()
        )  # fmt: skip

    def _wrapped(self, given: tuple[Tensor, ...]) -> Results:
        """Compute tensors that are traced or wrapped, by the operator."""
        if not self.has_operator_for(given[0]):
            self._leave_wrapped(given)
            return self.by_pytorch(given)
        if self.casts and is_autocast_on():
            given = self.cast(given)
        error = self.refusal_in_trace(given)
        if error is not None:
            return self._instead(given, error)
        left_out = (None,) * (len(self.tensors) + len(self.extras) - len(given))
        found = self.operator(*given, *left_out, *self.options, self._choice)
        return found if self.returns == "Tensor" else shown(found, self.visible)

    def refusal_in_trace(self, given: tuple[Tensor, ...]) -> errors.CudnnError | None:
        """Return how cuDNN refuses what TorchScript traces; None where it does not.

        The tracer ends the process after an error in an operator.
        """
        if is_dynamo() or not traced():
            return None
        state = traced()
        _set_tracing(None)
        try:
            with torch.no_grad():
                self.compute_all(*[e.detach() if isinstance(e, Tensor) else e for e in given])
        except REFUSALS as error:
            return error
        finally:
            _set_tracing(state)
        return None

    def _leave_wrapped(self, given: tuple[Tensor, ...]) -> None:
        x = given[0]
        if is_dynamo():  # which traces no search for what scopes and the process choose
            if self._is_forced or (self.owner is not None and self.owner.forbids):
                name = self.word if self.owner is None else self.owner.name
                raise errors.NotSupportedError(
                    f"{name}: PyTorch would compute what is traced, not the choice {self._choice!r}"
                )
        elif not self.strict and is_elsewhere(x):
            if not x.is_meta:
                self.leave(f"the tensor is on {x.device}", given, is_elsewhere=True)
        else:
            self.leave("transforms of torch.func and forward derivatives are PyTorch's", given)

    def by_pytorch(self, given: tuple[Tensor, ...]) -> Results:
        """Return what callers see, computed by PyTorch."""
        return self._shown(self.reference(*given))

    def _shown(self, found: Results) -> Results:
        return found if self.returns == "Tensor" else shown(found, self.visible)

    def note(self, given: tuple[Tensor, ...], error: errors.CudnnError) -> None:
        """Remember that cuDNN refuses such arrays, so that it is not asked again."""
        if len(self.refused) >= _MOST:
            self.refused.clear()
        why = error.message.splitlines()[0]
        self.refused[_kind(given)] = why
        if verbose():
            shapes = ", ".join(
                f"{each.dtype} {tuple(each.shape)}" for each in given if isinstance(each, Tensor)
            )
            _log.info("%s(%s) is computed by PyTorch: %s", self.word, shapes, why)

    def cast(self, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return tensors of the types that autocast wants."""
        return cast(given, self.casts)

    # Gradients

    def saved_again(self, given: Tensors) -> Tensors:
        """Return what a call of these tensors saves, where its results were changed in place."""
        with torch.no_grad():
            found = self.compute(*given)
        return self.saves(given, (found,) if self.returns == "Tensor" else found)

    def backward(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        """Return the gradients for what a call was given, with None for what has none."""
        try:
            return tuple(self.all_gradients(saved, needs, grads))
        except REFUSALS as error:
            return self.backward_instead(error, saved, needs, grads)

    def all_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        """Return the gradients, by PyTorch where cuDNN has none, or none for second derivatives."""
        own = type(self)
        is_theirs = (
            own.gradients is Layer.gradients and not own.composed and own.gradient_record() is None
        )
        if is_theirs or (not own.twice and is_grad_on()):
            what = "gradients" if is_theirs else "second derivatives"
            self.leave(f"cuDNN has no {what} of {self.word}", grads, "data", "filter")
            return self.own_gradients(saved, needs, grads)
        return self.gradients(saved, needs, grads)

    def backward_instead(
        self, error: errors.CudnnError, saved: Tensors, needs: Sequence[bool], grads: Tensors
    ) -> Gradients:
        """Return the gradients by PyTorch, where cuDNN refuses and PyTorch may take over."""
        if fallback.is_told(error):
            raise error
        if is_empty((*saved, *grads)):
            return tuple(self.own_gradients(saved, needs, grads))
        text = fallback.refuse(self.owner, self.named((), "data", "filter"), error)
        if verbose():
            _log.info("the gradient of %s is computed by PyTorch: %s", self.word, error.message)
        found = tuple(self.own_gradients(saved, needs, grads))
        self.owner.warn(text)
        return found

    def own_gradients(self, saved: Tensors, needs: Sequence[bool], grads: Tensors) -> Gradients:
        """Return the gradients by PyTorch: those that have gradients of their own, for example."""
        return gradients_of(self.reference, saved[: len(self.tensors)], needs, grads)


def _again(
    cls: type[Layer], options: tuple[object, ...], choose: Choose, owner: Owner | None
) -> Layer:
    return cls(*options, choose=choose, owner=owner)


def _kind(given: tuple[Tensor, ...]) -> tuple[object, ...]:
    """Return what decides whether cuDNN computes such arrays: they, and what is asked for here."""
    arrays = [
        (
            each.shape, each.dtype, each.stride(), each.device,
            each.storage_offset() * each.element_size() % 16,
        )
        if isinstance(each, Tensor)
        else each
        for each in given
    ]  # fmt: skip
    return (*arrays, is_grad_on(), switches.state(), scopes())
