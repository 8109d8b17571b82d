"""Drawn networks by each way that the package computes models, beside PyTorch and float64."""

from __future__ import annotations

import contextlib
import copy
import threading
import warnings
from collections.abc import Callable
from typing import Any

import torch
from cudnn_cffi import NotSupportedError
from torch.utils._pytree import tree_leaves

from .draw import Draw
from .judge import DiffersError, RefusedError, SkippedError, compare, largest, poison
from .layers import network
from .values import LAYOUTS, device, filled, laid_out, switches, synchronize

__all__ = ["run"]

TYPES = (torch.float16, torch.float32, torch.bfloat16)
DATA = ("plain", "zeros", "constant", "small_integers", "one_huge", "cancelling", "denormal")

#: The ways to compute a model without gradients, and those with.
INFERENCE = (*("fuse", "capture") * 4, "compile", "backend", "convert", "install", "timed")
TRAINING = (*("train", "step", "captured step") * 3, "convert", "backend", "install")

#: The most that the error of a result may be, in errors of PyTorch in the same type, by the root of the mean square.
FACTOR = 3.0

#: How often inputs and parameters are moved by an ulp.
NUDGES = 3


# What happens to a model between two calls: each takes the model in its data type.


def _nothing(model: Any, chance: Any) -> None:
    pass


def _scaled(model: Any, chance: Any) -> None:
    for each in model.parameters():
        each.mul_(1.25)


def _by_data(model: Any, chance: Any) -> None:
    for each in model.parameters():
        each.data = each.data * 0.75


def _under(model: Any, chance: Any) -> None:
    for each in model.parameters():
        each.data.add_(0.125)


def _loaded(model: Any, chance: Any) -> None:
    model.load_state_dict({name: each * 0.5 if each.is_floating_point() else each
                           for name, each in model.state_dict().items()})  # fmt: skip


def _assigned(model: Any, chance: Any) -> None:
    model.load_state_dict(
        {name: each * 0.5 if each.is_floating_point() else each + 1
         for name, each in model.state_dict().items()}, assign=True,
    )  # fmt: skip


def _statistics(model: Any, chance: Any) -> None:
    for name, each in model.named_buffers():
        if each.is_floating_point() and name.endswith(("mean", "var")):
            each.mul_(1.5).add_(0.25)


def _replaced(model: Any, chance: Any) -> None:
    for each in model.modules():
        for name, own in list(each._parameters.items()):
            if own is not None:
                setattr(each, name, torch.nn.Parameter(own.detach() * 0.75, own.requires_grad))


def _swapped(model: Any, chance: Any) -> None:
    for parent in list(model.modules()):
        for name, each in list(parent._modules.items()):
            if isinstance(each, (torch.nn.ReLU, torch.nn.SiLU, torch.nn.GELU)):
                setattr(parent, name, torch.nn.Tanh())
            elif isinstance(each, torch.nn.BatchNorm2d):
                setattr(parent, name, torch.nn.Identity())


def _hooked(model: Any, chance: Any) -> None:
    steps = list(model.steps)
    if steps:
        chance.choice(steps).register_forward_hook(lambda module, given, y: y * 2)


def _optimized(model: Any, chance: Any) -> None:
    grown = [each for each in model.parameters() if each.is_floating_point()]
    if not grown:
        return
    kept = [each.requires_grad for each in grown]
    for each in grown:
        each.requires_grad_(True)
        each.grad = torch.ones_like(each)
    fused = grown[0].is_cuda
    torch.optim.SGD(grown, 0.125, **({"fused": True} if fused else {})).step()
    for each, need in zip(grown, kept, strict=True):
        each.grad = None
        each.requires_grad_(need)


def _laid(model: Any, chance: Any) -> None:
    with contextlib.suppress(RuntimeError):
        model.to(memory_format=torch.channels_last)


#: Where calls happen.
AROUND = ("here", "stream", "thread", "graph", "inference", "copied")

CHANGES: tuple[Callable[[Any, Any], None], ...] = (
    *(_nothing, _scaled, _by_data, _under, _loaded, _assigned, _statistics, _replaced, _swapped),
    *(_hooked, _optimized, _laid),
)


