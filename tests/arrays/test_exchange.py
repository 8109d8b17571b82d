"""Arrays that have DLPack's exchange table are described by it, without cuda.core.

The arrays of `fake_views` have tables of C functions, as cuda.core's have; where cuda.core or
apache-tvm-ffi is installed, their own tables are read too.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import pytest
from cudnn_cffi import arrays, errors
from cudnn_cffi.arrays import exchange
from cudnn_cffi.plan import Operand

from tests.plan.standin import fake_views

X = Operand("x", 1, (2, 3, 4), (12, 1, 3), "HALF")


@pytest.fixture(params=["view", "owner"])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    view = fake_views(request.param)
    monkeypatch.setattr("importlib.import_module", lambda name: pytest.fail(f"{name} was imported"))

    def make(**changes: Any) -> Any:
        return view(X, **{"address": 0x7000} | changes)

    return make


@pytest.mark.parametrize("dtype", ["float16", "float32", "bfloat16", "float8_e4m3fn", "int32"])
def test_described(make: Any, dtype: str) -> None:
    view = make(dtype=dtype, device=3)
    for _ in range(2):
        assert arrays.describe(view) == (0x7000, dtype, (2, 3, 4), (12, 1, 3), 3)
    assert arrays.tells_shape(view)
    gc.collect()
    assert type(view).owners == {}


def test_one_number_and_no_elements(make: Any) -> None:
    assert arrays.describe(make(shape=(), strides=())) == (0x7000, "float16", (), (), 0)
    empty = make(shape=(0, 2), strides=(2, 1), address=0)
    assert arrays.describe(empty) == (0, "float16", (0, 2), (2, 1), 0)


def test_strides_that_the_table_leaves_out(make: Any) -> None:
    view = make()
    view.described.strides = None
    view._kept = view._kept[0], ()
    if type(view).__dlpack_c_exchange_api__ is fake_views("owner").__dlpack_c_exchange_api__:
        pytest.skip("this stand-in always has them")
    assert arrays.describe(view).strides == (12, 4, 1)


def test_the_address_alone(make: Any) -> None:
    assert arrays.device_pointer(make()) == 0x7000


def test_what_is_no_device_memory(make: Any) -> None:
    with pytest.raises(errors.ArgumentError, match="got a View in host memory"):
        arrays.describe(make(place=exchange.HOST))
    with pytest.raises(errors.ClosedError, match="got an array that was freed"):
        arrays.describe(make(address=0))
    gc.collect()
    assert type(make()).owners == {}


def test_what_has_no_name_is_left_to_cuda_core(monkeypatch: pytest.MonkeyPatch) -> None:
    view = fake_views("view")(X, 0x7000)
    view.described.lanes = 4
    asked: list[str] = []

    def refuse(name: str) -> None:
        asked.append(name)
        raise ImportError(name)

    monkeypatch.setattr("cudnn_cffi.arrays.protocols.import_module", refuse)
    with pytest.raises(errors.ArgumentError, match=r"which takes cuda\.core to read"):
        arrays.describe(view)
    assert asked == ["cuda.core.utils"]


def test_tables_of_other_versions() -> None:
    """A newer table links to older ones; one without version 1 is none."""
    old = exchange._Table.from_buffer_copy(_table_of(fake_views("view")))
    new = exchange._Table(2, 0, ctypes.addressof(old))
    alone = exchange._Table(2, 0, None)
    empty = exchange._Table(1, 3, None)

    class Newer(fake_views("view")):  # type: ignore[misc]
        __dlpack_c_exchange_api__ = _capsule(new)

    class Alone(Newer):
        __dlpack_c_exchange_api__ = _capsule(alone)

    class Empty(Newer):
        __dlpack_c_exchange_api__ = _capsule(empty)

    class Disowned(Newer):
        __dlpack_c_exchange_api__ = None

    assert arrays.describe(Newer(X, 0x7000)).address == 0x7000
    for kind in (Alone, Empty, Disowned):
        assert exchange.reader_of(kind) is None
    exchange.reader_of.cache_clear()  # of these classes, whose tables end here


def test_cuda_core() -> None:
    utils = pytest.importorskip("cuda.core.utils")
    numpy = pytest.importorskip("numpy")
    view = utils.StridedMemoryView.from_dlpack(numpy.zeros((2, 3)), stream_ptr=-1)
    assert exchange.reader_of(type(view)) is not None
    for read in (arrays.describe, arrays.device_pointer):
        with pytest.raises(errors.ArgumentError, match="got a StridedMemoryView in host memory"):
            read(view)


class StridedMemoryView:
    """A view of cuda.core, by the attributes that its documentation has."""

    def __init__(self, ptr: int, accessible: bool = True, shape: tuple[int, ...] = (2, 3)) -> None:
        self._ptr, self._accessible, self.shape = ptr, accessible, shape

    ptr = property(lambda self: self._ptr)
    is_device_accessible = property(lambda self: self._accessible)
    exporting_obj, device_id = None, 0


def test_the_address_of_a_view_of_cuda_core_is_an_attribute() -> None:
    assert arrays.device_pointer(StridedMemoryView(0x7000)) == 0x7000
    assert arrays.device_pointer(StridedMemoryView(0, shape=(0, 2))) == 0
    with pytest.raises(errors.ArgumentError, match="got a StridedMemoryView in host memory"):
        arrays.device_pointer(StridedMemoryView(0x7000, accessible=False))
    with pytest.raises(errors.ClosedError, match="got a view of memory that was freed"):
        arrays.device_pointer(StridedMemoryView(0))


def test_tvm_ffi() -> None:
    """A type whose table makes owners only."""
    core = pytest.importorskip("tvm_ffi.core")
    numpy = pytest.importorskip("numpy")
    tensor = core.from_dlpack(numpy.zeros((2, 3), "float32"))
    view = core.DLTensorTestWrapper(tensor)
    with pytest.raises(errors.ArgumentError, match="got a DLTensorTestWrapper in host memory"):
        arrays.describe(view)


def _table_of(kind: Any) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return exchange._Table.from_address(get(kind.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


def _capsule(table: Any) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    return new(ctypes.addressof(table), b"dlpack_exchange_api", None)
