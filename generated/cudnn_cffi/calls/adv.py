# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:cb0438ce8b7a458cfafd2f8ba46c6ef1
"""Functions of cudnn_adv.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import (
    CONVERT as _CONVERT,
    array as _array,
    device as _device,
    element as _element,
    element_value as _element_value,
    enum_map as _enum_map,
    failed as _failed,
    getters as _getters,
    instead as _instead,
    lend as _lend,
    lib as _lib,
    memory as _memory,
    outs as _outs,
    plain as _plain,
    quick as _quick,
    slow as _slow,
    unpack as _unpack,
    unpacker as _unpacker,
    watching as _watching,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..enums import (
        AttnMode,
        CTCGradMode,
        CTCLossAlgo,
        DataType,
        DirectionMode,
        ForwardMode,
        LossNormalizationMode,
        MathType,
        MultiHeadAttnWeightKind,
        NanPropagation,
        RNNAlgo,
        RNNBiasMode,
        RNNClipMode,
        RNNDataLayout,
        RNNInputMode,
        RNNMode,
        RNNPaddedIO,
        SeqDataAxis,
        WgradMode,
    )
    from ..families import (
        AttnDescriptor,
        CTCLossDescriptor,
        DropoutDescriptor,
        Handle,
        RNNDataDescriptor,
        RNNDescriptor,
        SeqDataDescriptor,
        TensorDescriptor,
    )
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple

_new = tuple.__new__
_type = type
_unpack_2qQ = _unpacker("2qQ")
_unpack_5q = _unpacker("5q")
_unpack_Q = _unpacker("Q")
_AttnMode = _enum_map("AttnMode")
_CTCGradMode = _enum_map("CTCGradMode")
_DataType = _enum_map("DataType")
_DirectionMode = _enum_map("DirectionMode")
_LossNormalizationMode = _enum_map("LossNormalizationMode")
_MathType = _enum_map("MathType")
_NanPropagation = _enum_map("NanPropagation")
_RNNAlgo = _enum_map("RNNAlgo")
_RNNBiasMode = _enum_map("RNNBiasMode")
_RNNClipMode = _enum_map("RNNClipMode")
_RNNDataLayout = _enum_map("RNNDataLayout")
_RNNInputMode = _enum_map("RNNInputMode")
_RNNMode = _enum_map("RNNMode")
_RNNPaddedIO = _enum_map("RNNPaddedIO")
_SeqDataAxis = _enum_map("SeqDataAxis")
_cudnnCTCLoss = _lib.cudnnCTCLoss
_cudnnGetCTCLossWorkspaceSize = _lib.cudnnGetCTCLossWorkspaceSize
_cudnnGetRNNDataDescriptor = _lib.cudnnGetRNNDataDescriptor
_cudnnGetSeqDataDescriptor = _lib.cudnnGetSeqDataDescriptor
_cudnnMultiHeadAttnBackwardData = _lib.cudnnMultiHeadAttnBackwardData
_cudnnMultiHeadAttnForward = _lib.cudnnMultiHeadAttnForward
_cudnnSetRNNDataDescriptor = _lib.cudnnSetRNNDataDescriptor
_cudnnSetSeqDataDescriptor = _lib.cudnnSetSeqDataDescriptor
_plain_cudnnCTCLoss = _plain("cudnnCTCLoss")
_plain_cudnnGetCTCLossWorkspaceSize = _plain("cudnnGetCTCLossWorkspaceSize")
_plain_cudnnGetRNNDataDescriptor = _plain("cudnnGetRNNDataDescriptor")
_plain_cudnnGetSeqDataDescriptor = _plain("cudnnGetSeqDataDescriptor")
_plain_cudnnMultiHeadAttnBackwardData = _plain("cudnnMultiHeadAttnBackwardData")
_plain_cudnnMultiHeadAttnForward = _plain("cudnnMultiHeadAttnForward")
_plain_cudnnSetRNNDataDescriptor = _plain("cudnnSetRNNDataDescriptor")
_plain_cudnnSetSeqDataDescriptor = _plain("cudnnSetSeqDataDescriptor")


class GetAttnDescriptorResult(NamedTuple):
    """Results of `cudnnGetAttnDescriptor`."""

    attnMode: AttnMode
    nHeads: int
    smScaler: float
    dataType: DataType
    computePrec: DataType
    mathType: MathType
    attnDropoutDesc: int
    postDropoutDesc: int
    qSize: int
    kSize: int
    vSize: int
    qProjSize: int
    kProjSize: int
    vProjSize: int
    oProjSize: int
    qoMaxSeqLength: int
    kvMaxSeqLength: int
    maxBatchSize: int
    maxBeamSize: int


class GetCTCLossDescriptorExResult(NamedTuple):
    """Results of `cudnnGetCTCLossDescriptorEx`."""

    compType: DataType
    normMode: LossNormalizationMode
    gradMode: NanPropagation


class GetCTCLossDescriptor_v8Result(NamedTuple):
    """Results of `cudnnGetCTCLossDescriptor_v8`."""

    compType: DataType
    normMode: LossNormalizationMode
    gradMode: NanPropagation
    maxLabelLength: int


class GetCTCLossDescriptor_v9Result(NamedTuple):
    """Results of `cudnnGetCTCLossDescriptor_v9`."""

    compType: DataType
    normMode: LossNormalizationMode
    ctcGradMode: CTCGradMode
    maxLabelLength: int


class GetMultiHeadAttnBuffersResult(NamedTuple):
    """Results of `cudnnGetMultiHeadAttnBuffers`."""

    weightSizeInBytes: int
    workSpaceSizeInBytes: int
    reserveSpaceSizeInBytes: int


class GetRNNDataDescriptorResult(NamedTuple):
    """Results of `cudnnGetRNNDataDescriptor`."""

    dataType: DataType
    layout: RNNDataLayout
    maxSeqLength: int
    batchSize: int
    vectorSize: int
    seqLengthArray: tuple[int, ...]
    paddingFill: float


class GetRNNDescriptor_v8Result(NamedTuple):
    """Results of `cudnnGetRNNDescriptor_v8`."""

    algo: RNNAlgo
    cellMode: RNNMode
    biasMode: RNNBiasMode
    dirMode: DirectionMode
    inputMode: RNNInputMode
    dataType: DataType
    mathPrec: DataType
    mathType: MathType
    inputSize: int
    hiddenSize: int
    projSize: int
    numLayers: int
    dropoutDesc: int
    auxFlags: RNNPaddedIO


class GetRNNTempSpaceSizesResult(NamedTuple):
    """Results of `cudnnGetRNNTempSpaceSizes`."""

    workSpaceSize: int
    reserveSpaceSize: int


class GetRNNWeightParamsResult(NamedTuple):
    """Results of `cudnnGetRNNWeightParams`."""

    mAddr: int
    bAddr: int


class GetSeqDataDescriptorResult(NamedTuple):
    """Results of `cudnnGetSeqDataDescriptor`."""

    dataType: DataType
    nbDims: int
    dimA: tuple[int, ...]
    axes: tuple[SeqDataAxis, ...]
    seqLengthArraySize: int
    seqLengthArray: tuple[int, ...]
    paddingFill: float


class RNNGetClip_v8Result(NamedTuple):
    """Results of `cudnnRNNGetClip_v8`."""

    clipMode: RNNClipMode
    clipNanOpt: NanPropagation
    lclip: float
    rclip: float


class RNNGetClip_v9Result(NamedTuple):
    """Results of `cudnnRNNGetClip_v9`."""

    clipMode: RNNClipMode
    lclip: float
    rclip: float


_cudnnAdvVersionCheck = _quick("cudnnAdvVersionCheck", "", (), (None,))


@_instead(_cudnnAdvVersionCheck)
def cudnnAdvVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnadvversioncheck

    C, cudnn_adv.h::

        cudnnStatus_t cudnnAdvVersionCheck(void)
    """
    return _cudnnAdvVersionCheck()


_cudnnBuildRNNDynamic = _quick(
    "cudnnBuildRNNDynamic",
    "",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", None),
    (None,),
)


@_instead(_cudnnBuildRNNDynamic)
def cudnnBuildRNNDynamic(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    miniBatch: int,
) -> None:
    """Build rnn dynamic with `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        miniBatch: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnbuildrnndynamic

    C, cudnn_adv.h::

        cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
            int miniBatch)
    """
    return _cudnnBuildRNNDynamic(handle, rnnDesc, miniBatch)


