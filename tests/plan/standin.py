"""A cuDNN that notes what it executes, in the place of the functions that plans call, and arrays.

Tables and everything else are those of a real library.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from cudnn_cffi import _call, library
from cudnn_cffi._call.layer import lib
from cudnn_cffi._call.spec import WRAPPERS
from cudnn_cffi._tables import active
from cudnn_cffi.memory import DeviceArray, Memory
from cudnn_cffi.plan import Operand, Plan

CONVOLUTION = (
    Operand("x", 1, (1, 8, 16, 16), (2048, 1, 128, 8), "HALF"),
    Operand("w", 2, (8, 8, 3, 3), (72, 1, 24, 8), "HALF"),
    Operand("y", 3, (1, 8, 16, 16), (2048, 1, 128, 8), "HALF", role="output"),
)

_P, _I, _L = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64


#: Where the addresses of what a stand-in makes are.
MADE = range(0x500000, 0x6000000)


@cache
def _for_real_ones(address: int) -> int:
    """Return a function that destroys what cuDNN has made, and leaves what a stand-in has made."""
    kind = ctypes.CFUNCTYPE(_I, _P)
    real = kind(address)
    function = kind(lambda each, made=MADE: 0 if each in made else real(each))
    _kept.append(function)
    return int(ctypes.cast(function, _P).value or 0)


_kept: list[Any] = []


class Execution(NamedTuple):
    """The arguments of one execution."""

    function: str
    handle: int
    stream: int
    plan: int
    pointers: dict[int, int]
    workspace: int
    graph: int


class StandIn:
    """Functions of cuDNN that are used.

    Attributes:
        executions: what was executed.
        status: what executing returns.
        reading: what reading attributes returns.
        workspace_size: what plans that are made from now on ask for.
        text: the JSON of plans.
        streams: the stream of each handle.
        alive: descriptors that were not destroyed.
        copies: what was copied: the stream, and both addresses.
        before: called while a plan executes.
        creating: called while a handle is created.
        next_handle: the address of the next handle that is created; 0 for a new one.
    """

    _next = itertools.count(MADE.start, 0x100)  # of all: what is left of one may end in another

    def __init__(self) -> None:
        self.executions: list[Execution] = []
        self.copies: list[tuple[int, int, int]] = []
        self.status = 0
        self.reading = 0
        self.workspace_size = 0
        self.text = '{"engine":{"engineId":7,"knobChoices":{"CUDNN_KNOB_TYPE_STAGES":2}},'
        self.text += '"GPUProfile":{"deviceName":"Fake GPU","multiProcessorCount":132,'
        self.text += '"deviceVer":900}}'
        self.streams: dict[int, int] = {}
        self.alive: dict[int, dict[int | str, Any]] = {}
        self.stream_sets = 0
        self.before: Any = lambda: None
        self.creating: Any = lambda: None
        self.next_handle = 0
        self._functions: list[Any] = []

    def bind(self) -> None:
        _call.bind()
        for name, *kinds in (
            ("cudnnCreate", _P),
            ("cudnnDestroy", _P),
            ("cudnnGetStream", _P, _P),
            ("cudnnSetStream", _P, _P),
            ("cudnnBackendCreateDescriptor", _I, _P),
            ("cudnnBackendDestroyDescriptor", _P),
            ("cudnnBackendFinalize", _P),
            ("cudnnBackendSetAttribute", _P, _I, _I, _L, _P),
            ("cudnnBackendGetAttribute", _P, _I, _I, _L, _P, _P),
            ("cudnnBackendExecute", _P, _P, _P),
            ("cudnnBackendPopulateCudaGraph", _P, _P, _P, _P),
            ("cudnnBackendUpdateCudaGraph", _P, _P, _P, _P),
            ("cudnnTransformTensor", _P, _P, _P, _P, _P, _P, _P),
        ):
            function = ctypes.CFUNCTYPE(_I, *kinds)(getattr(self, name))
            self._functions.append(function)
            address = ctypes.cast(function, _P).value
            lib.cudnn_cffi_bind(WRAPPERS.index(name), address)

    def unbind(self) -> None:
        """Put the real functions back; what is left of this one may still be destroyed."""
        loaded = library.load()
        for index, name in enumerate(WRAPPERS):
            address = loaded.address(_call.read_spec(name).symbol)
            if name in ("cudnnDestroy", "cudnnBackendDestroyDescriptor") and address:
                address = _for_real_ones(address)
            lib.cudnn_cffi_bind(index, address)

    def _new(self, out: int) -> int:
        made = next(self._next)
        ctypes.c_void_p.from_address(out).value = made
        return made

    def cudnnCreate(self, out: int) -> int:
        self.creating()
        made = self._new(out)
        if self.next_handle:
            made = ctypes.c_void_p.from_address(out).value = self.next_handle
            self.next_handle = 0
        self.streams[made] = 0
        return 0

    def cudnnDestroy(self, handle: int) -> int:
        self.streams.pop(handle, None)
        return 0

    def cudnnGetStream(self, handle: int, out: int) -> int:
        ctypes.c_void_p.from_address(out).value = self.streams[handle]
        return 0

    def cudnnSetStream(self, handle: int, stream: int | None) -> int:
        self.streams[handle] = stream or 0
        self.stream_sets += 1
        return 0

    def cudnnBackendCreateDescriptor(self, _kind: int, out: int) -> int:
        self.alive[self._new(out)] = {}
        return 0

    def cudnnBackendDestroyDescriptor(self, descriptor: int) -> int:
        self.alive.pop(descriptor, None)
        return 0

    def cudnnBackendFinalize(self, descriptor: int) -> int:
        self.alive[descriptor]["finalized"] = True
        return 0

    def cudnnBackendSetAttribute(
        self, descriptor: int, name: int, _kind: int, count: int, values: int
    ) -> int:
        assert "finalized" not in self.alive[descriptor]
        if _kind == int(active().enum("BackendAttributeType")["CHAR"]):
            self.alive[descriptor][name] = ctypes.string_at(values, count)
        else:
            self.alive[descriptor][name] = list((ctypes.c_uint64 * count).from_address(values))
        return 0

    def cudnnBackendGetAttribute(
        self, _descriptor: int, name: int, _kind: int, wanted: int, count: int, out: int | None
    ) -> int:
        names = active().enum("BackendAttributeName")
        if self.reading:
            return self.reading
        if name == int(names["EXECUTION_PLAN_WORKSPACE_SIZE"]):
            data = self.workspace_size.to_bytes(8, "little")
            number = 1
        else:
            assert name == int(names["EXECUTION_PLAN_JSON_REPRESENTATION"])
            data = self.text.encode()
            number = len(data)
        ctypes.c_int64.from_address(count).value = number
        if out and wanted:
            ctypes.memmove(out, data, len(data))
        return 0

    def _execute(self, function: str, handle: int, plan: int, pack: int, graph: int) -> int:
        names = active().enum("BackendAttributeName")
        held = self.alive[pack]
        assert "finalized" in held
        assert plan in self.alive
        uids = held[int(names["VARIANT_PACK_UNIQUE_IDS"])]
        pointers = held[int(names["VARIANT_PACK_DATA_POINTERS"])]
        workspace = held[int(names["VARIANT_PACK_WORKSPACE"])]
        self.before()
        self.executions.append(
            Execution(
                function, handle, self.streams[handle], plan,
                dict(zip(uids, pointers, strict=True)), workspace[0], graph,
            )
        )  # fmt: skip
        return self.status

    def cudnnBackendExecute(self, handle: int, plan: int, pack: int) -> int:
        return self._execute("execute", handle, plan, pack, 0)

    def cudnnTransformTensor(
        self, handle: int, _alpha: int, _a: int, source: int, _beta: int, _b: int, target: int
    ) -> int:
        self.copies.append((self.streams[handle], source, target))
        return self.status

    def cudnnBackendPopulateCudaGraph(self, handle: int, plan: int, pack: int, graph: int) -> int:
        return self._execute("populate", handle, plan, pack, graph)

    def cudnnBackendUpdateCudaGraph(self, handle: int, plan: int, pack: int, graph: int) -> int:
        return self._execute("update", handle, plan, pack, graph)


def make_plan(operands: Sequence[Operand] = CONVOLUTION, **options: Any) -> Plan:
    from cudnn_cffi.plan.descriptors import empty

    return Plan(empty("EXECUTION_PLAN"), operands, **options)


def own(operand: Operand, address: int, **changes: Any) -> DeviceArray:
    """Return a DeviceArray at any address, which nothing reads."""
    fields: dict[str, Any] = {"shape": operand.shape, "strides": operand.strides}
    fields |= {"dtype": "float16", "device": 0}
    fields |= changes
    memory = Memory.borrow(address, 1 << 30, fields["device"], None, object())
    return DeviceArray(memory, fields["shape"], fields["dtype"], fields["strides"])


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", _P), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", _P), ("strides", _P), ("offset", ctypes.c_uint64),
    )  # fmt: skip


_DESCRIBE = ctypes.PYFUNCTYPE(_I, ctypes.py_object, ctypes.POINTER(_DLTensor))
_STREAM = ctypes.PYFUNCTYPE(_I, _I, ctypes.c_int32, ctypes.POINTER(_P))


class _Table(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", _P), ("allocate", _P),
        ("from_object", _P), ("to_object", _P), ("describe", _DESCRIBE), ("stream", _STREAM),
    )  # fmt: skip


_CODES = {"bool": (6, 8), "float16": (2, 16), "float32": (2, 32), "bfloat16": (4, 16), "float8_e4m3fn": (10, 8),
          "float64": (2, 64), "uint8": (1, 8), "int16": (0, 16), "int32": (0, 32)}  # fmt: skip


@cache
def fake_torch() -> Any:
    """Return a module with tensors that have DLPack's table, and a current stream."""
    torch: Any = ModuleType("torch")

    class Tensor:
        """A tensor of PyTorch's, as far as it is read."""

        def __init__(self, operand: Operand, address: int, **changes: Any) -> None:
            fields: dict[str, Any] = {"shape": operand.shape, "strides": operand.strides}
            fields |= {"dtype": "float16", "device": 0, "is_cuda": True}
            fields |= changes
            self.address, self.shape, self._strides = address, fields["shape"], fields["strides"]
            self.dtype, self._device = f"torch.{fields['dtype']}", fields["device"]
            self.is_cuda = fields["is_cuda"]
            rank = len(self.shape)
            self._kept = ((_L * rank)(*self.shape), (_L * rank)(*self._strides))

        def data_ptr(self) -> int:
            return self.address

        def numel(self) -> int:
            return int(np.prod(self.shape))

        def element_size(self) -> int:
            return 2

        def stride(self) -> Any:
            return self._strides

        def get_device(self) -> int:
            return int(self._device) if self.is_cuda else -1

    def describe(tensor: Any, out: Any) -> int:
        code, bits = _CODES[tensor.dtype.removeprefix("torch.")]
        shape, strides = (ctypes.addressof(each) for each in tensor._kept)
        kind = 2 if tensor.is_cuda else 1
        out[0] = _DLTensor(
            tensor.address, kind, tensor._device, len(tensor.shape), code, bits, 1, shape, strides
        )
        return 0

    def stream(_kind: int, _device: int, out: Any) -> int:
        out[0] = torch.current
        return 0

    class Stream:
        def __init__(self, address: int) -> None:
            self.cuda_stream = address

    def empty_strided(shape: Any, strides: Any, *, dtype: Any, **_: Any) -> Any:
        operand = Operand("new", 0, shape, strides, "HALF")
        torch.made += 1
        torch.made_in.append(torch.current)
        return Tensor(operand, 0xE0000 + torch.made * 0x1000, dtype=dtype)

    table = _Table(1, 3, None, None, None, None, _DESCRIBE(describe), _STREAM(stream))
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [_P, ctypes.c_char_p, _P]
    Tensor.__dlpack_c_exchange_api__ = capsule(  # type: ignore[attr-defined]
        ctypes.addressof(table), b"dlpack_exchange_api", None
    )
    for cls in (Tensor, Stream):
        cls.__module__ = "torch"
    torch.__dict__.update(
        Tensor=Tensor, Stream=Stream, current=0, made=0, made_in=[], table=table, float16="float16",
        uint8="uint8", empty_strided=empty_strided, device=lambda *_: "cuda:0",
        cuda=ModuleType("torch.cuda"),
    )  # fmt: skip
    torch._C = SimpleNamespace(_cuda_getCurrentRawStream=lambda _device: torch.current)
    torch.cuda.default_stream = lambda _device: Stream(0)
    torch.cuda.ExternalStream = lambda address, device: Stream(address)  # noqa: ARG005
    torch.cuda.stream = lambda stream: in_stream(torch, stream.cuda_stream)
    return torch


