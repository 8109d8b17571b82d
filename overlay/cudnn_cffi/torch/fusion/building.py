"""Compute a part for arrays of one kind: by a plan of cuDNN's, or PyTorch's own functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from torch import Tensor
from torch.nn import functional

from ... import choice, errata, errors, ops
from ..._operation.way_search import on_device
from ..._support.arguments import boolean
from ...arrays import same_strides
from ...choice import measured, policy, policy_words
from ...choice.build import build_recorded
from ...choice.filters import MODES
from ...choice.store import keys
from ...choice.store.plan_cache import is_enabled
from ...choice.tune import later
from ...errata.asks import engines_wrong_restored, errata_of
from ..autograd import switches
from .norms import Scale
from .trace.windows import Window

if TYPE_CHECKING:
    from torch.nn.modules.conv import _ConvNd

    from ..._ways.signatures import ActivationWord, Device
    from ...choice.policy import Choose
    from ...errata.record import Call
    from ...handles import Handle
    from ...plan import Plan
    from ...types import Array
    from .parts import Part
    from .trace.words import Activation


def _gelu(x: Tensor, _: object) -> Tensor:
    return torch._C._nn.gelu(x, out=x)


def _gelu_tanh(x: Tensor, _: object) -> Tensor:
    return torch._C._nn.gelu(x, approximate="tanh", out=x)


#: The function that computes each activation in place; its words are those of `ops.Activation`.
ACTIVATIONS: dict[str, Callable[[Tensor, float | None], Tensor]] = {
    "relu": lambda x, _: torch.relu_(x),
    "clipped_relu": lambda x, most: functional.hardtanh_(x, 0.0, most or 0.0),
    "leaky_relu": lambda x, slope: functional.leaky_relu_(x, slope or 0.0),
    "sigmoid": lambda x, _: torch.sigmoid_(x),
    "tanh": lambda x, _: torch.tanh_(x),
    "elu": lambda x, alpha: functional.elu_(x, alpha or 0.0),
    "swish": lambda x, _: functional.silu(x, inplace=True),
    "hard_swish": lambda x, _: functional.hardswish(x, inplace=True),
    "hard_sigmoid": lambda x, _: functional.hardsigmoid(x, inplace=True),
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
}

#: The activations that a convolution of cuDNN's has without a compiler, and may have. Engine 0 has
#: more of them, but no tensor cores. To ask for them in vain takes 0.2 s for each shape.
_PRECOMPILED = ("relu",)
_FUSED = (
    "relu", "clipped_relu", "leaky_relu", "sigmoid", "tanh", "elu", "swish", "gelu", "gelu_tanh",
)  # fmt: skip

_FUNCTIONS: dict[int, Callable[..., Tensor]] = {
    3: functional.conv1d,
    4: functional.conv2d,
    5: functional.conv3d,
}

_TRANSPOSED: dict[int, Callable[..., Tensor]] = {
    3: functional.conv_transpose1d,
    4: functional.conv_transpose2d,
    5: functional.conv_transpose3d,
}

#: Maximum number of candidates that are timed for a part: heuristics put good ones first.
_MOST = 20

#: Required precision of the median of the fastest.
_PRECISION = 0.03


class Settings(NamedTuple):
    """The settings of fusing a model; see `fuse`."""

    choose: Choose = None
    capture: bool = False
    compile: bool = False
    seconds: float = 8.0
    shapes: int = 16
    narrow: Any = None  # what has layers computed with 8 bits, of `eight`

    def check(self) -> Settings:
        """Return these settings.

        Raises:
            ArgumentError: one is not understood.
        """
        policy.to_policy(self.choose)
        capture, compile = boolean(self.capture, "capture"), boolean(self.compile, "compile")
        if not isinstance(self.seconds, (int, float)):
            raise errors.ArgumentError(f"seconds: expected a number, got {self.seconds!r}")
        if not isinstance(self.shapes, int) or self.shapes < 1:
            raise errors.ArgumentError(f"shapes: expected a number from 1 on, got {self.shapes!r}")
        return self._replace(capture=capture, compile=compile)


class Way(NamedTuple):
    """The computation of a part.

    Attributes:
        run: a function of x, filters, bias, residual (those that there are), and the output; it
            returns the output, a new one where none was given. None for PyTorch's functions.
        text: for reports.
        why: why it is not a plan, or not one for all of the part.
        residual, activation: whether it has those of the part, or they follow.
        pools: whether it has the max pooling after the part, too.
    """

    run: Callable[..., Tensor] | None
    text: str
    why: str = ""
    residual: bool = False
    activation: bool = False
    pools: bool = False


def padding_of(layer: _ConvNd) -> tuple[int, ...] | tuple[tuple[int, int], ...]:
    """Return the padding as `ops.Convolution` takes it."""
    if layer.padding == "valid":
        return (0,) * len(layer.kernel_size)
    if layer.padding == "same":
        pairs = []
        for extent, step in zip(layer.kernel_size, layer.dilation, strict=True):
            total = step * (extent - 1)
            pairs.append((total // 2, total - total // 2))
        return tuple(a for a, _ in pairs) if all(a == b for a, b in pairs) else tuple(pairs)
    return tuple(layer.padding)


def result_shape(layer: _ConvNd, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a convolution's result.

    Raises:
        ValueError: the layer does not take such an input.
    """
    sizes = shape[2:]
    if len(sizes) != len(layer.kernel_size) or shape[1] != layer.in_channels:
        raise ValueError(f"{shape} is not an input of {layer}")
    padding: Sequence[int | tuple[int, int]] = padding_of(layer)
    found = [shape[0], layer.out_channels]
    for size, pad, window, dilation, stride in zip(
        sizes, padding, layer.kernel_size, layer.dilation, layer.stride, strict=True
    ):
        both = sum(pad) if isinstance(pad, tuple) else 2 * pad
        extent = (size + both - dilation * (window - 1) - 1) // stride + 1
        if extent < 1:
            raise ValueError(f"{shape} is not an input of {layer}")
        found.append(extent)
    return tuple(found)