def cudnnCTCLoss(
    handle: Handle | int,
    probsDesc: TensorDescriptor | int,
    probs: DevicePointer,
    hostLabels: Sequence[int] | HostPointer,
    hostLabelLengths: Sequence[int] | HostPointer,
    hostInputLengths: Sequence[int] | HostPointer,
    costs: DevicePointer,
    gradientsDesc: TensorDescriptor | int | None,
    gradients: DevicePointer,
    algo: CTCLossAlgo,
    ctcLossDesc: CTCLossDescriptor | int,
    workspace: DevicePointer,
    workSpaceSizeInBytes: int,
) -> None:
    """Compute `costs` and `gradients` from `probs`.

    Formula: costs = -log(the probability of the labels, by all alignments with probs);
        gradients: of costs for probs

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        probsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        probs: const void*, device memory, laid out as `probsDesc` says, read.
        hostLabels: const int[], a sequence of numbers; the labels of all sequences, one after
            the other; 0 is the blank.
        hostLabelLengths: const int[], a sequence of numbers.
        hostInputLengths: const int[], a sequence of numbers.
        costs: void*, device memory, written; the loss of each sequence.
        gradientsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or
            None.
        gradients: void*, device memory, laid out as `gradientsDesc` says, written.
        algo: cudnnCTCLossAlgo_t, a `CTCLossAlgo`: `DETERMINISTIC` or `NON_DETERMINISTIC`;
            `NON_DETERMINISTIC` may be faster, and rounds differently from run to run.
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.
        workspace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetCTCLossWorkspaceSize` tells, and may use it for later work on the stream.
        workSpaceSizeInBytes: size_t, how many bytes `workspace` has.

    Returns:
        None; the function writes `costs` and `gradients`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.ctc_loss`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnctcloss

    C, cudnn_adv.h::

        cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const cudnnTensorDescriptor_t
            probsDesc, const void *probs, const int hostLabels[], const int hostLabelLengths[],
            const int hostInputLengths[], void *costs, const cudnnTensorDescriptor_t
            gradientsDesc, void *gradients, cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t
            ctcLossDesc, void *workspace, size_t workSpaceSizeInBytes)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnCTCLoss",
            (
                handle,
                probsDesc,
                probs,
                hostLabels,
                hostLabelLengths,
                hostInputLengths,
                costs,
                gradientsDesc,
                gradients,
                algo,
                ctcLossDesc,
                workspace,
                workSpaceSizeInBytes,
            ),
        )
    if (
        _type(handle),
        _type(probsDesc),
        _type(gradientsDesc),
        _type(algo),
        _type(ctcLossDesc),
        _type(workSpaceSizeInBytes),
    ) not in _plain_cudnnCTCLoss:
        return _slow(
            cudnnCTCLoss,
            "cudnnCTCLoss",
            (
                handle,
                probsDesc,
                probs,
                hostLabels,
                hostLabelLengths,
                hostInputLengths,
                costs,
                gradientsDesc,
                gradients,
                algo,
                ctcLossDesc,
                workspace,
                workSpaceSizeInBytes,
            ),
        )
    try:
        _in_probs = probs if _type(probs) is int else _device(probs)
        _in_hostLabels = _array(hostLabels, "i", None, "hostLabels")
        _in_hostLabelLengths = _array(hostLabelLengths, "i", None, "hostLabelLengths")
        _in_hostInputLengths = _array(hostInputLengths, "i", None, "hostInputLengths")
        _in_costs = costs if _type(costs) is int else _device(costs)
        _in_gradients = gradients if _type(gradients) is int else _device(gradients)
        _in_workspace = workspace if _type(workspace) is int else _device(workspace)
        _status = _cudnnCTCLoss(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            probsDesc if _type(probsDesc) is int else probsDesc._cudnnTensorDescriptor_t,
            _in_probs,
            _in_hostLabels,
            _in_hostLabelLengths,
            _in_hostInputLengths,
            _in_costs,
            0
            if gradientsDesc is None
            else gradientsDesc
            if _type(gradientsDesc) is int
            else gradientsDesc._cudnnTensorDescriptor_t,
            _in_gradients,
            algo,
            ctcLossDesc if _type(ctcLossDesc) is int else ctcLossDesc._cudnnCTCLossDescriptor_t,
            _in_workspace,
            workSpaceSizeInBytes,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnCTCLoss,
            "cudnnCTCLoss",
            (
                handle,
                probsDesc,
                probs,
                hostLabels,
                hostLabelLengths,
                hostInputLengths,
                costs,
                gradientsDesc,
                gradients,
                algo,
                ctcLossDesc,
                workspace,
                workSpaceSizeInBytes,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnCTCLoss,
            "cudnnCTCLoss",
            _status,
            (
                handle,
                probsDesc,
                probs,
                hostLabels,
                hostLabelLengths,
                hostInputLengths,
                costs,
                gradientsDesc,
                gradients,
                algo,
                ctcLossDesc,
                workspace,
                workSpaceSizeInBytes,
            ),
        )
    return None


_cudnnCTCLoss_v8 = _quick(
    "cudnnCTCLoss_v8",
    "",
    (
        "_cudnnHandle_t",
        None,
        "_cudnnCTCLossDescriptor_t",
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        _getters,
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        None,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnCTCLoss_v8)
def cudnnCTCLoss_v8(
    handle: Handle | int,
    algo: CTCLossAlgo,
    ctcLossDesc: CTCLossDescriptor | int,
    probsDesc: TensorDescriptor | int,
    probs: DevicePointer,
    labels: DevicePointer,
    labelLengths: DevicePointer,
    inputLengths: DevicePointer,
    costs: DevicePointer,
    gradientsDesc: TensorDescriptor | int | None,
    gradients: DevicePointer,
    workSpaceSizeInBytes: int,
    workspace: DevicePointer,
) -> None:
    """Compute `costs` and `gradients` from `probs`.

    Formula: costs = -log(the probability of the labels, by all alignments with probs);
        gradients: of costs for probs

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        algo: cudnnCTCLossAlgo_t, a `CTCLossAlgo`: `DETERMINISTIC` or `NON_DETERMINISTIC`;
            `NON_DETERMINISTIC` may be faster, and rounds differently from run to run.
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.
        probsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        probs: const void*, device memory, laid out as `probsDesc` says, read.
        labels: const int[], device memory, read; the labels of all sequences, one after the
            other; 0 is the blank.
        labelLengths: const int[], device memory, read.
        inputLengths: const int[], device memory, read.
        costs: void*, device memory, written; the loss of each sequence.
        gradientsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or
            None.
        gradients: void*, device memory, laid out as `gradientsDesc` says, written.
        workSpaceSizeInBytes: size_t, how many bytes `workspace` has.
        workspace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetCTCLossWorkspaceSize_v8` tells, and may use it for later work on the
            stream.

    Returns:
        None; the function writes `costs` and `gradients`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.ctc_loss`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnctcloss-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algo,
            cudnnCTCLossDescriptor_t ctcLossDesc, const cudnnTensorDescriptor_t probsDesc, const
            void *probs, const int labels[], const int labelLengths[], const int inputLengths[],
            void *costs, const cudnnTensorDescriptor_t gradientsDesc, void *gradients, size_t
            workSpaceSizeInBytes, void *workspace)
    """
    return _cudnnCTCLoss_v8(
        handle,
        algo,
        ctcLossDesc,
        probsDesc,
        probs,
        labels,
        labelLengths,
        inputLengths,
        costs,
        gradientsDesc,
        gradients,
        workSpaceSizeInBytes,
        workspace,
    )


_cudnnCreateAttnDescriptor = _quick("cudnnCreateAttnDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateAttnDescriptor)
def cudnnCreateAttnDescriptor() -> int:
    """Create an `AttnDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API's SDPA operations.

    See also: `ops.attention`, `ops.attention_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnncreateattndescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnCreateAttnDescriptor(cudnnAttnDescriptor_t *attnDesc)
    """
    return _cudnnCreateAttnDescriptor()


_cudnnCreateCTCLossDescriptor = _quick("cudnnCreateCTCLossDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateCTCLossDescriptor)
def cudnnCreateCTCLossDescriptor() -> int:
    """Create a `CTCLossDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.ctc_loss`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnncreatectclossdescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossDescriptor_t *ctcLossDesc)
    """
    return _cudnnCreateCTCLossDescriptor()


_cudnnCreateRNNDataDescriptor = _quick("cudnnCreateRNNDataDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateRNNDataDescriptor)
def cudnnCreateRNNDataDescriptor() -> int:
    """Create an `RNNDataDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnncreaternndatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t *rnnDataDesc)
    """
    return _cudnnCreateRNNDataDescriptor()


_cudnnCreateRNNDescriptor = _quick("cudnnCreateRNNDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateRNNDescriptor)
def cudnnCreateRNNDescriptor() -> int:
    """Create an `RNNDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnncreaternndescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t *rnnDesc)
    """
    return _cudnnCreateRNNDescriptor()


_cudnnCreateSeqDataDescriptor = _quick("cudnnCreateSeqDataDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateSeqDataDescriptor)
def cudnnCreateSeqDataDescriptor() -> int:
    """Create a `SeqDataDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnncreateseqdatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnCreateSeqDataDescriptor(cudnnSeqDataDescriptor_t *seqDataDesc)
    """
    return _cudnnCreateSeqDataDescriptor()


_cudnnDestroyAttnDescriptor = _quick(
    "cudnnDestroyAttnDescriptor",
    "",
    (lambda given: given._detach("cudnnAttnDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyAttnDescriptor)
def cudnnDestroyAttnDescriptor(attnDesc: AttnDescriptor | int) -> None:
    """Destroy an `AttnDescriptor`.

    Args:
        attnDesc: cudnnAttnDescriptor_t, an `AttnDescriptor` or its address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnndestroyattndescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnDestroyAttnDescriptor(cudnnAttnDescriptor_t attnDesc)
    """
    return _cudnnDestroyAttnDescriptor(attnDesc)


_cudnnDestroyCTCLossDescriptor = _quick(
    "cudnnDestroyCTCLossDescriptor",
    "",
    (lambda given: given._detach("cudnnCTCLossDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyCTCLossDescriptor)
def cudnnDestroyCTCLossDescriptor(ctcLossDesc: CTCLossDescriptor | int) -> None:
    """Destroy a `CTCLossDescriptor`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnndestroyctclossdescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossDescriptor_t ctcLossDesc)
    """
    return _cudnnDestroyCTCLossDescriptor(ctcLossDesc)


_cudnnDestroyRNNDataDescriptor = _quick(
    "cudnnDestroyRNNDataDescriptor",
    "",
    (lambda given: given._detach("cudnnRNNDataDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyRNNDataDescriptor)
def cudnnDestroyRNNDataDescriptor(rnnDataDesc: RNNDataDescriptor | int) -> None:
    """Destroy an `RNNDataDescriptor`.

    Args:
        rnnDataDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnndestroyrnndatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t rnnDataDesc)
    """
    return _cudnnDestroyRNNDataDescriptor(rnnDataDesc)


_cudnnDestroyRNNDescriptor = _quick(
    "cudnnDestroyRNNDescriptor",
    "",
    (lambda given: given._detach("cudnnRNNDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyRNNDescriptor)
def cudnnDestroyRNNDescriptor(rnnDesc: RNNDescriptor | int) -> None:
    """Destroy an `RNNDescriptor`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnndestroyrnndescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t rnnDesc)
    """
    return _cudnnDestroyRNNDescriptor(rnnDesc)


_cudnnDestroySeqDataDescriptor = _quick(
    "cudnnDestroySeqDataDescriptor",
    "",
    (lambda given: given._detach("cudnnSeqDataDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroySeqDataDescriptor)
def cudnnDestroySeqDataDescriptor(seqDataDesc: SeqDataDescriptor | int) -> None:
    """Destroy a `SeqDataDescriptor`.

    Args:
        seqDataDesc: cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnndestroyseqdatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnDestroySeqDataDescriptor(cudnnSeqDataDescriptor_t seqDataDesc)
    """
    return _cudnnDestroySeqDataDescriptor(seqDataDesc)


_cudnnGetAttnDescriptor = _quick(
    "cudnnGetAttnDescriptor",
    "qqdqqqQQqqqqqqqqqqq",
    ("_cudnnAttnDescriptor_t",),
    (
        GetAttnDescriptorResult,
        _AttnMode,
        None,
        None,
        _DataType,
        _DataType,
        _MathType,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    ),
)


@_instead(_cudnnGetAttnDescriptor)
def cudnnGetAttnDescriptor(attnDesc: AttnDescriptor | int) -> GetAttnDescriptorResult:
    """Return 19 values of `attnDesc`.

    Args:
        attnDesc: cudnnAttnDescriptor_t, an `AttnDescriptor` or its address.

    Returns:
        attnMode: AttnMode.
        nHeads: int.
        smScaler: float; multiplies products of queries and keys before the softmax.
        dataType: DataType.
        computePrec: DataType; the type in which the computation is done.
        mathType: MathType; whether Tensor Cores may be used, and inputs rounded to narrower
            types for them.
        attnDropoutDesc: int, lent, not to be destroyed; dropout of the softmax's results.
        postDropoutDesc: int, lent, not to be destroyed; dropout of the output, before residuals
            are added.
        qSize: int.
        kSize: int.
        vSize: int.
        qProjSize: int.
        kProjSize: int.
        vProjSize: int.
        oProjSize: int.
        qoMaxSeqLength: int.
        kvMaxSeqLength: int.
        maxBatchSize: int.
        maxBeamSize: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetattndescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetAttnDescriptor(cudnnAttnDescriptor_t attnDesc, unsigned int
            *attnMode, int *nHeads, double *smScaler, cudnnDataType_t *dataType, cudnnDataType_t
            *computePrec, cudnnMathType_t *mathType, cudnnDropoutDescriptor_t *attnDropoutDesc,
            cudnnDropoutDescriptor_t *postDropoutDesc, int *qSize, int *kSize, int *vSize, int
            *qProjSize, int *kProjSize, int *vProjSize, int *oProjSize, int *qoMaxSeqLength, int
            *kvMaxSeqLength, int *maxBatchSize, int *maxBeamSize)
    """
    return _cudnnGetAttnDescriptor(attnDesc)


_cudnnGetCTCLossDescriptor = _quick(
    "cudnnGetCTCLossDescriptor",
    "q",
    ("_cudnnCTCLossDescriptor_t",),
    (None, _DataType),
)


@_instead(_cudnnGetCTCLossDescriptor)
def cudnnGetCTCLossDescriptor(ctcLossDesc: CTCLossDescriptor | int) -> DataType:
    """Return `compType` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.

    Returns:
        DataType; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnGetCTCLossDescriptor_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetctclossdescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetCTCLossDescriptor(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t *compType)
    """
    return _cudnnGetCTCLossDescriptor(ctcLossDesc)


_cudnnGetCTCLossDescriptorEx = _quick(
    "cudnnGetCTCLossDescriptorEx",
    "qqq",
    ("_cudnnCTCLossDescriptor_t",),
    (GetCTCLossDescriptorExResult, _DataType, _LossNormalizationMode, _NanPropagation),
)


@_instead(_cudnnGetCTCLossDescriptorEx)
def cudnnGetCTCLossDescriptorEx(
    ctcLossDesc: CTCLossDescriptor | int,
) -> GetCTCLossDescriptorExResult:
    """Return `compType`, `normMode` and `gradMode` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.

    Returns:
        compType: DataType; the type in which the computation is done.
        normMode: LossNormalizationMode; `SOFTMAX`: `probs` are scores, of which softmax makes
            probabilities first.
        gradMode: NanPropagation; whether NaN in probabilities gives NaN gradients.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnGetCTCLossDescriptor_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetctclossdescriptorex

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t *compType, cudnnLossNormalizationMode_t *normMode,
            cudnnNanPropagation_t *gradMode)
    """
    return _cudnnGetCTCLossDescriptorEx(ctcLossDesc)


_cudnnGetCTCLossDescriptor_v8 = _quick(
    "cudnnGetCTCLossDescriptor_v8",
    "qqqq",
    ("_cudnnCTCLossDescriptor_t",),
    (GetCTCLossDescriptor_v8Result, _DataType, _LossNormalizationMode, _NanPropagation, None),
)


@_instead(_cudnnGetCTCLossDescriptor_v8)
def cudnnGetCTCLossDescriptor_v8(
    ctcLossDesc: CTCLossDescriptor | int,
) -> GetCTCLossDescriptor_v8Result:
    """Return `compType`, `normMode`, `gradMode` and `maxLabelLength` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.

    Returns:
        compType: DataType; the type in which the computation is done.
        normMode: LossNormalizationMode; `SOFTMAX`: `probs` are scores, of which softmax makes
            probabilities first.
        gradMode: NanPropagation; whether NaN in probabilities gives NaN gradients.
        maxLabelLength: int; the maximum number of labels of a sequence.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnGetCTCLossDescriptor_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetctclossdescriptor-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t *compType, cudnnLossNormalizationMode_t *normMode,
            cudnnNanPropagation_t *gradMode, int *maxLabelLength)
    """
    return _cudnnGetCTCLossDescriptor_v8(ctcLossDesc)


_cudnnGetCTCLossDescriptor_v9 = _quick(
    "cudnnGetCTCLossDescriptor_v9",
    "qqqq",
    ("_cudnnCTCLossDescriptor_t",),
    (GetCTCLossDescriptor_v9Result, _DataType, _LossNormalizationMode, _CTCGradMode, None),
)


@_instead(_cudnnGetCTCLossDescriptor_v9)
def cudnnGetCTCLossDescriptor_v9(
    ctcLossDesc: CTCLossDescriptor | int,
) -> GetCTCLossDescriptor_v9Result:
    """Return `compType`, `normMode`, `ctcGradMode` and `maxLabelLength` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.

    Returns:
        compType: DataType; the type in which the computation is done.
        normMode: LossNormalizationMode; `SOFTMAX`: `probs` are scores, of which softmax makes
            probabilities first.
        ctcGradMode: CTCGradMode; gradients of steps beyond a sequence's end: set to 0, or left
            as they are.
        maxLabelLength: int; the maximum number of labels of a sequence.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetctclossdescriptor-v9

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t *compType, cudnnLossNormalizationMode_t *normMode,
            cudnnCTCGradMode_t *ctcGradMode, int *maxLabelLength)
    """
    return _cudnnGetCTCLossDescriptor_v9(ctcLossDesc)


def cudnnGetCTCLossWorkspaceSize(
    handle: Handle | int,
    probsDesc: TensorDescriptor | int,
    gradientsDesc: TensorDescriptor | int | None,
    labels: Sequence[int] | HostPointer,
    labelLengths: Sequence[int] | HostPointer,
    inputLengths: Sequence[int] | HostPointer,
    algo: CTCLossAlgo,
    ctcLossDesc: CTCLossDescriptor | int,
) -> int:
    """Return `sizeInBytes` for `probsDesc`, `gradientsDesc` and `ctcLossDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        probsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        gradientsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or
            None.
        labels: const int*, a sequence of numbers; the labels of all sequences, one after the
            other; 0 is the blank.
        labelLengths: const int*, a sequence of numbers.
        inputLengths: const int*, a sequence of numbers.
        algo: cudnnCTCLossAlgo_t, a `CTCLossAlgo`: `DETERMINISTIC` or `NON_DETERMINISTIC`;
            `NON_DETERMINISTIC` may be faster, and rounds differently from run to run.
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.

    Returns:
        int, in bytes; of the workspace of `cudnnCTCLoss`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.ctc_loss`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetctclossworkspacesize

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle, const
            cudnnTensorDescriptor_t probsDesc, const cudnnTensorDescriptor_t gradientsDesc,
            const int *labels, const int *labelLengths, const int *inputLengths,
            cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t ctcLossDesc, size_t *sizeInBytes)
    """
    if (
        _type(handle),
        _type(probsDesc),
        _type(gradientsDesc),
        _type(algo),
        _type(ctcLossDesc),
    ) not in _plain_cudnnGetCTCLossWorkspaceSize:
        return _slow(
            cudnnGetCTCLossWorkspaceSize,
            "cudnnGetCTCLossWorkspaceSize",
            (
                handle,
                probsDesc,
                gradientsDesc,
                labels,
                labelLengths,
                inputLengths,
                algo,
                ctcLossDesc,
            ),
        )
    try:
        _in_labels = _array(labels, "i", None, "labels")
        _in_labelLengths = _array(labelLengths, "i", None, "labelLengths")
        _in_inputLengths = _array(inputLengths, "i", None, "inputLengths")
        _out = _lend()
        _status = _cudnnGetCTCLossWorkspaceSize(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            probsDesc if _type(probsDesc) is int else probsDesc._cudnnTensorDescriptor_t,
            0
            if gradientsDesc is None
            else gradientsDesc
            if _type(gradientsDesc) is int
            else gradientsDesc._cudnnTensorDescriptor_t,
            _in_labels,
            _in_labelLengths,
            _in_inputLengths,
            algo,
            ctcLossDesc if _type(ctcLossDesc) is int else ctcLossDesc._cudnnCTCLossDescriptor_t,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetCTCLossWorkspaceSize,
            "cudnnGetCTCLossWorkspaceSize",
            (
                handle,
                probsDesc,
                gradientsDesc,
                labels,
                labelLengths,
                inputLengths,
                algo,
                ctcLossDesc,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetCTCLossWorkspaceSize,
            "cudnnGetCTCLossWorkspaceSize",
            _status,
            (
                handle,
                probsDesc,
                gradientsDesc,
                labels,
                labelLengths,
                inputLengths,
                algo,
                ctcLossDesc,
            ),
        )
    _r = _unpack_Q(_out[1])
    _outs.append(_out)
    return _r[0]


_cudnnGetCTCLossWorkspaceSize_v8 = _quick(
    "cudnnGetCTCLossWorkspaceSize_v8",
    "Q",
    (
        "_cudnnHandle_t",
        None,
        "_cudnnCTCLossDescriptor_t",
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
    ),
    (None, None),
)


@_instead(_cudnnGetCTCLossWorkspaceSize_v8)
def cudnnGetCTCLossWorkspaceSize_v8(
    handle: Handle | int,
    algo: CTCLossAlgo,
    ctcLossDesc: CTCLossDescriptor | int,
    probsDesc: TensorDescriptor | int,
    gradientsDesc: TensorDescriptor | int | None,
) -> int:
    """Return `sizeInBytes` for `ctcLossDesc`, `probsDesc` and `gradientsDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        algo: cudnnCTCLossAlgo_t, a `CTCLossAlgo`: `DETERMINISTIC` or `NON_DETERMINISTIC`;
            `NON_DETERMINISTIC` may be faster, and rounds differently from run to run.
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address.
        probsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address.
        gradientsDesc: const cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or
            None.

    Returns:
        int, in bytes; of the workspace of `cudnnCTCLoss_v8`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.ctc_loss`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetctclossworkspacesize-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t
            algo, cudnnCTCLossDescriptor_t ctcLossDesc, const cudnnTensorDescriptor_t probsDesc,
            const cudnnTensorDescriptor_t gradientsDesc, size_t *sizeInBytes)
    """
    return _cudnnGetCTCLossWorkspaceSize_v8(handle, algo, ctcLossDesc, probsDesc, gradientsDesc)


_cudnnGetMultiHeadAttnBuffers = _quick(
    "cudnnGetMultiHeadAttnBuffers",
    "QQQ",
    ("_cudnnHandle_t", "_cudnnAttnDescriptor_t"),
    (GetMultiHeadAttnBuffersResult, None, None, None),
)


@_instead(_cudnnGetMultiHeadAttnBuffers)
def cudnnGetMultiHeadAttnBuffers(
    handle: Handle | int,
    attnDesc: AttnDescriptor | int,
) -> GetMultiHeadAttnBuffersResult:
    """Return `weightSizeInBytes`, `workSpaceSizeInBytes` and `reserveSpaceSizeInBytes`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        attnDesc: const cudnnAttnDescriptor_t, an `AttnDescriptor` or its address.

    Returns:
        weightSizeInBytes: int, in bytes.
        workSpaceSizeInBytes: int, in bytes; of the workspace of `cudnnMultiHeadAttnForward`,
            `cudnnMultiHeadAttnBackwardData` and `cudnnMultiHeadAttnBackwardWeights`.
        reserveSpaceSizeInBytes: int, in bytes; of the reserve space of
            `cudnnMultiHeadAttnForward`, `cudnnMultiHeadAttnBackwardData` and
            `cudnnMultiHeadAttnBackwardWeights`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also: `ops.multi_head_attention`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetmultiheadattnbuffers

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetMultiHeadAttnBuffers(cudnnHandle_t handle, const
            cudnnAttnDescriptor_t attnDesc, size_t *weightSizeInBytes, size_t
            *workSpaceSizeInBytes, size_t *reserveSpaceSizeInBytes)
    """
    return _cudnnGetMultiHeadAttnBuffers(handle, attnDesc)


_cudnnGetMultiHeadAttnWeights = _quick(
    "cudnnGetMultiHeadAttnWeights",
    "Q",
    ("_cudnnHandle_t", "_cudnnAttnDescriptor_t", None, None, _getters, "_cudnnTensorDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetMultiHeadAttnWeights)
def cudnnGetMultiHeadAttnWeights(
    handle: Handle | int,
    attnDesc: AttnDescriptor | int,
    wKind: MultiHeadAttnWeightKind,
    weightSizeInBytes: int,
    weights: DevicePointer,
    wDesc: TensorDescriptor | int,
) -> int:
    """Return `wAddr` of `attnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        attnDesc: const cudnnAttnDescriptor_t, an `AttnDescriptor` or its address.
        wKind: cudnnMultiHeadAttnWeightKind_t, a `MultiHeadAttnWeightKind`.
        weightSizeInBytes: size_t, in bytes.
        weights: const void*, device memory, read.
        wDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.

    Returns:
        an address, in device memory.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also: `ops.multi_head_attention`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetmultiheadattnweights

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetMultiHeadAttnWeights(cudnnHandle_t handle, const
            cudnnAttnDescriptor_t attnDesc, cudnnMultiHeadAttnWeightKind_t wKind, size_t
            weightSizeInBytes, const void *weights, cudnnTensorDescriptor_t wDesc, void **wAddr)
    """
    return _cudnnGetMultiHeadAttnWeights(handle, attnDesc, wKind, weightSizeInBytes, weights, wDesc)


def cudnnGetRNNDataDescriptor(
    rnnDataDesc: RNNDataDescriptor | int,
    arrayLengthRequested: int,
) -> GetRNNDataDescriptorResult:
    """Return 7 values of `rnnDataDesc`.

    Args:
        rnnDataDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        arrayLengthRequested: int, how many elements `seqLengthArray` may have.

    Returns:
        dataType: DataType.
        layout: RNNDataLayout; whether time or the batch is the outer axis, and whether
            sequences are padded or packed by steps.
        maxSeqLength: int.
        batchSize: int.
        vectorSize: int.
        seqLengthArray: tuple[int, ...], `arrayLengthRequested` elements; the length of each
            sequence.
        paddingFill: an address; written where a sequence is padded; None leaves that as it is.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetrnndatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t rnnDataDesc,
            cudnnDataType_t *dataType, cudnnRNNDataLayout_t *layout, int *maxSeqLength, int
            *batchSize, int *vectorSize, int arrayLengthRequested, int seqLengthArray[], void
            *paddingFill)
    """
    if (_type(rnnDataDesc), _type(arrayLengthRequested)) not in _plain_cudnnGetRNNDataDescriptor:
        return _slow(
            cudnnGetRNNDataDescriptor,
            "cudnnGetRNNDataDescriptor",
            (rnnDataDesc, arrayLengthRequested),
        )
    try:
        _out_seqLengthArray = _memory("int", arrayLengthRequested, "arrayLengthRequested")
        _out_paddingFill = _memory("char", 8)
        _out = _lend()
        _status = _cudnnGetRNNDataDescriptor(
            rnnDataDesc if _type(rnnDataDesc) is int else rnnDataDesc._cudnnRNNDataDescriptor_t,
            arrayLengthRequested,
            _out_seqLengthArray,
            _out_paddingFill,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetRNNDataDescriptor,
            "cudnnGetRNNDataDescriptor",
            (rnnDataDesc, arrayLengthRequested),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetRNNDataDescriptor,
            "cudnnGetRNNDataDescriptor",
            _status,
            (rnnDataDesc, arrayLengthRequested),
        )
    _r = _unpack_5q(_out[1])
    _outs.append(_out)
    return _new(
        GetRNNDataDescriptorResult,
        (
            _DataType[_r[0]],
            _RNNDataLayout[_r[1]],
            _r[2],
            _r[3],
            _r[4],
            tuple(_unpack(_out_seqLengthArray, arrayLengthRequested)),
            _element_value(_out_paddingFill, _DataType[_r[0]]),
        ),
    )


_cudnnGetRNNDescriptor_v8 = _quick(
    "cudnnGetRNNDescriptor_v8",
    "qqqqqqqqqqqqQq",
    ("_cudnnRNNDescriptor_t",),
    (
        GetRNNDescriptor_v8Result,
        _RNNAlgo,
        _RNNMode,
        _RNNBiasMode,
        _DirectionMode,
        _RNNInputMode,
        _DataType,
        _DataType,
        _MathType,
        None,
        None,
        None,
        None,
        None,
        _RNNPaddedIO,
    ),
)


@_instead(_cudnnGetRNNDescriptor_v8)
def cudnnGetRNNDescriptor_v8(rnnDesc: RNNDescriptor | int) -> GetRNNDescriptor_v8Result:
    """Return 14 values of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        algo: RNNAlgo; `STANDARD`, or one that keeps recurrent weights on the chip: faster for
            small batches and some sizes only.
        cellMode: RNNMode; the cell: h = relu(W x + R h + b), tanh of the same, LSTM or GRU.
        biasMode: RNNBiasMode; how many biases each gate has: none, one at the input or the
            recurrence, or both.
        dirMode: DirectionMode; `BIDIRECTIONAL` runs over time both ways, and outputs both
            results next to each other.
        inputMode: RNNInputMode; whether the first layer multiplies its input by weights, or
            adds it as it is (`SKIP_INPUT`).
        dataType: DataType.
        mathPrec: DataType; the type in which the computation is done.
        mathType: MathType; whether Tensor Cores may be used, and inputs rounded to narrower
            types for them.
        inputSize: int.
        hiddenSize: int.
        projSize: int; the size of an LSTM's output after the recurrent projection; `hiddenSize`
            without one.
        numLayers: int.
        dropoutDesc: int, lent, not to be destroyed; dropout between layers, at training.
        auxFlags: RNNPaddedIO; whether sequences of different lengths may be padded, instead of
            packed by steps.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetrnndescriptor-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNAlgo_t
            *algo, cudnnRNNMode_t *cellMode, cudnnRNNBiasMode_t *biasMode, cudnnDirectionMode_t
            *dirMode, cudnnRNNInputMode_t *inputMode, cudnnDataType_t *dataType, cudnnDataType_t
            *mathPrec, cudnnMathType_t *mathType, int32_t *inputSize, int32_t *hiddenSize,
            int32_t *projSize, int32_t *numLayers, cudnnDropoutDescriptor_t *dropoutDesc,
            uint32_t *auxFlags)
    """
    return _cudnnGetRNNDescriptor_v8(rnnDesc)


_cudnnGetRNNTempSpaceSizes = _quick(
    "cudnnGetRNNTempSpaceSizes",
    "QQ",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t", None, "_cudnnRNNDataDescriptor_t"),
    (GetRNNTempSpaceSizesResult, None, None),
)


@_instead(_cudnnGetRNNTempSpaceSizes)
def cudnnGetRNNTempSpaceSizes(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    fwdMode: ForwardMode,
    xDesc: RNNDataDescriptor | int,
) -> GetRNNTempSpaceSizesResult:
    """Return `workSpaceSize` and `reserveSpaceSize` for `rnnDesc` and `xDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        fwdMode: cudnnForwardMode_t, a `ForwardMode`: `INFERENCE` or `TRAINING`; `TRAINING`
            fills the reserve space, `INFERENCE` needs none.
        xDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.

    Returns:
        workSpaceSize: int; of the workspace of `cudnnRNNForward`, `cudnnRNNBackwardData_v8` and
            `cudnnRNNBackwardWeights_v8`.
        reserveSpaceSize: int; of the reserve space of `cudnnRNNForward`,
            `cudnnRNNBackwardData_v8` and `cudnnRNNBackwardWeights_v8`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetrnntempspacesizes

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, cudnnForwardMode_t fwdMode, cudnnRNNDataDescriptor_t xDesc, size_t
            *workSpaceSize, size_t *reserveSpaceSize)
    """
    return _cudnnGetRNNTempSpaceSizes(handle, rnnDesc, fwdMode, xDesc)


_cudnnGetRNNWeightParams = _quick(
    "cudnnGetRNNWeightParams",
    "QQ",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        None,
        None,
        _getters,
        None,
        "_cudnnTensorDescriptor_t",
        "_cudnnTensorDescriptor_t",
    ),
    (GetRNNWeightParamsResult, None, None),
)


@_instead(_cudnnGetRNNWeightParams)
def cudnnGetRNNWeightParams(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    pseudoLayer: int,
    weightSpaceSize: int,
    weightSpace: DevicePointer,
    linLayerID: int,
    mDesc: TensorDescriptor | int,
    bDesc: TensorDescriptor | int,
) -> GetRNNWeightParamsResult:
    """Return `mAddr` and `bAddr` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        pseudoLayer: int32_t; the layer; 2 * layer + direction, if bidirectional.
        weightSpaceSize: size_t, how many bytes `weightSpace` has.
        weightSpace: const void*, device memory, at least `weightSpaceSize` bytes, read; all
            weights and biases; `cudnnGetRNNWeightParams` tells where each is.
        linLayerID: int32_t; which matrix and bias of the cell: those for the input first, then
            those for the recurrence.
        mDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.
        bDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, changed.

    Returns:
        mAddr: an address, in device memory.
        bAddr: an address, in device memory.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetrnnweightparams

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, int32_t pseudoLayer, size_t weightSpaceSize, const void *weightSpace,
            int32_t linLayerID, cudnnTensorDescriptor_t mDesc, void **mAddr,
            cudnnTensorDescriptor_t bDesc, void **bAddr)
    """
    return _cudnnGetRNNWeightParams(
        handle,
        rnnDesc,
        pseudoLayer,
        weightSpaceSize,
        weightSpace,
        linLayerID,
        mDesc,
        bDesc,
    )


_cudnnGetRNNWeightSpaceSize = _quick(
    "cudnnGetRNNWeightSpaceSize",
    "Q",
    ("_cudnnHandle_t", "_cudnnRNNDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetRNNWeightSpaceSize)
def cudnnGetRNNWeightSpaceSize(handle: Handle | int, rnnDesc: RNNDescriptor | int) -> int:
    """Return `weightSpaceSize` of `rnnDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetrnnweightspacesize

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, size_t *weightSpaceSize)
    """
    return _cudnnGetRNNWeightSpaceSize(handle, rnnDesc)


def cudnnGetSeqDataDescriptor(
    seqDataDesc: SeqDataDescriptor | int,
    nbDimsRequested: int,
    seqLengthSizeRequested: int,
) -> GetSeqDataDescriptorResult:
    """Return 7 values of `seqDataDesc`.

    Args:
        seqDataDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        nbDimsRequested: int, how many elements `dimA` and `axes` may have.
        seqLengthSizeRequested: size_t, how many elements `seqLengthArray` may have.

    Returns:
        dataType: DataType.
        nbDims: int.
        dimA: tuple[int, ...], as many as there are, at most `nbDimsRequested`.
        axes: tuple[SeqDataAxis, ...], as many as there are, at most `nbDimsRequested`.
        seqLengthArraySize: int.
        seqLengthArray: tuple[int, ...], as many as there are, at most `seqLengthSizeRequested`;
            the length of each sequence.
        paddingFill: an address; written where a sequence is padded; None leaves that as it is.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnngetseqdatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnGetSeqDataDescriptor(const cudnnSeqDataDescriptor_t seqDataDesc,
            cudnnDataType_t *dataType, int *nbDims, int nbDimsRequested, int dimA[],
            cudnnSeqDataAxis_t axes[], size_t *seqLengthArraySize, size_t
            seqLengthSizeRequested, int seqLengthArray[], void *paddingFill)
    """
    if (
        _type(seqDataDesc),
        _type(nbDimsRequested),
        _type(seqLengthSizeRequested),
    ) not in _plain_cudnnGetSeqDataDescriptor:
        return _slow(
            cudnnGetSeqDataDescriptor,
            "cudnnGetSeqDataDescriptor",
            (seqDataDesc, nbDimsRequested, seqLengthSizeRequested),
        )
    try:
        _out_dimA = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out_axes = _memory("int", nbDimsRequested, "nbDimsRequested")
        _out_seqLengthArray = _memory("int", seqLengthSizeRequested, "seqLengthSizeRequested")
        _out_paddingFill = _memory("char", 8)
        _out = _lend()
        _status = _cudnnGetSeqDataDescriptor(
            seqDataDesc if _type(seqDataDesc) is int else seqDataDesc._cudnnSeqDataDescriptor_t,
            nbDimsRequested,
            _out_dimA,
            _out_axes,
            seqLengthSizeRequested,
            _out_seqLengthArray,
            _out_paddingFill,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetSeqDataDescriptor,
            "cudnnGetSeqDataDescriptor",
            (seqDataDesc, nbDimsRequested, seqLengthSizeRequested),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetSeqDataDescriptor,
            "cudnnGetSeqDataDescriptor",
            _status,
            (seqDataDesc, nbDimsRequested, seqLengthSizeRequested),
        )
    _r = _unpack_2qQ(_out[1])
    _outs.append(_out)
    return _new(
        GetSeqDataDescriptorResult,
        (
            _DataType[_r[0]],
            _r[1],
            tuple(_unpack(_out_dimA, max(min(_r[1], nbDimsRequested), 0))),
            tuple(
                map(
                    _SeqDataAxis.__getitem__,
                    _unpack(_out_axes, max(min(_r[1], nbDimsRequested), 0)),
                ),
            ),
            _r[2],
            tuple(_unpack(_out_seqLengthArray, max(min(_r[2], seqLengthSizeRequested), 0))),
            _element_value(_out_paddingFill, _DataType[_r[0]]),
        ),
    )


def cudnnMultiHeadAttnBackwardData(
    handle: Handle | int,
    attnDesc: AttnDescriptor | int,
    loWinIdx: Sequence[int] | HostPointer,
    hiWinIdx: Sequence[int] | HostPointer,
    devSeqLengthsDQDO: DevicePointer,
    devSeqLengthsDKDV: DevicePointer,
    doDesc: SeqDataDescriptor | int,
    dout: DevicePointer,
    dqDesc: SeqDataDescriptor | int,
    dqueries: DevicePointer,
    queries: DevicePointer,
    dkDesc: SeqDataDescriptor | int,
    dkeys: DevicePointer,
    keys: DevicePointer,
    dvDesc: SeqDataDescriptor | int,
    dvalues: DevicePointer,
    values: DevicePointer,
    weightSizeInBytes: int,
    weights: DevicePointer,
    workSpaceSizeInBytes: int,
    workSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
) -> None:
    """Compute `dqueries`, `dkeys` and `dvalues`.

    Formula: dqueries, dkeys, dvalues: the gradients of `cudnnMultiHeadAttnForward`, of dout

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        attnDesc: const cudnnAttnDescriptor_t, an `AttnDescriptor` or its address.
        loWinIdx: const int[], a sequence of numbers; the first key that each time step of the
            queries sees.
        hiWinIdx: const int[], a sequence of numbers; one after the last key that each time step
            of the queries sees.
        devSeqLengthsDQDO: const int[], device memory, read.
        devSeqLengthsDKDV: const int[], device memory, read.
        doDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        dout: const void*, device memory, read.
        dqDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        dqueries: void*, device memory, written.
        queries: const void*, device memory, read.
        dkDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        dkeys: void*, device memory, written.
        keys: const void*, device memory, read.
        dvDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        dvalues: void*, device memory, written.
        values: const void*, device memory, read.
        weightSizeInBytes: size_t, in bytes.
        weights: const void*, device memory, read.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetMultiHeadAttnBuffers` tells, and may use it for later work on the stream.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnMultiHeadAttnForward` left it, changed for
            `cudnnMultiHeadAttnBackwardWeights`.

    Returns:
        None; the function writes `dqueries`, `dkeys` and `dvalues`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API's SDPA operations.

    See also: `ops.multi_head_attention_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnmultiheadattnbackwarddata

    C, cudnn_adv.h::

        cudnnStatus_t cudnnMultiHeadAttnBackwardData(cudnnHandle_t handle, const
            cudnnAttnDescriptor_t attnDesc, const int loWinIdx[], const int hiWinIdx[], const
            int devSeqLengthsDQDO[], const int devSeqLengthsDKDV[], const
            cudnnSeqDataDescriptor_t doDesc, const void *dout, const cudnnSeqDataDescriptor_t
            dqDesc, void *dqueries, const void *queries, const cudnnSeqDataDescriptor_t dkDesc,
            void *dkeys, const void *keys, const cudnnSeqDataDescriptor_t dvDesc, void *dvalues,
            const void *values, size_t weightSizeInBytes, const void *weights, size_t
            workSpaceSizeInBytes, void *workSpace, size_t reserveSpaceSizeInBytes, void
            *reserveSpace)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnMultiHeadAttnBackwardData",
            (
                handle,
                attnDesc,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsDQDO,
                devSeqLengthsDKDV,
                doDesc,
                dout,
                dqDesc,
                dqueries,
                queries,
                dkDesc,
                dkeys,
                keys,
                dvDesc,
                dvalues,
                values,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
        )
    if (
        _type(handle),
        _type(attnDesc),
        _type(doDesc),
        _type(dqDesc),
        _type(dkDesc),
        _type(dvDesc),
        _type(weightSizeInBytes),
        _type(workSpaceSizeInBytes),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnMultiHeadAttnBackwardData:
        return _slow(
            cudnnMultiHeadAttnBackwardData,
            "cudnnMultiHeadAttnBackwardData",
            (
                handle,
                attnDesc,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsDQDO,
                devSeqLengthsDKDV,
                doDesc,
                dout,
                dqDesc,
                dqueries,
                queries,
                dkDesc,
                dkeys,
                keys,
                dvDesc,
                dvalues,
                values,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
        )
    try:
        _in_loWinIdx = _array(loWinIdx, "i", None, "loWinIdx")
        _in_hiWinIdx = _array(hiWinIdx, "i", None, "hiWinIdx")
        _in_devSeqLengthsDQDO = (
            devSeqLengthsDQDO if _type(devSeqLengthsDQDO) is int else _device(devSeqLengthsDQDO)
        )
        _in_devSeqLengthsDKDV = (
            devSeqLengthsDKDV if _type(devSeqLengthsDKDV) is int else _device(devSeqLengthsDKDV)
        )
        _in_dout = dout if _type(dout) is int else _device(dout)
        _in_dqueries = dqueries if _type(dqueries) is int else _device(dqueries)
        _in_queries = queries if _type(queries) is int else _device(queries)
        _in_dkeys = dkeys if _type(dkeys) is int else _device(dkeys)
        _in_keys = keys if _type(keys) is int else _device(keys)
        _in_dvalues = dvalues if _type(dvalues) is int else _device(dvalues)
        _in_values = values if _type(values) is int else _device(values)
        _in_weights = weights if _type(weights) is int else _device(weights)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _status = _cudnnMultiHeadAttnBackwardData(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            attnDesc if _type(attnDesc) is int else attnDesc._cudnnAttnDescriptor_t,
            _in_loWinIdx,
            _in_hiWinIdx,
            _in_devSeqLengthsDQDO,
            _in_devSeqLengthsDKDV,
            doDesc if _type(doDesc) is int else doDesc._cudnnSeqDataDescriptor_t,
            _in_dout,
            dqDesc if _type(dqDesc) is int else dqDesc._cudnnSeqDataDescriptor_t,
            _in_dqueries,
            _in_queries,
            dkDesc if _type(dkDesc) is int else dkDesc._cudnnSeqDataDescriptor_t,
            _in_dkeys,
            _in_keys,
            dvDesc if _type(dvDesc) is int else dvDesc._cudnnSeqDataDescriptor_t,
            _in_dvalues,
            _in_values,
            weightSizeInBytes,
            _in_weights,
            workSpaceSizeInBytes,
            _in_workSpace,
            reserveSpaceSizeInBytes,
            _in_reserveSpace,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnMultiHeadAttnBackwardData,
            "cudnnMultiHeadAttnBackwardData",
            (
                handle,
                attnDesc,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsDQDO,
                devSeqLengthsDKDV,
                doDesc,
                dout,
                dqDesc,
                dqueries,
                queries,
                dkDesc,
                dkeys,
                keys,
                dvDesc,
                dvalues,
                values,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnMultiHeadAttnBackwardData,
            "cudnnMultiHeadAttnBackwardData",
            _status,
            (
                handle,
                attnDesc,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsDQDO,
                devSeqLengthsDKDV,
                doDesc,
                dout,
                dqDesc,
                dqueries,
                queries,
                dkDesc,
                dkeys,
                keys,
                dvDesc,
                dvalues,
                values,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
        )
    return None


_cudnnMultiHeadAttnBackwardWeights = _quick(
    "cudnnMultiHeadAttnBackwardWeights",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnAttnDescriptor_t",
        None,
        "_cudnnSeqDataDescriptor_t",
        _getters,
        "_cudnnSeqDataDescriptor_t",
        _getters,
        "_cudnnSeqDataDescriptor_t",
        _getters,
        "_cudnnSeqDataDescriptor_t",
        _getters,
        None,
        _getters,
        _getters,
        None,
        _getters,
        None,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnMultiHeadAttnBackwardWeights)
def cudnnMultiHeadAttnBackwardWeights(
    handle: Handle | int,
    attnDesc: AttnDescriptor | int,
    addGrad: WgradMode,
    qDesc: SeqDataDescriptor | int,
    queries: DevicePointer,
    kDesc: SeqDataDescriptor | int,
    keys: DevicePointer,
    vDesc: SeqDataDescriptor | int,
    values: DevicePointer,
    doDesc: SeqDataDescriptor | int,
    dout: DevicePointer,
    weightSizeInBytes: int,
    weights: DevicePointer,
    dweights: DevicePointer,
    workSpaceSizeInBytes: int,
    workSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
) -> None:
    """Compute `dweights` from `queries`, `keys`, `values`, `dout` and `weights`.

    Formula: dweights: the gradient of `cudnnMultiHeadAttnForward` for the weights, added or set
        as addGrad says

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        attnDesc: const cudnnAttnDescriptor_t, an `AttnDescriptor` or its address.
        addGrad: cudnnWgradMode_t, a `WgradMode`: `ADD` or `SET`; `ADD` adds gradients to what
            `dweights` holds, `SET` overwrites that.
        qDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        queries: const void*, device memory, read.
        kDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        keys: const void*, device memory, read.
        vDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        values: const void*, device memory, read.
        doDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        dout: const void*, device memory, read.
        weightSizeInBytes: size_t, in bytes.
        weights: const void*, device memory, read.
        dweights: void*, device memory, read and written.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetMultiHeadAttnBuffers` tells, and may use it for later work on the stream.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, read and written, or None; as
            `cudnnMultiHeadAttnBackwardData` left it.

    Returns:
        None; the function writes `dweights`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API's SDPA operations.

    See also: `ops.attention`, `ops.attention_backward`, `ops.multi_head_attention_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnmultiheadattnbackwardweights

    C, cudnn_adv.h::

        cudnnStatus_t cudnnMultiHeadAttnBackwardWeights(cudnnHandle_t handle, const
            cudnnAttnDescriptor_t attnDesc, cudnnWgradMode_t addGrad, const
            cudnnSeqDataDescriptor_t qDesc, const void *queries, const cudnnSeqDataDescriptor_t
            kDesc, const void *keys, const cudnnSeqDataDescriptor_t vDesc, const void *values,
            const cudnnSeqDataDescriptor_t doDesc, const void *dout, size_t weightSizeInBytes,
            const void *weights, void *dweights, size_t workSpaceSizeInBytes, void *workSpace,
            size_t reserveSpaceSizeInBytes, void *reserveSpace)
    """
    return _cudnnMultiHeadAttnBackwardWeights(
        handle,
        attnDesc,
        addGrad,
        qDesc,
        queries,
        kDesc,
        keys,
        vDesc,
        values,
        doDesc,
        dout,
        weightSizeInBytes,
        weights,
        dweights,
        workSpaceSizeInBytes,
        workSpace,
        reserveSpaceSizeInBytes,
        reserveSpace,
    )


def cudnnMultiHeadAttnForward(
    handle: Handle | int,
    attnDesc: AttnDescriptor | int,
    currIdx: int,
    loWinIdx: Sequence[int] | HostPointer,
    hiWinIdx: Sequence[int] | HostPointer,
    devSeqLengthsQO: DevicePointer,
    devSeqLengthsKV: DevicePointer,
    qDesc: SeqDataDescriptor | int,
    queries: DevicePointer,
    residuals: DevicePointer,
    kDesc: SeqDataDescriptor | int,
    keys: DevicePointer,
    vDesc: SeqDataDescriptor | int,
    values: DevicePointer,
    oDesc: SeqDataDescriptor | int,
    out: DevicePointer,
    weightSizeInBytes: int,
    weights: DevicePointer,
    workSpaceSizeInBytes: int,
    workSpace: DevicePointer,
    reserveSpaceSizeInBytes: int,
    reserveSpace: DevicePointer,
) -> None:
    """Compute `out` from `queries`, `residuals`, `keys`, `values` and `weights`.

    Formula: out = sum over heads of Wo softmax(smScaler (Wq queries) (Wk keys)') (Wv values),
        plus residuals

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        attnDesc: const cudnnAttnDescriptor_t, an `AttnDescriptor` or its address.
        currIdx: int; the time step of the queries to compute; negative for all.
        loWinIdx: const int[], a sequence of numbers; the first key that each time step of the
            queries sees.
        hiWinIdx: const int[], a sequence of numbers; one after the last key that each time step
            of the queries sees.
        devSeqLengthsQO: const int[], device memory, read.
        devSeqLengthsKV: const int[], device memory, read.
        qDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        queries: const void*, device memory, read.
        residuals: const void*, device memory, read; added to the output; None without.
        kDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        keys: const void*, device memory, read.
        vDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        values: const void*, device memory, read.
        oDesc: const cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address.
        out: void*, device memory, written.
        weightSizeInBytes: size_t, in bytes.
        weights: const void*, device memory, read.
        workSpaceSizeInBytes: size_t, how many bytes `workSpace` has.
        workSpace: void*, device memory for scratch space, at least `workSpaceSizeInBytes`
            bytes, or None; the caller allocates it, of the size that
            `cudnnGetMultiHeadAttnBuffers` tells, and may use it for later work on the stream.
        reserveSpaceSizeInBytes: size_t, how many bytes `reserveSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSizeInBytes` bytes, written, or None; the caller allocates it, of the
            size that `cudnnGetMultiHeadAttnBuffers` tells, and keeps it unchanged for
            `cudnnMultiHeadAttnBackwardData`; None is inference.

    Returns:
        None; the function writes `out`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API's SDPA operations.

    See also: `ops.multi_head_attention`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnmultiheadattnforward

    C, cudnn_adv.h::

        cudnnStatus_t cudnnMultiHeadAttnForward(cudnnHandle_t handle, const
            cudnnAttnDescriptor_t attnDesc, int currIdx, const int loWinIdx[], const int
            hiWinIdx[], const int devSeqLengthsQO[], const int devSeqLengthsKV[], const
            cudnnSeqDataDescriptor_t qDesc, const void *queries, const void *residuals, const
            cudnnSeqDataDescriptor_t kDesc, const void *keys, const cudnnSeqDataDescriptor_t
            vDesc, const void *values, const cudnnSeqDataDescriptor_t oDesc, void *out, size_t
            weightSizeInBytes, const void *weights, size_t workSpaceSizeInBytes, void
            *workSpace, size_t reserveSpaceSizeInBytes, void *reserveSpace)
    """
    if _watching.watcher is not None:
        _watching.watcher(
            "cudnnMultiHeadAttnForward",
            (
                handle,
                attnDesc,
                currIdx,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsQO,
                devSeqLengthsKV,
                qDesc,
                queries,
                residuals,
                kDesc,
                keys,
                vDesc,
                values,
                oDesc,
                out,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
        )
    if (
        _type(handle),
        _type(attnDesc),
        _type(currIdx),
        _type(qDesc),
        _type(kDesc),
        _type(vDesc),
        _type(oDesc),
        _type(weightSizeInBytes),
        _type(workSpaceSizeInBytes),
        _type(reserveSpaceSizeInBytes),
    ) not in _plain_cudnnMultiHeadAttnForward:
        return _slow(
            cudnnMultiHeadAttnForward,
            "cudnnMultiHeadAttnForward",
            (
                handle,
                attnDesc,
                currIdx,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsQO,
                devSeqLengthsKV,
                qDesc,
                queries,
                residuals,
                kDesc,
                keys,
                vDesc,
                values,
                oDesc,
                out,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
        )
    try:
        _in_loWinIdx = _array(loWinIdx, "i", None, "loWinIdx")
        _in_hiWinIdx = _array(hiWinIdx, "i", None, "hiWinIdx")
        _in_devSeqLengthsQO = (
            devSeqLengthsQO if _type(devSeqLengthsQO) is int else _device(devSeqLengthsQO)
        )
        _in_devSeqLengthsKV = (
            devSeqLengthsKV if _type(devSeqLengthsKV) is int else _device(devSeqLengthsKV)
        )
        _in_queries = queries if _type(queries) is int else _device(queries)
        _in_residuals = residuals if _type(residuals) is int else _device(residuals)
        _in_keys = keys if _type(keys) is int else _device(keys)
        _in_values = values if _type(values) is int else _device(values)
        _in_out = out if _type(out) is int else _device(out)
        _in_weights = weights if _type(weights) is int else _device(weights)
        _in_workSpace = workSpace if _type(workSpace) is int else _device(workSpace)
        _in_reserveSpace = reserveSpace if _type(reserveSpace) is int else _device(reserveSpace)
        _status = _cudnnMultiHeadAttnForward(
            handle if _type(handle) is int else handle._cudnnHandle_t,
            attnDesc if _type(attnDesc) is int else attnDesc._cudnnAttnDescriptor_t,
            currIdx,
            _in_loWinIdx,
            _in_hiWinIdx,
            _in_devSeqLengthsQO,
            _in_devSeqLengthsKV,
            qDesc if _type(qDesc) is int else qDesc._cudnnSeqDataDescriptor_t,
            _in_queries,
            _in_residuals,
            kDesc if _type(kDesc) is int else kDesc._cudnnSeqDataDescriptor_t,
            _in_keys,
            vDesc if _type(vDesc) is int else vDesc._cudnnSeqDataDescriptor_t,
            _in_values,
            oDesc if _type(oDesc) is int else oDesc._cudnnSeqDataDescriptor_t,
            _in_out,
            weightSizeInBytes,
            _in_weights,
            workSpaceSizeInBytes,
            _in_workSpace,
            reserveSpaceSizeInBytes,
            _in_reserveSpace,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnMultiHeadAttnForward,
            "cudnnMultiHeadAttnForward",
            (
                handle,
                attnDesc,
                currIdx,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsQO,
                devSeqLengthsKV,
                qDesc,
                queries,
                residuals,
                kDesc,
                keys,
                vDesc,
                values,
                oDesc,
                out,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnMultiHeadAttnForward,
            "cudnnMultiHeadAttnForward",
            _status,
            (
                handle,
                attnDesc,
                currIdx,
                loWinIdx,
                hiWinIdx,
                devSeqLengthsQO,
                devSeqLengthsKV,
                qDesc,
                queries,
                residuals,
                kDesc,
                keys,
                vDesc,
                values,
                oDesc,
                out,
                weightSizeInBytes,
                weights,
                workSpaceSizeInBytes,
                workSpace,
                reserveSpaceSizeInBytes,
                reserveSpace,
            ),
        )
    return None


_cudnnRNNBackwardData_v8 = _quick(
    "cudnnRNNBackwardData_v8",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        _getters,
        None,
        _getters,
        None,
        _getters,
        None,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnRNNBackwardData_v8)
def cudnnRNNBackwardData_v8(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    devSeqLengths: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    dy: DevicePointer,
    xDesc: RNNDataDescriptor | int,
    dx: DevicePointer,
    hDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    dhy: DevicePointer,
    dhx: DevicePointer,
    cDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    dcy: DevicePointer,
    dcx: DevicePointer,
    weightSpaceSize: int,
    weightSpace: DevicePointer,
    workSpaceSize: int,
    workSpace: DevicePointer,
    reserveSpaceSize: int,
    reserveSpace: DevicePointer,
) -> None:
    """Compute `dx`, `dhx` and `dcx`.

    Formula: dx, dhx, dcx: the gradients of `cudnnRNNForward` for x, hx and cx, of dy, dhy and
        dcy

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        devSeqLengths: const int32_t[], device memory, read; the length of each sequence, as in
            the data descriptors.
        yDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        y: const void*, device memory, read.
        dy: const void*, device memory, read.
        xDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        dx: void*, device memory, written.
        hDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, read; the state before the first step; None for zeros.
        dhy: const void*, device memory, read; the gradient of the last state; None for zeros.
        dhx: void*, device memory, written; the gradient for the first state; None not to get
            it.
        cDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, read; the state before the first step; None for zeros.
        dcy: const void*, device memory, read; the gradient of the last state; None for zeros.
        dcx: void*, device memory, written; the gradient for the first state; None not to get
            it.
        weightSpaceSize: size_t, how many bytes `weightSpace` has.
        weightSpace: const void*, device memory, at least `weightSpaceSize` bytes, read; all
            weights and biases; `cudnnGetRNNWeightParams` tells where each is.
        workSpaceSize: size_t, how many bytes `workSpace` has.
        workSpace: void*, device memory for scratch space, at least `workSpaceSize` bytes, or
            None; the caller allocates it, of the size that `cudnnGetRNNTempSpaceSizes` tells,
            and may use it for later work on the stream.
        reserveSpaceSize: size_t, how many bytes `reserveSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSize` bytes, read and written, or None; as `cudnnRNNForward` left it,
            changed for `cudnnRNNBackwardWeights_v8`.

    Returns:
        None; the function writes `dx`, `dhx` and `dcx`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.rnn_backward_data`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnrnnbackwarddata-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, const int32_t devSeqLengths[], cudnnRNNDataDescriptor_t yDesc, const void
            *y, const void *dy, cudnnRNNDataDescriptor_t xDesc, void *dx,
            cudnnTensorDescriptor_t hDesc, const void *hx, const void *dhy, void *dhx,
            cudnnTensorDescriptor_t cDesc, const void *cx, const void *dcy, void *dcx, size_t
            weightSpaceSize, const void *weightSpace, size_t workSpaceSize, void *workSpace,
            size_t reserveSpaceSize, void *reserveSpace)
    """
    return _cudnnRNNBackwardData_v8(
        handle,
        rnnDesc,
        devSeqLengths,
        yDesc,
        y,
        dy,
        xDesc,
        dx,
        hDesc,
        hx,
        dhy,
        dhx,
        cDesc,
        cx,
        dcy,
        dcx,
        weightSpaceSize,
        weightSpace,
        workSpaceSize,
        workSpace,
        reserveSpaceSize,
        reserveSpace,
    )


_cudnnRNNBackwardWeights_v8 = _quick(
    "cudnnRNNBackwardWeights_v8",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        None,
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        None,
        _getters,
        None,
        _getters,
        None,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnRNNBackwardWeights_v8)
def cudnnRNNBackwardWeights_v8(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    addGrad: WgradMode,
    devSeqLengths: DevicePointer,
    xDesc: RNNDataDescriptor | int,
    x: DevicePointer,
    hDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    weightSpaceSize: int,
    dweightSpace: DevicePointer,
    workSpaceSize: int,
    workSpace: DevicePointer,
    reserveSpaceSize: int,
    reserveSpace: DevicePointer,
) -> None:
    """Compute `dweightSpace` from `x`, `hx` and `y`.

    Formula: dweightSpace = dweightSpace + the gradient of `cudnnRNNForward` for the weights

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        addGrad: cudnnWgradMode_t, a `WgradMode`: `ADD` or `SET`; always `ADD`: gradients are
            added to what `dweightSpace` holds.
        devSeqLengths: const int32_t[], device memory, read; the length of each sequence, as in
            the data descriptors.
        xDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        x: const void*, device memory, read.
        hDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, read; the state before the first step; None for zeros.
        yDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        y: const void*, device memory, read.
        weightSpaceSize: size_t.
        dweightSpace: void*, device memory, read and written; all weights and biases;
            `cudnnGetRNNWeightParams` tells where each is.
        workSpaceSize: size_t, how many bytes `workSpace` has.
        workSpace: void*, device memory for scratch space, at least `workSpaceSize` bytes, or
            None; the caller allocates it, of the size that `cudnnGetRNNTempSpaceSizes` tells,
            and may use it for later work on the stream.
        reserveSpaceSize: size_t, how many bytes `reserveSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSize` bytes, read and written, or None; as `cudnnRNNBackwardData_v8`
            left it.

    Returns:
        None; the function writes `dweightSpace`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.rnn_backward_weights`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnrnnbackwardweights-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t
            rnnDesc, cudnnWgradMode_t addGrad, const int32_t devSeqLengths[],
            cudnnRNNDataDescriptor_t xDesc, const void *x, cudnnTensorDescriptor_t hDesc, const
            void *hx, cudnnRNNDataDescriptor_t yDesc, const void *y, size_t weightSpaceSize,
            void *dweightSpace, size_t workSpaceSize, void *workSpace, size_t reserveSpaceSize,
            void *reserveSpace)
    """
    return _cudnnRNNBackwardWeights_v8(
        handle,
        rnnDesc,
        addGrad,
        devSeqLengths,
        xDesc,
        x,
        hDesc,
        hx,
        yDesc,
        y,
        weightSpaceSize,
        dweightSpace,
        workSpaceSize,
        workSpace,
        reserveSpaceSize,
        reserveSpace,
    )


_cudnnRNNForward = _quick(
    "cudnnRNNForward",
    "",
    (
        "_cudnnHandle_t",
        "_cudnnRNNDescriptor_t",
        None,
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnRNNDataDescriptor_t",
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        "_cudnnTensorDescriptor_t",
        _getters,
        _getters,
        None,
        _getters,
        None,
        _getters,
        None,
        _getters,
    ),
    (None,),
)


@_instead(_cudnnRNNForward)
def cudnnRNNForward(
    handle: Handle | int,
    rnnDesc: RNNDescriptor | int,
    fwdMode: ForwardMode,
    devSeqLengths: DevicePointer,
    xDesc: RNNDataDescriptor | int,
    x: DevicePointer,
    yDesc: RNNDataDescriptor | int,
    y: DevicePointer,
    hDesc: TensorDescriptor | int | None,
    hx: DevicePointer,
    hy: DevicePointer,
    cDesc: TensorDescriptor | int | None,
    cx: DevicePointer,
    cy: DevicePointer,
    weightSpaceSize: int,
    weightSpace: DevicePointer,
    workSpaceSize: int,
    workSpace: DevicePointer,
    reserveSpaceSize: int,
    reserveSpace: DevicePointer,
) -> None:
    """Compute `y`, `hy` and `cy` from `x`, `hx`, `cx` and `weightSpace`.

    Formula: y[t], state[t] = cell(x[t], state[t - 1]), layer by layer, with the cell of
        rnnDesc; hy and cy: the last states

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.
        fwdMode: cudnnForwardMode_t, a `ForwardMode`: `INFERENCE` or `TRAINING`; `TRAINING`
            fills the reserve space, `INFERENCE` needs none.
        devSeqLengths: const int32_t[], device memory, read; the length of each sequence, as in
            the data descriptors.
        xDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        x: const void*, device memory, read.
        yDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address.
        y: void*, device memory, written.
        hDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        hx: const void*, device memory, read; the state before the first step; None for zeros.
        hy: void*, device memory, written; the state after the last step; None not to get it.
        cDesc: cudnnTensorDescriptor_t, a `TensorDescriptor` or its address, or None.
        cx: const void*, device memory, read; the state before the first step; None for zeros.
        cy: void*, device memory, written; the state after the last step; None not to get it.
        weightSpaceSize: size_t, how many bytes `weightSpace` has.
        weightSpace: const void*, device memory, at least `weightSpaceSize` bytes, read; all
            weights and biases; `cudnnGetRNNWeightParams` tells where each is.
        workSpaceSize: size_t, how many bytes `workSpace` has.
        workSpace: void*, device memory for scratch space, at least `workSpaceSize` bytes, or
            None; the caller allocates it, of the size that `cudnnGetRNNTempSpaceSizes` tells,
            and may use it for later work on the stream.
        reserveSpaceSize: size_t, how many bytes `reserveSpace` has.
        reserveSpace: void*, device memory that the backward calls need again, at least
            `reserveSpaceSize` bytes, written, or None; the caller allocates it, of the size
            that `cudnnGetRNNTempSpaceSizes` tells, and keeps it unchanged for
            `cudnnRNNBackwardData_v8`; None with `INFERENCE`.

    Returns:
        None; the function writes `y`, `hy` and `cy`, in place.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnrnnforward

    C, cudnn_adv.h::

        cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc,
            cudnnForwardMode_t fwdMode, const int32_t devSeqLengths[], cudnnRNNDataDescriptor_t
            xDesc, const void *x, cudnnRNNDataDescriptor_t yDesc, void *y,
            cudnnTensorDescriptor_t hDesc, const void *hx, void *hy, cudnnTensorDescriptor_t
            cDesc, const void *cx, void *cy, size_t weightSpaceSize, const void *weightSpace,
            size_t workSpaceSize, void *workSpace, size_t reserveSpaceSize, void *reserveSpace)
    """
    return _cudnnRNNForward(
        handle,
        rnnDesc,
        fwdMode,
        devSeqLengths,
        xDesc,
        x,
        yDesc,
        y,
        hDesc,
        hx,
        hy,
        cDesc,
        cx,
        cy,
        weightSpaceSize,
        weightSpace,
        workSpaceSize,
        workSpace,
        reserveSpaceSize,
        reserveSpace,
    )


_cudnnRNNGetClip_v8 = _quick(
    "cudnnRNNGetClip_v8",
    "qqdd",
    ("_cudnnRNNDescriptor_t",),
    (RNNGetClip_v8Result, _RNNClipMode, _NanPropagation, None, None),
)


@_instead(_cudnnRNNGetClip_v8)
def cudnnRNNGetClip_v8(rnnDesc: RNNDescriptor | int) -> RNNGetClip_v8Result:
    """Return `clipMode`, `clipNanOpt`, `lclip` and `rclip` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        clipMode: RNNClipMode; whether an LSTM's cell state is clipped.
        clipNanOpt: NanPropagation; whether NaN in the input gives NaN.
        lclip: float; the lower bound of the cell state.
        rclip: float; the upper bound of the cell state.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnRNNGetClip_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnrnngetclip-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnRNNGetClip_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t
            *clipMode, cudnnNanPropagation_t *clipNanOpt, double *lclip, double *rclip)
    """
    return _cudnnRNNGetClip_v8(rnnDesc)


_cudnnRNNGetClip_v9 = _quick(
    "cudnnRNNGetClip_v9",
    "qdd",
    ("_cudnnRNNDescriptor_t",),
    (RNNGetClip_v9Result, _RNNClipMode, None, None),
)


@_instead(_cudnnRNNGetClip_v9)
def cudnnRNNGetClip_v9(rnnDesc: RNNDescriptor | int) -> RNNGetClip_v9Result:
    """Return `clipMode`, `lclip` and `rclip` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address.

    Returns:
        clipMode: RNNClipMode; whether an LSTM's cell state is clipped.
        lclip: float; the lower bound of the cell state.
        rclip: float; the upper bound of the cell state.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnrnngetclip-v9

    C, cudnn_adv.h::

        cudnnStatus_t cudnnRNNGetClip_v9(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t
            *clipMode, double *lclip, double *rclip)
    """
    return _cudnnRNNGetClip_v9(rnnDesc)


_cudnnRNNSetClip_v8 = _quick(
    "cudnnRNNSetClip_v8",
    "",
    ("_cudnnRNNDescriptor_t", None, None, None, None),
    (None,),
)


@_instead(_cudnnRNNSetClip_v8)
def cudnnRNNSetClip_v8(
    rnnDesc: RNNDescriptor | int,
    clipMode: RNNClipMode,
    clipNanOpt: NanPropagation,
    lclip: float,
    rclip: float,
) -> None:
    """Set `clipMode`, `clipNanOpt`, `lclip` and `rclip` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        clipMode: cudnnRNNClipMode_t, an `RNNClipMode`: `NONE` or `MINMAX`; whether an LSTM's
            cell state is clipped.
        clipNanOpt: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in the input gives NaN.
        lclip: double; the lower bound of the cell state.
        rclip: double; the upper bound of the cell state.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnRNNSetClip_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnrnnsetclip-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t
            clipMode, cudnnNanPropagation_t clipNanOpt, double lclip, double rclip)
    """
    return _cudnnRNNSetClip_v8(rnnDesc, clipMode, clipNanOpt, lclip, rclip)


_cudnnRNNSetClip_v9 = _quick(
    "cudnnRNNSetClip_v9",
    "",
    ("_cudnnRNNDescriptor_t", None, None, None),
    (None,),
)


@_instead(_cudnnRNNSetClip_v9)
def cudnnRNNSetClip_v9(
    rnnDesc: RNNDescriptor | int,
    clipMode: RNNClipMode,
    lclip: float,
    rclip: float,
) -> None:
    """Set `clipMode`, `lclip` and `rclip` of `rnnDesc`.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        clipMode: cudnnRNNClipMode_t, an `RNNClipMode`: `NONE` or `MINMAX`; whether an LSTM's
            cell state is clipped.
        lclip: double; the lower bound of the cell state.
        rclip: double; the upper bound of the cell state.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnrnnsetclip-v9

    C, cudnn_adv.h::

        cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t rnnDesc, cudnnRNNClipMode_t
            clipMode, double lclip, double rclip)
    """
    return _cudnnRNNSetClip_v9(rnnDesc, clipMode, lclip, rclip)


_cudnnSetAttnDescriptor = _quick(
    "cudnnSetAttnDescriptor",
    "",
    (
        "_cudnnAttnDescriptor_t",
        None,
        None,
        None,
        None,
        None,
        None,
        "_cudnnDropoutDescriptor_t",
        "_cudnnDropoutDescriptor_t",
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    ),
    (None,),
)


@_instead(_cudnnSetAttnDescriptor)
def cudnnSetAttnDescriptor(
    attnDesc: AttnDescriptor | int,
    attnMode: AttnMode | int,
    nHeads: int,
    smScaler: float,
    dataType: DataType,
    computePrec: DataType,
    mathType: MathType,
    attnDropoutDesc: DropoutDescriptor | int | None,
    postDropoutDesc: DropoutDescriptor | int | None,
    qSize: int,
    kSize: int,
    vSize: int,
    qProjSize: int,
    kProjSize: int,
    vProjSize: int,
    oProjSize: int,
    qoMaxSeqLength: int,
    kvMaxSeqLength: int,
    maxBatchSize: int,
    maxBeamSize: int,
) -> None:
    """Set up `attnDesc` from the other arguments.

    Args:
        attnDesc: cudnnAttnDescriptor_t, an `AttnDescriptor` or its address, changed.
        attnMode: unsigned int, bits of `AttnMode`.
        nHeads: int.
        smScaler: double; multiplies products of queries and keys before the softmax.
        dataType: cudnnDataType_t, a `DataType`.
        computePrec: cudnnDataType_t, a `DataType`; the type in which the computation is done.
        mathType: cudnnMathType_t, a `MathType`: `DEFAULT_MATH`, `TENSOR_OP_MATH`,
            `TENSOR_OP_MATH_ALLOW_CONVERSION` or `FMA_MATH`; whether Tensor Cores may be used,
            and inputs rounded to narrower types for them.
        attnDropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address, or
            None; dropout of the softmax's results.
        postDropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address, or
            None; dropout of the output, before residuals are added.
        qSize: int.
        kSize: int.
        vSize: int.
        qProjSize: int.
        kProjSize: int.
        vProjSize: int.
        oProjSize: int.
        qoMaxSeqLength: int.
        kvMaxSeqLength: int.
        maxBatchSize: int.
        maxBeamSize: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use the graph API's SDPA operations.

    See also: `ops.attention`, `ops.attention_backward`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetattndescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetAttnDescriptor(cudnnAttnDescriptor_t attnDesc, unsigned int
            attnMode, int nHeads, double smScaler, cudnnDataType_t dataType, cudnnDataType_t
            computePrec, cudnnMathType_t mathType, cudnnDropoutDescriptor_t attnDropoutDesc,
            cudnnDropoutDescriptor_t postDropoutDesc, int qSize, int kSize, int vSize, int
            qProjSize, int kProjSize, int vProjSize, int oProjSize, int qoMaxSeqLength, int
            kvMaxSeqLength, int maxBatchSize, int maxBeamSize)
    """
    return _cudnnSetAttnDescriptor(
        attnDesc,
        attnMode,
        nHeads,
        smScaler,
        dataType,
        computePrec,
        mathType,
        attnDropoutDesc,
        postDropoutDesc,
        qSize,
        kSize,
        vSize,
        qProjSize,
        kProjSize,
        vProjSize,
        oProjSize,
        qoMaxSeqLength,
        kvMaxSeqLength,
        maxBatchSize,
        maxBeamSize,
    )


_cudnnSetCTCLossDescriptor = _quick(
    "cudnnSetCTCLossDescriptor",
    "",
    ("_cudnnCTCLossDescriptor_t", None),
    (None,),
)


@_instead(_cudnnSetCTCLossDescriptor)
def cudnnSetCTCLossDescriptor(ctcLossDesc: CTCLossDescriptor | int, compType: DataType) -> None:
    """Set `compType` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address, changed.
        compType: cudnnDataType_t, a `DataType`; the type in which the computation is done.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnSetCTCLossDescriptor_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetctclossdescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetCTCLossDescriptor(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t compType)
    """
    return _cudnnSetCTCLossDescriptor(ctcLossDesc, compType)


_cudnnSetCTCLossDescriptorEx = _quick(
    "cudnnSetCTCLossDescriptorEx",
    "",
    ("_cudnnCTCLossDescriptor_t", None, None, None),
    (None,),
)


@_instead(_cudnnSetCTCLossDescriptorEx)
def cudnnSetCTCLossDescriptorEx(
    ctcLossDesc: CTCLossDescriptor | int,
    compType: DataType,
    normMode: LossNormalizationMode,
    gradMode: NanPropagation,
) -> None:
    """Set `compType`, `normMode` and `gradMode` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address, changed.
        compType: cudnnDataType_t, a `DataType`; the type in which the computation is done.
        normMode: cudnnLossNormalizationMode_t, a `LossNormalizationMode`: `NONE` or `SOFTMAX`;
            `SOFTMAX`: `probs` are scores, of which softmax makes probabilities first.
        gradMode: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in probabilities gives NaN gradients.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnSetCTCLossDescriptor_v9`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetctclossdescriptorex

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t compType, cudnnLossNormalizationMode_t normMode,
            cudnnNanPropagation_t gradMode)
    """
    return _cudnnSetCTCLossDescriptorEx(ctcLossDesc, compType, normMode, gradMode)


_cudnnSetCTCLossDescriptor_v8 = _quick(
    "cudnnSetCTCLossDescriptor_v8",
    "",
    ("_cudnnCTCLossDescriptor_t", None, None, None, None),
    (None,),
)


@_instead(_cudnnSetCTCLossDescriptor_v8)
def cudnnSetCTCLossDescriptor_v8(
    ctcLossDesc: CTCLossDescriptor | int,
    compType: DataType,
    normMode: LossNormalizationMode,
    gradMode: NanPropagation,
    maxLabelLength: int,
) -> None:
    """Set `compType`, `normMode`, `gradMode` and `maxLabelLength` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address, changed.
        compType: cudnnDataType_t, a `DataType`; the type in which the computation is done.
        normMode: cudnnLossNormalizationMode_t, a `LossNormalizationMode`: `NONE` or `SOFTMAX`;
            `SOFTMAX`: `probs` are scores, of which softmax makes probabilities first.
        gradMode: cudnnNanPropagation_t, a `NanPropagation`: `NOT_PROPAGATE_NAN` or
            `PROPAGATE_NAN`; whether NaN in probabilities gives NaN gradients.
        maxLabelLength: int; the maximum number of labels of a sequence.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnSetCTCLossDescriptor_v9`.

    See also: `ops.ctc_loss`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetctclossdescriptor-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t compType, cudnnLossNormalizationMode_t normMode,
            cudnnNanPropagation_t gradMode, int maxLabelLength)
    """
    return _cudnnSetCTCLossDescriptor_v8(ctcLossDesc, compType, normMode, gradMode, maxLabelLength)


_cudnnSetCTCLossDescriptor_v9 = _quick(
    "cudnnSetCTCLossDescriptor_v9",
    "",
    ("_cudnnCTCLossDescriptor_t", None, None, None, None),
    (None,),
)


@_instead(_cudnnSetCTCLossDescriptor_v9)
def cudnnSetCTCLossDescriptor_v9(
    ctcLossDesc: CTCLossDescriptor | int,
    compType: DataType,
    normMode: LossNormalizationMode,
    ctcGradMode: CTCGradMode,
    maxLabelLength: int,
) -> None:
    """Set `compType`, `normMode`, `ctcGradMode` and `maxLabelLength` of `ctcLossDesc`.

    Args:
        ctcLossDesc: cudnnCTCLossDescriptor_t, a `CTCLossDescriptor` or its address, changed.
        compType: cudnnDataType_t, a `DataType`; the type in which the computation is done.
        normMode: cudnnLossNormalizationMode_t, a `LossNormalizationMode`: `NONE` or `SOFTMAX`;
            `SOFTMAX`: `probs` are scores, of which softmax makes probabilities first.
        ctcGradMode: cudnnCTCGradMode_t, a `CTCGradMode`: `ZERO_OOB_GRADIENTS` or
            `SKIP_OOB_GRADIENTS`; gradients of steps beyond a sequence's end: set to 0, or left
            as they are.
        maxLabelLength: int; the maximum number of labels of a sequence.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also: `ops.ctc_loss`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetctclossdescriptor-v9

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t ctcLossDesc,
            cudnnDataType_t compType, cudnnLossNormalizationMode_t normMode, cudnnCTCGradMode_t
            ctcGradMode, int maxLabelLength)
    """
    return _cudnnSetCTCLossDescriptor_v9(
        ctcLossDesc,
        compType,
        normMode,
        ctcGradMode,
        maxLabelLength,
    )


def cudnnSetRNNDataDescriptor(
    rnnDataDesc: RNNDataDescriptor | int,
    dataType: DataType,
    layout: RNNDataLayout,
    maxSeqLength: int,
    batchSize: int,
    vectorSize: int,
    seqLengthArray: Sequence[int] | HostPointer,
    paddingFill: float | HostPointer,
) -> None:
    """Set up `rnnDataDesc` from the other arguments.

    Args:
        rnnDataDesc: cudnnRNNDataDescriptor_t, an `RNNDataDescriptor` or its address, changed.
        dataType: cudnnDataType_t, a `DataType`.
        layout: cudnnRNNDataLayout_t, an `RNNDataLayout`: `SEQ_MAJOR_UNPACKED`,
            `SEQ_MAJOR_PACKED` or `BATCH_MAJOR_UNPACKED`; whether time or the batch is the outer
            axis, and whether sequences are padded or packed by steps.
        maxSeqLength: int.
        batchSize: int, how many elements `seqLengthArray` has.
        vectorSize: int.
        seqLengthArray: const int[], a sequence of numbers, at least `batchSize` elements; the
            length of each sequence.
        paddingFill: void*, a number, or host memory with one element, or None; written where a
            sequence is padded; None leaves that as it is.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetrnndatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t rnnDataDesc,
            cudnnDataType_t dataType, cudnnRNNDataLayout_t layout, int maxSeqLength, int
            batchSize, int vectorSize, const int seqLengthArray[], void *paddingFill)
    """
    if (
        _type(rnnDataDesc),
        _type(dataType),
        _type(layout),
        _type(maxSeqLength),
        _type(batchSize),
        _type(vectorSize),
    ) not in _plain_cudnnSetRNNDataDescriptor:
        return _slow(
            cudnnSetRNNDataDescriptor,
            "cudnnSetRNNDataDescriptor",
            (
                rnnDataDesc,
                dataType,
                layout,
                maxSeqLength,
                batchSize,
                vectorSize,
                seqLengthArray,
                paddingFill,
            ),
        )
    try:
        _in_seqLengthArray = _array(seqLengthArray, "i", batchSize, "seqLengthArray")
        _in_paddingFill = _element(paddingFill, dataType, "paddingFill")
        _status = _cudnnSetRNNDataDescriptor(
            rnnDataDesc if _type(rnnDataDesc) is int else rnnDataDesc._cudnnRNNDataDescriptor_t,
            dataType,
            layout,
            maxSeqLength,
            batchSize,
            vectorSize,
            _in_seqLengthArray,
            _in_paddingFill,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetRNNDataDescriptor,
            "cudnnSetRNNDataDescriptor",
            (
                rnnDataDesc,
                dataType,
                layout,
                maxSeqLength,
                batchSize,
                vectorSize,
                seqLengthArray,
                paddingFill,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetRNNDataDescriptor,
            "cudnnSetRNNDataDescriptor",
            _status,
            (
                rnnDataDesc,
                dataType,
                layout,
                maxSeqLength,
                batchSize,
                vectorSize,
                seqLengthArray,
                paddingFill,
            ),
        )
    return None


_cudnnSetRNNDescriptor_v8 = _quick(
    "cudnnSetRNNDescriptor_v8",
    "",
    (
        "_cudnnRNNDescriptor_t",
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        "_cudnnDropoutDescriptor_t",
        None,
    ),
    (None,),
)


@_instead(_cudnnSetRNNDescriptor_v8)
def cudnnSetRNNDescriptor_v8(
    rnnDesc: RNNDescriptor | int,
    algo: RNNAlgo,
    cellMode: RNNMode,
    biasMode: RNNBiasMode,
    dirMode: DirectionMode,
    inputMode: RNNInputMode,
    dataType: DataType,
    mathPrec: DataType,
    mathType: MathType,
    inputSize: int,
    hiddenSize: int,
    projSize: int,
    numLayers: int,
    dropoutDesc: DropoutDescriptor | int | None,
    auxFlags: RNNPaddedIO | int,
) -> None:
    """Set up `rnnDesc` from the other arguments.

    Args:
        rnnDesc: cudnnRNNDescriptor_t, an `RNNDescriptor` or its address, changed.
        algo: cudnnRNNAlgo_t, an `RNNAlgo`: `STANDARD`, `PERSIST_STATIC`, `PERSIST_DYNAMIC`,
            `PERSIST_STATIC_SMALL_H` or `COUNT`; `STANDARD`, or one that keeps recurrent weights
            on the chip: faster for small batches and some sizes only.
        cellMode: cudnnRNNMode_t, an `RNNMode`: `RNN_RELU`, `RNN_TANH`, `LSTM` or `GRU`; the
            cell: h = relu(W x + R h + b), tanh of the same, LSTM or GRU.
        biasMode: cudnnRNNBiasMode_t, an `RNNBiasMode`: `NO_BIAS`, `SINGLE_INP_BIAS`,
            `DOUBLE_BIAS` or `SINGLE_REC_BIAS`; how many biases each gate has: none, one at the
            input or the recurrence, or both.
        dirMode: cudnnDirectionMode_t, a `DirectionMode`: `UNIDIRECTIONAL` or `BIDIRECTIONAL`;
            `BIDIRECTIONAL` runs over time both ways, and outputs both results next to each
            other.
        inputMode: cudnnRNNInputMode_t, an `RNNInputMode`: `LINEAR_INPUT` or `SKIP_INPUT`;
            whether the first layer multiplies its input by weights, or adds it as it is
            (`SKIP_INPUT`).
        dataType: cudnnDataType_t, a `DataType`.
        mathPrec: cudnnDataType_t, a `DataType`; the type in which the computation is done.
        mathType: cudnnMathType_t, a `MathType`: `DEFAULT_MATH`, `TENSOR_OP_MATH`,
            `TENSOR_OP_MATH_ALLOW_CONVERSION` or `FMA_MATH`; whether Tensor Cores may be used,
            and inputs rounded to narrower types for them.
        inputSize: int32_t.
        hiddenSize: int32_t.
        projSize: int32_t; the size of an LSTM's output after the recurrent projection;
            `hiddenSize` without one.
        numLayers: int32_t.
        dropoutDesc: cudnnDropoutDescriptor_t, a `DropoutDescriptor` or its address, or None;
            dropout between layers, at training.
        auxFlags: uint32_t, bits of `RNNPaddedIO`; whether sequences of different lengths may be
            padded, instead of packed by steps.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `ops.lstm`, `ops.gru`, `ops.rnn`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetrnndescriptor-v8

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t rnnDesc, cudnnRNNAlgo_t
            algo, cudnnRNNMode_t cellMode, cudnnRNNBiasMode_t biasMode, cudnnDirectionMode_t
            dirMode, cudnnRNNInputMode_t inputMode, cudnnDataType_t dataType, cudnnDataType_t
            mathPrec, cudnnMathType_t mathType, int32_t inputSize, int32_t hiddenSize, int32_t
            projSize, int32_t numLayers, cudnnDropoutDescriptor_t dropoutDesc, uint32_t
            auxFlags)
    """
    return _cudnnSetRNNDescriptor_v8(
        rnnDesc,
        algo,
        cellMode,
        biasMode,
        dirMode,
        inputMode,
        dataType,
        mathPrec,
        mathType,
        inputSize,
        hiddenSize,
        projSize,
        numLayers,
        dropoutDesc,
        auxFlags,
    )


def cudnnSetSeqDataDescriptor(
    seqDataDesc: SeqDataDescriptor | int,
    dataType: DataType,
    nbDims: int,
    dimA: Sequence[int] | HostPointer,
    axes: Sequence[int] | HostPointer,
    seqLengthArraySize: int,
    seqLengthArray: Sequence[int] | HostPointer,
    paddingFill: float | HostPointer,
) -> None:
    """Set `dataType`, `dimA`, `axes`, `seqLengthArray` and `paddingFill` of `seqDataDesc`.

    Args:
        seqDataDesc: cudnnSeqDataDescriptor_t, a `SeqDataDescriptor` or its address, changed.
        dataType: cudnnDataType_t, a `DataType`.
        nbDims: int, how many elements `dimA` and `axes` have.
        dimA: const int[], a sequence of numbers, at least `nbDims` elements.
        axes: const cudnnSeqDataAxis_t[], a sequence of numbers, at least `nbDims` elements.
        seqLengthArraySize: size_t, how many elements `seqLengthArray` has.
        seqLengthArray: const int[], a sequence of numbers, at least `seqLengthArraySize`
            elements; the length of each sequence.
        paddingFill: void*, a number, or host memory with one element, or None; written where a
            sequence is padded; None leaves that as it is.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-adv-library.html#cudnnsetseqdatadescriptor

    C, cudnn_adv.h::

        cudnnStatus_t cudnnSetSeqDataDescriptor(cudnnSeqDataDescriptor_t seqDataDesc,
            cudnnDataType_t dataType, int nbDims, const int dimA[], const cudnnSeqDataAxis_t
            axes[], size_t seqLengthArraySize, const int seqLengthArray[], void *paddingFill)
    """
    if (
        _type(seqDataDesc),
        _type(dataType),
        _type(nbDims),
        _type(seqLengthArraySize),
    ) not in _plain_cudnnSetSeqDataDescriptor:
        return _slow(
            cudnnSetSeqDataDescriptor,
            "cudnnSetSeqDataDescriptor",
            (
                seqDataDesc,
                dataType,
                nbDims,
                dimA,
                axes,
                seqLengthArraySize,
                seqLengthArray,
                paddingFill,
            ),
        )
    try:
        _in_dimA = _array(dimA, "i", nbDims, "dimA")
        _in_axes = _array(axes, "i", nbDims, "axes")
        _in_seqLengthArray = _array(seqLengthArray, "i", seqLengthArraySize, "seqLengthArray")
        _in_paddingFill = _element(paddingFill, dataType, "paddingFill")
        _status = _cudnnSetSeqDataDescriptor(
            seqDataDesc if _type(seqDataDesc) is int else seqDataDesc._cudnnSeqDataDescriptor_t,
            dataType,
            nbDims,
            _in_dimA,
            _in_axes,
            seqLengthArraySize,
            _in_seqLengthArray,
            _in_paddingFill,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetSeqDataDescriptor,
            "cudnnSetSeqDataDescriptor",
            (
                seqDataDesc,
                dataType,
                nbDims,
                dimA,
                axes,
                seqLengthArraySize,
                seqLengthArray,
                paddingFill,
            ),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetSeqDataDescriptor,
            "cudnnSetSeqDataDescriptor",
            _status,
            (
                seqDataDesc,
                dataType,
                nbDims,
                dimA,
                axes,
                seqLengthArraySize,
                seqLengthArray,
                paddingFill,
            ),
        )
    return None
