"""Drawn networks by each way that the package computes models, beside PyTorch and float64."""

from __future__ import annotations

import contextlib
import copy
import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from cudnn_cffi import NotSupportedError
from torch.optim.swa_utils import AveragedModel, update_bn

from .changes import CHANGES, KEEPING, hooked, laid_last, nothing
from .draw import Draw
from .judge import DiffersError, RefusedError, SkippedError, compare, largest, poison
from .layers import network
from .nearness import (
    EIGHT,
    NUDGES,
    Asked,
    FarError,
    Overflowing,
    compare_again,
    compare_near,
    excused,
    roughened,
)
from .values import LAYOUTS, device, filled, laid_out, switches, synchronize
from .ways import (
    CLIP,
    GUARDS,
    INFERENCE,
    OPTIMIZER_CHANGES,
    OPTIMIZERS,
    SCALE,
    SCHEDULERS,
    TRAINING,
    Found,
    Twin,
    Way,
    scaler_of,
    tensors,
)
from .wrapping import READING, REENTRANT, STATEFUL, UNCAPTURED, has_calls

__all__ = ["run"]

nn = torch.nn

TYPES = (torch.float16, torch.float32, torch.bfloat16)
DATA = ("plain", "zeros", "constant", "small_integers", "one_huge", "cancelling", "denormal")

#: Where calls happen; those after the second without a GPU, too.
AROUND = (
    *("here", "copied", "functional", "examples", "averaged", "inference", "inference input"),
    *("stream", "thread", "threads", "streams", "graph", "replica"),
)

#: Where steps are computed.
AROUND_STEPS = "here", "stream", "thread"


class _Held:
    """An argument that each call finds changed."""

    def of(self, x: Any) -> Any:
        self.added = [x * 0.5]
        return self

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


_HELD = _Held()

#: Ways to give an input to a network.
TAKES: tuple[Callable[[Any, Any], Any], ...] = (
    lambda call, x: call(x),
    lambda call, x: call(x=x),
    lambda call, x: call(x, scale=0.5),
    lambda call, x: call(x, {"added": [x * 0.5], "other": None}),
    lambda call, x: call(x=x, more={"added": (x[:1].flip(-1), 3)}, scale=x.new_full((), 1.5)),
    lambda call, x: call(x, last=x),
    lambda call, x: call(x, last=x.view(x.shape)[:1]),
    lambda call, x: call(x, _HELD.of(x)),
)

#: Ways to compute gradients; from "backward" on they are added to those of parameters.
GRADIENTS = (
    *("once", "twice", "second", "batched", "kept elsewhere", "backward", "scaled", "clipped"),
    *("scaled and clipped", "in parts", "for some"),
)

#: A turn of a model that is trained computes gradients, results in eval mode, or results in its own
#: mode without gradients, or it gives norms new statistics.
DOES = ("trains", "validates", "looks", "averages norms")

#: Where a model is called more than once; and `GRADIENTS` that CUDA graphs have.
AGAIN = "threads", "streams", "graph"
CAPTURED = "once", "backward", "clipped", "for some"

#: Number of inputs and parameters, moved by an ulp, of which all ways compute a wrong result again.
AGAIN_MOVED = 9

#: Beginnings of the names of results that steps tell.
TOLD = "gradient", "buffer"

#: Ways whose results lie as PyTorch's.
LYING = "fuse", "capture", "compile", "timed", "backend", "nested", "compiled"

#: Errors of a network that is wrong itself, or of PyTorch: attention without elements has no result.
_PYTHON = ValueError, TypeError, AttributeError, AssertionError


