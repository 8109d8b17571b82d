"""The descriptor of a CTC loss."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Self

from .. import arrays, errors
from .._lookup import calls, families, has
from .._support.arguments import integers
from ._core.configured import Configured, Field

if TYPE_CHECKING:
    from ..calls import adv as _adv
    from ..enum_words import LossNormalizationModeLike
    from ..enums import DataType, LossNormalizationMode
    from ..types import DType


class CTCLossDescriptor(Configured, families.CTCLossDescriptor):
    """A connectionist temporal classification (CTC) loss.

    Set by `cudnnSetCTCLossDescriptor_v9`, read by `cudnnGetCTCLossDescriptor_v9`; older releases
    have `_v8` of both (cudnn_adv.h).
    """

    __slots__ = ()

    @classmethod
    def of(
        cls,
        compute: DType = "float32",
        *,
        normalisation: LossNormalizationModeLike | None = None,
        propagate_nan: bool = False,
        max_label_length: int = 256,
        normalization: LossNormalizationModeLike | None = None,
    ) -> Self:
        """Describe the loss of probabilities, or of logits that are normalized first.

        Calls `cudnnSetCTCLossDescriptor_v9`, or `cudnnSetCTCLossDescriptor_v8` of older releases
        (cudnn_adv.h).

        Args:
            compute: the data type to compute in.
            normalisation, normalization: two spellings of one argument: "SOFTMAX", the default, for
                logits; "NONE" for probabilities.
            propagate_nan: whether to leave gradients that are out of bounds as they are, instead of
                setting them to zero; in older releases, whether NaN propagates.
            max_label_length: the length of the longest label.

        Raises:
            ArgumentError: an argument is not what it should be, or both spellings are used.
            BadParamError: cuDNN refuses the combination.
        """
        (max_label_length,) = integers(max_label_length=max_label_length)
        if normalisation is not None and normalization is not None:
            raise errors.ArgumentError("expected one of normalisation and normalization, got both")
        norm = normalization if normalisation is None else normalisation
        self = cls()
        kind = arrays.data_type(compute)
        mode = arrays.member("LossNormalizationMode", "SOFTMAX" if norm is None else norm)
        if has("cudnnSetCTCLossDescriptor_v9"):
            grad = "SKIP_OOB_GRADIENTS" if propagate_nan else "ZERO_OOB_GRADIENTS"
            choice = arrays.member("CTCGradMode", grad)
            calls.cudnnSetCTCLossDescriptor_v9(self, kind, mode, choice, max_label_length)
        else:
            option = arrays.nan_option(propagate_nan)
            calls.cudnnSetCTCLossDescriptor_v8(self, kind, mode, option, max_label_length)
        return self

    def _read(self) -> _adv.GetCTCLossDescriptor_v9Result | _adv.GetCTCLossDescriptor_v8Result:
        if has("cudnnGetCTCLossDescriptor_v9"):
            return calls.cudnnGetCTCLossDescriptor_v9(self)
        return calls.cudnnGetCTCLossDescriptor_v8(self)

    normalisation: Field[LossNormalizationMode] = Field(
        "normMode", "Return the member of `LossNormalizationMode`.", shown="{}"
    )
    compute: Field[DataType] = Field(
        "compType", "Return the data type to compute in, a member of `DataType`.", shown="{}"
    )
    propagate_nan: Field[bool] = Field(
        itemgetter(2),
        "Return whether gradients that are out of bounds stay as they are; see `of`.",
        convert=bool,
    )
    max_label_length: Field[int] = Field(
        "maxLabelLength", "Return the length of the longest label.", shown="labels up to {}"
    )

    @property
    def normalization(self) -> LossNormalizationMode:
        """Return `normalisation`."""
        return self.normalisation
