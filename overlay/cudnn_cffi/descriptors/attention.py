"""Descriptors of attention and of its sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .. import arrays
from .._lookup import families
from .._support.arguments import integers, join, reals, whole
from ._core.configured import Configured, Field
from .dropout import Dropout, WithDropouts

if TYPE_CHECKING:
    from ..calls import adv as _adv
    from ..enum_words import MathTypeLike, SeqDataAxisLike
    from ..enums import AttnMode, DataType, MathType, SeqDataAxis
    from ..types import DType


_AXES: tuple[SeqDataAxisLike, ...] = ("TIME_DIM", "BATCH_DIM", "BEAM_DIM", "VECT_DIM")


def _extent(axis: str) -> Callable[[Any], int]:
    """Return a function that finds the extent of an axis in a result of cuDNN's getter."""
    return lambda got: int(got.dimA[int(arrays.member("SeqDataAxis", axis))])


class SeqDataDescriptor(Configured, families.SeqDataDescriptor):
    """Sequences for attention, with the axes time, batch, beam and vector in any order.

    Set by `cudnnSetSeqDataDescriptor`, read by `cudnnGetSeqDataDescriptor` (cudnn_adv.h).
    """

    __slots__ = ()

    @classmethod
    def of(
        cls,
        time: int,
        batch: int,
        beam: int,
        vector: int,
        dtype: DType = "float32",
        *,
        lengths: Sequence[int] | None = None,
        axes: Sequence[SeqDataAxisLike] = _AXES,
    ) -> Self:
        """Describe sequences, by `cudnnSetSeqDataDescriptor` (cudnn_adv.h).

        Args:
            time, batch, beam, vector: the extents.
            dtype: the data type of an element.
            lengths: the length of each of the batch * beam sequences; by default the extent `time`.
            axes: members of `SeqDataAxis` or their names, in the order of memory, the innermost
                last.

        Raises:
            ArgumentError: an argument is not what it should be.
            BadParamError: cuDNN refuses the combination.
        """
        extents = integers(time=time, batch=batch, beam=beam, vector=vector)
        order = [arrays.member("SeqDataAxis", axis) for axis in axes]
        dims = [0] * 4
        for name, extent in zip(_AXES, extents, strict=True):
            dims[int(arrays.member("SeqDataAxis", name))] = extent
        lengths = (time,) * (batch * beam) if lengths is None else whole(lengths, "lengths")
        self = cls()
        self.set(arrays.data_type(dtype), 4, dims, order, len(lengths), lengths, None)
        return self

    def _read(self) -> _adv.GetSeqDataDescriptorResult:
        got = self.get(4, 0)
        return self.get(4, got.seqLengthArraySize) if got.seqLengthArraySize else got

    time: Field[int] = Field(_extent("TIME_DIM"), "Return the extent of the time axis.")
    batch: Field[int] = Field(_extent("BATCH_DIM"), "Return the extent of the batch axis.")
    beam: Field[int] = Field(_extent("BEAM_DIM"), "Return the extent of the beam axis.")
    vector: Field[int] = Field(_extent("VECT_DIM"), "Return the elements of a vector.")
    dtype: Field[DataType] = Field("dataType", "Return the data type, a member of `DataType`.")
    lengths: Field[tuple[int, ...]] = Field(
        "seqLengthArray", "Return the length of each sequence.", convert=tuple
    )
    axes: Field[tuple[SeqDataAxis, ...]] = Field(
        "axes",
        "Return the axes in the order of memory, the innermost last; members of `SeqDataAxis`.",
        convert=tuple,
    )

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extents in the order of memory."""
        got = self._read()
        return tuple(got.dimA[int(axis)] for axis in got.axes)

    def _is_set(self, got: _adv.GetSeqDataDescriptorResult) -> bool:
        return any(got.dimA)

    def _summary(self) -> str:
        got = self._read()
        axes = ",".join(axis.name.removesuffix("_DIM") for axis in got.axes)
        return f"{join(self.shape)} {axes} {arrays.dtype_text(got.dataType)}"


class AttnDescriptor(WithDropouts, families.AttnDescriptor):
    """A multi-head attention.

    Set by `cudnnSetAttnDescriptor`, read by `cudnnGetAttnDescriptor` (cudnn_adv.h).
    """

    __slots__ = ("_dropouts",)
    _dropout_values: ClassVar = {
        "attention_dropout": "attnDropoutDesc",
        "output_dropout": "postDropoutDesc",
    }

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
        dtype: DType = "float32",
        compute: DType | None = None,
        math: MathTypeLike = "DEFAULT_MATH",
        mode: int = 0,
        attention_dropout: Dropout = None,
        output_dropout: Dropout = None,
    ) -> Self:
        """Describe an attention, by `cudnnSetAttnDescriptor` (cudnn_adv.h).

        Args:
            heads: the number of heads.
            q_size, k_size, v_size: the elements of a vector of queries, keys and values; those of
                keys and values are `q_size` by default.
            q_projection, k_projection, v_projection, o_projection: the elements of a projected
                vector of queries, keys, values and outputs; 0 for no projection.
            max_q_length, max_kv_length: the length of the longest sequence of queries, and of keys
                and values.
            max_batch: the most sequences in a batch.
            max_beam: the widest beam of the queries.
            scale: the factor applied to the logits before the softmax.
            dtype: the data type of all vectors and weights.
            compute: the data type to compute in; by default float64 for float64, else float32.
            math: a `MathType` or its name.
            mode: bits of `AttnMode`.
            attention_dropout: applied to the attention. The descriptor is closed with it.
            output_dropout: applied to the output; likewise.

        Raises:
            ArgumentError: an argument is not what it should be.
            BadParamError: cuDNN refuses the combination.
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
        self._hold(attention_dropout, output_dropout)
        self.set(
            mode,
            heads,
            scale,
            arrays.data_type(dtype),
            arrays.data_type(compute),
            arrays.member("MathType", math),
            attention_dropout,
            output_dropout,
            *sizes,
        )
        return self

    heads: Field[int] = Field("nHeads", "Return the number of heads.")
    q_size: Field[int] = Field("qSize", "Return the elements of a vector of queries.")
    k_size: Field[int] = Field("kSize", "Return the elements of a vector of keys.")
    v_size: Field[int] = Field("vSize", "Return the elements of a vector of values.")
    q_projection: Field[int] = Field(
        "qProjSize", "Return the elements of projected queries; 0 for no projection."
    )
    k_projection: Field[int] = Field(
        "kProjSize", "Return the elements of projected keys; 0 for no projection."
    )
    v_projection: Field[int] = Field(
        "vProjSize", "Return the elements of projected values; 0 for no projection."
    )
    o_projection: Field[int] = Field(
        "oProjSize", "Return the elements of projected outputs; 0 for no projection."
    )
    max_q_length: Field[int] = Field(
        "qoMaxSeqLength", "Return the length of the longest sequence of queries."
    )
    max_kv_length: Field[int] = Field(
        "kvMaxSeqLength", "Return the length of the longest sequence of keys and values."
    )
    max_batch: Field[int] = Field("maxBatchSize", "Return the most sequences in a batch.")
    max_beam: Field[int] = Field("maxBeamSize", "Return the widest beam of the queries.")
    scale: Field[float] = Field(
        "smScaler", "Return the factor applied to the logits before the softmax."
    )
    dtype: Field[DataType] = Field("dataType", "Return the data type, a member of `DataType`.")
    compute: Field[DataType] = Field(
        "computePrec", "Return the data type to compute in, a member of `DataType`."
    )
    math: Field[MathType] = Field("mathType", "Return the member of `MathType`.")
    mode: Field[AttnMode] = Field("attnMode", "Return the bits of `AttnMode`.")

    @property
    def attention_dropout(self) -> Dropout:
        """Return the dropout of the attention: the object, or its address if there is none."""
        return self._find("attention_dropout")

    @property
    def output_dropout(self) -> Dropout:
        """Return the dropout of the output: the object, or its address if there is none."""
        return self._find("output_dropout")

    def _is_set(self, got: _adv.GetAttnDescriptorResult) -> bool:
        return bool(got.nHeads)

    def _summary(self) -> str:
        got = self.get()
        sizes = join((got.qSize, got.kSize, got.vSize))
        return f"heads {got.nHeads} sizes {sizes} {arrays.dtype_text(got.dataType)}"
