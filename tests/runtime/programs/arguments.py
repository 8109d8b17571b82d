"""Arguments that are no plain numbers, lists and objects; run in a child by test_arguments."""

from __future__ import annotations

import array
import ctypes
import importlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from unittest.mock import MagicMock

import cffi
import numpy as np
from cudnn_cffi._call import lib
from cudnn_cffi._call.spec import WRAPPERS
from cudnn_cffi.errors import ArgumentError, ClosedError

#: Untyped, since much of what is passed here is wrong by intention.
cudnn: Any = importlib.import_module("cudnn_cffi")

ffi = cffi.FFI()
INT64, DIMENSIONS = cudnn.CUDNN_TYPE_INT64, cudnn.CUDNN_ATTR_TENSOR_DIMENSIONS


def refused(
    text: str, call: Callable[..., Any], *given: Any, kind: type[Exception] = ArgumentError
) -> None:
    try:
        answer = call(*given)
    except kind as error:
        told = str(error)
    else:
        raise AssertionError(f"{given}: {answer}")
    assert text in told, told


class Index:
    def __init__(self, number: int, act: Callable[[], object] = lambda: None) -> None:
        self.number, self.act = number, act

    def __index__(self) -> int:
        self.act()
        return self.number

    def __int__(self) -> int:
        return 5000


def finalized() -> Any:
    """A descriptor that can be read; None where the library finalizes none without a driver."""
    d = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR)
    d.set_attribute(cudnn.CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn.CUDNN_TYPE_DATA_TYPE, 1, [0])
    d.set_attribute(DIMENSIONS, INT64, 4, [1, 2, 3, 4])
    d.set_attribute(cudnn.CUDNN_ATTR_TENSOR_STRIDES, INT64, np.int64(4), [24, 12, 4, 1])
    d.set_attribute(cudnn.CUDNN_ATTR_TENSOR_UNIQUE_ID, INT64, 1, [7])
    d.set_attribute(cudnn.CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, INT64, 1, [16])
    try:
        cudnn.cudnnBackendFinalize(d)
    except cudnn.errors.SublibraryError:
        return None
    return d


def counts() -> None:
    x = cudnn.TensorDescriptor()
    put = cudnn.cudnnSetTensorNdDescriptor
    for four in (4, np.int64(4), np.uint8(4), Index(4), ctypes.c_int(4), np.array(4)):
        put(x, 0, four, [2, 3, 4, 5], [60, 20, 5, 1])
        assert x.get_nd(four).dimA == (2, 3, 4, 5), four
    for eight in (8, np.int64(8), Index(8), ctypes.c_long(8)):
        refused("dimA: expected 8 elements, got 4", put, x, 0, eight, [1] * 4, [1] * 4)
    for wrong in (4.0, np.float32(4), Decimal(4), 4j, "4", None, ctypes.c_float(4), MagicMock()):
        refused("nbDims: expected an int", put, x, 0, wrong, [1] * 4, [1] * 4)
        refused("n: expected an int", cudnn.cudnnSetTensor4dDescriptor, x, 0, 0, wrong, 1, 1, 1)
    for minus in (-1, np.int64(-1), Index(-1)):
        refused("-1", x.get_nd, minus)
        refused("below 0", put, x, 0, minus, [1], [1])
        b = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR)
        what = cudnn.CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC, cudnn.CUDNN_TYPE_BACKEND_DESCRIPTOR
        refused("below 0", b.set_attribute, *what, minus, None)
    assert len(x.get_nd(Index(1)).dimA) == 1, "asked once, by __index__"


