"""The words of other packages: names and numbers of enums and statuses up to cuDNN 8.

Each line of the text of enums is::

    NAME COUNT COUNT PREFIX words

The first count is that of the words in cudnn-python-wrappers, whose dictionary has the name after
"cudnn"; the second is that of CuPy's constants. PREFIX, "-" for none, stands after CUDNN_ and
before the words. These have the numbers 0, 1, 2, ...; a word with a number begins to count there.
"""

from __future__ import annotations

import operator
import re

from .. import errors
from .._tables import active

_ENUMS = """
DataType 6 3 DATA_ FLOAT DOUBLE HALF INT8 INT32 INT8x4
MathType 0 2 - DEFAULT_MATH TENSOR_OP_MATH
NanPropagation 2 2 - NOT_PROPAGATE_NAN PROPAGATE_NAN
Determinism 0 2 - NON_DETERMINISTIC DETERMINISTIC
TensorFormat 3 2 TENSOR_ NCHW NHWC NCHW_VECT_C
OpTensorOp 0 6 OP_TENSOR_ ADD MUL MIN MAX SQRT NOT
ReduceTensorIndices 0 2 REDUCE_TENSOR_ NO_INDICES FLATTENED_INDICES
ReduceTensorOp 0 9 REDUCE_TENSOR_ ADD MUL MIN MAX AMAX AVG NORM1 NORM2 MUL_NO_ZEROS
IndicesType 0 4 - 32BIT_INDICES 64BIT_INDICES 16BIT_INDICES 8BIT_INDICES
AddMode 6 6 ADD_ IMAGE SAME_HW=0 FEATURE_MAP SAME_CHW=1 SAME_C FULL_TENSOR
ConvolutionMode 2 2 - CONVOLUTION CROSS_CORRELATION
ConvolutionFwdAlgo 9 8 CONVOLUTION_FWD_ALGO_ IMPLICIT_GEMM IMPLICIT_PRECOMP_GEMM GEMM DIRECT FFT
    FFT_TILING WINOGRAD WINOGRAD_NONFUSED COUNT
ConvolutionFwdPreference 3 3 CONVOLUTION_FWD_ NO_WORKSPACE PREFER_FASTEST SPECIFY_WORKSPACE_LIMIT
ConvolutionBwdFilterAlgo 8 6 CONVOLUTION_BWD_FILTER_ALGO_ 0 1 FFT 3 WINOGRAD WINOGRAD_NONFUSED
    FFT_TILING COUNT
ConvolutionBwdFilterPreference 3 3 CONVOLUTION_BWD_FILTER_ NO_WORKSPACE PREFER_FASTEST
    SPECIFY_WORKSPACE_LIMIT
ConvolutionBwdDataAlgo 7 6 CONVOLUTION_BWD_DATA_ALGO_ 0 1 FFT FFT_TILING WINOGRAD
    WINOGRAD_NONFUSED COUNT
ConvolutionBwdDataPreference 3 3 CONVOLUTION_BWD_DATA_ NO_WORKSPACE PREFER_FASTEST
    SPECIFY_WORKSPACE_LIMIT
SoftmaxMode 2 2 SOFTMAX_MODE_ INSTANCE CHANNEL
SoftmaxAlgorithm 3 3 SOFTMAX_ FAST ACCURATE LOG
PoolingMode 4 4 POOLING_ MAX AVERAGE_COUNT_INCLUDE_PADDING AVERAGE_COUNT_EXCLUDE_PADDING
    MAX_DETERMINISTIC
ActivationMode 5 6 ACTIVATION_ SIGMOID RELU TANH CLIPPED_RELU ELU IDENTITY
LRNMode 0 1 LRN_CROSS_CHANNEL_ DIM1
DivNormMode 0 1 DIVNORM_PRECOMPUTED_ MEANS
BatchNormOps 0 3 BATCHNORM_OPS_ BN BN_ACTIVATION BN_ADD_ACTIVATION
BatchNormMode 0 3 BATCHNORM_ PER_ACTIVATION SPATIAL SPATIAL_PERSISTENT
CTCLossAlgo 0 2 CTC_LOSS_ALGO_ DETERMINISTIC NON_DETERMINISTIC
RNNAlgo 0 3 RNN_ALGO_ STANDARD PERSIST_STATIC PERSIST_DYNAMIC
RNNDataLayout 0 3 RNN_DATA_LAYOUT_ SEQ_MAJOR_UNPACKED SEQ_MAJOR_PACKED BATCH_MAJOR_UNPACKED
RNNPaddingMode 0 2 RNN_PADDED_IO_ DISABLED ENABLED
RNNMode 0 4 - RNN_RELU RNN_TANH LSTM GRU
DirectionMode 0 2 - UNIDIRECTIONAL BIDIRECTIONAL
RNNInputMode 0 2 - LINEAR_INPUT SKIP_INPUT
SamplerType 0 1 SAMPLER_ BILINEAR
ErrQueryMode 0 3 ERRQUERY_ RAWCODE NONBLOCKING BLOCKING
FusedOps 0 7 FUSED_ SCALE_BIAS_ACTIVATION_CONV_BNSTATS SCALE_BIAS_ACTIVATION_WGRAD
    BN_FINALIZE_STATISTICS_TRAINING BN_FINALIZE_STATISTICS_INFERENCE
    CONV_SCALE_BIAS_ADD_ACTIVATION SCALE_BIAS_ADD_ACTIVATION_GEN_BITMASK
    DACTIVATION_FORK_DBATCHNORM
FusedOpsConstParamLabel 0 39 PARAM_ XDESC XDATA_PLACEHOLDER BN_MODE BN_EQSCALEBIAS_DESC
    BN_EQSCALE_PLACEHOLDER BN_EQBIAS_PLACEHOLDER ACTIVATION_DESC CONV_DESC WDESC WDATA_PLACEHOLDER
    DWDESC DWDATA_PLACEHOLDER YDESC YDATA_PLACEHOLDER DYDESC DYDATA_PLACEHOLDER YSTATS_DESC
    YSUM_PLACEHOLDER YSQSUM_PLACEHOLDER BN_SCALEBIAS_MEANVAR_DESC BN_SCALE_PLACEHOLDER
    BN_BIAS_PLACEHOLDER BN_SAVED_MEAN_PLACEHOLDER BN_SAVED_INVSTD_PLACEHOLDER
    BN_RUNNING_MEAN_PLACEHOLDER BN_RUNNING_VAR_PLACEHOLDER ZDESC ZDATA_PLACEHOLDER
    BN_Z_EQSCALEBIAS_DESC BN_Z_EQSCALE_PLACEHOLDER BN_Z_EQBIAS_PLACEHOLDER ACTIVATION_BITMASK_DESC
    ACTIVATION_BITMASK_PLACEHOLDER DXDESC DXDATA_PLACEHOLDER DZDESC DZDATA_PLACEHOLDER
    BN_DSCALE_PLACEHOLDER BN_DBIAS_PLACEHOLDER
FusedOpsPointerPlaceHolder 0 3 PTR_ NULL ELEM_ALIGNED 16B_ALIGNED
FusedOpsVariantParamLabel 0 28 - PTR_XDATA PTR_BN_EQSCALE PTR_BN_EQBIAS PTR_WDATA PTR_DWDATA
    PTR_YDATA PTR_DYDATA PTR_YSUM PTR_YSQSUM PTR_WORKSPACE PTR_BN_SCALE PTR_BN_BIAS
    PTR_BN_SAVED_MEAN PTR_BN_SAVED_INVSTD PTR_BN_RUNNING_MEAN PTR_BN_RUNNING_VAR PTR_ZDATA
    PTR_BN_Z_EQSCALE PTR_BN_Z_EQBIAS PTR_ACTIVATION_BITMASK PTR_DXDATA PTR_DZDATA PTR_BN_DSCALE
    PTR_BN_DBIAS SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES=100 SCALAR_INT64_T_BN_ACCUMULATION_COUNT
    SCALAR_DOUBLE_BN_EXP_AVG_FACTOR SCALAR_DOUBLE_BN_EPSILON
"""

