"""All exceptions: one class for each group of statuses, the same for all releases.

cuDNN 9 gave most statuses other numbers and split several of them, so a class is chosen by the
status's *name*: the longest known prefix of it decides, also for later releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from ._error_texts import filled, hint_of_text, seconds_of_texts
from ._error_texts import first_line as first_line
from ._error_texts import quiet as quiet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, Self, TypedDict, TypeVar, Unpack

    class About(TypedDict, total=False):
        """Attributes of a `CudnnError` that do not follow from the call's status."""

        text: str
        arguments: Mapping[str, str] | None
        library: str
        version: str
        tables: str

    class Hinted(About, total=False):
        function: str
        status: int | None
        status_name: str
        hint: str

    class Changes(Hinted, total=False):
        message: str

    class Explanation(Protocol):
        """The answer of `explain`."""

        @property
        def sentence(self) -> str: ...
        @property
        def change(self) -> tuple[str, ...]: ...

    class Refusal(Protocol):
        """An engine, or a way to find engines, that does not support a graph."""

        @property
        def engine(self) -> int | None: ...
        @property
        def knobs(self) -> dict[str, int]: ...
        @property
        def stage(self) -> str: ...
        @property
        def status(self) -> str: ...
        @property
        def reason(self) -> str: ...
        def to_dict(self) -> dict[str, object]: ...

    _T = TypeVar("_T")

__all__ = [
    "AllocationError",
    "ArchMismatchError",
    "ArgumentError",
    "BadParamError",
    "ClosedError",
    "CudnnError",
    "DatabaseError",
    "DeprecatedError",
    "ErrataError",
    "ExecutionFailedError",
    "ForkedError",
    "GraphError",
    "InternalError",
    "LibraryConflictError",
    "LibraryError",
    "LibraryLoadError",
    "LibraryNotFoundError",
    "LicenseError",
    "MisalignedPointerError",
    "MissingFunctionError",
    "NetworkFileError",
    "NoPlanError",
    "NotFinalizedError",
    "NotInitializedError",
    "NotSupportedError",
    "NullPointerError",
    "RuntimeInProgressError",
    "RuntimeOverflowError",
    "ShapeMismatchError",
    "SublibraryError",
    "UnknownMemberError",
    "UnsupportedVersionError",
    "VersionMismatchError",
    "from_status",
    "hint_for",
]


_ATTRIBUTES = (
    *("message", "function", "status", "status_name", "text", "arguments", "library", "version"),
    *("tables", "hint"),
)


