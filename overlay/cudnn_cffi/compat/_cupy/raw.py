"""Functions of `cupy_backends.cuda.libs.cudnn` as calls: arguments, streams, errors."""

from __future__ import annotations

import ctypes
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from ... import errors
from ...arrays.libraries import cupy_stream
from .._algorithms import ALL, choose
from .._calls import calls
from .._words import STATUSES, number_of, old_number

if TYPE_CHECKING:
    from .._records import Record


class CuDNNError(RuntimeError):
    """A call that did not succeed.

    Attributes:
        status: the number of the status in cuDNN 8.
    """

    def __init__(self, status: int) -> None:
        self.status = operator.index(status)
        name = STATUSES.get(self.status, "CUDNN_UNKNOWN_STATUS")
        super().__init__(f"cuDNN Error: {name}")
        self._infos: list[str] = []

    def add_info(self, info: str) -> None:
        """Add a line to the message."""
        assert isinstance(info, str)
        self._infos.append(info)

    def add_infos(self, infos: list[str]) -> None:
        """Add lines to the message."""
        assert isinstance(infos, list)
        self._infos.extend(infos)

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *self._infos))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.status,), self.__dict__


class CuDNNAlgoPerf:
    """The performance of an algorithm.

    Attributes:
        algo: its number.
        status: 0 if it works.
        time: in milliseconds; -1 where it was not measured.
        memory: the bytes of workspace.
        determinism: 1 if it gives the same bits each time; -1 if not known.
        mathType: the number of its math type; -1 if not known.
    """

    __slots__ = ("algo", "determinism", "mathType", "memory", "status", "time")

    def __init__(
        self, algo: int, status: int, time: float, memory: int, determinism: int, mathType: int
    ) -> None:
        self.algo = algo
        self.status = status
        self.time = time
        self.memory = memory
        self.determinism = determinism
        self.mathType = mathType

    @classmethod
    def of(cls, perf: Any) -> CuDNNAlgoPerf:
        """Return the record for one of cuDNN's."""
        return cls(
            int(perf.algo), old_number(perf.status), perf.time, perf.memory, int(perf.determinism),
            int(perf.mathType),
        )  # fmt: skip

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"CuDNNAlgoPerf({shown})"


def check_status(status: int) -> None:
    """Raise `CuDNNError` unless a status is 0."""
    if status != 0:
        raise CuDNNError(old_number(status))


@contextmanager
def raised() -> Iterator[None]:
    """Let errors of this package be those of CuPy's in a `with` block."""
    try:
        yield
    except errors.CudnnError as error:
        raise_translated(error)


def translated(error: errors.CudnnError) -> Exception:
    """Return what CuPy raises for an error."""
    if type(error) is errors.ArgumentError:
        overflow = isinstance(error.__cause__, OverflowError)
        return (OverflowError if overflow else TypeError)(str(error))
    made = CuDNNError(number_of(error))
    made.add_infos(str(error).splitlines())
    return made


def raise_translated(error: errors.CudnnError) -> NoReturn:
    """Raise what CuPy raises for an error; where no library can be loaded, the error itself."""
    if isinstance(error, errors.LibraryError):
        raise error
    raise translated(error) from error


def follow(handle: int) -> None:
    """Set a handle to CuPy's current stream, if CuPy is there."""
    if "cupy" in sys.modules:
        calls.cudnnSetStream(handle, cupy_stream()())


def is_double(tensor: int) -> bool:
    """Return whether scaling factors for a tensor are double."""
    return bool(tensor) and calls.cudnnGetTensorNdDescriptor(tensor, 1).dataType.name == "DOUBLE"


#: No memory that a program has begins before this address.
_PAGE = 4096


def numbers_at(address: int, count: int, kind: Any = ctypes.c_int) -> list[Any]:
    """Return numbers in host memory."""
    if address < _PAGE:
        raise errors.NullPointerError(f"expected an address, got {address}")
    return list((kind * count).from_address(address))


def _factor(value: Any, tensor: int) -> Any:
    """Return a scaling factor: the number at an address, or what the call takes in its place."""
    if type(value) is not int:
        return value
    if value < _PAGE:
        raise errors.BadParamError(
            f"a scaling factor is the address of a number in host memory, got {value}",
            hint=f"pass {float(value)} for the number itself",
        )
    kind = ctypes.c_double if is_double(tensor) else ctypes.c_float
    return numbers_at(value, 1, kind)[0]


