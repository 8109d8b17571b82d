"""Drawn networks by each way that the package computes models, beside PyTorch and float64."""

from __future__ import annotations

import contextlib
import copy
import functools
import tempfile
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from cudnn_cffi import ArgumentError, NotSupportedError
from torch.utils._pytree import tree_leaves

from .changes import CHANGES, KEEPING, hooked, laid_last, nothing
from .draw import Draw
from .judge import DiffersError, RefusedError, SkippedError, compare, largest, poison
from .layers import network
from .values import LAYOUTS, device, filled, laid_out, switches, synchronize
from .wrapping import keeps_state

__all__ = ["run"]

nn = torch.nn

TYPES = (torch.float16, torch.float32, torch.bfloat16)
DATA = ("plain", "zeros", "constant", "small_integers", "one_huge", "cancelling", "denormal")

#: The ways to compute a model without gradients, and with them.
INFERENCE = (
    *("fuse", "capture") * 4,
    *("compile", "backend", "convert", "install", "timed", "package", "package", "nested", "both"),
)
TRAINING = (
    *("train", "step", "captured step") * 3,
    *("convert", "backend", "install", "nested", "both"),
)

#: The settings of models that are fused for inference.
SETTINGS: dict[str, dict[str, Any]] = {
    "fuse": {}, "capture": {"capture": True}, "compile": {"compile": True},
    "timed": {"choose": "time"},
}  # fmt: skip

#: Where calls happen; those after the second without a GPU, too.
AROUND = (
    *("here", "copied", "functional", "examples", "inference", "inference input"),
    *("stream", "thread", "threads", "streams", "graph"),
)

#: Where steps are computed.
AROUND_STEPS = "here", "stream", "thread"

#: Where a model is called more than once.
AGAIN = "threads", "streams", "graph"

#: Maximum error of a result, in errors of PyTorch in the same type or of moved inputs, by the root
#: of the mean square, and how often inputs and parameters are moved by an ulp for that.
FACTOR, NUDGES = 3.0, 3

#: Movement of results by ulps, relative to them, from which on a gradient tells nothing.
CHAOS = 0.05

RATE = 0.125

#: Optimizers of a step; one that counts on the host, too.
OPTIMIZERS: tuple[Callable[[Any], Any], ...] = (
    lambda given: torch.optim.SGD(given, RATE),
    lambda given: torch.optim.SGD(given, RATE, 0.5, weight_decay=0.125, nesterov=True),
    lambda given: torch.optim.SGD(given, RATE, maximize=True, foreach=True),
    lambda given: torch.optim.Adam(given, RATE, eps=1e-3, capturable=given[0].is_cuda),
    lambda given: torch.optim.AdamW(given, RATE, eps=1e-3),
)

#: Errors of a network that is wrong itself, or of PyTorch: attention without elements has no result.
_PYTHON = ValueError, TypeError, AttributeError, AssertionError

Found = dict[str, Any]


class _Way:
    """A way to compute a model.

    Attributes:
        call: computes it.
        around: the context of calls.
        step: computes a step of training; None for ways that have none.
        optimizer: of the step.
    """

    optimizer: Any

    def __init__(self, how: str, model: Any, optimizer: Callable[[Any], Any]) -> None:
        from cudnn_cffi.torch import backend, convert, fuse, install

        self.call: Any = model
        self.around: Any = contextlib.nullcontext
        self.step: Any = None
        if how in SETTINGS:
            self.call = fuse(model, **SETTINGS[how])
        elif how == "backend":
            torch._dynamo.reset()
            self.call = torch.compile(model, backend=backend)
        elif how == "convert":
            convert(model, everything=True, fallback="silent")
        elif how == "install":
            self.around = install
        elif how == "package":
            self.call = _Packaged(model)
        elif how == "nested":
            for place in range(0, len(model.steps), 2):
                model.steps[place] = fuse(model.steps[place], training=model.training)
        elif how == "both":
            convert(model, everything=True, fallback="silent")
            self.call = fuse(model, training=model.training)
        else:
            self.call = fuse(model, training=True, capture=how == "captured step")
            if "step" in how:
                grown = [each for each in model.parameters() if each.requires_grad]
                if not grown:
                    raise SkippedError("no gradients")
                self.optimizer = optimizer(grown)
                self.step = self.call.step(self._loss, self.optimizer)

    def _loss(self, x: Any, *signs: Any) -> Any:
        pairs = zip(_tensors(self.call(x)), signs, strict=True)
        found = [(y * sign).float().sum() for y, sign in pairs if y.requires_grad]
        if not found:
            raise SkippedError("no gradients")
        return sum(found)


