"""Handles, the limit of the workspace, and descriptors of CuPy's `cupy.cudnn`."""

from __future__ import annotations

import ctypes
import functools
import operator
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from ... import errors
from ..._support import fork
from ..._support.recent import Recent
from ..._support.wording import a_kind
from ...handles.placing import following
from .._words import CODES
from . import functions as cudnn
from . import recurrent
from .raw import raise_translated


class DType(Protocol):
    """A data type of CuPy."""

    @property
    def char(self) -> str:
        """Return NumPy's code."""

    @property
    def name(self) -> str:
        """Return the name."""


class _Memory(Protocol):
    @property
    def size(self) -> int: ...


class Pointer(Protocol):
    """A pointer to device memory."""

    @property
    def ptr(self) -> int:
        """Return the address."""

    @property
    def mem(self) -> _Memory:
        """Return the memory that it points into."""

    @property
    def device_id(self) -> int:
        """Return the device."""


class _Flags(Protocol):
    @property
    def c_contiguous(self) -> bool: ...


class Ndarray(Protocol):
    """An array of CuPy, as far as it is used.

    CuPy has no types, so functions that return arrays of it return Any to type checkers.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    ndim: int
    size: int
    itemsize: int
    dtype: DType
    data: Pointer
    flags: _Flags

    def copy(self, order: str) -> Ndarray:
        """Return a copy."""

    def astype(self, dtype: DType | str) -> Ndarray:
        """Return a copy of another type."""

    def transpose(self, *axes: int) -> Ndarray:
        """Return a view with axes in another order."""

    def reshape(self, shape: tuple[int, ...]) -> Ndarray:
        """Return a view of another shape."""

    def ravel(self) -> Ndarray:
        """Return a view with one axis."""

    def __getitem__(self, key: slice) -> Ndarray: ...
    def __setitem__(self, key: object, value: Ndarray) -> None: ...


class _Cuda(Protocol):
    runtime: Any
    Device: Any

    def alloc(self, size: int) -> Pointer: ...


class _CuPy(Protocol):
    cuda: _Cuda

    def empty(self, shape: tuple[int, ...], dtype: DType | str) -> Ndarray: ...
    def zeros(self, shape: tuple[int, ...], dtype: DType | str) -> Ndarray: ...


@functools.cache
def cupy() -> _CuPy:
    """Return CuPy, which is imported when it is first needed."""
    import cupy

    found: _CuPy = cupy
    return found


def contiguous(array: Ndarray) -> Ndarray:
    """Return an array of CuPy in C order, itself or a copy; TypeError for another library's."""
    if not hasattr(getattr(array, "data", None), "ptr"):
        raise TypeError(f"expected an array of CuPy, got {a_kind(array)}")
    return array if array.flags.c_contiguous else array.copy(order="C")


# Handles


class _OfThread(threading.local):
    """State of one thread: the devices of its handles, and descriptors by their contents."""

    def __init__(self) -> None:
        self.devices: set[int] = set()
        self.tensors: dict[tuple[int, tuple[int, ...]], Descriptor] = {}
        self.kept: dict[tuple[object, ...], Any] = Recent(1024)


_own = _OfThread()
_T = TypeVar("_T")


def kept(make: Callable[..., _T], *args: object) -> _T:
    """Return what a function makes of its arguments, which this thread remembers.

    It is for descriptors that no caller sees, since nobody may change them.
    """
    key = make, args
    found: _T | None = _own.kept.get(key)
    if found is None:
        found = _own.kept[key] = make(*args)
    return found


def get_handle() -> int:
    """Return the address of this thread's handle on the current device of CuPy.

    New code: `cudnn.handle()`.
    """
    device = int(cupy().cuda.runtime.getDevice())
    _own.devices.add(device)
    try:
        return following(device).address
    except errors.CudnnError as error:
        raise_translated(error)


def reset_handles() -> None:
    """Destroy the handles of this thread; `get_handle` makes new ones. New code: `Handle.close`."""
    while _own.devices:
        following(_own.devices.pop()).close()


_limit = 8 * 1024 * 1024


def get_max_workspace_size() -> int:
    """Return the most bytes of workspace that convolutions use; 8 MiB by default.

    New code: `cudnn.choice.default_policy()`.
    """
    return _limit


