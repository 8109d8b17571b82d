"""The base of convolutions and their gradients: windows, layouts, classic algorithms."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from ... import arrays, errors
from ..._lookup import calls
from ..._operation.operation import Operation
from ..._operation.way_search import limited_filters
from ..._support.wording import no_word
from ..._ways.array_spec import Spec, widened
from ..._ways.case import FREE, Case, Unfit, keeps_precision
from ..._ways.classic_call import HANDLE, Classic, Scratch, Step, describe, operands_of
from ...choice import policy_words
from ...choice.engine.finalize import is_captured
from ...choice.policy import Engine, Rule
from ...descriptors import ConvolutionDescriptor, FilterDescriptor
from ...errata import asks as errata
from ...graph.arguments import paddings, per_dimension

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._ways.signatures import Choose, Extents, Handle, Padding

#: The options that say what a convolution computes.
WINDOW = ("padding", "stride", "dilation", "groups", "flip")

_PADDINGS = ("valid", "same", "half", "full")


class Window(NamedTuple):
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

    def widened(self, axes: int) -> Window:
        """Return the same for more dimensions, with windows of one element in the new ones."""
        more = axes - len(self.stride)
        return Window(
            (0,) * more + self.before, (0,) * more + self.after,
            (1,) * more + self.stride, (1,) * more + self.dilation,
        )  # fmt: skip


class Offer(NamedTuple):
    """A classic algorithm as it can be called.

    Attributes:
        parts: the descriptors of input, filters, output and convolution; the last has its math.
        size: of the workspace, in bytes.
        deterministic: whether the same input gives the same bits each time.
        math: the name of the math type; "" if cuDNN does not return it.
    """

    parts: tuple[Any, Any, Any, Any]
    size: int
    deterministic: bool
    math: str


#: The math types that need not be set: the second is a descriptor's own.
_OWN_MATH = ("FMA_MATH", "DEFAULT_MATH")


def fits(spec: Spec, layout: str) -> bool:
    """Return whether an array has a layout without gaps."""
    packed = arrays.packed_strides(spec.shape, layout)
    return arrays.same_strides(spec.shape, spec.strides, packed)


def laid_out(shape: Sequence[int], *specs: Spec, batch: bool = True) -> Spec:
    """Return a packed array in the layout of the first of `specs` that fits one layout alone."""
    first = specs[0]
    last = False
    for each in specs:
        wide = widened(each, len(each.shape) == len(shape) or batch)
        one, two = fits(wide, "NCHW"), fits(wide, "NHWC")
        if one != two:
            last = two
            break
    shape = tuple(shape)
    full = shape if batch else (1, *shape)
    strides = arrays.packed_strides(full, "NHWC" if last else "NCHW")
    return Spec(first.dtype, shape, strides if batch else strides[1:], first.device)


def both_sides(padding: Padding, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the padding before and after each of `count` dimensions.

    Raises:
        ArgumentError: it is neither a number, nor one for each, nor a pair for each.
    """
    if isinstance(padding, bool) or not (isinstance(padding, int) or hasattr(padding, "__len__")):
        raise errors.ArgumentError(
            f"padding: expected a number, or one or a pair for each dimension, got {padding!r}"
        )
    return paddings(padding, count)


