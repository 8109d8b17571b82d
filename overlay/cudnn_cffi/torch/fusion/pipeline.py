"""A model, prepared for each kind of inputs that it is called with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from ... import errors, handles, ops
from ..._support import fork
from ..._support.recent import Recent
from ...choice import policy
from ...choice.store import choices as book
from ...driver.captures import without_collections
from ...driver.keeping import keep_captured
from ..autograd import switches
from ..autograd.layouts import has_last_strides, last_format
from ..autograd.states import are_plain
from ..captures import Captured
from .building import ACTIVATIONS, Settings, Way, find_way, is_word, padding_of, rule_of
from .folding import Folder
from .kernels import few_channels, grouped
from .kernels.patterns import gather
from .kernels.pixels import points
from .kernels.runs import Window, find_norm, find_product
from .norms import Scale
from .parts import Part, Parts, has_composites, is_told, pairs, split
from .program import Program
from .report import Ran
from .trace.eager import Like, by_reference
from .trace.lock import Untraceable
from .trace.running import run_trace
from .trace.state import State, is_known, original_of, run_in_eval
from .trace.tracing import Form, Traced, to_form, trace
from .weights import find_lossy, refuse_captures

if TYPE_CHECKING:
    from .trace.shadow import Watch
    from .values import Finds

#: Maximum time in seconds for timing the candidates of one part.
_LONGEST = 2.0

_LAYERS = (nn.modules.conv._ConvNd, nn.Linear)


def _asks(rule: policy.Rule) -> bool:
    """Return whether engines are asked for that a kernel is not."""
    return bool(rule.via or rule.exclude or rule.tensor_cores is False or not is_word(rule))


def _of_rows(part: Part, specs: dict[str, ops.Spec], rule: policy.Rule) -> Way | None:
    """Return the way by a kernel of rows; None for parts that a plan has to compute."""
    if isinstance(part.layer, Scale):
        norm = find_norm(specs, part.layer.epsilon, rms=part.layer.rms)
        return Way(None, "torch") if norm is None else Way(norm, "kernel")
    added = part.residual is not None
    timed = rule.pick in ("time", "time_once")
    window = None if timed or part.kind != "convolution" else _window_of(part, specs)
    if (part.kind != "product" and window is None) or _asks(rule) or added != ("residual" in specs):
        return None
    given = specs, part.activation, window
    is_alone = "gate" not in specs and part.before is None
    product = points.find(*given, part.before) or (find_product(*given) if is_alone else None)
    is_whole = part.activation is not None
    return None if product is None else Way(product, "kernel", "", added, is_whole)


def _window_of(part: Part, specs: dict[str, ops.Spec]) -> Window | None:
    """Return what a convolution reads, if it is one of images that kernels of rows take."""
    layer = part.conv
    same = "residual" not in specs or specs["residual"].shape == specs["y"].shape
    if layer.groups != 1 or not same:
        return None
    before = [each[0] if isinstance(each, tuple) else each for each in padding_of(layer)]
    return Window(tuple(layer.stride), before, tuple(layer.dilation))


def _with_zeros(
    part: Part, specs: dict[str, ops.Spec], plan: Callable[[dict[str, ops.Spec]], Way]
) -> Way | None:
    """Return the way of a product with a residual and a bias of zeros; None for other parts.

    Without a bias, cuBLAS's engine does not take the residual.

    Raises:
        CudnnError: the current stream is captured.
    """
    if part.kind != "product" or "residual" not in specs or "bias" in specs:
        return None
    w, count = specs["w"], specs["w"].shape[0]
    way = plan(specs | {"bias": w._replace(shape=(count,), strides=(1,))})
    if (run := way.run) is None or not way.residual or w.device is None:
        return None
    device = torch.device("cuda", w.device)
    refuse_captures(device)
    zeros = torch.zeros(count, dtype=getattr(torch, w.dtype), device=device)

    def run_with_zeros(x: Tensor, weight: Tensor, *others: Tensor) -> Tensor:
        return run(x, weight, zeros, *others)

    return way._replace(run=run_with_zeros)


def _lying(tensor: Tensor) -> bool:
    """Return whether results of an input whose layout does not matter have their channels last."""
    return last_format(tensor.dim()) is not None and has_last_strides(tensor)


class Pipeline:
    """Computes what a module computes: traced once, prepared for each kind of inputs."""

    def __init__(
        self, root: nn.Module, settings: Settings, name: str = "",
        trace: Callable[[nn.Module, Form], Traced] = trace, *, kernels: bool = True,
    ) -> None:  # fmt: skip
        """Prepare nothing yet.

        Args:
            root: the module, in eval mode, whose submodules may be replaced.
            settings: see `fuse`.
            name: of the module, for reports.
            trace: returns the graph for calls of a form.
            kernels: whether kernels of this package may compute parts.
        """
        self.root = root
        self._kernels = kernels
        self._trace = trace
        self.name = name
        self.settings = settings
        self.why = ""  # why the module itself is run as it is
        #: Whether that is the original and not its shadow, as it changes its own attributes.
        self.is_own = False
        self.ran: list[Ran] = []
        self._lock = fork.lock()
        self._parts: dict[object, Parts] = Recent(4 * settings.shapes)
        narrow = settings.narrow
        self.folder = Folder(now=narrow is not None)  # layers of 8 bits read weights while made
        self.narrower = None if narrow is None else narrow.start()  # which layers have 8 bits
        self._ways: dict[object, Way] = {}
        self._timed = 0  # what `book.timed` was; captures keep the ways of before
        self.is_mutating = False  # whether a program changes what is there before it
        self.watch: Watch | None = None  # of the model, if calls are made before a look at it
        self._programs: dict[tuple[Any, ...], Program | Captured] = Recent(settings.shapes)
        self._fragments: list[Fragment] = []
        self._ordinals: set[int] = set()  # the devices that programs are for
        self._words = frozenset(ACTIVATIONS if kernels or settings.compile else ("relu",))

    def parts(self, form: Form, inputs: Sequence[Tensor] = ()) -> Parts:
        """Return the parts for calls of a form.

        Args:
            form: of the calls.
            inputs: the tensors of a call. Where the graph of any call has not each function, that
                of calls with such tensors has it.

        Raises:
            Untraceable: the module cannot be traced.
        """
        lower = *switches.autocast_types(), torch.get_default_dtype()
        found = self._parts.get((form, lower))
        if found is not None:
            return found
        kind = tuple([Like.of(each) for each in inputs]), lower
        found = self._parts.get((form, kind))
        if found is not None:
            return found
        with self._lock:
            found = self._parts.get((form, lower)) or self._parts.get((form, kind))
            if found is None:
                self._refuse_changes()
                traced = self._traced(form, inputs)._replace(form=form)
                for name in traced.leaves:
                    parent, _, own = name.rpartition(".")
                    self._replace(self.root.get_submodule(parent), own)
                if self._kernels:
                    lossy = find_lossy(pairs(traced))
                    traced = traced._replace(unfolded=frozenset([norm for _, norm in lossy]))
                    gather(traced)
                key = form, kind if traced.kinds else lower
                found = self._parts[key] = split(traced, self._words, windows=self._kernels)
        return found

    def _refuse_changes(self) -> None:
        """Prepare nothing for a model that has changed: the call may be one that is not repeated.

        Raises:
            CudnnError: it has.
        """
        if self.watch is not None and self.watch.changes():
            raise errors.CudnnError("the model has changed", hint="fused.refresh()")

    @without_collections
    def _traced(self, form: Form, inputs: Sequence[Tensor]) -> Traced:
        """Return the graph of any call of a form, or that of calls with such tensors."""
        self.folder.foresee(self.root)
        whole = inputs and self._trace is trace
        try:
            traced = self._trace(self.root, form)
        except Untraceable as error:
            if whole and not error.is_own:
                with suppress(Untraceable):
                    return run_trace(self.root, form, inputs)
            raise
        if whole and (traced.made or has_composites(traced)):
            try:
                return run_trace(self.root, form, inputs)
            except Untraceable:
                if traced.made:  # calls may change it
                    raise
        return traced

    def _take_apart(self, module: nn.Module) -> None:
        """Have a module that is run as it is call fragments where it can."""
        for name, child in list(module._modules.items()):
            if child is None or isinstance(child, (Fragment, torch.jit.ScriptModule)):
                continue
            if type(child) in (nn.ModuleList, nn.ModuleDict):
                self._take_apart(child)
            elif not is_known(child) or (
                child._modules and any(isinstance(each, _LAYERS) for each in child.modules())
            ):
                self._replace(module, name)

    def _replace(self, parent: nn.Module, name: str) -> None:
        """Put a fragment in the place of a module."""
        child = parent._modules[name]
        if child is not None and not isinstance(child, (Fragment, torch.jit.ScriptModule)):
            made = Fragment(child, self.settings._replace(capture=False, narrow=None), name)
            parent._modules[name] = made
            self._fragments.append(made)

    def run(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        """Return what the module computes."""
        if self.why:
            return self._as_it_is(args, kwargs)
        try:
            form, tensors = to_form(args, kwargs)
            return self._run(form, tensors)
        except Untraceable as error:
            why, is_own = error.message, error.is_own
        before = None if self.why or is_own else len(self._fragments)
        self._give_up(why, is_own=is_own)
        try:  # with fragments at once, so that one call prepares all of them
            return self._as_it_is(args, kwargs)
        except Exception:
            if before is not None:  # the arguments may be wrong
                self._take_back(before)
            raise

    def _give_up(self, why: str, *, is_own: bool = False) -> None:
        """Run the module as it is from now on."""
        with self._lock:
            self.is_own = self.is_own or is_own
            if not self.why or is_own:
                self.why = why
                self._take_apart(self.root)

    def _take_back(self, count: int) -> None:
        """Trace the module again in the next call, with as many fragments as before."""
        with self._lock:
            for parent in list(self.root.modules()):
                for name, child in parent._modules.items():
                    if isinstance(child, Fragment) and child in self._fragments[count:]:
                        parent._modules[name] = child.pipeline.root
            self.why, self._fragments[count:] = "", []

    def _as_it_is(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        original = original_of(self.root)
        if self.is_own:
            return run_in_eval(original, args, kwargs)
        inside = list(_outside_fragments(self.root))
        below = [each for each in inside if each is self.root or not is_known(each)]
        seen = set(map(id, inside))
        states = [(each, State(each, deep=False, seen=seen)) for each in below]
        result = self.root(*args, **kwargs)
        for module, state in states:
            change = state.change()
            if change is None:
                continue
            state.hand_over(module)
            if module is self.root:
                self._give_up(f"it changes its attribute {change[1]}", is_own=True)
        return result

    def is_careful(self) -> bool:
        """Return whether a call must not be repeated, as it may change more than its results."""
        return self.is_mutating or bool(self.why or self._fragments)

    def is_lossy(self) -> bool:
        """Return whether norms were folded that should not have been, since numbers changed."""
        return self.folder.is_lossy() or any(e.pipeline.is_lossy() for e in self._fragments)

    def wait(self) -> None:
        """Wait for all streams of its devices, which may read what is dropped next."""
        for ordinal in tuple(self._ordinals):
            torch.cuda.synchronize(ordinal)
        for each in self._fragments:
            each.pipeline.wait()

    def owners(self) -> dict[nn.Module, str]:
        """Return the modules that are run as they are, since they change themselves, and why."""
        if self.is_own:
            return {original_of(self.root): self.why}
        found: dict[nn.Module, str] = {}
        for each in self._fragments:
            found |= each.pipeline.owners()
        return found

    def own_modules(self) -> set[nn.Module]:
        """Return these modules, and those inside of them."""
        return {each for owner in self.owners() for each in owner.modules()}

    def _run(self, form: Form, tensors: list[Tensor]) -> object:
        if not tensors:
            raise Untraceable("it is called without tensors")
        is_negated = True in [each.is_neg() for each in tensors]  # which memory does not tell
        if tensors[0].device.type != "cuda" or is_negated or not are_plain(tensors):
            parts = self.parts(form, tensors)
            if not self.ran:
                self.ran = [
                    Ran(each.name, each.text, "torch" if each.kind != "other" else "as it is",
                        each.why)
                    for each in parts.list
                    if each.kind != "other" or is_told(each)
                ]  # fmt: skip
            return by_reference(parts, tensors)
        free = self.parts(form, tensors).free
        kinds = [
            (each.shape, each.dtype, each.device, _lying(each) if loose else each.stride())
            for each, loose in zip(tensors, free, strict=True)
        ]
        stream = torch._C._cuda_getCurrentRawStream(tensors[0].device.index)
        key = (
            form, tuple(kinds), stream, switches.autocast_type("cuda"), switches.state(),
            switches.products(), policy.state(), (book.generation, book.timed),
        )  # fmt: skip
        if torch.cuda.is_current_stream_capturing():
            program = self._program(form, tensors)
            keep_captured(key[2], program, self.watch)  # which have what the graph reads
            return program.run(tensors)
        known = self._programs.get(key)
        if known is None:
            return self._first(key, form, tensors)
        with known.lock:
            return known.run(tensors)

    def _first(self, key: tuple[Any, ...], form: Form, tensors: list[Tensor]) -> object:
        """Prepare for inputs of a kind, and return what the module computes of these."""
        with self._lock:
            self._refuse_changes()
            self._timed = book.timed
            program = self._program(form, tensors)
            kept: Program | Captured = program
            result = program.run(tensors)
            # Programs of other streams read the same weights.
            torch.cuda.current_stream(tensors[0].device).synchronize()
            self.ran = program.ran
            if self.folder.why:
                self.ran = [Ran("", "the folding", "torch", self.folder.why), *self.ran]
            if self.settings.capture:
                try:
                    if self.own_modules():
                        raise errors.NotSupportedError("Python code of modules runs in each call")
                    kept = Captured(program, tensors)
                except Exception as error:
                    # A model may do what cannot be captured, such as reading a number on the host.
                    why = f"not captured: {errors.first_line(error)}"[:160]
                    self.ran = [Ran("", "the whole", "", why), *self.ran]
            for each in [each for each in self._programs if each[-1] != key[-1]]:
                self._programs.pop(each, None)  # which are of earlier choices
            self._programs[key] = kept
        return result

    @without_collections
    def _program(self, form: Form, tensors: list[Tensor]) -> Program:
        with self._lock:
            parts = self.parts(form, tensors)
            ordinal = tensors[0].device.index
            self._ordinals.add(ordinal)
            finds, narrower = self._finds(parts, ordinal), self.narrower
            narrow = narrower and (
                lambda parts, values: narrower.apply(parts, values, self.settings, ordinal)
            )
            likes = [Like.of(each) for each in tensors]
            program = Program(parts, likes, self.folder, finds, narrow)
            self.is_mutating = self.is_mutating or program.is_mutating
            return program

    def _finds(self, parts: Parts, ordinal: int) -> Finds:
        count = sum(each.kind == "convolution" for each in parts.list)
        seconds = min(_LONGEST, self.settings.seconds / max(1, count))

        def find(part: Part, specs: dict[str, ops.Spec]) -> Way:
            layer, settings = part.conv, self.settings
            if part.kind == "product":  # engines that are compiled are slower than cuBLAS
                settings = settings._replace(compile=False)
            rule = rule_of(self.settings)
            if isinstance(part.layer, Scale):
                own: tuple[object, ...] = part.layer.epsilon, part.layer.rms
            else:
                own = layer.padding, layer.stride, layer.dilation, layer.groups, part.activation
            # A residual of another shape is in no specs, and the activation comes after it.
            what = part.kind, *own, part.residual is None, part.before, tuple(specs.items()), rule
            key = *what, book.generation, self._timed
            found = self._ways.get(key)
            if found is None:
                handle = handles.handle(ordinal)

                def plan(specs: dict[str, ops.Spec]) -> Way:
                    by_kernel: Any = None
                    if self._kernels and not _asks(rule):
                        if layer.groups > 1:
                            by_kernel = grouped.find
                        elif part.kind == "convolution":
                            by_kernel = few_channels.find
                    return find_way(
                        part, specs, settings, rule, handle=handle, seconds=seconds, owner=self,
                        by_kernel=by_kernel,
                    )  # fmt: skip

                found = _of_rows(part, specs, rule)
                is_alone = "gate" not in specs and part.before is None
                found = found or (plan(specs) if is_alone else Way(None, "torch"))
                if not found.residual:
                    found = _with_zeros(part, specs, plan) or found
                self._ways[key] = found
            return found

        return find

    def report(self) -> list[Ran]:
        """Return how each layer is computed, as far as it was called."""
        name = type(self.root).__name__
        found = [Ran(self.name, name, "as it is", self.why)] if self.why else []
        found += self.ran
        for each in self._fragments:
            found += each.pipeline.report()
        return found


def _outside_fragments(module: nn.Module) -> Iterator[nn.Module]:
    """Return a module, fragments in it, and modules in it that are in no fragment."""
    yield module
    for each in module._modules.values():
        if each is not None and not isinstance(module, Fragment):
            yield from _outside_fragments(each)


class Fragment(nn.Module):
    """Takes the place of a module inside one that is run as it is, and has what that has."""

    pipeline: Pipeline

    def __init__(self, module: nn.Module, settings: Settings, name: str) -> None:
        super().__init__()
        self._stand_for(module, Pipeline(module, settings, name))
        self.training = False

    def _stand_for(self, module: nn.Module, pipeline: Pipeline) -> None:
        own = self.__dict__
        own["pipeline"] = pipeline
        for name in ("_parameters", "_buffers", "_modules"):
            own[name] = getattr(module, name)
        base: Any = type(self)
        found = tuple([each for each in _ELEMENTS if hasattr(type(module), each)])
        object.__setattr__(self, "__class__", _with_elements(base, found))

    def forward(self, *args: object, **kwargs: object) -> object:
        return self.pipeline.run(args, kwargs)

    def __getattr__(self, name: str) -> object:
        return getattr(self.__dict__["pipeline"].root, name)

    def __setattr__(self, name: str, value: object) -> None:
        pipeline = vars(self).get("pipeline")
        if pipeline is None or name == "training":
            super().__setattr__(name, value)
            return
        for each in (pipeline.root, original_of(pipeline.root)):
            setattr(each, name, value)


@lru_cache
def _with_elements(base: Any, names: tuple[str, ...]) -> Any:
    """Return a class of fragments that pass on methods that Python looks for in classes alone."""

    def passing(name: str) -> Callable[..., object]:
        return lambda self, *given: getattr(self.pipeline.root, name)(*given)

    found = {"__module__": base.__module__, **{each: passing(each) for each in names}}
    return type(base.__name__, (base,), found) if names else base


#: Methods of modules that have elements.
_ELEMENTS = "__contains__", "__getitem__", "__iter__", "__len__", "__reversed__"