class _Owner(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", _P), ("release", _P),
        ("flags", ctypes.c_uint64), ("array", _DLTensor),
    )  # fmt: skip


_OWN = ctypes.PYFUNCTYPE(_I, ctypes.py_object, ctypes.POINTER(_P))
_RELEASE = ctypes.PYFUNCTYPE(None, ctypes.POINTER(_Owner))


@cache
def fake_views(name: str) -> Any:
    """Return a type of arrays of an unknown library that have DLPack's table, such as cuda.core's.

    Args:
        name: "owner" for a table that has no function that describes an array, only one that makes
            an owner, which is to be released. `View.owners` has those that were not.
    """

    class View:
        """An array that has a table, and no other protocol but `__dlpack_device__`."""

        owners: dict[int, Any] = {}  # noqa: RUF012  of all

        def __init__(self, operand: Operand, address: int, **changes: Any) -> None:
            fields: dict[str, Any] = {"shape": operand.shape, "strides": operand.strides}
            fields |= {"dtype": "float16", "device": 0, "place": 2} | changes
            self.shape, self.strides = fields["shape"], fields["strides"]
            rank = len(self.shape)
            self._kept = ((_L * rank)(*self.shape), (_L * rank)(*self.strides))
            shape, strides = (ctypes.addressof(each) for each in self._kept)
            self.address, self.dtype, self._device = address, fields["dtype"], fields["device"]
            self.described = _DLTensor(
                address - 0x100 if address else 0, fields["place"], self._device, rank,
                *_CODES[self.dtype], 1, shape, strides, 0x100,
            )  # fmt: skip

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.described.device_type, self._device

    def describe(view: Any, out: Any) -> int:
        out[0] = view.described
        return 0

    def own(view: Any, out: Any) -> int:
        owner = _Owner(1, 3, None, ctypes.cast(release, _P), 0, view.described)
        # Extents and strides end with the owner.
        kept = [(_L * len(each))(*each) for each in view._kept]
        owner.array.shape, owner.array.strides = (ctypes.addressof(each) for each in kept)
        View.owners[ctypes.addressof(owner)] = owner, kept
        out[0] = ctypes.addressof(owner)
        return 0

    def let_go(owner: Any) -> None:
        _, kept = View.owners.pop(ctypes.addressof(owner.contents))
        for each in kept:
            each[:] = [-1] * len(each)

    release = _RELEASE(let_go)

    def stream(_kind: int, _device: int, _out: Any) -> int:
        raise AssertionError("the handle has a stream, and these arrays have none")

    table = _Table(1, 3, None, None, None, None, _DESCRIBE(describe), _STREAM(stream))
    if name == "owner":
        owning = _OWN(own)
        table.describe = _DESCRIBE()
        table.from_object = ctypes.cast(owning, _P)
        _kept.extend([owning, release])
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [_P, ctypes.c_char_p, _P]
    View.__dlpack_c_exchange_api__ = capsule(  # type: ignore[attr-defined]
        ctypes.addressof(table), b"dlpack_exchange_api", None
    )
    _kept.append(table)
    return View


