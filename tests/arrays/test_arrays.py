"""Device memory is told from other objects, which get a clear error.

The arrays here imitate those of libraries that need a GPU: only their shape and interface count.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cudnn_cffi import arrays, errors
from cudnn_cffi import driver as _driver
from cudnn_cffi.arrays import addresses, device_pointer
from hypothesis import given
from hypothesis import strategies as st


class Interface:
    """An array by the CUDA Array Interface."""

    def __init__(self, address: int = 0x7000, shape: Any = (2, 3, 4, 5), **more: Any) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "typestr": "<f4",
            "strides": None,
            "version": 3,
            **more,
        }


class Torch:
    """A tensor as PyTorch has it."""

    __module__ = "torch"

    def __init__(self, address: int = 0x7000, cuda: bool = True, device: int = 0) -> None:
        self.is_cuda = cuda
        self._address = address
        self._device = device
        self.dtype = SimpleNamespace(name="float32")
        self.shape = (2, 3, 4, 5)

    def data_ptr(self) -> int:
        return self._address

    def numel(self) -> int:
        return 120

    def get_device(self) -> int:
        return self._device

    def stride(self) -> tuple[int, ...]:
        return (60, 20, 5, 1)


class Held:
    """An allocation as PyCUDA has it: an address by `int`."""

    def __int__(self) -> int:
        return 0x5000


class ClosedBuffer:
    """A closed buffer as cuda.core has it: no handle, and whoever asks for more gets an error."""

    handle = None

    @property
    def is_device_accessible(self) -> bool:
        raise RuntimeError("Buffer has been closed")

    @property
    def device_id(self) -> int:
        raise RuntimeError("Buffer has been closed")


class TestAddresses:
    @pytest.mark.parametrize(
        ("array", "address"),
        [
            (0, 0),
            (0x7F00_0000_0000, 0x7F00_0000_0000),
            ((1 << 64) - 1, (1 << 64) - 1),
            (None, 0),
            (np.int64(4096), 4096),
            (ctypes.c_void_p(4096), 4096),
            (ctypes.c_void_p(), 0),
            (Interface(), 0x7000),
            (Torch(), 0x7000),
            (Held(), 0x5000),
        ],
    )
    def test_taken(self, array: Any, address: int) -> None:
        assert device_pointer(array) == address
        assert device_pointer(array) == address, "the second time goes another way"

    @pytest.mark.parametrize(
        "array",
        [
            np.ones(3),
            np.float32(1),
            Torch(cuda=False),
            1.5,
            True,
            "text",
            b"bytes",
            bytearray(8),
            memoryview(b"12"),
            [1, 2],
            {},
            object(),
            -1,
            1 << 64,
        ],
    )
    def test_refused(self, array: Any) -> None:
        for _ in range(2):
            with pytest.raises(errors.ArgumentError):
                device_pointer(array)

    def test_an_address_of_something_else_is_refused(self, cudnn: Any) -> None:
        held = cudnn.TensorDescriptor()
        lent = cudnn.Handle.from_address(0x7000)
        stream = SimpleNamespace(__cuda_stream__=lambda: (0, 0x7000), __index__=lambda: 0x7000)
        for each in (held, lent, stream):
            with pytest.raises(errors.ArgumentError, match="expected device memory, got a "):
                device_pointer(each)

    def test_a_proxy_is_learnt_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Proxy(Interface):
            @property  # type: ignore[misc]
            def __class__(self) -> Any:
                return Interface

        array = Proxy()
        assert arrays.getters[type(array)](array) == 0x7000
        monkeypatch.setattr(addresses, "_learn", None)
        assert arrays.getters[type(array)](array) == 0x7000

    def test_host_memory_is_called_so(self) -> None:
        with pytest.raises(TypeError, match="got a ndarray in host memory") as caught:
            device_pointer(np.ones(3))
        assert "copy it to the device" in str(caught.value)

    def test_memory_that_was_freed(self) -> None:
        with pytest.raises(errors.ClosedError, match="freed"):
            device_pointer(Torch(address=0))

    def test_a_closed_buffer_that_is_the_first_of_its_kind(self) -> None:
        for _ in range(2):
            with pytest.raises(errors.ClosedError, match="closed Buffer"):
                device_pointer(ClosedBuffer())

    def test_a_subclass_of_int_is_an_address(self) -> None:
        class Address(int):
            pass

        assert device_pointer(Address(4096)) == 4096

    @given(st.one_of(st.text(), st.binary(), st.floats(), st.lists(st.integers()), st.booleans()))
    def test_nothing_else_gets_through(self, value: Any) -> None:
        with pytest.raises(errors.ArgumentError):
            device_pointer(value)


class TestSeveralDevices:
    """Where a process sees several devices, an array has to be on the handle's."""

    @pytest.fixture(autouse=True)
    def _two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_driver, "count", lambda: 2)
        monkeypatch.setattr(addresses, "getters", addresses._Getters())
        monkeypatch.setattr(addresses, "_anywhere", {})
        monkeypatch.setattr(_driver, "device_of", lambda: 0)

    def test_another_device_is_refused_in_a_call(self) -> None:
        assert device_pointer(Torch(device=0), current=True) == 0x7000
        with pytest.raises(
            ValueError, match=r"expected memory of device 0.*got memory of device 1"
        ):
            device_pointer(Torch(device=1), current=True)

    @pytest.mark.parametrize("array", [Interface(), Held()], ids=["interface", "allocation"])
    def test_what_does_not_tell_its_device_is_looked_up(
        self, array: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owners: dict[int, int | None] = {0x7000: 0, 0x5000: 0}
        monkeypatch.setattr(_driver, "ordinal_of_pointer", owners.get)
        address = device_pointer(array, current=True)
        owners[address] = None
        assert device_pointer(array, current=True) == address, "memory that CUDA does not know"
        owners[address] = 1
        with pytest.raises(
            ValueError, match=r"expected memory of device 0.*got memory of device 1"
        ):
            device_pointer(array, current=True)

    def test_a_bare_address_is_taken_as_it_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_driver, "ordinal_of_pointer", lambda _: 1)
        for address in (np.int64(0x7000), ctypes.c_void_p(0x7000)):
            assert device_pointer(address, current=True) == 0x7000

    def test_outside_of_a_call_it_may_be_anywhere(self) -> None:
        assert device_pointer(Torch(device=1)) == 0x7000


