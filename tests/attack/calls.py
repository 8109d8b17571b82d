"""Calls every wrapper with hostile values; run in a child by test_calls, for a call may crash.

usage: python calls.py SEED CALLS

Prints a line of JSON for each call before it is made, and one with its outcome after it: what it
returned or raised, without addresses, and what is wrong with that in itself. The same seed gives the
same calls in both call modes. A bare address of nowhere is not among the values: that it is good is
the caller's word.
"""

from __future__ import annotations

import array
import ctypes
import enum
import json
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, cast
from unittest.mock import MagicMock

import cffi
import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import _tables
from cudnn_cffi._index import FAMILIES
from cudnn_cffi._specs import SPECS
from cudnn_cffi.api import store
from cudnn_cffi.errors import ArgumentError, CudnnError, MissingFunctionError, NullPointerError

ffi = cffi.FFI()
MARK = 0xA5
EDGE = 64

#: The types of attributes whose elements are addresses.
POINTERS = tuple(
    int(getattr(cudnn.BackendAttributeType, name))
    for name in ("HANDLE", "VOID_PTR", "BACKEND_DESCRIPTOR")
)

#: The types of ctypes, C and NumPy by their codes.
TYPES = {
    "i": (ctypes.c_int, "int", "int32"),
    "q": (ctypes.c_int64, "int64_t", "int64"),
    "h": (ctypes.c_short, "short", "int16"),
    "B": (ctypes.c_uint8, "uint8_t", "uint8"),
}


class Given(NamedTuple):
    """A value; whether the call must refuse it; its number where it is one, or its length."""

    value: Any
    text: str
    bad: bool = False
    number: int | None = None


class Index:
    """A number by `__index__`, which does something first."""

    def __init__(self, number: Any, act: Callable[[], object] = lambda: None) -> None:
        self.number, self.act = number, act

    def __index__(self) -> Any:
        self.act()
        return self.number

    def __repr__(self) -> str:
        return f"Index({self.number})"


class TwoFaced(Index):
    def __int__(self) -> int:
        return 5000

    def __float__(self) -> float:
        return 5000.0


class Lying(int):
    """An int whose arithmetic is not that of its value."""

    def __lt__(self, other: object) -> bool:
        return False

    def __gt__(self, other: object) -> bool:
        return True

    __le__, __ge__ = __lt__, __gt__

    def __mul__(self, other: object) -> int:
        return 0

    __rmul__ = __mul__

    def __index__(self) -> int:
        return 1

    __int__ = __index__


class Own(enum.IntEnum):
    ONE = 1


class Short(list):  # type: ignore[type-arg]
    """A list that says to be longer than it is."""

    def __len__(self) -> int:
        return 1000