def tail(
    y: Tensor, residual: Tensor | None, activation: Activation | None = None, keeps: bool = False
) -> Tensor:
    """Return what follows a layer, computed by PyTorch, in the memory of `y` if it can.

    Args:
        y: the result of the layer.
        residual: is added.
        activation: of the sum.
        keeps: whether the model adds in place, so that the sum has the data type of `y`.
    """
    if residual is not None:
        fits = torch.broadcast_shapes(y.shape, residual.shape) == y.shape
        same = fits and torch.result_type(y, residual) == y.dtype
        y = y.add_(residual) if same or keeps else y + residual
    if activation is not None:
        y = ACTIVATIONS[activation[0]](y, activation[1])
    return y


def by_torch(
    part: Part, x: Tensor, weight: Tensor, bias: Tensor | None, residual: Tensor | None
) -> Tensor:
    """Return the value of a part, computed by PyTorch with folded weights."""
    layer = part.conv
    if isinstance(part.layer, Scale):
        return part.layer.compute(x, weight, bias)
    if isinstance(layer, Window):
        return _by_window(part, layer, x, weight, bias, residual)
    if part.norm is not None and x.dim() != weight.dim():
        # There is no batch, or more than one: the norm takes another axis for channels.
        y = layer(x)
        if type(part.norm).__name__.startswith("BatchNormActivation"):
            return part.norm(y, residual)
        return tail(part.norm(y), residual, part.activation, part.keeps)
    if part.kind in ("linear", "product"):
        return tail(functional.linear(x, weight, bias), residual, part.activation, part.keeps)
    if part.kind == "transposed":
        return _TRANSPOSED[x.dim()](
            x, weight, bias, layer.stride, layer.padding, layer.output_padding, layer.groups,
            layer.dilation,
        )  # fmt: skip
    y = _FUNCTIONS[weight.dim()](
        x, weight, bias, layer.stride, layer.padding, layer.dilation, layer.groups
    )
    return tail(y, residual, part.activation, part.keeps)


def _by_window(
    part: Part, layer: Window, x: Tensor, weight: Tensor, bias: Tensor | None,
    residual: Tensor | None,
) -> Tensor:  # fmt: skip
    given = layer.image(layer.padded(x))
    if given.dim() != weight.dim():  # there is no batch
        y = layer.module(given)
        y = y if part.norm is None else part.norm(y)
        return tail(y, residual, part.activation, part.keeps)
    padding: Any = layer.module.padding
    padding = (0, *padding) if layer.is_line and not isinstance(padding, str) else padding
    y = _FUNCTIONS[weight.dim()](
        given, weight, bias, layer.stride, padding, layer.dilation,
        layer.groups,
    )  # fmt: skip
    return tail(y.squeeze(2) if layer.is_line else y, residual, part.activation, part.keeps)


