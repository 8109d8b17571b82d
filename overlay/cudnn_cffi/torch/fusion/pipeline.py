"""A model, prepared for each kind of inputs that it is called with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_map

from ... import handles
from ..._support import fork
from ..._support.recent import Recent
from ...choice import policy
from ..layer import last_format
from ..switches import flags
from .building import Settings, Way, find_way, rule_of
from .folding import Weights
from .parts import ACTIVATIONS, Part, Parts, split
from .program import Like, Program, Ran, autocast_type, by_reference, is_told
from .tracing import Form, Untraceable, to_form, trace

#: The most seconds that the candidates of one part are timed.
_LONGEST = 2.0

_LAYERS = (nn.modules.conv._ConvNd, nn.Linear)


class Captured:
    """A program as a CUDA graph, which reads inputs that are copied to where it expects them."""

    def __init__(self, program: Program, inputs: Sequence[Any]) -> None:
        self.lock = program.lock
        self.ran = program.ran
        self._program = program  # its memory, plans and weights are the graph's
        pairs = zip(inputs, program.parts.free, strict=True)
        self._inputs = [_like(each, free) for each, free in pairs]
        for own, each in zip(self._inputs, inputs, strict=True):
            own.copy_(each)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.device(inputs[0].device), torch.cuda.graph(self._graph):
            self._outputs = program.run(self._inputs)
        self._is_single = isinstance(self._outputs, torch.Tensor)

    def run(self, inputs: Sequence[Any]) -> Any:
        """Return what the model computes, in new memory; the caller has the lock."""
        for own, each in zip(self._inputs, inputs, strict=True):
            own.copy_(each)
        self._graph.replay()
        return self._outputs.clone() if self._is_single else tree_map(_clone, self._outputs)


def _like(tensor: Any, free: bool) -> Any:
    """Return memory for an input; with channels last, if its layout does not matter."""
    form = last_format(tensor.dim()) if free else None
    if form is not None:
        return torch.empty_like(tensor, memory_format=form)
    return torch.empty_strided(
        tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device
    )


def _clone(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


class Pipeline:
    """Computes what a module computes: traced once, prepared for each kind of inputs."""

    def __init__(self, root: nn.Module, settings: Settings) -> None:
        """Prepare nothing yet.

        Args:
            root: the module, in eval mode, whose submodules may be replaced.
            settings: see `fuse`.
        """
        self.root = root
        self.settings = settings
        self.why = ""  # why the module itself is run as it is
        self.ran: list[Ran] = []
        self._lock = fork.lock()
        self._parts: dict[Form, Parts] = {}
        self._weights: dict[Any, Weights] = {}
        self._ways: dict[Any, Way] = {}
        self._programs: dict[Any, Any] = Recent(settings.shapes)
        self._kept: list[Program] = []  # that a caller's CUDA graph uses
        self._fragments: list[Fragment] = []
        self._words = frozenset(ACTIVATIONS if settings.compile else ("relu",))

    def parts(self, form: Form) -> Parts:
        """Return the parts for calls of a form.

        Raises:
            Untraceable: the module cannot be traced.
        """
        found = self._parts.get(form)
        if found is not None:
            return found
        with self._lock:
            found = self._parts.get(form)
            if found is None:
                traced = trace(self.root, form)
                for name in traced.leaves:
                    self._take_apart(self.root.get_submodule(name))
                found = self._parts[form] = split(traced, self._words)
        return found

    def _take_apart(self, module: nn.Module) -> None:
        """Have a module that is run as it is call prepared modules where it can."""
        for name, child in list(module._modules.items()):
            if child is None or isinstance(child, (Fragment, torch.jit.ScriptModule)):
                continue
            if not any(isinstance(each, _LAYERS) for each in child.modules()):
                continue
            if type(child) in (nn.ModuleList, nn.ModuleDict):
                self._take_apart(child)
            elif child._modules:
                made = Fragment(child, self.settings._replace(capture=False))
                module._modules[name] = made
                self._fragments.append(made)

    def fold(self, part: Part, dtype: Any, last: bool) -> Weights:
        """Return the weights of a part."""
        key = (part.layer, part.norm, dtype, last)
        found = self._weights.get(key)
        if found is None:
            found = self._weights[key] = Weights(part.layer, part.norm, dtype, last=last)
        return found

    def refresh(self) -> None:
        """Fold all weights again."""
        for each in self._weights.values():
            each.refresh()
        for fragment in self._fragments:
            fragment.pipeline.refresh()

    def run(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return what the module computes."""
        if self.why:
            return self.root(*args, **kwargs)
        try:
            form, tensors = to_form(args, kwargs)
            return self._run(form, tensors)
        except Untraceable as error:
            why = error.message
        result = self.root(*args, **kwargs)  # whose own error it is, if the arguments are wrong
        with self._lock:
            if not self.why:
                self._take_apart(self.root)
                self.why = why
        return result

    def _run(self, form: Form, tensors: list[Any]) -> Any:
        if not tensors:
            raise Untraceable("it is called without tensors")
        first = tensors[0]
        if first.device.type != "cuda" or isinstance(first, FakeTensor):
            parts = self.parts(form)
            if not self.ran:
                self.ran = [
                    Ran(each.name, each.text, "torch" if each.kind != "other" else "as it is",
                        each.why)
                    for each in parts.list
                    if each.kind != "other" or is_told(each)
                ]  # fmt: skip
            return by_reference(parts, tensors, self.fold)
        free = self.parts(form).free
        key = (
            form,
            tuple(
                [
                    (each.shape, each.dtype, each.device, None if loose else each.stride())
                    for each, loose in zip(tensors, free, strict=True)
                ]
            ),
            torch._C._cuda_getCurrentRawStream(first.device.index),
            autocast_type("cuda"),
            flags(),
            policy.state(),
        )
        if torch.cuda.is_current_stream_capturing():
            program = self._program(form, tensors)
            self._kept.append(program)
            return program.run(tensors)
        known = self._programs.get(key)
        if known is None:
            return self._first(key, form, tensors)
        with known.lock:
            return known.run(tensors)

    def _first(self, key: Any, form: Form, tensors: list[Any]) -> Any:
        """Prepare for inputs of a kind, and return what the module computes of these."""
        with self._lock:
            program: Any = self._program(form, tensors)
            result = program.run(tensors)
            # Programs of other streams read the same weights.
            torch.cuda.current_stream(tensors[0].device).synchronize()
            self.ran = program.ran
            if self.settings.capture:
                try:
                    program = Captured(program, tensors)
                except Exception as error:
                    # A model may do what cannot be captured, such as reading a number on the host.
                    why = f"not captured: {error}".split("\n", 1)[0][:160]
                    self.ran = [Ran("", "the whole", "", why), *self.ran]
            self._programs[key] = program
        return result

    def _program(self, form: Form, tensors: list[Any]) -> Program:
        with self._lock:
            parts = self.parts(form)
            finds = self._finds(parts, tensors[0].device.index)
            return Program(parts, [Like.of(each) for each in tensors], self.fold, finds)

    def _finds(self, parts: Parts, ordinal: int) -> Callable[[Part, dict[str, Any]], Way]:
        count = sum(each.kind == "convolution" for each in parts.list)
        seconds = min(_LONGEST, self.settings.seconds / max(1, count))

        def find(part: Part, specs: dict[str, Any]) -> Way:
            layer = part.layer
            rule = rule_of(self.settings)
            key = (
                layer.padding, layer.stride, layer.dilation, layer.groups, part.activation,
                tuple(specs.items()), rule,
            )  # fmt: skip
            found = self._ways.get(key)
            if found is None:
                handle = handles.handle(ordinal)
                found = self._ways[key] = find_way(
                    part, specs, self.settings, rule, handle=handle, seconds=seconds
                )
            return found

        return find

    def report(self) -> list[Ran]:
        """Return how each layer is computed, as far as it was called."""
        found = [Ran("", type(self.root).__name__, "as it is", self.why)] if self.why else []
        found += self.ran
        for each in self._fragments:
            found += each.pipeline.report()
        return found


class Fragment(nn.Module):
    """Takes the place of a module inside one that is run as it is."""

    def __init__(self, module: nn.Module, settings: Settings) -> None:
        super().__init__()
        self.__dict__["pipeline"] = Pipeline(module, settings)
        self.training = False

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.pipeline.run(args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["pipeline"].root, name)