_STATUSES = (
    "SUCCESS NOT_INITIALIZED ALLOC_FAILED BAD_PARAM INTERNAL_ERROR INVALID_VALUE ARCH_MISMATCH "
    "MAPPING_ERROR EXECUTION_FAILED NOT_SUPPORTED LICENSE_ERROR RUNTIME_PREREQUISITE_MISSING "
    "RUNTIME_IN_PROGRESS RUNTIME_FP_OVERFLOW VERSION_MISMATCH"
)

#: The C names of statuses, by number.
STATUSES = dict(enumerate(f"CUDNN_STATUS_{word}" for word in _STATUSES.split()))

#: The dictionaries of cudnn-python-wrappers, by name: numbers by C names.
DICTIONARIES: dict[str, dict[str, int]] = {}

#: CuPy's constants, by C name.
CONSTANTS: dict[str, int] = {
    name: number for number, name in STATUSES.items() if number == 0 or "RUNTIME" in name
}

#: NumPy's codes of data types, with cuDNN's numbers.
CODES = {"f": 0, "d": 1, "e": 2}


def numbered(prefix: str, words: list[str]) -> dict[str, int]:
    """Return C names with their numbers."""
    found: dict[str, int] = {}
    number = 0
    for word in words:
        name, _, given = word.partition("=")
        number = int(given) if given else number
        found[f"CUDNN_{prefix}{name}"] = number
        number += 1
    return found