class _Twin:
    """An optimizer of PyTorch's, of copies of parameters in another type."""

    def __init__(self, make: Callable[[Any], Any], like: Found, kind: Any) -> None:
        self.own = {name: each.detach().to(kind, copy=True) for name, each in like.items()}
        self.optimizer = make(list(self.own.values()))

    def step(self, before: Found, grads: Found) -> Found:
        """Return the parameters after a step from others."""
        for name, each in self.own.items():
            each.copy_(before[name])
            each.grad = None if grads[name] is None else grads[name].to(each.dtype)
        self.optimizer.step()
        return self.own


class _Packaged:
    """A model as a file, which is written anew for each input."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, x: Any) -> Any:
        from cudnn_cffi import load_network
        from cudnn_cffi.torch import package

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.net"
            try:
                package(self.model, x, path)
            except (ArgumentError, NotSupportedError) as error:
                raise RefusedError(str(error)[:80]) from None
            return load_network(path)(x)


def run(draw: Draw) -> str:
    """Compute a network several times with inputs of two kinds, and change it in between."""
    training = draw.pick("mode", ("inference", "training"), subject=True) == "training"
    hows = TRAINING if training else INFERENCE
    how = draw.pick("how", hows, subject=True)
    if device() == "cpu" and how in ("captured step", "install", "package"):
        raise SkippedError("no GPU")
    kind = draw.pick("dtype", TYPES)
    # Under autocast, parameters are float32.
    wide = kind != torch.float32 and (
        training or (how != "package" and draw.pick("autocast", (False, True), 0.6))
    )
    exact, shape = network(draw)
    if not exact.steps:
        raise SkippedError("no layers")
    _set_modes(draw, exact.train(training))
    own = exact.to(torch.float32 if wide else kind).to(device())
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
        self.training = own.training
        make = draw.pick("optimizer", OPTIMIZERS, 0.3)
        self.way = _Way(how, own, make)
        steps = self.way.step is not None
        self.twins = [_Twin(make, _grown(own), kind) for kind in (None, torch.float64) if steps]
        self.around = draw.pick("around", AROUND_STEPS if steps else AROUND, 0.4)
        unfit = (device() == "cpu" and self.around not in AROUND[:4]) or (
            self.around in AGAIN and (self.training or keeps_state(own))
        )
        if unfit or (how == "package" and self.around in ("functional", "examples")):
            self.around = AROUND[0]
        if self.around == "copied" and hasattr(self.way.call, "original"):
            self.way.call = copy.deepcopy(self.way.call)
            self.own = self.way.call.original

    def run(self, shape: Sequence[int]) -> None:
        """Call it several times, and compare each."""
        for turn in range(self.draw.pick("turns", (4, 2, 3))):
            if turn == 2:
                self._change()
            self._turn(turn, list(shape))

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
        if self.way.step and self.draw.pick("slower", (False, True)):
            for optimizer in (self.way.optimizer, *[each.optimizer for each in self.twins]):
                for group in optimizer.param_groups:
                    group["lr"] *= 0.5

    def _turn(self, turn: int, shape: list[int]) -> None:
        draw, first = self.draw, torch.float32 if self.wide else self.kind
        grows = self.training and not self.way.step and draw.pick("input_grows", (False, True))
        others = ("same", "batch", "width", "empty") if turn % 2 else ("same",)
        other = draw.pick(f"shape{turn % 2}", others, 0.4)
        shape[0] = {"batch": shape[0] + 2, "empty": 0}.get(other, shape[0])
        shape[-1] += 8 * (other == "width")
        numbers = torch.Generator().manual_seed(draw.number(f"x{turn}"))
        values = torch.randn(shape, generator=numbers, dtype=torch.float64)
        data = DATA if self.training else (*DATA, "nan", "infinity")
        values = filled(values, draw.pick("x_data", data, 0.7), draw.chance("x_values"), first)
        layout = draw.pick("x_layout", LAYOUTS, 0.2)

        def given(kind: Any, where: str) -> Any:
            made = laid_out(values.to(where, kind), layout, draw.chance("x_layout"))
            return made.requires_grad_(grows)

        # PyTorch's gradients of group norm with channels last end the process on the CPU.
        x = given(torch.float64, "cpu").detach().contiguous().requires_grad_(grows)
        theirs_x = given(first, device())
        with torch.inference_mode(self.around == "inference input" and not self.training):
            mine = given(first, device())
        plain = self._copy()
        again, wide = copy.deepcopy(plain), _in_float64(plain)
        exact = copy.deepcopy(wide)
        unit = torch.finfo(self.kind).eps
        before = x.detach().clone()
        try:
            right = self._call(exact, x, exact)
            with switches(), self._cast():
                theirs = self._call(plain, theirs_x, plain)
        except (RuntimeError, LookupError, *_PYTHON) as error:
            raise SkippedError(f"PyTorch: {str(error)[:80]}") from None

        def moved(unit: float) -> Found:
            model = copy.deepcopy(wide)
            nudged = _nudged(model, before, unit, numbers).requires_grad_(grows)
            return self._call(model, nudged, model)

        near = [moved(unit) for _ in range(NUDGES)]
        poison()
        flags = torch.backends.cudnn.flags(
            draw.pick(f"enabled{turn % 2}", (True, False), 0.85),
            draw.pick("benchmark", (False, True), 0.9),
            deterministic=draw.pick("deterministic", (False, True), 0.8), allow_tf32=False,
        )  # fmt: skip
        with flags, self.way.around(), self._cast():
            if self.way.step:
                ours = self._step(mine, theirs)
            else:
                empty = not mine.numel()
                ours = self._within(lambda: self._call(self.way.call, mine, self.own), empty=empty)
        synchronize()
        told = "gradient", "buffer"  # by a step
        wanted = {each for each in right if not self.way.step or each.startswith(told)}
        if ours.keys() != wanted:
            raise DiffersError(f"it has {sorted(ours.keys() ^ wanted)} more or less")
        for results, each in ((right, x), (theirs, theirs_x), (ours, mine)):
            results["x"] = each.detach()
        grads = [_root(each) for name, each in right.items() if "gradient" in name]

        def judge(name: str, theirs: Found, near: Sequence[Found]) -> None:
            _judge(
                f"{name} of call {turn + 1}", ours[name], theirs[name], right[name],
                [each.get(name, right[name]) for each in near], largest(before), unit,
                max(grads, default=0.0),
            )  # fmt: skip

        wrong = []
        for name in ours:
            try:
                judge(name, theirs, near)
            except DiffersError:
                wrong.append(name)
        if wrong:  # PyTorch's calls of cuDNN may be as far, and other inputs that are near
            with switches(by_cudnn=True), self._cast():
                third = given(first, device())
                theirs = self._call(again, third, again) | {"x": third.detach()}
            near += [moved(unit * step) for step in (1, 2, 4) for _ in range(NUDGES)]
            for name in wrong:
                judge(name, theirs, near)

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
        return torch.autocast(device(), self.kind, enabled=self.wide)

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
        if self.around == "graph" and not self.training and not empty:
            function()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                found = function()
            graph.replay()
            return {name: each.clone() for name, each in found.items()}
        return function()

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
            call = functools.partial(torch.func.functional_call, call, named)
        if self.around == "examples" and not self.training:
            call = _of_examples(call)
        if not self.training:
            with torch.inference_mode() if self.around == "inference" else torch.no_grad():
                return _named("y", _tensors(call(inside)))
        given = _grown(model) | ({"input": x} if x.requires_grad else {})
        ys = _tensors(call(inside))
        found = _named("y", [each.detach().clone() for each in ys])
        both = zip(ys, self._signs(found), strict=True)
        pairs = [(y, sign.to(y.device)) for y, sign in both if y.requires_grad]
        if pairs and given:
            found |= self._gradients(pairs, given)
        return found | _statistics(model)

    def _gradients(self, pairs: Sequence[tuple[Any, Any]], given: Found) -> Found:
        ys, signs = zip(*pairs, strict=True)
        before = [each.clone() for each in signs]
        mode = self.draw.pick("backward", ("once", "twice", "second"), 0.7)
        second = mode == "second" and self.kind == torch.float32
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
        if not all(map(torch.equal, signs, before)):
            raise DiffersError("a gradient that was given has changed")
        return {name: each for name, each in found.items() if each is not None}

    def _step(self, x: Any, theirs: Found) -> Found:
        """Return gradients and statistics of a step, after a look at what the optimizer did."""
        given = _grown(self.own)
        before = {name: each.detach().clone() for name, each in given.items()}
        signs = [each.to(device()) for each in self._signs(theirs)]
        try:
            self.way.step(x, *signs)
        except NotSupportedError as error:
            raise RefusedError(str(error)[:80]) from None
        grads = {name: each.grad for name, each in given.items()}
        theirs, right = (each.step(before, grads) for each in self.twins)
        for name, each in given.items():
            compare(f"{name} after the step", each.detach(), theirs[name], right[name])
        found = {f"gradient of {name}": each for name, each in grads.items() if each is not None}
        return found | _statistics(self.own)

    def _signs(self, found: Found) -> list[Any]:
        """Return the gradients that results get, of few bits."""
        numbers = torch.Generator().manual_seed(self.draw.number("dy"))
        return [
            (torch.randint(-4, 5, y.shape, generator=numbers) / 2).to(y.dtype)
            for name, y in found.items()
            if name.startswith("y")
        ]


def _tensors(results: Any) -> list[Any]:
    """Return the tensors of results; all else has to be what networks return.

    Raises:
        DiffersError: it is not.
    """
    found = tree_leaves(results)
    others = [each for each in found if not isinstance(each, torch.Tensor)]
    if others not in ([], [None], [3, "text"]):
        raise DiffersError(f"it returns {others}")
    return [each for each in found if isinstance(each, torch.Tensor)]


def _of_examples(call: Any) -> Callable[[Any], Any]:
    """Return a call by `torch.vmap`, of one example, which is the whole input."""
    return lambda x: torch.vmap(call)(x[None])


def _in_threads(functions: Sequence[Callable[[], Found]]) -> list[Found]:
    """Return what functions return that are called at the same time."""
    with ThreadPoolExecutor(len(functions)) as pool:
        return [each.result() for each in [pool.submit(each) for each in functions]]


def _in_float64(model: Any) -> Any:
    """Return a copy on the CPU, all of whose tensors are in the order of their axes."""
    made = copy.deepcopy(model).cpu().double()
    for each in made.parameters():
        each.data = each.data.contiguous()
    return made


def _named(name: str, values: Sequence[Any]) -> Found:
    return {f"{name}{place}": each for place, each in enumerate(values)}


def _grown(model: Any) -> Found:
    return {name: each for name, each in model.named_parameters() if each.requires_grad}


def _statistics(model: Any) -> Found:
    return {f"buffer {name}": each.detach().clone() for name, each in model.named_buffers()}


def _nudged(model: Any, x: Any, unit: float, numbers: Any) -> Any:
    """Return an input that is moved by ulps, after the parameters of a model."""

    def moved(each: Any) -> Any:
        return each * (1 + unit * torch.randn(each.shape, generator=numbers, dtype=torch.float64))

    with torch.no_grad():
        for each in model.parameters():
            each.copy_(moved(each))
    return moved(x)


def _root(x: Any) -> float:
    """Return the root of the mean square."""
    return float(x.square().mean().sqrt().nan_to_num(0, 0, 0)) if x.numel() else 0.0


def _judge(
    name: str, y: Any, theirs: Any, exact: Any, moved: Sequence[Any], size: float, unit: float,
    top: float,
) -> None:  # fmt: skip
    """Compare a result as `compare` does, and by the root of the mean square of all errors.

    Args:
        name: of the result.
        y, theirs, exact: it, PyTorch's in the same type, and in float64.
        moved: in float64, of inputs and parameters that were moved by an ulp.
        size: the largest number of the inputs.
        unit: the ulp.
        top: the largest root of the mean square of a gradient.
    """
    y, theirs, exact, *moved = (each.detach().cpu() for each in (y, theirs, exact, *moved))
    is_gradient = "gradient" in name
    if (y.shape, y.dtype) != (theirs.shape, theirs.dtype):
        raise DiffersError(
            f"{name} is {y.dtype} {tuple(y.shape)}, expected {theirs.dtype} {tuple(theirs.shape)}"
        )
    if not is_gradient:
        far = max(moved, key=lambda each: _root((each - exact).double().nan_to_num()))
        compare(name, y, theirs, exact, far, size, unit)
    if not y.is_floating_point() or not y.numel():
        return
    y, theirs = y.double(), theirs.double()
    judged = torch.stack([each.isfinite() for each in (theirs, exact, *moved)]).all(0)
    if not judged.any() or (is_gradient and not judged.all()):
        return  # a gradient that overflows does so in other places, too
    if lost := int((judged & ~y.isfinite()).sum()):
        raise DiffersError(f"{name}: {lost} of {y.numel()} are not finite")
    ours, other = (_root((each - exact)[judged]) for each in (y, theirs))
    by = max(_root((each - exact)[judged]) for each in moved)
    scale = _root(exact[judged]) + (top if is_gradient else 0.0)
    if is_gradient and not y.any() and theirs.any() and by < 0.5 * _root(exact):
        raise DiffersError(f"{name} is zero, expected about {_root(exact):.3g}")
    # Engines sum in other orders than PyTorch, which norms of few elements make larger.
    least = (256 if unit < 1e-5 else 4) * unit * scale + torch.finfo(torch.float32).tiny
    if ours > FACTOR * max(other, by) + least and by < CHAOS * scale:
        raise DiffersError(
            f"{name}: error {ours:.3g}, PyTorch's {other:.3g}, moved {by:.3g}, scale {scale:.3g}"
        )
