# Generated from the models in cudnn_cffi/api; do not edit. Content: sha256:06d7691276e9511992ce7331c9924d81
"""Functions of cudnn_graph.h, called under their C names without their out-parameters.

They raise what `cudnn_cffi.errors` defines. Pointers are ints or the objects that hold them;
see `cudnn_cffi.types` for what is taken where.
"""

# The signatures are for type checkers, what is inside is not.
# mypy: ignore-errors

from __future__ import annotations

from .._call import (
    CONVERT as _CONVERT,
    attribute_in as _attribute_in,
    attribute_out as _attribute_out,
    attribute_values as _attribute_values,
    enum_map as _enum_map,
    failed as _failed,
    instead as _instead,
    lend as _lend,
    lib as _lib,
    made_handle as _made_handle,
    memory as _memory,
    outs as _outs,
    plain as _plain,
    quick as _quick,
    slow as _slow,
    stream as _stream,
    string as _string,
    text as _text,
    unpack as _unpack,
    unpacker as _unpacker,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    from ..enums import (
        BackendAttributeName,
        BackendAttributeType,
        BackendDescriptorType,
        ErrQueryMode,
        LibraryPropertyType,
        SeverityMask,
        Status,
    )
    from ..families import BackendDescriptor, Handle
    from ..types import Callback, DevicePointer, HostPointer, ScalingFactor, Stream
else:
    from .._support.results import NamedTuple

_new = tuple.__new__
_type = type
_unpack_Q = _unpacker("Q")
_unpack_q = _unpacker("q")
_SeverityMask = _enum_map("SeverityMask")
_Status = _enum_map("Status")
_cudnnBackendGetAttribute = _lib.cudnnBackendGetAttribute
_cudnnBackendSetAttribute = _lib.cudnnBackendSetAttribute
_cudnnCreate = _lib.cudnnCreate
_cudnnGetErrorString = _lib.cudnnGetErrorString
_cudnnGetLastErrorString = _lib.cudnnGetLastErrorString
_plain_cudnnBackendGetAttribute = _plain("cudnnBackendGetAttribute")
_plain_cudnnBackendSetAttribute = _plain("cudnnBackendSetAttribute")
_plain_cudnnGetErrorString = _plain("cudnnGetErrorString")
_plain_cudnnGetLastErrorString = _plain("cudnnGetLastErrorString")


class BackendGetAttributeResult(NamedTuple):
    """Results of `cudnnBackendGetAttribute`."""

    elementCount: int
    arrayOfElements: list[Any]


class GetCallbackResult(NamedTuple):
    """Results of `cudnnGetCallback`."""

    mask: SeverityMask
    udata: int
    fptr: int


_cudnnBackendCreateDescriptor = _quick("cudnnBackendCreateDescriptor", "Q", (None,), (None, None))


@_instead(_cudnnBackendCreateDescriptor)
def cudnnBackendCreateDescriptor(descriptorType: BackendDescriptorType) -> int:
    """Create a `BackendDescriptor`, which the caller destroys.

    Args:
        descriptorType: cudnnBackendDescriptorType_t, a `BackendDescriptorType`.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `Graph`, `Graph.build`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendcreatedescriptor

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t descriptorType,
            cudnnBackendDescriptor_t *descriptor)
    """
    return _cudnnBackendCreateDescriptor(descriptorType)


_cudnnBackendDestroyDescriptor = _quick(
    "cudnnBackendDestroyDescriptor",
    "",
    (lambda given: given._detach("cudnnBackendDescriptor_t"),),
    (None,),
)


@_instead(_cudnnBackendDestroyDescriptor)
def cudnnBackendDestroyDescriptor(descriptor: BackendDescriptor | int) -> None:
    """Destroy a `BackendDescriptor`.

    Args:
        descriptor: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address, invalid
            afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackenddestroydescriptor

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor)
    """
    return _cudnnBackendDestroyDescriptor(descriptor)


_cudnnBackendExecute = _quick(
    "cudnnBackendExecute",
    "",
    ("_cudnnHandle_t", "_cudnnBackendDescriptor_t", "_cudnnBackendDescriptor_t"),
    (None,),
)


@_instead(_cudnnBackendExecute)
def cudnnBackendExecute(
    handle: Handle | int,
    executionPlan: BackendDescriptor | int,
    variantPack: BackendDescriptor | int,
) -> None:
    """Execute with `executionPlan` and `variantPack`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        executionPlan: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; a
            finalized execution plan.
        variantPack: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; finalized
            addresses of all tensors by their unique IDs, and of the workspace.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `Plan`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendexecute

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t
            executionPlan, cudnnBackendDescriptor_t variantPack)
    """
    return _cudnnBackendExecute(handle, executionPlan, variantPack)


_cudnnBackendFinalize = _quick("cudnnBackendFinalize", "", ("_cudnnBackendDescriptor_t",), (None,))


@_instead(_cudnnBackendFinalize)
def cudnnBackendFinalize(descriptor: BackendDescriptor | int) -> None:
    """Finalize `descriptor`.

    Args:
        descriptor: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address, changed.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `Graph`, `Graph.build`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendfinalize

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor)
    """
    return _cudnnBackendFinalize(descriptor)


def cudnnBackendGetAttribute(
    descriptor: BackendDescriptor | int,
    attributeName: BackendAttributeName,
    attributeType: BackendAttributeType,
    requestedElementCount: int,
    arrayOfElements: object = None,
) -> BackendGetAttributeResult:
    """Return `elementCount` and `arrayOfElements` of `descriptor`.

    Args:
        descriptor: const cudnnBackendDescriptor_t, a `BackendDescriptor` or its address.
        attributeName: cudnnBackendAttributeName_t, a `BackendAttributeName`.
        attributeType: cudnnBackendAttributeType_t, a `BackendAttributeType`.
        requestedElementCount: int64_t, how many elements `arrayOfElements` may have.
        arrayOfElements: void*, host memory, at least `requestedElementCount` elements, written.

    Returns:
        elementCount: int.
        arrayOfElements: the elements, by their type; as many as there are, at most
            `requestedElementCount`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `Graph`, `Graph.build`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendgetattribute

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t descriptor,
            cudnnBackendAttributeName_t attributeName, cudnnBackendAttributeType_t
            attributeType, int64_t requestedElementCount, int64_t *elementCount, void
            *arrayOfElements)
    """
    if (
        _type(descriptor),
        _type(attributeName),
        _type(attributeType),
        _type(requestedElementCount),
    ) not in _plain_cudnnBackendGetAttribute:
        return _slow(
            cudnnBackendGetAttribute,
            "cudnnBackendGetAttribute",
            (descriptor, attributeName, attributeType, requestedElementCount, arrayOfElements),
        )
    try:
        _in_arrayOfElements = _attribute_out(
            arrayOfElements,
            attributeType,
            requestedElementCount,
            "arrayOfElements",
        )
        _out = _lend()
        _status = _cudnnBackendGetAttribute(
            descriptor if _type(descriptor) is int else descriptor._cudnnBackendDescriptor_t,
            attributeName,
            attributeType,
            requestedElementCount,
            _in_arrayOfElements,
            _out[0],
        )
    except _CONVERT as _error:
        return _slow(
            cudnnBackendGetAttribute,
            "cudnnBackendGetAttribute",
            (descriptor, attributeName, attributeType, requestedElementCount, arrayOfElements),
            _error,
        )
    if _status:
        return _failed(
            cudnnBackendGetAttribute,
            "cudnnBackendGetAttribute",
            _status,
            (descriptor, attributeName, attributeType, requestedElementCount, arrayOfElements),
        )
    _r = _unpack_q(_out[1])
    _outs.append(_out)
    return _new(
        BackendGetAttributeResult,
        (
            _r[0],
            _attribute_values(
                _in_arrayOfElements,
                attributeType,
                max(min(_r[0], requestedElementCount), 0),
            ),
        ),
    )


_cudnnBackendInitialize = _quick(
    "cudnnBackendInitialize",
    "",
    ("_cudnnBackendDescriptor_t",),
    (None,),
)


@_instead(_cudnnBackendInitialize)
def cudnnBackendInitialize(descriptor: BackendDescriptor | int) -> None:
    """Initialize `descriptor`.

    Args:
        descriptor: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address, changed.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.3.0; use `cudnnBackendCreateDescriptor`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendinitialize

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t descriptor)
    """
    return _cudnnBackendInitialize(descriptor)


_cudnnBackendPopulateCudaGraph = _quick(
    "cudnnBackendPopulateCudaGraph",
    "",
    ("_cudnnHandle_t", "_cudnnBackendDescriptor_t", "_cudnnBackendDescriptor_t", None),
    (None,),
)


@_instead(_cudnnBackendPopulateCudaGraph)
def cudnnBackendPopulateCudaGraph(
    handle: Handle | int,
    executionPlan: BackendDescriptor | int,
    variantPack: BackendDescriptor | int,
    graph: HostPointer,
) -> None:
    """Populate cuda graph with `executionPlan` and `variantPack`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        executionPlan: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; a
            finalized execution plan.
        variantPack: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; finalized
            addresses of all tensors by their unique IDs, and of the workspace.
        graph: cudaGraph_t; an empty CUDA graph, which gets the plan's nodes.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.5.0.

    See also: `Plan.populate_cuda_graph`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendpopulatecudagraph

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t handle,
            cudnnBackendDescriptor_t executionPlan, cudnnBackendDescriptor_t variantPack,
            cudaGraph_t graph)
    """
    return _cudnnBackendPopulateCudaGraph(handle, executionPlan, variantPack, graph)


def cudnnBackendSetAttribute(
    descriptor: BackendDescriptor | int,
    attributeName: BackendAttributeName,
    attributeType: BackendAttributeType,
    elementCount: int,
    arrayOfElements: object,
) -> None:
    """Set `attributeName`, `attributeType` and `arrayOfElements` of `descriptor`.

    Args:
        descriptor: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address, changed.
        attributeName: cudnnBackendAttributeName_t, a `BackendAttributeName`.
        attributeType: cudnnBackendAttributeType_t, a `BackendAttributeType`.
        elementCount: int64_t, how many elements `arrayOfElements` has.
        arrayOfElements: const void*, host memory, at least `elementCount` elements, read, or
            None.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also: `Graph`, `Graph.build`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendsetattribute

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
            cudnnBackendAttributeName_t attributeName, cudnnBackendAttributeType_t
            attributeType, int64_t elementCount, const void *arrayOfElements)
    """
    if (
        _type(descriptor),
        _type(attributeName),
        _type(attributeType),
        _type(elementCount),
    ) not in _plain_cudnnBackendSetAttribute:
        return _slow(
            cudnnBackendSetAttribute,
            "cudnnBackendSetAttribute",
            (descriptor, attributeName, attributeType, elementCount, arrayOfElements),
        )
    try:
        _in_arrayOfElements = _attribute_in(
            arrayOfElements,
            attributeType,
            elementCount,
            "arrayOfElements",
            descriptor,
        )
        _status = _cudnnBackendSetAttribute(
            descriptor if _type(descriptor) is int else descriptor._cudnnBackendDescriptor_t,
            attributeName,
            attributeType,
            elementCount,
            _in_arrayOfElements,
        )
    except _CONVERT as _error:
        return _slow(
            cudnnBackendSetAttribute,
            "cudnnBackendSetAttribute",
            (descriptor, attributeName, attributeType, elementCount, arrayOfElements),
            _error,
        )
    if _status:
        return _failed(
            cudnnBackendSetAttribute,
            "cudnnBackendSetAttribute",
            _status,
            (descriptor, attributeName, attributeType, elementCount, arrayOfElements),
        )
    return None


_cudnnBackendUpdateCudaGraph = _quick(
    "cudnnBackendUpdateCudaGraph",
    "",
    ("_cudnnHandle_t", "_cudnnBackendDescriptor_t", "_cudnnBackendDescriptor_t", None),
    (None,),
)


@_instead(_cudnnBackendUpdateCudaGraph)
def cudnnBackendUpdateCudaGraph(
    handle: Handle | int,
    executionPlan: BackendDescriptor | int,
    variantPack: BackendDescriptor | int,
    graph: HostPointer,
) -> None:
    """Update cuda graph with `executionPlan` and `variantPack`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        executionPlan: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; a
            finalized execution plan.
        variantPack: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; finalized
            addresses of all tensors by their unique IDs, and of the workspace.
        graph: cudaGraph_t; one that `cudnnBackendPopulateCudaGraph` filled, which gets the new
            addresses.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.5.0.

    See also: `Plan.update_cuda_graph`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnbackendupdatecudagraph

    C, cudnn_graph.h::

        cudnnStatus_t cudnnBackendUpdateCudaGraph(cudnnHandle_t handle, cudnnBackendDescriptor_t
            executionPlan, cudnnBackendDescriptor_t variantPack, cudaGraph_t graph)
    """
    return _cudnnBackendUpdateCudaGraph(handle, executionPlan, variantPack, graph)


def cudnnCreate() -> int:
    """Create a `Handle`, which the caller destroys.

    Returns:
        int, the caller's to destroy.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnncreate

    C, cudnn_graph.h::

        cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
    """
    try:
        _out = _lend()
        _status = _cudnnCreate(_out[0])
    except _CONVERT as _error:
        return _slow(cudnnCreate, "cudnnCreate", (), _error)
    if _status:
        return _failed(cudnnCreate, "cudnnCreate", _status, ())
    _r = _unpack_Q(_out[1])
    _outs.append(_out)
    return _made_handle(_r[0])


_cudnnDestroy = _quick("cudnnDestroy", "", (lambda given: given._detach("cudnnHandle_t"),), (None,))


@_instead(_cudnnDestroy)
def cudnnDestroy(handle: Handle | int) -> None:
    """Destroy a `Handle`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address, invalid afterwards.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnndestroy

    C, cudnn_graph.h::

        cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
    """
    return _cudnnDestroy(handle)


_cudnnGetCallback = _quick(
    "cudnnGetCallback",
    "qQQ",
    (),
    (GetCallbackResult, _SeverityMask, None, None),
)


@_instead(_cudnnGetCallback)
def cudnnGetCallback() -> GetCallbackResult:
    """Return `mask`, `udata` and `fptr`.

    Returns:
        mask: SeverityMask.
        udata: an address, lent, not to be destroyed; given to the callback with each message.
        fptr: int, lent, not to be destroyed.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetcallback

    C, cudnn_graph.h::

        cudnnStatus_t cudnnGetCallback(unsigned int *mask, void **udata, cudnnCallback_t *fptr)
    """
    return _cudnnGetCallback()


_cudnnGetCudartVersion = _quick("cudnnGetCudartVersion", "Q", (), (None, None))


@_instead(_cudnnGetCudartVersion)
def cudnnGetCudartVersion() -> int:
    """Return the cudart version.

    Returns:
        int.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetcudartversion

    C, cudnn_graph.h::

        size_t cudnnGetCudartVersion(void)
    """
    return _cudnnGetCudartVersion()


def cudnnGetErrorString(status: Status) -> str:
    """Return the error string.

    Args:
        status: cudnnStatus_t, a `Status`.

    Returns:
        str.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngeterrorstring

    C, cudnn_graph.h::

        const char *cudnnGetErrorString(cudnnStatus_t status)
    """
    if (_type(status),) not in _plain_cudnnGetErrorString:
        return _slow(cudnnGetErrorString, "cudnnGetErrorString", (status,))
    try:
        _out = _lend()
        _status = _cudnnGetErrorString(status, _out[0])
    except _CONVERT as _error:
        return _slow(cudnnGetErrorString, "cudnnGetErrorString", (status,), _error)
    if _status:
        return _failed(cudnnGetErrorString, "cudnnGetErrorString", _status, (status,))
    _r = _unpack_Q(_out[1])
    _outs.append(_out)
    return _text(_r[0])


_cudnnGetExecutionPlanWorkspaceSize = _quick(
    "cudnnGetExecutionPlanWorkspaceSize",
    "Q",
    ("_cudnnHandle_t", "_cudnnBackendDescriptor_t", "_cudnnBackendDescriptor_t"),
    (None, None),
)


@_instead(_cudnnGetExecutionPlanWorkspaceSize)
def cudnnGetExecutionPlanWorkspaceSize(
    handle: Handle | int,
    executionPlan: BackendDescriptor | int,
    variantPack: BackendDescriptor | int,
) -> int:
    """Return `workspaceSizeInBytes` for `executionPlan` and `variantPack`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        executionPlan: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; a
            finalized execution plan.
        variantPack: cudnnBackendDescriptor_t, a `BackendDescriptor` or its address; finalized
            addresses of all tensors by their unique IDs, and of the workspace.

    Returns:
        int, in bytes; of the workspace that the variant pack needs.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.23.0.

    See also: `Plan`,
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetexecutionplanworkspacesize

    C, cudnn_graph.h::

        cudnnStatus_t cudnnGetExecutionPlanWorkspaceSize(cudnnHandle_t handle,
            cudnnBackendDescriptor_t executionPlan, cudnnBackendDescriptor_t variantPack, size_t
            *workspaceSizeInBytes)
    """
    return _cudnnGetExecutionPlanWorkspaceSize(handle, executionPlan, variantPack)


def cudnnGetLastErrorString(max_size: int = 2048) -> str:
    """Return `message`.

    Args:
        max_size: size_t, how many elements `message` may have, 2048 where left out.

    Returns:
        str.

    Since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetlasterrorstring

    C, cudnn_graph.h::

        void cudnnGetLastErrorString(char *message, size_t max_size)
    """
    if (_type(max_size),) not in _plain_cudnnGetLastErrorString:
        return _slow(cudnnGetLastErrorString, "cudnnGetLastErrorString", (max_size,))
    try:
        _out_message = _memory("char", max_size, "max_size")
        _status = _cudnnGetLastErrorString(_out_message, max_size)
    except _CONVERT as _error:
        return _slow(cudnnGetLastErrorString, "cudnnGetLastErrorString", (max_size,), _error)
    if _status:
        return _failed(cudnnGetLastErrorString, "cudnnGetLastErrorString", _status, (max_size,))
    return _string(_out_message, max_size)


_cudnnGetMaxDeviceVersion = _quick("cudnnGetMaxDeviceVersion", "Q", (), (None, None))


@_instead(_cudnnGetMaxDeviceVersion)
def cudnnGetMaxDeviceVersion() -> int:
    """Return the max device version.

    Returns:
        int.

    Since 8.6.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetmaxdeviceversion

    C, cudnn_graph.h::

        size_t cudnnGetMaxDeviceVersion(void)
    """
    return _cudnnGetMaxDeviceVersion()


_cudnnGetProperty = _quick("cudnnGetProperty", "q", (None,), (None, None))


@_instead(_cudnnGetProperty)
def cudnnGetProperty(type: LibraryPropertyType) -> int:
    """Return `value`.

    Args:
        type: libraryPropertyType, a `LibraryPropertyType`: `MAJOR_VERSION`, `MINOR_VERSION` or
            `PATCH_LEVEL`.

    Returns:
        int.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetproperty

    C, cudnn_graph.h::

        cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int *value)
    """
    return _cudnnGetProperty(type)


_cudnnGetStream = _quick("cudnnGetStream", "Q", ("_cudnnHandle_t",), (None, None))


@_instead(_cudnnGetStream)
def cudnnGetStream(handle: Handle | int) -> int:
    """Return `streamId`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.

    Returns:
        int, lent, not to be destroyed.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetstream

    C, cudnn_graph.h::

        cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *streamId)
    """
    return _cudnnGetStream(handle)


_cudnnGetVersion = _quick("cudnnGetVersion", "Q", (), (None, None))


@_instead(_cudnnGetVersion)
def cudnnGetVersion() -> int:
    """Return the version.

    Returns:
        int.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngetversion

    C, cudnn_graph.h::

        size_t cudnnGetVersion(void)
    """
    return _cudnnGetVersion()


_cudnnGraphVersionCheck = _quick("cudnnGraphVersionCheck", "", (), (None,))


@_instead(_cudnnGraphVersionCheck)
def cudnnGraphVersionCheck() -> None:
    """Check that the sub-library has the version of the others.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 9.0.0.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnngraphversioncheck

    C, cudnn_graph.h::

        cudnnStatus_t cudnnGraphVersionCheck(void)
    """
    return _cudnnGraphVersionCheck()


_cudnnQueryRuntimeError = _quick(
    "cudnnQueryRuntimeError",
    "q",
    ("_cudnnHandle_t", None),
    (None, _Status),
)


@_instead(_cudnnQueryRuntimeError)
def cudnnQueryRuntimeError(handle: Handle | int, mode: ErrQueryMode) -> Status:
    """Return `rstatus`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        mode: cudnnErrQueryMode_t, an `ErrQueryMode`: `RAWCODE`, `NONBLOCKING` or `BLOCKING`;
            `RAWCODE` reads the error as it is now, `NONBLOCKING` only if all work is done,
            `BLOCKING` waits for that.

    Returns:
        Status.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier; deprecated since 9.0.0; use `cudnnGetLastErrorString`.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnqueryruntimeerror

    C, cudnn_graph.h::

        cudnnStatus_t cudnnQueryRuntimeError(cudnnHandle_t handle, cudnnStatus_t *rstatus,
            cudnnErrQueryMode_t mode, cudnnRuntimeTag_t *tag)
    """
    return _cudnnQueryRuntimeError(handle, mode)


_cudnnSetCallback = _quick("cudnnSetCallback", "", (None, None, None), (None,))


@_instead(_cudnnSetCallback)
def cudnnSetCallback(mask: SeverityMask | int, udata: HostPointer | None, fptr: Callback) -> None:
    """Set `mask`, `udata` and `fptr`.

    Args:
        mask: unsigned int, bits of `SeverityMask`.
        udata: void*, an address that goes to the callback as it is, or None; given to the
            callback with each message.
        fptr: cudnnCallback_t, a callable, or the address of a C function, or None.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnsetcallback

    C, cudnn_graph.h::

        cudnnStatus_t cudnnSetCallback(unsigned int mask, void *udata, cudnnCallback_t fptr)
    """
    return _cudnnSetCallback(mask, udata, fptr)


_cudnnSetStream = _quick("cudnnSetStream", "", ("_cudnnHandle_t", _stream), (None,))


@_instead(_cudnnSetStream)
def cudnnSetStream(handle: Handle | int, streamId: Stream) -> None:
    """Set `streamId` of `handle`.

    Args:
        handle: cudnnHandle_t, a `Handle` or its address.
        streamId: cudaStream_t, a CUDA stream: an int, None, or an object with
            `__cuda_stream__`.

    Raises:
        CudnnError: cuDNN returns an error; `cudnn_cffi.errors` has a class for each status.
        ArgumentError: an argument has a wrong type, is closed, or is NULL where it must not be.

    Since 8.5.0 or earlier.

    See also:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html#cudnnsetstream

    C, cudnn_graph.h::

        cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t streamId)
    """
    return _cudnnSetStream(handle, streamId)
