"""Pooling and its gradient, in one to three dimensions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import arrays, errors
from ..._operation.functions import function
from ..._operation.operation import Operation
from ..._operation.sharing import shared
from ..._support.arguments import boolean
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, check_dtype, check_shape, widened
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Unfit, blend
from ..._ways.classic_call import HANDLE, Classic, Step, describe, operands_of
from ..._ways.graph_draft import Draft
from ...choice.policy import Engine, Rule
from ...descriptors import PoolingDescriptor
from ...errata import asks as errata
from ...graph.arguments import per_dimension
from ...kernels import can_compile
from ..conv.base import both_sides, laid_out
from ..element.activation_kernels import has_kernels
from ..element.integers import refuse_integers
from .layouts import are_alike, folded, packed_in
from .pooling_kernels import are_small, by_kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from ..._ways.signatures import (
        Array,
        ArrayT,
        CallStream,
        Choose,
        Extents,
        Handle,
        Out,
        Padding,
        WithOut,
    )
    from ...enum_words import ResampleModeLike

_COPY = "cudnnTransformTensor"

_KINDS: dict[str, tuple[ResampleModeLike, str]] = {
    "max": ("MAXPOOL", "MAX"),
    "average": ("AVGPOOL_INCLUDE_PADDING", "AVERAGE_COUNT_INCLUDE_PADDING"),
    "average_without_padding": ("AVGPOOL_EXCLUDE_PADDING", "AVERAGE_COUNT_EXCLUDE_PADDING"),
    "sum": ("AVGPOOL_INCLUDE_PADDING", "AVERAGE_COUNT_INCLUDE_PADDING"),
}

_SYNONYMS = {
    "average_count_include_padding": "average",
    "average_count_exclude_padding": "average_without_padding",
    "average_exc_pad": "average_without_padding",
    "average_exclude_padding": "average_without_padding",
    "average_inc_pad": "average",
    "average_include_padding": "average",
    "avg": "average",
    "max_deterministic": "max",
    "maximum": "max",
    "mean": "average",
}


class _Pooling(Operation):
    """The base of pooling and its gradient."""

    @classmethod
    def for_function(cls, options: dict[str, Any], *_: Any) -> Any:
        """Return the operation that functions share; `count_padding` is that of `average_pool`."""
        if not boolean(options.pop("count_padding", True), "count_padding"):
            options["kind"] = "average_without_padding"
        return shared(cls, options)

    def __init__(
        self,
        kind: str = "max",
        window: Extents = 2,
        stride: Extents | None = None,
        padding: Padding = 0,
        *,
        deterministic: bool = False,
        batch: bool = True,
        choose: Choose = None,
    ) -> None:
        """Make a pooling.

        Args:
            kind: "max", or "max_deterministic" for that with `deterministic`; "average", where
                zeros of the padding count; "average_without_padding" or "average_exclude_padding",
                where they do not; or "sum".
            window: the extents of the window: a number, or one for each spatial dimension.
            stride: the step from window to window, likewise; by default the extents of the window.
            padding: elements on both sides of each dimension: a number, one for each, or a pair
                (before, after) for each.
            deterministic: whether gradients of maxima have the same bits each time; a
                deterministic choice has the same effect.
            batch: whether arrays have the batch axis.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
        """
        word = str(getattr(kind, "name", kind)).lower().removeprefix("cudnn_pooling_")
        deterministic = deterministic or word == "max_deterministic"
        word = _SYNONYMS.get(word, word)
        if word not in _KINDS:
            raise no_word("kind", kind, "a kind of pooling", _KINDS)
        super().__init__(
            choose, kind=word, window=window, stride=stride, padding=padding,
            deterministic=deterministic, batch=batch,
        )  # fmt: skip

    def _numbers(self, count: int) -> tuple[Any, Any, Any, Any]:
        """Return window, stride, and padding before and after, of each dimension."""
        options = self.options
        window = per_dimension(options["window"], count, "window", 1)
        stride = options["stride"]
        stride = window if stride is None else per_dimension(stride, count, "stride", 1)
        before, after = both_sides(options["padding"], count)
        if any(max(b, a) >= n for b, a, n in zip(before, after, window, strict=True)):
            raise errors.ArgumentError(
                f"padding: expected less than the window {window}, got {options['padding']!r}"
            )
        return window, stride, before, after

    def _pooled(self, x: Spec) -> Spec:
        batch = self.options["batch"]
        if not 2 + batch <= len(x.shape) <= 4 + batch:
            raise errors.ArgumentError(
                f"x: expected {2 + batch} to {4 + batch} axes, got {len(x.shape)}",
                hint="batch=False is for one example without the axis N",
            )
        sizes = x.shape[1 + batch :]
        extents = tuple(
            (n + b + a - k) // s + 1
            for n, k, s, b, a in zip(sizes, *self._numbers(len(sizes)), strict=True)
        )
        if min(extents) < 1:
            raise errors.ShapeMismatchError(
                f"x: expected spatial extents of the window or more, got {sizes}"
            )
        return laid_out((*x.shape[: 1 + batch], *extents), x, batch=batch)

    def _scaled(self, case: Case, count: int) -> Case:
        """Return a case whose alpha makes a sum of what cuDNN computes as a mean."""
        if self.options["kind"] != "sum":
            return case
        window, *_ = self._numbers(count)
        return case._replace(alpha=case.alpha * math.prod(window))

    def _resampling(self, spatial: int, count: int) -> dict[str, Any]:
        """Return the keywords of a graph's node."""
        window, stride, before, after = self._numbers(count)
        more = spatial - count
        return {
            "window": (1,) * more + window,
            "stride": (1,) * more + stride,
            "padding": ((0, 0),) * more + tuple(zip(before, after, strict=True)),
        }

    def _descriptor(self, spatial: int, count: int, rule: Rule) -> Any:
        """Return a descriptor with the padding that both sides have."""
        window, stride, before, after = self._numbers(count)
        mode = _KINDS[self.options["kind"]][1]
        if mode == "MAX" and (rule.keeps_bits or self.options["deterministic"]):
            mode = "MAX_DETERMINISTIC"
        more = spatial - count
        both = tuple(map(min, before, after))
        return PoolingDescriptor._of(
            mode, (1,) * more + window, (1,) * more + stride, (0,) * more + both
        )

    #: The classic function.
    _function: ClassVar[str] = ""
    #: The inputs that means do not read, each with the array that is passed in its place.
    _unread: ClassVar[dict[str, str]] = {}

    def _arguments(self, made: Any, at: Any, alpha: float, beta: float) -> tuple[Any, ...]:
        """Return the arguments of the classic function after the descriptor of the pooling.

        Args:
            made: the descriptors of arrays, by name.
            at: the names that the steps have for each array, by its name.
        """
        raise NotImplementedError

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of the classic function, on copies of arrays that it does not take."""
        specs, wide = {**case.inputs, **case.outputs}, self._all_wide(case)
        axes, count = len(wide["x"].shape), self._count(case)
        pool = self._descriptor(axes - 2, count, rule)
        layout = "NHWC" if wide["x"].layout == "NHWC" else "NCHW"
        copies = {**self._turned(wide, layout), **self._padded(wide, layout, count)}
        seen = {**wide, **{name: copy for name, (copy, _) in copies.items()}}
        facts: errata.Call = {
            "mode": pool.mode.name,
            "channels": wide["x"].shape[1],
            "layout": layout,
        }
        if errata.wrong_function(self._function, facts, self.device_of(case)):
            seen = folded(seen)
        made = {name: describe(each, layout) for name, each in seen.items()}
        is_max = self.options["kind"] == "max"
        keeps = not is_max or "dx" not in specs or pool.mode.name == "MAX_DETERMINISTIC"
        alpha, beta = self._scaled(case, count).alpha, case.beta
        at = {name: name for name in specs}
        if not copies:
            step = Step(self._function, HANDLE, pool, *self._arguments(made, at, alpha, beta))
            return Classic(
                self._function, operands_of(case.inputs, case.outputs), [step], deterministic=keeps
            )
        steps = Steps(case.inputs, case.outputs)
        unread = {} if is_max else self._unread
        parts: dict[str, tuple[Any, str]] = {}
        for name, (copy, offset) in copies.items():
            if name in unread:
                continue
            at[name] = steps.room(f"copy of {name}", copy)
            part = steps.part(f"inside of {name}", at[name], offset)
            parts[name] = describe(copy._replace(shape=wide[name].shape), layout), part
            if name in case.inputs:
                if copy.shape != wide[name].shape:
                    if is_max and "float" not in copy.dtype:
                        raise Unfit(f"{copy.dtype} has no number that is less than all others")
                    steps.fill(at[name], copy, -math.inf if is_max else 0.0)
                steps.call(_COPY, 1.0, describe(wide[name]), name, 0.0, *parts[name])
        at.update({name: at[other] for name, other in unread.items() if name in copies})
        (target,) = case.outputs
        is_direct = target not in copies
        own = self._arguments(made, at, alpha, beta if is_direct else 0.0)
        steps.call(self._function, pool, *own)
        if not is_direct:
            steps.call(_COPY, 1.0, *parts[target], beta, describe(wide[target]), target)
        return steps.classic(deterministic=keeps)

    def _turned(self, wide: dict[str, Spec], layout: str) -> dict[str, tuple[Spec, int]]:
        """Return the arrays that are copied, because the function takes all in one layout only."""
        return {}

    def _padded(
        self, wide: dict[str, Spec], layout: str, count: int
    ) -> dict[str, tuple[Spec, int]]:  # fmt: skip
        """Return arrays with the padding that one side alone has, which the function cannot pad.

        Returns: for each what holds it, and at which byte of that it begins.

        Raises:
            Unfit: this padding would count as elements.
        """
        _, _, before, after = self._numbers(count)
        if before == after:
            return {}
        if self.options["kind"] == "average_without_padding":
            raise Unfit("classic functions pad both sides alike")
        more = [abs(b - a) for b, a in zip(before, after, strict=True)]
        found: dict[str, tuple[Spec, int]] = {}
        for name in ("x", "dx"):
            if name in wide:
                spec = wide[name]
                place = len(spec.shape) - count
                extents = [n + m for n, m in zip(spec.shape[place:], more, strict=True)]
                copy = packed_in(spec._replace(shape=(*spec.shape[:place], *extents)), layout)
                steps = zip(before, after, copy.strides[place:], strict=True)
                first = sum(max(b - a, 0) * step for b, a, step in steps)
                found[name] = copy, first * arrays.itemsize(spec.dtype)
        return found

    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]:
        is_open = rule.via is None and not isinstance(rule.pick, Engine)
        # Engines for channels last are compiled for each shape; kernels are launched faster.
        if is_open and (self._is_last(case) or self._counts_one_side(case) or self._is_small(case)):
            return ("classic", "graph")
        return super()._order(case, rule)

    def _counts_one_side(self, case: Case) -> bool:
        """Return whether padding of one side counts as elements; errata leave compiled engines."""
        _, _, before, after = self._numbers(self._count(case))
        return before != after and self.options["kind"] in ("average", "sum")

    def _is_last(self, case: Case) -> bool:
        x = self._wide(case.inputs["x"])
        return x.layout == "NHWC"

    def _is_small(self, case: Case) -> bool:
        """Return whether a kernel of this package may compute a case."""
        window, *_ = self._numbers(self._count(case))
        is_mean = self.options["kind"] != "max" and "y" in case.outputs
        is_plain = is_mean and case.is_plain and can_compile()
        return is_plain and are_small(self._wide(case.inputs["x"]), window)

    def _count(self, case: Case) -> int:
        """Return the number of spatial dimensions."""
        return len(case.inputs["x"].shape) - 1 - bool(self.options["batch"])

    def _wide(self, spec: Spec) -> Spec:
        return widened(spec, self.options["batch"])

    def _all_wide(self, case: Case) -> dict[str, Spec]:
        return {name: self._wide(e) for name, e in (*case.inputs.items(), *case.outputs.items())}


class Pooling(_Pooling):
    """The largest element, the mean, or the sum, of each window.

    Formula: max, mean or sum of each window; means with or without the padding
    Arrays: x; `batch=False` without N
    Ways: a kernel before both for means and sums of at most 16 elements, of images of at most 2
        MiB; with channels last the function first; a sum is a mean times the size of the window:
        MUL in a graph, alpha of the function
    Edges: a NaN in a window: wins in maxima; -inf alone in a window: the lowest finite number of
        the type (PyTorch: -inf); means of integers: rounded, a half to even
    """

    word = "pooling"
    by = "a graph (RESAMPLE_FWD), or by `cudnnPoolingForward`"
    gradient = ("pooling_backward",)
    _function = "cudnnPoolingForward"

    def __call__(
        self, x: ArrayT, *, out: Out = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Handle | None = None, stream: CallStream = ..., choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Pool.

        Args:
            x: (N, C, [D, [H,]] W), or without N.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((x,), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        return {"y": self._pooled(case.inputs["x"])}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a resample node."""
        refuse_integers(case)
        layout = "NHWC" if self._is_last(case) else "NCHW"
        facts: errata.Call = {"type": case.inputs["x"].dtype, "layout": layout}
        if why := errata.wrong_function(self.word, facts, self.device_of(case)):
            raise Unfit(why)
        x, y = self._wide(case.inputs["x"]), self._wide(case.outputs["y"])
        count = self._count(case)
        mode = _KINDS[self.options["kind"]][0]
        made = draft.graph.resample(
            draft.input("x", x), mode, **self._resampling(len(x.shape) - 2, count),
            nan_propagation="PROPAGATE_NAN" if mode == "MAXPOOL" else None,
        )  # fmt: skip
        draft.output(blend(self._scaled(case, count), draft, made, y), "y", y)

    def by_classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of a kernel of this package, or of the classic function."""
        found = None
        if self._is_small(case) and has_kernels(case, rule, handle):
            more = self._resampling(2, self._count(case))
            found = by_kernel(case, self._all_wide(case), self.options["kind"], more, handle)
        return super().by_classic(case, rule, handle) if found is None else found

    def _arguments(self, made: Any, at: Any, alpha: float, beta: float) -> tuple[Any, ...]:
        return alpha, made["x"], at["x"], beta, made["y"], at["y"]

    def backward(self, dy: ArrayT, x: Array, y: Array, **call: Unpack[WithOut]) -> ArrayT:
        """Return the gradient for the input; see `PoolingBackward`."""
        return self._like(PoolingBackward, **self.options)(dy, x, y, **call)


class PoolingBackward(_Pooling):
    """The gradient of a pooling for its input.

    Where several elements of a window are the largest, the first one has the gradient.

    Formula: dy at the largest element of each window; dy over the number of elements, for sums dy
    Arrays: dy, x, y
    Ways: the graph for averages and sums only
    Edges: several NaN in a window: the first has the gradient (PyTorch: the last)
    """

    word = "pooling_backward"
    by = "`cudnnPoolingBackward`, or by a graph (RESAMPLE_BWD)"
    section = "data"
    gives: tuple[str, ...] = ("dx",)
    ways = ("classic", "graph")
    _function = "cudnnPoolingBackward"
    _unread: ClassVar[dict[str, str]] = {"x": "dx", "y": "dy"}

    def __call__(
        self, dy: ArrayT, x: Array, y: Array, *, out: Out = None, alpha: float = 1.0,
        beta: float = 0.0, handle: Handle | None = None, stream: CallStream = ...,
        choose: Choose = None,
    ) -> ArrayT:  # fmt: skip
        """Compute the gradient.

        Args:
            dy: the gradient of the result.
            x, y: input and result of the pooling.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        return self.run((dy, x, y), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        x = case.inputs["x"]
        wanted = self._pooled(x)
        for name in ("dy", "y"):
            each = case.inputs[name]
            check_shape(each, wanted.shape, name)
            check_dtype(each, x.dtype, name)
        return {"dx": laid_out(x.shape, x, batch=self.options["batch"])}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradient."""
        refuse_integers(case)
        if self.options["kind"] == "max":
            raise Unfit("the gradient of maxima by a graph needs their positions")
        wide, count = self._all_wide(case), self._count(case)
        graph = draft.graph
        made = graph.resample_backward(
            draft.input("dy", wide["dy"]), _KINDS[self.options["kind"]][0],
            x=draft.input("x", wide["x"]), y=draft.input("y", wide["y"]),
            **self._resampling(len(wide["x"].shape) - 2, count),
        )  # fmt: skip
        draft.output(blend(self._scaled(case, count), draft, made, wide["dx"]), "dx", wide["dx"])

    def _turned(self, wide: dict[str, Spec], layout: str) -> dict[str, tuple[Spec, int]]:
        pairs = (("x", "dx"), ("y", "dy"))
        if self.options["kind"] != "max" or all(are_alike(wide[a], wide[b]) for a, b in pairs):
            return {}
        packed = {name: packed_in(each, layout) for name, each in wide.items()}
        return {n: (each, 0) for n, each in packed.items() if not are_alike(each, wide[n])}

    def _arguments(self, made: Any, at: Any, alpha: float, beta: float) -> tuple[Any, ...]:
        y, dy, x, dx = ((made[name], at[name]) for name in ("y", "dy", "x", "dx"))
        return alpha, *y, *dy, *x, beta, *dx


max_pool = function(
    Pooling,
    "max_pool",
    (
        "Return the largest element of each window.\n"
        "\n"
        "A NaN is larger than any number. A window of -inf gives the lowest finite "
        "number of the type."
    ),
    order="x window stride padding",
    kind="max",
    formula="y = max of x over each window",
)


average_pool = function(
    Pooling,
    "average_pool",
    "Return the mean of each window.",
    order="x window stride padding",
    adds={"count_padding": (True, "bool", "whether the zeros of the padding count as elements.")},
    kind="average",
    formula="y = sum of x over each window / elements of it",
)


sum_pool = function(
    Pooling,
    "sum_pool",
    "Return the sum of each window.",
    order="x window stride padding",
    kind="sum",
    formula="y = sum of x over each window",
)


pooling_backward = function(
    PoolingBackward,
    summary=(
        "Return the gradient of a pooling for its input.\n"
        "\n"
        "Where several elements of a window are the largest, the first one has the "
        "gradient."
    ),
)