class Convolving(Operation):
    """The base of a convolution and its gradients: the window, and descriptors."""

    takes_low = True
    rounds = True
    _has_algorithms = True

    def __init__(
        self,
        padding: Padding = 0,
        stride: Extents = 1,
        dilation: Extents = 1,
        *,
        groups: int | None = None,
        flip: bool = False,
        choose: Choose = None,
        **more: object,
    ) -> None:
        """Make the operation.

        Args:
            padding, stride, dilation, groups, flip: of the convolution, as for `Convolution`.
            choose: the policy that picks the engine or algorithm; see `cudnn_cffi.choice`.
            more: further options of the operation.
        """
        if isinstance(padding, str) and padding.lower() not in _PADDINGS:
            raise no_word("padding", padding, "numbers or a word", _PADDINGS)
        if groups is not None and (not isinstance(groups, int) or groups < 1):
            raise errors.ArgumentError(f"groups: expected a positive number, got {groups!r}")
        super().__init__(
            choose, padding=padding, stride=stride, dilation=dilation, groups=groups,
            flip=flip, **more,
        )  # fmt: skip

    def _window(self, kernel: Sequence[int], sizes: Sequence[int] | None = None) -> Window:
        """Return the numbers for filters of such extents, and an input of such extents."""
        options, count = self.options, len(kernel)
        stride = per_dimension(options["stride"], count, "stride", 1)
        dilation = per_dimension(options["dilation"], count, "dilation", 1)
        padding = options["padding"]
        if not isinstance(padding, str):
            return Window(*both_sides(padding, count), stride, dilation)
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
            return Window(
                before, tuple(t - b for t, b in zip(total, before, strict=True)), stride, dilation
            )
        both = {"valid": [0] * count, "half": [(r + 1) // 2 for r in reach], "full": reach}[word]
        return Window(tuple(both), tuple(both), stride, dilation)

    @staticmethod
    def _check_rank(name: str, spec: Spec, axes: int) -> bool:
        """Return whether an array has the batch axis."""
        if len(spec.shape) not in (axes, axes - 1):
            raise errors.ArgumentError(
                f"{name}: expected {axes} axes, or {axes - 1} without the batch, got "
                f"{len(spec.shape)}"
            )
        return len(spec.shape) == axes

    @staticmethod
    def _check_filters(w: Spec) -> None:
        if not 3 <= len(w.shape) <= 5:
            raise errors.ArgumentError(
                f"w: expected 3 to 5 axes, K, C and one to three spatial ones, got {len(w.shape)}"
            )

    def _check_groups(self, channels: int, w: Sequence[int], name: str) -> int:
        """Return the number of groups, by the channels of the input."""
        groups = self.options["groups"] or max(channels // w[1], 1)
        if w[1] * groups != channels:
            raise errors.ShapeMismatchError(
                f"{name}: expected {w[1] * groups} channels, got {channels}",
                hint=f"the filters have {w[1]} channels, in {groups} groups",
            )
        if w[0] % groups:
            raise errors.ShapeMismatchError(
                f"w: expected a multiple of {groups} filters, one for each group, got {w[0]}"
            )
        return groups

    def _extents(self, window: Window, sizes: Sequence[int], kernel: Sequence[int]) -> Any:
        found = tuple(
            window.extent(i, n, k) for i, (n, k) in enumerate(zip(sizes, kernel, strict=True))
        )
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
        prefer = next((each.layout for each in (x, wide, y) if not fits(each, "NCHW")), "NCHW")
        groups = x.shape[1] // w.shape[1]
        try:
            conv = ConvolutionDescriptor._of(
                "CONVOLUTION" if self.options["flip"] else "CROSS_CORRELATION",
                window.before, window.stride, window.dilation, groups,
                "float64" if x.dtype == "float64" else "float32",
                "FMA_MATH" if keeps_precision(rule, x.dtype) else None,
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

    def _ask(self, name: str, handle: Handle, parts: Any, *more: Any) -> Any:
        """Call a function with the descriptors in the order of this section."""
        x, w, y, conv = parts
        order = {"forward": (x, w, conv, y), "data": (w, y, conv, x), "filter": (x, y, conv, w)}
        return getattr(calls, name)(handle, *order[self.section], *more)

    def _offered(self, handle: Handle, parts: Any, timed: bool) -> list[Any]:
        """Return cuDNN's records of algorithms, best first."""
        _, guess, find, _ = self._functions
        enum = policy_words.ALGORITHMS[self.section]
        count = len(policy_words.algorithm_names(self.section))
        try:
            return list(self._ask(find if timed else guess, handle, parts, count))
        except errors.NotSupportedError as error:
            raise Unfit(f"no {enum} supports this: {error.message}") from error

    def classic(self, case: Case, rule: Rule, handle: Handle) -> Classic:
        """Return the call of the classic function, with the algorithm that a rule picks."""
        parts = self._descriptors(*self._parts(case), rule)
        pick = rule.pick
        named = isinstance(pick, str) and pick not in policy_words.WORDS
        meaning = policy_words.MEANINGS[self.section].get(pick) if isinstance(pick, str) else None
        if pick == "deterministic" and self.section != "forward":
            meaning = "ALGO_1"
        if meaning is None and pick in ("fft", "fft_tiling", "winograd", "winograd_non_fused"):
            raise Unfit(f"no classic algorithm of {self.section} is {pick}")
        limit: Any = limited_filters(rule, handle).get("workspace_limit")
        dtype = next(iter(case.inputs.values())).dtype
        exact = keeps_precision(rule, dtype)
        if named or meaning is not None:
            name = str(pick if named else meaning)
            offer = self._measure(handle, parts, name, exact=exact)
            why = self._why_not(rule, name, offer, limit)
            if not named:
                why = why or self._why_wrong(case, name, exact=exact)
            if why:
                raise Unfit(why)
            return self._call(case, name, offer)
        reasons = []
        # Timing allocates memory and waits for the device, which a capture forbids.
        timed = pick == "time" and not is_captured(handle)
        for each in self._offered(handle, parts, timed):
            name = each.algo.name
            if int(each.status):
                reasons.append(f"{name}: {getattr(each.status, 'name', each.status)}")
                continue
            if exact and each.mathType.name not in _OWN_MATH:
                reasons.append(f"{name}: {each.mathType.name} is not allowed")
                continue
            offer = _offer(parts, each, int(each.memory))
            why = self._why_not(rule, name, offer, limit)
            why = why or self._why_wrong(case, name, exact=exact)
            if why:
                reasons.append(why)
                continue
            return self._call(case, name, offer)
        raise Unfit(f"no classic algorithm: {'; '.join(reasons) or 'cuDNN offers none'}")

    def _why_not(self, rule: Rule, name: str, offer: Offer, limit: int | None) -> str:
        if name in (rule.exclude or ()):
            return f"{name} is excluded"
        if limit is not None and offer.size > limit:
            return f"{name} needs {offer.size} bytes of workspace, at most {limit} are allowed"
        if rule.keeps_bits and not offer.deterministic:
            return f"{name} is not deterministic"
        return ""

    def _why_wrong(self, case: Case, name: str, *, exact: bool) -> str:
        """Return why the errata leave out an algorithm that the user does not name."""
        facts: errata.Call = {
            "algorithm": name, "data_type": next(iter(case.inputs.values())).dtype,
            "window": self._parts(case)[1].shape[-1], "exact": exact,
        }  # fmt: skip
        why = errata.wrong_function(self._functions[0], facts, self.device_of(case))
        return why and f"{name}: {why}"

    def _measure(self, handle: Handle, parts: Any, name: str, *, exact: bool) -> Offer:
        """Return an algorithm with the math type that cuDNN offers it with.

        Args:
            handle: of the device.
            parts: the descriptors of input, filters, output and convolution.
            name: of the algorithm.
            exact: whether numbers must not be rounded for tensor cores.

        Raises:
            Unfit: it does not support the arrays.
        """
        member = arrays.member(policy_words.ALGORITHMS[self.section], name)

        def size_of(its: Any) -> int:
            try:
                return int(self._ask(self._functions[3], handle, its, member))
            except (errors.NotSupportedError, errors.BadParamError) as error:
                raise Unfit(f"{name}: {error.status_name or error.message}") from error

        size = size_of(parts)
        for each in self._offered(handle, parts, False):
            own = each.mathType.name in _OWN_MATH
            if each.algo.name == name and not int(each.status) and (own or not exact):
                offer = _offer(parts, each, size)
                return offer if own else offer._replace(size=size_of(offer.parts))
        bits = not (self.section != "forward" and name in ("ALGO_0", "ALGO_3"))
        return Offer(parts, size, bits, "")

    def _call(self, case: Case, name: str, offer: Offer) -> Classic:
        x, w, y, conv = offer.parts
        function = self._functions[0]
        algorithm = arrays.member(policy_words.ALGORITHMS[self.section], name)
        first, second, third = {
            "forward": (x, w, y), "data": (w, y, x), "filter": (x, y, w)
        }[self.section]  # fmt: skip
        a, b, c = self._takes(case)
        step = Step(
            function, HANDLE, case.alpha, first, a, second, b, conv, algorithm, Scratch(),
            offer.size, case.beta, third, c,
        )  # fmt: skip
        operands = operands_of(case.inputs, case.outputs)
        return Classic(
            function, operands, [step], workspace_size=offer.size, algorithm=name,
            deterministic=offer.deterministic, math=offer.math,
        )  # fmt: skip

    def _takes(self, case: Case) -> tuple[str, str, str]:
        """Return the names of the arrays, in the order of the classic function.

        After the two factors there may be other inputs, which are added.
        """
        first, second = tuple(case.inputs)[:2]
        output = next(iter(case.outputs))
        return (second, first, output) if self.section == "data" else (first, second, output)

    def algorithms(
        self, case: Case, handle: Handle, rule: Rule = FREE
    ) -> Iterator[tuple[str, Classic | None, str]]:  # fmt: skip
        """Yield each classic algorithm's name, with its record or the reason against it."""
        parts = self._descriptors(*self._parts(case), rule)
        exact = keeps_precision(rule, next(iter(case.inputs.values())).dtype)
        for name in policy_words.algorithm_names(self.section):
            try:
                self._plain_only(case)
                if why := self._why_wrong(case, name, exact=exact):
                    raise Unfit(why)
                offer = self._measure(handle, parts, name, exact=exact)
                yield name, self._call(case, name, offer), ""
            except errors.CudnnError as error:
                yield name, None, error.message.splitlines()[0]

    def _plain_only(self, case: Case) -> None:
        """Refuse what only a graph fuses."""

    def _order(self, case: Case, rule: Rule) -> tuple[str, ...]:
        order = super()._order(case, rule)
        if rule.via is not None or isinstance(rule.pick, Engine):
            return order
        if rule.pick in policy_words.MEANINGS[self.section]:
            return ("classic", "graph")  # the word means that algorithm, if it can be used
        if order == self.ways and next(iter(case.inputs.values())).dtype == "float64":
            return ("classic", "graph")  # few engines compute in float64
        return order

    def _budget(self, case: Case, rule: Rule, handle: Handle | None) -> int | None:
        """Return the workspace of the classic algorithm that a word means."""
        name = policy_words.MEANINGS[self.section].get(str(rule.pick))
        if rule.pick in ("none", "small") and name and handle is not None:
            try:
                parts = self._descriptors(*self._parts(case), Rule())
                return self._measure(handle, parts, name, exact=False).size
            except errors.CudnnError:
                pass
        return super()._budget(case, rule, handle)


def _offer(parts: Any, record: Any, size: int) -> Offer:
    """Return what cuDNN's record of an algorithm offers, with a descriptor that has its math."""
    math = record.mathType.name
    if math not in _OWN_MATH:
        conv = copy.copy(parts[3])  # other algorithms may be called with this one
        conv.set_math_type(record.mathType)
        parts = (*parts[:3], conv)
    return Offer(parts, size, record.determinism.name == "DETERMINISTIC", math)
