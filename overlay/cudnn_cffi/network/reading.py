"""Read a network's file, and refuse what is damaged before anything is made of it."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from .. import errors
from .._support import files
from ..plan.operand import Operand, check_operands, span
from . import format as f

if TYPE_CHECKING:
    from collections.abc import Callable

    Take = Callable[[int, bytes], object]

#: Maximum sizes of all records, and of all texts, in bytes.
_MOST_RECORDS, _MOST_TEXTS = 64 << 20, 1 << 30

#: Maximum number of threads that read weights.
_THREADS = 4

_RECORDS: tuple[type[f.Record], ...] = (
    f.Tensor, f.StoredPlan, f.Tensor, f.Call, f.Step, f.Place,
)  # fmt: skip


def read_file(path: str | os.PathLike[str]) -> f.File:
    """Return all of a file but its weights, checked.

    Raises:
        NetworkFileError: it is damaged, cut off, of a newer format, or no file of a network.
        OSError: it cannot be read.
    """
    try:
        with files.opened(path) as file:
            return _read(file)
    except errors.NetworkFileError as error:
        text = f"{os.fsdecode(path)}: {error.message}"
        raise errors.NetworkFileError(text, hint=error.hint) from None


def _read(file: BinaryIO) -> f.File:
    size = os.fstat(file.fileno()).st_size
    header, data = _header(file, size)
    counts = header[12:18]
    _check_sizes(header)
    data += file.read(header.records - len(data))
    if len(data) != header.records or zlib.crc32(data[f.Header.CHECKED :]) != header.checksum:
        raise f.damaged("the checksum of its records is another")
    texts = file.read(header.texts)
    place = f.Header.FORMAT.size
    found: list[Sequence[f.Record]] = []
    for cls, count in zip(_RECORDS, counts, strict=True):
        records, place = f.unpack(cls, data, place, count)
        found.append(records)
    pieces = memoryview(data)[place : place + 4 * header.pieces].cast("I")
    if len(texts) != header.texts or zlib.crc32(texts) != pieces[0]:
        raise f.damaged("the checksum of its plans is another")
    made = f.File(header, *found, list(pieces), texts)  # type: ignore[arg-type, call-arg]
    check(made)
    return made


def _header(file: BinaryIO, size: int) -> tuple[f.Header, bytes]:
    data = file.read(f.Header.FORMAT.size)
    if data[: len(f.MAGIC)] != f.MAGIC:
        raise errors.NetworkFileError(
            "expected the file of a network, which begins with other bytes",
            hint="cudnn_cffi.torch.package writes one",
        )
    if len(data) < f.Header.FORMAT.size:
        raise f.damaged(f"it has {size} bytes, less than its header")
    header = f.Header.read(*f.Header.FORMAT.unpack(data))
    if header.version != f.VERSION:
        raise errors.NetworkFileError(
            f"the file of a network: expected format {f.VERSION}, got {header.version}",
            hint="a newer version of this package wrote it"
            if header.version > f.VERSION
            else "package the model anew",
        )
    if not header.size == size == header.records + header.texts + header.weights:
        raise f.damaged(f"it has {size} bytes, its header says {header.size}")
    return header, data


# Checks


def _check_sizes(header: f.Header) -> None:
    expected = f.Header.FORMAT.size + 4 * header.pieces
    expected += sum(n * cls.FORMAT.size for n, cls in zip(header[12:18], _RECORDS, strict=True))
    if header.records != -(-expected // f.GRAIN) * f.GRAIN or header.records > _MOST_RECORDS:
        raise f.damaged(f"its records have {header.records} bytes, expected {expected}")
    if header.pieces != 1 + -(-header.weights // f.PIECE) or header.texts > _MOST_TEXTS:
        raise f.damaged(f"it has {header.pieces} pieces, and {header.texts} bytes of texts")


def check(file: f.File) -> None:
    """Refuse records that contradict each other, or point out of their memory.

    Raises:
        NetworkFileError: they do, or a section is too large.
    """
    _check_sizes(file.header)
    try:
        check_operands([each.operand for each in file.tensors])
    except errors.ArgumentError as error:
        raise f.damaged(error.message) from None
    if not any(each.operand.role == "output" for each in file.tensors):
        raise f.damaged("it has no output")
    for plan in file.plans:
        _check_range("a plan", plan.text, plan.text_size, len(file.texts))
        _check_range("a graph", plan.source, plan.source_size, len(file.texts))
        _check_range("operands", plan.operand, plan.operands, len(file.operands))
        _check_range("operands", 0, plan.operands, f.OPERANDS)
        try:
            check_operands(operands_of(file, plan))
        except errors.ArgumentError as error:
            raise f.damaged(error.message) from None
    for call in file.calls:
        _check_range("operands", call.operand, 2, len(file.operands))
        if [each.role for each in operands_of(file, call)] != ["input", "output"]:
            raise f.damaged("a call has no input and output")
    for step in file.steps:
        operands = operands_of(file, work_of(file, step))
        _check_range("places", step.place, len(operands), len(file.places))
        for place, each in zip(file.places[step.place :], operands, strict=False):
            _check_place(file, place, each)


def _check_range(what: str, begin: int, size: int, end: int) -> None:
    if begin + size > end:
        raise f.damaged(f"{what} from {begin} to {begin + size}, where {end} is the end")


def work_of(file: f.File, step: f.Step) -> f.StoredPlan | f.Call:
    """Return the plan or call of a step."""
    if step.kind == f.PLAN and step.number < len(file.plans):
        return file.plans[step.number]
    if step.kind == f.CALL and step.number < len(file.calls):
        return file.calls[step.number]
    raise f.damaged(f"there is no step of kind {step.kind} and index {step.number}")


def operands_of(file: f.File, work: f.StoredPlan | f.Call) -> list[Operand]:
    """Return the operands of a plan or call."""
    count = work.operands if isinstance(work, f.StoredPlan) else 2
    return f.operands(file.operands[work.operand : work.operand + count])


def _check_place(file: f.File, place: f.Place, wanted: Operand) -> None:
    header = file.header
    known: dict[int, int] = {f.ARENA: header.arena, f.WEIGHTS: header.weights}
    end = known.get(place.where, 0)
    is_output = place.where == f.ARENA
    if place.where == f.TENSOR and place.tensor < len(file.tensors):
        operand = file.tensors[place.tensor].operand
        end, is_output = span(operand), operand.role == "output"
    _check_range("an operand", place.offset, place.size, end)
    size, written = span(wanted), wanted.role == "output"
    if place.size != size or place.offset % wanted.alignment or (written and not is_output):
        raise f.damaged(
            f"an operand of {size} bytes is at {place.offset} in {place.size} bytes of the memory "
            f"{place.where}"
        )


# Weights


def read_pieces(path: str | os.PathLike[str], file: f.File, take: Take | None) -> None:
    """Read the weights in several threads, and check each piece.

    Args:
        path: the file, of which `file` was read.
        file: the records.
        take: gets the offset of a piece among the weights, and its bytes; None to check alone.

    Raises:
        NetworkFileError: a piece is damaged.
    """
    pieces = range(len(file.pieces) - 1)
    shares = [pieces[number::_THREADS] for number in range(min(_THREADS, len(pieces)))]
    with ThreadPoolExecutor(max(1, len(shares))) as pool:
        list(pool.map(partial(_read_share, path, file, take), shares))


def _read_share(
    path: str | os.PathLike[str],
    file: f.File,
    take: Take | None,
    share: Sequence[int],
) -> None:
    header = file.header
    with files.opened(path) as source:
        for number in share:
            begin = number * f.PIECE
            size = min(f.PIECE, header.weights - begin)
            source.seek(header.records + header.texts + begin)
            data = source.read(size)
            if len(data) != size or zlib.crc32(data) != file.pieces[number + 1]:
                raise f.damaged(f"the checksum of the weights from byte {begin} is another")
            if take is not None:
                take(begin, data)