def run(draw: Draw) -> str:
    """Compute a network several times with inputs of two kinds, and change it in between."""
    training = draw.pick("mode", ("inference", "training"), subject=True) == "training"
    hows = TRAINING if training else INFERENCE
    how = draw.pick("how", hows, subject=True)
    if device() == "cpu" and how in ("captured step", "install", "package"):
        raise SkippedError("no GPU")
    kind = draw.pick("dtype", TYPES)
    if device() == "cpu" and training and kind == torch.bfloat16:
        raise SkippedError("PyTorch's gradients of filters read memory that nobody wrote")
    # Under autocast, parameters are float32.
    wide = kind != torch.float32 and (
        training or (how != "package" and draw.pick("autocast", (False, True), 0.6))
    )
    exact, shape = network(draw)
    if not exact.steps:
        raise SkippedError("no layers")
    _set_modes(draw, exact.train(training))
    own = exact.to(torch.float32 if wide else kind).to(device())
    if kind != torch.float32 and not wide and draw.pick("wide_norms", (False, True), 0.8):
        for each in own.modules():
            if isinstance(each, nn.modules.batchnorm._BatchNorm):
                each.float()
    if draw.pick("weights_last", (False, True)):
        laid_last(own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _Turns(draw, how, own, kind, wide).run(shape)
    return ""


def _set_modes(draw: Draw, model: Any) -> None:
    """Have some parameters need no gradient, and perhaps norms read their statistics."""
    frozen, chance = draw.pick("frozen", (False, True), 0.7), draw.chance("frozen")
    fixed = draw.pick("eval_norms", (False, True), 0.8)
    for each in model.parameters():
        each.requires_grad_(not frozen or chance.random() < 0.6)
    for each in model.modules():
        if isinstance(each, nn.Dropout):
            each.p = 0.0
        tracks = getattr(each, "track_running_stats", False)
        if fixed and isinstance(each, nn.modules.batchnorm._BatchNorm) and tracks:
            each.eval()


class _Turns:
    """Calls of one model, with what happens to it in between."""

    def __init__(self, draw: Draw, how: str, own: Any, kind: Any, wide: bool) -> None:
        self.draw, self.how, self.own, self.kind, self.wide = draw, how, own, kind, wide
        self.first, self.where = torch.float32 if wide else kind, device()
        self.trains = own.training
        self.signs: dict[object, list[Any]] = {}
        self.kept: list[tuple[str, Any, Any]] = []  # results of earlier calls, and their numbers
        make = draw.pick("optimizer", OPTIMIZERS, 0.3)
        guard = draw.pick("guard", GUARDS, 0.4)
        self.takes = draw.pick("takes", TAKES, 0.7 if "step" in how else 1.0)
        self.times = draw.pick("times", (1, 2), 0.7)
        self.way = Way(how, own, make, self.takes, self.times, guard)
        self.mode = guard if self.way.step else draw.pick("backward", GRADIENTS, 0.4)
        steps, self.schedulers = self.way.step is not None, []
        self.twins = [Twin(make, _grown(own), kind) for kind in (None, torch.float64) if steps]
        if steps:
            schedule = draw.pick("schedule", SCHEDULERS, 0.5)
            every = self.way.optimizer, *[each.optimizer for each in self.twins]
            self.schedulers = [schedule(each) for each in every]
        self.around = draw.pick("around", AROUND_STEPS if steps else AROUND, 0.4)
        unfit = self.around == "replica" and how not in ("convert", "install")  # others refuse it
        unfit |= (device() == "cpu" and self.around not in AROUND[:5]) or (
            self.around in AGAIN and has_calls(own, STATEFUL)
        )
        unfit |= self.around in AGAIN[:2] and self.trains
        unfit |= self.around == "graph" and (has_calls(own, READING) or self._is_uncaptured(how))
        if unfit or (how in ("package", "eight") and self.around not in ("here", "inference")):
            self.around = AROUND[0]
        if self.around == "copied" and hasattr(self.way.call, "original"):
            self.way.call = copy.deepcopy(self.way.call)
            self.own = self.way.call.original

    def run(self, shape: Sequence[int]) -> None:
        """Call it several times, and compare each."""
        changes = self.draw.pick("changes", (2, 1))
        for turn in range(self.draw.pick("turns", (4, 2, 3))):
            if turn == changes:
                self._change()
            try:
                self._turn(turn, list(shape))
            except DiffersError as error:
                raise DiffersError(f"call {turn + 1}: {error}") from None
            for each in self.schedulers:
                each.step()

    def _change(self) -> None:
        change = self.draw.pick("change", CHANGES, 0.2)
        # Compiled models do not look for hooks, hooks of fused modules are not those of their
        # originals, and optimizers do not look for other parameters.
        if (change is hooked and self.how in ("backend", "nested")) or (
            change not in KEEPING and "step" in self.how
        ):
            change = nothing
        with torch.no_grad():
            change(self.own)
        if self.way.step:
            change = self.draw.pick("optimizer_change", OPTIMIZER_CHANGES, 0.4)
            for each in (self.way.optimizer, *[each.optimizer for each in self.twins]):
                change(each)

    def _turn(self, turn: int, shape: list[int]) -> None:
        """Ask once, and again where a result looks wrong, with inputs and parameters that are near.

        Raises:
            DiffersError: it is wrong for most of those, too, or for the first call alone.
        """
        values = self._values(turn, shape)
        with self._in_mode():
            self._judge(turn, values)

    def _judge(self, turn: int, values: Any) -> None:
        numbers = torch.Generator().manual_seed(self.draw.number(f"moves{turn}"))
        types = {self.first, self.lower or self.first}
        unit = EIGHT if self.how == "eight" else max(torch.finfo(each).eps for each in types)
        back, wide = _state(self.own), _in_float64(self._copy())

        def moved(unit: float, inside: float | None = None) -> Found:
            model = copy.deepcopy(wide)
            if inside is not None:
                roughened(model, inside, numbers)
            nudged = _nudged(model, values, unit, numbers).requires_grad_(self.grows)
            return self._call(model, nudged, model)

        asked, size, wrong = self._ask(values), largest(values), []
        if asked.ours.keys() != asked.right.keys():
            raise DiffersError(
                f"it has {sorted(asked.ours.keys() ^ asked.right.keys())} more or less"
            )
        near = [moved(unit) for _ in range(NUDGES)]
        for name in asked.ours:
            try:
                compare_near(name, asked, near, size, unit)
            except DiffersError:
                wrong.append(name)
        if not wrong:
            return
        if torch.float16 in types:
            with Overflowing(torch.float16):
                asked = excused(asked, moved(0.0))
        after = _state(self.own)
        rough = [moved(0.0, inside) for inside in (0.0, *[unit] * NUDGES)]
        near += [moved(unit * step) for step in (1, 2, 4) for _ in range(NUDGES)] + rough
        back()
        same, others = self._ask(values, by_cudnn=True), []
        # PyTorch's calls of cuDNN may be as far, or calls of inputs that are near.
        for name in wrong:
            with contextlib.suppress(FarError):
                compare_near(name, asked._replace(theirs=same.theirs[1:]), near, size, unit)
        for _ in range(AGAIN_MOVED):
            back()
            others.append(self._ask(_nudged(self.own, values, unit, numbers), by_cudnn=True))
        after()
        for name in wrong:
            compare_again(name, asked, same, others, rough, unit)

    def _values(self, turn: int, shape: list[int]) -> Any:
        """Return the input of a call, in float64, and set what else is drawn for the call."""
        draw, parity = self.draw, turn % 2
        known = [each.dtype for each in self.own.parameters() if each.is_floating_point()]
        # A change may have made it another one, and norms may have a wider one.
        self.first = max(known, key=lambda each: torch.finfo(each).eps, default=self.first)
        self.does = draw.pick(f"does{parity}", DOES, 0.7) if self.trains else ""
        self.grads = self.does == "trains"
        self.steps = self.way.step if self.grads else None
        usual, is_fixed = self.kind if self.wide else None, self.how in ("package", "eight")
        kinds = (usual, None, torch.bfloat16, torch.float16)
        self.lower = usual if is_fixed else draw.pick(f"cast{parity}", kinds, 0.85)
        self.lower = None if self.lower == self.first else self.lower
        free = self.around == "here" and not (self.way.step or is_fixed or self.how == "install")
        free &= self.lower is None and self.first == torch.float32
        if not self.way.step and not is_fixed:
            self.takes = draw.pick(f"takes{parity}", TAKES, 0.7)
        self.input = draw.pick(f"input{parity}", (self.first, self.lower or self.first), 0.7)
        on_host = free and draw.pick(f"host{parity}", (False, True), 0.9)
        self.where = "cpu" if on_host else device()
        self.grows = self.grads and not self.way.step and draw.pick("input_grows", (False, True))
        self.grows |= self.how == "backend" and has_calls(self.own, REENTRANT) and self.grads
        self.flags = {
            "enabled": draw.pick(f"enabled{turn % 2}", (True, False), 0.85),
            "benchmark": draw.pick("benchmark", (False, True), 0.9),
            "deterministic": draw.pick("deterministic", (False, True), 0.8),
            "allow_tf32": False,
        }
        shapes = ("same", "batch", "width", "empty") if turn % 2 else ("same",)
        other = draw.pick(f"shape{turn % 2}", shapes, 0.4)
        shape[0] = {"batch": shape[0] + 2, "empty": 0}.get(other, shape[0])
        shape[-1] += 8 * (other == "width")
        numbers = torch.Generator().manual_seed(draw.number(f"x{turn}"))
        values = torch.randn(shape, generator=numbers, dtype=torch.float64)
        data = DATA if self.trains else (*DATA, "nan", "infinity")
        how = draw.pick("x_data", data, 0.7) if self.how != "eight" else "plain"
        values = filled(values, how, draw.chance("x_values"), self.input)
        return self._laid_out(values).contiguous()  # some layouts repeat elements

    def _ask(self, values: Any, *, by_cudnn: bool = False) -> Asked:
        """Compute a call in float64, by PyTorch, perhaps by its calls of cuDNN, too, and by the way.

        The model changes as calls change it.
        """

        def given(kind: Any, where: str) -> Any:
            return self._laid_out(values.to(where, kind)).requires_grad_(self.grows)

        x = given(torch.float64, "cpu").detach().contiguous().requires_grad_(self.grows)
        with torch.inference_mode(self.around == "inference input" and not self.trains):
            mine = given(self.input, self.where)
        plain = self._copy()
        exact, models = _in_float64(plain), [plain, copy.deepcopy(plain)][: 1 + by_cudnn]
        inputs = [given(self.input, self.where) for _ in models]
        try:
            right, theirs = self._call(exact, x, exact), []
            for place, (model, each) in enumerate(zip(models, inputs, strict=True)):
                call = self._compiled(model) if place else model
                with switches(by_cudnn=place > 0), self._cast():
                    theirs.append(self._call(call, each, model))
        except (RuntimeError, LookupError, *_PYTHON) as error:
            raise SkippedError(f"PyTorch: {str(error)[:80]}") from None
        poison()
        try:
            with torch.backends.cudnn.flags(**self.flags), self.way.around(), self._cast():
                ours = self._ours(mine, theirs[0])
            synchronize()
        except RuntimeError as error:
            raise self._known_of_cudnn(given(self.input, self.where), error) from None
        for name, y, before in self.kept:
            if not ((y == before) | (y.isnan() & before.isnan())).all():
                raise DiffersError(f"{name} of an earlier call has changed")
        if not self.grads:
            some = {name: y for name, y in ours.items() if name.startswith("y")}
            self.kept += [(name, y, y.clone()) for name, y in some.items()]
        if self.steps:
            right = {name: each for name, each in right.items() if name.startswith(TOLD)}
        for results, each in zip((right, *theirs, ours), (x, *inputs, mine), strict=True):
            results["x"] = each.detach()
        return Asked(ours, theirs, right)

    def _ours(self, x: Any, theirs: Found) -> Found:
        if self.steps:
            return self._step(x, theirs)
        call = functools.partial(self._call, self.way.call, x, self.own)
        return self._within(call, empty=not x.numel())

    def _known_of_cudnn(self, x: Any, error: Exception) -> Exception:
        """Return an error, or another one where PyTorch's calls of cuDNN raise it, too.

        They need results of recurrent networks for gradients, which no layer may change. Gradients
        of checkpoints that Dynamo compiles need counts of batches, which the next call changes.
        """
        model = self._copy()
        try:
            with switches(by_cudnn=True), self._cast():
                call = functools.partial(self._call, self._compiled(model), x, model)
                self._within(call, empty=not x.numel()) if self.around == "graph" else call()
        except RuntimeError as other:
            if str(other)[:60] == str(error)[:60]:
                return SkippedError(f"PyTorch by cuDNN: {str(other)[:80]}")
        return error

    def _compiled(self, model: Any) -> Any:
        """Return a model, as Dynamo compiles it for PyTorch where the way has it do so.

        Its gradients of checkpoints under autocast are less exact.
        """
        is_compiled = self.how in ("backend", "compiled")
        return torch.compile(model, backend="eager") if is_compiled else model

    def _laid_out(self, x: Any) -> Any:
        layout = self.draw.pick("x_layout", LAYOUTS, 0.2)
        return laid_out(x, layout, self.draw.chance("x_layout"))

    def _copy(self) -> Any:
        """Return a copy of the model that PyTorch computes."""
        from cudnn_cffi.torch import convert
        from cudnn_cffi.torch.fusion.trace.shadow import Wrapper

        try:
            plain = copy.deepcopy(self.own)
        except RuntimeError as error:  # weights that were computed with a gradient
            raise SkippedError(f"no copy: {str(error)[:60]}") from None
        for parent in list(plain.modules()):
            for name, child in parent._modules.items():
                if isinstance(child, Wrapper):
                    parent._modules[name] = child.original
        if self.how in ("convert", "both"):
            convert(plain, back=True)
        return plain

    def _cast(self) -> Any:
        return torch.autocast(
            self.where, self.lower, self.lower is not None, cache_enabled=self.around != "graph"
        )

    @contextlib.contextmanager
    def _in_mode(self) -> Iterator[None]:
        """Have the model validate in eval mode, or compute on the host, in a block."""
        modes = [(each, each.training) for each in self.own.modules()]
        whole = self.way.call if isinstance(self.way.call, nn.Module) else self.own
        if self.does == "validates":
            whole.eval()
        if self.where != device():
            self.own.to(self.where)
        try:
            yield
        finally:
            if self.where != device():
                self.own.to(device())
            if self.does == "validates":
                whole.train()
            for each, mode in modes:
                each.training = mode

    def _within(self, function: Callable[[], Found], *, empty: bool) -> Found:
        """Call a function on another stream or thread, or replay what it did in a CUDA graph.

        Nothing is prepared for an empty batch, so that it is not captured.
        """
        if self.around == "stream":
            stream, own = torch.cuda.Stream(), torch.cuda.current_stream()
            stream.wait_stream(own)
            with torch.cuda.stream(stream):
                found = function()
            own.wait_stream(stream)
            return found
        if self.around == "thread":
            return _in_threads([self._in_thread(function)])[0]
        if self.around == "threads":
            streams = [torch.cuda.Stream() for _ in range(2)]
            calls = [self._in_thread(function, each) for each in streams]
            if self.how == "capture":  # first calls are made in turn
                for each in calls:
                    each()
            return _in_threads(calls)[0]
        if self.around == "streams" and not empty:  # the other call may use the same memory
            before = torch.cuda.current_stream()
            both: list[Found] = []
            for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
                stream.wait_stream(before)
                with torch.cuda.stream(stream):
                    both.append(function())
            torch.cuda.synchronize()
            return both[0]
        if self.around == "graph" and not empty:
            return self._replayed(function)
        return function()

    def _is_uncaptured(self, how: str) -> bool:
        """Return whether PyTorch does not capture gradients of such a model."""
        unfit = self.mode not in CAPTURED or how in ("backend", "compiled")
        return self.trains and (unfit or has_calls(self.own, UNCAPTURED))

    def _replayed(self, function: Callable[[], Found]) -> Found:
        """Return what the replay of a CUDA graph computes."""
        from cudnn_cffi.torch.captures import capture  # after which others are right if it fails

        back, stream = _state(self.own), torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            function()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        with capture(torch.device("cuda", torch.cuda.current_device())) as graph:
            found = function()
        back()
        graph.replay()
        return {name: each.clone() for name, each in found.items()}

    def _in_thread(self, function: Callable[[], Found], stream: Any = None) -> Callable[[], Found]:
        def call() -> Found:
            with torch.cuda.stream(stream), self._cast():
                found = function()
                if stream is not None:
                    stream.synchronize()
                return found

        if stream is not None:
            stream.wait_stream(torch.cuda.current_stream())
        return call

    def _call(self, call: Any, x: Any, model: Any) -> Found:
        """Return results, gradients and statistics by name."""
        inside = x * 1.0 if x.requires_grad else x
        if self.around == "functional":
            named = {name: each * 0.75 for name, each in call.named_parameters()}
            given = call

            def call(*args: Any, **kwargs: Any) -> Any:
                return torch.func.functional_call(given, named, args, kwargs)

        if self.around == "averaged" and not self.trains:
            call = AveragedModel(call)
            for factor in (0.5, 1.0):
                call.update_parameters(_scaled(model, factor))
        if self.around == "replica" and x.is_cuda and not self.trains:
            (call,) = nn.parallel.replicate(call, [x.device], detach=True)
        if self.does == "averages norms" and isinstance(call, nn.Module):
            update_bn([inside, inside * 0.5], call)
            return _statistics(model)
        call = functools.partial(self.takes, call)
        if self.around == "examples" and not self.trains:
            call = _of_examples(call)
        if self.grads:
            return self._trained(call, inside, x, model) | _statistics(model)
        with torch.inference_mode() if self.around == "inference" else torch.no_grad():
            found = _named("y", tensors(call(inside)))
        # Fake tensors, which tell how results lie, do not take every layout as kernels do, and have
        # other strides of axes of one element.
        usual = min(x.shape) > 1 and self.draw.pick("x_layout", LAYOUTS, 0.2) in LAYOUTS[:2]
        if usual and self.how in LYING:
            found |= {f"strides of {name}": _strides(y) for name, y in found.items()}
        return found | _statistics(model)

    def _trained(self, call: Any, inside: Any, x: Any, model: Any) -> Found:
        """Return results and gradients of an input, from what is computed of it."""
        given = _grown(model) | ({"input": x} if x.requires_grad else {})
        mode, times = self.mode, self.times
        adds = mode in GRADIENTS[5:] or times > 1
        parts = inside.chunk(2) if mode == "in parts" and len(inside) > 1 else [inside] * times
        for each in given.values():
            each.grad = torch.zeros_like(each) if mode == "in parts" else None
        scaler = scaler_of(x.device.type, mode)
        keeps = mode == "kept elsewhere"
        keeping = torch.autograd.graph.save_on_cpu if keeps else contextlib.nullcontext
        loss: Any = 0.0
        for turn, part in enumerate(parts):
            with keeping():
                ys = tensors(call(part))
            found = _named("y", [each.detach().clone() for each in ys])
            both = zip(ys, self._signs(found), strict=True)
            pairs = [(y, sign) for y, sign in both if y.requires_grad]
            if not pairs or not given:
                return found
            if not adds:
                return found | self._gradients(pairs, given, mode)
            loss = loss + scaler.scale(sum((y * sign).sum() for y, sign in pairs))
            if self.steps and turn + 1 < len(parts):
                continue  # it adds the losses of all its calls
            some = list(given.values())[:: 2 if mode == "for some" else 1]
            loss.backward(retain_graph=True, inputs=some)  # the next may share what is computed
            loss = 0.0
        if mode.startswith("scaled") and _grown(model):
            scaler.unscale_(torch.optim.SGD(_grown(model).values()))
        if mode.endswith("clipped"):
            nn.utils.clip_grad_norm_(given.values(), CLIP)
        grads = {f"gradient of {name}": each.grad for name, each in given.items()}
        for each in given.values():
            each.grad = None
        return found | {name: each for name, each in grads.items() if each is not None}

    def _gradients(self, pairs: Sequence[tuple[Any, Any]], given: Found, mode: str) -> Found:
        ys, signs = zip(*pairs, strict=True)
        before = [each.clone() for each in signs]
        if mode == "batched":
            many = [torch.stack([each, each * 0.5]) for each in signs]
            grads = torch.autograd.grad(
                ys, list(given.values()), many, is_grads_batched=True, allow_unused=True
            )
            named = zip([f"gradient of {name}" for name in given], grads, strict=True)
            return {name: each for name, each in named if each is not None}
        second = mode == "second" and self.lower is None and self.first == torch.float32
        for _ in range(1 + (mode == "twice")):
            grads = torch.autograd.grad(
                ys, list(given.values()), signs, allow_unused=True, create_graph=second,
                retain_graph=True,
            )  # fmt: skip
        found = dict(zip([f"gradient of {name}" for name in given], grads, strict=True))
        more = [each for each in grads if each is not None and each.requires_grad]
        if second and more:
            total = sum(each.square().sum() for each in more)
            grads = torch.autograd.grad(total, list(given.values()), materialize_grads=True)
            found |= zip([f"second gradient of {name}" for name in given], grads, strict=True)
        captured = ys[0].is_cuda and torch.cuda.is_current_stream_capturing()
        if not captured and not all(map(torch.equal, signs, before)):
            raise DiffersError("a gradient that was given has changed")
        return {name: each for name, each in found.items() if each is not None}

    def _step(self, x: Any, theirs: Found) -> Found:
        """Return gradients and statistics of a step, after a look at what the optimizer did."""
        given = _grown(self.own)
        before = {name: each.detach().clone() for name, each in given.items()}
        signs = [each.to(device()) for each in self._signs(theirs)]
        if self.way.scaler.is_enabled():  # of the last step, it is larger
            self.way.scaler.load_state_dict(self.way.scaler.state_dict() | {"scale": SCALE})
        try:
            self.way.step(x, *signs)
        except NotSupportedError as error:
            raise RefusedError(str(error)[:80]) from None
        except RuntimeError as error:
            if "must have same dtype, device, and layout" in str(error):
                raise SkippedError("an optimizer refuses other strides than before") from None
            raise
        grads = {name: each.grad for name, each in given.items()}
        known = [each for each in grads.values() if each is not None]
        leaves_out = self.mode.startswith("scaled") and not all(
            bool(each.isfinite().all()) for each in known
        )
        theirs, right = (each.step(before, grads, leaves_out=leaves_out) for each in self.twins)
        for name, each in given.items():
            compare(f"{name} after the step", each.detach(), theirs[name], right[name])
        found = {f"gradient of {name}": each for name, each in grads.items() if each is not None}
        return found | _statistics(self.own)

    def _signs(self, found: Found) -> list[Any]:
        """Return the gradients that results get, of few bits."""
        kinds = tuple([(y.shape, y.dtype, y.device) for n, y in found.items() if n.startswith("y")])
        if kinds not in self.signs:  # no graph captures copies from the host
            numbers = torch.Generator().manual_seed(self.draw.number("dy"))
            self.signs[kinds] = [
                (torch.randint(-4, 5, shape, generator=numbers) / 2).to(where, kind)
                for shape, kind, where in kinds
            ]
        return self.signs[kinds]


def _of_examples(call: Any) -> Callable[[Any], Any]:
    """Return a call by `torch.vmap`, of one example, which is the whole input."""
    return lambda x: torch.vmap(call)(x[None])


def _in_threads(functions: Sequence[Callable[[], Found]]) -> list[Found]:
    """Return what functions return that are called at the same time."""
    with ThreadPoolExecutor(len(functions)) as pool:
        return [each.result() for each in [pool.submit(each) for each in functions]]


def _in_float64(model: Any) -> Any:
    """Return a copy on the CPU, all of whose tensors are in the order of their axes.

    PyTorch's gradients of group norm with channels last end the process there.
    """
    made = copy.deepcopy(model).cpu().double()
    for each in made.parameters():
        each.data = each.data.contiguous()
    for each in made.modules():
        if isinstance(each, nn.GroupNorm):
            each.register_forward_pre_hook(lambda _, given: (given[0].contiguous(),))
            each.register_forward_hook(lambda _module, _given, y: y.flatten().view(y.shape))
    return made


def _strides(y: Any) -> Any:
    """Return the strides of axes of more than one element."""
    pairs = zip(y.shape, y.stride(), strict=True)
    return torch.tensor([step * (n > 1 and y.numel() > 0) for n, step in pairs])


def _named(name: str, values: Sequence[Any]) -> Found:
    return {f"{name}{place}": each for place, each in enumerate(values)}


def _grown(model: Any) -> Found:
    return {name: each for name, each in model.named_parameters() if each.requires_grad}


def _scaled(model: Any, factor: float) -> Any:
    """Return a copy of a model with other parameters."""
    made = copy.deepcopy(model)
    for each in made.parameters():
        each.data.mul_(factor)
    return made


def _statistics(model: Any) -> Found:
    return {f"buffer {name}": each.detach().clone() for name, each in model.named_buffers()}


def _state(model: Any) -> Callable[[], None]:
    """Return what gives a model back the parameters, buffers and counts that it has now."""
    tensors = [*model.parameters(), *model.buffers()]
    kept = [(each, each.detach().clone()) for each in tensors]
    others = [(each, dict(each._buffers), getattr(each, "count", None)) for each in model.modules()]

    def give() -> None:
        for module, buffers, count in others:
            module._buffers.update(buffers)
            if count is not None:
                module.count = count
        with torch.inference_mode():  # buffers may be of that mode
            for each, values in kept:
                each.copy_(values)

    return give


def _nudged(model: Any, x: Any, unit: float, numbers: Any) -> Any:
    """Return an input that is moved by ulps, after the parameters of a model.

    Equal elements stay equal: the variance of a constant is still zero.
    """

    def moved(each: Any) -> Any:
        found, places = each.detach().unique(return_inverse=True)
        by = torch.randn(found.shape, generator=numbers, dtype=torch.float64)
        return each * (1 + unit * by.to(each.device)[places])

    with torch.no_grad():
        for each in model.parameters():
            each.copy_(moved(each))
    return moved(x)