class in_stream:  # noqa: N801  it is used like a function
    """Have a library's current stream be another one, in `with` blocks."""

    def __init__(self, module: Any, address: int) -> None:
        self.module, self.address = module, address

    def __enter__(self) -> None:
        self.before, self.module.current = self.module.current, self.address

    def __exit__(self, *_: object) -> None:
        self.module.current = self.before


class CupyData:
    """An object with the address of an array of CuPy's, as far as it is read."""

    __slots__ = ("device_id", "ptr")

    def __init__(self, ptr: int, device_id: int) -> None:
        self.ptr, self.device_id = ptr, device_id


class CupyArray:
    """An array of CuPy's, as far as it is read; made as CuPy does, or of an operand."""

    __slots__ = ("__dict__", "__weakref__")
    data_type: Any = CupyData

    def __init__(self, *given: Any, **changes: Any) -> None:
        if isinstance(given[0], Operand) or "address" in changes:
            self._set(*given, **changes)
        else:
            shape, dtype, self.data, self.strides = given
            self.shape, self.dtype = shape, np.dtype(dtype)

    def _set(self, operand: Operand, address: int, **changes: Any) -> None:
        fields: dict[str, Any] = {"shape": operand.shape, "strides": operand.strides}
        fields |= {"dtype": "float16", "device": 0}
        fields |= changes
        self.data = self.data_type(address, fields["device"])
        self.shape, self.dtype = fields["shape"], np.dtype(fields["dtype"])
        self.strides = tuple(step * self.dtype.itemsize for step in fields["strides"])

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "strides": self.strides,
                "data": (self.data.ptr, False), "version": 3}  # fmt: skip


