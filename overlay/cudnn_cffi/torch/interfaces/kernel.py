"""Kernels of PyTorch's operators: how one takes the place of PyTorch's own, and computes.

PyTorch's dispatcher has a table of kernels for each operator. A kernel that is registered for an
operator's CUDA key takes the place of PyTorch's own, and only of that: autograd, autocast,
transforms, traces and compiled graphs come before it, as they do before PyTorch's own. Functions in
Python, modules, compiled code and C++ all get there. PyTorch's kernel is in the table again after
the `torch.library.Library` of the registration was destroyed. The extension records nodes of two
operators, in front of PyTorch's kernels of autograd.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import torch

from ... import errors
from ..._support.recent import Recent
from .. import fallback
from ..autograd import recorder, switches
from ..autograd.layer import REFUSALS, Layer
from ..autograd.layouts import settled
from ..autograd.nodes import DisabledError
from ..autograd.states import is_empty
from ..fallback import Fallback, Owner

__all__ = [
    "Maker",
    "Part",
    "again",
    "attempt",
    "known",
    "layer_of",
    "offer",
    "offer_parts",
    "remember",
    "set_fallback",
    "set_listeners",
    "tell",
]

#: The dispatch key of the kernels that are replaced.
KEY = "CUDA"

#: Returns the kernel of an operator for PyTorch's own one. Both take the dispatch keys of a call
#: and its arguments, PyTorch's by `call_boxed`.
Maker: TypeAlias = Callable[[Any], Callable[..., object]]

LayerT = TypeVar("LayerT", bound=Layer)


class _Listener(Protocol):
    """Notes each call."""

    def _note(self, word: str, why: str) -> None:
        """Note a call of a layer with a name, and why PyTorch computes it, or ""."""

    def _counter(self, word: str) -> Callable[[], object]:
        """Return what notes a call that cuDNN computes."""


_listeners: list[tuple[_Listener, ...]] = [()]

#: Layers by class and options; each kernel has its own.
_layers: dict[object, Layer] = Recent(1024)
_fallback: list[Fallback | None] = [None]

#: A layer, its operation, what notes its calls, and the names of the last tensors.
_Known: TypeAlias = tuple[
    Layer, Callable[..., Any], tuple[Callable[[], object], ...], tuple[str, ...]
]  # fmt: skip

#: By what kernels were called with, and PyTorch's switches. A call that is known needs no look at
#: anything else.
_operations: dict[object, _Known] = Recent(1024)

#: Returns what `again` takes; None where such a call is not known.
known = _operations.get

#: The extension for PyTorch, where its kernels are in front of these: they make known calls.
_front: list[Any] = []

#: The operators whose kernels `offer` calls.
_OFFERING = (
    "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_cudnn_attention_backward",
    "convolution", "cudnn_convolution", "convolution_backward",
)  # fmt: skip

#: The operators whose nodes the extension records, by those that compute the gradients.
_RECORDED = {
    "_scaled_dot_product_cudnn_attention_backward": "_scaled_dot_product_cudnn_attention",
    "convolution_backward": "convolution",
}

#: Kernels that were registered. A thread may wait for Python's lock in one that is in no table any
#: more, and needs its memory then.
_kept: deque[object] = deque(maxlen=1024)


def set_fallback(word: Fallback | None) -> None:
    """Set what happens if cuDNN refuses a call; None for what holds for the process."""
    _fallback[0] = word
    _operations.clear()
    for each in _front:
        each.forget()
    for layer in tuple(_layers.values()):  # they stay: captured graphs may use their plans
        if layer.owner.fallback != word:
            layer.owner.fallback, layer.owner.is_warned = word, False


def layer_of(cls: type[LayerT], *options: object) -> LayerT:
    """Return the layer that kernels share for these options."""
    key = cls, options
    found: Any = _layers.get(key)
    if found is None:
        owner = Owner(f"{cls.word} of an installed kernel", _fallback[0])
        found = _layers[key] = cls(*options, owner=owner)
    return found


def remember(
    key: object, state: switches.State, layer: Layer, names: tuple[str, ...] = (), **options: object
) -> None:
    """Have `known` return a layer for a key, and its operation for switches and other options.

    Args:
        key, state, layer: the key, PyTorch's switches in it, and the layer.
        names: of the operation's arguments that the last tensors of calls are, if they have some.
        options: those that differ from the layer's.
    """
    operation = layer.plain(**options) if options else layer.operation()
    if switches.state() == state:  # no other thread has changed them
        counters = tuple([each._counter(layer.word) for each in _listeners[0]])
        _operations[key] = layer, operation, counters, names


def offer(call: _Known, places: tuple[int, ...], state: torch.Tensor | None = None) -> None:
    """Have the extension make such calls.

    Args:
        call: a call that `again` has made.
        places: of the tensors that it takes, among those of the kernel.
        state: of random numbers, in the results of attention.
    """
    layer, operation, counters, names = call
    for each in _front:
        each.offer((((layer.refused, operation, names, None, places, 0),), counters, state))


def offer_parts(
    state: switches.State, *parts: tuple[Layer, Sequence[int] | None, tuple[int, ...], int],
    others: Sequence[tuple[Callable[..., Any], tuple[int, ...], int]] = (),
) -> None:  # fmt: skip
    """Have the extension make such calls of several layers, each of which cuDNN has computed.

    Without one, PyTorch's own kernel makes them.

    Args:
        state: PyTorch's switches in the call.
        *parts: of each the layer, what it takes after its tensors, or None, the places of these
            among the kernel's, and the kernel's result that is its own.
        others: operations that nobody counts, with their places and results.
    """
    made = (
        *[(one.refused, one.operation(), (), plain, *more) for one, plain, *more in parts],
        *[((), operation, (), None, *more) for operation, *more in others],
    )
    counters = tuple([each._counter(one.word) for each in _listeners[0] for one, *_ in parts])
    if switches.state() == state:  # no other thread has changed them
        for each in _front:
            each.offer((made, counters, None))


def tell(word: str, why: str = "") -> None:
    """Tell who listens that a call was computed by cuDNN, or why PyTorch computes it."""
    for each in _listeners[0]:
        each._note(word, why)


def set_listeners(listeners: Iterable[_Listener]) -> None:
    """Set who is told of calls."""
    _listeners[0] = tuple(listeners)


def again(call: _Known, *given: Any, section: str = "forward") -> Any:
    """Return the results of a call that is known; None as for `attempt`."""
    layer, operation, counters, names = call
    compute = _by_names(operation, names) if names else operation
    if layer.refused:
        return attempt(layer, section, compute, *given)
    try:
        found = compute(*given)
    except REFUSALS as error:
        return _instead(layer, section, compute, given, error)
    for count in counters:
        count()
    return found


def _by_names(operation: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """Return an operation that takes its last arguments by their places, too."""
    plain = -len(names)
    return lambda *given: operation(*given[:plain], **dict(zip(names, given[plain:], strict=True)))


def attempt(layer: Layer, section: str, compute: Callable[..., Any], *given: Any) -> Any:
    """Return the results of a layer; None if PyTorch's own kernel is to compute them.

    Args:
        layer: whose results they are.
        section: "forward", "data" or "filter".
        compute: the method of the layer.
        given: its arguments.

    Raises:
        NotSupportedError: a choice names how to compute, and cuDNN refuses that, or `fallback` is
            "error".
    """
    why = layer.refused and layer.why_refused(given, section)
    if not why:
        try:
            found = compute(*given)
        except REFUSALS as error:
            return _instead(layer, section, compute, given, error)
    tell(layer.word, why or "")
    return None if why else found


def _instead(
    layer: Layer, section: str, compute: Callable[..., Any], given: tuple[Any, ...],
    error: errors.CudnnError,
) -> Any:  # fmt: skip
    """Compute copies without gaps, or leave the call to PyTorch, or raise."""
    if fallback.is_told(error):
        raise error
    if type(error) is DisabledError:
        layer.leave(error.message, given, section)
    elif not is_empty(given):
        copies = tuple([settled(each) for each in given])
        if any(one is not other for one, other in zip(copies, given, strict=True)):
            return attempt(layer, section, compute, *copies)
        text = fallback.refuse(layer.owner, layer.named(given, section), error)
        layer.note(given, error)
        layer.owner.warn(text)
    tell(layer.word, error.message.splitlines()[0])
    return None


class Part:
    """The kernels of some operators, which take the place of PyTorch's own, and are taken away."""

    def __init__(self, makers: Mapping[str, Maker]) -> None:
        """Keep what makes the kernels, by the names of operators, without "aten::"."""
        self._makers = makers
        self._library: torch.library.Library | None = None
        self._covers: list[object] = []

    def begin(self) -> None:
        """Register the kernels.

        Raises:
            NotSupportedError: PyTorch is older than 2.9, or has no cuDNN.
        """
        if not hasattr(torch.library, "get_kernel"):
            raise errors.NotSupportedError(
                f"install: expected PyTorch 2.9 or newer, got {torch.__version__}",
                hint="cudnn_cffi.torch.convert changes a model's modules with any release",
            )
        library = torch.library.Library("aten", "IMPL")
        recorder.start()
        front = recorder.extension()
        _front[:] = [front] if hasattr(front, "cover") else []
        try:
            for name, make in self._makers.items():
                own = _own(name)
                theirs = front.kernel(name, KEY) if _front and name in _OFFERING else None
                with warnings.catch_warnings():  # that a kernel is replaced, in some releases
                    warnings.filterwarnings("ignore", "Warning only once for all operators")
                    library.impl(name, make(own), KEY, with_keyset=True, allow_override=True)
                    _kept.append(torch.library.get_kernel(f"aten::{name}", KEY))
                    if theirs:
                        self._covers.append(front.cover(name, KEY, theirs))
                        _kept.append(torch.library.get_kernel(f"aten::{name}", KEY))
                    if _front and name in _RECORDED:
                        recorded, above = _RECORDED[name], f"Autograd{KEY}"
                        self._covers.append(front.record(recorded, KEY, above))
                        _kept.append(torch.library.get_kernel(f"aten::{recorded}", above))
        except BaseException:
            self._covers.clear()
            library._destroy()
            raise
        self._library = library

    def end(self) -> None:
        """Have PyTorch's own kernels in the table again."""
        library, self._library = self._library, None
        self._covers.clear()
        if library is not None:
            library._destroy()


def _own(name: str) -> Any:
    """Return PyTorch's own kernel of an operator."""
    try:
        return torch.library.get_kernel(f"aten::{name}", KEY)
    except RuntimeError as error:
        raise errors.NotSupportedError(
            f"install: expected a PyTorch that computes aten::{name} on {KEY}, got one without it",
            hint="PyTorch for CUDA has cuDNN",
        ) from error
