"""Arrays against their descriptors in calls by C names, where that is asked for.

No call gets as far as cuDNN's function: in its place is one that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SETUP = """
import ctypes, threading
import cudnn_cffi as cudnn
from cudnn_cffi import _call, driver as _driver, errors
from cudnn_cffi._specs import SPECS

class Array:
    def __init__(self, shape, typestr="<f4", address=0x7000, strides=None):
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": typestr, "data": (address, False), "strides": strides,
            "version": 3,
        }

class Bare:
    def __int__(self):
        return 0x7000

calls = []
taker = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: calls.append(1) or 0)

def fake(name):
    cudnn.cudnnGetVersion()
    place = list(SPECS).index(name)
    _call.lib.cudnn_cffi_bind(place, ctypes.cast(taker, ctypes.c_void_p).value)
    return getattr(cudnn, name)

def raised(call, *arguments, **named):
    before = len(calls)
    try:
        call(*arguments, **named)
    except cudnn.CudnnError as error:
        assert len(calls) == before, "it was called first"
        return error
    raise AssertionError("nothing was raised")

forward, convolve = fake("cudnnActivationForward"), fake("cudnnConvolutionForward")
handle, relu = 1 << 20, cudnn.ActivationDescriptor.relu()
conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
x = cudnn.TensorDescriptor.packed((2, 3, 4, 5))
w = cudnn.FilterDescriptor.packed((8, 3, 3, 3))
y = cudnn.TensorDescriptor.packed((2, 8, 4, 5))
good, filters, out = Array((2, 3, 4, 5)), Array((8, 3, 3, 3)), Array((2, 8, 4, 5))

def forward_of(array, desc=x):
    return forward(handle, relu, 1.0, desc, array, 0.0, x, good)
"""


@pytest.fixture(params=["api", "abi"])
def child(
    request: pytest.FixtureRequest, run: Callable[..., object], cudnn_library: Path
) -> Callable[..., None]:
    def call(code: str, **environment: str) -> None:
        environment["CUDNN_CFFI_MODE"] = request.param
        run(SETUP + code, cudnn_library, **environment)

    return call


def test_nothing_is_looked_at_unless_asked_for(child: Callable[..., None]) -> None:
    child("""
forward_of(Array((1,), "<f8", 0x7001))
assert calls
""")


@pytest.mark.parametrize(
    ("array", "error", "text"),
    [
        ("Array((2, 3, 4, 5), '<f8')", "ArgumentError", "x: expected float32, got float64"),
        ("Array((2, 3, 5, 4))", "ArgumentError", "x: expected shape 2,3,4,5, got 2,3,5,4"),
        ("Array((2, 3, 4, 5), strides=(240, 4, 60, 12))", "ArgumentError", "x: expected strides"),
        ("Array((2, 3, 4, 5), strides=(241, 81, 21, 5))", "ArgumentError", "whole elements"),
        ("Array((2, 3, 4, 5), '>f4')", "ArgumentError", "byte order"),
        ("Array((2, 3, 4, 5), address=0x7002)", "MisalignedPointerError", "x: expected an address"),
        ("Array((2, 3, 4, 5), address=0)", "ClosedError", "freed"),
        ("0x7001", "MisalignedPointerError", "x: expected an address that is a multiple of 4"),
        ("relu", "ArgumentError", "expected device memory, got an ActivationDescriptor"),
        ("x", "ArgumentError", "expected device memory, got a TensorDescriptor"),
    ],
)
def test_what_an_array_is_not(
    child: Callable[..., None], array: str, error: str, text: str
) -> None:
    child(f"""
with cudnn.check_calls():
    forward_of(good)
    error = raised(forward_of, {array})
assert type(error) is errors.{error}, repr(error)
assert {text!r} in str(error) and "cudnnActivationForward" in str(error), error
assert error.function == "cudnnActivationForward"
""")


def test_what_tells_nothing_is_taken_as_it_is(child: Callable[..., None]) -> None:
    child("""
with cudnn.check_calls():
    for array in (0x7000, Bare(), ctypes.c_void_p(0x7000), 0, None):
        forward_of(array)
    forward_of(good, x.address)
    assert "expected float32" in str(raised(forward_of, Array((2, 3, 4, 5), "<f8"), x.address))
    # The call's own refusals stay the call's own.
    assert ", got None" in str(raised(forward_of, good, None))
    error = raised(forward_of, good, relu)
    assert "xDesc: expected a cudnnTensorDescriptor_t, got a cudnnActivation" in str(error), error
assert len(calls) == 6
""")


def test_the_size_of_a_workspace(child: Callable[..., None]) -> None:
    child("""
def call(space, size):
    convolve(handle, 1.0, x, good, w, filters, conv, 0, space, size, 0.0, y, out)

with cudnn.check_calls():
    call(Array((100,), "|u1"), 100)
    call(Array((30,)), 100)
    call(0x7000, 100)
    call(None, 0)
    error = raised(call, Array((24,)), 100)
    assert "workSpace: expected 100 bytes, got 96" in str(error), error
    error = raised(call, Array((0,)), 1)
    assert "workSpace: expected 1 bytes, got 0" in str(error), error
    error = raised(convolve, handle, 1.0, x, good, w, good, conv, 0, 0, 0, 0.0, y, out)
    assert "w: expected shape 8,3,3,3, got 2,3,4,5" in str(error), error
