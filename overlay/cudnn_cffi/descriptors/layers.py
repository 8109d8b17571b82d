"""Descriptors of layers: convolution, pooling, activation, normalisation, dropout.

Those of them that can be called describe their arguments, check them, and make one call.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from .. import arrays, errors
from .._lookup import calls, families, has, takes
from .configured import (
    SPATIAL_MAX,
    Configured,
    Made,
    dtype_text,
    integers,
    is_known,
    member,
    nan_option,
    numbers,
    padded,
    per_axis,
    reals,
)

if TYPE_CHECKING:
    from ..enums import (
        ActivationMode,
        ConvolutionMode,
        DataType,
        MathType,
        PoolingMode,
        ReorderType,
    )
    from ..handles import Handle
    from ..memory import DeviceArray, Memory

__all__ = [
    "ActivationDescriptor",
    "ConvolutionDescriptor",
    "DropoutDescriptor",
    "LRNDescriptor",
    "PoolingDescriptor",
    "SpatialTransformerDescriptor",
]


_Out = TypeVar("_Out")


class ConvolutionDescriptor(Configured, families.ConvolutionDescriptor):
    """Padding, stride, dilation, groups, and how to compute."""

    __slots__ = ("_by_input",)
    _by_input: bool  # whether no compute type was named: conv(x, w) has the one that x needs
    _label = "Convolution"

    @classmethod
    def cross_correlation(
        cls,
        padding: int | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
        dilation: int | Sequence[int] = 1,
        *,
        groups: int = 1,
        compute: Any = None,
        math: Any = None,
        axes: int = 2,
    ) -> Self:
        """What neural networks call a convolution: the filter is not mirrored.

        Args:
            padding, stride, dilation: for each spatial axis, or one for all.
            groups: into how many the channels are divided.
            compute: in which type sums are made. By default the descriptor says float32, and
                `conv(x, w)` computes in float64 where `x` is of that type; under the C names name
                "float64" for such tensors.
            math: a `MathType` or its name. "DEFAULT_MATH", the default, lets cuDNN use tensor
                cores, and with them TF32 for float32; "FMA_MATH" keeps to full float32.
            axes: spatial ones, where no sequence tells.

        Raises:
            ArgumentError: one of them is not what it should be, or not one for each axis.
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
        compute: Any = None,
        math: Any = None,
        axes: int = 2,
    ) -> Self:
        """The convolution of mathematics: the filter is mirrored. See `cross_correlation`."""
        return cls._of("CONVOLUTION", padding, stride, dilation, groups, compute, math, axes)

    @classmethod
    def _of(
        cls,
        mode: Any,
        padding: int | Sequence[int],
        stride: int | Sequence[int],
        dilation: int | Sequence[int],
        groups: int,
        compute: Any,
        math: Any,
        axes: int = 2,
        reorder: Any = None,
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
                f"dilation: 1 was expected, {numbers(dilation)} came",
                hint="the loaded release has no dilation",
            )
        # By the C names, as an older release has other forms of them, or none.
        calls.cudnnSetConvolutionNdDescriptor(
            self, axes, padding, stride, dilation, member("ConvolutionMode", mode), kind
        )
        if groups != 1:
            calls.cudnnSetConvolutionGroupCount(self, groups)
        if math is not None:
            calls.cudnnSetConvolutionMathType(self, member("MathType", math))
        if reorder is not None:
            calls.cudnnSetConvolutionReorderType(self, member("ReorderType", reorder))
        return self

    @staticmethod
    def _dilates() -> bool:
        """Whether this release dilates, and does not scale up in the place of that."""
        return takes("cudnnSetConvolutionNdDescriptor", "dilationA")

    def _nd(self) -> Any:
        return calls.cudnnGetConvolutionNdDescriptor(self, SPATIAL_MAX)

    @property
    def padding(self) -> tuple[int, ...]:
        return self._nd()[1]  # type: ignore[no-any-return]

    @property
    def stride(self) -> tuple[int, ...]:
        return self._nd()[2]  # type: ignore[no-any-return]

    @property
    def dilation(self) -> tuple[int, ...]:
        if not self._dilates():
            return (1,) * self.axes
        return self._nd()[3]  # type: ignore[no-any-return]

    @property
    def mode(self) -> ConvolutionMode:
        """The member of `ConvolutionMode`."""
        return self._nd()[4]  # type: ignore[no-any-return]

    @property
    def compute(self) -> DataType:
        """The member of `DataType`."""
        return self._nd()[5]  # type: ignore[no-any-return]

    @property
    def groups(self) -> int:
        if not has("cudnnGetConvolutionGroupCount"):
            return 1
        return calls.cudnnGetConvolutionGroupCount(self)

    @property
    def math(self) -> MathType:
        """The member of `MathType`."""
        return calls.cudnnGetConvolutionMathType(self)

    @property
    def reorder(self) -> ReorderType:
        """The member of `ReorderType`: whether int8 filters are reordered."""
        return calls.cudnnGetConvolutionReorderType(self)

    @property
    def axes(self) -> int:
        """How many spatial axes."""
        return self._nd()[0]  # type: ignore[no-any-return]

    def _math(self) -> Any:
        """The math type; None where this release has none."""
        return self.math if has("cudnnGetConvolutionMathType") else None

    def _reorder(self) -> Any:
        return self.reorder if has("cudnnGetConvolutionReorderType") else None

    def _setting(self) -> tuple[Any, ...]:
        """All that is set, in numbers: a key for what depends on it."""
        _, padding, stride, dilation, mode, compute = self._nd()
        return (
            padding, stride, dilation, int(mode), int(compute), self.groups,
            self._math(), self._reorder(),
            getattr(self, "_by_input", False),
        )  # fmt: skip

    def _for_input(self, dtype: str) -> ConvolutionDescriptor | None:
        """What to use instead of this one for an input of that type; None for this one."""
        if dtype != "float64" or not getattr(self, "_by_input", False):
            return None
        if self.compute.name != "FLOAT":  # set under its C name
            return None
        return self._of(**self._configuration() | {"compute": dtype})

    def output_shape(
        self, x: families.TensorDescriptor, w: families.FilterDescriptor
    ) -> tuple[int, ...]:
        """The extents of what comes out for an input and a filter.

        Raises:
            BadParamError: they do not go together.
        """
        return self.get_nd_forward_output_dim(x, w, self.axes + 2)

    @overload
    def __call__(
        self,
        x: Any,
        w: Any,
        out: None = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        algorithm: Any = None,
        batch: bool | None = None,
    ) -> DeviceArray: ...

    @overload
    def __call__(
        self,
        x: Any,
        w: Any,
        out: _Out,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        algorithm: Any = None,
        batch: bool | None = None,
    ) -> _Out: ...

    def __call__(
        self,
        x: Any,
        w: Any,
        out: Any = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        algorithm: Any = None,
        batch: bool | None = None,
    ) -> Any:
        """Convolve `x` with `w`.

        Args:
            x, w: arrays on the handle's device, of any library; their strides say the layout.
                Where those of one fit NCHW as well as NHWC, it is the layout of the others.
            out: where to write; a new `DeviceArray` of the layout of `x` by default.
            handle: this thread's by default; the call is made in its stream.
            alpha, beta: `out` becomes alpha * result + beta * `out`; with a beta, name `out`.
            algorithm: a `ConvolutionFwdAlgo` or its name; by default the one that cuDNN's
                heuristics put first among those whose workspace is within
                `handle.workspace.limit`.
            batch: whether the first axis of `x` is the batch. False for one example without that
                axis (C, H, W); `out` is without it too. By default `x` has as many axes as `w`, and
                with one less it is refused; True takes it with an extent of 1 appended.

        Returns: `out`.

        Raises:
            ArgumentError: data types, shapes, strides or devices do not go together.
            ClosedError: one of them, or the handle's stream, is closed.
            NotSupportedError: cuDNN has no algorithm for them.
            AllocationError: none makes do with the workspace, or `out` does not fit.
        """
        from .operands import convolve

        return convolve(self, x, w, out, handle, alpha, beta, algorithm, batch)

    def _configuration(self) -> dict[str, Any]:
        axes, padding, stride, _, mode, compute = self._nd()
        if not axes:
            return {}
        math, reorder = self._math(), self._reorder()
        return {
            "mode": mode.name,
            "padding": padding,
            "stride": stride,
            "dilation": self.dilation,
            "groups": self.groups,
            "compute": compute.name,
            "math": None if math is None else math.name,
            "reorder": None if reorder is None else reorder.name,
        }

    def _arguments(self) -> dict[str, Any]:
        found = self._configuration()
        if getattr(self, "_by_input", False) and found.get("compute") == "FLOAT":
            found["compute"] = None
        return found

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls._of(**configuration)

    def _text(self) -> str:
        _, padding, stride, _, mode, compute = self._nd()
        groups, math = self.groups, self._math()
        return (
            f"{mode.name} padding {numbers(padding)} stride {numbers(stride)} "
            f"dilation {numbers(self.dilation)}{f' groups {groups}' if groups != 1 else ''} "
            f"{dtype_text(compute)}{'' if math is None else f' {math.name}'}"
        )