class _Way:
    """A way to compute a model: its settings, and what one call gives."""

    def __init__(self, how: str, model: Any, training: bool) -> None:
        from cudnn_cffi.torch import backend, convert, fuse, install

        self.around: Any = contextlib.nullcontext
        if how in ("train", "step", "captured step"):
            self.call = fuse(model, training=True, capture=how == "captured step")
            grown = [each for each in model.parameters() if each.requires_grad]
            self.optimizer = torch.optim.SGD(grown or [torch.nn.Parameter(torch.zeros(1, device=device()))], 0.125)
            if "step" in how:
                self.one = self.call.step(self.loss, self.optimizer)
        elif how == "backend":
            torch._dynamo.reset()
            self.call = torch.compile(model, backend=backend)
        elif how == "convert":
            self.call = model
            convert(model, everything=True, fallback="silent")
        elif how == "install":
            self.call, self.around = model, install
        else:
            settings: dict[str, Any] = {
                "capture": {"capture": True}, "compile": {"compile": True}, "timed": {"choose": "time"},
            }.get(how, {})  # fmt: skip
            self.call = fuse(model, **settings)


    def loss(self, x: Any, *signs: Any) -> Any:
        ys = zip(tree_leaves(self.call(x)), signs, strict=True)
        return sum((y * sign).float().sum() for y, sign in ys if y.requires_grad)

    def step(self, model: Any, x: Any, signs: Any) -> dict[str, Any]:
        """Return gradients and statistics of a step, after a look at what the optimizer did."""
        given = {name: each for name, each in model.named_parameters() if each.requires_grad}
        if not given:
            raise SkippedError("no gradients")
        before = {name: each.detach().clone() for name, each in given.items()}
        self.one(x, *signs)
        found = {}
        for name, each in given.items():
            if each.grad is not None:
                found[f"gradient of {name}"] = each.grad.clone()
                compare(f"{name} after the step", each.detach().cpu(), None, (before[name] - 0.125 * each.grad).cpu().double())
        return found | {f"buffer {name}": each.detach().clone() for name, each in model.named_buffers()}