class TestDescriptions:
    def test_of_an_interface(self) -> None:
        info = arrays.describe(Interface(strides=(240, 4, 60, 12)))
        assert info.dtype == "float32"
        assert info.shape == (2, 3, 4, 5)
        assert info.strides == (60, 1, 15, 3)

    @pytest.mark.parametrize(
        ("more", "text"),
        [
            ({"strides": (241, 81, 21, 5)}, "strides of whole elements of 4 bytes"),
            ({"typestr": ">f4"}, "byte order of the device, got >f4"),
            ({"strides": (240, -80, 20, 4)}, r"strides of 0 or more, got \(60, -20, 5, 1\)"),
            ({"mask": object()}, "expected an array without a mask, got one with a mask"),
        ],
    )
    def test_what_no_descriptor_can_say_is_refused(self, more: Any, text: str) -> None:
        with pytest.raises(errors.ArgumentError, match=text):
            arrays.describe(Interface(**more))

    @pytest.mark.parametrize(
        "more",
        [
            *({"typestr": each} for each in (None, 5, "", "<q9", b"<f4")),
            *({"shape": each} for each in (3, None, ("a",), (2.5,), (-2, 3), "23")),
            *({"strides": each} for each in (5, (4,), (1.5,) * 4)),
            *({"data": each} for each in (None, 7, (), ("x", False))),
        ],
        ids=str,
    )
    def test_an_interface_that_is_none(self, more: Any) -> None:
        words = "expected a __cuda_array_interface__ with shape, typestr and data"
        with pytest.raises(errors.ArgumentError, match=words):
            arrays.describe(Interface(**more))

    @pytest.mark.parametrize("data", [None, 7, (4096,)])
    def test_an_interface_that_does_not_say_whether_it_is_read_only(self, data: Any) -> None:
        with pytest.raises(errors.ArgumentError, match="an address and whether it is read-only"):
            arrays.check_writable(Interface(data=data), "out")

    def test_strides_between_fewer_than_two_elements_mean_nothing(self) -> None:
        one = Interface(shape=(2, 1, 4, 5), strides=(80, -80, 20, 4))
        assert arrays.describe(one).strides == (20, 20, 5, 1)
        none = Interface(shape=(2, 0, 4, 5), strides=(-80, -80, 20, 4))
        assert arrays.describe(none).strides == (20, 20, 5, 1)

    def test_without_strides_it_is_row_major(self) -> None:
        assert arrays.describe(Interface()).strides == (60, 20, 5, 1)

    def test_of_a_tensor(self) -> None:
        assert arrays.describe(Torch(device=3)) == arrays.ArrayInfo(
            0x7000, "float32", (2, 3, 4, 5), (60, 20, 5, 1), 3
        )

    @pytest.mark.parametrize("array", [np.ones(3), 4096, None, "x", object()])
    def test_of_what_is_none(self, array: Any) -> None:
        with pytest.raises(errors.ArgumentError):
            arrays.describe(array)


