"""Descriptors of what is done to each element: activations, operations, reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from .. import arrays, errors
from .._lookup import calls, families
from .._support.arguments import reals
from ._core import operands
from ._core.configured import Configured, Field

if TYPE_CHECKING:
    from typing import Unpack

    from ..enum_words import (
        IndicesTypeLike,
        OpTensorOpLike,
        ReduceTensorIndicesLike,
        ReduceTensorOpLike,
    )
    from ..enums import (
        ActivationMode,
        DataType,
        IndicesType,
        OpTensorOp,
        ReduceTensorIndices,
        ReduceTensorOp,
    )
    from ..handles import Handle
    from ..memory import DeviceArray
    from ..types import Array, DType
    from ._core.operands import Applying


_Out = TypeVar("_Out")


class _Initialized(Configured):
    """The base of descriptors whose values cuDNN does not initialize."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __init__(self, *values: object, **named: object) -> None:
            super().__init__(*values, **named)
            self._set()

    def _set(self) -> None:
        """Set all values, by default to the first member of an enum, or to zero."""
        raise NotImplementedError


class ActivationDescriptor(_Initialized, families.ActivationDescriptor):
    """A function that is applied to each element.

    A new descriptor is set to SIGMOID.

    Set by `cudnnSetActivationDescriptor`, read by `cudnnGetActivationDescriptor` (cudnn_ops.h).
    """

    __slots__ = ()

    def _set(
        self,
        mode: object = 0,
        coefficient: float = 0.0,
        propagate_nan: bool = False,
    ) -> None:
        option = arrays.nan_option(propagate_nan)
        self.set(arrays.member("ActivationMode", mode), option, coefficient)

    @classmethod
    def relu(cls, *, propagate_nan: bool = True) -> Self:
        """Compute max(x, 0).

        Args:
            propagate_nan: whether the result for a NaN is a NaN.
        """
        return cls._of("RELU", 0.0, propagate_nan)

    @classmethod
    def clipped_relu(cls, ceiling: float, *, propagate_nan: bool = True) -> Self:
        """Compute min(max(x, 0), ceiling).

        Args:
            ceiling: the upper bound.
            propagate_nan: whether the result for a NaN is a NaN.

        Raises:
            ArgumentError: `ceiling` is not a number.
        """
        (ceiling,) = reals(ceiling=ceiling)
        return cls._of("CLIPPED_RELU", ceiling, propagate_nan)

    @classmethod
    def sigmoid(cls) -> Self:
        """Compute 1 / (1 + exp(-x))."""
        return cls._of("SIGMOID")

    @classmethod
    def tanh(cls) -> Self:
        """Compute the hyperbolic tangent of x."""
        return cls._of("TANH")

    @classmethod
    def elu(cls, alpha: float = 1.0) -> Self:
        """Compute x where x is positive, and alpha * (exp(x) - 1) elsewhere.

        Raises:
            ArgumentError: `alpha` is not a number.
        """
        (alpha,) = reals(alpha=alpha)
        return cls._of("ELU", alpha)

    @classmethod
    def swish(cls, beta: float = 1.0) -> Self:
        """Compute x / (1 + exp(-beta * x)).

        Calls `cudnnSetActivationDescriptorSwishBeta` (cudnn_ops.h) too.

        Raises:
            ArgumentError: `beta` is not a number.
        """
        (beta,) = reals(beta=beta)
        return cls._of("SWISH", swish_beta=beta)

    @classmethod
    def identity(cls) -> Self:
        """Compute x itself; only `cudnnConvolutionBiasActivationForward` takes it."""
        return cls._of("IDENTITY")

    @classmethod
    def _of(
        cls,
        mode: str,
        coefficient: float = 0.0,
        propagate_nan: bool = True,
        swish_beta: float | None = None,
    ) -> Self:
        self = cls()
        self._set(mode, coefficient, propagate_nan)
        if swish_beta is not None:
            calls.cudnnSetActivationDescriptorSwishBeta(self, swish_beta)
        return self

    mode: Field[ActivationMode] = Field("mode", "Return the member of `ActivationMode`.")
    coefficient: Field[float] = Field(
        "coef", "Return the ceiling of a clipped ReLU, or the alpha of an ELU."
    )
    propagate_nan: Field[bool] = Field(
        "reluNanOpt", "Return whether the result for a NaN is a NaN.", convert=bool
    )

    @property
    def swish_beta(self) -> float:
        """Return the beta of a swish."""
        return calls.cudnnGetActivationDescriptorSwishBeta(self)

    @overload
    def __call__(self, x: Array, out: None = None, **options: Unpack[Applying]) -> DeviceArray: ...

    @overload
    def __call__(self, x: Array, out: _Out, **options: Unpack[Applying]) -> _Out: ...

    def __call__(
        self,
        x: Array,
        out: object = None,
        *,
        handle: Handle | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
    ) -> Any:
        """Apply the function to each element of `x`, by `cudnnActivationForward` (cudnn_ops.h).

        Args:
            x: an array in device memory, of any library.
            out: the array to write to, of the shape and data type of `x`; may be `x` itself. By
                default a new `DeviceArray`.
            handle: whose stream computes; by default this thread's, in the current stream of the
                library of `x`. It waits for the work of others on their arrays.
            alpha, beta: `out` becomes alpha * result + beta * `out`. With a beta, pass `out`.

        Returns: `out`, or the new array.

        Raises:
            ArgumentError: data types, shapes, strides or devices do not go together.
            ClosedError: an array, the handle or its stream is closed.
            NotSupportedError: cuDNN does not support the combination.
            AllocationError: there is no memory for the result.
        """
        return operands.apply(calls.cudnnActivationForward, self, x, out, handle, alpha, beta)

    def _configuration(self) -> dict[str, object]:
        configuration = super()._configuration()
        if configuration["mode"] == "SWISH":
            configuration["swish_beta"] = self.swish_beta
        return configuration

    @classmethod
    def _restored(cls, **configuration: object) -> Self:
        return cls._of(**configuration)  # type: ignore[arg-type]

    def _summary(self) -> str:
        got = self.get()
        name: str = got.mode.name
        if name in ("CLIPPED_RELU", "ELU"):
            return f"{name} {got.coef:g}"
        return f"{name} {self.swish_beta:g}" if name == "SWISH" else name