def dimensions() -> None:
    conv = cudnn.ConvolutionDescriptor()

    def put(pads: Any) -> tuple[int, ...]:
        cudnn.cudnnSetConvolutionNdDescriptor(conv, 2, pads, [1, 1], [1, 1], 0, 0)
        return tuple(conv.get_nd(2).padA)

    backwards = np.array([2, 1])[::-1]
    longer = ffi.new("int[5]", [1, 2])  # a slice of it does not keep it
    for pads in (
        (ctypes.c_int64 * 2)(1, 2), (ctypes.c_int8 * 2)(1, 2), (ctypes.c_int * 2)(1, 2),
        ffi.new("int64_t[]", [1, 2]), ffi.new("int[2]", [1, 2]), np.array([1, 2], "int8"), backwards,
        array.array("q", [1, 2]), memoryview(array.array("h", [1, 2])), bytearray([1, 2]), range(1, 3),
        iter([1, 2]), [ctypes.c_int(1), np.int64(2)], [Index(1), 2], longer[0:2],
    ):  # fmt: skip
        assert put(pads) == (1, 2), pads
    held = ffi.new("int[]", [1, 2])
    assert put(ffi.cast("int *", held)) == put(int(ffi.cast("intptr_t", held))) == (1, 2), held
    refused("expected ints of 32 bits", put, ffi.cast("int64_t *", held))
    refused("expected 2 elements, got 1", put, (ctypes.c_int * 1)(1))
    refused("expected 2 elements, got 1", put, ffi.new("int *", 1))
    for pads in (np.array([1.5, 2.5], "float32"), (ctypes.c_float * 2)(1, 2), [Decimal(1), 1]):
        refused("element 0: expected an int", put, pads)
    refused("padA", put, MagicMock())
    b = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR)
    for given in (MagicMock(), [MagicMock()], [{1}], [range(1)]):
        kind = type(given[0] if isinstance(given, list) else given).__name__
        refused(f"element 0: expected a number, got a {kind}", b.set_attribute,
                cudnn.CUDNN_ATTR_TENSOR_UNIQUE_ID, INT64, 1, given)  # fmt: skip
    b.set_attribute(cudnn.CUDNN_ATTR_TENSOR_UNIQUE_ID, INT64, 1, [np.array(3)])


def outputs() -> None:
    d = finalized()
    if d is None:
        return

    def get(memory: Any) -> Any:
        return d.get_attribute(DIMENSIONS, INT64, 4, memory).arrayOfElements

    for memory in (np.zeros(4, "int64"), array.array("q", [0] * 4), (ctypes.c_int64 * 4)()):
        assert get(memory) == [1, 2, 3, 4] == list(memory), memory
    for raw in (bytearray(32), ctypes.create_string_buffer(32)):
        assert get(raw) == [1, 2, 3, 4] == list(array.array("q", bytes(raw))), raw
    cells = ffi.new("int64_t[4]")
    assert get(cells) == [1, 2, 3, 4] == list(cells), cells

    class Pair(ctypes.Structure):
        _fields_ = (("a", ctypes.c_int64), ("b", ctypes.c_int64))

    for small in (
        bytearray(8),
        ctypes.c_int64(),
        Pair(),
        ffi.new("int64_t[1]"),
        np.zeros(1, "int64"),
    ):
        refused("expected 4 elements of 8 bytes", get, small)
    const = b"x" * 32
    for fixed in (const, memoryview(const), np.frombuffer(const, "int64")):
        refused("read-only", get, fixed)
    assert const == b"x" * 32, const
    refused("expected ints of 64 bits, got ints of 32 bits", get, np.zeros(8, "int32"))
    refused("got memory with gaps", get, np.zeros(8, "int64")[::2])


def objects() -> None:
    put, nd = cudnn.cudnnSetTensor4dDescriptor, cudnn.cudnnSetTensorNdDescriptor
    for wrong in (MagicMock(), ctypes.create_string_buffer(64), ffi.new("int[9]"), np.zeros(9)):
        refused("expected a cudnnTensorDescriptor_t or its address", put, wrong, 0, 0, 1, 1, 1, 1)
        refused("cudnnTensorDescriptor_t", nd, wrong, 0, 3, [1] * 3, [1] * 3)
    x = cudnn.TensorDescriptor()
    refused("is closed", put, x, 0, 0, 9, 9, 9, Index(9, x.close), kind=ClosedError)
    x = cudnn.TensorDescriptor()
    refused("is closed", nd, x, 0, 3, [9, 9, Index(9, x.close)], [81, 9, 1], kind=ClosedError)
    d = finalized()
    memory = bytearray(32)
    if d is not None:
        assert d.get_attribute(DIMENSIONS, INT64, np.int8(9)).elementCount == 4, d
        refused("8 bytes", d.get_attribute, DIMENSIONS, INT64, Index(4, memory.clear), memory)