class PoolingDescriptor(Configured, families.PoolingDescriptor):
    """The window of a pooling, and what it makes of what is in it."""

    __slots__ = ()
    _label = "Pooling"

    @classmethod
    def max(
        cls,
        window: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        *,
        propagate_nan: bool = True,
        deterministic: bool = False,
        axes: int = 2,
    ) -> Self:
        """The largest element of each window.

        Args:
            window: extents, or one for all axes.
            stride: from window to window; as wide as the window by default.
            padding: on both sides of each axis.
            propagate_nan: whether a NaN in the window is the result.
            deterministic: whether the gradient has to be the same each time.
            axes: spatial ones, where no sequence tells.

        Raises:
            ArgumentError: one of them is not what it should be, or not one for each axis.
        """
        mode = "MAX_DETERMINISTIC" if deterministic else "MAX"
        return cls._of(mode, window, stride, padding, propagate_nan, axes)

    @classmethod
    def average(
        cls,
        window: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        *,
        count_padding: bool = True,
        axes: int = 2,
    ) -> Self:
        """The mean of each window; with or without the zeros of the padding among its elements."""
        mode = f"AVERAGE_COUNT_{'INCLUDE' if count_padding else 'EXCLUDE'}_PADDING"
        return cls._of(mode, window, stride, padding, True, axes)

    @classmethod
    def _of(
        cls,
        mode: Any,
        window: int | Sequence[int],
        stride: int | Sequence[int] | None,
        padding: int | Sequence[int],
        propagate_nan: bool = True,
        axes: int = 2,
        any_padding: bool = False,
    ) -> Self:
        stride = window if stride is None else stride
        axes, (window, padding, stride) = per_axis(
            axes, window=window, padding=padding, stride=stride
        )
        if not any_padding and min(padding, default=0) < 0:  # which cuDNN takes
            raise errors.ArgumentError(f"padding: 0 or more was expected, {min(padding)} came")
        self = cls()
        kind = member("PoolingMode", mode)
        self.set_nd(kind, nan_option(propagate_nan), axes, window, padding, stride)
        return self

    @property
    def mode(self) -> PoolingMode:
        """The member of `PoolingMode`."""
        return self.get_nd(SPATIAL_MAX).mode

    @property
    def window(self) -> tuple[int, ...]:
        return self.get_nd(SPATIAL_MAX).windowDimA

    @property
    def padding(self) -> tuple[int, ...]:
        return self.get_nd(SPATIAL_MAX).paddingA

    @property
    def stride(self) -> tuple[int, ...]:
        return self.get_nd(SPATIAL_MAX).strideA

    @property
    def propagate_nan(self) -> bool:
        return bool(self.get_nd(SPATIAL_MAX).maxpoolingNanOpt)

    @property
    def axes(self) -> int:
        """How many spatial axes."""
        return self.get_nd(SPATIAL_MAX).nbDims

    def output_shape(self, x: families.TensorDescriptor) -> tuple[int, ...]:
        """The extents of what comes out for an input."""
        return self.get_nd_forward_output_dim(x, self.axes + 2)

    @overload
    def __call__(
        self,
        x: Any,
        out: None = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        batch: bool | None = None,
    ) -> DeviceArray: ...

    @overload
    def __call__(
        self,
        x: Any,
        out: _Out,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        batch: bool | None = None,
    ) -> _Out: ...

    def __call__(
        self,
        x: Any,
        out: Any = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        batch: bool | None = None,
    ) -> Any:
        """Pool `x`; arguments and errors as for a `ConvolutionDescriptor`.

        By default `x` has two axes more than the window, N and C.
        """
        from .operands import apply

        call, axes = calls.cudnnPoolingForward, self.axes + 2
        return apply(call, self, x, out, handle, alpha, beta, axes, batch)

    def _configuration(self) -> dict[str, Any]:
        got = self.get_nd(SPATIAL_MAX)
        if not 0 < got.nbDims <= SPATIAL_MAX or not is_known(got.mode):
            return {}
        return {
            "mode": got.mode.name,
            "window": got.windowDimA,
            "stride": got.strideA,
            "padding": got.paddingA,
            "propagate_nan": bool(got.maxpoolingNanOpt),
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls._of(**configuration, any_padding=True)

    def _text(self) -> str:
        got = self.get_nd(SPATIAL_MAX)
        return (
            f"{got.mode.name} window {numbers(got.windowDimA)} "
            f"stride {numbers(got.strideA)} padding {numbers(got.paddingA)}"
        )


class ActivationDescriptor(Configured, families.ActivationDescriptor):
    """A function that is applied to each element; SIGMOID until it is set."""

    __slots__ = ()
    _label = "Activation"

    def __init__(self) -> None:
        super().__init__()
        # cuDNN leaves in it what was in its memory before.
        self.set(member("ActivationMode", 0), nan_option(False), 0.0)

    @classmethod
    def relu(cls, *, propagate_nan: bool = True) -> Self:
        """max(x, 0)."""
        return cls._of("RELU", 0.0, propagate_nan)

    @classmethod
    def clipped_relu(cls, ceiling: float, *, propagate_nan: bool = True) -> Self:
        """min(max(x, 0), ceiling)."""
        (ceiling,) = reals(ceiling=ceiling)
        return cls._of("CLIPPED_RELU", ceiling, propagate_nan)

    @classmethod
    def sigmoid(cls) -> Self:
        """1 / (1 + exp(-x))."""
        return cls._of("SIGMOID")

    @classmethod
    def tanh(cls) -> Self:
        """tanh(x)."""
        return cls._of("TANH")

    @classmethod
    def elu(cls, alpha: float = 1.0) -> Self:
        """x where it is positive, else alpha * (exp(x) - 1)."""
        (alpha,) = reals(alpha=alpha)
        return cls._of("ELU", alpha)

    @classmethod
    def swish(cls, beta: float = 1.0) -> Self:
        """x / (1 + exp(-beta * x))."""
        (beta,) = reals(beta=beta)
        return cls._of("SWISH", swish_beta=beta)

    @classmethod
    def identity(cls) -> Self:
        """x; for the fused convolution, as no other function takes it."""
        return cls._of("IDENTITY")

    @classmethod
    def _of(
        cls,
        mode: Any,
        coefficient: float = 0.0,
        propagate_nan: bool = True,
        swish_beta: float | None = None,
    ) -> Self:
        self = cls()
        self.set(member("ActivationMode", mode), nan_option(propagate_nan), coefficient)
        if swish_beta is not None:
            self.set_swish_beta(swish_beta)
        return self

    @property
    def mode(self) -> ActivationMode:
        """The member of `ActivationMode`."""
        return self.get().mode

    @property
    def coefficient(self) -> float:
        """The ceiling of a clipped ReLU, or the alpha of an ELU."""
        return self.get().coef

    @property
    def propagate_nan(self) -> bool:
        return bool(self.get().reluNanOpt)

    @property
    def swish_beta(self) -> float:
        return self.get_swish_beta()

    @overload
    def __call__(
        self,
        x: Any,
        out: None = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
    ) -> DeviceArray: ...

    @overload
    def __call__(
        self,
        x: Any,
        out: _Out,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
    ) -> _Out: ...

    def __call__(
        self,
        x: Any,
        out: Any = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
    ) -> Any:
        """Apply it to `x`; `out` may be `x` itself. See `ConvolutionDescriptor` for the rest."""
        from .operands import apply

        call = calls.cudnnActivationForward
        return apply(call, self, x, out, handle, alpha, beta)

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        found = {
            "mode": got.mode.name,
            "coefficient": got.coef,
            "propagate_nan": bool(got.reluNanOpt),
        }
        if got.mode.name == "SWISH":
            found["swish_beta"] = self.get_swish_beta()
        return found

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls._of(**configuration)

    def _text(self) -> str:
        got = self.get()
        name: str = got.mode.name
        if name in ("CLIPPED_RELU", "ELU"):
            return f"{name} {got.coef:g}"
        return f"{name} {self.get_swish_beta():g}" if name == "SWISH" else name


class LRNDescriptor(Configured, families.LRNDescriptor):
    """Local response normalisation across channels."""

    __slots__ = ()
    _label = "LRN"

    @classmethod
    def of(cls, n: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 2.0) -> Self:
        """x / (k + alpha / n * sum of squares over n channels) ** beta."""
        self = cls()
        self.set(*integers(n=n), *reals(alpha=alpha, beta=beta, k=k))
        return self

    @property
    def n(self) -> int:
        """How many channels are summed over."""
        return self.get().lrnN

    @property
    def alpha(self) -> float:
        return self.get().lrnAlpha

    @property
    def beta(self) -> float:
        return self.get().lrnBeta

    @property
    def k(self) -> float:
        return self.get().lrnK

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        return {"n": got.lrnN, "alpha": got.lrnAlpha, "beta": got.lrnBeta, "k": got.lrnK}

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self.get()
        return f"n {got.lrnN} alpha {got.lrnAlpha:g} beta {got.lrnBeta:g} k {got.lrnK:g}"


class SpatialTransformerDescriptor(Made, families.SpatialTransformerDescriptor):
    """The sampling grid of a spatial transformer.

    cuDNN has no function that reads one back, so it is equal to itself alone and is not pickled.
    """

    __slots__ = ()

    @classmethod
    def bilinear(cls, shape: Sequence[int], dtype: Any = "float32") -> Self:
        """Bilinear sampling, for an output of four axes."""
        extents = padded(shape, 4)
        self = cls()
        self.set_nd(
            member("SamplerType", "BILINEAR"), arrays.data_type(dtype), len(extents), extents
        )
        return self


class DropoutDescriptor(Made, families.DropoutDescriptor):
    """Dropout with the state of its random numbers, which lies in device memory.

    It belongs to a handle, which it keeps alive and which closes it. It closes the descriptors of
    networks that were made with it, as they have its address. The state makes each one different
    from all others: it is equal to itself alone and is not pickled.
    """

    __slots__ = ("_handle", "_memory", "_states", "_users")
    _handle: Handle | None
    _memory: Memory | None  # what was allocated here
    _states: Any
    _users: dict[int, weakref.ref[Any]]

    @classmethod
    def with_state(cls, handle: Handle, rate: float, seed: int = 0, *, states: Any = None) -> Self:
        """Dropout of elements with the probability `rate`.

        Args:
            handle: whose device has the state; its stream initialises it.
            rate: from 0 to 1.
            seed: of the random numbers.
            states: device memory for the state, `cudnnDropoutGetStatesSize` bytes; allocated
                here by default.

        Raises:
            ArgumentError: `rate` is no probability; `states` is too small or on another device.
            ClosedError: the handle, its stream or `states` is closed.
            AllocationError: there is no memory for the state.
        """
        from .operands import given_handle

        (rate,), (seed,) = reals(rate=rate), integers(seed=seed)
        if not 0 <= rate <= 1:
            raise errors.ArgumentError(f"rate: 0 to 1 was expected, {rate} came")
        stream = given_handle(handle).stream
        size = calls.cudnnDropoutGetStatesSize(handle)
        self = cls()
        self._memory = None
        if states is None:
            from ..memory import Memory

            self._memory = Memory(size, handle.device, stream)
            states = self._memory.address
        elif arrays.tells_shape(states) and (came := arrays.size_in_bytes(states)) < size:
            raise errors.ArgumentError(f"states: {size} bytes were expected, {came} came")
        self._states = states
        self._handle = handle
        handle.adopt(self)
        self.set(handle, rate, states, size, seed)
        return self

    @property
    def rate(self) -> float:
        """The probability with which an element is dropped."""
        return self.get(self._of_handle()).dropout

    @property
    def seed(self) -> int:
        """Of the random numbers."""
        return self.get(self._of_handle()).seed

    @property
    def states(self) -> int:
        """The address of the state."""
        return self.get(self._of_handle()).states

    def _of_handle(self) -> Any:
        handle = getattr(self, "_handle", None)
        if handle is None:
            self.address  # noqa: B018  a closed one says so
            raise errors.ArgumentError(
                "the DropoutDescriptor has no state", hint="DropoutDescriptor.with_state makes one"
            )
        return handle

    def adopt(self, user: Any) -> None:
        """Close `user`, which has the address of this descriptor, before this one is destroyed."""
        users, key = getattr(self, "_users", None), id(user)
        if users is None:
            users = self._users = {}
        users[key] = weakref.ref(user, lambda _: users.pop(key, None))

    def _detach(self, c_name: str) -> int:
        address = super()._detach(c_name)
        for reference in list(getattr(self, "_users", {}).values()):
            user = reference()
            if user is not None:
                user.close()
        return address

    def close(self) -> None:
        """Destroy the descriptor, and free the state in the order of the handle's stream."""
        super().close()
        memory, handle = getattr(self, "_memory", None), getattr(self, "_handle", None)
        self._memory = self._states = self._handle = None
        if memory is not None and handle is not None:
            memory.close(handle._order())

    def __repr__(self) -> str:
        handle = getattr(self, "_handle", None)
        if self.closed or handle is None:
            return f"Dropout({'closed' if self.closed else 'not set'})"
        try:
            got = self.get(handle)
        except errors.CudnnError as error:
            return f"Dropout({self.address:#x}, {type(error).__name__} when read)"
        return f"Dropout({got.dropout:g} seed {got.seed})"