def _plain(result: Any) -> Any:
    """Return a result as CuPy does: ints, and tuples of ints."""
    return tuple(map(int, result)) if isinstance(result, tuple) else int(result)


def perfs(found: Iterable[Any]) -> list[CuDNNAlgoPerf]:
    """Return the records of CuPy for those of cuDNN."""
    return [CuDNNAlgoPerf.of(each) for each in found]


def times(found: Iterable[Any]) -> list[CuDNNAlgoPerf]:
    """Return records as cuDNN 6 had them, without determinism and math type."""
    return [
        CuDNNAlgoPerf(int(each.algo), old_number(each.status), each.time, each.memory, -1, -1)
        for each in found
    ]


def dicts(found: Iterable[Any]) -> list[dict[str, object]]:
    """Return the same as dictionaries."""
    names = ("algo", "status", "time", "memory")
    return [{name: getattr(each, name) for name in names} for each in times(found)]


#: Functions that make results, by the word of the record, and their types.
RESULTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "": (_plain, "None"),
    "int": (_plain, "int"),
    "tuple": (_plain, "tuple[int, ...]"),
    "status": (old_number, "int"),
    "perfs": (perfs, "list[CuDNNAlgoPerf]"),
    "times": (times, "list[CuDNNAlgoPerf]"),
    "dicts": (dicts, "list[dict[str, object]]"),
    "chosen": (int, "int"),
}


def raw(record: Record, module: str) -> Callable[..., object]:
    """Return the function of a record, which calls cuDNN with numbers."""
    signature, count = record.signature, len(record.parameters)
    c_name, factors, follows = record.target, record.factors, record.follows
    plain = record.is_plain
    chosen, (make, _) = record.result == "chosen", RESULTS[record.result]
    destroys = c_name.startswith("cudnnDestroy")

    function: Any = None

    def call(*args: Any, **named: Any) -> object:
        nonlocal function
        if named or len(args) != count:
            args = signature.bind(*args, **named).args
        if destroys and type(args[0]) is int and args[0] == 0:
            return None  # as cuDNN 8
        try:
            if function is None:
                function = getattr(calls, c_name)
            if chosen:
                return choose(function(*args[:-2], ALL), *args[-2:])
            if factors:
                given = list(args)
                for factor, tensor in factors:
                    given[factor] = _factor(args[factor], args[tensor])
                args = tuple(given)
            if follows:
                follow(args[0])
            got = function(*(args if plain else record.arguments(args)))
        except errors.CudnnError as error:
            raise_translated(error)
        return None if got is None else make(got)

    # Tools show the parameters by `__signature__`.
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = f"Return the best algorithm by `{c_name}`." if chosen else f"Call `{c_name}`."
    call.__name__ = call.__qualname__ = record.name
    call.__module__ = module
    return call


def getVersion() -> int:
    """Return the release of the loaded cuDNN, such as 91900 for 9.19.0."""
    return int(calls.cudnnGetVersion())


def getFilterNdDescriptor(
    wDesc: int, nbDimsRequested: int
) -> tuple[int, int, int, tuple[int, ...]]:
    """Call `cudnnGetFilterNdDescriptor`; extents that were asked for and are not there are 0."""
    with raised():
        if nbDimsRequested < 1:
            raise errors.BadParamError(f"nbDimsRequested: {nbDimsRequested} is less than 1")
        got = calls.cudnnGetFilterNdDescriptor(wDesc, nbDimsRequested)
    missing = (0,) * (nbDimsRequested - len(got.filterDimA))
    return int(got.dataType), int(got.format), got.nbDims, (*got.filterDimA, *missing)


def setDropoutDescriptor(
    dropoutDesc: int, handle: int, dropout: float, states: object, stateSizeInBytes: int, seed: int
) -> None:
    """Call `cudnnSetDropoutDescriptor`, in CuPy's current stream; without states they stay."""
    with raised():
        follow(handle)
        calls.cudnnSetDropoutDescriptor(
            dropoutDesc, handle, dropout, states, stateSizeInBytes, seed
        )