for _text in re.split(r"\n(?=\w)", _ENUMS.strip()):
    _name, _first, _second, _prefix, *_words = _text.split()
    _found = list(numbered(_prefix.strip("-"), _words).items())
    CONSTANTS.update(_found[: int(_second)])
    if int(_first):
        DICTIONARIES[f"cudnn{_name}"] = dict(_found[: int(_first)])


# Statuses: cuDNN 9 gave most of them other numbers and split some. Programs that compare numbers or
# names were written for the older ones.

_NUMBERS = {name: number for number, name in STATUSES.items()}

#: Numbers by class of exception, for statuses that cuDNN 8 did not have; the first that fits.
_CLASSES: tuple[tuple[type[Exception], int], ...] = (
    (errors.AllocationError, 2),
    (errors.BadParamError, 3),
    (errors.ArgumentError, 3),
    (errors.GraphError, 3),
    (errors.ArchMismatchError, 6),
    (errors.NotSupportedError, 9),
    (errors.MissingFunctionError, 9),
    (errors.DeprecatedError, 9),
    (errors.NotInitializedError, 1),
    (errors.SublibraryError, 1),
    (errors.ForkedError, 1),
    (errors.ExecutionFailedError, 8),
    (errors.LicenseError, 10),
    (errors.RuntimeInProgressError, 12),
    (errors.RuntimeOverflowError, 13),
    (errors.VersionMismatchError, 14),
)


def number_of(error: errors.CudnnError) -> int:
    """Return the status that cuDNN 8 had for an error."""
    if error.status_name in _NUMBERS:
        return _NUMBERS[error.status_name]
    return next((number for cls, number in _CLASSES if isinstance(error, cls)), 4)


def old_number(status: int) -> int:
    """Return the status of cuDNN 8 for a number of the loaded release; unknown ones stay."""
    number = operator.index(status)
    if number in STATUSES:
        return number
    tables = active()
    name = tables.c_name(tables.enum("Status")(number))
    return number_of(errors.from_status("", number, name)) if name else number