class OpTensorDescriptor(_Initialized, families.OpTensorDescriptor):
    """An operation on the elements of two tensors, or of one.

    A new descriptor is set to ADD.

    Set by `cudnnSetOpTensorDescriptor`, read by `cudnnGetOpTensorDescriptor` (cudnn_ops.h).
    """

    __slots__ = ()

    def _set(self, op: object = 0, compute: object = 0, propagate_nan: bool = False) -> None:
        option = arrays.nan_option(propagate_nan)
        self.set(arrays.member("OpTensorOp", op), arrays.data_type(compute), option)

    @classmethod
    def of(
        cls, op: OpTensorOpLike, compute: DType = "float32", *, propagate_nan: bool = True
    ) -> Self:
        """Choose an operation, by `cudnnSetOpTensorDescriptor` (cudnn_ops.h).

        Args:
            op: an `OpTensorOp` or its name: "ADD", "MUL", "MIN", "MAX", "SQRT" or "NOT".
            compute: the data type to compute in.
            propagate_nan: whether a NaN wins over a number in "MIN" and "MAX".

        Raises:
            ArgumentError: the loaded release has no such operation or data type.
        """
        self = cls()
        self._set(op, compute, propagate_nan)
        return self

    op: Field[OpTensorOp] = Field(
        "opTensorOp", "Return the operation, a member of `OpTensorOp`.", shown="{}"
    )
    compute: Field[DataType] = Field(
        "opTensorCompType",
        "Return the data type to compute in, a member of `DataType`.",
        shown="{}",
    )
    propagate_nan: Field[bool] = Field(
        "opTensorNanOpt", "Return whether a NaN wins over a number.", convert=bool
    )


class ReduceTensorDescriptor(_Initialized, families.ReduceTensorDescriptor):
    """A reduction over the axes that have one element in the result.

    A new descriptor is set to ADD.

    Set by `cudnnSetReduceTensorDescriptor`, read by `cudnnGetReduceTensorDescriptor` (cudnn_ops.h).
    """

    __slots__ = ()

    def _set(
        self,
        op: object = 0,
        compute: object = 0,
        propagate_nan: bool = False,
        indices: object = 0,
        index_type: object = 0,
    ) -> None:
        self.set(
            arrays.member("ReduceTensorOp", op),
            arrays.data_type(compute),
            arrays.nan_option(propagate_nan),
            arrays.member("ReduceTensorIndices", indices),
            arrays.member("IndicesType", index_type),
        )

    @classmethod
    def of(
        cls,
        op: ReduceTensorOpLike,
        compute: DType = "float32",
        *,
        propagate_nan: bool = True,
        indices: ReduceTensorIndicesLike = "NO_INDICES",
        index_type: IndicesTypeLike | int = 0,
    ) -> Self:
        """Choose a reduction, by `cudnnSetReduceTensorDescriptor` (cudnn_ops.h).

        Args:
            op: a `ReduceTensorOp` or its name, such as "ADD", "MAX" or "NORM2".
            compute: the data type to compute in.
            propagate_nan: whether a NaN wins over numbers.
            indices: "FLATTENED_INDICES" to get the positions of the minimum or maximum too.
            index_type: an `IndicesType` or its name; 32 bits by default.

        Raises:
            ArgumentError: the loaded release has no such member of an enum.
            NotSupportedError: indices of another type than 32 bits: cuDNN takes the type, and
                writes 32 bits.
        """
        if arrays.member("ReduceTensorIndices", indices) and arrays.member(
            "IndicesType", index_type
        ):
            raise errors.NotSupportedError(
                f"index_type: expected indices of 32 bits, got {index_type!r}",
                hint="cuDNN takes the type, and writes 32 bits",
            )
        self = cls()
        self._set(op, compute, propagate_nan, indices, index_type)
        return self

    op: Field[ReduceTensorOp] = Field(
        "reduceTensorOp", "Return the reduction, a member of `ReduceTensorOp`.", shown="{}"
    )
    compute: Field[DataType] = Field(
        "reduceTensorCompType",
        "Return the data type to compute in, a member of `DataType`.",
        shown="{}",
    )
    propagate_nan: Field[bool] = Field(
        "reduceTensorNanOpt", "Return whether a NaN wins over numbers.", convert=bool
    )
    indices: Field[ReduceTensorIndices] = Field(
        "reduceTensorIndices", "Return the member of `ReduceTensorIndices`."
    )
    index_type: Field[IndicesType] = Field(
        "reduceTensorIndicesType", "Return the type of the indices, a member of `IndicesType`."
    )