def set_max_workspace_size(size: int) -> None:
    """Set the most bytes of workspace that convolutions use.

    New code: `cudnn.choice(workspace_limit=...)`, `cudnn.choice.set_default(workspace_limit=...)`.
    """
    global _limit
    number = operator.index(size)
    if number < 0:
        raise OverflowError(f"size: expected 0 or more, got {number}")
    _limit = number


def get_data_type(dtype: DType) -> int:
    """Return the number of a data type: float32, float64 or float16.

    Raises:
        TypeError: it is another one.

    New code: `cudnn.DataType`.
    """
    try:
        return CODES[dtype.char]
    except KeyError:
        raise TypeError(f"Dtype {dtype} is not supported in cuDNN") from None


def is_tensor_core_available(dtype: DType) -> bool:
    """Return whether CuPy sets CUDNN_TENSOR_OP_MATH: for float16 on devices of capability 7.0.

    Later devices need no such setting: cuDNN uses their tensor cores by itself.

    New code: not needed.
    """
    if dtype.char != "e":
        return False
    return int(cupy().cuda.Device().compute_capability) == 70


# Descriptors


class Descriptor:
    """A descriptor that is destroyed with this object.

    Attributes:
        value: its address; 0 for none.
        ratio: of a dropout, the probability with which an element becomes zero.

    New code: `cudnn.TensorDescriptor` and its like.
    """

    def __init__(self, descriptor: int, destroyer: Callable[[int], object] | None) -> None:
        self.value = descriptor
        self.ratio = 0.0
        self._destroy = destroyer

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if _finalizing():
            return
        value, self.value = getattr(self, "value", 0), 0
        if value and self._destroy is not None and not fork.is_lost():
            self._destroy(value)


def c_ints(numbers: Sequence[int]) -> ctypes.Array[ctypes.c_int]:
    """Return numbers as an array of C ints."""
    return (ctypes.c_int * len(numbers))(*[operator.index(each) for each in numbers])