class CudnnError(RuntimeError):
    """Anything that cuDNN refused, or that this package refused on its behalf.

    Only `str()` puts the parts together, so an error that is caught and dropped costs little.

    Attributes:
        message: what happened, in one line.
        function: the C name of the function, or "".
        status: what the function returned, an `int` or enum member; None where no call was made.
        status_name: the C name of `status`, or "" where the tables do not know it.
        text: cuDNN's own description of its last error, or "".
        arguments: how each argument reads, by parameter name.
        library: the path of libcudnn, or "".
        version: the release that the library reports, as in "9.28.0", or "".
        tables: the release whose tables are in use, or "".
        hint: what to try, or "".
    """

    _attributes: tuple[str, ...] = _ATTRIBUTES

    def __init__(
        self, message: str = "", *, function: str = "", status: int | None = None,
        status_name: str = "", text: str = "", arguments: Mapping[str, str] | None = None,
        library: str = "", version: str = "", tables: str = "", hint: str = "",
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.message = message
        self.function = function
        self.status = status
        self.status_name = status_name
        self.text = text
        self.arguments = dict(arguments or {})
        self.library = library
        self.version = version
        self.tables = tables
        self.hint = hint

    def replace(self, **changes: Unpack[Changes]) -> Self:
        """Return a copy of this error with other attributes, of the same class and cause."""
        parts = {name: getattr(self, name) for name in self._attributes}
        parts.update(changes)
        copy = type(self)(**parts)
        copy.__cause__ = self.__cause__
        return copy

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"


class ArgumentError(CudnnError, TypeError, ValueError):
    """An argument that was refused before the call: a wrong type, a number out of range."""


class UnknownMemberError(CudnnError, KeyError, AttributeError):
    """A name that no member of an enum has, as a key or an attribute of its class."""


class ErrataError(ArgumentError):
    """A file of errata that is damaged, or has an entry that matches nothing."""


class DatabaseError(ArgumentError):
    """A database of engines that is damaged, or of another device or release."""


class NetworkFileError(ArgumentError):
    """The file of a network that is damaged, cut off, or of a newer format."""


class ClosedError(ArgumentError):
    """An object that was used after it was closed."""


class NotInitializedError(CudnnError):
    """cuDNN could not start, or one of its objects was not set up."""


class BadParamError(CudnnError, ValueError):
    """An argument has a value that the function does not take."""


class NullPointerError(BadParamError):
    """NULL where an address is needed; found by cuDNN or, where C would crash, before the call."""


class MisalignedPointerError(BadParamError):
    """An address that is not a multiple of what the function needs."""


class NotFinalizedError(BadParamError):
    """A backend descriptor was used before cudnnBackendFinalize, or changed after it."""


class ShapeMismatchError(BadParamError):
    """Tensors whose extents do not go together."""


class NotSupportedError(CudnnError):
    """A combination of valid arguments that this library has no implementation for."""


_POINTER = "explain() of this error finds the nearest graph that is supported"


class NoPlanError(NotSupportedError):
    """A graph that no engine of this library supports, with the reasons of all.

    Its text has the nearest graph that is supported and the difference, if a search of 2 seconds
    finds it. The first `str(error)` searches, later ones and code that catches the error do not.
    The environment variable CUDNN_CFFI_EXPLAIN is another number of seconds, 0 for no search.
    Nothing is searched while a stream is captured, in a child of a process that used CUDA, and
    while another thread searches: `explain()` does it then.

    Attributes:
        refusals: a record for each engine and configuration that was tried: `engine`, `knobs`,
            `stage`, `status` and `reason`.
        question: the graph or call that was refused; None if the error does not know it.
    """

    _attributes = (*_ATTRIBUTES, "refusals", "question")
    _explanation: Explanation | None = None
    _failure = ""

    def __init__(
        self,
        message: str = "",
        *,
        refusals: Sequence[Refusal] = (),
        question: object = None,
        **about: Unpack[Hinted],
    ) -> None:
        super().__init__(message, **about)
        self.refusals = refusals
        self.question = question

    def explain(self, seconds: float = 5.0) -> Explanation:
        """Return the nearest graph or call that is supported; see `cudnn_cffi.explain`.

        Args:
            seconds: how long to search; a build that has begun is not stopped.

        Raises:
            ArgumentError: the error does not know what was refused: only those of `Graph.build` and
                of operations do.
            CudnnError: as `cudnn_cffi.explain` does.
        """
        if self.question is None:
            raise ArgumentError(
                "this error does not know what was refused",
                hint="cudnn_cffi.explain(graph) explains a graph",
            )
        self._explanation = self._asked("answer_question", seconds)
        assert self._explanation is not None
        return self._explanation

    def _asked(self, name: str, seconds: float) -> Explanation | None:
        """Return an answer of the room of explanations, which is far above this module."""
        answer = getattr(import_module(f"{__package__}._explain"), name)
        with quiet():
            # A copy was not raised here.
            return answer(self.question, seconds, self.__traceback__ and self)

    def __str__(self) -> str:
        text = super().__str__()
        if self.question is None:
            return text
        seconds = seconds_of_texts()
        if seconds and self._explanation is None and not self._failure:
            try:
                self._explanation = self._asked("answer_text", seconds)
            except Exception as error:  # a text is no place for another error
                self._failure = f"explain() failed: {getattr(error, 'message', error)}"
        found = self._explanation
        if found is None:
            more = self._failure or _POINTER
            return f"{text}\n  {more}"
        return "\n    ".join([f"{text}\n  nearest: {found.sentence}", *found.change])


class ArchMismatchError(NotSupportedError):
    """The GPU lacks what the function needs."""


class GraphError(CudnnError, ValueError):
    """A graph of operations with a circle, a tensor that no node computes, or no output."""


class InternalError(CudnnError):
    """Something failed inside cuDNN."""


class AllocationError(InternalError, MemoryError):
    """cuDNN could not get host or device memory."""


class ExecutionFailedError(CudnnError):
    """A kernel, or a call into CUDA, did not succeed."""


class VersionMismatchError(CudnnError):
    """Parts of different releases were mixed: sub-libraries, or a serialized plan."""


class SublibraryError(CudnnError):
    """One of libcudnn's sub-libraries could not be loaded."""


class RuntimeInProgressError(CudnnError):
    """The result is still being computed on the GPU."""


class RuntimeOverflowError(CudnnError, OverflowError):
    """Numbers left the range of their type during a computation on the GPU."""


class LicenseError(CudnnError):
    """The feature needs a licence that was not found."""


class DeprecatedError(CudnnError):
    """The library no longer does what was asked."""


class LibraryError(CudnnError, ImportError):
    """libcudnn cannot be used: not there, broken, or in conflict with another copy."""


class LibraryNotFoundError(LibraryError):
    """No copy of libcudnn in any of the places where one is looked for."""


class LibraryLoadError(LibraryError):
    """A copy of libcudnn was found but cannot be loaded."""


class LibraryConflictError(LibraryError):
    """Another copy of libcudnn is in the process already, and the two cannot live together."""


class UnsupportedVersionError(LibraryError):
    """There are no tables for the release of this library."""


class MissingFunctionError(CudnnError, NotImplementedError):
    """A function that exists in cuDNN, but not in the release that is loaded."""


class ForkedError(CudnnError):
    """The process was forked while it had handles, which do not work in a child."""


_PREFIX = "CUDNN_STATUS_"

#: Families by the beginning of a status's name, without CUDNN_STATUS_.
_FAMILIES: Mapping[str, type[CudnnError]] = {
    "NOT_INITIALIZED": NotInitializedError,
    "ALLOC_FAILED": AllocationError,
    "BAD_PARAM": BadParamError,
    "BAD_PARAM_NULL_POINTER": NullPointerError,
    "BAD_PARAM_MISALIGNED_POINTER": MisalignedPointerError,
    "BAD_PARAM_NOT_FINALIZED": NotFinalizedError,
    "BAD_PARAM_SHAPE_MISMATCH": ShapeMismatchError,
    "INVALID_VALUE": BadParamError,
    "NOT_SUPPORTED": NotSupportedError,
    "NOT_SUPPORTED_ARCH_MISMATCH": ArchMismatchError,
    "ARCH_MISMATCH": ArchMismatchError,
    "RUNTIME_PREREQUISITE_MISSING": NotSupportedError,
    "INTERNAL_ERROR": InternalError,
    "INTERNAL_ERROR_HOST_ALLOCATION_FAILED": AllocationError,
    "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED": AllocationError,
    "MAPPING_ERROR": InternalError,
    "EXECUTION_FAILED": ExecutionFailedError,
    "VERSION_MISMATCH": VersionMismatchError,
    "SUBLIBRARY_VERSION_MISMATCH": VersionMismatchError,
    "SERIALIZATION_VERSION_MISMATCH": VersionMismatchError,
    "SUBLIBRARY": SublibraryError,
    "RUNTIME_IN_PROGRESS": RuntimeInProgressError,
    "RUNTIME_FP_OVERFLOW": RuntimeOverflowError,
    "LICENSE_ERROR": LicenseError,
    "DEPRECATED": DeprecatedError,
}

_DOCTOR = "`python -m cudnn_cffi doctor` checks this"

_MISSING = f"a CUDA library that cuDNN uses is missing, such as cuBLAS or NVRTC; {_DOCTOR}"
_LACKING = f"a sub-library of libcudnn is missing, or needs a library that is; {_DOCTOR}"
_MIXED = (
    "the sub-libraries are of different releases, as after an interrupted upgrade or through "
    f"LD_LIBRARY_PATH; {_DOCTOR}"
)
_SHORT = "free memory on the device, or allow the call a smaller workspace"

_HINTS: Mapping[str, str] = {
    "NOT_INITIALIZED": "is there an NVIDIA driver and a GPU that this process may use, and is the "
    f"handle still open? {_DOCTOR}; without a GPU, graphs, and plans and candidates of operations, "
    'take device="H200" (from cuDNN 9.8.0 on, with cuBLAS and NVRTC; see docs/without-a-gpu.md)',
    "ALLOC_FAILED": _SHORT,
    "BAD_PARAM": "compare each argument above with help() of the function; descriptors must be set "
    "before they are used",
    "BAD_PARAM_NULL_POINTER": "a pointer argument is None or 0",
    "BAD_PARAM_MISALIGNED_POINTER": "copy the array: a view may begin in the middle of another",
    "BAD_PARAM_NOT_FINALIZED": "finalize a descriptor after its last attribute, before its use",
    "BAD_PARAM_SIZE_INSUFFICIENT": "ask cuDNN for the size again, with the same descriptors",
    "BAD_PARAM_STREAM_MISMATCH": "all parts of the call have to be on the stream of the handle",
    "BAD_PARAM_ATTRIBUTE_TYPE": "the attribute takes another type; cuDNN's text names it",
    "NOT_SUPPORTED": "another algorithm, layout, data type or workspace size may be supported; "
    "cuDNN's log says why this one is not",
    "NOT_SUPPORTED_ARCH_MISMATCH": "this GPU is too old, or too new, for what was asked",
    "ARCH_MISMATCH": "this GPU is too old, or too new, for what was asked",
    "NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER": "update the driver, or install cuDNN for older CUDA",
    "NOT_SUPPORTED_INCOMPATIBLE_CUDART": "install the cuDNN wheel for the CUDA runtime in use",
    "NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING": _MISSING,
    "RUNTIME_PREREQUISITE_MISSING": _MISSING,
    "NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE": _LACKING,
    "SUBLIBRARY_LOADING_FAILED": _LACKING,
    "SUBLIBRARY_VERSION_MISMATCH": _MIXED,
    "VERSION_MISMATCH": _MIXED,
    "SERIALIZATION_VERSION_MISMATCH": "the data was written by another cuDNN release; make it anew",
    "INTERNAL_ERROR_HOST_ALLOCATION_FAILED": "the machine is short of memory",
    "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED": _SHORT,
    "INTERNAL_ERROR_COMPILATION_FAILED": "is NVRTC of the right CUDA there? It compiles kernels",
    "EXECUTION_FAILED": "an earlier kernel on the device may have failed; set "
    "CUDA_LAUNCH_BLOCKING=1 to find which",
    "INTERNAL_ERROR": "look at cuDNN's log; CUDNN_CFFI_CHECK=1 checks all arrays before each call",
    "INVALID_VALUE": "compare each argument above with help() of the function",
    "LICENSE_ERROR": "the feature needs a licence of NVIDIA",
    "MAPPING_ERROR": "a texture could not be bound: try smaller arrays, or another algorithm",
    "RUNTIME_FP_OVERFLOW": "scale the numbers, or use a wider type",
    "RUNTIME_IN_PROGRESS": "ask again when the stream has got there",
    "DEPRECATED": "help() of the function names its successor",
}


def _lookup(table: Mapping[str, _T], name: str) -> _T | None:
    """Return the entry whose key is the longest run of whole words at the beginning of `name`."""
    while name:
        if name in table:
            return table[name]
        name = name.rpartition("_")[0]
    return None


def hint_for(status_name: str) -> str:
    """Return what to try after a status with this C name; "" if there is nothing to say."""
    return _lookup(_HINTS, status_name.removeprefix(_PREFIX)) or ""


def from_status(
    function: str,
    status: int,
    status_name: str,
    *,
    hint: str = "",
    **attributes: Unpack[About],
) -> CudnnError:
    """Return the exception for a call that did not succeed; it is returned, not raised.

    `status_name` may be "" for a number that no table knows: `cudnnGetErrorString` of the library
    often does. A `hint` given here is preferred to the one for the status. `attributes` are those
    of `CudnnError`.
    """
    family = _lookup(_FAMILIES, status_name.removeprefix(_PREFIX)) or CudnnError
    name = status_name or "a status with no name in these tables"
    return family(
        f"{function} -> {name} ({int(status)})",
        function=function,
        status=status,
        status_name=status_name,
        hint=hint or hint_of_text(attributes.get("text", "")) or hint_for(status_name),
        **attributes,
    )


def _lines(error: CudnnError) -> Iterator[str]:
    yield error.message
    if text := error.text.strip():
        first, *rest = text.splitlines()
        yield f"  cuDNN says: {first}"
        yield from (f"    {line.strip()}" for line in rest if line.strip())
    yield from filled(f"{name}={value}" for name, value in error.arguments.items())
    parts = []
    if error.version or (error.library and error.library not in error.message):
        place = f" ({error.library})" if error.library else ""
        parts.append(f"cuDNN {error.version or 'of unknown version'}{place}")
    if error.tables:
        parts.append(f"tables {error.tables}")
    if parts:
        yield "  " + ", ".join(parts)
    if error.hint:
        yield f"  hint: {error.hint}"