""")


def test_vectors_of_elements(child: Callable[..., None]) -> None:
    child("""
four = cudnn.TensorDescriptor()
four.set_4d(cudnn.TensorFormat.NCHW_VECT_C, cudnn.DataType.INT8x4, 2, 8, 4, 5)
with cudnn.check_calls():
    forward_of(Array((2, 2, 4, 5, 4), "|i1"), four)
    assert "expected int8, got float32" in str(raised(forward_of, Array((2, 2, 4, 5, 4)), four))
    assert "320 elements" in str(raised(forward_of, Array((2, 2, 4, 5), "|i1"), four))
""")


def test_it_lasts_while_a_block_is_open(child: Callable[..., None]) -> None:
    child("""
bad = Array((1,))
with cudnn.check_calls():
    with cudnn.check_calls():
        raised(forward_of, bad)
    raised(forward_of, bad)
    thread = threading.Thread(target=lambda: raised(forward_of, bad))
    thread.start(); thread.join()
forward_of(bad)
first, second = cudnn.check_calls(), cudnn.check_calls()  # as in two threads
first.__enter__(); second.__enter__(); first.__exit__(None, None, None)
raised(forward_of, bad)
second.__exit__(None, None, None)
forward_of(bad)
checked = cudnn.check_calls()(forward_of)
raised(checked, bad)
forward_of(bad)
assert len(calls) == 3
""")


def test_a_variable_begins_it_with_the_first_call(child: Callable[..., None]) -> None:
    child("raised(forward_of, Array((1,)))", CUDNN_CFFI_CHECK="1")
    within = "with cudnn.check_calls():\n    pass\nraised(forward_of, Array((1,)))"
    child(within, CUDNN_CFFI_CHECK="1")
    for off in ("0", "off", "No"):
        child("forward_of(Array((1,)))", CUDNN_CFFI_CHECK=off)


def test_functions_with_arrays_in_host_memory_too(child: Callable[..., None]) -> None:
    child("""
find = fake("cudnnFindConvolutionForwardAlgorithmEx")
with cudnn.check_calls():
    find(handle, x, good, w, filters, conv, y, out, 4, 0, 0)
    error = raised(find, handle, x, good, w, filters, conv, y, good, 4, 0, 0)
    assert "y: expected shape 2,8,4,5, got 2,3,4,5" in str(error), error
""")


def test_what_is_the_same_memory_by_other_words_is_taken(child: Callable[..., None]) -> None:
    child("""
def taken(desc, *arrays):
    for array in arrays:
        forward_of(array, desc)

packed, per_channel = cudnn.TensorDescriptor.packed, cudnn.TensorDescriptor.per_channel
with cudnn.check_calls():
    taken(per_channel(8), Array((8,)), Array((1, 8)), Array((8, 1, 1)), Array((1, 8, 1, 1)))
    taken(packed((2, 1, 4, 5), layout="NHWC"), Array((2, 4, 5, 1)), Array((2, 1, 4, 5)))
    taken(packed((2, 3, 3, 3), layout="NHWC"), Array((2, 3, 3, 3)))
    taken(packed((2, 3, 3, 3), layout="NHWC"), Array((2, 3, 3, 3), strides=(108, 4, 36, 12)))
    taken(packed((1, 3)), Array((1, 3), strides=(7, 4)))
    for desc, array in (
        (per_channel(8), Array((4, 2))),
        (packed((2, 3, 3, 3)), Array((2, 3, 3, 3), strides=(108, 4, 36, 12))),
        (packed((2, 1, 4, 5)), Array((0, 1, 4, 5))),
        (packed((3, 4)), Array((4, 3))),
    ):
        raised(forward_of, array, desc)
""")


def test_a_tensor_that_wants_a_gradient(child: Callable[..., None]) -> None:
    child("""
class Parameter:
    is_cuda, shape, dtype = True, (2, 3, 4, 5), "float32"
    def data_ptr(self):
        return 0x7000
    def numel(self):
        return 120
    def get_device(self):
        return 0
    def stride(self):
        return (60, 20, 5, 1)
    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("no interface where a gradient is wanted")

with cudnn.check_calls():
    forward_of(Parameter())
    assert "expected float64" in str(
        raised(forward_of, Parameter(), cudnn.TensorDescriptor.packed((2, 3, 4, 5), "float64"))
    )
    assert "got device memory" in str(
        raised(forward, handle, relu, Parameter(), x, good, 0.0, x, good)
    )
""")


def test_addresses_and_sizes_of_numpy(child: Callable[..., None]) -> None:
    child("""
import numpy as np
with cudnn.check_calls():
    forward_of(np.uintp(0x7000))
    assert "multiple of 4" in str(raised(forward_of, np.uintp(0x7001)))
    space = Array((24,))
    assert "expected 100 bytes, got 96" in str(
        raised(convolve, handle, 1.0, x, good, w, filters, conv, 0, space, np.int64(100), 0.0, y, out)
    )
    convolve(handle, 1.0, x, good, w, filters, conv, 0, space, 96, 0.0, y, out)
    for steps, message in ((-4, "expected strides of 0 or more"), (8, "expected 96 bytes, got 4")):
        other = Array((24,), strides=(steps,))  # elements before the address, or gaps between them
        assert message in str(
            raised(convolve, handle, 1.0, x, good, w, filters, conv, 0, other, 96, 0.0, y, out)
        )
""")