def _set_nd(
    tensor: int, shape: Sequence[int], strides: Sequence[int], itemsize: int, data_type: int,
) -> None:  # fmt: skip
    """Set a tensor descriptor to the shape and strides of an array, which are in bytes."""
    steps = [step // itemsize for step in strides]
    # Axes of one element get the strides of C order, since theirs can be anything.
    contiguous_step = 1
    for axis in reversed(range(len(shape))):
        if shape[axis] <= 1:
            steps[axis] = contiguous_step
        else:
            contiguous_step = shape[axis] * steps[axis]
    cudnn.setTensorNdDescriptor(tensor, data_type, len(shape), c_ints(shape), c_ints(steps))


def extents(shape: Sequence[int], layout: int) -> tuple[int, int, int, int]:
    """Return the extents of four axes in the order n, c, h, w."""
    if layout == cudnn.CUDNN_TENSOR_NCHW:
        n, c, h, w = shape
    elif layout == cudnn.CUDNN_TENSOR_NHWC:
        n, h, w, c = shape
    else:
        raise ValueError(f"unknown cudnnTensorFormat: {layout}")
    return n, c, h, w


def set_tensor(tensor: int, array: Ndarray, layout: int = cudnn.CUDNN_TENSOR_NCHW) -> None:
    """Set a tensor descriptor to an array in C order."""
    if not array.flags.c_contiguous:
        raise ValueError("cupyx.cudnn supports c-contiguous arrays only")
    if array.ndim == 4:
        data_type = get_data_type(array.dtype)
        cudnn.setTensor4dDescriptor(tensor, layout, data_type, *extents(array.shape, layout))
    else:
        data_type = get_data_type(array.dtype)
        _set_nd(tensor, array.shape, array.strides, array.itemsize, data_type)


def create_uninitialized_tensor_descriptor() -> Descriptor:
    """Create a tensor descriptor that is not set. New code: `cudnn.TensorDescriptor()`."""
    return Descriptor(cudnn.createTensorDescriptor(), cudnn.destroyTensorDescriptor)


def create_tensor_descriptor(arr: Ndarray, format: int = cudnn.CUDNN_TENSOR_NCHW) -> Descriptor:
    """Describe an array in C order, whose four axes are those of a layout.

    New code: `cudnn.TensorDescriptor.like(array)`.
    """
    desc = create_uninitialized_tensor_descriptor()
    set_tensor(desc.value, arr, format)
    return desc


def create_tensor_nd_descriptor(arr: Ndarray) -> Descriptor:
    """Describe an array in C order; the same descriptor is returned for the same shape and type.

    New code: `cudnn.TensorDescriptor.like(array)`.
    """
    if arr.size == 0:
        return Descriptor(0, None)
    if not arr.flags.c_contiguous:
        raise ValueError("cupyx.cudnn supports c-contiguous arrays only")
    key = get_data_type(arr.dtype), tuple(arr.shape)
    found = _own.tensors.get(key)
    if found is None:
        described = arr.shape, arr.strides, arr.itemsize, key[0]
        found = _own.tensors[key] = _nd_tensor(*described)
    return found


def nd_tensor(array: Ndarray) -> Descriptor:
    """Return a descriptor of an array's shape and strides, which stays as it is."""
    data_type = get_data_type(array.dtype)
    return kept(_nd_tensor, array.shape, array.strides, array.itemsize, data_type)


def _nd_tensor(*described: Any) -> Descriptor:
    desc = create_uninitialized_tensor_descriptor()
    _set_nd(desc.value, *described)
    return desc


def rows(array: Ndarray, first: bool = True) -> Descriptor:
    """Return a descriptor of an array in C order as a matrix (n, c, 1, 1), which stays as it is.

    Args:
        first: whether n is the first axis of the array and c all others, or n all but the last.
    """
    axis = 0 if first else -1
    count = array.shape[axis] if array.shape else 1
    rest = array.size // count if count else 0
    pair = (count, rest) if first else (rest, count)
    return kept(nchw, get_data_type(array.dtype), *pair, 1, 1)


def nchw(data_type: int, n: int, c: int, h: int, w: int) -> Descriptor:
    """Describe a tensor without gaps."""
    desc = create_uninitialized_tensor_descriptor()
    cudnn.setTensor4dDescriptor(desc.value, cudnn.CUDNN_TENSOR_NCHW, data_type, n, c, h, w)
    return desc


def create_filter_descriptor(arr: Ndarray, format: int = cudnn.CUDNN_TENSOR_NCHW) -> Descriptor:
    """Describe the filters in an array, whose four axes are those of a layout.

    New code: `cudnn.FilterDescriptor.like(array)`.
    """
    desc = Descriptor(cudnn.createFilterDescriptor(), cudnn.destroyFilterDescriptor)
    data_type = get_data_type(arr.dtype)
    if arr.ndim == 4:
        found = extents(arr.shape, format)
        cudnn.setFilter4dDescriptor_v4(desc.value, data_type, format, *found)
    else:
        cudnn.setFilterNdDescriptor_v4(desc.value, data_type, format, arr.ndim, c_ints(arr.shape))
    return desc


def create_convolution_descriptor(
    pad: Sequence[int],
    stride: Sequence[int],
    dtype: DType,
    mode: int = cudnn.CUDNN_CROSS_CORRELATION,
    dilation: Sequence[int] | None = None,
    use_tensor_core: bool = False,
    groups: int = 1,
) -> Descriptor:
    """Describe a convolution; float16 is computed in float32.

    New code: `cudnn.ConvolutionDescriptor.cross_correlation(...)`.
    """
    if len(pad) != len(stride):
        raise ValueError("pad and stride must be of same length")
    compute = get_data_type(dtype)
    if compute == cudnn.CUDNN_DATA_HALF:
        compute = cudnn.CUDNN_DATA_FLOAT
    gaps = (1,) * len(pad) if dilation is None else dilation
    desc = Descriptor(cudnn.createConvolutionDescriptor(), cudnn.destroyConvolutionDescriptor)
    if len(pad) == 2:
        settings = *pad, *stride, *gaps, mode, compute
        cudnn.setConvolution2dDescriptor_v5(desc.value, *settings)
    else:
        cudnn.setConvolutionNdDescriptor_v3(
            desc.value, len(pad), c_ints(pad), c_ints(stride), c_ints(gaps), mode, compute
        )
    if use_tensor_core:
        cudnn.setConvolutionMathType(desc.value, cudnn.CUDNN_TENSOR_OP_MATH)
    if groups > 1:
        cudnn.setConvolutionGroupCount(desc.value, groups)
    return desc


def create_pooling_descriptor(
    ksize: Sequence[int], stride: Sequence[int], pad: Sequence[int], mode: int
) -> Descriptor:
    """Describe a pooling; NaN is not propagated.

    New code: `cudnn.PoolingDescriptor.max(window)`.
    """
    if len(ksize) != len(stride) or len(ksize) != len(pad):
        raise ValueError("ksize, stride, and pad must be of same length")
    desc = Descriptor(cudnn.createPoolingDescriptor(), cudnn.destroyPoolingDescriptor)
    nan = cudnn.CUDNN_NOT_PROPAGATE_NAN
    if len(ksize) == 2:
        cudnn.setPooling2dDescriptor_v4(desc.value, mode, nan, *ksize, *pad, *stride)
    else:
        cudnn.setPoolingNdDescriptor_v4(
            desc.value, mode, nan, len(ksize), c_ints(ksize), c_ints(pad), c_ints(stride)
        )
    return desc


def create_activation_descriptor(
    mode: int, relu_nan_opt: int = cudnn.CUDNN_PROPAGATE_NAN, coef: float = 0.0
) -> Descriptor:
    """Describe an activation function. New code: `cudnn.ActivationDescriptor.relu()`."""
    desc = Descriptor(cudnn.createActivationDescriptor(), cudnn.destroyActivationDescriptor)
    cudnn.setActivationDescriptor(desc.value, mode, relu_nan_opt, coef)
    return desc


def create_dropout_descriptor(
    handle: int, dropout: float, states: object, state_size_in_bytes: int, seed: int
) -> Descriptor:
    """Describe a dropout and begin its random numbers in `states`, device memory.

    New code: `cudnn.DropoutDescriptor.with_state(handle, rate, seed)`.
    """
    desc = Descriptor(cudnn.createDropoutDescriptor(), cudnn.destroyDropoutDescriptor)
    cudnn.setDropoutDescriptor(desc.value, handle, dropout, states, state_size_in_bytes, seed)
    desc.ratio = dropout
    return desc


def set_dropout_descriptor(desc: Descriptor, handle: int, dropout: float) -> None:
    """Set the ratio of a dropout; its random numbers go on.

    New code: `cudnn.DropoutDescriptor.with_state(handle, rate, seed)`.
    """
    cudnn.setDropoutDescriptor(desc.value, handle, dropout, 0, 0, 0)
    desc.ratio = dropout


def create_rnn_descriptor(
    hidden_size: int,
    num_layers: int,
    dropout_desc: Descriptor,
    input_mode: int,
    direction: int,
    mode: int,
    data_type: int,
    algo: int | None = None,
) -> Descriptor:
    """Describe a recurrent network. New code: `cudnn.RNNDescriptor.lstm(...)`, `ops.LSTM`."""
    desc = Descriptor(recurrent.createRNNDescriptor(), recurrent.destroyRNNDescriptor)
    recurrent.setRNNDescriptor_v6(
        get_handle(), desc.value, hidden_size, num_layers, dropout_desc.value, input_mode,
        direction, mode, cudnn.CUDNN_RNN_ALGO_STANDARD if algo is None else algo, data_type,
    )  # fmt: skip
    return desc


class Tensors:
    """Descriptors of time steps, destroyed with this object.

    Attributes:
        data: the address of an array with their addresses.
    """

    def __init__(self, size: int, data_type: int, batches: tuple[int, ...]) -> None:
        """Describe steps of vectors of a size: `batches` has the number of vectors of each."""
        steps = c_ints((size, 1, 1))
        self._owned = [create_uninitialized_tensor_descriptor() for _ in batches]
        for desc, count in zip(self._owned, batches, strict=True):
            shape = c_ints((count, size, 1))
            cudnn.setTensorNdDescriptor(desc.value, data_type, 3, shape, steps)
        self._array = (ctypes.c_size_t * len(self._owned))(*[each.value for each in self._owned])
        self.data = ctypes.addressof(self._array)
        recurrent.known_steps[self.data] = tuple(batches), size, data_type

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _finalizing():
            recurrent.known_steps.pop(getattr(self, "data", 0), None)


def tensors(array: Ndarray, batches: Sequence[int]) -> Tensors:
    """Return descriptors of the time steps of an array (vectors, size), which stay as they are."""
    return kept(Tensors, array.shape[-1], get_data_type(array.dtype), tuple(batches))