def find_way(
    part: Part,
    specs: Mapping[str, ops.Spec],
    settings: Settings,
    rule: policy.Rule,
    *,
    handle: Handle | None = None,
    device: Device | None = None,
    seconds: float = 1.0,
    owner: object = None,
    even_slow: bool = False,
    by_kernel: Callable[..., Any] | None = None,
) -> Way:
    """Return what computes a part.

    Args:
        part: a convolution.
        specs: what x, w, bias, residual and y are, as `ops.Spec`; bias and residual may be absent.
        settings: as `fuse` has them.
        rule: what is asked of engines, of `rule_of`.
        handle, device: where plans run, or the properties of a device that need not be there.
        seconds: how long to time candidates, at most.
        owner: an object without which timing in the background ends; None for no such timing.
        even_slow: whether plans are wanted where PyTorch's functions are known to be faster.
        by_kernel: returns a kernel, `functions.Run`, or None, as `kernels.grouped.find` does.
    """
    layer = part.conv
    if specs["x"].dtype != specs["w"].dtype:
        return Way(None, "torch", f"{specs['x'].dtype} meets filters of {specs['w'].dtype}")
    if part.kind == "product" and specs["w"].dtype not in ("float16", "bfloat16"):
        return Way(None, "torch", f"products of {specs['w'].dtype} are not rounded to TF32")
    is_depthwise = layer.groups > 1 and layer.groups == layer.in_channels
    # An addition of another shape follows, and then the activation.
    if by_kernel is not None and (part.residual is None or "residual" in specs):
        run = by_kernel(specs, padding_of(layer), layer.stride, layer.dilation, part.activation)
        if run is not None:
            has = "residual" in specs, part.activation is not None, run.pools
            return Way(run, "kernel", "", *has)
    facts: Call = {"data_type": specs["w"].dtype, "depthwise": is_depthwise}
    for erratum in errata_of("fused convolution", facts):
        if even_slow and errata.get(erratum.id).kind == "slow":
            continue
        return Way(None, "torch", erratum.symptom)
    residual, y = specs.get("residual"), specs["y"]
    fits = residual is not None and (residual.shape, residual.dtype) == (y.shape, y.dtype)
    is_asked = is_word(rule) and rule.via != "classic" and not settings.compile
    if fits and residual is not None and is_asked:
        # Compiled engines alone take another layout, and to ask in vain takes 0.2 s for each shape.
        fits = same_strides(y.shape, residual.strides, y.strides)
    why = "" if fits or residual is None else "the residual has another shape, data type or layout"
    words = _PRECOMPILED if is_word(rule) and not settings.compile else _FUSED
    is_last = fits or residual is None  # the activation comes after the addition
    both = is_last and part.activation is not None and part.activation[0] in words
    for adds, activates in dict.fromkeys(((fits, both), (fits, False), (False, False))):
        asked = rule
        if activates and is_word(rule):  # as files of models, which have the same bits
            without = engines_wrong_restored("ConvolutionForward")
            asked = rule._replace(exclude=(*(rule.exclude or ()), *without))
        fused = {"residual": adds, "activation": activates}
        try:
            run, text = _plan(part, specs, settings, asked, handle, device, seconds, owner, **fused)
        except errors.CudnnError as error:
            why = why or error.message.splitlines()[0]
            continue
        return Way(run, text, why, **fused)
    return Way(None, "torch", why)


def rule_of(settings: Settings) -> policy.Rule:
    """Return what is asked of engines: by `choose`, by scopes, by PyTorch's switches."""
    own = policy.to_policy(settings.choose)
    return policy.rule_for("forward", own, behind=switches.policy())


def is_word(rule: policy.Rule) -> bool:
    """Return whether no engine or algorithm is named, so that heuristics or timing find one."""
    return rule.pick in (None, "heuristic", "heuristic_once", "time", "time_once")


