"""Descriptors of recurrent networks and of their data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .. import arrays, errors
from .._lookup import calls, families, has
from .._support.arguments import integers, join, real, reals, whole
from .._tables import active
from ._core.configured import Configured, Field, computed
from .dropout import Dropout, WithDropouts

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from ..calls import adv as _adv
    from ..enum_words import (
        MathTypeLike,
        RNNAlgoLike,
        RNNBiasModeLike,
        RNNDataLayoutLike,
        RNNInputModeLike,
        RNNModeLike,
    )
    from ..enums import (
        DataType,
        MathType,
        RNNAlgo,
        RNNBiasMode,
        RNNDataLayout,
        RNNInputMode,
        RNNMode,
    )
    from ..types import DType

    class RNNOptions(TypedDict, total=False):
        """The keyword arguments of `RNNDescriptor.of`."""

        bidirectional: bool
        bias: RNNBiasModeLike
        projection_size: int | None
        dtype: DType
        compute: DType | None
        math: MathTypeLike
        dropout: Dropout
        algorithm: RNNAlgoLike
        input_mode: RNNInputModeLike
        padded_io: bool
        clip: tuple[float, float] | None


class RNNDescriptor(WithDropouts, families.RNNDescriptor):
    """A recurrent network: its cells, layers and direction.

    Set by `cudnnSetRNNDescriptor_v8`, read by `cudnnGetRNNDescriptor_v8` (cudnn_adv.h).
    """

    __slots__ = ("_dropouts",)
    _dropout_values: ClassVar = {"dropout": "dropoutDesc"}

    @classmethod
    def of(
        cls,
        cell: RNNModeLike,
        input_size: int,
        hidden_size: int,
        layers: int = 1,
        *,
        bidirectional: bool = False,
        bias: RNNBiasModeLike = "DOUBLE_BIAS",
        projection_size: int | None = None,
        dtype: DType = "float32",
        compute: DType | None = None,
        math: MathTypeLike = "DEFAULT_MATH",
        dropout: Dropout = None,
        algorithm: RNNAlgoLike = "STANDARD",
        input_mode: RNNInputModeLike = "LINEAR_INPUT",
        padded_io: bool = True,
        clip: tuple[float, float] | None = None,
    ) -> Self:
        """Describe a network, by `cudnnSetRNNDescriptor_v8` (cudnn_adv.h).

        With `clip` it also calls `cudnnRNNSetClip_v9`, or `cudnnRNNSetClip_v8` of older releases.

        Args:
            cell: an `RNNMode` or its name: "LSTM", "GRU", "RNN_RELU" or "RNN_TANH".
            input_size: the elements of an input vector.
            hidden_size: the elements of a hidden state.
            layers: the number of layers.
            bidirectional: whether a second network reads the sequences from the end.
            bias: an `RNNBiasMode` or its name.
            projection_size: the elements of a projected output of an LSTM; by default
                `hidden_size`, which is no projection.
            dtype: the data type of inputs, outputs and weights.
            compute: the data type to compute in; by default float64 for float64, else float32.
            math: a `MathType` or its name; "FMA_MATH" keeps float32 from being rounded to TF32.
            dropout: applied between layers. The network is closed with it.
            algorithm: an `RNNAlgo` or its name.
            input_mode: an `RNNInputMode` or its name.
            padded_io: whether sequences shorter than the longest may be padded in memory.
            clip: the lower and upper bound of the cell state of an LSTM.

        Raises:
            ArgumentError: an argument is not what it should be.
            BadParamError: cuDNN refuses the combination.
            NotSupportedError: cuDNN does not support the combination.
        """
        if compute is None:
            compute = "float64" if arrays.dtype_name(dtype) == "float64" else "float32"
        input_size, hidden_size, layers, projection_size = integers(
            input_size=input_size,
            hidden_size=hidden_size,
            layers=layers,
            projection_size=hidden_size if projection_size is None else projection_size,
        )
        bounds = None if clip is None else _bounds(clip)
        self = cls()
        self._hold(dropout)
        calls.cudnnSetRNNDescriptor_v8(
            self,
            arrays.member("RNNAlgo", algorithm),
            arrays.member("RNNMode", cell),
            arrays.member("RNNBiasMode", bias),
            arrays.member("DirectionMode", "BIDIRECTIONAL" if bidirectional else "UNIDIRECTIONAL"),
            arrays.member("RNNInputMode", input_mode),
            arrays.data_type(dtype),
            arrays.data_type(compute),
            arrays.member("MathType", math),
            input_size,
            hidden_size,
            projection_size,
            layers,
            dropout,
            int(active().enum("RNNPaddedIO")["ENABLED"]) if padded_io else 0,
        )
        if bounds is not None:
            self._clip("MINMAX", *bounds)
        return self

    @classmethod
    def lstm(
        cls, input_size: int, hidden_size: int, layers: int = 1, **options: Unpack[RNNOptions]
    ) -> Self:
        """Describe a long short-term memory.

        Args:
            input_size, hidden_size, layers: as for `of`.
            options: the keyword arguments of `of`.

        Raises:
            ArgumentError, BadParamError, NotSupportedError: as `of` does.
        """
        return cls.of("LSTM", input_size, hidden_size, layers, **options)

    @classmethod
    def gru(
        cls, input_size: int, hidden_size: int, layers: int = 1, **options: Unpack[RNNOptions]
    ) -> Self:
        """Describe gated recurrent units.

        Args:
            input_size, hidden_size, layers: as for `of`.
            options: the keyword arguments of `of`.

        Raises:
            ArgumentError, BadParamError, NotSupportedError: as `of` does.
        """
        return cls.of("GRU", input_size, hidden_size, layers, **options)

    def _clip(self, mode: str, low: float, high: float) -> None:
        if has("cudnnRNNSetClip_v9"):
            calls.cudnnRNNSetClip_v9(self, arrays.member("RNNClipMode", mode), low, high)
        else:
            calls.cudnnRNNSetClip_v8(
                self, arrays.member("RNNClipMode", mode), arrays.nan_option(False), low, high
            )

    def _read(self) -> _adv.GetRNNDescriptor_v8Result:
        try:
            return calls.cudnnGetRNNDescriptor_v8(self)
        except errors.NotInitializedError as error:
            hint = "RNNDescriptor.lstm, gru or of makes one that is"
            raise error.replace(message="the RNNDescriptor is not set", hint=hint) from None

    cell: Field[RNNMode] = Field(
        "cellMode", "Return the kind of cells, a member of `RNNMode`.", shown="{}"
    )
    input_size: Field[int] = Field(
        "inputSize", "Return the elements of an input vector.", shown="{}"
    )
    hidden_size: Field[int] = Field(
        "hiddenSize", "Return the elements of a hidden state.", shown="to {}"
    )
    layers: Field[int] = Field("numLayers", "Return the number of layers.", shown="layers {}")
    bidirectional: Field[bool] = Field(
        lambda got: got.dirMode.name == "BIDIRECTIONAL",
        "Return whether a second network reads the sequences from the end.",
        shown=lambda both: "bidirectional" if both else "",
    )
    bias: Field[RNNBiasMode] = Field("biasMode", "Return the member of `RNNBiasMode`.")
    projection_size: Field[int] = Field(
        "projSize", "Return the elements of an output vector of one direction."
    )
    dtype: Field[DataType] = Field(
        "dataType", "Return the data type, a member of `DataType`.", shown="{}"
    )
    compute: Field[DataType] = Field(
        "mathPrec", "Return the data type to compute in, a member of `DataType`."
    )
    math: Field[MathType] = Field("mathType", "Return the member of `MathType`.")
    algorithm: Field[RNNAlgo] = Field("algo", "Return the member of `RNNAlgo`.")
    input_mode: Field[RNNInputMode] = Field("inputMode", "Return the member of `RNNInputMode`.")
    padded_io: Field[bool] = Field(
        "auxFlags", "Return whether short sequences may be padded in memory.", convert=bool
    )

    @property
    def dropout(self) -> Dropout:
        """Return the dropout between layers: the object, or its address if there is none."""
        return self._find("dropout")

    @computed()
    def clip(self) -> tuple[float, float] | None:
        """Return the bounds of the cell state, or None for no bounds.

        Calls `cudnnRNNGetClip_v9`, or `cudnnRNNGetClip_v8` of older releases (cudnn_adv.h).
        """
        new = has("cudnnRNNGetClip_v9")
        got = calls.cudnnRNNGetClip_v9(self) if new else calls.cudnnRNNGetClip_v8(self)
        return (got.lclip, got.rclip) if got.clipMode.name == "MINMAX" else None

    def _configuration(self) -> dict[str, object]:
        try:
            return super()._configuration()
        except errors.NotInitializedError:
            return {}


def _bounds(clip: Any) -> list[float]:
    try:
        low, high = clip
    except (TypeError, ValueError):
        raise errors.ArgumentError(f"clip: expected two numbers, got {clip!r}") from None
    return reals(clip=low) + reals(clip=high)


class RNNDataDescriptor(Configured, families.RNNDataDescriptor):
    """A batch of sequences of vectors.

    Set by `cudnnSetRNNDataDescriptor`, read by `cudnnGetRNNDataDescriptor` (cudnn_adv.h).
    """

    __slots__ = ()

    @classmethod
    def of(
        cls,
        lengths: Sequence[int],
        vector_size: int,
        dtype: DType = "float32",
        *,
        layout: RNNDataLayoutLike = "SEQ_MAJOR_UNPACKED",
        max_length: int | None = None,
        fill: float = 0.0,
    ) -> Self:
        """Describe sequences, by `cudnnSetRNNDataDescriptor` (cudnn_adv.h).

        Args:
            lengths: the length of each sequence of the batch, in vectors.
            vector_size: the elements of a vector.
            dtype: the data type of an element.
            layout: an `RNNDataLayout` or its name: "SEQ_MAJOR_UNPACKED" has the axes time, batch,
                vector; "BATCH_MAJOR_UNPACKED" batch, time, vector; "SEQ_MAJOR_PACKED" has no
                padding, and the longest sequence first.
            max_length: the extent of the time axis; by default the longest sequence.
            fill: the number that cuDNN writes after the end of shorter sequences.

        Raises:
            ArgumentError: an argument is not what it should be, or there is no sequence.
            BadParamError: cuDNN refuses the combination.
        """
        lengths = whole(lengths, "lengths")
        if not lengths:
            raise errors.ArgumentError("expected one sequence or more, got none")
        longest, vector_size = integers(
            max_length=max(lengths) if max_length is None else max_length, vector_size=vector_size
        )
        self = cls()
        self.set(
            arrays.data_type(dtype),
            arrays.member("RNNDataLayout", layout),
            longest,
            len(lengths),
            vector_size,
            lengths,
            real(fill, "fill"),
        )
        return self

    def _read(self) -> _adv.GetRNNDataDescriptorResult:
        return self.get(self.get(0).batchSize)

    lengths: Field[tuple[int, ...]] = Field(
        "seqLengthArray", "Return the length of each sequence.", convert=tuple
    )
    vector_size: Field[int] = Field("vectorSize", "Return the elements of a vector.")
    dtype: Field[DataType] = Field("dataType", "Return the data type, a member of `DataType`.")
    layout: Field[RNNDataLayout] = Field("layout", "Return the member of `RNNDataLayout`.")
    max_length: Field[int] = Field("maxSeqLength", "Return the extent of the time axis.")
    fill: Field[float] = Field(
        "paddingFill", "Return the number that is written behind the end of shorter sequences."
    )

    def _is_set(self, got: _adv.GetRNNDataDescriptorResult) -> bool:
        return bool(got.batchSize)

    def _summary(self) -> str:
        got = self._read()
        shape = got.maxSeqLength, got.batchSize, got.vectorSize
        return (
            f"{join(shape)} {arrays.dtype_text(got.dataType)} {got.layout.name} "
            f"lengths {join(got.seqLengthArray)}"
        )
