"""The descriptor of a convolution, which can be called."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, overload

from .. import arrays, errors
from .._lookup import calls, families, has, takes
from .._support.arguments import integers, join, per_axis
from ..handles import checked_handle, ordering
from ._core import operands
from ._core.configured import SPATIAL_MAX, Configured, Field, computed
from .tensor import FilterDescriptor, TensorDescriptor

if TYPE_CHECKING:
    from typing import Unpack

    from ..arrays import ArrayInfo
    from ..enum_words import (
        ConvolutionFwdAlgoLike,
        ConvolutionModeLike,
        MathTypeLike,
        ReorderTypeLike,
    )
    from ..enums import ConvolutionMode, DataType, MathType, ReorderType
    from ..handles import Handle
    from ..memory import DeviceArray
    from ..types import Array, DType, PlainLayout
    from ._core.operands import ApplyingBy


_Out = TypeVar("_Out")


class Plan(NamedTuple):
    """The descriptors for a convolution of arrays of certain types, shapes and strides.

    Attributes:
        x, w: descriptors of the input and the filters.
        y: the descriptor of the output; None if the caller passed no output.
        conv: the descriptor to use instead of the caller's; None for the caller's.
        shape: the shape of the output.
        layout: the layout of an output that is allocated here.
        spans: the bytes that input, filters and output span; none without an output.
    """

    x: TensorDescriptor
    w: FilterDescriptor
    y: TensorDescriptor | None
    conv: ConvolutionDescriptor | None
    shape: tuple[int, ...]
    layout: PlainLayout
    spans: tuple[int, ...]


class ConvolutionDescriptor(Configured, families.ConvolutionDescriptor):
    """A convolution: padding, stride, dilation, groups, and how to compute.

    Set by `cudnnSetConvolutionNdDescriptor`, read by `cudnnGetConvolutionNdDescriptor`; groups,
    math type and reordering by functions of their own (cudnn_cnn.h).
    """

    __slots__ = ("_by_input",)
    _by_input: bool  # whether the caller left the compute type to conv(x, w)

    @classmethod
    def cross_correlation(
        cls,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        *,
        groups: int = 1,
        compute: DType | None = None,
        math: MathTypeLike | None = None,
        axes: int = 2,
    ) -> Self:
        """Describe what neural networks call a convolution: the filter is not mirrored.

        Calls `cudnnSetConvolutionNdDescriptor` and, where groups or a math type are named,
        `cudnnSetConvolutionGroupCount` and `cudnnSetConvolutionMathType` (cudnn_cnn.h).

        Args:
            padding: the elements added on both sides of each spatial axis, or one number for all
                axes.
            stride: the step from window to window, likewise.
            dilation: the step between elements of a window, likewise.
            groups: the number of groups that the channels are divided into.
            compute: the data type of the sums. By default the descriptor says float32, and
                `conv(x, w)` computes in float64 for arrays of float64; to pass such tensors to the
                C names, name "float64".
            math: a `MathType` or its name. "DEFAULT_MATH", the default, lets cuDNN use tensor
                cores, and with them TF32 for float32; "FMA_MATH" keeps to full float32.
            axes: the number of spatial axes, if all arguments are single numbers.

        Raises:
            ArgumentError: an argument is not what it should be, or sequences differ in length.
            BadParamError: cuDNN refuses the combination.
        """
        return cls._of("CROSS_CORRELATION", padding, stride, dilation, groups, compute, math, axes)

    @classmethod
    def convolution(
        cls,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        *,
        groups: int = 1,
        compute: DType | None = None,
        math: MathTypeLike | None = None,
        axes: int = 2,
    ) -> Self:
        """Describe the convolution of mathematics: the filter is mirrored.

        Args:
            padding, stride, dilation, groups, compute, math, axes: as for `cross_correlation`.

        Raises:
            ArgumentError, BadParamError: as `cross_correlation` does.
        """
        return cls._of("CONVOLUTION", padding, stride, dilation, groups, compute, math, axes)

    @classmethod
    def _of(
        cls,
        mode: ConvolutionModeLike,
        padding: int | Sequence[int],
        stride: int | Sequence[int],
        dilation: int | Sequence[int],
        groups: int,
        compute: DType | None,
        math: MathTypeLike | None,
        axes: int = 2,
        reorder: ReorderTypeLike | None = None,
    ) -> Self:
        axes, (padding, stride, dilation) = per_axis(
            axes, padding=padding, stride=stride, dilation=dilation
        )
        (groups,) = integers(groups=groups)
        self = cls()
        self._by_input = compute is None
        kind = arrays.data_type("float32" if compute is None else compute)
        if set(dilation) - {1} and not cls._dilates():
            raise errors.ArgumentError(
                f"dilation: expected 1, got {join(dilation)}",
                hint="the loaded release has no dilation",
            )
        # By the C names, since an older release has other forms of them, or none.
        calls.cudnnSetConvolutionNdDescriptor(
            self, axes, padding, stride, dilation, arrays.member("ConvolutionMode", mode), kind
        )
        if groups != 1:
            calls.cudnnSetConvolutionGroupCount(self, groups)
        if math is not None:
            calls.cudnnSetConvolutionMathType(self, arrays.member("MathType", math))
        if reorder is not None:
            calls.cudnnSetConvolutionReorderType(self, arrays.member("ReorderType", reorder))
        return self

    @staticmethod
    def _dilates() -> bool:
        """Return whether the loaded release dilates; old ones scale up by that argument."""
        return takes("cudnnSetConvolutionNdDescriptor", "dilationA")

    mode: Field[ConvolutionMode] = Field(
        itemgetter(4), "Return the member of `ConvolutionMode`.", shown="{}"
    )
    padding: Field[tuple[int, ...]] = Field(
        itemgetter(1), "Return the elements added on both sides of each axis.", shown="padding {}"
    )
    stride: Field[tuple[int, ...]] = Field(
        itemgetter(2), "Return the steps from window to window.", shown="stride {}"
    )

    @computed("dilation {}")
    def dilation(self) -> tuple[int, ...]:
        """Return the steps between elements of a window; 1 if the release does not dilate."""
        if not self._dilates():
            return (1,) * self.axes
        return self._read()[3]

    @computed(lambda groups: f"groups {groups}" if groups != 1 else "")
    def groups(self) -> int:
        """Return the number of groups, by `cudnnGetConvolutionGroupCount`."""
        if not has("cudnnGetConvolutionGroupCount"):
            return 1
        return calls.cudnnGetConvolutionGroupCount(self)

    compute: Field[DataType] = Field(
        itemgetter(5), "Return the data type of the sums, a member of `DataType`.", shown="{}"
    )

    @property
    def math(self) -> MathType:
        """Return the member of `MathType`, by `cudnnGetConvolutionMathType`.

        Raises:
            MissingFunctionError: the loaded release has no math types.
        """
        return calls.cudnnGetConvolutionMathType(self)

    @property
    def reorder(self) -> ReorderType:
        """Return whether int8 filters are reordered, a member of `ReorderType`.

        Calls `cudnnGetConvolutionReorderType`.

        Raises:
            MissingFunctionError: the loaded release does not reorder.
        """
        return calls.cudnnGetConvolutionReorderType(self)

    @property
    def axes(self) -> int:
        """Return the number of spatial axes."""
        return self._read()[0]

    def _read(self) -> Any:
        # The names of the values differ between releases, their order does not.
        return calls.cudnnGetConvolutionNdDescriptor(self, SPATIAL_MAX)

    def _is_set(self, got: Any) -> bool:
        return bool(got[0])

    def _math(self) -> MathType | None:
        """Return the math type; None if the loaded release has none."""
        return self.math if has("cudnnGetConvolutionMathType") else None

    def _reorder(self) -> ReorderType | None:
        return self.reorder if has("cudnnGetConvolutionReorderType") else None

    def _setting(self) -> tuple[object, ...]:
        """Return all that is set as numbers, for the key of what depends on it."""
        _, padding, stride, dilation, mode, compute = self._read()
        return (
            padding, stride, dilation, int(mode), int(compute), self.groups,
            self._math(), self._reorder(),
            getattr(self, "_by_input", False),
        )  # fmt: skip

    def _for_input(self, dtype: str) -> ConvolutionDescriptor | None:
        """Return the descriptor to use for an input of that type; None for this one."""
        if dtype != "float64" or not getattr(self, "_by_input", False):
            return None
        if self.compute.name != "FLOAT":  # set under its C name
            return None
        return self._of(**self._configuration() | {"compute": dtype})  # type: ignore[arg-type]

    def _plan(self, x: ArrayInfo, w: ArrayInfo, out: ArrayInfo | None) -> Plan:
        if w.dtype != x.dtype:
            raise errors.ArgumentError(f"w: expected {x.dtype}, like x, got {w.dtype}")
        layout = operands.common_layout(x, w) if out is None else operands.common_layout(x, w, out)
        x_desc = TensorDescriptor.of_info(x, prefer=layout)
        w_desc = FilterDescriptor.of_info(w, prefer=layout)
        groups = self.groups
        channels = w_desc.shape[1] * groups
        if x_desc.shape[1] != channels:
            raise errors.ArgumentError(
                f"x: expected {channels} channels, got {x_desc.shape[1]}",
                hint=f"w is {w_desc!r}, in {groups} groups",
            )
        shape = self.output_shape(x_desc, w_desc)
        y_desc = None
        if out is not None:
            operands.check_output(out, x, shape)
            y_desc = TensorDescriptor.of_info(out, prefer=layout)
        spans = () if out is None else tuple(map(arrays.span_of, (x, w, out)))
        return Plan(x_desc, w_desc, y_desc, self._for_input(x.dtype), shape, layout, spans)

    def _planned(
        self, kinds: tuple[object, ...], x: ArrayInfo, w: ArrayInfo, out: ArrayInfo | None
    ) -> Plan:
        key = kinds if out is None else (kinds, out[1:4])
        plan: Plan | None = operands.kept.get(key)
        if plan is None:
            plan = operands.kept[key] = self._plan(x, w, out)
        return plan

    def output_shape(
        self, x: families.TensorDescriptor, w: families.FilterDescriptor
    ) -> tuple[int, ...]:
        """Return the shape of the output for an input and a filter.

        Calls `cudnnGetConvolutionNdForwardOutputDim` (cudnn_cnn.h).

        Args:
            x, w: the descriptors of the input, (N, C, ...), and of the filters, (K, C, ...).

        Raises:
            BadParamError: input and filter do not go together.
        """
        return self.get_nd_forward_output_dim(x, w, self.axes + 2)

    @overload
    def __call__(
        self, x: Array, w: Array, out: None = None, **options: Unpack[ApplyingBy]
    ) -> DeviceArray: ...

    @overload
    def __call__(self, x: Array, w: Array, out: _Out, **options: Unpack[ApplyingBy]) -> _Out: ...

    def __call__(
        self,
        x: Array,
        w: Array,
        out: object = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        algorithm: ConvolutionFwdAlgoLike | int | None = None,
        batch: bool | None = None,
    ) -> Any:
        """Convolve `x` with `w`, by `cudnnConvolutionForward` (cudnn_cnn.h).

        Args:
            x, w: arrays on the handle's device, of any library, with the axes N, C and K, C in
                front of the spatial ones. Their strides decide the layout; where the strides of one
                fit both NCHW and NHWC, the others decide.
            out: the array to write to; by default a new `DeviceArray` with the layout of `x`.
            handle: whose stream computes; by default this thread's, in the current stream of the
                library of `x`. It waits for the work of others on their arrays.
            alpha, beta: `out` becomes alpha * result + beta * `out`. With a beta, pass `out`.
            algorithm: a `ConvolutionFwdAlgo` or its name; by default the first one of cuDNN's
                heuristics (`cudnnGetConvolutionForwardAlgorithm_v7`) whose workspace is within
                `handle.workspace.limit`.
            batch: False if `x` and `out` lack the axis N. With True, `x` may lack the last axis,
                which is taken as an extent of 1. By default `x` has as many axes as `w`.

        Returns: `out`, or the new array.

        Raises:
            ArgumentError: data types, shapes, strides or devices do not go together, or `out` is
                read-only.
            ClosedError: an array, the handle or its stream is closed.
            NotSupportedError: cuDNN has no algorithm for the combination.
            AllocationError: every algorithm needs more workspace than the limit, or there is no
                memory for the workspace or the result.
        """
        if handle is not None:
            checked_handle(handle)
        operands.refuse_beta(out, beta)
        chosen = None if algorithm is None else arrays.member("ConvolutionFwdAlgo", algorithm)
        source, weights = operands.described(x, "x"), operands.described(w, "w")
        source = operands.batched(source, "x", len(weights.shape), batch)
        target = None if out is None else operands.output_of(out, batch)
        kinds = self._setting(), source[1:4], weights[1:4]
        plan = self._planned(kinds, source, weights, target)
        handle, order = ordering.place(handle, (x, w) if out is None else (x, w, out))
        device = handle.device
        arrays.check_place(source, "x", device)
        arrays.check_place(weights, "w", device)
        if target is None:
            array = operands.allocate_output(plan.shape, source.dtype, plan.layout, handle)
            target, out = arrays.describe(array), array[0] if batch is False else array
            plan = self._planned(kinds, source, weights, target)
        else:
            x_span, w_span, span = plan.spans
            from_x, from_w = (target.address - each.address for each in (source, weights))
            if arrays.are_near(from_x, span, x_span) or arrays.are_near(from_w, span, w_span):
                arrays.refuse_overlaps("out", target, {"x": source, "w": weights})
        arrays.check_place(target, "out", device)
        case = kinds, target[1:4]
        conv = self if plan.conv is None else plan.conv
        assert plan.y is not None
        if chosen is None:
            limit = handle.workspace.limit
            choice = "algorithm", case, device, limit
            found = operands.kept.get(choice)
            if found is None:
                found = operands.kept[choice] = _first_choice(handle, conv, plan, limit)
            chosen, size = found
        else:
            size = calls.cudnnGetConvolutionForwardWorkspaceSize(
                handle, plan.x, plan.w, conv, plan.y, chosen
            )
        scratch = handle.workspace.get(size, handle.stream) if size else 0
        calls.cudnnConvolutionForward(
            handle, alpha, plan.x, source.address, plan.w, weights.address, conv, chosen,
            scratch, size, beta, plan.y, target.address,
        )  # fmt: skip
        if order is not None:
            ordering.end(order, handle)
        return out

    def _configuration(self) -> dict[str, object]:
        configuration = super()._configuration()
        if configuration:
            math, reorder = self._math(), self._reorder()
            configuration["math"] = None if math is None else math.name
            configuration["reorder"] = None if reorder is None else reorder.name
        return configuration

    def _arguments(self) -> dict[str, object]:
        arguments = self._configuration()
        if getattr(self, "_by_input", False) and arguments.get("compute") == "FLOAT":
            arguments["compute"] = None
        return arguments

    @classmethod
    def _restored(cls, **configuration: object) -> Self:
        return cls._of(**configuration)  # type: ignore[arg-type]

    def _summary(self) -> str:
        math = self._math()
        return super()._summary() + ("" if math is None else f" {math.name}")


def _first_choice(
    handle: Handle, conv: ConvolutionDescriptor, plan: Plan, limit: int | None
) -> tuple[Any, int]:
    """Return the first algorithm of cuDNN's heuristics within the limit, and its workspace."""
    assert plan.y is not None
    count = calls.cudnnGetConvolutionForwardAlgorithmMaxCount(handle)
    candidates = calls.cudnnGetConvolutionForwardAlgorithm_v7(
        handle, plan.x, plan.w, conv, plan.y, count
    )
    usable = [each for each in candidates if not int(each.status)]
    for each in usable:
        if limit is None or each.memory <= limit:
            return int(each.algo), int(each.memory)
    if usable:
        least = min(each.memory for each in usable)
        raise errors.AllocationError(
            f"no algorithm needs at most {limit} bytes of workspace, the least is {least}",
            hint="raise handle.workspace.limit",
        )
    raise errors.NotSupportedError(
        f"no algorithm supports x={plan.x!r} w={plan.w!r} conv={conv!r} y={plan.y!r}",
        function="cudnnGetConvolutionForwardAlgorithm_v7",
        hint="another layout, data type or compute type may be supported",
    )
