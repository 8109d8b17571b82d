"""Data by seed: elements of each type, kinds, and bits that never change."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cudnn_cffi import errors
from cudnn_cffi.diagnose.repro import data
from cudnn_cffi.plan import Operand

TYPES: dict[str, Any] = {
    "HALF": np.float16, "FLOAT": np.float32, "BFLOAT16": ml_dtypes.bfloat16,
    "FP8_E4M3": ml_dtypes.float8_e4m3fn, "FP8_E5M2": ml_dtypes.float8_e5m2, "DOUBLE": np.float64,
}  # fmt: skip

#: Checksums by kind of the data of one array.
PINNED = {
    "normal": "0x9cc457ded105ef5e",
    "positive": "0xdc4f35564b4bfc04",
    "integers": "0xfdebeca6f3fa1b7c",
    "zeros": "0x2c43b37b4e5750e5",
    "negative_rows": "0x20a2563996035c51",
    "one_huge": "0x767d0bfb8ceb9e02",
    "cancelling": "0xcd09a3350bc16c1c",
    "denormals": "0x9a79a80d43bdae5e",
    "extremes": "0xd528ea9f95b3d24a",
}


def operand(data_type: str = "HALF", shape: Any = (4, 6), strides: Any = (8, 1)) -> Operand:
    return Operand("x", 1, shape, strides, data_type)


def numbers(kind: Any, data_type: str = "FLOAT", seed: int = 0, **others: Any) -> Any:
    own = operand(data_type, **others)
    return data.seen(data.memory(own, kind, seed), own)


@pytest.mark.parametrize("name", TYPES)
def test_numbers_are_rounded_as_ml_dtypes_rounds(name: str) -> None:
    kept, chance = data.FORMATS[name], np.random.default_rng(0)
    sizes = 10.0 ** chance.integers(-50, 37, 50_000)
    values = (chance.standard_normal(50_000) * sizes).astype(np.float32).astype(np.float64)
    edges = [0.0, -0.0, kept.largest, kept.smallest, np.ldexp(1.0, kept.lowest_exponent)]
    values = np.concatenate([np.clip(values, kept.smallest, kept.largest), edges])
    found = data.encode(values, kept)
    assert np.array_equal(found, values.astype(TYPES[name]).view(found.dtype))
    assert np.array_equal(data.decode(found, kept), values.astype(TYPES[name]).astype(np.float64))


@pytest.mark.parametrize("name", [name for name in TYPES if name != "DOUBLE"])
def test_elements_of_all_bits(name: str) -> None:
    kept = data.FORMATS[name]
    bits = np.arange(min(1 << (8 * kept.size), 1 << 16)).astype(f"u{kept.size}")
    if kept.size == 4:
        bits = bits * np.uint32(65537)
    with np.errstate(invalid="ignore"):  # signalling NaN
        found, wanted = data.decode(bits, kept), bits.view(TYPES[name]).astype(np.float64)
    assert np.array_equal(found, wanted, equal_nan=True)
    finite = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found[finite]), np.signbit(wanted[finite]))
    assert np.array_equal(data.encode(found[finite], kept), bits[finite])
    assert np.isnan(data.decode(data.encode([np.nan, -np.nan], kept), kept)).all()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("INT8", [-4, -128, 127, 2, 0]),
        ("UINT8", [0, 0, 255, 2, 0]),
        ("INT32", [-4, -128, 300, 2, 0]),
        ("INT64", [-4, -128, 300, 2, 0]),
        ("BOOLEAN", [0, 0, 1, 1, 1]),
    ],
)
def test_integers(name: str, wanted: list[int]) -> None:
    kept = data.FORMATS[name]
    assert data.decode(data.encode([-3.5, -128, 300, 2.5, 0.5], kept), kept).tolist() == wanted


def test_bits_of_a_seed_never_change() -> None:
    """Files that were written before say what their inputs are."""
    sums = {kind: data.checksum(data.memory(operand(), kind, 7)) for kind in data.KINDS}
    assert {kind: f"{each:#018x}" for kind, each in sums.items()} == PINNED


def test_normal_numbers() -> None:
    found = numbers("normal", shape=(1000, 1000), strides=(1000, 1))
    assert abs(found.mean()) < 0.01
    assert abs(found.std() - 1.01) < 0.01
    assert 3.2 < abs(found).max() <= 3.5
    assert len(np.unique(found)) > 100_000
    others = numbers("normal", seed=1, shape=(1000, 1000), strides=(1000, 1))
    assert abs(np.corrcoef(found.ravel(), others.ravel())[0, 1]) < 0.01


def test_an_element_depends_on_its_place_and_name_alone() -> None:
    rows = numbers("normal", shape=(4, 8), strides=(8, 1))
    assert np.array_equal(numbers("normal", shape=(8, 4), strides=(1, 8)), rows.T)
    assert np.array_equal(numbers("normal", shape=(3, 2), strides=(8, 1)), rows[:3, :2])
    named = Operand("y", 1, (4, 8), (8, 1), "FLOAT")
    assert not np.array_equal(data.seen(data.memory(named, "normal", 0), named), rows)


def test_kinds() -> None:
    assert ((numbers("positive") >= 0.5) & (numbers("positive") <= 4)).all()
    assert set(numbers("integers", shape=(64, 64), strides=(64, 1)).ravel()) == set(range(-4, 5))
    assert not numbers("zeros").any()
    negative = numbers("negative_rows")
    assert (negative[1::2] < -9000).all()
    assert (abs(negative[::2]) < 4).all()
    huge = numbers("one_huge", shape=(5, 7), strides=(7, 1))
    assert (huge == 1000).sum() == 1
    pairs = numbers("cancelling", shape=(4, 6), strides=(6, 1))
    assert not (pairs[:, ::2] + pairs[:, 1::2]).any()
    assert abs(pairs).max() > 100
    small = numbers("denormals", "HALF")
    assert (abs(small) < 2.0**-14).all()
    assert small.any()
    extremes = numbers("extremes", "HALF", shape=(16, 16), strides=(16, 1))
    assert set(extremes.ravel()) == {0, 1, -1, 65504, -65504, 2.0**-14, 2.0**-24}
    assert (numbers(2.5) == 2.5).all()
    assert np.array_equal(numbers(range(24)).ravel(), np.arange(24))


def test_gaps_are_zeros_and_strides_of_0_repeat() -> None:
    memory = data.memory(operand("FLOAT"), 1.0, 0)
    assert memory.size == 30
    assert (memory.reshape(-1)[6:8] == 0).all()
    repeated = numbers("negative_rows", shape=(3, 2, 4), strides=(4, 0, 1))
    assert np.array_equal(repeated[:, 0], repeated[:, 1])


def test_a_type_without_data() -> None:
    with pytest.raises(errors.NotSupportedError, match="x: no data of the type FP4_E2M1"):
        data.memory(operand("FP4_E2M1"), "normal", 0)