def _plan(
    part: Part,
    specs: Mapping[str, ops.Spec],
    settings: Settings,
    rule: policy.Rule,
    handle: Handle | None,
    device: Device | None,
    seconds: float,
    owner: object,
    *,
    residual: bool,
    activation: bool,
) -> tuple[Callable[..., Tensor], str]:
    layer = part.conv
    word, number = part.activation if activation and part.activation else (None, None)
    operation = ops.Convolution(
        padding_of(layer), tuple(layer.stride), tuple(layer.dilation), groups=layer.groups,
        activation=cast("ActivationWord | None", word), coefficient=number,
    )  # fmt: skip
    arrays = [specs["x"], specs["w"], specs.get("bias")]
    arrays += [specs["residual"]] if residual else []
    case = operation.case(*arrays, out=cast("Array", specs["y"]))
    rule = on_device(rule, handle)
    pick = rule.pick
    named = rule.via == "classic" or (isinstance(pick, str) and pick not in policy_words.WORDS)
    if named or not is_word(rule):
        rule = rule if named else rule._replace(via="graph")
        asked = operation.find_way(case, rule, handle, device)
        return asked, text_of(asked)
    more: Any = {} if settings.compile else {"runtime_compilation": False}
    filters = {**rule.filters, **more}
    found = operation.computation(case, handle, device)
    is_timed = pick in ("time", "time_once") and handle is not None
    is_later = rule.is_later and owner is not None and is_enabled()
    way = _known_by_time(found, filters) if is_timed else None
    if is_timed and way is None and not is_later:
        way = _timed(found, rule, filters, seconds)
    if way is not None:
        return way, text_of(way)
    where = None
    if part.kind == "convolution":
        where = _known_engines(found, specs, residual, is_product(layer, specs["w"]))
    way = _suggested(found, specs["w"].dtype, filters, where)
    if is_timed and handle is not None:

        def work(own: Handle) -> str:
            its = operation.computation(case, own, None)
            return text_of(_timed(its, rule, filters, seconds))

        what = found.signature, handle.device, tuple(filters.items()), rule.most
        later.ask(what, f"convolution({', '.join(map(str, arrays))})", owner, handle, work)
    return way, text_of(way)


def is_product(layer: _ConvNd, w: ops.Spec) -> bool:
    """Return whether a convolution multiplies each pixel by a matrix."""
    pairs = [each if isinstance(each, tuple) else (each, each) for each in padding_of(layer)]
    whole = layer.groups == 1 and {*layer.stride} == {1} and not any(map(any, pairs))
    return whole and all(each == 1 for each in w.shape[2:])


def _known_engines(
    computation: Any, specs: Mapping[str, ops.Spec], residual: bool, product: bool
) -> Callable[[Any], bool] | None:
    """Return which engines are fast at a convolution in 16 bits; None where all may be.

    For products of pixels, heuristics put cuBLASLt's engine second for some large sums with a
    residual, where the first one takes 1.8 times as long, and first for products of few columns,
    where the next one is faster.
    """
    narrow = any(each.data_type in ("HALF", "BFLOAT16") for each in computation.operands)
    if not narrow or not measured.has_engines_of(computation):
        return None
    if not product:
        return lambda each: bool(each.engine != measured.CONVERTING_ENGINE)
    size, columns = math.prod(specs["y"].shape), specs["w"].shape[0]
    if residual and size >= measured.CUBLAS_ELEMENTS:
        return lambda each: bool(each.engine == measured.CUBLAS_ENGINE)
    is_narrow = columns in measured.NARROW_COLUMNS and size >= measured.NARROW_PIXELS * columns
    if is_narrow and not residual:
        return lambda each: bool(each.engine != measured.CUBLAS_ENGINE)
    return None


def _suggested(
    computation: Any, dtype: str, filters: dict[str, Any], where: Callable[[Any], bool] | None
) -> Plan:
    """Return the plan that heuristics put first, with tensor cores for 16 bits if there is one.

    They put an engine without them first for some convolutions of one element.

    Args:
        computation: of the plan.
        dtype: of the filters.
        filters: of engines.
        where: which engines are looked for first.
    """
    tries = [filters]
    if dtype in ("float16", "bfloat16") and filters.get("tensor_cores") is None:
        tries.insert(0, {**filters, "tensor_cores": True})
    if where is not None and filters.get("where") is None:
        tries.insert(0, {**tries[0], "where": where})
    for each in tries[:-1]:
        with suppress(errors.NoPlanError):
            return choice.build(computation, **each)
    return choice.build(computation, **tries[-1])


def _known_by_time(computation: Any, filters: dict[str, Any]) -> Plan | None:
    """Return the fastest plan by a database, or as it was timed before, also elsewhere."""
    recorded = build_recorded(computation, **filters)
    if recorded is not None:
        return recorded.plan
    key = keys.to_key(computation, MODES, None, None, None, filters)
    return None if key is None else key.find(computation, tuned=True)


def _timed(
    computation: Any, rule: policy.Rule, filters: dict[str, Any], seconds: float
) -> Plan:  # fmt: skip
    """Return the fastest plan by timing, which is found again in later processes."""
    most = min(rule.most or _MOST, _MOST)
    return choice.autotune(
        computation, most=most, precision=_PRECISION, seconds=seconds, **filters
    ).best


def text_of(way: ops.Classic | Plan) -> str:
    """Return the name of an algorithm, or the number of an engine."""
    if isinstance(way, ops.Classic):
        return way.algorithm or way.function
    return f"engine {way.engine}"
