"""Numbers as elements of arrays, against NumPy and ml_dtypes."""

from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np
import pytest
from cudnn_cffi import arrays
from hypothesis import example, given
from hypothesis import strategies as st

FLOATS = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
}


@pytest.mark.parametrize("dtype", FLOATS)
@given(value=st.floats() | st.integers(-(2**70), 2**70))
@example(value=-0.0)
@example(value=2**53 + 1)
@example(value=3.395e38)  # nearer to the largest bfloat16 than to what follows
@example(value=3.397e38)
@example(value=65520.0)
def test_floats_are_the_nearest(dtype: str, value: float) -> None:
    with np.errstate(over="ignore"):
        # The nearest double, then the nearest float, as C has it.
        wanted = np.float64(value) if dtype == "float64" else np.float32(np.float64(value))
        wanted = (np.float64(value) if dtype == "float16" else wanted).astype(FLOATS[dtype])
    if math.isfinite(value) and np.isinf(wanted):
        with pytest.raises(OverflowError):
            arrays.encode_numbers([value], dtype)
    elif math.isnan(value):
        assert np.isnan(np.frombuffer(arrays.encode_numbers([value], dtype), FLOATS[dtype])).all()
    else:
        assert arrays.encode_numbers([value], dtype) == wanted.tobytes()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("bits", [0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x7FF0000000000001])
def test_no_nan_becomes_a_number(dtype: str, bits: int) -> None:
    (value,) = struct.unpack("=d", struct.pack("=Q", bits))
    assert np.isnan(np.frombuffer(arrays.encode_numbers([value], dtype), FLOATS[dtype])).all()


def test_integers_are_exact() -> None:
    assert (
        arrays.encode_numbers([2**53 + 1, -1], "int64")
        == np.array([2**53 + 1, -1], np.int64).tobytes()
    )
    assert arrays.encode_numbers([2, -7], "int32") == np.array([2, -7], np.int32).tobytes()
    for value, dtype in ((2**31, "int32"), (-1, "uint8"), (0.5, "int32")):
        with pytest.raises(struct.error):
            arrays.encode_numbers([value], dtype)


def test_several_numbers_are_rounded_each() -> None:
    values = [1 / 3, -2 / 3, 1.00390625, 0.0]
    for dtype, kind in FLOATS.items():
        assert arrays.encode_numbers(values, dtype) == np.array(values, kind).tobytes()