def members() -> None:
    x = cudnn.TensorDescriptor()
    four = (1, 2, 3, 4)
    refused("expected a cudnnTensorFormat_t, got a cudnnDataType_t: DataType.FLOAT",
            x.set_4d, cudnn.DataType.FLOAT, cudnn.TensorFormat.NCHW, *four)  # fmt: skip
    refused("dataType=TensorFormat.NCHW", cudnn.cudnnSetTensorNdDescriptor, x,
            cudnn.TensorFormat.NCHW, 3, [1] * 3, [1] * 3)  # fmt: skip
    for release in (cudnn, cudnn.v8_9_7, cudnn.v9_28_0):
        for _ in range(2):
            x.set_4d(release.TensorFormat.NHWC, release.DataType.HALF, *four)
            assert x.get_4d().dataType == cudnn.DataType.HALF, x
    refused("", x.set_4d, 0, cudnn.DataType(12345), *four, kind=cudnn.CudnnError)


def floats() -> None:
    elu, mode = cudnn.ActivationDescriptor(), cudnn.ActivationMode(12345)
    for coef in (np.float64(1.5), np.float32(1.5), Decimal("1.5"), 1.5):
        refused(" coef=1.5\n", elu.set, mode, 0, coef, kind=cudnn.CudnnError)


def overrides() -> None:
    pack = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
    for name in ("SHAPES", "STRIDES"):
        attribute = f"CUDNN_ATTR_VARIANT_PACK_OVERRIDE_{name}"
        for none in ([None], [0], bytes(24)):
            if hasattr(cudnn, attribute):
                pack.set_attribute(getattr(cudnn, attribute), cudnn.CUDNN_TYPE_VOID_PTR, 1, none)


def classes() -> None:
    """Objects of other classes than before."""

    class Derived(cudnn.TensorDescriptor):  # type: ignore[misc]
        pass

    class Holder:
        def __init__(self, address: object) -> None:
            self._cudnnTensorDescriptor_t = address

    x, y, w = cudnn.TensorDescriptor(), Derived(), cudnn.FilterDescriptor()
    for _ in range(2):
        for height, each in enumerate((x, y, Holder(y.address), y.address, x), 2):
            cudnn.cudnnSetTensor4dDescriptor(each, 0, 0, 1, 1, height, 1)
            assert cudnn.cudnnGetTensor4dDescriptor(each).h == height, each
        assert (x.get_4d().h, y.get_4d().h) == (6, 5), (x, y)
        refused("expected a cudnnTensorDescriptor_t, got a cudnnFilterDescriptor_t",
                x.set_4d.__func__, w, 0, 0, 1, 1, 1, 1)  # fmt: skip
        refused("expected a cudnnTensorDescriptor_t or its address",
                cudnn.cudnnSetTensor4dDescriptor, Holder(1.5), 0, 0, 1, 1, 1, 1)  # fmt: skip
    y.close()
    refused("is closed", cudnn.cudnnSetTensor4dDescriptor, y, 0, 0, 1, 1, 1, 1, kind=ClosedError)


def arrays() -> None:
    """Arrays of this package and memory of others in turn; a function in Python is the library's."""
    got: list[int | None] = []

    def forward(*arguments: int | None) -> int:
        got.extend((arguments[4], arguments[7]))
        return 0

    stand_in = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 8)(forward)

    act, x = cudnn.ActivationDescriptor(), cudnn.TensorDescriptor()
    handle = cudnn.Handle.from_address(64)
    index = WRAPPERS.index("cudnnActivationForward")
    lib.cudnn_cffi_bind(index, ctypes.cast(stand_in, ctypes.c_void_p).value)
    array, freed = (object.__new__(cudnn.DeviceArray) for _ in range(2))
    array._pointer = 128

    def run(source: object, target: object) -> list[int | None]:
        got.clear()
        cudnn.cudnnActivationForward(handle, act, 1.0, x, source, 0.0, x, target)
        return got

    for _ in range(3):
        assert run(array, 256) == [128, 256], got
        assert run(array, array) == [128, 128], got
        assert run(ctypes.c_void_p(192), array) == [192, 128], got
        refused("was freed", run, array, freed, kind=ClosedError)
        refused("x: ", run, x, array)


for check in (classes, arrays, counts, dimensions, outputs, objects, members, floats, overrides):
    check()