class TestDataTypes:
    @pytest.mark.parametrize(
        ("given_as", "name"),
        [
            (np.float32, "float32"),
            (np.dtype("f8"), "float64"),
            ("HALF", "float16"),
            ("CUDNN_DATA_BFLOAT16", "bfloat16"),
            ("float8_e4m3fn", "float8_e4m3fn"),
            ("torch.bfloat16", "bfloat16"),
            (np.dtype(bool), "bool"),
            ("INT8x4", ""),
            ("nonsense", ""),
        ],
    )
    def test_names(self, given_as: Any, name: str) -> None:
        assert arrays.dtype_name(given_as) == name

    def test_members(self, cudnn: Any) -> None:
        for dtype, member in (("float32", "FLOAT"), (np.float16, "HALF"), ("INT8x4", "INT8x4")):
            assert arrays.data_type(dtype) is cudnn.DataType[member]
        assert arrays.data_type(0) is cudnn.DataType.FLOAT
        assert arrays.data_type(cudnn.DataType.DOUBLE) is cudnn.DataType.DOUBLE

    def test_the_ones_of_ml_dtypes(self) -> None:
        ml_dtypes = pytest.importorskip("ml_dtypes")
        assert arrays.numpy_dtype("bfloat16") == np.dtype(ml_dtypes.bfloat16)
        assert arrays.dtype_name(np.dtype(ml_dtypes.float8_e5m2)) == "float8_e5m2"
        assert arrays.dtype_name("float8_e4m3") == "float8_e4m3fn"
        for other in ("float8_e4m3", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4"):
            if hasattr(ml_dtypes, other):
                assert arrays.dtype_name(np.dtype(getattr(ml_dtypes, other))) == ""


class TestChecks:
    @pytest.fixture
    def desc(self, cudnn: Any) -> Any:
        return cudnn.TensorDescriptor.packed((2, 3, 4, 5))

    def test_what_fits_gives_its_address(self, cudnn: Any, desc: Any) -> None:
        assert cudnn.check(desc, Interface()) == 0x7000
        assert cudnn.check(desc, 0x7000) == 0x7000
        assert cudnn.check(cudnn.FilterDescriptor.packed((2, 3, 4, 5)), Interface()) == 0x7000

    def test_axes_of_one_element_are_not_needed(self, cudnn: Any) -> None:
        desc = cudnn.TensorDescriptor.packed((2, 3))
        assert cudnn.check(desc, Interface(shape=(2, 3)))
        strided = Interface(shape=(2, 3, 1, 1), strides=(12, 4, 400, 8))
        assert cudnn.check(desc, strided)

    def test_channels_last_in_memory_order(self, cudnn: Any) -> None:
        desc = cudnn.TensorDescriptor.packed((2, 3, 4, 5), layout="NHWC")
        assert cudnn.check(desc, Interface(strides=(240, 4, 60, 12)))
        assert cudnn.check(desc, Interface(shape=(2, 4, 5, 3)))

    @pytest.mark.parametrize(
        ("array", "words"),
        [
            (Interface(shape=(2, 3, 4, 6)), "x: expected shape 2,3,4,5, got 2,3,4,6"),
            (Interface(shape=(120,)), "x: expected shape 2,3,4,5, got 120"),
            (Interface(typestr="<f8"), "x: expected float32, got float64"),
            (Interface(typestr="<i4"), "x: expected float32, got int32"),
            (Interface(strides=(240, 4, 60, 12)), "x: expected strides 60,20,5,1"),
            (Interface(strides=(480, 160, 40, 8)), "x: expected strides 60,20,5,1"),
            (Interface(address=0x7002), "x: expected an address that is a multiple of 4"),
            (Interface(address=0), "freed"),
            (np.ones((2, 3, 4, 5), "f4"), "host memory"),
            (Torch(device=1), "x: expected memory of device 0, got memory of device 1"),
        ],
    )
    def test_what_does_not_fit_is_refused(
        self, cudnn: Any, desc: Any, array: Any, words: str
    ) -> None:
        with pytest.raises(cudnn.CudnnError, match=words):
            cudnn.check(desc, array, "x", device=0)

    def test_a_closed_descriptor(self, cudnn: Any, desc: Any) -> None:
        desc.close()
        with pytest.raises(cudnn.CudnnError, match="closed"):
            cudnn.check(desc, Interface())

    def test_a_descriptor_like_an_array(self, cudnn: Any) -> None:
        like = cudnn.TensorDescriptor.like
        assert repr(like(Interface())) == "Tensor(2,3,4,5 float32 NCHW)"
        assert repr(like(Interface(strides=(240, 4, 60, 12)))) == "Tensor(2,3,4,5 float32 NHWC)"
        assert repr(like(Interface(shape=(2, 4, 5, 3)), layout="NHWC")) == (
            "Tensor(2,3,4,5 float32 NHWC)"
        )
        gaps = Interface(strides=(480, 160, 40, 8))
        assert like(gaps).strides == (120, 40, 10, 2)
        with pytest.raises(ValueError, match="expected a filter without gaps"):
            cudnn.FilterDescriptor.like(gaps)


def test_the_c_names_refuse_host_memory_and_name_the_argument(cudnn: Any) -> None:
    desc = cudnn.TensorDescriptor.packed((2, 3, 4, 5))
    relu = cudnn.ActivationDescriptor.relu()
    with pytest.raises(TypeError, match=r"cudnnActivationForward: x: .*host memory"):
        cudnn.cudnnActivationForward(
            0x1000, relu, 1.0, desc, np.ones((2, 3, 4, 5), "f4"), 0.0, desc, Interface()
        )


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e5m2"])
def test_a_type_that_numpy_does_not_have_in_a_capsule_of_dlpack(dtype: str) -> None:
    torch = pytest.importorskip("torch")

    bits: Any = np.arange(6, dtype=np.int16 if dtype == "bfloat16" else np.int8)
    for options in ({}, {"max_version": (1, 0)}):
        capsule = bits.__dlpack__(**options)
        array, owner = arrays.structs_of(capsule)
        assert (owner is None) == (not options)
        array.code, _ = arrays.DLPACK[arrays.DTYPES[dtype]]
        theirs = torch.from_dlpack(capsule)
        assert theirs.dtype == getattr(torch, dtype)
        assert theirs.view(torch.int16 if dtype == "bfloat16" else torch.int8).tolist() == [
            0, 1, 2, 3, 4, 5,
        ]  # fmt: skip


def test_a_tensor_whose_memory_has_other_numbers() -> None:
    """PyTorch negates and conjugates by a bit, and leaves the memory as it is."""
    torch = pytest.importorskip("torch")
    z = torch.ones(3, dtype=torch.complex64)
    for tensor, word in (
        (torch._neg_view(torch.ones(3)), "neg"),
        ((z * 1j).conj().imag, "neg"),
        (z.conj(), "conj"),
    ):
        with pytest.raises(errors.ArgumentError, match="bit set") as caught:
            arrays.describe(tensor)
        assert caught.value.hint == f"pass tensor.resolve_{word}()"
        plain = getattr(tensor, f"resolve_{word}")()
        with pytest.raises(errors.ArgumentError, match="in host memory"):
            arrays.describe(plain)
