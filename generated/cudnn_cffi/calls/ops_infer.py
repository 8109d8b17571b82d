# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:994cebeaf9de0faa9993718be63bdf07
"""Functions of cudnn_ops_infer.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import (
    CONVERT as _CONVERT,
    enum_map as _enum_map,
    failed as _failed,
    instead as _instead,
    lend as _lend,
    lib as _lib,
    memory as _memory,
    objects as _objects,
    outs as _outs,
    plain as _plain,
    quick as _quick,
    record_values as _record_values,
    records as _records,
    slow as _slow,
    unpack as _unpack,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..enums import Status
    from ..families import AlgorithmDescriptor, Handle
    from ..records import Algorithm
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple

_new = tuple.__new__
_type = type
_Status = _enum_map("Status")
_cudnnCreateAlgorithmPerformance = _lib.cudnnCreateAlgorithmPerformance
_cudnnDestroyAlgorithmPerformance = _lib.cudnnDestroyAlgorithmPerformance
_cudnnGetAlgorithmDescriptor = _lib.cudnnGetAlgorithmDescriptor
_cudnnSetAlgorithmDescriptor = _lib.cudnnSetAlgorithmDescriptor
_plain_cudnnCreateAlgorithmPerformance = _plain("cudnnCreateAlgorithmPerformance")
_plain_cudnnDestroyAlgorithmPerformance = _plain("cudnnDestroyAlgorithmPerformance")
_plain_cudnnGetAlgorithmDescriptor = _plain("cudnnGetAlgorithmDescriptor")
_plain_cudnnSetAlgorithmDescriptor = _plain("cudnnSetAlgorithmDescriptor")


class GetAlgorithmPerformanceResult(NamedTuple):
    """Results of `cudnnGetAlgorithmPerformance`."""

    algoDesc: int
    status: Status
    time: float
    memory: int


_cudnnCopyAlgorithmDescriptor = _quick(
    "cudnnCopyAlgorithmDescriptor",
    "",
    ("_cudnnAlgorithmDescriptor_t", "_cudnnAlgorithmDescriptor_t"),
    (None,),
)


@_instead(_cudnnCopyAlgorithmDescriptor)
def cudnnCopyAlgorithmDescriptor(
    src: AlgorithmDescriptor | int,
    dest: AlgorithmDescriptor | int,
) -> None:
    """Copy into `dest` from `src`.

    Args:
        src: const cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address.
        dest: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address, changed.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnCopyAlgorithmDescriptor

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnCopyAlgorithmDescriptor(const cudnnAlgorithmDescriptor_t src,
            cudnnAlgorithmDescriptor_t dest)
    """
    return _cudnnCopyAlgorithmDescriptor(src, dest)


_cudnnCreateAlgorithmDescriptor = _quick("cudnnCreateAlgorithmDescriptor", "Q", (), (None, None))


@_instead(_cudnnCreateAlgorithmDescriptor)
def cudnnCreateAlgorithmDescriptor() -> int:
    """Create an `AlgorithmDescriptor`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnCreateAlgorithmDescriptor

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnCreateAlgorithmDescriptor(cudnnAlgorithmDescriptor_t *algoDesc)
    """
    return _cudnnCreateAlgorithmDescriptor()


def cudnnCreateAlgorithmPerformance(numberToCreate: int) -> tuple[int, ...]:
    """Create an `AlgorithmPerformance`, which the caller destroys.

    Args:
        numberToCreate: int, how many elements `algoPerf` may have.

    Returns:
        tuple[int, ...], `numberToCreate` elements, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnCreateAlgorithmPerformance

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnCreateAlgorithmPerformance(cudnnAlgorithmPerformance_t *algoPerf, int
            numberToCreate)
    """
    if (_type(numberToCreate),) not in _plain_cudnnCreateAlgorithmPerformance:
        return _slow(
            cudnnCreateAlgorithmPerformance,
            "cudnnCreateAlgorithmPerformance",
            (numberToCreate,),
        )
    try:
        _out_algoPerf = _memory("uintptr_t", numberToCreate, "numberToCreate")
        _status = _cudnnCreateAlgorithmPerformance(_out_algoPerf, numberToCreate)
    except _CONVERT as _error:
        return _slow(
            cudnnCreateAlgorithmPerformance,
            "cudnnCreateAlgorithmPerformance",
            (numberToCreate,),
            _error,
        )
    if _status:
        return _failed(
            cudnnCreateAlgorithmPerformance,
            "cudnnCreateAlgorithmPerformance",
            _status,
            (numberToCreate,),
        )
    return tuple(_unpack(_out_algoPerf, numberToCreate))


_cudnnDestroyAlgorithmDescriptor = _quick(
    "cudnnDestroyAlgorithmDescriptor",
    "",
    (lambda given: given._detach("cudnnAlgorithmDescriptor_t"),),
    (None,),
)


@_instead(_cudnnDestroyAlgorithmDescriptor)
def cudnnDestroyAlgorithmDescriptor(algoDesc: AlgorithmDescriptor | int) -> None:
    """Destroy an `AlgorithmDescriptor`.

    Args:
        algoDesc: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnDestroyAlgorithmDescriptor

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnDestroyAlgorithmDescriptor(cudnnAlgorithmDescriptor_t algoDesc)
    """
    return _cudnnDestroyAlgorithmDescriptor(algoDesc)


def cudnnDestroyAlgorithmPerformance(
    algoPerf: Sequence[int] | HostPointer,
    numberToDestroy: int,
) -> None:
    """Destroy an `AlgorithmPerformance`.

    Args:
        algoPerf: cudnnAlgorithmPerformance_t*, a sequence of numbers, at least
            `numberToDestroy` elements, invalid afterwards.
        numberToDestroy: int, how many elements `algoPerf` has.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnDestroyAlgorithmPerformance

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnDestroyAlgorithmPerformance(cudnnAlgorithmPerformance_t *algoPerf,
            int numberToDestroy)
    """
    if (_type(numberToDestroy),) not in _plain_cudnnDestroyAlgorithmPerformance:
        return _slow(
            cudnnDestroyAlgorithmPerformance,
            "cudnnDestroyAlgorithmPerformance",
            (algoPerf, numberToDestroy),
        )
    try:
        _in_algoPerf = _objects(
            algoPerf,
            "cudnnAlgorithmPerformance_t",
            numberToDestroy,
            "algoPerf",
            True,
        )
        _status = _cudnnDestroyAlgorithmPerformance(_in_algoPerf, numberToDestroy)
    except _CONVERT as _error:
        return _slow(
            cudnnDestroyAlgorithmPerformance,
            "cudnnDestroyAlgorithmPerformance",
            (algoPerf, numberToDestroy),
            _error,
        )
    if _status:
        return _failed(
            cudnnDestroyAlgorithmPerformance,
            "cudnnDestroyAlgorithmPerformance",
            _status,
            (algoPerf, numberToDestroy),
        )
    return None


def cudnnGetAlgorithmDescriptor(algoDesc: AlgorithmDescriptor | int) -> Algorithm:
    """Return an `Algorithm` of `algoDesc`.

    Args:
        algoDesc: const cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address.

    Returns:
        Algorithm.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetAlgorithmDescriptor

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnGetAlgorithmDescriptor(const cudnnAlgorithmDescriptor_t algoDesc,
            cudnnAlgorithm_t *algorithm)
    """
    if (_type(algoDesc),) not in _plain_cudnnGetAlgorithmDescriptor:
        return _slow(cudnnGetAlgorithmDescriptor, "cudnnGetAlgorithmDescriptor", (algoDesc,))
    try:
        _out_algorithm = _records("cudnnAlgorithm_t", 1, None)
        _status = _cudnnGetAlgorithmDescriptor(
            algoDesc if _type(algoDesc) is int else algoDesc._cudnnAlgorithmDescriptor_t,
            _out_algorithm,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnGetAlgorithmDescriptor,
            "cudnnGetAlgorithmDescriptor",
            (algoDesc,),
            _error,
        )
    if _status:
        return _failed(
            cudnnGetAlgorithmDescriptor,
            "cudnnGetAlgorithmDescriptor",
            _status,
            (algoDesc,),
        )
    return _record_values(_out_algorithm, "cudnnAlgorithm_t", 1)[0]


_cudnnGetAlgorithmPerformance = _quick(
    "cudnnGetAlgorithmPerformance",
    "QqdQ",
    (None,),
    (GetAlgorithmPerformanceResult, None, _Status, None, None),
)


@_instead(_cudnnGetAlgorithmPerformance)
def cudnnGetAlgorithmPerformance(algoPerf: HostPointer) -> GetAlgorithmPerformanceResult:
    """Return `algoDesc`, `status`, `time` and `memory` of `algoPerf`.

    Args:
        algoPerf: const cudnnAlgorithmPerformance_t, an `AlgorithmPerformance` or its address.

    Returns:
        algoDesc: int, lent, not to be destroyed.
        status: Status.
        time: float.
        memory: int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetAlgorithmPerformance

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnGetAlgorithmPerformance(const cudnnAlgorithmPerformance_t algoPerf,
            cudnnAlgorithmDescriptor_t *algoDesc, cudnnStatus_t *status, float *time, size_t
            *memory)
    """
    return _cudnnGetAlgorithmPerformance(algoPerf)


_cudnnGetAlgorithmSpaceSize = _quick(
    "cudnnGetAlgorithmSpaceSize",
    "Q",
    ("_cudnnHandle_t", "_cudnnAlgorithmDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetAlgorithmSpaceSize)
def cudnnGetAlgorithmSpaceSize(handle: Handle | int, algoDesc: AlgorithmDescriptor | int) -> int:
    """Return `algoSpaceSizeInBytes` of `algoDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        algoDesc: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address.

    Returns:
        int, in bytes.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnGetAlgorithmSpaceSize

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnGetAlgorithmSpaceSize(cudnnHandle_t handle,
            cudnnAlgorithmDescriptor_t algoDesc, size_t *algoSpaceSizeInBytes)
    """
    return _cudnnGetAlgorithmSpaceSize(handle, algoDesc)


_cudnnOpsInferVersionCheck = _quick("cudnnOpsInferVersionCheck", "", (), (None,))


@_instead(_cudnnOpsInferVersionCheck)
def cudnnOpsInferVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; use `cudnnOpsVersionCheck`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnOpsInferVersionCheck

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnOpsInferVersionCheck(void)
    """
    return _cudnnOpsInferVersionCheck()


_cudnnRestoreAlgorithm = _quick(
    "cudnnRestoreAlgorithm",
    "",
    ("_cudnnHandle_t", None, None, "_cudnnAlgorithmDescriptor_t"),
    (None,),
)


@_instead(_cudnnRestoreAlgorithm)
def cudnnRestoreAlgorithm(
    handle: Handle | int,
    algoSpace: HostPointer,
    algoSpaceSizeInBytes: int,
    algoDesc: AlgorithmDescriptor | int,
) -> None:
    """Restore `algoDesc` from `algoSpace`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        algoSpace: void*, host memory, at least `algoSpaceSizeInBytes` elements, read.
        algoSpaceSizeInBytes: size_t, how many elements `algoSpace` has.
        algoDesc: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address, changed.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnRestoreAlgorithm

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnRestoreAlgorithm(cudnnHandle_t handle, void *algoSpace, size_t
            algoSpaceSizeInBytes, cudnnAlgorithmDescriptor_t algoDesc)
    """
    return _cudnnRestoreAlgorithm(handle, algoSpace, algoSpaceSizeInBytes, algoDesc)


_cudnnSaveAlgorithm = _quick(
    "cudnnSaveAlgorithm",
    "",
    ("_cudnnHandle_t", "_cudnnAlgorithmDescriptor_t", None, None),
    (None,),
)


@_instead(_cudnnSaveAlgorithm)
def cudnnSaveAlgorithm(
    handle: Handle | int,
    algoDesc: AlgorithmDescriptor | int,
    algoSpace: HostPointer,
    algoSpaceSizeInBytes: int,
) -> None:
    """Save algorithm with `algoDesc`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        algoDesc: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address.
        algoSpace: void*, host memory, at least `algoSpaceSizeInBytes` elements, written.
        algoSpaceSizeInBytes: size_t, how many elements `algoSpace` may have.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSaveAlgorithm

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnSaveAlgorithm(cudnnHandle_t handle, cudnnAlgorithmDescriptor_t
            algoDesc, void *algoSpace, size_t algoSpaceSizeInBytes)
    """
    return _cudnnSaveAlgorithm(handle, algoDesc, algoSpace, algoSpaceSizeInBytes)


def cudnnSetAlgorithmDescriptor(
    algoDesc: AlgorithmDescriptor | int,
    algorithm: HostPointer,
) -> None:
    """Set `algorithm` of `algoDesc`.

    Args:
        algoDesc: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address, changed.
        algorithm: cudnnAlgorithm_t, a struct, or its address.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetAlgorithmDescriptor

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnSetAlgorithmDescriptor(cudnnAlgorithmDescriptor_t algoDesc,
            cudnnAlgorithm_t algorithm)
    """
    if (_type(algoDesc), _type(algorithm)) not in _plain_cudnnSetAlgorithmDescriptor:
        return _slow(
            cudnnSetAlgorithmDescriptor,
            "cudnnSetAlgorithmDescriptor",
            (algoDesc, algorithm),
        )
    try:
        _status = _cudnnSetAlgorithmDescriptor(
            algoDesc if _type(algoDesc) is int else algoDesc._cudnnAlgorithmDescriptor_t,
            algorithm,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnSetAlgorithmDescriptor,
            "cudnnSetAlgorithmDescriptor",
            (algoDesc, algorithm),
            _error,
        )
    if _status:
        return _failed(
            cudnnSetAlgorithmDescriptor,
            "cudnnSetAlgorithmDescriptor",
            _status,
            (algoDesc, algorithm),
        )
    return None


_cudnnSetAlgorithmPerformance = _quick(
    "cudnnSetAlgorithmPerformance",
    "",
    (None, "_cudnnAlgorithmDescriptor_t", None, None, None),
    (None,),
)


@_instead(_cudnnSetAlgorithmPerformance)
def cudnnSetAlgorithmPerformance(
    algoPerf: HostPointer,
    algoDesc: AlgorithmDescriptor | int,
    status: Status,
    time: float,
    memory: int,
) -> None:
    """Set `algoDesc`, `status`, `time` and `memory` of `algoPerf`.

    Args:
        algoPerf: cudnnAlgorithmPerformance_t, an `AlgorithmPerformance` or its address,
            changed.
        algoDesc: cudnnAlgorithmDescriptor_t, an `AlgorithmDescriptor` or its address.
        status: cudnnStatus_t, a `Status`.
        time: float.
        memory: size_t.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier, removed in 9.0.0; deprecated since 8.5.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/api/index.html#cudnnSetAlgorithmPerformance

    C, cudnn_ops_infer.h::

        cudnnStatus_t cudnnSetAlgorithmPerformance(cudnnAlgorithmPerformance_t algoPerf,
            cudnnAlgorithmDescriptor_t algoDesc, cudnnStatus_t status, float time, size_t
            memory)
    """
    return _cudnnSetAlgorithmPerformance(algoPerf, algoDesc, status, time, memory)