def run(draw: Draw) -> str:
    """Compute a network several times with inputs of two kinds, and change it in between."""
    training = draw.pick("mode", ("inference", "training"), subject=True) == "training"
    hows = TRAINING if training else INFERENCE
    if device() == "cpu":
        hows = tuple(each for each in hows if each not in ("captured step", "install"))
    how = draw.pick("how", hows, subject=True)
    kind = draw.pick("dtype", TYPES)
    wide = kind != torch.float32 and (training or draw.pick("autocast", (False, True), 0.6))
    exact, shape = network(draw)
    exact.train(training)
    for each in exact.modules():
        if isinstance(each, torch.nn.Dropout):
            each.p = 0.0
    if training and draw.pick("frozen", (False, True), 0.7):
        chance = draw.chance("frozen")
        for each in exact.parameters():
            each.requires_grad_(chance.random() < 0.6)
    if draw.pick("eval_norms", (False, True), 0.8):
        for each in exact.modules():
            if isinstance(each, torch.nn.modules.batchnorm._BatchNorm) and each.track_running_stats:
                each.eval()
    if not training:
        exact.requires_grad_(draw.pick("grown", (False, True)))
    if not exact.steps:
        raise SkippedError("no layers")
    own = exact.to(torch.float32 if wide else kind).to(device())
    if draw.pick("weights_last", (False, True)):
        _laid(own, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _turns(draw, how, own, kind, wide, training, shape)
    return ""


def _turns(draw: Draw, how: str, own: Any, kind: Any, wide: bool, training: bool, shape: Any) -> None:
    from cudnn_cffi.torch import convert

    way = _Way(how, own, training)
    around = draw.pick("around", AROUND, 0.5)
    around = around if device() != "cpu" or around == "copied" else "here"
    if around == "copied" and hasattr(way.call, "original"):
        if "step" not in how:
            way.call = copy.deepcopy(way.call)
            own = way.call.original
    cast = lambda: torch.autocast(device(), kind, enabled=wide)  # noqa: E731
    for turn in range(draw.pick("turns", (4, 2, 3))):
        if turn == 2:
            change = draw.pick("change", CHANGES, 0.2)
            if change is _hooked and how == "backend" or change in (_replaced, _assigned) and "step" in how:
                change = _nothing  # what compiled models and optimizers do not look at
            with torch.no_grad():
                change(own, draw.chance("change"))
        grows = training and "step" not in how and draw.pick("input_grows", (False, True))
        other = draw.pick("shape1", ("same", "batch", "width", "empty"), 0.4) if turn % 2 else "same"
        sizes = list(shape)
        sizes[0] = {"batch": sizes[0] + 2, "empty": 0}.get(other, sizes[0])
        sizes[-1] += 8 * (other == "width")
        x = torch.randn(sizes, generator=torch.Generator().manual_seed(draw.number(f"x{turn}")), dtype=torch.float64)
        data = DATA if training else (*DATA, "nan", "infinity")
        x = filled(x, draw.pick("x_data", data, 0.7), draw.chance("x_values"), torch.float32 if wide else kind)
        layout = draw.pick("x_layout", LAYOUTS, 0.2)

        def given(kind: Any, where: str, x: Any = x, layout: str = layout) -> Any:
            made = laid_out(x.to(where, kind), layout, draw.chance("x_layout"))
            return made.requires_grad_(grows)

        first = torch.float32 if wide else kind
        x = given(torch.float64, "cpu").detach()
        try:
            plain = copy.deepcopy(own)
        except RuntimeError as error:  # weights that were computed with a gradient
            raise SkippedError(f"no copy: {str(error)[:60]}") from None
        if how == "convert":
            convert(plain, back=True)
        exact, *nudged = (copy.deepcopy(plain).cpu().double() for _ in range(1 + NUDGES))
        try:
            right = _call(exact, x.clone().requires_grad_(grows), training, draw)
            with switches(), cast():
                mine = given(first, device())
                theirs = _call(plain, mine, training, draw)
        except (RuntimeError, ValueError, TypeError, IndexError, AssertionError) as error:
            raise SkippedError(f"PyTorch: {str(error)[:80]}") from None
        unit = torch.finfo(kind).eps
        numbers = torch.Generator().manual_seed(draw.number(f"moved{turn}"))
        shifted = [_call(each, _nudged(each, x, unit, numbers).requires_grad_(grows), training, draw) for each in nudged]
        ours_x = given(first, device())
        poison()
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False), way.around(), cast():
            if "step" in how:
                signs = [each.to(device()) for each in _signs(draw, theirs)]
                try:
                    ours = way.step(own, ours_x, signs)
                except NotSupportedError as error:
                    raise RefusedError(str(error)[:80]) from None
            else:
                ours = _within(around, training, lambda: _call(way.call, ours_x, training, draw, own, around))
        synchronize()
        right["x"], theirs["x"], ours["x"] = x, mine.detach(), ours_x.detach()
        if ours.keys() != right.keys() and "step" not in how:
            raise DiffersError(f"it has {sorted(ours.keys() ^ right.keys())} more or less")
        size = largest(x)
        grads = [each.square().mean().sqrt().nan_to_num(0, 0, 0) for name, each in right.items()
                 if "gradient" in name and each.numel()]  # fmt: skip
        top = float(max(grads, default=0.0))  # of which those that cancel have an error
        for name, y in ours.items():
            moved = [each.get(name, right[name]) for each in shifted]
            _judge(f"{name} of call {turn + 1}", y, theirs[name], right[name], moved, size, unit, top)


def _nudged(model: Any, x: Any, unit: float, numbers: Any) -> Any:
    """Return an input that is moved by ulps, after the parameters of a model."""
    with torch.no_grad():
        for each in model.parameters():
            each.mul_(1 + unit * torch.randn(each.shape, generator=numbers, dtype=torch.float64))
    return x * (1 + unit * torch.randn(x.shape, generator=numbers, dtype=torch.float64))


def _within(around: str, training: bool, function: Callable[[], Any]) -> Any:
    """Call a function on another stream or thread, or replay what it did in a CUDA graph."""
    if around == "stream":
        stream, own = torch.cuda.Stream(), torch.cuda.current_stream()
        stream.wait_stream(own)
        with torch.cuda.stream(stream):
            found = function()
        own.wait_stream(stream)
        return found
    if around == "thread":
        found = []
        flags, lower = torch.is_autocast_enabled(), torch.get_autocast_gpu_dtype()

        def work() -> None:
            with torch.autocast("cuda", lower, enabled=flags):
                found.append(function())

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if not found:
            raise DiffersError("an error in a thread")
        return found[0]
    if around == "graph" and not training:
        function()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = function()
        graph.replay()
        return {name: each.clone() for name, each in found.items()}
    return function()


