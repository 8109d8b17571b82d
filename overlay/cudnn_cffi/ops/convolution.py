"""Convolutions and their gradients, in one to three dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from .. import arrays, errors
from .._lookup import calls, has
from .._support.arguments import whole
from ..choice import policy as policies
from ..choice.policy import Rule
from ..descriptors import ConvolutionDescriptor, FilterDescriptor
from ..graph.linear import paddings, per_dimension
from .activations import ACTIVATIONS, Activation, ActivationBackward, activate
from .classic import Classic, describe, operands_of
from .drafts import Draft
from .operation import Case, Operation, Unfit, blend, shared, split
from .specs import Spec, per_channel, widened
from .unfused import unfused, with_bias

__all__ = [
    "Convolution",
    "ConvolutionBackwardBias",
    "ConvolutionBackwardData",
    "ConvolutionBackwardFilter",
    "ConvolutionGradients",
    "ConvolutionTranspose",
    "convolution",
    "convolution_backward_bias",
    "convolution_backward_data",
    "convolution_backward_filter",
    "convolution_transpose",
]

_PADDINGS = ("valid", "same", "half", "full")


class ConvolutionGradients(NamedTuple):
    """The gradients of a convolution; None where they were not asked for."""

    x: Any = None
    w: Any = None
    bias: Any = None


class _Window(NamedTuple):
    """Numbers for each spatial dimension."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]

    def extent(self, axis: int, size: int, kernel: int) -> int:
        """Return the extent of the result along a spatial dimension."""
        reach = (kernel - 1) * self.dilation[axis] + 1
        return (size + self.before[axis] + self.after[axis] - reach) // self.stride[axis] + 1

    def options(self) -> dict[str, Any]:
        """Return the same as keywords for a graph."""
        return {
            "padding": tuple(zip(self.before, self.after, strict=True)),
            "stride": self.stride,
            "dilation": self.dilation,
        }

    def widened(self, axes: int) -> _Window:
        """Return the same for more dimensions, with windows of one element in the new ones."""
        more = axes - len(self.stride)
        return _Window(
            (0,) * more + self.before, (0,) * more + self.after,
            (1,) * more + self.stride, (1,) * more + self.dilation,
        )  # fmt: skip


def _like(shape: Sequence[int], like: Spec) -> Spec:
    """Return a packed array with the order of axes of another one."""
    layout = "NHWC" if like.layout == "NHWC" and not _fits(like, "NCHW") else "NCHW"
    shape = tuple(shape)
    if len(shape) < 2:
        return Spec(like.dtype, shape, (1,) * len(shape), like.device)
    return Spec(like.dtype, shape, arrays.packed_strides(shape, layout), like.device)


def _fits(spec: Spec, layout: str) -> bool:
    packed = arrays.packed_strides(spec.shape, layout)
    return arrays.same_strides(spec.shape, spec.strides, packed)


def _laid_out(shape: Sequence[int], *specs: Spec, batch: bool = True) -> Spec:
    """Return a packed array in the layout of the first of `specs` that fits one layout alone."""
    first = specs[0]
    last = False
    for each in specs:
        wide = widened(each, len(each.shape) == len(shape) or batch)
        one, two = _fits(wide, "NCHW"), _fits(wide, "NHWC")
        if one != two:
            last = two
            break
    shape = tuple(shape)
    full = shape if batch else (1, *shape)
    strides = arrays.packed_strides(full, "NHWC" if last else "NCHW")
    return Spec(first.dtype, shape, strides if batch else strides[1:], first.device)


