"""The half of the schema probe that may crash: loads libcudnn and forks a child for its questions.

Run by `generator.lab` as `python -m generator.lab.child`. The first line of standard
input is the setup, every other line a list of jobs; each job is answered by one line on standard
output. Jobs are done in forked children, so that the library is loaded once: a crash is the answer
to its job, and the next child goes on after it. Only the standard library is used.

The setup:

    library            its path
    types              attribute type -> number
    descriptors        descriptor type -> number
    attributes         attribute -> number
    silence            seconds that a child may take for an answer
    warm               descriptor types to finalize empty, to load the library's parts before forks

A job:

    descriptor, set    what to create, and `[attribute, type, values, count]` in the order to set
    dump               whether to answer with the descriptor as the library logs it
    finalize           whether to finalize it; with `graph` also a graph of this one operation
    get                `[attribute, type, descriptor type]` to read after that
    told               whether to answer with the library's text about the last step
    alone              whether it wants a child of its own

Or, of a descriptor that is finished:

    made, reads        a job that makes one, and `[attribute, type, descriptor]` to read for the
                       status alone: `descriptor` is the type to read into, or a job

A value is a number, a text, `{"buffer": true}` (an address with zeros after it), a job that makes
a descriptor, or `{"lent": [job, attribute], "descriptor": type}` for one that another lends.

Where a job cannot be done, its answer has `refused` (something it needs cannot be made), `crash`,
or `mistake` (an error of this module or of the job).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import struct
import sys
from collections.abc import Iterator
from typing import Any

#: The storage of one element of a type; types that are not named here are enums or 32-bit integers.
_FORMATS = {
    "CUDNN_TYPE_HANDLE": "Q",
    "CUDNN_TYPE_BOOLEAN": "?",
    "CUDNN_TYPE_INT64": "q",
    "CUDNN_TYPE_FLOAT": "f",
    "CUDNN_TYPE_DOUBLE": "d",
    "CUDNN_TYPE_VOID_PTR": "Q",
    "CUDNN_TYPE_BACKEND_DESCRIPTOR": "Q",
    "CUDNN_TYPE_CHAR": "B",
    "CUDNN_TYPE_FRACTION": "qq",
}
_DESCRIPTOR = "CUDNN_TYPE_BACKEND_DESCRIPTOR"

#: Zeros after the memory that is passed, for a library that reads or writes more than it was told.
_ROOM = 1 << 16

#: Maximum number of elements that are read.
_READ = 128

_INFO = 8  # the bit of cudnnSetCallback's mask for a log of every call

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _RefusedError(Exception):
    """A descriptor that the job needs cannot be made; the text says where that ended."""


class _Library:
    def __init__(self, setup: dict[str, Any]) -> None:
        lib = self._lib = ctypes.CDLL(os.path.realpath(setup["library"]))
        pointer, number = ctypes.c_void_p, ctypes.c_int
        lib.cudnnGetVersion.restype = ctypes.c_size_t
        lib.cudnnGetErrorString.restype = ctypes.c_char_p
        lib.cudnnBackendCreateDescriptor.argtypes = (number, pointer)
        lib.cudnnBackendFinalize.argtypes = (pointer,)
        elements = (pointer, number, number, ctypes.c_int64)
        lib.cudnnBackendSetAttribute.argtypes = (*elements, pointer)
        lib.cudnnBackendGetAttribute.argtypes = (*elements, pointer, pointer)
        lib.cudnnSetCallback.argtypes = (ctypes.c_uint, pointer, _CALLBACK)
        self._said = ctypes.create_string_buffer(4096)
        self._text: Any = getattr(lib, "cudnnGetLastErrorString", None)  # since 9.0
        if self._text is not None:
            self._text.restype, self._text.argtypes = None, (pointer, ctypes.c_size_t)
        self._types: dict[str, int] = setup["types"]
        self._descriptors: dict[str, int] = setup["descriptors"]
        self._attributes: dict[str, int] = setup["attributes"]
        self._made: dict[str, int] = {}
        self._kept: list[Any] = []
        self._logged: list[str] = []
        self._callback = _CALLBACK(self._log)

    def version(self) -> int:
        return int(self._lib.cudnnGetVersion())

    def _status(self, status: int) -> str:
        name: bytes = self._lib.cudnnGetErrorString(status)
        return name.decode()

    def _why(self) -> str:
        """Return why the last call failed, where the library says so."""
        if self._text is None:
            return ""
        self._text(self._said, len(self._said))
        return self._said.value.decode(errors="replace").strip()

    def _log(self, _severity: int, _user: int, _debug: int, message: int) -> None:
        """Collect a message: lines that end in NUL, the last one empty."""
        lines = []
        while line := ctypes.string_at(message):
            lines.append(line.decode(errors="replace"))
            message += len(line) + 1
        self._logged.append("\n".join(lines))

    def create(self, descriptor_type: str) -> int:
        out = ctypes.c_void_p()
        status = self._lib.cudnnBackendCreateDescriptor(
            self._descriptors[descriptor_type], ctypes.byref(out)
        )
        if status or not out.value:
            raise _RefusedError(f"create {descriptor_type}: {self._status(status)}")
        return out.value

    def finalize(self, descriptor: int) -> str:
        return self._status(self._lib.cudnnBackendFinalize(descriptor))

    def _number(self, value: Any) -> int | float:
        if not isinstance(value, dict):
            number: int | float = value
            return number
        if "buffer" not in value:
            return self._make(value)
        self._kept.append(ctypes.create_string_buffer(_ROOM))
        return ctypes.addressof(self._kept[-1])

    def _set(
        self, descriptor: int, attribute: str, type_: str, values: list[Any], count: Any
    ) -> str:
        if values and isinstance(values[0], str):
            data, told = values[0].encode() + b"\0", len(values[0].encode()) + 1
        else:
            form = _FORMATS.get(type_, "i")
            numbers = [self._number(value) for value in values]
            if form not in ("f", "d"):
                numbers = [int(number) for number in numbers]
            if form == "i":  # of 32 bits, whatever the sign: enums have both
                form, numbers = "I", [int(number) & 0xFFFFFFFF for number in numbers]
            told = len(numbers) // len(form)
            data = struct.pack("=" + form * told, *numbers)
        elements = ctypes.create_string_buffer(data, len(data) + _ROOM)
        self._why()  # forget what an earlier call left
        status = self._lib.cudnnBackendSetAttribute(
            descriptor,
            self._attributes[attribute],
            self._types[type_],
            told if count is None else count,
            elements,
        )
        return self._status(status)

    def _make(self, job: dict[str, Any]) -> int:
        """Return the finalized descriptor of a job, made once in a child."""
        key = json.dumps(job, sort_keys=True)
        if key not in self._made:
            descriptor = self.create(job["descriptor"])
            if "lent" in job:
                lender, attribute = job["lent"]
                read = self._get(self._make(lender), attribute, _DESCRIPTOR, None, descriptor)
                status = read[0]
            else:
                for step in job["set"]:
                    status = self._set(descriptor, *step)
                    if status != "CUDNN_STATUS_SUCCESS":
                        raise _RefusedError(f"{job['descriptor']}: {step[0]}: {status}")
                status = self.finalize(descriptor)
            if status != "CUDNN_STATUS_SUCCESS":
                raise _RefusedError(f"{job['descriptor']}: {status}")
            self._made[key] = descriptor
        return self._made[key]

    def _dump(self, descriptor: int) -> list[str]:
        """Return the fields of a descriptor, as the log of a call that does nothing shows them."""
        del self._logged[:]
        self._lib.cudnnSetCallback(_INFO, None, self._callback)
        count, room = ctypes.c_int64(), ctypes.create_string_buffer(64)
        self._lib.cudnnBackendGetAttribute(descriptor, 0, 0, 0, ctypes.byref(count), room)
        self._lib.cudnnSetCallback(0, None, self._callback)
        fields: list[str] = []
        for line in self._logged[0].split("\n")[2:] if self._logged else ():
            if line.startswith("    attributeName:"):
                break
            if line.startswith("        ") and line[8:9] != " ":
                fields.append(line.strip())
            elif fields:
                fields[-1] += "\n" + line.strip()
        return fields

    def _get(
        self, descriptor: int, attribute: str, type_: str, element: str | None, into: int = 0
    ) -> list[Any]:
        """Return the status, and the elements; of a descriptor that is read, its dump."""
        number = (self._attributes[attribute], self._types[type_])
        elements = ctypes.create_string_buffer(_ROOM)
        found, room = ctypes.c_int64(), _READ
        if type_ == _DESCRIPTOR:
            if not into and element is None:
                return ["no descriptor", []]
            into = into or self.create(element or "")
            struct.pack_into("=Q", elements, 0, into)
            room = 1
        get = self._lib.cudnnBackendGetAttribute
        status = self._status(get(descriptor, *number, room, ctypes.byref(found), elements))
        if status != "CUDNN_STATUS_SUCCESS" and type_ != _DESCRIPTOR:
            status = self._status(get(descriptor, *number, 1, ctypes.byref(found), elements))
        if status != "CUDNN_STATUS_SUCCESS":
            return [status, []]
        count = max(0, min(found.value, room))
        if type_ == _DESCRIPTOR:
            return [status, [self._dump(into)][:count]]
        form = _FORMATS.get(type_, "i")
        return [status, list(struct.unpack_from("=" + form * count, elements))]

    def _read(self, descriptor: int, attribute: str, type_: str, into: Any) -> str:
        """Return the status of asking for the number of elements, or else for one of them."""
        number = (self._attributes[attribute], self._types[type_])
        get, found = self._lib.cudnnBackendGetAttribute, ctypes.c_int64()
        status = ""
        for room in (1,) if isinstance(into, dict) else (0, 1):
            elements = ctypes.create_string_buffer(_ROOM)
            if room and type_ == _DESCRIPTOR:
                made = self._make(into) if isinstance(into, dict) else self.create(into)
                struct.pack_into("=Q", elements, 0, made)
            status = self._status(
                get(descriptor, *number, room, ctypes.byref(found), elements if room else None)
            )
            if status == "CUDNN_STATUS_SUCCESS":
                break
        return status

    def do(self, job: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._do(job)
        except _RefusedError as error:
            return {"refused": str(error)}
        except Exception as error:
            return {"mistake": f"{type(error).__name__}: {error}"}

    def _do(self, job: dict[str, Any]) -> dict[str, Any]:
        if "made" in job:
            return {"reads": [self._read(self._make(job["made"]), *each) for each in job["reads"]]}
        descriptor = self.create(job["descriptor"])
        answer: dict[str, Any] = {"set": [self._set(descriptor, *step) for step in job["set"]]}
        if job.get("told") and answer["set"][-1] != "CUDNN_STATUS_SUCCESS":
            answer["told"] = self._why()
        if job.get("dump"):
            answer["dump"] = self._dump(descriptor)
        if not job.get("finalize"):
            return answer
        answer["finalize"] = self.finalize(descriptor)
        if answer["finalize"] == "CUDNN_STATUS_SUCCESS":
            if job.get("graph"):
                graph = self.create("CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR")
                self._lib.cudnnBackendSetAttribute(
                    graph,
                    self._attributes["CUDNN_ATTR_OPERATIONGRAPH_OPS"],
                    self._types[_DESCRIPTOR],
                    1,
                    struct.pack("=Q", descriptor),
                )
                answer["graph"] = self.finalize(graph)
            answer["get"] = [self._get(descriptor, *wanted) for wanted in job.get("get", ())]
        return answer


def _fork(
    library: _Library, jobs: list[dict[str, Any]], silence: float
) -> Iterator[dict[str, Any]]:
    """Yield the answers of one child; fewer than jobs where it crashes."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with (
            contextlib.suppress(BaseException),
            os.fdopen(writing, "w", buffering=1, encoding="utf-8") as pipe,
        ):
            os.close(reading)
            for job in jobs:
                pipe.write(json.dumps(library.do(job)) + "\n")
        os._exit(0)
    os.close(writing)
    rest, hangs = b"", False
    while True:
        if not select.select([reading], [], [], silence)[0]:
            hangs = True
            os.kill(pid, signal.SIGKILL)
            break
        data = os.read(reading, 1 << 20)
        if not data:
            break
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            jobs = jobs[1:]
            yield json.loads(line)
    os.close(reading)
    status = os.waitpid(pid, 0)[1]
    if jobs:
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        yield {"crash": "hangs" if hangs else signal.Signals(number).name if number else "exit"}


def _answers(
    library: _Library, jobs: list[dict[str, Any]], silence: float
) -> Iterator[dict[str, Any]]:
    while jobs:
        count = 1
        while not jobs[0].get("alone") and count < len(jobs) and not jobs[count].get("alone"):
            count += 1
        for answer in _fork(library, jobs[:count], silence):
            jobs = jobs[1:]
            yield answer


def main() -> None:
    """Answer requests from standard input, one line each."""
    # cuDNN prints to standard output now and then: keep the pipe to the parent out of its reach.
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # crashes are answers here
    setup = json.loads(sys.stdin.readline())
    library = _Library(setup)
    print(json.dumps({"version": library.version()}), file=out)
    for descriptor in setup["warm"]:
        job = {"descriptor": descriptor, "set": [], "finalize": True}
        (answer,) = _fork(library, [job], setup["silence"])
        if "crash" not in answer:
            library.do(job)
    for line in sys.stdin:
        for answer in _answers(library, json.loads(line), setup["silence"]):
            print(json.dumps(answer), file=out)


if __name__ == "__main__":
    main()