def _c_type(name: bytes, words: int) -> Any:
    """Return a type whose objects have a number of words that Python does not use."""

    class Spec(ctypes.Structure):
        _fields_ = (
            *(("name", ctypes.c_char_p), ("size", _I), ("item", _I)),
            *(("flags", ctypes.c_uint), ("slots", _P)),
        )

    nothing = (ctypes.c_uint64 * 2)()
    size, is_base = object.__basicsize__ + 8 * words, 1 << 10
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype = ctypes.py_object
    return make(ctypes.byref(Spec(name, size, 0, is_base, ctypes.addressof(nothing))))


def _field(offset: int, kind: Any, read: Any, write: Any) -> property:
    """Return an attribute that is kept at an offset of its object, as in C."""

    def get(self: Any) -> Any:
        return read(kind.from_address(id(self) + offset))

    def put(self: Any, value: Any) -> None:
        kept, field = write(value)
        self.__dict__[f"kept at {offset}"] = kept
        kind.from_address(id(self) + offset)[:] = field

    return property(get, put)


def _vector(offset: int) -> property:
    """Return a tuple of integers that is kept as a vector of C++."""

    def read(words: Any) -> tuple[int, ...]:
        count = (words[1] - words[0]) // 8
        return tuple((_L * count).from_address(words[0])) if count else ()

    def write(values: Any) -> tuple[Any, list[int]]:
        kept = (_L * (len(values) + 2))(*values)
        begin = ctypes.addressof(kept)
        return kept, [begin, begin + 8 * len(values), begin + 8 * (len(values) + 2)]

    return _field(offset, ctypes.c_size_t * 3, read, write)


