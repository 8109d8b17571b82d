"""The half of the probe that may crash: loads libcudnn and puts questions to it.

Run by `probe` as `python -m generator.attributes.child`. One JSON request comes in on standard
input, one JSON line an answer goes out on standard output, so that the parent knows which question
a crash belongs to. Only the standard library is used: any interpreter can run it.

The request:

    library, preload   paths; what is preloaded is loaded first, for all to see
    types              attribute type -> number
    descriptors        descriptor type -> number
    attributes         attribute -> number
    handle             whether to create a cuDNN handle (the value `{"handle": true}`)
    bench              descriptors to make before the questions: `{"name", "descriptor", "set"}`
                       with "set" a list of `[attribute, type, values]`, or `{"name",
                       "descriptor", "fetch": [name, attribute]}` for one that another lends
    questions          `["set", attribute, type, descriptor, before, values]` or
                       `["get", attribute, type, name, element]`, where a descriptor that is read
                       goes into a new one of the type `element`, or `{"ref": name}`

A value is a number, a text, `{"ref": name of a bench descriptor}`, `{"handle": true}` or
`{"buffer": true}`, an address with zeros behind it.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from typing import Any

#: How one element of a type is stored; what is not named here is an enum.
_FORMATS = {
    "CUDNN_TYPE_HANDLE": "P",
    "CUDNN_TYPE_BOOLEAN": "?",
    "CUDNN_TYPE_INT64": "q",
    "CUDNN_TYPE_FLOAT": "f",
    "CUDNN_TYPE_DOUBLE": "d",
    "CUDNN_TYPE_VOID_PTR": "P",
    "CUDNN_TYPE_BACKEND_DESCRIPTOR": "P",
    "CUDNN_TYPE_CHAR": "B",
    "CUDNN_TYPE_FRACTION": "qq",
}

#: Zeros behind every pointer, so that a library that reads more than it was given reads zeros.
_ROOM = 1 << 16

#: The exit status that says: a mistake in the request or in this module.
FAILED = 70

_DESCRIPTOR = "CUDNN_TYPE_BACKEND_DESCRIPTOR"


class _CreateError(Exception):
    """A descriptor that cannot be created; the text is the status."""


class _Library:
    def __init__(self, path: str, preload: list[str]) -> None:
        for name in preload:
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        self._lib = ctypes.CDLL(os.path.realpath(path))
        pointer = ctypes.c_void_p
        declared: dict[str, tuple[Any, tuple[Any, ...]]] = {
            "cudnnGetVersion": (ctypes.c_size_t, ()),
            "cudnnGetErrorString": (ctypes.c_char_p, (ctypes.c_int,)),
            "cudnnCreate": (ctypes.c_int, (pointer,)),
            "cudnnBackendCreateDescriptor": (ctypes.c_int, (ctypes.c_int, pointer)),
            "cudnnBackendDestroyDescriptor": (ctypes.c_int, (pointer,)),
            "cudnnBackendFinalize": (ctypes.c_int, (pointer,)),
            "cudnnBackendSetAttribute": (
                ctypes.c_int,
                (pointer, ctypes.c_int, ctypes.c_int, ctypes.c_int64, pointer),
            ),
            "cudnnBackendGetAttribute": (
                ctypes.c_int,
                (pointer, ctypes.c_int, ctypes.c_int, ctypes.c_int64, pointer, pointer),
            ),
        }
        for name, (result, arguments) in declared.items():
            function = getattr(self._lib, name)
            function.restype, function.argtypes = result, arguments
        self._text: Any = getattr(self._lib, "cudnnGetLastErrorString", None)  # since 9.0
        if self._text is not None:
            self._text.restype, self._text.argtypes = None, (pointer, ctypes.c_size_t)

    def version(self) -> int:
        return int(self._lib.cudnnGetVersion())

    def status(self, status: int) -> str:
        name: bytes = self._lib.cudnnGetErrorString(status)
        return name.decode()

    def text(self) -> str:
        """Why the last call failed, where the library says so."""
        if self._text is None:
            return ""
        buffer = ctypes.create_string_buffer(4096)
        self._text(buffer, len(buffer))
        return buffer.value.decode(errors="replace").strip()

    def handle(self) -> int:
        """Return a handle, or 0 on a machine where none can be created."""
        out = ctypes.c_void_p()
        return out.value or 0 if not self._lib.cudnnCreate(ctypes.byref(out)) else 0

    def create(self, descriptor_type: int) -> int:
        out = ctypes.c_void_p()
        status = self._lib.cudnnBackendCreateDescriptor(descriptor_type, ctypes.byref(out))
        if status or not out.value:
            raise _CreateError(self.status(status))
        return out.value

    def destroy(self, descriptor: int) -> None:
        self._lib.cudnnBackendDestroyDescriptor(descriptor)

    def finalize(self, descriptor: int) -> int:
        return int(self._lib.cudnnBackendFinalize(descriptor))

    def set(self, descriptor: int, attribute: int, type_: int, count: int, elements: Any) -> int:
        return int(
            self._lib.cudnnBackendSetAttribute(descriptor, attribute, type_, count, elements)
        )

    def get(self, descriptor: int, attribute: int, type_: int, count: int, elements: Any) -> int:
        found = ctypes.c_int64()
        return int(
            self._lib.cudnnBackendGetAttribute(
                descriptor, attribute, type_, count, ctypes.byref(found), elements
            )
        )


class _Bench:
    """The descriptors that were made, and how values are spelled in memory."""

    def __init__(self, library: _Library, request: dict[str, Any]) -> None:
        self.library = library
        self._types: dict[str, int] = request["types"]
        self._descriptors: dict[str, int] = request["descriptors"]
        self._attributes: dict[str, int] = request["attributes"]
        self._handle = library.handle() if request["handle"] else 0
        self._zeros = ctypes.create_string_buffer(_ROOM)
        self._made: dict[str, int] = {}

    def _number(self, value: Any) -> int | float:
        if not isinstance(value, dict):
            number: int | float = value
            return number
        if "ref" in value:
            return self._made[value["ref"]]
        return self._handle if "handle" in value else ctypes.addressof(self._zeros)

    def _elements(self, type_: str, values: list[Any]) -> tuple[int, Any]:
        if len(values) == 1 and isinstance(values[0], str):
            data = values[0].encode() + b"\0"
            return len(data), ctypes.create_string_buffer(data, _ROOM + len(data))
        form = _FORMATS.get(type_, "i")
        numbers = [self._number(value) for value in values]
        if form in ("i", "q", "P", "B"):
            numbers = [int(number) for number in numbers]
        count = len(numbers) // len(form)
        data = struct.pack("=" + (form * count).replace("P", "Q"), *numbers)
        return count, ctypes.create_string_buffer(data, _ROOM + len(data))

    def _set(self, descriptor: int, attribute: str, type_: str, values: list[Any]) -> int:
        count, elements = self._elements(type_, values)
        return self.library.set(
            descriptor, self._attributes[attribute], self._types[type_], count, elements
        )

    def _can(self, values: list[Any]) -> bool:
        """Whether there is a descriptor or a handle for each value that is one."""
        return all(
            value["ref"] in self._made if "ref" in value else "buffer" in value or self._handle
            for value in values
            if isinstance(value, dict)
        )

    def make(self, item: dict[str, Any]) -> str:
        """Make one descriptor of the bench, and say with which status that ended."""
        if item["name"] in self._made:
            return "kept"
        try:
            descriptor = self.library.create(self._descriptors[item["descriptor"]])
        except _CreateError as error:
            return str(error)
        if "fetch" in item:
            parent, attribute = item["fetch"]
            if parent not in self._made:
                return "unlent"
            elements = ctypes.create_string_buffer(struct.pack("=Q", descriptor), _ROOM)
            status = self.library.get(
                self._made[parent],
                self._attributes[attribute],
                self._types[_DESCRIPTOR],
                1,
                elements,
            )
        else:
            for attribute, type_, values in item["set"]:
                if self._can(values):
                    self._set(descriptor, attribute, type_, values)
            status = self.library.finalize(descriptor)
        if status == 0:
            self._made[item["name"]] = descriptor
            return "made"
        return f"{self.library.status(status)} {self.library.text()}".strip()

    def ask_set(self, question: list[Any]) -> dict[str, str]:
        """Try to set one attribute of a fresh descriptor to elements of one type."""
        attribute, type_, owner, before, values = question
        if not self._can(values):
            return {"status": "nothing to set"}
        try:
            descriptor = self.library.create(self._descriptors[owner])
        except _CreateError as error:
            return {"status": "no descriptor", "text": str(error)}
        for earlier in before:
            self._set(descriptor, *earlier)
        self.library.text()  # whatever an earlier call left
        status = self._set(descriptor, attribute, type_, values)
        answer = self._answer(status)
        self.library.destroy(descriptor)
        return answer

    def ask_get(self, question: list[Any]) -> dict[str, str]:
        """Asks a finished descriptor for one attribute as elements of one type."""
        attribute, type_, name, element = question
        if name not in self._made:
            return {"status": "no descriptor"}
        self.library.text()
        status = 0
        asks = type_ == _DESCRIPTOR and isinstance(element, dict)
        for count in (1,) if asks else (0, 1):  # 0: the number of elements alone
            elements = None
            if count:
                first = self._lendable(element) if type_ == _DESCRIPTOR else 0
                elements = ctypes.create_string_buffer(struct.pack("=Q", first), _ROOM)
            status = self.library.get(
                self._made[name],
                self._attributes[attribute],
                self._types[type_],
                count,
                elements,
            )
            if status == 0:
                break
        return self._answer(status)

    def _lendable(self, element: Any) -> int:
        if isinstance(element, dict):
            return self._made.get(element["ref"], 0)
        try:
            return self.library.create(self._descriptors[element])
        except _CreateError:
            return 0

    def _answer(self, status: int) -> dict[str, str]:
        if status == 0:
            return {"status": "CUDNN_STATUS_SUCCESS"}
        text = self.library.text()
        answer = {"status": self.library.status(status)}
        return answer | {"text": text} if text else answer


def main() -> None:
    """Answer the request on standard input."""
    # cuDNN prints to standard output now and then: keep the pipe to the parent out of its reach.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    library = _Library(request["library"], request["preload"])
    print(json.dumps({"version": library.version()}), file=out)
    bench = _Bench(library, request)
    for item in request["bench"]:
        print(json.dumps({"making": item["name"]}), file=out)
        print(json.dumps({"made": item["name"], "status": bench.make(item)}), file=out)
    for kind, *question in request["questions"]:
        answer = bench.ask_set(question) if kind == "set" else bench.ask_get(question)
        print(json.dumps(answer), file=out)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        # Not a crash of the library's: the parent must not take it for one.
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(FAILED)