class _Convolving(Operation):
    """What a convolution and its gradients share: the window, and descriptors."""

    _has_algorithms = True

    def __init__(
        self,
        padding: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        *,
        groups: int | None = None,
        flip: bool = False,
        choose: Any = None,
        **more: Any,
    ) -> None:
        if isinstance(padding, str) and padding.lower() not in _PADDINGS:
            raise errors.ArgumentError(
                f"padding: {padding!r} is no word for a padding",
                hint=f"one of {', '.join(_PADDINGS)}, or numbers",
            )
        if groups is not None and (not isinstance(groups, int) or groups < 1):
            raise errors.ArgumentError(f"groups: a positive number was expected, {groups!r} came")
        super().__init__(
            choose, padding=padding, stride=stride, dilation=dilation, groups=groups,
            flip=bool(flip), **more,
        )  # fmt: skip

    def _window(self, kernel: Sequence[int], sizes: Sequence[int] | None = None) -> _Window:
        """Return the numbers for filters of such extents, and an input of such extents."""
        options, count = self.options, len(kernel)
        stride = per_dimension(options["stride"], count, "stride", 1)
        dilation = per_dimension(options["dilation"], count, "dilation", 1)
        padding = options["padding"]
        if not isinstance(padding, str):
            return _Window(*paddings(padding, count), stride, dilation)
        word = padding.lower()
        reach = [(n - 1) * d for n, d in zip(kernel, dilation, strict=True)]
        if word == "same":
            if sizes is None:
                if set(stride) != {1}:
                    raise errors.ArgumentError(
                        'padding: "same" with a stride depends on the input, whose shape is missing'
                    )
                sizes = [1] * count
            total = [
                max((-(-n // s) - 1) * s + r + 1 - n, 0)
                for n, s, r in zip(sizes, stride, reach, strict=True)
            ]
            before = tuple(each // 2 for each in total)
            return _Window(
                before, tuple(t - b for t, b in zip(total, before, strict=True)), stride, dilation
            )
        both = {"valid": [0] * count, "half": [(r + 1) // 2 for r in reach], "full": reach}[word]
        return _Window(tuple(both), tuple(both), stride, dilation)

    @staticmethod
    def _check_rank(name: str, spec: Spec, axes: int) -> bool:
        """Return whether an array has the batch axis."""
        if len(spec.shape) not in (axes, axes - 1):
            raise errors.ArgumentError(
                f"{name}: {axes} axes were expected, or {axes - 1} without the batch, "
                f"{len(spec.shape)} came"
            )
        return len(spec.shape) == axes

    @staticmethod
    def _check_filters(w: Spec) -> None:
        if not 3 <= len(w.shape) <= 5:
            raise errors.ArgumentError(
                f"w: 3 to 5 axes were expected, K, C and one to three spatial ones, "
                f"{len(w.shape)} came"
            )

    @staticmethod
    def _check_type(name: str, spec: Spec, first: Spec) -> None:
        if spec.dtype != first.dtype:
            raise errors.ArgumentError(f"{name}: {first.dtype} was expected, {spec.dtype} came")

    def _check_groups(self, channels: int, w: Sequence[int], name: str) -> int:
        """Return the number of groups of an input with so many channels."""
        groups = self.options["groups"] or max(channels // w[1], 1)
        if w[1] * groups != channels:
            raise errors.ShapeMismatchError(
                f"{name}: {w[1] * groups} channels were expected, {channels} came",
                hint=f"the filters have {w[1]} channels, in {groups} groups",
            )
        if w[0] % groups:
            raise errors.ShapeMismatchError(
                f"w: a multiple of {groups} filters was expected, one for each group, {w[0]} came"
            )
        return groups

    def _extents(self, window: _Window, sizes: Sequence[int], kernel: Sequence[int]) -> Any:
        found = tuple(window.extent(i, n, k) for i, (n, k) in enumerate(zip(sizes, kernel)))
        if min(found) < 1:
            raise errors.ShapeMismatchError(
                f"x: the spatial extents {tuple(sizes)} are less than filters of "
                f"{tuple(kernel)} reach"
            )
        return found

    # Classic functions

    def _descriptors(self, x: Spec, w: Spec, y: Spec, rule: Rule) -> tuple[Any, Any, Any, Any]:
        """Return cuDNN's descriptors of input, filters, output and convolution."""
        wide = widened(w, True)
        kernel = w.shape[2:]
        x, y = widened(x, len(x.shape) == len(w.shape)), widened(y, len(y.shape) == len(w.shape))
        window = self._window(kernel, x.shape[-len(kernel) :]).widened(len(wide.shape) - 2)
        if window.before != window.after:
            raise Unfit("classic functions pad both sides alike")
        prefer = next((each.layout for each in (x, wide, y) if not _fits(each, "NCHW")), "NCHW")
        groups = x.shape[1] // w.shape[1]
        try:
            conv = ConvolutionDescriptor._of(
                "CONVOLUTION" if self.options["flip"] else "CROSS_CORRELATION",
                window.before, window.stride, window.dilation, groups,
                "float64" if x.dtype == "float64" else "float32",
                "FMA_MATH" if rule.tf32 is False or rule.tensor_cores is False else None,
            )  # fmt: skip
            filters = FilterDescriptor.of_info(wide.info(), prefer=prefer)
        except (errors.BadParamError, errors.ArgumentError) as error:
            raise Unfit(f"classic functions do not describe this: {error.message}") from error
        return describe(x, prefer), filters, describe(y, prefer), conv

    def _parts(self, case: Case) -> tuple[Spec, Spec, Spec]:
        """Return input, filters and output of the convolution, whichever is computed."""
        raise NotImplementedError

    #: The functions that run it, list algorithms, time them, and tell their workspace.
    _functions: ClassVar[tuple[str, str, str, str]]

    def _ask(self, name: str, handle: Any, parts: Any, *more: Any) -> Any:
        """Call a function with the descriptors in the order of this section."""
        x, w, y, conv = parts
        order = {"forward": (x, w, conv, y), "data": (w, y, conv, x), "filter": (x, y, conv, w)}
        return getattr(calls, name)(handle, *order[self.section], *more)

    def _offered(self, handle: Any, parts: Any, timed: bool) -> list[Any]:
        """Return cuDNN's records of algorithms, best first."""
        _, guess, find, _ = self._functions
        enum = policies.ALGORITHMS[self.section]
        count = len(policies.algorithm_names(self.section))
        try:
            return list(self._ask(find if timed else guess, handle, parts, count))
        except errors.NotSupportedError as error:
            raise Unfit(f"no {enum} supports this: {error.message}") from error

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return the call of the classic function, with the algorithm that a rule picks."""
        parts = self._descriptors(*self._parts(case), rule)
        pick = rule.pick
        named = isinstance(pick, str) and pick not in policies.WORDS
        meaning = policies.MEANINGS[self.section].get(pick) if isinstance(pick, str) else None
        if pick == "deterministic" and self.section != "forward":
            meaning = "ALGO_1"
        limit = self._filters(rule, handle).get("workspace_limit")
        if named or meaning is not None:
            name = pick if named else meaning
            size, deterministic, math = self._measure(handle, parts, name)
            why = self._why_not(rule, name, size, deterministic, limit)
            if why:
                raise Unfit(why)
            return self._call(case, parts, name, size, deterministic, math)
        reasons = []
        for each in self._offered(handle, parts, pick == "time"):
            name = each.algo.name
            if int(each.status):
                reasons.append(f"{name}: {getattr(each.status, 'name', each.status)}")
                continue
            deterministic = each.determinism.name == "DETERMINISTIC"
            why = self._why_not(rule, name, each.memory, deterministic, limit)
            if why:
                reasons.append(why)
                continue
            math = each.mathType.name
            if math not in ("FMA_MATH", "DEFAULT_MATH"):
                parts[3].set_math_type(each.mathType)
            return self._call(case, parts, name, int(each.memory), deterministic, math)
        raise Unfit(f"no classic algorithm: {'; '.join(reasons) or 'cuDNN offers none'}")

    def _why_not(
        self, rule: Rule, name: str, size: int, deterministic: bool, limit: int | None
    ) -> str:
        if name in (rule.exclude or ()):
            return f"{name} is excluded"
        if limit is not None and size > limit:
            return f"{name} needs {size} bytes of workspace, at most {limit} are allowed"
        if (rule.deterministic or rule.pick == "deterministic") and not deterministic:
            return f"{name} is not deterministic"
        return ""

    def _measure(self, handle: Any, parts: Any, name: str) -> tuple[int, bool, str]:
        """Return workspace, determinism and math type of an algorithm.

        Raises:
            Unfit: it does not support the arrays.
        """
        member = arrays.member(policies.ALGORITHMS[self.section], name)
        try:
            size = int(self._ask(self._functions[3], handle, parts, member))
        except (errors.NotSupportedError, errors.BadParamError) as error:
            raise Unfit(f"{name}: {error.status_name or error.message}") from error
        for each in self._offered(handle, parts, False):
            if each.algo.name == name and not int(each.status):
                return size, each.determinism.name == "DETERMINISTIC", each.mathType.name
        return size, not (self.section != "forward" and name in ("ALGO_0", "ALGO_3")), ""

    def _call(
        self, case: Case, parts: Any, name: str, size: int, deterministic: bool, math: str
    ) -> Classic:
        x, w, y, conv = parts
        function = self._functions[0]
        call, alpha, beta = getattr(calls, function), case.alpha, case.beta
        algorithm = arrays.member(policies.ALGORITHMS[self.section], name)
        first, second, third = {
            "forward": (x, w, y), "data": (w, y, x), "filter": (x, y, w)
        }[self.section]  # fmt: skip
        takes = self._takes(case)

        def run(handle: Any, scratch: int, room: int, *addresses: int) -> None:
            found = dict(zip(names, addresses, strict=True))
            a, b, c = (found[each] for each in takes)
            call(handle, alpha, first, a, second, b, conv, algorithm, scratch, room, beta, third, c)

        operands = operands_of(case.inputs, case.outputs)
        names = [each.name for each in operands]
        return Classic(
            function, operands, run, workspace_size=size, algorithm=name,
            deterministic=deterministic, math=math,
        )  # fmt: skip

    def _takes(self, case: Case) -> tuple[str, str, str]:
        """Return the names of the arrays, in the order of the classic function."""
        names = (*case.inputs, *case.outputs)
        if self.section == "data":
            return names[1], names[0], names[2]
        return names[0], names[1], names[2]

    def algorithms(self, case: Case, handle: Any) -> Iterator[tuple[str, Any, Any]]:
        """Yield each classic algorithm's name, with its record or the reason against it."""
        parts = self._descriptors(*self._parts(case), Rule())
        for name in policies.algorithm_names(self.section):
            try:
                self._plain_only(case)
                yield name, self._call(case, parts, name, *self._measure(handle, parts, name)), ""
            except errors.CudnnError as error:
                yield name, None, error.message.splitlines()[0]

    def _plain_only(self, case: Case) -> None:
        """Refuse what only a graph fuses."""

    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]:
        order = super()._order(case, rule)
        if rule.via is None and rule.pick in policies.MEANINGS[self.section]:
            return ("classic", "graph")  # the word means that algorithm, if it can be used
        return order

    def _budget(self, case: Case, rule: Rule, handle: Any) -> int | None:
        """Return the workspace of the classic algorithm that a word means."""
        name = policies.MEANINGS[self.section].get(str(rule.pick))
        if rule.pick in ("none", "small") and name and handle is not None:
            try:
                parts = self._descriptors(*self._parts(case), Rule())
                return self._measure(handle, parts, name)[0]
            except errors.CudnnError:
                pass
        return super()._budget(case, rule, handle)


class Convolution(_Convolving):
    """A convolution: y = activation(alpha * (x * w) + bias + residual).

    Example::

        conv = ops.Convolution(padding="same", activation="relu")
        y = conv(x, w, bias)
        dx, dw, dbias = conv.backward(dy, x, w, y=y)
    """

    word = "convolution"
    takes = ("x", "w", "bias", "residual")
    optional = frozenset({"bias", "residual"})
    _functions = (
        "cudnnConvolutionForward",
        "cudnnGetConvolutionForwardAlgorithm_v7",
        "cudnnFindConvolutionForwardAlgorithm",
        "cudnnGetConvolutionForwardWorkspaceSize",
    )

    def __init__(
        self,
        padding: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        *,
        groups: int | None = None,
        flip: bool = False,
        activation: str | None = None,
        coefficient: float | None = None,
        choose: Any = None,
    ) -> None:
        """Make a convolution.

        Args:
            padding: zeros on both sides of each spatial dimension: a number, one for each, or a
                pair (before, after) for each. Or a word: "valid" for none; "same" for a result of
                the extents of the input, divided by the stride; "half" for half of the filter;
                "full" for all of it but one element.
            stride: the step of the filter: a number, or one for each dimension.
            dilation: the distance of the filter's elements, likewise.
            groups: the number of groups; by default it follows from the channels of `x` and `w`.
            flip: whether filters are mirrored, as mathematics has it; frameworks do not.
            activation: a word such as "relu"; see `Activation`.
            coefficient: the number of the activation, as for `Activation`.
            choose: how it is computed; see `cudnn_cffi.choice`.
        """
        if activation is not None and activation not in ACTIVATIONS:
            raise errors.ArgumentError(
                f"activation: {activation!r} is none", hint=f"one of {', '.join(ACTIVATIONS)}"
            )
        super().__init__(
            padding, stride, dilation, groups=groups, flip=flip, choose=choose,
            activation=activation, coefficient=coefficient,
        )  # fmt: skip

    def __call__(
        self,
        x: Any,
        w: Any,
        bias: Any = None,
        residual: Any = None,
        *,
        out: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        handle: Any = None,
        stream: Any = ...,
        choose: Any = None,
    ) -> Any:
        """Convolve.

        Args:
            x: (N, C, [D, [H,]] W), or without N.
            w: the filters, (K, C / groups, [D, [H,]] W).
            bias: a number for each of the K channels, in any shape with one axis above 1.
            residual: what is added before the activation, of the shape of the result.
            out: the array to write to; by default a new one of the library of `x`, in its layout.
            alpha, beta: `out` becomes alpha * result + beta * `out`.
            handle: whose stream computes.
            stream: a stream of any library; by default the current one of the library of `x`.
            choose: how this call is computed; see `cudnn_cffi.choice`.

        Returns: (N, K, [D, [H,]] W), or without N.
        """
        return self.run(
            (x, w, bias, residual), out, handle, stream, choose, alpha, beta, (),
            (bias is None, residual is None),
        )  # fmt: skip

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        x, w = case.inputs["x"], case.inputs["w"]
        self._check_filters(w)
        batch = self._check_rank("x", x, len(w.shape))
        self._check_type("w", w, x)
        channels, sizes = x.shape[batch], x.shape[1 + batch :]
        self._check_groups(channels, w.shape, "x")
        window = self._window(w.shape[2:], sizes)
        shape = (*x.shape[:batch], w.shape[0], *self._extents(window, sizes, w.shape[2:]))
        bias, residual = case.inputs.get("bias"), case.inputs.get("residual")
        if bias is not None:
            try:
                count = per_channel(bias).shape[1]
            except errors.ArgumentError as error:
                raise error.replace(message=f"bias: {error.message}") from None
            if count != w.shape[0]:
                raise errors.ShapeMismatchError(
                    f"bias: {w.shape[0]} numbers were expected, {count} came"
                )
        if residual is not None and residual.shape != shape:
            raise errors.ShapeMismatchError(
                f"residual: the shape {shape} was expected, {residual.shape} came"
            )
        return {"y": _laid_out(shape, x, w, batch=batch)}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a convolution node, and pointwise nodes for the rest."""
        x, w, y = case.inputs["x"], case.inputs["w"], case.outputs["y"]
        batch = len(x.shape) == len(w.shape)
        wide, result = widened(x, batch), widened(y, batch)
        filters = widened(w, True)
        window = self._window(w.shape[2:], x.shape[1 + batch :]).widened(len(filters.shape) - 2)
        graph = draft.graph
        fused = len(case.inputs) > 2 or self.options["activation"] is not None
        own = {}
        if not fused and not case.is_plain:
            own = {"alpha": case.alpha, "beta": case.beta}
        made = graph.convolution(
            draft.input("x", wide), draft.input("w", filters), flip=self.options["flip"],
            **window.options(), **own,
        )  # fmt: skip
        if fused and case.alpha != 1.0:
            made = graph.mul(made, case.alpha)
        if "residual" in case.inputs:
            made = graph.add(made, draft.input("residual", widened(case.inputs["residual"], batch)))
        if "bias" in case.inputs:
            bias = per_channel(case.inputs["bias"], len(filters.shape))
            made = graph.add(made, draft.input("bias", bias))
        made = activate(graph, made, self.options["activation"], self.options["coefficient"])
        if fused:
            made = blend(case._replace(alpha=1.0), draft, made, result)
        draft.output(made, "y", result)

    def _parts(self, case: Case) -> tuple[Spec, Spec, Spec]:
        return case.inputs["x"], case.inputs["w"], case.outputs["y"]

    def _plain_only(self, case: Case) -> None:
        if len(case.inputs) > 2 or self.options["activation"] is not None:
            raise Unfit("cudnnConvolutionForward fuses no bias, residual or activation")

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return the call of `cudnnConvolutionForward`, followed by those of what is fused."""
        if len(case.inputs) == 2 and self.options["activation"] is None:
            return super().classic(case, rule, handle)
        options = self.options
        plain = shared(Convolution, {name: options[name] for name in _WINDOW})
        after = None
        if options["activation"] is not None:
            after = {name: options[name] for name in ("activation", "coefficient")}
            after = shared(Activation, after)
        return unfused(plain, after, case, rule, handle)

    def gradients(self, case: Case) -> list[tuple[Operation, Case]]:
        """Return the convolution and its gradients, each with its case."""
        options = {name: self.options[name] for name in _WINDOW}
        x, w, y = case.inputs["x"], case.inputs["w"], case.outputs["y"]
        data = ConvolutionBackwardData(choose=self.policy, **options)
        filters = ConvolutionBackwardFilter(choose=self.policy, **options)
        return [
            (self, case),
            (data, data.case(y, w, shape=x.shape)),
            (filters, filters.case(x, y, shape=w.shape)),
        ]

    def backward(
        self,
        dy: Any,
        x: Any,
        w: Any,
        *,
        y: Any = None,
        wants: Sequence[str] = ("x", "w", "bias"),
        handle: Any = None,
        stream: Any = ...,
        choose: Any = None,
    ) -> ConvolutionGradients:
        """Return the gradients of the result for input, filters and bias.

        Args:
            dy: the gradient of the result.
            x, w: the arrays of the forward call.
            y: its result, where there is an activation.
            wants: which gradients to compute.
            handle, stream, choose: as in a call.

        Raises:
            NotSupportedError: the gradient of the activation does not follow from its result.
        """
        unknown = [each for each in wants if each not in ConvolutionGradients._fields]
        if unknown:
            raise errors.ArgumentError(
                f"wants: {unknown[0]!r} is no gradient", hint="some of x, w and bias"
            )
        where = {"handle": handle, "stream": stream}
        if self.options["activation"] is not None:
            dy = self._through_activation(dy, y, where)
        window = {name: self.options[name] for name in _WINDOW}
        if self.policy is not None:
            window["choose"] = self.policy
        more = {**where, "choose": choose}
        found: dict[str, Any] = {}
        if "x" in wants:
            found["x"] = shared(ConvolutionBackwardData, window)(
                dy, w, tuple(Spec.of(x, "x").shape), **more
            )
        if "w" in wants:
            found["w"] = shared(ConvolutionBackwardFilter, window)(
                x, dy, tuple(Spec.of(w, "w").shape), **more
            )
        if "bias" in wants:
            batch = len(Spec.of(x, "x").shape) == len(Spec.of(w, "w").shape)
            found["bias"] = shared(ConvolutionBackwardBias, {"batch": batch})(dy, **more)
        return ConvolutionGradients(**found)

    def _through_activation(self, dy: Any, y: Any, where: dict[str, Any]) -> Any:
        word = self.options["activation"]
        if not ACTIVATIONS[word].by_result:
            raise errors.NotSupportedError(
                f"backward: the gradient of {word} does not follow from its result",
                hint="convolve without an activation, and keep its input: see Activation",
            )
        if y is None:
            raise errors.ArgumentError("y: the result of the forward call was expected, None came")
        settings = {"activation": word, "coefficient": self.options["coefficient"]}
        return shared(ActivationBackward, settings)(dy, y, y, **where)


_WINDOW = ("padding", "stride", "dilation", "groups", "flip")


class ConvolutionBackwardData(_Convolving):
    """The gradient of a convolution for its input: dx = alpha * dy * w^T + beta * dx."""

    word = "convolution_backward_data"
    section = "data"
    takes = ("dy", "w")
    gives = ("dx",)
    _functions = (
        "cudnnConvolutionBackwardData",
        "cudnnGetConvolutionBackwardDataAlgorithm_v7",
        "cudnnFindConvolutionBackwardDataAlgorithm",
        "cudnnGetConvolutionBackwardDataWorkspaceSize",
    )

    def __call__(
        self,
        dy: Any,
        w: Any,
        shape: Sequence[int] | None = None,
        *,
        out: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        handle: Any = None,
        stream: Any = ...,
        choose: Any = None,
    ) -> Any:
        """Compute the gradient.

        Args:
            dy: the gradient of the convolution's result.
            w: its filters.
            shape: that of its input; without it the smallest that has such a result.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        wanted = None if shape is None else tuple(shape)
        call = () if wanted is None else (("shape", wanted),)
        return self.run((dy, w), out, handle, stream, choose, alpha, beta, call, wanted)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        dy, w = case.inputs["dy"], case.inputs["w"]
        self._check_filters(w)
        batch = self._check_rank("dy", dy, len(w.shape))
        self._check_type("w", w, dy)
        if dy.shape[batch] != w.shape[0]:
            raise errors.ShapeMismatchError(
                f"dy: {w.shape[0]} channels were expected, one for each filter, "
                f"{dy.shape[batch]} came"
            )
        kernel, sizes = w.shape[2:], dy.shape[1 + batch :]
        shape = case.call.get("shape")
        target = case.outputs.get("dx")
        if shape is None and target is not None:
            shape = target.shape
        if shape is None:
            window = self._window(kernel)
            extra = per_dimension(
                self.options.get("output_padding", 0), len(kernel), "output_padding", 0
            )
            shape = (
                *dy.shape[:batch],
                w.shape[1] * (self.options["groups"] or 1),
                *[
                    (n - 1) * s - b - a + (k - 1) * d + 1 + more
                    for n, k, b, a, s, d, more in zip(sizes, kernel, *window, extra, strict=True)
                ],
            )
        shape = whole(shape, "shape")
        if len(shape) != len(dy.shape):
            raise errors.ArgumentError(
                f"shape: {len(dy.shape)} extents were expected, {len(shape)} came"
            )
        self._check_groups(shape[batch], w.shape, "shape")
        window = self._window(kernel, shape[1 + batch :])
        if min(shape) < 1 or self._extents(window, shape[1 + batch :], kernel) != sizes:
            raise errors.ShapeMismatchError(
                f"dy: a convolution of {shape} with filters {w.shape} does not have a result of "
                f"the spatial extents {sizes}"
            )
        return {"dx": _laid_out(shape, dy, w, batch=batch)}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradient."""
        names = (*case.inputs, *case.outputs)
        dy, w, dx = case.inputs[names[0]], case.inputs["w"], case.outputs[names[-1]]
        batch = len(dy.shape) == len(w.shape)
        filters, result = widened(w, True), widened(dx, batch)
        window = self._window(w.shape[2:], dx.shape[1 + batch :]).widened(len(filters.shape) - 2)
        own = {} if case.is_plain else {"alpha": case.alpha, "beta": case.beta}
        made = draft.graph.convolution_backward_data(
            draft.input(names[0], widened(dy, batch)), draft.input("w", filters),
            shape=result.shape, flip=self.options["flip"], **window.options(), **own,
        )  # fmt: skip
        draft.output(made, names[-1], result)

    def _parts(self, case: Case) -> tuple[Spec, Spec, Spec]:
        names = (*case.inputs, *case.outputs)
        return case.outputs[names[-1]], case.inputs["w"], case.inputs[names[0]]


class ConvolutionBackwardFilter(_Convolving):
    """The gradient of a convolution for its filters: dw = alpha * x^T * dy + beta * dw."""

    word = "convolution_backward_filter"
    section = "filter"
    takes = ("x", "dy")
    gives = ("dw",)
    _functions = (
        "cudnnConvolutionBackwardFilter",
        "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
        "cudnnFindConvolutionBackwardFilterAlgorithm",
        "cudnnGetConvolutionBackwardFilterWorkspaceSize",
    )

    def __call__(
        self,
        x: Any,
        dy: Any,
        shape: Sequence[int] | None = None,
        *,
        out: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        handle: Any = None,
        stream: Any = ...,
        choose: Any = None,
    ) -> Any:
        """Compute the gradient.

        Args:
            x: the convolution's input.
            dy: the gradient of its result.
            shape: that of the filters, (K, C / groups, ...); `out` may tell it instead.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.
        """
        wanted = None if shape is None else tuple(shape)
        call = () if wanted is None else (("shape", wanted),)
        return self.run((x, dy), out, handle, stream, choose, alpha, beta, call, wanted)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        x, dy = case.inputs["x"], case.inputs["dy"]
        self._check_type("dy", dy, x)
        target = case.outputs.get("dw")
        shape = case.call.get("shape") or (None if target is None else target.shape)
        if shape is None:
            raise errors.ArgumentError(
                "shape: that of the filters was expected, None came", hint="or pass out="
            )
        shape = whole(shape, "shape")
        if not 3 <= len(shape) <= 5 or min(shape) < 1:
            raise errors.ArgumentError(f"shape: {shape} is not that of filters")
        batch = self._check_rank("x", x, len(shape))
        if len(dy.shape) != len(x.shape):
            raise errors.ArgumentError(
                f"dy: {len(x.shape)} axes were expected, like x, {len(dy.shape)} came"
            )
        self._check_groups(x.shape[batch], shape, "x")
        window = self._window(shape[2:], x.shape[1 + batch :])
        sizes = self._extents(window, x.shape[1 + batch :], shape[2:])
        wanted = (*x.shape[:batch], shape[0], *sizes)
        if dy.shape != wanted:
            raise errors.ShapeMismatchError(f"dy: the shape {wanted} was expected, {dy.shape} came")
        return {"dw": _laid_out(shape, x, dy)}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradient."""
        x, dy, dw = case.inputs["x"], case.inputs["dy"], case.outputs["dw"]
        batch = len(x.shape) == len(dw.shape)
        result = widened(dw, True)
        window = self._window(dw.shape[2:], x.shape[1 + batch :]).widened(len(result.shape) - 2)
        own = {} if case.is_plain else {"alpha": case.alpha, "beta": case.beta}
        made = draft.graph.convolution_backward_filter(
            draft.input("x", widened(x, batch)), draft.input("dy", widened(dy, batch)),
            result.shape, flip=self.options["flip"], **window.options(), **own,
        )  # fmt: skip
        draft.output(made, "dw", result)

    def _parts(self, case: Case) -> tuple[Spec, Spec, Spec]:
        return case.inputs["x"], case.outputs["dw"], case.inputs["dy"]


class ConvolutionTranspose(ConvolutionBackwardData):
    """A transposed convolution: the gradient of a convolution for its input, used forward.

    Its filters are (K, C / groups, ...), where K are the channels of `x`, as PyTorch has them.
    """

    word = "convolution_transpose"
    takes = ("x", "w", "bias")
    optional = frozenset({"bias"})
    gives = ("y",)

    def __init__(
        self,
        padding: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        *,
        output_padding: Any = 0,
        groups: int | None = None,
        flip: bool = False,
        choose: Any = None,
    ) -> None:
        """Make a transposed convolution.

        Args:
            padding, stride, dilation, groups, flip, choose: of the convolution whose gradient it
                is, as for `Convolution`; "same" only with a stride of 1.
            output_padding: how much longer the result is at the end of each dimension.
        """
        super().__init__(
            padding, stride, dilation, groups=groups, flip=flip, choose=choose,
            output_padding=output_padding,
        )  # fmt: skip

    def __call__(  # type: ignore[override]
        self,
        x: Any,
        w: Any,
        bias: Any = None,
        *,
        out: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        handle: Any = None,
        stream: Any = ...,
        choose: Any = None,
    ) -> Any:
        """Convolve.

        Args:
            x: (N, K, [D, [H,]] W), or without N.
            w: the filters, (K, C / groups, [D, [H,]] W).
            bias: a number for each of the C channels.
            out, alpha, beta, handle, stream, choose: as for `Convolution`.

        Returns: (N, C, [D, [H,]] W), or without N.
        """
        return self.run((x, w, bias), out, handle, stream, choose, alpha, beta, (), bias is None)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        inner = {"dy": case.inputs["x"], "w": case.inputs["w"]}
        try:
            made = super().results(Case(inner, {}, call=case.call))["dx"]
        except errors.CudnnError as error:
            raise error.replace(message=error.message.replace("dy:", "x:", 1)) from None
        bias = case.inputs.get("bias")
        if bias is not None:
            channels = made.shape[len(made.shape) == len(inner["w"].shape)]
            count = per_channel(bias).shape[1]
            if count != channels:
                raise errors.ShapeMismatchError(
                    f"bias: {channels} numbers were expected, {count} came"
                )
        return {"y": made}

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a node for the gradient."""
        if "bias" in case.inputs:
            raise Unfit("no engine fuses a bias with a transposed convolution")
        super().graph(case, draft)

    def find_way(self, case: Case, rule: Rule, handle: Any, device: Any) -> Any:
        if "bias" not in case.inputs:
            return super().find_way(case, rule, handle, device)
        inputs = {name: each for name, each in case.inputs.items() if name != "bias"}
        first = super().find_way(case._replace(inputs=inputs), rule, handle, device)
        return with_bias(first, case)

    def backward(
        self, dy: Any, x: Any, w: Any, *, wants: Sequence[str] = ("x", "w", "bias"),
        handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> ConvolutionGradients:  # fmt: skip
        """Return the gradients of the result for input, filters and bias.

        Args:
            dy: the gradient of the result.
            x, w: the arrays of the forward call.
            wants, handle, stream, choose: as for `Convolution.backward`.
        """
        window = {name: self.options[name] for name in _WINDOW}
        if self.policy is not None:
            window["choose"] = self.policy
        more = {"handle": handle, "stream": stream, "choose": choose}
        found: dict[str, Any] = {}
        if "x" in wants:
            found["x"] = shared(Convolution, window)(dy, w, **more)
        if "w" in wants:
            shape = tuple(Spec.of(w, "w").shape)
            found["w"] = shared(ConvolutionBackwardFilter, window)(dy, x, shape, **more)
        if "bias" in wants:
            batch = len(Spec.of(x, "x").shape) == len(Spec.of(w, "w").shape)
            found["bias"] = shared(ConvolutionBackwardBias, {"batch": batch})(dy, **more)
        return ConvolutionGradients(**found)


class ConvolutionBackwardBias(Operation):
    """The gradient of a bias: db = alpha * sum of dy over all axes but the channels + beta * db."""

    word = "convolution_backward_bias"
    section = "filter"
    takes = ("dy",)
    gives = ("db",)
    ways = ("classic", "graph")

    def __init__(self, *, batch: bool = True, choose: Any = None) -> None:
        """Make the gradient.

        Args:
            batch: whether `dy` has the batch axis.
            choose: how it is computed.
        """
        super().__init__(choose, batch=batch)

    def __call__(
        self, dy: Any, *, out: Any = None, alpha: float = 1.0, beta: float = 0.0,
        handle: Any = None, stream: Any = ..., choose: Any = None,
    ) -> Any:  # fmt: skip
        """Return the gradient of the bias, (K,), from that of the convolution's result."""
        return self.run((dy,), out, handle, stream, choose, alpha, beta)

    def results(self, case: Case) -> dict[str, Spec]:
        """Return what the output is."""
        dy, batch = case.inputs["dy"], self.options["batch"]
        if not 2 + batch <= len(dy.shape) <= 4 + batch:
            raise errors.ArgumentError(
                f"dy: {2 + batch} to {4 + batch} axes were expected, {len(dy.shape)} came",
                hint="batch=False is for one example without the axis N",
            )
        channels = dy.shape[bool(batch)]
        target = case.outputs.get("db")
        if target is not None and per_channel(target).shape[1] == channels:
            return {"db": target}
        return {"db": Spec(dy.dtype, (channels,), (1,), dy.device)}

    def _wide(self, case: Case) -> tuple[Spec, Spec]:
        dy = widened(case.inputs["dy"], self.options["batch"])
        return dy, per_channel(case.outputs["db"], len(dy.shape))

    def graph(self, case: Case, draft: Draft) -> None:
        """Add a reduction."""
        dy, db = self._wide(case)
        axes = [axis for axis in range(len(dy.shape)) if axis != 1]
        made = draft.graph.reduction(draft.input("dy", dy), "ADD", dims=axes)
        draft.output(blend(case, draft, made, db), "db", db)

    def classic(self, case: Case, rule: Rule, handle: Any) -> Classic:
        """Return the call of `cudnnConvolutionBackwardBias`."""
        wide, small = self._wide(case)
        dy, db = describe(wide), describe(small)
        alpha, beta = case.alpha, case.beta

        def run(handle: Any, _scratch: int, _room: int, source: int, target: int) -> None:
            calls.cudnnConvolutionBackwardBias(handle, alpha, dy, source, beta, db, target)

        if not has("cudnnConvolutionBackwardBias"):
            raise Unfit("the loaded release has no cudnnConvolutionBackwardBias")
        return Classic("cudnnConvolutionBackwardBias", operands_of(case.inputs, case.outputs), run)


def convolution(
    x: Any,
    w: Any,
    bias: Any = None,
    residual: Any = None,
    *,
    out: Any = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    handle: Any = None,
    stream: Any = ...,
    choose: Any = None,
    **options: Any,
) -> Any:
    """Convolve; `options` are those of `Convolution`, and the other arguments those of its call."""
    return shared(Convolution, options).run(
        (x, w, bias, residual), out, handle, stream, choose, alpha, beta, (),
        (bias is None, residual is None),
    )  # fmt: skip


def convolution_transpose(x: Any, w: Any, bias: Any = None, **arguments: Any) -> Any:
    """Convolve; arguments are those of `ConvolutionTranspose` and of its call."""
    call, options = split(arguments)
    return shared(ConvolutionTranspose, options)(x, w, bias, **call)


def convolution_backward_data(
    dy: Any, w: Any, shape: Sequence[int] | None = None, **arguments: Any
) -> Any:
    """Return the gradient for the input; see `ConvolutionBackwardData` and its call."""
    call, options = split(arguments)
    return shared(ConvolutionBackwardData, options)(dy, w, shape, **call)


def convolution_backward_filter(
    x: Any, dy: Any, shape: Sequence[int] | None = None, **arguments: Any
) -> Any:
    """Return the gradient for the filters; see `ConvolutionBackwardFilter` and its call."""
    call, options = split(arguments)
    return shared(ConvolutionBackwardFilter, options)(x, dy, shape, **call)


def convolution_backward_bias(dy: Any, **arguments: Any) -> Any:
    """Return the gradient for the bias; see `ConvolutionBackwardBias` and its call."""
    call, options = split(arguments)
    return shared(ConvolutionBackwardBias, options)(dy, **call)