class Attack:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.functions = sorted(set(_tables.active().functions.values()))
        self.kept: dict[str, Any] = {}
        self.closers: list[Any] = []
        self.edges: list[Any] = []
        self.lengths: dict[tuple[str, str], str] = {}
        for function in store().api(_tables.active().release).functions:
            for p in function.parameters:
                if p.length is not None:
                    self.lengths[function.name, p.name] = p.length

    # Objects

    def open(self, c_name: str) -> Any:
        cls = next((c for c, n in FAMILIES.items() if n == c_name and cudnn.has(c)), None)
        if cls is None or c_name == "cudnnHandle_t":
            return None
        found = self.kept.get(c_name)
        if found is None or found.closed:
            backend = cudnn.BackendDescriptorType.TENSOR_DESCRIPTOR
            more: dict[str, tuple[Any, ...]] = {
                "cudnnBackendDescriptor_t": (backend,),
                "cudnnFusedOpsConstParamPack_t": (0,),
                "cudnnFusedOpsVariantParamPack_t": (0,),
                "cudnnFusedOpsPlan_t": (0,),
            }
            try:
                found = self.kept[c_name] = getattr(cudnn, cls)(*more.get(c_name, ()))
                if c_name == "cudnnTensorDescriptor_t":
                    found.set_4d(0, 0, 2, 3, 4, 5)
                elif c_name == "cudnnPoolingDescriptor_t":
                    found.set_2d(0, 0, 2, 2, 0, 0, 2, 2)  # cuDNN divides by the strides
            except (CudnnError, TypeError):
                return None
        return found

    def closed(self, c_name: str) -> Any:
        cls = next((c for c, n in FAMILIES.items() if n == c_name), None)
        if cls is None:
            return None
        found = getattr(cudnn, cls).from_address(0x1000)
        found.close()
        return found

    def descriptor(self, c_name: str, optional: bool, released: bool) -> Given:
        good = self.open(c_name)
        other = "cudnnTensorDescriptor_t"
        foreign = self.open(other if c_name != other else "cudnnFilterDescriptor_t")
        ways: list[Given] = [
            Given(None, "None", not optional),
            Given(0, "0", not optional),
            Given(MagicMock(), "MagicMock()", True),
            Given(foreign, "another family", True),
            Given(self.closed(c_name), "closed", True)
            if c_name != "cudnnHandle_t"
            else Given(-1, "-1", True),
            Given(b"bytes", "bytes", True),
            Given(1.0, "1.0", True),
            Given(True, "True", True),
            Given(ctypes.create_string_buffer(64), "memory", True),
            Given(ffi.new("int[16]"), "cffi memory", True),
            Given(np.zeros(8), "array", True),
            Given(1 << 64, "1 << 64", True),
            Given(Decimal(1), "Decimal", True),
        ]
        if released:  # of what is destroyed nothing may be used again, so no bare address of it
            if good is None or self.rng.random() < 0.5:
                return self.rng.choice(ways)
            return Given(self.kept.pop(c_name), "good")
        if good is not None and self.rng.random() < 0.8:
            return Given(good, "good")
        if good is not None:
            address = good.address
            ways += [
                Given(address, "address"),
                Given(np.uint64(address), "np.uint64(address)"),
                Given(ctypes.c_void_p(address), "c_void_p(address)"),
                Given(ctypes.c_size_t(address), "c_size_t(address)"),
                Given(ffi.cast("void *", address), "cffi pointer"),
                Given(Index(address), "Index(address)"),
            ]
        return self.rng.choice(ways)

    # Numbers

    def integer(self) -> Given:
        rng = self.rng
        n = rng.choice((0, 1, 2, 3, 4, 5, 7, 8, 9, -1))
        if rng.random() < 0.4:
            return Given(n, str(n), number=n)
        kind = rng.choice((np.int8, np.int16, np.int32, np.int64))
        closer = [Index(n, each.close) for each in self.closers]
        ways = [
            Given(kind(n), f"{kind.__name__}({n})", number=n),
            Given(np.uint64(abs(n)), f"np.uint64({abs(n)})", number=abs(n)),
            Given(np.array(n), f"np.array({n})", number=n),
            Given(ctypes.c_int(n), f"c_int({n})", number=n),
            Given(ctypes.c_int64(n), f"c_int64({n})", number=n),
            Given(ffi.cast("short", n), f"cffi short {n}", number=n),
            Given(Index(n), f"Index({n})", number=n),
            Given(TwoFaced(n), f"TwoFaced({n})", number=n),
            Given(Lying(n), f"Lying({n})", number=n),
            Given(Index(Lying(n)), f"Index(Lying({n}))", number=n),
            Given(Own.ONE, "Own.ONE", number=1),
            Given(True, "True", number=1),
            *(Given(each, "closes", True, n) for each in closer),
        ]
        if rng.random() < 0.5:
            return rng.choice(ways)
        bad = [
            np.float32(n + 0.5), np.float64(n), np.float16(n), np.complex64(n), np.bool_(1), float(n),
            Decimal(n), Fraction(n), complex(n), "1", b"1", None, [], [n], ctypes.c_float(n), ctypes.c_char(b"1"),
            ffi.cast("double", n), np.array(float(n)), np.array([n, n]), np.array([1.5]), object(), 1 << 64, -(1 << 63) - 1,
            Index(1.5), Index(None), Index("1"), ctypes.c_void_p(1),
        ]  # fmt: skip
        value = rng.choice(bad)
        return Given(value, f"{type(value).__name__} {n}", True)

    def member(self, ctype: str) -> Given:
        rng = self.rng
        own = _tables.active().enum_of(ctype)
        if own is None or rng.random() < 0.1:
            return self.integer()
        members = list(own)
        right = rng.choice(members)
        if rng.random() < 0.7:
            return Given(
                *rng.choice(
                    [(right, repr(right)), (int(right), f"{int(right)}"), (own(12345), "unknown")]
                )
            )
        pinned = getattr(cudnn, rng.choice(("v8_9_7", "v9_12_0", "v9_28_0")))
        same = getattr(pinned, own.__name__, None)
        if same is not None and rng.random() < 0.4:
            value = rng.choice(list(same))
            return Given(value, f"{pinned.__name__} {value!r}")
        other = rng.choice(
            [
                e
                for e in (cudnn.DataType, cudnn.TensorFormat, cudnn.Status)
                if e.__name__ != own.__name__
            ]
        )
        value = rng.choice(list(other))
        return Given(value, repr(value), True)

    def real(self) -> Given:
        rng = self.rng
        good: list[Any] = [
            1.5,
            1,
            np.float32(1.5),
            np.float64(0.5),
            np.float16(1),
            Decimal("1.5"),
            Fraction(1, 3),
            ctypes.c_float(2),
            ctypes.c_double(2),
            float("nan"),
            1e308,
        ]
        bad: list[Any] = ["1.5", b"1", None, 1j, np.complex64(1), object(), [], {}]
        value, wrong = (rng.choice(good), False) if rng.random() < 0.6 else (rng.choice(bad), True)
        return Given(value, f"{type(value).__name__} {value if not wrong else ''}", wrong)

    # Memory

    def memory(self, code: str, values: list[int]) -> dict[str, Any]:
        """The same numbers in many kinds of memory, with marks around it, which nobody may touch.

        Nothing takes the buffer of a memoryview for long: Python itself crashes where it collects
        the two together.
        """
        ctype, cname, dtype = TYPES[code]
        n, size = len(values), ctypes.sizeof(ctype)
        more = EDGE // size
        memory = [bytearray([MARK]) * ((n + 2 * more) * size) for _ in range(3)]
        for each in memory:
            each[EDGE : EDGE + n * size] = array.array(code, values).tobytes()
        pointer = ffi.new(f"{cname}[]", n + 2 * more)
        ffi.buffer(pointer)[:] = memory[0]
        self.edges += [*memory, ffi.buffer(pointer)]
        return {
            f"np {dtype}": np.frombuffer(memory[0], dtype, n, EDGE),
            f"{cname} of ctypes": (ctype * n).from_buffer(memory[1], EDGE),
            f"{cname} of cffi": pointer[more : more + n],
            f"memoryview {code}": memoryview(memory[2])[EDGE : EDGE + n * size].cast(
                cast(Any, code)
            ),
        }

    def untouched(self) -> bool:
        mark = bytes([MARK]) * EDGE
        good = all(whole[:EDGE] == mark and whole[-EDGE:] == mark for whole in self.edges)
        self.edges.clear()
        return good

    def numbers(self) -> Given:
        """Memory, or a list, with some integers."""
        rng = self.rng
        n = rng.choice((0, 1, 2, 3, 4, 5, 8, 9))
        values = [rng.choice((1, 2, 3, 5)) for _ in range(n)]
        if rng.random() < 0.3:
            return Given(values, str(values), number=n)
        closer = [[*values[1:], Index(1, each.close)] for each in self.closers if n]
        ways = [
            Given(tuple(values), str(values), number=n),
            Given(iter(values), f"iter of {n}", number=n),
            Given(range(1, n + 1), f"range of {n}", number=n),
            Given([np.int64(v) for v in values], f"np.int64 of {n}", number=n),
            Given([ctypes.c_int(v) for v in values], f"c_int of {n}", number=n),
            Given([Lying(v) for v in values], f"Lying of {n}", number=n),
            Given([TwoFaced(v) for v in values], f"TwoFaced of {n}", number=n),
            Given(Short(values), f"Short of {n}", number=n),
            *(Given(each, f"closes, of {n}", True, n) for each in closer),
        ]
        for code in TYPES:
            made = array.array(code, values)
            odd = np.repeat(np.array(values, TYPES[code][2]), 2)[::2]
            ways += [
                Given(made, f"array.array {code} of {n}", number=n),
                Given(odd, f"np strided {code} of {n}", number=n),
                *(
                    Given(v, f"{name} of {n}", number=n)
                    for name, v in self.memory(code, values).items()
                ),
            ]
        if rng.random() < 0.6:
            return rng.choice(ways)
        floats = [v + 0.5 for v in values] or [0.5]
        bad: list[Any] = [
            MagicMock(), 1.5, "text", b"bytes", {}, {1, 2}, None, object(), True, -1, 1 << 64, Decimal(1),
            floats, np.array(floats, "float32"), np.array(floats), np.array(floats, "complex64"), [Decimal(1)] * 9,
            (ctypes.c_float * 9)(*[1] * 9), ffi.new("float[9]"), ["1"] * 9, [None] * 9, [1 << 64] * 9, [[1]] * 9,
            ffi.cast("double *", ffi.new("double[9]")), np.array(5), np.ones((9, 9), "int64"), [Index(None)] * 9,
        ]  # fmt: skip
        value = rng.choice(bad)
        return Given(value, f"{type(value).__name__}, bad", True)

    def host(self, written: bool) -> Given:
        rng = self.rng
        ways = [
            Given(ctypes.create_string_buffer(1 << 12), "4096 bytes"),
            Given(bytearray(1 << 12), "bytearray of 4096"),
            Given(np.zeros(1 << 12, "uint8"), "array of 4096"),
            Given(ffi.new("char[4096]"), "cffi 4096"),
            Given(MagicMock(), "MagicMock()", True),
            Given("text", "text", True),
            Given(1.5, "1.5", True),
            Given(-1, "-1", True),
            Given(np.zeros((64, 64))[::2, ::2], "strided", True),
        ]
        if written:
            ways += [
                Given(bytes(1 << 12), "bytes", True),
                Given(memoryview(bytes(1 << 12)), "view", True),
            ]
        return rng.choice(ways)

    def device(self) -> Given:
        rng = self.rng
        ways = [
            Given(None, "None"),
            Given(None, "None"),
            Given(0, "0"),
            *(
                Given(v, type(v).__name__, True)
                for v in (
                    np.zeros(3),
                    b"x",
                    "x",
                    1.5,
                    Decimal(1),
                    MagicMock(),
                    -1,
                    bytearray(8),
                    np.float32(1),
                )
            ),
        ]
        return rng.choice(ways)

    # Calls

    def argument(self, wrapper: str, row: tuple[Any, ...], code: str, hostile: float) -> Given:
        """An argument, at most as often bad as `hostile` says."""
        allowed = self.rng.random() < hostile
        for _ in range(8):
            given = self.draw(wrapper, row, code)
            if allowed or not given.bad:
                break
        return given

    def draw(self, wrapper: str, row: tuple[Any, ...], code: str) -> Given:
        name, ctype, kind, optional, _ = row
        bare = ctype.removeprefix("const ")
        if kind in ("handle", "descriptor"):
            return self.descriptor(bare, optional, "Destroy" in wrapper)
        if kind == "array" and code == "A":
            element = bare.removesuffix("[]").strip(" *")
            if element.startswith("cudnn") and _tables.active().enum_of(element) is None:
                one = self.open(element)
                n = self.rng.choice((0, 1, 3))
                odd = self.rng.random() < 0.3
                value = [MagicMock()] * 9 if odd or one is None else [one] * n
                return Given(value, f"objects, {n}", odd or one is None, n)
            return self.numbers()
        if name == "arrayOfElements" or (kind == "value" and code == "A"):
            found = self.numbers()
            # Each of these is valid in some place: an attribute of floats, NULL, a single number.
            return found._replace(bad=isinstance(found.value, (MagicMock, set, dict)) and found.bad)
        if kind in ("device", "workspace", "reserve", "array"):
            return self.device()
        if kind in ("struct", "buffer", "cuda", "output") and kind != "cuda":
            return self.host("Get" in wrapper or "Save" in wrapper)
        if kind in ("stream", "user_data", "callback", "cuda"):
            return Given(None, "None")
        if kind == "scaling" or code in ("f", "d"):
            return self.real()
        if kind == "enum":
            return self.member(bare)
        return self.integer()

    def calls(self, count: int) -> Iterator[tuple[str, list[Given], bool]]:
        often = [
            name
            for name in self.functions
            if any(SPECS[name][3][row[4]] == "A" for row in SPECS[name][4])
            or re.search("Get.*(NdDesc|OutputDim|Attribute)", name)
        ]
        for _ in range(count):
            wrapper = self.rng.choice(often if self.rng.random() < 0.6 else self.functions)
            symbol, _, _, codes, rows, *_ = SPECS[wrapper]
            mine = [
                self.open(row[1].removeprefix("const ")) for row in rows if row[2] == "descriptor"
            ]
            closers = self.rng.random() < 0.15 and "Destroy" not in wrapper
            self.closers = [mine[0]] if closers and mine and mine[0] is not None else []
            hostile = self.rng.choice((0.0, 0.1, 0.5))
            given = [self.argument(wrapper, row, codes[row[4]], hostile) for row in rows]
            # A closer is no danger to a call that did not get what it closes.
            used = any(each.value is x for each in given for x in self.closers)
            bad = any(each.bad and ("closes" not in each.text or used) for each in given)
            numbers = {row[0]: each.number for row, each in zip(rows, given, strict=True)}
            if wrapper == "cudnnSetTensorNdDescriptorEx" and numbers["nbDims"] in (0, 1, 2):
                # With so few cuDNN judges dimensions, and sets strides, by what its stack holds.
                given[3] = Given(3, "3", number=3)
                numbers["nbDims"] = 3
            if wrapper == "cudnnBackendSetAttribute" and given[4].number is not None:
                kind = given[2].number if isinstance(given[2].value, Index) else given[2].value
                if getattr(kind, "value", kind) in POINTERS:
                    given[4] = Given([None] * 9, "NULL of 9", number=9)  # else bare addresses
            for row in rows:
                wanted = numbers.get(self.lengths.get((symbol, row[0]), ""))
                got = numbers[row[0]]
                if codes[row[4]] == "A" and row[2] == "array" and wanted is not None:
                    bad |= wanted < 0 or (got is not None and got < wanted)
            yield wrapper, given, bad

    def judge(self, wrapper: str, given: list[Given], bad: bool) -> tuple[str, str]:
        """The answer of a call, and the faults in it."""
        kept = [bytes(each.value) for each in given if isinstance(each.value, bytes)]
        wrong = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer = f"returned {getattr(cudnn, wrapper)(*[each.value for each in given])!r}"
            if bad:
                wrong = "accepted"
        except CudnnError as error:
            answer = f"{type(error).__name__}: {error}"
            refused = isinstance(error, (ArgumentError, NullPointerError, MissingFunctionError))
            if bad and not refused and error.status is not None:
                wrong = "reached cuDNN"
        except Exception as error:
            answer, wrong = f"{type(error).__name__}: {error}", "a raw exception"
        if not self.untouched():
            wrong = "wrote beside the memory"
        if kept != [each.value for each in given if isinstance(each.value, bytes)]:
            wrong = "changed bytes"
        return plain(answer), wrong


def plain(text: str) -> str:
    """Without what differs from process to process."""
    text = re.sub(r"0x[0-9a-f]+", "0x..", text)
    text = re.sub(r"Algo(\.|=<\w+\.)?UNKNOWN_\w+: -?\d+", "Algo", text)  # memory that was never set
    text = re.sub(r"\b\d{12,}\b", "<number>", text)
    text = re.sub(r"<[\w.]+\.(c_\w+_Array_\d+)", r"<\1", text)  # whoever made the type first
    text = re.sub(r"id='<?\w+>?'", "id=..", text)
    return re.sub(r"\s+", " ", text)  # lines end where they are full


def main() -> None:
    seed, count = map(int, sys.argv[1:])
    cudnn.load()
    attack = Attack(seed)
    for number, (wrapper, given, bad) in enumerate(attack.calls(count)):
        call = f"{number} {wrapper}({', '.join(each.text for each in given)})"
        print(json.dumps(plain(call)), flush=True)
        print(json.dumps(attack.judge(wrapper, given, bad)), flush=True)


if __name__ == "__main__":
    main()