def _call(
    call: Any, x: Any, training: bool, draw: Draw, model: Any = None, around: str = "here"
) -> dict[str, Any]:
    """Return results, gradients and statistics by name."""
    model = call if model is None else model
    inside = x * 1.0 if x.requires_grad else x
    if not training:
        with torch.inference_mode() if around == "inference" else torch.no_grad():
            return {f"y{i}": each for i, each in enumerate(tree_leaves(call(inside)))}
    given = {name: each for name, each in model.named_parameters() if each.requires_grad}
    if x.requires_grad:
        given["input"] = x
    ys = [each for each in tree_leaves(call(inside))]
    found = {f"y{i}": each.detach().clone() for i, each in enumerate(ys)}
    pairs = zip(ys, _signs(draw, found), strict=True)
    grown = [(y, sign.to(y.device)) for y, sign in pairs if y.requires_grad]
    if grown and given:
        ys, signs = zip(*grown, strict=True)
        before = [each.clone() for each in signs]
        twice = draw.pick("backward", ("once", "twice", "second"), 0.7)
        second = twice == "second" and draw.pick("dtype", TYPES) == torch.float32
        more = {"allow_unused": True, "create_graph": second, "retain_graph": twice != "once"}
        grads = torch.autograd.grad(ys, list(given.values()), signs, **more)
        if twice == "twice":
            grads = torch.autograd.grad(ys, list(given.values()), signs, allow_unused=True)
        found |= {f"gradient of {name}": each for name, each in zip(given, grads) if each is not None}
        if second and any(each is not None and each.requires_grad for each in grads):
            total = sum(each.square().sum() for each in grads if each is not None and each.requires_grad)
            grads = torch.autograd.grad(total, list(given.values()), allow_unused=True)
            found |= {f"second gradient of {name}": each for name, each in zip(given, grads) if each is not None}
        for each, other in zip(signs, before, strict=True):
            if not torch.equal(each, other):
                raise DiffersError("a gradient that was given has changed")
    for name, each in model.named_buffers():
        found[f"buffer {name}"] = each.detach().clone()
    return found


def _signs(draw: Draw, ys: dict[str, Any]) -> list[Any]:
    """Return gradients of results."""
    numbers = torch.Generator().manual_seed(draw.number("dy"))
    numbers_of = lambda y: torch.randint(-4, 5, y.shape, generator=numbers) / 2  # noqa: E731
    return [numbers_of(y).to(y.dtype) for name, y in ys.items() if name[0] == "y"]


def _judge(name: str, y: Any, theirs: Any, exact: Any, moved: Any, size: float, unit: float, top: float) -> None:
    """Compare a result as `compare` does, and by the root of the mean square of all errors.

    Where numbers that move by an ulp move results far, nothing is told of a gradient.
    """
    y, theirs = y.detach().cpu(), theirs.detach().cpu()
    is_gradient = "gradient" in name
    if not is_gradient:
        far = max(moved, key=lambda each: float((each.detach() - exact.detach()).abs().nan_to_num().sum()))
        compare(name, y, theirs, exact, far, size, unit)
    elif y.shape != theirs.shape or y.dtype != theirs.dtype:
        raise DiffersError(f"{name} is {y.dtype} {tuple(y.shape)}, expected {theirs.dtype} {tuple(theirs.shape)}")
    if not y.is_floating_point() or not y.numel():
        return
    y, theirs, exact, *moved = (each.detach().double() for each in (y, theirs, exact, *moved))
    judged = theirs.isfinite() & exact.isfinite()
    for each in moved:
        judged &= each.isfinite()
    if is_gradient and not bool(judged.all()):
        return  # what overflows is infinite in other places, too
    if not bool((y.isfinite() | ~judged).all()):
        raise DiffersError(f"{name}: {int((judged & ~y.isfinite()).sum())} of {y.numel()} are not finite")
    if not bool(judged.any()):
        return
    root = lambda each: float(each[judged].square().mean().sqrt())  # noqa: E731
    ours, other, scale = root(y - exact), root(theirs - exact), root(exact)
    by = max(root(each - exact) for each in moved)
    # Engines sum in other orders, which norms of few elements make larger.
    ulps = 256 if unit < 1e-5 else 4
    least = ulps * unit * (scale + (top if is_gradient else 0.0))
    if ours > FACTOR * max(other, by) + least + 1e-30 and by < 0.05 * max(scale, top * is_gradient):
        raise DiffersError(f"{name}: error {ours:.3g}, PyTorch's {other:.3g}, moved {by:.3g}, scale {scale:.3g}")