def _object(offset: int) -> property:
    return _field(
        offset,
        ctypes.c_size_t * 1,
        lambda words: ctypes.cast(words[0], ctypes.py_object).value,
        lambda value: (value, [id(value)]),
    )


def _integer(offset: int, kind: Any) -> property:
    return _field(offset, kind * 1, lambda words: words[0], lambda value: (None, [value]))


def _as_in_c() -> tuple[Any, Any]:
    """Return the types of arrays and of what has their address, with fields as objects of C have."""

    class MemoryPointer(_c_type(b"tests.MemoryPointer", 6)):  # type: ignore[misc]
        __slots__ = ("__dict__",)
        ptr, device_id = _integer(40, _P), _integer(28, _I)

        def __init__(self, ptr: Any, device_id: int = 0) -> None:
            if not isinstance(ptr, int):  # memory and an offset, as CuPy has it
                ptr, device_id = ptr[0] + device_id, ptr[1]
            self.ptr, self.device_id = ptr, device_id

    class ndarray(CupyArray, _c_type(b"tests.ndarray", 12)):  # type: ignore[misc] # noqa: N801
        __slots__ = ()
        data_type = MemoryPointer
        shape, strides = _vector(24), _vector(56)
        dtype, data = _object(88), _object(104)

    return ndarray, MemoryPointer


@cache
def fake_cupy(name: str) -> tuple[Any, Any]:
    """Return modules with arrays that have the attributes of CuPy's, and a current stream.

    Args:
        name: "cupy in C" for arrays that have fields as objects of C do, which the compiled layer
            reads; then the current stream, too, comes from a function in C.
    """
    cupy: Any = ModuleType("cupy")
    backends: Any = ModuleType("cupy_backends.cuda")
    backends.stream = ModuleType("cupy_backends.cuda.stream")

    class ndarray(CupyArray):  # noqa: N801
        __slots__ = ()

    cls, data = (ndarray, CupyData) if name == "cupy" else _as_in_c()

    def alloc(_size: int) -> Any:
        cupy.made += 1
        cupy.made_in.append(cupy.current)
        return data(0xE0000 + cupy.made * 0x1000, 0)

    def stream() -> int:
        return int(cupy.current)

    cls.__module__ = "cupy"
    cupy.__dict__.update(ndarray=cls, current=0, made=0, made_in=[], cuda=ModuleType("cupy.cuda"))
    cupy.cuda.alloc = alloc
    cupy.cuda.ExternalStream = lambda address, _device: in_stream(cupy, address)
    cupy.cuda.Stream = SimpleNamespace(null=in_stream(cupy, 0))
    cupy.cuda.get_current_stream = lambda _=-1: SimpleNamespace(ptr=cupy.current)
    if name != "cupy":
        cupy.cuda.UnownedMemory = lambda address, _size, _owner, device: (address, device)
        cupy.cuda.MemoryPointer = data
        function = ctypes.PYFUNCTYPE(_L)(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [_P, ctypes.c_char_p, _P]
        signature = ctypes.create_string_buffer(b"intptr_t (void)")
        capsule = new(ctypes.cast(function, _P), ctypes.cast(signature, ctypes.c_char_p), None)
        _kept.extend([function, signature])
        backends.stream.__pyx_capi__ = {"get_current_stream_ptr": capsule}
    return cupy, backends
