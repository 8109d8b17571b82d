"""Descriptors of sequences: recurrent networks, attention, the CTC loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from .. import arrays, errors
from .._lookup import families
from .._tables import active
from .configured import (
    Configured,
    dtype_text,
    integers,
    member,
    nan_option,
    numbers,
    real,
    reals,
    whole,
)
from .layers import DropoutDescriptor

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from ..calls import adv as _adv
    from ..enums import (
        AttnMode,
        DataType,
        LossNormalizationMode,
        MathType,
        RNNAlgo,
        RNNBiasMode,
        RNNDataLayout,
        RNNInputMode,
        RNNMode,
        SeqDataAxis,
    )

    class RNNOptions(TypedDict, total=False):
        """What `RNNDescriptor.of` takes besides the cells and the sizes."""

        bidirectional: bool
        bias: RNNBiasMode | str
        projection_size: int | None
        dtype: Any
        compute: Any
        math: MathType | str
        dropout: families.DropoutDescriptor | int | None
        algorithm: RNNAlgo | str
        input_mode: RNNInputMode | str
        padded_io: bool
        clip: tuple[float, float] | None


__all__ = [
    "AttnDescriptor",
    "CTCLossDescriptor",
    "RNNDataDescriptor",
    "RNNDescriptor",
    "SeqDataDescriptor",
]


def _has(function: str) -> bool:
    return function in active().functions


_Dropout = families.DropoutDescriptor | int | None


def _hold(descriptor: Configured, *dropouts: _Dropout) -> None:
    """Have the dropouts, whose addresses the descriptor has, close it when they are closed."""
    for each in dropouts:
        if isinstance(each, DropoutDescriptor):
            each.adopt(descriptor)


def _which(address: int, *known: _Dropout) -> _Dropout:
    """The dropout at an address: the object if it is a known one, None for none."""
    for each in known:
        if not isinstance(each, families.DropoutDescriptor) or each.closed:
            continue
        if each.address == address:
            return each
    return address or None


class RNNDescriptor(Configured, families.RNNDescriptor):
    """A recurrent network: cells, layers, direction."""

    __slots__ = ("_dropout",)
    _dropout: families.DropoutDescriptor | int | None
    _label = "RNN"

    @classmethod
    def of(
        cls,
        cell: Any,
        input_size: int,
        hidden_size: int,
        layers: int = 1,
        *,
        bidirectional: bool = False,
        bias: Any = "DOUBLE_BIAS",
        projection_size: int | None = None,
        dtype: Any = "float32",
        compute: Any = None,
        math: Any = "DEFAULT_MATH",
        dropout: families.DropoutDescriptor | int | None = None,
        algorithm: Any = "STANDARD",
        input_mode: Any = "LINEAR_INPUT",
        padded_io: bool = True,
        clip: tuple[float, float] | None = None,
    ) -> Self:
        """A network of cells by their name in `RNNMode`: "LSTM", "GRU", "RNN_RELU", "RNN_TANH".

        Args:
            cell: a member of `RNNMode` or its name.
            input_size: elements of an input vector.
            hidden_size: elements of a hidden state.
            layers: one upon the other.
            bidirectional: whether a second network reads the sequences from the end.
            bias: an `RNNBiasMode` or its name.
            projection_size: elements of a projected output of an LSTM; as `hidden_size` for none.
            dtype: of inputs, outputs and weights.
            compute: in which type to compute; float64 for float64, else float32, by default.
            math: a `MathType` or its name; "FMA_MATH" keeps float32 from being rounded to TF32.
            dropout: between layers.
            algorithm: an `RNNAlgo` or its name.
            input_mode: an `RNNInputMode` or its name.
            padded_io: whether sequences of unlike length may be padded in memory.
            clip: bounds of the cell state of an LSTM.

        Raises:
            ArgumentError: one of them is not what it should be.
            BadParamError: cuDNN does not take them together.
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
        self._dropout = dropout  # the descriptor has its address
        _hold(self, dropout)
        self.set_v8(
            member("RNNAlgo", algorithm),
            member("RNNMode", cell),
            member("RNNBiasMode", bias),
            member("DirectionMode", "BIDIRECTIONAL" if bidirectional else "UNIDIRECTIONAL"),
            member("RNNInputMode", input_mode),
            arrays.data_type(dtype),
            arrays.data_type(compute),
            member("MathType", math),
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
        """Long short-term memory; options as for `of`."""
        return cls.of("LSTM", input_size, hidden_size, layers, **options)

    @classmethod
    def gru(
        cls, input_size: int, hidden_size: int, layers: int = 1, **options: Unpack[RNNOptions]
    ) -> Self:
        """Gated recurrent units; options as for `of`."""
        return cls.of("GRU", input_size, hidden_size, layers, **options)

    def _clip(self, mode: str, low: float, high: float) -> None:
        if _has("cudnnRNNSetClip_v9"):
            self.set_clip_v9(member("RNNClipMode", mode), low, high)
        else:
            self.set_clip_v8(member("RNNClipMode", mode), nan_option(False), low, high)

    def _read(self) -> _adv.GetRNNDescriptor_v8Result:
        try:
            return self.get_v8()
        except errors.NotInitializedError as error:
            raise errors.NotInitializedError(
                "the RNNDescriptor is not set",
                function=error.function,
                status=error.status,
                status_name=error.status_name,
                hint="RNNDescriptor.lstm, gru or of makes one that is",
            ) from None

    @property
    def cell(self) -> RNNMode:
        """The member of `RNNMode`."""
        return self._read().cellMode

    @property
    def input_size(self) -> int:
        return self._read().inputSize

    @property
    def hidden_size(self) -> int:
        return self._read().hiddenSize

    @property
    def projection_size(self) -> int:
        """Elements of an output vector of one direction."""
        return self._read().projSize

    @property
    def layers(self) -> int:
        return self._read().numLayers

    @property
    def bidirectional(self) -> bool:
        return bool(self._read().dirMode.name == "BIDIRECTIONAL")

    @property
    def dtype(self) -> DataType:
        """The member of `DataType`."""
        return self._read().dataType

    @property
    def math(self) -> MathType:
        """The member of `MathType`."""
        return self._read().mathType

    @property
    def bias(self) -> RNNBiasMode:
        """The member of `RNNBiasMode`."""
        return self._read().biasMode

    @property
    def compute(self) -> DataType:
        """The member of `DataType`."""
        return self._read().mathPrec

    @property
    def dropout(self) -> families.DropoutDescriptor | int | None:
        """Between layers: the object that was given, else its address; None for none."""
        return _which(self._read().dropoutDesc, getattr(self, "_dropout", None))

    @property
    def algorithm(self) -> RNNAlgo:
        """The member of `RNNAlgo`."""
        return self._read().algo

    @property
    def input_mode(self) -> RNNInputMode:
        """The member of `RNNInputMode`."""
        return self._read().inputMode

    @property
    def padded_io(self) -> bool:
        """Whether sequences of unlike length may be padded in memory."""
        return bool(self._read().auxFlags)

    @property
    def clip(self) -> tuple[float, float] | None:
        """Bounds of the cell state; None where it is not clipped."""
        v9 = _has("cudnnRNNGetClip_v9")
        got = self.get_clip_v9() if v9 else self.get_clip_v8()
        return (got.lclip, got.rclip) if got.clipMode.name == "MINMAX" else None

    def _configuration(self) -> dict[str, Any]:
        try:
            got = self._read()
        except errors.NotInitializedError:
            return {}
        return {
            "cell": got.cellMode.name,
            "input_size": got.inputSize,
            "hidden_size": got.hiddenSize,
            "layers": got.numLayers,
            "bidirectional": got.dirMode.name == "BIDIRECTIONAL",
            "bias": got.biasMode.name,
            "projection_size": got.projSize,
            "dtype": got.dataType.name,
            "compute": got.mathPrec.name,
            "math": got.mathType.name,
            "dropout": got.dropoutDesc or None,
            "algorithm": got.algo.name,
            "input_mode": got.inputMode.name,
            "padded_io": bool(got.auxFlags),
            "clip": self.clip,
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _arguments(self) -> dict[str, Any]:
        found = self._configuration()
        return found | {"dropout": self.dropout} if found else {}

    def __reduce__(self) -> Any:
        _refuse_dropout(self, "dropout")
        return super().__reduce__()

    def _text(self) -> str:
        got = self._read()
        both = " bidirectional" if self.bidirectional else ""
        return (
            f"{got.cellMode.name} {got.inputSize} to {got.hiddenSize} layers {got.numLayers}{both} "
            f"{dtype_text(got.dataType)}"
        )


def _bounds(clip: Any) -> list[float]:
    try:
        low, high = clip
    except (TypeError, ValueError):
        raise errors.ArgumentError(f"clip: two numbers were expected, {clip!r} came") from None
    return reals(clip=low) + reals(clip=high)


def _refuse_dropout(descriptor: Configured, *names: str) -> None:
    configuration = descriptor._configuration()
    if any(configuration.get(name) for name in names):
        raise TypeError(
            f"a {type(descriptor).__name__} with dropout cannot be pickled: the state of the "
            "dropout is in device memory"
        )


class RNNDataDescriptor(Configured, families.RNNDataDescriptor):
    """A batch of sequences of vectors."""

    __slots__ = ()
    _label = "RNNData"

    @classmethod
    def of(
        cls,
        lengths: Sequence[int],
        vector_size: int,
        dtype: Any = "float32",
        *,
        layout: Any = "SEQ_MAJOR_UNPACKED",
        max_length: int | None = None,
        fill: float = 0.0,
    ) -> Self:
        """Sequences of these lengths.

        Args:
            lengths: of each sequence of the batch.
            vector_size: elements of a vector.
            dtype: of an element.
            layout: an `RNNDataLayout` or its name: "SEQ_MAJOR_UNPACKED" has the axes time, batch,
                vector; "BATCH_MAJOR_UNPACKED" batch, time, vector; "SEQ_MAJOR_PACKED" has no
                padding, and the longest sequence first.
            max_length: extent of the time axis; the longest sequence by default.
            fill: what is written where a shorter sequence has ended.

        Raises:
            ArgumentError: one of them is not what it should be, or there is no sequence.
            BadParamError: cuDNN does not take them together.
        """
        lengths = whole(lengths, "lengths")
        if not lengths:
            raise errors.ArgumentError("one sequence or more was expected, none came")
        longest, vector_size = integers(
            max_length=max(lengths) if max_length is None else max_length, vector_size=vector_size
        )
        self = cls()
        self.set(
            arrays.data_type(dtype),
            member("RNNDataLayout", layout),
            longest,
            len(lengths),
            vector_size,
            lengths,
            real(fill, "fill"),
        )
        return self

    def _read(self) -> _adv.GetRNNDataDescriptorResult:
        return self.get(self.get(0).batchSize)

    @property
    def dtype(self) -> DataType:
        """The member of `DataType`."""
        return self.get(0).dataType

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(self._read().seqLengthArray)

    @property
    def vector_size(self) -> int:
        return self.get(0).vectorSize

    @property
    def max_length(self) -> int:
        return self.get(0).maxSeqLength

    @property
    def layout(self) -> RNNDataLayout:
        """The member of `RNNDataLayout`."""
        return self.get(0).layout

    @property
    def fill(self) -> float:
        """What is written where a shorter sequence has ended."""
        return self.get(0).paddingFill

    def _configuration(self) -> dict[str, Any]:
        got = self._read()
        if not got.batchSize:
            return {}
        return {
            "lengths": tuple(got.seqLengthArray),
            "vector_size": got.vectorSize,
            "dtype": got.dataType.name,
            "layout": got.layout.name,
            "max_length": got.maxSeqLength,
            "fill": got.paddingFill,
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self._read()
        return (
            f"{got.maxSeqLength},{got.batchSize},{got.vectorSize} {dtype_text(got.dataType)} "
            f"{got.layout.name} lengths {numbers(got.seqLengthArray)}"
        )


class SeqDataDescriptor(Configured, families.SeqDataDescriptor):
    """Sequences for attention: with the axes time, batch, beam and vector, in any order."""

    __slots__ = ()
    _label = "SeqData"

    _AXES = ("TIME_DIM", "BATCH_DIM", "BEAM_DIM", "VECT_DIM")

    @classmethod
    def of(
        cls,
        time: int,
        batch: int,
        beam: int,
        vector: int,
        dtype: Any = "float32",
        *,
        lengths: Sequence[int] | None = None,
        axes: Sequence[Any] = ("TIME_DIM", "BATCH_DIM", "BEAM_DIM", "VECT_DIM"),
    ) -> Self:
        """Sequences with these extents.

        Args:
            time, batch, beam, vector: extents.
            dtype: of an element.
            lengths: of each of the batch * beam sequences; all of full length by default.
            axes: in the order in which they lie in memory, the innermost last.

        Raises:
            ArgumentError: one of them is not what it should be.
            BadParamError: cuDNN does not take them together.
        """
        extents = integers(time=time, batch=batch, beam=beam, vector=vector)
        order = [member("SeqDataAxis", axis) for axis in axes]
        dims = [0] * 4
        for name, extent in zip(cls._AXES, extents, strict=True):
            dims[int(member("SeqDataAxis", name))] = extent
        lengths = (time,) * (batch * beam) if lengths is None else whole(lengths, "lengths")
        self = cls()
        self.set(arrays.data_type(dtype), 4, dims, order, len(lengths), lengths, None)
        return self

    def _read(self) -> _adv.GetSeqDataDescriptorResult:
        got = self.get(4, 0)
        return self.get(4, got.seqLengthArraySize) if got.seqLengthArraySize else got

    def _extent(self, axis: str) -> int:
        return int(self._read().dimA[int(member("SeqDataAxis", axis))])

    @property
    def time(self) -> int:
        return self._extent("TIME_DIM")

    @property
    def batch(self) -> int:
        return self._extent("BATCH_DIM")

    @property
    def beam(self) -> int:
        return self._extent("BEAM_DIM")

    @property
    def vector(self) -> int:
        return self._extent("VECT_DIM")

    @property
    def axes(self) -> tuple[SeqDataAxis, ...]:
        """The members of `SeqDataAxis`, as they lie in memory, the innermost last."""
        return tuple(self._read().axes)

    @property
    def dtype(self) -> DataType:
        """The member of `DataType`."""
        return self._read().dataType

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(self._read().seqLengthArray)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents as the axes lie in memory."""
        got = self._read()
        return tuple(got.dimA[int(axis)] for axis in got.axes)

    def _configuration(self) -> dict[str, Any]:
        got = self._read()
        if not any(got.dimA):
            return {}
        time, batch, beam, vector = (
            int(got.dimA[int(member("SeqDataAxis", axis))]) for axis in self._AXES
        )
        return {
            "time": time,
            "batch": batch,
            "beam": beam,
            "vector": vector,
            "dtype": got.dataType.name,
            "lengths": tuple(got.seqLengthArray),
            "axes": tuple(axis.name for axis in got.axes),
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self._read()
        axes = ",".join(axis.name.removesuffix("_DIM") for axis in got.axes)
        return f"{numbers(self.shape)} {axes} {dtype_text(got.dataType)}"


class AttnDescriptor(Configured, families.AttnDescriptor):
    """Multi-head attention."""

    __slots__ = ("_dropouts",)
    _dropouts: tuple[families.DropoutDescriptor | int | None, ...]
    _label = "Attn"

    @classmethod
    def of(
        cls,
        heads: int,
        q_size: int,
        k_size: int | None = None,
        v_size: int | None = None,
        *,
        q_projection: int = 0,
        k_projection: int = 0,
        v_projection: int = 0,
        o_projection: int = 0,
        max_q_length: int,
        max_kv_length: int,
        max_batch: int,
        max_beam: int = 1,
        scale: float = 1.0,
        dtype: Any = "float32",
        compute: Any = None,
        math: Any = "DEFAULT_MATH",
        mode: int = 0,
        attention_dropout: families.DropoutDescriptor | int | None = None,
        output_dropout: families.DropoutDescriptor | int | None = None,
    ) -> Self:
        """Attention with so many heads.

        Args:
            heads: how many.
            q_size, k_size, v_size: elements of a vector of queries, keys and values.
            q_projection, k_projection, v_projection, o_projection: what they are projected to;
                0 for no projection.
            max_q_length, max_kv_length: of the longest sequences.
            max_batch: sequences at once.
            max_beam: of the queries.
            scale: of the logits before the softmax.
            dtype: of all vectors and weights.
            compute: in which type to compute; float64 for float64, else float32, by default.
            math: a `MathType` or its name.
            mode: bits of `AttnMode`.
            attention_dropout: applied to the attention.
            output_dropout: applied to the output.

        Raises:
            ArgumentError: one of them is not what it should be.
            BadParamError: cuDNN does not take them together.
        """
        if compute is None:
            compute = "float64" if arrays.dtype_name(dtype) == "float64" else "float32"
        mode, heads, *sizes = integers(
            mode=mode,
            heads=heads,
            q_size=q_size,
            k_size=q_size if k_size is None else k_size,
            v_size=q_size if v_size is None else v_size,
            q_projection=q_projection,
            k_projection=k_projection,
            v_projection=v_projection,
            o_projection=o_projection,
            max_q_length=max_q_length,
            max_kv_length=max_kv_length,
            max_batch=max_batch,
            max_beam=max_beam,
        )
        (scale,) = reals(scale=scale)
        self = cls()
        self._dropouts = (attention_dropout, output_dropout)
        _hold(self, attention_dropout, output_dropout)
        self.set(
            mode,
            heads,
            scale,
            arrays.data_type(dtype),
            arrays.data_type(compute),
            member("MathType", math),
            attention_dropout,
            output_dropout,
            *sizes,
        )
        return self

    @property
    def heads(self) -> int:
        return self.get().nHeads

    @property
    def q_size(self) -> int:
        """Elements of a vector of queries."""
        return self.get().qSize

    @property
    def k_size(self) -> int:
        """Elements of a vector of keys."""
        return self.get().kSize

    @property
    def v_size(self) -> int:
        """Elements of a vector of values."""
        return self.get().vSize

    @property
    def q_projection(self) -> int:
        """What queries are projected to; 0 for no projection."""
        return self.get().qProjSize

    @property
    def k_projection(self) -> int:
        """Likewise of keys."""
        return self.get().kProjSize

    @property
    def v_projection(self) -> int:
        """Likewise of values."""
        return self.get().vProjSize

    @property
    def o_projection(self) -> int:
        """Likewise of outputs."""
        return self.get().oProjSize

    @property
    def max_q_length(self) -> int:
        """Of the longest sequence of queries."""
        return self.get().qoMaxSeqLength

    @property
    def max_kv_length(self) -> int:
        """Of the longest sequence of keys and values."""
        return self.get().kvMaxSeqLength

    @property
    def max_batch(self) -> int:
        """Sequences at once."""
        return self.get().maxBatchSize

    @property
    def max_beam(self) -> int:
        """Of the queries."""
        return self.get().maxBeamSize

    @property
    def scale(self) -> float:
        """Of the logits before the softmax."""
        return self.get().smScaler

    @property
    def dtype(self) -> DataType:
        """The member of `DataType`."""
        return self.get().dataType

    @property
    def compute(self) -> DataType:
        """The member of `DataType`."""
        return self.get().computePrec

    @property
    def math(self) -> MathType:
        """The member of `MathType`."""
        return self.get().mathType

    @property
    def mode(self) -> AttnMode:
        """Bits of `AttnMode`."""
        return self.get().attnMode

    @property
    def attention_dropout(self) -> _Dropout:
        """Of the attention: the object that was given, else its address; None for none."""
        return _which(self.get().attnDropoutDesc, *self._known())

    @property
    def output_dropout(self) -> _Dropout:
        """Of the output, likewise."""
        return _which(self.get().postDropoutDesc, *self._known())

    def _known(self) -> tuple[_Dropout, ...]:
        return getattr(self, "_dropouts", ())

    def _configuration(self) -> dict[str, Any]:
        got = self.get()
        if not got.nHeads:
            return {}
        return {
            "heads": got.nHeads,
            "q_size": got.qSize,
            "k_size": got.kSize,
            "v_size": got.vSize,
            "q_projection": got.qProjSize,
            "k_projection": got.kProjSize,
            "v_projection": got.vProjSize,
            "o_projection": got.oProjSize,
            "max_q_length": got.qoMaxSeqLength,
            "max_kv_length": got.kvMaxSeqLength,
            "max_batch": got.maxBatchSize,
            "max_beam": got.maxBeamSize,
            "scale": got.smScaler,
            "dtype": got.dataType.name,
            "compute": got.computePrec.name,
            "math": got.mathType.name,
            "mode": int(got.attnMode),
            "attention_dropout": got.attnDropoutDesc or None,
            "output_dropout": got.postDropoutDesc or None,
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _arguments(self) -> dict[str, Any]:
        found = self._configuration()
        if found:
            found["attention_dropout"] = self.attention_dropout
            found["output_dropout"] = self.output_dropout
        return found

    def __reduce__(self) -> Any:
        _refuse_dropout(self, "attention_dropout", "output_dropout")
        return super().__reduce__()

    def _text(self) -> str:
        got = self.get()
        sizes = numbers((got.qSize, got.kSize, got.vSize))
        return f"heads {got.nHeads} sizes {sizes} {dtype_text(got.dataType)}"


class CTCLossDescriptor(Configured, families.CTCLossDescriptor):
    """The CTC loss."""

    __slots__ = ()
    _label = "CTCLoss"

    @classmethod
    def of(
        cls,
        compute: Any = "float32",
        *,
        normalisation: Any = None,
        propagate_nan: bool = False,
        max_label_length: int = 256,
        normalization: Any = None,
    ) -> Self:
        """The loss of probabilities, or of logits that are normalised first.

        Args:
            compute: in which type to compute.
            normalisation, normalization: two spellings of one: "SOFTMAX" for logits, the default;
                "NONE" for probabilities.
            propagate_nan: whether out-of-bounds gradients stay as they are instead of zero,
                which is a choice about NaN in older releases.
            max_label_length: the longest label.

        Raises:
            ArgumentError: one of them is not what it should be.
        """
        (max_label_length,) = integers(max_label_length=max_label_length)
        if normalisation is not None and normalization is not None:
            raise errors.ArgumentError(
                "one of normalisation and normalization was expected, both came"
            )
        named = normalization if normalisation is None else normalisation
        self = cls()
        kind = arrays.data_type(compute)
        mode = member("LossNormalizationMode", "SOFTMAX" if named is None else named)
        if _has("cudnnSetCTCLossDescriptor_v9"):
            grad = "SKIP_OOB_GRADIENTS" if propagate_nan else "ZERO_OOB_GRADIENTS"
            self.set_v9(kind, mode, member("CTCGradMode", grad), max_label_length)
        else:
            self.set_v8(kind, mode, nan_option(propagate_nan), max_label_length)
        return self

    def _read(self) -> _adv.GetCTCLossDescriptor_v9Result | _adv.GetCTCLossDescriptor_v8Result:
        return self.get_v9() if _has("cudnnGetCTCLossDescriptor_v9") else self.get_v8()

    @property
    def compute(self) -> DataType:
        """The member of `DataType`."""
        return self._read().compType

    @property
    def normalisation(self) -> LossNormalizationMode:
        """The member of `LossNormalizationMode`."""
        return self._read().normMode

    normalization = normalisation

    @property
    def propagate_nan(self) -> bool:
        """Whether out-of-bounds gradients stay as they are; see `of`."""
        return bool(self._read()[2])

    @property
    def max_label_length(self) -> int:
        return int(self._read().maxLabelLength)

    def _configuration(self) -> dict[str, Any]:
        got = self._read()
        return {
            "compute": got.compType.name,
            "normalisation": got.normMode.name,
            "propagate_nan": bool(got[2]),
            "max_label_length": got.maxLabelLength,
        }

    @classmethod
    def _restored(cls, **configuration: Any) -> Self:
        return cls.of(**configuration)

    def _text(self) -> str:
        got = self._read()
        return f"{got.normMode.name} {dtype_text(got.compType)} labels up to {got.maxLabelLength}"
